//! What a calibration answers: the figures that CALIBRATE_IO gave, each with its precision.
//!
//! Every figure is one of a point; here they are only chosen, by the rule of [`super::extremes`]. Must not format.

use super::commits::Commits;
use super::extremes::{Candidate, Extreme, contenders, highest};
use super::{CurveFindings, IoFindings, PointFindings};
use crate::load::class::Class;
use crate::load::commits::NoCommits;
use crate::load::matrix::Point;
use crate::stats::Estimate;
use crate::stats::bound::{LatencyBound, LatencyOf};
use crate::units::say::trimmed;
use crate::units::{NS_PER_MS, to_f64, us_from_ns};

/// A latency further above the limit than this does not meet it, however wide its interval is: with two visits the interval
/// begins at 0.
pub const NEAR: f64 = 0.1;

/// The highest rate within the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithinBound {
    /// Small I/Os per second.
    pub iops: Estimate,
    /// The latency there that the limit is about, in microseconds.
    pub latency_us: Estimate,
    /// Small I/Os outstanding there.
    pub outstanding: u32,
}

/// The answers of a calibration in addition to the figures of every run; [`crate::judge::answers`] has all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The limit.
    pub bound: LatencyBound,
    /// The highest rate within it; if there is none, the reason as a sentence.
    pub max_iops: Result<WithinBound, String>,
    /// The highest rate of small I/Os per second at any latency.
    pub unbounded_iops: Option<Extreme>,
    /// The highest rate of large I/O in megabytes (2^20) per second.
    pub max_mbps: Option<Extreme>,
    /// The outstanding small I/Os that saturate the device: lowest and highest within the noise. `None` if the search
    /// did not end.
    pub n_sat: Option<(u32, u32)>,
    /// Whether the search saw saturation; otherwise its results are lower bounds.
    pub saturated: bool,
    /// The cost of commits, or why it is unknown.
    pub commits: Result<Commits, NoCommits>,
}

impl Answers {
    /// The answers of a run with a latency limit.
    pub(super) fn of(
        bound: LatencyBound,
        no_commits: Option<NoCommits>,
        points: &[PointFindings],
        curves: &[CurveFindings],
    ) -> Self {
        let curve = curves.iter().find(|curve| curve.class() == Class::SMALL);
        let small = contenders(points, Class::SMALL);
        let max_iops = within(&small, &bound);
        let found = |one: Candidate<'_>| Extreme { estimate: one.io.rate(), point: one.point };
        let max_mbps = highest(&contenders(points, Class::LARGE)).map(found);
        Self {
            bound,
            unbounded_iops: unbounded(&small, max_iops.as_ref().ok()).map(found),
            max_iops,
            max_mbps,
            n_sat: curve.map(|curve| (curve.curve.n_sat.lo, curve.curve.n_sat.hi)),
            saturated: curve.is_some_and(|curve| curve.curve.saturated),
            commits: no_commits.map_or_else(|| Commits::of(points), Err),
        }
    }
}

impl Answers {
    /// The highest rate within the limit, and its point.
    pub fn best_within(&self) -> Option<Extreme> {
        let within = self.max_iops.as_ref().ok()?;
        Some(Extreme { estimate: within.iops, point: Point::alone(Class::SMALL, within.outstanding) })
    }
}

/// The highest rate at any latency: that within the limit, unless another is higher.
fn unbounded<'a>(points: &[Candidate<'a>], within: Option<&WithinBound>) -> Option<Candidate<'a>> {
    let at_bound =
        points.iter().find(|one| within.is_some_and(|within| within.outstanding == one.point.small()));
    let highest = highest(points)?;
    let at_bound = at_bound.filter(|one| one.io.iops.value >= highest.io.iops.value);
    Some(at_bound.copied().unwrap_or(highest))
}

/// The latency that a limit is about, in microseconds.
fn latency(io: &IoFindings, of: LatencyOf) -> Option<Estimate> {
    let us = io.latency_us?;
    Some(match of {
        LatencyOf::Mean => us.mean,
        LatencyOf::P99 => us.p99,
    })
}

/// Whether a point meets a limit.
fn keeps(io: &IoFindings, bound: &LatencyBound) -> bool {
    let limit_us = us_from_ns(to_f64(bound.limit.0));
    latency(io, bound.of).is_some_and(|latency| {
        let least = latency.lo95().unwrap_or(latency.value);
        latency.value <= limit_us * (1.0 + NEAR) && least <= limit_us
    })
}

