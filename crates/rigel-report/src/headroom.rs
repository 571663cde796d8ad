//! When a storage will be full or slow: a text, a page, and one JSON document, `rigel.capacity/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_capacity::headroom`] does.

mod blocks;
mod credits;
mod page;
mod picture;
mod words;

pub use words::unknown as why_unknown;

use credits::CreditsDocument;

use crate::document::{Document as _, PageDocument as _};
use crate::json_text::{pretty, schema_of, text as printable};
use crate::output_file::OutputFile;
use crate::text::Style;
use rigel_capacity::day;
use rigel_capacity::forecast::{Forecast, WeekForecast};
use rigel_capacity::headroom::{Course, Demand, Ends, Gate, ReachTime, Resource, Scenario, Storage};
use rigel_core::error::Problem;
use rigel_core::stats::EstimateForm;
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.capacity/1";

/// Everything that is reported.
#[derive(Clone, Copy, Debug)]
pub struct HeadroomReport<'a> {
    /// The host of the history, or all hosts in the sum.
    pub host: &'a str,
    /// Local time of the request, RFC 3339.
    pub asked: &'a str,
    /// What was requested.
    pub demand: &'a Demand,
    /// The forecast.
    pub courses: &'a [Course],
    /// The current storage, then others.
    pub storages: &'a [Storage],
    /// What is assumed.
    pub scenario: &'a Scenario,
    /// The day of `--fail-before`, and the result for the first storage.
    pub gate: Option<(i64, Gate)>,
}

/// When storages will be full or slow. Days are ISO 8601 dates; shares are from 0 to 1; rates are per second, one MB is 2^20 bytes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.capacity/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The host of the history, or all hosts in the sum.
    host: String,
    /// The assumed changes, in sentences; empty if there are none.
    what_if: Vec<String>,
    /// Local time of the request, RFC 3339.
    asked: String,
    /// The answers in sentences.
    told: Vec<String>,
    /// Remarks on the answers.
    notes: Vec<String>,
    /// The disks, or the database, whose rates these are.
    subjects: Vec<String>,
    /// Share of writes, of the disks or else of the whole host; null where the history does not distinguish them.
    write_share: Option<f64>,
    /// Mean bytes of an I/O.
    io_bytes: Option<f64>,
    /// The share of each host, or file of a what-if, in the operations.
    shares: Vec<ShareDocument>,
    /// The share of the time that is missing from the sum, because the values of some of its hosts or databases are unknown.
    left_out: f64,
    /// The assumptions, as they were typed.
    scenario: ScenarioDocument,
    /// Past and forecast demand.
    demand: Vec<CourseDocument>,
    /// The current storage, then others.
    storages: Vec<StorageDocument>,
    /// The result of `--fail-before`; null without this option.
    gate: Option<GateDocument>,
}

/// What was assumed.
#[derive(Debug, Serialize, JsonSchema)]
struct ScenarioDocument {
    /// Assumed growth in a year; null where the growth of the history is used.
    grow: Option<f64>,
    /// What is added from a date on.
    add: Vec<String>,
    /// Files with load that is added.
    add_files: Vec<String>,
    /// By how much all rates are assumed to be higher, as a share; null if they are not.
    more: Option<f64>,
    /// Hosts that are removed, and whose load moves to the others.
    without: Vec<String>,
}

/// A part of a sum.
#[derive(Debug, Serialize, JsonSchema)]
struct ShareDocument {
    /// The host, or the file.
    of: String,
    /// Its share of the operations.
    share: f64,
    /// The same after the load of removed hosts has moved; 0 for these hosts.
    share_then: f64,
}

/// A resource over time.
#[derive(Debug, Serialize, JsonSchema)]
struct CourseDocument {
    /// `iops`, `mbps` or `space` (bytes).
    resource: &'static str,
    /// The first day of the history.
    first: Option<String>,
    /// The level of each day from then on: for rates the 95th percentile of five-minute means; null if there are too few readings.
    days: Vec<Option<f64>>,
    /// Seconds between readings, the median.
    spacing_s: u32,
    /// The mean of each hour of the week relative to the mean of all, Monday 0:00 first.
    hours_of_week: Vec<f64>,
    /// Why there is no forecast; null where there is one.
    unknown: Option<String>,
    /// How the forecast was made; null without one.
    forecast: Option<ForecastDocument>,
}

