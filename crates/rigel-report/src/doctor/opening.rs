//! The answer of the doctor: how many settings to fix. Must not judge a setting.

use super::finding::Finding;
use crate::document::Block;
use crate::judgement::Tone;
use rigel_core::units::say::counted;
use rigel_uses::doctor::{Part, Severity};

/// How many settings to fix; the tone is that of the most serious finding, like the exit code. One line may cover
/// several devices: settings are counted, as in the JSON document.
pub(super) fn verdict(parts: &[(Part, Vec<Finding<'_>>)]) -> Block {
    let settings = |severity| {
        move |found: &Finding<'_>| if found.severity() == Some(severity) { found.settings() } else { 0 }
    };
    let count = |severity| parts.iter().flat_map(|(_, found)| found).map(settings(severity)).sum::<usize>();
    let warnings = |wanted: Part| {
        let own = parts.iter().filter(|(part, _)| *part == wanted);
        own.flat_map(|(_, found)| found).map(settings(Severity::Warning)).sum::<usize>()
    };
    let counts = [Severity::Error, Severity::Warning, Severity::Note].map(|kind| (kind, count(kind)));
    let listed: Vec<String> = counts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| counted(count, kind.name()))
        .collect();
    let to_fix = count(Severity::Error) + count(Severity::Warning);
    let listed = if listed.is_empty() { String::new() } else { format!(" ({})", listed.join(", ")) };
    let head = if to_fix == 0 {
        "Nothing to fix".to_owned()
    } else {
        format!("{} to fix", counted(to_fix, "setting"))
    };
    let (tone, more) = match (count(Severity::Error), to_fix) {
        (_, 0) => (Tone::Good, None),
        (0, _) => (Tone::UseWithCare, Some(harm(warnings(Part::Measurement), warnings(Part::Database)))),
        _ => (Tone::DoNotUse, Some(ERRORS.to_owned())),
    };
    let sentences = std::iter::once(format!("{head}{listed}.")).chain(more).collect();
    Block::Verdict { tone, sentences }
}

const ERRORS: &str =
    "Fix errors before you measure: data may be lost, or the numbers would not describe the storage.";

/// The effect of the warnings about each part, and what to do.
fn harm(measurement: usize, database: usize) -> String {
    let settings = |count: usize, one: &str, many: &str, what: &str| {
        format!("{} {} {what}", counted(count, "setting"), if count == 1 { one } else { many })
    };
    let of_numbers = settings(measurement, "changes", "change", "what is measured");
    let of_database = settings(database, "slows or endangers", "slow or endanger", "a database");
    match (measurement, database) {
        (0, _) => format!("{of_database}, which a measurement does not show."),
        (_, 0) => format!("{of_numbers}: change or accept each."),
        _ => format!("{of_numbers}, {of_database}: change or accept each."),
    }
}
