//! A device that fails its n-th I/O, for every n of a run: how the run ends, whether the counts add up, and whether it can be resumed.

use super::resume::left_of;
use super::*;
use crate::bench::simulated::{SimulatedBench, VisitAware, site};
use rigel_core::facts::ScratchFacts;
use rigel_core::guard::scratch;
use rigel_core::load::class::Class;
use rigel_core::load::workload::WritePercent;
use rigel_core::measure::ClassTally;
use rigel_core::record::Visit;
use rigel_io::backend::{Backend, Completion, Op, SlotLayout};
use rigel_io::clock::Clock as _;
use rigel_io::sim::{Sim, SimClock};
use std::cell::RefCell;
use std::io;
use std::rc::Rc;

const EIO: i32 = 5;
const EAGAIN: i32 = 11;
const ENOSPC: i32 = 28;
const ECANCELED: i32 = 125;
const FILL_SEED: u64 = 77;

/// What becomes of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Errno(i32),
    Short,
    WrongData,
    /// It does not come back, unless it is asked for and `gives_back`.
    Never {
        gives_back: bool,
    },
    /// The queue breaks instead of taking it.
    QueueBreaks,
}

/// Which I/Os that happens to.
#[derive(Clone, Copy, Debug)]
struct Failure {
    /// From 1, in the order of submission.
    nth: u64,
    /// That one and all after it.
    lasting: bool,
    fate: Fate,
}

impl Failure {
    const fn hits(&self, number: u64) -> bool {
        if self.lasting { number >= self.nth } else { number == self.nth }
    }
}

/// What the device knows of its I/Os.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counts {
    pushed: u64,
    well: u64,
    well_bytes: u64,
    failed: u64,
    wrong: u64,
    kept: u64,
}

/// A simulated device with data: every read finds the fill of a scratch file, or the stamps that were written.
struct FaultyDevice {
    inner: Sim,
    clock: SimClock,
    failure: Failure,
    counts: Rc<RefCell<Counts>>,
    buffers: Vec<Vec<u8>>,
    /// By slot: the number of the I/O and itself.
    ops: Vec<Option<(u64, Op)>>,
    in_device: usize,
    kept: Vec<u16>,
    given_back: Vec<u16>,
}

impl FaultyDevice {
    fn new(
        law: SimLaw,
        layout: SlotLayout,
        seed: u64,
        failure: Failure,
        counts: Rc<RefCell<Counts>>,
    ) -> Self {
        let (inner, clock) = Sim::new(law, layout, seed);
        let buffer = |slot| vec![0; usize::try_from(layout.bytes_of(slot)).unwrap()];
        Self {
            buffers: (0..layout.slots()).map(buffer).collect(),
            ops: vec![None; usize::from(layout.slots())],
            inner,
            clock,
            failure,
            counts,
            in_device: 0,
            kept: Vec::new(),
            given_back: Vec::new(),
        }
    }

    /// What the device does with an I/O that is done.
    fn judged(&mut self, Completion { slot, outcome }: Completion) -> Option<Completion> {
        self.in_device -= 1;
        let (number, op) = self.ops[usize::from(slot)].take().unwrap();
        let mut counts = self.counts.borrow_mut();
        let outcome = match self.failure.fate {
            _ if !self.failure.hits(number) => outcome,
            Fate::Errno(errno) => Err(errno),
            Fate::Short => outcome.map(|moved| moved / 2),
            Fate::WrongData => {
                counts.wrong += 1;
                outcome
            }
            Fate::Never { .. } => {
                counts.kept += 1;
                self.kept.push(slot);
                return None;
            }
            Fate::QueueBreaks => unreachable!("it was never taken"),
        };
        match outcome {
            Ok(moved) if moved == op.len => {
                counts.well += 1;
                counts.well_bytes += u64::from(moved);
            }
            _ => counts.failed += 1,
        }
        // Another place's block is what a misdirected read brings.
        let wrong = self.failure.fate == Fate::WrongData && self.failure.hits(number);
        let offset = if wrong { op.offset + (1 << 30) } else { op.offset };
        // What a read is looked at by is the first part of a block.
        for (block, offset) in self.buffers[usize::from(slot)]
            .chunks_mut(scratch::BLOCK_BYTES)
            .zip((offset..).step_by(scratch::BLOCK_BYTES))
        {
            scratch::block(FILL_SEED, offset, block);
        }
        Some(Completion { slot, outcome })
    }
}

