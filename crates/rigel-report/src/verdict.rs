//! The verdict on a run: whether its numbers may be used, what casts doubt on them and what to do, what the storage reached, and the next command.
//!
//! Every output begins with it, in the order of [`Conclusion::parts`]. Must not leave out a flag that casts doubt on the numbers.

mod causes;
pub(crate) mod measured;
mod next;
mod reached;

use crate::document::Block;
use crate::judgement::{Cause, Suggestion, Tone};
use crate::view::View;
use crate::{places, queries};
use crate::{versus, words};
use rigel_core::judge::answer::Answer;
use rigel_core::judge::findings::PointFindings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::stats::burst::BurstVerdict;
use rigel_core::stats::share::BoundVerdict;
use rigel_uses::versus::Versus;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    /// The results of the storage.
    pub reached: String,
    /// The load with a high rate at low latency, if the highest rate costs far more latency; a sentence.
    pub working: Option<String>,
    /// Differences between places, a sentence for each class that was measured by place.
    #[serde(default)]
    pub places: Vec<String>,
    /// For a load that goes through a database: how much queries of one kind slow down those of another, and how much an index slows them down, a
    /// sentence for each.
    #[serde(default)]
    pub costs: Vec<String>,
    /// How certain the intervals are.
    pub sureness: String,
    /// The environment in which it ran, unless that was a physical machine; a sentence.
    #[serde(default)]
    pub surroundings: Option<String>,
    /// Doubts about the numbers, the most serious first.
    pub causes: Vec<Cause>,
    /// Worth knowing, without casting doubt on anything; sentences.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The command that comes next.
    pub next: Option<Suggestion>,
    /// Of those sentences, the ones that answer what was asked of a database.
    #[serde(skip)]
    pub(crate) of_queries: Vec<String>,
    /// Whether the requirements are met.
    #[serde(skip)]
    pub(crate) required: Option<String>,
    /// What held the run down or gave it an unusual priority, and where to look; a sentence.
    #[serde(skip)]
    pub(crate) limited: Option<String>,
    /// Its tone: worse than the tone of the numbers if a requirement is not met.
    #[serde(skip)]
    pub(crate) look: Tone,
}

