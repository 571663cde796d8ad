//! A thread and a backend per worker.
//!
//! A backend is made inside the thread that uses it, because an io_uring with a single issuer belongs to its thread.
//! Jobs go in and results come out over channels; while a job runs the coordinator only looks at shared counters, and hands
//! over parts of a window.

mod flusher;
mod governing;
mod joint;
mod waiting;

use super::{Bench, BenchMessage, EarlyEnd, Order, Progress, Site, TICK, VisitResult, rest_in_real_time};
use crate::job::{Job, JobState, Part, Parts, Task, WorkResult, Workload};
use crate::witness::watch;
use crate::worker::{Verifier, Worker};
use flusher::{Flusher, count, needs_flush, unsettled};
use governing::GovernorLoop;
use joint::{combine, cpus_of_workers};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::drive::Drive;
use rigel_core::facts::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::facts::{Changes, HostFacts, TargetFacts};
use rigel_core::load::matrix::Point;
use rigel_core::load::placement::ranges;
use rigel_core::measure::{ClassTally, FirstError};
use rigel_core::record::{Node, NodeVisit, Nodes};
use rigel_core::units::NS_PER_MS;
use rigel_io::backend::{Backend, SlotLayout};
use rigel_io::clock::{Clock, MonotonicClock};
use rigel_io::cpus;
use rigel_io::drives;
use rigel_io::engine::EngineChoice;
use rigel_io::host::io_limits;
use rigel_io::sync::{SyncIo, WaitingBoard};
use rigel_io::targets::OpenTargets;
use rigel_io::uring::{NopRing, NvmeRing, Uring};
use rigel_io::witness::Sampler;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use waiting::{Silence, hung, no_answer};

/// An early end is set this far in the future, so every worker sees it in time.
const EARLY_END_NS: u64 = 50 * NS_PER_MS;

/// Workers beyond that number get smaller stacks, so ten thousand fit into the address space.
const MOST_WITH_FULL_STACKS: usize = 128;
const STACK_BYTES: usize = 512 << 10;
/// The stack of a thread by default.
const FULL_STACK_BYTES: u64 = 2 << 20;

/// The stack of one of this many workers.
pub(super) const fn stack_bytes(workers: usize) -> u64 {
    if workers > MOST_WITH_FULL_STACKS { STACK_BYTES as u64 } else { FULL_STACK_BYTES }
}

/// How long after the limit of an I/O a worker must have reported.
const GRACE: Duration = Duration::from_secs(10);

/// Workers in threads of their own, on a real clock.
#[derive(Debug)]
pub struct ThreadBench {
    clock: MonotonicClock,
    workload: Arc<Workload>,
    shared: Arc<JobState>,
    workers: Vec<Member>,
    results: Receiver<WorkerMessage>,
    site: Site,
    /// `None` when the host has no thread left for it.
    witness: Option<Sampler>,
    /// If nothing completes for this long, some worker hangs where it cannot check its I/Os.
    patience: Duration,
    stuck: bool,
    /// What workers that can do nothing else are waiting for.
    board: WaitingBoard,
    /// Checked after a visit; `None` if no storage is used.
    targets: Option<Arc<OpenTargets>>,
    /// For verified blocks that a run may resume.
    flusher: Option<Flusher>,
    /// Next to production.
    governing: Option<GovernorLoop>,
}

/// The messages of a worker.
#[derive(Debug)]
enum WorkerMessage {
    Done(Result<WorkResult, Problem>),
    /// A part of a window is over.
    Part(Part),
}

/// Where a bench of threads measures.
#[derive(Debug)]
pub struct OpenSite {
    /// The host.
    pub host: HostFacts,
    /// The facts of the targets.
    pub facts: Vec<TargetFacts>,
    /// The targets, open.
    pub targets: Arc<OpenTargets>,
}

#[derive(Debug)]
struct Member {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// The CPUs of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerPlace {
    /// Its slots.
    pub layout: SlotLayout,
    /// The CPUs that it may run on; empty: any.
    pub cpus: Vec<u32>,
}

/// What a worker needs to begin; one copy per worker.
struct Start {
    index: u32,
    workers: u32,
    place: WorkerPlace,
    /// For the user, if the CPUs could not be used as intended.
    note: Option<String>,
    workload: Arc<Workload>,
    shared: Arc<JobState>,
    clock: MonotonicClock,
    jobs: Receiver<Job>,
    results: Sender<WorkerMessage>,
    ready: Sender<Result<(EngineFacts, BufferFacts), Problem>>,
}

