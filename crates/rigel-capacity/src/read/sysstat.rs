//! What iostat and sadf have in common: disks, whose columns have different names in each tool and in some versions.
//!
//! A kB is 1024 bytes, a sector 512, an MB 2^20 bytes. Must not know what is around disks.

use super::SampleSink;
use super::seen::{shown, wrong};
use crate::Metric;
use crate::layers::GROUP;
use rigel_core::error::Problem;
use serde::Deserialize;
use std::borrow::Cow;

const KB: f64 = 1024.0;
pub const MB: f64 = 1_048_576.0;
const SECTOR: f64 = 512.0;

#[derive(Default, Deserialize)]
pub struct Disk<'a> {
    #[serde(borrow, rename = "disk_device", alias = "disk-device")]
    pub device: Cow<'a, str>,
    /// In both directions; iostat has them without `-x` only.
    pub tps: Option<f64>,
    #[serde(rename = "r/s")]
    pub reads: Option<f64>,
    #[serde(rename = "w/s")]
    writes: Option<f64>,
    /// Name in the JSON of iostat before sysstat 11.7.2.
    #[serde(rename = "r")]
    old_reads: Option<f64>,
    #[serde(rename = "w")]
    old_writes: Option<f64>,
    #[serde(rename = "avgrq-sz")]
    request_sectors: Option<f64>,
    #[serde(rename = "rkB/s", alias = "rkB")]
    read_kb: Option<f64>,
    #[serde(rename = "wkB/s", alias = "wkB")]
    write_kb: Option<f64>,
    #[serde(rename = "rMB/s")]
    read_mb: Option<f64>,
    #[serde(rename = "wMB/s")]
    write_mb: Option<f64>,
    #[serde(rename = "rsec/s", alias = "rd_sec")]
    read_sectors: Option<f64>,
    #[serde(rename = "wsec/s", alias = "wr_sec")]
    write_sectors: Option<f64>,
    #[serde(rename = "await")]
    pub wait_ms: Option<f64>,
    #[serde(rename = "r_await")]
    read_ms: Option<f64>,
    #[serde(rename = "w_await")]
    write_ms: Option<f64>,
    #[serde(rename = "util", alias = "util-percent")]
    busy_percent: Option<f64>,
    /// Whether waits are in whole milliseconds, as `--dec=0` rounds them: 0 for most of what an SSD does.
    #[serde(skip)]
    pub is_coarse: bool,
}

impl Disk<'static> {
    /// A disk from the columns of a table; unused ones are left out. Locales have decimal commas, and there are no groups of thousands.
    pub fn of_columns<'a>(device: String, columns: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut disk = Self { device: Cow::Owned(device), ..Self::default() };
        for (name, word) in columns {
            let place = match name {
                "tps" => &mut disk.tps,
                "r/s" => &mut disk.reads,
                "w/s" => &mut disk.writes,
                "rkB/s" => &mut disk.read_kb,
                "wkB/s" => &mut disk.write_kb,
                "rMB/s" => &mut disk.read_mb,
                "wMB/s" => &mut disk.write_mb,
                "rsec/s" | "rd_sec/s" => &mut disk.read_sectors,
                "wsec/s" | "wr_sec/s" => &mut disk.write_sectors,
                "await" => &mut disk.wait_ms,
                "r_await" => &mut disk.read_ms,
                "w_await" => &mut disk.write_ms,
                "%util" => &mut disk.busy_percent,
                _ => continue,
            };
            *place = Some(word.replace(',', ".").parse().unwrap_or(f64::NAN));
            disk.is_coarse |= name.ends_with("await") && !word.contains(['.', ',']);
        }
        disk
    }
}

/// Whether some number of a document has a fraction. One without any was rounded (`--dec=0`).
pub fn has_fraction(json: &[u8]) -> bool {
    json.windows(3).any(|part| part[1] == b'.' && part[0].is_ascii_digit() && part[2].is_ascii_digit())
}

