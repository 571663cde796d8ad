//! A comparison as one HTML page: the verdict, the gates, both sides overlaid, every change, other differences.
//!
//! In the same shell as the page of a run ([`crate::html::shell`]). Must not leave out a row.

use super::verdict::Standing;
use super::words::{doubt, legend, meaning, names, percents, place, some, verdict, width};
use super::{Compared, gates, levels, measured};
use crate::html::assets;
use crate::html::markup::{Column, Text, chart, close_table, list, open_table};
use crate::html::shell::Shell;
use crate::html::verdict::{next_line, tone_class};
use crate::json::compact;
use crate::label;
use crate::numbers::{number, time};
use crate::page::Page;
use crate::verdict::Tone;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, Pattern};
use rigel_core::stats::Estimate;
use rigel_core::uses::compare::change::Doubt;
use rigel_core::uses::compare::gate::Outcome;
use rigel_core::uses::compare::{Effect, Metric, Row};
use serde::Serialize;

/// A longer table is folded.
const MOST_ROWS: usize = 60;
/// Charts that fit on a sheet of paper with what stands above them.
const ON_FIRST_SHEET: usize = 2;

#[derive(Serialize)]
struct Figures {
    /// What both sides are called.
    sides: [String; 2],
    /// What a large level counts.
    large_unit: &'static str,
    quantities: Vec<Quantity>,
}

#[derive(Serialize)]
struct Quantity {
    name: &'static str,
    title: &'static str,
    unit: &'static str,
    of: Class,
    rows: Vec<Place>,
}

#[derive(Serialize)]
struct Place {
    small: u32,
    large: u32,
    base: [Option<f64>; 3],
    new: [Option<f64>; 3],
    change: Option<[f64; 3]>,
    verdict: &'static str,
    invalid: bool,
}

/// The page.
pub(super) fn page(compared: &Compared<'_>) -> Result<Vec<u8>, Problem> {
    let quantities: Vec<Quantity> =
        Metric::ALL.into_iter().filter_map(|metric| quantity(compared, metric)).collect();
    let figures = Figures { sides: legend(compared), large_unit: large_unit(compared), quantities };
    let title = "Comparison";
    let shell = Shell {
        title,
        heading: format!(
            "<h1>{title}</h1><p class=\"when\">Base: {}<br>New: {}</p>",
            side(compared.base),
            side(compared.new)
        ),
        made_from: "the records of the runs",
        script: &assets::COMPARE,
        figures: &[("comparison".to_owned(), compact(&figures)?)],
    };
    Ok(shell.page(|page| {
        judgement(page, compared);
        gate_table(page, compared);
        headline(page, compared);
        page.line(format_args!("<p class=\"about\">{}</p>", Text(&meaning(compared))));
        doubts(page, compared);
        charts(page, &figures.quantities);
        numbers(page, compared);
        evidence(page, compared);
    }))
}

/// The names of the runs, and what they measured.
fn side(views: &[View<'_>]) -> String {
    let lines = std::iter::once(names(views)).chain(measured::lines(views));
    lines.map(|line| Text(&line).to_string()).collect::<Vec<_>>().join("<br>")
}

fn large_unit(compared: &Compared<'_>) -> &'static str {
    let first = compared.base.first().map(|view| view.record.header.request.large_pattern());
    if matches!(first, Some(Pattern::Streams { .. })) { "streams" } else { "I/Os" }
}

const fn title(metric: Metric) -> &'static str {
    match metric {
        Metric::SmallIops => "IOPS of small I/O",
        Metric::LargeMbps => "MBPS of large I/O",
        Metric::SmallLatency => "Mean latency of small I/O",
        Metric::LargeLatency => "Mean latency of large I/O",
        Metric::SmallP99 => "99th percentile of the latency of small I/O",
        Metric::LargeP99 => "99th percentile of the latency of large I/O",
        Metric::MaxIops => "Highest small IOPS within the bound",
        Metric::MaxSmallIops => "Highest small IOPS",
        Metric::MaxLargeMbps => "Highest large MBPS",
        Metric::MinSmallLatency => "Lowest mean latency of small I/O",
    }
}

fn of_metric<'a>(compared: &'a Compared<'_>, metric: Metric) -> impl Iterator<Item = &'a Row> {
    compared.comparison.rows.iter().filter(move |row| row.metric == metric)
}

/// The rows of a quantity of points; `None` when there are none.
fn quantity(compared: &Compared<'_>, metric: Metric) -> Option<Quantity> {
    let side = |side: &Estimate| [some(side), side.lo95(), side.hi95()];
    let place = |row: &Row| {
        Some(Place {
            small: row.point?.small(),
            large: row.point?.large(),
            base: side(&row.base),
            new: side(&row.new),
            change: row.change.as_ref().ok().map(|change| [change.relative, change.lo, change.hi]),
            verdict: verdict(row.verdict),
            invalid: row.is_invalid(),
        })
    };
    let rows: Vec<Place> = of_metric(compared, metric).filter_map(place).collect();
    (!rows.is_empty()).then(|| Quantity {
        name: metric.name(),
        title: title(metric),
        unit: metric.unit(),
        of: metric.class(),
        rows,
    })
}

fn judgement(page: &mut Page, compared: &Compared<'_>) {
    let found = Standing::of(compared);
    let failed = compared.gates.iter().any(|gate| gate.outcome == Outcome::Failed);
    let worse = compared.comparison.count(|verdict| verdict == Effect::Worse) > 0;
    let tone = match (failed, worse) {
        (true, _) => Tone::DoNotUse,
        (_, true) => found.tone.max(Tone::UseWithCare),
        _ => found.tone,
    };
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(tone)));
    page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&found.head)));
    if !found.causes.is_empty() {
        page.line("<ul class=\"causes\">");
        found.causes.iter().for_each(|cause| page.line(format_args!("<li>{}</li>", Text(cause))));
        page.line("</ul>");
    }
    for text in found.outcome.iter().chain(&gates::sentence(compared)) {
        page.line(format_args!("<p>{}</p>", Text(text)));
    }
    page.line("<p>A mean latency that follows from a rate is shown below and not counted, nor is any other number twice.</p>");
    found.next.iter().for_each(|next| page.line(next_line(next)));
    page.line("</section>");
}

