//! How much the calibrations of a storage differ, and what to expect from another one.
//!
//! Must not read a history.

use super::Document;
use crate::judgement::Tone;
use crate::sure::FEWEST;
use crate::words::listed;
use rigel_core::load::workload::WritePercent;
use rigel_core::path_text::printable;
use rigel_core::stats::sessions::Sessions;
use rigel_core::units::Bytes;
use rigel_core::units::say::plain_percent;
use rigel_uses::compare::SessionSpread;

/// How much the calibrations of a storage differ with small and large I/O of these sizes and this share of writes. Those that must
/// not be used do not count.
pub fn past(documents: &[Document], sizes: [u64; 2], share: Option<WritePercent>) -> SessionSpread {
    let Some(share) = share else { return SessionSpread::default() };
    let like = documents.iter().filter(|found| is_usable(found) && load(found) == (sizes, share.get()));
    of(&like.collect::<Vec<_>>())
}

fn is_usable(found: &Document) -> bool {
    let usable = found.verdict.as_ref().is_none_or(|verdict| verdict.tone != Tone::DoNotUse);
    found.complete && usable
}

fn load(found: &Document) -> ([u64; 2], u8) {
    ([found.size_small, found.size_large], found.write_percent)
}

/// For calibrations of one load.
fn of(like: &[&Document]) -> SessionSpread {
    SessionSpread::new(|answer| {
        let figures = like.iter().filter_map(|found| found.answers.common(answer));
        Sessions::of(&figures.map(|figure| figure.value).collect::<Vec<_>>())
    })
}

/// What another calibration will show: a sentence for each storage and load with enough of them, or what is missing.
pub(super) fn another(all: &[Document]) -> Vec<String> {
    let usable: Vec<&Document> = all.iter().filter(|found| is_usable(found)).collect();
    let mut told = Vec::new();
    for (place, first) in usable.iter().enumerate() {
        let is_like = |other: &&Document| other.targets == first.targets && load(other) == load(first);
        if usable[..place].iter().any(is_like) {
            continue;
        }
        let like: Vec<&Document> = usable.iter().copied().filter(|other| is_like(other)).collect();
        told.extend(sentence(first, &of(&like)));
    }
    if told.is_empty() {
        told.push(format!(
            "How much another session will differ is not known yet: by at least 1.4 times the ± of one. {} \
             calibrations of the same targets with the same load show it.",
            FEWEST
        ));
    }
    told
}

fn sentence(first: &Document, past: &SessionSpread) -> Option<String> {
    let known: Vec<String> = past
        .known()
        .map(|(answer, sessions)| format!("{} within ±{} %", answer.label, plain_percent(sessions.another())))
        .collect();
    let count = past.known().map(|(_, sessions)| sessions.count).max()?;
    let ([small, large], share) = load(first);
    let writes = if share > 0 { format!(", {share} % writes") } else { String::new() };
    Some(format!(
        "Another session of {} ({} and {}{writes}) will show {} of the mean of these {count}, in 95 of 100.",
        printable(&first.targets.join(", ")),
        Bytes(small),
        Bytes(large),
        listed(&known)
    ))
}