/// A forecast of the busy days of each week.
#[derive(Debug, Serialize, JsonSchema)]
struct ForecastDocument {
    /// The model with the smallest error.
    model: &'static str,
    /// All models with the mean error of the logarithm of a week's mean, best first.
    tested: Vec<TestedDocument>,
    /// Number of predictions of each model in the back-test.
    origins: usize,
    /// For a forecast made after two thirds of the history: the number of weeks since then.
    rehearsed_weeks: Option<usize>,
    /// Those of them that were in the interval.
    rehearsed_inside: Option<usize>,
    /// The level of a busy day now, at the end of the history.
    now: f64,
    /// Growth in the next year, as a share, without a scenario; null if the forecast does not reach so far.
    growth_per_year: Option<f64>,
    /// The weeks under the scenario.
    weeks: Vec<WeekDocument>,
}

/// A model in the back-test.
#[derive(Debug, Serialize, JsonSchema)]
struct TestedDocument {
    /// Its name.
    model: &'static str,
    /// It is a baseline that others must beat.
    baseline: bool,
    /// Its mean error.
    error: f64,
}

/// A week to come.
#[derive(Debug, Serialize, JsonSchema)]
struct WeekDocument {
    /// Its first day.
    from: String,
    /// The level of a busy day.
    value: f64,
    /// Lower end of the 95 % interval.
    lo95: f64,
    /// Upper end.
    hi95: f64,
}

/// A storage.
#[derive(Debug, Serialize, JsonSchema)]
struct StorageDocument {
    /// Its name.
    name: String,
    /// When it was measured, RFC 3339; empty if it was not.
    measured: String,
    /// The resource that runs out first; null where none is known to run out.
    limited_by: Option<&'static str>,
    /// Resources for which no limit was found.
    unknown: Vec<UnknownDocument>,
    /// Its resources, the one that runs out first at the top.
    resources: Vec<EndsDocument>,
    /// The effect of the load of the history on its token bucket; null if it has none.
    credits: Option<CreditsDocument>,
}

/// A limit that is not known.
#[derive(Debug, Serialize, JsonSchema)]
struct UnknownDocument {
    /// `iops`, `mbps` or `space`.
    resource: &'static str,
    /// Why it is not known.
    why: String,
}

/// When a resource runs out.
#[derive(Debug, Serialize, JsonSchema)]
struct EndsDocument {
    /// `iops`, `mbps` or `space`.
    resource: &'static str,
    /// The limit; the upper end of its interval is null where it is unknown or unlimited.
    limit: EstimateForm,
    /// Where it comes from.
    limit_from: String,
    /// The share of it that a busy day uses now.
    used: Option<f64>,
    /// The first day of the week in which it is most likely reached; null where it is not, up to `told_until`.
    likely: Option<String>,
    /// It is not reached before this day, with 97.5 % confidence.
    earliest: Option<String>,
    /// It is reached by this day, with 97.5 % confidence.
    latest: Option<String>,
    /// The last day about which the history allows a statement; null if it allows none.
    told_until: Option<String>,
}

/// A gate.
#[derive(Debug, Serialize, JsonSchema)]
struct GateDocument {
    /// The day.
    fail_before: String,
    /// `passed`, `undecided`, `failed` or `unknown`.
    outcome: &'static str,
}

/// The JSON Schema of the document, pretty-printed.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(told: &HeadroomReport<'_>) -> Result<Vec<u8>, Problem> {
    let demand = told.demand;
    pretty(&Document {
        schema: SCHEMA,
        host: printable(told.host),
        what_if: words::what_if(told),
        asked: printable(told.asked),
        told: words::sentences(told),
        notes: words::notes(told),
        subjects: demand.subjects.iter().map(|one| printable(&one.to_string())).collect(),
        write_share: demand.write_share,
        io_bytes: demand.io_bytes,
        shares: shares(told),
        left_out: demand.left_out,
        scenario: ScenarioDocument {
            grow: told.scenario.growth.map(|growth| growth.0),
            add: told.scenario.added.iter().map(|added| printable(&added.text)).collect(),
            add_files: told.scenario.what_if.files.iter().map(|file| printable(file)).collect(),
            more: told.scenario.what_if.more,
            without: told.scenario.what_if.without.iter().map(|host| printable(host)).collect(),
        },
        demand: told.courses.iter().map(course).collect(),
        storages: told.storages.iter().map(|one| storage(one, told.courses)).collect(),
        gate: told
            .gate
            .map(|(at, outcome)| GateDocument { fail_before: day::shown(at), outcome: outcome.name() }),
    })
}

