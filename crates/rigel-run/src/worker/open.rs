//! The loop of a point with arrivals at given times (open loop).
//!
//! An operation takes a free slot when its time has come, or waits for one, and its latency counts from that time on. The other classes of the point
//! keep their slots in flight, as in the closed loop. Waits end a little early and the rest is spent looking at the clock, so Rigel is not late;
//! any remaining lag is tallied. Waiting needs no memory: the sequence of arrivals pauses until a slot is free.

use super::{End, Loop, Parts, SHOW_NS, TAKE_BACK_NS, Worker};
use crate::job::{Job, Task};
use crate::load::{Load, NOT_IN_FLIGHT};
use rigel_core::guard::scratch;
use rigel_core::load::arrivals::{Arrivals, deed};
use rigel_core::load::class::{Arrival, Pattern, streams_at_rate};
use rigel_core::load::draw::Stream;
use rigel_core::load::split;
use rigel_core::load::team::Deal;
use rigel_core::load::workload::Direction;
use rigel_core::measure::{Backlog, FirstError, Window};
use rigel_io::backend::{Backend, Completion, Op};
use rigel_io::clock::{Clock, exact_timers};
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering;

/// This worker's share of a sequence of arrivals, and its position.
#[derive(Clone, Debug)]
struct Share {
    arrivals: Arrivals,
    origin_ns: u64,
    /// The part that belongs to this node.
    deal: Deal,
    /// Workers that share that.
    workers: u32,
    /// The index of the next one among those of the node.
    position: u64,
    /// The number of the next one among all of the class.
    number: u64,
    /// Its time.
    due_ns: u64,
    /// The number of earlier ones that belonged to this worker.
    passed: u64,
}

impl Share {
    /// The next one is at index `first` among those of the node.
    fn new(arrivals: Arrivals, origin_ns: u64, (deal, workers): (Deal, u32), first: u32) -> Self {
        let position = u64::from(first);
        let number = deal.number(position);
        let mut share = Self { arrivals, origin_ns, deal, workers, position, number, due_ns: 0, passed: 0 };
        share.skip(number + 1);
        share
    }

    #[inline]
    fn skip(&mut self, count: u64) {
        let mut at_ns = 0;
        for _ in 0..count {
            at_ns = self.arrivals.next_ns();
        }
        self.due_ns = self.origin_ns.saturating_add(at_ns);
    }

    #[inline]
    fn pass(&mut self) {
        self.position += u64::from(self.workers);
        self.passed += 1;
        let before = std::mem::replace(&mut self.number, self.deal.number(self.position));
        self.skip(self.number - before);
    }

    /// How many are due before a time, which never decreases.
    fn passed_before(&mut self, at_ns: u64) -> u64 {
        while self.due_ns < at_ns {
            self.pass();
        }
        self.passed
    }
}

/// An open loop of the point.
#[derive(Debug)]
struct Lane {
    place: usize,
    /// The next one to begin.
    next: Share,
    /// The same sequence, followed by the clock alone: the arrivals so far.
    arrived: Share,
    /// How many of those were tallied.
    tallied: u64,
    /// Operations that are over.
    over: u64,
    /// The latencies of those since the last report to the coordinator.
    latency_ns: u64,
    /// Slots and since when they are free, the longest free first.
    free: VecDeque<(u16, u64)>,
    /// For a class of streams, where each begins: they take the arrivals in turn.
    streams: Vec<Stream>,
    /// The numbers of the arrivals in its streams are those of the node, which has its own positions.
    is_alone: bool,
}

impl Lane {
    /// The place of the next arrival in its stream; `None` for random I/O.
    #[inline]
    fn walked(&self) -> Option<Stream> {
        let number = if self.is_alone { self.next.position } else { self.next.number };
        let streams = self.streams.len() as u64;
        let stream = usize::try_from(number.checked_rem(streams)?).ok()?;
        Some(self.streams.get(stream)?.clone().moved(number / streams))
    }
}

