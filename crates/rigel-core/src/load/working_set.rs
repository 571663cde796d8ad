//! Random reads of growing parts of a target: the request of a search for its caches.
//!
//! Must not know how it is measured, nor the results.

use crate::error::Problem;
use crate::load::class::{Class, LoadClass, WorkingSets};
use crate::load::matrix::Point;
use crate::units::say::typed_time;
use crate::units::{Bytes, MIB, NS_PER_S, Nanos};
use serde::{Deserialize, Serialize};

/// The smallest working set, unless sizes are named.
pub const SMALLEST: u64 = 64 * MIB;
/// The usual time.
const USUAL: Nanos = Nanos::from_secs(3600);
/// The longest time.
const LONGEST: Nanos = Nanos::from_secs(7 * 24 * 3600);
/// Outstanding reads while the rate is measured.
pub const EACH: u32 = 32;
/// Load before each measured part.
pub const SETTLE: Nanos = Nanos::from_millis(200);
/// How long one read at a time is measured: a thousand reads of a slow disk.
const LATENCY: Nanos = Nanos::from_secs(10);
/// The same if time is short.
const SHORT_LATENCY: Nanos = Nanos::from_secs(2);
/// This fraction of the time of a size is for its latency, unless that is too short.
const PARTS: u64 = 6;
/// Checks that every size gets: two of them are compared.
const LOOKS: u64 = 2;

/// Random reads of a working set, many at a time.
pub const MANY: Class = Class::constant("random");
/// The same, one at a time: latencies of the storage without Rigel's own queue.
pub const ONE: Class = Class::constant("single");

/// The parameters of a run over working sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingSet {
    /// The longest time of the whole run.
    #[serde(rename = "for")]
    pub time: Nanos,
    /// Outstanding reads while the rate is measured.
    pub each: u32,
    /// The named sizes; empty: 64 MiB, doubled up to all of the target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<u64>,
    /// The largest size; `None`: all of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_size: Option<u64>,
}

impl Default for WorkingSet {
    fn default() -> Self {
        Self { time: USUAL, each: EACH, sizes: Vec::new(), max_size: None }
    }
}

impl WorkingSet {
    /// The classes for a target of this many bytes.
    ///
    /// # Errors
    /// When the sizes do not fit the target.
    pub fn classes(&self, io_bytes: u64, target_bytes: u64) -> Result<Vec<LoadClass>, Problem> {
        let sizes = self.sizes_on(target_bytes)?;
        let levels: Vec<u32> = (1..).take(sizes.len()).collect();
        let class = |name, each| LoadClass {
            working_sets: Some(WorkingSets { sizes: sizes.clone(), each }),
            levels: levels.clone(),
            ..LoadClass::random(name, io_bytes)
        };
        Ok(vec![class(MANY, self.each), class(ONE, 1)])
    }

    /// The sizes for a target, ascending.
    fn sizes_on(&self, target_bytes: u64) -> Result<Vec<u64>, Problem> {
        if target_bytes < 2 * SMALLEST {
            return Err(Problem::usage(format!("a target of {} is too small", Bytes(target_bytes)))
                .because(format!("working sets start at {}, and at least two are needed", Bytes(SMALLEST)))
                .next(format!("name a target of {} or more", Bytes(2 * SMALLEST))));
        }
        self.check_sizes()?;
        let asked = self.sizes.last().copied().or(self.max_size);
        if let Some(largest) = asked.filter(|&largest| largest > target_bytes) {
            let place = if self.sizes.is_empty() { "--max-size" } else { "--sizes" };
            return Err(Problem::usage(format!(
                "a working set of {} is larger than the target of {}",
                Bytes(largest),
                Bytes(target_bytes)
            ))
            .at(place)
            .next(format!("give at most {}", Bytes(target_bytes))));
        }
        if !self.sizes.is_empty() {
            return Ok(self.sizes.clone());
        }
        let largest = self.max_size.unwrap_or(target_bytes);
        let doubled = std::iter::successors(Some(SMALLEST), |size| size.checked_mul(2));
        // The last doubling and all of the target would be almost the same.
        let mut sizes: Vec<u64> = doubled.take_while(|&size| size <= largest - largest / 4).collect();
        sizes.push(largest);
        Ok(sizes)
    }

