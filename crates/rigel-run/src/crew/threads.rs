//! A thread and a backend per worker.
//!
//! A backend is made inside the thread that uses it, because an io_uring with a single issuer belongs to its thread.
//! Jobs go in and results come out over channels; while a job runs the coordinator only looks at shared counters.

use super::{Crew, Progress};
use crate::job::{Done, Job, Shared, Workload};
use crate::worker::Worker;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::Changes;
use rigel_core::facts::engine::{Backing, BufferFacts, EngineFacts, EngineKind};
use rigel_core::load::placement::ranges;
use rigel_core::units::NS_PER_MS;
use rigel_io::backend::{Backend, SlotLayout};
use rigel_io::clock::{Clock, MonotonicClock};
use rigel_io::cpus;
use rigel_io::engine::EngineChoice;
use rigel_io::host::io_limits;
use rigel_io::targets::OpenTargets;
use rigel_io::uring::{NopRing, NvmeRing, Uring};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often the coordinator looks.
const TICK: Duration = Duration::from_millis(100);
/// An early end is set this far in the future, so that every worker sees it in time.
const EARLY_END_NS: u64 = 50 * NS_PER_MS;

/// What a worker needs beyond the limit of an I/O until it must have told.
const GRACE: Duration = Duration::from_secs(10);

/// Workers in threads of their own, on a real clock.
#[derive(Debug)]
pub struct ThreadCrew {
    clock: MonotonicClock,
    shared: Arc<Shared>,
    workers: Vec<Member>,
    results: Receiver<Result<Done, Problem>>,
    engine: EngineFacts,
    buffers: BufferFacts,
    /// If nothing comes back for so long, a worker hangs in a call and cannot check its I/Os.
    patience: Duration,
    stuck: bool,
    /// What lies under the load; `None` where no storage does.
    ground: Option<Arc<OpenTargets>>,
}

#[derive(Debug)]
struct Member {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// Where a worker works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Its slots.
    pub layout: SlotLayout,
    /// The CPUs that it may run on; empty: any.
    pub cpus: Vec<u32>,
}

/// What a worker needs to begin; one copy per worker.
struct Start {
    index: u32,
    workers: u32,
    seat: Seat,
    /// For the user, when the seat could not be taken as it was meant.
    note: Option<String>,
    workload: Arc<Workload>,
    shared: Arc<Shared>,
    clock: MonotonicClock,
    jobs: Receiver<Job>,
    results: Sender<Result<Done, Problem>>,
    ready: Sender<Result<(EngineFacts, BufferFacts), Problem>>,
}

impl ThreadCrew {
    /// Starts a worker per seat with the chosen engine on open targets. The time of the run is `now_ns` at that
    /// moment; 0 but for one that goes on.
    ///
    /// # Errors
    /// When a worker's engine cannot be set up; no worker is left then.
    pub fn start(
        choice: EngineChoice,
        seats: &[Seat],
        workload: Workload,
        targets: Arc<OpenTargets>,
        now_ns: u64,
    ) -> Result<Self, Problem> {
        let EngineChoice { kind, poll, reason } = choice;
        let ground = (!kind.is_without_storage()).then(|| Arc::clone(&targets));
        let begin = move |start| begin(kind, poll, &targets, start);
        let clock = MonotonicClock::at(now_ns);
        let mut crew = Self::start_with(kind, reason, seats, workload, clock, begin)?;
        crew.ground = ground;
        Ok(crew)
    }

    /// The same with any way to make a backend in the worker's thread.
    fn start_with(
        kind: EngineKind,
        reason: Option<String>,
        seats: &[Seat],
        workload: Workload,
        clock: MonotonicClock,
        begin: impl Fn(Start) + Clone + Send + 'static,
    ) -> Result<Self, Problem> {
        let (results_in, results) = mpsc::channel();
        let (ready_in, ready) = mpsc::channel();
        let workload = Arc::new(workload);
        // Made first: whatever fails from here on, dropping it ends the workers that were started.
        let mut crew = Self {
            clock,
            shared: Arc::new(Shared::default()),
            workers: Vec::with_capacity(seats.len()),
            results,
            patience: Duration::from_nanos(workload.io_timeout_ns).saturating_add(GRACE),
            stuck: false,
            ground: None,
            engine: EngineFacts { reason, ..EngineFacts::plain(kind) },
            buffers: BufferFacts {
                backing: Backing::None,
                bytes: 0,
                large_segments_max: None,
                large_segments_mean: None,
            },
        };
        for (index, seat) in (0u32..).zip(seats) {
            let (jobs_in, jobs) = mpsc::channel();
            let start = Start {
                index,
                workers: u32::try_from(seats.len()).unwrap_or(u32::MAX),
                seat: seat.clone(),
                note: None,
                workload: Arc::clone(&workload),
                shared: Arc::clone(&crew.shared),
                clock: crew.clock,
                jobs,
                results: results_in.clone(),
                ready: ready_in.clone(),
            };
            let begin = begin.clone();
            let thread = thread::Builder::new()
                .name(format!("rigel-worker-{index}"))
                .spawn(move || begin(start))
                .map_err(|error| Problem::refused(format!("a worker thread cannot be started: {error}")))?;
            crew.workers.push(Member { jobs: Some(jobs_in), thread: Some(thread) });
        }
        drop((ready_in, results_in));
        let facts = ready.iter().collect::<Result<Vec<_>, _>>()?;
        if facts.len() < seats.len() {
            return Err(worker_died());
        }
        let (engine, buffers) = combine(facts).ok_or_else(worker_died)?;
        let cpus = cpus_of_workers(seats);
        crew.engine = EngineFacts { reason: crew.engine.reason.take(), cpus, ..engine };
        crew.buffers = buffers;
        Ok(crew)
    }
}