impl Backend for FaultyDevice {
    fn slots(&self) -> u16 {
        self.inner.slots()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        &mut self.buffers[usize::from(slot)]
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        &self.buffers[usize::from(slot)]
    }

    fn push(&mut self, op: Op) {
        let mut counts = self.counts.borrow_mut();
        counts.pushed += 1;
        self.ops[usize::from(op.slot)] = Some((counts.pushed, op));
        self.in_device += 1;
        self.inner.push(op);
    }

    fn submit(&mut self, wait_for: u16) -> io::Result<()> {
        let pushed = self.counts.borrow().pushed;
        if self.failure.fate == Fate::QueueBreaks && pushed >= self.failure.nth {
            return Err(io::Error::from_raw_os_error(EIO));
        }
        if self.in_device == 0 && self.given_back.is_empty() {
            // As an engine waits for what does not come: a second, then the caller may look.
            self.clock.advance(1_000_000_000);
            return Ok(());
        }
        self.inner.submit(if self.in_device == 0 { 0 } else { wait_for })
    }

    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        let mut done = Vec::new();
        self.inner.reap(|completion| done.push(completion));
        done.into_iter().filter_map(|completion| self.judged(completion)).for_each(&mut sink);
        for slot in std::mem::take(&mut self.given_back) {
            self.counts.borrow_mut().kept -= 1;
            self.counts.borrow_mut().failed += 1;
            sink(Completion { slot, outcome: Err(ECANCELED) });
        }
    }

    fn cancel(&mut self) {
        if self.failure.fate == (Fate::Never { gives_back: true }) {
            self.given_back = std::mem::take(&mut self.kept);
        }
    }
}

impl VisitAware for FaultyDevice {
    fn begin_visit(&mut self, visit: u64, point: Point) {
        self.inner.begin_visit(visit, point);
    }
}

/// Two stations of 10 ms: some two hundred I/Os in all.
fn slow() -> SimLaw {
    SimLaw { servers: 2, service_ns: 10_000_000, bytes_per_s: None, ..SimLaw::default() }
}

fn small_run() -> Run {
    let mut run = run_of(|request| {
        request.engine = EngineRequest::Sim(slow());
        request.task = Task::advanced(MatrixShape::Row { large: 0 });
        request.set_writes(WritePercent::new(25).unwrap());
        request.set_pace(Pace::Fixed(Nanos::from_millis(100)));
        request.io_timeout = Nanos::from_secs(2);
    });
    run.plan = Plan::new(&run.request, &host(), &scratch_file()).unwrap();
    run
}

fn scratch_file() -> Vec<TargetFacts> {
    let mut targets = targets();
    targets[0].scratch = Some(ScratchFacts { seed: FILL_SEED, used_before: true, own: false, kept: false });
    targets
}

/// What a run on such a device came to.
struct FailureOutcome {
    outcome: Result<Outcome, Problem>,
    bytes: Vec<u8>,
    counts: Counts,
}

/// A device on which all goes well.
const WELL: Failure = Failure { nth: u64::MAX, lasting: false, fate: Fate::Short };

fn run_with(run: &Run, failure: Failure) -> FailureOutcome {
    begin_with(run, new(), failure)
}

fn begin_with(run: &Run, beginning: Beginning, failure: Failure) -> FailureOutcome {
    let targets = scratch_file();
    let workload = Workload::new(&run.request, &targets).unwrap();
    let layout = bench::layout(&run.request, &run.plan, 0);
    let counts = Rc::new(RefCell::new(Counts::default()));
    let backend = FaultyDevice::new(slow(), layout, workload.seed, failure, Rc::clone(&counts));
    let clock = backend.clock.clone();
    let site = site(host(), targets);
    let mut bench = SimulatedBench::with(backend, clock.clone(), false, workload, layout, site);
    let mut lines = Lines::default();
    let outcome = execute(run, beginning, &mut bench, &mut lines, &Stop::default(), &mut |_| {
        assert!(clock.now_ns() < 3_600_000_000_000, "{failure:?}: it would go on for ever");
    });
    FailureOutcome { outcome, bytes: lines.0, counts: counts.take() }
}

