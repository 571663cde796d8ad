//! A load of several classes, a row for each class of each point: a line of a terminal has no room for the latencies of all.
//!
//! Must not hide a class.

use super::{Listing, Room, Row, half, or_none, width, written};
use crate::view::View;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::class::{Class, Figure, LoadClass, Pattern};
use rigel_core::units::say::{number, time};

const MEANING: &str = "Load: what is outstanding, or arrives in a second (/s). per s: I/Os of the class in a second. mean and p99: its \
    latency; for I/O that arrives at a rate, from the time at which it should have begun.";

/// Whether classes are not points of ORION's matrix, which has small and large I/O only.
pub(super) fn is_mixed(classes: &[&LoadClass]) -> bool {
    let is_of_pair = |class: &&LoadClass| [Class::SMALL, Class::LARGE].contains(&class.plain_name());
    let is_plain =
        |class: &&LoadClass| !class.appends() && class.places.is_none() && class.pattern != Pattern::Sessions;
    classes.len() > 1 && classes.iter().all(is_plain) && !classes.iter().all(is_of_pair)
}

/// The table.
pub(super) fn of<'a>(view: &View<'_>, classes: &[&LoadClass], points: &[&'a PointFindings]) -> Listing<'a> {
    let is_beside = points.len() > 1 && points.iter().any(|found| found.classes().count() > 1);
    let has_mbps = classes.iter().any(|class| class.figure == Figure::Mbps);
    let mut heads = vec!["Class", "Load"];
    heads.extend(is_beside.then_some("Next to"));
    heads.extend(["per s", "±%"]);
    heads.extend(has_mbps.then_some("MBPS"));
    heads.extend(["mean", "±%", "p99", "±%", "Visits"]);
    let row = |found: &'a PointFindings, class: Class, io: &IoFindings| {
        let mut cells = vec![io.load.plain_name().to_string(), load(&io.load, found.point.of(class))];
        cells.extend(is_beside.then(|| beside(view, found, class)).map(or_none));
        cells.push(number(io.iops.value));
        // The width that was asked for is that of the mean latency, where the rate is given.
        let us = io.latency_us;
        let [mean, p99] = [us.map(|us| us.mean), us.map(|us| us.p99)];
        let is_open = io.load.is_open();
        let judged = |found| half(view, io, found, Room::Narrow);
        let unjudged = |found| if view.findings.target.is_some() { width(found) + " " } else { width(found) };
        cells.push(if is_open { unjudged(Some(io.iops)) } else { judged(Some(io.iops)) });
        cells.extend(has_mbps.then(|| written(io.mbps(), number)));
        cells.extend([written(mean, time), if is_open { judged(mean) } else { unjudged(mean) }]);
        cells.extend([written(p99, time), width(p99), found.visits.to_string()]);
        Row { cells, points: vec![found] }
    };
    let rows = points.iter().flat_map(|found| found.classes().map(move |(class, io)| row(found, class, io)));
    Listing { heads: heads.into_iter().map(str::to_owned).collect(), rows: rows.collect(), meaning: MEANING }
}

/// The level of a class: `16`, or `1500/s` if it arrives at a rate.
pub(super) fn load(class: &LoadClass, level: u32) -> String {
    if class.is_open() { format!("{level}/s") } else { level.to_string() }
}

/// The other classes of a point.
fn beside(view: &View<'_>, found: &PointFindings, class: Class) -> String {
    let others = found.point.without(class);
    if view.record.header.request.sides.is_some() { others.plain().words() } else { others.words() }
}
