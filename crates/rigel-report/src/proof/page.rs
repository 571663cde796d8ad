//! Settings proven as one HTML page: the answers, a chart and a table for each setting, the times of all plans.
//!
//! In the same shell and with the same kit as other pages. Must not leave out a query.

use super::{Proven, text, words};
use crate::html::assets;
use crate::html::markup::{Column, Text, chart, close_table, list, open_table};
use crate::html::shell::Shell;
use crate::html::verdict::tone_class;
use crate::json::compact;
use crate::numbers::{number, time};
use crate::page::Page;
use crate::verdict::Tone;
use rigel_core::error::Problem;
use rigel_core::uses::proof::page_cost::{self, Cell, Judged, Plan, Rule};
use rigel_core::uses::proof::{About, concurrency};
use serde::Serialize;

/// A longer table is folded.
const MOST_ROWS: usize = 60;
/// Two cells of a value with which no scan ended in time.
const NOT_IN_TIME: &str = "<td class=\"n\">not in time</td><td></td>";

/// What the script draws: lines over the values of a setting.
#[derive(Serialize)]
struct Figures {
    regrets: Vec<Line>,
    /// By the name of the setting.
    shares: Vec<(String, Vec<Line>)>,
}

#[derive(Serialize)]
struct Line {
    name: String,
    /// The value, then what came of it with both ends of its interval.
    rows: Vec<(f64, [Option<f64>; 3])>,
}

pub(super) fn page(proven: &Proven<'_>) -> Result<Vec<u8>, Problem> {
    let proof = proven.proof;
    // Words are no axis.
    let charted = proof.concurrency.iter().filter(|found| !found.has_words());
    let figures = Figures {
        regrets: proof.page_cost.as_ref().map_or_else(Vec::new, regrets),
        shares: charted.map(|found| (found.setting.clone(), shares(found))).collect(),
    };
    let title = "Settings of PostgreSQL, proven";
    let shell = Shell {
        title,
        heading: format!(
            "<h1>{title}</h1><p class=\"when\">{}<br>{}</p>",
            Text(proven.run),
            Text(proven.started)
        ),
        made_from: "the experiment",
        script: &assets::PROOF,
        figures: &[("proof".to_owned(), compact(&figures)?)],
    };
    Ok(shell.page(|page| {
        verdict(page, proven);
        page.line("<p class=\"no-charts\">The charts are drawn by the script of this page, which did not run; the tables hold every number.</p>");
        if let Some(found) = &proof.page_cost {
            costs(page, found);
        }
        proof.concurrency.iter().for_each(|found| rates(page, found));
        about(page, &proof.about);
    }))
}

fn regrets(found: &page_cost::Found) -> Vec<Line> {
    let tried = || found.judged.iter().filter(|judged| judged.rule == Rule::Tried);
    let line = |(place, hits): (usize, &f64)| Line {
        name: format!("{} % in memory", words::share(*hits)),
        rows: tried()
            .filter_map(|one| Some((*one.values.first()?, [one.regrets.get(place).copied(), None, None])))
            .collect(),
    };
    found.hit_rates.iter().enumerate().map(line).collect()
}

fn shares(found: &concurrency::Found) -> Vec<Line> {
    let line = |&sessions: &u32| {
        let row = |judged: &concurrency::Judged| {
            let at = judged.with(sessions)?;
            let interval = at.share_interval;
            Some((
                f64::from(judged.value),
                [Some(at.share), interval.map(|one| one.lo95), interval.map(|one| one.hi95)],
            ))
        };
        Line { name: words::sessions(sessions), rows: found.values.iter().filter_map(row).collect() }
    };
    found.sessions.iter().map(line).collect()
}

fn verdict(page: &mut Page, proven: &Proven<'_>) {
    let tone = if proven.proof.refutes() { Tone::UseWithCare } else { Tone::Good };
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(tone)));
    let mut told = words::told(proven.proof).into_iter();
    for sentence in told.by_ref().take(1) {
        page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&sentence)));
    }
    told.for_each(|sentence| page.line(format_args!("<p>{}</p>", Text(&sentence))));
    page.line("</section>");
}

