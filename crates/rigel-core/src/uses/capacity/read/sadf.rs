//! `sadf -j FILE -- -b -d -F MOUNT`: disks and filesystems as sysstat kept them.
//!
//! Of a disk it parts bytes by direction, and neither operations nor times; with `-b` it has the operations of the host by direction. A kB is
//! 1024 bytes, a sector 512, an MB 2^20 bytes. Must not guess a time zone.

use super::pieces::{Piece, Pieces, told};
use super::seen::{Options, shown, wrong};
use super::{Out, Room};
use crate::error::Problem;
use crate::uses::capacity::when::{self, Moment, Zone};
use crate::uses::capacity::{Kind, MS_PER_S, Metric, Source, Span, Subject};
use serde::Deserialize;
use std::borrow::Cow;

const KB: f64 = 1024.0;
const MB: f64 = 1_048_576.0;
const SECTOR: f64 = 512.0;

/// A reader of it.
pub struct Sadf {
    pieces: Pieces,
    zone: Option<Zone>,
}

#[derive(Deserialize)]
struct Element<'a> {
    #[serde(borrow)]
    timestamp: Option<Timestamp<'a>>,
    #[serde(borrow, default)]
    disk: Vec<Disk<'a>>,
    #[serde(borrow, default)]
    filesystems: Vec<Filesystem<'a>>,
    io: Option<Io>,
}

/// With `-F MOUNT` by its mount point, with `-F` alone by its device.
#[derive(Deserialize)]
struct Filesystem<'a> {
    #[serde(borrow, rename = "mountpoint")]
    mount: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "filesystem")]
    device: Option<Cow<'a, str>>,
    #[serde(rename = "MBfsfree")]
    free_mb: Option<f64>,
    #[serde(rename = "MBfsused")]
    used_mb: Option<f64>,
}

/// What all disks of the host do together.
#[derive(Deserialize)]
struct Io {
    #[serde(rename = "io-reads")]
    reads: Option<Reads>,
    #[serde(rename = "io-writes")]
    writes: Option<Writes>,
}

#[derive(Deserialize)]
struct Reads {
    rtps: Option<f64>,
}

#[derive(Deserialize)]
struct Writes {
    wtps: Option<f64>,
}

#[derive(Deserialize)]
struct Timestamp<'a> {
    #[serde(borrow)]
    date: Cow<'a, str>,
    #[serde(borrow)]
    time: Cow<'a, str>,
    #[serde(default)]
    utc: u8,
    /// In the place of `utc` since sysstat 12.7.1: `UTC`, or how the host abbreviates its zone.
    #[serde(borrow)]
    tz: Option<Cow<'a, str>>,
    #[serde(default)]
    interval: i64,
}

#[derive(Deserialize)]
struct Disk<'a> {
    #[serde(borrow, rename = "disk-device")]
    device: Cow<'a, str>,
    tps: Option<f64>,
    #[serde(rename = "rkB")]
    read_kb: Option<f64>,
    #[serde(rename = "wkB")]
    write_kb: Option<f64>,
    #[serde(rename = "rd_sec")]
    read_sectors: Option<f64>,
    #[serde(rename = "wr_sec")]
    write_sectors: Option<f64>,
    #[serde(rename = "await")]
    wait_ms: Option<f64>,
    #[serde(rename = "util-percent")]
    busy_percent: Option<f64>,
}

impl Sadf {
    /// A reader for a file.
    pub fn new(options: &Options) -> Self {
        Self { pieces: Pieces::of("statistics"), zone: options.zone.clone().map(Zone::new) }
    }
}

impl Io {
    /// Reads and writes per second.
    fn directions(&self) -> Option<(f64, f64)> {
        self.reads.as_ref()?.rtps.zip(self.writes.as_ref()?.wtps)
    }
}