impl ThreadBench {
    /// Starts a worker per place with the chosen engine on open targets. `clock` shows the time of the run.
    ///
    /// # Errors
    /// When a worker's engine cannot be set up; no worker is left then.
    pub fn start(
        choice: EngineChoice,
        places: &[WorkerPlace],
        workload: Workload,
        site: OpenSite,
        clock: MonotonicClock,
    ) -> Result<Self, Problem> {
        let EngineChoice { kind, poll, reason, trials } = choice;
        let OpenSite { host, facts, targets } = site;
        let storage = (!kind.is_without_storage()).then(|| Arc::clone(&targets));
        let flusher =
            storage.as_ref().filter(|_| workload.verifies()).map(Arc::clone).and_then(Flusher::start);
        let board = WaitingBoard::default();
        let shown = board.clone();
        let begin = move |start| begin((kind, poll), &targets, &shown, start);
        let engine = EngineFacts { reason, trials, ..EngineFacts::plain(kind) };
        let mut bench = Self::start_with(engine, places, workload, clock, (host, facts), begin)?;
        bench.board = board;
        bench.targets = storage;
        bench.flusher = flusher;
        Ok(bench)
    }

    /// The same with any way to make a backend in the worker's thread.
    fn start_with(
        engine: EngineFacts,
        places: &[WorkerPlace],
        workload: Workload,
        clock: MonotonicClock,
        (host, targets): (HostFacts, Vec<TargetFacts>),
        begin: impl Fn(Start) + Clone + Send + 'static,
    ) -> Result<Self, Problem> {
        let (results_in, results) = mpsc::channel();
        let (ready_in, ready) = mpsc::channel();
        let workload = Arc::new(workload);
        // Made first: whatever fails from here on, dropping it ends the workers that were started.
        let mut bench = Self {
            clock,
            workload: Arc::clone(&workload),
            shared: Arc::new(JobState::of(&workload)),
            workers: Vec::with_capacity(places.len()),
            results,
            patience: Duration::from_nanos(workload.io_timeout_ns).saturating_add(GRACE),
            stuck: false,
            board: WaitingBoard::default(),
            witness: watch(clock, engine.kind, &targets),
            site: Site {
                nodes: Nodes::one(Node { host, engine, buffers: BufferFacts::NONE, member: None }),
                targets,
            },
            targets: None,
            flusher: None,
            governing: workload.beside.map(|(most, _)| GovernorLoop::new(most)),
        };
        for (index, place) in (0u32..).zip(places) {
            let (jobs_in, jobs) = mpsc::channel();
            let start = Start {
                index,
                workers: u32::try_from(places.len()).unwrap_or(u32::MAX),
                place: place.clone(),
                note: None,
                workload: Arc::clone(&workload),
                shared: Arc::clone(&bench.shared),
                clock,
                jobs,
                results: results_in.clone(),
                ready: ready_in.clone(),
            };
            let begin = begin.clone();
            let builder = thread::Builder::new().name(format!("rigel-worker-{index}"));
            let many = places.len() > MOST_WITH_FULL_STACKS;
            let thread = if many { builder.stack_size(STACK_BYTES) } else { builder }
                .spawn(move || begin(start))
                .map_err(|error| no_worker(index, &error))?;
            bench.workers.push(Member { jobs: Some(jobs_in), thread: Some(thread) });
        }
        drop((ready_in, results_in));
        let facts = ready.iter().collect::<Result<Vec<_>, _>>()?;
        if facts.len() < places.len() {
            return Err(worker_died());
        }
        let (engine, buffers) = combine(facts).ok_or_else(worker_died)?;
        let cpus = cpus_of_workers(places);
        let node = bench.site.nodes.first_mut();
        let (reason, trials) = (node.engine.reason.take(), node.engine.trials.take());
        node.engine = EngineFacts { reason, trials, cpus, ..engine };
        node.buffers = buffers;
        Ok(bench)
    }
}

