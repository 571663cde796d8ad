//! The sections of nmon that report on disks, and what each one is.
//!
//! Must not read a line.

use crate::Metric;

/// The values of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// The metric.
    pub metric: Metric,
    /// Their unit.
    pub unit: Unit,
}

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// The time of one transfer.
    Each(f64),
    /// Milliseconds of a mean transfer.
    MsOfTransfer,
}

const KB: f64 = 1024.0;
const PERCENT: f64 = 0.01;
const MS: f64 = 0.001;

/// `DISK` for single disks, `DG` for groups of them (`-g`); AIX calls rates by direction `RIO` and `WIO`, or has only that of reads.
const SECTIONS: [(&str, Metric, f64); 11] = [
    ("BUSY", Metric::Busy, PERCENT),
    ("READ", Metric::ReadBytes, KB),
    ("WRITE", Metric::WriteBytes, KB),
    ("XFER", Metric::AllOps, 1.0),
    ("READS", Metric::ReadOps, 1.0),
    ("WRITES", Metric::WriteOps, 1.0),
    ("RIO", Metric::ReadOps, 1.0),
    ("RXFER", Metric::ReadOps, 1.0),
    ("WIO", Metric::WriteOps, 1.0),
    ("READSERV", Metric::ReadTime, MS),
    ("WRITESERV", Metric::WriteTime, MS),
];
/// Sections that follow from the others, or are not needed.
const OTHERS: [&str; 4] = ["BSIZE", "SIZE", "READMERGE", "WRITEMERGE"];

/// The name without its subject, and without the number of a part: a line has at most 150 disks.
fn stem(name: &str) -> Option<&str> {
    let of = name.strip_prefix("DISK").or_else(|| name.strip_prefix("DG"))?;
    Some(of.trim_end_matches(|sign: char| sign.is_ascii_digit()))
}

impl Section {
    /// From its name and its description, such as `Disk Read Service Time msec/xfer db1`.
    pub fn of(name: &str, description: &str) -> Option<Self> {
        let stem = stem(name)?;
        let &(_, metric, factor) = SECTIONS.iter().find(|(known, ..)| *known == stem)?;
        let is_mean =
            matches!(metric, Metric::ReadTime | Metric::WriteTime) && !description.contains("SUM ms");
        Some(Self { metric, unit: if is_mean { Unit::MsOfTransfer } else { Unit::Each(factor) } })
    }

    /// Whether nothing is lost without it.
    pub fn is_of_others(name: &str) -> bool {
        stem(name).is_some_and(|stem| OTHERS.contains(&stem))
    }
}
