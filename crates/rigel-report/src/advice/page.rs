//! Advice for people: every setting of every product and its derivation. 80 columns wide; a long address stays whole.
//!
//! Must not leave out a setting that the runs do not support.

use super::{Advisory, range, title};
use crate::calibration;
use crate::numbers::counted;
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::path_text::printable;
use rigel_core::uses::advice::{Advice, Given, Product, Refusal};

/// The indent of the lines below a setting.
const BELOW: &str = "      ";
/// The start of a line with a figure.
const FIGURE: &str = "      - ";
const FIGURE_GOES_ON: &str = "        ";

/// The whole page.
pub fn page(advisory: &Advisory<'_>) -> String {
    let mut page = Page::default();
    page.line(format_args!("Advice from {} of one target", counted(advisory.views.len(), "run")));
    advisory.runs().iter().for_each(|run| wrapped(&mut page, "  ", "    ", run));
    advisory.remarks().iter().for_each(|remark| wrapped(&mut page, "", "", remark));
    wrapped(
        &mut page,
        "",
        "",
        "In brackets stands what a value would be at the ends of the 95 % intervals behind it.",
    );
    for product in Product::ALL {
        section(&mut page, advisory, product);
    }
    calibration::flags(&mut page, &advisory.advised.flags);
    page.into_string()
}

fn section(page: &mut Page, advisory: &Advisory<'_>, product: Product) {
    let mut advice = advisory.advised.of_product(product).peekable();
    if advice.peek().is_none() {
        return;
    }
    page.blank();
    page.line(format_args!("{}: --for {}", title(product), product.name()));
    while let Some(one) = advice.next() {
        setting(page, one);
        // Consecutive settings with the same source name it once, below the last of them.
        if advice.peek().is_none_or(|next| next.source != one.source) {
            page.line(format_args!("{BELOW}{}", one.source));
        }
    }
}

fn setting(page: &mut Page, advice: &Advice) {
    match &advice.outcome {
        Ok(given) => value(page, advice, given),
        Err(Refusal { because, next }) => {
            page.line(format_args!("  {:<30} not advised", advice.setting));
            wrapped(page, BELOW, BELOW, &printable(because));
            wrapped(page, BELOW, BELOW, &printable(next));
        }
    }
}

fn value(page: &mut Page, advice: &Advice, given: &Given) {
    let value = printable(&given.value.text);
    let range = range(&given.value).map_or_else(String::new, |range| format!("  ({range})"));
    let since = advice.since.map_or_else(String::new, |major| format!("  from version {major} on"));
    page.line(format_args!("  {:<30} {value}{range}{since}", advice.setting));
    wrapped(page, BELOW, BELOW, &printable(&given.why));
    for measured in &given.measured {
        wrapped(page, FIGURE, FIGURE_GOES_ON, &printable(&format!("{}: {}", measured.what, measured.told())));
    }
}
