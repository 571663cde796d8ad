//! A record that outlives a full disk: the run continues, and its lines wait in another place until there is room. For runs so long that someone
//! will make room. Must not choose that place.

use super::{Journal, RecordFile};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::path_text::{encode, shell_word};
use rigel_core::record::{self, Line};
use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

/// Most bytes that wait in memory, where no other place takes them.
const MOST_BYTES: usize = 64 << 20;

/// Messages to the user during a run.
pub type NoticeSink = Box<dyn FnMut(&str)>;
/// The files in which lines may wait, the best first. Asked when the record has its first line.
pub type Places = Box<dyn Fn() -> Vec<PathBuf>>;

/// The record of a long run.
pub struct Patient {
    record: RecordFile,
    /// Bytes of complete lines.
    good: u64,
    /// Lines that are nowhere else. Those of the rests come before them.
    waiting: VecDeque<Vec<u8>>,
    /// Each begun when the previous one was full.
    rests: Vec<Rest>,
    places: Places,
    /// The command that resumes the run.
    again: String,
    is_full: bool,
    is_in_danger: bool,
    tell: NoticeSink,
}

/// The file of the lines that did not fit.
struct Rest {
    file: File,
    path: PathBuf,
    good: u64,
}

impl Rest {
    /// In a file that is made for it, so nothing planted there is followed or added to.
    fn begin(path: PathBuf, line: &[u8]) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&path)?;
        let mut rest = Self { file, path, good: 0 };
        let added = rest.add(line);
        if added.is_err() {
            let _ = fs::remove_file(&rest.path);
        }
        added.map(|()| rest)
    }

    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        self.good = add_whole(&mut self.file, self.good, line)?;
        Ok(())
    }

    fn lines(&self) -> io::Result<Vec<u8>> {
        let mut lines = vec![0; usize::try_from(self.good).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut lines, 0)?;
        Ok(lines)
    }
}

/// Appends all or nothing to a file of `good` bytes, and returns its new length: a partial line must not precede the next one.
fn add_whole(file: &mut File, good: u64, bytes: &[u8]) -> io::Result<u64> {
    if let Err(error) = file.write_all(bytes).and_then(|()| file.sync_data()) {
        file.set_len(good)?;
        file.seek(SeekFrom::Start(good))?;
        return Err(error);
    }
    Ok(good + bytes.len() as u64)
}

impl Patient {
    /// A journal that continues in a record. `again`: the command that resumes the run later.
    ///
    /// # Errors
    /// When the record cannot be examined.
    pub fn new(record: RecordFile, places: Places, again: String, tell: NoticeSink) -> Result<Self, Problem> {
        let good =
            record.file.metadata().map_err(|error| record.failed(&error.to_string(), Some(&error)))?.len();
        Ok(Self {
            record,
            good,
            waiting: VecDeque::new(),
            rests: Vec::new(),
            places,
            again,
            is_full: false,
            is_in_danger: false,
            tell,
        })
    }

