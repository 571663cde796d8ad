//! The measuring loop does not allocate: ten times as many I/Os take as many allocations.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use rigel_core::measure::ClassTally;
use rigel_run::loop_cost::LoopCost;

#[global_allocator]
static ALLOC: dhat::Alloc = dhat::Alloc;

/// Visits of one kind: what others allocate meanwhile is not in all of them.
const VISITS: usize = 5;

/// Fewest allocations of a visit, and the I/Os that it recorded. The allocator counts for the whole process, and the thread
/// that started this test has work of its own.
fn fewest(bench: &mut LoopCost, batches: u32) -> (u64, u64) {
    (0..VISITS).map(|_| visit(bench, batches)).min().unwrap()
}

/// Allocations of one visit, and the I/Os that it recorded.
fn visit(bench: &mut LoopCost, batches: u32) -> (u64, u64) {
    let before = dhat::HeapStats::get().total_blocks;
    let done = bench.run(batches).unwrap();
    let blocks = dhat::HeapStats::get().total_blocks - before;
    (blocks, done.tallies.values().map(ClassTally::completed).sum())
}

#[test]
fn ten_times_the_load_takes_no_more_allocations() {
    let _profiler = dhat::Profiler::builder().testing().build();
    for outstanding in [1, 32, 1000] {
        takes_no_more(LoopCost::new(outstanding).unwrap(), outstanding);
    }
    // Blocks that are written, checked and found wrong.
    for outstanding in [1, 32] {
        takes_no_more(LoopCost::verified(outstanding).unwrap(), outstanding);
    }
}

fn takes_no_more(mut bench: LoopCost, outstanding: u16) {
    let (few, fewer_ios) = fewest(&mut bench, 50);
    let (many, more_ios) = fewest(&mut bench, 500);
    assert!(fewer_ios > 0 && more_ios >= 9 * fewer_ios, "{fewer_ios} {more_ios}");
    assert!(few > 0, "the allocator counts");
    assert_eq!(few, many, "{outstanding} outstanding: {more_ios} I/Os instead of {fewer_ios}");
}