fn tallies(record: &Record) -> impl Iterator<Item = &ClassTally> {
    record.visits.iter().flat_map(|visit| visit.tallies.values())
}

/// What holds of every run, however it ended.
fn check(failure: Failure, ended: &FailureOutcome) -> Record {
    let record = Record::read(&ended.bytes).unwrap_or_else(|problem| panic!("{failure:?}: {problem}"));
    let Counts { pushed, well, well_bytes, failed, kept, .. } = ended.counts;
    assert!(record.torn.is_none());
    let findings = Findings::of(&record);
    let Ok(outcome) = &ended.outcome else {
        assert!(record.closing.is_none(), "{failure:?}");
        return record;
    };
    assert_eq!(pushed, well + failed + kept, "{failure:?}: an I/O was lost");
    assert_eq!(record.closing.as_ref().unwrap().complete, *outcome == Outcome::Complete, "{failure:?}");
    let told = outcome.problem("");
    assert_eq!(told.is_some(), *outcome != Outcome::Complete);
    assert!(told.is_none_or(|problem| problem.kind.code() == 4 && problem.next.is_some()));
    // A visit that ended before its window has no line.
    if matches!(outcome, Outcome::Hung { .. }) && record.visits.iter().all(|visit| visit.hung.is_none()) {
        return record;
    }
    assert_eq!(tallies(&record).map(|tally| tally.errors).sum::<u64>(), failed, "{failure:?}");
    assert_eq!(record.visits.iter().map(Visit::moved_bytes).sum::<u64>(), well_bytes, "{failure:?}");
    let counted = record.visits.iter().filter_map(|visit| visit.ios);
    assert_eq!(counted.clone().map(|ios| ios.submitted).sum::<u64>(), pushed, "{failure:?}");
    assert_eq!(counted.clone().map(|ios| ios.returned).sum::<u64>(), well + failed, "{failure:?}");
    assert!(counted.clone().all(|ios| ios.looks > 1));
    assert!(tallies(&record).map(ClassTally::completed).sum::<u64>() <= well);
    for point in &findings.points {
        let visit = &record.visits[point.step];
        let errors = visit.tallies.get(&Class::SMALL).map_or(0, |tally| tally.errors);
        let flagged = |code| point.flags.iter().any(|flag| flag.code == code);
        assert_eq!(flagged(FlagCode::Errors), errors > 0, "{failure:?}");
        assert_eq!(flagged(FlagCode::Hung), visit.hung.is_some(), "{failure:?}");
    }
    record
}

fn every_nth(
    fate: Fate,
    lasting: bool,
    mut each: impl FnMut(&Run, Failure, &FailureOutcome, &Record),
) -> u64 {
    let run = small_run();
    let healthy = run_with(&run, WELL);
    assert_eq!(healthy.outcome.as_ref().unwrap(), &Outcome::Complete);
    let total = healthy.counts.pushed;
    assert!(total > 100, "{total}");
    for nth in 1..=total {
        let failure = Failure { nth, lasting, fate };
        let ended = run_with(&run, failure);
        let record = check(failure, &ended);
        each(&run, failure, &ended, &record);
    }
    println!("{fate:?}, lasting {lasting}: {total} runs");
    total
}

/// What a run that was given up becomes on a device that is well again.
fn gone_on(ended: &FailureOutcome) -> Record {
    let (run, beginning) = left_of(&ended.bytes);
    let run = Run { request: run.request, plan: run.plan, ..small_run() };
    let rest = begin_with(&run, beginning, WELL);
    assert_eq!(rest.outcome.unwrap(), Outcome::Complete);
    Record::read(&[&ended.bytes[..], &rest.bytes[..]].concat()).unwrap()
}

