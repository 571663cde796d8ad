//! A job: its options, taken one by one over those that it inherits.
//!
//! Must not make a load of them.

use super::lines::{Line, Section};
use super::remark::{Page, Remark};
use super::values::{Amount, Base, Pair, Split, percent, time, truth};
use super::wrong;
use crate::error::Problem;
use crate::load::class::Sync;
use crate::path_text::printable;
use crate::units::Nanos;

/// Engines of fio whose jobs have one I/O outstanding, whatever `iodepth` says.
const SYNC_ENGINES: [&str; 6] = ["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"];
/// Options that define a load: fio refuses them in capitals, and without them it would be a different load.
const ESSENTIAL: [&str; 18] = [
    "rw",
    "readwrite",
    "bs",
    "blocksize",
    "bssplit",
    "iodepth",
    "numjobs",
    "rate",
    "rate_iops",
    "rwmixread",
    "rwmixwrite",
    "size",
    "offset",
    "filename",
    "directory",
    "ioengine",
    "runtime",
    "fdatasync",
];
/// Options that do not affect a load.
const SILENT: [&str; 2] = ["name", "description"];

/// The access pattern of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    pub random: bool,
    pub reads: bool,
    pub writes: bool,
}

/// The parameters of a job.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    pub name: &'a str,
    /// The line with its name.
    pub line: usize,
    pub walk: Walk,
    pub bs: Pair<u64>,
    pub split: Option<Pair<Split>>,
    /// Percentage of reads, for jobs that do both.
    pub mix_read: u8,
    pub iodepth: u32,
    pub numjobs: u32,
    pub rate_iops: Pair<Option<u64>>,
    pub rate_bytes: Pair<Option<u64>>,
    pub poisson: bool,
    pub sync: Sync,
    pub offset: Amount,
    pub size: Option<(Amount, usize)>,
    /// The distance between its copies.
    increment: Amount,
    /// The size of each of its files, which together are its area.
    filesize: Option<(Amount, usize)>,
    nrfiles: u32,
    pub runtime: Option<(Nanos, usize)>,
    pub time_based: bool,
    pub files: Vec<String>,
    pub directory: Option<String>,
    pub stonewall: bool,
    pub direct: bool,
    pub engine: &'a str,
    base: Base,
}

impl<'a> Job<'a> {
    /// fio's defaults.
    pub fn usual() -> Self {
        Self {
            name: "global",
            line: 0,
            walk: Walk { random: false, reads: true, writes: false },
            bs: [4096; 2],
            split: None,
            mix_read: 50,
            iodepth: 1,
            numjobs: 1,
            rate_iops: [None; 2],
            rate_bytes: [None; 2],
            poisson: false,
            sync: Sync::None,
            offset: Amount::Bytes(0),
            size: None,
            increment: Amount::Bytes(0),
            filesize: None,
            nrfiles: 1,
            runtime: None,
            time_based: false,
            files: Vec::new(),
            directory: None,
            stonewall: false,
            direct: false,
            engine: "psync",
            base: Base::default(),
        }
    }

    /// The same job with the options of a section.
    pub fn with(&self, section: &Section<'a>, page: &mut Page<'_>) -> Result<Self, Problem> {
        let mut job = Self { name: section.name, line: section.number, ..self.clone() };
        // It says how sizes are read, also of those before it.
        for line in section.lines.iter().filter(|line| line.option == "kb_base") {
            job.base = line.value.and_then(Base::named).ok_or_else(|| unread(page, *line, "1024 or 1000"))?;
        }
        for line in &section.lines {
            job.set(*line, page)?;
        }
        if let Some((amount, line)) = job.filesize {
            let all = match amount {
                Amount::Bytes(bytes) => Amount::Bytes(bytes.saturating_mul(job.nrfiles.into())),
                share @ Amount::Percent(_) => share,
            };
            job.size = Some((all, line));
        }
        Ok(job)
    }

    /// Whether its engine waits for each I/O.
    pub fn waits(&self) -> bool {
        SYNC_ENGINES.contains(&self.engine)
    }

