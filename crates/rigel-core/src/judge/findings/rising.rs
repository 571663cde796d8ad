//! Classes whose rate still rose at the most load that a run tried: the storage may do more.
//!
//! ORION's levels follow the number of disks, and end below saturation on storage that takes more. That is no doubt about the
//! numbers, so it is no flag. Must not judge a run whose levels were searched; the flags of its curves do.

use super::PointFindings;
use super::extremes::{candidates, highest};
use crate::load::class::Class;

/// Half the load that gives less than this part of the highest rate shows that the rate still rose.
const NEAR_THE_HIGHEST: f64 = 0.9;

/// Whether the highest rate of a class is that of the most that was tried, and no level of half as much or less comes near it.
/// Without such a level nothing is known.
pub(super) fn still_rises(points: &[PointFindings], class: Class) -> bool {
    let all = candidates(points, class);
    let Some(best) = highest(&all) else { return false };
    let level = best.point.of(class);
    let most = points.iter().map(|found| found.point.of(class)).max();
    let lower = all.iter().filter(|one| one.point.of(class) <= level / 2).map(|one| one.io.iops.value);
    let lower = lower.reduce(f64::max);
    most == Some(level) && lower.is_some_and(|rate| rate < NEAR_THE_HIGHEST * best.io.iops.value)
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
        // The levels 1 and 2 of large I/O have 100 and 200 MBPS.
        assert_eq!(rising([1_000_000; 5]), ["small", "large"]);
        // 2, 3, 4 and 5 small ones have 2000 a second, 5 of them 2083 in the second case, 2273 in the third.
        for (last, wanted) in [(2_500_000, false), (2_400_000, false), (2_200_000, true)] {
            let found = rising([1_000_000, 1_000_000, 1_500_000, 2_000_000, last]);
            assert_eq!(found.contains(&"small".to_owned()), wanted, "{last}");
        }
        // The best is not the last.
        assert_eq!(rising([1_000_000, 1_000_000, 1_000_000, 1_000_000, 2_000_000]), ["large"]);
        let single = of(vec![visit(4, 1_000_000)]);
        assert!(single.still_rising.is_empty(), "one point tells nothing");
    }
}
