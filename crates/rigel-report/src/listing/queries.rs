//! Look-ups beside reports, a row for each kind of each point: the time of one says nothing about the other.
//!
//! Must not hide a kind.

use super::{Listing, Room, Row, half, or_none, width, written};
use crate::view::View;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::units::say::{number, time};

const HEADS: [&str; 10] = ["Sessions", "Next to", "per s", "±%", "mean", "p50", "±%", "p99", "±%", "Visits"];
const MEANING: &str = "Sessions: those whose queries the line describes; Next to: the others at the same \
    time. per s: look-ups in a second, or MB \
    (2^20 bytes) that reports read. mean, p50, p99: response time of such a query; its mean is known as well as the rate. Simple=4 and Report=2 name a point: 4 sessions with look-ups \
    (simple queries), 2 with reports.";

/// Whether there are several kinds, all of them database queries.
pub(super) fn are_queries(classes: &[&LoadClass]) -> bool {
    classes.len() > 1 && classes.iter().all(|class| class.is_query() && !class.appends())
}

/// The table.
pub(super) fn of<'a>(view: &View<'_>, points: &[&'a PointFindings]) -> Listing<'a> {
    let row = |found: &'a PointFindings, class: Class, io: &IoFindings| {
        let us = io.latency_us;
        let [mean, p50, p99] = [us.map(|us| us.mean), us.map(|us| us.p50), us.map(|us| us.p99)];
        let unit = if io.load.figure == Figure::Mbps { " MB" } else { "" };
        let cells = vec![
            kind(view, class, found.point.of(class)),
            or_none(beside(view, found.point, class)),
            number(io.rate().value) + unit,
            half(view, io, Some(io.iops), Room::Narrow),
            written(mean, time),
            written(p50, time),
            width(p50),
            written(p99, time),
            width(p99),
            found.visits.to_string(),
        ];
        Row { cells, points: vec![found] }
    };
    let rows = points.iter().flat_map(|found| found.classes().map(move |(class, io)| row(found, class, io)));
    Listing { heads: HEADS.map(str::to_owned).into(), rows: rows.collect(), meaning: MEANING }
}

/// `4 look-up`.
fn kind(view: &View<'_>, class: Class, level: u32) -> String {
    let noun = view.record.header.request.class(class).map_or_else(|| class.to_string(), LoadClass::noun);
    format!("{level} {noun}")
}

fn beside(view: &View<'_>, point: Point, class: Class) -> String {
    let others = point.without(class);
    let told: Vec<String> = others.classes().map(|(other, level)| kind(view, other, level)).collect();
    told.join(", ")
}
