//! What drives say about themselves: counters of their SMART attributes, their NVMe health log or their SCSI error logs, as plain data.
//!
//! A counter has one name whatever the protocol calls it, so readings of the same drive can be compared. Must not judge how counters changed;
//! `rigel_uses::soak` does.

mod smartctl;

pub use smartctl::{MOST_BYTES, read};

use super::{DeviceFacts, TargetFacts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The state of every drive below the targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveLook {
    /// Local time, RFC 3339.
    pub at: String,
    /// Time of the run in nanoseconds.
    pub run_ns: u64,
    /// The drives, each once.
    pub drives: Vec<Drive>,
}

/// A drive at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drive {
    /// Kernel name, `sda` or `nvme0n1`. After a restart of the host another drive may have it.
    pub name: String,
    /// Model, as the drive reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Serial number. With the model it identifies the drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Its answer.
    pub said: DriveAnswer,
}

/// The answer of a drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriveAnswer {
    /// Its counters.
    Counters(Counters),
    /// Nothing, with the reason: no program to query it, no permission, no such log.
    Nothing(String),
}

/// Counters of a drive; those it does not have are missing.
pub type Counters = BTreeMap<Counter, u64>;

/// What drives count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// The drive's own verdict: 1 if failing, otherwise 0.
    Failing,
    /// NVMe: the bits of `critical_warning`; 0 means no warning.
    CriticalWarning,
    /// NVMe: errors of data integrity that could not be corrected.
    MediaErrors,
    /// ATA 187: errors that the drive could not correct and told the host.
    ReportedUncorrected,
    /// SCSI: reads, writes and verifications that failed despite correction and retries.
    UncorrectedErrors,
    /// ATA 5: sectors replaced by spare ones.
    ReallocatedSectors,
    /// ATA 196: attempts to replace a sector.
    ReallocationEvents,
    /// ATA 197: unreadable sectors that the next write will replace.
    PendingSectors,
    /// ATA 198: sectors that the drive's own scan could not read.
    OfflineUncorrectable,
    /// SCSI: blocks found bad since manufacture.
    GrownDefects,
    /// ATA 199: transfers with a wrong checksum, which were repeated: the cable, a connector, the controller.
    TransferErrors,
    /// Remaining spare blocks, in per cent.
    SparePercent,
    /// Below this share of spare blocks the drive warns.
    SpareThresholdPercent,
    /// Endurance used, in per cent; may exceed 100.
    WearPercent,
    /// ATA 188: commands aborted because they took too long.
    CommandTimeouts,
    /// NVMe: entries of the error log. Many drives add harmless ones.
    ErrorLogEntries,
    /// NVMe: power losses without a clean shutdown.
    UnsafeShutdowns,
    /// NVMe: minutes above the warning temperature.
    HotMinutes,
    /// Hours with power.
    PowerOnHours,
    /// Bytes that the host wrote.
    WrittenBytes,
}

/// The meaning of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Growth is damage.
    Damage,
    /// Any value but 0 is an alarm.
    Alarm,
    /// Spare blocks: below the threshold is an alarm.
    Spare,
    /// Grows with use, or says little on its own.
    Use,
}

crate::named!(Counter {
    Failing: "failing",
    CriticalWarning: "critical_warning",
    MediaErrors: "media_errors",
    ReportedUncorrected: "reported_uncorrected",
    UncorrectedErrors: "uncorrected_errors",
    ReallocatedSectors: "reallocated_sectors",
    ReallocationEvents: "reallocation_events",
    PendingSectors: "pending_sectors",
    OfflineUncorrectable: "offline_uncorrectable",
    GrownDefects: "grown_defects",
    TransferErrors: "transfer_errors",
    SparePercent: "spare_percent",
    SpareThresholdPercent: "spare_threshold_percent",
    WearPercent: "wear_percent",
    CommandTimeouts: "command_timeouts",
    ErrorLogEntries: "error_log_entries",
    UnsafeShutdowns: "unsafe_shutdowns",
    HotMinutes: "hot_minutes",
    PowerOnHours: "power_on_hours",
    WrittenBytes: "written_bytes"
});

impl Counter {
    /// The meaning of the counter.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Failing | Self::CriticalWarning => Kind::Alarm,
            Self::MediaErrors
            | Self::ReportedUncorrected
            | Self::UncorrectedErrors
            | Self::ReallocatedSectors
            | Self::ReallocationEvents
            | Self::PendingSectors
            | Self::OfflineUncorrectable
            | Self::GrownDefects
            | Self::TransferErrors => Kind::Damage,
            Self::SparePercent => Kind::Spare,
            Self::SpareThresholdPercent
            | Self::WearPercent
            | Self::CommandTimeouts
            | Self::ErrorLogEntries
            | Self::UnsafeShutdowns
            | Self::HotMinutes
            | Self::PowerOnHours
            | Self::WrittenBytes => Kind::Use,
        }
    }
}

impl Drive {
    /// A drive without an answer.
    pub fn silent(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), model: None, serial: None, said: DriveAnswer::Nothing(why.into()) }
    }

    /// Its counters, if it reported any.
    pub const fn counters(&self) -> Option<&Counters> {
        match &self.said {
            DriveAnswer::Counters(counters) => Some(counters),
            DriveAnswer::Nothing(_) => None,
        }
    }
}

/// The names of the drives below targets, each once, in their order.
pub fn below(targets: &[TargetFacts]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    targets
        .iter()
        .flat_map(|target| target.device.iter().chain(&target.below))
        .for_each(|device| add(device, &mut names));
    names
}

/// Adds a device if it is a drive; for a loop device the drives below its file.
fn add<'a>(device: &'a DeviceFacts, names: &mut Vec<&'a str>) {
    if let Some(file) = &device.loop_file {
        return file.below.iter().for_each(|below| add(below, names));
    }
    // The same loop device may be there once more, with its file.
    let is_drive = device.is_leaf() && device.transport.as_deref() != Some("loop");
    if is_drive && !names.contains(&device.name.as_str()) {
        names.push(&device.name);
    }
}

#[cfg(test)]
mod tests;
