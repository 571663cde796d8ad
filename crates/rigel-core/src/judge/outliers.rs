//! The targets among many that are slower than the others.
//!
//! Targets that have the same load answer alike, so their mean latencies tell which one is slow. Each is compared with the median of all, in units of
//! the median absolute deviation, which the slow ones themselves barely move (Hampel 1974). Of many targets some are far out by chance: the share of
//! those that are named wrongly is bounded (Benjamini and Hochberg 1995). Latencies are not normally distributed: one stall of a second can dominate
//! the mean of a short run. So a target has to be slow without the few longest of its I/Os as well. Must not look at failures, which speak for
//! themselves.

use crate::load::class::{Class, LoadClass, PerClass};
use crate::load::matrix::Point;
use crate::measure::ByTarget;
use crate::record::Record;
use crate::stats::sample::median;
use crate::stats::special::student_t_quantile;
use crate::units::{to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// With fewer targets, their usual variation is unknown.
pub const LEAST_TARGETS: usize = 5;
/// Share of the named targets that may be named wrongly, on average.
const FALSE_SHARE: f64 = 0.01;
/// A target that is less slow than this is not reported, however certain it is.
pub(super) const LEAST_RATIO: f64 = 1.10;
/// Random I/O hits every byte equally often, so a larger target gets more of it.
const MOST_LARGER: u64 = 10;
/// Converts the median absolute deviation of a normal distribution to its standard deviation.
const OF_NORMAL: f64 = 1.4826;
/// How much of a sample the median absolute deviation uses: its efficiency for a normal distribution.
const EFFICIENCY: f64 = 0.37;
/// So few I/Os do not make a target slow, however long they took: as many may wait for one stall.
const FEW: u64 = 8;
/// If half of the targets have the same latency, they differ by at least this share: the resolution of the clock.
const LEAST_SCALE: f64 = 0.001;

/// A target that is slower than the others.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Outlier {
    /// Its number in the run.
    #[serde(skip)]
    pub target: usize,
    /// The class of I/O that is slow on it.
    pub class: Class,
    /// Its mean latency in microseconds.
    #[serde(rename = "latency_mean_us")]
    pub mean_us: f64,
    /// The median of the mean latencies of all targets.
    pub median_us: f64,
}

/// The outliers of a run, by class and then the slowest first.
pub fn of(record: &Record) -> Vec<Outlier> {
    let mut classes: PerClass<ByTarget> = PerClass::new();
    for visit in &record.visits {
        for (class, tally) in
            visit.tallies.iter().filter(|(class, _)| loads_all(record, visit.point, **class))
        {
            if let Some(counts) = &tally.by_target {
                classes.entry(*class).or_default().add(counts);
            }
        }
    }
    classes.iter().flat_map(|(class, counts)| of_class(*class, counts)).collect()
}

/// Whether a class loads all targets of a point equally, and more than any other point does: a point with few targets is another load.
fn loads_all(record: &Record, point: Point, class: Class) -> bool {
    let counts = record.header.request.class(class).is_some_and(LoadClass::level_is_targets);
    let most = || record.visits.iter().map(|visit| visit.point.of(class)).max();
    !counts || most() == Some(point.of(class))
}

/// Whether some target is much larger than another, so random I/O goes to it more often.
pub fn sizes_differ(record: &Record) -> bool {
    let sizes = || record.header.targets.iter().map(|target| target.size_bytes);
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
    most - least > least / MOST_LARGER
}

fn of_class(class: Class, counts: &ByTarget) -> Vec<Outlier> {
    let ByTarget { ops, latency_sum_ns, longest_ns, .. } = counts;
    let mut targets = Vec::new();
    let (mut means, mut surely) = (Vec::new(), Vec::new());
    for (target, ((&ops, &sum_ns), &longest_ns)) in ops.iter().zip(latency_sum_ns).zip(longest_ns).enumerate()
    {
        if ops > 0 {
            let us = |sum_ns: u64| us_from_ns(to_f64(sum_ns)) / to_f64(ops);
            targets.push(target);
            means.push(us(sum_ns));
            surely.push(us(sum_ns.saturating_sub(FEW.saturating_mul(longest_ns))));
        }
    }
    let median_us = median(&means);
    let slow = far_out(&means, &surely).into_iter();
    slow.filter(|&at| surely[at] >= LEAST_RATIO * median_us)
        .map(|at| Outlier { target: targets[at], class, mean_us: means[at], median_us })
        .collect()
}

