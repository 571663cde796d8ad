//! A comparison as one HTML page: the verdict, the gates, both sides overlaid, every change, other differences.
//!
//! In the same shell as the page of a run ([`crate::html::shell`]). Must not leave out a row.

use super::verdict::Standing;
use super::words::{DOUBTS, doubt, legend, meaning, names, percents, place, some, value, verdict, width};
use super::{Compared, gates, levels, measured, reason};
use crate::html::assets;
use crate::html::markup::{Column, Text, chart, close_table, list, open_table};
use crate::html::shell::Shell;
use crate::html::verdict::{next_line, tone_class};
use crate::json::compact;
use crate::label;
use crate::numbers::signed_percent;
use crate::page::Page;
use crate::verdict::Tone;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::stats::Estimate;
use rigel_core::uses::compare::gate::{GateResult, Outcome};
use rigel_core::uses::compare::{Comparison, Effect, Metric, Row};
use serde::Serialize;
use std::borrow::Cow;

/// A longer table is folded.
const MOST_ROWS: usize = 60;
/// Charts that fit on a sheet of paper with what stands above them.
const ON_FIRST_SHEET: usize = 2;

/// What the script draws.
#[derive(Serialize)]
pub(crate) struct Figures {
    /// What both sides are called.
    sides: [String; 2],
    quantities: Vec<Quantity>,
}

/// The load beside a point of one class.
const ALONE: &str = "alone";

#[derive(Serialize)]
struct Quantity {
    name: String,
    title: String,
    unit: &'static str,
    /// What the levels of its class count.
    axis: String,
    /// The loads of other classes beside it, in words.
    besides: Vec<String>,
    rows: Vec<Place>,
}

#[derive(Serialize)]
struct Place {
    /// The load in words.
    name: String,
    /// The level of the class.
    level: u32,
    /// The place of the others among `besides`.
    beside: usize,
    base: [Option<f64>; 3],
    new: [Option<f64>; 3],
    change: Option<[f64; 3]>,
    verdict: &'static str,
    invalid: bool,
}

/// The page.
pub(super) fn page(compared: &Compared<'_>) -> Result<Vec<u8>, Problem> {
    let figures = Figures::of(compared.comparison, legend(compared), |class| axis(compared, class));
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
        gate_table(page, compared.gates, |judged| reason(judged, compared.comparison));
        headline(page, compared);
        page.line(format_args!("<p class=\"about\">{}</p>", Text(&meaning(compared))));
        doubts(page, compared);
        curves(page, &figures);
        changes(page, &figures, "the new side");
        numbers(page, compared.comparison, ["Base", "New"], of_row);
        evidence(page, compared);
    }))
}

/// The names of the runs, and what they measured.
fn side(views: &[View<'_>]) -> String {
    let lines = std::iter::once(names(views)).chain(measured::lines(views));
    lines.map(|line| Text(&line).to_string()).collect::<Vec<_>>().join("<br>")
}

/// What the levels of a class count, by the first run.
fn axis(compared: &Compared<'_>, class: Class) -> String {
    let request = compared.base.first().map(|view| &view.record.header.request);
    request.and_then(|request| request.class(class)).map_or_else(|| class.to_string(), LoadClass::axis)
}

fn title(metric: Metric) -> Cow<'static, str> {
    let plain = match metric {
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
        Metric::CommitLatency => "Mean latency of a commit, one writer (dsync)",
        Metric::CommitFdatasync => "Mean latency of a commit, one writer (fdatasync)",
        Metric::MaxCommits => "Most commits per second (dsync)",
        Metric::Rate(class) => return format!("Rate of {class}").into(),
        Metric::Mbps(class) => return format!("MBPS of {class}").into(),
        Metric::Latency(class) => return format!("Mean latency of {class}").into(),
        Metric::P99(class) => return format!("99th percentile of the latency of {class}").into(),
    };
    plain.into()
}

impl Figures {
    /// Of every quantity that points have; `axis` says what the levels of a class count.
    pub(crate) fn of(comparison: &Comparison, sides: [String; 2], axis: impl Fn(Class) -> String) -> Self {
        let of = |metric: Metric| quantity(comparison, metric, axis(metric.class()));
        Self { sides, quantities: metrics(comparison).into_iter().filter_map(of).collect() }
    }

    /// The same with these quantities first.
    pub(crate) fn led_by(mut self, leading: &[Metric]) -> Self {
        let is_led = |one: &Quantity| leading.iter().any(|metric| metric.name() == one.name);
        self.quantities.sort_by_key(|one| !is_led(one));
        self
    }

    /// The same with other titles, in the order of the quantities.
    pub(crate) fn entitled(mut self, titles: &[&str]) -> Self {
        self.quantities.iter_mut().zip(titles).for_each(|(one, title)| (*title).clone_into(&mut one.title));
        self
    }
}

