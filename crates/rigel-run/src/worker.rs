//! The measuring loop: keeps exactly the share of a point in flight and tallies what completes.
//!
//! Between submissions it does not allocate, lock, format or send, except when it hands over an interval. The clock is read once before `submit` and
//! once before `reap`: an I/O's latency runs from just before its submission to the moment its completion was seen.

mod open;
mod paced;
mod sampler;
mod verifier;

pub use self::verifier::Verifier;

use self::sampler::Sampler;
use crate::job::{BlockClass, Job, JobState, Part, Task, WorkResult, Workload};
use crate::load::{Load, NOT_IN_FLIGHT};
use rigel_core::guard::scratch;
use rigel_core::load::class::{Arrival, MOST_CLASSES, PerClass};
use rigel_core::load::workload::Direction;
use rigel_core::measure::{ByTarget, ClassTally, FirstError, HungIo, IoCounts, ReadLook, Tally, Window};
use rigel_core::stats::settle;
use rigel_core::units::{NS_PER_MS, NS_PER_S};
use rigel_io::backend::{Backend, Completion, Op, SlotLayout};
use rigel_io::clock::{Clock, thread_cpu_ns};
use std::io;
use std::sync::atomic::Ordering;

/// How often a worker shows its counts.
const SHOW_NS: u64 = 20 * NS_PER_MS;
/// With more workers each sees few I/Os, and their counters together must not exhaust the host's memory.
const MOST_WITH_MANY_IOS: u32 = 64;
/// How much later than the longest wait of the engine a check of the I/Os in flight may be.
const LATE_LOOK_NS: u64 = NS_PER_S / 5;
/// How long the kernel may take to cancel hung I/Os.
const TAKE_BACK_NS: u64 = 2 * NS_PER_S;

/// One worker: its number, and what is the same for all of its jobs.
pub struct Worker<'a> {
    /// From 0.
    pub index: u32,
    /// The number of workers.
    pub workers: u32,
    /// The load.
    pub workload: &'a Workload,
    /// The backend's slots.
    pub layout: SlotLayout,
    /// Where progress is shown.
    pub shared: &'a JobState,
    /// Takes the counts of a part of the window when it ends.
    pub hand_over: &'a dyn Fn(Part),
}

/// The state of one job.
struct Loop<'a, B, C> {
    backend: &'a mut B,
    clock: &'a C,
    load: Load<'a>,
    tally: Tally,
    /// The parts of the window that were handed over, together; empty without any.
    whole: Vec<Option<ClassTally>>,
    sampler: Sampler,
    /// Verification, for classes that need it.
    verifier: Option<&'a mut Verifier>,
    /// The counts of each target for each class, if counted; otherwise empty.
    by_target: Vec<ByTarget>,
    /// The same for each reader.
    by_reader: Vec<ByTarget>,
    /// Slots that may be submitted.
    free: Vec<u16>,
    /// Completions of each class since the last report to the coordinator.
    ops: [u64; MOST_CLASSES],
    /// Bytes moved.
    bytes: u64,
    /// Bytes requested by I/Os that completed, successfully or not.
    tried_bytes: u64,
    failures: u64,
    ios: IoCounts,
    hung: Option<HungIo>,
    /// When it last checked for hung I/Os, and since when nothing has kept this worker from checking.
    looked_ns: u64,
    watched_ns: u64,
}

/// When submission ends.
#[derive(Clone, Copy)]
struct End {
    /// At that time.
    at_ns: u64,
    /// After this many bytes were tried.
    tried_bytes: u64,
}

/// The parts of a window that are handed over while the load continues.
#[derive(Clone, Copy)]
struct Parts {
    window: Window,
    length_ns: u64,
    /// End of the part that is being measured.
    next_ns: u64,
}