fn gate_table(page: &mut Page, compared: &Compared<'_>) {
    if compared.gates.is_empty() {
        return;
    }
    page.line("<section>\n<h2>Gates</h2>");
    open_table(
        page,
        &[("Gate", false), ("Outcome", false), ("Points", true), ("Why", false)],
        compared.gates.len(),
        MOST_ROWS,
        "gate",
    );
    for judged in compared.gates {
        let bad = if judged.outcome == Outcome::Failed { " class=\"bad\"" } else { "" };
        let at = judged.rows.iter().filter(|row| row.1 == judged.outcome).count();
        page.line(format_args!(
            "<tr{bad}><th scope=\"row\"><code>{}</code></th><td>{}</td><td class=\"n\">{at} of {}</td><td class=\"text\">{}</td></tr>",
            Text(&judged.gate.text),
            judged.outcome.name(),
            judged.rows.len(),
            Text(&gates::reason(judged, compared.comparison).unwrap_or_default())
        ));
    }
    close_table(page);
    page.line("</section>");
}

/// A value in the unit of its metric.
fn value(metric: Metric, value: f64) -> String {
    match metric.unit() {
        "us" => time(value),
        unit => format!("{} {unit}", number(value)),
    }
}

/// A card for each quantity of the runs.
fn headline(page: &mut Page, compared: &Compared<'_>) {
    page.line("<section class=\"cards\" aria-label=\"Headline numbers\">");
    for row in compared.comparison.rows.iter().filter(|row| row.point.is_none()) {
        let change = row.change.as_ref().map_or_else(
            |_| "no change can be told".to_owned(),
            |change| {
                let [relative, lo, hi] = percents(change);
                format!("{relative} % <span class=\"unit\">({lo} to {hi}), {}</span>", verdict(row.verdict))
            },
        );
        page.line(format_args!(
            "<div class=\"card\"><h3>{}</h3><div class=\"value\">{}</div><div class=\"unit\">from {}</div><div>{change}</div></div>",
            title(row.metric),
            value(row.metric, row.new.value),
            value(row.metric, row.base.value)
        ));
    }
    page.line("</section>");
}

/// Why rows have no verdict, each reason once.
fn doubts(page: &mut Page, compared: &Compared<'_>) {
    for reason in [Doubt::Invalid, Doubt::NoData, Doubt::OneVisit, Doubt::NoInterval, Doubt::UnequalLevels] {
        let effect = Effect::NoEvidence(reason);
        let is_there = compared.comparison.rows.iter().any(|row| row.verdict == effect);
        if let Some(text) = doubt(reason).filter(|_| is_there) {
            page.line(format_args!("<p class=\"about\"><b>{}</b>: {text}.</p>", verdict(effect)));
        }
    }
}

