//! The device itself: admits requests under the law, holds what hangs, answers when it is due.
//!
//! One lock guards the law, the faults, the queue and the gauge; bytes are moved outside of it. It knows
//! nothing of FUSE: a request carries the closure that answers it. It must not answer a request early, nor
//! while it holds the lock.

use std::collections::BinaryHeap;
use std::fmt;
use std::num::NonZeroU64;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::control::Command;
use crate::faults::{Direction, FaultKind, FaultTable, Hit};
use crate::gauge::{AnswerInterval, Gauge, Meter};
use crate::law::{Law, Stations, Work};
use crate::medium::{Medium, Order};
use crate::request::{Answer, Outcome, PendingRequest};
use crate::store::InitialContents;

/// A timer comes tens of microseconds late; the thread wakes this much earlier and spins.
const SPIN_NS: u64 = 40_000;

/// Only a longer wait than this ends in spinning, so spinning takes at most about a fifth of a
/// processor: a small machine has to run the callers too.
const WORTH_SPINNING_NS: u64 = 5 * SPIN_NS;

struct State {
    stations: Stations,
    faults: FaultTable,
    queue: BinaryHeap<PendingRequest>,
    held: Vec<PendingRequest>,
    meter: Meter,
    next_ticket: u64,
    /// Something was written since the last flush began, and nobody has made it durable.
    dirty: bool,
    /// When the last flush is over.
    flushed_ns: u64,
}

/// The device: its bytes, its law, its faults and its gauge.
pub(crate) struct Device {
    medium: Medium,
    state: Mutex<State>,
    changed: Condvar,
    started: Instant,
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("size_bytes", &self.size_bytes()).finish_non_exhaustive()
    }
}

impl Device {
    pub(crate) fn new(size_bytes: u64, unwritten: InitialContents, law: Law, seed: u64) -> Self {
        let state = State {
            stations: Stations::new(law, seed),
            faults: FaultTable::default(),
            queue: BinaryHeap::new(),
            held: Vec::new(),
            meter: Meter::default(),
            next_ticket: 0,
            dirty: false,
            flushed_ns: 0,
        };
        Self {
            medium: Medium::new(size_bytes, unwritten),
            state: Mutex::new(state),
            changed: Condvar::new(),
            started: Instant::now(),
        }
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        self.medium.store().size_bytes()
    }

    /// Admits a read; a range behind the end is cut, as at the end of a file.
    pub(crate) fn read(&self, offset_bytes: u64, length_bytes: usize, answer: Answer) {
        let now_ns = self.now_ns();
        let length_bytes = self.medium.store().clip(offset_bytes, length_bytes);
        let hit = self.lock().faults.find(Direction::Read, offset_bytes, length_bytes);
        let work = Work::Transfer(length_bytes as u64);
        let cuts = self.medium.cuts();
        self.admit(now_ns, work, Direction::Read, offset_bytes, length_bytes, hit, cuts, answer);
    }

    /// Admits a write. Its bytes are stored at once, also those of a request that will hang; only a refused
    /// write stores nothing. `durable`: the answer says that it is.
    pub(crate) fn write(&self, offset_bytes: u64, data: &[u8], durable: bool, answer: Answer) {
        let now_ns = self.now_ns();
        if self.medium.store().clip(offset_bytes, data.len()) < data.len() {
            return answer(Outcome::Refused(Errno::NOSPC)); // as a block device does at its end
        }
        let hit = self.lock().faults.find(Direction::Write, offset_bytes, data.len());
        let cuts = match hit.map(|hit| hit.kind) {
            Some(FaultKind::Eio | FaultKind::Enospc) => self.medium.cuts(),
            Some(FaultKind::Short) => self.medium.write(offset_bytes, &data[..data.len() / 2], durable),
            Some(FaultKind::Corrupt | FaultKind::Hang) | None => {
                self.medium.write(offset_bytes, data, durable)
            }
        };
        let length_bytes = data.len() as u64;
        let work = if durable { Work::DurableWrite(length_bytes) } else { Work::Transfer(length_bytes) };
        self.admit(now_ns, work, Direction::Write, offset_bytes, data.len(), hit, cuts, answer);
    }