    /// Refuses what no target can do.
    pub(super) fn check(&self) -> Result<(), Problem> {
        self.check_sizes()?;
        if self.time <= LONGEST {
            return Ok(());
        }
        Err(Problem::usage(format!("a search of at most {} is too long", typed_time(self.time)))
            .at("--for")
            .next(format!("give at most 7 days; the default is {}", typed_time(USUAL))))
    }

    fn check_sizes(&self) -> Result<(), Problem> {
        let refused = |place: &str, what: String, next: &str| {
            Err(Problem::usage(what).at(place.to_owned()).next(next.to_owned()))
        };
        if let Some(pair) = self.sizes.windows(2).find(|pair| pair[0] >= pair[1]) {
            let [before, after] = [pair[0], pair[1]].map(Bytes);
            let what = format!("the sizes are out of order: {after} comes after {before}");
            return refused("--sizes", what, "list them from the smallest to the largest, each once");
        }
        if let [only] = self.sizes.as_slice() {
            let what = format!("one size of {} shows no cache", Bytes(*only));
            return refused("--sizes", what, "give two sizes or more, such as --sizes 64M,1G,8G");
        }
        let least = self.sizes.first().copied().filter(|&first| first < MIB);
        if let Some(first) = least {
            let what = format!("a working set of {} is too small", Bytes(first));
            return refused("--sizes", what, "give 1 MiB or more");
        }
        match self.max_size {
            Some(most) if most < 2 * SMALLEST => refused(
                "--max-size",
                format!("a largest working set of {} is too small", Bytes(most)),
                "give 128 MiB or more, or name the sizes with --sizes",
            ),
            _ => Ok(()),
        }
    }

    /// Refuses a time in which not every size can be examined.
    ///
    /// # Errors
    /// With the least time that it takes.
    pub fn check_time(&self, count: usize) -> Result<(), Problem> {
        let least = self.least_time(count);
        if self.time >= least {
            return Ok(());
        }
        let [own, needed] = [self.time, least].map(typed_time);
        Err(Problem::usage(format!("{own} is too short for {count} working sets"))
            .at("--for")
            .because(format!(
                "checking each one and measuring its rate and latency takes {needed}, even without a warm-up"
            ))
            .next(format!("give more than {needed}, or fewer sizes (--sizes, --max-size)")))
    }

    /// How long each of this many sizes is checked and measured.
    pub fn times(&self, count: usize) -> SizeTimes {
        // The smallest comes twice.
        let share = self.time.0 / (PARTS * (count as u64 + 1));
        let latency = Nanos(share.clamp(SHORT_LATENCY.0, LATENCY.0) / NS_PER_S * NS_PER_S);
        SizeTimes { look: Nanos(latency.0 / 5), rate: Nanos(latency.0 / 2), latency }
    }

    /// The time for this many sizes without a warm-up, in whole seconds.
    pub fn least_time(&self, count: usize) -> Nanos {
        let all = self.times(count).all().0.saturating_mul(count as u64 + 1);
        Nanos(all.div_ceil(NS_PER_S) * NS_PER_S)
    }
}

/// How long a size is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeTimes {
    /// The check before anything else is decided.
    pub look: Nanos,
    /// Many reads at a time.
    pub rate: Nanos,
    /// One read at a time.
    pub latency: Nanos,
}

impl SizeTimes {
    /// How long a point is measured.
    pub fn measure(&self, point: Point) -> Nanos {
        if point.of(ONE) > 0 { self.latency } else { self.rate }
    }

    /// The time of the measured parts.
    pub const fn measured(&self) -> Nanos {
        Nanos(self.rate.0 + self.latency.0 + 2 * SETTLE.0)
    }