/// The streams of a class at their begins; none for random I/O.
fn streams(worker: &Worker<'_>, job: &Job, place: usize) -> Vec<Stream> {
    let class = &worker.workload.classes[place];
    let rate = job.point.of(class.name);
    match (class.arrival, class.pattern, class.volumes.at(rate).0) {
        (Arrival::Open { most_outstanding, .. }, Pattern::Streams { ios_per_stream }, Some(volume)) => {
            let count = streams_at_rate(most_outstanding, ios_per_stream);
            let shift = worker.workload.shift(job.visit, volume);
            (0..count).map(|n| Stream::new(n, count, volume, class.write_percent).moved(shift)).collect()
        }
        _ => Vec::new(),
    }
}

/// What is in flight on a slot.
#[derive(Clone, Copy, Debug, Default)]
struct Ticket {
    due_ns: u64,
    lag_ns: u64,
    /// When its slot became free.
    free_ns: u64,
}

/// How long before an arrival a wait has to end, according to the waits so far: a host may wake late, especially a virtual one.
#[derive(Debug)]
struct WakeMargin {
    least_ns: u64,
    early_ns: u64,
}

impl WakeMargin {
    /// More would take a CPU from others for the sake of a rare late one.
    const MOST_NS: u64 = 500_000;
    /// How slowly a late one is forgotten: in about this many waits.
    const MEMORY: u64 = 256;

    fn new(least_ns: u64) -> Self {
        Self { least_ns, early_ns: least_ns }
    }

    /// After a wait of at most `planned_ns` that took `took_ns`. A completion may have ended it before.
    fn slept(&mut self, planned_ns: u64, took_ns: u64) {
        if self.least_ns == 0 || planned_ns == 0 || took_ns < planned_ns {
            return;
        }
        let wanted_ns = (self.least_ns + took_ns - planned_ns).min(Self::MOST_NS);
        let fading_ns = self.early_ns - (self.early_ns - self.least_ns) / Self::MEMORY;
        self.early_ns = fading_ns.max(wanted_ns);
    }
}

/// The open loops of a point, and what the loop around them needs.
pub(super) struct Lanes<'a> {
    worker: &'a Worker<'a>,
    visit: u64,
    /// By index of the class.
    lanes: Vec<Option<Lane>>,
    /// By slot.
    tickets: Vec<Ticket>,
    /// Slots that began now.
    begun: Vec<u16>,
    /// The whole window, of which a tally may have a part.
    window: Window,
    /// How many of the moments have passed at which the backlog is counted: start, middle, end.
    moments: u8,
}

impl<'a> Lanes<'a> {
    /// The arrivals of a job; `None` if this worker has no share of any.
    pub(super) fn of(worker: &'a Worker<'a>, load: &Load<'_>, job: &Job) -> Option<Self> {
        let Task::Measure { window, .. } = job.task else { return None };
        let lane = |place: usize| {
            let class = &worker.workload.classes[place];
            let Arrival::Open { shape, most_outstanding } = class.arrival else { return None };
            let rate = job.point.of(class.name);
            let deal = worker.workload.team.deal(most_outstanding, place);
            let own = deal.count(class.dealt(rate));
            let first = *split::share(own, place, worker.index, worker.workers).first()?;
            let shape = job.shape.unwrap_or(shape);
            let arrivals = Arrivals::new(worker.workload.seed, job.visit, place, rate, shape);
            let next = Share::new(arrivals, job.began_ns, (deal, worker.workers.min(own)), first);
            let free = load.slots_of(place).map(|slot| (slot, 0)).collect();
            let (streams, is_alone) = (streams(worker, job, place), !worker.workload.shares_streams(class));
            let arrived = next.clone();
            Some(Lane { place, arrived, next, tallied: 0, over: 0, latency_ns: 0, free, streams, is_alone })
        };
        let lanes: Vec<_> = (0..worker.workload.classes.len()).map(lane).collect();
        lanes.iter().any(Option::is_some).then(|| {
            exact_timers();
            let slots = usize::from(worker.layout.slots());
            let (tickets, begun) = (vec![Ticket::default(); slots], Vec::with_capacity(slots));
            Self { worker, visit: job.visit, lanes, tickets, begun, window, moments: 0 }
        })
    }

