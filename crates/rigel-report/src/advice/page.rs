//! Advice for people: warnings, then for each product a table of its settings; the derivation of each on request. 80 columns wide;
//! a long address and a command line stay whole.
//!
//! Must not leave out a setting that the runs do not support.

use super::{Advisory, kept, kept_back, meaning, names, range, title, warnings};
use crate::numbers::counted;
use crate::page::Page;
use crate::text::wrapped;
use rigel_core::path_text::printable;
use rigel_core::uses::advice::{Advice, Given, Kind, Product, Refusal};

/// The indent of the lines below a setting.
const BELOW: &str = "      ";
/// The start of a line with a figure.
const FIGURE: &str = "      - ";
const FIGURE_GOES_ON: &str = "        ";

/// The whole page. `explain`: with the formula, the figures and the source of every setting.
pub fn page(advisory: &Advisory<'_>, explain: bool) -> String {
    let mut page = Page::default();
    page.line(format_args!("Advice from {} of one target", counted(advisory.views.len(), "run")));
    advisory.runs().iter().for_each(|run| wrapped(&mut page, "  ", "    ", run));
    advisory.remarks().iter().for_each(|remark| wrapped(&mut page, "", "", remark));
    warnings::paragraphs(&mut page, advisory);
    for product in Product::ALL {
        section(&mut page, advisory, product, explain);
    }
    if !explain {
        missing(&mut page, advisory);
    }
    page.blank();
    legend(advisory, explain).iter().for_each(|line| wrapped(&mut page, "", "  ", line));
    page.into_string()
}

/// What the words of the tables mean, as far as they stand there.
fn legend(advisory: &Advisory<'_>, explain: bool) -> Vec<String> {
    let given = || advisory.advised.advice.iter().filter(|one| one.outcome.is_ok());
    let hints = given().any(|one| one.outcome.as_ref().is_ok_and(|given| given.is_hint));
    let has = |kind| !kept(&advisory.advised.advice, kind).is_empty();
    let word = |kind| format!("{}: {}", kept_back(kind), meaning(kind));
    let lines = [
        (true, "range: what the value would be at the ends of the 95 % intervals behind it".to_owned()),
        (given().any(|one| one.since.is_some()), "v18: from that version of the server on".to_owned()),
        (
            given().any(|one| one.until.is_some()),
            "to v17: a comment for later versions, for which an experiment did not confirm it".to_owned(),
        ),
        (
            hints,
            "comment: stands in the file as a comment, because not every server takes or needs it".to_owned(),
        ),
        (has(Kind::Rough), word(Kind::Rough)),
        (has(Kind::InDoubt), word(Kind::InDoubt)),
        (has(Kind::Missing), word(Kind::Missing)),
        (
            !explain,
            "--explain shows how each value came about; with --for PRODUCT for one product.".to_owned(),
        ),
    ];
    lines.into_iter().filter(|(is_there, _)| *is_there).map(|(_, line)| line).collect()
}

fn section(page: &mut Page, advisory: &Advisory<'_>, product: Product, explain: bool) {
    let advice: Vec<&Advice> = advisory.advised.of_product(product).collect();
    let known = |one: &&Advice| explain || one.refused(Kind::Missing).is_none();
    let shown: Vec<&Advice> = advice.iter().copied().filter(known).collect();
    if shown.is_empty() {
        return;
    }
    page.blank();
    page.line(format_args!("{}: --for {}", title(product), product.name()));
    table(page, &shown);
    shown.iter().filter_map(|one| one.outcome.as_ref().ok()).for_each(|given| remark(page, given));
    if explain {
        derivations(page, &advice);
    }
}

/// A line for each setting: its value, the range, from which version on there is one, whether it is a comment in the file.
fn table(page: &mut Page, advice: &[&Advice]) {
    let rows: Vec<[String; 4]> = advice.iter().map(|one| row(one)).collect();
    let heading = ["setting", "value", "range", ""].map(str::to_owned);
    let width = |place: usize| {
        let cells = rows.iter().chain([&heading]).map(|row| row[place].chars().count());
        cells.max().unwrap_or(0)
    };
    let [setting, value, range] = [0, 1, 2].map(width);
    for [one, two, three, four] in std::iter::once(&heading).chain(&rows) {
        let line = format!("  {one:<setting$}  {two:<value$}  {three:<range$}  {four}");
        page.line(line.trim_end());
    }
}