/// How many of the workers have slots at a point.
fn loaded(point: Point, workload: &Workload, workers: usize) -> usize {
    let workers = u32::try_from(workers).unwrap_or(u32::MAX);
    let has_slots = |worker: &u32| {
        let mut classes = workload.classes.iter().enumerate();
        classes.any(|(place, class)| {
            let dealt = class.dealt(point.of(class.name)).saturating_mul(workload.lanes(class));
            let seat = workload.seat(place, *worker, workers);
            seat.is_some_and(|(worker, workers)| {
                !workload.team.share(dealt, place, worker, workers).is_empty()
            })
        })
    };
    (0..workers).filter(has_slots).count()
}

fn queue_broke(worker: u32, error: &io::Error) -> Problem {
    Problem::new(ExitKind::CutShort, format!("the I/O queue of worker {worker} failed: {error}"))
        .because("the kernel refused to submit or to wait")
        .next("try another engine with --engine")
}

fn no_worker(index: u32, error: &io::Error) -> Problem {
    Problem::refused(format!("worker thread {} cannot be started: {error}", index.saturating_add(1)))
        .because("threads, memory or address space are limited (ulimit -u, ulimit -v, pids.max and memory.max of the control group)")
        .next("raise the limit or use fewer outstanding I/Os; the engines io_uring and libaio need fewer threads")
}

fn worker_died() -> Problem {
    Problem::new(ExitKind::Bug, "a worker thread ended unexpectedly")
        .next("please report this with the command line")
}

