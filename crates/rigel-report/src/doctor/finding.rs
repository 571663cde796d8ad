//! Findings under one number, and what they are about.
//!
//! Must not lay out.

use rigel_core::path_text::printable;
use rigel_uses::doctor::{RuleResult, Severity};

/// Names of devices with the same finding; further ones are counted.
pub(super) const MOST_NAMES: usize = 6;

/// Findings that differ only in their subject, under one number.
pub(super) struct Finding<'a> {
    pub(super) number: usize,
    pub(super) same: Vec<&'a RuleResult>,
}

impl Finding<'_> {
    pub(super) fn severity(&self) -> Option<Severity> {
        self.same.first().map(|judged| judged.rule.severity)
    }

    /// How many settings it represents.
    pub(super) const fn settings(&self) -> usize {
        self.same.len()
    }
}

/// The subjects of settings; after this many names the others are counted.
pub(super) fn names(same: &[&RuleResult], most: usize) -> String {
    let shown: Vec<String> =
        same.iter().take(most).map(|judged| printable(&judged.about.to_string()).into_owned()).collect();
    let more = same.len().saturating_sub(most);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
