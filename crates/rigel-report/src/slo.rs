//! The answer of a search for a rate: one JSON document, `rigel.slo/1`, and the sentences and the table for people.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could misread needs a
//! new one. Must not choose a figure; [`rigel_core::judge::findings`] does.

mod lightest;
mod open;
mod scale;
mod text;
mod unsure;

pub(crate) use open::{why, word};
pub(crate) use scale::{ScaleRounding, digits as scale_digits, requirement};
pub use text::unkept;
pub(crate) use text::{blocks, gates, reached, seen, sureness};
pub(crate) use unsure::cause;

use crate::json_text::{self, pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{
    LatencyUs, RequiredRate, SloAnswer, SloFindings, SloPoint, SloRate, SloRole,
};
use rigel_core::judge::flags::Flag;
use rigel_core::load::slo::SloBound;
use rigel_core::stats::share::{BoundVerdict, Ratio};
use rigel_core::stats::{Estimate, EstimateForm};
use rigel_core::units::{to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.slo/1";

/// Up to which rate latency limits are met. Rates are I/Os per second that arrive, latencies count from the time at which an I/O should
/// have begun, in microseconds; `lo95` and `hi95` are the ends of 95 % intervals.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.slo/1")]
pub(crate) struct Document<'a> {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the run.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// The targets, as they were named.
    targets: Vec<String>,
    /// The limits; all must be met.
    bounds: Vec<SloBoundDocument>,
    /// The result.
    answer: Answer,
    /// The same in sentences.
    told: String,
    /// The rate at which one of the limits is just reached; null unless `answer` is `rate`.
    rate: Option<Rate<'a>>,
    /// The same as a scale of the load, if all phases of a load were scaled together; null otherwise.
    scale: Option<Scale>,
    /// If no rate meets the limits, the lowest rate tried; if all do, the highest; null otherwise.
    tried_rate: Option<u32>,
    /// Every rate that was visited after the search, ascending.
    points: Vec<Point<'a>>,
    /// The results for the required rates.
    required: Vec<RequiredRateDocument>,
    /// Highest share of writes of a class in per cent.
    write_percent: u8,
    /// Whether the run was measured completely.
    complete: bool,
    /// All doubts about these figures, each flag once.
    flags: Vec<Flag>,
    /// Whether the figures may be used, what casts doubt on them, and what to do.
    verdict: Conclusion,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// There is a rate beyond which the limits are not met.
    Rate,
    /// No rate meets them.
    Nowhere,
    /// Every rate that was tried meets them.
    Everywhere,
    /// It was not measured.
    Unfinished,
    /// Only required rates were requested: see `required`.
    NotSearched,
}

/// A bound.
#[derive(Debug, Serialize, JsonSchema)]
struct SloBoundDocument {
    /// As written, `p99 < 1 ms`.
    bound: String,
    /// `mean`, or a percentile such as `p99`.
    judged: String,
    /// The allowed latency, in microseconds.
    limit_us: f64,
    /// The share of the I/Os that may take longer; null for the mean.
    allowed_share: Option<f64>,
}

/// The highest rate at which the limits are met.
#[derive(Debug, Serialize, JsonSchema)]
struct Rate<'a> {
    #[serde(flatten)]
    rate: &'a SloRate,
    /// The confidence of the bracket from `lower` to `upper`.
    confidence: f64,
    /// The limit that is reached first; null without an estimate.
    decided_by: Option<String>,
}

/// The scale at which the load of a file still meets the limits in every phase. All rates are then those of the first decisive phase.
#[derive(Debug, Serialize, JsonSchema)]
struct Scale {
    /// The limits are met up to this scale; null if that is not known of any scale. With 97.5 % it is not above the true scale.
    lower: Option<f64>,
    /// The best single value; null when the limits are met, or broken, at every scale that was visited.
    estimate: Option<f64>,
    /// From this scale on, they are not met; null if that is not known of any scale. With 97.5 % it is not below the true scale.
    upper: Option<f64>,
    /// How the load differs from production, in sentences.
    what_if: Vec<String>,
    /// I/Os per second at scale 1, in the first decisive phase.
    reference_rate: f64,
    /// The phases that decide, by their number in the load, from 0; only they were searched.
    deciding_phases: Vec<u32>,
    /// Phases of the load.
    phases: u32,
    /// Phases that exceed each of those in some respect, and were not searched.
    phases_left_out: u32,
    /// The phase that breaks a limit first; null without an estimate.
    decided_in: Option<u32>,
}

