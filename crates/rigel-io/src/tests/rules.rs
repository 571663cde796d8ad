//! Every engine enforces the rules of the trait: a breach is a panic, never I/O.

use super::*;
use crate::uring::NopRing;
use std::panic::{AssertUnwindSafe, catch_unwind};

for_every_engine!(
    a_write_without_a_permit_panics,
    a_breach_panics_and_leaves_the_engine_whole,
    nothing_is_reaped_before_it_is_submitted,
    more_can_be_waited_for_than_is_outstanding,
    a_queue_that_was_never_submitted_is_forgotten
);

fn message(breach: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(breach)).unwrap_err();
    payload.downcast_ref::<String>().unwrap().clone()
}

fn a_write_without_a_permit_panics<E: Engine>() {
    let scratch = Scratch::new(64 << 10);
    let Some(targets) = scratch.targets("a_write_without_a_permit_panics", false) else { return };
    let Some(mut backend) = engine::<E>("a_write_without_a_permit_panics", &targets, layout(2, 0)) else {
        return;
    };
    let text = message(|| backend.push(write(0, 0, 4096)));
    assert!(text.contains("a write to target 0 without a permit"), "{text}");
    // The slot is still free, and nothing of the write is left in the queue.
    assert_eq!(outcomes(&mut backend, &[read(0, 0, 4096)]), [Ok(4096)]);
    drop(backend);
    assert!(std::fs::read(scratch.path()).unwrap() == scratch.contents);
}

fn a_breach_panics_and_leaves_the_engine_whole<E: Engine>() {
    let scratch = Scratch::new(64 << 10);
    let Some(targets) = scratch.targets("a_breach_panics", false) else { return };
    let Some(mut backend) = engine::<E>("a_breach_panics", &targets, layout(2, 1)) else { return };
    backend.push(read(0, 0, 4096));
    assert!(message(|| backend.push(read(0, 4096, 4096))).contains("already in flight"));
    assert!(message(|| drop(backend.buffer_mut(0).to_vec())).contains("in flight"));
    backend.submit(1).unwrap();
    // Completed, but not yet reaped: the slot is not free.
    assert!(message(|| backend.push(read(0, 4096, 4096))).contains("already in flight"));
    backend.reap(|completion| assert_eq!(completion, Completion { slot: 0, outcome: Ok(4096) }));
    assert!(message(|| backend.push(read(1, 0, SMALL_BYTES + 512))).contains("bytes into slot 1"));
    assert!(message(|| backend.push(read(3, 0, 4096))).contains("does not exist"));
    assert!(message(|| backend.push(Op { target: 1, ..read(1, 0, 4096) })).contains("does not exist"));
    assert!(message(|| backend.push(read(1, u64::MAX, 4096))).contains("cannot be addressed"));
    assert_eq!(outcomes(&mut backend, &[read(0, 0, 4096), read(1, 0, 4096), read(2, 0, 65_536)]).len(), 3);
}

fn nothing_is_reaped_before_it_is_submitted<E: Engine>() {
    let scratch = Scratch::new(64 << 10);
    let Some(targets) = scratch.targets("nothing_is_reaped", false) else { return };
    let Some(mut backend) = engine::<E>("nothing_is_reaped", &targets, layout(2, 0)) else { return };
    backend.reap(|completion| panic!("{completion:?}"));
    backend.push(read(0, 0, 4096));
    backend.reap(|completion| panic!("{completion:?}"));
    backend.submit(1).unwrap();
    let mut done = 0;
    backend.reap(|_| done += 1);
    backend.reap(|completion| panic!("{completion:?}"));
    assert_eq!(done, 1);
}

fn more_can_be_waited_for_than_is_outstanding<E: Engine>() {
    let scratch = Scratch::new(64 << 10);
    let Some(targets) = scratch.targets("more_can_be_waited_for", false) else { return };
    let Some(mut backend) = engine::<E>("more_can_be_waited_for", &targets, layout(3, 0)) else { return };
    backend.submit(3).unwrap();
    backend.push(read(0, 0, 4096));
    backend.push(read(2, 0, 4096));
    backend.submit(3).unwrap();
    let mut done = 0;
    backend.reap(|_| done += 1);
    assert_eq!(done, 2);
}

fn a_queue_that_was_never_submitted_is_forgotten<E: Engine>() {
    let scratch = Scratch::new(64 << 10);
    let Some(targets) = scratch.targets("a_queue_is_forgotten", true) else { return };
    let Some(mut backend) = engine::<E>("a_queue_is_forgotten", &targets, layout(3, 0)) else { return };
    backend.push(write(0, 0, 4096));
    drop(backend);
    assert!(std::fs::read(scratch.path()).unwrap() == scratch.contents);
}

#[test]
fn the_ring_of_nops_obeys_the_same_rules() {
    let made = NopRing::nops(&[false, true], layout(2, 1), SEED);
    let made = made.map_err(|problem| MissingNeed::new(problem.to_string()));
    let Some((mut backend, facts, _)) = needs("the_ring_of_nops_obeys_the_same_rules", made) else { return };
    assert_eq!(facts.kind, rigel_core::facts::engine::EngineKind::Nop);
    assert!(!backend.moves_data());
    assert!(message(|| backend.push(write(0, 0, 4096))).contains("without a permit"));
    let before = backend.buffer(2).to_vec();
    backend.push(Op { target: 1, ..write(0, 0, SMALL_BYTES) });
    assert!(message(|| backend.push(read(0, 0, 4096))).contains("already in flight"));
    assert_eq!(outcomes(&mut backend, &[read(2, 0, LARGE_BYTES)]), [Ok(SMALL_BYTES), Ok(LARGE_BYTES)]);
    assert!(backend.buffer(2) == before, "a NOP brings nothing");
}

#[test]
fn the_null_engine_obeys_the_same_rules() {
    let (mut backend, facts, buffers) =
        crate::null::NullBackend::new(&[false, true], layout(2, 1), SEED).unwrap();
    assert_eq!(facts.kind, rigel_core::facts::engine::EngineKind::Null);
    assert!(buffers.bytes >= u64::from(2 * SMALL_BYTES + LARGE_BYTES));
    assert!(message(|| backend.push(write(0, 0, 4096))).contains("without a permit"));
    backend.push(Op { target: 1, ..write(0, 0, 4096) });
    assert!(message(|| backend.push(read(0, 0, 4096))).contains("already in flight"));
    backend.reap(|completion| panic!("{completion:?}"));
    assert_eq!(outcomes(&mut backend, &[read(2, 0, LARGE_BYTES)]), [Ok(4096), Ok(LARGE_BYTES)]);
}
