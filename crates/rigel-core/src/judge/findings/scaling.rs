//! How the rate of a class grows with the number of targets: how far it is linear, and what limits it beyond.
//!
//! The line is the rate of the first target, times their number. Each target has the same load on its own, so what one gives does not depend on
//! how many others there are, unless they share something. Must not word its results.

use super::{Findings, PointFindings, apart};
use crate::facts::shared::{SharedDevice, shared_devices};
use crate::judge::flags::FlagCode;
use crate::load::class::LoadClass;
use crate::record::{Record, Visit};
use crate::stats::sample::median;
use crate::stats::{Basis, Estimate, Interval};
use crate::witness::HostCpu;

/// Below this part of the straight line, with certainty, a rate has left it.
const ON_THE_LINE: f64 = 0.95;
/// Above this part of it, with certainty, a rate is on it.
const NEAR_THE_LINE: f64 = 0.9;
/// A target that gives less than this part of the others' rate in every visit is slow.
const SLOW: f64 = 0.9;
/// Targets that keep this part of their rate when others are added share no bottleneck.
const KEPT: f64 = 0.95;
/// A host with less idle CPU has none left.
const LITTLE_IDLE: f64 = 0.1;

/// A class over a growing number of targets.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingFindings {
    /// The class.
    pub load: LoadClass,
    /// The rate of each number of targets, ascending; numbers that must not be used are left out.
    pub points: Vec<ScalingPoint>,
    /// How far growth is linear.
    pub linear: Linearity,
    /// What limits the rate where it leaves the line, as far as visible; the most likely first.
    pub limits: Vec<ScalingLimit>,
    /// Targets that are certainly slower than the others.
    pub slow: Vec<SlowTarget>,
    /// Devices below several of the targets.
    pub shared: Vec<SharedDevice>,
}

/// A number of targets.
#[derive(Clone, Debug, PartialEq)]
pub struct ScalingPoint {
    /// The number of targets.
    pub targets: u32,
    /// Their total rate, in the unit of the class.
    pub rate: Estimate,
    /// The rate of the straight line.
    pub line: f64,
    /// The rate over that of the line; 1 for the first target by definition.
    pub of_line: Estimate,
    /// The rate of each target, in their order, in the unit of the class.
    pub each: Vec<Estimate>,
}

/// How far the rate grows with the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearity {
    /// Over all of them.
    Throughout,
    /// Up to the last number that is not certainly below the line, and the first that is.
    UpTo {
        /// The last one on the line.
        last: u32,
        /// The first one below it.
        first: u32,
    },
    /// The intervals allow both.
    Undecided,
    /// The rate of one target, or of several, is unknown, or is based on one visit.
    Unknown,
}

/// What limits a rate over several targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalingLimit {
    /// The added targets are slower than the others, which keep their rate.
    AddedTargets,
    /// Several targets are on one device.
    OneDevice,
    /// The CPUs of the host: this share of them was idle.
    HostCpu(f64),
    /// The engine, or a worker, whose CPU was busy for this share of the time.
    Engine(f64),
    /// Something that the targets share: earlier ones keep only this part of their rate when others are added.
    Shared(f64),
}

/// A target that is slower than the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowTarget {
    /// Its number in the run, from 0.
    pub target: usize,
    /// Its rate, in the unit of the class.
    pub rate: Estimate,
    /// The median of the rates of all targets.
    pub median: f64,
}

impl ScalingFindings {
    /// `None` for a class whose levels do not count targets, or that was not measured.
    pub(super) fn of(record: &Record, found: &Findings, load: &LoadClass) -> Option<Self> {
        if !load.level_is_targets() {
            return None;
        }
        let sound = |point: &&PointFindings| point.point.is_alone(load.name) && !point.invalid();
        let mut own: Vec<&PointFindings> = found.points.iter().filter(sound).collect();
        own.sort_by_key(|point| point.point.of(load.name));
        let first = own.first().filter(|point| point.point.of(load.name) == 1);
        let one = first.and_then(|point| Some(point.io(load.name)?.rate()));
        let point = |found: &&PointFindings| point(record, found, load, one);
        let points: Vec<ScalingPoint> = own.iter().filter_map(point).collect();
        let linear = one.map_or(Linearity::Unknown, |_| linearity(&points));
        let visits = |last: &&PointFindings| apart::each_visit(record, last, load.name, apart::by_target);
        let slow =
            own.last().zip(points.last()).map_or_else(Vec::new, |(last, point)| slow(&visits(last), point));
        let shared = shared_devices(&record.header.targets);
        let mut all = Self { load: load.clone(), points, linear, limits: Vec::new(), slow, shared };
        if let Linearity::UpTo { last, first } = linear {
            let at = own.iter().find(|point| point.point.of(load.name) == first);
            all.limits = at.map_or_else(Vec::new, |at| all.limits(record, at, (last, first)));
        }
        (!all.points.is_empty()).then_some(all)
    }

