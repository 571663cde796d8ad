//! Flags from comparisons between points: limits that hold whatever the load or the size, and rates that
//! fall under more load.
//!
//! Every saturated device has levels at which more load gains nothing, so that alone raises no flag. Points that write
//! are never compared with points that only read.

use super::words::{at, list, megabytes, rate};
use crate::judge::findings::PointFindings;
use crate::judge::findings::estimate::{PhaseJudgement, tally};
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::{counts, whole_buckets};
use crate::load::class::{Class, LoadClass};
use crate::measure::Histogram;
use crate::record::{Purpose, Record, Visit};
use crate::stats::Basis;
use crate::stats::detect::levels::retrograde;
use crate::stats::detect::sizes::{Load, SharedLimit, byte_limit, io_limit};
use crate::stats::detect::waits::{LimiterRate, LoadedLevel, Piece, paid_back};
use crate::stats::sample::median;
use crate::units::say::{factor, figure, rate_change, rough_size, rough_time};
use crate::units::{NS_PER_S, to_f64};
use std::collections::BTreeMap;

/// Longest piece of a visit: many slices of a limiter, which are 100 ms long in Linux.
const LONGEST_PIECE_NS: u64 = 2 * NS_PER_S;
/// Pieces are shorter if there would be fewer than this of all levels together.
const WANTED_PIECES: u64 = 16;
/// The shortest piece.
const SHORTEST_PIECE_NS: u64 = NS_PER_S / 2;
/// A latency that almost no I/O undercuts: no I/O waited there.
const QUICKEST: f64 = 0.01;

/// A class held down by a limit, as the waits of its I/Os show.
#[derive(Clone, Debug)]
pub struct ClassLimit {
    /// The class.
    pub load: LoadClass,
    writes: bool,
    found: LimiterRate,
}

/// The classes whose I/Os wait for a limit.
pub fn limited(record: &Record) -> Vec<ClassLimit> {
    let classes = record.header.request.classes.iter().filter(|load| load.level_is_load());
    let each = classes.flat_map(|load| [(load, false), (load, true)]);
    let found = each.filter_map(|(load, writes)| {
        let found = paid_back(&loaded_levels(record, load.name, writes), planned_levels(record, load.name))?;
        Some(ClassLimit { load: load.clone(), writes, found })
    });
    found.collect()
}

