//! What a calibration answers: the figures that CALIBRATE_IO gave, each with how sure it is.
//!
//! Pure: a record of a run with a bound on the latency, and its findings. Every figure is one of the findings; here they are only
//! chosen. The best of several points that are alike would owe its place to its noise, and be too high: of those within one standard
//! error of the best the one with the most outstanding answers (the rule of one standard error: Breiman, Friedman, Olshen, Stone
//! 1984, section 3.4.3), as in a closed loop no point should be above it. Must not format.

use crate::judge::findings::{Findings, IoFindings, PointFindings, in_doubt};
use crate::judge::flags::Flag;
use crate::load::matrix::Point;
use crate::load::workload::Class;
use crate::record::Record;
use crate::stats::Estimate;
use crate::stats::bound::{LatencyBound, LatencyOf};
use crate::units::{to_f64, us_from_ns};

/// A latency that is further above the bound does not keep it, however wide its interval is: with two visits the interval
/// begins at 0.
pub(crate) const NEAR: f64 = 0.1;

/// The highest rate within the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithinBound {
    /// Small I/Os per second.
    pub iops: Estimate,
    /// The latency there that the bound is about, in microseconds.
    pub latency_us: Estimate,
    /// Small I/Os outstanding there.
    pub outstanding: u32,
}

/// Everything that a calibration answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The bound.
    pub bound: LatencyBound,
    /// The highest rate within it; the reason as a sentence when there is none.
    pub max_iops: Result<WithinBound, String>,
    /// The highest rate of small I/Os per second at any latency.
    pub unbounded_iops: Option<Estimate>,
    /// The highest rate of large I/O in megabytes (2^20) per second.
    pub max_mbps: Option<Estimate>,
    /// The same of one stream.
    pub max_pmbps: Option<Estimate>,
    /// The latency that the bound is about with one small I/O outstanding, in microseconds.
    pub latency_at_1_us: Option<Estimate>,
    /// The outstanding small I/Os that saturate the device: lowest and highest as far as the noise tells. `None` when the search
    /// did not end.
    pub n_sat: Option<(u32, u32)>,
    /// Whether the search saw saturation; otherwise what it found are lower bounds.
    pub saturated: bool,
    /// What speaks against any of it, each flag once.
    pub flags: Vec<Flag>,
}

impl Answers {
    /// The answers of a run; `None` when it was not asked for a bound.
    #[must_use]
    pub fn of(record: &Record, findings: &Findings) -> Option<Self> {
        let bound = record.header.request.bound?;
        let curve = findings.curves.iter().find(|curve| curve.class == Class::Small);
        let max_iops = within(findings, &bound);
        Some(Self {
            bound,
            unbounded_iops: unbounded(findings, max_iops.as_ref().ok()),
            max_iops,
            max_mbps: highest(&rates(findings, Class::Large)).map(|best| best.io.mbps()),
            max_pmbps: one_stream(findings),
            latency_at_1_us: findings
                .alone(Class::Small, 1)
                .and_then(|found| latency(found.small.as_ref()?, bound.of)),
            n_sat: curve.map(|curve| (curve.curve.n_sat.lo, curve.curve.n_sat.hi)),
            saturated: curve.is_some_and(|curve| curve.curve.saturated),
            flags: flags(findings),
        })
    }
}

/// A point of one class.
struct Rate<'a> {
    level: u32,
    io: &'a IoFindings,
}

/// The points of a class alone in which something completed, by what is outstanding. Those in doubt are left out where there are
/// others.
fn rates(findings: &Findings, class: Class) -> Vec<Rate<'_>> {
    let level = |found: &PointFindings| match class {
        Class::Small => found.point.small,
        Class::Large => found.point.large,
    };
    let has = |found: &&PointFindings| {
        found.point == Point::alone(class, level(found))
            && found.io(class).is_some_and(|io| io.latency_us.is_some())
    };
    let points = || findings.points.iter().filter(has);
    let some_sound = points().any(|found| !in_doubt(found));
    let with_a_say = points().filter(|found| !(some_sound && in_doubt(found)));
    let mut rates: Vec<Rate<'_>> =
        with_a_say.filter_map(|found| Some(Rate { level: level(found), io: found.io(class)? })).collect();
    rates.sort_by_key(|rate| rate.level);
    rates
}

/// The point with the most outstanding of those whose rate is the highest as far as one standard error tells; `points` are in
/// order.
fn highest<'a, 'b>(points: &'b [Rate<'a>]) -> Option<&'b Rate<'a>> {
    points.iter().rev().find(|rate| is_highest(rate, points))
}

/// Whether a rate is less than one standard error of the difference below the highest of `points`.
fn is_highest(rate: &Rate<'_>, points: &[Rate<'_>]) -> bool {
    let error = |rate: &Rate<'_>| rate.io.iops.interval.map_or(0.0, |interval| interval.standard_error());
    let best = points.iter().max_by(|a, b| a.io.iops.value.total_cmp(&b.io.iops.value));
    best.is_none_or(|best| best.io.iops.value - rate.io.iops.value <= error(rate).hypot(error(best)))
}

