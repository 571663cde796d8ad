//! Advice as one JSON document, `rigel.advice/1`, and its JSON Schema.
//!
//! The types here are the interface: a field is added under the same name of the schema, a change that a reader could
//! misread needs a new one. Must not compute.

use super::Advisory;
use crate::json_text::{flags, pretty, schema_of, text};
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::flags::Flag;
use rigel_core::stats::EstimateForm;
use rigel_uses::advice::{Advice, AlternativeValue, MeasuredFigure, Product, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.advice/1";

/// Settings recommended from runs on one target, each with its derivation. One MB is 2^20 bytes; the intervals are 95 % intervals.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.advice/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The runs, as they were named.
    runs: Vec<RunDocument>,
    /// Whether the numbers are of a device that exists only in memory.
    simulated: bool,
    /// Remarks on the runs and on the figures behind the values; only the first of several flags with the same code.
    flags: Vec<Flag>,
    /// The settings, those of a product together.
    advice: Vec<AdviceDocument>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AdvisingRun")]
struct RunDocument {
    /// Common prefix of the names of all files of the run.
    name: String,
    /// Local time of the start, RFC 3339.
    started: String,
    /// The targets, as they were named.
    targets: Vec<String>,
    /// Whether it wrote; otherwise it read.
    writes: bool,
    /// Whether the run was measured completely.
    complete: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Advice")]
struct AdviceDocument {
    /// Who reads the setting, as `--for` names it.
    #[schemars(extend("enum" = Product::ALL.map(Product::name)))]
    product: &'static str,
    /// The setting.
    setting: &'static str,
    /// The value as the product reads it; null when it is withheld.
    value: Option<String>,
    /// The value at the lower ends of the underlying intervals; null when they do not affect it.
    lo: Option<String>,
    /// The value at the upper ends.
    hi: Option<String>,
    /// The first major version of the product that has the setting; null for all.
    since: Option<u32>,
    /// The last major version that benefits from it, according to experiments: for later ones it is a comment. Null for all.
    until: Option<u32>,
    /// Whether the product accepts it, or benefits from it, depends on facts that no record contains, or no experiment has confirmed it on every
    /// version: it is a comment in the file.
    hint: bool,
    /// The value under other conditions; empty when none affects it.
    otherwise: Vec<OtherwiseDocument>,
    /// What to know before the value is used.
    remark: Option<String>,
    /// Why the value is only rough: it is somewhere between `lo` and `hi`; null for one that is good enough, and if it is withheld.
    rough: Option<Refusal>,
    /// How the value was derived from the figures; null when it is withheld.
    derivation: Option<String>,
    /// The figures behind it, even if the value is withheld.
    measured: Vec<MeasuredDocument>,
    /// Why there is no value; null when there is one.
    refused: Option<Refusal>,
    /// Where the setting is documented.
    source: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OtherwiseValue")]
struct OtherwiseDocument {
    /// The condition, as a phrase.
    when: String,
    /// The value then.
    value: String,
    /// The value at the lower ends of the intervals; null when they do not affect it.
    lo: Option<String>,
    /// The value at the upper ends.
    hi: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MeasuredFigure")]
struct MeasuredDocument {
    /// What it is.
    what: String,
    /// Its unit.
    #[schemars(extend("enum" = ["IOPS", "MBPS", "us", "outstanding"]))]
    unit: &'static str,
    #[serde(flatten)]
    figure: EstimateForm,
    /// The run that measured it.
    run: String,
    /// Its flags.
    flags: Vec<Flag>,
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn document(advisory: &Advisory<'_>) -> Result<Vec<u8>, Problem> {
    pretty(&Document {
        schema: SCHEMA,
        runs: advisory.views.iter().map(run).collect(),
        simulated: advisory.advised.is_simulated,
        flags: flags(&advisory.advised.flags),
        advice: advisory.advised.advice.iter().map(advice).collect(),
    })
}

/// JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

fn run(view: &View<'_>) -> RunDocument {
    let header = &view.record.header;
    RunDocument {
        name: text(&header.run_id),
        started: text(&header.started),
        targets: view.targets().into_iter().map(text).collect(),
        writes: header.request.write_percent().writes(),
        complete: view.record.complete(),
    }
}

fn advice(advice: &Advice) -> AdviceDocument {
    let given = advice.outcome.as_ref().ok();
    let refused = advice.outcome.as_ref().err();
    let measured_for = given.or_else(|| refused.and_then(|refusal| refusal.withheld.as_deref()));
    let ends = given.and_then(|given| given.value.ends.as_ref());
    AdviceDocument {
        product: advice.product.name(),
        setting: advice.setting,
        value: given.map(|given| text(&given.value.text)),
        lo: ends.map(|ends| text(&ends.0)),
        hi: ends.map(|ends| text(&ends.1)),
        since: advice.since,
        until: advice.until,
        hint: given.is_some_and(|given| given.is_hint || given.is_unproven),
        otherwise: given.into_iter().flat_map(|given| &given.otherwise).map(otherwise).collect(),
        remark: given.and_then(|given| given.remark.as_deref()).map(text),
        rough: given.and_then(|given| given.rough.as_deref().cloned()),
        derivation: given.map(|given| text(&given.why)),
        measured: measured_for.into_iter().flat_map(|given| &given.measured).map(measured).collect(),
        refused: refused.cloned(),
        source: advice.source,
    }
}

fn otherwise(other: &AlternativeValue) -> OtherwiseDocument {
    let ends = other.value.ends.as_ref();
    OtherwiseDocument {
        when: text(&other.when),
        value: text(&other.value.text),
        lo: ends.map(|ends| text(&ends.0)),
        hi: ends.map(|ends| text(&ends.1)),
    }
}

fn measured(measured: &MeasuredFigure) -> MeasuredDocument {
    MeasuredDocument {
        what: text(&measured.what),
        unit: measured.unit,
        figure: measured.figure,
        run: text(&measured.run_id),
        flags: flags(&measured.flags),
    }
}
