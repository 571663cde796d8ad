//! `iostat -x -t -o JSON`: disks as the kernel counts them, reads apart from writes.
//!
//! The first report is the mean since the boot and is left out. The length of an interval is the distance to the report before. Must not guess the
//! order of a date.

use super::pieces::{Piece, Pieces, told};
use super::sadf::no_zone;
use super::seen::{DateOrder, shown, wrong};
use super::{Out, Room};
use crate::error::Problem;
use crate::uses::capacity::when::{self, Moment, Zone};
use crate::uses::capacity::{Metric, Source, Span};
use jiff::civil::DateTime;
use serde::Deserialize;
use std::borrow::Cow;

const KB: f64 = 1024.0;
const SECTOR: f64 = 512.0;

/// A reader of it.
pub struct Iostat {
    pieces: Pieces,
    zone: Option<Zone>,
    /// The host and the time of the report before.
    before: Option<(String, i64)>,
}

impl Default for Iostat {
    fn default() -> Self {
        Self { pieces: Pieces::of("statistics"), zone: None, before: None }
    }
}

#[derive(Deserialize)]
struct Report<'a> {
    #[serde(borrow)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    disk: Vec<Disk<'a>>,
}

#[derive(Deserialize)]
struct Disk<'a> {
    #[serde(borrow, rename = "disk_device")]
    device: Cow<'a, str>,
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
        let Self { pieces, zone, before } = self;
        if zone.is_none() {
            *zone = out.options.zone.clone().map(Zone::new);
        }
        pieces.cut(bytes, |piece| report(&piece, zone, before, out))
    }

    fn end(&mut self, _: &mut Out<'_>) -> Result<(), Problem> {
        self.pieces.end()
    }
}

fn report(
    piece: &Piece<'_>,
    zone: &mut Option<Zone>,
    before: &mut Option<(String, i64)>,
    out: &mut Out<'_>,
) -> Result<(), Problem> {
    let read: Report<'_> = serde_json::from_slice(piece.json).map_err(|error| {
        wrong(piece.line, format!("this is no report of iostat: {}", shown(&error.to_string())))
            .because("the file is damaged, or was written in a locale whose numbers have a decimal comma")
            .next("write it again: LC_ALL=C S_TIME_FORMAT=ISO iostat -x -t -o JSON 60")
    })?;
    let Some(text) = &read.timestamp else {
        return Err(wrong(piece.line, "the reports have no times")
            .because("iostat was started without -t")
            .next("write it again: S_TIME_FORMAT=ISO iostat -x -t -o JSON 60"));
    };
    let host = told(piece.around, "nodename").unwrap_or_default();
    out.seen.tells_of(&host, &host);
    let Some(at_ms) = time(text, piece.line, zone, out)? else { return Ok(()) };
    let last = before.replace((host.clone(), at_ms)).filter(|(of, _)| *of == host);
    // The first report has no beginning.
    let Some((_, last_ms)) = last else { return Ok(()) };
    let Some(span) = Span::between(last_ms, at_ms) else {
        out.seen.backwards += 1;
        *before = Some((host, last_ms.max(at_ms)));
        return Ok(());
    };
    for disk in &read.disk {
        let subject = out.disk(&disk.device, "");
        let key = out.key(&host, subject, Source::Iostat);
        out.row(&key, span, &values(disk));
    }
    Ok(())
}

/// Milliseconds of the epoch; nothing for a local time that never was.
fn time(text: &str, line: u64, zone: &mut Option<Zone>, out: &mut Out<'_>) -> Result<Option<i64>, Problem> {
    if let Some(at_ms) = when::with_offset(text) {
        return Ok(Some(at_ms));
    }
    let local = match when::without_offset(text) {
        Some(local) => local,
        None => of_locale(text, out.options.dates, line)?,
    };
    let zone = zone.as_mut().ok_or_else(|| no_zone(line))?;
    match zone.moment(local) {
        Moment::At(at_ms) => Ok(Some(at_ms)),
        Moment::Skipped => {
            out.seen.skipped += 1;
            Ok(None)
        }
    }
}

/// `11/24/26 18:10:23`, `24.11.2026 18:10:23`, `11/24/2026 06:10:23 PM`.
fn of_locale(text: &str, dates: Option<DateOrder>, line: u64) -> Result<DateTime, Problem> {
    let none = || wrong(line, format!("'{}' is no date and time", shown(text)));
    let mut words = text.split_ascii_whitespace();
    let (Some(date), Some(time)) = (words.next(), words.next()) else { return Err(none()) };
    let half = words.next();
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let &[first, second, year] = parts.as_slice() else { return Err(none()) };
    // A day with two halves is that of locales which begin with the month.
    let order = dates.or_else(|| half.map(|_| DateOrder::MonthDay));
    let day_month = match order {
        Some(DateOrder::MonthDay) => [year, first, second],
        Some(DateOrder::DayMonth) => [year, second, first],
        None => {
            return Err(wrong(
                line,
                format!("'{}' does not say what is the day and what the month", shown(date)),
            )
            .because("iostat writes dates as the locale has them, unless S_TIME_FORMAT=ISO is set")
            .next("say it with --dates month-day or --dates day-month"));
        }
    };
    let local = when::of_parts(day_month, time).ok_or_else(none)?;
    match half {
        None => Ok(local),
        Some("AM") => Ok(local.with().hour(local.hour() % 12).build().unwrap_or(local)),
        Some("PM") => Ok(local.with().hour(local.hour() % 12 + 12).build().unwrap_or(local)),
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
