//! The verdict on a comparison: whether the numbers of both sides may be used, then what the comparison comes to.
//!
//! Must not judge a run anew; [`crate::verdict`] does.

use super::Compared;
use super::words::verdict_of_all;
use crate::verdict::{Conclusion, Suggestion, Tone};
use crate::view::View;
use rigel_core::judge::flags::FlagCode;
use std::collections::BTreeSet;

/// What stands above the numbers of a comparison.
pub(super) struct Standing {
    /// Whether it may be used.
    pub tone: Tone,
    /// The same in words, with what speaks against it.
    pub head: String,
    /// The causes of each side, with what to do about the first; nothing when there are none.
    pub causes: Vec<String>,
    /// Better, worse or neither.
    pub outcome: String,
    /// The command that measures a side anew.
    pub next: Option<Suggestion>,
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
        let next = [new, base].into_iter().filter(|side| side.tone != Tone::Good).find_map(|side| side.next);
        Self { tone, head, causes, outcome: verdict_of_all(compared), next }
    }
}

/// The verdicts on the runs of a side, as one.
struct Side {
    tone: Tone,
    invalid: BTreeSet<FlagCode>,
    care: BTreeSet<FlagCode>,
    /// What the worst one means, and what to do.
    main: Option<String>,
    next: Option<Suggestion>,
}

impl Side {
    fn of(views: &[View<'_>]) -> Self {
        let mut all: Vec<Conclusion> = views.iter().map(Conclusion::of).collect();
        all.sort_by_key(|verdict| std::cmp::Reverse(verdict.tone));
        let codes = |invalid| all.iter().flat_map(|verdict| verdict.codes(invalid)).collect();
        let worst = all.first();
        let main = worst.and_then(|verdict| verdict.causes.first());
        Self {
            tone: worst.map_or(Tone::Good, |verdict| verdict.tone),
            invalid: codes(true),
            care: codes(false),
            main: main.map(|cause| format!("{} {}", cause.means, cause.remedy)),
            next: worst.and_then(|verdict| verdict.next.clone()),
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
