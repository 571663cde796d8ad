//! `iostat -x -t -o JSON`: disks as the kernel counts them, reads apart from writes.
//!
//! The first report of each run is the mean since the boot, or of an interval whose begin nobody tells, and is left out; the length of an
//! interval is the distance to the report before. Runs may follow one another in a file. A disk that a report leaves out (`-z`) did nothing.
//! Must not guess the order of a date.

use super::pieces::{Piece, Pieces, told};
use super::sadf::no_zone;
use super::seen::{DateOrder, shown, wrong};
use super::{Out, Room};
use crate::error::Problem;
use crate::uses::capacity::when::{self, Moment, Zone};
use crate::uses::capacity::{Metric, Source, Span};
use jiff::civil::{Date, DateTime};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

const KB: f64 = 1024.0;
const SECTOR: f64 = 512.0;
/// Values of disks that did nothing which are written for one run: a year of minutes of several disks. A hostile file would ask for more.
const MOST_IDLE: usize = 20_000_000;

/// A reader of it.
pub struct Iostat {
    pieces: Pieces,
    zone: Option<Zone>,
    run: Run,
}

/// One run of iostat.
#[derive(Default)]
struct Run {
    /// The number of its document in the file, from 1; 0 before the first.
    number: u64,
    host: String,
    /// The day on which it began, where the document says that in a way that cannot be misread.
    day: Option<Date>,
    /// The order of its dates, once one of them has shown it.
    order: Option<DateOrder>,
    /// The time of the report before.
    last_ms: Option<i64>,
    /// The intervals until now, each with a report.
    spans: Vec<Span>,
    /// What was told of each disk.
    disks: BTreeMap<String, BTreeSet<Metric>>,
    /// Values of disks that did nothing.
    idle: usize,
}

impl Default for Iostat {
    fn default() -> Self {
        Self { pieces: Pieces::of("statistics"), zone: None, run: Run::default() }
    }
}

#[derive(Deserialize)]
struct Report<'a> {
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    disk: Option<Vec<Disk<'a>>>,
    /// What mpstat tells.
    #[serde(rename = "cpu-load")]
    cpus: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Disk<'a> {
    #[serde(borrow, rename = "disk_device")]
    device: Cow<'a, str>,
    /// Without `-x` this is all that there is of operations.
    tps: Option<f64>,
    #[serde(rename = "r/s")]
    reads: Option<f64>,
    #[serde(rename = "w/s")]
    writes: Option<f64>,
    #[serde(rename = "rkB/s")]
    read_kb: Option<f64>,
    #[serde(rename = "wkB/s")]
    write_kb: Option<f64>,
    #[serde(rename = "rMB/s")]
    read_mb: Option<f64>,
    #[serde(rename = "wMB/s")]
    write_mb: Option<f64>,
    #[serde(rename = "rsec/s")]
    read_sectors: Option<f64>,
    #[serde(rename = "wsec/s")]
    write_sectors: Option<f64>,
    #[serde(rename = "r_await")]
    read_ms: Option<f64>,
    #[serde(rename = "w_await")]
    write_ms: Option<f64>,
    util: Option<f64>,
}

impl Room for Iostat {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Problem> {
        let Self { pieces, zone, run } = self;
        if zone.is_none() {
            *zone = out.options.zone.clone().map(Zone::new);
        }
        pieces.cut(bytes, |piece| report(&piece, zone, run, out))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Problem> {
        match self.pieces.end() {
            // iostat that was ended by a signal, or still runs: what it wrote is whole up to there.
            Err(_) if !self.run.spans.is_empty() => {
                out.seen.notes.insert("the file ends in the middle: iostat was stopped or still writes; the reports before are read");
                Ok(())
            }
            ended => ended,
        }
    }
}

fn report(
    piece: &Piece<'_>,
    zone: &mut Option<Zone>,
    run: &mut Run,
    out: &mut Out<'_>,
) -> Result<(), Problem> {
    let read: Report<'_> = serde_json::from_slice(piece.json).map_err(|error| {
        wrong(piece.line, format!("this is no report of iostat: {}", shown(&error.to_string())))
            .because("the file is damaged, or was written in a locale whose numbers have a decimal comma")
            .next("write it again: LC_ALL=C S_TIME_FORMAT=ISO iostat -x -t -o JSON 60")
    })?;
    let disks = disks_of(&read, piece.line)?;
    let Some(text) = &read.timestamp else {
        return Err(wrong(piece.line, "the reports have no times")
            .because("iostat was started without -t")
            .next("write it again: S_TIME_FORMAT=ISO iostat -x -t -o JSON 60"));
    };
    let host = told(piece.around, "nodename").unwrap_or_default();
    out.seen.tells_of(&host, &host);
    if (run.number, &run.host) != (piece.array, &host) {
        let day = told(piece.around, "date").and_then(|text| day(&text));
        *run = Run { number: piece.array, host, day, ..Run::default() };
    }
    let Some(at_ms) = time(text, piece.line, zone, run, out)? else { return Ok(()) };
    let Some(last_ms) = run.last_ms.replace(at_ms) else {
        out.seen.first_reports += 1;
        return Ok(());
    };
    let Some(span) = Span::between(last_ms, at_ms) else {
        out.seen.backwards += 1;
        run.last_ms = Some(last_ms.max(at_ms));
        return Ok(());
    };
    run.row(disks, span, out);
    Ok(())
}

