//! The loop of a point whose load may take only a share of the time (`rigel soak --beside-production`).
//!
//! Time earns at the rate of the share, I/Os in flight spend, and an I/O begins when there is no debt: whatever the device does, the time in flight
//! is the share and at most an I/O more. Nothing is saved up, so no burst follows an idle moment. The governor, in the coordinator's thread, changes
//! the share at any time, and gets the latencies of reads. Must not judge them.

use super::{End, Loop, Parts, SHOW_NS, TAKE_BACK_NS, Worker};
use rigel_core::load::governor::{Ppm, WHOLE, bucket};
use rigel_core::load::workload::Direction;
use rigel_io::backend::Backend;
use rigel_io::clock::Clock;
use std::collections::VecDeque;
use std::io;
use std::sync::atomic::Ordering;

/// What a load has used beyond its earnings.
#[derive(Debug)]
struct Account {
    /// In millionths of a nanosecond.
    debt: u128,
    /// Earnings per nanosecond; an I/O in flight spends a million.
    rate: u128,
    looked_ns: u64,
}

impl Account {
    /// Until now this many I/Os were in flight.
    fn look(&mut self, now_ns: u64, in_flight: u64, rate: u128) {
        let ns = u128::from(now_ns.saturating_sub(self.looked_ns));
        self.looked_ns = now_ns;
        let spent = ns * u128::from(in_flight) * u128::from(WHOLE);
        self.debt = (self.debt + spent).saturating_sub(ns * self.rate);
        self.rate = rate;
    }

    /// I/Os that may be in flight together.
    fn most(&self) -> u64 {
        u64::try_from(self.rate.div_ceil(u128::from(WHOLE))).unwrap_or(u64::MAX)
    }

    /// How long until it is balanced, with nothing in flight.
    fn wait_ns(&self) -> u64 {
        u64::try_from(self.debt.div_ceil(self.rate)).unwrap_or(u64::MAX)
    }
}

/// What this worker earns now: its part of the share of all targets.
fn rate(worker: &Worker<'_>) -> u128 {
    let ppm: Ppm = worker.shared.share_ppm.load(Ordering::Relaxed);
    let targets = worker.workload.beside.map_or(1, |(_, targets)| targets as u64);
    (u128::from(ppm) * u128::from(targets) / u128::from(worker.workers.max(1))).max(1)
}

/// Begins what the share allows and reaps until the end, then drains. Returns whether the coordinator ended it early.
pub(super) fn drive<B: Backend, C: Clock>(
    worker: &Worker<'_>,
    state: &mut Loop<'_, B, C>,
    mut end: End,
    mut parts: Parts,
) -> io::Result<bool> {
    let mut began_ns = vec![0_u64; usize::from(worker.layout.slots())];
    let mut idle: VecDeque<u16> = state.free.drain(..).collect();
    let mut account = Account { debt: 0, rate: rate(worker), looked_ns: state.clock.now_ns() };
    let mut next_show_ns = 0;
    let mut give_up_ns = u64::MAX;
    let (mut stopped, mut draining) = (false, idle.is_empty());
    loop {
        if draining && state.tally.in_flight() == 0 {
            return Ok(stopped);
        }
        let has_room = state.tally.in_flight() < account.most();
        if !draining
            && has_room
            && account.debt == 0
            && let Some(slot) = idle.pop_front()
        {
            state.free.push(slot);
            state.submit_free::<true, true>(worker.workload.seed);
            began_ns[usize::from(slot)] = state.load.slot(slot).started_ns;
        }
        let waits_for_time = !draining && !idle.is_empty() && state.tally.in_flight() < account.most();
        let longest_ns = if waits_for_time { account.wait_ns().clamp(1, SHOW_NS) } else { SHOW_NS };
        state.backend.submit_within(1, longest_ns)?;
        let now_ns = state.clock.now_ns();
        account.look(now_ns, state.tally.in_flight(), rate(worker));
        let end_at_ns = worker.shared.end_at_ns.load(Ordering::Relaxed);
        if end_at_ns < end.at_ns {
            stopped = true;
            end.at_ns = end_at_ns;
            state.tally.shorten(end_at_ns);
        }
        while now_ns >= parts.next_ns && parts.next_ns < end.at_ns {
            worker.end_part(state, parts.window, parts.next_ns, parts.length_ns);
            parts.next_ns = parts.next_ns.saturating_add(parts.length_ns);
        }
        state.reap::<true, true>(now_ns, worker.workload);
        for slot in state.free.drain(..) {
            if state.load.slot(slot).op.direction == Direction::Read {
                probed(worker, now_ns.saturating_sub(began_ns[usize::from(slot)]));
            }
            idle.push_back(slot);
        }
        if now_ns >= next_show_ns {
            next_show_ns = now_ns + SHOW_NS;
            if look(worker, state, now_ns)? {
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

/// A read completed.
fn probed(worker: &Worker<'_>, latency_ns: u64) {
    if let Some(count) = worker.shared.probes.get(bucket(latency_ns)) {
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Shows the counts; whether I/Os turn out to be hung.
fn look<B: Backend, C: Clock>(
    worker: &Worker<'_>,
    state: &mut Loop<'_, B, C>,
    now_ns: u64,
) -> io::Result<bool> {
    let came_back = worker.show(&mut state.ops);
    state.audit(came_back)?;
    // To wait for time to pass is no silence.
    if state.tally.in_flight() == 0 {
        worker.shared.waits.fetch_add(1, Ordering::Relaxed);
    }
    Ok(state.is_hung(now_ns, worker.workload.io_timeout_ns))
}

#[cfg(test)]
mod tests;
