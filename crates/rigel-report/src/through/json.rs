//! The JSON document. The types here are the interface. Must not choose a figure.

use super::{ThroughReport, words};
use crate::json_text::{pretty, schema_of, text as printable};
use crate::judgement::Cause;
use rigel_core::error::Problem;
use rigel_core::stats::Estimate;
use rigel_core::units::{Nanos, to_f64, us_from_ns};
use rigel_uses::through::{Baseline, DemandVerdict, Level, Rebuild, ThroughFindings};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.through/1";

/// The effect of a failure on a constant load. Latencies are in microseconds, times in seconds of the run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.through/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the run.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// The targets.
    targets: Vec<String>,
    /// The answer in sentences.
    told: Vec<String>,
    /// Doubts about the numbers, the most serious first; not the effects of the failure.
    warnings: Vec<Cause>,
    /// It lasted as long as intended.
    complete: bool,
    /// The intended rate, I/Os per second.
    rate_asked: u32,
    /// How long the load lasted.
    lasted_s: f64,
    /// Whether the load before the failure is known: `known`, `too_short` or `not_held`.
    baseline: &'static str,
    /// The first sign of trouble; null when nothing happened.
    first_sign_s: Option<f64>,
    /// From there until rate and p99 were back; null when they never were.
    back_after_s: Option<f64>,
    /// Until the rate was.
    rate_back_after_s: Option<f64>,
    /// Until the p99 was.
    p99_back_after_s: Option<f64>,
    /// The longest time without any completion.
    standstill: Option<StandstillDocument>,
    /// The longest I/O that completed.
    longest_us: f64,
    /// Failed I/Os.
    errors: u64,
    /// Before, during and after, as far as they exist.
    levels: Vec<LevelDocument>,
    /// What people and the host marked.
    marks: Vec<MarkDocument>,
    /// Trouble with the load, and when it happened.
    troubles: Vec<TroubleDocument>,
    /// Rebuilds of arrays below the targets.
    rebuilds: Vec<RebuildDocument>,
    /// The demand.
    limits: Vec<DemandDocument>,
    /// Changes of the targets and of the I/O limits meanwhile.
    changed: Vec<String>,
    /// The figures of every interval.
    course: Vec<MomentDocument>,
}

/// A standstill.
#[derive(Debug, Serialize, JsonSchema)]
struct StandstillDocument {
    /// When it began.
    at_s: f64,
    /// How long it lasted.
    lasted_s: f64,
    /// At least.
    least_s: f64,
    /// At most.
    most_s: f64,
    /// It still continued when the load ended.
    open: bool,
}

/// A part of the run.
#[derive(Debug, Serialize, JsonSchema)]
struct LevelDocument {
    /// `before`, `during` or `after`.
    span: &'static str,
    /// When it began.
    from_s: f64,
    /// When it ended.
    to_s: f64,
    /// I/Os per second.
    iops: Estimate,
    /// Mean latency.
    latency_mean_us: Option<Estimate>,
    /// 99th percentile.
    latency_p99_us: Option<Estimate>,
    /// The longest I/O.
    latency_max_us: f64,
    /// Successful I/Os.
    ios: u64,
    /// Failed I/Os.
    errors: u64,
    /// The share that took longer than the demanded latency, or failed; null without such a demand.
    share_above: Option<f64>,
}

/// A mark.
#[derive(Debug, Serialize, JsonSchema)]
struct MarkDocument {
    /// When.
    at_s: f64,
    /// Local time, RFC 3339.
    at: String,
    /// `you` or `host`.
    who: &'static str,
    /// The event.
    what: String,
}

/// Something wrong with the load.
#[derive(Debug, Serialize, JsonSchema)]
struct TroubleDocument {
    /// When it began.
    at_s: f64,
    /// How long it lasted.
    lasted_s: f64,
    /// `standstill`, `failed I/Os`, `slow` or `low rate`.
    kind: &'static str,
    /// I/Os that failed in it.
    errors: u64,
}

/// A rebuild of an array.
#[derive(Debug, Serialize, JsonSchema)]
struct RebuildDocument {
    /// The array.
    device: String,
    /// What it does; null where it continued already when the load began.
    action: Option<String>,
    /// When it was first seen.
    at_s: f64,
    /// How long it lasted; null where it had not ended.
    lasted_s: Option<f64>,
    /// The completed share when it was last seen.
    share: Option<f64>,
    /// Bytes per second.
    bytes_per_s: Option<Estimate>,
    /// The rate of the load over that before.
    rate_ratio: Option<Estimate>,
    /// Its mean latency over that before.
    latency_ratio: Option<Estimate>,
}

/// A demand.
#[derive(Debug, Serialize, JsonSchema)]
struct DemandDocument {
    /// The demand.
    limit: String,
    /// `yes`, `no` or `undecided`.
    kept: &'static str,
    /// Why it is undecided.
    reason: Option<&'static str>,
}