/// The quantities that have rows, in the order of these.
fn metrics(comparison: &Comparison) -> Vec<Metric> {
    let mut all: Vec<Metric> = comparison.rows.iter().map(|row| row.metric).collect();
    all.dedup();
    all
}

fn of_metric(comparison: &Comparison, metric: Metric) -> impl Iterator<Item = &Row> {
    comparison.rows.iter().filter(move |row| row.metric == metric)
}

/// The rows of a quantity of points; `None` when there are none.
fn quantity(comparison: &Comparison, metric: Metric, axis: String) -> Option<Quantity> {
    let side = |side: &Estimate| [some(side), side.lo95(), side.hi95()];
    let mut besides: Vec<String> = Vec::new();
    let place = |row: &Row| {
        let point = row.point?;
        let others = point.shown().filter(|(class, _)| *class != metric.class());
        let beside = named(others).unwrap_or_else(|| ALONE.to_owned());
        let known = besides.iter().position(|one| *one == beside);
        Some(Place {
            name: named(point.shown()).unwrap_or_default(),
            level: point.of(metric.class()),
            beside: known.unwrap_or_else(|| {
                besides.push(beside);
                besides.len() - 1
            }),
            base: side(&row.base),
            new: side(&row.new),
            change: row.change.as_ref().ok().map(|change| [change.relative, change.lo, change.hi]),
            verdict: verdict(row.verdict),
            invalid: row.is_invalid(),
        })
    };
    let rows: Vec<Place> = of_metric(comparison, metric).filter_map(place).collect();
    (!rows.is_empty()).then(|| Quantity {
        name: metric.name().into_owned(),
        title: title(metric).into_owned(),
        unit: metric.unit(),
        axis,
        besides,
        rows,
    })
}

/// `Small=1, Large=0`; `None` of nothing.
fn named(levels: impl Iterator<Item = (Class, u32)>) -> Option<String> {
    let named = levels.map(|(class, level)| format!("{}={level}", class.label()));
    Some(named.collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}

fn judgement(page: &mut Page, compared: &Compared<'_>) {
    let found = Standing::of(compared);
    let worse = compared.comparison.count(|verdict| verdict == Effect::Worse) > 0;
    let is_open = compared.comparison.count(|verdict| !matches!(verdict, Effect::Undecided(_))) == 0;
    let tone = look(found.tone, compared.gates, worse || is_open);
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(tone)));
    page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&found.head)));
    if !found.causes.is_empty() {
        page.line("<ul class=\"causes\">");
        found.causes.iter().for_each(|cause| page.line(format_args!("<li>{}</li>", Text(cause))));
        page.line("</ul>");
    }
    for text in found.outcome.iter().chain(&gates::sentence(compared.gates)) {
        page.line(format_args!("<p>{}</p>", Text(text)));
    }
    page.line("<p>A mean latency that follows from a rate is shown below and not counted, nor is any other number twice.</p>");
    found.next.iter().for_each(|next| page.line(next_line(next)));
    page.line("</section>");
}

/// How a verdict looks: a gate that failed is as bad as numbers that must not be used, and one that is undecided is no pass. `is_doubtful`:
/// something is worse, or nothing is decided.
pub(crate) fn look(tone: Tone, gates: &[GateResult], is_doubtful: bool) -> Tone {
    let worst = gates.iter().map(|gate| gate.outcome).max();
    match worst {
        Some(Outcome::Failed) => Tone::DoNotUse,
        Some(Outcome::Undecided) => tone.max(Tone::UseWithCare),
        _ if is_doubtful => tone.max(Tone::UseWithCare),
        _ => tone,
    }
}

/// What became of each gate.
pub(crate) fn gate_table(
    page: &mut Page,
    gates: &[GateResult],
    reason: impl Fn(&GateResult) -> Option<String>,
) {
    if gates.is_empty() {
        return;
    }
    page.line("<section>\n<h2>Gates</h2>");
    open_table(
        page,
        &[("Gate", false), ("Outcome", false), ("Points", true), ("Why", false)],
        gates.len(),
        MOST_ROWS,
        "gate",
    );
    for judged in gates {
        let bad = if judged.outcome == Outcome::Failed { " class=\"bad\"" } else { "" };
        let at = judged.rows.iter().filter(|row| row.1 == judged.outcome).count();
        page.line(format_args!(
            "<tr{bad}><th scope=\"row\"><code>{}</code></th><td>{}</td><td class=\"n\">{at} of {}</td><td class=\"text\">{}</td></tr>",
            Text(&judged.gate.text),
            judged.outcome.name(),
            judged.rows.len(),
            Text(&reason(judged).unwrap_or_default())
        ));
    }
    close_table(page);
    page.line("</section>");
}

