//! The results of a run as a table for the terminal, 80 columns wide, with the widths of intervals and the flags.
//!
//! A flag stands under the row that it is about, with its figures; one that all points share stands under the table. Must
//! not hide a point.

use super::listing::lines;
use super::style::{Ink, Style};
use super::wrap::{clipped, wrapped};
use crate::flag_scopes::FlagScopes;
use crate::listing::{Listing, Room};
use crate::notes::flag_text;
use crate::page::Page;
use crate::uneven;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Figure, LoadClass};
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::stats::{Basis, Estimate};

/// Where flags stand under their row; one that makes the numbers invalid has a mark there.
const INDENT: &str = "          ";

/// A line per point, what the columns mean, the flags of the run, and what a search for load levels found; nothing when
/// there is nothing.
pub fn table(view: &View<'_>) -> String {
    styled(view, Style::default())
}

/// The same for a terminal that may have colours.
pub(super) fn styled(view: &View<'_>, style: Style) -> String {
    let mut page = Page::default();
    let points = &view.findings.points;
    let scopes = FlagScopes::of(view);
    if !points.is_empty() {
        let mut clipped = false;
        for (shown, points) in view.tables() {
            if let Some(side) = shown.first().and_then(|class| class.side) {
                page.line(style.painted(Ink::Heading, side.name()));
            }
            let mut rows = rows(&mut page, view, &shown, &points, style).into_iter().peekable();
            while let Some(row) = rows.next() {
                page.line(if row.invalid { style.painted(Ink::Invalid, &row.text) } else { row.text });
                // Several rows may be of one point: its flags stand below the last one.
                if rows.peek().is_some_and(|next| next.points == row.points) {
                    continue;
                }
                for found in row.points {
                    clipped |= own_flags(&mut page, &scopes.own(found), style);
                }
            }
            page.blank();
        }
        legend(&mut page, view, clipped);
        if let Some(sentence) = uneven::sentence(view) {
            page.blank();
            wrapped(&mut page, "", "", &sentence);
        }
    }
    shared_flags(&mut page, view, &scopes, style);
    super::phases::section(&mut page, view, style);
    super::open::section(&mut page, view);
    super::nodes::section(&mut page, crate::nodes::rows(view));
    super::curves::section(&mut page, view);
    page.into_string()
}

/// A line of a table, and the points whose flags stand below it.
struct Row<'a> {
    text: String,
    points: Vec<&'a PointFindings>,
    invalid: bool,
}

/// Writes the heading of a table; gives its rows.
fn rows<'a>(
    page: &mut Page,
    view: &'a View<'_>,
    shown: &[&LoadClass],
    points: &[&'a PointFindings],
    style: Style,
) -> Vec<Row<'a>> {
    let (heading, rows) = match Listing::of(view, shown, points, Room::Narrow) {
        Some(listing) => {
            let (heading, lines) = lines(&listing);
            let row = |(row, text): (crate::listing::Row<'a>, String)| Row {
                invalid: row.invalid(),
                text,
                points: row.points,
            };
            (heading, listing.rows.into_iter().zip(lines).map(row).collect())
        }
        None => {
            let text = |found: &PointFindings| numbers(shown, found, view.findings.target);
            let row = |found: &&'a PointFindings| Row {
                text: text(found),
                points: vec![*found],
                invalid: found.invalid(),
            };
            (heading(shown), points.iter().map(row).collect::<Vec<_>>())
        }
    };
    page.line(style.painted(Ink::Heading, &heading));
    rows
}

/// The names of the columns: the levels of each class, its rate, the latency, the visits.
fn heading(shown: &[&LoadClass]) -> String {
    let mut line = " ".to_owned();
    for (place, class) in shown.iter().enumerate() {
        line += &format!("{:>1$}", class.plain_name().label(), level_width(place, class));
    }
    for (place, class) in shown.iter().enumerate() {
        let space = if place == 0 { "" } else { " " };
        line += &format!("{space}{:>2$}{:>5}", printable(class.unit()), "±%", rate_width(place, class));
    }
    line + &format!(" {:>10}{:>5}{:>10}{:>5}{:>7}", "mean us", "±%", "p99 us", "±%", "Visits")
}

