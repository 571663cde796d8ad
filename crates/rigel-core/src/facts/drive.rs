//! What drives say about themselves: counters of their SMART attributes, their NVMe health log or their SCSI error logs, as plain data.
//!
//! A counter has one name whatever the protocol calls it, so readings of the same drive can be compared. Must not judge how counters changed;
//! `rigel_uses::soak` does.

mod smartctl;

pub use smartctl::{MOST_BYTES, read};

use super::{DeviceFacts, TargetFacts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A look at every drive below the targets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriveLook {
    /// Local time, RFC 3339.
    pub at: String,
    /// Nanoseconds of the run.
    pub run_ns: u64,
    /// The drives, each once.
    pub drives: Vec<Drive>,
}

/// A drive at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Drive {
    /// Kernel name, `sda` or `nvme0n1`. Another drive may have it after the host was started again.
    pub name: String,
    /// Model, as the drive reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Serial number. With the model it says which drive this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// What it said.
    pub said: DriveAnswer,
}

/// The answer of a drive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriveAnswer {
    /// Its counters.
    Counters(Counters),
    /// Nothing, and why: no program to ask it with, no rights, no such log.
    Nothing(String),
}

/// Counters of a drive; those that it does not have are missing.
pub type Counters = BTreeMap<Counter, u64>;

/// What drives count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// The drive's own verdict is that it fails: 1, else 0.
    Failing,
    /// NVMe: the bits of `critical_warning`; 0 is none.
    CriticalWarning,
    /// NVMe: errors of data integrity that could not be corrected.
    MediaErrors,
    /// ATA 187: errors that the drive could not correct and told the host.
    ReportedUncorrected,
    /// SCSI: reads, writes and verifications that failed in spite of correction and repetition.
    UncorrectedErrors,
    /// ATA 5: sectors that were replaced by spare ones.
    ReallocatedSectors,
    /// ATA 196: attempts to replace a sector.
    ReallocationEvents,
    /// ATA 197: sectors that could not be read, and wait for a write to be replaced.
    PendingSectors,
    /// ATA 198: sectors that the drive's own scan could not read.
    OfflineUncorrectable,
    /// SCSI: blocks that were found bad since the drive was made.
    GrownDefects,
    /// ATA 199: transfers with a wrong checksum, which were repeated: the cable, a connector, the controller.
    TransferErrors,
    /// Spare blocks that are left, in per cent.
    SparePercent,
    /// At fewer spare blocks than that the drive warns.
    SpareThresholdPercent,
    /// How much of the endurance is used up, in per cent; may be above 100.
    WearPercent,
    /// ATA 188: commands that were given up because they took too long.
    CommandTimeouts,
    /// NVMe: entries of the error log. Many drives add harmless ones.
    ErrorLogEntries,
    /// NVMe: times that power was lost without a word before.
    UnsafeShutdowns,
    /// NVMe: minutes above the temperature at which it warns.
    HotMinutes,
    /// Hours with power.
    PowerOnHours,
    /// Bytes that the host wrote.
    WrittenBytes,
}

/// What a counter is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// More of it is damage.
    Damage,
    /// Other than 0 is an alarm.
    Alarm,
    /// Spare blocks: below the threshold is an alarm.
    Spare,
    /// It grows with use, or says little on its own.
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
    /// What it is about.
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
    /// A drive that said nothing.
    pub fn silent(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), model: None, serial: None, said: DriveAnswer::Nothing(why.into()) }
    }

    /// Its counters, when it told them.
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

/// Adds a device that is a drive; of a loop device those that its file lies on.
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
