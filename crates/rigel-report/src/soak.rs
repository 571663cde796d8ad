//! What a soak found: a text, a page, and one JSON document, `rigel.soak/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_uses::soak`] does.

mod blocks;
mod delays;
mod drives;
mod ends;
mod metrics;
mod page;
mod words;

pub use delays::long_ios;
pub use drives::remark;
pub use metrics::SoakCounts;

use crate::Format;
use crate::document::{Document as _, PageDocument as _};
use crate::json_text::{pretty, schema_of, text as printable};
use crate::label;
use crate::output_file::OutputFile;
use crate::text::Style;
use rigel_core::error::Problem;
use rigel_core::judge::findings::NodeFindings;
use rigel_core::judge::wrong_data::what;
use rigel_core::load::class::PerClass;
use rigel_core::load::governor::WHOLE;
use rigel_core::load::soak::Soak;
use rigel_core::record::Record;
use rigel_core::units::say::trimmed;
use rigel_core::units::{Nanos, mbps, to_f64, us_from_ns};
use rigel_core::verify::{FaultCounts, Finding};
use rigel_uses::soak::{
    Change, Drives, Interruption, LongIo, Moment, Outlier, PhaseFindings, PhaseIo, ProductionImpact,
    SoakFindings, Spell,
};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.soak/1";

/// A soak with its record.
#[derive(Clone, Copy, Debug)]
pub struct SoakReport<'a> {
    /// The record.
    pub record: &'a Record,
    /// The results.
    pub found: &'a SoakFindings,
    /// Lines of the record that are in no file; nothing else has their contents.
    pub lost: usize,
}

/// The effect of hours to weeks of load on a storage and its data. Latencies are in microseconds, times in seconds of load.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.soak/1")]
struct Document<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the run.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// The targets.
    targets: Vec<TargetDocument>,
    /// The answer in sentences.
    told: Vec<String>,
    /// Something is wrong: a block, an I/O, an unusual target, or a drive according to its own counters; the exit code is 1 then.
    faulty: bool,
    /// It lasted as long as intended.
    complete: bool,
    /// The intended length of the load.
    asked_s: f64,
    /// How long it lasted.
    lasted_s: f64,
    /// The phases in their order.
    phases: Vec<PhaseDocument<'a>>,
    /// Successful I/Os.
    ios: u64,
    /// Failed I/Os.
    errors: u64,
    /// What was compared; nothing if no block was verified.
    verified: Option<VerifiedDocument>,
    /// The longest I/O among those that took far longer than nearly all others of their phase.
    longest: Option<OfTarget<&'a LongIo>>,
    /// Periods in which the I/Os of a class took at least four times as long as the same load has them elsewhere.
    slow_spells: Vec<SpellDocument<'a>>,
    /// Targets that are slower than the others.
    outliers: Vec<OfTarget<&'a Outlier>>,
    /// What the drives below the targets say about themselves, before and after; nothing if they were not read, as with a simulated device.
    drives: Option<Vec<DriveDocument<'a>>>,
    /// Its use of storage with other users; `None` for a soak that had the storage to itself.
    beside_production: Option<ProductionImpact>,
    /// Changes of the targets and of the I/O limits meanwhile.
    changed: &'a [String],
    /// Where it continued after an interruption.
    interruptions: &'a [Interruption],
    /// The figures of every interval.
    course: &'a [Moment],
}

/// A target.
#[derive(Debug, Serialize, JsonSchema)]
struct TargetDocument {
    /// Its path.
    path: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// In a soak of several targets: its I/Os.
    ios: Option<u64>,
    /// The failed ones.
    errors: Option<u64>,
    /// Their mean latency.
    latency_mean_us: Option<f64>,
    /// The longest.
    latency_max_us: Option<f64>,
    /// It is slower than the others.
    slower: bool,
}

/// A phase of the load.
#[derive(Debug, Serialize, JsonSchema)]
struct PhaseDocument<'a> {
    /// Its number, from 1.
    phase: u32,
    /// Its load in words.
    load: String,
    /// How often it was visited.
    visits: u64,
    /// How long that lasted.
    lasted_s: f64,
    /// The classes of I/O.
    classes: PerClass<IoDocument>,
    /// The results of each node, in the order of the run's nodes; empty where one host measured.
    nodes: &'a [NodeFindings],
}

/// A class of I/O in a phase.
#[derive(Debug, Serialize, JsonSchema)]
struct IoDocument {
    /// Successful I/Os per second.
    iops: f64,
    /// MB (2^20 bytes) per second.
    mbps: f64,
    /// Mean latency.
    latency_mean_us: Option<f64>,
    /// Median.
    latency_p50_us: Option<f64>,
    /// 99th percentile.
    latency_p99_us: Option<f64>,
    /// 99.9th percentile.
    latency_p99_9_us: Option<f64>,
    /// The longest.
    latency_max_us: Option<f64>,
    /// Failed I/Os.
    errors: u64,
    /// Wrong blocks.
    wrong: u64,
}