    fn limits(&self, record: &Record, at: &PointFindings, (last, first): (u32, u32)) -> Vec<ScalingLimit> {
        let point = |targets| self.points.iter().find(|point| point.targets == targets);
        let each = |targets, of: usize| -> Option<f64> {
            let each: Vec<f64> = point(targets)?.each.iter().take(of).map(|one| one.value).collect();
            (each.len() == of).then(|| each.iter().sum())
        };
        let before = usize::try_from(last).unwrap_or(usize::MAX);
        let kept = each(first, before).zip(each(last, before)).map(|(now, before)| now / before);
        let is_kept = kept.is_some_and(|kept| kept >= KEPT);
        let added = |slow: &SlowTarget| (before..usize::try_from(first).unwrap_or(0)).contains(&slow.target);
        let mut all = Vec::new();
        all.extend((is_kept && self.slow.iter().any(added)).then_some(ScalingLimit::AddedTargets));
        let within = |shared: &SharedDevice| {
            shared.targets.iter().filter(|&&target| target < usize::try_from(first).unwrap_or(0)).count() > 1
        };
        all.extend((!is_kept && self.shared.iter().any(within)).then_some(ScalingLimit::OneDevice));
        let visits = record.visits.iter().filter(|visit| visit.step == at.step);
        let idle = HostCpu::of(visits.map(witness)).map(|cpu| cpu.idle);
        all.extend(idle.filter(|idle| *idle < LITTLE_IDLE).map(ScalingLimit::HostCpu));
        let is_engine = at.flags.iter().any(|flag| flag.code == FlagCode::EngineLimited);
        all.extend(at.own_cpu.filter(|_| is_engine).map(|cpu| ScalingLimit::Engine(cpu.busiest)));
        all.extend(kept.filter(|_| !is_kept).map(ScalingLimit::Shared));
        all
    }
}

fn witness(visit: &Visit) -> Option<&crate::witness::Witness> {
    visit.nodes.first()?.witness.as_ref()
}

fn point(
    record: &Record,
    found: &PointFindings,
    load: &LoadClass,
    one: Option<Estimate>,
) -> Option<ScalingPoint> {
    let (targets, rate) = (found.point.of(load.name), found.io(load.name)?.rate());
    let line = one.map_or(f64::NAN, |one| one.value * f64::from(targets));
    let mut each = apart::rates(record, found, load, apart::by_target);
    each.truncate(usize::try_from(targets).unwrap_or(usize::MAX));
    // Nobody counted apart what had one target alone.
    if each.is_empty() && targets == 1 {
        each.push(rate);
    }
    Some(ScalingPoint { targets, rate, line, of_line: of_line(rate, one, targets), each })
}

/// The rate over that of the line. The two were measured independently, so their relative errors add up in quadrature.
fn of_line(rate: Estimate, one: Option<Estimate>, targets: u32) -> Estimate {
    let Some(one) = one.filter(|one| one.value > 0.0 && rate.value > 0.0) else {
        return Estimate::bare(f64::NAN);
    };
    let value = rate.value / one.value / f64::from(targets);
    if targets == 1 {
        return Estimate::bare(1.0);
    }
    let interval = rate.interval.zip(one.interval).and_then(|(rate, one)| {
        let half = rate.relative_half_width.hypot(one.relative_half_width);
        Interval::symmetric(value, half, rate.visits.min(one.visits), rate.df.min(one.df))
    });
    interval.map_or(Estimate::bare(value), |interval| Estimate {
        interval: Some(interval),
        value,
        basis: rate.basis,
    })
}

