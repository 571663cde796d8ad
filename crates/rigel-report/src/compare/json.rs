//! A comparison as one JSON document, `rigel.comparison/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute.

use super::ComparisonView;
use super::gates::reason;
use super::points::OverPointsDocument;
use super::words::doubt;
use crate::json_text::{pretty, schema_of, text};
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::load::class::PerClass;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;
use rigel_uses::compare::change::{Change, Doubt};
use rigel_uses::compare::gate::{GateResult, Outcome};
use rigel_uses::compare::{Difference, Effect, MARGIN, Row, SoakTotals};
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
    /// Runs that both sides have. A run cannot differ from itself, so the sides cannot be compared then.
    on_both_sides: Vec<String>,
    /// What differs between the runs besides their numbers.
    differences: Vec<DifferenceDocument>,
    /// Points that only some of the runs have.
    left_out: Vec<PerClass<u32>>,
    /// Changes within this margin count as no difference: 0.05 is ±5 %.
    margin: f64,
    /// One quantity of one point, or of the runs, each.
    rows: Vec<RowDocument>,
    /// What each side went through, base and new; null unless all runs are soaks. This is counted, not judged.
    endured: Option<[SoakTotals; 2]>,
    /// Quantities of load levels that no row judges alone, over all of them together.
    over_levels: Vec<OverPointsDocument>,
    /// The gates, as they were requested.
    gates: Vec<GateDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Run")]
pub(crate) struct RunDocument {
    /// Common prefix of the names of all files of the run.
    name: String,
    /// Local time of the start, RFC 3339; null of a result of another tool.
    started: Option<String>,
    /// Whether its numbers may be used; null for a result of another tool, which does not say.
    verdict: Option<Conclusion>,
    /// For a result of another tool; null for a run of Rigel.
    tool: Option<ToolDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tool")]
pub(crate) struct ToolDocument {
    /// Who made it.
    pub name: &'static str,
    /// Its version, if the file contains it.
    pub version: Option<String>,
    /// What its numbers lack, a sentence each.
    pub lacks: Vec<String>,
    /// What the comparison ignores in the file, a sentence each.
    pub passed_over: Vec<String>,
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
    /// Numbers that differ in this cannot be compared.
    incomparable: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Row")]
pub(crate) struct RowDocument {
    /// Which quantity, as gates name it.
    metric: String,
    /// Unit of its values.
    #[schemars(extend("enum" = ["IOPS", "MBPS", "per s", "commits/s", "us", "times"]))]
    unit: &'static str,
    /// Where; null for a quantity of the runs.
    point: Option<PerClass<u32>>,
    /// The base: the figure of the only run, or the geometric mean of the runs; null when nothing completed.
    base: Option<Estimate>,
    /// The new side.
    new: Option<Estimate>,
    /// How much the new side differs; null if it is unknown.
    change: Option<Change>,
    /// The observed difference of the new side, judged or not; null when nothing completed on a side.
    seen: Option<SeenDocument>,
    /// What the interval of the change says.
    #[schemars(extend("enum" = ["better", "worse", "alike", "undecided"]))]
    verdict: &'static str,
    /// Why it is undecided, `wide` if the interval does not exclude relevant changes; null when it is decided.
    #[schemars(extend("enum" = ["wide", "invalid", "no_data", "one_visit", "few_visits", "few_rounds", "few_runs", "no_interval", "unequal_levels", null]))]
    reason: Option<&'static str>,
    /// The same as a sentence, if the interval is not the reason.
    explanation: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Seen")]
pub(crate) struct SeenDocument {
    /// New divided by base, minus 1.
    relative: f64,
    /// Lower end of the changes that the intervals of both sides allow, for this row alone; null when a side has no interval.
    lo: Option<f64>,
    /// Upper end.
    hi: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Gate")]
pub(crate) struct GateDocument {
    /// As it was requested.
    gate: String,
    /// The worst of its rows.
    #[schemars(extend("enum" = ["passed", "undecided", "failed"]))]
    outcome: &'static str,
    /// The result of a limit on a number if it were applied to the base; null for a limit on the change.
    #[schemars(extend("enum" = ["passed", "undecided", "failed", null]))]
    base: Option<&'static str>,
    /// Where it fails, or why it is undecided, as a sentence; null when it passed.
    reason: Option<String>,
    /// Its result for each row of `rows`.
    rows: Vec<GateRow>,
    /// Load levels that only some of the runs have, so it is undecided.
    unseen: Vec<PerClass<u32>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GateRow {
    /// Index into `rows`, from 0.
    row: usize,
    /// Its result there.
    #[schemars(extend("enum" = ["passed", "undecided", "failed"]))]
    outcome: &'static str,
}

/// The document, pretty-printed.
pub(super) fn document(compared: &ComparisonView<'_>) -> Result<Vec<u8>, Problem> {
    document_of([compared.base, compared.new].map(|side| side.iter().map(run).collect()), compared)
}

/// The same with the runs of both sides, by any tool.
pub(super) fn document_of(
    [base, new]: [Vec<RunDocument>; 2],
    compared: &ComparisonView<'_>,
) -> Result<Vec<u8>, Problem> {
    let found = compared.comparison;
    let document = Document {
        schema: SCHEMA,
        base,
        new,
        comparable: found.incomparable().next().is_none() && found.on_both.is_empty(),
        on_both_sides: found.on_both.iter().map(|name| text(name)).collect(),
        differences: found.differences.iter().map(difference).collect(),
        left_out: found.left_out.iter().map(levels).collect(),
        margin: MARGIN,
        rows: found.rows.iter().map(RowDocument::of).collect(),
        endured: found.endured,
        over_levels: found.over_points().iter().map(OverPointsDocument::new).collect(),
        gates: compared.gates.iter().map(|judged| GateDocument::of(judged, reason(judged, found))).collect(),
    };
    pretty(&document)
}

/// JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

pub(super) fn run(view: &View<'_>) -> RunDocument {
    let header = &view.record.header;
    RunDocument {
        name: text(&header.run_id),
        started: Some(text(&header.started)),
        verdict: Some(Conclusion::of(view)),
        tool: None,
    }
}

/// A result of another tool.
pub(super) fn tool_run(file: &str, tool: ToolDocument) -> RunDocument {
    RunDocument { name: text(file), started: None, verdict: None, tool: Some(tool) }
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

/// The levels of the classes that tables show for a point.
fn levels(point: &Point) -> PerClass<u32> {
    point.shown().collect()
}

impl RowDocument {
    pub(crate) fn of(row: &Row) -> Self {
        let reason = match row.verdict {
            Effect::Undecided(reason) => Some(reason),
            Effect::Better | Effect::Worse | Effect::Alike => None,
        };
        let some = |side: Estimate| (side.value > 0.0).then_some(side);
        Self {
            metric: row.quantity.name(),
            unit: row.quantity.unit().name(),
            point: row.point.as_ref().map(levels),
            base: some(row.base),
            new: some(row.new),
            change: row.change.ok(),
            seen: row.seen().map(|seen| SeenDocument {
                relative: seen.relative,
                lo: seen.ends.map(|ends| ends.0),
                hi: seen.ends.map(|ends| ends.1),
            }),
            verdict: row.verdict.name(),
            reason: reason.map(name),
            explanation: reason.and_then(doubt),
        }
    }
}

/// The name of a doubt.
pub(crate) const fn name(reason: Doubt) -> &'static str {
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

impl GateDocument {
    /// A gate that was judged by the rows of a comparison, and the reason for its result.
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
