//! Advice for people: warnings, then for each product a table of its settings; the derivation of each on request. 80 columns wide;
//! a long address and a command line stay whole.
//!
//! Must not leave out a setting that the runs do not support.

use super::{Advisory, kept_back, meaning, names, range, title, warnings, withheld};
use crate::document::{Block, Blocks, Column, Document, Paragraph, Room, Table};
use crate::judgement::Tone;
use crate::text::Style;
use rigel_core::path_text::printable;
use rigel_core::units::say::counted;
use rigel_uses::advice::{Advice, Kind, MeasuredFigure, Product, Refusal, SettingAdvice};

/// The indent of the lines below a setting.
const BELOW: &str = "      ";
/// The start of a line with a figure.
const FIGURE: &str = "      - ";

/// Advice for people; with the formula, the figures and the source of every setting if requested.
struct AdvicePage<'a>(&'a Advisory<'a>, bool);

impl Document for AdvicePage<'_> {
    fn blocks(&self, _room: Room) -> Blocks {
        let Self(advisory, explain) = *self;
        let mut all = vec![answer(advisory), Block::List(advisory.remarks())];
        all.extend(warnings::blocks(advisory));
        all.extend(Product::ALL.into_iter().flat_map(|product| section(advisory, product, explain)));
        if !explain {
            all.push(missing(advisory));
        }
        all.push(Block::part(legend(advisory, explain).into_iter().map(Block::hanging).collect()));
        let runs = advisory.runs().into_iter().map(|run| Paragraph::labelled("From ", 2, run).into());
        all.push(Block::part(runs.collect()));
        all.into()
    }
}

/// The same as text.
pub fn page(advisory: &Advisory<'_>, explain: bool) -> String {
    AdvicePage(advisory, explain).text(Style::default())
}

/// How many settings there are, and how many of them need care.
fn answer(advisory: &Advisory<'_>) -> Block {
    let advice = &advisory.advised.advice;
    let given = advice.iter().filter(|one| one.outcome.is_ok()).count();
    let count = |kind| withheld(advice, kind).len();
    let kinds = [(Kind::Rough, "rough"), (Kind::InDoubt, "withheld"), (Kind::Missing, "not measured")];
    let others = kinds.into_iter().filter(|(kind, _)| count(*kind) > 0);
    let others: Vec<String> = others.map(|(kind, word)| format!("{} {word}", count(kind))).collect();
    let others = if others.is_empty() { String::new() } else { format!("; {}", others.join(", ")) };
    let is_sure = count(Kind::Rough) + count(Kind::InDoubt) == 0 && given > 0;
    Block::Verdict {
        tone: if is_sure { Tone::Good } else { Tone::UseWithCare },
        sentences: vec![format!(
            "{} from {}{others}.",
            counted(given, "setting"),
            counted(advisory.views.len(), "run")
        )],
    }
}

/// The meaning of the words that occur in the tables.
fn legend(advisory: &Advisory<'_>, explain: bool) -> Vec<String> {
    let given = || advisory.advised.advice.iter().filter(|one| one.outcome.is_ok());
    let hints = given().any(|one| one.outcome.as_ref().is_ok_and(|given| given.is_hint));
    let unproven = given().any(|one| one.outcome.as_ref().is_ok_and(|given| given.is_unproven));
    let has = |kind| !withheld(&advisory.advised.advice, kind).is_empty();
    let word = |kind| format!("{}: {}", kept_back(kind), meaning(kind));
    let lines = [
        (true, "range: the value at both ends of the 95 % intervals behind it".to_owned()),
        (given().any(|one| one.since.is_some()), "v18: for that version of the server and later".to_owned()),
        (
            given().any(|one| one.until.is_some()),
            "to v17: a comment for later versions, which no experiment has confirmed".to_owned(),
        ),
        (hints, "comment: a comment in the file, because not every server accepts or needs it".to_owned()),
        (
            unproven,
            "unproven: a comment in the file, because no experiment has confirmed it on every version"
                .to_owned(),
        ),
        (has(Kind::Rough), word(Kind::Rough)),
        (has(Kind::InDoubt), word(Kind::InDoubt)),
        (has(Kind::Missing), word(Kind::Missing)),
        (
            !explain,
            "--explain shows how each value was derived; with --database PRODUCT for one product.".to_owned(),
        ),
    ];
    lines.into_iter().filter(|(is_there, _)| *is_there).map(|(_, line)| line).collect()
}

fn section(advisory: &Advisory<'_>, product: Product, explain: bool) -> Vec<Block> {
    let advice: Vec<&Advice> = advisory.advised.of_product(product).collect();
    let known = |one: &&Advice| explain || one.refused(Kind::Missing).is_none();
    let shown: Vec<&Advice> = advice.iter().copied().filter(known).collect();
    if shown.is_empty() {
        return Vec::new();
    }
    let title = format!("{}: --database {}", title(product), product.name());
    let mut blocks = vec![Block::whole("", title), table(&shown)];
    // What several settings need to know is said once; the derivation has the rest of it.
    let mut told: Vec<&str> = Vec::new();
    for one in shown.iter().filter_map(|one| one.outcome.as_ref().ok()).filter(|_| !explain) {
        let text = beyond_why(one).filter(|text| !told.contains(text));
        told.extend(text);
        blocks.extend(text.map(|text| Paragraph::labelled("  ", 2, printable(text)).into()));
        blocks.extend(otherwise(one, "    "));
    }
    let derived = if explain { derivations(&advice) } else { Vec::new() };
    vec![Block::part(blocks), Block::part(derived)]
}

