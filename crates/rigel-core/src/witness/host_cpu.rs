//! Where the CPU time of the hosts went: idle, interrupts, the hypervisor.
//!
//! Must not judge it.

use super::Witness;
use crate::units::{NS_PER_US, to_f64};
use schemars::JsonSchema;
use serde::Serialize;

/// Shares of the CPU time of all CPUs of the hosts, for all users. The remainder was used by tasks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct HostCpu {
    /// Unused; waiting for I/O counts as idle.
    pub idle: f64,
    /// Hard and soft interrupts: much of the work for network I/O and completions. Null if the kernel does not count it.
    pub interrupts: Option<f64>,
    /// A hypervisor ran something else while a CPU was wanted. Null if the kernel does not count it.
    pub steal: Option<f64>,
}

impl HostCpu {
    /// The shares over some visits; `None` if a host was not watched in one of them.
    pub fn of<'a>(witnesses: impl IntoIterator<Item = Option<&'a Witness>>) -> Option<Self> {
        let (mut used_us, mut all_us) = (0.0, 0.0);
        let (mut interrupts_us, mut steal_us) = (Some(0.0), Some(0.0));
        let more = |sum: &mut Option<f64>, us: Option<u64>| {
            *sum = sum.zip(us).map(|(sum, us)| sum + to_f64(us));
        };
        for witness in witnesses {
            let witness = witness?;
            all_us += f64::from(witness.cpus?) * to_f64(witness.span_ns()) / to_f64(NS_PER_US);
            for sample in &witness.samples {
                let counts = &sample.counts;
                used_us += to_f64(counts.busy_us?.saturating_add(counts.interrupts_us.unwrap_or(0)));
                // A hypervisor that ran others left us nothing of it.
                used_us += to_f64(counts.steal_us.unwrap_or(0));
                more(&mut interrupts_us, counts.interrupts_us);
                more(&mut steal_us, counts.steal_us);
            }
        }
        let share = |us: f64| (us / all_us).clamp(0.0, 1.0);
        (all_us > 0.0).then(|| Self {
            idle: (1.0 - used_us / all_us).clamp(0.0, 1.0),
            interrupts: interrupts_us.map(share),
            steal: steal_us.map(share),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NS_PER_S;
    use crate::witness::{Counts, WitnessSample};

    /// One second of two CPUs.
    fn witness(busy_us: u64, interrupts_us: Option<u64>) -> Witness {
        let counts =
            Counts { busy_us: Some(busy_us), interrupts_us, steal_us: Some(100_000), ..Counts::default() };
        Witness {
            period_ns: NS_PER_S,
            cpus: Some(2),
            devices: Vec::new(),
            kernel_us: None,
            carried: None,
            began_ns: 0,
            samples: vec![WitnessSample { at_ns: NS_PER_S, counts }],
        }
    }

    #[test]
    fn what_nobody_used_is_idle() {
        let one = witness(1_000_000, Some(200_000));
        let found = HostCpu::of([Some(&one), Some(&one)]).unwrap();
        assert!((found.idle - 0.35).abs() < 1e-12, "{found:?}");
        assert_eq!((found.interrupts, found.steal), (Some(0.1), Some(0.05)));
        let old = witness(1_000_000, None);
        let found = HostCpu::of([Some(&one), Some(&old)]).unwrap();
        assert!((found.idle - 0.4).abs() < 1e-12, "{found:?}");
        assert_eq!(found.interrupts, None, "one of the visits does not tell");
        assert_eq!((HostCpu::of([Some(&one), None]), HostCpu::of([])), (None, None));
    }
}
