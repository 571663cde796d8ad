//! The answer of a search for a rate: one JSON document, `rigel.slo/1`, and the sentences and the table for people.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could misread needs a
//! new one. Must not choose a figure; [`rigel_core::judge::findings`] does.

mod open;
mod scale;
mod text;
mod unsure;

pub(crate) use open::{why, word};
pub(crate) use scale::{To, digits as scale_digits, requirement};
pub use text::unkept;
pub(crate) use text::{gates, heads, meaning, reached, rows, seen, sentences, sureness, table};
pub(crate) use unsure::cause;

use crate::json::{self, pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{LatencyUs, SloAnswer, SloFindings, SloPoint, SloRole};
use rigel_core::judge::flags::Flag;
use rigel_core::load::slo::SloBound;
use rigel_core::stats::Estimate;
use rigel_core::stats::share::{Kept, Ratio};
use rigel_core::units::{to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.slo/1";

/// Up to which rate bounds on the latency are kept. Rates are I/Os per second that arrive, latencies count from the time at which an I/O should
/// have begun, in microseconds; `lo95` and `hi95` are the ends of 95 % intervals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(title = "rigel.slo/1")]
pub struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// Name that all files of the run begin with.
    pub run: String,
    /// Local time of the start, RFC 3339.
    pub started: String,
    /// The targets, as they were named.
    pub targets: Vec<String>,
    /// The bounds; all have to be kept.
    pub bounds: Vec<Bound>,
    /// What came out.
    pub answer: Answer,
    /// The same in sentences.
    pub told: String,
    /// The rate at which one of the bounds is just reached; null unless `answer` is `rate`.
    pub rate: Option<Rate>,
    /// The same in times of the load, where all phases of a load were scaled together; null otherwise.
    pub scale: Option<Scale>,
    /// Where no rate keeps the bounds the lowest that was tried, where all do the highest; null otherwise.
    pub tried_rate: Option<u32>,
    /// Every rate that was visited after the search, ascending.
    pub points: Vec<Point>,
    /// What became of the required rates.
    pub required: Vec<Required>,
    /// Highest share of writes of a class in per cent.
    pub write_percent: u8,
    /// Whether it was measured to its end.
    pub complete: bool,
    /// What speaks against any of it, each flag once.
    pub flags: Vec<Flag>,
    /// Whether the figures may be used, what speaks against them, and what to do.
    pub verdict: Conclusion,
}

/// What came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// There is a rate beyond which the bounds are not kept.
    Rate,
    /// No rate keeps them.
    Nowhere,
    /// Every rate that was tried keeps them.
    Everywhere,
    /// It was not measured.
    Unfinished,
}

/// A bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bound {
    /// As it is written, `p99 < 1 ms`.
    pub bound: String,
    /// `mean`, or a percentile such as `p99`.
    pub judged: String,
    /// The latency that is allowed, in microseconds.
    pub limit_us: f64,
    /// The share of the I/Os that may take longer; null for the mean.
    pub allowed_share: Option<f64>,
}

/// The highest rate at which the bounds are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rate {
    /// The bounds are kept up to here; null when that is known of no rate. With 97.5 % it is not above the true rate.
    pub lower: Option<f64>,
    /// The best single value; null when a bound is kept, or broken, at every rate that was visited.
    pub estimate: Option<f64>,
    /// From here on one of them is not kept; null when that is known of no rate. With 97.5 % it is not below the true rate.
    pub upper: Option<f64>,
    /// The confidence of the bracket from `lower` to `upper`.
    pub confidence: f64,
    /// The bound that is reached first; null without an estimate.
    pub decided_by: Option<String>,
    /// The tool could not begin the I/Os in time beyond it, so that the storage may do more.
    pub limited_by_tool: bool,
}

