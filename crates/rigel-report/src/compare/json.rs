//! A comparison as one JSON document, `rigel.comparison/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute.

use super::Compared;
use super::gates::reason;
use super::words::{doubt, some};
use crate::json::{pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::load::class::PerClass;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;
use rigel_core::uses::compare::change::{Change, Doubt, RestsOn};
use rigel_core::uses::compare::gate::{GateResult, Outcome};
use rigel_core::uses::compare::{Difference, Effect, MARGIN, Row};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.comparison/1";

/// Two sides of runs, compared. Rates are per second, one MB is 2^20 bytes, latencies are in microseconds; a change is relative:
/// -0.05 is 5 % less.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.comparison/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The runs of the base.
    base: Vec<RunDocument>,
    /// The new runs.
    new: Vec<RunDocument>,
    /// Whether the sides can be compared.
    comparable: bool,
    /// What differs between the runs besides their numbers.
    differences: Vec<DifferenceDocument>,
    /// Points that only some of the runs have.
    left_out: Vec<PerClass<u32>>,
    /// Changes within it are no difference: 0.05 is ±5 %.
    margin: f64,
    /// One quantity of one point, or of the runs, each.
    rows: Vec<RowDocument>,
    /// The gates, as they were asked for.
    gates: Vec<GateDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
struct RunDocument {
    /// Name that all files of the run begin with.
    name: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// Whether its numbers may be used.
    verdict: Conclusion,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Difference")]
struct DifferenceDocument {
    /// What differs.
    what: &'static str,
    /// How it is in the first run of the base.
    base: String,
    /// How it is in the other run.
    other: String,
    /// The other run.
    run: String,
    /// Numbers that differ in this are not about the same thing.
    incomparable: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
pub(crate) struct RowDocument {
    /// Which quantity, as gates name it.
    metric: String,
    /// Unit of its values.
    #[schemars(extend("enum" = ["IOPS", "MBPS", "per s", "us"]))]
    unit: &'static str,
    /// Where; null for a quantity of the runs.
    point: Option<PerClass<u32>>,
    /// The base.
    base: SideDocument,
    /// The new side.
    new: SideDocument,
    /// How much the new side differs; null when that cannot be told.
    change: Option<ChangeDocument>,
    /// What the interval of the change says.
    #[schemars(extend("enum" = ["better", "worse", "alike", "undecided"]))]
    verdict: &'static str,
    /// Why it is undecided, `wide` where the interval leaves changes open that matter; null when it is not.
    #[schemars(extend("enum" = ["wide", "invalid", "no_data", "one_visit", "few_visits", "few_rounds", "few_runs", "no_interval", "unequal_levels", null]))]
    reason: Option<&'static str>,
    /// The same as a sentence, where the interval is not the reason.
    explanation: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Side")]
struct SideDocument {
    /// Value of the only run, or the geometric mean of the runs; null when nothing completed.
    value: Option<f64>,
    /// Lower end of its 95 % interval; null when there is none.
    lo95: Option<f64>,
    /// Upper end.
    hi95: Option<f64>,
    /// How many runs.
    runs: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Change")]
pub(crate) struct ChangeDocument {
    /// New over base, less 1.
    relative: f64,
    /// Lower end of its interval; in 95 of 100 comparisons those of all rows of a metric are right at once.
    lo: f64,
    /// Upper end.
    hi: f64,
    /// Degrees of freedom behind it.
    df: f64,
    /// The intervals of one run of each side, or how much the runs of a side differ, or the rounds of one run of both sides, or how much
    /// sessions of the past differed.
    #[schemars(extend("enum" = ["intervals", "runs", "rounds", "sessions"]))]
    rests_on: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Gate")]
pub(crate) struct GateDocument {
    /// As it was asked for.
    gate: String,
    /// The worst of its rows.
    #[schemars(extend("enum" = ["passed", "undecided", "failed"]))]
    outcome: &'static str,
    /// What would become of a bound on a number, were it on the base; null for a bound on the change.
    #[schemars(extend("enum" = ["passed", "undecided", "failed", null]))]
    base: Option<&'static str>,
    /// Where it fails, or what leaves it undecided, as a sentence; null when it passed.
    reason: Option<String>,
    /// What became of it at each row of `rows`.
    rows: Vec<GateRow>,
    /// Load levels that only some of the runs have, which leave it undecided.
    unseen: Vec<PerClass<u32>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GateRow {
    /// Place in `rows`, from 0.
    row: usize,
    /// What became of it there.
    #[schemars(extend("enum" = ["passed", "undecided", "failed"]))]
    outcome: &'static str,
}

/// The document, pretty-printed.
pub(super) fn document(compared: &Compared<'_>) -> Result<Vec<u8>, Problem> {
    let found = compared.comparison;
    let runs = [compared.base.len(), compared.new.len()];
    let document = Document {
        schema: SCHEMA,
        base: compared.base.iter().map(run).collect(),
        new: compared.new.iter().map(run).collect(),
        comparable: found.incomparable().next().is_none(),
        differences: found.differences.iter().map(difference).collect(),
        left_out: found.left_out.iter().map(levels).collect(),
        margin: MARGIN,
        rows: found.rows.iter().map(|row| RowDocument::of(row, runs)).collect(),
        gates: compared.gates.iter().map(|judged| GateDocument::of(judged, reason(judged, found))).collect(),
    };
    pretty(&document)
}

/// JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

fn run(view: &View<'_>) -> RunDocument {
    let header = &view.record.header;
    RunDocument { name: text(&header.run_id), started: text(&header.started), verdict: Conclusion::of(view) }
}

fn difference(found: &Difference) -> DifferenceDocument {
    DifferenceDocument {
        what: found.what,
        base: text(&found.base),
        other: text(&found.other),
        run: text(&found.run_id),
        incomparable: found.incomparable,
    }
}

/// The levels of the classes that tables show of a point.
fn levels(point: &Point) -> PerClass<u32> {
    point.shown().collect()
}

impl RowDocument {
    /// A row, and how many runs each side has.
    pub(crate) fn of(row: &Row, [base_runs, new_runs]: [usize; 2]) -> Self {
        let reason = match row.verdict {
            Effect::Undecided(reason) => Some(reason),
            Effect::Better | Effect::Worse | Effect::Alike => None,
        };
        let metric = row.metric;
        Self {
            metric: metric.name().into_owned(),
            unit: metric.unit(),
            point: row.point.as_ref().map(levels),
            base: side(&row.base, base_runs),
            new: side(&row.new, new_runs),
            change: row.change.as_ref().ok().map(ChangeDocument::from),
            verdict: row.verdict.name(),
            reason: reason.map(name),
            explanation: reason.and_then(doubt),
        }
    }
}

const fn name(reason: Doubt) -> &'static str {
    match reason {
        Doubt::Wide => "wide",
        Doubt::Invalid => "invalid",
        Doubt::NoData => "no_data",
        Doubt::OneVisit => "one_visit",
        Doubt::FewVisits => "few_visits",
        Doubt::FewRounds => "few_rounds",
        Doubt::FewRuns => "few_runs",
        Doubt::NoInterval => "no_interval",
        Doubt::UnequalLevels => "unequal_levels",
    }
}

fn side(side: &Estimate, runs: usize) -> SideDocument {
    SideDocument { value: some(side), lo95: side.lo95(), hi95: side.hi95(), runs }
}

impl From<&Change> for ChangeDocument {
    fn from(change: &Change) -> Self {
        Self {
            relative: change.relative,
            lo: change.lo,
            hi: change.hi,
            df: change.df,
            rests_on: match change.rests_on {
                RestsOn::Intervals => "intervals",
                RestsOn::Runs => "runs",
                RestsOn::Rounds => "rounds",
                RestsOn::Sessions => "sessions",
            },
        }
    }
}

impl GateDocument {
    /// A gate that was judged by the rows of a comparison, and why it came out as it did.
    pub(crate) fn of(judged: &GateResult, reason: Option<String>) -> Self {
        let row = |&(row, outcome): &(usize, Outcome)| GateRow { row, outcome: outcome.name() };
        Self {
            gate: text(&judged.gate.text),
            outcome: judged.outcome.name(),
            base: judged.base.iter().map(|row| row.1).max().map(Outcome::name),
            reason: reason.map(|reason| text(&reason)),
            rows: judged.rows.iter().map(row).collect(),
            unseen: judged.unseen.iter().map(levels).collect(),
        }
    }
}
