//! Findings under one number, and what they are about.
//!
//! Must not lay out.

use rigel_core::path_text::printable;
use rigel_uses::doctor::{RuleResult, Severity};

/// Names of devices with the same finding, before the rest is a number.
pub(super) const MOST_NAMES: usize = 6;

/// Findings that differ in nothing but what they are about, under one number.
pub(super) struct Finding<'a> {
    pub(super) number: usize,
    pub(super) same: Vec<&'a RuleResult>,
}

impl Finding<'_> {
    pub(super) fn severity(&self) -> Option<Severity> {
        self.same.first().map(|judged| judged.rule.severity)
    }

    /// How many settings it stands for.
    pub(super) const fn settings(&self) -> usize {
        self.same.len()
    }
}

/// What settings are about; behind this many names the rest is a number.
pub(super) fn names(same: &[&RuleResult], most: usize) -> String {
    let shown: Vec<String> =
        same.iter().take(most).map(|judged| printable(&judged.about.to_string()).into_owned()).collect();
    let more = same.len().saturating_sub(most);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}