fn level_width(place: usize, class: &LoadClass) -> usize {
    class.plain_name().name().len().max(5) + usize::from(place > 0)
}

fn rate_width(place: usize, class: &LoadClass) -> usize {
    class.unit().chars().count().max(if place == 0 { 9 } else { 8 }) + 1
}

/// The numbers of a point, as a line.
fn numbers(shown: &[&LoadClass], found: &PointFindings, target: Option<f64>) -> String {
    let mut line = if found.invalid() { "!" } else { " " }.to_owned();
    for (place, class) in shown.iter().enumerate() {
        line += &format!("{:>1$}", found.point.of(class.name), level_width(place, class));
    }
    for (place, class) in shown.iter().enumerate() {
        let io = found.io(class.name);
        let columns = rate_width(place, class);
        line += &format!(
            "{:>columns$}{:>5}{}",
            number(io.map(|io| io.rate().value), class.decimals(), columns),
            width(io.map(|io| io.iops)),
            star(io, target)
        );
    }
    let us = found.classes().next().and_then(|(_, io)| io.latency_us);
    line + &format!(
        "{:>10}{:>5}{:>10}{:>5}{:>7}",
        number(us.map(|us| us.mean.value), 1, 10),
        width(us.map(|us| us.mean)),
        number(us.map(|us| us.p99.value), 1, 10),
        width(us.map(|us| us.p99)),
        found.visits
    )
}

/// A line for each flag of a point's own; whether one did not fit. The reason why numbers must not be used is always
/// shown in full.
fn own_flags(page: &mut Page, flags: &[&Flag], style: Style) -> bool {
    let mut is_clipped = false;
    for flag in flags.iter().filter(|flag| !has_a_star(flag)) {
        let text = flag_text(flag);
        let mut lines = Page::default();
        if flag.invalid {
            wrapped(&mut lines, &format!("{INDENT}! "), &format!("{INDENT}    "), &text);
        } else {
            is_clipped |= clipped(&mut lines, &format!("{INDENT}  "), &text);
        }
        page.push(style.painted(flag_ink(flag), &lines.into_string()));
    }
    is_clipped
}

const fn flag_ink(flag: &Flag) -> Ink {
    if flag.invalid { Ink::Invalid } else { Ink::Flag }
}

/// Where the precision was not reached, the width that was reached stands beside the number already, with a star.
fn has_a_star(flag: &Flag) -> bool {
    flag.code == FlagCode::NotReached
}

/// A number in a column. It has fewer decimals, or an exponent, when it would touch the column before.
pub(crate) fn number(value: Option<f64>, decimals: usize, columns: usize) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let text = format!("{value:.decimals$}");
    match decimals {
        _ if text.len() < columns => text,
        0 => format!("{value:.2e}"),
        _ => number(Some(value), decimals - 1, columns),
    }
}

/// Half the width of an interval in per cent.
fn width(found: Option<Estimate>) -> String {
    found.and_then(|found| found.half_width()).map_or_else(|| "-".to_owned(), words::percent)
}

/// Beside a width that is not what was asked for.
fn star(io: Option<&IoFindings>, target: Option<f64>) -> char {
    match (io, target) {
        (Some(io), Some(_)) if !io.sure.reached => '*',
        _ => ' ',
    }
}

fn misses(found: &PointFindings, target: Option<f64>) -> bool {
    target.is_some() && !found.reached()
}

