//! What loads, quantities and numbers of two sides are called.
//!
//! Must not judge.

use super::VersusReport;
use crate::compare::value;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::class::{Class, LoadClass, Pattern, Sync};
use rigel_core::load::matrix::Point;
use rigel_core::load::sides::Side;
use rigel_core::stats::Estimate;
use rigel_core::units::say::counted;
use rigel_uses::compare::Row;

/// A class of the load, with its name on either side.
pub(super) fn load(turned: &VersusReport<'_>, class: Class) -> Option<LoadClass> {
    Some(turned.view.record.header.request.class(class.on(Side::A)?)?.plain())
}

/// `small I/O`, `I/O of reads`, `dsync commits`.
pub(super) fn of(turned: &VersusReport<'_>, quantity: Quantity) -> String {
    let class = quantity.class;
    let Some(load) = load(turned, class) else { return class.to_string() };
    match (load.pattern, load.sync) {
        (Pattern::Log, Sync::None) => format!("{class} writes"),
        (Pattern::Log, _) => format!("{class} commits"),
        _ => load.noun(),
    }
}

/// Where a row is.
pub(super) fn place(turned: &VersusReport<'_>, row: &Row) -> String {
    row.point.map_or_else(|| "all loads".to_owned(), |point| at(turned, point))
}

/// `1 outstanding`, `8000 per second`, `4 writers`, `Small=5 Large=2`.
pub(super) fn at(turned: &VersusReport<'_>, point: Point) -> String {
    let mut classes = point.classes();
    let (Some((class, level)), None) = (classes.next(), classes.next()) else { return point.named(" ") };
    let Some(load) = load(turned, class) else { return point.named(" ") };
    match load.pattern {
        _ if load.is_open() => format!("{level} per second"),
        _ if load.places.is_some() => format!("place {}", load.place_words(level)),
        Pattern::Log => counted(level, "writer"),
        Pattern::Streams { .. } => counted(level, "stream"),
        Pattern::Random | Pattern::Sessions => format!("{level} outstanding"),
    }
}

/// A number with its interval, `2.51 ms (2.4 ms to 2.63 ms)`.
pub(super) fn in_words(quantity: Quantity, found: &Estimate) -> String {
    let ends = found.lo95().zip(found.hi95());
    let ends = ends.map(|(lo, hi)| format!(" ({} to {})", value(quantity, lo), value(quantity, hi)));
    format!("{}{}", value(quantity, found.value), ends.unwrap_or_default())
}