/// The flags of the run.
pub fn of_run(
    record: &Record,
    phases: &[PhaseJudgement<'_>],
    points: &[PointFindings],
    limited: &[ClassLimit],
) -> Vec<Flag> {
    let mut found: Vec<Flag> = limited.iter().map(waiting).collect();
    for writes in [false, true] {
        let alike = |point: &&PointFindings| record.header.request.writes(point.point) == writes;
        // What arrives at a rate of its own shows no limit by its rate, and places differ by where they are.
        let closed = |point: &&PointFindings| point.classes().all(|(_, io)| io.load.level_is_load());
        let points: Vec<&PointFindings> = points.iter().filter(alike).filter(closed).collect();
        found.extend(sizes(phases, &points));
        let classes = &record.header.request.classes;
        found.extend(classes.iter().filter_map(|load| falling(&points, load)));
    }
    found
}

/// Each level of a class alone, from all short visits, including those of the search.
fn loaded_levels(record: &Record, class: Class, writes: bool) -> Vec<LoadedLevel> {
    let mut levels: BTreeMap<u32, Vec<&Visit>> = BTreeMap::new();
    let counting = |visit: &&Visit| {
        counts(visit)
            || (!visit.cut_short
                && matches!(visit.purpose, Purpose::Only | Purpose::Search(_) | Purpose::Phase(_)))
    };
    for visit in record.search.iter().chain(&record.visits).filter(counting) {
        if visit.point.is_alone(class) && record.header.request.writes(visit.point) == writes {
            levels.entry(visit.point.of(class)).or_default().push(visit);
        }
    }
    let measured_ns = levels.values().flatten().map(|visit| visit.measured_ns).fold(0, u64::saturating_add);
    let piece_ns = (measured_ns / WANTED_PIECES).clamp(SHORTEST_PIECE_NS, LONGEST_PIECE_NS);
    levels.values().filter_map(|visits| loaded_level(visits, class, piece_ns)).collect()
}

/// Levels of a class alone in the plan.
fn planned_levels(record: &Record, class: Class) -> usize {
    record.header.plan.steps.iter().filter(|step| step.point.is_alone(class)).count()
}

fn loaded_level(visits: &[&Visit], class: Class, piece_ns: u64) -> Option<LoadedLevel> {
    let mut all = Histogram::empty();
    let mut pieces = Vec::new();
    let mut outstanding = 0;
    for (visit, tally) in visits.iter().filter_map(|visit| Some((visit, tally(visit, class)?))) {
        all.add(&tally.all_latencies_after(0));
        outstanding = tally.planned;
        let width_ns = tally.series.bucket_ns.max(1);
        let lead = usize::try_from(tally.lead_ns.div_ceil(width_ns)).unwrap_or(usize::MAX);
        let window = whole_buckets(tally, visit.measured_ns).get(lead..).unwrap_or_default();
        let wanted = (visit.measured_ns / piece_ns).max(1);
        let length = (window.len() / usize::try_from(wanted).unwrap_or(1)).max(1);
        pieces.extend(window.chunks_exact(length).map(|ops| {
            let ios: f64 = ops.iter().copied().map(f64::from).sum();
            let seconds = to_f64(width_ns) * to_f64(ops.len() as u64) / to_f64(NS_PER_S);
            Piece { ios, rate: ios / seconds }
        }));
    }
    let mean_ns = all.mean_ns()?;
    Some(LoadedLevel {
        outstanding,
        pieces,
        mean_ns,
        median_ns: to_f64(all.quantile_ns(0.5)?),
        variation: all.stddev_ns()? / mean_ns,
    })
}

fn waiting(limited: &ClassLimit) -> Flag {
    let ClassLimit { load, writes, found } = limited;
    let cause =
        if *writes { "typical of a rate limit or a full write cache" } else { "typical of a rate limit" };
    let text = format!(
        "{}: {} at {} outstanding alike, although the usual latency of {} would allow {}; long waits keep \
         the rate constant ({}), {cause}",
        load.title(),
        rate(load, found.rate),
        list(&found.outstanding),
        rough_time(found.median_ns),
        rate(load, found.allowed),
        evenness(found)
    );
    Flag::new(FlagCode::Throttled, text)
}

fn evenness(found: &LimiterRate) -> String {
    if found.evenness > 0.0 {
        format!("it varies {} times less than random waits would cause", factor(1.0 / found.evenness))
    } else {
        "most visits do not vary at all".into()
    }
}

/// Limits that apply to small and large I/Os alike.
fn sizes(phases: &[PhaseJudgement<'_>], points: &[&PointFindings]) -> Option<Flag> {
    let loads: Vec<Load> = points.iter().map(|point| load(phases, point)).collect();
    let told = |found: &SharedLimit| {
        format!(
            "at {} points, whose I/Os have {} to {} on average",
            found.points,
            rough_size(found.smallest),
            rough_size(found.largest)
        )
    };
    let text = if let Some(found) = byte_limit(&loads) {
        format!(
            "{} in all {}: a limit of bytes per second, of a link or a quota",
            megabytes(found.limit),
            told(&found)
        )
    } else {
        let quickest = quickest(points)?;
        let found = io_limit(&loads, quickest)?;
        format!(
            "{} IOPS in all {}: a limit of I/Os per second; without queueing, a large I/O takes {} times as long as a small one",
            figure(found.limit),
            told(&found),
            factor(quickest[1] / quickest[0])
        )
    };
    Some(Flag::new(FlagCode::Throttled, text))
}

/// The total rate of a point, by its median visits: a disturbed one does not move them.
fn load(phases: &[PhaseJudgement<'_>], point: &PointFindings) -> Load {
    let rates = point
        .classes()
        .map(|(class, io)| (usual_rate(phases, (point.step, class)).unwrap_or(io.iops.value), io.mean_bytes));
    rates.fold(Load { ios_per_s: 0.0, bytes_per_s: 0.0 }, |sum, (iops, bytes)| Load {
        ios_per_s: sum.ios_per_s + iops,
        bytes_per_s: sum.bytes_per_s + iops * bytes,
    })
}

fn usual_rate(phases: &[PhaseJudgement<'_>], key: (usize, Class)) -> Option<f64> {
    let found = phases.iter().find_map(|phase| {
        let place = phase.judged.keys.iter().position(|&known| known == key)?;
        Some(median(&phase.judged.look.visits[place].means))
    });
    found.filter(|&rate| rate > 0.0)
}

/// The lowest first percentile of latency over all points, of small and of large I/Os.
fn quickest(points: &[&PointFindings]) -> Option<[f64; 2]> {
    let of = |class: Class| {
        let each = points
            .iter()
            .filter_map(|point| Some(to_f64(point.io(class)?.latencies().quantile_ns(QUICKEST)?)));
        each.reduce(f64::min)
    };
    Some([of(Class::SMALL)?, of(Class::LARGE)?])
}

/// The largest level of a class alone against its best one, if it is at least twice that.
fn falling(points: &[&PointFindings], load: &LoadClass) -> Option<Flag> {
    let class = load.name;
    let levels = points.iter().filter(|point| point.point.is_alone(class)).filter_map(|point| {
        let io = point.io(class)?;
        let interval = io.iops.interval.filter(|_| io.iops.basis == Basis::Visits)?;
        Some((point.point.of(class), point.point, interval))
    });
    let levels: Vec<_> = levels.collect();
    let most = levels.iter().max_by_key(|(level, ..)| *level)?;
    let best = levels.iter().max_by(|a, b| a.2.mean.total_cmp(&b.2.mean))?;
    if most.0 < best.0.saturating_mul(2) {
        return None;
    }
    let found = retrograde(&best.2, &most.2)?;
    let text = format!(
        "{}: {} at {}, {} against {} at {}",
        load.title(),
        rate(load, most.2.mean),
        at(load, most.1),
        rate_change(found.difference()),
        rate(load, best.2.mean),
        at(load, best.1)
    );
    Some(Flag::new(FlagCode::Retrograde, text))
}
