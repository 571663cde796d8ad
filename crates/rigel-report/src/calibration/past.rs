//! How much the calibrations of a storage differ, and what another one will show.
//!
//! Must not read a history.

use super::{Document, Figure};
use crate::numbers::plain_percent;
use crate::sure::FEWEST;
use crate::verdict::Tone;
use crate::words::listed;
use rigel_core::load::workload::WritePercent;
use rigel_core::path_text::printable;
use rigel_core::stats::bound::LatencyOf;
use rigel_core::stats::sessions::Sessions;
use rigel_core::units::Bytes;
use rigel_core::uses::compare::Past;

/// How much the calibrations of a storage differ with small and large I/O of these sizes and this share of writes. Those that must
/// not be used have no say.
pub fn past(documents: &[Document], sizes: [u64; 2], share: Option<WritePercent>) -> Past {
    let Some(share) = share else { return Past::default() };
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

/// Of calibrations of one load.
fn of(like: &[&Document]) -> Past {
    let sessions = |figure: fn(&Document) -> Option<Figure>| {
        let figures = like.iter().filter_map(|found| figure(found)).map(|figure| figure.mean);
        Sessions::of(&figures.collect::<Vec<_>>())
    };
    Past {
        small_rate: sessions(|found| found.unbounded_iops),
        large_rate: sessions(|found| found.max_mbps),
        small_latency: sessions(|found| {
            found.latency_at_1_us.filter(|_| found.percentile == LatencyOf::Mean)
        }),
        commit_latency: sessions(|found| found.commit_latency_us),
    }
}

/// What another calibration will show: a sentence for each storage and load that has enough of them, or what is missing.
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
            "Another session: not known yet, at least 1.4 times the ± of one. {} calibrations of the same targets with the same load \
             make it known.",
            FEWEST
        ));
    }
    told
}

fn sentence(first: &Document, past: &Past) -> Option<String> {
    let figures = [
        (past.small_rate, "unbounded_iops"),
        (past.large_rate, "max_mbps"),
        (past.small_latency, "latency_at_1"),
        (past.commit_latency, "commit_latency"),
    ];
    let known = figures.into_iter().filter_map(|(sessions, name)| Some((sessions?, name)));
    let known: Vec<String> = known
        .map(|(sessions, name)| format!("{name} within ±{} %", plain_percent(sessions.another())))
        .collect();
    let count = [past.small_rate, past.large_rate, past.small_latency]
        .into_iter()
        .flatten()
        .map(|one| one.count)
        .max()?;
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