/// One CPU for each worker, when each has just one.
fn cpus_of_workers(seats: &[Seat]) -> Vec<u32> {
    let single = |seat: &Seat| <[u32; 1]>::try_from(seat.cpus.as_slice()).ok().map(|[cpu]| cpu);
    seats.iter().map(single).collect::<Option<_>>().unwrap_or_default()
}

/// The engine of any worker, and the buffers of all.
fn combine(facts: Vec<(EngineFacts, BufferFacts)>) -> Option<(EngineFacts, BufferFacts)> {
    facts.into_iter().reduce(|(engine, mut sum), (other, buffers)| {
        let mut engine = engine;
        for note in other.notes {
            if !engine.notes.contains(&note) {
                engine.notes.push(note);
            }
        }
        engine.registered_buffers &= other.registered_buffers;
        if buffers.backing != sum.backing {
            sum.backing = Backing::Normal;
        }
        sum.bytes += buffers.bytes;
        sum.large_segments_max = sum.large_segments_max.max(buffers.large_segments_max);
        sum.large_segments_mean = match (sum.large_segments_mean, buffers.large_segments_mean) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (one, other) => one.or(other),
        };
        (engine, sum)
    })
}

fn queue_broke(worker: u32, error: &io::Error) -> Problem {
    Problem::new(ExitKind::CutShort, format!("the I/O queue of worker {worker} broke: {error}"))
        .because("the kernel refused to submit or to wait")
        .next("try another engine with --engine")
}

/// How long no worker has seen anything come back. In looks, not on the clock: a program that is stopped and goes
/// on later does not look.
#[derive(Clone, Copy)]
struct Silence {
    ops: (u64, u64),
    looks: u32,
}

impl Silence {
    const fn of(now: Progress) -> Self {
        Self { ops: (now.small_ops, now.large_ops), looks: 0 }
    }

    /// Another look, a tick after the last one.
    fn look(&mut self, now: Progress) -> Duration {
        let before = *self;
        *self = Self::of(now);
        if before.ops == self.ops {
            self.looks = before.looks.saturating_add(1);
        }
        TICK.saturating_mul(self.looks)
    }
}

fn no_answer(silent: Duration) -> Problem {
    let seconds = silent.as_secs();
    Problem::new(
        ExitKind::CutShort,
        format!("no I/O came back for {seconds} s, and a worker hangs in the kernel"),
    )
    .because("the device, its path or its server does not answer")
    .next("look into the kernel's log (dmesg) for the device; --io-timeout says how long an I/O may take")
}

fn worker_died() -> Problem {
    Problem::new(ExitKind::Bug, "a worker thread ended unexpectedly")
        .next("please report this with the command line")
}

/// Without storage nothing is written, so every target that the load may name counts as writable.
static ALL_WRITABLE: [bool; u16::MAX as usize] = [true; u16::MAX as usize];

/// Makes the backend in this thread, bound to its CPUs so that its memory is near them, and works until there are
/// no more jobs.
fn begin(kind: EngineKind, poll: bool, targets: &Arc<OpenTargets>, mut start: Start) {
    start.note = bind(start.index, &start.seat.cpus).err();
    let (targets, layout, seed) = (Arc::clone(targets), start.seat.layout, start.workload.seed);
    // Every worker's buffers hold other random data.
    let seed = seed ^ (u64::from(start.index) << 48);
    match kind {
        EngineKind::IoUring => serve(Uring::new(targets, layout, seed, poll), start),
        EngineKind::Nvme => serve(NvmeRing::passthrough(targets, layout, seed, poll), start),
        EngineKind::Libaio => serve(rigel_io::aio::Aio::new(targets, layout, seed), start),
        EngineKind::Threads => serve(rigel_io::threads::Threads::new(targets, layout, seed), start),
        EngineKind::Null => serve(rigel_io::null::Null::new(&ALL_WRITABLE, layout, seed), start),
        EngineKind::Nop => serve(NopRing::nops(&ALL_WRITABLE, layout, seed), start),
        EngineKind::Sim => {
            let problem = Problem::new(ExitKind::Bug, "a simulated device has no threads");
            // The coordinator may be gone already; then nobody needs the message.
            let _ = start.ready.send(Err(problem));
        }
    }
}

