//! What a reader of any text output must not miss: how the numbers came about, how sure the best ones are, that the run was
//! cut short, that a number carries a flag.
//!
//! A clean and complete run with one visit per point has no notes, so that the layouts which these lines are added to keep
//! their bytes. No line has the words by which scripts find a result of ORION.

use crate::flag_scopes::FlagScopes;
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{Basis, CurveFindings, Extreme, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::Class;
use rigel_core::path_text::printable;
use rigel_core::units::{MIB, to_f64};
use std::fmt;

/// A point as ORION writes it.
pub(crate) struct At(pub Point);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Small={} and Large={}", self.0.small, self.0.large)
    }
}

/// All notes of a run, each on its line; empty for a clean run with one visit per point.
pub(crate) fn of(view: &View<'_>) -> String {
    let mut page = Page::default();
    if let Some(line) = cut_short(view) {
        page.line(line);
    }
    let lines = visits(view).into_iter().chain(intervals(view));
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
        Some(closing) => closing.reason.as_deref().unwrap_or("no reason was recorded"),
        None => "the record ends without its closing line",
    };
    let reason = printable(reason);
    let plan = &record.header.plan;
    if plan.search.is_some() && plan.steps.is_empty() {
        return Some(format!(
            "Run cut short: {reason}; the search for load levels was not finished after {}.",
            words::counted(record.search.len(), "visit")
        ));
    }
    Some(format!(
        "Run cut short: {reason}; {} of {} points were measured in full.",
        view.measured_in_full(),
        plan.steps.len()
    ))
}

/// How an adaptive run came to its numbers, and what they are; nothing for a run with one visit per point.
fn visits(view: &View<'_>) -> Vec<String> {
    let points = &view.findings.points;
    let (Some(target), false) = (view.findings.target, points.is_empty()) else {
        return Vec::new();
    };
    let reached = points.iter().filter(|found| found.reached()).count();
    let visits: usize = points.iter().map(|found| found.visits).sum();
    let fewest = points.iter().map(|found| found.visits).min().unwrap_or(0);
    let most = points.iter().map(|found| found.visits).max().unwrap_or(0);
    let each = if fewest == most { fewest.to_string() } else { format!("{fewest} to {most}") };
    let mut lines = vec![
        format!(
            "Adaptive run: {} in random order, {each} at each of {}; ±{} % was asked for and reached at {reached}.",
            words::counted(visits, "visit"),
            words::counted(points.len(), "point"),
            words::plain_percent(target),
        ),
        format!("Numbers: {}; intervals: {}.", words::ESTIMAND, words::INTERVAL),
    ];
    lines.extend(view.findings.unseen_share.map(words::unseen));
    lines
}

/// How sure the headline numbers of an adaptive run are. ORION's lines stay as they are, so these have words of their own.
pub(crate) fn intervals(view: &View<'_>) -> Vec<String> {
    if !view.is_adaptive() {
        return Vec::new();
    }
    let found = &view.findings;
    let best = [
        ("Highest large MBPS", "", 2, Class::Large, found.max_large_mbps),
        ("Highest small IOPS", "", 0, Class::Small, found.max_small_iops),
        ("Lowest small latency", " us", 1, Class::Small, found.min_small_latency_us),
    ];
    let line = |(name, unit, decimals, class, best): (&str, &str, usize, Class, Option<Extreme>)| {
        let best = best?;
        let (value, sure, place) = (best.value, how_sure(view, best, class), At(best.point));
        let invalid = view.at(best.point).is_some_and(PointFindings::invalid);
        let verdict = if invalid { NOT_TO_BE_USED } else { "" };
        Some(format!("{name}: {value:.decimals$}{unit} {sure} @ {place}{verdict}"))
    };
    best.into_iter().filter_map(line).collect()
}

/// `±3.1 % (95 %, 8 visits)`
fn how_sure(view: &View<'_>, best: Extreme, class: Class) -> String {
    let Some(interval) = best.interval else {
        return "without an interval".to_owned();
    };
    let io = view.at(best.point).and_then(|found| found.io(class));
    let only = if io.is_some_and(|io| io.sure.basis == Basis::OneVisit) {
        ", only what varied inside it"
    } else {
        ""
    };
    format!(
        "±{} % (95 %, {}{only})",
        words::percent(interval.relative_half_width),
        words::counted(interval.visits, "visit")
    )
}

/// What the search found for a class.
fn curve(found: &CurveFindings) -> String {
    let curve = &found.curve;
    let max = match found.class {
        Class::Small => format!("{:.0} IOPS", curve.x_max.mean),
        Class::Large => format!("{:.2} MBPS", curve.x_max.mean * to_f64(found.io_bytes) / to_f64(MIB)),
    };
    let least = if curve.saturated { "" } else { "at least " };
    format!(
        "Search of {} I/O: X_max {least}{max} ±{} %, N_sat {least}{} ({}..{}), knee {}, {}.",
        found.class.name(),
        words::percent(curve.x_max.relative_half_width),
        curve.n_sat.found,
        curve.n_sat.lo,
        curve.n_sat.hi,
        curve.power_knee,
        words::counted(found.visits.len(), "visit")
    )
}

/// The flags of the run, of its points (those that all points of a set share are told once, before the others), and of
/// the curves of a search.
pub(crate) fn flag_lines(view: &View<'_>) -> Vec<String> {
    let findings = &view.findings;
    let scopes = FlagScopes::of(&findings.points);
    let run: Vec<&Flag> = findings.flags.iter().collect();
    let mut lines = vec![line("the run", &run)];
    lines.extend(scopes.shared().map(|(set, flags)| line(set, &flags)));
    lines.extend(findings.points.iter().map(|found| line(At(found.point), &scopes.own(found))));
    let of_curve = |found: &CurveFindings| {
        let flags: Vec<&Flag> = found.flags.iter().collect();
        line(format_args!("the search of {} I/O", found.class.name()), &flags)
    };
    lines.extend(findings.curves.iter().map(of_curve));
    lines.into_iter().flatten().collect()
}

/// Nothing when there are no flags.
fn line(place: impl fmt::Display, flags: &[&Flag]) -> Option<String> {
    let told: Vec<String> = flags.iter().map(|flag| judged_flag(flag)).collect();
    (!told.is_empty()).then(|| format!("Flags @ {place}: {}", told.join("; ")))
}

/// The code and its figures.
pub(crate) fn flag_text(flag: &Flag) -> String {
    format!("{} ({})", flag.code.name(), printable(&flag.text))
}

/// The same, and whether the numbers may be used.
pub(crate) fn judged_flag(flag: &Flag) -> String {
    flag_text(flag) + if flag.invalid { NOT_TO_BE_USED } else { "" }
}

/// What follows a flag where its line says that the numbers must not be used.
const NOT_TO_BE_USED: &str = ", not to be used";
