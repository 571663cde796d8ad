//! `sar -d` as text, also among the other tables of `sar -A`, as all versions of sysstat from 9 on write it.
//!
//! Only the top has the date; below, a line has a time of day, and the names of the columns have that of the report before, from which the first
//! interval of a table is known. The operations of the host by direction (`sar -b`) are read as well. A disk that a report leaves out (`-z`) did nothing. Must not read the means at the end, nor guess a date.

mod host;

use super::lines::Lines;
use super::locale::{Dates, DayClock, head_day, is_zone, time_of_day};
use super::seen::{shown, wrong};
use super::sysstat::{Disk, SPACE, glued_head, is_for_people, tell_coarse, without_colours};
use super::{Room, SampleSink, iostat};
use crate::{Source, when};
use host::HostTable;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use rigel_core::error::Problem;

/// A reader of it.
#[derive(Default)]
pub struct Sar {
    lines: Lines,
    tables: Tables,
}

#[derive(Default)]
struct Tables {
    run: iostat::Run,
    runs: u64,
    host: String,
    clock: Option<DayClock>,
    /// The time that was read last, and what it is: the names of the columns repeat it, also in an hour that comes twice.
    last: Option<(Time, Option<i64>)>,
    columns: Option<Columns>,
    report: Option<Report>,
    of_host: HostTable,
    /// Whether the table is that of filesystems (`-F`).
    is_of_space: bool,
}

/// The columns of a row.
struct Columns {
    /// Words after the time that belong to it: India writes the zone there.
    of_time: usize,
    is_utc: bool,
    /// The names of the numbers.
    names: Vec<String>,
    /// Whether the disk comes last, as with `-p`.
    is_disk_last: bool,
}

/// The rows of one time; `None` for a local time that never existed.
struct Report {
    time: Time,
    at_ms: Option<i64>,
    rows: Vec<Disk<'static>>,
}

impl Room for Sar {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, tables } = self;
        lines.cut(bytes, |line, number| tables.line(&without_colours(line), number, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let is_torn = self.lines.drop_rest() || self.tables.report.is_some();
        self.tables.part(out);
        if is_torn {
            out.seen
                .notes
                .insert("the file ends in the middle: sar was stopped or is still writing; the complete rows are used");
        }
        Ok(())
    }
}

impl Columns {
    /// The names after the time of a line, if they are those of the disk table.
    fn of(words: &[&str]) -> Option<Self> {
        let at = |name: &str| words.iter().position(|word| *word == name);
        let (disk, tps) = at("DEV").zip(at("tps"))?;
        let of_time = disk.min(tps);
        let names = words[of_time..].iter().filter(|word| **word != "DEV").map(ToString::to_string);
        Some(Self {
            of_time,
            is_utc: words[..of_time].iter().any(|word| when::is_utc(word)),
            names: names.collect(),
            is_disk_last: disk > tps,
        })
    }

    /// A row after its time; `None` if it has too few words. Names may contain blanks.
    fn disk(&self, words: &[&str], number: u64) -> Result<Option<Disk<'static>>, Problem> {
        let count = self.names.len();
        let words = words.get(self.of_time..).unwrap_or_default();
        let Some(of_name) = words.len().checked_sub(count).filter(|of_name| *of_name > 0) else {
            return Ok(None);
        };
        let (name, values) = match self.is_disk_last {
            true => (&words[count..], &words[..count]),
            false => (&words[..of_name], &words[of_name..]),
        };
        if let Some(word) = values.iter().find(|word| is_for_people(word)) {
            return Err(wrong(number, format!("'{}' is a rounded figure with a unit", shown(word)))
                .because("sar was started with -h")
                .next("create it again: sar -d -f FILE"));
        }
        let columns = self.names.iter().map(String::as_str).zip(values.iter().copied());
        Ok(Some(Disk::of_columns(name.join(" "), columns)))
    }
}

/// Refuses words after the time that are not a zone: a half of a day in another language would put it 12 hours off.
fn check_time(words: &[&str], number: u64) -> Result<(), Problem> {
    match words.iter().find(|word| !is_zone(word)) {
        None => Ok(()),
        Some(word) => Err(wrong(number, format!("'{}' follows the time", shown(word)))
            .because("sar wrote the time in the locale's format, in an unsupported language")
            .next("create it again: LC_ALL=C sar -d -f FILE")),
    }
}

