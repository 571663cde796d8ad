//! How long workers have been silent while the coordinator waits for them.
//!
//! Must not wait by itself.

use super::{Progress, TICK};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::PerClass;
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