    /// Admits a request to make durable what was written before. It takes no time of its own when all of that is.
    pub(crate) fn sync(&self, answer: Answer) {
        let cuts = self.medium.cuts();
        self.medium.flush();
        self.admit(self.now_ns(), Work::Flush, Direction::Write, 0, 0, None, cuts, answer);
    }

    pub(crate) fn gauge(&self) -> Gauge {
        let now_ns = self.now_ns();
        let gauge = self.lock().meter.read(now_ns);
        gauge.with(&self.medium.deeds())
    }

    pub(crate) fn control(&self, commands: &[Command]) {
        let now_ns = self.now_ns();
        let mut state = self.lock();
        for command in commands {
            state.obey(command, now_ns);
            match command {
                Command::Medium(order) => self.medium.obey(order),
                Command::Clear => self.medium.clear(),
                Command::Reset => self.medium.reset(),
                _ => {}
            }
            if matches!(command, Command::Medium(Order::PowerCut(_))) {
                state.lose_power(now_ns);
            }
        }
        drop(state);
        self.changed.notify_one();
    }

    /// Answers requests as they fall due; never returns.
    pub(crate) fn run_answers(&self) -> ! {
        // The default slack of 50 us would be added to every wait.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut scratch = Vec::new();
        loop {
            let request = self.next_due();
            self.finish(request, &mut scratch);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "what a request is, and where its answer goes")]
    fn admit(
        &self,
        now_ns: u64,
        work: Work,
        direction: Direction,
        offset_bytes: u64,
        length_bytes: usize,
        hit: Option<Hit>,
        cuts: u64,
        answer: Answer,
    ) {
        let mut request = PendingRequest {
            arrived_ns: now_ns,
            due_ns: now_ns,
            ticket: 0,
            cuts,
            direction,
            is_flush: work == Work::Flush,
            offset_bytes,
            length_bytes,
            hit,
            answer,
        };
        let mut state = self.lock();
        request.ticket = state.next_ticket;
        state.next_ticket += 1;
        if !request.is_flush {
            state.meter.arrive(now_ns);
        }
        if hit.is_some() {
            state.meter.inject();
        }
        if request.hits(FaultKind::Hang) {
            return state.held.push(request); // at no station: the law goes on for the others
        }
        request.due_ns = state.due_ns(now_ns, work, direction, offset_bytes);
        if request.due_ns <= now_ns {
            drop(state);
            return self.finish(request, &mut Vec::new());
        }
        let is_next = state.queue.peek().is_none_or(|next| request.due_ns < next.due_ns);
        state.queue.push(request);
        drop(state);
        if is_next {
            self.changed.notify_one();
        }
    }

