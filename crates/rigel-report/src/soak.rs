//! What a soak found: a text, a page, and one JSON document, `rigel.soak/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_core::uses::soak`] does.

mod delays;
mod drives;
mod metrics;
mod page;
mod text;
mod words;

pub use drives::remark;
pub use metrics::Standing;
pub use text::text;

use crate::Format;
use crate::json::{PointNode, pretty, schema_of, text as printable};
use crate::output_file::OutputFile;
use crate::text::Style;
use rigel_core::error::Problem;
use rigel_core::judge::wrong_data::what;
use rigel_core::load::governor::WHOLE;
use rigel_core::load::soak::Soak;
use rigel_core::record::Record;
use rigel_core::units::{Nanos, mbps, to_f64, trimmed, us_from_ns};
use rigel_core::uses::soak::{Beside, Change, Drives, Moment, PhaseFound, PhaseIo, Soaked};
use rigel_core::verify::{FaultCounts, Finding};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.soak/1";

/// A soak with its record.
#[derive(Clone, Copy, Debug)]
pub struct Told<'a> {
    /// The record.
    pub record: &'a Record,
    /// What came out.
    pub found: &'a Soaked,
    /// Lines of the record that are in no file: what they say is here, and nowhere else.
    pub lost: usize,
}

/// What hours to weeks of load did to a storage, and what it did to the data. Latencies are in microseconds, times in seconds of load.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.soak/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Name that all files of the run begin with.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// The targets.
    targets: Vec<TargetDocument>,
    /// The answer in sentences.
    told: Vec<String>,
    /// Something is wrong: a block, an I/O, a target unlike the others, or a drive by its own word; the exit code is 1 then.
    faulty: bool,
    /// It lasted as long as it was to.
    complete: bool,
    /// How long the load was to last.
    asked_s: f64,
    /// How long it lasted.
    lasted_s: f64,
    /// The phases in their order.
    phases: Vec<PhaseDocument>,
    /// Successful I/Os.
    ios: u64,
    /// Failed I/Os.
    errors: u64,
    /// What was compared; nothing where no block was verified.
    verified: Option<VerifiedDocument>,
    /// The longest I/O, where it is far longer than nearly all others.
    longest: Option<delays::LongIoDocument>,
    /// Times in which all I/Os of a class took five times as long as usual, or longer.
    slow_spells: Vec<delays::SpellDocument>,
    /// Targets that are slower than the others.
    outliers: Vec<OutlierDocument>,
    /// What the drives below the targets say of themselves, before and after; nothing where nobody asked, as of a simulated device.
    drives: Option<Vec<DriveDocument>>,
    /// What it took of storage that has other users; nothing of a soak that had it for itself.
    beside_production: Option<BesideDocument>,
    /// What became of the targets and of the limits on I/O meanwhile.
    changed: Vec<String>,
    /// Where it went on after an interruption.
    interruptions: Vec<InterruptionDocument>,
    /// The figures of every interval.
    course: Vec<MomentDocument>,
}