fn shares(told: &HeadroomReport<'_>) -> Vec<ShareDocument> {
    let moved = told.demand.moved(&told.scenario.what_if);
    let files = &told.scenario.what_if.files;
    let share = |(of, share): &(String, f64)| ShareDocument {
        of: printable(of),
        share: *share,
        share_then: match moved.iter().find(|one| one.0 == *of) {
            Some((_, then, _)) => *then,
            None => {
                if files.contains(of) {
                    *share
                } else {
                    0.0
                }
            }
        },
    };
    told.demand.shares.iter().map(share).collect()
}

/// For the terminal.
pub fn text(told: &HeadroomReport<'_>, style: Style) -> String {
    told.text(style)
}

/// The page as a file.
///
/// # Errors
/// As for [`json()`].
pub fn page(told: &HeadroomReport<'_>) -> Result<OutputFile, Problem> {
    told.page("_capacity.html")
}

fn course(one: &Course) -> CourseDocument {
    let daily = &one.daily;
    CourseDocument {
        resource: one.resource.name(),
        first: (!daily.levels.is_empty()).then(|| day::shown(daily.first)),
        days: daily.levels.clone(),
        spacing_s: daily.spacing_s,
        hours_of_week: if one.resource == Resource::Space { Vec::new() } else { daily.week.clone() },
        unknown: one.forecast.as_ref().err().map(|why| words::unknown(*why)),
        forecast: one.forecast.as_ref().ok().map(|told| forecast(told, &one.ahead)),
    }
}

fn forecast(told: &Forecast, ahead: &[WeekForecast]) -> ForecastDocument {
    let tested = |(model, error): &(rigel_capacity::forecast::Model, f64)| TestedDocument {
        model: model.name(),
        baseline: model.is_baseline(),
        error: *error,
    };
    let week = |(at, week): (usize, &WeekForecast)| WeekDocument {
        from: day::shown(words::week_day(told, at)),
        value: week.value,
        lo95: week.lower,
        hi95: week.upper,
    };
    ForecastDocument {
        model: told.model.name(),
        tested: told.tested.iter().map(tested).collect(),
        origins: told.origins,
        rehearsed_weeks: told.rehearsed.map(|held| held.of),
        rehearsed_inside: told.rehearsed.map(|held| held.weeks),
        now: told.now(),
        growth_per_year: told.growth_per_year(),
        weeks: ahead.iter().enumerate().map(week).collect(),
    }
}

fn storage(one: &Storage, courses: &[Course]) -> StorageDocument {
    let shown = |when: ReachTime| when.day().map(day::shown);
    let ends = |ends: &Ends| EndsDocument {
        resource: ends.limit.resource.name(),
        limit: EstimateForm {
            hi95: ends.limit.figure.hi95.filter(|upper| upper.is_finite()),
            ..ends.limit.figure
        },
        limit_from: printable(&ends.limit.from),
        used: ends.used(),
        likely: shown(ends.likely),
        earliest: shown(ends.earliest),
        latest: shown(ends.latest),
        told_until: courses
            .iter()
            .find(|course| course.resource == ends.limit.resource)
            .and_then(Course::end)
            .map(day::shown),
    };
    StorageDocument {
        name: printable(&one.name),
        measured: printable(&one.surface.started),
        limited_by: one
            .ends
            .first()
            .filter(|ends| ends.likely.day().is_some() && one.surface.unknown.is_empty())
            .map(|ends| ends.limit.resource.name()),
        unknown: one
            .surface
            .unknown
            .iter()
            .map(|(resource, why)| UnknownDocument { resource: resource.name(), why: printable(why) })
            .collect(),
        resources: one.ends.iter().map(ends).collect(),
        credits: one.credits.as_ref().map(Into::into),
    }
}
