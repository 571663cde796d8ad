//! How the outstanding I/Os of a point are distributed over workers.
//!
//! Random I/Os are distributed one by one. A stream stays with one worker, because its I/Os share one position. The
//! sequence of a slot ([`crate::load::draw`]) does not depend on its worker, so the split never changes what is
//! measured. Must not start threads.

/// The share of `worker` of `workers` of a class that is number `place` of the load: the numbers of its slots, or of its
/// streams.
///
/// Every second class is distributed from the last worker on, so that a mixed point does not load the first worker twice.
pub fn share(level: u32, place: usize, worker: u32, workers: u32) -> Vec<u32> {
    let workers = workers.max(1);
    let first = if place.is_multiple_of(2) { worker } else { workers - 1 - worker };
    (first..level).step_by(workers as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_slot_has_exactly_one_worker(small in 0u32..200, large in 0u32..200, workers in 1u32..9) {
            for (place, count) in [small, large].into_iter().enumerate() {
                let shares: Vec<Vec<u32>> = (0..workers).map(|w| share(count, place, w, workers)).collect();
                let mut slots = shares.concat();
                slots.sort_unstable();
                prop_assert_eq!(slots, (0..count).collect::<Vec<_>>());
                let sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
                prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            }
        }
    }
}