/// How many times the load of a file keeps the bounds in every phase. All rates are then those of the first phase that decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scale {
    /// So many times the load keep the bounds; null when that is known of no scale. With 97.5 % it is not above the true scale.
    pub lower: Option<f64>,
    /// The best single value; null when a bound is kept, or broken, at every scale that was visited.
    pub estimate: Option<f64>,
    /// So many times the load do not; null when that is known of no scale. With 97.5 % it is not below the true scale.
    pub upper: Option<f64>,
    /// I/Os per second of one time the load, in the first phase that decides.
    pub reference_rate: f64,
    /// The phases that decide, by their number in the load, from 0; only they were searched.
    pub deciding_phases: Vec<u32>,
    /// Phases of the load.
    pub phases: u32,
    /// Phases that have more of something than each of those, and were not searched.
    pub phases_left_out: u32,
    /// The phase that is the first to break a bound; null without an estimate.
    pub decided_in: Option<u32>,
}

impl Scale {
    fn of(found: &SloFindings) -> Option<Self> {
        let scale = found.scale.as_ref()?;
        let rate = found.rate();
        let times = |rate: Option<f64>| rate.map(|rate| scale.of(rate));
        Some(Self {
            lower: times(rate.and_then(|rate| rate.lower)),
            estimate: times(rate.and_then(|rate| rate.at)),
            upper: times(rate.and_then(|rate| rate.upper)),
            reference_rate: scale.reference,
            deciding_phases: scale.scaled.phases.clone(),
            phases: scale.scaled.of,
            phases_left_out: scale.scaled.left_out,
            decided_in: rate.and_then(|rate| rate.decided_in),
        })
    }
}

/// A rate that was visited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// I/Os that arrive per second; where phases were scaled together, in the first that decides at the same scale.
    pub rate: u32,
    /// So many times the load; null where no phases were scaled together.
    pub scale: Option<f64>,
    /// The phase that was visited, from 0; null where no phases were scaled together.
    pub phase: Option<u32>,
    /// Of the rate that was found; null when there is none.
    pub share_of_rate: Option<f64>,
    /// Why it was visited: `ladder` (around the rate), `share` (of the rate, for the latency there) or `required`.
    pub role: String,
    /// What came of each bound, in their order; null where nothing was seen.
    pub bounds: Vec<Option<Seen>>,
    /// Of each bound, the latency that it is about, in microseconds. Its interval is above the bound where that is surely not kept.
    pub judged_us: Vec<Option<Figure>>,
    /// The latencies there.
    pub latency_us: Option<Latency>,
}

/// What was seen of a bound: the share of the I/Os that took longer, or the mean latency in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub lo95: f64,
    /// Upper end; null when a single visit tells nothing of it.
    pub hi95: Option<f64>,
    /// What of it is allowed.
    pub allowed: f64,
    /// Whether the bound is kept.
    pub kept: Verdict,
    /// Visits behind it.
    pub visits: u64,
}

/// Whether a bound is kept, at 95 %.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Surely.
    Yes,
    /// Surely not.
    No,
    /// The visits do not tell.
    Undecided,
}

/// Latencies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// Arithmetic mean.
    pub mean: Figure,
    /// Median.
    pub p50: Figure,
    /// 99th percentile.
    pub p99: Figure,
    /// 99.9th percentile.
    pub p99_9: Figure,
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Estimate")]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Lower end of its 95 % interval; null when there is none.
    pub lo95: Option<f64>,
    /// Upper end.
    pub hi95: Option<f64>,
}

/// A required rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Required {
    /// As it is written, `p99 < 2 ms @ 12000`.
    pub requirement: String,
    /// I/Os that arrive per second.
    pub rate: u32,
    /// Whether it is kept, as measured.
    pub kept: Verdict,
    /// What leaves it undecided; beside `no`, what says that this may not be the storage: `not_visited`, `overload`, `busy_host`, `late` (Rigel
    /// began I/Os late), `few_ios` (or visits), `at_bound`. `rates_around`: its own visits leave it open, and the bracket, which rests on the
    /// rates around it, decided. Null otherwise.
    pub cause: Option<String>,
    /// What was seen there; null when nothing was.
    pub seen: Option<Seen>,
}

impl From<Estimate> for Figure {
    fn from(found: Estimate) -> Self {
        Self { value: found.value, lo95: found.lo95(), hi95: found.hi95() }
    }
}

impl From<Kept> for Verdict {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Yes => Self::Yes,
            Kept::No => Self::No,
            Kept::Undecided => Self::Undecided,
        }
    }
}