impl Parts {
    const fn of(task: Task) -> Self {
        match task {
            Task::Measure { window, part_ns, .. } => {
                Self { window, length_ns: part_ns, next_ns: window.start_ns.saturating_add(part_ns) }
            }
            Task::WarmUp { .. } => {
                let window = Window { start_ns: u64::MAX, end_ns: u64::MAX };
                Self { window, length_ns: u64::MAX, next_ns: u64::MAX }
            }
        }
    }
}

impl<'a> Worker<'a> {
    /// The only worker of a run.
    pub const fn alone(
        workload: &'a Workload,
        layout: SlotLayout,
        shared: &'a JobState,
        hand_over: &'a dyn Fn(Part),
    ) -> Self {
        Self { index: 0, workers: 1, workload, layout, shared, hand_over }
    }
}

impl Worker<'_> {
    /// Does one job.
    ///
    /// # Errors
    /// When the queue itself broke.
    pub fn run<B: Backend, C: Clock>(&self, backend: &mut B, clock: &C, job: &Job) -> io::Result<WorkResult> {
        self.run_verified(backend, clock, job, None)
    }

    /// The same with this worker's knowledge of blocks that it wrote in earlier jobs, if classes are verified.
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub fn run_verified<B: Backend, C: Clock>(
        &self,
        backend: &mut B,
        clock: &C,
        job: &Job,
        verifier: Option<&mut Verifier>,
    ) -> io::Result<WorkResult> {
        let load = Load::new(self.workload, job, self.layout, self.index, self.workers);
        let (window, end) = self.window_and_end(job);
        let places = 0..self.workload.classes.len();
        let tallies = places.clone().map(|place| self.empty_tally(&load, place, job, window)).collect();
        let mut free = load.all();
        if let Some(verifier) = &verifier {
            verifier.begin_job(self.workload, &load, &mut free);
        }
        clock.wait_until(job.began_ns);
        let cpu_before_ns = thread_cpu_ns();
        let now_ns = clock.now_ns();
        let tally = Tally::new(window, tallies, now_ns);
        let sampler = Sampler::new(self.workload.seed, job.visit, self.index, self.layout.slots());
        let mut state = Loop {
            backend,
            clock,
            load,
            tally,
            whole: places.map(|_| None).collect(),
            sampler,
            verifier,
            by_target: self.workload.counts(self.workload.counted_targets),
            by_reader: self.workload.counts(self.workload.counted_readers),
            free,
            ops: [0; MOST_CLASSES],
            bytes: 0,
            tried_bytes: 0,
            failures: 0,
            ios: IoCounts::default(),
            hung: None,
            looked_ns: 0,
            watched_ns: 0,
        };
        let is_idle = state.free.is_empty();
        let stopped = self.drive_job(&mut state, job, end)?;
        let came_back = self.show(&mut state.ops);
        state.audit(came_back)?;
        let cpu_ns = thread_cpu_ns().saturating_sub(cpu_before_ns);
        Ok(WorkResult {
            // Who has nothing to do is over at once, and knows nothing of an early end of the others.
            window_end_ns: if is_idle { 0 } else { state.tally.window().end_ns },
            stopped,
            bytes: state.bytes,
            failures: state.failures,
            ios: state.ios,
            hung: state.hung,
            cpu_ns,
            busiest_cpu_ns: cpu_ns,
            late_ns: if is_idle { 0 } else { now_ns.saturating_sub(job.began_ns) },
            tallies: {
                let counts = [&mut state.by_target, &mut state.by_reader].map(std::mem::take);
                self.with_counts(self.tallies(state, job, is_idle), counts)
            },
        })
    }

    /// The window of a job, and its end.
    fn window_and_end(&self, job: &Job) -> (Window, End) {
        match job.task {
            Task::Measure { window, .. } => (window, End { at_ns: window.end_ns, tried_bytes: u64::MAX }),
            Task::WarmUp { until_ns, bytes } => {
                // Only workers that have slots of that class move anything.
                let place = self.workload.warmed_up(job.point);
                let level = self.workload.classes.get(place).map_or(0, |class| {
                    class.dealt(job.point.of(class.name)).saturating_mul(self.workload.lanes(class))
                });
                let workers = self.workload.workers_at(place, self.workers);
                let movers = u64::from(self.workload.team.movers(level, place, workers).max(1));
                let never = Window { start_ns: u64::MAX, end_ns: u64::MAX };
                (never, End { at_ns: until_ns, tried_bytes: bytes.div_ceil(movers) })
            }
        }
    }

    /// The counts of a finished job.
    fn tallies<B: Backend, C: Clock>(
        &self,
        mut state: Loop<B, C>,
        job: &Job,
        is_idle: bool,
    ) -> PerClass<ClassTally> {
        match job.task {
            Task::Measure { part_ns: u64::MAX, .. } => {
                self.named(state.tally.finish(), &state.sampler.found(), state.verifier)
            }
            Task::Measure { window, .. } => {
                let end_ns = state.tally.window().end_ns;
                // Nobody waits for the parts of a worker without slots.
                if !is_idle {
                    self.end_part(&mut state, window, end_ns, 0);
                }
                let mut whole = state.whole;
                for tally in whole.iter_mut().flatten() {
                    tally.series.truncate(end_ns.saturating_sub(window.start_ns));
                }
                self.named(whole, &state.sampler.found(), state.verifier)
            }
            Task::WarmUp { .. } => PerClass::new(),
        }
    }

    /// The tallies with what each target and each reader did since the last part.
    fn with_counts(
        &self,
        mut tallies: PerClass<ClassTally>,
        [mut targets, mut readers]: [Vec<ByTarget>; 2],
    ) -> PerClass<ClassTally> {
        for (place, class) in self.workload.classes.iter().enumerate() {
            let Some(tally) = tallies.get_mut(&class.name) else { continue };
            if let Some(rest) = targets.get_mut(place).and_then(ByTarget::take) {
                tally.by_target.get_or_insert_default().add(&rest);
            }
            if let Some(rest) = readers.get_mut(place).and_then(ByTarget::take) {
                tally.by_reader.get_or_insert_default().add(&rest);
            }
        }
        tallies
    }

    /// Does a job in the loop that it needs.
    fn drive_job<B: Backend, C: Clock>(
        &self,
        state: &mut Loop<B, C>,
        job: &Job,
        end: End,
    ) -> io::Result<bool> {
        let parts = Parts::of(job.task);
        match open::Lanes::of(self, &state.load, job) {
            None if self.workload.beside.is_some() => paced::drive(self, state, end, parts),
            None => self.drive(state, end, parts),
            Some(lanes) => lanes.drive(state, end, parts),
        }
    }

    /// The tallies by the names of their classes, with what the reads of each held.
    fn named(
        &self,
        tallies: Vec<Option<ClassTally>>,
        looks: &[ReadLook],
        mut verifier: Option<&mut Verifier>,
    ) -> PerClass<ClassTally> {
        let classes = self.workload.classes.iter().zip(tallies).enumerate();
        let named = |(place, (class, tally)): (usize, (&BlockClass, Option<ClassTally>))| {
            let looked = looks.get(place).copied().unwrap_or_default();
            let tally = tally?;
            let found = verifier.as_mut().and_then(|verifier| verifier.take_found(place)).map(Box::new);
            let verified = match (tally.verified, found) {
                (Some(mut parts), Some(rest)) => {
                    parts.add(&rest);
                    Some(parts)
                }
                (one, other) => one.or(other),
            };
            Some((class.name, ClassTally { looked, verified, ..tally }))
        };
        classes.filter_map(named).collect()
    }

    fn empty_tally(&self, load: &Load, place: usize, job: &Job, window: Window) -> Option<ClassTally> {
        let io_bytes = self.workload.classes[place].io_bytes;
        let (lead_ns, part_ns) = match job.task {
            Task::Measure { lead_ns, part_ns, .. } => (lead_ns, part_ns),
            Task::WarmUp { .. } => (0, u64::MAX),
        };
        let span_ns = window.span_ns().min(part_ns);
        let edges = match lead_ns {
            0 => Vec::new(),
            lead_ns => settle::edges(lead_ns, lead_ns.saturating_add(window.span_ns())),
        };
        let planned = load.outstanding(place);
        let class = &self.workload.classes[place];
        let bytes = class.is_mixed().then_some(0);
        let made = if self.workers > MOST_WITH_MANY_IOS { ClassTally::of_few } else { ClassTally::with_lead };
        let closed = || made(u64::from(io_bytes), planned, span_ns, lead_ns, &edges);
        let tally = || match class.arrival {
            Arrival::Closed => closed(),
            Arrival::Open { shape, .. } => closed().opened(job.shape.unwrap_or(shape).spread()),
        };
        (planned > 0).then(|| ClassTally { bytes, ..tally() })
    }

    /// Submits and reaps until the end, then drains. Returns whether the coordinator ended it early. I/Os of several sizes
    /// have a loop of their own, and so have verified blocks and counts by target, so others cost
    /// nothing for them.
    fn drive<B: Backend, C: Clock>(
        &self,
        state: &mut Loop<B, C>,
        end: End,
        parts: Parts,
    ) -> io::Result<bool> {
        if state.verifier.is_some() || !state.by_target.is_empty() || !state.by_reader.is_empty() {
            self.drive_sizes::<B, C, true, true>(state, end, parts)
        } else if self.workload.is_mixed() {
            self.drive_sizes::<B, C, true, false>(state, end, parts)
        } else {
            self.drive_sizes::<B, C, false, false>(state, end, parts)
        }
    }

    /// `MIXED`: I/Os of a class may have several sizes. `VERIFIED`: classes may be verified, and targets and readers counted apart.
    fn drive_sizes<B: Backend, C: Clock, const MIXED: bool, const VERIFIED: bool>(
        &self,
        state: &mut Loop<B, C>,
        mut end: End,
        mut parts: Parts,
    ) -> io::Result<bool> {
        let mut next_show_ns = 0;
        let mut give_up_ns = u64::MAX;
        let mut stopped = false;
        let mut draining = false;
        loop {
            if !draining {
                state.submit_free::<MIXED, VERIFIED>(self.workload.seed);
            }
            if state.tally.in_flight() == 0 {
                return Ok(stopped);
            }
            state.backend.submit(1)?;
            let now_ns = state.clock.now_ns();
            // Before anything seen now is tallied: what comes after an early end must not count.
            let end_at_ns = self.shared.end_at_ns.load(Ordering::Relaxed);
            if end_at_ns < end.at_ns {
                stopped = true;
                end.at_ns = end_at_ns;
                state.tally.shorten(end_at_ns);
            }
            // What comes back now counts for the next part.
            while now_ns >= parts.next_ns && parts.next_ns < end.at_ns {
                self.end_part(state, parts.window, parts.next_ns, parts.length_ns);
                parts.next_ns = parts.next_ns.saturating_add(parts.length_ns);
            }
            state.reap::<MIXED, VERIFIED>(now_ns, self.workload);
            if now_ns >= next_show_ns {
                next_show_ns = now_ns + SHOW_NS;
                let came_back = self.show(&mut state.ops);
                state.audit(came_back)?;
                if self.workload.is_patient && came_back > 0 {
                    state.watched_ns = now_ns;
                }
                if state.is_hung(now_ns, self.workload.io_timeout_ns) {
                    end.at_ns = end.at_ns.min(now_ns);
                    give_up_ns = now_ns + TAKE_BACK_NS;
                }
            }
            if now_ns >= give_up_ns && state.tally.in_flight() > 0 {
                state.give_up();
                return Ok(stopped);
            }
            draining = now_ns >= end.at_ns || state.tried_bytes >= end.tried_bytes;
        }
    }

    /// Hands over the part of `window` that ends at `at_ns`; the next one has `next_ns` at most.
    fn end_part<B: Backend, C: Clock>(
        &self,
        state: &mut Loop<B, C>,
        window: Window,
        at_ns: u64,
        next_ns: u64,
    ) {
        let start_ns = state.tally.window().start_ns;
        if at_ns <= start_ns {
            return;
        }
        let mut tallies = state.tally.cut(at_ns, next_ns);
        for (part, counts) in tallies.iter_mut().zip(&mut state.by_target) {
            if let Some(part) = part {
                part.by_target = counts.take().map(Box::new);
            }
        }
        if let Some(verifier) = &mut state.verifier {
            for (place, part) in tallies.iter_mut().enumerate() {
                let Some(part) = part else { continue };
                let settled = verifier.settled(place);
                part.verified = verifier.take_found(place).map(|mut found| {
                    found.settled = settled;
                    Box::new(found)
                });
            }
        }
        for (whole, part) in state.whole.iter_mut().zip(&tallies) {
            if let Some(part) = part {
                let empty = || ClassTally::new(part.io_bytes, part.planned, window.span_ns());
                whole.get_or_insert_with(empty).place(part, start_ns.saturating_sub(window.start_ns));
            }
        }
        let tallies = self.named(tallies, &[], None);
        (self.hand_over)(Part { window: Window { start_ns, end_ns: at_ns }, tallies, governed: None });
    }

    /// Adds the counts since the last time to what the coordinator sees; how many they are.
    fn show(&self, ops: &mut [u64; MOST_CLASSES]) -> u64 {
        let since = std::mem::take(ops);
        for ((_, all), more) in self.shared.ops.iter().zip(since) {
            all.fetch_add(more, Ordering::Relaxed);
        }
        since.iter().sum()
    }
}

