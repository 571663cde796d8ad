//! How long workers have been silent while the coordinator waits for them.
//!
//! Must not wait on its own.

use super::{Progress, TICK};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::class::PerClass;
use rigel_core::measure::HungIo;
use rigel_io::sync::WaitingIo;
use std::time::Duration;

/// How long no worker has seen a completion. In checks, not on the clock: a program that is stopped and continued
/// later does not check.
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

/// What workers wait for that have been silent for this long; `None` if unknown.
pub(super) fn hung(all: &[WaitingIo], silent: Duration) -> Option<HungIo> {
    let WaitingIo { target, offset, direction } = *all.first()?;
    let age_ns = u64::try_from(silent.as_nanos()).unwrap_or(u64::MAX);
    Some(HungIo { target, offset, direction, age_ns, count: all.len() as u64, taken_back: false })
}

pub(super) fn no_answer(silent: Duration) -> Problem {
    let seconds = silent.as_secs();
    Problem::new(
        ExitKind::CutShort,
        format!("no I/O completed for {seconds} s, and a worker hangs in the kernel"),
    )
    .because("the device, its path or its server does not respond")
    .next("check the kernel log (dmesg) for the device; --io-timeout sets how long an I/O may take")
}
