//! The verdict on a run: whether its numbers may be used, what speaks against them and what to do, what the storage reached,
//! and the command that comes next.
//!
//! Every output begins with it, in the order of [`Conclusion::parts`]. Must not leave out a flag that speaks against the numbers.

mod causes;
mod command;
mod measured;
mod next;
mod reached;

pub use causes::Cause;
pub use next::Suggestion;

pub(crate) use next::{again, there};

use crate::view::View;
use crate::words;
use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::flags::FlagCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the numbers may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Nothing speaks against them.
    Good,
    /// Something asks for care, or not everything was measured.
    UseWithCare,
    /// The numbers of a load class, or all of them, are not about the storage.
    DoNotUse,
}

impl Tone {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Good => "Good",
            Self::UseWithCare => "Use with care",
            Self::DoNotUse => "Do not use",
        }
    }
}

/// The verdict on a run, in sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Verdict")]
pub struct Conclusion {
    /// Whether the numbers may be used.
    pub tone: Tone,
    /// The verdict as a sentence.
    pub head: String,
    /// What was measured, when, and for how long; a sentence.
    #[serde(default)]
    pub measured: String,
    /// What the storage reached.
    pub reached: String,
    /// The load that gives much of the rate at little latency, where the highest rate costs far more; a sentence.
    pub working: Option<String>,
    /// How sure the intervals are.
    pub sureness: String,
    /// What speaks against the numbers, the worst first.
    pub causes: Vec<Cause>,
    /// The command that comes next.
    pub next: Option<Suggestion>,
}

/// A part of a verdict, in the order in which it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// The verdict itself.
    Head(&'a str),
    /// A sentence about what was measured.
    Sentence(&'a str),
    /// What speaks against the numbers, and what to do.
    Causes(&'a [Cause]),
    /// The command that comes next.
    Next(&'a Suggestion),
}

impl Conclusion {
    /// The verdict on a run.
    pub fn of(view: &View<'_>) -> Self {
        let causes = causes::of(view);
        let unusable = reached::unusable(view);
        let tone = match (unusable.is_none(), causes.is_empty()) {
            (false, _) => Tone::DoNotUse,
            (true, false) => Tone::UseWithCare,
            (true, true) => Tone::Good,
        };
        Self {
            tone,
            head: head(tone, unusable.as_deref(), causes.len()),
            measured: measured::sentence(view),
            reached: reached::sentence(view, unusable.is_none()),
            working: reached::working(view).filter(|_| unusable.is_none()),
            sureness: sureness(view),
            next: next::of(view, &causes),
            causes,
        }
    }

    /// All of it. What may be used begins with what was reached; what may not begins with why.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let causes = (!self.causes.is_empty()).then_some(Part::Causes(&self.causes));
        let measured: Vec<&String> =
            [Some(&self.reached), self.working.as_ref(), Some(&self.sureness), Some(&self.measured)]
                .into_iter()
                .flatten()
                .collect();
        let measured = measured.into_iter().filter(|text| !text.is_empty()).map(|text| Part::Sentence(text));
        let mut parts = vec![Part::Head(&self.head)];
        if self.tone == Tone::DoNotUse {
            parts.extend(causes);
            parts.extend(measured);
        } else {
            parts.extend(measured);
            parts.extend(causes);
        }
        parts.extend(self.next.as_ref().map(Part::Next));
        parts
    }

    /// The codes of flags that speak against numbers: those that make them invalid, or the others.
    pub(crate) fn codes(&self, invalid: bool) -> impl Iterator<Item = FlagCode> {
        self.causes.iter().filter(move |cause| cause.invalid == invalid).filter_map(|cause| cause.code)
    }
}

/// `Use with care: 2 things speak against these numbers.`
fn head(tone: Tone, unusable: Option<&str>, causes: usize) -> String {
    let name = tone.name();
    match unusable {
        Some(what) => format!("{name} {what}."),
        None if causes == 0 => format!("{name}: nothing speaks against these numbers."),
        None if causes == 1 => format!("{name}: one thing speaks against these numbers."),
        None => format!("{name}: {causes} things speak against these numbers."),
    }
}

/// How sure the intervals are.
fn sureness(view: &View<'_>) -> String {
    let points = &view.findings.points;
    if points.is_empty() {
        return String::new();
    }
    let Some(target) = view.findings.target else {
        let subject = match points.len() {
            1 => "The point".to_owned(),
            all => format!("Each of {all} points"),
        };
        return format!("{subject} was visited once, so that ± holds only what varied inside that visit.");
    };
    let reached = points.iter().filter(|found| PointFindings::reached(found)).count();
    let where_to = match (points.len(), reached) {
        (1, 1) => "was reached".to_owned(),
        (1, _) => "was not reached".to_owned(),
        (all, some) if all == some => format!("was reached at all {all} points"),
        (all, some) => format!("was reached at {some} of {all} points"),
    };
    format!("The ±{} % asked for {where_to}.", words::plain_percent(target))
}
