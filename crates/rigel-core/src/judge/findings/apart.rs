//! The rate of each part by which a class was counted at a point: each target, or each reader.
//!
//! The parts of a visit add up to its rate, settling and draining left out: a part's share of the whole visit is its share of that rate. Each is a
//! mean over visits, with an interval from its own visits only. Must not judge whether parts differ.

use super::PointFindings;
use crate::load::class::{Class, LoadClass};
use crate::measure::{ByTarget, ClassTally};
use crate::record::Record;
use crate::stats::sample::mean;
use crate::stats::{Basis, Estimate, Interval};
use crate::units::to_f64;

/// The rates of the parts of a class at a point, in the unit of the class and in the order of the counts; empty without such counts.
pub fn rates(
    record: &Record,
    found: &PointFindings,
    load: &LoadClass,
    counts: fn(&ClassTally) -> Option<&ByTarget>,
) -> Vec<Estimate> {
    let visits = each_visit(record, found, load.name, counts);
    let parts = visits.iter().map(Vec::len).max().unwrap_or(0);
    let part = |number: usize| {
        let own: Vec<f64> = visits.iter().map(|shares| shares.get(number).copied().unwrap_or(0.0)).collect();
        let interval = (own.len() > 1).then(|| Interval::of_alike(&own)).flatten();
        load.rate(
            interval
                .map_or_else(|| Estimate::bare(mean(&own)), |interval| Estimate::of(interval, Basis::Visits)),
        )
    };
    (0..parts).map(part).collect()
}

/// The same in I/Os per second, visit by visit.
pub fn each_visit(
    record: &Record,
    found: &PointFindings,
    class: Class,
    counts: fn(&ClassTally) -> Option<&ByTarget>,
) -> Vec<Vec<f64>> {
    let own = record.visits.iter().filter(|visit| visit.step == found.step).zip(&found.each_visit);
    let shares = own.filter(|(_, of_visit)| of_visit.counts).filter_map(|(visit, of_visit)| {
        let ops = &counts(visit.tallies.get(&class)?)?.ops;
        let all: u64 = ops.iter().sum();
        let iops = of_visit.ios.get(&class)?.iops;
        (all > 0).then(|| ops.iter().map(|&own| iops * to_f64(own) / to_f64(all)).collect())
    });
    shares.collect()
}

/// The counts of each target.
pub fn by_target(tally: &ClassTally) -> Option<&ByTarget> {
    tally.by_target.as_deref()
}

/// The counts of each reader.
pub fn by_reader(tally: &ClassTally) -> Option<&ByTarget> {
    tally.by_reader.as_deref()
}
