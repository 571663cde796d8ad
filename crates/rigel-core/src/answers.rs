//! What a calibration answers: the figures that CALIBRATE_IO gave, each with how sure it is.
//!
//! Pure: a record of a run with a bound on the latency, and its findings. Every figure is one of the findings; here they are only
//! chosen. Must not format.

use crate::findings::{Extreme, Findings, IoFindings, in_doubt};
use crate::flags::Flag;
use crate::record::Record;
use crate::stats::Interval;
use crate::stats::bound::{LatencyBound, LatencyOf};
use crate::units::{NS_PER_US, to_f64};
use crate::workload::Class;

/// A latency that is further above the bound does not keep it, however wide its interval is: with two visits the interval
/// begins at 0.
const NEAR: f64 = 0.1;

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The value.
    pub mean: f64,
    /// Both ends of its 95 % interval.
    pub ends: Option<(f64, f64)>,
}

impl Figure {
    pub(crate) fn new(mean: f64, interval: Option<Interval>) -> Self {
        Self { mean, ends: interval.map(|interval| (interval.lo95, interval.hi95)) }
    }
}

/// The highest rate within the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WithinBound {
    /// Small I/Os per second.
    pub iops: Figure,
    /// The latency there that the bound is about, in microseconds.
    pub latency_us: Figure,
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
    pub unbounded_iops: Option<Figure>,
    /// The highest rate of large I/O in megabytes (2^20) per second.
    pub max_mbps: Option<Figure>,
    /// The same of one stream.
    pub max_pmbps: Option<Figure>,
    /// The latency that the bound is about with one small I/O outstanding, in microseconds.
    pub latency_at_1_us: Option<Figure>,
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
        Some(Self {
            bound,
            max_iops: within(findings, &bound),
            unbounded_iops: findings.max_small_iops.map(figure),
            max_mbps: findings.max_large_mbps.map(figure),
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

fn figure(best: Extreme) -> Figure {
    Figure::new(best.value, best.interval)
}

fn one_stream(findings: &Findings) -> Option<Figure> {
    let io = findings.alone(Class::Large, 1)?.large.as_ref()?;
    io.latency_us?;
    Some(Figure::new(io.mbps, io.sure.mbps(io.io_bytes)))
}

/// The latency that a bound is about, in microseconds.
fn latency(io: &IoFindings, of: LatencyOf) -> Option<Figure> {
    let us = io.latency_us?;
    Some(match of {
        LatencyOf::Mean => Figure::new(us.mean, io.sure.latency_us),
        LatencyOf::P99 => Figure::new(us.p99, io.sure.p99_us()),
    })
}

/// The point with the highest rate among those that keep the bound as far as their intervals tell: the level was chosen at
/// the bound, so that its latency is as often a little above it as below.
fn within(findings: &Findings, bound: &LatencyBound) -> Result<WithinBound, String> {
    let limit_us = to_f64(bound.limit.0) / to_f64(NS_PER_US);
    let levels = findings.points.iter().filter(|found| found.point.large == 0);
    let mut seen: Vec<(bool, WithinBound)> = Vec::new();
    for found in levels {
        let Some(io) = found.small.as_ref() else { continue };
        let Some(latency_us) = latency(io, bound.of) else { continue };
        let iops = Figure::new(io.iops, io.sure.iops);
        seen.push((in_doubt(found), WithinBound { iops, latency_us, outstanding: found.point.small }));
    }
    if seen.is_empty() {
        return Err("no point of small I/O was measured".to_owned());
    }
    // Numbers in doubt have a say only where there are no others, as with the highest rate.
    let some_sound = seen.iter().any(|(doubted, _)| !doubted);
    let sound = || seen.iter().filter(|(doubted, _)| !(some_sound && *doubted)).map(|(_, point)| point);
    let least = |point: &WithinBound| point.latency_us.ends.map_or(point.latency_us.mean, |ends| ends.0);
    let near = |point: &WithinBound| point.latency_us.mean <= limit_us * (1.0 + NEAR);
    let kept = sound().filter(|point| near(point) && least(point) <= limit_us);
    let best = kept.max_by(|a, b| a.iops.mean.total_cmp(&b.iops.mean));
    best.copied().ok_or_else(|| {
        let quickest = sound().map(|point| point.latency_us.mean).fold(f64::INFINITY, f64::min);
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
    use crate::findings::Basis;
    use crate::flags::FlagCode;
    use crate::record::tests::{header, visit};
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
        assert_eq!((best.outstanding, best.iops.mean), (3, 3000.0), "4 outstanding at 2 ms give 2000");
        assert_eq!(found.unbounded_iops.unwrap().mean, 3000.0);
        assert_eq!(found.max_mbps.unwrap().mean, 200.0);
        assert_eq!(found.max_pmbps.unwrap().mean, 100.0);
        assert_eq!(found.latency_at_1_us.unwrap().mean, 1000.0);
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
                io.iops = 9000.0;
                io.sure.basis = Basis::Visits;
                io.sure.latency_us = Interval::symmetric(2040.0, half, 8, 7.0);
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
            io.iops = 9000.0;
            io.sure.basis = Basis::Visits;
            io.sure.latency_us = Interval::symmetric(6000.0, 2.0, 2, 1.0);
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

    /// A point that had one visit of a calibration is no estimate: the highest rate at any latency leaves it out as well.
    #[test]
    fn the_rate_within_the_bound_is_not_above_the_highest_one() {
        let found = answered([1000; 5], 2, |findings| {
            for found in &mut findings.points {
                found.phase = Some(0);
            }
            for found in &mut findings.points[..4] {
                found.small.as_mut().unwrap().sure.basis = Basis::Visits;
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
