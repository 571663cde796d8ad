//! The verdict on a comparison: whether the numbers of both sides may be used, then what the comparison comes to.
//!
//! Must not judge a run anew; [`crate::verdict`] does.

use super::{Compared, levels, outcome};
use crate::numbers::span;
use crate::verdict::{Cause, Conclusion, Suggestion, Tone};
use crate::view::View;
use rigel_core::judge::flags::FlagCode;
use rigel_core::units::Nanos;
use std::collections::BTreeSet;

/// What stands above the numbers of a comparison.
pub(super) struct Standing {
    /// Whether it may be used.
    pub tone: Tone,
    /// The same in words, with what speaks against it.
    pub head: String,
    /// The causes of each side, with what to do about the first; nothing when there are none.
    pub causes: Vec<String>,
    /// Better, worse or neither, and in what; what the sides have in common.
    pub outcome: Vec<String>,
    /// The commands that measure a side anew.
    pub next: Vec<Suggestion>,
}

impl Standing {
    pub fn of(compared: &Compared<'_>) -> Self {
        let sides = [("base", Side::of(compared.base)), ("new side", Side::of(compared.new))];
        let alike = compared.comparison.incomparable().next().is_none();
        let worst = sides.iter().map(|(_, side)| side.tone).max().unwrap_or(Tone::Good);
        let tone = if alike { worst } else { Tone::DoNotUse };
        let name = tone.name();
        let head = match tone {
            _ if !alike => format!(
                "{name} this comparison: the two sides did not measure the same thing, as told below."
            ),
            Tone::Good => format!("{name}: nothing speaks against the numbers of either side."),
            Tone::UseWithCare => format!("{name}: flags speak against numbers of these runs."),
            Tone::DoNotUse => format!("{name} this comparison: a side has numbers that must not be used."),
        };
        let causes = sides.iter().filter_map(|(name, side)| side.told(name)).collect();
        let [(_, base), (_, new)] = sides;
        let outcome = outcome::sentences(compared).into_iter().chain(levels::coverage(compared)).collect();
        let next = anew(base, new).into_iter().chain(levels::next(compared)).collect();
        Self { tone, head, causes, outcome, next }
    }
}

/// The verdicts on the runs of a side, as one.
struct Side {
    tone: Tone,
    invalid: BTreeSet<FlagCode>,
    care: BTreeSet<FlagCode>,
    /// What the worst one means, what to do, and its figures.
    main: Option<String>,
    next: Option<Suggestion>,
    /// The time that the run was given that is to be measured anew.
    given: Option<Nanos>,
}

/// The commands that measure a side anew, each with the side that it is for.
fn anew(base: Side, new: Side) -> Vec<Suggestion> {
    let told = |name: &str, side: Side| {
        let next = side.next.filter(|_| side.tone != Tone::Good)?;
        let given = side.given.filter(|_| next.is_longer());
        let had = given.map_or_else(String::new, |given| format!(", which had {}", span(given)));
        let (first, others) = next.purpose.split_at_checked(1)?;
        let purpose = format!("For the {name}{had}, {}{others}", first.to_ascii_lowercase());
        Some(Suggestion { purpose, ..next })
    };
    [told("base", base), told("new side", new)].into_iter().flatten().collect()
}

impl Side {
    fn of(views: &[View<'_>]) -> Self {
        let mut all: Vec<(Conclusion, &View<'_>)> =
            views.iter().map(|view| (Conclusion::of(view), view)).collect();
        all.sort_by_key(|(verdict, _)| std::cmp::Reverse(verdict.tone));
        let codes = |invalid| all.iter().flat_map(|(verdict, _)| verdict.codes(invalid)).collect();
        let given = all.first().and_then(|(_, view)| view.record.header.request.pace.max_duration());
        let worst = all.first().map(|(verdict, _)| verdict);
        let main = worst.and_then(|verdict| verdict.causes.first());
        Self {
            tone: worst.map_or(Tone::Good, |verdict| verdict.tone),
            invalid: codes(true),
            care: codes(false),
            main: main.map(cause),
            next: worst.and_then(|verdict| verdict.next.clone()),
            given,
        }
    }

    /// `The base (must not be used: ZEROS; FOREIGN): Reads found no data ..`
    fn told(&self, name: &str) -> Option<String> {
        let main = self.main.as_ref()?;
        let list =
            |codes: &BTreeSet<FlagCode>| codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
        let mut parts = Vec::new();
        if !self.invalid.is_empty() {
            parts.push(format!("not to be used: {}", list(&self.invalid)));
        }
        if !self.care.is_empty() {
            parts.push(list(&self.care));
        }
        let codes = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) };
        Some(format!("The {name}{codes}: {main}"))
    }
}

/// What it means and what to do, then the flag with its place and figures, as the report of the run has them.
fn cause(cause: &Cause) -> String {
    let figures = match cause.code {
        Some(_) => format!(" {}: {}.", cause.label(), cause.figures),
        None => String::new(),
    };
    format!("{} {}{figures}", cause.means, cause.remedy)
}
