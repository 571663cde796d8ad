//! Flags from points of a fixed run that contradict their neighbours: each was visited once, at another time.
//!
//! In a closed loop more outstanding I/Os do not lower the rate by much, and do not make each of them much faster. Where they seem to, the storage
//! changed between the two visits, or it chokes under load; one visit to each point cannot show which.
//! Must not judge runs that visit their points again and again, which see the time on its own.

use super::words::{at, rate};
use crate::judge::findings::PointFindings;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, LoadClass};
use crate::load::matrix::Point;
use crate::record::Record;
use crate::stats::detect::levels::{Contradiction, contradiction};
use crate::units::say::{figure, rough_time};
use crate::units::to_f64;

/// Fewer I/Os say nothing about a rate.
const LEAST_IOS: u64 = 50;

/// Two points that differ in the level of one class alone, with no point between them.
struct Pair<'a> {
    load: &'a LoadClass,
    less: &'a PointFindings,
    more: &'a PointFindings,
    found: Contradiction,
}

/// The flag of the run.
pub fn of_run(record: &Record, points: &[PointFindings]) -> Option<Flag> {
    if record.header.plan.adaptive.is_some() {
        return None;
    }
    let points: Vec<&PointFindings> = points.iter().filter(|point| is_sound(point)).collect();
    // The rate of an open loop is given, whatever the storage does, and places may differ.
    let classes = record.header.request.classes.iter().filter(|load| load.level_is_load());
    let mut pairs: Vec<Pair<'_>> = Vec::new();
    for less in &points {
        let next = classes
            .clone()
            .filter_map(|varied| Some((varied.name, neighbour(&points, less.point, varied.name)?)));
        pairs.extend(next.flat_map(|(varied, more)| {
            classes.clone().filter_map(move |load| contradicts(load, varied, less, more))
        }));
    }
    // The change itself lies between the two that are nearest in time.
    let nearest = pairs.iter().min_by_key(|pair| pair.apart_ns())?;
    let others = pairs.len() - 1;
    let others = match others {
        0 => String::new(),
        1 => "; the points of another pair also contradict each other".to_owned(),
        others => format!("; {others} other pairs of points also contradict each other"),
    };
    Some(Flag::new(FlagCode::LevelShift, format!("{}{others}", nearest.sentence())))
}

/// Whether its single visit was complete, and no flag makes its number invalid.
fn is_sound(point: &PointFindings) -> bool {
    matches!(point.each_visit.as_slice(), [visit] if !visit.cut_short) && !point.invalid()
}

/// The point with the next larger level of a class and everything else equal.
fn neighbour<'a>(points: &[&'a PointFindings], less: Point, varied: Class) -> Option<&'a PointFindings> {
    let level = less.of(varied);
    let larger = points.iter().filter(|other| {
        level > 0 && other.point.of(varied) > level && other.point.without(varied) == less.without(varied)
    });
    larger.min_by_key(|other| other.point.of(varied)).copied()
}

/// How the rates of a class contradict each other at two points, the second with more of the class `varied`.
fn contradicts<'a>(
    load: &'a LoadClass,
    varied: Class,
    less: &'a PointFindings,
    more: &'a PointFindings,
) -> Option<Pair<'a>> {
    let known = |point: &PointFindings| {
        let io = point.io(load.name)?;
        let ios = io.reads.count().saturating_add(io.writes.count());
        io.iops.interval.filter(|_| ios >= LEAST_IOS)
    };
    let load_grew = f64::from(more.point.of(load.name)) / f64::from(less.point.of(load.name).max(1));
    let found = contradiction(&known(less)?, &known(more)?, (load.name == varied).then_some(load_grew))?;
    Some(Pair { load, less, more, found })
}

impl Pair<'_> {
    fn began_ns(point: &PointFindings) -> u64 {
        point.each_visit.first().map_or(0, |visit| visit.began_ns)
    }

    fn apart_ns(&self) -> u64 {
        Self::began_ns(self.less).abs_diff(Self::began_ns(self.more))
    }

    fn sentence(&self) -> String {
        let order = if Self::began_ns(self.less) <= Self::began_ns(self.more) { "earlier" } else { "later" };
        let Contradiction { less, more, falls } = self.found;
        let told = format!(
            "{}: {} at {} is {} of {} at {}, measured {} {order}",
            self.load.title(),
            rate(self.load, more.mean),
            at(self.load, self.more.point),
            figure(more.mean / less.mean),
            rate(self.load, less.mean),
            at(self.load, self.less.point),
            rough_time(to_f64(self.apart_ns()))
        );
        let why = if falls {
            "the storage changed in between, or more load makes it slower: measure again"
        } else {
            "more load cannot make each I/O that much faster, so the storage changed in between: measure again"
        };
        format!("{told}; {why}")
    }
}
