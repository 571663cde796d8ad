//! The service stations of the simulated device.

use super::gate::Gate;
use super::lru::Lru;
use super::speed::Speed;
use super::whole_ns;
use crate::backend::Op;
use rigel_core::load::class::Sync;
use rigel_core::load::draw::Generator;
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::Direction;
use rigel_core::sim::{CacheLevel, LINE_BYTES, ServiceTime, SimLaw};
use rigel_core::units::to_f64;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// k parallel stations with one queue in front, perhaps behind limits; each of several targets has its own stations, and all share the limits.
#[derive(Debug)]
pub(super) struct Stations {
    law: SimLaw,
    /// For each target, when its stations are free.
    free_at: Vec<BinaryHeap<Reverse<u64>>>,
    generator: Generator,
    ios_limit: Option<Gate>,
    bytes_limit: Option<Gate>,
    /// `None`: always 1.
    speed: Option<Speed>,
    written_bytes: u64,
    /// The fastest first; empty: there is no cache.
    caches: Vec<(CacheLevel, Lru)>,
}

impl Stations {
    /// `number`: the index of the device, if several share a seed.
    pub(super) fn new(law: SimLaw, seed: u64, number: u64) -> Self {
        let noise = law.noise;
        let own =
            if number == 0 { vec![u64::from(law.servers)] } else { vec![u64::from(law.servers), number] };
        Self {
            law,
            free_at: vec![(0..law.servers).map(|_| Reverse(0)).collect(); law.targets.count.max(1) as usize],
            generator: Generator::new(seed, &own),
            ios_limit: noise.bucket.map(Gate::new),
            bytes_limit: noise.cap.map(Gate::new),
            speed: (!noise.is_steady()).then(|| Speed::new(noise, seed)),
            written_bytes: 0,
            caches: [law.caches.first, law.caches.second]
                .into_iter()
                .flatten()
                .map(|cache| (cache, Lru::new(cache.bytes / LINE_BYTES)))
                .collect(),
        }
    }

    /// Begins a visit, which has its own effect on the speed.
    pub(super) fn begin_visit(&mut self, now_ns: u64, visit: u64, point: Point) {
        if let Some(speed) = &mut self.speed {
            speed.begin_visit(now_ns, visit, point);
        }
    }

    /// Serves an I/O that arrives at `now_ns` as one of `in_flight`, at the station that is free first. Returns the time of
    /// its completion.
    pub(super) fn serve(&mut self, now_ns: u64, op: &Op, in_flight: u32) -> u64 {
        let mut admitted_ns = now_ns;
        if let Some(gate) = &mut self.ios_limit {
            admitted_ns = gate.pass(admitted_ns, 1);
        }
        if let Some(gate) = &mut self.bytes_limit {
            admitted_ns = gate.pass(admitted_ns, u64::from(op.len));
        }
        let work_ns = (self.work_ns(op) + self.flush_ns(op)) * self.law.crowding(in_flight);
        let target = usize::from(op.target).min(self.free_at.len() - 1);
        let Reverse(free_ns) = self.free_at[target].pop().unwrap_or(Reverse(admitted_ns));
        let start_ns = free_ns.max(admitted_ns);
        let done_ns = match &mut self.speed {
            None => start_ns.saturating_add(whole_ns(work_ns)),
            Some(speed) => speed.finish(start_ns, work_ns),
        };
        self.free_at[target].push(Reverse(done_ns));
        done_ns
    }

    /// Draws the service time of an I/O at speed 1.
    fn work_ns(&mut self, op: &Op) -> f64 {
        let own = self.law.by_place.speed(op.offset, self.law.size_bytes) * self.law.targets.speed(op.target);
        let slow = self.slow(op) / own;
        if let Some(hit_ns) = self.hit_ns(op) {
            return hit_ns * slow;
        }
        if let Some(hits) = self.law.noise.hits
            && self.generator.unit() <= hits.share.fraction()
        {
            return to_f64(hits.service_ns) * slow;
        }
        let mean_ns = self.law.service_ns(u64::from(op.len)) * slow;
        match self.law.spread {
            ServiceTime::Constant => mean_ns,
            ServiceTime::Exponential => mean_ns * self.generator.exponential(),
            ServiceTime::Lognormal { cv } => mean_ns * self.generator.lognormal(cv.fraction()),
        }
    }

    /// The service time of what a cache holds; what none holds is in each from now on. A write is never a hit.
    fn hit_ns(&mut self, op: &Op) -> Option<f64> {
        let end = op.offset.saturating_add(u64::from(op.len)).max(op.offset + 1);
        let lines = op.offset / LINE_BYTES..=(end - 1) / LINE_BYTES;
        // Targets are far from each other.
        let keys = lines.map(|line| line | u64::from(op.target) << 48);
        for (cache, held) in &mut self.caches {
            let missing = keys.clone().filter(|key| !held.touch(*key)).count();
            if missing == 0 && op.direction == Direction::Read {
                return Some(to_f64(cache.service_ns));
            }
        }
        None
    }

    /// The time to make a write durable.
    fn flush_ns(&self, op: &Op) -> f64 {
        let durable = op.direction == Direction::Write && op.sync != Sync::None;
        if durable { to_f64(self.law.flush_ns) } else { 0.0 }
    }

    /// The factor by which a write takes longer once the bytes at full speed are used up.
    fn slow(&mut self, op: &Op) -> f64 {
        let Some(cliff) = self.law.noise.cliff.filter(|_| op.direction == Direction::Write) else {
            return 1.0;
        };
        let over = self.written_bytes >= cliff.bytes;
        self.written_bytes = self.written_bytes.saturating_add(u64::from(op.len));
        if over { 1.0 / cliff.factor.fraction() } else { 1.0 }
    }
}
