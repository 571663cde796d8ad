//! What a power cut took, for people: the verdict, what it rests on and what it excludes, then each loss. Must not judge.

use super::{Checked, sync};
use crate::numbers::counted;
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::judge::wrong_data::holds;
use rigel_core::path_text::printable;
use rigel_core::units::{Bytes, number};
use rigel_core::uses::durability::{Found, Kind, Loss};

/// Losses that are shown; JSON has more.
const MOST_SHOWN: usize = 20;

/// The text.
pub fn text(checked: &Checked<'_>) -> String {
    let mut page = Page::default();
    let found = checked.found;
    let mut say = |text: &str| wrapped(&mut page, "", "", text);
    say(&verdict(found));
    say(&rests_on(checked));
    if !found.is_clean() {
        say(&how(found));
    }
    if let Some(share) = checked.excluded() {
        say(&excludes(share));
    }
    if found.in_flight > 0 {
        say(&in_flight(found));
    }
    for note in checked.notes {
        say(&format!("Note: {}.", printable(note)));
    }
    for (number, loss) in (1..).zip(found.losses.iter().take(MOST_SHOWN)) {
        page.blank();
        one(&mut page, number, loss, checked.acks.head().shape.block_bytes);
    }
    let left = found.gone().saturating_sub(found.losses.len().min(MOST_SHOWN) as u64);
    if left > 0 {
        page.blank();
        page.line(format!("{left} more; --json lists the first 10000."));
    }
    page.into_string()
}

fn verdict(found: &Found) -> String {
    match (found.gone(), found.judged) {
        (0, judged) => format!("No acknowledged write is gone: all {judged} that can be judged are there."),
        (gone, judged) => {
            let are = if gone == 1 { "is" } else { "are" };
            format!(
                "ACKNOWLEDGED WRITES ARE GONE: {gone} of {judged} that can be judged {are} not there as written."
            )
        }
    }
}

fn rests_on(checked: &Checked<'_>) -> String {
    let Checked { acks, found, target, .. } = *checked;
    let head = acks.head();
    let by = format!("{} of {}", counted(head.shape.writers, "writer"), Bytes(head.shape.block_bytes));
    let mut text = format!(
        "The witness has {} ({by}, {}) on {}, begun {}; the last one to each place can be judged.",
        counted(found.acknowledged, "acknowledgement"),
        sync(head.sync),
        printable(target),
        printable(&head.began),
    );
    if found.unwitnessed > 0 {
        text += &format!(
            " {} more of which it did not hear were acknowledged as well, because later writes of the same writers are there.",
            found.unwitnessed
        );
    }
    text
}

/// What is gone, by kind.
fn how(found: &Found) -> String {
    let of = |kind: Kind| match found.of(kind) {
        0 => None,
        count => Some(format!("{count} {}", kind.name())),
    };
    let kinds: Vec<String> = Kind::ALL.into_iter().filter_map(of).collect();
    let mut text = format!("By kind: {}.", kinds.join(", "));
    if found.reordered > 0 {
        text += &format!(
            " {} of them out of order: a later write of the same writer is there, which breaks a log that relies on the order of its writes.",
            found.reordered
        );
    }
    if found.most_writes_ago > 0 {
        text += &format!(
            " After the oldest of them its writer was told of {} more.",
            counted(found.most_writes_ago - 1, "durable write")
        );
    }
    text
}

fn excludes(share: f64) -> String {
    let one_in = (1.0 / share).floor().max(1.0);
    format!(
        "What that excludes: a cut that takes more than one in {} of such writes would have been seen (95 %). It is one cut: n cuts without a loss leave \
         room for up to 3 in n that lose something, so 30 clean cuts for one in ten.",
        number(one_in)
    )
}

fn in_flight(found: &Found) -> String {
    let places = counted(found.in_flight, "place");
    let verb = if found.in_flight == 1 { "was" } else { "were" };
    let damaged = match found.in_flight_damaged {
        0 => String::new(),
        damaged => format!(", and {damaged} of them hold damaged or unreadable blocks"),
    };
    format!(
        "{places} {verb} perhaps being written at the cut: old or new data or a part of each is no fault there{damaged}."
    )
}

fn one(page: &mut Page, number: usize, loss: &Loss, block_bytes: u64) {
    let whose = match (loss.writer, loss.generation) {
        (Some(writer), _) => format!("write {} of writer {writer} to byte {}", loss.generation, loss.offset),
        (None, 0) => format!("byte {}, to which no write was acknowledged", loss.offset),
        (None, _) => "the label of the run at byte 0, which was made durable before all others".to_owned(),
    };
    let holds = holds(loss.fault, |_, offset| format!("at byte {offset}"));
    let block = match (loss.fault, block_bytes) {
        (_, 4096) => "it".to_owned(),
        _ => format!("the block at byte {}", loss.block),
    };
    wrapped(page, &format!("{number}. "), "   ", &format!("{}: {whose}; {block} {holds}", loss.kind.name()));
    let mut more = Vec::new();
    if loss.writes_ago > 0 {
        more.push(format!("{} acknowledged after it", loss.writes_ago - 1));
    }
    if loss.reordered {
        more.push("a later one is there".to_owned());
    }
    if !loss.witnessed {
        more.push("the witness did not hear of it".to_owned());
    }
    if !more.is_empty() {
        wrapped(page, "   ", "   ", &more.join("; "));
    }
    let at = loss.block + u64::from(loss.excerpt_at);
    page.line(format!("   there  {} from byte {at}", loss.found_hex));
    page.line(format!("   wanted {}", loss.expected_hex));
}
