//! Which generations a slot may have, for any order of beginnings, ends, failures, flushes and a crash.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    InFlight,
    Well,
    Failed,
}

/// The plain truth: every write with what became of it.
#[derive(Debug, Default)]
struct Truth(BTreeMap<u64, State>);

impl Truth {
    fn in_flight(&self) -> Vec<u64> {
        self.0.iter().filter(|(_, state)| **state == State::InFlight).map(|(number, _)| *number).collect()
    }

    /// Whether a slot may hold a generation: the last that went well, or one that began after it.
    fn admits(&self, passes: &Passes, slot: u64, generation: u64) -> bool {
        let own = self.0.iter().filter(|(number, _)| passes.slot(**number) == slot);
        let mut may_be = vec![0];
        for (number, state) in own {
            if *state == State::Well {
                may_be.clear();
            }
            may_be.push(number / passes.slots() + 1);
        }
        may_be.contains(&generation)
    }
}

/// A step of a history: what happens, and to which of those it could happen to.
fn steps() -> impl Strategy<Value = Vec<(u8, prop::sample::Index)>> {
    prop::collection::vec((0_u8..10, any::<prop::sample::Index>()), 1..160)
}

proptest! {
    #[test]
    fn positions_generations_and_numbers_belong_together(slots in 1_u64..500, seed: u64, number in 0_u64..1 << 40) {
        let passes = Passes::new(slots, seed);
        let slot = passes.slot(number);
        let (position, generation) = (passes.position(slot), passes.generation(number));
        prop_assert_eq!(position, number % slots);
        prop_assert_eq!(passes.number(position, generation), number);
        prop_assert_eq!(passes.after(position, number), generation - 1);
        prop_assert_eq!(passes.after(position, number + 1), generation);
    }

    #[test]
    fn exactly_the_writes_that_may_be_there_are_admitted(
        slots in 1_u64..12, seed: u64, window in 1_u64..20, steps in steps(),
    ) {
        let passes = Passes::new(slots, seed);
        let mut progress = Progress::new(window, slots);
        let mut truth = Truth::default();
        for (step, which) in steps {
            let in_flight = truth.in_flight();
            if step < 5 || in_flight.is_empty() {
                match progress.begin() {
                    Some(number) => drop(truth.0.insert(number, State::InFlight)),
                    None => prop_assert!(!in_flight.is_empty(), "nothing is on its way, and nothing may begin"),
                }
            } else {
                let number = *which.get(&in_flight);
                if step < 9 { progress.end(number) } else { progress.fail(number, &passes) }
                truth.0.insert(number, if step < 9 { State::Well } else { State::Failed });
            }
            for slot in 0..slots {
                let expected = progress.expected(passes.position(slot), &passes);
                for generation in 0..expected.newest + 3 {
                    let may_be = truth.admits(&passes, slot, generation);
                    prop_assert_eq!(expected.admits(generation), may_be, "slot {} generation {}", slot, generation);
                }
            }
        }
    }

    #[test]
    fn more_failures_than_can_be_remembered_accuse_nobody(slots in 1_u64..200, steps in steps()) {
        let passes = Passes::new(slots, SEED);
        let mut progress = Progress::new(slots, slots);
        let mut truth = Truth::default();
        for (step, _) in steps.iter().cycle().take(240) {
            let Some(number) = progress.begin() else { break };
            if *step < 3 { progress.end(number) } else { progress.fail(number, &passes) }
            truth.0.insert(number, if *step < 3 { State::Well } else { State::Failed });
        }
        for slot in 0..slots {
            let expected = progress.expected(passes.position(slot), &passes);
            let mut all = 0..expected.newest + 2;
            prop_assert!(all.all(|generation| expected.admits(generation) || !truth.admits(&passes, slot, generation)));
        }
    }

    #[test]
    fn a_run_of_several_parts_accuses_no_possible_block_and_every_block_that_is_too_old(
        slots in 1_u64..12, seed: u64, parts in prop::collection::vec(steps(), 1..4), lots in prop::collection::vec(any::<prop::sample::Index>(), 12),
    ) {
        let passes = Passes::new(slots, seed);
        // What each slot holds, and what it held by the last flush; both as generations of all parts.
        let (mut held, mut durable) = (vec![0_u64; 12], vec![0_u64; 12]);
        let mut earlier = EarlierParts::default();
        for steps in parts {
            let mut progress = Progress::new(slots, slots);
            let (mut told, mut in_flight) = (0, Vec::<u64>::new());
            for (step, which) in steps {
                match step {
                    0..=5 => in_flight.extend(progress.begin()),
                    6 | 7 if !in_flight.is_empty() => {
                        let number = in_flight.swap_remove(which.index(in_flight.len()));
                        if step == 6 || which.index(3) > 0 {
                            progress.end(number);
                            let slot = usize::try_from(passes.slot(number)).unwrap();
                            held[slot] = held[slot].max(earlier.base() + passes.generation(number));
                        } else {
                            progress.fail(number, &passes);
                        }
                    }
                    8 => {
                        told = progress.sure_below(&passes);
                        durable.clone_from(&held);
                    }
                    _ => {}
                }
                for slot in 0..slots {
                    let at = usize::try_from(slot).unwrap();
                    let position = passes.position(slot);
                    let expected = earlier.expected(progress.expected(position, &passes), position, &passes);
                    prop_assert!(expected.admits(held[at]), "slot {} holds {}, expected {:?}", slot, held[at], expected);
                }
            }
            // Killed: what was in flight may be there. Or the power was cut: anything since the last flush may be gone.
            for (at, lot) in (0..usize::try_from(slots).unwrap()).zip(&lots) {
                let possible = [held[at], durable[at]];
                held[at] = *lot.get(&possible);
                durable[at] = held[at];
            }
            earlier.0.push(told);
            for slot in 0..slots {
                let at = usize::try_from(slot).unwrap();
                let position = passes.position(slot);
                let expected = earlier.expected(GenerationRange::only(0), position, &passes);
                prop_assert!(expected.admits(held[at]), "slot {} holds {}, expected {:?}", slot, held[at], expected);
                // Whatever is older than what was durable shows.
                let newest_told = (0_u64..).zip(&earlier.0).filter(|(_, told)| passes.after(position, **told) > 0).last();
                if let Some((part, told)) = newest_told {
                    let oldest = (part << 32) + passes.after(position, *told);
                    prop_assert!(!expected.admits(oldest - 1), "{:?}", expected);
                    prop_assert_eq!(parted(oldest), (part, passes.after(position, *told)));
                }
            }
        }
    }
}