    /// Writes the waiting lines, as far as there is room. The rest file returns as a whole, so it can be appended to the record by hand until then.
    fn catch_up(&mut self) -> io::Result<()> {
        while let Some(rest) = self.rests.first() {
            self.good = add_whole(&mut self.record.file, self.good, &rest.lines()?)?;
            // One that stays says nothing that the record has not.
            let _ = fs::remove_file(&rest.path);
            self.rests.remove(0);
        }
        while let Some(line) = self.waiting.front() {
            self.good = add_whole(&mut self.record.file, self.good, line)?;
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Writes the waiting lines elsewhere. A line is forgotten once it is stored there.
    fn put_aside(&mut self) -> Result<(), String> {
        while let Some(line) = self.waiting.front() {
            let added = self.rests.last_mut().map(|rest| (rest.add(line), encode(&rest.path)));
            let full = match added {
                Some((Ok(()), _)) => None,
                Some((Err(error), name)) => Some(format!("{name} ({error})")),
                None => Some(String::new()),
            };
            if let Some(full) = full {
                let begun = begin_somewhere(self.places_left(), line);
                let refused = |more: String| {
                    let both = [full, more].into_iter().filter(|one| !one.is_empty());
                    both.collect::<Vec<_>>().join(", ")
                };
                self.rests.push(begun.map_err(refused)?);
            }
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// After the place that took lines last, so that readers find them in the order of the places.
    fn places_left(&self) -> Vec<PathBuf> {
        let places = (self.places)();
        let last = self.rests.last().and_then(|rest| places.iter().position(|place| *place == rest.path));
        places.into_iter().skip(last.map_or(0, |last| last + 1)).collect()
    }

    fn rests(&self) -> Vec<String> {
        self.rests.iter().map(|rest| encode(&rest.path)).collect()
    }

    fn made_room(&mut self) {
        self.is_in_danger = false;
        if std::mem::take(&mut self.is_full) {
            (self.tell)("there is room for the record again; nothing was lost");
        }
    }

    fn found_none(&mut self, is_last: bool) -> Result<(), Problem> {
        let before = self.rests.len();
        let refused = self.put_aside().err();
        let (name, rests) = (self.record.name.clone(), self.rests());
        self.is_full &= before == rests.len();
        match refused {
            Some(why) if is_last || self.waiting.iter().map(Vec::len).sum::<usize>() >= MOST_BYTES => {
                Err(self.lost(&name, &why))
            }
            None if is_last => Err(self.lies_elsewhere(&name, &rests)),
            refused => {
                self.tell_once(&name, rests.last().map_or("", String::as_str), refused);
                Ok(())
            }
        }
    }

    /// Where the lines wait, whenever the place changes.
    fn tell_once(&mut self, name: &str, rest: &str, refused: Option<String>) {
        let is_news = !std::mem::replace(&mut self.is_full, true);
        let was_in_danger = std::mem::replace(&mut self.is_in_danger, refused.is_some());
        let they = match refused {
            Some(_) if was_in_danger => return,
            Some(why) => {
                format!(
                    "memory, where a kill loses them, because nothing else can hold them: {why}; free some space soon"
                )
            }
            None if is_news || was_in_danger => {
                format!("{rest} until there is space; `rigel report` and `--resume` find them there")
            }
            None => return,
        };
        (self.tell)(&format!(
            "the filesystem of {name} is full; the load continues, and its figures wait in {they}"
        ));
    }

    fn lost(&self, name: &str, why: &str) -> Problem {
        let lines = self.waiting.len();
        let what = match lines {
            1 => "1 line of the record did not fit and is lost".to_owned(),
            _ => format!("{lines} lines of the record did not fit and are lost"),
        };
        Problem::new(ExitKind::CutShort, what)
            .at(name)
            .because(format!("its filesystem is full, and nothing else can hold them: {why}"))
            .next(format!("keep what is printed here; free some space, then `{}` resumes", self.again))
    }

    fn lies_elsewhere(&self, name: &str, rests: &[String]) -> Problem {
        let files: Vec<_> = rests.iter().map(|rest| shell_word(rest)).collect();
        let (file, record) = (files.join(" "), shell_word(name));
        Problem::new(
            ExitKind::CutShort,
            format!("the end of the record did not fit and is in {}", rests.join(" and ")),
        )
        .at(name)
        .because("its filesystem is full")
        .next(format!(
            "free some space, then: cat {file} >> {record} && rm {file}; resuming also puts it back: {}",
            self.again
        ))
    }
}

/// In the first place that takes it.
fn begin_somewhere(places: Vec<PathBuf>, line: &[u8]) -> Result<Rest, String> {
    let mut refused = Vec::new();
    for path in places {
        let name = encode(&path);
        match Rest::begin(path, line) {
            Ok(rest) => return Ok(rest),
            Err(error) => refused.push(format!("{name} ({error})")),
        }
    }
    Err(refused.join(", "))
}

impl Journal for Patient {
    fn append(&mut self, line: &Line) -> Result<(), Problem> {
        let bytes = record::write_line(line).map_err(|error| self.record.failed(&error.to_string(), None))?;
        self.waiting.push_back(bytes);
        match self.catch_up() {
            Ok(()) => {
                self.made_room();
                Ok(())
            }
            // Without its first line a record is none, and nothing was measured yet.
            Err(error) if is_no_room(&error) && self.good > 0 => {
                self.found_none(matches!(line, Line::Closing(_)))
            }
            Err(error) => Err(self.record.failed(&error.to_string(), Some(&error))),
        }
    }

    fn unkept(&self) -> Vec<&[u8]> {
        self.waiting.iter().map(Vec::as_slice).collect()
    }
}

fn is_no_room(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests;