/// A card for each quantity of the runs.
fn headline(page: &mut Page, compared: &Compared<'_>) {
    page.line("<section class=\"cards\" aria-label=\"Headline numbers\">");
    let found = compared.comparison;
    // The rate within a bound that never binds is the highest rate.
    let is_told = |row: &&Row| found.repeated_by(row).is_some_and(|other| other.point.is_none());
    for row in found.rows.iter().filter(|row| row.point.is_none() && !is_told(row)) {
        let change = row.change.as_ref().map_or_else(
            |_| "no change can be told".to_owned(),
            |change| {
                let [relative, lo, hi] = percents(change);
                format!("{relative} % <span class=\"unit\">({lo} to {hi}), {}</span>", verdict(row.verdict))
            },
        );
        page.line(format_args!(
            "<div class=\"card\"><h3>{}</h3><div class=\"value\">{}</div><div class=\"unit\">from {}</div><div>{change}</div></div>",
            card_title(found, row.metric),
            value(row.metric, row.new.value),
            value(row.metric, row.base.value)
        ));
    }
    page.line("</section>");
}

/// A card stands for both where the bound does not bind.
fn card_title(found: &Comparison, metric: Metric) -> Cow<'static, str> {
    let mut told = found.rows.iter().filter_map(|row| found.repeated_by(row));
    match metric {
        Metric::MaxIops if told.any(|row| row.metric == metric) => title(Metric::MaxSmallIops),
        _ => title(metric),
    }
}

/// Why rows have no verdict, each reason once.
fn doubts(page: &mut Page, compared: &Compared<'_>) {
    for reason in DOUBTS {
        let effect = Effect::Undecided(reason);
        let is_there = compared.comparison.rows.iter().any(|row| row.verdict == effect);
        if let Some(text) = doubt(reason).filter(|_| is_there) {
            page.line(format_args!("<p class=\"about\"><b>{}</b>: {text}.</p>", verdict(effect)));
        }
    }
}

/// The places of the charts over the load; the script draws them.
pub(crate) fn curves(page: &mut Page, figures: &Figures) {
    let quantities = &figures.quantities;
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
        let name = &quantity.name;
        let about = if quantity.besides.iter().all(|beside| beside == ALONE) {
            // There is nothing to choose.
            String::new()
        } else {
            format!("at <label><select id=\"level-{name}\" aria-label=\"Load beside it\"></select></label>")
        };
        chart(page, format_args!("over-{name}"), &quantity.title, about);
    }
    page.line("</div>\n</section>");
}

/// The place of the chart of changes; `new` is what the new side is called.
pub(crate) fn changes(page: &mut Page, figures: &Figures, new: &str) {
    if figures.quantities.is_empty() {
        return;
    }
    page.line(format_args!(
        "<section class=\"drawn-only\">\n<h2>Changes</h2>\n<p class=\"about\">Left of the line {new} has less, \
         right of it more; in 95 of 100 comparisons the whiskers of all points are right at once.</p>\n<div class=\"charts\">\n<figure><figcaption><b>Change</b> of \
         <label><select id=\"quantity\" aria-label=\"Quantity\"></select></label></figcaption><div class=\"stage\" id=\"changes\">\
         </div></figure>\n</div>\n</section>"
    ));
}

/// The change of a row with both ends of an interval of it.
fn of_row(row: &Row) -> Option<[f64; 3]> {
    row.change.ok().map(|change| [change.relative, change.lo, change.hi])
}

/// Every row as a table.
pub(crate) fn numbers(
    page: &mut Page,
    comparison: &Comparison,
    [base, new]: [&str; 2],
    change: impl Fn(&Row) -> Option<[f64; 3]>,
) {
    page.line("<section id=\"numbers\">\n<h2>Numbers</h2>");
    for metric in metrics(comparison) {
        let rows: Vec<&Row> = of_metric(comparison, metric).collect();
        if rows.is_empty() {
            continue;
        }
        page.line(format_args!("<h3>{}</h3>", title(metric)));
        let columns: [Column<'_>; 6] = [
            ("Point", false),
            (base, true),
            (new, true),
            ("Change", true),
            ("From .. to", true),
            ("Effect", false),
        ];
        open_table(page, &columns, rows.len(), MOST_ROWS, "row");
        rows.into_iter().for_each(|row| line(page, row, change(row)));
        close_table(page);
    }
    page.line("</section>");
}

fn line(page: &mut Page, row: &Row, change: Option<[f64; 3]>) {
    let side = |side: &Estimate| {
        let width = width(side).map_or_else(String::new, |width| format!(" <small>±{width} %</small>"));
        format!("<td class=\"n\">{}{width}</td>", value(row.metric, side.value))
    };
    let (change, ends) = change.map_or_else(
        || ("-".to_owned(), "-".to_owned()),
        |change| {
            let [relative, lo, hi] = change.map(signed_percent);
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
