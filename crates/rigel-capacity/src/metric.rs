//! The metrics of a disk, a filesystem, a host or a database.
//!
//! Must not know what tools call it.

/// A quantity of load or space. Flows are per second, so those of several disks can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Metric {
    /// Reads per second.
    ReadOps,
    /// Writes per second.
    WriteOps,
    /// Reads, writes and discards per second together, where the source does not part them.
    AllOps,
    /// Bytes read per second.
    ReadBytes,
    /// Bytes written per second.
    WriteBytes,
    /// Seconds that reads took, per second: the mean number of reads outstanding. Divided by [`Metric::ReadOps`] it is their mean latency.
    ReadTime,
    /// The same for writes.
    WriteTime,
    /// The same for all I/O, if the source does not separate it.
    AllTime,
    /// The part of the time with I/O outstanding, 0 to 1.
    Busy,
    /// Commits per second.
    Commits,
    /// Bytes of the log (redo, WAL) per second.
    RedoBytes,
    /// Writes of the log per second.
    RedoOps,
    /// The part of the time in which some task waited for I/O (PSI).
    PressureSome,
    /// The part of the time in which all tasks waited for I/O (PSI).
    PressureFull,
    /// Bytes in use on a filesystem, or the size of a database.
    UsedBytes,
    /// Bytes of a filesystem.
    SizeBytes,
}

/// How a quantity behaves when intervals are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// A mean over the interval.
    Flow,
    /// The state at the end of the interval.
    Level,
}

/// How a quantity behaves when subjects or hosts are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Across {
    /// It adds up. The sum of I/O times over the number of I/Os is a mean latency weighted by load.
    Add,
    /// A part of the time, which does not add up: the highest of them.
    Highest,
    /// Space: once for each filesystem and database, whatever reports it.
    Once,
}

impl Across {
    /// Two values at the same time as one.
    pub fn of(self, one: f64, other: f64) -> f64 {
        if self == Self::Add { one + other } else { one.max(other) }
    }
}

rigel_core::named!(Metric {
    ReadOps: "read_ops",
    WriteOps: "write_ops",
    AllOps: "all_ops",
    ReadBytes: "read_bytes",
    WriteBytes: "write_bytes",
    ReadTime: "read_time",
    WriteTime: "write_time",
    AllTime: "all_time",
    Busy: "busy",
    Commits: "commits",
    RedoBytes: "redo_bytes",
    RedoOps: "redo_ops",
    PressureSome: "pressure_some",
    PressureFull: "pressure_full",
    UsedBytes: "used_bytes",
    SizeBytes: "size_bytes"
});

impl Metric {
    /// Whether a value can be one of it. A counter that fell or ran over gives values that no host can reach: above 50 million I/Os or 2^44 bytes a
    /// second, or a million I/Os outstanding on a disk.
    pub fn can_be(self, value: f64) -> bool {
        let most = match self {
            Self::ReadOps | Self::WriteOps | Self::AllOps | Self::RedoOps | Self::Commits => 5e7,
            Self::ReadBytes | Self::WriteBytes | Self::RedoBytes => 17_592_186_044_416.0,
            Self::ReadTime | Self::WriteTime | Self::AllTime => 1e6,
            // Rounding and the ends of an interval make a little more than all of the time.
            Self::Busy | Self::PressureSome | Self::PressureFull => 2.0,
            Self::UsedBytes | Self::SizeBytes => f64::MAX,
        };
        (0.0..=most).contains(&value)
    }

    /// Its number in the store; never reused.
    pub const fn code(self) -> u8 {
        match self {
            Self::ReadOps => 1,
            Self::WriteOps => 2,
            Self::AllOps => 3,
            Self::ReadBytes => 4,
            Self::WriteBytes => 5,
            Self::ReadTime => 6,
            Self::WriteTime => 7,
            Self::AllTime => 8,
            Self::Busy => 9,
            Self::Commits => 10,
            Self::RedoBytes => 11,
            Self::PressureSome => 12,
            Self::PressureFull => 13,
            Self::UsedBytes => 14,
            Self::SizeBytes => 15,
            Self::RedoOps => 16,
        }
    }

    /// The metric of a number in the store.
    pub fn of_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.code() == code)
    }

    /// Mean or state.
    pub const fn behaviour(self) -> Behaviour {
        match self {
            Self::UsedBytes | Self::SizeBytes => Behaviour::Level,
            _ => Behaviour::Flow,
        }
    }

    /// How it is merged across subjects and hosts.
    pub const fn across(self) -> Across {
        match self {
            Self::Busy | Self::PressureSome | Self::PressureFull => Across::Highest,
            Self::UsedBytes | Self::SizeBytes => Across::Once,
            _ => Across::Add,
        }
    }

    /// Binary digits that the store keeps of a flow after the first one: 7 round by 0.4 % at most, 5 by 1.6 %.
    pub const fn digits(self) -> u32 {
        match self {
            Self::ReadTime
            | Self::WriteTime
            | Self::AllTime
            | Self::Busy
            | Self::PressureSome
            | Self::PressureFull => 5,
            _ => 7,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_has_a_number_and_a_name_of_its_own() {
        for metric in Metric::ALL {
            assert_eq!(Metric::of_code(metric.code()), Some(metric));
            assert_eq!(Metric::ALL.iter().filter(|other| other.name() == metric.name()).count(), 1);
        }
        assert_eq!(Metric::of_code(0), None);
    }
}