    fn set(&mut self, line: Line<'a>, page: &mut Page<'_>) -> Result<(), Problem> {
        super::elsewhere::check(line, page)?;
        match line.option {
            "kb_base" => Ok(()),
            option if SILENT.contains(&option) => Ok(()),
            // All of it, as fio does anyway.
            "percentage_random" if line.value.and_then(percent) == Some(100) => Ok(()),
            "rw" | "readwrite" => self.set_walk(line, page),
            "rwmixread" | "rwmixwrite" => {
                let share = line.value.and_then(percent).ok_or_else(|| unread(page, line, "0 to 100"))?;
                self.mix_read = if line.option == "rwmixread" { share } else { 100 - share };
                Ok(())
            }
            "bs" | "blocksize" | "bssplit" | "bsrange" | "blocksize_range" => self.set_sizes(line, page),
            "iodepth" => self.count(line, page).map(|count| self.iodepth = count),
            "numjobs" => self.count(line, page).map(|count| self.numjobs = count),
            "rate" | "rate_iops" | "rate_process" => self.set_rate(line, page),
            "fsync" | "fdatasync" | "sync" => self.set_sync(line, page),
            "size" | "filesize" | "offset" | "fileoffset" => self.set_part(line, page),
            "nrfiles" | "nr_files" => {
                self.nrfiles = self.count(line, page)?;
                page.remarks.push(Remark::of(line));
                Ok(())
            }
            "runtime" | "timeout" | "time_based" => self.set_time(line, page),
            "filename" | "directory" => self.set_file(line, page),
            "stonewall" | "wait_for_previous" | "direct" | "buffered" => self.set_flag(line, page),
            "ioengine" => {
                self.engine = line.value.unwrap_or_default();
                page.remarks.push(Remark::of(line));
                Ok(())
            }
            "offset_increment" => {
                self.increment =
                    line.value.and_then(|value| self.base.amount(value)).unwrap_or(self.increment);
                page.remarks.push(Remark::of(line));
                Ok(())
            }
            option => {
                if let Some((name, value)) =
                    option.split_once(char::is_whitespace).filter(|_| line.value.is_none())
                    && ESSENTIAL.contains(&name)
                {
                    return Err(wrong(
                        page.name,
                        line.number,
                        format!("'{}' is not an option", printable(option)),
                    )
                    .because("an option and its value have an equals sign between them")
                    .next(format!("write {name}={}", printable(value.trim()))));
                }
                let small = option.to_ascii_lowercase();
                if small != option && ESSENTIAL.contains(&small.as_str()) {
                    return Err(wrong(
                        page.name,
                        line.number,
                        format!("'{}' is not an option", printable(option)),
                    )
                    .because("fio's options are written in small letters")
                    .next(format!("write {small}")));
                }
                page.remarks.push(Remark::of(line));
                Ok(())
            }
        }
    }

    /// The area of its copies together, from its offset on, and the line that gives it.
    pub fn area(&self) -> Option<(Amount, usize)> {
        let others = u64::from(self.numjobs.saturating_sub(1));
        self.size.map(|(size, line)| match (size, self.increment) {
            (Amount::Bytes(size), Amount::Bytes(apart)) if size > 0 => {
                (Amount::Bytes(size.saturating_add(apart.saturating_mul(others))), line)
            }
            (Amount::Percent(size), Amount::Percent(apart)) => {
                let all = u64::from(size).saturating_add(u64::from(apart).saturating_mul(others)).min(100);
                (Amount::Percent(u8::try_from(all).unwrap_or(100)), line)
            }
            _ => (size, line),
        })
    }

    fn set_walk(&mut self, line: Line<'a>, page: &Page<'_>) -> Result<(), Problem> {
        let walk = |random, reads, writes| Walk { random, reads, writes };
        self.walk = match line.value.unwrap_or_default() {
            "read" => walk(false, true, false),
            "write" => walk(false, false, true),
            "rw" | "readwrite" => walk(false, true, true),
            "randread" => walk(true, true, false),
            "randwrite" => walk(true, false, true),
            "randrw" => walk(true, true, true),
            value if value.contains("trim") => {
                return Err(wrong(page.name, line.number, format!("'{}' trims", printable(value)))
                    .because("Rigel neither trims nor measures trims")
                    .next("remove the job, or measure it with fio"));
            }
            value if value.contains(':') => {
                return Err(wrong(page.name, line.number, format!("'{}' skips places", printable(value)))
                    .because("an I/O of a class goes to a random place, or to the next one of its stream")
                    .next("leave out what follows the colon"));
            }
            _ => return Err(unread(page, line, "read, write, rw, randread, randwrite or randrw")),
        };
        Ok(())
    }

    fn set_sizes(&mut self, line: Line<'a>, page: &Page<'_>) -> Result<(), Problem> {
        let value = line.value.unwrap_or_default();
        match line.option {
            "bssplit" => {
                let split = self.base.splits(value);
                let expected = "sizes with whole shares that add up to 100 per cent, such as 4k/60:64k/40";
                self.split = Some(split.ok_or_else(|| unread(page, line, expected))?);
            }
            "bs" | "blocksize" => {
                // What a pair leaves out stays as it is, also as [global] has it.
                let pair = self.base.pair(value, self.bs.map(Some)).filter(|pair| !pair.contains(&Some(0)));
                let pair = pair
                    .ok_or_else(|| unread(page, line, "a size such as 8k, or 8k,16k for reads and writes"))?;
                self.bs = [pair[0].unwrap_or(self.bs[0]), pair[1].unwrap_or(self.bs[1])];
                self.split = None;
            }
            _ => {
                return Err(wrong(page.name, line.number, "a range of sizes is not a size")
                    .because("a class has up to 16 sizes, each with its share")
                    .next("write them as bssplit=4k/50:64k/50"));
            }
        }
        Ok(())
    }

