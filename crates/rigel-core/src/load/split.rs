//! How the outstanding I/Os of a point are distributed over workers.
//!
//! Random I/Os are distributed one by one. A stream stays with one worker, because its I/Os share one position. The
//! sequence of a slot ([`crate::load::draw`]) does not depend on its worker, so the split never changes what is
//! measured. Must not start threads.

/// The share of `worker` of `workers` of a class that is number `place` of the load: the numbers of its slots, or of its
/// streams.
///
/// Every second class is distributed from the last worker on, so a mixed point does not load the first worker twice.
pub fn share(level: u32, place: usize, worker: u32, workers: u32) -> Vec<u32> {
    let workers = workers.max(1);
    let first = if place.is_multiple_of(2) { worker } else { workers - 1 - worker };
    (first..level).step_by(workers as usize).collect()
}

/// Which of how many workers of the class at a place one is: of all, where each has a part of every class (`rooms` is empty), else of those
/// that this class has on its own, `rooms` of each class one after the other. `None` for a worker of another class.
pub fn seat(rooms: &[u32], place: usize, worker: u32, workers: u32) -> Option<(u32, u32)> {
    if rooms.is_empty() {
        return Some((worker, workers));
    }
    let (before, from) = rooms.split_at_checked(place)?;
    let own = from.first().copied()?;
    let first = before.iter().copied().fold(0, u32::saturating_add);
    worker.checked_sub(first).filter(|number| *number < own).map(|number| (number, own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_outstanding_io_of_three_classes_has_a_worker_of_its_own() {
        let rooms = [3, 1, 2];
        let of_worker = |worker: u32| -> Vec<(usize, u32)> {
            let of_class = |(place, level): (usize, u32)| {
                let (worker, workers) = seat(&rooms, place, worker, 6)?;
                Some(share(level, place, worker, workers).into_iter().map(move |number| (place, number)))
            };
            (0..).zip([3, 1, 1]).filter_map(of_class).flatten().collect()
        };
        let all: Vec<_> = (0..6).map(of_worker).collect();
        assert!(all.iter().all(|own| own.len() <= 1), "{all:?}");
        let mut dealt = all.concat();
        dealt.sort_unstable();
        assert_eq!(dealt, [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)]);
        assert_eq!(seat(&[], 1, 4, 5), Some((4, 5)), "a part of every class");
        assert_eq!((seat(&rooms, 3, 0, 6), seat(&rooms, 0, 3, 6)), (None, None));
    }

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
