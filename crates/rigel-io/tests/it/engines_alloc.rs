//! The calls of the measuring loop do not allocate: an allocator that counts per thread watches them.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests too")]

use rigel_core::load::class::Sync;
use rigel_core::load::draw::Generator;
use rigel_core::load::workload::Direction;
use rigel_io::aio::Aio;
use rigel_io::backend::{Backend, Op, SlotLayout};
use rigel_io::null::NullBackend;
use rigel_io::sync::SyncIo;
use rigel_io::targets::OpenTargets;
use rigel_io::targets::inspect::target_facts;
use rigel_io::targets::open::Access;
use rigel_io::threads::Threads;
use rigel_io::uring::Uring;
use rigel_testdev::{MissingNeed, needs};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

// SAFETY: every call goes to the system's allocator with the same arguments; counting allocates nothing
// itself, since the counter is constant at first and needs no destructor.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

const LAYOUT: SlotLayout = SlotLayout::of(&[(8, 4096), (2, 65_536)]);

/// Allocations of this thread in many rounds through every slot.
fn allocations(backend: &mut impl Backend) -> u64 {
    let mut generator = Generator::new(1, &[]);
    let mut round = || {
        for slot in 0..backend.slots() {
            let offset = generator.below(100) * 4096;
            let len = LAYOUT.bytes_of(slot);
            backend.push(Op { slot, target: 0, direction: Direction::Read, offset, len, sync: Sync::None });
        }
        let mut left = backend.slots();
        while left > 0 {
            backend.submit(1).unwrap();
            backend.reap(|completion| {
                assert!(completion.outcome.is_ok());
                left -= 1;
            });
        }
    };
    // What is made at first use, such as the wait of a thread, is no part of the loop.
    round();
    let before = ALLOCATIONS.get();
    (0..100).for_each(|_| round());
    ALLOCATIONS.get() - before
}

#[test]
fn the_calls_of_the_loop_do_not_allocate() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    let facts = target_facts(&path).unwrap();
    let direct = facts.direct_io == Some(true);
    let targets = OpenTargets::open(std::slice::from_ref(&facts), Access::ReadOnly, direct).unwrap();
    let targets = Arc::new(targets);

    let name = "the_calls_of_the_loop_do_not_allocate";
    let uring = Uring::new(Arc::clone(&targets), LAYOUT, 1, false).map_err(MissingNeed::new);
    if let Some((mut uring, ..)) = needs(name, uring) {
        assert_eq!(allocations(&mut uring), 0, "io_uring");
    }
    let aio = Aio::new(Arc::clone(&targets), LAYOUT, 1).map_err(MissingNeed::new);
    if let Some((mut aio, ..)) = needs(name, aio) {
        assert_eq!(allocations(&mut aio), 0, "libaio");
    }
    let one = SlotLayout::of(&[(1, 8192)]);
    let (mut sync, ..) = SyncIo::new(Arc::clone(&targets), one, 1).unwrap();
    assert_eq!(allocations(&mut sync), 0, "sync");
    let (mut threads, ..) = Threads::new(targets, LAYOUT, 1).unwrap();
    assert_eq!(allocations(&mut threads), 0, "threads");
    let (mut null, ..) = NullBackend::new(&[false], LAYOUT, 1).unwrap();
    assert_eq!(allocations(&mut null), 0, "null");
}

#[test]
fn the_allocator_counts() {
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(vec![0_u8; 100]));
    assert_eq!(ALLOCATIONS.get(), before + 1);
}
