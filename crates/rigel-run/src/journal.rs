//! Writes the record line by line; a line is on the disk before the next step begins.
//!
//! Must not decide where the file is: it is given one that was created for this run.

mod memory;
mod patient;

pub use memory::Memory;
pub use patient::{NoticeSink, Patient, Places};

use rigel_core::error::Problem;
use rigel_core::record::{self, Line};
use std::fs::File;
use std::io::{self, Write};

/// The destination of a run's lines.
pub trait Journal {
    /// Appends a line and waits until it is stored.
    ///
    /// # Errors
    /// When it could not be stored; everything before it is.
    fn append(&mut self, line: &Line) -> Result<(), Problem>;

    /// The lines at the end that found room nowhere: who judges the run needs them, and the next start cannot.
    fn unkept(&self) -> Vec<&[u8]> {
        Vec::new()
    }
}

/// The record of a run in the making, on disk.
#[derive(Debug)]
pub struct RecordFile {
    file: File,
    /// Printable, for messages.
    name: String,
}

impl RecordFile {
    /// A journal in an empty file of this run's own.
    pub const fn new(file: File, name: String) -> Self {
        Self { file, name }
    }

    fn failed(&self, reason: &str, error: Option<&io::Error>) -> Problem {
        let full = error.is_some_and(|error| error.kind() == io::ErrorKind::StorageFull);
        let problem = Problem::new(
            rigel_core::error::ExitKind::CutShort,
            format!("the record cannot be written: {reason}"),
        )
        .at(&self.name);
        if full {
            problem
                .because("the filesystem is full")
                .next("free some space, or choose another directory with --out")
        } else {
            problem.because("the filesystem refused the write").next("choose another directory with --out")
        }
    }
}

impl Journal for RecordFile {
    fn append(&mut self, line: &Line) -> Result<(), Problem> {
        let bytes = record::write_line(line).map_err(|error| self.failed(&error.to_string(), None))?;
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        written.map_err(|error| self.failed(&error.to_string(), Some(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::record::ClosingLine;

    fn closing() -> Line {
        Line::Closing(ClosingLine { ended: "now".into(), complete: true, reason: None, end: None })
    }

    #[test]
    fn lines_are_appended_whole() {
        let mut file = tempfile::tempfile().unwrap();
        let mut journal = RecordFile::new(file.try_clone().unwrap(), "record".into());
        journal.append(&closing()).unwrap();
        journal.append(&closing()).unwrap();
        let mut text = String::new();
        io::Seek::rewind(&mut file).unwrap();
        io::Read::read_to_string(&mut file, &mut text).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert!(text.ends_with("\n"));
    }

    #[test]
    fn a_full_disk_is_told() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let problem = RecordFile::new(full, "my_record.jsonl".into()).append(&closing()).unwrap_err();
        assert_eq!(problem.kind.code(), 4);
        let told = problem.to_string();
        assert!(told.contains("my_record.jsonl") && told.contains("full"), "{told}");
    }
}