/// Indices of the points that do.
pub(super) fn within_bound(points: &[PointFindings], rows: &[usize], bound: &LatencyBound) -> Vec<usize> {
    let kept = |at: &usize| points[*at].io(Class::SMALL).is_some_and(|io| keeps(io, bound));
    rows.iter().copied().filter(kept).collect()
}

/// The highest rate among the points that meet the limit as far as their intervals show: the level was chosen at the limit, so
/// its latency is as often a little above it as below.
fn within(points: &[Candidate<'_>], bound: &LatencyBound) -> Result<WithinBound, String> {
    if points.is_empty() {
        return Err("no point of small I/O was measured".to_owned());
    }
    let latencies = points.iter().filter_map(|one| latency(one.io, bound.of));
    let quickest = latencies.map(|latency| latency.value).fold(f64::INFINITY, f64::min);
    let kept: Vec<Candidate<'_>> = points.iter().filter(|one| keeps(one.io, bound)).copied().collect();
    let best = highest(&kept).and_then(|best| {
        let latency_us = latency(best.io, bound.of)?;
        Some(WithinBound { iops: best.io.iops, latency_us, outstanding: best.point.small() })
    });
    best.ok_or_else(|| {
        let (us, unit) = if bound.limit.0 < NS_PER_MS { (1.0, "us") } else { (1000.0, "ms") };
        format!(
            "the {} latency is {} {unit} even at the lowest load, above the limit of {}",
            bound.of.name(),
            trimmed(quickest / us),
            bound.limit
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::answers::{LATENCY_AT_1, MAX_MBPS, MAX_PMBPS};
    use crate::judge::findings::{Findings, plateau};
    use crate::judge::flags::Flag;
    use crate::judge::flags::FlagCode;
    use crate::load::matrix::RunLevel;
    use crate::load::request::Request;
    use crate::record::Record;
    use crate::record::tests::{header, visit};
    use crate::stats::{Basis, Interval};
    use crate::units::Nanos;

    /// Small points 1 to 5 whose latencies in microseconds are given, large ones of 10 ms.
    fn answered(latencies_us: [u64; 5], limit_ms: u64, change: impl FnOnce(&mut Findings)) -> Answers {
        judged(latencies_us, limit_ms, change).answers.unwrap()
    }

    fn judged(latencies_us: [u64; 5], limit_ms: u64, change: impl FnOnce(&mut Findings)) -> Findings {
        let small = latencies_us.iter().enumerate().map(|(step, us)| visit(step, us * 1000));
        let visits = small.chain([visit(5, 10_000_000), visit(6, 10_000_000)]).collect();
        let mut record = Record { visits, ..Record::begun(header()) };
        record
            .header
            .request
            .calibrate(LatencyBound { limit: Nanos::from_millis(limit_ms), of: LatencyOf::Mean }, None);
        let mut findings = Findings::of(&record);
        change(&mut findings);
        plateau::join(&mut findings.points, &record.header.request);
        findings.choose(&record.header.request);
        findings
    }

    #[test]
    fn the_highest_rate_within_the_bound() {
        let judged = judged([1000, 1000, 1000, 2000, 5000], 2, |_| {});
        let one = |quantity| judged.figure(quantity).unwrap().estimate.value;
        assert_eq!((one(MAX_PMBPS), one(LATENCY_AT_1)), (100.0, 1000.0));
        let found = judged.answers.unwrap();
        let best = found.max_iops.unwrap();
        assert_eq!((best.outstanding, best.iops.value), (3, 3000.0), "4 outstanding at 2 ms give 2000");
        assert_eq!(found.unbounded_iops.unwrap().estimate.value, 3000.0);
        assert_eq!(found.max_mbps.unwrap().estimate.value, 200.0);
        assert_eq!(found.n_sat, None, "nothing was searched");
    }

    #[test]
    fn a_bound_that_cannot_be_kept_is_an_answer() {
        let found = answered([3000, 3000, 3000, 3000, 3000], 2, |_| {});
        let reason = found.max_iops.unwrap_err();
        assert!(
            reason.contains("latency is 3 ms even at the lowest load, above the limit of 2 ms"),
            "{reason}"
        );
        assert!(found.unbounded_iops.is_some());
    }

    /// A level at the bound is as often a little above it: its interval decides.
    #[test]
    fn a_latency_whose_interval_holds_the_bound_keeps_it() {
        let near = |half: f64| {
            answered([1000, 1000, 1000, 1000, 2040], 2, |findings| {
                let io = findings.points[4].ios.get_mut(&Class::SMALL).unwrap();
                io.iops = Interval::symmetric(9000.0, 0.0, 8, 7.0).unwrap().into();
                io.latency_us.as_mut().unwrap().mean =
                    Interval::symmetric(2040.0, half, 8, 7.0).unwrap().into();
            })
        };
        assert_eq!(near(0.03).max_iops.unwrap().outstanding, 5);
        // It is said, as every output shows the latency beside it.
        let words = |found: Answers| found.bound.beside(found.max_iops.unwrap().latency_us.value);
        assert_eq!(words(near(0.03)), "at about a mean latency of 2 ms");
        assert_eq!(words(near(0.01)), "within a mean latency of 2 ms");
        assert_eq!(near(0.01).max_iops.unwrap().outstanding, 4);
    }

    /// Few visits make wide intervals, and those must not stretch the bound.
    #[test]
    fn a_wide_interval_does_not_stretch_the_bound() {
        let found = answered([1000, 1000, 1000, 1000, 6000], 2, |findings| {
            let io = findings.points[4].ios.get_mut(&Class::SMALL).unwrap();
            io.iops = Interval::symmetric(9000.0, 0.0, 2, 1.0).unwrap().into();
            io.latency_us.as_mut().unwrap().mean = Interval::symmetric(6000.0, 2.0, 2, 1.0).unwrap().into();
        });
        assert_eq!(found.max_iops.unwrap().outstanding, 4);
    }

    #[test]
    fn numbers_that_must_not_be_used_do_not_answer() {
        let found = judged([1000; 5], 2, |findings| {
            let flag = Flag::new(FlagCode::Zeros, "holes").invalidating();
            findings.points[4].flags.push(flag.clone());
            findings.points[3].flags.push(Flag { invalid: false, ..flag });
        });
        let flags = found.flags_once();
        assert_eq!(found.answers.unwrap().max_iops.unwrap().outstanding, 4);
        assert_eq!(flags.iter().filter(|flag| flag.code == FlagCode::Zeros).count(), 1);
        assert!(flags.iter().any(|flag| flag.code == FlagCode::Zeros && flag.invalid));
    }

    /// One stream that must not be used is not an answer: it might be above the highest rate, which leaves it out.
    #[test]
    fn one_stream_in_doubt_is_not_above_many() {
        let of = |invalid: bool| {
            judged([1000; 5], 2, |findings| {
                let one =
                    findings.points.iter_mut().find(|found| found.point == Point::alone(Class::LARGE, 1));
                let one = one.unwrap();
                one.ios.get_mut(&Class::LARGE).unwrap().iops = Estimate::bare(900.0);
                let flag = Flag::new(FlagCode::Drift, "moved");
                one.flags.push(if invalid { flag.invalidating() } else { flag });
            })
        };
        let rates =
            |found: Findings| [MAX_PMBPS, MAX_MBPS].map(|rate| Some(found.figure(rate)?.estimate.value));
        assert_eq!(rates(of(false)), [Some(900.0); 2]);
        assert_eq!(rates(of(true)), [None, Some(200.0)]);
    }

    /// Points of 1000 per second and rates in per cent of it, each sure to a standard error of 1 %.
    fn alike(rates: [f64; 5]) -> Answers {
        answered([1000; 5], 2, |findings| {
            for (found, per_cent) in findings.points.iter_mut().zip(rates) {
                let io = found.ios.get_mut(&Class::SMALL).unwrap();
                let half = 0.01 * crate::stats::special::student_t_quantile(0.975, 7.0);
                io.iops = Interval::symmetric(10.0 * per_cent, half, 8, 7.0).unwrap().into();
            }
        })
    }

    /// The best of several would be the luckiest: a difference of two standard errors of a level, 2 % here, is none.
    #[test]
    fn of_rates_that_are_alike_the_largest_level_answers() {
        let level = |rates| alike(rates).max_iops.unwrap().outstanding;
        assert_eq!(level([20.0, 60.0, 101.0, 100.0, 100.0]), 5);
        assert_eq!(level([20.0, 60.0, 101.0, 100.0, 98.9]), 4);
        assert_eq!(level([20.0, 60.0, 103.0, 100.0, 90.0]), 3);
        let found = alike([20.0, 60.0, 101.0, 100.0, 100.0]);
        assert_eq!(found.unbounded_iops.unwrap().estimate, found.max_iops.unwrap().iops);
    }

    /// Two visits that are far apart make an interval of more than the figure itself.
    #[test]
    fn a_level_of_which_little_is_known_is_not_named_for_the_highest_rate() {
        let found = answered([1000; 5], 2, |findings| {
            for (found, iops) in findings.points.iter_mut().zip([200.0, 600.0, 990.0, 1000.0, 1100.0]) {
                let (half, df) = if iops > 1000.0 { (1.94, 1.0) } else { (0.02, 7.0) };
                let io = found.ios.get_mut(&Class::SMALL).unwrap();
                io.iops = Interval::symmetric(iops, half, 8, df).unwrap().into();
            }
        });
        let best = found.max_iops.unwrap();
        assert_eq!((best.outstanding, best.iops.half_width()), (4, Some(0.02)));
        assert!((990.0..1000.0).contains(&best.iops.value), "{}", best.iops.value);
    }

    /// The headline numbers follow the same rule; ORION's are of the plainly highest point.
    #[test]
    fn headline_numbers_are_those_of_the_answers() {
        let set = |findings: &mut Findings| {
            for (found, iops) in findings.points.iter_mut().zip([200.0, 600.0, 1010.0, 1000.0, 1000.0]) {
                let small = found.ios.get_mut(&Class::SMALL).unwrap();
                small.iops = Interval::symmetric(iops, 0.05, 8, 7.0).unwrap().into();
            }
        };
        let found = judged([1000; 5], 2, set);
        let level = |best: Option<Extreme>| best.unwrap().point.small();
        assert_eq!(
            (level(found.best.rate(Class::SMALL)), level(found.plainly_best.rate(Class::SMALL))),
            (5, 3)
        );
        let answers = found.answers.as_ref().unwrap();
        assert_eq!(answers.unbounded_iops, found.best.rate(Class::SMALL));
        assert_eq!(answers.max_mbps, found.best.rate(Class::LARGE));
        assert_eq!(level(found.best.latency_us(Class::SMALL)), 1);
        let mut unbound = found.clone();
        unbound.choose(&Request::new(RunLevel::Simple));
        assert_eq!((unbound.best, unbound.answers), (found.best, None), "with a bound or without");
    }

    /// Beyond the bound a rate is one of its own only if it is higher.
    #[test]
    fn the_rate_at_the_bound_is_the_highest_one_unless_another_is_higher() {
        let beyond = |iops: f64| {
            answered([1000; 5], 2, |findings| {
                for (found, iops) in findings.points.iter_mut().zip([200.0, 600.0, 900.0, 1000.0, iops]) {
                    let io = found.ios.get_mut(&Class::SMALL).unwrap();
                    io.iops = Interval::symmetric(iops, 0.02, 8, 7.0).unwrap().into();
                }
                findings.points[4]
                    .ios
                    .get_mut(&Class::SMALL)
                    .unwrap()
                    .latency_us
                    .as_mut()
                    .unwrap()
                    .mean
                    .value = 5000.0;
            })
        };
        // Of two that are alike the mean answers both questions.
        for (iops, wanted) in [(1100.0, 1100.0), (1010.0, 1005.0), (990.0, 995.0), (700.0, 1000.0)] {
            let found = beyond(iops);
            let (within, unbounded) = (found.max_iops.unwrap(), found.unbounded_iops.unwrap().estimate.value);
            assert_eq!(within.outstanding, 4);
            assert!((unbounded - wanted).abs() < 0.1, "{unbounded}, {wanted}");
            assert!(unbounded >= within.iops.value);
        }
    }

    /// Where the time was up after one visit, there is no interval, and the rate is a row anyway: none is above the highest.
    #[test]
    fn a_point_of_one_visit_has_a_say() {
        let found = answered([1000; 5], 2, |findings| {
            for found in &mut findings.points {
                found.phase = Some(0);
            }
            for found in &mut findings.points[..4] {
                found.ios.get_mut(&Class::SMALL).unwrap().iops.basis = Basis::Visits;
            }
        });
        assert_eq!(found.max_iops.unwrap().outstanding, 5);
    }

    #[test]
    fn a_run_without_a_bound_has_no_answers() {
        let record = Record { visits: vec![visit(0, 1_000_000)], ..Record::begun(header()) };
        assert_eq!(Findings::of(&record).answers, None);
    }
}
