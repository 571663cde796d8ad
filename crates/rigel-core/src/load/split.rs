//! How the outstanding I/Os of a point are distributed over workers.
//!
//! Random I/Os are distributed one by one. A stream stays with one worker, because its I/Os share one position. The
//! sequence of a slot ([`crate::load::draw`]) does not depend on its worker, so the split never changes what is
//! measured. Must not start threads.

use crate::load::matrix::Point;

/// The part of one point that one worker keeps in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Numbers of the small slots.
    pub small: Vec<u32>,
    /// Numbers of the large slots, or of the streams.
    pub large: Vec<u32>,
}

/// The share of `worker` of `workers`.
///
/// Large I/Os are distributed from the last worker on, so that a mixed point does not load the first worker twice.
#[must_use]
pub fn share(point: Point, worker: u32, workers: u32) -> Share {
    let workers = workers.max(1);
    let deal = |count: u32, worker: u32| (worker..count).step_by(workers as usize).collect();
    Share { small: deal(point.small, worker), large: deal(point.large, workers - 1 - worker) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_slot_has_exactly_one_worker(small in 0u32..200, large in 0u32..200, workers in 1u32..9) {
            let point = Point { small, large };
            let shares: Vec<Share> = (0..workers).map(|w| share(point, w, workers)).collect();
            for (count, pick) in [(small, (|s| &s.small) as fn(&Share) -> &Vec<u32>), (large, |s| &s.large)] {
                let mut slots: Vec<u32> = shares.iter().flat_map(|s| pick(s).clone()).collect();
                slots.sort_unstable();
                prop_assert_eq!(slots, (0..count).collect::<Vec<_>>());
                let sizes: Vec<usize> = shares.iter().map(|s| pick(s).len()).collect();
                prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
    }
}
