use super::*;
use crate::job::{Job, JobState, Task, WorkResult};
use crate::worker::Worker;
use crate::worker::tests::{layout, measure, workload};
use rigel_core::guard::scratch::{self, Stamps, write_stamps};
use rigel_core::load::class::{Class, Pattern};
use rigel_core::load::matrix::Point;
use rigel_core::measure::Window;
use rigel_core::units::NS_PER_MS;
use rigel_io::backend::{Completion, Op, SlotLayout};
use rigel_io::clock::Clock;
use std::cell::Cell;
use std::io;
use std::rc::Rc;

const FILL: u64 = 99;

/// What a read brings.
#[derive(Clone, Copy)]
enum ReadContents {
    Zeros,
    /// The stamps of a scratch file with this seed, this many bytes further on.
    Stamps {
        seed: u64,
        shift: u64,
    },
    /// Nothing, and nobody may look at it.
    Nothing,
    /// An error.
    Failure,
}

/// Completes everything at the next submit, 1 ms later.
struct Fake {
    brings: ReadContents,
    layout: SlotLayout,
    now_ns: Rc<Cell<u64>>,
    buffers: Vec<Vec<u8>>,
    queued: Vec<Op>,
    looks: Cell<u64>,
}

struct FakeClock(Rc<Cell<u64>>);

impl Clock for FakeClock {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}

impl Backend for Fake {
    fn slots(&self) -> u16 {
        self.layout.slots()
    }
    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        &mut self.buffers[usize::from(slot)]
    }
    fn buffer(&self, slot: u16) -> &[u8] {
        assert!(!self.queued.iter().any(|op| op.slot == slot), "slot {slot} is in flight");
        assert!(self.moves_data());
        self.looks.set(self.looks.get() + 1);
        &self.buffers[usize::from(slot)]
    }
    fn moves_data(&self) -> bool {
        !matches!(self.brings, ReadContents::Nothing)
    }
    fn push(&mut self, op: Op) {
        self.queued.push(op);
    }
    fn submit(&mut self, _wait_for: u16) -> io::Result<()> {
        self.now_ns.set(self.now_ns.get() + NS_PER_MS);
        Ok(())
    }
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for op in std::mem::take(&mut self.queued) {
            let buffer = &mut self.buffers[usize::from(op.slot)];
            match self.brings {
                _ if op.direction == Direction::Write => {}
                ReadContents::Zeros => buffer.fill(0),
                ReadContents::Stamps { seed, shift } => write_stamps(seed, op.offset + shift, buffer),
                ReadContents::Nothing | ReadContents::Failure => {}
            }
            let outcome = if matches!(self.brings, ReadContents::Failure) { Err(5) } else { Ok(op.len) };
            sink(Completion { slot: op.slot, outcome });
        }
    }
}

/// A second of a point with 1 ms per I/O, on two scratch files.
fn run(brings: ReadContents, point: Point, write_percent: u8, job: impl Fn(Point) -> Job) -> WorkResult {
    let mut workload = workload(Pattern::Random, write_percent);
    workload.stamps = vec![Some(Stamps::new(FILL, workload.seed, false)); 2];
    let layout = layout(point, &workload);
    let now_ns = Rc::new(Cell::new(0));
    let buffers = (0..layout.slots()).map(|slot| vec![0x5a; layout.bytes_of(slot) as usize]).collect();
    let mut fake =
        Fake { brings, layout, now_ns: Rc::clone(&now_ns), buffers, queued: Vec::new(), looks: Cell::new(0) };
    let shared = JobState::of(&workload);
    let worker =
        Worker { index: 0, workers: 1, workload: &workload, layout, shared: &shared, hand_over: &|_| () };
    let done = worker.run(&mut fake, &FakeClock(now_ns), &job(point)).unwrap();
    let told: u64 = done.tallies.values().map(|tally| tally.looked.sampled).sum();
    assert_eq!(fake.looks.get(), told, "nothing is looked at for nothing");
    done
}

fn small_of(done: WorkResult) -> (u64, ReadLook) {
    let small = &done.tallies[&Class::SMALL];
    (small.latencies_after(0).0.count(), small.looked)
}

const RIGHT: ReadContents = ReadContents::Stamps { seed: FILL, shift: 0 };