impl Room for Sadf {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Problem> {
        let Self { pieces, zone } = self;
        pieces.cut(bytes, |piece| element(&piece, zone, out))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Problem> {
        let around = String::from_utf8_lossy(self.pieces.around());
        out.seen.reboots += u64::try_from(around.matches("\"boot\":").count()).unwrap_or_default();
        self.pieces.end()
    }
}

fn element(piece: &Piece<'_>, zone: &mut Option<Zone>, out: &mut Out<'_>) -> Result<(), Problem> {
    let mended;
    let mut read = serde_json::from_slice::<Element<'_>>(piece.json);
    if read.is_err() {
        mended = with_commas(piece.json);
        read = serde_json::from_slice(mended.as_deref().unwrap_or(piece.json));
    }
    let read = read.map_err(|error| {
        wrong(piece.line, format!("this is none of sadf's statistics: {}", shown(&error.to_string())))
            .because("the file is damaged, or was written in a locale whose numbers have a decimal comma")
            .next("write it again: LC_ALL=C sadf -j FILE -- -b -d")
    })?;
    if read.disk.is_empty() && read.filesystems.is_empty() {
        return Ok(());
    }
    let host = told(piece.around, "nodename").unwrap_or_default();
    out.seen.tells_of(&host, &host);
    let Some(span) = span(read.timestamp.as_ref(), piece.line, zone, out)? else { return Ok(()) };
    disks(&read, &host, span, out);
    for filesystem in &read.filesystems {
        let name = filesystem.mount.as_ref().or(filesystem.device.as_ref());
        let space = filesystem.used_mb.zip(filesystem.free_mb);
        let Some((name, (used, free))) = name.zip(space) else { continue };
        let subject = Subject::named(Kind::Filesystem, name);
        let key = out.key(&host, subject, Source::Sadf);
        out.row(&key, span, &[(Metric::UsedBytes, used * MB), (Metric::SizeBytes, (used + free) * MB)]);
    }
    Ok(())
}

fn disks(read: &Element<'_>, host: &str, span: Span, out: &mut Out<'_>) {
    if read.disk.is_empty() {
        return;
    }
    out.seen.unparted = true;
    if let Some((reads, writes)) = read.io.as_ref().and_then(Io::directions) {
        let key = out.key(host, Subject::host(), Source::Sadf);
        out.row(&key, span, &[(Metric::ReadOps, reads), (Metric::WriteOps, writes)]);
        out.seen.parted_of_host = true;
    }
    for disk in &read.disk {
        let subject = out.disk(&disk.device, "");
        let key = out.key(host, subject, Source::Sadf);
        out.row(&key, span, &values(disk));
    }
}

/// sysstat 11.1 and 11.2 leave out the comma between two lists: `]  "fchosts": [`. `None` where nothing is missing.
fn with_commas(json: &[u8]) -> Option<Vec<u8>> {
    let (mut mended, mut in_string, mut after_end) = (None::<Vec<u8>>, false, false);
    for (at, &byte) in json.iter().enumerate() {
        if byte == b'"' && !in_string && after_end {
            let whole = mended.get_or_insert_with(|| json[..at].to_vec());
            whole.push(b',');
        }
        if let Some(mended) = &mut mended {
            mended.push(byte);
        }
        // No name of a disk has an escaped quotation mark.
        in_string ^= byte == b'"';
        after_end = !in_string && (matches!(byte, b']' | b'}') || (after_end && byte.is_ascii_whitespace()));
    }
    mended
}

fn span(
    told: Option<&Timestamp<'_>>,
    line: u64,
    zone: &mut Option<Zone>,
    out: &mut Out<'_>,
) -> Result<Option<Span>, Problem> {
    let Some(told) = told else {
        return Err(
            wrong(line, "statistics have no time").next("write the file again: sadf -j FILE -- -b -d")
        );
    };
    let local = when::local(&told.date, &told.time).ok_or_else(|| {
        wrong(line, format!("'{}' is no date and time", shown(&format!("{} {}", told.date, told.time))))
    })?;
    let is_utc = told.utc != 0 || told.tz.as_deref().is_some_and(when::is_utc);
    let moment = match (zone, told.tz.as_deref().and_then(when::offset)) {
        _ if is_utc => Zone::utc().moment(local),
        (_, Some(offset)) => Zone::new(offset.to_time_zone()).moment(local),
        (Some(zone), None) => zone.moment(local),
        (None, None) => return Err(no_zone(line)),
    };
    let Moment::At(end_ms) = moment else {
        out.seen.skipped += 1;
        return Ok(None);
    };
    let span = told
        .interval
        .checked_mul(MS_PER_S)
        .and_then(|length| Span::between(end_ms.checked_sub(length)?, end_ms));
    out.seen.unusable += u64::from(span.is_none());
    Ok(span)
}

/// Local times, and nobody said where.
pub fn no_zone(line: u64) -> Problem {
    wrong(line, "the times of this file are local, and it does not say of which time zone")
        .because("it was written in local time")
        .next("name the zone with --zone Europe/Berlin, or --zone local for that of this host")
}

fn values(disk: &Disk<'_>) -> Vec<(Metric, f64)> {
    let bytes = |kb: Option<f64>, sectors: Option<f64>| {
        kb.map(|kb| kb * KB).or_else(|| sectors.map(|sectors| sectors * SECTOR))
    };
    let time = disk.wait_ms.zip(disk.tps).map(|(wait, tps)| wait * tps / 1_000.0);
    let all = [
        (Metric::AllOps, disk.tps),
        (Metric::ReadBytes, bytes(disk.read_kb, disk.read_sectors)),
        (Metric::WriteBytes, bytes(disk.write_kb, disk.write_sectors)),
        (Metric::AllTime, time),
        (Metric::Busy, disk.busy_percent.map(|percent| percent / 100.0)),
    ];
    all.into_iter().filter_map(|(metric, value)| Some((metric, value?))).collect()
}
