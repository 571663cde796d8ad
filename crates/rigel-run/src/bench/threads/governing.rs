//! Beside production: the latency of its own reads and how much the host waits for I/O, gathered once a second for the governor, whose decision
//! goes to the workers.
//!
//! Must not decide; [`rigel_core::load::governor`] does.

use crate::job::JobState;
use rigel_core::load::governor::{Governor, GovernorInterval, GovernorReading, Ppm};
use rigel_core::units::NS_PER_S;
use rigel_io::witness::IoPressure;
use std::path::Path;
use std::sync::atomic::Ordering;

/// The interval.
const EVERY_NS: u64 = NS_PER_S;

#[derive(Debug)]
pub(super) struct GovernorLoop {
    governor: Governor,
    pressure: IoPressure,
    looked_ns: u64,
    reads: Vec<u64>,
    pressed_us: Option<u64>,
    /// Since the last interval.
    figures: GovernorInterval,
    /// The allowed share times the time that it held.
    allowed: u128,
    since_ns: u64,
}

impl GovernorLoop {
    pub(super) fn new(most: Ppm) -> Self {
        Self {
            governor: Governor::new(most),
            pressure: IoPressure::open(Path::new("/")),
            looked_ns: 0,
            reads: Vec::new(),
            pressed_us: None,
            figures: GovernorInterval::default(),
            allowed: 0,
            since_ns: 0,
        }
    }

    /// A load begins; earlier samples are not part of it.
    pub(super) fn begin(&mut self, now_ns: u64, shared: &JobState) {
        self.looked_ns = now_ns;
        self.reads = reads(shared);
        self.pressed_us = self.pressure.waited_us();
        self.figures = GovernorInterval { least_ppm: self.governor.share(), ..GovernorInterval::default() };
        (self.allowed, self.since_ns) = (0, now_ns);
        shared.share_ppm.store(self.governor.share(), Ordering::Relaxed);
    }

    /// To be called often.
    pub(super) fn look(&mut self, now_ns: u64, shared: &JobState) {
        let ns = now_ns.saturating_sub(self.looked_ns);
        if ns < EVERY_NS {
            return;
        }
        self.pass(now_ns);
        let now = reads(shared);
        let pressed_us = self.pressure.waited_us();
        let since = |(now, before): (&u64, &u64)| now.saturating_sub(*before);
        let seen = GovernorReading {
            ns,
            reads: now.iter().zip(&self.reads).map(since).collect(),
            pressed_us: pressed_us.zip(self.pressed_us).map(|(now, before)| now.saturating_sub(before)),
        };
        (self.reads, self.pressed_us) = (now, pressed_us);
        if let Some(look) = self.governor.see(&seen) {
            self.figures.look(&look);
        }
        let share = self.governor.share();
        self.figures.least_ppm = self.figures.least_ppm.min(share);
        shared.share_ppm.store(share, Ordering::Relaxed);
    }

    /// Counts the time since the last look for the share that held.
    fn pass(&mut self, now_ns: u64) {
        let ns = now_ns.saturating_sub(self.looked_ns);
        self.allowed += u128::from(ns) * u128::from(self.governor.share());
        self.looked_ns = now_ns;
    }

    /// The allowed share in the finished interval.
    pub(super) fn taken(&mut self, now_ns: u64) -> GovernorInterval {
        let whole_ns = self.looked_ns.saturating_sub(self.since_ns);
        let mean = self.allowed.checked_div(u128::from(whole_ns));
        let now = self.governor.share();
        let mean = mean.and_then(|mean| u32::try_from(mean).ok()).unwrap_or(now);
        (self.allowed, self.since_ns) = (0, self.looked_ns.min(now_ns));
        let fresh = GovernorInterval { least_ppm: now, ..GovernorInterval::default() };
        GovernorInterval { allowed_ppm: mean, ..std::mem::replace(&mut self.figures, fresh) }
    }
}

fn reads(shared: &JobState) -> Vec<u64> {
    shared.probes.iter().map(|count| count.load(Ordering::Relaxed)).collect()
}
