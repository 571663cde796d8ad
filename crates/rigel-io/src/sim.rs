//! A simulated device in virtual time, whose rate and latency are known.
//!
//! k stations serve I/Os in the order of arrival; the clock moves only when the caller waits. Rate and latency follow
//! exactly from the law ([`SimLaw::truth_iops`], Little's law), also under disturbances. So all code above the backend can
//! be tested against independent numbers. Must not read a real clock.

mod device;
mod gate;
mod lru;
mod speed;
mod timeline;

use crate::backend::{Backend, Completion, Op, SlotLayout};
use crate::clock::Clock;
use device::Stations;
use rigel_core::load::matrix::Point;
use rigel_core::sim::{DelayedIos, SimLaw};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::rc::Rc;

/// The virtual clock of one simulated device; clones show the same time.
#[derive(Clone, Debug, Default)]
pub struct SimClock(Rc<Cell<u64>>);

impl SimClock {
    /// Lets time pass.
    pub fn advance(&self, ns: u64) {
        self.0.set(self.0.get().saturating_add(ns));
    }
}

impl Clock for SimClock {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}

/// The backend of the simulated device.
#[derive(Debug)]
pub struct Sim {
    clock: SimClock,
    lost: Option<DelayedIos>,
    stations: Stations,
    layout: SlotLayout,
    in_flight: Vec<bool>,
    queued: Vec<Op>,
    /// Served I/Os in the order of their completion times, then of arrival.
    due: BinaryHeap<Reverse<(u64, u64, u16, u32)>>,
    arrivals: u64,
    done: Vec<Completion>,
    /// The buffer of every slot; a simulated device moves no data.
    buffer: Vec<u8>,
}

impl Sim {
    /// A device that obeys `law`, with its clock.
    ///
    /// # Panics
    /// When the law is out of its limits ([`SimLaw::check`]): a bug in the caller.
    pub fn new(law: SimLaw, layout: SlotLayout, seed: u64) -> (Self, SimClock) {
        Self::one_of_several(law, layout, seed, 0)
    }

    /// One of several devices, numbered from 0. Changes of speed affect all at the same time, and each draws its own
    /// service times.
    ///
    /// # Panics
    /// As [`Sim::new`].
    pub fn one_of_several(law: SimLaw, layout: SlotLayout, seed: u64, number: u64) -> (Self, SimClock) {
        assert_eq!(law.check(), Ok(()), "{law:?}");
        let clock = SimClock::default();
        let longest = layout.longest();
        let sim = Self {
            clock: clock.clone(),
            lost: law.noise.lost,
            stations: Stations::new(law, seed, number),
            layout,
            in_flight: vec![false; usize::from(layout.slots())],
            queued: Vec::with_capacity(usize::from(layout.slots())),
            due: BinaryHeap::with_capacity(usize::from(layout.slots())),
            arrivals: 0,
            done: Vec::with_capacity(usize::from(layout.slots())),
            buffer: vec![0; usize::try_from(longest).unwrap_or(0)],
        };
        (sim, clock)
    }

    /// Begins a visit to a point; no I/O may be in flight.
    pub fn begin_visit(&mut self, visit: u64, point: Point) {
        self.stations.begin_visit(self.clock.0.get(), visit, point);
    }
}

impl Backend for Sim {
    fn slots(&self) -> u16 {
        self.layout.slots()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        let bytes = self.free_bytes(slot);
        &mut self.buffer[..bytes]
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        &self.buffer[..self.free_bytes(slot)]
    }

    fn moves_data(&self) -> bool {
        false
    }

    fn longest_wait_ns(&self) -> u64 {
        u64::MAX
    }

    fn push(&mut self, op: Op) {
        let busy = &mut self.in_flight[usize::from(op.slot)];
        assert!(!*busy, "slot {} is in flight", op.slot);
        assert!(op.len <= self.layout.bytes_of(op.slot), "an I/O of {} bytes in slot {}", op.len, op.slot);
        *busy = true;
        self.queued.push(op);
    }

    fn submit(&mut self, wait_for: u16) -> io::Result<()> {
        self.serve_queued();
        self.wait(wait_for, u64::MAX);
        Ok(())
    }

    /// Virtual time advances to the next completion or to the end of the wait, whichever comes first.
    fn submit_within(&mut self, wait_for: u16, longest_ns: u64) -> io::Result<()> {
        self.serve_queued();
        let until_ns = self.clock.0.get().saturating_add(longest_ns);
        self.wait(wait_for, until_ns);
        if self.done.len() < usize::from(wait_for) {
            self.clock.0.set(until_ns);
        }
        Ok(())
    }

    /// Virtual time is exact.
    fn wakes_early_ns(&self) -> u64 {
        0
    }

    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for completion in self.done.drain(..) {
            self.in_flight[usize::from(completion.slot)] = false;
            sink(completion);
        }
    }
}

impl Sim {
    /// Passes the pushed I/Os to the device.
    fn serve_queued(&mut self) {
        let now = self.clock.0.get();
        let in_flight = u32::try_from(self.due.len() + self.queued.len()).unwrap_or(u32::MAX);
        for op in self.queued.drain(..) {
            let mut due = self.stations.serve(now, &op, in_flight);
            self.arrivals += 1;
            if let Some(lost) = self.lost.filter(|lost| self.arrivals.is_multiple_of(lost.every)) {
                due = due.saturating_add(lost.delay_ns);
            }
            self.due.push(Reverse((due, self.arrivals, op.slot, op.len)));
        }
    }

    /// Lets time pass until this many have completed, but not beyond `until_ns`.
    fn wait(&mut self, wait_for: u16, until_ns: u64) {
        while self.done.len() < usize::from(wait_for) || self.next_due() == Some(self.clock.0.get()) {
            if self.next_due().is_none_or(|due| due > until_ns) {
                break;
            }
            if let Some(Reverse((due, _, slot, len))) = self.due.pop() {
                self.clock.0.set(due.max(self.clock.0.get()));
                self.done.push(Completion { slot, outcome: Ok(len) });
            }
        }
    }

    /// Bytes of the buffer of a slot, which must be free.
    fn free_bytes(&self, slot: u16) -> usize {
        assert!(!self.in_flight[usize::from(slot)], "slot {slot} is in flight");
        usize::try_from(self.layout.bytes_of(slot)).unwrap_or(0)
    }

    fn next_due(&self) -> Option<u64> {
        self.due.peek().map(|Reverse((due, ..))| *due)
    }
}

/// A positive time to the nearest nanosecond, at least one.
fn whole_ns(ns: f64) -> u64 {
    ceil_ns(ns.round()).max(1)
}

/// The next whole nanosecond; 0 for times before the start.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
fn ceil_ns(ns: f64) -> u64 {
    ns.ceil() as u64
}

#[cfg(test)]
mod tests;
