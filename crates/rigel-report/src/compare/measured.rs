//! What the runs of a side measured: on which targets, with which I/Os, when and for how long. It shows whether two sides are two volumes.
//!
//! Must not compare.

use super::words::names;
use crate::label;
use crate::moment::epoch_ms;
use crate::verdict::measured::{io, part, writes};
use crate::view::View;
use rigel_core::path_text::printable;
use rigel_core::units::say::span;
use rigel_core::units::{Bytes, NS_PER_MS, Nanos};

/// To the minute, in RFC 3339.
const TO_THE_MINUTE: usize = "2026-01-01T12:00".len();

/// The names of the runs of a side, and what they measured.
pub(super) fn of_side(views: &[View<'_>]) -> Vec<String> {
    std::iter::once(names(views)).chain(lines(views)).collect()
}

/// A line for the runs of a side that measured the same, in the order of the runs.
pub(super) fn lines(views: &[View<'_>]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&View<'_>>)> = Vec::new();
    for view in views {
        let what = what(view);
        match groups.iter_mut().find(|group| group.0 == what) {
            Some(group) => group.1.push(view),
            None => groups.push((what, vec![view])),
        }
    }
    groups.iter().map(|(what, runs)| format!("{what}; {}", when(runs))).collect()
}

/// `/dev/sdb (1 TiB), small I/O of 8 KiB, large I/O of 1 MiB, reads only`
fn what(view: &View<'_>) -> String {
    let bytes: u64 = view.record.header.targets.iter().map(|target| target.size_bytes).sum();
    let together = if view.record.header.targets.len() > 1 { " together" } else { "" };
    let targets = format!("{}{} ({}{together})", part(view), label::targets(view), Bytes(bytes));
    let parts = std::iter::once(targets).chain(io(&view.main_loads())).chain([writes(view)]);
    parts.collect::<Vec<_>>().join(", ")
}

/// `2026-01-01 12:00, took 1 min`; for several runs the first and the last date, and their total time.
fn when(runs: &[&View<'_>]) -> String {
    let mut starts: Vec<String> = runs.iter().map(|view| minute(&view.record.header.started)).collect();
    starts.sort();
    starts.dedup();
    let dates = match starts.as_slice() {
        [first, .., last] => format!("{first} to {last}"),
        _ => starts.concat(),
    };
    let ms: Option<u64> = runs.iter().map(|view| took_ms(view)).sum();
    let all = if runs.len() > 1 { " in all" } else { "" };
    let took = ms.filter(|&ms| ms > 0).map(|ms| span(Nanos(ms.saturating_mul(NS_PER_MS))));
    took.map_or(dates.clone(), |took| format!("{dates}, took {took}{all}"))
}

/// A moment of a record, which another program may have written.
fn minute(rfc3339: &str) -> String {
    let known = epoch_ms(rfc3339).and_then(|_| rfc3339.get(..TO_THE_MINUTE));
    known.map_or_else(|| printable(rfc3339).into_owned(), |text| text.replacen('T', " ", 1))
}

/// From the first line of the record to its last; `None` if the run did not end.
fn took_ms(view: &View<'_>) -> Option<u64> {
    let ended = epoch_ms(&view.record.closing.as_ref()?.ended)?;
    u64::try_from(ended.checked_sub(epoch_ms(&view.record.header.started)?)?).ok()
}
