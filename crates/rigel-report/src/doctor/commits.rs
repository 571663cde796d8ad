//! What a write cache costs at each commit: the command that measures it, and what the history knows.
//!
//! Must not read a history.

use super::finding::{MOST_NAMES, names};
use crate::calibration::Document;
use crate::document::Block;
use rigel_core::judge::answers::COMMIT_LATENCY;
use rigel_core::path_text::printable;
use rigel_core::units::say::{percent, time};
use rigel_uses::doctor::RuleResult;

/// The rule about the cache.
const RULE: &str = "write-cache";

/// A sentence if a write cache was found: the figures of the `known` targets, otherwise the command. `None` without a cache.
pub(super) fn commits(all: &[RuleResult], known: &[(String, Document)]) -> Vec<Block> {
    let caching: Vec<&RuleResult> =
        all.iter().filter(|judged| judged.rule.name == RULE && judged.is_bent()).collect();
    if caching.is_empty() {
        return Vec::new();
    }
    let figure = |(target, found): &(String, Document)| {
        let latency = found.answers.figure(COMMIT_LATENCY)?;
        let width = latency.width().map_or_else(String::new, |width| format!(" ±{} %", percent(width)));
        let day: String = found.started.chars().take(10).collect();
        let (target, day) = (printable(target), printable(&day));
        Some(format!(
            "A commit on {target} took {}{width} when it was calibrated on {day}.",
            time(latency.value)
        ))
    };
    let mut told: Vec<String> = known.iter().filter_map(figure).collect();
    if told.is_empty() {
        let (cache, disk) =
            if caching.len() == 1 { ("cache", "that disk") } else { ("caches", "one of those disks") };
        told.push(format!(
            "To measure what a commit costs with the write {cache} of {}, run `rigel run commit` in a directory on {disk}.",
            names(&caching, MOST_NAMES)
        ));
    }
    told.into_iter().map(Block::hanging).collect()
}
