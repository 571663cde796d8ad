//! Two sides of a run as one JSON document, `rigel.versus/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute.

use super::{VersusReport, reason, words};
use crate::compare::{GateDocument, RowDocument};
use crate::json_text::{pretty, schema_of, text};
use crate::sure::SurenessText;
use crate::verdict::Conclusion;
use rigel_core::error::Problem;
use rigel_core::load::class::PerClass;
use rigel_core::load::request::EngineRequest;
use rigel_core::load::sides::Side;
use rigel_core::stats::Estimate;
use rigel_uses::compare::MARGIN;
use rigel_uses::compare::change::Change;
use rigel_uses::versus::OverallRatio;
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.versus/1";

/// Two alternating sides in one run, compared. Rates are per second, one MB is 2^20 bytes, latencies are in microseconds; a
/// change is relative: 0.05 is 5 % more on B.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.versus/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// Common prefix of the names of all files of the run.
    run: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// Every load was measured in full.
    complete: bool,
    /// What B is compared with.
    a: SideDocument,
    /// The other side.
    b: SideDocument,
    /// Which side is faster, as sentences.
    sentences: Vec<String>,
    /// Whether the numbers may be used, what casts doubt on them, and what to do.
    verdict: Conclusion,
    /// The requested half-width of the interval of a ratio: 0.02 is ±2 %.
    target: f64,
    /// Whether every ratio that the verdict is about is as precise as that.
    reached: bool,
    /// Changes within this margin count as no difference: 0.05 is ±5 %.
    margin: f64,
    /// Rounds that visited both sides, at the load that has the most of them; fewer than four give no ratio.
    rounds: usize,
    /// How many times as many visits two separate runs would need for equally precise ratios; null if that is unknown.
    worth: Option<f64>,
    /// The mean over all loads, a quantity each.
    overall: Vec<OverallDocument>,
    /// One quantity of one load each.
    rows: Vec<TurnedRow>,
    /// The gates, as they were requested.
    gates: Vec<GateDocument>,
    /// What is certain.
    sure: SurenessText,
}

/// A side.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "SideOfRun")]
struct SideDocument {
    /// The paths of its targets.
    targets: Vec<String>,
    /// The requested engine: its name, or auto.
    engine: String,
    /// Through the page cache.
    buffered: bool,
}

/// A quantity over all loads: the geometric mean of their ratios.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Overall")]
struct OverallDocument {
    /// Which quantity, as gates name it.
    metric: String,
    /// Whether the verdict is about it: the rate, or the mean latency if the rate is given.
    leading: bool,
    /// The loads.
    points: Vec<PerClass<u32>>,
    /// How much B differs; the intervals of the quantities that the verdict is about are jointly valid with 95 %.
    change: Change,
    /// What its interval says about B.
    #[schemars(extend("enum" = ["better", "worse", "alike", "undecided"]))]
    effect: &'static str,
    /// The loads whose own row certainly contradicts the mean.
    against: Vec<PerClass<u32>>,
    /// Number of rounds.
    rounds: usize,
}

/// A row: A is the base, B the new side. The interval of its change is jointly valid with those of the same quantity.
#[derive(Debug, Serialize, JsonSchema)]
struct TurnedRow {
    #[serde(flatten)]
    row: RowDocument,
    /// B divided by A, with the 95 % interval of this row alone; null if it is unknown.
    ratio: Option<Estimate>,
}

/// JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// The document, pretty-printed.
pub(super) fn document(turned: &VersusReport<'_>) -> Result<Vec<u8>, Problem> {
    let (record, found) = (turned.view.record, turned.found);
    let rows = found.comparison.rows.iter().zip(&found.ratios);
    pretty(&Document {
        schema: SCHEMA,
        run: text(&record.header.run_id),
        started: text(&record.header.started),
        complete: record.complete(),
        a: side(turned, Side::A),
        b: side(turned, Side::B),
        sentences: words::sentences(turned),
        verdict: Conclusion::of(turned.view),
        target: found.target,
        reached: found.reached(),
        margin: MARGIN,
        rounds: found.rounds,
        worth: found.worth,
        overall: found
            .overall
            .iter()
            .map(|one| OverallDocument::of(one, found.leading.contains(&one.quantity)))
            .collect(),
        rows: rows
            .map(|(row, ratio)| TurnedRow {
                row: RowDocument::of(row),
                ratio: ratio.map(Estimate::of_rounds),
            })
            .collect(),
        gates: found.gates.iter().map(|judged| GateDocument::of(judged, reason(turned, judged))).collect(),
        sure: words::sureness(turned),
    })
}

fn side(turned: &VersusReport<'_>, side: Side) -> SideDocument {
    let header = &turned.view.record.header;
    let own = header.request.alone(side);
    let engine = match own.engine {
        EngineRequest::Auto => "auto".to_owned(),
        EngineRequest::Only(kind) => kind.name().to_owned(),
        EngineRequest::Sim(_) => "sim".to_owned(),
    };
    let targets = header.request.of_side(side, &header.targets).iter();
    SideDocument {
        targets: targets.map(|target| text(&target.path)).collect(),
        engine,
        buffered: own.buffered,
    }
}

impl OverallDocument {
    fn of(found: &OverallRatio, leading: bool) -> Self {
        Self {
            metric: found.quantity.name(),
            leading,
            points: found.loads.iter().map(|point| point.shown().collect()).collect(),
            change: found.change,
            effect: found.effect.name(),
            against: found.against.iter().map(|point| point.shown().collect()).collect(),
            rounds: found.rounds,
        }
    }
}
