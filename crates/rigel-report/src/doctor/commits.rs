//! What a write cache costs at each commit: the command that measures it, and what the history knows.
//!
//! Must not read a history.

use crate::calibration::Document;
use crate::numbers::{percent, time};
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::path_text::printable;
use rigel_core::uses::doctor::Checked;

/// The rule about the cache.
const RULE: &str = "write-cache";

/// A sentence where a write cache was found: the figures of the targets that are `known`, else the command. Nothing without one.
pub fn commits(all: &[Checked], known: &[(String, Document)]) -> String {
    let mut page = Page::default();
    if !all.iter().any(|judged| judged.rule.name == RULE && judged.is_bent()) {
        return String::new();
    }
    let figure = |(target, found): &(String, Document)| {
        let latency = found.commit_latency_us?;
        let width = latency.width().map_or_else(String::new, |width| format!(" ±{} %", percent(width)));
        let day: String = found.started.chars().take(10).collect();
        Some(format!(
            "A commit on {} took {}{width} when it was calibrated on {}.",
            printable(target),
            time(latency.mean),
            printable(&day)
        ))
    };
    let mut told: Vec<String> = known.iter().filter_map(figure).collect();
    if told.is_empty() {
        told.push(
            "What a commit costs with that write cache: `rigel run commit`, in a directory there.".into(),
        );
    }
    told.iter().for_each(|text| wrapped(&mut page, "", "  ", text));
    page.into_string()
}
