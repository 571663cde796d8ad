//! Raw I/O beside SQL as one HTML page: the verdict, both curves over the sessions, every load, where the time went, the run.
//!
//! In the same shell, with the same charts and the same script as a comparison of runs. Must not leave out a load.

use super::{Both, words};
use crate::compare::page::{Figures, curves};
use crate::html::assets;
use crate::html::markup::{Column, Text, close_table, open_table};
use crate::html::shell::Shell;
use crate::html::verdict::tone_class;
use crate::json::compact;
use crate::numbers::{number, percent};
use crate::page::Page;
use crate::verdict::Conclusion;
use crate::versus;
use rigel_core::error::Problem;
use rigel_core::stats::Estimate;
use rigel_core::uses::beside::{BesideLoad, Limit, Way};
use rigel_core::uses::compare::Comparison;

/// Of rate, latency, and the percentile where it is one of reads.
const TITLES: [&str; 3] =
    ["Reads per second", "Mean latency of a read", "99th percentile of the latency of a read"];
/// A look-up may read blocks of the index as well.
const THROUGH_INDEX: [&str; 3] = [
    "Raw reads, and look-ups, per second",
    "Mean latency of a raw read, and of a look-up",
    "99th percentile of the latency of a raw read, and of a look-up",
];
const OF_COMMITS: [&str; 3] =
    ["Commits per second", "Mean latency of a commit", "99th percentile of the latency of a commit"];
/// Longer tables are folded.
const MOST_ROWS: usize = 40;

pub(super) fn page(both: &Both<'_>) -> Result<Vec<u8>, Problem> {
    let header = &both.view.record.header;
    let [raw, sql] = words::ways(both);
    let commits = words::writes(both);
    let axis = |_| {
        if commits { "sessions, or raw writers" } else { "sessions, or outstanding raw reads" }.to_owned()
    };
    let titles = match (commits, words::by_index(both)) {
        (true, _) => OF_COMMITS,
        (false, true) => THROUGH_INDEX,
        (false, false) => TITLES,
    };
    let figures =
        Figures::of(&comparison(both), ["raw".to_owned(), "SQL".to_owned()], axis).entitled(&titles);
    let title = "What reaches SQL";
    let shell = Shell {
        title,
        heading: format!(
            "<h1>{title}</h1><p class=\"when\">Raw: {}<br>SQL: {}<br>{}</p>",
            Text(&raw),
            Text(&sql),
            Text(&header.started)
        ),
        made_from: "the record of the run",
        script: &assets::COMPARE,
        figures: &[("comparison".to_owned(), compact(&figures)?)],
    };
    Ok(shell.page(|page| {
        verdict(page, both);
        curves(page, &figures);
        loads(page, both);
        waits(page, both);
        run(page, both);
    }))
}

/// Where a statement has many look-ups, its percentiles are not those of reads.
fn comparison(both: &Both<'_>) -> Comparison {
    let sql = both.view.record.header.request.sql.as_ref();
    let is_batch = sql.is_some_and(|sql| sql.probe.is_batch());
    let mut shown = both.sides.comparison.clone();
    shown.rows.retain(|row| !(is_batch && row.metric.is_p99()));
    shown
}

fn verdict(page: &mut Page, both: &Both<'_>) {
    let found = Conclusion::of(both.view);
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(found.tone)));
    versus::judged_on_page(page, &found, |page| {
        page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&words::verdict(both))));
        for sentence in words::evidence(both) {
            page.line(format_args!("<p>{}</p>", Text(&sentence)));
        }
    });
    page.line("</section>");
}

fn loads(page: &mut Page, both: &Both<'_>) {
    page.line("<section id=\"numbers\">\n<h2>Numbers</h2>");
    let [of_raw, of_sql] = words::units(both);
    let [raw, sql] = [format!("Raw {of_raw}"), format!("SQL {of_sql}")];
    let columns: [Column<'_>; 9] = [
        ("Sessions", true),
        (&raw, true),
        (&sql, true),
        ("SQL of raw", true),
        ("CPU us each, raw", true),
        ("CPU us each, SQL", true),
        ("CPU idle, raw", true),
        ("CPU idle, SQL", true),
        ("Limit", false),
    ];
    open_table(page, &columns, both.found.loads.len(), MOST_ROWS, "load");
    both.found.loads.iter().for_each(|load| row(page, load));
    close_table(page);
    page.line(format_args!("<p class=\"about\">{} {}</p>\n</section>", words::SURE, words::CPU));
}

fn row(page: &mut Page, load: &BesideLoad) {
    let none = || "-".to_owned();
    let rate = |found: &Estimate| {
        let width = found.interval.map(|one| percent(one.relative_half_width));
        let width = width.map_or_else(String::new, |width| format!(" <small>±{width} %</small>"));
        format!("{}{width}", number(found.value))
    };
    let cost = |way: &Way| way.cpu_us.map_or_else(none, |us| format!("{us:.1}"));
    let idle = |way: &Way| way.idle.map_or_else(none, |idle| format!("{} %", percent(idle)));
    let ratio = load.efficiency.map_or_else(none, |ratio| {
        format!("{} % <small>{}</small>", percent(ratio.mean), words::ends(&ratio))
    });
    let numbers = [
        rate(&load.raw.per_s),
        rate(&load.sql.per_s),
        ratio,
        cost(&load.raw),
        cost(&load.sql),
        idle(&load.raw),
        idle(&load.sql),
    ];
    let cells: String = numbers.iter().map(|cell| format!("<td class=\"n\">{cell}</td>")).collect();
    page.line(format_args!(
        "<tr{}><th scope=\"row\" class=\"n\">{}</th>{cells}<td>{}</td></tr>",
        if load.invalid { " class=\"bad\"" } else { "" },
        load.sessions,
        if load.invalid { "must not be used" } else { load.limit.map_or("-", Limit::name) }
    ));
}

/// Where the time of the sessions went.
fn waits(page: &mut Page, both: &Both<'_>) {
    let mut rows: Vec<(u32, String, f64)> = Vec::new();
    for load in &both.found.loads {
        rows.extend(words::waits(load).map(|(event, share)| (load.sessions, event, share)));
    }
    if rows.is_empty() {
        return;
    }
    page.line("<section id=\"waits\">\n<h2>Where the time of the sessions went</h2>");
    open_table(page, &[("Sessions", true), ("Event", false), ("Share", true)], rows.len(), MOST_ROWS, "line");
    for (sessions, event, share) in rows {
        page.line(format_args!(
            "<tr><th scope=\"row\" class=\"n\">{sessions}</th><td>{}</td><td class=\"n\">{} %</td></tr>",
            Text(&event),
            percent(share)
        ));
    }
    close_table(page);
    page.line("<p class=\"about\">From samples of pg_stat_activity, about ten a second.</p>\n</section>");
}

/// What was measured, and how it was asked for.
fn run(page: &mut Page, both: &Both<'_>) {
    let header = &both.view.record.header;
    // Which side is which stands above.
    let notes = header.nodes.first().engine.notes.iter().filter(|note| !note.starts_with("side B: "));
    let notes: Vec<&str> = notes.map(String::as_str).collect();
    versus::run(page, header, &[("Server", notes.join("; "))]);
}