    /// Begins arrivals that are due and reaps until the end, then drains. Returns whether the coordinator ended it early.
    pub(super) fn drive<B: Backend, C: Clock>(
        mut self,
        state: &mut Loop<B, C>,
        mut end: End,
        mut parts: Parts,
    ) -> io::Result<bool> {
        let worker = self.worker;
        let own: Vec<u16> =
            self.lanes.iter().flatten().flat_map(|lane| state.load.slots_of(lane.place)).collect();
        state.free.retain(|slot| !own.contains(slot));
        let mut now_ns = state.clock.now_ns();
        let mut awake = WakeMargin::new(state.backend.wakes_early_ns());
        let mut next_show_ns = 0;
        let mut give_up_ns = u64::MAX;
        let mut stopped = false;
        let mut draining = false;
        loop {
            if !draining {
                now_ns = self.begin(state, now_ns, end.at_ns);
            }
            if draining && state.tally.in_flight() == 0 {
                self.count_waiting(state, end.at_ns);
                self.tell_latencies();
                return Ok(stopped);
            }
            let longest_ns = self.wait_ns(now_ns, end.at_ns, draining, awake.early_ns);
            state.backend.submit_within(1, longest_ns)?;
            let called_ns = std::mem::replace(&mut now_ns, state.clock.now_ns());
            awake.slept(longest_ns, now_ns.saturating_sub(called_ns));
            let end_at_ns = worker.shared.end_at_ns.load(Ordering::Relaxed);
            if end_at_ns < end.at_ns {
                stopped = true;
                end.at_ns = end_at_ns;
                state.tally.shorten(end_at_ns);
            }
            // What comes back now counts for the next part.
            while now_ns >= parts.next_ns && parts.next_ns < end.at_ns {
                self.count_moments(state, parts.next_ns, end.at_ns);
                self.count(state, parts.next_ns, true);
                worker.end_part(state, parts.window, parts.next_ns, parts.length_ns);
                parts.next_ns = parts.next_ns.saturating_add(parts.length_ns);
            }
            self.count_moments(state, now_ns, end.at_ns);
            self.reap(state, now_ns);
            if now_ns >= next_show_ns {
                next_show_ns = now_ns + SHOW_NS;
                if self.look(state, now_ns)? {
                    end.at_ns = end.at_ns.min(now_ns);
                    give_up_ns = now_ns + TAKE_BACK_NS;
                }
            }
            if now_ns >= give_up_ns && state.tally.in_flight() > 0 {
                state.give_up();
                return Ok(stopped);
            }
            draining = now_ns >= end.at_ns;
        }
    }

