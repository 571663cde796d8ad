//! Among two to four targets, the one that certainly takes longer than each of the others.
//!
//! So few do not show how much targets usually differ, so none of them is called unusual. Whether one takes longer than another is a different
//! question: the ratio of their mean latencies in the same visit holds whatever moved both, and visits that lie apart show how much it varies. One
//! stall moves one visit, and makes the interval wide. The slowest is chosen after the fact, so the intervals of all pairs hold at once (Bonferroni).
//! Must not raise a flag.

use super::outliers::{LEAST_RATIO, LEAST_TARGETS};
use crate::measure::ByTarget;
use crate::stats::Interval;
use crate::stats::sample::{count, mean, sum_of_squares};
use crate::stats::special::student_t_quantile;
use crate::stats::variance::SMALLEST_VARIANCE;
use crate::units::to_f64;

/// With fewer visits, their variation is unknown.
const FEWEST_VISITS: usize = 4;
/// How often any interval may be wrong.
const ALPHA: f64 = 0.05;

/// A target that is slower than all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowerTarget {
    /// Its number in the run.
    pub target: usize,
    /// The closest of the others.
    pub next: usize,
    /// The mean latency of the first over that of the second.
    pub ratio: Interval,
}

/// From the counts of several visits to one point; `None` if no target is certainly slower than every other, and for five or more,
/// which [`super::outliers`] judges.
pub fn slower(visits: &[&ByTarget]) -> Option<SlowerTarget> {
    let targets: Vec<usize> = (0..visits.first()?.ops.len())
        .filter(|&target| visits.iter().all(|counts| counts.ops.get(target).is_some_and(|&ops| ops > 0)))
        .collect();
    if visits.len() < FEWEST_VISITS || !(2..LEAST_TARGETS).contains(&targets.len()) {
        return None;
    }
    let log = |counts: &ByTarget, target: usize| {
        (to_f64(counts.latency_sum_ns[target]) / to_f64(counts.ops[target])).max(1.0).ln()
    };
    let level = |target: usize| visits.iter().map(|counts| log(counts, target)).sum::<f64>();
    let slowest = targets.iter().copied().max_by(|&one, &other| level(one).total_cmp(&level(other)))?;
    let pairs = count(targets.len() * (targets.len() - 1) / 2);
    let df = count(visits.len() - 1);
    let above = |&other: &usize| {
        let logs: Vec<f64> = visits.iter().map(|counts| log(counts, slowest) - log(counts, other)).collect();
        let variance = (sum_of_squares(&logs) / df).max(SMALLEST_VARIANCE) / count(logs.len());
        let half = student_t_quantile(1.0 - ALPHA / 2.0 / pairs, df) * variance.sqrt();
        SlowerTarget {
            target: slowest,
            next: other,
            ratio: Interval::geometric(mean(&logs), half, logs.len(), df),
        }
    };
    let others = targets.iter().filter(|&&target| target != slowest).map(above);
    let nearest = others.min_by(|one, other| one.ratio.lo95.total_cmp(&other.ratio.lo95))?;
    (nearest.ratio.lo95 >= LEAST_RATIO).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Noise;

    /// Visits of 1,000 I/Os to each target, of 1 ms times its factor; what moves a whole visit moves all of them.
    fn visits(noise: &mut Noise, number: usize, factors: &[f64]) -> Vec<ByTarget> {
        let visit = |_| {
            let level = 0.2 * noise.normal();
            let mut counts = ByTarget::new(factors.len());
            counts.ops = vec![1000; factors.len()];
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "about a second")]
            let sum = |factor: &f64| (1e9 * factor * (level + 0.03 * noise.normal()).exp()) as u64;
            counts.latency_sum_ns = factors.iter().map(sum).collect();
            counts
        };
        (0..number).map(visit).collect()
    }

    fn found(visits: &[ByTarget]) -> Option<SlowerTarget> {
        slower(&visits.iter().collect::<Vec<_>>())
    }

    #[test]
    fn one_of_a_few_that_takes_longer_is_named_with_its_ratio() {
        let mut noise = Noise::new(3);
        for factors in [&[1.0, 1.5][..], &[1.0, 1.5, 1.02], &[0.9, 1.5, 1.0, 1.0]] {
            let mut held = 0;
            for _ in 0..200 {
                let one = found(&visits(&mut noise, 8, factors)).unwrap();
                assert_eq!(one.target, 1, "{factors:?}");
                let truth = 1.5 / factors[one.next];
                held += usize::from(one.ratio.lo95 <= truth && truth <= one.ratio.hi95);
            }
            assert!(held >= 185, "{held} of 200 with {factors:?}");
        }
    }

    #[test]
    fn targets_that_are_alike_a_stall_and_few_visits_name_none() {
        let mut noise = Noise::new(4);
        for factors in [&[1.0, 1.0][..], &[1.0, 1.05, 1.0], &[1.0; 4]] {
            let named = (0..1000).filter(|_| found(&visits(&mut noise, 6, factors)).is_some()).count();
            assert!(named <= 5, "{named} of 1000 with {factors:?}");
        }
        let mut stalled = visits(&mut noise, 8, &[1.0, 1.0]);
        stalled[3].latency_sum_ns[0] *= 50;
        assert_eq!(found(&stalled), None);
        assert_eq!(found(&visits(&mut noise, 3, &[1.0, 2.0])), None);
        assert_eq!(found(&visits(&mut noise, 8, &[1.0, 1.0, 1.0, 1.0, 9.0])), None, "the flag names it");
        assert_eq!(found(&[]), None);
    }
}