/// What was compared.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifiedDocument {
    /// Blocks of 4 KiB that were written.
    written: u64,
    /// Blocks that were read and compared.
    checked: u64,
    /// Wrong ones by their fault.
    faults: FaultCounts,
    /// If none was wrong: at most one in this many reads returns a wrong block, with 95 % confidence (3/N).
    rarer_than_one_of: Option<f64>,
    /// The first faults.
    findings: Vec<FindingDocument>,
}

/// A wrong block.
#[derive(Debug, Serialize, JsonSchema)]
struct FindingDocument {
    /// When it was seen, in seconds of load.
    at_s: f64,
    /// Path of the target.
    target: String,
    /// Byte offset of the block of 4 KiB.
    offset: u64,
    /// What is wrong with it.
    what: String,
    /// Byte of the block at which the excerpts begin.
    excerpt_at: u16,
    /// The actual content, in hexadecimal digits.
    found: String,
    /// What should be there.
    expected: String,
}

/// A finding of one of the targets.
#[derive(Debug, Serialize, JsonSchema)]
struct OfTarget<T> {
    /// Its path; null where one target alone was loaded.
    target: Option<String>,
    #[serde(flatten)]
    finding: T,
}

/// A period in which I/Os were slow.
#[derive(Debug, Serialize, JsonSchema)]
struct SpellDocument<'a> {
    /// The targets that account for it; empty where all of several do.
    targets: Vec<String>,
    #[serde(flatten)]
    finding: &'a Spell,
}

/// A drive, by its SMART attributes, its NVMe log or its SCSI logs.
#[derive(Debug, Serialize, JsonSchema)]
struct DriveDocument<'a> {
    /// Its kernel name at the last reading.
    name: String,
    /// Its model.
    model: Option<String>,
    /// Its serial number.
    serial: Option<String>,
    /// Something in its counters casts doubt on it.
    worse: bool,
    /// How often it reported its counters.
    looks: u32,
    /// Local time of the first of these readings, RFC 3339.
    first_look: Option<String>,
    /// Of the last one.
    last_look: Option<String>,
    /// Why it reported none at the last reading.
    unknown: Option<String>,
    /// Its counters.
    counters: &'a [Change],
}

/// The limit of a soak next to production: `at most 5 % of the time of each target`.
pub fn bound(soak: &Soak) -> Option<String> {
    let share = f64::from(soak.beside?) / f64::from(WHOLE);
    Some(format!("at most {} % of the time of each target", trimmed(100.0 * share)))
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document<'_>>()
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(told: &SoakReport<'_>) -> Result<Vec<u8>, Problem> {
    let SoakReport { record, found, .. } = *told;
    let header = &record.header;
    pretty(&Document {
        schema: SCHEMA,
        run: printable(&header.run_id),
        started: printable(&header.started),
        targets: targets(told),
        told: words::sentences(told),
        faulty: found.is_faulty(),
        complete: found.complete,
        asked_s: found.soak.time.seconds(),
        lasted_s: found.lasted.seconds(),
        phases: found.phases.iter().map(|one| phase(record, one)).collect(),
        ios: found.ios,
        errors: found.errors,
        verified: found.verifies.then(|| verified(told)),
        longest: found.longest.as_ref().map(|one| OfTarget {
            target: one.target.map(|target| label::target(record, target)),
            finding: one,
        }),
        slow_spells: found.spells.iter().map(|spell| spell_document(told, spell)).collect(),
        outliers: outliers(told),
        drives: found.drives.as_ref().map(drive_documents),
        beside_production: found.beside,
        changed: &found.changed,
        interruptions: &found.interruptions,
        course: &found.course,
    })
}

/// For the terminal; `files` are the outputs, the record first.
pub fn text(told: &SoakReport<'_>, style: Style, files: &[String]) -> String {
    told.with_record(style, files)
}

/// The page as a file.
///
/// # Errors
/// As for [`json()`].
pub fn page(told: &SoakReport<'_>) -> Result<OutputFile, Problem> {
    told.page("_report.html")
}

/// The output in a format that a soak has of its own; the others are those of any run.
///
/// # Errors
/// Those of the output.
pub fn file(format: Format, told: &SoakReport<'_>) -> Result<Option<OutputFile>, Problem> {
    Ok(Some(match format {
        Format::Text => OutputFile::new("_report.txt", text(told, Style::default(), &[])),
        Format::Json => OutputFile::new("_soak.json", json(told)?),
        Format::Html => page(told)?,
        _ => return Ok(None),
    }))
}

/// The targets: if several, first those that failed or are slowest.
fn targets(told: &SoakReport<'_>) -> Vec<TargetDocument> {
    let mut all: Vec<_> = (0..told.record.header.targets.len()).map(|number| target(told, number)).collect();
    let mean = |target: &TargetDocument| target.latency_mean_us.unwrap_or(0.0);
    all.sort_by(|one, other| other.errors.cmp(&one.errors).then(mean(other).total_cmp(&mean(one))));
    all
}

fn target(told: &SoakReport<'_>, number: usize) -> TargetDocument {
    let counts = told.found.targets.as_ref();
    let of = |counts: &[u64]| counts.get(number).copied();
    let ios = counts.and_then(|counts| of(&counts.ops));
    let sum_ns = counts.and_then(|counts| of(&counts.latency_sum_ns));
    let mean = |(ios, sum_ns): (u64, u64)| (ios > 0).then(|| us_from_ns(to_f64(sum_ns)) / to_f64(ios));
    TargetDocument {
        path: label::target(told.record, number),
        slower: told.found.outliers.iter().any(|outlier| outlier.target == number),
        size_bytes: told.record.header.targets.get(number).map_or(0, |target| target.size_bytes),
        ios,
        errors: counts.and_then(|counts| of(&counts.errors)),
        latency_mean_us: ios.zip(sum_ns).and_then(mean),
        latency_max_us: counts.and_then(|counts| of(&counts.longest_ns)).map(|ns| us_from_ns(to_f64(ns))),
    }
}

fn phase<'a>(record: &Record, found: &'a PhaseFindings) -> PhaseDocument<'a> {
    PhaseDocument {
        phase: found.number.saturating_add(1),
        load: words::load_of(record, found),
        visits: found.visits,
        lasted_s: found.lasted.seconds(),
        classes: found.classes.iter().map(|(class, io)| (*class, io_document(io))).collect(),
        nodes: &found.nodes,
    }
}

