//! A flag from durable writes that are compared with the same writes that need not be durable.
//!
//! A write that reaches a medium takes a hundred microseconds and more, whichever medium that is. One that a protected
//! cache keeps, or that the storage only says to have kept, takes as long as any other. Must not say which of the two it is.

use super::words::time;
use crate::judge::findings::PointFindings;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{LoadClass, Sync};
use crate::load::matrix::Point;
use crate::record::Record;
use crate::units::{NS_PER_US, to_f64};

/// Relative to the plain write, that much longer is no longer.
const ALIKE: f64 = 1.15;
/// Nor is that much: a second system call and a wake-up.
const ALIKE_US: f64 = 20.0;

/// The flag of the run: of each way to become durable, the fewest writers at which both were measured alone.
pub fn of_run(record: &Record, points: &[PointFindings]) -> Option<Flag> {
    let classes = &record.header.request.classes;
    let durable = classes.iter().filter(|class| class.sync != Sync::None);
    let told: Vec<String> = durable.filter_map(|class| free(class, classes, points)).collect();
    (!told.is_empty()).then(|| Flag::new(FlagCode::FlushFree, told.join("; ")))
}

fn free(class: &LoadClass, classes: &[LoadClass], points: &[PointFindings]) -> Option<String> {
    let plain = classes.iter().find(|other| is_plain(other, class))?;
    let pairs = points.iter().filter_map(|point| {
        let level = point.point.of(class.name);
        let beside = points.iter().find(|other| other.point == Point::alone(plain.name, level))?;
        point.point.is_alone(class.name).then_some((level, point.io(class.name)?, beside.io(plain.name)?))
    });
    let (level, with, without) = pairs.min_by_key(|pair| pair.0)?;
    // A flush makes every write longer, so the medians tell it, which what happens now and then does not move.
    let (with, without) = (with.latency_us?.p50, without.latency_us?.p50);
    let longest_us = with.interval.map_or(with.value, |interval| interval.hi95);
    let shortest_us = without.interval.map_or(without.value, |interval| interval.lo95);
    if longest_us > (shortest_us * ALIKE).max(shortest_us + ALIKE_US) {
        return None;
    }
    let [with, without] = [with, without].map(|us| time(us.value * to_f64(NS_PER_US)));
    let writers = if level == 1 { "1 writer".to_owned() } else { format!("{level} writers") };
    Some(format!(
        "{}{}: half of the writes take at most {with} with {writers}, {without} when they need not be durable",
        class.plain_name(),
        class.of_side()
    ))
}

/// The same but for the durability.
fn is_plain(other: &LoadClass, class: &LoadClass) -> bool {
    let LoadClass { sizes, pattern, write_percent, arrival, span, side, .. } = class;
    other.sync == Sync::None
        && other.side == *side
        && (&other.sizes, other.pattern, other.write_percent) == (sizes, *pattern, *write_percent)
        && (other.arrival, other.span) == (*arrival, *span)
}
