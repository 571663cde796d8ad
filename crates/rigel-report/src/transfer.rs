//! How long a full scan, a backup and a restore of a size take: a text, Markdown, and one JSON document, `rigel.transfer/1`.
//!
//! The types here are the interface. Must not divide a size by a rate; [`rigel_uses::transfer`] does.

mod blocks;

use crate::json_text::{flags, pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::documents;
use rigel_core::error::Problem;
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;
use rigel_uses::transfer::{TransferTime, Transfers, Way};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.transfer/1";

/// A record with the times that follow from it.
pub struct TransferReport<'a> {
    /// The record.
    pub view: &'a View<'a>,
    /// The times.
    pub times: &'a Transfers,
}

/// How long it takes to read or write a number of bytes at the measured rates. The interval of a time is derived from that of the rate, with its
/// ends swapped.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.transfer/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the run.
    run: String,
    /// The targets, as they were named.
    targets: Vec<String>,
    /// Bytes to be read or written.
    size_bytes: u64,
    /// The times with nothing else running.
    alone: Vec<TransferDocument>,
    /// The times while something else ran; for each additional load the point with the highest rate.
    beside: Vec<TransferDocument>,
    /// What was not measured.
    missing: Vec<Missing>,
    /// All doubts about these figures, each flag once.
    flags: Vec<Flag>,
    /// Whether the figures may be used, what casts doubt on them, and what to do.
    verdict: Conclusion,
}

/// A time.
#[derive(Debug, Serialize, JsonSchema)]
struct TransferDocument {
    /// `read` is the time of a full scan or a backup, `write` that of a restore.
    way: Way,
    /// The class of large I/O that was measured.
    class: Class,
    /// The load level of each class at the point with the rate.
    #[serde(serialize_with = "documents::levels")]
    #[schemars(with = "PerClass<u32>")]
    levels: Point,
    /// Megabytes (2^20 bytes) per second.
    mbps: Estimate,
    /// The time in seconds.
    seconds: Estimate,
    /// The load that ran at the same time, by class.
    beside: PerClass<BesideDocument>,
    /// Whether the rate must not be used.
    invalid: bool,
}

/// What ran at the same time.
#[derive(Debug, Serialize, JsonSchema)]
struct BesideDocument {
    /// The name of its unit, such as IOPS.
    unit: String,
    /// Its rate.
    rate: Estimate,
}

/// What was not measured.
#[derive(Debug, Serialize, JsonSchema)]
struct Missing {
    /// `read` or `write`.
    way: Way,
    /// The command that measures it.
    command: String,
}

impl TransferDocument {
    fn of(one: &TransferTime) -> Self {
        let beside = |(load, rate): &(LoadClass, Estimate)| {
            (load.name, BesideDocument { unit: text(load.unit()), rate: *rate })
        };
        Self {
            way: one.way,
            class: one.load.name,
            levels: one.point,
            mbps: one.mbps,
            seconds: one.seconds,
            beside: one.beside.iter().map(beside).collect(),
            invalid: one.invalid,
        }
    }
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(report: &TransferReport<'_>) -> Result<Vec<u8>, Problem> {
    let TransferReport { view, times } = report;
    let missing = |(way, command): &(Way, String)| Missing { way: *way, command: command.clone() };
    pretty(&Document {
        schema: SCHEMA,
        run: text(&view.record.header.run_id),
        targets: view.targets().into_iter().map(text).collect(),
        size_bytes: times.size.0,
        alone: times.alone.iter().map(TransferDocument::of).collect(),
        beside: times.beside.iter().map(TransferDocument::of).collect(),
        missing: times.missing.iter().map(missing).collect(),
        flags: flags(&view.findings.flags_once()),
        verdict: Conclusion::of(view),
    })
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}
