//! Each writer has one write outstanding. When it is acknowledged, the listener is told, and only then does the next one begin. So a write that is
//! seen on the target proves that all earlier ones of the same writer were acknowledged.

use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineKind;
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use rigel_io::backend::{Backend, Op, SlotLayout};
use rigel_io::clock::{Clock as _, MonotonicClock};
use rigel_io::targets::OpenTargets;
use rigel_uses::durability::{Ack, BLOCK_BYTES, EarlierContents, Rings, fingerprint, label_of};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// How long I/Os in flight at the end may take, by default and if the user ends the run.
const LAST_WAIT_NS: u64 = 30_000_000_000;
const SHORT_WAIT_NS: u64 = 5_000_000_000;

/// What to write, and how.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The layout of the writes.
    pub rings: &'a Rings,
    /// The target, open with a permit.
    pub targets: Arc<OpenTargets>,
    /// The engine that writes.
    pub engine: EngineKind,
    /// When a write counts as durable.
    pub sync: Sync,
    /// For how long, in nanoseconds.
    pub for_ns: u64,
    /// Set when the user wants to end it.
    pub stop: &'a AtomicBool,
}

/// Receives the progress.
pub trait Listener {
    /// The original contents of the target, before any write.
    ///
    /// # Errors
    /// When they cannot be passed on; nothing is written.
    fn begins(&mut self, before: EarlierContents) -> Result<(), Problem>;

    /// These writes were acknowledged; the next ones of their writers begin when this returns.
    ///
    /// # Errors
    /// When it cannot be passed on; the run ends.
    fn acknowledged(&mut self, acks: &[Ack]) -> Result<(), Problem>;

    /// This many writes were acknowledged in this many nanoseconds.
    fn progress(&mut self, elapsed_ns: u64, acknowledged: u64);
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterEnd {
    /// Writes that were acknowledged.
    pub acknowledged: u64,
    /// The user ended it.
    pub stopped: bool,
}

/// Writes until the time is over or the user ends it. On success, nothing is in flight.
///
/// # Errors
/// When a write fails or hangs, the queue breaks, or nothing receives the acknowledgements any longer.
pub fn write(job: &Job<'_>, listener: &mut dyn Listener) -> Result<WriterEnd, Problem> {
    let shape = job.rings.shape();
    let bytes = u32::try_from(shape.block_bytes).unwrap_or(u32::MAX);
    let layout = SlotLayout::of(&[(shape.writers, bytes)]);
    let targets = Arc::clone(&job.targets);
    match job.engine {
        EngineKind::IoUring => {
            let (backend, ..) = rigel_io::uring::Uring::new(targets, layout, job.rings.seed(), false)?;
            Writers::new(job, backend).run(listener)
        }
        EngineKind::Libaio => {
            let (backend, ..) = rigel_io::aio::Aio::new(targets, layout, job.rings.seed())?;
            Writers::new(job, backend).run(listener)
        }
        _ => {
            let (backend, ..) = rigel_io::threads::Threads::new(targets, layout, job.rings.seed())?;
            Writers::new(job, backend).run(listener)
        }
    }
}

struct Writers<'a, B> {
    job: &'a Job<'a>,
    backend: B,
    /// For each writer: the number of the write in flight, or of the next one.
    next: Vec<u64>,
    in_flight: u16,
    acknowledged: u64,
    clock: MonotonicClock,
}

impl<'a, B: Backend> Writers<'a, B> {
    fn new(job: &'a Job<'a>, backend: B) -> Self {
        let next = vec![0; job.rings.shape().writers.into()];
        Self { job, backend, next, in_flight: 0, acknowledged: 0, clock: MonotonicClock::start() }
    }

    fn run(mut self, listener: &mut dyn Listener) -> Result<WriterEnd, Problem> {
        let before = self.before()?;
        listener.begins(before)?;
        self.label()?;
        self.clock = MonotonicClock::start();
        (0..self.job.rings.shape().writers).for_each(|writer| self.begin(writer));
        if let Err(problem) = self.rounds(listener) {
            // What is acknowledged now is not told any more; a check finds it by what is there.
            self.drain();
            return Err(problem);
        }
        Ok(WriterEnd { acknowledged: self.acknowledged, stopped: self.is_stopped() })
    }

