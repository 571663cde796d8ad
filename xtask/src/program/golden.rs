//! The golden corpus: records made in memory, with everything that they become, held as a digest for each document and with some
//! documents whole. Whatever changes a byte of an output shows in `cargo xtask gen --check`.
//!
//! Must not depend on the machine, the day, the place of the sources or the version of the program, and must not judge whether an output
//! is right: other tests do.

mod by_hand;
pub mod cases;
mod digests;
mod documents;
mod facts;
mod simulated;

use anyhow::Context as _;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub use digests::{FILE as DIGESTS, differing};
#[cfg(test)]
pub use documents::of as documents_of;

/// The folder of the documents that are kept whole.
pub const FOLDER: &str = "golden/outputs";

/// One output of a case.
pub struct Document {
    /// Its name among those of its case: `json`, `html`.
    pub name: String,
    /// All of it.
    pub bytes: Vec<u8>,
}

impl Document {
    fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), bytes: bytes.into() }
    }
}

/// Every document by its path, `case/document`.
pub struct Corpus(BTreeMap<String, Vec<u8>>);

impl Corpus {
    /// Makes all of them, on as many threads as the machine has CPUs.
    ///
    /// # Errors
    /// When a case cannot be made, with its name.
    pub fn make() -> anyhow::Result<Self> {
        let cases = cases::all();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut made = Vec::new();
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                made.push(case.documents().with_context(|| format!("the golden case {}", case.name))?);
            }
            anyhow::Ok(made.into_iter().flatten())
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            let running: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            let mut all = BTreeMap::new();
            for worker in running {
                for (path, bytes) in
                    worker.join().map_err(|_| anyhow::anyhow!("a golden case panicked"))??
                {
                    anyhow::ensure!(
                        all.insert(path.clone(), bytes).is_none(),
                        "two documents are called {path}"
                    );
                }
            }
            Ok(Self(all))
        })
    }

    /// The committed files, each with its path: the digests, and the documents that are kept whole.
    ///
    /// # Errors
    /// When a document that is kept whole is missing, or is not text.
    pub fn files(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut files = vec![(DIGESTS.to_owned(), digests::text(&self.0))];
        for path in cases::WHOLE {
            let bytes =
                self.0.get(path).with_context(|| format!("no golden case has the document {path}"))?;
            let text = String::from_utf8(bytes.clone()).with_context(|| format!("{path} is no text"))?;
            files.push((format!("{FOLDER}/{}.txt", path.replace('/', "--")), text));
        }
        Ok(files)
    }

    /// Writes every document below a directory, to be compared with what another version of the program writes.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write_below(&self, dir: &Path) -> anyhow::Result<()> {
        for (name, bytes) in &self.0 {
            let path = dir.join(name);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
            }
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
        println!("gen: wrote {} documents below {}", self.0.len(), dir.display());
        Ok(())
    }
}

#[cfg(test)]
pub mod tests;