    /// The same with the checks that every size gets.
    pub const fn all(&self) -> Nanos {
        Nanos(self.measured().0 + LOOKS * self.look.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::GIB;

    fn sizes(asked: &WorkingSet, target_bytes: u64) -> Result<Vec<u64>, String> {
        let classes = asked.classes(8192, target_bytes).map_err(|problem| problem.to_string())?;
        assert_eq!(classes.len(), 2);
        let sets = classes[0].working_sets.clone().unwrap();
        assert_eq!((sets.each, classes[1].outstanding(1)), (EACH, 1));
        assert_eq!(classes[0].levels.len(), sets.sizes.len());
        Ok(sets.sizes)
    }

    #[test]
    fn sizes_double_up_to_all_of_the_target() {
        let plain = WorkingSet::default();
        let mib = |sizes: &[u64]| Ok(sizes.iter().map(|size| size * MIB).collect::<Vec<_>>());
        assert_eq!(sizes(&plain, GIB), mib(&[64, 128, 256, 512, 1024]));
        assert_eq!(sizes(&plain, 128 * MIB), mib(&[64, 128]));
        // 512 MiB and 600 MiB would be almost the same.
        assert_eq!(sizes(&plain, 600 * MIB), mib(&[64, 128, 256, 600]));
        let most = WorkingSet { max_size: Some(256 * MIB), ..WorkingSet::default() };
        assert_eq!(sizes(&most, GIB), mib(&[64, 128, 256]));
        let own = WorkingSet { sizes: vec![MIB, 3 * MIB], ..WorkingSet::default() };
        assert_eq!(sizes(&own, GIB), mib(&[1, 3]));
    }

    #[test]
    fn what_shows_no_cache_is_refused_with_the_option() {
        let plain = WorkingSet::default();
        assert!(sizes(&plain, 127 * MIB).unwrap_err().contains("128 MiB or more"));
        for (asked, part) in [
            (WorkingSet { sizes: vec![2 * MIB, MIB], ..plain.clone() }, "out of order"),
            (WorkingSet { sizes: vec![MIB, MIB], ..plain.clone() }, "out of order"),
            (WorkingSet { sizes: vec![MIB], ..plain.clone() }, "shows no cache"),
            (WorkingSet { sizes: vec![4096, MIB], ..plain.clone() }, "too small"),
            (WorkingSet { sizes: vec![MIB, 2 * GIB], ..plain.clone() }, "larger than the target"),
            (WorkingSet { max_size: Some(2 * GIB), ..plain.clone() }, "larger than the target"),
            (WorkingSet { max_size: Some(MIB), ..plain.clone() }, "too small"),
        ] {
            let told = sizes(&asked, GIB).unwrap_err();
            assert!(told.contains(part) && told.contains("--"), "{told}");
        }
    }

    #[test]
    fn a_time_without_a_look_at_every_size_is_refused() {
        let asked = |time_s| WorkingSet { time: Nanos::from_secs(time_s), ..WorkingSet::default() };
        let latency_s = |time_s, count| asked(time_s).times(count).latency.seconds();
        assert_eq!([latency_s(3600, 14), latency_s(60, 5), latency_s(180, 5)], [10.0, 2.0, 5.0]);
        assert_eq!(asked(60).least_time(5), Nanos::from_secs(26));
        assert!(asked(26).check_time(5).is_ok());
        let told = asked(25).check_time(5).unwrap_err().to_string();
        assert!(told.contains("--for") && told.contains("26s"), "{told}");
        // Whatever the time is, looks and measurements fit into it.
        for (time_s, count) in [(26, 5), (60, 5), (3600, 14), (200, 40), (604_800, 64)] {
            assert!(asked(time_s).least_time(count) <= Nanos::from_secs(time_s), "{time_s} {count}");
        }
        assert!(asked(8 * 24 * 3600).check().is_err());
    }
}