/// The highest rate at any latency: that within the bound, unless another is higher.
fn unbounded(findings: &Findings, within: Option<&WithinBound>) -> Option<Estimate> {
    let points = rates(findings, Class::Small);
    let at_bound = points.iter().find(|rate| within.is_some_and(|within| within.outstanding == rate.level));
    let highest = highest(&points)?;
    let best =
        at_bound.filter(|rate| is_highest(rate, &points) || rate.io.iops.value > highest.io.iops.value);
    Some(best.unwrap_or(highest).io.iops)
}

fn one_stream(findings: &Findings) -> Option<Estimate> {
    let io = findings.alone(Class::Large, 1)?.large.as_ref()?;
    io.latency_us.map(|_| io.mbps())
}

/// The latency that a bound is about, in microseconds.
fn latency(io: &IoFindings, of: LatencyOf) -> Option<Estimate> {
    let us = io.latency_us?;
    Some(match of {
        LatencyOf::Mean => us.mean,
        LatencyOf::P99 => us.p99,
    })
}

/// The highest rate among the points that keep the bound as far as their intervals tell: the level was chosen at the bound,
/// so that its latency is as often a little above it as below.
fn within(findings: &Findings, bound: &LatencyBound) -> Result<WithinBound, String> {
    let limit_us = us_from_ns(to_f64(bound.limit.0));
    let points = rates(findings, Class::Small);
    if points.is_empty() {
        return Err("no point of small I/O was measured".to_owned());
    }
    let keeps = |latency: &Estimate| {
        let least = latency.lo95().unwrap_or(latency.value);
        latency.value <= limit_us * (1.0 + NEAR) && least <= limit_us
    };
    let latencies = points.iter().filter_map(|point| latency(point.io, bound.of));
    let quickest = latencies.map(|latency| latency.value).fold(f64::INFINITY, f64::min);
    let kept: Vec<Rate<'_>> =
        points.into_iter().filter(|point| latency(point.io, bound.of).is_some_and(|us| keeps(&us))).collect();
    let best = highest(&kept).and_then(|best| {
        Some(WithinBound {
            iops: best.io.iops,
            latency_us: latency(best.io, bound.of)?,
            outstanding: best.level,
        })
    });
    best.ok_or_else(|| {
        format!(
            "the {} latency is {:.3} ms even at the lowest load, above the bound of {}",
            bound.of.name(),
            quickest / 1000.0,
            bound.limit
        )
    })
}

