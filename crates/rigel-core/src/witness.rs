//! The witness: samples of the kernel's counters during a visit, as plain data. They show what else happened on the
//! host.
//!
//! `rigel-io` reads the counters. [`Witness::between`] computes the differences between samples, [`judge()`]
//! decides whether other processes disturbed the visit, [`residual_correlation`] whether that changed the results.
//! A figure that the host does not provide, or that is impossible, is `None`, never a guess. Must not read
//! anything.

mod columns;
mod host_cpu;
mod judge;
mod regression;
mod track;

pub use host_cpu::HostCpu;
pub use judge::{
    Disturbance, ForeignIo, Judgement, device_io, foreign_cores, host_limited, judge, own_cores,
};
pub use regression::{ResidualCorrelation, WitnessedVisit, residual_correlation};
pub use track::VisitMeasure;

use crate::units::NS_PER_US;
use columns::Columns;
use serde::{Deserialize, Serialize};

/// Most samples of a witness; a longer visit has longer samples.
const MOST_SAMPLES: usize = 600;
/// How late the kernel may account for CPU time, for each CPU.
const LATE_US: u64 = 2_000_000;

/// Counters of the host, either since some moment in the past or over a span.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// CPU time of all tasks on all CPUs, user and system, without interrupts.
    pub busy_us: Option<u64>,
    /// CPU time of interrupts, hard and soft, on all CPUs.
    pub interrupts_us: Option<u64>,
    /// Time in which a task wanted a CPU and the hypervisor ran something else, on all CPUs.
    pub steal_us: Option<u64>,
    /// CPU time of all threads of this process.
    pub own_us: Option<u64>,
    /// Time in which a task, ours or not, waited for a CPU (PSI `some`).
    pub cpu_pressure_us: Option<u64>,
    /// Time in which a task, ours or not, waited for I/O (PSI `some`).
    pub io_pressure_us: Option<u64>,
    /// What each of [`Witness::devices`] moved.
    pub moved: Vec<Option<DeviceTransfer>>,
    /// What moved at the bottom of all targets: through devices, and through NFS clients; only in a [`Reading`].
    pub carried: Option<DeviceTransfer>,
}

/// Bytes that a block device transferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceTransfer {
    /// Read.
    pub read_bytes: u64,
    /// Written.
    pub written_bytes: u64,
}

/// All counters at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// When, on the run's clock.
    pub at_ns: u64,
    /// Counted since some moment in the past.
    pub total: Counts,
}

/// What was counted between the previous sample and this one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WitnessSample {
    /// Its end, on the run's clock; it begins at the end of the previous one.
    pub at_ns: u64,
    /// What was counted in it.
    pub counts: Counts,
}

/// The samples of one visit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Columns", try_from = "Columns")]
pub struct Witness {
    /// Intended length of a sample; a long visit has samples of a multiple of it.
    pub period_ns: u64,
    /// CPUs of the host.
    pub cpus: Option<u32>,
    /// Major and minor numbers of the devices whose I/O was counted. Empty if a target has none that counts.
    pub devices: Vec<(u32, u32)>,
    /// CPU time of the kernel's own threads during all samples, if known. Some of it was for Rigel's I/O; how much is unknown.
    pub kernel_us: Option<u64>,
    /// What the devices at the bottom of all targets moved during all samples, if these differ from `devices`: below RAIDs, loop
    /// devices, btrfs, overlays.
    pub carried: Option<DeviceTransfer>,
    /// Beginning of the first sample, on the run's clock.
    pub began_ns: u64,
    /// In order of time, without gaps; never empty.
    pub samples: Vec<WitnessSample>,
}

impl Witness {
    /// What was counted between readings, which are in order of time. Above 600 samples, neighbours are merged. `None` if no time
    /// passed between the first and the last reading.
    pub fn between(
        readings: &[&Reading],
        period_ns: u64,
        cpus: Option<u32>,
        devices: &[(u32, u32)],
    ) -> Option<Self> {
        let (first, rest) = readings.split_first()?;
        let stride = rest.len().div_ceil(MOST_SAMPLES).max(1);
        let mut before = *first;
        let mut samples = Vec::with_capacity(rest.len().div_ceil(stride));
        for (index, &reading) in rest.iter().enumerate() {
            let due = (index + 1) % stride == 0 || index + 1 == rest.len();
            if due && reading.at_ns > before.at_ns {
                let span_us = (reading.at_ns - before.at_ns) / NS_PER_US;
                let counts = reading.total.since(&before.total, span_us, cpus);
                samples.push(WitnessSample { at_ns: reading.at_ns, counts });
                before = reading;
            }
        }
        (!samples.is_empty()).then(|| Self {
            period_ns,
            cpus,
            devices: devices.to_vec(),
            kernel_us: None,
            carried: before
                .total
                .carried
                .zip(first.total.carried)
                .and_then(|(last, first)| last.since(first)),
            began_ns: first.at_ns,
            samples,
        })
    }

    /// End of the last sample, on the run's clock.
    pub fn ended_ns(&self) -> u64 {
        self.samples.last().map_or(self.began_ns, |sample| sample.at_ns)
    }

    /// Time from the beginning of the first sample to the end of the last.
    pub fn span_ns(&self) -> u64 {
        self.ended_ns().saturating_sub(self.began_ns)
    }

    fn spans(&self) -> impl Iterator<Item = (u64, &WitnessSample)> {
        let ends = self.samples.iter().map(|sample| sample.at_ns);
        std::iter::once(self.began_ns).chain(ends).zip(&self.samples)
    }
}

impl Counts {
    /// What was counted since `before`. A counter that decreased, or grew by more than `span_us` and the number of
    /// CPUs allow, is `None`.
    fn since(&self, before: &Self, span_us: u64, cpus: Option<u32>) -> Self {
        let cpu_limit_us = cpus.map_or(u64::MAX, |cpus| u64::from(cpus).saturating_mul(span_us + LATE_US));
        let within = |limit_us| {
            move |now: Option<u64>, before: Option<u64>| {
                now?.checked_sub(before?).filter(|&count| count <= limit_us)
            }
        };
        let (cpu, pressure) = (within(cpu_limit_us), within(span_us + LATE_US));
        let moved =
            |(now, before): (&Option<DeviceTransfer>, &Option<DeviceTransfer>)| (*now)?.since((*before)?);
        Self {
            busy_us: cpu(self.busy_us, before.busy_us),
            interrupts_us: cpu(self.interrupts_us, before.interrupts_us),
            steal_us: cpu(self.steal_us, before.steal_us),
            own_us: cpu(self.own_us, before.own_us),
            cpu_pressure_us: pressure(self.cpu_pressure_us, before.cpu_pressure_us),
            io_pressure_us: pressure(self.io_pressure_us, before.io_pressure_us),
            moved: self.moved.iter().zip(&before.moved).map(moved).collect(),
            carried: None,
        }
    }
}

impl DeviceTransfer {
    /// Bytes in both directions.
    pub(crate) const fn total_bytes(self) -> u64 {
        self.read_bytes.saturating_add(self.written_bytes)
    }

    /// The sum of two.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            read_bytes: self.read_bytes.saturating_add(other.read_bytes),
            written_bytes: self.written_bytes.saturating_add(other.written_bytes),
        }
    }

    fn since(self, before: Self) -> Option<Self> {
        Some(Self {
            read_bytes: self.read_bytes.checked_sub(before.read_bytes)?,
            written_bytes: self.written_bytes.checked_sub(before.written_bytes)?,
        })
    }
}

#[cfg(test)]
mod tests;
