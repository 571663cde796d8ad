//! Files of nmon on Linux and AIX: a section for each quantity, a column for each disk, a snapshot for each line.
//!
//! The time of a snapshot is on a separate line, before its values, or after all of them in a file sorted for a spreadsheet. The first snapshot
//! begins when nmon was started, known to the second at best, and is left out. Must not read sections about anything but disks.

mod sections;

use super::lines::Lines;
use super::locale::{DayClock, month};
use super::seen::{shown, wrong};
use super::{Room, SampleSink};
use crate::{Metric, Source, Span, when};
use jiff::civil::{Date, DateTime};
use rigel_core::error::Problem;
use sections::{Section, Unit};
use std::collections::BTreeMap;

/// Values of snapshots whose time is not known yet. A sorted file of a day of seconds of several disks has less.
const MOST_WAITING: usize = 20_000_000;

/// Prefix of the first line of a run.
const HEAD: &str = "AAA,progname,";

/// A reader of it.
#[derive(Default)]
pub struct Nmon {
    lines: Lines,
    run: Run,
}

/// One run of nmon.
#[derive(Default)]
struct Run {
    host: String,
    /// The day on which it began, for times without one.
    clock: Option<DayClock>,
    /// The disks of the columns of a section.
    sections: BTreeMap<String, (Section, Vec<String>)>,
    /// When each snapshot was taken; `None` for a local time that never existed.
    times: BTreeMap<u64, Option<i64>>,
    /// Values by snapshot and disk.
    values: BTreeMap<u64, BTreeMap<String, Values>>,
    waiting: usize,
}

/// Of a disk in a snapshot.
#[derive(Default)]
struct Values {
    known: BTreeMap<Metric, f64>,
    /// Milliseconds per transfer in each direction, if nmon reports them.
    each_ms: BTreeMap<Metric, f64>,
}

impl Room for Nmon {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, run } = self;
        lines.cut(bytes, |line, number| run.line(&String::from_utf8_lossy(line), number, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if self.lines.drop_rest() {
            out.seen.notes.insert("the file ends in the middle: nmon was stopped or is still writing; the complete lines are used");
        }
        self.run.end(out);
        Ok(())
    }
}