/// A part of a verdict, in the order in which it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'a> {
    /// The verdict itself.
    Head(&'a str),
    /// A sentence about what was measured.
    Sentence(&'a str),
    /// Doubts about the numbers, and what to do.
    Causes(&'a [Cause]),
    /// The command that comes next.
    Next(&'a Suggestion),
}

impl Conclusion {
    /// The verdict on a run.
    pub fn of(view: &View<'_>) -> Self {
        let turned = Versus::of(view.record, &view.findings);
        let causes = causes::of(view, turned.as_ref());
        let unusable = reached::unusable(view);
        let tone = match (unusable.is_none(), causes.is_empty()) {
            (false, _) => Tone::DoNotUse,
            (true, false) => Tone::UseWithCare,
            (true, true) => Tone::Good,
        };
        let required = required(view);
        let sound = |told: Vec<String>| if unusable.is_none() { told } else { Vec::new() };
        let working = queries::users(view).or_else(|| queries::flushes(view)).filter(|_| unusable.is_none());
        let costs = sound(queries::costs(view).into_iter().chain(queries::index(view)).collect());
        Self {
            tone,
            of_queries: working.iter().chain(&costs).cloned().collect(),
            look: tone.max(required.as_ref().map_or(Tone::Good, |one| one.0)),
            required: required.as_ref().map(|one| one.1.clone()),
            head: match required {
                Some((_, told)) if tone == Tone::Good => {
                    format!("{told} No warnings.")
                }
                Some((_, told)) if tone == Tone::UseWithCare => {
                    format!("{told} {}", head(tone, None, causes.len()))
                }
                Some((_, told)) => format!("{} {told}", head(tone, unusable.as_deref(), causes.len())),
                // What is not there needs no warning.
                None if is_unmeasured(view) => "There are no numbers yet.".to_owned(),
                None => head(tone, unusable.as_deref(), causes.len()),
            },
            measured: measured::sentence(view),
            reached: reached::sentence(view, turned.as_ref(), unusable.is_none()),
            working: working.or_else(|| reached::working(view).filter(|_| unusable.is_none())),
            costs,
            places: sound(places::sentences(view)),
            sureness: turned.as_ref().map_or_else(|| sureness(view), |found| versus::sureness(view, found)),
            surroundings: crate::surroundings::groups(&view.record.header.nodes),
            limited: crate::surroundings::limited(view),
            next: next::of(view, &causes),
            notes: causes::notes(view, &causes),
            causes,
        }
    }

    /// All of it. If usable, it begins with the results; otherwise with the reason why not.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        let causes = (!self.causes.is_empty()).then_some(Part::Causes(&self.causes));
        // Who asks how places differ wants that first.
        let reached = self.places.iter().chain([&self.reached]).chain(&self.working).chain(&self.costs);
        let measured = reached.chain([&self.sureness, &self.measured]).chain(&self.surroundings);
        let measured: Vec<Part<'_>> =
            measured.filter(|text| !text.is_empty()).map(|text| Part::Sentence(text)).collect();
        let mut parts = vec![Part::Head(&self.head)];
        if self.tone == Tone::DoNotUse {
            parts.extend(causes);
            parts.extend(measured);
        } else {
            parts.extend(measured);
            parts.extend(causes);
        }
        parts.extend(self.notes.iter().map(|text| Part::Sentence(text)));
        parts.extend(self.next.as_ref().map(Part::Next));
        parts
    }

    /// The answer to what was asked: what was required, else what was reached, and what queries cost. What must not be used says so first.
    pub(crate) fn answer(&self) -> Vec<String> {
        let head = (self.tone == Tone::DoNotUse).then_some(&self.head);
        let required = self.required.iter().filter(|_| head.is_none());
        let all = head.into_iter().chain(required).chain(&self.places).chain([&self.reached]);
        let all = all.chain(&self.of_queries);
        all.filter(|text| !text.is_empty()).cloned().collect()
    }

    /// The verdict and the answer.
    pub(crate) fn two_lines(&self) -> Vec<String> {
        let answer = self.places.first().unwrap_or(&self.reached);
        [&self.head, answer].into_iter().filter(|text| !text.is_empty()).cloned().collect()
    }

    /// What the two lines leave out.
    pub(crate) fn others(&self) -> Vec<Block> {
        let shown = self.two_lines();
        let is_new = |part: &Part<'_>| match part {
            Part::Head(_) => false,
            Part::Sentence(text) => !shown.iter().any(|one| one == text),
            Part::Causes(_) | Part::Next(_) => true,
        };
        self.parts().into_iter().filter(is_new).map(|part| self.block(part)).collect()
    }

    /// All of it.
    pub(crate) fn blocks(&self) -> Vec<Block> {
        self.parts().into_iter().map(|part| self.block(part)).collect()
    }

    fn block(&self, part: Part<'_>) -> Block {
        match part {
            Part::Head(text) => Block::Verdict { tone: self.look, sentences: vec![text.to_owned()] },
            Part::Sentence(text) => Block::paragraph(text),
            Part::Causes(causes) => Block::Causes(causes.to_vec()),
            Part::Next(next) => Block::Suggestion(next.clone()),
        }
    }

    /// What to know besides the doubts.
    pub(crate) fn to_know(&self) -> impl Iterator<Item = &String> {
        self.surroundings.iter().chain(&self.notes)
    }

    /// The codes of flags that cast doubt on numbers: those that make them invalid, or the others.
    pub(crate) fn codes(&self, invalid: bool) -> impl Iterator<Item = FlagCode> {
        self.causes.iter().filter(move |cause| cause.invalid == invalid).filter_map(|cause| cause.code)
    }
}

/// Whether a run was cut short before any of its points had a figure.
fn is_unmeasured(view: &View<'_>) -> bool {
    !view.record.complete() && crate::notes::with_figures(view) == 0
}

/// `Use with care: 2 warnings.`
fn head(tone: Tone, unusable: Option<&str>, causes: usize) -> String {
    let name = tone.name();
    match unusable {
        Some(what) => format!("{name} {what}."),
        None if causes == 0 => format!("{name}: no warnings."),
        None if causes == 1 => format!("{name}: 1 warning."),
        None => format!("{name}: {causes} warnings."),
    }
}

/// Whether the required rates are met, with the tone. `None` without requirements.
fn required(view: &View<'_>) -> Option<(Tone, String)> {
    let found = match view.answer() {
        Answer::Rate(found) => found,
        // Nothing is good about an answer that there is not.
        Answer::Burst(found) if matches!(found.found, BurstVerdict::Undecided(_)) => {
            return Some((Tone::UseWithCare, "Undecided.".to_owned()));
        }
        _ => return None,
    };
    let look = found.required.iter().map(|one| match one.kept {
        BoundVerdict::Yes => Tone::Good,
        BoundVerdict::Undecided => Tone::UseWithCare,
        BoundVerdict::No => Tone::DoNotUse,
    });
    Some((look.max()?, crate::slo::gates(found)?))
}

/// How certain the intervals are.
fn sureness(view: &View<'_>) -> String {
    let points = &view.findings.points;
    if points.is_empty() {
        return String::new();
    }
    if let Answer::Rate(found) = view.answer() {
        return crate::slo::sureness(found);
    }
    // Its figures have intervals of their own.
    if crate::change::is_of(view) {
        return String::new();
    }
    let Some(target) = view.findings.target else {
        // Phases of the same load are visits to one point.
        let once = points.iter().filter(|found| found.visits < 2).count();
        let (subject, its) = match (points.len(), once) {
            (_, 0) => return String::new(),
            (1, _) => ("The point was".to_owned(), ""),
            (all, some) if all == some => (format!("Each of {all} points was"), ""),
            (all, 1) => (format!("One of {all} points was"), "its "),
            (all, some) => (format!("{some} of {all} points were"), "their "),
        };
        return format!("{subject} visited once, so {its}± covers only the variation within that visit.");
    };
    let reached = points.iter().filter(|found| PointFindings::reached(found)).count();
    let where_to = match (points.len(), reached) {
        (1, 1) => "was reached".to_owned(),
        (1, _) => "was not reached".to_owned(),
        (all, some) if all == some => format!("was reached at all {all} points"),
        (all, some) => format!("was reached at {some} of {all} points"),
    };
    let few = points.iter().filter(|found| found.has_too_few_visits()).count();
    let why = match (points.len(), few) {
        (_, 0) => String::new(),
        (1, _) => ", for lack of visits".to_owned(),
        (all, few) if all == few => ", as all of them had too few visits to be sure".to_owned(),
        (_, 1) => "; one point had too few visits to be sure".to_owned(),
        (_, few) => format!("; {few} points had too few visits to be sure"),
    };
    format!("The requested ±{} % {where_to}{why}.", words::plain_percent(target))
}
