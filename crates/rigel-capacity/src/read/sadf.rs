//! `sadf -j FILE -- -b -d -F MOUNT`: disks and filesystems as sysstat recorded them.
//!
//! Of a disk it parts bytes by direction, and neither operations nor times; with `-b` it has the operations of the host by direction.
//! Must not guess a time zone.

use super::documents::Documents;
use super::pieces::{Piece, text_around};
use super::seen::{shown, wrong};
use super::sysstat::{Disk, MB, unreadable};
use super::{Room, SampleSink};
use crate::{Kind, MS_PER_S, Metric, Source, Span, Subject, when};
use jiff::tz::TimeZone;
use rigel_core::error::Problem;
use serde::Deserialize;
use std::borrow::Cow;

/// Mount points of images, which nobody writes to.
const IMAGES: [&str; 3] = ["/snap/", "/var/lib/snapd/", "/dev/loop"];

/// A reader of it.
pub struct Sadf(Documents);

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

impl Default for Sadf {
    fn default() -> Self {
        Self(Documents::of("statistics"))
    }
}

impl Io {
    /// Reads and writes per second.
    fn directions(&self) -> Option<(f64, f64)> {
        self.reads.as_ref()?.rtps.zip(self.writes.as_ref()?.wtps)
    }
}

impl Room for Sadf {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if self.0.cut(bytes, |piece| element(&piece, out))? {
            out.seen
                .notes
                .insert("a document in the file ends in the middle: its complete statistics are used");
        }
        Ok(())
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let ended = self.0.end(|piece| element(&piece, out))?;
        let around = String::from_utf8_lossy(self.0.around());
        out.seen.reboots += u64::try_from(around.matches("\"boot\":").count()).unwrap_or_default();
        out.takes_what_is_whole(
            ended,
            "the file ends in the middle: sadf was stopped or is still writing; the complete statistics are used",
        )
    }
}

fn element(piece: &Piece<'_>, out: &mut SampleSink<'_>) -> Result<(), Problem> {
    let mended;
    let mut read = serde_json::from_slice::<Element<'_>>(piece.json);
    if read.is_err() {
        mended = with_commas(piece.json);
        read = serde_json::from_slice(mended.as_deref().unwrap_or(piece.json));
    }
    let read = read.map_err(|error| {
        unreadable(piece.line, "not statistics from sadf", &error, "sadf -j FILE -- -b -d")
    })?;
    if read.disk.is_empty() && read.filesystems.is_empty() {
        return Ok(());
    }
    let host = text_around(piece.around, "nodename").unwrap_or_default();
    out.seen.tells_of(&host, &host);
    let Some(span) = span(read.timestamp.as_ref(), piece.line, out)? else { return Ok(()) };
    disks(&read, &host, span, out);
    for filesystem in &read.filesystems {
        let name = filesystem.mount.as_ref().or(filesystem.device.as_ref());
        let space = filesystem.used_mb.zip(filesystem.free_mb);
        let Some((name, (used, free))) = name.zip(space) else { continue };
        // Packages of snap are always full.
        if free == 0.0 && IMAGES.iter().any(|begin| name.starts_with(begin)) {
            out.seen.leaves_out("space of read-only images (snap)");
            continue;
        }
        let subject = Subject::named(Kind::Filesystem, name);
        let key = out.key(&host, subject, Source::Sadf);
        out.row(&key, span, &[(Metric::UsedBytes, used * MB), (Metric::SizeBytes, (used + free) * MB)]);
    }
    Ok(())
}

fn disks(read: &Element<'_>, host: &str, span: Span, out: &mut SampleSink<'_>) {
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
        out.row(&key, span, &disk.values());
    }
}

/// sysstat 11.1 and 11.2 leave out the comma between two lists: `]  "fchosts": [`. `None` if nothing is missing.
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

fn span(told: Option<&Timestamp<'_>>, line: u64, out: &mut SampleSink<'_>) -> Result<Option<Span>, Problem> {
    let Some(told) = told else {
        return Err(
            wrong(line, "statistics have no timestamp").next("create the file again: sadf -j FILE -- -b -d")
        );
    };
    let local = when::local(&told.date, &told.time).ok_or_else(|| {
        wrong(line, format!("'{}' is not a date and time", shown(&format!("{} {}", told.date, told.time))))
    })?;
    let zone = match told.utc {
        0 => out.zone_of(told.tz.as_deref().unwrap_or_default(), local, line)?,
        _ => Some(TimeZone::UTC),
    };
    let Some(end_ms) = out.moment(local, zone, line)? else { return Ok(None) };
    let span = told
        .interval
        .checked_mul(MS_PER_S)
        .and_then(|length| Span::between(end_ms.checked_sub(length)?, end_ms));
    out.seen.unusable += u64::from(span.is_none());
    Ok(span)
}
