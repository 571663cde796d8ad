//! What commits cost, in sentences: how long one writer waits, then what all of them reach together.
//!
//! Must not choose a figure; the findings do.

use crate::view::View;
use crate::words::{self, width};
use rigel_core::judge::findings::{Extreme, PointFindings};
use rigel_core::load::class::{Arrival, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::units::say::time;

/// Whether it is a run of commits. Those of a calibration are answers of its own, and two sides have their ratio.
pub(crate) fn is_of(view: &View<'_>) -> bool {
    let request = &view.record.header.request;
    let appends = view.main_loads().iter().any(|load| load.appends());
    appends && request.sides.is_none() && request.bound().is_none()
}

/// `With 1 writer, dsync commits take 124.7 us on average (±3 %) and unsynced writes 63.2 us (±2 %).` Then the same next to other
/// load, if that was measured.
pub(crate) fn latencies(view: &View<'_>, usable: bool) -> Vec<String> {
    let logs: Vec<&LoadClass> = view.main_loads().into_iter().filter(|load| load.appends()).collect();
    let alone = |load: &LoadClass| least(view, load, usable, |rest| rest == Point::default());
    let beside = |load: &LoadClass| least(view, load, usable, |rest| rest != Point::default());
    let (alone, beside): (Vec<_>, Vec<_>) =
        logs.iter().map(|load| ((*load, alone(load)), (*load, beside(load)))).unzip();
    [sentence(view, &alone, usable), sentence(view, &beside, usable)].into_iter().flatten().collect()
}

/// That the cost of a flush is unknown because the host was busy.
pub(crate) fn untold(view: &View<'_>) -> Option<&'static str> {
    view.findings.are_flushes_untold(&view.record.header.request).then_some(
        "It is unknown whether a flush costs anything (FLUSH_FREE): other programs used the host meanwhile \
         (FOREIGN).",
    )
}

/// The mean latency with the fewest writers; in a usable run, of a usable point.
fn least(
    view: &View<'_>,
    load: &LoadClass,
    usable: bool,
    is_wanted: impl Fn(Point) -> bool,
) -> Option<Extreme> {
    let is_of = |found: &&PointFindings| {
        is_wanted(found.point.without(load.name))
            && found.io(load.name).is_some()
            && !(usable && found.invalid())
    };
    let all = view.findings.points.iter().filter(is_of);
    let found = all.min_by_key(|found| (found.point.of(load.name), found.point.without(load.name).sum()))?;
    Some(Extreme { estimate: found.io(load.name)?.latency_us?.mean, point: found.point })
}

fn sentence(view: &View<'_>, found: &[(&LoadClass, Option<Extreme>)], usable: bool) -> Option<String> {
    let known: Vec<(&LoadClass, Extreme)> =
        found.iter().filter_map(|(load, latency)| Some((*load, (*latency)?))).collect();
    let first = known.first()?;
    let circumstances = |(load, at): &(&LoadClass, Extreme)| {
        let writers = words::counted(at.point.of(load.name), "writer");
        let others = at.point.without(load.name).classes();
        let other = |(class, level)| {
            let load = view.record.header.request.class(class)?;
            // The level of what arrives by itself is its rate.
            Some(match load.arrival {
                Arrival::Open { .. } => format!("{level} {} per second", load.nouns()),
                Arrival::Closed => format!("{level} outstanding {}", load.nouns()),
            })
        };
        let others: Vec<String> = others.filter_map(other).collect();
        if others.is_empty() { writers } else { format!("{writers} next to {}", words::listed(&others)) }
    };
    let shared = circumstances(first);
    let each = known.iter().enumerate().map(|(place, one)| {
        let (load, at) = one;
        let take = match (place, usable) {
            (0, true) => " take",
            (0, false) => " seem to take",
            _ => "",
        };
        let average = if place == 0 { " on average" } else { "" };
        let with = circumstances(one);
        let with = if with == shared { String::new() } else { format!(" with {with}") };
        format!("{}{take} {}{average}{}{with}", load.nouns(), time(at.estimate.value), width(at.estimate))
    });
    let each: Vec<String> = each.collect();
    Some(format!("With {shared}, {}.", words::listed(&each)))
}

/// ` with 16 writers`; empty if it is not a log.
pub(crate) fn writers(load: &LoadClass, point: Point) -> String {
    if load.appends() {
        format!(" with {}", words::counted(point.of(load.name), "writer"))
    } else {
        String::new()
    }
}
