//! What a reader of any text output must not miss: the run was cut short, a number carries a flag.
//!
//! A clean and complete run has no notes, so that the layouts which these lines are added to keep their bytes.

use crate::page::Page;
use crate::view::View;
use rigel_core::findings::PointFindings;
use rigel_core::flags::Flag;
use rigel_core::matrix::Point;
use rigel_core::path_text::printable;
use std::fmt;

/// A point as ORION writes it.
pub(crate) struct At(pub Point);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Small={} and Large={}", self.0.small, self.0.large)
    }
}

/// All notes of a run, each on its line; empty for a clean run.
pub(crate) fn of(view: &View<'_>) -> String {
    let mut page = Page::default();
    if let Some(line) = cut_short(view) {
        page.line(line);
    }
    for line in flag_lines(&view.findings.points) {
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
    Some(format!(
        "Run cut short: {}; {} of {} points were measured in full.",
        printable(reason),
        view.measured_in_full(),
        record.header.plan.steps.len()
    ))
}

/// Points that often share a flag: the name of the set, and which points are in it.
type Scope = (&'static str, fn(&PointFindings) -> bool);

/// The widest first: a flag is told once for the first set that carries it throughout.
const SCOPES: [Scope; 3] = [
    ("all points", |_| true),
    ("all points with Small>0", |found| found.point.small > 0),
    ("all points with Large>0", |found| found.point.large > 0),
];

/// Flags by point; those that all points of a set share are told once, before the others.
pub(crate) fn flag_lines(points: &[PointFindings]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut told: Vec<(&Flag, Scope)> = Vec::new();
    for scope in SCOPES {
        let shared = shared_flags(points, scope);
        let is_told = |flag: &&Flag| !told.iter().any(|&(one, _)| one == *flag);
        let news: Vec<&Flag> = shared.into_iter().filter(is_told).collect();
        if !news.is_empty() {
            lines.push(line(scope.0, &news));
        }
        told.extend(news.into_iter().map(|flag| (flag, scope)));
    }
    for found in points {
        let is_told = |flag: &&Flag| told.iter().any(|&(one, (_, holds))| one == *flag && holds(found));
        let own: Vec<&Flag> = found.flags.iter().filter(|flag| !is_told(flag)).collect();
        if !own.is_empty() {
            lines.push(line(At(found.point), &own));
        }
    }
    lines
}

/// The flags that every point of a set carries, when there are several such points.
fn shared_flags(points: &[PointFindings], (_, holds): Scope) -> Vec<&Flag> {
    let members: Vec<&PointFindings> = points.iter().filter(|found| holds(found)).collect();
    match members.split_first() {
        Some((first, others)) if !others.is_empty() => {
            first.flags.iter().filter(|flag| others.iter().all(|found| found.flags.contains(flag))).collect()
        }
        _ => Vec::new(),
    }
}

fn line(place: impl fmt::Display, flags: &[&Flag]) -> String {
    let told = |flag: &&Flag| format!("{} ({})", flag.code.name(), printable(&flag.text));
    let flags: Vec<String> = flags.iter().map(told).collect();
    format!("Flags @ {place}: {}", flags.join("; "))
}
