//! Classes whose rate was still rising at the highest load that a run tried: the storage may do more.
//!
//! ORION's levels follow the number of disks, and end below saturation on storage that takes more. That casts no doubt on the numbers, so it is
//! not a flag. Must not judge a run whose levels were searched; the flags of its curves do.

use super::PointFindings;
use super::extremes::{candidates, done, highest};
use crate::load::class::Class;

/// If half the load gives less than this part of the highest rate, the rate still rose.
const NEAR_THE_HIGHEST: f64 = 0.9;

/// Above this part of the highest load, noise may hide the rise.
const NEAR_THE_MOST: f64 = 0.8;

/// Fewer lower loads do not distinguish a rate that rises from one that has risen.
const FEWEST_LOWER: usize = 2;

/// Whether the highest rate of a class is at the highest load tried, and half of that load gives clearly less.
pub(super) fn still_rises(points: &[PointFindings], class: Class) -> bool {
    let all = candidates(points, class);
    let Some(best) = highest(&all) else { return false };
    if !best.io.load.level_is_load() {
        return false;
    }
    let (level, beside) = (best.point.of(class), best.point.without(class));
    let most = points.iter().map(|found| found.point.of(class)).max();
    // Also those that may not stand for the class: that a rate had stopped rising, they tell.
    let tried = points.iter().filter(|found| found.point.without(class) == beside && !found.invalid());
    let rates =
        tried.filter_map(|found| Some((f64::from(found.point.of(class)), done(found.io(class))?.iops.value)));
    most == Some(level) && is_above_half((f64::from(level), best.io.iops.value), rates)
}

/// Whether half of a load gives clearly less than its rate, by the loads that were tried and their rates. If half was not tried,
/// it gives at most what a lower load gives, times the factor between them: the rate of a closed loop rises no faster than its load.
pub(super) fn is_above_half((load, rate): (f64, f64), tried: impl Iterator<Item = (f64, f64)>) -> bool {
    let half = load / 2.0;
    let lower: Vec<(f64, f64)> = tried.filter(|(lower, _)| *lower < load).collect();
    let at_half_or_less = lower.iter().filter(|one| one.0 <= half).map(|one| one.1).reduce(f64::max);
    let most_at_half = lower.iter().map(|(lower, rate)| rate * (half / lower).max(1.0)).reduce(f64::min);
    let is_clearly_less = |lower: f64| lower < NEAR_THE_HIGHEST * rate;
    // Between half of the load and the most it may have stopped: each part has to rise as the whole does.
    let rises_from = |&(lower, slower): &(f64, f64)| {
        lower <= half
            || lower > NEAR_THE_MOST * load
            || slower < rate * NEAR_THE_HIGHEST.powf((load / lower).log2())
    };
    lower.len() >= FEWEST_LOWER
        && at_half_or_less.is_some_and(is_clearly_less)
        && most_at_half.is_some_and(is_clearly_less)
        && lower.iter().all(rises_from)
}

#[cfg(test)]
mod tests {
    use crate::judge::findings::Findings;
    use crate::record::tests::{header, visit};
    use crate::record::{Record, Visit};

    fn of(visits: Vec<Visit>) -> Findings {
        Findings::of(&Record { visits, ..Record::begun(header()) })
    }

    /// ORION's levels end where the number of disks says, whether the storage is saturated or not.
    #[test]
    fn a_rate_that_still_rises_at_the_last_level_is_told() {
        let rising = |latencies_ns: [u64; 5]| {
            let small = latencies_ns.into_iter().enumerate().map(|(step, ns)| visit(step, ns));
            let visits = small.chain([visit(5, 10_000_000), visit(6, 10_000_000)]).collect();
            let found = of(visits);
            found.still_rising.into_iter().map(|class| class.name().to_owned()).collect::<Vec<_>>()
        };
        // The levels 1 and 2 of large I/O have 100 and 200 MBPS: two loads tell nothing.
        assert_eq!(rising([1_000_000; 5]), ["small"]);
        // 2, 3, 4 and 5 small ones have 2000 a second, 5 of them 2083 in the second case, 2273 in the third.
        for (last, wanted) in [(2_500_000, false), (2_400_000, false), (2_200_000, true)] {
            let found = rising([1_000_000, 1_000_000, 1_500_000, 2_000_000, last]);
            assert_eq!(found.contains(&"small".to_owned()), wanted, "{last}");
        }
        // It rose up to 4, and no more.
        assert!(rising([1_000_000, 1_000_000, 1_000_000, 1_000_000, 1_250_000]).is_empty());
        // The best is not the last.
        assert!(rising([1_000_000, 1_000_000, 1_000_000, 1_000_000, 2_000_000]).is_empty());
        let single = of(vec![visit(4, 1_000_000)]);
        assert!(single.still_rising.is_empty(), "one point tells nothing");
    }
}