/// An interval.
#[derive(Debug, Serialize, JsonSchema)]
struct MomentDocument {
    /// When it began.
    at_s: f64,
    /// Successful I/Os per second.
    iops: f64,
    /// I/Os that were due in it, per second.
    arrived: Option<u64>,
    /// 99th percentile; null when nothing completed.
    latency_p99_us: Option<f64>,
    /// The longest.
    latency_max_us: Option<f64>,
    /// Failed I/Os.
    errors: u64,
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(told: &ThroughReport<'_>) -> Result<Vec<u8>, Problem> {
    let (header, found) = (&told.record.header, told.found);
    let seconds = |time: Option<Nanos>| time.map(Nanos::seconds);
    pretty(&Document {
        schema: SCHEMA,
        run: printable(&header.run_id),
        started: printable(&header.started),
        targets: header.targets.iter().map(|target| printable(&target.path)).collect(),
        told: words::sentences(told),
        warnings: told.causes(),
        complete: found.complete,
        rate_asked: found.asked,
        lasted_s: Nanos(found.lasted.1.saturating_sub(found.lasted.0)).seconds(),
        baseline: match found.trouble.baseline {
            Baseline::Known { .. } => "known",
            Baseline::TooShort { .. } => "too_short",
            Baseline::NotHeld { .. } => "not_held",
        },
        first_sign_s: found.trouble.sign.map(|sign| at(sign.at_ns)),
        back_after_s: seconds(found.back_after()),
        rate_back_after_s: seconds(found.trouble.rate_back),
        p99_back_after_s: seconds(found.trouble.p99_back),
        standstill: found.standstill.map(|still| StandstillDocument {
            at_s: at(still.began_ns),
            lasted_s: still.length().seconds(),
            least_s: still.least.seconds(),
            most_s: still.most.seconds(),
            open: still.is_open,
        }),
        longest_us: us(found.longest.0),
        errors: found.errors,
        levels: found.levels.iter().map(level).collect(),
        marks: marks(found),
        troubles: troubles(found),
        rebuilds: found.rebuilds.iter().map(rebuild).collect(),
        limits: limits(found),
        changed: found.changed.clone(),
        course: course(found),
    })
}

fn us(ns: u64) -> f64 {
    us_from_ns(to_f64(ns))
}

fn at(run_ns: u64) -> f64 {
    Nanos(run_ns).seconds()
}

fn level(one: &Level) -> LevelDocument {
    LevelDocument {
        span: one.span.name(),
        from_s: at(one.from_ns),
        to_s: at(one.to_ns),
        iops: one.rate,
        latency_mean_us: one.mean_us,
        latency_p99_us: one.p99_us,
        latency_max_us: us(one.longest.0),
        ios: one.ios,
        errors: one.errors,
        share_above: one.above,
    }
}

fn marks(found: &ThroughFindings) -> Vec<MarkDocument> {
    let one = |mark: &rigel_core::record::Mark| MarkDocument {
        at_s: at(mark.run_ns),
        at: printable(&mark.at),
        who: words::who(mark),
        what: mark.marked.words(),
    };
    found.marks.iter().map(one).collect()
}

fn troubles(found: &ThroughFindings) -> Vec<TroubleDocument> {
    let one = |trouble: &rigel_uses::through::Trouble| TroubleDocument {
        at_s: at(trouble.began_ns),
        lasted_s: Nanos(trouble.ended_ns.saturating_sub(trouble.began_ns)).seconds(),
        kind: trouble.kind.name(),
        errors: trouble.errors,
    };
    found.trouble.troubles.iter().map(one).collect()
}

fn rebuild(one: &Rebuild) -> RebuildDocument {
    RebuildDocument {
        device: printable(&one.device),
        action: one.action.as_deref().map(printable),
        at_s: at(one.began_ns),
        lasted_s: one.ended_ns.map(|ended_ns| Nanos(ended_ns.saturating_sub(one.began_ns)).seconds()),
        share: one.share,
        bytes_per_s: one.rate,
        rate_ratio: one.cost.map(|cost| cost.rate),
        latency_ratio: one.cost.and_then(|cost| cost.latency),
    }
}

fn limits(found: &ThroughFindings) -> Vec<DemandDocument> {
    let one = |one: &rigel_uses::through::DemandOutcome| {
        let (kept, reason) = match one.verdict {
            DemandVerdict::Kept => ("yes", None),
            DemandVerdict::Missed => ("no", None),
            DemandVerdict::Undecided(why) => ("undecided", Some(why)),
        };
        DemandDocument { limit: one.demand.to_string(), kept, reason }
    };
    found.demands.iter().map(one).collect()
}

fn course(found: &ThroughFindings) -> Vec<MomentDocument> {
    let one = |figures: &rigel_uses::through::Figures| MomentDocument {
        at_s: at(figures.began_ns),
        iops: figures.rate(),
        arrived: figures.arrived,
        latency_p99_us: figures.p99_ns().map(us),
        latency_max_us: Some(figures.longest_ns).filter(|&ns| ns > 0).map(us),
        errors: figures.errors,
    };
    found.course.iter().map(one).collect()
}
