//! What a scrub found, for people: the verdict, then each range with its digests and which copy is right. Must not judge.

use super::Scrubbed;
use crate::numbers::counted;
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use rigel_core::uses::scrub::{Certainty, CopyFound, Difference, Found, Kind, State, Stretch, letter};

/// Ranges that are shown; JSON has more.
const MOST_SHOWN: usize = 50;

/// The text. `complete` when nothing is left to compare.
pub fn text(scrubbed: &Scrubbed<'_>, complete: bool) -> String {
    let mut page = Page::default();
    let found = &scrubbed.state.found;
    let compared = match complete {
        true => format!("{} of each copy were compared", Bytes(scrubbed.total)),
        false => {
            format!("{} of {} of each copy were compared", Bytes(scrubbed.state.done), Bytes(scrubbed.total))
        }
    };
    wrapped(&mut page, "", "", &format!("{}; {compared}.", verdict(scrubbed.state)));
    if found.passed > 0 {
        let passed = counted(found.passed, "block");
        wrapped(
            &mut page,
            "",
            "",
            &format!("{passed} of 4 KiB differed and were alike when read again: writes in flight."),
        );
    }
    if found.restless_ranges > 0 {
        wrapped(&mut page, "", "", &restless(found));
    }
    if !scrubbed.state.pending.is_empty() {
        wrapped(&mut page, "", "", &waiting(&scrubbed.state.pending));
    }
    for (number, difference) in (1..).zip(found.differences.iter().take(MOST_SHOWN)) {
        page.blank();
        range(&mut page, number, difference, scrubbed.disks);
    }
    let left = found.ranges.saturating_sub(found.differences.len().min(MOST_SHOWN) as u64);
    if left > 0 {
        page.blank();
        page.line(format!("{} more; --json lists the first 10000.", counted(left, "range")));
    }
    page.into_string()
}

fn restless(found: &Found) -> String {
    let ranges = counted(found.restless_ranges, "range");
    let at: Vec<String> = found.restless.iter().take(5).map(|range| range.at.to_string()).collect();
    let more = if found.restless_ranges > at.len() as u64 { " .." } else { "" };
    format!(
        "{ranges}, {} bytes, kept changing and could not be judged (at {}{more}); scrub again when there are fewer writes.",
        found.restless_bytes,
        at.join(", ")
    )
}

/// What a scrub that was stopped has not looked at again.
fn waiting(pending: &[Stretch]) -> String {
    let bytes: u64 = pending.iter().map(|stretch| stretch.len).sum();
    let ranges = counted(pending.len() as u64, "range");
    format!(
        "{ranges}, {bytes} bytes, differed or could not be read, once; whether that stays was not looked at."
    )
}

fn verdict(state: &State) -> String {
    let Found { ranges, bytes, unreadable, restless_ranges, .. } = state.found;
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

fn range(page: &mut Page, number: usize, difference: &Difference, disks: &[String]) {
    let Difference { at, len, .. } = *difference;
    let of = difference.of.map_or_else(String::new, |of| format!(", file {} extent {}", of.file, of.extent));
    let differ = difference.first.map_or_else(String::new, |first| {
        let verb = if difference.differing_bytes == 1 { "differs" } else { "differ" };
        format!(": {} {verb}, the first at {}", counted(difference.differing_bytes, "byte"), at + first)
    });
    wrapped(page, &format!("{number}. "), "   ", &format!("{len} bytes at {at}{of}{differ}"));
    for (place, copy) in difference.copies.iter().enumerate() {
        let disk = disks.get(usize::from(copy.disk)).map_or("?", String::as_str);
        let path = printable(disk);
        page.line(format!(
            "   {}  {path} from {}{}",
            letter(place),
            copy.offset,
            shows(copy, difference.first)
        ));
        if let Some(digest) = &copy.sha256 {
            page.line(format!("      sha256 {}", printable(digest)));
        }
    }
    for judged in &difference.judged {
        let verdict = judged.verdict();
        let part = match judged.by {
            Kind::None => String::new(),
            Kind::Majority => "copies counted: ".to_owned(),
            kind => format!("{}, {} bytes at {}: ", kind.noun(), judged.len, judged.at),
        };
        let mark = if judged.certainty == Certainty::Unknown { "?" } else { "=" };
        wrapped(
            page,
            &format!("   {mark} "),
            "     ",
            &format!("{part}{verdict}; {}", printable(&judged.why)),
        );
    }
}

/// The first bytes that differ, or why there are none.
fn shows(copy: &CopyFound, first: Option<u64>) -> String {
    match (&copy.shows, copy.errno) {
        (_, Some(errno)) => format!(", cannot be read (error {errno})"),
        (Some(bytes), None) => format!(", {} at {}", printable(bytes), copy.offset + first.unwrap_or(0)),
        (None, None) => String::new(),
    }
}