impl Run {
    fn line(&mut self, line: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        // Behind a line that is cut off, as nmon was stopped and the next file was appended.
        if let Some(at) = line.find(HEAD).filter(|at| *at > 0) {
            out.seen.notes.insert("a run in the file ends in the middle: its complete lines are used");
            return self.line(&line[at..], number, out);
        }
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        match fields.as_slice() {
            ["AAA", "progname", ..] => {
                self.end(out);
                Ok(())
            }
            ["AAA", "host", host, ..] => {
                out.seen.tells_of(host, host);
                (*host).clone_into(&mut self.host);
                Ok(())
            }
            ["AAA", "date", date, ..] => {
                self.clock = day(date).map(DayClock::begun);
                Ok(())
            }
            ["ZZZZ", snapshot, time, date, ..] => self.time(snapshot, time, Some(*date), number, out),
            ["ZZZZ", snapshot, time] => self.time(snapshot, time, None, number, out),
            [section, rest @ ..] if section.starts_with("DISK") || section.starts_with("DG") => {
                self.section(section, rest, number, out)
            }
            ["JFSFILE", first, ..] if is_snapshot(first).is_some() => {
                out.seen.leaves_out("JFSFILE");
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `T0001,11:15:17,29-NOV-2026`; old versions have no date there.
    fn time(
        &mut self,
        snapshot: &str,
        time: &str,
        date: Option<&str>,
        line: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let of_day = when::of_parts(["2000", "1", "1"], time).map(DateTime::time);
        let local = match (date, &mut self.clock) {
            (Some(date), _) => day(date).zip(of_day).map(|(day, time)| day.to_datetime(time)),
            (None, Some(clock)) => of_day.map(|time| clock.moment(time)),
            (None, None) => None,
        };
        let date = date.unwrap_or_default();
        let Some((local, snapshot)) = local.zip(is_snapshot(snapshot)) else {
            return Err(wrong(
                line,
                format!("'{}' is not a date and time", shown(&format!("{date} {time}"))),
            )
            .because("the month is in an unsupported language, or the file is damaged")
            .next("start nmon with LC_ALL=C from now on"));
        };
        out.check_host(&self.host, line)?;
        let at_ms = out.moment(local, None, line)?;
        self.times.insert(snapshot, at_ms);
        // All that is known of those before is there. One whose neighbour is missing waits, and all behind it: a sorted file has T10000 before T1001.
        while let Some(first) = self.values.keys().next().copied().filter(|first| *first < snapshot) {
            let is_first = self.times.keys().next() == Some(&first);
            let has_begin = is_first || self.times.contains_key(&first.saturating_sub(1));
            if !has_begin || !self.times.contains_key(&first) {
                break;
            }
            self.write(first, out);
        }
        Ok(())
    }

    /// The names of the columns of a section, or a line of it.
    fn section(
        &mut self,
        name: &str,
        rest: &[&str],
        line: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let Some((first, columns)) = rest.split_first() else { return Ok(()) };
        let Some(snapshot) = is_snapshot(first) else {
            if let Some(section) = Section::of(name, first) {
                let disks = columns.iter().map(ToString::to_string);
                self.sections.insert(name.to_owned(), (section, disks.collect()));
            }
            return Ok(());
        };
        let Some((section, disks)) = self.sections.get(name) else {
            if !Section::is_of_others(name) {
                out.seen.leaves_out(name);
            }
            return Ok(());
        };
        if has_decimal_commas(columns, disks.len()) {
            return Err(wrong(line, "a line has two values for each disk, and none has a decimal point")
                .because("nmon wrote decimal commas, which also separate values")
                .next("start nmon with LC_ALL=C from now on"));
        }
        let of_snapshot = self.values.entry(snapshot).or_default();
        // A disk that came later has no name yet. Lines may end with a comma.
        let without_name = columns.iter().skip(disks.len()).filter(|value| !value.is_empty()).count();
        out.seen.unusable += u64::try_from(without_name).unwrap_or_default();
        for (disk, value) in disks.iter().zip(columns).filter(|(disk, _)| !disk.is_empty()) {
            let value = value.parse().unwrap_or(f64::NAN);
            of_snapshot.entry(disk.clone()).or_default().take(*section, value);
            self.waiting += 1;
        }
        if self.waiting > MOST_WAITING {
            return Err(wrong(line, "the times of more than 20 million values are missing")
                .because("the file was sorted, so the times come last")
                .next("import the file as nmon wrote it"));
        }
        Ok(())
    }

    /// Adds a snapshot to the harvest, as rates over the time since the previous one.
    fn write(&mut self, number: u64, out: &mut SampleSink<'_>) {
        let Some(disks) = self.values.remove(&number) else { return };
        self.waiting = self.waiting.saturating_sub(disks.values().map(Values::count).sum());
        let time = |number: u64| self.times.get(&number).copied();
        let (Some(end), Some(begin)) = (time(number), number.checked_sub(1).and_then(time)) else {
            let is_first = time(number).is_some() && self.times.keys().next() == Some(&number);
            let count = if is_first { &mut out.seen.first_reports } else { &mut out.seen.gaps };
            *count += 1;
            return;
        };
        // A local time that never was is counted already.
        let Some((begin_ms, end_ms)) = begin.zip(end) else { return };
        let Some(span) = Span::between(begin_ms, end_ms) else {
            out.seen.backwards += 1;
            return;
        };
        for (disk, values) in disks {
            let subject = out.disk(&disk, "");
            let key = out.key(&self.host, subject, Source::Nmon);
            let values = values.of_disk();
            out.seen.unparted |= values.iter().any(|(metric, _)| *metric == Metric::AllOps);
            out.row(&key, span, &values);
        }
    }

    /// The run is over.
    fn end(&mut self, out: &mut SampleSink<'_>) {
        let left: Vec<u64> = self.values.keys().copied().collect();
        left.into_iter().for_each(|number| self.write(number, out));
        *self = Self { host: std::mem::take(&mut self.host), ..Self::default() };
    }
}

impl Values {
    fn take(&mut self, section: Section, value: f64) {
        let (into, factor) = match section.unit {
            Unit::Each(factor) => (&mut self.known, factor),
            Unit::MsOfTransfer => (&mut self.each_ms, 0.001),
        };
        // A disk group of the same name comes later, and has the same.
        into.entry(section.metric).or_insert(value * factor);
    }

    fn count(&self) -> usize {
        self.known.len() + self.each_ms.len()
    }

    /// What it reports about a disk, in our units.
    fn of_disk(mut self) -> Vec<(Metric, f64)> {
        let of = |metric| self.known.get(&metric).copied();
        if let (Some(all), Some(reads), None) =
            (of(Metric::AllOps), of(Metric::ReadOps), of(Metric::WriteOps))
        {
            // Both are rounded.
            self.known.insert(Metric::WriteOps, (all - reads).max(0.0));
        }
        for (time, ops) in [(Metric::ReadTime, Metric::ReadOps), (Metric::WriteTime, Metric::WriteOps)] {
            let each = self.each_ms.get(&time).zip(self.known.get(&ops)).map(|(each, rate)| each * rate);
            self.known.extend(each.map(|outstanding| (time, outstanding)));
        }
        let is_parted =
            self.known.contains_key(&Metric::ReadOps) && self.known.contains_key(&Metric::WriteOps);
        if is_parted {
            self.known.remove(&Metric::AllOps);
        }
        self.known.into_iter().collect()
    }
}

/// Whether the line is `0,3,12,5` for two disks that had 0.3 and 12.5.
fn has_decimal_commas(columns: &[&str], disks: usize) -> bool {
    let values = columns.iter().filter(|value| !value.is_empty());
    disks > 0 && values.clone().count() == 2 * disks && values.clone().all(|value| !value.contains('.'))
}

/// `29-NOV-2026`.
fn day(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split('-').collect();
    let [day, word, year] = parts.as_slice() else { return None };
    Some(when::of_parts([year, &month(word)?, day], "0:0:0")?.date())
}

/// The number of `T0001`.
fn is_snapshot(field: &str) -> Option<u64> {
    let digits = field.strip_prefix('T')?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests;
