//! What a scrub of one device found, for people: what cannot be read, the files there, and what is much slower than its neighbours. Must not
//! judge.

use super::ScrubReport;
use crate::document::{Block, Blocks, Paragraph};
use crate::judgement::Tone;
use rigel_core::facts::OwnerFacts;
use rigel_core::path_text::printable;
use rigel_core::units::say::counted;
use rigel_core::units::{Bytes, Nanos};
use rigel_uses::scrub::pace::Pace;
use rigel_uses::scrub::{Difference, ScrubFindings, SlowFindings, SlowRange, State};

/// Ranges of each kind that are shown; JSON has more.
const MOST_SHOWN: usize = 50;
/// Files that are shown of a range.
const MOST_FILES: usize = 10;

pub(super) fn blocks(shown: &ScrubReport<'_>) -> Blocks {
    let found = &shown.state.found;
    let tone = match shown.state.is_readable(shown.total) {
        Some(false) => Tone::DoNotUse,
        Some(true) if found.slow.as_ref().is_none_or(|slow| slow.ranges == 0) => Tone::Good,
        _ => Tone::UseWithCare,
    };
    let passed = (found.passed > 0)
        .then(|| format!("{} failed at first and did not fail again.", counted(found.passed, "read")));
    let slow = found.slow.as_ref();
    let sentences: Vec<String> = std::iter::once(head(shown))
        .chain(passed)
        .chain(slow.and_then(slow_head))
        .chain(slow.and_then(unjudged))
        .chain(waiting(shown.state))
        .chain(shown.owners.and_then(doubt))
        .collect();
    let mut blocks = vec![Block::Verdict { tone, sentences }];
    let bad = found.differences.iter().take(MOST_SHOWN).flat_map(|range| unreadable(range, shown.owners));
    blocks.push(Block::part(bad.chain(more(found.ranges, found.differences.len())).collect()));
    if let Some(slow) = slow {
        let slower = slow.listed.iter().take(MOST_SHOWN).map(|range| slow_block(range, shown));
        blocks.push(Block::part(slower.chain(more(slow.ranges, slow.listed.len())).collect()));
    }
    blocks.into()
}

fn head(shown: &ScrubReport<'_>) -> String {
    let ScrubFindings { ranges, bytes, .. } = shown.state.found;
    let disk = printable(shown.disks.first().map_or("?", String::as_str));
    let (done, total) = (Bytes(shown.state.done), Bytes(shown.total));
    let whole = shown.state.done >= shown.total;
    let bad = format!("{} in {} cannot be read", Bytes(bytes), counted(ranges, "range"));
    match (whole, ranges) {
        (true, 0) => format!("Every block of {disk} was read: all {total} can be read."),
        (true, _) => format!("Every block of {disk} was tried: of {total}, {bad}."),
        (false, 0) => format!("{done} of the {total} of {disk} were read, and all of them can be read."),
        (false, _) => format!("{done} of the {total} of {disk} were tried: {bad}."),
    }
}

fn slow_head(slow: &SlowFindings) -> Option<String> {
    let SlowFindings { ranges, bytes, .. } = *slow;
    let (is, its) = if ranges == 1 { ("is", "its") } else { ("are", "their") };
    (ranges > 0).then(|| {
        let range = counted(ranges, "range");
        format!("{range}, {}, {is} much slower than {its} neighbours, in every reading.", Bytes(bytes))
    })
}

fn unjudged(slow: &SlowFindings) -> Option<String> {
    let reads = counted(slow.unjudged, "read");
    (slow.unjudged > 0).then(|| format!("{reads} of 1 MiB took long once. They are too many to investigate."))
}

/// What a scrub that was stopped has not checked again.
fn waiting(state: &State) -> Option<String> {
    let reads = state.pace.as_ref().map_or(0, Pace::suspects) as u64;
    (reads > 0)
        .then(|| format!("{} of 1 MiB took long; not yet read again often enough.", counted(reads, "read")))
}

/// Why the files are not all known.
fn doubt(owners: &OwnerFacts) -> Option<String> {
    let doubt = printable(owners.doubt.as_ref()?).into_owned();
    Some(match owners.files.is_empty() {
        true => format!("It is unknown which files are there: {doubt}."),
        false => format!("There may be more files: {doubt}."),
    })
}

fn unreadable(range: &Difference, owners: Option<&OwnerFacts>) -> Vec<Block> {
    let (offset, errno) = range.copies.first().map_or((range.at, None), |copy| (copy.offset, copy.errno));
    let text = format!("{} bytes at {offset} (error {})", range.len, errno.unwrap_or(0));
    let mut blocks = vec![Paragraph::labelled("cannot be read  ".to_owned(), 16, text).into()];
    let Some(owners) = owners else { return blocks };
    let mut here = owners.files.iter().filter(|part| part.touches(offset, range.len));
    for part in here.by_ref().take(MOST_FILES) {
        let bytes = format!(" ({} bytes at {} in it)", part.len, part.offset);
        blocks.push(Block::whole("                ", format!("{}{bytes}", printable(&part.path))));
    }
    let left = here.count() as u64;
    if left > 0 {
        blocks.push(Block::whole("                ", format!("and {left} more")));
    }
    let none = !owners.files.iter().any(|part| part.touches(offset, range.len));
    if none && owners.doubt.is_none() {
        let text = "no file has it: free space, or the file system's own structures";
        blocks.push(Paragraph::labelled("                ".to_owned(), 16, text.to_owned()).into());
    }
    blocks
}

fn slow_block(range: &SlowRange, shown: &ScrubReport<'_>) -> Block {
    let offset = shown.first + range.at;
    let [took, usual] =
        [range.took_us, range.neighbours_us].map(|us| Nanos(us.saturating_mul(1000) / 100_000 * 100_000));
    let text = format!(
        "{} at {offset}: {took} for a MiB, its neighbours {usual} ({} readings)",
        Bytes(range.len),
        range.readings
    );
    Paragraph::labelled("slow            ".to_owned(), 16, text).into()
}

fn more(ranges: u64, listed: usize) -> Option<Block> {
    let left = ranges.saturating_sub(listed.min(MOST_SHOWN) as u64);
    (left > 0).then(|| Block::whole(counted(left, "range"), " more; --json lists the first 10000."))
}
