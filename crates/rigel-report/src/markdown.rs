//! `_report.md`: the findings as Markdown, for a ticket or a wiki: verdict, headline numbers, every point, flags.
//!
//! Tables are those of GitHub, GitLab and most others. Names from a record are in code spans, in which nothing has a meaning;
//! sentences that may hold some are escaped. Must not round differently from the page with charts.

use crate::by_reader;
use crate::by_target;
use crate::change;
use crate::document::markdown::{code, escaped, write_all};
use crate::flag_scopes::FlagScopes;
use crate::headline::{self, Headline};
use crate::label;
use crate::listing::{self, Listing, Room};
use crate::notes;
use crate::page::Page;
use crate::uneven;
use crate::verdict::Conclusion;
use crate::view::View;
use crate::{scaling, slo, words};
use rigel_core::judge::answer::Answer;
use rigel_core::judge::findings::{IoFindings, LatencyUs, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::LoadClass;
use rigel_core::record::Node;
use rigel_core::stats::Estimate;
use rigel_core::units::Bytes;
use rigel_core::units::say::{number, time};

/// The page.
pub(crate) fn page(view: &View<'_>) -> String {
    let mut page = Page::default();
    page.line(format_args!("# Storage measurement {}\n", code(&label::title(view))));
    verdict(&mut page, view);
    match view.answer() {
        Answer::Rate(found) => write_all(&mut page, &slo::blocks(found, Room::Wide)),
        _ if change::is_of(view) => write_all(&mut page, &change::blocks(view, Room::Wide)),
        _ => headline(&mut page, view),
    }
    // The mean of a rate that falls is no rate.
    if !change::is_of(view) {
        points(&mut page, view);
    }
    write_all(&mut page, &scaling::blocks(view, Room::Wide));
    write_all(&mut page, &by_reader::blocks(view, Room::Wide));
    write_all(&mut page, &by_target::blocks(view, Room::Wide));
    flags(&mut page, view);
    run(&mut page, view);
    page.into_string()
}

fn verdict(page: &mut Page, view: &View<'_>) {
    write_all(page, &Conclusion::of(view).blocks());
}

fn headline(page: &mut Page, view: &View<'_>) {
    let rows = headline::all(view, &view.findings.best, view.findings.answers.as_ref());
    if rows.is_empty() {
        return;
    }
    page.line("| | | 95 % interval | at |\n| --- | ---: | --- | --- |");
    rows.iter().for_each(|one| headline_row(page, view, one));
    page.blank();
}

fn headline_row(page: &mut Page, view: &View<'_>, one: &Headline) {
    let (name, write) = (&one.name, |value| one.unit.write(value));
    let best = match &one.found {
        Ok(best) => best,
        Err(reason) => return page.line(format_args!("| {name} | none | | {} |", escaped(reason))),
    };
    let interval = best.estimate.interval.map_or_else(
        || "none".to_owned(),
        |interval| {
            let visits = words::counted(interval.visits, "visit");
            format!("{} to {}, {visits}", write(interval.lo95), write(interval.hi95))
        },
    );
    let invalid = view.at(best.point).is_some_and(PointFindings::invalid);
    let mark = if invalid { " **not to be used**" } else { "" };
    let value = with_width(best.estimate, write);
    let place = headline::place(view, one, *best, " and ");
    page.line(format_args!("| {name} | {value} | {interval} | {place}{mark} |"));
}

/// `3,952 ±1.9 %`
fn with_width(found: Estimate, write: impl Fn(f64) -> String) -> String {
    let width = found.half_width().map_or_else(String::new, |half| format!(" ±{} %", words::percent(half)));
    format!("{}{width}", write(found.value))
}

/// A row per point and class.
fn points(page: &mut Page, view: &View<'_>) {
    let points = &view.findings.points;
    if points.is_empty() {
        return;
    }
    let scopes = FlagScopes::of(view);
    page.line("## Points");
    for (shown, points) in view.tables() {
        page.blank();
        if let Some(side) = shown.first().and_then(|class| class.side) {
            page.line(format_args!("### {}\n", side.name()));
        }
        match Listing::of(view, &shown, &points, Room::Wide) {
            Some(listing) => listed(page, &scopes, &listing),
            None => table(page, &scopes, &shown, &points),
        }
    }
    let width = if view.is_adaptive() {
        format!("half of {}", words::INTERVAL)
    } else {
        format!("half of a 95 % interval that shows {}", words::ONE_VISIT)
    };
    page.line(format_args!("\nNumbers: {}. ±: {width}.\n", words::ESTIMAND));
    if let Some(sentence) = uneven::sentence(view) {
        page.line(format_args!("{}\n", escaped(&sentence)));
    }
    if let Some(listing) = listing::phases(view) {
        page.line("## Phases\n");
        listed(page, &scopes, &listing);
        page.blank();
    }
}

/// A row for each of a table that has its own columns.
fn listed(page: &mut Page, scopes: &FlagScopes<'_>, listing: &Listing<'_>) {
    page.line(format_args!("| {} | Flags |", listing.heads.join(" | ")));
    page.line(format_args!("| --- |{} --- |", " ---: |".repeat(listing.heads.len().saturating_sub(1))));
    for row in &listing.rows {
        let own = row.points.iter().flat_map(|found| scopes.own(found));
        let flags: Vec<String> = own.map(flag_name).collect();
        page.line(format_args!("| {} | {} |", row.cells.join(" | "), flags.join(" ")));
    }
    page.line(format_args!("\n{}", escaped(listing.meaning)));
}

fn flag_name(flag: &Flag) -> String {
    let name = code(flag.code.name());
    if flag.invalid { format!("**{name}**") } else { name }
}

fn table(page: &mut Page, scopes: &FlagScopes<'_>, shown: &[&LoadClass], points: &[&PointFindings]) {
    let labels: String = shown.iter().map(|class| format!(" {} |", class.plain_name().label())).collect();
    page.line(format_args!("|{labels} Class | IOPS | MBPS | mean | p50 | p99 | Visits | Flags |"));
    let right = " ---: |".repeat(shown.len());
    page.line(format_args!("|{right} --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"));
    for found in points {
        let flags: Vec<String> = scopes.own(found).into_iter().map(flag_name).collect();
        for (_, io) in found.classes() {
            let levels: String = shown.iter().map(|one| format!(" {} |", found.point.of(one.name))).collect();
            row(page, &levels, io, &flags.join(" "));
        }
    }
}

fn row(page: &mut Page, levels: &str, io: &IoFindings, flags: &str) {
    let latency = |of: fn(LatencyUs) -> Estimate| {
        io.latency_us.map_or_else(|| "-".to_owned(), |us| with_width(of(us), time))
    };
    page.line(format_args!(
        "|{levels} {} | {} | {} | {} | {} | {} | {} | {flags} |",
        io.load.plain_name(),
        with_width(io.iops, number),
        io.mbps().map_or_else(|| "-".to_owned(), |mbps| with_width(mbps, number)),
        latency(|us| us.mean),
        latency(|us| us.p50),
        latency(|us| us.p99),
        io.sure.visits
    ));
}

fn flags(page: &mut Page, view: &View<'_>) {
    let lines = notes::flag_lines(view);
    if lines.is_empty() {
        return;
    }
    page.line("## Flags\n");
    lines.iter().for_each(|line| page.line(format_args!("- {}", escaped(line))));
    page.blank();
}

fn run(page: &mut Page, view: &View<'_>) {
    let header = &view.record.header;
    let ended = view.record.closing.as_ref().map_or("", |closing| &closing.ended);
    page.line("## Run\n\n| | |\n| --- | --- |");
    for target in &header.targets {
        let kind = target.kind.name();
        page.line(format_args!("| Target | {}, {kind}, {} |", code(&target.path), Bytes(target.size_bytes)));
    }
    let of_nodes =
        |text: fn(&Node) -> &str| header.nodes.all().iter().map(text).collect::<Vec<_>>().join(", ");
    for (name, text) in [
        ("Command line", header.request.command_line.trim()),
        ("Engine", &of_nodes(|node| node.engine.kind.name())),
        ("Kernel", &of_nodes(|node| &node.host.kernel)),
        ("Started", &header.started),
        ("Ended", ended),
        ("Seed", &header.request.seed.to_string()),
        ("Rigel", &header.program_version),
    ] {
        page.line(format_args!("| {name} | {} |", code(text)));
    }
}