/// What the columns and the marks mean.
fn legend(page: &mut Page, view: &View<'_>, clipped: bool) {
    let findings = &view.findings;
    let points = &findings.points;
    if let Some(target) =
        findings.target.filter(|_| points.iter().any(|found| misses(found, findings.target)))
    {
        let asked = words::plain_percent(target);
        page.line(format_args!(
            "*  wider than the ±{asked} % that was asked for, or no interval (NOT_REACHED)"
        ));
    }
    if points.iter().any(PointFindings::invalid) {
        page.line("!  these numbers must not be used, as the flag under them says");
    }
    if clipped {
        page.line(".. the whole text: `rigel report RECORD --format markdown`, or _flags.csv");
    }
    wrapped(page, "±% ", "   ", &meaning(view));
    if let Some(share) = findings.unseen_share {
        let visits: usize = points.iter().map(|found| found.visits).sum();
        let visits = words::counted(visits, "visit");
        wrapped(page, "   ", "   ", &format!("{visits} in all. {}", words::unseen(share)));
    }
    of_columns(view).iter().for_each(|meaning| wrapped(page, "", "", meaning));
}

/// What the columns of each table mean.
fn of_columns(view: &View<'_>) -> Vec<String> {
    let mut of_matrix: Vec<&LoadClass> = Vec::new();
    let mut told = Vec::new();
    for (shown, points) in view.tables() {
        match Listing::of(view, &shown, &points, Room::Narrow) {
            Some(listing) => told.push(listing.meaning.to_owned()),
            None => of_matrix.extend(shown),
        }
    }
    let of_matrix = (!of_matrix.is_empty()).then(|| units(&of_matrix));
    of_matrix.into_iter().chain(told).collect()
}

/// What the rates and latencies are of.
fn units(shown: &[&LoadClass]) -> String {
    // Both of two sides have the same.
    let shown = shown.iter().filter(|class| class.side != Some(Side::B));
    let shown: Vec<LoadClass> = shown.map(|class| class.plain()).collect();
    let unit = |class: &LoadClass| {
        let bytes = if class.figure == Figure::Mbps { ", 2^20 bytes per second" } else { "" };
        format!("{} of {}{bytes}; ", printable(class.unit()), class.nouns())
    };
    let units: String = shown.iter().map(unit).collect();
    let mut latency = String::new();
    for (place, class) in shown.iter().enumerate() {
        latency += &match place {
            0 if shown.len() == 1 => format!("the {}", class.nouns()),
            0 => format!("the {} where there are some", class.nouns()),
            _ => format!(", else of the {} ones", class.name),
        };
    }
    format!("{units}latency in microseconds, of {latency}.")
}

/// What the intervals are.
fn meaning(view: &View<'_>) -> String {
    let all = || view.findings.points.iter().flat_map(PointFindings::classes);
    let one_visit = all().any(|(_, io)| io.iops.basis == Basis::OneVisit);
    if !view.is_adaptive() {
        return format!("half of a 95 % interval that shows {}.", words::ONE_VISIT);
    }
    let meaning = format!(
        "half of {}, that is {}. For a run on another day it is 1.4 times that at least.",
        words::INTERVAL,
        words::SHORT_ESTIMAND
    );
    if one_visit {
        format!("{meaning} Of a point with 1 visit it shows only what varied inside that visit.")
    } else {
        meaning
    }
}

/// The flags of the run, and those that many points share.
fn shared_flags(page: &mut Page, view: &View<'_>, scopes: &FlagScopes<'_>, style: Style) {
    let of_run = view.findings.flags.iter().map(|flag| ("the run", flag));
    let of_points = scopes.shared().flat_map(|(set, flags)| flags.iter().map(move |flag| (set, *flag)));
    let all: Vec<(&str, &Flag)> = of_run.chain(of_points.filter(|(_, flag)| !has_a_star(flag))).collect();
    if !all.is_empty() && !view.findings.points.is_empty() {
        page.blank();
    }
    for (place, flag) in all {
        let mark = if flag.invalid { "! " } else { "" };
        let mut lines = Page::default();
        wrapped(&mut lines, "", "  ", &format!("{mark}Flag of {place}: {}", flag_text(flag)));
        page.push(style.painted(flag_ink(flag), &lines.into_string()));
    }
}