impl Scale {
    fn of(found: &SloFindings) -> Option<Self> {
        let scale = found.scale.as_ref()?;
        let rate = found.rate();
        let times = |rate: Option<f64>| rate.map(|rate| scale.of(rate));
        Some(Self {
            what_if: scale::what_if(scale),
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
#[derive(Debug, Serialize, JsonSchema)]
struct Point<'a> {
    /// I/Os that arrive per second; if phases were scaled together, in the first decisive phase at the same scale.
    rate: u32,
    /// The scale of the load; null if no phases were scaled together.
    scale: Option<f64>,
    /// The phase that was visited, from 0; null where no phases were scaled together.
    phase: Option<u32>,
    /// Relative to the rate that was found; null if there is none.
    share_of_rate: Option<f64>,
    /// Why it was visited: `ladder` (around the rate), `share` (of the rate, for the latency there) or `required`.
    role: &'static str,
    /// The result for each limit, in their order; null where nothing was observed.
    bounds: Vec<Option<BoundRatioDocument>>,
    /// For each limit, the latency that it applies to, in microseconds. Its interval is above the limit where that is certainly not met.
    judged_us: &'a [Option<Estimate>],
    /// The latencies there.
    latency_us: Option<LatencyUs>,
}

/// The observation for a limit: the share of the I/Os that took longer, or the mean latency in microseconds.
#[derive(Debug, Serialize, JsonSchema)]
struct BoundRatioDocument {
    /// The value; its upper end is null if a single visit does not show it.
    #[serde(flatten)]
    figure: EstimateForm,
    /// Which part of it is allowed.
    allowed: f64,
    /// Whether the limit is met.
    kept: BoundVerdict,
}

/// A required rate.
#[derive(Debug, Serialize, JsonSchema)]
struct RequiredRateDocument {
    /// As written, `p99 < 2 ms @ 12000`.
    requirement: String,
    /// I/Os that arrive per second.
    rate: u32,
    /// Whether it is kept, as measured.
    kept: BoundVerdict,
    /// Why it is undecided; with `no`, why the storage may not be the cause: `not_visited`, `overload`, `busy_host`, `late` (Rigel
    /// began I/Os late), `few_ios` (or visits), `at_bound`, `unusable` (the numbers are not those of the storage: see the flags). `rates_around`: its own visits do not decide, but the bracket, which is based on the
    /// rates around it, does. `rests`: it is met in short visits, and the load over the whole time was lower. Null otherwise.
    cause: Option<&'static str>,
    /// The observation there; null when there is none.
    seen: Option<BoundRatioDocument>,
}

impl BoundRatioDocument {
    fn of(bound: &SloBound, ratio: &Ratio, kept: BoundVerdict) -> Self {
        let allowed = bound.judged.allowed().unwrap_or_else(|| us_from_ns(to_f64(bound.limit.0)));
        Self { figure: EstimateForm::from(*ratio).scaled(allowed), allowed, kept }
    }
}

impl SloBoundDocument {
    fn of(bound: &SloBound) -> Self {
        Self {
            bound: bound.to_string(),
            judged: bound.judged.to_string(),
            limit_us: us_from_ns(to_f64(bound.limit.0)),
            allowed_share: bound.judged.allowed(),
        }
    }
}

impl<'a> Document<'a> {
    /// The document of what a search found.
    pub(crate) fn new(view: &'a View<'_>, found: &'a SloFindings) -> Self {
        let header = &view.record.header;
        let (answer, tried_rate) = match found.answer {
            SloAnswer::Rate(_) => (Answer::Rate, None),
            SloAnswer::Nowhere(rate, _) => (Answer::Nowhere, Some(rate)),
            SloAnswer::Everywhere(rate, _) => (Answer::Everywhere, Some(rate)),
            SloAnswer::Unfinished => (Answer::Unfinished, None),
            SloAnswer::NotSearched => (Answer::NotSearched, None),
        };
        let verdict = Conclusion::of(view);
        let told = gates(found).into_iter().chain([verdict.reached.clone()]);
        let told: Vec<String> = told.filter(|text| !text.is_empty()).collect();
        Self {
            schema: SCHEMA,
            run: text(&header.run_id),
            started: text(&header.started),
            targets: view.targets().into_iter().map(text).collect(),
            bounds: found.bounds.iter().map(SloBoundDocument::of).collect(),
            answer,
            told: told.join(" "),
            rate: found.rate().map(|rate| Rate {
                rate,
                confidence: 0.95,
                decided_by: rate
                    .decided_by
                    .and_then(|place| found.bounds.get(place))
                    .map(ToString::to_string),
            }),
            scale: Scale::of(found),
            tried_rate,
            points: found.points.iter().map(|point| point_of(found, point)).collect(),
            required: found.required.iter().map(|one| required_of(found, one)).collect(),
            write_percent: header.request.write_percent().get(),
            complete: view.record.complete(),
            flags: json_text::flags(&view.findings.flags_once()),
            verdict,
        }
    }

    /// The document as text, pretty-printed.
    ///
    /// # Errors
    /// Only when a library refuses to write to memory, which is a bug.
    pub(crate) fn json(&self) -> Result<Vec<u8>, Problem> {
        pretty(self)
    }
}

fn point_of<'a>(found: &SloFindings, point: &'a SloPoint) -> Point<'a> {
    let seen = |((bound, ratio), kept): ((&SloBound, &Option<Ratio>), &BoundVerdict)| {
        ratio.as_ref().map(|ratio| BoundRatioDocument::of(bound, ratio, *kept))
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
        },
        bounds: found.bounds.iter().zip(&point.ratios).zip(&point.kept).map(seen).collect(),
        judged_us: &point.judged_us,
        latency_us: point.latency_us,
    }
}

fn required_of(found: &SloFindings, one: &RequiredRate) -> RequiredRateDocument {
    RequiredRateDocument {
        requirement: requirement(found.scale.as_ref(), &one.requirement),
        rate: one.requirement.rate,
        kept: one.kept,
        cause: one.open.map(open::name),
        seen: one
            .ratio
            .as_ref()
            .map(|ratio| BoundRatioDocument::of(&one.requirement.bound, ratio, one.kept_there())),
    }
}

/// The JSON Schema of the document, pretty-printed.
pub fn schema() -> String {
    schema_of::<Document<'_>>()
}
