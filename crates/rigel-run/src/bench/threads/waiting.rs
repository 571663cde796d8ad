//! What the coordinator keeps while it waits for the workers: how long they have been silent, and parts of a window.
//!
//! Must not wait by itself.

use super::{Progress, TICK};
use crate::job::Part;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::PerClass;
use std::collections::BTreeMap;
use std::time::Duration;

/// How long no worker has seen anything come back. In looks, not on the clock: a program that is stopped and goes
/// on later does not look.
pub(super) struct Silence {
    ops: PerClass<u64>,
    waits: u64,
    looks: u32,
}

impl Silence {
    pub(super) fn of(now: Progress, waits: u64) -> Self {
        Self { ops: now.ops, waits, looks: 0 }
    }

    /// Another look, a tick after the last one. `waits` grows while workers wait for what arrives.
    pub(super) fn look(&mut self, now: Progress, waits: u64) -> Duration {
        let is_silent = now.ops == self.ops && waits == self.waits;
        self.looks = if is_silent { self.looks.saturating_add(1) } else { 0 };
        (self.ops, self.waits) = (now.ops, waits);
        TICK.saturating_mul(self.looks)
    }
}

pub(super) fn no_answer(silent: Duration) -> Problem {
    let seconds = silent.as_secs();
    Problem::new(
        ExitKind::CutShort,
        format!("no I/O came back for {seconds} s, and a worker hangs in the kernel"),
    )
    .because("the device, its path or its server does not answer")
    .next("look into the kernel's log (dmesg) for the device; --io-timeout says how long an I/O may take")
}

/// Parts of a window as they come from the workers that have slots.
pub(super) struct Parts {
    workers: usize,
    /// By their start: from how many workers, and the sum.
    begun: BTreeMap<u64, (usize, Part)>,
}

impl Parts {
    pub(super) fn of(workers: usize) -> Self {
        Self { workers, begun: BTreeMap::new() }
    }

    /// Adds the part of a worker; the part of all of them once the last one has come.
    pub(super) fn add(&mut self, part: Part) -> Option<Part> {
        let start_ns = part.window.start_ns;
        let (count, sum) = match self.begun.remove(&start_ns) {
            None => (1, part),
            Some((count, mut sum)) => {
                sum.add(part);
                (count + 1, sum)
            }
        };
        if count == self.workers {
            return Some(sum);
        }
        self.begun.insert(start_ns, (count, sum));
        None
    }

    /// Parts that not all workers handed over, because one gave up; in order of time.
    pub(super) fn rest(self) -> impl Iterator<Item = Part> {
        self.begun.into_values().map(|(_, part)| part)
    }
}