fn costs(page: &mut Page, found: &page_cost::Found) {
    page.line(
        "<section class=\"drawn-only\">\n<h2>random_page_cost</h2>\n<p class=\"about\">How many times as long as the fastest plan the one takes that \
         the planner chooses, in the median over queries for 0.01 to 10 % of the rows; 1 is the best there is.</p>\n<div class=\"charts\">",
    );
    chart(page, "regrets", "Regret", "over random_page_cost");
    page.line("</div>\n</section>\n<section>\n<h2>Values of random_page_cost</h2>");
    let hits: Vec<String> =
        found.hit_rates.iter().map(|hits| format!("{} % in memory", words::share(*hits))).collect();
    let mut columns: Vec<Column<'_>> = vec![("From", false), ("Value", true)];
    columns.extend(hits.iter().map(|hits| (hits.as_str(), true)));
    columns.extend([
        ("All", true),
        ("Worst", true),
        ("rows, in memory", false),
        ("Slower than default", true),
        ("Faster", true),
        ("Verdict", false),
    ]);
    open_table(page, &columns, found.judged.len(), MOST_ROWS, "value");
    found.judged.iter().for_each(|judged| cost(page, judged));
    close_table(page);
    page.line("</section>\n<section>\n<h2>Times of all plans</h2>");
    let names = Plan::ALL.map(|plan| (plan.name(), true));
    let mut columns: Vec<Column<'_>> = vec![("Share of the rows", true), ("In memory", true)];
    columns.extend(names);
    columns.extend([("Fastest", false), ("By default", false)]);
    open_table(page, &columns, found.cells.len(), MOST_ROWS, "row");
    found.cells.iter().for_each(|cell| times(page, found, cell));
    close_table(page);
    page.line("</section>");
}

fn cost(page: &mut Page, judged: &Judged) {
    let cell = |value: f64| format!("<td class=\"n\">{value:.2}</td>");
    let regrets: String = judged.regrets.iter().map(|regret| cell(*regret)).collect();
    page.line(format_args!(
        "<tr><td>{}</td><td class=\"n\">{}</td>{regrets}{}<td class=\"n\">{:.2}</td><td>{} %, {} %</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
        words::rule(judged.rule),
        words::values(judged),
        cell(judged.median_regret),
        judged.worst.ratio,
        words::share(judged.worst.selectivity),
        words::share(judged.worst.hit_rate),
        judged.slower.len(),
        judged.faster.len(),
        judged.verdict.name()
    ));
}

fn times(page: &mut Page, found: &page_cost::Found, cell: &Cell) {
    let time_of = |plan| {
        let more = if cell.is_cut(plan) { "&gt; " } else { "" };
        let told = cell.seconds(plan).map_or_else(|| "-".to_owned(), |seconds| time(1e6 * seconds));
        format!("<td class=\"n\">{more}{told}</td>")
    };
    let usual = found.chosen(cell.selectivity, page_cost::DEFAULT).map_or("-", Plan::name);
    page.line(format_args!(
        "<tr><td class=\"n\">{} %</td><td class=\"n\">{} %</td>{}<td>{}</td><td>{usual}</td></tr>",
        words::share(cell.selectivity),
        words::share(cell.hit_rate),
        Plan::ALL.map(time_of).concat(),
        cell.best().map_or("-", |(plan, _)| plan.name())
    ));
}

fn rates(page: &mut Page, found: &concurrency::Found) {
    let name = &found.setting;
    if !found.has_words() {
        page.line(format_args!(
            "<section class=\"drawn-only\">\n<h2>{name}</h2>\n<p class=\"about\">Rows per second of bitmap scans that nothing has in memory, \
             as a share of the best value with as many sessions; whiskers: 95 % intervals that hold all at once.</p>\n<div class=\"charts\">"
        ));
        chart(page, format_args!("shares-{name}"), "Share of the best rate", format_args!("over {name}"));
        page.line("</div>\n</section>");
    }
    page.line(format_args!("<section>\n<h2>Values of {name}</h2>"));
    let names: Vec<String> =
        found.sessions.iter().map(|number| format!("Rows/s, {}", words::sessions(*number))).collect();
    let mut columns: Vec<Column<'_>> = vec![("Value", true)];
    names.iter().for_each(|name| columns.extend([(name.as_str(), true), ("Share", true)]));
    columns.push(("Verdict", false));
    open_table(page, &columns, found.values.len(), MOST_ROWS, "value");
    for judged in &found.values {
        let at = |at: &concurrency::At| {
            format!(
                "<td class=\"n\">{}</td><td class=\"n\">{:.0} %</td>",
                number(at.rows_per_s),
                100.0 * at.share
            )
        };
        page.line(format_args!(
            "<tr><td class=\"n\">{}</td>{}<td>{}</td></tr>",
            Text(&judged.shown()),
            found
                .sessions
                .iter()
                .map(|&sessions| judged.with(sessions).map_or_else(|| NOT_IN_TIME.to_owned(), at))
                .collect::<String>(),
            judged.verdict.name()
        ));
    }
    close_table(page);
    if let Some(undecided) = words::undecided(found) {
        page.line(format_args!("<p class=\"about\">{}.</p>", Text(undecided)));
    }
    page.line("</section>");
}

fn about(page: &mut Page, about: &About) {
    page.line("<section id=\"evidence\">\n<h2>Experiment</h2>");
    let told = text::about(about);
    let names = ["Server and table", "Storage"];
    list(page, &names.into_iter().zip(told).collect::<Vec<_>>());
    page.line("</section>");
}