    fn is_stopped(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed)
    }

    /// Writes until it is to end and nothing is in flight.
    fn rounds(&mut self, listener: &mut dyn Listener) -> Result<(), Problem> {
        let mut acks = Vec::with_capacity(self.next.len());
        let mut over_ns = None;
        while self.in_flight > 0 {
            let failed = self.wait(&mut acks)?;
            if !acks.is_empty() {
                self.acknowledged += acks.len() as u64;
                listener.acknowledged(&acks)?;
            }
            failed.map_or(Ok(()), Err)?;
            let elapsed_ns = self.clock.now_ns();
            listener.progress(elapsed_ns, self.acknowledged);
            if !self.is_stopped() && elapsed_ns < self.job.for_ns {
                acks.iter().for_each(|ack| self.begin(ack.writer));
                continue;
            }
            if self.is_late(elapsed_ns - *over_ns.get_or_insert(elapsed_ns)) {
                return Err(self.hangs());
            }
        }
        Ok(())
    }

    /// Whether I/Os in flight at the end are no longer worth waiting for.
    fn is_late(&self, waited_ns: u64) -> bool {
        waited_ns > if self.is_stopped() { SHORT_WAIT_NS } else { LAST_WAIT_NS }
    }

    fn hangs(&mut self) -> Problem {
        self.give_up();
        let kind = if self.is_stopped() { ExitKind::CutShort } else { ExitKind::Refused };
        Problem::new(kind, "the run ended with hung writes")
            .because("the storage no longer responds")
            .next(AFTER_A_CUT)
    }

    fn give_up(&mut self) {
        self.backend.cancel();
        self.backend.abandon();
        self.in_flight = 0;
    }

    /// Begins the next write of a writer.
    fn begin(&mut self, writer: u16) {
        let (offset, generation) = self.job.rings.place(writer, self.next[usize::from(writer)]);
        let len = self.job.rings.shape().block_bytes;
        let bytes = &mut self.backend.buffer_mut(writer)[..usize::try_from(len).unwrap_or(usize::MAX)];
        self.job.rings.fill(offset, generation, bytes);
        self.push(Op { slot: writer, direction: Direction::Write, sync: self.job.sync, ..read(offset, len) });
    }

    fn push(&mut self, op: Op) {
        self.in_flight += 1;
        self.backend.push(op);
    }

    /// Waits for writes, about a second at most. The first that failed is returned.
    fn wait(&mut self, acks: &mut Vec<Ack>) -> Result<Option<Problem>, Problem> {
        acks.clear();
        self.backend.submit(1).map_err(|error| queue_broke(&error))?;
        let at_us = self.clock.now_ns() / 1000;
        let (rings, next, in_flight) = (self.job.rings, &mut self.next, &mut self.in_flight);
        let mut failed = None;
        self.backend.reap(|done| {
            *in_flight -= 1;
            let writer = done.slot;
            let (offset, generation) = rings.place(writer, next[usize::from(writer)]);
            match done.outcome {
                Ok(bytes) if u64::from(bytes) == rings.shape().block_bytes => {
                    next[usize::from(writer)] += 1;
                    acks.push(Ack { writer, offset, generation, at_us });
                }
                outcome => failed = failed.take().or_else(|| Some(not_written(offset, outcome))),
            }
        });
        Ok(failed)
    }

    /// Waits for what is still in flight.
    fn drain(&mut self) {
        let began_ns = self.clock.now_ns();
        let mut acks = Vec::new();
        while self.in_flight > 0 {
            if self.is_late(self.clock.now_ns() - began_ns) || self.wait(&mut acks).is_err() {
                self.give_up();
            }
        }
    }

    /// The contents of the target before anything is written.
    fn before(&mut self) -> Result<EarlierContents, Problem> {
        let label = self.one(read(0, BLOCK_BYTES)).map(label_of)?;
        let offsets: Vec<u64> = EarlierContents::offsets(self.job.rings.shape().region_bytes).collect();
        let mut sample = |at| self.one(read(at, BLOCK_BYTES)).map(fingerprint);
        let samples = offsets.into_iter().map(&mut sample).collect::<Result<_, _>>()?;
        Ok(EarlierContents { label, samples })
    }

    /// Writes the label and waits until it is durable.
    fn label(&mut self) -> Result<(), Problem> {
        let len = self.job.rings.shape().block_bytes;
        let bytes = &mut self.backend.buffer_mut(0)[..usize::try_from(len).unwrap_or(usize::MAX)];
        self.job.rings.label(bytes);
        self.one(Op { direction: Direction::Write, sync: self.job.sync, ..read(0, len) }).map(drop)
    }

    /// One I/O with nothing else in flight.
    fn one(&mut self, op: Op) -> Result<&[u8], Problem> {
        self.push(op);
        let mut outcome = None;
        while outcome.is_none() {
            if self.is_stopped() {
                self.drain();
                return Err(Problem::new(ExitKind::CutShort, "the run ended before its first write")
                    .because("stopped by the user")
                    .next("nothing was acknowledged; start again"));
            }
            self.backend.submit(1).map_err(|error| queue_broke(&error))?;
            self.backend.reap(|done| outcome = Some(done.outcome));
        }
        self.in_flight -= 1;
        match outcome {
            Some(Ok(bytes)) if bytes == op.len => Ok(&self.backend.buffer(op.slot)[..op.len as usize]),
            Some(outcome) if op.direction == Direction::Write => Err(not_written(op.offset, outcome)),
            outcome => Err(failed("read", op.offset, outcome.unwrap_or(Ok(0)))
                .next("check the kernel log (dmesg); a target that cannot be read cannot be checked")),
        }
    }
}

/// A read by the first slot.
fn read(offset: u64, len: u64) -> Op {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    Op { slot: 0, target: 0, direction: Direction::Read, offset, len, sync: Sync::None }
}

const AFTER_A_CUT: &str = "if you cut its power, run `rigel durability check` once it is back; otherwise check the kernel log (dmesg)";

fn not_written(offset: u64, outcome: Result<u32, i32>) -> Problem {
    failed("written", offset, outcome).next(AFTER_A_CUT)
}

fn failed(done: &str, offset: u64, outcome: Result<u32, i32>) -> Problem {
    let because = match outcome {
        Ok(bytes) => format!("only {bytes} bytes were moved"),
        Err(errno) => io::Error::from_raw_os_error(errno).to_string(),
    };
    Problem::refused(format!("the target cannot be {done} at byte {offset}")).because(because)
}

fn queue_broke(error: &io::Error) -> Problem {
    Problem::new(ExitKind::CutShort, format!("the I/O queue failed: {error}"))
        .because("the kernel refused to submit or to wait")
        .next("start again; what was acknowledged can be checked")
}