    /// Hands over what is due by now and has a slot, and every free slot of the closed-loop classes. Returns the
    /// time just before.
    #[inline]
    fn begin<B: Backend, C: Clock>(&mut self, state: &mut Loop<B, C>, now_ns: u64, end_ns: u64) -> u64 {
        let seed = self.worker.workload.seed;
        self.begun.clear();
        for lane in self.lanes.iter_mut().flatten() {
            while lane.next.due_ns <= now_ns && lane.next.due_ns < end_ns {
                let Some((slot, free_ns)) = lane.free.pop_front() else { break };
                match lane.walked() {
                    Some(stream) => state.load.walk_from(slot, stream),
                    None => state.load.draw_from(slot, deed(seed, self.visit, lane.place, lane.next.number)),
                }
                self.tickets[usize::from(slot)] = Ticket { due_ns: lane.next.due_ns, lag_ns: 0, free_ns };
                self.begun.push(slot);
                lane.next.pass();
            }
        }
        let of_lanes = self.begun.len();
        self.begun.append(&mut state.free);
        if self.begun.is_empty() {
            return now_ns;
        }
        for &slot in &self.begun {
            let op = state.load.next::<true>(slot);
            if op.direction == Direction::Write {
                let bytes = &mut state.backend.buffer_mut(slot)[..op.len as usize];
                scratch::write_stamps(seed, op.offset, bytes);
            }
            state.backend.push(op);
        }
        let began_ns = state.clock.now_ns();
        state.tally.look(began_ns);
        let window = state.tally.window();
        for (place, number) in self.begun.drain(..).enumerate() {
            let slot = state.load.slot(number);
            slot.started_ns = began_ns;
            let class = usize::from(slot.class);
            state.tally.submitted(class, 1);
            if place < of_lanes {
                let ticket = &mut self.tickets[usize::from(number)];
                ticket.lag_ns = began_ns.saturating_sub(ticket.due_ns.max(ticket.free_ns));
                let waited = ticket.free_ns > ticket.due_ns && window.holds(began_ns);
                if let Some(open) = state.tally.open(class).filter(|_| waited) {
                    open.waited += 1;
                }
            }
        }
        began_ns
    }

    /// How long to wait for a completion: until shortly before the next arrival that has a slot, and never long, because
    /// the end may come early.
    fn wait_ns(&self, now_ns: u64, end_ns: u64, draining: bool, early_ns: u64) -> u64 {
        if draining {
            return SHOW_NS;
        }
        let with_slots = self.lanes.iter().flatten().filter(|lane| !lane.free.is_empty());
        let next_ns = with_slots.map(|lane| lane.next.due_ns).fold(end_ns, u64::min);
        next_ns.saturating_sub(now_ns).saturating_sub(early_ns).min(SHOW_NS)
    }

    /// Counts the backlog at the moments of the window before `now_ns`.
    fn count_moments<B: Backend, C: Clock>(&mut self, state: &mut Loop<B, C>, now_ns: u64, end_ns: u64) {
        let Window { start_ns, end_ns: planned_ns } = self.window;
        let end_ns = planned_ns.min(end_ns);
        let middle_ns = u64::midpoint(start_ns, planned_ns).min(end_ns);
        let moments = [start_ns, middle_ns, end_ns];
        while let Some(&at_ns) = moments.get(usize::from(self.moments)).filter(|&&at_ns| at_ns <= now_ns) {
            self.moments += 1;
            // An early end may come before the other moments.
            if at_ns < end_ns || self.moments == 3 {
                self.count(state, at_ns, at_ns > start_ns);
            }
        }
    }

    /// Counts what has arrived and is not over at a moment; with `tally` what arrived since the last one counts for the window.
    fn count<B: Backend, C: Clock>(&mut self, state: &mut Loop<B, C>, at_ns: u64, tally: bool) {
        let start_ns = state.tally.window().start_ns;
        for lane in self.lanes.iter_mut().flatten() {
            let all = lane.arrived.passed_before(at_ns);
            let arrived = all - std::mem::replace(&mut lane.tallied, all);
            if let Some(open) = state.tally.open(lane.place) {
                open.arrived += if tally { arrived } else { 0 };
                open.left = all.saturating_sub(lane.next.passed);
                let count = all.saturating_sub(lane.over);
                let one = Backlog { at_ns: at_ns.saturating_sub(start_ns), count };
                // The middle may be the end of a part.
                if open.backlog.last().is_none_or(|last| last.at_ns < one.at_ns) {
                    open.backlog.push(one);
                }
            }
        }
    }

