//! `rigel report --size`: how long a full scan, a backup and a restore take at the rates of a record.
//!
//! Must not divide a size by a rate; `rigel_uses::transfer` does.

use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::path_text;
use rigel_core::record::Record;
use rigel_core::units::Bytes;
use rigel_report::document::Document as _;
use rigel_report::transfer::{TransferReport, json};
use rigel_report::{Format, View};
use rigel_uses::transfer::{Transfers, Way};
use std::path::Path;

/// Prints the times.
pub fn show(
    record: &Record,
    path: &Path,
    size: Bytes,
    format: Format,
    streams: &Streams,
) -> Result<(), Problem> {
    let view = View::of(record);
    let times = Transfers::of(&record.header, &view.findings, size);
    if times.is_empty() {
        return Err(nothing_large(path, &times));
    }
    let report = TransferReport { view: &view, times: &times };
    match format {
        Format::Json => streams.results(&json(&report)?),
        Format::Markdown => streams.results(report.markdown().as_bytes()),
        _ => streams.results(report.text(streams.style()).as_bytes()),
    }
}

fn nothing_large(path: &Path, times: &Transfers) -> Problem {
    let reads = times.missing.iter().find(|(way, _)| *way == Way::Read);
    let command = reads.map_or("rigel run dss", |(_, command)| command.as_str());
    Problem::usage("the record has no rate of large I/O that only reads or only writes")
        .at(path_text::encode(path))
        .because("the run measured other load, or a mix of reads and writes, or ended before its large I/O")
        .next(format!("measure large reads: {command}"))
}