    fn set_rate(&mut self, line: Line<'a>, page: &Page<'_>) -> Result<(), Problem> {
        let value = line.value.unwrap_or_default();
        if line.option == "rate_process" {
            self.poisson = match value {
                "poisson" => true,
                "linear" => false,
                _ => return Err(unread(page, line, "linear or poisson")),
            };
            return Ok(());
        }
        let usual = if line.option == "rate" { self.rate_bytes } else { self.rate_iops };
        let pair = self.base.pair(value, usual);
        let pair = pair
            .ok_or_else(|| unread(page, line, "a number such as 1000, or 1000,500 for reads and writes"))?;
        // None at all is no limit.
        let pair = pair.map(|rate| rate.filter(|rate| *rate > 0));
        if line.option == "rate" {
            self.rate_bytes = pair
        } else {
            self.rate_iops = pair
        }
        Ok(())
    }

    fn set_sync(&mut self, line: Line<'a>, page: &mut Page<'_>) -> Result<(), Problem> {
        let value = line.value.unwrap_or("1");
        let written = match (line.option, value) {
            ("sync", "none" | "0") | (_, "0") => Sync::None,
            ("sync", "1" | "sync" | "dsync") => Sync::Dsync,
            ("fsync" | "fdatasync", "1") => Sync::Fdatasync,
            ("fsync" | "fdatasync", _) if self.base.number(value).is_some() => {
                let words = "a class has a flush after each write, or none; none is assumed: for one after \
                    each write, add sync = \"fdatasync\"";
                page.remarks.push(Remark::new(line.number, line.option, line.value, words));
                return Ok(());
            }
            ("sync", _) => return Err(unread(page, line, "none, sync or dsync")),
            _ => return Err(unread(page, line, "a number of writes")),
        };
        if line.option == "fsync" && written != Sync::None {
            let words = "taken as fdatasync: file metadata is not flushed";
            page.remarks.push(Remark::new(line.number, line.option, line.value, words));
        }
        if line.value == Some("sync") || (line.option == "sync" && line.value == Some("1")) {
            let words = "taken as dsync: file metadata is not flushed";
            page.remarks.push(Remark::new(line.number, line.option, line.value, words));
        }
        self.sync = written;
        Ok(())
    }

    fn set_part(&mut self, line: Line<'a>, page: &Page<'_>) -> Result<(), Problem> {
        let amount = line.value.and_then(|value| self.base.amount(value));
        let amount = amount.ok_or_else(|| unread(page, line, "a size such as 8g, or a share such as 20%"))?;
        match line.option {
            "offset" | "fileoffset" => self.offset = amount,
            "filesize" => self.filesize = Some((amount, line.number)),
            _ => self.size = Some((amount, line.number)),
        }
        Ok(())
    }

    fn set_time(&mut self, line: Line<'a>, page: &Page<'_>) -> Result<(), Problem> {
        if line.option == "time_based" {
            self.time_based = truth(line.value).ok_or_else(|| unread(page, line, "0 or 1"))?;
            return Ok(());
        }
        let read = line.value.and_then(time).ok_or_else(|| unread(page, line, "a time such as 60 or 5m"))?;
        self.runtime = (read.0 > 0).then_some((read, line.number));
        Ok(())
    }

    fn set_file(&mut self, line: Line<'a>, page: &Page<'_>) -> Result<(), Problem> {
        let value = line.value.filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| unread(page, line, "a path"))?;
        if line.option == "directory" {
            self.directory = Some(value.to_owned());
            return Ok(());
        }
        // A colon within a name has a backslash before it.
        let names = value.replace("\\:", "\0");
        self.files =
            names.split(':').map(|name| name.replace('\0', ":")).filter(|name| !name.is_empty()).collect();
        Ok(())
    }

    fn set_flag(&mut self, line: Line<'a>, page: &mut Page<'_>) -> Result<(), Problem> {
        let on = truth(line.value).ok_or_else(|| unread(page, line, "0 or 1"))?;
        match line.option {
            "stonewall" | "wait_for_previous" => self.stonewall = on,
            option => {
                self.direct = (option == "direct") == on;
                if !self.direct {
                    let words = "I/O bypasses the page cache here; add --buffered to go through it";
                    page.remarks.push(Remark::new(line.number, option, line.value, words));
                }
            }
        }
        Ok(())
    }

    fn count(&self, line: Line<'a>, page: &Page<'_>) -> Result<u32, Problem> {
        let count = line.value.and_then(|value| self.base.number(value));
        let count =
            count.and_then(|count| u32::try_from(count).ok()).filter(|count| (1..=65_535).contains(count));
        count.ok_or_else(|| unread(page, line, "1 to 65535"))
    }
}

/// An invalid value.
fn unread(page: &Page<'_>, line: Line<'_>, expected: &str) -> Problem {
    let Line { option, value, .. } = line;
    let typed = value.map_or_else(|| option.to_owned(), |value| format!("{option}={value}"));
    wrong(page.name, line.number, format!("'{}' cannot be read", printable(&typed)))
        .next(format!("write {option} with {expected}"))
}
