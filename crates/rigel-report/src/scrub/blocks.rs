//! What a scrub found, for people: the verdict, then each range with its digests and which copy is right. Must not judge.

use super::{ScrubReport, alone};
use crate::document::{Block, Blocks, Document, Paragraph, Room};
use crate::judgement::Tone;
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use rigel_core::units::say::counted;
use rigel_uses::scrub::{Certainty, Difference, Kind, RangeCopy, ScrubFindings, State, Stretch, letter};

/// Ranges that are shown; JSON has more.
const MOST_SHOWN: usize = 50;

impl Document for ScrubReport<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        if self.state.source.is_one() {
            return alone::blocks(self);
        }
        let (state, found) = (self.state, &self.state.found);
        let compared = if self.complete { String::new() } else { format!("{} of ", Bytes(state.done)) };
        let compared = format!("{compared}{} of each copy compared", Bytes(self.total));
        let passed = (found.passed > 0).then(|| {
            let passed = counted(found.passed, "block");
            format!("{passed} of 4 KiB differed at first and were alike when read again: writes in flight.")
        });
        let restless = (found.restless_ranges > 0).then(|| restless(found));
        let waiting = (!state.pending.is_empty()).then(|| waiting(&state.pending));
        let tone = match state.are_alike() {
            Some(true) => Tone::Good,
            None => Tone::UseWithCare,
            Some(false) => Tone::DoNotUse,
        };
        let head = format!("{}; {compared}.", verdict(state));
        let sentences = std::iter::once(head).chain(passed).chain(restless).chain(waiting).collect();
        let mut blocks = vec![Block::Verdict { tone, sentences }];
        let differences = (1..).zip(found.differences.iter().take(MOST_SHOWN));
        blocks.extend(differences.map(|(number, difference)| range(number, difference, self.disks)));
        let left = found.ranges.saturating_sub(found.differences.len().min(MOST_SHOWN) as u64);
        let more = || Block::whole(counted(left, "range"), " more; --json lists the first 10000.");
        blocks.push(Block::part((left > 0).then(more).into_iter().collect()));
        blocks.into()
    }
}

fn restless(found: &ScrubFindings) -> String {
    let ranges = counted(found.restless_ranges, "range");
    let at: Vec<String> = found.restless.iter().take(5).map(|range| range.at.to_string()).collect();
    let more = if found.restless_ranges > at.len() as u64 { " .." } else { "" };
    format!(
        "{ranges}, {} bytes, kept changing and could not be judged (at {}{more}); scrub again while fewer writes are made.",
        found.restless_bytes,
        at.join(", ")
    )
}

/// What a scrub that was stopped has not checked again.
fn waiting(pending: &[Stretch]) -> String {
    let bytes: u64 = pending.iter().map(|stretch| stretch.len).sum();
    let ranges = counted(pending.len() as u64, "range");
    format!("{ranges}, {bytes} bytes, differed or could not be read once; not yet read again.")
}

fn verdict(state: &State) -> String {
    let ScrubFindings { ranges, bytes, unreadable, restless_ranges, .. } = state.found;
    let unread = format!("{} cannot be read on all copies", counted(unreadable, "range"));
    match (ranges, unreadable) {
        (0, _) if !state.pending.is_empty() => "No copy is known to differ yet".to_owned(),
        (0, _) if restless_ranges > 0 => "No copy differs where it could be judged".to_owned(),
        (0, _) => "No copy differs".to_owned(),
        (_, 0) => format!("The copies differ in {}, {bytes} bytes", counted(ranges, "range")),
        _ if ranges == unreadable => unread,
        _ => format!("The copies differ in {}; {unread}", counted(ranges - unreadable, "range")),
    }
}

fn range(number: usize, difference: &Difference, disks: &[String]) -> Block {
    let Difference { at, len, .. } = *difference;
    let of = difference.of.map_or_else(String::new, |of| format!(", file {} extent {}", of.file, of.extent));
    let differ = difference.first.map_or_else(String::new, |first| {
        let verb = if difference.differing_bytes == 1 { "differs" } else { "differ" };
        format!(": {} {verb}, the first at {}", counted(difference.differing_bytes, "byte"), at + first)
    });
    let head = Paragraph::labelled(format!("{number}. "), 3, format!("{len} bytes at {at}{of}{differ}"));
    let mut blocks = vec![head.into()];
    for (place, copy) in difference.copies.iter().enumerate() {
        let disk = printable(disks.get(usize::from(copy.disk)).map_or("?", String::as_str));
        let shows = format!("{disk} from {}{}", copy.offset, shows(copy, difference.first));
        blocks.push(Block::whole(format!("   {}  ", letter(place)), shows));
        blocks.extend(copy.sha256.as_ref().map(|digest| Block::whole("      sha256 ", printable(digest))));
    }
    for judged in &difference.judged {
        let part = match judged.by {
            Kind::None => String::new(),
            Kind::Majority => "copies counted: ".to_owned(),
            kind => format!("{}, {} bytes at {}: ", kind.noun(), judged.len, judged.at),
        };
        let mark = if judged.certainty == Certainty::Unknown { "?" } else { "=" };
        let text = format!("{part}{}; {}", judged.verdict(), printable(&judged.why));
        blocks.push(Paragraph::labelled(format!("   {mark} "), 5, text).into());
    }
    Block::part(blocks)
}

/// The first bytes that differ, or why there are none.
fn shows(copy: &RangeCopy, first: Option<u64>) -> String {
    match (&copy.shows, copy.errno) {
        (_, Some(errno)) => format!(", cannot be read (error {errno})"),
        (Some(bytes), None) => format!(", {} at {}", printable(bytes), copy.offset + first.unwrap_or(0)),
        (None, None) => String::new(),
    }
}
