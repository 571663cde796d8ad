//! Warnings: the settings that are withheld, with the reason and the command that measures better, and everything else that needs care.
//!
//! Must not judge a figure; [`rigel_uses::advice`] does.

use super::{Advisory, WithheldSetting, grouped, names, withheld};
use crate::document::{Block, Paragraph};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::path_text::printable;
use rigel_uses::advice::{Advice, Kind, Refusal};

/// A part for each kind of warning; empty without doubts about the values.
pub(super) fn blocks(advisory: &Advisory<'_>) -> [Block; 3] {
    let advice = &advisory.advised.advice;
    [in_question(advice, Kind::InDoubt), in_question(advice, Kind::Rough), in_doubt(&advisory.advised.flags)]
}

/// Settings that are withheld, or rough, for the same reason are named together, below their common remedy.
fn in_question(advice: &[Advice], kind: Kind) -> Block {
    let all = withheld(advice, kind);
    let (head, remedy_of) = match kind {
        Kind::Rough => {
            ("ROUGH: the true value of these settings lies somewhere in their ranges.", "  To narrow them: ")
        }
        Kind::InDoubt | Kind::Missing => {
            ("WITHHELD: the measurement is not good enough for these settings.", "  To get them: ")
        }
    };
    let mut blocks: Vec<Block> = (!all.is_empty()).then(|| Block::whole("", head)).into_iter().collect();
    for remedy in grouped(&all, |refusal| (&refusal.next, &refusal.command)) {
        for reason in grouped(&remedy, |refusal| &refusal.because) {
            blocks.push(Paragraph::labelled("  ", 2, names_with_products(&reason)).into());
            blocks.extend(reason.first().map(|(_, refusal)| {
                Block::from(Paragraph::labelled("      ", 6, printable(&refusal.because)))
            }));
        }
        if let Some((_, refusal)) = remedy.first() {
            blocks.push(Paragraph::labelled(remedy_of, 2, printable(&refusal.next)).into());
            blocks.extend(command(refusal));
        }
    }
    Block::part(blocks)
}

/// A command line stays unbroken, so it can be copied.
pub(super) fn command(refusal: &Refusal) -> Vec<Block> {
    let place = refusal.place().map(|place| Block::whole("      ", format!("{place}:")));
    let line = refusal.command.as_ref().map(|line| Block::whole("      ", printable(line)));
    place.into_iter().chain(line).collect()
}

/// `random_page_cost (postgresql); MAX_IOPS, LATENCY (oracle)`.
fn names_with_products(all: &[WithheldSetting<'_>]) -> String {
    let of_products = all.chunk_by(|one, next| one.0.product == next.0.product).map(|own| {
        let product = own.first().map_or("", |(advice, _)| advice.product.name());
        format!("{} ({product})", names(own))
    });
    of_products.collect::<Vec<_>>().join("; ")
}

/// Another part says that a device is simulated.
fn in_doubt(flags: &[Flag]) -> Block {
    let others = flags.iter().filter(|flag| flag.code != FlagCode::Simulated);
    let mut blocks: Vec<Block> = others
        .map(|flag| {
            let text = format!("{}: {}", flag.code.name(), printable(&flag.text));
            Paragraph::labelled("  ", 6, text).into()
        })
        .collect();
    if !blocks.is_empty() {
        let head = "CARE: the figures behind the values carry these flags.";
        blocks.insert(0, Block::whole("", head));
    }
    Block::part(blocks)
}
