//! A change in columns, whether or not it is judged: what one visit or few runs leave open is in parentheses.
//!
//! Must not judge.

use rigel_core::units::say::change_range;
use rigel_uses::compare::{Comparison, Row, SeenChange};

/// The meaning of parentheses, if some row has them.
pub(super) const BRACKETS: &str = " A range in parentheses covers only the variation within these runs. Another run may \
                                   lie outside it, so the change is shown but not judged.";

/// The range of a change, in parentheses if it is not judged; `None` if a side has no interval.
pub(super) fn range(seen: SeenChange) -> Option<String> {
    let range = change_range(seen.relative, seen.ends?);
    Some(if seen.is_judged { range } else { format!("({range})") })
}

/// Whether some row has brackets.
pub(super) fn has_brackets(found: &Comparison) -> bool {
    found.shown().filter_map(Row::seen).any(|seen| !seen.is_judged && seen.ends.is_some())
}
