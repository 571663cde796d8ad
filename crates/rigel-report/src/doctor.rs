//! What the doctor found: a text, and one JSON document, `rigel.doctor/1`.
//!
//! The types here are the interface. Must not judge; [`rigel_uses::doctor`] does.

mod blocks;
mod commits;
mod facts;
mod finding;
mod opening;

use crate::calibration;
use crate::json_text::{pretty, schema_of, text};
use rigel_core::error::Problem;
use rigel_uses::doctor::{About, Part, RuleResult, Severity, Status, System};
use schemars::JsonSchema;
use serde::Serialize;

/// Name and version of the document's form.
pub const SCHEMA: &str = "rigel.doctor/1";

/// What was examined and found.
pub struct DoctorReport<'a> {
    /// What was examined.
    pub system: &'a System<'a>,
    /// Every rule with its result.
    pub all: &'a [RuleResult],
    /// The targets as named, printable, for the next command.
    pub named: &'a [String],
    /// What the history knows about commits on targets.
    pub known: &'a [(String, calibration::Document)],
    /// Show all details of each finding, and the settings that are fine.
    pub everything: bool,
}

/// Settings that distort a result or harm a database.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "rigel.doctor/1")]
struct Document {
    /// Name and version of this form.
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    #[serde(flatten)]
    counts: Counts,
    /// Every setting that was checked, the most serious findings first.
    settings: Vec<Setting>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Setting {
    /// Name of the rule; it stays the same.
    rule: &'static str,
    /// The setting in words.
    setting: &'static str,
    /// What `about` names.
    #[schemars(extend("enum" = ["host", "device", "mount", "target"]))]
    kind: &'static str,
    /// The device, mount point or target; `host` for the host and this process.
    about: String,
    /// What a finding harms most: the numbers of a measurement, or the database itself, in ways that a measurement does not show.
    #[schemars(extend("enum" = Part::ALL.map(Part::name)))]
    part: &'static str,
    /// The result.
    #[schemars(extend("enum" = ["error", "warning", "note", "fine", "unknown"]))]
    verdict: &'static str,
    /// The current value; null when it could not be read.
    value: Option<String>,
    /// The recommended value, if there is one.
    want: Option<String>,
    /// Why it matters.
    why: &'static str,
    /// The command that shows it.
    show: String,
    /// The command that changes it, or what to do.
    change: String,
    /// Where that is documented.
    source: &'static str,
}

/// The document, pretty-printed.
///
/// # Errors
/// Only when a library refuses to write to memory, which is a bug.
pub fn json(all: &[RuleResult]) -> Result<Vec<u8>, Problem> {
    let settings = all.iter().map(setting).collect();
    pretty(&Document { schema: SCHEMA, counts: Counts::of(all), settings })
}

/// The JSON Schema of the document.
pub fn schema() -> String {
    schema_of::<Document>()
}

/// How many of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Findings of severity `error`; with any of them the exit code is 1.
    pub errors: usize,
    /// Findings of severity `warning`.
    pub warnings: usize,
    /// Findings of severity `note`.
    pub notes: usize,
    /// Settings that were checked and need no change.
    pub fine: usize,
    /// Settings that could not be read.
    pub unknown: usize,
}

impl Counts {
    /// Counts the results.
    pub fn of(all: &[RuleResult]) -> Self {
        let mut counts = Self::default();
        for judged in all {
            let count = match (&judged.verdict, judged.rule.severity) {
                (Status::Bent { .. }, Severity::Error) => &mut counts.errors,
                (Status::Bent { .. }, Severity::Warning) => &mut counts.warnings,
                (Status::Bent { .. }, Severity::Note) => &mut counts.notes,
                (Status::Unknown, _) => &mut counts.unknown,
                (Status::Fine(_) | Status::NotAsked, _) => &mut counts.fine,
            };
            *count += 1;
        }
        counts
    }
}

fn setting(judged: &RuleResult) -> Setting {
    let (value, want) = match &judged.verdict {
        Status::Fine(value) => (Some(text(value)), None),
        Status::Bent { value, want } => (Some(text(value)), Some(text(want)).filter(|want| !want.is_empty())),
        Status::Unknown | Status::NotAsked => (None, None),
    };
    Setting {
        rule: judged.rule.name,
        setting: judged.rule.setting,
        kind: match judged.about {
            About::Host => "host",
            About::Device(_) => "device",
            About::Mount(_) => "mount",
            About::Target(_) => "target",
        },
        about: text(&judged.about.to_string()),
        part: judged.rule.part.name(),
        verdict: word(judged),
        value,
        want,
        why: judged.rule.why,
        show: text(&judged.show()),
        change: text(&judged.change()),
        source: judged.rule.source,
    }
}

const fn word(judged: &RuleResult) -> &'static str {
    match judged.verdict {
        Status::Bent { .. } => judged.rule.severity.name(),
        Status::Unknown => "unknown",
        Status::Fine(_) | Status::NotAsked => "fine",
    }
}