/// A line for each setting: its value, the range, from which version on it exists, whether it is a comment in the file.
fn table(advice: &[&Advice]) -> Block {
    let rows: Vec<[String; 4]> = advice.iter().map(|one| row(one)).collect();
    Table::of("setting", &rows)
        .indent(2)
        .columns(
            ["setting", "value", "range", ""].into_iter().enumerate(),
            |(_, head)| Column::left(head).gap(2),
            |row, (place, _)| row.get(place).cloned(),
        )
        .done()
}

fn row(advice: &Advice) -> [String; 4] {
    let name = advice.setting.to_owned();
    match &advice.outcome {
        Ok(given) => {
            let since = advice.since.map(|major| format!("v{major}"));
            let until = advice.until.map(|major| format!("to v{major}"));
            let hint = given.is_hint.then(|| "comment".to_owned());
            let unproven = given.is_unproven.then(|| "unproven".to_owned());
            let rough = given.rough.as_ref().map(|rough| kept_back(rough.kind).to_owned());
            let notes: Vec<String> =
                rough.into_iter().chain(since).chain(until).chain(hint).chain(unproven).collect();
            let value = printable(&given.value.text).into_owned();
            [name, value, range(&given.value).unwrap_or_default(), notes.join(", ")]
        }
        Err(refusal) => [name, kept_back(refusal.kind).to_owned(), String::new(), String::new()],
    }
}

/// What to know before the value is used, without how it was derived.
fn beyond_why(given: &SettingAdvice) -> Option<&str> {
    let remark = given.remark.as_deref()?;
    Some(remark.strip_suffix(given.why.as_str()).map_or(remark, str::trim_end))
}

/// What the value would be under other conditions.
fn otherwise(given: &SettingAdvice, indent: &str) -> impl Iterator<Item = Block> {
    given.otherwise.iter().map(move |other| {
        let range = range(&other.value).map_or_else(String::new, |range| format!("  ({range})"));
        let when = format!("{indent}{:<14} ", printable(&other.when));
        Block::whole(when, format!("{}{range}", printable(&other.value.text)))
    })
}

/// The settings that no record has figures for, in a line for each product.
fn missing(advisory: &Advisory<'_>) -> Block {
    let all = withheld(&advisory.advised.advice, Kind::Missing);
    let mut blocks = Vec::new();
    if !all.is_empty() {
        let head = "Not measured (--database PRODUCT --explain gives the commands that measure them):";
        blocks.push(Block::whole("", head));
    }
    for own in all.chunk_by(|one, next| one.0.product == next.0.product) {
        let product = own.first().map_or("", |(advice, _)| advice.product.name());
        blocks.push(Paragraph::labelled(format!("  {product:<10}  "), 14, names(own)).into());
    }
    Block::part(blocks)
}

fn derivations(advice: &[&Advice]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (place, one) in advice.iter().enumerate() {
        blocks.extend(setting(one));
        // Consecutive settings with the same source name it once, below the last of them.
        if advice.get(place + 1).is_none_or(|next| next.source != one.source) {
            blocks.push(Block::whole(BELOW, one.source));
        }
    }
    blocks
}

fn setting(advice: &Advice) -> Vec<Block> {
    let name = advice.setting;
    match &advice.outcome {
        Ok(given) => {
            let mut blocks = vec![Block::whole("  ", format!("{name} = {}", valued(given)))];
            blocks.extend(given.rough.as_ref().map(|rough| {
                let details = rough.details.as_ref().unwrap_or(&rough.because);
                below(&format!("{}: {details}", kept_back(rough.kind)))
            }));
            blocks.extend(derivation(given));
            blocks
        }
        Err(Refusal { because, details, withheld: Some(given), .. }) => {
            let head = format!("{name}: WITHHELD, not to be used: {}", valued(given));
            let mut blocks = vec![Block::whole("  ", head), below(details.as_ref().unwrap_or(because))];
            blocks.extend(derivation(given));
            blocks
        }
        Err(refusal) => {
            let head = Block::whole("  ", format!("{name}: {}", kept_back(refusal.kind)));
            let mut blocks = vec![head, below(&refusal.because), below(&refusal.next)];
            blocks.extend(warnings::command(refusal));
            blocks
        }
    }
}

fn below(text: &str) -> Block {
    Paragraph::labelled(BELOW, BELOW.len(), printable(text)).into()
}

fn valued(given: &SettingAdvice) -> String {
    let range = range(&given.value).map_or_else(String::new, |range| format!("  ({range})"));
    format!("{}{range}", printable(&given.value.text))
}

fn derivation(given: &SettingAdvice) -> Vec<Block> {
    let figure = |measured: &MeasuredFigure| {
        let text = format!("{}: {}", measured.what, measured.told());
        Paragraph::labelled(FIGURE, FIGURE.len(), printable(&text)).into()
    };
    // A remark that goes on with the reason stands for both.
    let remark = given.remark.as_ref().filter(|remark| remark.ends_with(given.why.as_str()));
    let why = std::iter::once(below(remark.unwrap_or(&given.why)));
    why.chain(otherwise(given, BELOW)).chain(given.measured.iter().map(figure)).collect()
}
