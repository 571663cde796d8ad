//! The verdict on a comparison: its result, and what casts doubt on the numbers of either side.
//!
//! Must not judge a run again; [`crate::verdict`] does.

use super::{ComparisonView, gates, levels, outcome};
use crate::document::{Block, Room};
use crate::judgement::{Suggestion, Tone};
use crate::verdict::Conclusion;
use crate::view::View;
use crate::warnings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::units::Nanos;
use rigel_core::units::say::span;
use rigel_uses::compare::Effect;
use rigel_uses::compare::gate::{GateResult, Outcome};
use std::collections::BTreeSet;

/// The answer, then a line for each warning.
pub(super) fn blocks(compared: &ComparisonView<'_>, room: Room) -> Vec<Block> {
    let sides = [("Base", Side::of(compared.base)), ("New side", Side::of(compared.new))];
    let same = outcome::same_run(compared.comparison);
    let is_alike = compared.comparison.incomparable().next().is_none();
    let worst = sides.iter().map(|(_, side)| side.tone).max().unwrap_or(Tone::Good);
    let tone = if is_alike && same.is_none() { worst } else { Tone::DoNotUse };
    let unusable = match tone {
        _ if same.is_some() => None,
        _ if !is_alike => Some("the two sides did not measure the same thing"),
        Tone::DoNotUse => Some("a side has numbers that must not be used"),
        Tone::Good | Tone::UseWithCare => None,
    };
    let unusable = unusable.map(|why| format!("{} this comparison: {why}.", Tone::DoNotUse.name()));
    let found = gates::sentence(compared.gates).into_iter().chain(outcome::sentences(compared));
    let is_worse = compared.comparison.count(|effect| effect == Effect::Worse) > 0;
    let is_open = compared.comparison.count(|effect| !matches!(effect, Effect::Undecided(_))) == 0;
    let warnings = sides.iter().filter_map(|(name, side)| side.warning(name, room));
    let warnings: Vec<String> =
        warnings.chain(outcome::days(compared)).chain(levels::coverage(compared)).collect();
    vec![
        Block::Verdict {
            tone: look(tone, compared.gates, is_worse || is_open),
            sentences: same.into_iter().chain(unusable).chain(found).collect(),
        },
        Block::List(warnings),
    ]
}

/// The commands that measure a side again, each with the side that it is for.
pub(super) fn next(compared: &ComparisonView<'_>) -> Block {
    let anew = |(name, side): (&str, Side)| {
        let next = side.next.filter(|_| side.tone != Tone::Good)?;
        let given = side.given.filter(|_| next.is_longer);
        let had = given.map_or_else(String::new, |given| format!(", which had {}", span(given)));
        let (first, others) = next.purpose.split_at_checked(1)?;
        let effect = format!("for the {name}{had}, {}{others}", first.to_ascii_lowercase());
        Some(Block::Next { command: next.command, effect })
    };
    let sides = [("base", Side::of(compared.base)), ("new side", Side::of(compared.new))];
    let level =
        levels::next(compared).map(|next| Block::Next { command: next.command, effect: next.purpose });
    Block::part(sides.into_iter().filter_map(anew).chain(level).collect())
}

/// The tone of a verdict: a failed gate is as bad as numbers that must not be used, and an undecided one is not a
/// pass. `is_doubtful`: something is worse, or nothing is decided.
pub(crate) fn look(tone: Tone, gates: &[GateResult], is_doubtful: bool) -> Tone {
    let worst = gates.iter().map(|gate| gate.outcome).max();
    match worst {
        Some(Outcome::Failed) => Tone::DoNotUse,
        Some(Outcome::Undecided) => tone.max(Tone::UseWithCare),
        _ if is_doubtful => tone.max(Tone::UseWithCare),
        _ => tone,
    }
}

/// The verdicts on the runs of a side, as one.
struct Side {
    tone: Tone,
    invalid: BTreeSet<FlagCode>,
    care: BTreeSet<FlagCode>,
    worst: Option<Conclusion>,
    next: Option<Suggestion>,
    /// The time of the run that is to be measured again.
    given: Option<Nanos>,
}

impl Side {
    fn of(views: &[View<'_>]) -> Self {
        let mut all: Vec<(Conclusion, &View<'_>)> =
            views.iter().map(|view| (Conclusion::of(view), view)).collect();
        all.sort_by_key(|(verdict, _)| std::cmp::Reverse(verdict.tone));
        let codes = |invalid| all.iter().flat_map(|(verdict, _)| verdict.codes(invalid)).collect();
        let given = all.first().and_then(|(_, view)| view.record.header.request.max_duration());
        let (invalid, care) = (codes(true), codes(false));
        let worst = all.into_iter().next().map(|(verdict, _)| verdict);
        Self {
            tone: worst.as_ref().map_or(Tone::Good, |verdict| verdict.tone),
            invalid,
            care,
            next: worst.as_ref().and_then(|verdict| verdict.next.clone()),
            worst,
            given,
        }
    }

    /// `New side (not to be used: ZEROS; FOREIGN): Reads found no data ..`; all codes, and the most serious cause.
    fn warning(&self, name: &str, room: Room) -> Option<String> {
        let cause = self.worst.as_ref()?.causes.first()?;
        let list =
            |codes: &BTreeSet<FlagCode>| codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
        let invalid = (!self.invalid.is_empty()).then(|| format!("not to be used: {}", list(&self.invalid)));
        let care = (!self.care.is_empty()).then(|| list(&self.care));
        let codes: Vec<String> = invalid.into_iter().chain(care).collect();
        // A single code stands in front of its own figures.
        let codes = if self.invalid.len() + self.care.len() < 2 {
            String::new()
        } else {
            format!(" ({})", codes.join("; "))
        };
        Some(format!("{name}{codes}: {}", warnings::line(cause, room)))
    }
}