    #[inline]
    fn reap<B: Backend, C: Clock>(&mut self, state: &mut Loop<B, C>, now_ns: u64) {
        state.tally.look(now_ns);
        let Loop {
            backend, load, tally, sampler, by_target, free, ops, bytes, tried_bytes, failures, ..
        } = state;
        sampler.begin_batch(tally.window().holds(now_ns) && backend.moves_data());
        let Self { lanes, tickets, worker, .. } = self;
        backend.reap(|Completion { slot: number, outcome }| {
            let slot = load.slot(number);
            let class = usize::from(slot.class);
            let started_ns = std::mem::replace(&mut slot.started_ns, NOT_IN_FLIGHT);
            let ticket = tickets[usize::from(number)];
            let mut since_ns = started_ns;
            match &mut lanes[class] {
                None => free.push(number),
                Some(lane) => {
                    lane.free.push_back((number, now_ns));
                    lane.over += 1;
                    lane.latency_ns += now_ns.saturating_sub(ticket.due_ns);
                    since_ns = ticket.due_ns;
                }
            }
            ops[class] += 1;
            *tried_bytes += u64::from(slot.op.len);
            match outcome {
                Ok(moved) if moved == slot.op.len => {
                    *bytes += u64::from(moved);
                    tally.completed(class, slot.op.direction, now_ns.saturating_sub(since_ns), now_ns);
                    tally.moved(class, moved, now_ns);
                    sampler.completed(class, slot.op.direction, slot.op.slot);
                    if let Some(counts) = by_target.get_mut(class) {
                        // What waited for a slot was not yet at the target.
                        counts.completed(slot.op.target, now_ns - started_ns);
                    }
                    let counts = tally.counts(since_ns);
                    if let Some(open) = tally.open(class).filter(|_| counts) {
                        open.service.record(now_ns - started_ns);
                        open.lag.record(ticket.lag_ns);
                    }
                }
                // A short transfer has no errno.
                short_or_failed => {
                    *failures += 1;
                    let errno = short_or_failed.err().unwrap_or(0);
                    let Op { target, offset, direction, .. } = slot.op;
                    if let Some(counts) = by_target.get_mut(class) {
                        counts.failed(target);
                    }
                    tally.failed(class, FirstError { errno, target, offset, direction });
                }
            }
        });
        sampler.look(&**backend, load, worker.workload);
    }

    /// Arrivals in the window that never began: they would have waited until a slot became free after the end.
    fn count_waiting<B: Backend, C: Clock>(&mut self, state: &mut Loop<B, C>, end_ns: u64) {
        for lane in self.lanes.iter_mut().flatten() {
            let writes = self.worker.workload.classes[lane.place].write_percent;
            let frees = lane.free.iter().map(|&(_, free_ns)| free_ns).filter(|&free_ns| free_ns >= end_ns);
            let free_ns = frees.min().unwrap_or(end_ns);
            while lane.next.due_ns < end_ns {
                let passed = u32::try_from(lane.next.passed).unwrap_or(u32::MAX);
                let drawn = if writes.stream_writes(passed) { Direction::Write } else { Direction::Read };
                let direction = lane.walked().map_or(drawn, |stream| stream.direction);
                state.tally.waiting(lane.place, direction, lane.next.due_ns, free_ns);
                lane.next.pass();
            }
        }
    }

    /// Adds the latencies since the last time to what the coordinator sees.
    fn tell_latencies(&mut self) {
        for lane in self.lanes.iter_mut().flatten() {
            if let Some(all) = self.worker.shared.latency_ns.get(lane.place).and_then(Option::as_ref) {
                all.fetch_add(std::mem::take(&mut lane.latency_ns), Ordering::Relaxed);
            }
        }
    }

    /// Shows the counts; whether I/Os turn out to be hung.
    fn look<B: Backend, C: Clock>(&mut self, state: &mut Loop<B, C>, now_ns: u64) -> io::Result<bool> {
        self.tell_latencies();
        let came_back = self.worker.show(&mut state.ops);
        state.audit(came_back)?;
        if state.tally.in_flight() == 0 {
            self.worker.shared.waits.fetch_add(1, Ordering::Relaxed);
        }
        Ok(state.is_hung(now_ns, self.worker.workload.io_timeout_ns))
    }
}

#[cfg(test)]
mod tests;