fn bind(worker: u32, numbers: &[u32]) -> Result<(), String> {
    if numbers.is_empty() {
        return Ok(());
    }
    let told = |error| format!("worker {worker} could not be bound to CPU {}: {error}", ranges(numbers));
    cpus::bind(numbers).map_err(told)
}

fn serve<B: Backend>(made: Result<(B, EngineFacts, BufferFacts), Problem>, start: Start) {
    let Start { index, workers, seat, note, workload, shared, clock, jobs, results, ready } = start;
    let mut backend = match made {
        Ok((backend, mut engine, buffers)) => {
            engine.notes.extend(note);
            let _ = ready.send(Ok((engine, buffers)));
            backend
        }
        Err(problem) => {
            let _ = ready.send(Err(problem));
            return;
        }
    };
    drop(ready);
    let worker = Worker { index, workers, workload: &workload, layout: seat.layout, shared: &shared };
    for job in jobs {
        // A bug here must not leave the coordinator waiting for a result that never comes; the panic hook has told it.
        let ran = panic::catch_unwind(AssertUnwindSafe(|| worker.run(&mut backend, &clock, &job)));
        let done = match ran {
            Ok(done) => done.map_err(|error| queue_broke(index, &error)),
            Err(_) => Err(worker_died()),
        };
        let broken = done.as_ref().map_or(true, |done| done.hung.is_some());
        if results.send(done).is_err() || broken {
            return;
        }
    }
}

impl Crew for ThreadCrew {
    fn engine(&self) -> &EngineFacts {
        &self.engine
    }

    fn buffers(&self) -> &BufferFacts {
        &self.buffers
    }

    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn has_to_relive(&self) -> bool {
        false
    }

    fn catch_up(&mut self, _now_ns: u64) {}

    fn clock(&self) -> Option<MonotonicClock> {
        Some(self.clock)
    }

    fn changes(&self, io_max: &[String]) -> Changes {
        let Some(targets) = &self.ground else { return Changes::default() };
        Changes { targets: targets.changes(), io_max: Some(io_limits()).filter(|now| now != io_max) }
    }

    fn work(&mut self, job: Job, tick: &mut dyn FnMut(Progress) -> bool) -> Result<Done, Problem> {
        self.shared.end_at_ns.store(u64::MAX, Ordering::Relaxed);
        for worker in &self.workers {
            let sent = worker.jobs.as_ref().map(|jobs| jobs.send(job));
            sent.and_then(Result::ok).ok_or_else(worker_died)?;
        }
        let mut sum = Done::default();
        let mut waiting = self.workers.len();
        let mut ending = false;
        let mut silence = Silence::of(self.progress());
        while waiting > 0 {
            match self.results.recv_timeout(TICK) {
                Ok(Ok(done)) => {
                    if done.hung.is_some() {
                        self.shared.end_at_ns.store(self.now_ns() + EARLY_END_NS, Ordering::Relaxed);
                    }
                    sum.add(done);
                    waiting -= 1;
                }
                // The others need not finish a point that cannot be whole any more.
                Ok(Err(problem)) => {
                    self.shared.end_at_ns.store(0, Ordering::Relaxed);
                    return Err(problem);
                }
                Err(RecvTimeoutError::Timeout) => {
                    let silent = silence.look(self.progress());
                    if silent > self.patience {
                        self.stuck = true;
                        return Err(no_answer(silent));
                    }
                    if !tick(self.progress()) && !ending {
                        ending = true;
                        self.shared.end_at_ns.store(self.now_ns() + EARLY_END_NS, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Err(worker_died()),
            }
        }
        Ok(sum)
    }

    fn rest(&mut self, ns: u64, tick: &mut dyn FnMut(Progress) -> bool) {
        let end_ns = self.now_ns().saturating_add(ns);
        loop {
            let left_ns = end_ns.saturating_sub(self.now_ns());
            if left_ns == 0 || !tick(self.progress()) {
                return;
            }
            thread::sleep(TICK.min(Duration::from_nanos(left_ns)));
        }
    }
}

impl ThreadCrew {
    fn progress(&self) -> Progress {
        Progress {
            now_ns: self.now_ns(),
            small_ops: self.shared.small_ops.load(Ordering::Relaxed),
            large_ops: self.shared.large_ops.load(Ordering::Relaxed),
        }
    }
}

impl Drop for ThreadCrew {
    /// Ends the workers and waits for them, so that no I/O is in flight when the targets are closed; not for one
    /// that hangs in the kernel.
    fn drop(&mut self) {
        self.shared.end_at_ns.store(0, Ordering::Relaxed);
        for worker in &mut self.workers {
            worker.jobs = None;
        }
        if self.stuck {
            return;
        }
        for worker in &mut self.workers {
            if let Some(thread) = worker.thread.take() {
                // A worker that panicked has told so already.
                let _ = thread.join();
            }
        }
    }
}

#[cfg(test)]
mod tests;