/// Indices of the values that are certainly too large to be like the others, the largest first; `certainly` is each value
/// without what chance may have added.
fn far_out(values: &[f64], surely: &[f64]) -> Vec<usize> {
    if values.len() < LEAST_TARGETS {
        return Vec::new();
    }
    let middle = median(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let scale = (OF_NORMAL * median(&deviations)).max(LEAST_SCALE * middle);
    let count = to_f64(values.len() as u64);
    let freedom = (EFFICIENCY * (count - 1.0)).max(1.0);
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| surely[other].total_cmp(&surely[one]));
    // The most that pass together: the k-th largest has to be beyond what k wrong ones in so many would be.
    let passes = |rank: usize| {
        let chance = FALSE_SHARE * to_f64(rank as u64) / count;
        (surely[order[rank - 1]] - middle) / scale >= student_t_quantile(1.0 - chance, freedom)
    };
    let named = (1..=values.len() / 2).rev().find(|&rank| passes(rank)).unwrap_or(0);
    order.truncate(named);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::draw::Generator;
    use crate::stats::special::normal_quantile;

    const TRIALS: u64 = 400;

    fn normal(draw: &mut Generator) -> f64 {
        normal_quantile((to_f64(draw.below(1 << 30)) + 0.5) / to_f64(1 << 30))
    }

    fn values(trial: u64, targets: u64) -> Vec<f64> {
        let mut draw = Generator::new(trial, &[targets]);
        (0..targets).map(|_| 100.0 + normal(&mut draw)).collect()
    }

    #[test]
    fn targets_that_are_alike_are_hardly_ever_named() {
        for targets in [5, 8, 24, 410] {
            let named = |trial: &u64| {
                let all = values(*trial, targets);
                !far_out(&all, &all).is_empty()
            };
            let wrong = (0..TRIALS).filter(named).count();
            assert!(wrong as u64 <= TRIALS * 4 / 100, "{wrong} of {TRIALS} with {targets} targets");
        }
    }

    #[test]
    fn a_slow_one_among_many_is_found() {
        for targets in [24, 410] {
            let found = (0..TRIALS).filter(|&trial| {
                let mut all = values(trial, targets);
                all[3] = 130.0;
                far_out(&all, &all).first() == Some(&3)
            });
            assert_eq!(found.count() as u64, TRIALS, "{targets} targets");
        }
        let few = [100.0, 100.0, 100.0, 500.0];
        let far_out = |all: &[f64]| far_out(all, all);
        assert_eq!(far_out(&few), [] as [usize; 0], "of four nobody knows");
        let same = [100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 150.0];
        assert_eq!(far_out(&same), [7]);
        assert_eq!(far_out(&[0.0; 9]), [] as [usize; 0]);
    }

    /// 400 targets with 2,000 I/Os of 140 us each; here and there up to three I/Os of one wait for a stall of 50 to 110 ms.
    fn with_stalls(trial: u64) -> ByTarget {
        let mut draw = Generator::new(trial, &[7]);
        let mut counts = ByTarget::new(400);
        counts.ops = vec![2000; 400];
        for (sum_ns, longest_ns) in counts.latency_sum_ns.iter_mut().zip(&mut counts.longest_ns) {
            *sum_ns = 280_000_000 + draw.below(30_000_000);
            *longest_ns = 2_000_000;
            if draw.below(20) == 0 {
                let stall_ns = 50_000_000 + draw.below(60_000_000);
                *sum_ns += (1 + draw.below(3)) * stall_ns;
                *longest_ns = stall_ns;
            }
        }
        counts
    }

    #[test]
    fn a_stall_makes_no_target_slow() {
        for trial in 0..TRIALS {
            assert_eq!(of_class(Class::SMALL, &with_stalls(trial)), [], "{trial}");
        }
        // One that is slow all the time is found among them.
        for trial in 0..TRIALS {
            let mut counts = with_stalls(trial);
            counts.latency_sum_ns[9] = 500_000_000;
            counts.longest_ns[9] = 2_000_000;
            let found: Vec<usize> = of_class(Class::SMALL, &counts).iter().map(|one| one.target).collect();
            assert_eq!(found, [9], "{trial}");
        }
    }

    #[test]
    fn a_difference_that_nobody_feels_is_not_worth_a_word() {
        let counts = |slow: u64| {
            let mut counts = ByTarget::new(9);
            counts.ops = vec![1000; 9];
            counts.latency_sum_ns =
                (0..9).map(|target| if target == 4 { slow } else { 100_000_000 + target }).collect();
            counts
        };
        assert_eq!(of_class(Class::SMALL, &counts(105_000_000)), []);
        let [found] = &of_class(Class::SMALL, &counts(150_000_000))[..] else { panic!("one") };
        assert_eq!((found.target, found.mean_us.round(), found.median_us.round()), (4, 150.0, 100.0));
    }
}
