//! The results of a run for a terminal, 80 columns wide: a row for each point, with the widths of intervals and the flags.
//!
//! A flag is shown below its row, with its figures; one that all points share is below the table. Must
//! not hide a point.

use crate::document::{Block, Column, Paragraph, Table};
use crate::flag_scopes::FlagScopes;
use crate::listing::{self, Listing, Room};
use crate::nodes;
use crate::notes::flag_text;
use crate::open;
use crate::text::{Ink, curve_blocks};
use crate::uneven;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{CurveFindings, IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::sides::Side;
use rigel_core::path_text::printable;
use rigel_core::stats::{Basis, Estimate};

/// Flags are below their row; one that makes the numbers invalid has a mark there.
const INDENT: &str = "          ";
/// Further lines of phases are only in a file.
const MOST_PHASES: usize = 48;

/// A line per point, the meaning of the columns, the flags of the run, and the result of a search for load levels; empty without
/// any.
pub(super) fn blocks(view: &View<'_>) -> Vec<Block> {
    let scopes = FlagScopes::of(view);
    let mut all = Vec::new();
    if !view.findings.points.is_empty() {
        all.extend(tables(view, Some(&scopes)));
        all.push(Block::part(legend(view)));
        all.push(Block::part(uneven::sentence(view).map(Block::paragraph).into_iter().collect()));
    }
    all.push(shared_flags(view, &scopes));
    all.extend(phases(view));
    all.extend(open::blocks(view, Room::Narrow));
    all.extend(nodes::blocks(nodes::rows(view), Room::Narrow));
    all.extend(curve_blocks(view));
    all
}

/// The tables, with the flags of each point below its row if they are given.
pub(super) fn tables(view: &View<'_>, scopes: Option<&FlagScopes<'_>>) -> Vec<Block> {
    let below = |points: &[&PointFindings]| -> Vec<Block> {
        let flags =
            |scopes: &FlagScopes<'_>| points.iter().flat_map(|found| own_flags(&scopes.own(found))).collect();
        scopes.map_or_else(Vec::new, flags)
    };
    let table = |(shown, points): (Vec<&LoadClass>, Vec<&PointFindings>)| {
        let table = match Listing::of(view, &shown, &points, Room::Narrow) {
            Some(listing) => listed(&listing, below),
            None => matrix(&shown, &points, view.findings.target).below(|found| below(&[*found])).table(),
        };
        let side = shown.first().and_then(|class| class.side);
        Block::section(side.map_or("", Side::name), vec![table.into()])
    };
    view.tables().into_iter().map(table).collect()
}

/// Several rows may belong to one point: its flags are below the last one.
fn listed(listing: &Listing<'_>, below: impl Fn(&[&PointFindings]) -> Vec<Block>) -> Table {
    let mut table = listing.table();
    for (place, (row, of)) in table.rows.iter_mut().zip(&listing.rows).enumerate() {
        let next = listing.rows.get(place + 1);
        if next.is_none_or(|next| next.points != of.points) {
            row.below = below(&of.points);
        }
    }
    table
}

/// The levels of each class, its rate, the latency, the visits.
fn matrix<'a>(
    shown: &[&LoadClass],
    points: &'a [&'a PointFindings],
    target: Option<f64>,
) -> crate::document::Rows<'a, &'a PointFindings> {
    let right = |head: &str, width: usize| Column::right(head).width(width).gap(0);
    // The mark of a width stands in the column behind it.
    let half = || right("±% ", 6);
    let mut table = Table::of("point", points).indent(1).bad(|found| found.invalid());
    for (place, class) in shown.iter().enumerate() {
        let head = class.plain_name().label();
        table = table
            .column(right(&head, level_width(place, class)), |found| found.point.of(class.name).to_string());
    }
    for (place, class) in shown.iter().enumerate() {
        let columns = rate_width(place, class);
        table = table
            .column(right(&printable(class.unit()), columns), |found| {
                number(found.io(class.name).map(|io| io.rate().value), class.decimals(), columns)
            })
            .column(half(), |found| {
                let io = found.io(class.name);
                format!("{}{}", width(io.map(|io| io.iops)), star(io, target))
            });
    }
    let us = |found: &PointFindings| found.classes().next().and_then(|(_, io)| io.latency_us);
    table
        .column(right("mean us", 10), move |found| number(us(found).map(|us| us.mean.value), 1, 10))
        .column(right("±%", 5), move |found| width(us(found).map(|us| us.mean)))
        .column(right("p99 us", 10), move |found| number(us(found).map(|us| us.p99.value), 1, 10))
        .column(right("±%", 5), move |found| width(us(found).map(|us| us.p99)))
        .column(right("Visits", 7), |found| found.visits)
}

