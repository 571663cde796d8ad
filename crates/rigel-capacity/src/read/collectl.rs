//! Plot files of `collectl -P`: `.dsk` of `-sD` with columns for each disk, `.tab` of `-sd` with the sums of all.
//!
//! The head names host, zone and interval. Waits are whole milliseconds unless the file has a fraction, and then too coarse for a mean latency.
//! Must not guess the beginning of the first interval.

use super::lines::Lines;
use super::prometheus::milliseconds;
use super::seen::{shown, wrong};
use super::{Room, SampleSink};
use crate::{Metric, Source, Span, when};
use jiff::tz::{Offset, TimeZone};
use rigel_core::error::Problem;

const KB: f64 = 1024.0;
const MS_PER_SECOND: f64 = 1_000.0;
/// A row this many intervals after the previous one does not continue it.
const GAP: i64 = 3;
/// Names of the sums, like the groups of iostat: they do not count next to disks.
const ALL: &str = "ALL";

/// A reader of it.
#[derive(Default)]
pub struct Collectl {
    lines: Lines,
    run: Run,
}

/// One run of collectl.
#[derive(Default)]
struct Run {
    host: String,
    zone: Option<TimeZone>,
    interval_ms: Option<i64>,
    /// Whether values are counts of an interval, not of a second (`-on`).
    is_count: bool,
    separator: Option<char>,
    is_utc: bool,
    columns: Vec<Column>,
    last_ms: Option<i64>,
}

struct Column {
    place: usize,
    disk: String,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// A metric, what one of it is, and whether it is reported per second.
    Value(Metric, f64, bool),
    /// Milliseconds of a mean wait, and of which rate.
    Wait(Metric, Metric),
}

/// Names of columns.
const NAMES: [(&str, What); 11] = [
    ("Reads", What::Value(Metric::ReadOps, 1.0, true)),
    ("Writes", What::Value(Metric::WriteOps, 1.0, true)),
    ("RKBytes", What::Value(Metric::ReadBytes, KB, true)),
    ("WKBytes", What::Value(Metric::WriteBytes, KB, true)),
    ("ReadTot", What::Value(Metric::ReadOps, 1.0, true)),
    ("WriteTot", What::Value(Metric::WriteOps, 1.0, true)),
    ("ReadKBTot", What::Value(Metric::ReadBytes, KB, true)),
    ("WriteKBTot", What::Value(Metric::WriteBytes, KB, true)),
    ("Util", What::Value(Metric::Busy, 0.01, false)),
    ("WaitR", What::Wait(Metric::ReadTime, Metric::ReadOps)),
    ("WaitW", What::Wait(Metric::WriteTime, Metric::WriteOps)),
];

impl Room for Collectl {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, run } = self;
        lines.cut(bytes, |line, number| run.line(&String::from_utf8_lossy(line), number, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if self.lines.drop_rest() {
            out.seen.notes.insert("the file ends in the middle: collectl was stopped or is still writing; the complete rows are used");
        }
        Ok(())
    }
}

impl Run {
    fn line(&mut self, line: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let text = line.trim();
        if text.starts_with("# Collectl:") {
            *self = Self::default();
        } else if let Some(head) = text.strip_prefix("# ") {
            self.head(head, out);
        } else if let Some(names) = text.strip_prefix('#').filter(|names| names.contains('[')) {
            self.names(names);
        } else if text.starts_with(|sign: char| sign.is_ascii_digit()) && !self.columns.is_empty() {
            return self.row(text, number, out);
        }
        Ok(())
    }

    fn head(&mut self, head: &str, out: &mut SampleSink<'_>) {
        let behind = |name: &str| head.split_once(name).and_then(|(_, rest)| rest.split_whitespace().next());
        if head.starts_with("Host:") {
            let host = behind("Host:").filter(|host| *host != "DaemonOpts:").unwrap_or_default();
            out.seen.tells_of(host, host);
            host.clone_into(&mut self.host);
        } else if head.starts_with("Date:") {
            self.zone = behind("TZ:").and_then(when::offset).map(Offset::to_time_zone);
        } else if head.starts_with("SubSys:") {
            self.is_count =
                behind("Options:").is_some_and(|letters| letters.contains('n') && letters != "Interval:");
            // Processes and the like have intervals of their own: `10:60`.
            let seconds: Option<f64> =
                behind("Interval:").and_then(|word| word.split(':').next()?.parse().ok());
            self.interval_ms = seconds.and_then(milliseconds).filter(|interval| *interval > 0);
        }
    }