/// Says that waits of disks which did something are too coarse.
pub fn tell_coarse(disks: &[Disk<'_>], out: &mut SampleSink<'_>) {
    if disks.iter().any(|disk| disk.is_coarse && disk.is_busy()) {
        out.seen.notes.insert(
            "waits are in whole milliseconds (--dec=0), too coarse for a mean latency, so they are left out",
        );
    }
}

impl Disk<'_> {
    /// Its values, in our units.
    pub fn values(&self) -> Vec<(Metric, f64)> {
        let (reads, writes) = (self.reads.or(self.old_reads), self.writes.or(self.old_writes));
        let kb_bytes = self.bytes_of_kb();
        let bytes = |kb: Option<f64>, mb: Option<f64>, sectors: Option<f64>| {
            kb.map(|kb| kb * kb_bytes)
                .or_else(|| mb.map(|mb| mb * MB))
                .or_else(|| sectors.map(|sectors| sectors * SECTOR))
        };
        let time = |rate: Option<f64>, ms: Option<f64>| {
            let known = rate.zip(ms).filter(|(rate, _)| !self.is_coarse || *rate == 0.0);
            known.map(|(rate, ms)| rate * ms / 1_000.0)
        };
        // Before sysstat 10 a wait has no direction, and iostat has no sum of operations.
        let both = reads.zip(writes).filter(|_| self.read_ms.is_none()).map(|(reads, writes)| reads + writes);
        let all = [
            (Metric::AllOps, self.tps),
            (Metric::ReadOps, reads),
            (Metric::WriteOps, writes),
            (Metric::ReadBytes, bytes(self.read_kb, self.read_mb, self.read_sectors)),
            (Metric::WriteBytes, bytes(self.write_kb, self.write_mb, self.write_sectors)),
            (Metric::AllTime, time(self.tps.or(both), self.wait_ms)),
            (Metric::ReadTime, time(reads, self.read_ms)),
            (Metric::WriteTime, time(writes, self.write_ms)),
            (Metric::Busy, self.busy_percent.map(|percent| percent / 100.0)),
        ];
        all.into_iter().filter_map(|(metric, value)| Some((metric, value?))).collect()
    }

    /// Whether it has waits of something.
    fn is_busy(&self) -> bool {
        let rates = [self.tps, self.reads, self.writes, self.old_reads, self.old_writes];
        rates.into_iter().flatten().any(|rate| rate > 0.0)
    }

    /// Bytes of what is called a kB. JSON of iostat before sysstat 11.7.2 calls MB of `-m` and sectors so as well; the mean size of a request, which is in
    /// sectors, shows what they are.
    fn bytes_of_kb(&self) -> f64 {
        let of_old = || {
            let ops = self.old_reads? + self.old_writes?;
            let told = self.read_kb? + self.write_kb?;
            let bytes = self.request_sectors? * SECTOR * ops;
            (told > 0.0 && bytes > 0.0).then(|| bytes / told)
        };
        let Some(bytes) = of_old() else { return KB };
        // Figures have two decimals: the nearest unit is the right one.
        let far = |unit: &f64| (bytes / unit).ln().abs();
        [SECTOR, KB, MB].into_iter().min_by(|one, other| far(one).total_cmp(&far(other))).unwrap_or(KB)
    }
}

/// Name of the table of filesystems when it is left out.
pub const SPACE: &str = "MBfsused (space is read from sadf -j FILE -- -F MOUNT)";

/// The name of a disk as iostat reports it: a leading blank marks the sum of a group (`-g`). Returns the name and its persistent id.
pub fn of_group(told: &str) -> (&str, String) {
    let name = told.trim();
    (name, if told.starts_with(' ') { format!("{GROUP}{name}") } else { String::new() })
}

/// `17.0M`, `4.4%`: rounded for people.
pub fn is_for_people(word: &str) -> bool {
    let number = word.strip_suffix(['k', 'M', 'G', 'T', '%']);
    number.is_some_and(|number| number.replace(',', ".").parse::<f64>().is_ok())
}

/// A line without the colours that sysstat adds to figures on a terminal, or with `S_COLORS=always`.
pub fn without_colours(line: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line);
    if !text.contains('\u{1b}') {
        return text;
    }
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|sign: char| !sign.is_ascii_digit() && sign != ';').unwrap_or(part.len());
        plain.push_str(part[end..].strip_prefix('m').unwrap_or(&part[end..]));
    }
    Cow::Owned(plain)
}

/// Where in a line the first line of another run begins, after a truncated row: a stopped tool wrote only full
/// buffers, without the end of the line, and the next run continues in the same file.
pub fn glued_head(line: &str) -> Option<usize> {
    line.match_indices("Linux ").map(|(at, _)| at).filter(|at| !line[..*at].trim().is_empty()).find(|at| {
        let mut words = line[*at..].split_whitespace().skip(1);
        let is_release =
            words.next().is_some_and(|word| word.starts_with(|sign: char| sign.is_ascii_digit()));
        is_release && words.next().is_some_and(|word| word.starts_with('(')) && line[*at..].contains(" CPU)")
    })
}

/// JSON that is not what a tool of sysstat writes; `again` is how it writes it.
pub fn unreadable(line: u64, what: &str, error: &serde_json::Error, again: &str) -> Problem {
    wrong(line, format!("this is {what}: {}", shown(&error.to_string())))
        .because("the file is damaged, or was written in a locale with decimal commas")
        .next(format!("create it again: LC_ALL=C {again}"))
}