impl<B: Backend, C: Clock> Loop<'_, B, C> {
    /// Puts every free slot back in flight.
    #[inline]
    fn submit_free<const MIXED: bool, const VERIFIED: bool>(&mut self, seed: u64) {
        for &slot in &self.free {
            if VERIFIED
                && let Some(verifier) = &mut self.verifier
                && let Some(op) = verifier.next(&mut self.load, self.backend, slot)
            {
                self.backend.push(op);
                continue;
            }
            let op = self.load.next::<MIXED>(slot);
            if op.direction == Direction::Write {
                let bytes = &mut self.backend.buffer_mut(slot)[..op.len as usize];
                scratch::write_stamps(seed, op.offset, bytes);
            }
            self.backend.push(op);
        }
        let now_ns = self.clock.now_ns();
        self.tally.look(now_ns);
        for slot in self.free.drain(..) {
            let slot = self.load.slot(slot);
            slot.started_ns = now_ns;
            self.tally.submitted(usize::from(slot.class), 1);
        }
    }

    /// Whether everything that was handed over and has not returned is in flight: by the tally's count and slot by
    /// slot. `came_back`: since the last time. Costs the loop nothing, because both are counted anyway.
    fn audit(&mut self, came_back: u64) -> io::Result<()> {
        let (counted, found) = (self.tally.in_flight(), self.load.in_flight());
        self.ios.looks += 1;
        self.ios.returned += came_back;
        self.ios.submitted = self.ios.returned + counted;
        if counted == found {
            return Ok(());
        }
        let IoCounts { submitted, returned, .. } = self.ios;
        Err(io::Error::other(format!(
            "{submitted} I/Os were submitted, {returned} completed, {found} are in flight: some were lost"
        )))
    }

    /// Whether I/Os turn out to be hung now. The point ends here, and the kernel is asked to take back what it has.
    fn is_hung(&mut self, now_ns: u64, limit_ns: u64) -> bool {
        if self.hung.is_some() {
            return false;
        }
        // A process that is stopped, or gets no CPU, does not see what came back meanwhile.
        let longest_ns = self.backend.longest_wait_ns().saturating_add(LATE_LOOK_NS);
        if now_ns.saturating_sub(self.looked_ns) > longest_ns {
            self.watched_ns = now_ns;
        }
        self.looked_ns = now_ns;
        self.hung = self.load.overdue(now_ns, self.watched_ns, limit_ns);
        if self.hung.is_some() {
            self.tally.shorten(now_ns);
            self.backend.cancel();
        }
        self.hung.is_some()
    }

    /// The kernel does not return its I/Os: they are no longer waited for.
    fn give_up(&mut self) {
        self.hung = self.hung.map(|hung| HungIo { taken_back: false, ..hung });
        self.backend.abandon();
    }

    #[inline]
    fn reap<const MIXED: bool, const VERIFIED: bool>(&mut self, now_ns: u64, workload: &Workload) {
        self.tally.look(now_ns);
        // What the kernel was asked to take back fails for that reason.
        let is_taken_back = self.hung.is_some();
        let Self {
            backend,
            load,
            tally,
            sampler,
            verifier,
            by_target,
            by_reader,
            free,
            ops,
            bytes,
            tried_bytes,
            failures,
            ..
        } = self;
        sampler.begin_batch(tally.window().holds(now_ns) && backend.moves_data());
        backend.reap(|Completion { slot, outcome }| {
            free.push(slot);
            let slot = load.slot(slot);
            let latency_ns = now_ns - slot.started_ns;
            slot.started_ns = NOT_IN_FLIGHT;
            let class = usize::from(slot.class);
            ops[class] += 1;
            *tried_bytes += u64::from(slot.op.len);
            match outcome {
                Ok(moved) if moved == slot.op.len => {
                    *bytes += u64::from(moved);
                    tally.completed(class, slot.op.direction, latency_ns, now_ns);
                    if VERIFIED {
                        let apart = [(&mut by_target[..], slot.op.target), (&mut by_reader[..], slot.reader)];
                        count_apart(apart, class, |counts, at| counts.completed(at, latency_ns));
                    }
                    if MIXED {
                        tally.moved(class, moved, now_ns);
                    }
                    let is_checked = VERIFIED
                        && verifier.as_mut().is_some_and(|verifier| verifier.completed(class, slot.op));
                    if !is_checked {
                        sampler.completed(class, slot.op.direction, slot.op.slot);
                    }
                }
                // A short transfer has no errno.
                short_or_failed => {
                    *failures += 1;
                    let errno = short_or_failed.err().unwrap_or(0);
                    let shows_nothing = is_taken_back && slot.op.direction == Direction::Read;
                    if VERIFIED
                        && !shows_nothing
                        && let Some(verifier) = verifier
                    {
                        verifier.failed(class, slot.op, errno, now_ns);
                    }
                    let Op { target, offset, direction, .. } = slot.op;
                    if VERIFIED {
                        let apart = [(&mut by_target[..], target), (&mut by_reader[..], slot.reader)];
                        count_apart(apart, class, ByTarget::failed);
                    }
                    tally.failed(class, FirstError { errno, target, offset, direction });
                }
            }
        });
        sampler.look(&**backend, load, workload);
        if VERIFIED && let Some(verifier) = verifier {
            verifier.check(&**backend, load, now_ns);
        }
    }
}

/// Counts an I/O of a class for its target and for its reader, where these are counted.
#[inline]
fn count_apart(apart: [(&mut [ByTarget], u16); 2], class: usize, count: impl Fn(&mut ByTarget, u16)) {
    for (counts, at) in apart {
        if let Some(counts) = counts.get_mut(class) {
            count(counts, at);
        }
    }
}

#[cfg(test)]
mod tests;