fn io_document(io: &PhaseIo) -> IoDocument {
    IoDocument {
        iops: io.iops(),
        mbps: mbps(io.bytes, io.lasted.0),
        latency_mean_us: io.latency.mean_ns().map(us_from_ns),
        latency_p50_us: io.beyond_us(500_000),
        latency_p99_us: io.beyond_us(10_000),
        latency_p99_9_us: io.beyond_us(1000),
        latency_max_us: words::max_us(io),
        errors: io.errors,
        wrong: io.wrong,
    }
}

fn verified(told: &SoakReport<'_>) -> VerifiedDocument {
    let found = &told.found.verified;
    VerifiedDocument {
        written: found.written,
        checked: found.checked,
        faults: found.faults,
        rarer_than_one_of: told.found.excluded_one_of(),
        findings: found.findings.iter().map(|one| finding(told, one)).collect(),
    }
}

fn finding(told: &SoakReport<'_>, found: &Finding) -> FindingDocument {
    FindingDocument {
        at_s: Nanos(found.at_ns).seconds(),
        target: label::target(told.record, usize::from(found.target)),
        offset: found.offset,
        what: what(&told.record.header.targets, found),
        excerpt_at: found.excerpt_at,
        found: found.found_hex.to_string(),
        expected: found.expected_hex.to_string(),
    }
}

fn spell_document<'a>(told: &SoakReport<'_>, spell: &'a Spell) -> SpellDocument<'a> {
    SpellDocument { targets: delays::targets(told, spell), finding: spell }
}

fn outliers<'a>(told: &SoakReport<'a>) -> Vec<OfTarget<&'a Outlier>> {
    let one = |outlier: &'a Outlier| OfTarget {
        target: Some(label::target(told.record, outlier.target)),
        finding: outlier,
    };
    told.found.outliers.iter().map(one).collect()
}

fn drive_documents(drives: &Drives) -> Vec<DriveDocument<'_>> {
    let told = drives.told.iter().map(|drive| DriveDocument {
        name: printable(&drive.name),
        model: drive.model.as_deref().map(printable),
        serial: drive.serial.as_deref().map(printable),
        worse: drive.is_worse(),
        looks: drive.looks,
        first_look: drive.seen.first().map(|at| printable(at)),
        last_look: drive.seen.last().map(|at| printable(at)),
        unknown: drive.lost.as_deref().map(printable),
        counters: &drive.changes,
    });
    let silent = drives.silent.iter().map(|drive| DriveDocument {
        name: printable(&drive.name),
        model: None,
        serial: None,
        worse: false,
        looks: 0,
        first_look: None,
        last_look: None,
        unknown: Some(printable(&drive.why)),
        counters: &[],
    });
    told.chain(silent).collect()
}