impl Tables {
    fn line(&mut self, line: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if let Some(at) = glued_head(line) {
            self.torn(out);
            return self.line(&line[at..], number, out);
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(system) = line.strip_prefix("Linux ").filter(|system| system.contains('(')) {
            return self.begin(system, number, out);
        }
        let Some((time, count)) = time_of_day(&words) else {
            // A blank line, or the means.
            self.whole(out);
            self.columns = None;
            self.is_of_space = false;
            self.of_host.end();
            return Ok(());
        };
        let words = &words[count..];
        if words.windows(2).any(|pair| pair == ["LINUX", "RESTART"]) {
            self.whole(out);
            out.seen.reboots += 1;
            self.run = self.new_run();
            self.of_host.end();
        } else if self.of_host.heading_or_row(&self.host, time, words, number, out)? {
            self.whole(out);
            self.columns = None;
        } else if words.contains(&"MBfsused") {
            self.whole(out);
            self.columns = None;
            self.is_of_space = true;
        } else if let Some(columns) = Columns::of(words) {
            self.is_of_space = false;
            check_time(&words[..columns.of_time], number)?;
            self.whole(out);
            self.columns = Some(columns);
            if let Some(at_ms) = self.moment(time, number, out)? {
                self.run.starts(at_ms);
            }
        } else if let Some(columns) = self.columns.as_ref().filter(|_| words.first() != Some(&"COM")) {
            match columns.disk(words, number)? {
                Some(disk) => self.row(time, disk, number, out)?,
                None => out.seen.unusable += 1,
            }
        } else if self.is_of_space && words.first() != Some(&"COM") {
            out.seen.leaves_out(SPACE);
        }
        Ok(())
    }

    /// `6.1.0-18-amd64 (db1) 11/24/26 _x86_64_ (4 CPU)`, with tabs in between.
    fn begin(&mut self, system: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        self.whole(out);
        let (host, rest) =
            system.split_once('(').and_then(|(_, rest)| rest.split_once(')')).unwrap_or_default();
        out.check_host(host, number)?;
        out.seen.tells_of(host, host);
        host.clone_into(&mut self.host);
        let day = Dates::day(head_day(rest), out.options.dates, number)?;
        self.clock = Some(DayClock::begun(day));
        self.of_host = HostTable::begun(day);
        self.columns = None;
        self.last = None;
        self.run = self.new_run();
        Ok(())
    }

    fn new_run(&mut self) -> iostat::Run {
        self.runs += 1;
        iostat::Run::begin(self.runs, &self.host, Dates::default()).by(Source::Sadf)
    }

    /// Milliseconds of the epoch; `None` for a local time that never existed.
    fn moment(&mut self, time: Time, number: u64, out: &mut SampleSink<'_>) -> Result<Option<i64>, Problem> {
        if let Some((_, at_ms)) = self.last.filter(|(last, _)| *last == time) {
            return Ok(at_ms);
        }
        let Some(clock) = &mut self.clock else {
            return Err(wrong(number, "the rows have a time of day, but no date")
                .because("the first line of the file is missing")
                .next("create it again: sar -d -f FILE"));
        };
        let is_utc = self.columns.as_ref().is_some_and(|columns| columns.is_utc);
        let at_ms = out.moment(clock.moment(time), is_utc.then_some(TimeZone::UTC), number)?;
        self.last = Some((time, at_ms));
        Ok(at_ms)
    }

    fn row(
        &mut self,
        time: Time,
        disk: Disk<'static>,
        number: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        out.seen.unparted = true;
        tell_coarse(std::slice::from_ref(&disk), out);
        if self.report.as_ref().is_none_or(|report| report.time != time) {
            self.whole(out);
            let at_ms = self.moment(time, number, out)?;
            self.report = Some(Report { time, at_ms, rows: Vec::new() });
        }
        if let Some(report) = &mut self.report {
            report.rows.push(disk);
        }
        Ok(())
    }

    /// The head of another run follows a truncated row, because sar was stopped and its output continues in the same file.
    fn torn(&mut self, out: &mut SampleSink<'_>) {
        self.part(out);
        out.seen.notes.insert("a run in the file ends in the middle: its complete rows are used");
    }

    /// It is unknown which disks the last report of a truncated run would have had.
    fn part(&mut self, out: &mut SampleSink<'_>) {
        if let Some(Report { at_ms: Some(at_ms), rows, .. }) = self.report.take() {
            self.run.part(at_ms, &rows, out);
        }
    }

    /// All rows of a time are present.
    fn whole(&mut self, out: &mut SampleSink<'_>) {
        if let Some(Report { at_ms: Some(at_ms), rows, .. }) = self.report.take() {
            self.run.report(at_ms, &rows, out);
        }
    }
}

#[cfg(test)]
mod tests;