/// A target.
#[derive(Debug, Serialize, JsonSchema)]
struct TargetDocument {
    /// Its path.
    path: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// Of a soak of several targets: its I/Os.
    ios: Option<u64>,
    /// Those that failed.
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
struct PhaseDocument {
    /// Its number, from 1.
    phase: u32,
    /// Its load in words.
    load: String,
    /// How often it was visited.
    visits: u64,
    /// How long that lasted.
    lasted_s: f64,
    /// The classes of I/O.
    classes: Vec<IoDocument>,
    /// What each node did, in the order of the run's nodes; empty where one host measured.
    nodes: Vec<PointNode>,
}

/// A class of I/O in a phase.
#[derive(Debug, Serialize, JsonSchema)]
struct IoDocument {
    /// Its name.
    class: String,
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
    faults: FaultDocument,
    /// Where none was wrong: a wrong block is rarer than one of so many reads, with 95 % confidence (3/N).
    rarer_than_one_of: Option<f64>,
    /// The first faults.
    findings: Vec<FindingDocument>,
}

/// Wrong blocks by their fault.
#[derive(Debug, Serialize, JsonSchema)]
struct FaultDocument {
    corrupt: u64,
    torn: u64,
    misdirected: u64,
    lost_or_stale: u64,
    ahead: u64,
    zeroed: u64,
    foreign: u64,
    unreadable: u64,
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
    /// What is there, in hexadecimal digits.
    found: String,
    /// What should be there.
    expected: String,
}

/// A target that is slower than the others.
#[derive(Debug, Serialize, JsonSchema)]
struct OutlierDocument {
    /// Its path.
    target: String,
    /// The class of I/O.
    class: String,
    /// Its mean latency.
    latency_mean_us: f64,
    /// The median of the mean latencies of all targets.
    median_us: f64,
}

/// A drive, by its SMART attributes, its NVMe log or its SCSI logs.
#[derive(Debug, Serialize, JsonSchema)]
struct DriveDocument {
    /// Its kernel name at the last look.
    name: String,
    /// Its model.
    model: Option<String>,
    /// Its serial number.
    serial: Option<String>,
    /// Something in its counters speaks against it.
    worse: bool,
    /// How often it told its counters.
    looks: u32,
    /// Local time of the first of these looks, RFC 3339.
    first_look: Option<String>,
    /// Of the last one.
    last_look: Option<String>,
    /// Why it told none at the last look.
    unknown: Option<String>,
    /// Its counters.
    counters: Vec<CounterDocument>,
}

/// A counter of a drive.
#[derive(Debug, Serialize, JsonSchema)]
struct CounterDocument {
    /// Its name, such as `pending_sectors`; percentages end in `_percent`, bytes in `_bytes`.
    counter: String,
    /// At the first look that had it.
    first: u64,
    /// At the last one.
    last: u64,
    /// At its highest; of bits, all that were ever set.
    most: u64,
    /// Looks that had it. With 1 it is not known what was before.
    looks: u32,
    /// It speaks against the drive: damage that grew, or an alarm.
    worse: bool,
}

/// A soak beside production. Shares are of the time of each target: 0.05 is 5 %.
#[derive(Debug, Serialize, JsonSchema)]
struct BesideDocument {
    /// The share that it might take at most.
    most: f64,
    /// The share in which its I/Os were in flight.
    taken: f64,
    /// The highest of an interval.
    taken_at_most: f64,
    /// What the governor allowed, in the mean.
    allowed: f64,
    /// How often it judged how production fares.
    looks: u64,
    /// How often it halved the share as its own reads took far longer than usual.
    gave_way_as_slow: u64,
    /// How often it did as the host waited for I/O far more than usual (PSI).
    gave_way_as_pressed: u64,
}

/// What an interval took of storage that has other users.
#[derive(Debug, Serialize, JsonSchema)]
struct MomentBesideDocument {
    /// The share of the time in which its I/Os were in flight.
    taken: f64,
    /// The share that was allowed.
    allowed: f64,
    /// 99th percentile of its reads in the worst look, to 7 %; nothing when no look ended.
    reads_p99_us: Option<f64>,
    /// Most of the time in which somebody on the host waited for I/O, of a look.
    pressed: Option<f64>,
    /// Looks that halved the share.
    gave_way: u64,
}

/// Where it went on.
#[derive(Debug, Serialize, JsonSchema)]
struct InterruptionDocument {
    /// In seconds of load.
    at_s: f64,
    /// Local time, RFC 3339.
    went_on: String,
}

/// The figures of an interval.
#[derive(Debug, Serialize, JsonSchema)]
struct MomentDocument {
    /// Where it begins, in seconds of load.
    at_s: f64,
    /// Its length.
    lasted_s: f64,
    /// Number of its phase, from 1.
    phase: u64,
    /// What each class did.
    classes: Vec<MomentIoDocument>,
    /// Beside production: what it took.
    beside_production: Option<MomentBesideDocument>,
}

/// A class in an interval. Percentiles are known to 13 %.
#[derive(Debug, Serialize, JsonSchema)]
struct MomentIoDocument {
    /// Its name.
    class: String,
    /// Successful I/Os per second.
    iops: f64,
    /// Mean latency.
    latency_mean_us: Option<f64>,
    /// Median.
    latency_p50_us: Option<f64>,
    /// 99th percentile.
    latency_p99_us: Option<f64>,
    /// The longest.
    latency_max_us: Option<f64>,
    /// Failed I/Os.
    errors: u64,
    /// Wrong blocks.
    wrong: u64,
}

/// What a soak beside production may take: `at most 5 % of the time of each target`.
pub fn bound(soak: &Soak) -> Option<String> {
    let share = f64::from(soak.beside?) / f64::from(WHOLE);
    Some(format!("at most {} % of the time of each target", trimmed(100.0 * share)))
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(told: &Told<'_>) -> Result<Vec<u8>, Problem> {
    let Told { record, found, .. } = *told;
    let header = &record.header;
    pretty(&Document {
        schema: SCHEMA,
        run: printable(&header.run_id),
        started: printable(&header.started),
        targets: targets(told),
        told: words::told(told),
        faulty: found.is_faulty(),
        complete: found.complete,
        asked_s: found.soak.time.seconds(),
        lasted_s: found.lasted.seconds(),
        phases: found.phases.iter().map(|one| phase(record, one)).collect(),
        ios: found.ios,
        errors: found.errors,
        verified: found.verifies.then(|| verified(told)),
        longest: found.longest.as_ref().map(|one| delays::long_io(record, one)),
        slow_spells: found.spells.iter().map(delays::spell).collect(),
        outliers: outliers(told),
        drives: found.drives.as_ref().map(drive_documents),
        beside_production: found.beside.as_ref().map(beside),
        changed: found.changed.clone(),
        interruptions: interruptions(found),
        course: found.course.iter().map(moment).collect(),
    })
}

/// The page as a file.
///
/// # Errors
/// As for [`json()`].
pub fn page(told: &Told<'_>) -> Result<OutputFile, Problem> {
    Ok(OutputFile::new("_report.html", page::page(told)?))
}

/// The output of a format that a soak has of its own; the others are those of any run.
///
/// # Errors
/// Those of the output.
pub fn file(format: Format, told: &Told<'_>) -> Result<Option<OutputFile>, Problem> {
    Ok(Some(match format {
        Format::Text => OutputFile::new("_report.txt", text(told, Style::default(), &[])),
        Format::Json => OutputFile::new("_soak.json", json(told)?),
        Format::Html => page(told)?,
        _ => return Ok(None),
    }))
}

/// The targets: of several those first that failed or are slowest.
fn targets(told: &Told<'_>) -> Vec<TargetDocument> {
    let mut all: Vec<_> = (0..told.record.header.targets.len()).map(|number| target(told, number)).collect();
    let mean = |target: &TargetDocument| target.latency_mean_us.unwrap_or(0.0);
    all.sort_by(|one, other| other.errors.cmp(&one.errors).then(mean(other).total_cmp(&mean(one))));
    all
}

fn target(told: &Told<'_>, number: usize) -> TargetDocument {
    let counts = told.found.targets.as_ref();
    let of = |counts: &[u64]| counts.get(number).copied();
    let ios = counts.and_then(|counts| of(&counts.ops));
    let sum_ns = counts.and_then(|counts| of(&counts.latency_sum_ns));
    let mean = |(ios, sum_ns): (u64, u64)| (ios > 0).then(|| us_from_ns(to_f64(sum_ns)) / to_f64(ios));
    TargetDocument {
        path: words::path(told.record, number),
        slower: told.found.outliers.iter().any(|outlier| outlier.target == number),
        size_bytes: told.record.header.targets.get(number).map_or(0, |target| target.size_bytes),
        ios,
        errors: counts.and_then(|counts| of(&counts.errors)),
        latency_mean_us: ios.zip(sum_ns).and_then(mean),
        latency_max_us: counts.and_then(|counts| of(&counts.longest_ns)).map(|ns| us_from_ns(to_f64(ns))),
    }
}

fn phase(record: &Record, found: &PhaseFound) -> PhaseDocument {
    PhaseDocument {
        phase: found.number.saturating_add(1),
        load: words::load_of(record, found),
        visits: found.visits,
        lasted_s: found.lasted.seconds(),
        classes: found.classes.iter().map(|(class, io)| io_document(class.name(), io)).collect(),
        nodes: found.nodes.iter().map(PointNode::from).collect(),
    }
}

fn io_document(class: &str, io: &PhaseIo) -> IoDocument {
    IoDocument {
        class: class.to_owned(),
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

fn verified(told: &Told<'_>) -> VerifiedDocument {
    let found = &told.found.verified;
    let FaultCounts { corrupt, torn, misdirected, stale, ahead, zeroed, foreign, unreadable } = found.faults;
    let lost_or_stale = stale;
    VerifiedDocument {
        written: found.written,
        checked: found.checked,
        faults: FaultDocument {
            corrupt,
            torn,
            misdirected,
            lost_or_stale,
            ahead,
            zeroed,
            foreign,
            unreadable,
        },
        rarer_than_one_of: told.found.excluded_one_of(),
        findings: found.findings.iter().map(|one| finding(told, one)).collect(),
    }
}

fn finding(told: &Told<'_>, found: &Finding) -> FindingDocument {
    FindingDocument {
        at_s: Nanos(found.at_ns).seconds(),
        target: words::path(told.record, usize::from(found.target)),
        offset: found.offset,
        what: what(&told.record.header.targets, found),
        excerpt_at: found.excerpt_at,
        found: found.found_hex.to_string(),
        expected: found.expected_hex.to_string(),
    }
}

fn outliers(told: &Told<'_>) -> Vec<OutlierDocument> {
    let one = |outlier: &rigel_core::uses::soak::Outlier| OutlierDocument {
        target: words::path(told.record, outlier.target),
        class: outlier.class.name().to_owned(),
        latency_mean_us: outlier.mean_us,
        median_us: outlier.median_us,
    };
    told.found.outliers.iter().map(one).collect()
}

fn drive_documents(drives: &Drives) -> Vec<DriveDocument> {
    let told = drives.told.iter().map(|drive| DriveDocument {
        name: printable(&drive.name),
        model: drive.model.as_deref().map(printable),
        serial: drive.serial.as_deref().map(printable),
        worse: drive.is_worse(),
        looks: drive.looks,
        first_look: drive.seen.first().map(|at| printable(at)),
        last_look: drive.seen.last().map(|at| printable(at)),
        unknown: drive.lost.as_deref().map(printable),
        counters: drive.changes.iter().map(counter).collect(),
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
        counters: Vec::new(),
    });
    told.chain(silent).collect()
}

fn counter(change: &Change) -> CounterDocument {
    let Change { counter, first, last, most, looks, worse } = *change;
    CounterDocument { counter: counter.name().to_owned(), first, last, most, looks, worse }
}

const fn beside(found: &Beside) -> BesideDocument {
    BesideDocument {
        most: found.most,
        taken: found.taken,
        taken_at_most: found.taken_at_most,
        allowed: found.allowed,
        looks: found.looks,
        gave_way_as_slow: found.slow,
        gave_way_as_pressed: found.pressed,
    }
}

fn interruptions(found: &Soaked) -> Vec<InterruptionDocument> {
    let one = |one: &rigel_core::uses::soak::Interruption| InterruptionDocument {
        at_s: one.run.seconds(),
        went_on: printable(&one.at),
    };
    found.interruptions.iter().map(one).collect()
}

fn moment(moment: &Moment) -> MomentDocument {
    let class = |(class, io): (&rigel_core::load::class::Class, &rigel_core::uses::soak::MomentIo)| {
        MomentIoDocument {
            class: class.name().to_owned(),
            iops: io.iops,
            latency_mean_us: io.mean_us,
            latency_p50_us: io.p50_us,
            latency_p99_us: io.p99_us,
            latency_max_us: io.max_us,
            errors: io.errors,
            wrong: io.wrong,
        }
    };
    MomentDocument {
        at_s: Nanos(moment.began_ns).seconds(),
        lasted_s: Nanos(moment.measured_ns).seconds(),
        phase: moment.phase.saturating_add(1),
        classes: moment.ios.iter().map(class).collect(),
        beside_production: moment.beside.map(|one| MomentBesideDocument {
            taken: one.taken,
            allowed: one.allowed,
            reads_p99_us: one.p99_us,
            pressed: one.pressed,
            gave_way: one.gave_way,
        }),
    }
}
