//! What a power cut lost, for people: the verdict, what it is based on and what it excludes, then each loss. Must not judge.

use super::{DurabilityReport, sync};
use crate::document::{Block, Blocks, Document, Paragraph, Room};
use crate::judgement::Tone;
use rigel_core::judge::wrong_data::holds;
use rigel_core::path_text::printable;
use rigel_core::units::Bytes;
use rigel_core::units::say::counted;
use rigel_core::units::say::number;
use rigel_uses::durability::{DurabilityFindings, Kind, Loss};

/// Losses that are shown; JSON has more.
const MOST_SHOWN: usize = 20;

impl Document for DurabilityReport<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        let found = self.found;
        let mut all = vec![verdict(found)];
        all.extend((!found.is_clean()).then(|| how(found)));
        all.push(rests_on(self));
        all.extend(self.excluded().map(excludes));
        all.extend((found.in_flight > 0).then(|| in_flight(found)));
        all.extend(self.notes.iter().map(|note| format!("Note: {}.", printable(note))));
        let tone = if found.is_clean() { Tone::Good } else { Tone::DoNotUse };
        let mut blocks = vec![Block::Verdict { tone, sentences: all }];
        let losses = (1..).zip(found.losses.iter().take(MOST_SHOWN));
        let block_bytes = self.acks.head().shape.block_bytes;
        blocks.extend(losses.map(|(number, loss)| one(number, loss, block_bytes)));
        let left = found.gone().saturating_sub(found.losses.len().min(MOST_SHOWN) as u64);
        let more =
            (left > 0).then(|| Block::whole("", format!("{left} more; --json lists the first 10000.")));
        blocks.push(Block::part(more.into_iter().collect()));
        blocks.into()
    }
}

fn verdict(found: &DurabilityFindings) -> String {
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

fn rests_on(checked: &DurabilityReport<'_>) -> String {
    let DurabilityReport { acks, found, target, .. } = *checked;
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
            " {} more that it did not hear of were acknowledged as well, because later writes of the same \
             writers are there.",
            found.unwitnessed
        );
    }
    text
}

/// What is gone, by kind.
fn how(found: &DurabilityFindings) -> String {
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
        "A cut that loses more than one in {} of such writes would have been detected (95 %). This is one \
         cut: after n cuts without a loss, up to 3 in n may still lose something; after 30 clean cuts, up \
         to one in ten.",
        number(one_in)
    )
}

fn in_flight(found: &DurabilityFindings) -> String {
    let places = counted(found.in_flight, "place");
    let verb = if found.in_flight == 1 { "was" } else { "were" };
    let damaged = match found.in_flight_damaged {
        0 => String::new(),
        damaged => format!(", and {damaged} of them hold damaged or unreadable blocks"),
    };
    format!(
        "{places} {verb} perhaps being written at the cut: old data, new data or a part of each is not a \
         fault there{damaged}."
    )
}

fn one(number: usize, loss: &Loss, block_bytes: u64) -> Block {
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
    let what = format!("{}: {whose}; {block} {holds}", loss.kind.name());
    let after = (loss.writes_ago > 0).then(|| format!("{} acknowledged after it", loss.writes_ago - 1));
    let later = loss.reordered.then(|| "a later one is there".to_owned());
    let unheard = (!loss.witnessed).then(|| "the witness did not hear of it".to_owned());
    let more: Vec<String> = after.into_iter().chain(later).chain(unheard).collect();
    let more = (!more.is_empty()).then(|| Paragraph::labelled("   ", 3, more.join("; ")).into());
    let at = loss.block + u64::from(loss.excerpt_at);
    let bytes = [
        Block::whole("   there  ", format!("{} from byte {at}", loss.found_hex)),
        Block::whole("   wanted ", loss.expected_hex),
    ];
    let what = Paragraph::labelled(format!("{number}. "), 3, what).into();
    Block::part(std::iter::once(what).chain(more).chain(bytes).collect())
}
