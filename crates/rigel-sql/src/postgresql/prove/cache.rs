//! What the page cache holds of the table and its index: nothing, or a share of it.
//!
//! A share is kept in pieces of 128 KiB: a query by a shuffled key finds each of its blocks there with that probability, and a scan of the
//! whole table reads what is missing in large I/Os. Files are opened read-only, and nothing is lost.

use super::tables::Tables;
use crate::evict::segments;
use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use rigel_core::path_text;
use rigel_core::units::KIB;
use rustix::fs::{Advice, Mode, OFlags, fadvise, open};
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

const PIECE: u64 = 128 * KIB;
/// What any storage reads within seconds.
const PIECES_AT_ONCE: u64 = 64;

/// The files of table and index.
pub struct CacheFiles {
    table: Vec<PathBuf>,
    files: Vec<(File, u64)>,
    table_bytes: u64,
    buffer: Vec<u8>,
}

impl CacheFiles {
    /// Opens them.
    pub fn open(tables: &Tables) -> Result<Self, Problem> {
        let table = segments(&tables.file);
        let mut files = Vec::new();
        for path in table.iter().cloned().chain(segments(&tables.index)) {
            files.push(opened(&path).map_err(|error| unreadable(&path, &error))?);
        }
        let table_bytes = files.iter().take(table.len()).map(|(_, bytes)| bytes).sum();
        let buffer = vec![0; usize::try_from(PIECE).unwrap_or(0)];
        Ok(Self { table, files, table_bytes, buffer })
    }

    /// The files of the table.
    pub fn table(&self) -> &[PathBuf] {
        &self.table
    }

    /// Their size.
    pub const fn table_bytes(&self) -> u64 {
        self.table_bytes
    }

    /// Keeps this share of all files, drawn again. `go_on` is asked now and then.
    pub fn set(
        &mut self,
        share: f64,
        draw: &mut Generator,
        go_on: &mut dyn FnMut() -> Result<(), Problem>,
    ) -> Result<(), Problem> {
        for (file, bytes) in &self.files {
            let trouble = |error: io::Error| unreadable(Path::new("the table"), &error);
            // Only what is on the device leaves memory.
            file.sync_data().map_err(trouble)?;
            fadvise(file, 0, None, Advice::DontNeed).map_err(|errno| trouble(errno.into()))?;
            // Each piece comes alone, without what is behind it.
            fadvise(file, 0, None, Advice::Random).map_err(|errno| trouble(errno.into()))?;
            for piece in 0..bytes.div_ceil(PIECE) {
                if piece % PIECES_AT_ONCE == 0 {
                    go_on()?;
                }
                if draw.unit() < share {
                    read(file, &mut self.buffer, piece * PIECE).map_err(trouble)?;
                }
            }
        }
        Ok(())
    }
}

fn read(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        match file.read_at(&mut buffer[done..], offset + done as u64)? {
            0 => break,
            bytes => done += bytes,
        }
    }
    Ok(())
}

/// Never waits or follows a link, whatever the server has put there.
fn opened(path: &Path) -> io::Result<(File, u64)> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if found.is_file() { Ok((file, found.len())) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// A file of the server cannot be read.
fn unreadable(path: &Path, error: &io::Error) -> Problem {
    Problem::refused("the files of the table cannot be read")
        .at(path_text::encode(path))
        .because(error.to_string())
        .next("run Rigel as root or as the server's user, so that it can evict them from the page cache")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_kept_whatever_the_size_of_the_files() {
        let dir = tempfile::tempdir().unwrap();
        let (file, index) = (dir.path().join("1"), dir.path().join("2"));
        std::fs::write(&file, vec![7; 300_000]).unwrap();
        std::fs::write(&index, vec![7; 8192]).unwrap();
        let tables = Tables { rows: 1, file: file.clone(), index };
        let mut cached = CacheFiles::open(&tables).unwrap();
        assert_eq!((cached.table_bytes(), cached.table()), (300_000, &[file][..]));
        let mut draw = Generator::new(1, &[]);
        for share in [0.0, 0.5, 1.0] {
            cached.set(share, &mut draw, &mut || Ok(())).unwrap();
        }
        let stopped = cached.set(1.0, &mut draw, &mut || Err(crate::prove::ended())).unwrap_err();
        assert_eq!(stopped.kind.code(), 4, "it ends in the middle");
        let told = CacheFiles::open(&Tables { file: dir.path().to_owned(), ..tables }).err().unwrap();
        assert_eq!(told.kind.code(), 3, "{told}");
    }
}
