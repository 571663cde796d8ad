//! The sampling thread: makes readings periodically and on request, and answers with those of an interval. Must not know
//! the counters, nor what a limit means.

use super::counters::Counters;
use super::kernel::KernelThreads;
use super::limits::LimitsWatch;
use crate::clock::Clock;
use rigel_core::facts::LimitsChange;
use rigel_core::witness::{Reading, Witness};
use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// Most stored readings: 13 minutes at ten per second. Longer visits store every second one.
const MOST_READINGS: usize = 8192;
/// Readings at the start. The fastest of them is the cost of one.
const TRIALS: usize = 3;

pub(super) enum Request {
    /// A reading now.
    Mark { answer: Sender<()> },
    /// A reading now, and the samples of an interval.
    Between { start_ns: u64, end_ns: u64, answer: Sender<Option<Witness>> },
    /// The current limits, and their changes since a time.
    LimitsSince { start_ns: u64, answer: Sender<Vec<LimitsChange>> },
}

pub(super) struct Watch<C> {
    counters: Counters,
    devices: Vec<(u32, u32)>,
    clock: C,
    /// The time that one reading takes.
    pub(super) cost_ns: u64,
    readings: VecDeque<Reading>,
    limits: LimitsWatch,
    kernel: KernelThreads,
}

impl<C: Clock> Watch<C> {
    pub(super) fn begin(
        counters: Counters,
        (limits, kernel): (LimitsWatch, KernelThreads),
        devices: &[(u32, u32)],
        clock: C,
    ) -> Self {
        let readings = VecDeque::with_capacity(MOST_READINGS);
        let mut watch =
            Self { counters, devices: devices.to_vec(), clock, cost_ns: u64::MAX, readings, limits, kernel };
        for _ in 0..TRIALS {
            let began_ns = watch.clock.now_ns();
            watch.read();
            watch.cost_ns = watch.cost_ns.min(watch.clock.now_ns().saturating_sub(began_ns));
        }
        watch
    }

    /// Takes a reading every `period_ns` and on every question, until the sender has ended.
    pub(super) fn serve(mut self, requests: &Receiver<Request>, period_ns: u64) {
        let mut due_ns = self.clock.now_ns().saturating_add(period_ns);
        loop {
            let wait_ns = due_ns.saturating_sub(self.clock.now_ns());
            match requests.recv_timeout(Duration::from_nanos(wait_ns)) {
                Err(RecvTimeoutError::Timeout) => {
                    self.read();
                    if self.limits.is_due(self.clock.now_ns()) {
                        self.limits.look(&self.clock);
                    }
                    // After a delay, wait a whole period instead of catching up.
                    due_ns = due_ns.saturating_add(period_ns).max(self.clock.now_ns());
                }
                Ok(request) => self.answer(request, period_ns),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// The receiver may have ended; then the answer is dropped.
    fn answer(&mut self, request: Request, period_ns: u64) {
        self.read();
        self.limits.look(&self.clock);
        match request {
            Request::Mark { answer } => {
                self.kernel.mark();
                let _ = answer.send(());
            }
            Request::Between { start_ns, end_ns, answer } => {
                drop(answer.send(self.between(start_ns, end_ns, period_ns)));
            }
            Request::LimitsSince { start_ns, answer } => drop(answer.send(self.limits.since(start_ns))),
        }
    }

    fn read(&mut self) {
        if self.readings.len() == MOST_READINGS {
            // Counters only grow, so dropping readings loses detail but no sum.
            let mut keep = false;
            self.readings.retain(|_| {
                keep = !keep;
                keep
            });
        }
        let at_ns = self.clock.now_ns();
        self.readings.push_back(Reading { at_ns, total: self.counters.read() });
    }

    fn between(&mut self, start_ns: u64, end_ns: u64, period_ns: u64) -> Option<Witness> {
        let base = self.readings.partition_point(|reading| reading.at_ns <= start_ns).saturating_sub(1);
        self.readings.drain(..base);
        let last = self.readings.partition_point(|reading| reading.at_ns < end_ns);
        let readings: Vec<&Reading> = self.readings.iter().take(last + 1).collect();
        let kernel_us = self.kernel.since_mark();
        let seen = Witness::between(&readings, period_ns, self.counters.cpus, &self.devices)?;
        Some(Witness { kernel_us, ..seen })
    }
}
