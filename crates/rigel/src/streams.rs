//! Where the program writes: results on one stream, everything else on the other.
//!
//! They are those of the process, or memory, so a whole command can be run within another program. Must not render.

use crate::terminal::Abilities;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_io::standard::is_output_closed;
use rigel_report::text::Style;
use rustix::io::Errno;
use std::io::{self, ErrorKind, IsTerminal as _, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The two streams of a command.
#[derive(Clone, Debug)]
pub struct Streams {
    out: Stream,
    err: Stream,
    /// Whether the reader of the results had gone when they were written.
    is_unread: Arc<AtomicBool>,
}

#[derive(Clone, Debug)]
enum Stream {
    Output,
    Error,
    Memory(Arc<Mutex<Vec<u8>>>),
}

impl Streams {
    /// The streams of the process.
    pub fn of_process() -> Self {
        Self { out: Stream::Output, err: Stream::Error, is_unread: Arc::default() }
    }

    /// Memory; [`Streams::texts`] reads it.
    pub fn in_memory() -> Self {
        let memory = || Stream::Memory(Arc::default());
        Self { out: memory(), err: memory(), is_unread: Arc::default() }
    }

    /// What was written to memory, results first. Bytes that are not text are escaped.
    pub fn texts(&self) -> [String; 2] {
        [&self.out, &self.err].map(|stream| match stream {
            Stream::Memory(bytes) => {
                let bytes = bytes.lock().unwrap_or_else(PoisonError::into_inner);
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Stream::Output | Stream::Error => String::new(),
        })
    }

    /// Writes results. A reader that has gone (`rigel --help | head`) is not a failure.
    pub(crate) fn results(&self, bytes: &[u8]) -> Result<(), Problem> {
        match self.out.put(bytes) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                self.is_unread.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => Err(Problem::refused("the results cannot be written")
                .at("standard output")
                .because(format!("the system says: {error}"))
                .next("check where standard output is redirected")),
        }
    }

    /// Whether some of the results were not read. A run continues anyway: its purpose is the record, which contains them.
    pub(crate) fn is_unread(&self) -> bool {
        self.is_unread.load(Ordering::Relaxed)
    }

    /// Writes where files were written, a line each, as results.
    pub(crate) fn list(&self, paths: &[PathBuf]) -> Result<(), Problem> {
        paths.iter().try_for_each(|path| self.results(format!("{}\n", path_text::encode(path)).as_bytes()))
    }

    /// Writes text to standard error; a closed one is not a failure.
    pub(crate) fn aside(&self, text: &str) {
        let _ = self.err.put(text.as_bytes());
    }

    /// Writes a remark to standard error.
    pub(crate) fn remark(&self, text: &str) {
        self.aside(&format!("note: {}\n", path_text::printable(text)));
    }

    /// The style of the results.
    pub(crate) fn style(&self) -> Style {
        Abilities::of_process().style(self.out.is_terminal())
    }

    /// Whether somebody watches standard error.
    pub(crate) fn is_watched(&self) -> bool {
        self.err.is_terminal()
    }

    /// Standard error, for long-lived writers.
    pub(crate) fn beside(&self) -> Box<dyn Write + Send> {
        Box::new(self.err.clone())
    }
}

impl Stream {
    /// Writes all of it immediately.
    fn put(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Output if is_output_closed() => Err(Errno::BADF.into()),
            Self::Output => {
                let mut out = io::stdout().lock();
                out.write_all(bytes).and_then(|()| out.flush())
            }
            Self::Error => io::stderr().lock().write_all(bytes),
            Self::Memory(memory) => {
                memory.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    fn is_terminal(&self) -> bool {
        match self {
            Self::Output => io::stdout().is_terminal(),
            Self::Error => io::stderr().is_terminal(),
            Self::Memory(_) => false,
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.put(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_results_apart_from_the_rest() {
        let streams = Streams::in_memory();
        let other = streams.clone();
        streams.results(b"3 IOPS\n").unwrap();
        other.remark("by\u{1b}[2Jte");
        streams.list(&["a\nb".into()]).unwrap();
        let mut beside = other.beside();
        beside.write_all(b"half\n").unwrap();
        assert_eq!(streams.texts(), ["3 IOPS\na\\x0ab\n", "note: by\\x1b[2Jte\nhalf\n"]);
        assert!(!streams.is_watched() && !streams.style().colour);
    }
}