    fn next_due(&self) -> PendingRequest {
        let mut state = self.lock();
        let mut woke_early = false;
        loop {
            let now_ns = self.now_ns();
            let due_ns = state.queue.peek().map(|request| request.due_ns);
            state = match due_ns {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(due_ns) if due_ns <= now_ns => match state.queue.pop() {
                    Some(request) => return request,
                    None => state,
                },
                Some(due_ns) if woke_early && due_ns - now_ns <= SPIN_NS => {
                    drop(state);
                    self.spin_until(due_ns);
                    self.lock()
                }
                Some(due_ns) => {
                    woke_early = due_ns - now_ns >= WORTH_SPINNING_NS;
                    let early_ns = if woke_early { SPIN_NS } else { 0 };
                    let wait = Duration::from_nanos(due_ns - now_ns - early_ns);
                    self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn spin_until(&self, due_ns: u64) {
        while self.now_ns() < due_ns {
            std::hint::spin_loop();
        }
    }

    /// Counts a request as answered, then answers it: a caller that reads the gauge after its answer, or
    /// sends the next request, must not be counted twice.
    fn finish(&self, mut request: PendingRequest, scratch: &mut Vec<u8>) {
        if request.cuts != self.medium.cuts() {
            request.hit = Some(Hit { kind: FaultKind::Eio, first_byte: 0 });
        }
        let moved_bytes = request.moved_bytes();
        if !request.is_flush {
            self.count_answer(&request);
        }
        if let Some(errno) = request.refusal() {
            return (request.answer)(Outcome::Refused(errno));
        }
        if request.direction == Direction::Write {
            return (request.answer)(Outcome::Written(moved_bytes));
        }
        let corrupt_at = request.hit.filter(|hit| hit.kind == FaultKind::Corrupt).map(|hit| hit.first_byte);
        self.medium.with_range(request.offset_bytes, moved_bytes, scratch, |bytes| match corrupt_at {
            None => (request.answer)(Outcome::Data(bytes)),
            Some(place) => {
                let mut bytes = bytes.to_vec();
                if let Some(byte) = bytes.get_mut(place) {
                    *byte ^= 0x10;
                }
                (request.answer)(Outcome::Data(&bytes));
            }
        });
    }

    fn count_answer(&self, request: &PendingRequest) {
        let answered = AnswerInterval {
            direction: request.direction,
            arrived_ns: request.arrived_ns,
            due_ns: request.due_ns,
            moved_bytes: request.moved_bytes() as u64,
        };
        let mut state = self.lock();
        let now_ns = self.now_ns();
        state.meter.answer(now_ns, answered);
    }

    fn now_ns(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// When a request is due that arrives now.
    fn due_ns(&mut self, now_ns: u64, work: Work, direction: Direction, offset_bytes: u64) -> u64 {
        match work {
            Work::Flush => {
                self.meter.sync();
                if std::mem::take(&mut self.dirty) {
                    self.flushed_ns = self.stations.admit(now_ns, work, offset_bytes);
                }
                return self.flushed_ns.max(now_ns);
            }
            Work::DurableWrite(_) => self.meter.durable_write(),
            Work::Transfer(_) => self.dirty |= direction == Direction::Write,
        }
        self.stations.admit(now_ns, work, offset_bytes)
    }

    fn obey(&mut self, command: &Command, now_ns: u64) {
        let law = self.stations.law();
        match command {
            Command::Servers(servers) => self.stations.set_law(Law { servers: *servers, ..law }),
            Command::ServiceUs(service_us) => self.stations.set_law(Law { service_us: *service_us, ..law }),
            Command::Mbps(mbps) => self.stations.set_law(Law { mbps: *mbps, ..law }),
            Command::FlushUs(flush_us) => self.stations.set_law(Law { flush_us: *flush_us, ..law }),
            Command::Exponential(exponential) => {
                self.stations.set_law(Law { exponential: *exponential, ..law });
            }
            Command::Seed(seed) => self.stations.set_seed(*seed),
            Command::Lru(bytes, hit_us) => self.stations.set_cache(*bytes, *hit_us),
            Command::Slow(slow) => self.stations.add_slow(slow.clone()),
            Command::Bucket(bucket) => self.stations.set_bucket(*bucket, now_ns),
            Command::Fault(fault) => self.faults.add(fault.clone()),
            Command::Release => {
                self.faults.remove(FaultKind::Hang);
                self.let_go(now_ns);
            }
            Command::Clear => {
                self.faults.clear();
                self.stations.clear_slow();
                self.let_go(now_ns);
            }
            Command::Reset => self.meter.reset(now_ns),
            Command::Medium(_) => {}
        }
    }

    /// Whatever is on its way is answered now; that it failed is seen when it is.
    fn lose_power(&mut self, now_ns: u64) {
        self.let_go(now_ns);
        let queue = std::mem::take(&mut self.queue);
        self.queue = queue.into_iter().map(|request| PendingRequest { due_ns: now_ns, ..request }).collect();
        self.dirty = false;
        self.flushed_ns = now_ns;
    }

    fn let_go(&mut self, now_ns: u64) {
        for request in self.held.drain(..) {
            self.queue.push(PendingRequest { due_ns: now_ns, ..request });
        }
    }
}

#[cfg(test)]
mod tests;