    /// `Date Time [DSK:vda]Name [DSK:vda]Reads`, or with another sign between them.
    fn names(&mut self, names: &str) {
        self.is_utc = names.starts_with("UTC");
        let separator = names.chars().find(|sign| !sign.is_ascii_alphanumeric()).unwrap_or(' ');
        self.separator = Some(separator);
        let column = |(place, name): (usize, &str)| {
            let (of, name) = name.strip_prefix("[DSK")?.split_once(']')?;
            let &(_, what) = NAMES.iter().find(|(known, _)| *known == name)?;
            Some(Column { place, disk: of.strip_prefix(':').unwrap_or(ALL).to_owned(), what })
        };
        self.columns = names.split(separator).enumerate().filter_map(column).collect();
    }

    fn row(&mut self, text: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        out.check_host(&self.host, number)?;
        let fields: Vec<&str> = text.split(self.separator.unwrap_or(' ')).collect();
        let Some(at_ms) = self.moment(&fields, number, out)? else { return Ok(()) };
        let before = self.last_ms.replace(at_ms);
        let by_interval = self.interval_ms.map(|interval| at_ms - interval);
        let begin = match (before, self.interval_ms) {
            (Some(before), Some(interval)) if at_ms - before > GAP * interval => {
                out.seen.gaps += 1;
                by_interval
            }
            (Some(before), _) => Some(before),
            (None, _) => by_interval,
        };
        let Some(begin) = begin else {
            out.seen.first_reports += 1;
            return Ok(());
        };
        match Span::between(begin, at_ms) {
            Some(span) => self.write(&fields, span, out),
            None => out.seen.backwards += 1,
        }
        Ok(())
    }

    /// `20261129 11:15:18.001`, or seconds of the epoch.
    fn moment(&self, fields: &[&str], number: u64, out: &mut SampleSink<'_>) -> Result<Option<i64>, Problem> {
        let none = || {
            wrong(
                number,
                format!("'{}' is not a date and time", shown(&fields[..fields.len().min(2)].join(" "))),
            )
            .because("the file is damaged, or was written with -od or -oT")
            .next("write it with collectl -P and its default time format")
        };
        let first = fields.first().copied().unwrap_or_default();
        if self.is_utc {
            let seconds = first.parse().ok().and_then(milliseconds);
            return seconds.map(Some).ok_or_else(none);
        }
        let part = |from: usize, to: usize| first.get(from..to);
        let date = part(0, 4).zip(part(4, 6)).zip(part(6, 8)).filter(|_| first.len() == 8);
        let ((year, month), day) = date.ok_or_else(none)?;
        let time = fields.get(1).ok_or_else(none)?;
        let local = when::of_parts([year, month, day], time).ok_or_else(none)?;
        // Who names a zone knows when its clocks change; the head has the offset at the begin only.
        let of_file = self.zone.clone().filter(|_| out.options.zone.is_none());
        out.moment(local, of_file, number)
    }

    fn write(&self, fields: &[&str], span: Span, out: &mut SampleSink<'_>) {
        let per = if self.is_count { f64::from(span.length_ms) / MS_PER_SECOND } else { 1.0 };
        for disk in self.columns.chunk_by(|one, next| one.disk == next.disk) {
            let text = |column: &Column| fields.get(column.place).copied().unwrap_or_default();
            let number = |column: &Column| text(column).parse::<f64>().unwrap_or(f64::NAN);
            let rate = |of: Metric| {
                let is_it = |column: &&Column| matches!(column.what, What::Value(metric, ..) if metric == of);
                disk.iter().find(is_it).map_or(f64::NAN, |column| number(column) / per)
            };
            let mut values = Vec::new();
            for column in disk {
                match column.what {
                    What::Value(metric, factor, is_rate) => {
                        values.push((metric, number(column) * factor / if is_rate { per } else { 1.0 }));
                    }
                    What::Wait(metric, of) if text(column).contains('.') => {
                        values.push((metric, number(column) * rate(of) / MS_PER_SECOND));
                    }
                    What::Wait(..) => {
                        out.seen.notes.insert(
                            "waits are in whole milliseconds, too coarse for a mean latency, so they are \
                             left out",
                        );
                    }
                }
            }
            let subject = out.disk(disk.first().map_or(ALL, |column| column.disk.as_str()), "");
            let key = out.key(&self.host, subject, Source::Collectl);
            out.row(&key, span, &values);
        }
    }
}

#[cfg(test)]
mod tests;
