//! A record that outlives a full disk: the run goes on, its lines wait in memory until there is room, and lie in another place at the end if there
//! never is. For runs so long that somebody will make room. Must not choose that place.

use super::{Journal, RecordFile};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::record::{self, Line};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::PathBuf;

/// Most bytes that wait in memory.
const MOST_BYTES: usize = 64 << 20;

/// What the user is told while a run goes on.
pub type Tell = Box<dyn FnMut(&str)>;

/// The record of a long run.
pub struct Patient {
    record: RecordFile,
    /// Bytes of it that are whole lines.
    good: u64,
    waiting: VecDeque<Vec<u8>>,
    /// Where lines go that found no room.
    rest: PathBuf,
    spilled: Option<File>,
    is_full: bool,
    tell: Tell,
}

impl Patient {
    /// A journal that goes on in a record; lines that find no room in the end go to `rest`, which must not be there.
    ///
    /// # Errors
    /// When the record cannot be looked at.
    pub fn new(record: RecordFile, rest: PathBuf, tell: Tell) -> Result<Self, Problem> {
        let good =
            record.file.metadata().map_err(|error| record.failed(&error.to_string(), Some(&error)))?.len();
        Ok(Self { record, good, waiting: VecDeque::new(), rest, spilled: None, is_full: false, tell })
    }

    /// Writes what waits, as far as there is room.
    fn catch_up(&mut self) -> io::Result<()> {
        while let Some(line) = self.waiting.front() {
            let file = &mut self.record.file;
            if let Err(error) = file.write_all(line).and_then(|()| file.sync_data()) {
                // A part of a line must not stand in front of the next one.
                file.set_len(self.good)?;
                file.seek(SeekFrom::Start(self.good))?;
                return Err(error);
            }
            self.good += line.len() as u64;
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Writes what waits to the other place.
    fn spill(&mut self) -> io::Result<()> {
        let file = match &mut self.spilled {
            Some(file) => file,
            none => none.insert(OpenOptions::new().append(true).create_new(true).open(&self.rest)?),
        };
        for line in self.waiting.drain(..) {
            file.write_all(&line)?;
        }
        file.sync_data()
    }

    fn made_room(&mut self) {
        if std::mem::take(&mut self.is_full) {
            (self.tell)("there is room for the record again; nothing of it is lost");
        }
    }

    fn found_none(&mut self, is_last: bool) -> Result<(), Problem> {
        if !std::mem::replace(&mut self.is_full, true) {
            let name = &self.record.name;
            (self.tell)(&format!(
                "the filesystem of {name} is full; the load goes on, and its figures wait in memory until there is room"
            ));
        }
        let bytes: usize = self.waiting.iter().map(Vec::len).sum();
        if !is_last && bytes < MOST_BYTES && self.spilled.is_none() {
            return Ok(());
        }
        let lines = self.waiting.len();
        let (rest, name) = (self.rest.display().to_string(), self.record.name.clone());
        self.spill().map_err(|error| {
            Problem::new(
                ExitKind::CutShort,
                format!("{lines} lines of the record found no room, and are lost"),
            )
            .at(&name)
            .because(format!("its filesystem is full, and {rest} cannot be written: {error}"))
            .next("free some space; `rigel soak --resume RECORD` goes on")
        })?;
        if !is_last {
            return Ok(());
        }
        Err(Problem::new(
            ExitKind::CutShort,
            format!("the end of the record found no room, and lies in {rest}"),
        )
        .at(&name)
        .because("its filesystem is full")
        .next(format!("free some space, then: cat {rest} >> {name}; rigel report {name}")))
    }
}

impl Journal for Patient {
    fn append(&mut self, line: &Line) -> Result<(), Problem> {
        let bytes = record::write_line(line).map_err(|error| self.record.failed(&error.to_string(), None))?;
        self.waiting.push_back(bytes);
        let is_last = matches!(line, Line::Closing(_));
        // Lines in the other place come behind those in the record.
        if self.spilled.is_some() {
            return self.found_none(is_last);
        }
        match self.catch_up() {
            Ok(()) => {
                self.made_room();
                Ok(())
            }
            Err(error) if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
                self.found_none(is_last)
            }
            Err(error) => Err(self.record.failed(&error.to_string(), Some(&error))),
        }
    }

    fn elsewhere(&self) -> Option<PathBuf> {
        self.spilled.is_some().then(|| self.rest.clone())
    }
}
