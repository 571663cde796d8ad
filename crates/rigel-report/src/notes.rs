//! Notes that every text output carries: how the run was made, the intervals of the best numbers, an early end, flags.
//!
//! A clean and complete run with one visit per point has no notes, so the layouts to which these lines are added keep their bytes. No line
//! contains the words by which scripts find an ORION result.

use crate::flag_scopes::FlagScopes;
use crate::headline::{self, Headline, Unit};
use crate::page::Page;
use crate::view::View;
use crate::{versus, words};
use rigel_core::judge::findings::{CurveFindings, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::record::{ClosingLine, End, Visit};
use rigel_core::stats::{Basis, Estimate};
use rigel_core::units::Nanos;
use rigel_core::units::say::two_units;
use std::fmt;

/// A point as ORION writes it.
pub(crate) struct OrionPoint(pub Point);

impl fmt::Display for OrionPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.named(" and "))
    }
}

/// All notes of a run, each on its line; empty for a clean run with one visit per point.
pub(crate) fn of(view: &View<'_>) -> String {
    let mut page = Page::default();
    if let Some(line) = cut_short(view) {
        page.line(line);
    }
    let lines = visits(view).into_iter().chain(intervals_of_orion(view));
    let curves = view.findings.curves.iter().map(curve);
    for line in lines.chain(curves).chain(flag_lines(view)) {
        page.line(line);
    }
    page.into_string()
}

/// Why not everything was measured, and how much was.
pub(crate) fn cut_short(view: &View<'_>) -> Option<String> {
    let record = view.record;
    if record.complete() {
        return None;
    }
    let reason = match &record.closing {
        Some(ClosingLine { end: Some(End::Stopped), .. }) => {
            return Some(format!("Run cut short: stopped by the user {}.", progress(view)));
        }
        Some(closing) => closing.reason.as_deref().unwrap_or("no reason was recorded"),
        None => "the record ends without its closing line",
    };
    let reason = printable(reason);
    let plan = &record.header.plan;
    if plan.searches() && plan.steps.is_empty() {
        return Some(format!(
            "Run cut short: {reason}; the search was not finished after {}.",
            words::counted(record.search.len(), "visit")
        ));
    }
    Some(format!(
        "Run cut short: {reason}; {} of {} points were measured in full.",
        view.measured_in_full(),
        plan.steps.len()
    ))
}

/// The progress of a run: `after 12 s; 3 of 9 points have figures`.
pub(crate) fn progress(view: &View<'_>) -> String {
    let record = view.record;
    let visits = record.search.iter().chain(&record.visits);
    let Some(ended_ns) = visits.map(Visit::ended_ns).max() else {
        return "before its first visit was over; there are no figures".to_owned();
    };
    let after = two_units(Nanos(ended_ns));
    let plan = &record.header.plan;
    if plan.searches() && plan.steps.is_empty() {
        let visits = words::counted(record.search.len(), "visit");
        return format!("after {after}; the search was not finished after {visits}");
    }
    let (all, with, full) = (plan.steps.len(), with_figures(view), view.measured_in_full());
    let in_full = match full {
        // Then something else is missing: visits that make them more precise.
        _ if full >= with && with == all && view.is_adaptive() => ", from fewer visits than planned",
        _ if full >= with => "",
        0 => ", from a visit that was cut short",
        _ => ", some of them from a visit that was cut short",
    };
    let verb = if with == 1 { "has" } else { "have" };
    format!("after {after}; {with} of {} {verb} figures{in_full}", words::counted(all, "point"))
}

/// The number of points at which something completed.
pub(crate) fn with_figures(view: &View<'_>) -> usize {
    let has = |found: &&PointFindings| {
        found.classes().any(|(_, io)| io.reads.count().saturating_add(io.writes.count()) > 0)
    };
    view.findings.points.iter().filter(has).count()
}

/// The visits of an adaptive run, and what its numbers mean; empty for a run with one visit per point.
fn visits(view: &View<'_>) -> Vec<String> {
    let points = &view.findings.points;
    let (Some(target), false) = (view.findings.target, points.is_empty()) else {
        return Vec::new();
    };
    let reached = points.iter().filter(|found| found.reached()).count();
    let request = &view.record.header.request;
    let reached = if request.sides.is_some() {
        format!("of every ratio of {}", versus::ratio_of(request))
    } else {
        match points.iter().filter(|found| found.has_too_few_visits()).count() {
            0 => format!("and reached at {reached}"),
            few => format!("and reached at {reached}; {few} had too few visits"),
        }
    };
    let visits: usize = points.iter().map(|found| found.visits).sum();
    let fewest = points.iter().map(|found| found.visits).min().unwrap_or(0);
    let most = points.iter().map(|found| found.visits).max().unwrap_or(0);
    let each = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
    let mut lines = vec![
        format!(
            "Adaptive run: {} in random order, {each} at each of {}; ±{} % was requested {reached}.",
            words::counted(visits, "visit"),
            words::counted(points.len(), "point"),
            words::plain_percent(target),
        ),
        format!("Numbers: {}; intervals: {}.", words::ESTIMAND, words::INTERVAL),
    ];
    lines.extend(view.findings.unseen_share.map(words::unseen));
    lines
}

