//! The engine that waits for its only I/O: the right bytes, the errors of the kernel, and one slot.

use super::*;
use crate::sync::{SyncIo, WaitingBoard, WaitingIo, probe};
use rigel_core::error::ExitKind;
use rigel_core::facts::engine::{Backing, EngineKind};

const ONE: SlotLayout = SlotLayout::of(&[(1, SMALL_BYTES)]);

fn sync(targets: &Arc<OpenTargets>, seed: u64) -> SyncIo {
    let (backend, engine, buffers) = SyncIo::new(Arc::clone(targets), ONE, seed).unwrap();
    assert_eq!((engine.kind, buffers.backing), (EngineKind::Sync, Backing::Normal));
    assert_eq!(buffers.bytes, u64::from(SMALL_BYTES));
    backend
}

#[test]
fn it_reads_and_writes_where_it_should_and_is_done_when_it_returns() {
    let scratch = Scratch::new(1 << 20);
    let name = "it_reads_and_writes_where_it_should_and_is_done_when_it_returns";
    let Some(targets) = scratch.targets(name, true) else { return };
    let mut backend = sync(&targets, SEED);
    for offset in [0, 40_960, 8192] {
        assert_eq!(outcomes(&mut backend, &[read(0, offset, SMALL_BYTES)]), [Ok(SMALL_BYTES)]);
        let from = usize::try_from(offset).unwrap();
        assert!(backend.buffer(0) == &scratch.contents[from..from + SMALL_BYTES as usize]);
    }
    for sync in [Sync::None, Sync::Dsync, Sync::Fdatasync] {
        let mark = u8::try_from(sync as usize + 1).unwrap();
        backend.buffer_mut(0).fill(mark);
        let op = Op { sync, ..write(0, 16_384, 4096) };
        assert_eq!(outcomes(&mut backend, &[op]), [Ok(4096)], "{sync:?}");
        let now = std::fs::read(scratch.path()).unwrap();
        assert!(now[16_384..20_480].iter().all(|&byte| byte == mark), "{sync:?}");
        assert!(now[20_480..] == scratch.contents[20_480..] && now[..16_384] == scratch.contents[..16_384]);
    }
    // Nothing is queued: a wait that is asked for ends at once.
    backend.submit(1).unwrap();
    backend.reap(|completion| panic!("{completion:?}"));
}

#[test]
fn what_the_kernel_refuses_is_an_outcome() {
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets("what_the_kernel_refuses_is_an_outcome", false) else { return };
    let mut backend = sync(&targets, SEED);
    let odd = outcomes(&mut backend, &[read(0, 1, 4096)]);
    assert!(odd == [Err(libc::EINVAL)] || odd == [Ok(4096)], "not every filesystem minds: {odd:?}");
    assert_eq!(outcomes(&mut backend, &[read(0, 1 << 20, 4096)]), [Ok(0)], "behind the end");
}

#[test]
fn every_worker_writes_data_of_its_own() {
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets("every_worker_writes_data_of_its_own", false) else { return };
    let [one, other] = [1, 2].map(|seed| sync(&targets, seed).buffer(0).to_vec());
    assert!(one != other && one.iter().any(|&byte| byte != 0));
}

#[test]
fn what_is_waited_for_fits_into_a_word() {
    for op in [read(0, 0, 8192), write(0, 512, 8192), write(0, (1 << 55) - 512, 8192), read(0, 1 << 40, 8192)]
    {
        let op = Op { target: 65_535 - op.slot, ..op };
        let seen = WaitingIo { target: op.target, offset: op.offset, direction: op.direction };
        assert_eq!(WaitingIo::of_word(WaitingIo::word(&op)), Some(seen));
    }
    assert_eq!(WaitingIo::of_word(0), None);
}

/// A worker that waits for nothing is on no board.
#[test]
fn what_is_over_is_not_waited_for() {
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets("what_is_over_is_not_waited_for", false) else { return };
    let board = WaitingBoard::default();
    let mut backend = sync(&targets, SEED).on(&board);
    assert_eq!(outcomes(&mut backend, &[read(0, 8192, SMALL_BYTES)]), [Ok(SMALL_BYTES)]);
    assert_eq!(board.all(), []);
}

#[test]
fn a_second_slot_would_wait_for_the_first() {
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets("a_second_slot_would_wait_for_the_first", false) else { return };
    let refused = SyncIo::new(Arc::clone(&targets), layout(2, 0), SEED).unwrap_err();
    assert_eq!(refused.kind, ExitKind::Bug);
    let (idle, ..) = SyncIo::new(targets, SlotLayout::of(&[(0, SMALL_BYTES)]), SEED).unwrap();
    assert_eq!(idle.slots(), 0, "a worker that has nothing to do on this node");
}

#[test]
fn threads_that_can_all_wait_at_once_are_fine() {
    assert_eq!(probe(50), Ok(()));
}

/// A worker may have the I/Os of several classes, one at a time: its buffer suffices for the largest.
#[test]
fn classes_that_share_a_slot_have_the_buffer_of_the_largest() {
    let scratch = Scratch::new(1 << 20);
    let name = "classes_that_share_a_slot_have_the_buffer_of_the_largest";
    let Some(targets) = scratch.targets(name, false) else { return };
    let shared = SlotLayout::shared(&[(1, SMALL_BYTES), (0, 1 << 20), (1, LARGE_BYTES)]);
    assert_eq!((shared.slots(), shared.bytes_of(0), shared.bytes_of(1)), (1, LARGE_BYTES, 0));
    assert_eq!([0, 1, 2].map(|place| shared.group(place)), [0..1, 0..0, 0..1]);
    let (mut backend, _, _) = SyncIo::new(Arc::clone(&targets), shared, SEED).unwrap();
    for bytes in [SMALL_BYTES, LARGE_BYTES, SMALL_BYTES] {
        assert_eq!(outcomes(&mut backend, &[read(0, 0, bytes)]), [Ok(bytes)]);
        assert!(backend.buffer(0)[..bytes as usize] == scratch.contents[..bytes as usize]);
    }
    assert!(SyncIo::new(targets, SlotLayout::of(&[(1, SMALL_BYTES), (1, SMALL_BYTES)]), SEED).is_err());
}