/// The places of the charts; the script draws them.
fn charts(page: &mut Page, quantities: &[Quantity]) {
    if quantities.is_empty() {
        return;
    }
    page.line(
        "<p class=\"no-charts\">The charts are drawn by the script of this page, which did not run; the tables below hold every \
         number.</p>\n<section class=\"drawn-only over-load\">\n<h2>Both sides over the load</h2>\n<p class=\"about\">Bands and whiskers are the \
         95 % intervals of each side; <b>✕</b> marks numbers that must not be used.</p>\n<div class=\"charts\">",
    );
    for (index, quantity) in quantities.iter().enumerate() {
        if index == ON_FIRST_SHEET {
            page.line("</div>\n<div class=\"charts more\">");
        }
        let name = quantity.name;
        let about = format!(
            "at <label><select id=\"level-{name}\" aria-label=\"Level of the other class\"></select></label>"
        );
        chart(page, format_args!("over-{name}"), quantity.title, about);
    }
    page.line(
        "</div>\n</section>\n<section class=\"drawn-only\">\n<h2>Changes</h2>\n<p class=\"about\">Left of the line the new side has less, \
         right of it more; in 95 of 100 comparisons the whiskers of all points are right at once.</p>\n<div class=\"charts\">\n<figure><figcaption><b>Change</b> of \
         <label><select id=\"quantity\" aria-label=\"Quantity\"></select></label></figcaption><div class=\"stage\" id=\"changes\">\
         </div></figure>\n</div>\n</section>",
    );
}

/// Every row as a table.
fn numbers(page: &mut Page, compared: &Compared<'_>) {
    page.line("<section id=\"numbers\">\n<h2>Numbers</h2>");
    for metric in Metric::ALL {
        let rows: Vec<&Row> = of_metric(compared, metric).collect();
        if rows.is_empty() {
            continue;
        }
        page.line(format_args!("<h3>{}</h3>", title(metric)));
        let columns: [Column<'_>; 6] = [
            ("Point", false),
            ("Base", true),
            ("New", true),
            ("Change", true),
            ("From .. to", true),
            ("Effect", false),
        ];
        open_table(page, &columns, rows.len(), MOST_ROWS, "row");
        rows.into_iter().for_each(|row| line(page, row));
        close_table(page);
    }
    page.line("</section>");
}

fn line(page: &mut Page, row: &Row) {
    let side = |side: &Estimate| {
        let width = width(side).map_or_else(String::new, |width| format!(" <small>±{width} %</small>"));
        format!("<td class=\"n\">{}{width}</td>", value(row.metric, side.value))
    };
    let (change, ends) = row.change.as_ref().map_or_else(
        |_| ("-".to_owned(), "-".to_owned()),
        |change| {
            let [relative, lo, hi] = percents(change);
            (format!("{relative} %"), format!("{lo} .. {hi} %"))
        },
    );
    page.line(format_args!(
        "<tr{}><th scope=\"row\">{}</th>{}{}<td class=\"n\">{change}</td><td class=\"n\">{ends}</td><td>{}</td></tr>",
        if row.verdict == Effect::Worse { " class=\"bad\"" } else { "" },
        place(row).unwrap_or_else(|| "all".to_owned()),
        side(&row.base),
        side(&row.new),
        verdict(row.verdict)
    ));
}

/// What differs besides the numbers, and what was compared.
fn evidence(page: &mut Page, compared: &Compared<'_>) {
    let found = compared.comparison;
    page.line("<section id=\"evidence\">\n<h2>What differs besides the numbers</h2>");
    if found.differences.is_empty() {
        page.line("<p>Nothing that Rigel knows of.</p>");
    } else {
        let columns: [Column<'_>; 4] =
            [("What", false), ("First run of the base", false), ("Other run", false), ("Its name", false)];
        open_table(page, &columns, found.differences.len(), MOST_ROWS, "difference");
        for difference in &found.differences {
            page.line(format_args!(
                "<tr{}><th scope=\"row\">{}{}</th><td class=\"text\">{}</td><td class=\"text\">{}</td><td class=\"text\">{}</td></tr>",
                if difference.incomparable { " class=\"bad\"" } else { "" },
                difference.what,
                if difference.incomparable { " (numbers are not about the same thing)" } else { "" },
                Text(&difference.base),
                Text(&difference.other),
                Text(&difference.run_id)
            ));
        }
        close_table(page);
    }
    if let Some(points) = levels::left_out(compared, |point| format!("{},", point.named(" "))) {
        let points = points.replace(",;", ";");
        page.line(format_args!(
            "<p>Not compared, because not every run has them: {}.</p>",
            Text(points.trim_end_matches(','))
        ));
    }
    page.line("<h3>Runs</h3>");
    for (side, views) in [("Base", compared.base), ("New", compared.new)] {
        for view in views {
            let header = &view.record.header;
            list(
                page,
                &[
                    (side, header.run_id.clone()),
                    ("Label", header.request.label.clone().unwrap_or_default()),
                    ("Started", header.started.clone()),
                    ("Targets", label::targets(view)),
                    ("Command line", header.request.command_line.clone()),
                ],
            );
        }
    }
    page.line("</section>");
}