/// How certain the results in ORION's files are. ORION's lines stay unchanged, so these have lines of their own.
fn intervals_of_orion(view: &View<'_>) -> Vec<String> {
    intervals(view, headline::all(view, &view.findings.plainly_best, None))
}

/// The headline numbers of an adaptive run, and how certain they are.
pub(crate) fn headlines(view: &View<'_>) -> Vec<String> {
    let found = &view.findings;
    intervals(view, headline::all(view, &found.best, found.answers.as_ref()))
}

fn intervals(view: &View<'_>, mut headlines: Vec<Headline>) -> Vec<String> {
    if !view.is_adaptive() {
        return Vec::new();
    }
    headlines.sort_by(|one, other| one.unit.cmp(&other.unit));
    headlines.iter().map(|one| headline_line(view, one)).collect()
}

fn headline_line(view: &View<'_>, one: &Headline) -> String {
    let name = &one.short;
    let best = match &one.found {
        Ok(best) => best,
        Err(reason) => return format!("{name}: none, because {reason}"),
    };
    let (unit, decimals) = match &one.unit {
        Unit::Mbps => ("", 2),
        Unit::Rate(_) => ("", 0),
        Unit::Us => (" us", 1),
    };
    let (value, sure) = (best.estimate.value, how_sure(best.estimate));
    let place = headline::place(view, one, *best, " and ");
    let invalid = view.at(best.point).is_some_and(PointFindings::invalid);
    let verdict = if invalid { NOT_TO_BE_USED } else { "" };
    format!("{name}: {value:.decimals$}{unit} {sure} @ {place}{verdict}")
}

/// `±3.1 % (95 %, 8 visits)`
fn how_sure(found: Estimate) -> String {
    let Some(interval) = found.interval else {
        return "without an interval (one visit)".to_owned();
    };
    let only = if found.basis == Basis::OneVisit { ", only what varied inside it" } else { "" };
    format!(
        "±{} % (95 %, {}{only})",
        words::percent(interval.relative_half_width),
        words::counted(interval.visits, "visit")
    )
}

/// The result of the search for a class.
fn curve(found: &CurveFindings) -> String {
    let curve = &found.curve;
    let most = found.rate(curve.x_max);
    let max = format!("{:.*} {}", found.load.decimals(), most.value, printable(found.load.unit()));
    let least = if curve.saturated { "" } else { "at least " };
    format!(
        "Search of {}: X_max {least}{max} ±{} %, N_sat {least}{} ({}..{}), knee {}, {}.",
        found.load.noun(),
        words::percent(curve.x_max.relative_half_width),
        curve.n_sat.found,
        curve.n_sat.lo,
        curve.n_sat.hi,
        curve.power_knee,
        words::counted(found.visits.len(), "visit")
    )
}

/// The flags of the run, of its points (one that all points of a set share is shown once, before the others), and of
/// the curves of a search.
pub(crate) fn flag_lines(view: &View<'_>) -> Vec<String> {
    let scopes = FlagScopes::of(view);
    let line = |(place, flags): (String, Vec<&Flag>)| {
        let texts: Vec<String> = flags.into_iter().map(judged_flag).collect();
        format!("Flags @ {place}: {}", texts.join("; "))
    };
    scopes.places(view).into_iter().map(line).collect()
}

/// The code and its figures.
pub(crate) fn flag_text(flag: &Flag) -> String {
    format!("{} ({})", flag.code.name(), printable(&flag.text))
}

/// The same, and whether the numbers may be used.
pub(crate) fn judged_flag(flag: &Flag) -> String {
    let weight = match flag {
        Flag { invalid: true, .. } => NOT_TO_BE_USED,
        Flag { note: true, .. } => A_NOTE,
        _ => "",
    };
    flag_text(flag) + weight
}

/// Follows a flag whose numbers must not be used.
const NOT_TO_BE_USED: &str = ", not to be used";
/// Follows a flag that casts no doubt.
const A_NOTE: &str = ", a note";