/// Makes the backend in this thread, bound to its CPUs so that its memory is near them, and works until there are
/// no more jobs.
fn begin(
    (kind, poll): (EngineKind, bool),
    targets: &Arc<OpenTargets>,
    board: &WaitingBoard,
    mut start: Start,
) {
    start.note = bind(start.index, &start.place.cpus).err();
    let (targets, layout, seed) = (Arc::clone(targets), start.place.layout, start.workload.seed);
    // Every worker's buffers hold other random data.
    let seed = seed ^ (u64::from(start.index) << 48);
    // Without storage nothing is written, so every target that the load may name counts as writable.
    let all_writable = || vec![true; usize::from(u16::MAX)];
    match kind {
        EngineKind::IoUring => serve(Uring::new(targets, layout, seed, poll), start),
        EngineKind::Nvme => serve(NvmeRing::passthrough(targets, layout, seed, poll), start),
        EngineKind::Sync => {
            let made = SyncIo::new(targets, layout, seed);
            serve(made.map(|(sync, engine, buffers)| (sync.on(board), engine, buffers)), start);
        }
        EngineKind::Libaio => serve(rigel_io::aio::Aio::new(targets, layout, seed), start),
        EngineKind::Threads => serve(rigel_io::threads::Threads::new(targets, layout, seed), start),
        EngineKind::Null => serve(rigel_io::null::NullBackend::new(&all_writable(), layout, seed), start),
        EngineKind::Nop => serve(NopRing::nops(&all_writable(), layout, seed), start),
        // What has a bench of its own.
        other => {
            let what = format!("the engine {} does not run in worker threads", other.name());
            let problem = Problem::new(ExitKind::Bug, what);
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
    let Start { index, workers, place, note, workload, shared, clock, jobs, results, ready } = start;
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
    // Nobody listens any more when the coordinator has gone.
    let hand_over = |part| drop(results.send(WorkerMessage::Part(part)));
    let worker = Worker {
        index,
        workers,
        workload: &workload,
        layout: place.layout,
        shared: &shared,
        hand_over: &hand_over,
    };
    let mut verifier = Verifier::new(&workload, place.layout, index, workers);
    for job in jobs {
        // A bug here must not leave the coordinator waiting for a result that never comes; the panic hook has told it.
        let ran = panic::catch_unwind(AssertUnwindSafe(|| {
            worker.run_verified(&mut backend, &clock, &job, verifier.as_mut())
        }));
        let done = match ran {
            Ok(done) => done.map_err(|error| queue_broke(index, &error)),
            Err(_) => Err(worker_died()),
        };
        let broken = done.as_ref().map_or(true, |done| done.hung.is_some());
        if results.send(WorkerMessage::Done(done)).is_err() || broken {
            return;
        }
    }
}

impl Bench for ThreadBench {
    fn site(&self) -> &Site {
        &self.site
    }

    fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    fn work(
        &mut self,
        order: &Order,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> Result<VisitResult, Problem> {
        if let Some(witness) = self.witness.as_mut().filter(|_| order.measures()) {
            witness.mark();
        }
        let began_ns = order.begins_ns(self.now_ns());
        let (job, _) = order.job(began_ns);
        let done = self.job(job, hear)?;
        let ended_ns = self.now_ns();
        let nodes = if order.measures() { vec![self.seen(&done, began_ns, ended_ns)] } else { Vec::new() };
        Ok(VisitResult { done, began_ns, ended_ns, nodes })
    }

    fn rest(&mut self, ns: u64, hear: &mut dyn FnMut(BenchMessage) -> bool) {
        rest_in_real_time(ns, || self.progress(), hear);
    }

    fn early_end(&self) -> EarlyEnd {
        EarlyEnd::of(&self.shared)
    }

    fn drives(&mut self) -> Option<Vec<Drive>> {
        self.targets.as_ref().map(|_| drives::look(&self.site.targets))
    }
}

impl ThreadBench {
    /// Gives every worker the job.
    fn hand_out(&mut self, job: Job) -> Result<(), Problem> {
        self.shared.end_at_ns.store(u64::MAX, Ordering::Relaxed);
        for worker in &self.workers {
            let sent = worker.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
            sent.then_some(()).ok_or_else(worker_died)?;
        }
        if let Some(governing) = &mut self.governing {
            governing.begin(self.clock.now_ns(), &self.shared);
        }
        Ok(())
    }

    /// Gives every worker the job and waits for all of them.
    fn job(&mut self, job: Job, hear: &mut dyn FnMut(BenchMessage) -> bool) -> Result<WorkResult, Problem> {
        self.hand_out(job)?;
        let mut sum = WorkResult::default();
        let mut parts = Parts::of(loaded(job.point, &self.workload, self.workers.len()));
        let mut waiting = self.workers.len();
        let mut ending = false;
        let mut failed = Vec::new();
        let mut silence = Silence::of(self.progress(), self.waits());
        let mut ticked = Instant::now();
        while waiting > 0 {
            let mut goes_on = match self.results.recv_timeout(TICK) {
                Ok(WorkerMessage::Part(part)) => {
                    let whole = parts.add(part).map(|whole| self.governed(whole));
                    let ready = whole.and_then(|whole| self.settle(whole));
                    ready.is_none_or(|whole| hear(BenchMessage::Part(Box::new(whole))))
                }
                Ok(WorkerMessage::Done(Ok(done))) => {
                    let hung = done.hung.is_some();
                    sum.add(done);
                    waiting -= 1;
                    !hung
                }
                // The others need not finish a point that cannot be whole any more.
                Ok(WorkerMessage::Done(Err(problem))) => {
                    self.shared.end_at_ns.store(0, Ordering::Relaxed);
                    return Err(problem);
                }
                Err(RecvTimeoutError::Timeout) => true,
                Err(RecvTimeoutError::Disconnected) => return Err(worker_died()),
            };
            while let Some((part, error)) = self.flusher.as_mut().and_then(Flusher::back) {
                failed.extend(error);
                goes_on &= hear(BenchMessage::Part(Box::new(part)));
            }
            self.look_around();
            // Parts may come more often than that.
            if ticked.elapsed() >= TICK && waiting > 0 {
                ticked = Instant::now();
                let silent = silence.look(self.progress(), self.waits());
                if silent > self.patience {
                    self.give_up(silent, &job, &mut sum)?;
                    break;
                }
                goes_on &= hear(BenchMessage::Tick(self.progress()));
            }
            if !goes_on && !ending {
                ending = true;
                self.shared.end_at_ns.fetch_min(self.now_ns() + EARLY_END_NS, Ordering::Relaxed);
            }
        }
        // A flush would wait for what hangs.
        if !self.stuck && !self.hear_last_flushes(&mut failed, hear) {
            self.stuck = true;
            // I/Os that hang say more than the flush that waits for them.
            if sum.hung.is_none() {
                return Err(no_answer(self.patience));
            }
        }
        for part in parts.rest() {
            hear(BenchMessage::Part(Box::new(unsettled(part))));
        }
        failed.into_iter().for_each(|error| count(&mut sum.tallies, error));
        Ok(sum)
    }

    /// Workers that hang in the kernel are no longer waited for; what they wait for is hung, if it is known.
    fn give_up(&mut self, silent: Duration, job: &Job, sum: &mut WorkResult) -> Result<(), Problem> {
        self.stuck = true;
        self.shared.end_at_ns.store(0, Ordering::Relaxed);
        let hung = hung(&self.board.all(), silent).ok_or_else(|| no_answer(silent))?;
        sum.hung = Some(sum.hung.map_or(hung, |other| other.with(hung)));
        if let Task::Measure { window, .. } = job.task {
            let end_ns = self.clock.now_ns().min(window.end_ns).max(window.start_ns.saturating_add(1));
            sum.window_end_ns = sum.window_end_ns.max(end_ns);
            let span_ns = sum.window_end_ns.saturating_sub(window.start_ns);
            // What a worker counted that hangs is its own; the point has its classes all the same.
            for class in &self.workload.classes {
                let planned = class.dealt(job.point.of(class.name));
                let empty = || ClassTally::new(u64::from(class.io_bytes), planned, span_ns);
                if planned > 0 {
                    sum.tallies.entry(class.name).or_insert_with(empty);
                }
            }
        }
        Ok(())
    }

    /// Next to production: checks how production fares.
    fn look_around(&mut self) {
        if let Some(governing) = &mut self.governing {
            governing.look(self.clock.now_ns(), &self.shared);
        }
    }

    /// A part with what the load was allowed.
    fn governed(&mut self, part: Part) -> Part {
        let governed = self.governing.as_mut().map(|governing| governing.taken(self.clock.now_ns()));
        Part { governed, ..part }
    }

    /// Hands over a part whose blocks must be durable before they are reported; returns it if there is nothing to wait for.
    fn settle(&mut self, part: Part) -> Option<Part> {
        if !needs_flush(&part) {
            return Some(part);
        }
        match &mut self.flusher {
            Some(flusher) => flusher.take(part).err().map(unsettled),
            None => Some(unsettled(part)),
        }
    }

    /// Reports the parts that are still being flushed when the load is over; false if one does not return. A flush may be long, and the
    /// receiver of ticks must know that this bench is alive.
    fn hear_last_flushes(
        &mut self,
        failed: &mut Vec<FirstError>,
        hear: &mut dyn FnMut(BenchMessage) -> bool,
    ) -> bool {
        // In looks, not on the clock: see `Silence`.
        let mut waited = Duration::ZERO;
        loop {
            let Some(flusher) = &mut self.flusher else { return true };
            match flusher.last(TICK) {
                Ok(Some((part, error))) => {
                    waited = Duration::ZERO;
                    failed.extend(error);
                    hear(BenchMessage::Part(Box::new(part)));
                }
                Ok(None) => return true,
                Err(RecvTimeoutError::Timeout) if waited + TICK < self.patience => {
                    waited += TICK;
                    hear(BenchMessage::Tick(self.progress()));
                }
                Err(_) => return false,
            }
        }
    }

    /// This host's observations of a visit.
    fn seen(&mut self, done: &WorkResult, began_ns: u64, ended_ns: u64) -> NodeVisit {
        // Asking a device that does not answer could take as long as its I/Os.
        let targets = self.targets.as_ref().filter(|_| done.hung.is_none());
        let io_max = &self.site.nodes.first().host.cgroup.io_max;
        let changed = targets.map_or_else(Changes::default, |targets| Changes {
            targets: targets.changes(),
            io_max: Some(io_limits()).filter(|now| now != io_max),
            io_max_changes: self
                .witness
                .as_ref()
                .map_or_else(Vec::new, |witness| witness.limits_since(began_ns)),
        });
        let witness = self.witness.as_mut().and_then(|witness| witness.between(began_ns, ended_ns));
        NodeVisit { moved_bytes: done.bytes, changed, witness, ..NodeVisit::default() }
    }

    /// How often a worker had nothing to wait for except the next arrival.
    fn waits(&self) -> u64 {
        self.shared.waits.load(Ordering::Relaxed)
    }

    fn progress(&self) -> Progress {
        Progress { now_ns: self.now_ns(), ops: self.shared.done(), latency_ns: self.shared.latencies_ns() }
    }
}

impl Drop for ThreadBench {
    /// Ends the workers and waits for them, so no I/O is in flight when the targets are closed; not for one that hangs in the kernel.
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