#[test]
fn of_every_64_reads_one_is_looked_at() {
    for small in [1, 3, 63, 64, 65, 200] {
        for large in [0, 1, 7] {
            let done = run(RIGHT, Point::pair(small, large), 0, measure);
            for tally in done.tallies.into_values() {
                let (reads, looked) = (tally.latencies_after(0).0.count(), tally.looked);
                assert!(reads > 900, "{reads}");
                assert_eq!((looked.zero_blocks, looked.wrong_stamps), (0, 0));
                let whole = reads / 64;
                assert!((whole..=whole + 1).contains(&looked.sampled), "{} of {reads}", looked.sampled);
            }
        }
    }
}

#[test]
fn the_first_read_of_the_window_is_looked_at_and_none_before_or_after() {
    let window = Window { start_ns: 10 * NS_PER_MS, end_ns: 11 * NS_PER_MS };
    let one = |point| Job {
        visit: 0,
        began_ns: 0,
        point,
        task: Task::Measure { window, lead_ns: 0, part_ns: u64::MAX },
        shape: None,
    };
    let (reads, looked) = small_of(run(RIGHT, Point::pair(1, 0), 0, one));
    assert_eq!((reads, looked.sampled), (1, 1));
    // Early completions are seen, and do not count.
    let never = |point| {
        let window = Window { start_ns: 10 * NS_PER_MS, end_ns: 10 * NS_PER_MS };
        Job { task: Task::Measure { window, lead_ns: 10 * NS_PER_MS, part_ns: u64::MAX }, ..one(point) }
    };
    assert_eq!(small_of(run(RIGHT, Point::pair(5, 0), 0, never)), (0, ReadLook::default()));
}

#[test]
fn zeros_and_wrong_stamps_are_told_apart() {
    let point = Point::pair(8, 0);
    let (_, looked) = small_of(run(ReadContents::Zeros, point, 0, measure));
    assert!(looked.sampled > 100);
    assert_eq!((looked.zero_blocks, looked.wrong_stamps), (looked.sampled, 0));
    for wrong in
        [ReadContents::Stamps { seed: FILL, shift: 8192 }, ReadContents::Stamps { seed: FILL + 1, shift: 0 }]
    {
        let (_, looked) = small_of(run(wrong, point, 0, measure));
        assert_eq!((looked.zero_blocks, looked.wrong_stamps), (0, looked.sampled));
    }
}

#[test]
fn writes_failures_and_engines_without_data_are_not_looked_at() {
    let point = Point::pair(8, 0);
    let (reads, looked) = small_of(run(ReadContents::Zeros, point, 70, measure));
    assert!((reads / 64..=reads / 64 + 1).contains(&looked.sampled), "{looked:?} of {reads}");
    for (brings, write_percent) in
        [(ReadContents::Zeros, 100), (ReadContents::Failure, 0), (ReadContents::Nothing, 0)]
    {
        let (_, looked) = small_of(run(brings, point, write_percent, measure));
        assert_eq!(looked, ReadLook::default());
    }
}

#[test]
fn a_warm_up_is_not_looked_at() {
    let warm_up = |point| Job {
        visit: 0,
        began_ns: 0,
        point,
        task: Task::WarmUp { until_ns: u64::MAX, bytes: 8 << 20 },
        shape: None,
    };
    let done = run(ReadContents::Zeros, Point::pair(0, 1), 0, warm_up);
    assert!(done.bytes >= 8 << 20 && done.tallies.is_empty());
}

/// A stream that goes round over targets meets each of them in a look as often as any other.
#[test]
fn no_regular_round_hides_from_the_looks() {
    for round in [2, 3, 8, 24, 64, 100] {
        let mut turn = Turn { due: 1, place: 0 };
        let mut generator = Generator::new(5, &[]);
        let mut met = vec![0u32; round];
        let mut read = 0;
        let looks = 200 * round;
        for _ in 0..looks {
            read += usize::try_from(turn.due).unwrap();
            met[(read - 1) % round] += 1;
            turn.advance(&mut generator);
        }
        assert_eq!(read.div_ceil(64), looks, "one look in each group");
        assert!(met.iter().all(|met| (100..400).contains(met)), "rounds of {round}: {met:?}");
    }
}

/// The stamps of a file are what the load itself writes.
#[test]
fn what_the_run_wrote_itself_is_right() {
    let run_seed = workload(Pattern::Random, 0).seed;
    let (_, looked) =
        small_of(run(ReadContents::Stamps { seed: run_seed, shift: 0 }, Point::pair(8, 0), 0, measure));
    assert_eq!((looked.zero_blocks, looked.wrong_stamps), (0, 0));
    let mut block = vec![0; scratch::BLOCK_BYTES];
    write_stamps(run_seed, 4096, &mut block);
    assert_eq!(scratch::stamp(&block), Some((4096, run_seed)));
}
