//! The I/O limits of the control groups during a visit: what they are now, and when they changed.
//!
//! A limit that is set and restored within a visit leaves no trace afterwards. Must not judge.

use super::COST_LIMIT;
use crate::clock::Clock;
use crate::host::IoLimits;
use rigel_core::facts::LimitsChange;
use rigel_core::units::NS_PER_S;

/// They are read so often, or less often where reading takes long.
const PERIOD_NS: u64 = NS_PER_S;

pub(super) struct LimitsWatch {
    limits: IoLimits,
    now: Vec<String>,
    due_ns: u64,
    changes: Vec<LimitsChange>,
}

impl LimitsWatch {
    pub(super) fn begin(limits: IoLimits) -> Self {
        Self { now: limits.read(), limits, due_ns: 0, changes: Vec::new() }
    }

    pub(super) const fn is_due(&self, now_ns: u64) -> bool {
        now_ns >= self.due_ns
    }

    pub(super) fn look(&mut self, clock: &impl Clock) {
        let at_ns = clock.now_ns();
        let now = self.limits.read();
        let cost_ns = clock.now_ns().saturating_sub(at_ns);
        self.due_ns = at_ns.saturating_add(PERIOD_NS.max(cost_ns.saturating_mul(COST_LIMIT)));
        if now == self.now {
            return;
        }
        let before = std::mem::replace(&mut self.now, now.clone());
        if self.changes.len() < LimitsChange::MOST {
            self.changes.push(LimitsChange { at_ns, before, now });
        }
    }

    /// The changes after `start_ns`. All of them are forgotten.
    pub(super) fn since(&mut self, start_ns: u64) -> Vec<LimitsChange> {
        let mut changes = std::mem::take(&mut self.changes);
        changes.retain(|change| change.at_ns > start_ns);
        changes
    }
}
