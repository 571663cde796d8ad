//! What the storage reached, in sentences, and which of it must not be used.
//!
//! Must not choose a figure; the findings do.

use crate::numbers::{number, percent, time};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{PointFindings, WorkingPoint};
use rigel_core::load::class::{Class, Figure, LoadClass, Sizes};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;

/// `This storage reached 55,584 small reads per second (±2.1 %), and answered ..` Of numbers that must not be used it says
/// only what they seem to be.
pub(super) fn sentence(view: &View<'_>, usable: bool) -> String {
    let best = &view.findings.best;
    let simulated = view.record.header.request.engine.is_simulated();
    let device = if simulated { "The simulated device" } else { "This storage" };
    let (reached, answered) = if usable { ("reached", "answered") } else { ("seemed to reach", "to answer") };
    let mut most = Vec::new();
    let loads = view.loads();
    for load in &loads {
        let within = view.findings.answers.as_ref().filter(|_| load.name == Class::SMALL);
        let within = within.and_then(|answers| Some((answers.max_iops.as_ref().ok()?.iops, answers.bound)));
        let highest = best.rate(load.name).map(|best| best.estimate);
        most.extend(highest.map(|highest| match within {
            // At the highest rate the bound is kept.
            Some((iops, bound)) if iops == highest => format!("{} within a {bound}", rate(load, highest)),
            _ => rate(load, highest),
        }));
        if view.findings.still_rising.contains(&load.name)
            && let Some(last) = most.last_mut()
        {
            *last += ", and the rate still rose at the most load that was tried";
        }
        let lower = within.filter(|(iops, _)| Some(*iops) != highest);
        most.extend(
            lower.map(|(iops, bound)| format!("{}{} within a {bound}", number(iops.value), width(iops))),
        );
    }
    if most.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    // Where only points in doubt have a lower one, none is the best.
    let is_lowest = |class: Class, found: Estimate| {
        let plain = view.findings.plainly_best.latency_us(class);
        plain.is_none_or(|plain| plain.estimate.value >= found.lo95().unwrap_or(found.value))
    };
    let quickest = loads.iter().find_map(|load| Some((load, best.latency_us(load.name)?)));
    let quickest = quickest.filter(|(load, best)| is_lowest(load.name, best.estimate));
    let quickest = quickest.map_or_else(String::new, |(load, best)| {
        let (noun, least) = (load.noun(), time(best.estimate.value));
        let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!(", and {answered} {article} {noun} in {least} on average at best{}", width(best.estimate))
    });
    format!("{device} {reached} {}{quickest}.", words::listed(&most))
}

fn rate(load: &LoadClass, found: Estimate) -> String {
    let (value, width, noun) = (number(found.value), width(found), load.noun());
    match &load.figure {
        Figure::Mbps => format!("{value} MB per second of {noun}{width}"),
        Figure::Rate(_) if load.sizes == Sizes::None => {
            format!("{value} {} of {noun}{width}", printable(load.unit()))
        }
        Figure::Rate(_) => format!("{value} {noun}s per second{width}"),
    }
}

fn width(found: Estimate) -> String {
    let Some(half) = found.half_width() else { return String::new() };
    match percent(half) {
        tiny if tiny.starts_with('<') || tiny == "0.0" => " (± less than 0.1 %)".to_owned(),
        width => format!(" (±{width} %)"),
    }
}

/// The load that gives much of the rate at little latency, and what the highest rate costs beside it.
pub(super) fn working(view: &View<'_>) -> Option<String> {
    let (class, found) = view.findings.working.iter().next()?;
    let load = view.record.header.request.class(*class)?;
    let WorkingPoint { at, highest } = found;
    let gain = highest.rate.value / at.rate.value - 1.0;
    let more = match percent(gain.max(0.0)).as_str() {
        "0.0" | "<0.1" => "no more".to_owned(),
        more => format!("{more} % more"),
    };
    Some(format!(
        "A good working point is {} outstanding: {} {}{} at {}. {} outstanding give {more}, at {} times the latency.",
        at.outstanding,
        number(at.rate.value),
        printable(load.unit()),
        width(at.rate),
        time(at.latency_us),
        highest.outstanding,
        times(highest.latency_us / at.latency_us),
    ))
}

/// A factor in two figures: `2.4`, `45`.
fn times(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}

/// What must not be used: `these numbers`, or those of a class all of whose points are in doubt. `None` when there is a number
/// for each class that may be used.
pub(super) fn unusable(view: &View<'_>) -> Option<String> {
    if view.findings.points.is_empty() || view.findings.flags.iter().any(|flag| flag.invalid) {
        return Some("these numbers".to_owned());
    }
    let is_invalid = |class: Class| {
        let mut points = view.findings.points.iter().filter(|found| found.io(class).is_some());
        points.all(PointFindings::invalid)
    };
    let loads = view.loads();
    let bad: Vec<String> =
        loads.iter().filter(|load| is_invalid(load.name)).map(|load| load.noun()).collect();
    match bad.len() {
        0 => None,
        all if all == loads.len() => Some("these numbers".to_owned()),
        _ => Some(format!("the numbers of {}", words::listed(&bad))),
    }
}