fn row(advice: &Advice) -> [String; 4] {
    let name = advice.setting.to_owned();
    match &advice.outcome {
        Ok(given) => {
            let since = advice.since.map(|major| format!("v{major}"));
            let until = advice.until.map(|major| format!("to v{major}"));
            let hint = given.is_hint.then(|| "comment".to_owned());
            let rough = given.rough.as_ref().map(|rough| kept_back(rough.kind).to_owned());
            let notes: Vec<String> = rough.into_iter().chain(since).chain(until).chain(hint).collect();
            let value = printable(&given.value.text).into_owned();
            [name, value, range(&given.value).unwrap_or_default(), notes.join(", ")]
        }
        Err(refusal) => [name, kept_back(refusal.kind).to_owned(), String::new(), String::new()],
    }
}

/// What to know before the value is used, and what it would be under other conditions.
fn remark(page: &mut Page, given: &Given) {
    if let Some(text) = &given.remark {
        wrapped(page, "  ", "  ", &printable(text));
    }
    for other in &given.otherwise {
        let range = range(&other.value).map_or_else(String::new, |range| format!("  ({range})"));
        page.line(format_args!("    {:<14} {}{range}", printable(&other.when), printable(&other.value.text)));
    }
}

/// The settings that no record has figures for, in a line for each product.
fn missing(page: &mut Page, advisory: &Advisory<'_>) {
    let all = kept(&advisory.advised.advice, Kind::Missing);
    if all.is_empty() {
        return;
    }
    page.blank();
    page.line("Not measured (--for PRODUCT --explain gives the commands that measure them):");
    for own in all.chunk_by(|one, next| one.0.product == next.0.product) {
        let product = own.first().map_or("", |(advice, _)| advice.product.name());
        wrapped(page, &format!("  {product:<10}  "), "              ", &names(own));
    }
}

fn derivations(page: &mut Page, advice: &[&Advice]) {
    page.blank();
    for (place, one) in advice.iter().enumerate() {
        setting(page, one);
        // Consecutive settings with the same source name it once, below the last of them.
        if advice.get(place + 1).is_none_or(|next| next.source != one.source) {
            page.line(format_args!("{BELOW}{}", one.source));
        }
    }
}

fn setting(page: &mut Page, advice: &Advice) {
    match &advice.outcome {
        Ok(given) => {
            page.line(format_args!("  {} = {}", advice.setting, valued(given)));
            if let Some(rough) = &given.rough {
                let details = rough.details.as_ref().unwrap_or(&rough.because);
                wrapped(page, BELOW, BELOW, &format!("{}: {}", kept_back(rough.kind), printable(details)));
            }
            derivation(page, given);
        }
        Err(Refusal { because, details, withheld: Some(given), .. }) => {
            page.line(format_args!("  {}: WITHHELD, not to be used: {}", advice.setting, valued(given)));
            wrapped(page, BELOW, BELOW, &printable(details.as_ref().unwrap_or(because)));
            derivation(page, given);
        }
        Err(refusal) => {
            page.line(format_args!("  {}: {}", advice.setting, kept_back(refusal.kind)));
            wrapped(page, BELOW, BELOW, &printable(&refusal.because));
            wrapped(page, BELOW, BELOW, &printable(&refusal.next));
            warnings::command(page, refusal);
        }
    }
}

fn valued(given: &Given) -> String {
    let range = range(&given.value).map_or_else(String::new, |range| format!("  ({range})"));
    format!("{}{range}", printable(&given.value.text))
}

fn derivation(page: &mut Page, given: &Given) {
    wrapped(page, BELOW, BELOW, &printable(&given.why));
    for measured in &given.measured {
        wrapped(page, FIGURE, FIGURE_GOES_ON, &printable(&format!("{}: {}", measured.what, measured.told())));
    }
}
