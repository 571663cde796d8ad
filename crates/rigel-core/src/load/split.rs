//! How the outstanding I/Os of a point are distributed over workers.
//!
//! Random I/Os are distributed one by one. A stream stays with one worker, because its I/Os share one position. The
//! sequence of a slot ([`crate::load::draw`]) does not depend on its worker, so the split never changes what is
//! measured. Must not start threads.

/// The share of `worker` among `workers` of a class at index `place` of the load: the numbers of its slots or streams.
///
/// Every second class is distributed from the last worker on, so a mixed point does not load the first worker twice.
pub fn share(level: u32, place: usize, worker: u32, workers: u32) -> Vec<u32> {
    let workers = workers.max(1);
    let first = if place.is_multiple_of(2) { worker } else { workers - 1 - worker };
    (first..level).step_by(workers as usize).collect()
}

/// The workers of a class alone, if each waits for an outstanding I/O: a range of worker numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The number of its first worker.
    pub first: u32,
    /// How many there are.
    pub workers: u32,
}

impl Room {
    /// The number after its last worker.
    pub const fn end(self) -> u32 {
        self.first.saturating_add(self.workers)
    }

    const fn overlaps(self, other: Self) -> bool {
        self.first < other.end() && other.first < self.end()
    }
}

/// The rooms of classes that need these numbers of workers. Two classes that are ever loaded together (`meet`) share no worker;
/// others share as many as possible.
pub fn rooms(needed: &[u32], meet: impl Fn(usize, usize) -> bool) -> Vec<Room> {
    let mut rooms: Vec<Room> = Vec::with_capacity(needed.len());
    for (place, &workers) in needed.iter().enumerate() {
        let met = rooms.iter().enumerate().filter(|&(other, _)| meet(other, place)).map(|(_, room)| *room);
        let met: Vec<Room> = met.collect();
        let firsts = std::iter::once(0).chain(met.iter().map(|room| room.end()));
        let is_free = |room: &Room| met.iter().all(|other| !room.overlaps(*other));
        let free = firsts.map(|first| Room { first, workers }).filter(is_free);
        // Behind the last of those that it meets it is always free.
        rooms.push(free.min_by_key(|room| room.first).unwrap_or(Room { first: 0, workers }));
    }
    rooms
}

/// The workers of all rooms together; at least one.
pub fn workers_in(rooms: &[Room]) -> u32 {
    rooms.iter().map(|room| room.end()).max().unwrap_or(0).max(1)
}

/// A worker's index among the workers of the class at a place: of all workers if each has a part of every class
/// (`rooms` is empty), otherwise of the workers of this class. `None` for a worker of other classes.
pub fn seat(rooms: &[Room], place: usize, worker: u32, workers: u32) -> Option<(u32, u32)> {
    if rooms.is_empty() {
        return Some((worker, workers));
    }
    let Room { first, workers: own } = rooms.get(place).copied()?;
    worker.checked_sub(first).filter(|number| *number < own).map(|number| (number, own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_outstanding_io_of_three_classes_has_a_worker_of_its_own() {
        let rooms = rooms(&[3, 1, 2], |_, _| true);
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

    #[test]
    fn classes_that_never_run_together_share_their_workers() {
        let firsts = |needed: &[u32], meet: fn(usize, usize) -> bool| {
            let rooms = rooms(needed, meet);
            (rooms.iter().map(|room| room.first).collect::<Vec<_>>(), workers_in(&rooms))
        };
        assert_eq!(firsts(&[5, 2, 3], |_, _| false), (vec![0, 0, 0], 5));
        assert_eq!(firsts(&[5, 2, 3], |_, _| true), (vec![0, 5, 7], 10));
        // The first two meet, and the last two do: the third fits beside the second.
        assert_eq!(firsts(&[5, 2, 3], |one, other| other - one == 1), (vec![0, 5, 0], 7));
        // It does not fit before the second, which the first has pushed back by one only.
        assert_eq!(firsts(&[1, 2, 3], |one, other| other - one == 1), (vec![0, 1, 3], 6));
        assert_eq!(firsts(&[0, 0], |_, _| true), (vec![0, 0], 1), "a worker at least");
    }

    proptest! {
        #[test]
        fn who_meets_another_has_other_workers(
            needed in proptest::collection::vec(0u32..20, 1..8), bits in any::<u64>(),
        ) {
            let meet = |one: usize, other: usize| bits >> (8 * one.min(other) + one.max(other)) & 1 == 1;
            let rooms = rooms(&needed, meet);
            for (place, room) in rooms.iter().enumerate() {
                prop_assert_eq!(room.workers, needed[place]);
                let mut met = (0..place).filter(|&other| meet(other, place));
                prop_assert!(met.all(|other| !room.overlaps(rooms[other])), "{:?}", rooms);
            }
            prop_assert!(workers_in(&rooms) <= needed.iter().sum::<u32>().max(1));
        }

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