fn linearity(points: &[ScalingPoint]) -> Linearity {
    let more = || points.iter().filter(|point| point.targets > 1);
    // One visit to each does not tell numbers of targets from moments.
    if more().any(|point| point.of_line.basis != Basis::Visits) || more().next().is_none() {
        return Linearity::Unknown;
    }
    let is_below = |point: &&ScalingPoint| point.of_line.hi95().is_some_and(|hi| hi < ON_THE_LINE);
    if let Some(first) = more().find(is_below).map(|point| point.targets) {
        let last = points.iter().map(|point| point.targets).filter(|&targets| targets < first).max();
        return Linearity::UpTo { last: last.unwrap_or(1), first };
    }
    let is_near = |point: &ScalingPoint| point.of_line.lo95().is_some_and(|lo| lo > NEAR_THE_LINE);
    if more().all(is_near) { Linearity::Throughout } else { Linearity::Undecided }
}

/// The targets that were slower than the others in every one of these visits to a point, each with the rates of its targets.
fn slow(visits: &[Vec<f64>], point: &ScalingPoint) -> Vec<SlowTarget> {
    // Of two nobody knows which is usual, and one visit may have met a disturbance.
    if point.each.len() < 3 || visits.len() < 2 {
        return Vec::new();
    }
    let values: Vec<f64> = point.each.iter().map(|one| one.value).collect();
    let is_slow = |target: usize| {
        visits.iter().all(|each| each.get(target).is_some_and(|own| *own < SLOW * median(each)))
    };
    let slow = |(target, rate): (usize, &Estimate)| {
        is_slow(target).then(|| SlowTarget { target, rate: *rate, median: median(&values) })
    };
    point.each.iter().enumerate().filter_map(slow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, half: f64) -> Estimate {
        Interval::symmetric(value, half, 8, 7.0)
            .map_or(Estimate::bare(value), |found| Estimate::of(found, Basis::Visits))
    }

    /// Targets 1, 2, .. with these rates, each known to so much.
    fn points(rates: &[f64], half: f64) -> Vec<ScalingPoint> {
        let one = estimate(rates[0], half);
        let point = |(targets, &rate): (u32, &f64)| {
            let rate = estimate(rate, half);
            let line = one.value * f64::from(targets);
            ScalingPoint { targets, rate, line, of_line: of_line(rate, Some(one), targets), each: Vec::new() }
        };
        (1..).zip(rates).map(point).collect()
    }

    #[test]
    fn the_line_ends_where_the_whole_interval_is_below_it() {
        let of = |rates: &[f64], half| linearity(&points(rates, half));
        assert_eq!(of(&[100.0, 200.0, 300.0, 400.0], 0.01), Linearity::Throughout);
        assert_eq!(of(&[100.0, 200.0, 250.0, 250.0], 0.01), Linearity::UpTo { last: 2, first: 3 });
        assert_eq!(of(&[100.0, 100.0], 0.01), Linearity::UpTo { last: 1, first: 2 });
        // 96 % of the line is on it as long as that is surely above 90 %.
        assert_eq!(of(&[100.0, 192.0], 0.02), Linearity::Throughout);
        assert_eq!(of(&[100.0, 192.0], 0.10), Linearity::Undecided);
        assert_eq!(of(&[100.0], 0.01), Linearity::Unknown);
        let bare = points(&[100.0, 200.0], f64::INFINITY);
        assert_eq!((bare[1].of_line.value, linearity(&bare)), (1.0, Linearity::Unknown), "no interval");
        // More than the line: the first target is the slow one.
        assert_eq!(of(&[50.0, 150.0, 250.0], 0.01), Linearity::Throughout);
    }

    #[test]
    fn a_target_is_slow_that_is_in_every_visit() {
        let of = |visits: &[Vec<f64>]| -> Vec<usize> {
            let each = visits
                .first()
                .map_or_else(Vec::new, |first| first.iter().map(|one| estimate(*one, 0.01)).collect());
            let point = ScalingPoint { each, ..points(&[100.0], 0.01).remove(0) };
            slow(visits, &point).into_iter().map(|one| one.target).collect()
        };
        let visit = |own: f64| vec![100.0, 101.0, own, 99.0];
        assert_eq!(of(&[visit(50.0), visit(60.0), visit(55.0)]), [2]);
        assert_eq!(of(&[visit(50.0), visit(98.0), visit(55.0)]), [] as [usize; 0]);
        assert_eq!(of(&[visit(50.0)]), [] as [usize; 0], "one visit");
        assert_eq!(of(&[vec![100.0, 50.0], vec![100.0, 50.0]]), [] as [usize; 0], "two targets");
    }
}