impl Seen {
    fn of(bound: &SloBound, ratio: &Ratio, kept: Kept) -> Self {
        let allowed = bound.judged.allowed().unwrap_or_else(|| us_from_ns(to_f64(bound.limit.0)));
        Self {
            value: ratio.value * allowed,
            lo95: ratio.lo95 * allowed,
            hi95: ratio.hi95.map(|hi95| hi95 * allowed),
            allowed,
            kept: kept.into(),
            visits: ratio.visits as u64,
        }
    }
}

impl From<&LatencyUs> for Latency {
    fn from(us: &LatencyUs) -> Self {
        Self { mean: us.mean.into(), p50: us.p50.into(), p99: us.p99.into(), p99_9: us.p99_9.into() }
    }
}

impl Bound {
    fn of(bound: &SloBound) -> Self {
        Self {
            bound: bound.to_string(),
            judged: bound.judged.to_string(),
            limit_us: us_from_ns(to_f64(bound.limit.0)),
            allowed_share: bound.judged.allowed(),
        }
    }
}

impl Document {
    /// The document of a run; `None` when it searched no rate.
    pub fn of(view: &View<'_>) -> Option<Self> {
        let found = view.findings.slo.as_ref()?;
        let header = &view.record.header;
        let (answer, tried_rate) = match found.answer {
            SloAnswer::Rate(_) => (Answer::Rate, None),
            SloAnswer::Nowhere(rate, _) => (Answer::Nowhere, Some(rate)),
            SloAnswer::Everywhere(rate, _) => (Answer::Everywhere, Some(rate)),
            SloAnswer::Unfinished => (Answer::Unfinished, None),
        };
        Some(Self {
            schema: SCHEMA.to_owned(),
            run: text(&header.run_id),
            started: text(&header.started),
            targets: view.targets().into_iter().map(text).collect(),
            bounds: found.bounds.iter().map(Bound::of).collect(),
            answer,
            told: sentences(found),
            rate: found.rate().map(|rate| Rate {
                lower: rate.lower,
                estimate: rate.at,
                upper: rate.upper,
                confidence: 0.95,
                decided_by: rate
                    .decided_by
                    .and_then(|place| found.bounds.get(place))
                    .map(ToString::to_string),
                limited_by_tool: rate.is_by_tool,
            }),
            scale: Scale::of(found),
            tried_rate,
            points: found.points.iter().map(|point| point_of(found, point)).collect(),
            required: found.required.iter().map(|one| required_of(found, one)).collect(),
            write_percent: header.request.write_percent().get(),
            complete: view.record.complete(),
            flags: json::flags(&view.findings.flags_once()),
            verdict: Conclusion::of(view),
        })
    }

    /// The document as text, pretty-printed.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub fn json(&self) -> Result<Vec<u8>, Problem> {
        pretty(self)
    }
}

fn point_of(found: &SloFindings, point: &SloPoint) -> Point {
    let seen = |((bound, ratio), kept): ((&SloBound, &Option<Ratio>), &Kept)| {
        ratio.as_ref().map(|ratio| Seen::of(bound, ratio, *kept))
    };
    Point {
        rate: point.rate,
        scale: found.scale.as_ref().map(|scale| scale.of(f64::from(point.rate))),
        phase: point.phase,
        share_of_rate: found.share(point),
        role: match point.role {
            SloRole::Ladder => "ladder",
            SloRole::Share(_) => "share",
            SloRole::Required => "required",
        }
        .to_owned(),
        bounds: found.bounds.iter().zip(&point.ratios).zip(&point.kept).map(seen).collect(),
        judged_us: point.judged_us.iter().map(|one| one.map(Figure::from)).collect(),
        latency_us: point.latency_us.as_ref().map(Latency::from),
    }
}

fn required_of(found: &SloFindings, one: &rigel_core::judge::findings::RequiredFound) -> Required {
    Required {
        requirement: requirement(found.scale.as_ref(), &one.requirement),
        rate: one.requirement.rate,
        kept: one.kept.into(),
        cause: one.open.map(|open| open::name(open).to_owned()),
        seen: one.ratio.as_ref().map(|ratio| Seen::of(&one.requirement.bound, ratio, one.kept_there())),
    }
}

/// The JSON Schema of the document, pretty-printed.
pub fn schema() -> String {
    schema_of::<Document>()
}