/// The flags of the run, of the points and of the searches; of those that have the same code the first.
pub(crate) fn flags(findings: &Findings) -> Vec<Flag> {
    let mut flags: Vec<Flag> = Vec::new();
    for flag in findings.all_flags() {
        match flags.iter_mut().find(|other| other.code == flag.code) {
            Some(other) => other.invalid |= flag.invalid,
            None => flags.push(flag.clone()),
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::flags::FlagCode;
    use crate::record::tests::{header, visit};
    use crate::stats::{Basis, Interval};
    use crate::units::Nanos;

    /// Small points 1 to 5 whose latencies in microseconds are given, large ones of 10 ms.
    fn answered(latencies_us: [u64; 5], limit_ms: u64, change: impl FnOnce(&mut Findings)) -> Answers {
        let small = latencies_us.iter().enumerate().map(|(step, us)| visit(step, us * 1000));
        let visits = small.chain([visit(5, 10_000_000), visit(6, 10_000_000)]).collect();
        let mut record = Record { visits, ..Record::begun(header()) };
        record.header.request.bound =
            Some(LatencyBound { limit: Nanos::from_millis(limit_ms), of: LatencyOf::Mean });
        let mut findings = Findings::of(&record);
        change(&mut findings);
        Answers::of(&record, &findings).unwrap()
    }

    #[test]
    fn the_highest_rate_within_the_bound() {
        let found = answered([1000, 1000, 1000, 2000, 5000], 2, |_| {});
        let best = found.max_iops.unwrap();
        assert_eq!((best.outstanding, best.iops.value), (3, 3000.0), "4 outstanding at 2 ms give 2000");
        assert_eq!(found.unbounded_iops.unwrap().value, 3000.0);
        assert_eq!(found.max_mbps.unwrap().value, 200.0);
        assert_eq!(found.max_pmbps.unwrap().value, 100.0);
        assert_eq!(found.latency_at_1_us.unwrap().value, 1000.0);
        assert_eq!(found.n_sat, None, "nothing was searched");
    }

    #[test]
    fn a_bound_that_cannot_be_kept_is_an_answer() {
        let found = answered([3000, 3000, 3000, 3000, 3000], 2, |_| {});
        let reason = found.max_iops.unwrap_err();
        assert!(reason.contains("3.000 ms even at the lowest load, above the bound of 2"), "{reason}");
        assert!(found.unbounded_iops.is_some());
    }

    /// A level at the bound is as often a little above it: its interval decides.
    #[test]
    fn a_latency_whose_interval_holds_the_bound_keeps_it() {
        let near = |half: f64| {
            answered([1000, 1000, 1000, 1000, 2040], 2, |findings| {
                let io = findings.points[4].small.as_mut().unwrap();
                io.iops = Interval::symmetric(9000.0, 0.0, 8, 7.0).unwrap().into();
                io.latency_us.as_mut().unwrap().mean =
                    Interval::symmetric(2040.0, half, 8, 7.0).unwrap().into();
            })
        };
        assert_eq!(near(0.03).max_iops.unwrap().outstanding, 5);
        assert_eq!(near(0.01).max_iops.unwrap().outstanding, 4);
    }

    /// Few visits make wide intervals, and those must not stretch the bound.
    #[test]
    fn a_wide_interval_does_not_stretch_the_bound() {
        let found = answered([1000, 1000, 1000, 1000, 6000], 2, |findings| {
            let io = findings.points[4].small.as_mut().unwrap();
            io.iops = Interval::symmetric(9000.0, 0.0, 2, 1.0).unwrap().into();
            io.latency_us.as_mut().unwrap().mean = Interval::symmetric(6000.0, 2.0, 2, 1.0).unwrap().into();
        });
        assert_eq!(found.max_iops.unwrap().outstanding, 4);
    }

    #[test]
    fn numbers_that_must_not_be_used_do_not_answer() {
        let found = answered([1000; 5], 2, |findings| {
            let flag = Flag::new(FlagCode::Zeros, "holes").invalidating();
            findings.points[4].flags.push(flag.clone());
            findings.points[3].flags.push(Flag { invalid: false, ..flag });
        });
        assert_eq!(found.max_iops.unwrap().outstanding, 4);
        assert_eq!(found.flags.iter().filter(|flag| flag.code == FlagCode::Zeros).count(), 1);
        assert!(found.flags.iter().any(|flag| flag.code == FlagCode::Zeros && flag.invalid));
    }

    /// Points of 1000 per second and rates in per cent of it, each sure to a standard error of 1 %.
    fn alike(rates: [f64; 5]) -> Answers {
        answered([1000; 5], 2, |findings| {
            for (found, per_cent) in findings.points.iter_mut().zip(rates) {
                let io = found.small.as_mut().unwrap();
                let half = 0.01 * crate::stats::special::student_t_quantile(0.975, 7.0);
                io.iops = Interval::symmetric(10.0 * per_cent, half, 8, 7.0).unwrap().into();
            }
        })
    }

    /// The best of several would be the luckiest: a difference of one standard error, 1.4 % here, is none.
    #[test]
    fn of_rates_that_are_alike_the_largest_level_answers() {
        let level = |rates| alike(rates).max_iops.unwrap().outstanding;
        assert_eq!(level([20.0, 60.0, 101.0, 100.0, 100.0]), 5);
        assert_eq!(level([20.0, 60.0, 101.0, 100.0, 99.0]), 4);
        assert_eq!(level([20.0, 60.0, 102.0, 100.0, 90.0]), 3);
        let found = alike([20.0, 60.0, 101.0, 100.0, 100.0]);
        assert_eq!(found.unbounded_iops, found.max_iops.ok().map(|within| within.iops));
    }

    /// Beyond the bound a rate is one of its own only if it is higher.
    #[test]
    fn the_rate_at_the_bound_is_the_highest_one_unless_another_is_higher() {
        let beyond = |iops: f64| {
            answered([1000; 5], 2, |findings| {
                for (found, iops) in findings.points.iter_mut().zip([200.0, 600.0, 900.0, 1000.0, iops]) {
                    let io = found.small.as_mut().unwrap();
                    io.iops = Interval::symmetric(iops, 0.02, 8, 7.0).unwrap().into();
                }
                findings.points[4].small.as_mut().unwrap().latency_us.as_mut().unwrap().mean.value = 5000.0;
            })
        };
        for (iops, wanted) in [(1100.0, 1100.0), (1010.0, 1000.0), (990.0, 1000.0), (700.0, 1000.0)] {
            let found = beyond(iops);
            assert_eq!(
                (found.max_iops.unwrap().outstanding, found.unbounded_iops.unwrap().value),
                (4, wanted)
            );
        }
    }

    /// A point that had one visit of a calibration is no estimate: the highest rate at any latency leaves it out as well.
    #[test]
    fn the_rate_within_the_bound_is_not_above_the_highest_one() {
        let found = answered([1000; 5], 2, |findings| {
            for found in &mut findings.points {
                found.phase = Some(0);
            }
            for found in &mut findings.points[..4] {
                found.small.as_mut().unwrap().iops.basis = Basis::Visits;
            }
        });
        assert_eq!(found.max_iops.unwrap().outstanding, 4);
    }

    #[test]
    fn a_run_without_a_bound_has_no_answers() {
        let record = Record { visits: vec![visit(0, 1_000_000)], ..Record::begun(header()) };
        assert_eq!(Answers::of(&record, &Findings::of(&record)), None);
    }
}