fn level_width(place: usize, class: &LoadClass) -> usize {
    class.plain_name().name().len().max(5) + usize::from(place > 0)
}

fn rate_width(place: usize, class: &LoadClass) -> usize {
    class.unit().chars().count().max(if place == 0 { 9 } else { 8 }) + 1
}

/// A line for each flag of a point's own.
fn own_flags(flags: &[&Flag]) -> Vec<Block> {
    let line = |flag: &&Flag| {
        let mark = if flag.invalid { "! " } else { "  " };
        let line = Paragraph::labelled(format!("{INDENT}{mark}"), INDENT.len() + 4, flag_text(flag));
        line.painted(flag_ink(flag)).into()
    };
    flags.iter().filter(|flag| !has_a_star(flag)).map(line).collect()
}

const fn flag_ink(flag: &Flag) -> Ink {
    if flag.invalid { Ink::Invalid } else { Ink::Flag }
}

/// If the precision was not reached, the achieved width is next to the number already, with a star.
fn has_a_star(flag: &Flag) -> bool {
    flag.code == FlagCode::NotReached
}

/// A number in a column. It has fewer decimals, or an exponent, if it would touch the previous column.
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

/// Follows a width that is not as requested.
fn star(io: Option<&IoFindings>, target: Option<f64>) -> char {
    match (io, target) {
        (Some(io), Some(_)) if !io.sure.reached => '*',
        _ => ' ',
    }
}

fn misses(found: &PointFindings, target: Option<f64>) -> bool {
    target.is_some() && !found.reached()
}

/// Whether some points have wide intervals, or none, and whether some only lack visits.
fn reasons(points: &[PointFindings]) -> (bool, bool) {
    let (few, others): (Vec<_>, Vec<_>) =
        points.iter().filter(|found| !found.reached()).partition(|found| found.has_too_few_visits());
    (!others.is_empty(), !few.is_empty())
}

/// The meaning of the columns and the marks.
fn legend(view: &View<'_>) -> Vec<Block> {
    let findings = &view.findings;
    let points = &findings.points;
    let mut all = Vec::new();
    if let Some(target) =
        findings.target.filter(|_| points.iter().any(|found| misses(found, findings.target)))
    {
        let asked = words::plain_percent(target);
        let [wide, few] = [
            format!("wider than the requested ±{asked} %, or no interval"),
            "too few visits to be sure of the ±".to_owned(),
        ];
        let why = match reasons(points) {
            (false, true) => few,
            (true, true) => format!("{wide}, or too few visits"),
            (_, false) => wide,
        };
        all.push(Block::whole("", format!("*  {why} (NOT_REACHED)")));
    }
    if points.iter().any(PointFindings::invalid) {
        all.push(Block::whole("", "!  these numbers must not be used, as the flag under them says"));
    }
    all.push(Paragraph::labelled("±% ", 3, meaning(view)).into());
    all.extend(has_plateau(view).then(|| Block::paragraph(PLATEAU)));
    if let Some(share) = findings.unseen_share {
        let visits: usize = points.iter().map(|found| found.visits).sum();
        let visits = words::counted(visits, "visit");
        all.push(Paragraph::labelled("   ", 3, format!("{visits} in all. {}", words::unseen(share))).into());
    }
    all.extend(searched(view).map(Block::paragraph));
    all.extend(of_columns(view).into_iter().map(Block::paragraph));
    all
}

/// The levels that a search visited, which are not rows: it chose the rows by them, and measured those afresh.
fn searched(view: &View<'_>) -> Option<String> {
    let tried = |found: &CurveFindings| {
        let levels = &found.curve.levels;
        let (least, most) = (levels.first()?.0, levels.last()?.0);
        Some(format!("{} levels of {} from {least} to {most}", levels.len(), found.load.nouns()))
    };
    let all: Vec<String> = view.findings.curves.iter().filter_map(tried).collect();
    (!all.is_empty()).then(|| {
        format!(
            "The search tried {}; the rows are the levels chosen by it, measured afresh.",
            words::listed(&all)
        )
    })
}