/// The disks of a report, or what else it is.
fn disks_of<'a, 'b>(read: &'b Report<'a>, line: u64) -> Result<&'b [Disk<'a>], Problem> {
    let again = "write it again: S_TIME_FORMAT=ISO iostat -x -t -o JSON 60";
    let Some(disks) = &read.disk else {
        let cause = match read.cpus {
            Some(_) => "mpstat wrote it, which tells of CPUs",
            None => "iostat was started with -c, and so told of CPUs alone",
        };
        return Err(wrong(line, "the reports have no disks").because(cause).next(again));
    };
    if disks.iter().any(|disk| disk.tps.is_some() && disk.reads.is_none()) {
        return Err(wrong(line, "the reports do not part reads from writes")
            .because("iostat was started without -x")
            .next(again));
    }
    Ok(disks)
}

impl Run {
    /// A report on an interval. A disk that it does not name, and one that was not named before, did nothing then.
    fn row(&mut self, disks: &[Disk<'_>], span: Span, out: &mut Out<'_>) {
        for disk in disks {
            let values = values(disk);
            let metrics = values.iter().map(|(metric, _)| *metric);
            match self.disks.get_mut(&*disk.device) {
                Some(known) => known.extend(metrics),
                None => {
                    let known: BTreeSet<Metric> = metrics.collect();
                    if self.may_fill(self.spans.len().saturating_mul(known.len()), out) {
                        self.spans
                            .iter()
                            .for_each(|span| self.write(&disk.device, &nothing(&known), *span, out));
                    }
                    self.disks.insert(disk.device.to_string(), known);
                }
            }
            self.write(&disk.device, &values, span, out);
        }
        let named: BTreeSet<&str> = disks.iter().map(|disk| &*disk.device).collect();
        let is_left_out = |(name, _): &(&String, &BTreeSet<Metric>)| !named.contains(name.as_str());
        let values = self.disks.iter().filter(is_left_out).map(|(_, known)| known.len()).sum();
        if self.may_fill(values, out) {
            let left_out = self.disks.iter().filter(is_left_out);
            left_out.for_each(|(name, known)| self.write(name, &nothing(known), span, out));
        }
        self.spans.push(span);
    }

    /// Whether so many values more of disks that did nothing may be written; told where not.
    fn may_fill(&mut self, values: usize, out: &mut Out<'_>) -> bool {
        let idle = self.idle.saturating_add(values);
        if idle > MOST_IDLE {
            out.seen.notes.insert("more disks come and go than a host has: where a report leaves some out, nothing is known of them");
            return false;
        }
        self.idle = idle;
        true
    }

    fn write(&self, device: &str, values: &[(Metric, f64)], span: Span, out: &mut Out<'_>) {
        let subject = out.disk(device, "");
        let key = out.key(&self.host, subject, Source::Iostat);
        out.row(&key, span, values);
    }
}

fn nothing(metrics: &BTreeSet<Metric>) -> Vec<(Metric, f64)> {
    metrics.iter().map(|metric| (*metric, 0.0)).collect()
}

/// Milliseconds of the epoch; nothing for a local time that never was. `day`: on which the run began.
fn time(
    text: &str,
    line: u64,
    zone: &mut Option<Zone>,
    run: &mut Run,
    out: &mut Out<'_>,
) -> Result<Option<i64>, Problem> {
    if let Some(at_ms) = when::with_offset(text) {
        return Ok(Some(at_ms));
    }
    let local = match when::without_offset(text) {
        Some(local) => local,
        None => of_locale(text, out.options.dates, run, line)?,
    };
    let is_utc = text.split_ascii_whitespace().next_back().is_some_and(when::is_utc);
    let moment = match zone {
        _ if is_utc => Zone::utc().moment(local),
        Some(zone) => zone.moment(local),
        None => return Err(no_zone(line)),
    };
    match moment {
        Moment::At(at_ms) => Ok(Some(at_ms)),
        Moment::Skipped => {
            out.seen.skipped += 1;
            Ok(None)
        }
    }
}

/// The day of a document, where it cannot be misread.
fn day(text: &str) -> Option<Date> {
    let parts: Vec<&str> = text.split(['/', '.']).collect();
    let &[first, second, year] = parts.as_slice() else { return text.parse().ok() };
    let dates = ORDERS.map(|order| date_of([first, second, year], order));
    match dates {
        [Some(date), None] | [None, Some(date)] => Some(date),
        [one, other] => one.filter(|_| one == other),
    }
}

/// Both orders of the first two numbers of a date.
const ORDERS: [DateOrder; 2] = [DateOrder::MonthDay, DateOrder::DayMonth];

fn in_order([first, second, year]: [&str; 3], order: DateOrder) -> [&str; 3] {
    match order {
        DateOrder::MonthDay => [year, first, second],
        DateOrder::DayMonth => [year, second, first],
    }
}

fn date_of(parts: [&str; 3], order: DateOrder) -> Option<Date> {
    when::of_parts(in_order(parts, order), "0:0:0").map(DateTime::date)
}

/// `11/24/26 18:10:23`, `24.11.2026 18:10:23`, `11/24/2026 06:10:23 PM`. Halves of a day say nothing of the order: India has the day first.
fn of_locale(text: &str, dates: Option<DateOrder>, run: &mut Run, line: u64) -> Result<DateTime, Problem> {
    let none = || {
        wrong(line, format!("'{}' is no date and time", shown(text)))
            .because("iostat writes dates in the language of the locale, and only those of digits are read")
            .next("write them as ISO 8601 has them from now on: S_TIME_FORMAT=ISO iostat -x -t -o JSON 60")
    };
    let mut words = text.split_ascii_whitespace();
    let (Some(date), Some(time)) = (words.next(), words.next()) else { return Err(none()) };
    let half = words.next().map(|word| word.replace('.', "").to_ascii_uppercase());
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let &[first, second, year] = parts.as_slice() else { return Err(none()) };
    let parts = [first, second, year];
    // The day of the document is that of the first report, or the one before it.
    let is_near = |order: &DateOrder| {
        let read = date_of(parts, *order);
        run.day
            .zip(read)
            .is_some_and(|(day, read)| read == day || day.tomorrow().is_ok_and(|next| next == read))
    };
    let of_day: Vec<DateOrder> = ORDERS.into_iter().filter(is_near).collect();
    // No year has a month 13.
    let possible: Vec<DateOrder> =
        ORDERS.into_iter().filter(|order| date_of(parts, *order).is_some()).collect();
    let order = match (dates.or(run.order), of_day.as_slice(), possible.as_slice()) {
        (Some(order), ..) => order,
        (None, &[order], _) | (None, _, &[order]) => *run.order.insert(order),
        // The day of the month is its number.
        (None, _, &[order, _]) if first == second => order,
        _ => {
            return Err(wrong(
                line,
                format!("'{}' does not say what is the day and what the month", shown(date)),
            )
            .because("iostat writes dates as the locale has them, unless S_TIME_FORMAT=ISO is set")
            .next("say it with --dates month-day or --dates day-month"));
        }
    };
    let local = when::of_parts(in_order(parts, order), time).ok_or_else(none)?;
    let hour = local.hour() % 12;
    match half.as_deref() {
        Some("AM") => Ok(local.with().hour(hour).build().unwrap_or(local)),
        Some("PM") => Ok(local.with().hour(hour + 12).build().unwrap_or(local)),
        Some(zone) if zone.bytes().all(|byte| byte.is_ascii_alphabetic()) => Ok(local),
        None => Ok(local),
        Some(_) => Err(none()),
    }
}

fn values(disk: &Disk<'_>) -> Vec<(Metric, f64)> {
    let bytes = |kb: Option<f64>, mb: Option<f64>, sectors: Option<f64>| {
        let of_mb = mb.map(|mb| mb * KB * KB);
        kb.map(|kb| kb * KB).or(of_mb).or_else(|| sectors.map(|sectors| sectors * SECTOR))
    };
    let time =
        |rate: Option<f64>, wait: Option<f64>| rate.zip(wait).map(|(rate, wait)| rate * wait / 1_000.0);
    let all = [
        (Metric::ReadOps, disk.reads),
        (Metric::WriteOps, disk.writes),
        (Metric::ReadBytes, bytes(disk.read_kb, disk.read_mb, disk.read_sectors)),
        (Metric::WriteBytes, bytes(disk.write_kb, disk.write_mb, disk.write_sectors)),
        (Metric::ReadTime, time(disk.reads, disk.read_ms)),
        (Metric::WriteTime, time(disk.writes, disk.write_ms)),
        (Metric::Busy, disk.util.map(|percent| percent / 100.0)),
    ];
    all.into_iter().filter_map(|(metric, value)| Some((metric, value?))).collect()
}
