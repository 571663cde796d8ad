//! What stands above the settings: those that are withheld, with the reason and the command that measures better, and what else
//! asks for care.
//!
//! Must not judge a figure; [`rigel_core::uses::advice`] does.

use super::{Advisory, Kept, grouped, kept, names};
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::path_text::printable;
use rigel_core::uses::advice::{Advice, Kind, Refusal};

/// The paragraphs; nothing when nothing speaks against the values.
pub(super) fn paragraphs(page: &mut Page, advisory: &Advisory<'_>) {
    in_question(page, &advisory.advised.advice, Kind::InDoubt);
    in_question(page, &advisory.advised.advice, Kind::Rough);
    in_doubt(page, &advisory.advised.flags);
}

/// Settings that are withheld, or rough, for the same reason are named together, and what has the same remedy stands above it.
fn in_question(page: &mut Page, advice: &[Advice], kind: Kind) {
    let all = kept(advice, kind);
    if all.is_empty() {
        return;
    }
    let (head, remedy_of) = match kind {
        Kind::Rough => {
            ("ROUGH: the values of these settings lie somewhere in their ranges.", "  To have them better: ")
        }
        Kind::InDoubt | Kind::Missing => {
            ("WITHHELD: what was measured is not good enough for these settings.", "  To have them: ")
        }
    };
    page.blank();
    page.line(head);
    for remedy in grouped(&all, |refusal| (&refusal.next, &refusal.command)) {
        for reason in grouped(&remedy, |refusal| &refusal.because) {
            wrapped(page, "  ", "  ", &names_with_products(&reason));
            if let Some((_, refusal)) = reason.first() {
                wrapped(page, "      ", "      ", &printable(&refusal.because));
            }
        }
        if let Some((_, refusal)) = remedy.first() {
            wrapped(page, remedy_of, "  ", &printable(&refusal.next));
            command(page, refusal);
        }
    }
}

/// A command line stays whole, so that it can be copied.
pub(super) fn command(page: &mut Page, refusal: &Refusal) {
    if let Some(place) = refusal.place() {
        page.line(format_args!("      {place}:"));
    }
    if let Some(line) = &refusal.command {
        page.line(format_args!("      {}", printable(line)));
    }
}

/// `random_page_cost (postgresql); MAX_IOPS, LATENCY (oracle)`.
fn names_with_products(all: &[Kept<'_>]) -> String {
    let of_products = all.chunk_by(|one, next| one.0.product == next.0.product).map(|own| {
        let product = own.first().map_or("", |(advice, _)| advice.product.name());
        format!("{} ({product})", names(own))
    });
    of_products.collect::<Vec<_>>().join("; ")
}

/// That a device is simulated is said elsewhere.
fn in_doubt(page: &mut Page, flags: &[Flag]) {
    let flags: Vec<&Flag> = flags.iter().filter(|flag| flag.code != FlagCode::Simulated).collect();
    if flags.is_empty() {
        return;
    }
    page.blank();
    page.line("CARE: these flags stand beside what the values below rest on.");
    for flag in flags {
        wrapped(page, "  ", "      ", &format!("{}: {}", flag.code.name(), printable(&flag.text)));
    }
}