/// The legend of a table with warnings above it, in a line.
pub(super) fn short_legend(view: &View<'_>) -> Block {
    let is_bad = view.findings.points.iter().any(PointFindings::invalid);
    let is_wide = view.findings.points.iter().any(|found| misses(found, view.findings.target));
    let star = match reasons(&view.findings.points) {
        (false, true) => "*: too few visits. ",
        (true, true) => "*: less precise than requested, or too few visits. ",
        (_, false) => "*: less precise than requested. ",
    };
    let marks = [(is_wide, star), (is_bad, "!: do not use. ")];
    let marks: String = marks.into_iter().filter(|(is_there, _)| *is_there).map(|(_, mark)| mark).collect();
    let plateau = if has_plateau(view) { format!(" {PLATEAU}") } else { String::new() };
    // What varies within a visit is less than what visits differ by.
    let half = if view.findings.points.iter().all(|found| found.visits <= 1) {
        format!("±%: half of a 95 % interval that shows {}.", words::ONE_VISIT)
    } else {
        "±%: half of the 95 % interval.".to_owned()
    };
    Block::paragraph(format!("{marks}{half}{plateau}"))
}

/// The meaning of equal numbers in several rows.
const PLATEAU: &str = "Rows with equal numbers are alike within the noise and show their common mean.";

/// Whether several load levels show one rate, or one latency, because they are alike.
fn has_plateau(view: &View<'_>) -> bool {
    let points = &view.findings.points;
    let figures = |found: &PointFindings| {
        let of = |(class, io): (Class, &IoFindings)| {
            let mean = io.latency_us.map(|us| us.mean);
            let all = [Some(io.rate()), mean].into_iter().enumerate();
            let known = all.filter_map(|(what, one)| Some((what, one?.value, one?.interval?)));
            known.map(|(what, value, _)| (class, what, value.to_bits())).collect::<Vec<_>>()
        };
        let load = |io: &IoFindings| io.load.level_is_load() && view.record.header.request.sides.is_none();
        found.classes().filter(|(_, io)| load(io)).flat_map(of).collect::<Vec<_>>()
    };
    let mut all: Vec<(Class, usize, u64)> = points.iter().flat_map(figures).collect();
    all.sort_unstable();
    all.windows(2).any(|pair| pair[0] == pair[1])
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

/// The units of rates and latencies.
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

/// The meaning of the intervals.
fn meaning(view: &View<'_>) -> String {
    let all = || view.findings.points.iter().flat_map(PointFindings::classes);
    let one_visit = all().any(|(_, io)| io.iops.basis == Basis::OneVisit);
    if !view.is_adaptive() {
        return format!("half of a 95 % interval that shows {}.", words::ONE_VISIT);
    }
    let meaning = format!(
        "half of {}, that is {}. For a run on another day, it is at least 1.4 times that.",
        words::INTERVAL,
        words::SHORT_ESTIMAND
    );
    if one_visit {
        format!("{meaning} For a point with 1 visit, it only covers variation within that visit.")
    } else {
        meaning
    }
}

/// The flags of the run, and those that many points share.
fn shared_flags(view: &View<'_>, scopes: &FlagScopes<'_>) -> Block {
    let of_run = view.findings.flags.iter().map(|flag| ("the run", flag));
    let of_points = scopes.shared().flat_map(|(set, flags)| flags.iter().map(move |flag| (set, *flag)));
    let all = of_run.chain(of_points.filter(|(_, flag)| !has_a_star(flag)));
    let line = |(place, flag): (&str, &Flag)| {
        let mark = if flag.invalid { "! " } else { "" };
        let text = format!("{mark}Flag of {place}: {}", flag_text(flag));
        Paragraph::labelled("", 2, text).painted(flag_ink(flag)).into()
    };
    Block::part(all.map(line).collect())
}

/// The phases of a load.
pub(super) fn phases(view: &View<'_>) -> Vec<Block> {
    let Some(listing) = listing::phases(view) else { return Vec::new() };
    let mut table = listing.table();
    let left_out = table.rows.len().saturating_sub(MOST_PHASES);
    table.rows.truncate(MOST_PHASES);
    let more = (left_out > 0).then(|| {
        Block::whole("", format!("and {left_out} more lines: rigel report RECORD --format markdown"))
    });
    vec![
        Block::part([table.into()].into_iter().chain(more).collect()),
        Block::part(vec![Block::paragraph(listing.meaning)]),
    ]
}