#[test]
fn one_failed_io_is_one_error_and_no_more() {
    for fate in [Fate::Errno(EIO), Fate::Errno(EAGAIN), Fate::Errno(ENOSPC), Fate::Short] {
        every_nth(fate, false, |_, failure, ended, record| {
            // With one outstanding a point can end after the one I/O that failed.
            if let Ok(Outcome::AllFailed { .. }) = ended.outcome {
                assert!(tallies(record).last().unwrap().completed() == 0);
                return;
            }
            assert_eq!(ended.outcome.as_ref().unwrap(), &Outcome::Complete, "{failure:?}");
            assert_eq!(ended.counts.failed, 1);
            let first = tallies(record).find_map(|tally| tally.first_error).unwrap();
            let told = if let Fate::Errno(errno) = fate { errno } else { 0 };
            assert_eq!(first.errno, told);
        });
    }
}

#[test]
fn a_device_that_fails_from_then_on_ends_the_run() {
    for fate in [Fate::Errno(EIO), Fate::Errno(EAGAIN), Fate::Errno(ENOSPC), Fate::Short] {
        let mut given_up = 0_u64;
        let total = every_nth(fate, true, |run, failure, ended, record| match &ended.outcome {
            Ok(Outcome::AllFailed { reason }) => {
                given_up += 1;
                assert!(reason.contains("failed"), "{failure:?}: {reason}");
                let again = gone_on(ended);
                assert_eq!(again.visits.len(), run.plan.steps.len());
            }
            // It began in the last visit, or while that one drained.
            ended => {
                assert_eq!(ended.as_ref().unwrap(), &Outcome::Complete, "{failure:?}");
                assert_eq!(record.visits.len(), run.plan.steps.len());
            }
        });
        assert!(given_up > total / 2, "{given_up} of {total}");
    }
}

#[test]
fn what_does_not_come_back_ends_the_run_and_no_visit_of_it_is_used() {
    let run = small_run();
    let healthy = run_with(&run, WELL);
    let undisturbed = Record::read(&healthy.bytes).unwrap();
    for (gives_back, lasting) in [(false, false), (false, true), (true, false), (true, true)] {
        every_nth(Fate::Never { gives_back }, lasting, |_, failure, ended, record| {
            assert!(matches!(ended.outcome, Ok(Outcome::Hung { .. })), "{failure:?}: {:?}", ended.outcome);
            if let Some(hung) = record.visits.last().and_then(|visit| visit.hung) {
                assert_eq!(hung.taken_back, gives_back, "{failure:?}");
                assert!(hung.age_ns >= 2_000_000_000 && hung.count >= 1);
            }
            let again = gone_on(ended);
            assert_eq!(again.visits, undisturbed.visits, "{failure:?}");
            // The visit is gone from the points; that something hung must not be.
            if record.visits.last().is_some_and(|visit| visit.hung.is_some()) {
                let flags = Findings::of(&again).flags;
                assert!(flags.iter().any(|flag| flag.text.contains("did not complete for")), "{flags:?}");
            }
        });
    }
}

#[test]
fn a_queue_that_breaks_leaves_a_record_to_go_on_with() {
    let run = small_run();
    let healthy = run_with(&run, WELL);
    let undisturbed = Record::read(&healthy.bytes).unwrap();
    every_nth(Fate::QueueBreaks, false, |_, failure, ended, record| {
        assert!(ended.outcome.is_err(), "{failure:?}");
        assert!(record.visits.len() < run.plan.steps.len());
        assert_eq!(gone_on(ended).visits, undisturbed.visits, "{failure:?}");
    });
}

#[test]
fn data_of_another_place_is_seen_where_it_is_looked_at() {
    every_nth(Fate::WrongData, false, |_, failure, ended, record| {
        assert_eq!(ended.outcome.as_ref().unwrap(), &Outcome::Complete);
        let seen = tallies(record).map(|tally| tally.looked.wrong_stamps).sum::<u64>();
        assert!(seen <= ended.counts.wrong, "{failure:?}");
    });
    let run = small_run();
    let all = run_with(&run, Failure { nth: 1, lasting: true, fate: Fate::WrongData });
    let record = check(Failure { nth: 1, lasting: true, fate: Fate::WrongData }, &all);
    for tally in tallies(&record) {
        assert!(
            tally.looked.sampled > 0 && tally.looked.wrong_stamps == tally.looked.sampled,
            "{:?}",
            tally.looked
        );
    }
    let healthy = run_with(&run, WELL);
    assert!(tallies(&Record::read(&healthy.bytes).unwrap()).all(|tally| tally.looked.wrong_stamps == 0));
}
