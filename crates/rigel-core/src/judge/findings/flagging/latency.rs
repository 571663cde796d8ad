//! Flags from the latencies of a point: two kinds of I/O in one mean.
//!
//! Must not look at rates.

use super::contents::alone;
use crate::judge::findings::PointFindings;
use crate::judge::findings::estimate::tally;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, LoadClass, PerClass};
use crate::load::workload::Direction;
use crate::measure::Histogram;
use crate::record::Visit;
use crate::stats::detect::latency_modes::{LatencyModes, latency_modes};
use crate::units::say::{in_percent, rough_time};
use crate::units::{to_f64, us_from_ns};

/// A visit has both kinds if each has at least this share.
const LEAST_OF_BOTH: f64 = 0.05;
/// The fast kind takes less than this part of the latency of an I/O alone. Stations with a constant service time make
/// some I/Os of a queue wait once and others twice; none of them is faster than one that does not wait.
const FASTER_THAN_ALONE: f64 = 0.8;

/// `alone_us` without the classes whose I/Os are of two kinds even when they are alone: there is no queue then, and
/// the two kinds can be trusted at every depth.
pub fn of_one_kind(points: &[PointFindings], alone_us: &PerClass<f64>) -> PerClass<f64> {
    let kinds = |histogram: &Histogram| latency_modes(histogram).is_some();
    let has_two = |class| alone(points, class).is_some_and(|io| kinds(&io.reads) || kinds(&io.writes));
    alone_us.iter().filter(|(class, _)| !has_two(**class)).map(|(class, us)| (*class, *us)).collect()
}

/// The flags of a point; `visits` are those behind its figures. `alone_us` is the mean latency of each class at one
/// outstanding I/O without any other class, if that is one kind of I/O.
pub fn of_point(visits: &[&Visit], point: &PointFindings, alone_us: &PerClass<f64>) -> Vec<Flag> {
    let mut found = Vec::new();
    // In an open loop some I/Os wait and others do not, which are two kinds of any storage.
    for (class, io) in point.classes().filter(|(_, io)| !io.load.is_open()) {
        // Reads and writes apart: that one is faster than the other is no finding.
        let both = io.reads.count() > 0 && io.writes.count() > 0;
        for (direction, histogram) in [(Direction::Read, &io.reads), (Direction::Write, &io.writes)] {
            let Some(modes) = latency_modes(histogram) else { continue };
            let faster = alone_us.get(&class).is_none_or(|alone_us| is_faster(histogram, &modes, *alone_us));
            if faster && mixed(visits, class, direction, &modes) {
                found.push(two_kinds(&io.load, both.then_some(direction), &modes));
            }
        }
    }
    found
}

/// Whether the median of the fast I/Os is faster than one that is alone.
fn is_faster(histogram: &Histogram, modes: &LatencyModes, alone_us: f64) -> bool {
    let middle_ns = histogram.quantile_ns(modes.fast_share / 2.0);
    middle_ns.is_some_and(|ns| us_from_ns(to_f64(ns)) < FASTER_THAN_ALONE * alone_us)
}

/// Whether at least half of the visits have both kinds of I/O: visits that differ from one another are another matter.
fn mixed(visits: &[&Visit], class: Class, direction: Direction, modes: &LatencyModes) -> bool {
    let histograms = visits.iter().filter_map(|visit| tally(visit, class)).map(|tally| {
        let (reads, writes) = tally.latencies_after(0);
        match direction {
            Direction::Read => reads,
            Direction::Write => writes,
        }
    });
    let has_both = |histogram: &Histogram| {
        let fast = to_f64(histogram.count_below(modes.valley_ns)) / to_f64(histogram.count());
        (LEAST_OF_BOTH..=1.0 - LEAST_OF_BOTH).contains(&fast)
    };
    let all: Vec<Histogram> = histograms.filter(|histogram| histogram.count() > 0).collect();
    2 * all.iter().filter(|histogram| has_both(histogram)).count() >= all.len()
}

fn two_kinds(load: &LoadClass, direction: Option<Direction>, found: &LatencyModes) -> Flag {
    let of = match direction {
        None => "",
        Some(Direction::Read) => " reads",
        Some(Direction::Write) => " writes",
    };
    let text = format!(
        "{}{of}: {} of the I/Os take around {}, {} around {}: typical of a cache, a tier or a limit; the \
         mean describes neither",
        load.title(),
        in_percent(found.fast_share),
        rough_time(to_f64(found.fast_ns)),
        in_percent(1.0 - found.fast_share),
        rough_time(to_f64(found.slow_ns))
    );
    Flag::new(FlagCode::Bimodal, text)
}
