//! The rate within bounds on the latency: its cards, the curve of each bound, and what was seen at every rate.
//!
//! Must not choose a figure.

use super::ids::Ids;
use super::markup::{Column, Text, chart, close_table, open_table};
use crate::numbers::{number, time};
use crate::page::Page;
use crate::slo::{To, heads, meaning, requirement, rows, scale_digits, seen, why, word};
use rigel_core::judge::findings::{RequiredFound, SloAnswer, SloFindings, SloPoint, SloRole};

/// A longer table is folded.
const MOST_ROWS: usize = 60;

/// The rate, what became of those that were required, and the latency at shares of it.
pub(super) fn cards(page: &mut Page, found: &SloFindings) {
    page.line("<section class=\"cards\" aria-label=\"Headline numbers\">");
    found.required.iter().for_each(|one| required(page, found, one));
    rate(page, found);
    found.points.iter().for_each(|point| share(page, found, point));
    page.line("</section>");
}

fn card(page: &mut Page, title: &str, value: &str, unit: &str, about: &str) {
    page.line(format_args!(
        "<div class=\"card\"><h3>{}</h3><div class=\"value\">{value} <span class=\"unit\">{unit}</span></div><div>{}</div></div>",
        Text(title),
        Text(about)
    ));
}

fn required(page: &mut Page, found: &SloFindings, one: &RequiredFound) {
    let seen = one.ratio.map(|ratio| seen(&one.requirement.bound, &ratio));
    let about = seen.into_iter().chain(why(one)).collect::<Vec<_>>().join(". ");
    let title = format!("Required {}", requirement(found.scale.as_ref(), &one.requirement));
    card(page, &title, word(one), "", &about);
}

fn rate(page: &mut Page, found: &SloFindings) {
    let bounds: Vec<String> = found.bounds.iter().map(ToString::to_string).collect();
    let what = if found.scale.is_some() { "Largest load" } else { "Highest rate" };
    let title = format!("{what} with {}", crate::words::listed(&bounds));
    let unit = if found.scale.is_some() { "times the load" } else { "I/Os per second" };
    let told = |rate: f64, to: To| match (&found.scale, to) {
        (Some(scale), to) => scale_digits(scale.of(rate), to),
        (None, To::Nearest) => number(rate.round()),
        (None, To::Down) => number(rate.floor()),
        (None, To::Up) => number(rate.ceil()),
    };
    match &found.answer {
        SloAnswer::Rate(rate) => {
            let end = |end: Option<f64>, to: To| end.map_or_else(|| "?".to_owned(), |end| told(end, to));
            let about = format!("{} to {} (95 %)", end(rate.lower, To::Down), end(rate.upper, To::Up));
            card(page, &title, &end(rate.at, To::Nearest), unit, &about);
        }
        SloAnswer::Nowhere(lowest, _) => {
            card(
                page,
                &title,
                "none",
                "",
                &format!("not even {} {unit}", told(f64::from(*lowest), To::Nearest)),
            );
        }
        SloAnswer::Everywhere(most, _) => {
            card(
                page,
                &title,
                &format!("≥ {}", told(f64::from(*most), To::Nearest)),
                unit,
                "the highest that was tried",
            );
        }
        SloAnswer::Unfinished => card(page, &title, "unknown", "", "the run ended before"),
    }
}

/// The latency at a share of the rate, of the bound that is reached first.
fn share(page: &mut Page, found: &SloFindings, point: &SloPoint) {
    // The search aims at shares of what it found; the visits after it may find another rate.
    let (SloRole::Share(_), Some(share)) = (point.role, found.share(point)) else { return };
    let share = number((100.0 * share).round());
    let place = found.rate().and_then(|rate| rate.decided_by).unwrap_or(0);
    let judged = found.bounds.get(place).zip(point.judged_us.get(place).copied().flatten());
    let Some((bound, us)) = judged else { return };
    let mean =
        point.latency_us.as_ref().map_or_else(String::new, |us| format!(", mean {}", time(us.mean.value)));
    let mean = if bound.judged.allowed().is_some() { mean } else { String::new() };
    let at = match &found.scale {
        Some(scale) => {
            format!("{} times the load", scale_digits(scale.of(f64::from(point.rate)), To::Nearest))
        }
        None => format!("{} I/Os per second", number(f64::from(point.rate))),
    };
    let phase = point.phase.map_or_else(String::new, |phase| format!(", phase {}", phase.saturating_add(1)));
    let title = format!("{} at {share} % of it{phase}", bound.judged);
    card(page, &title, &time(us.value), "", &format!("at {at}{mean}"));
}

/// The curve of each bound, drawn by the script of the page.
pub(super) fn curves(page: &mut Page, found: &SloFindings, ids: &Ids) {
    if found.points.is_empty() {
        return;
    }
    let (what, most) =
        if found.scale.is_some() { ("scale", "largest scale") } else { ("rate", "highest rate") };
    let over = if found.scale.is_some() { "times the load" } else { "the I/Os that arrive per second" };
    page.line(format_args!(
        "<section class=\"drawn-only slo\" id=\"{}\">\n<h2>Latency over the {what}</h2>\n<p class=\"about\">Each mark is a {what} \
         that was visited, with its 95 % interval. The dashed line is the bound; the vertical band holds the {most} that \
         keeps it.</p>\n<div class=\"charts\">",
        ids.of("slo")
    ));
    for (place, bound) in found.bounds.iter().enumerate() {
        let about = format!("over {over}; {}", Text(&bound.meaning()));
        chart(page, ids.of(&format!("slo-{place}")), &bound.judged.to_string(), about);
    }
    page.line("</div>\n</section>");
}

/// What was seen at every rate.
pub(super) fn rates(page: &mut Page, found: &SloFindings) {
    let rows = rows(found);
    if rows.is_empty() {
        return;
    }
    let (title, what) = if found.scale.is_some() { ("Scales", "scale") } else { ("Rates", "rate") };
    page.line(format_args!("<section class=\"points\">\n<h2>{title}</h2>"));
    let columns: Vec<Column<'_>> = heads(found).map(|name| (name, true)).to_vec();
    open_table(page, &columns, rows.len(), MOST_ROWS, what);
    for [rate, cells @ ..] in &rows {
        page.push(format_args!("<tr><th scope=\"row\" class=\"n\">{rate}</th>"));
        cells.iter().for_each(|cell| page.push(format_args!("<td class=\"n\">{}</td>", Text(cell))));
        page.line("</tr>");
    }
    close_table(page);
    page.line(format_args!("<p class=\"about\">{}</p>\n</section>", meaning(found)));
}
