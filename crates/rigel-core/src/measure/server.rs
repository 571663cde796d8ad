//! What a database and the kernel counted while a load went through the database.
//!
//! Four independent counters show whether a looked-up row was read from the device. Must not
//! judge them; the findings do.

use serde::{Deserialize, Serialize};

/// Counts of one load, from its first statement to the end of its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerCounts {
    /// Rows that were looked up and returned, each from a block of its own.
    pub probes: u64,
    /// Blocks that reports had to read, if all rows of each range were returned.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scanned_blocks: u64,
    /// Blocks that the kernel may have read ahead of the sessions with reports, where they ended or moved on: this many more
    /// may be read than were requested.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub ahead_blocks: u64,
    /// Transactions that the server reported as committed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub commits: u64,
    /// How often the server made its log durable (`pg_stat_wal`); several commits may share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flushes: Option<u64>,
    /// Blocks of the table that the server had to ask the system for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_blocks: Option<u64>,
    /// Blocks of its index that the server had to ask the system for, where look-ups go through one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index_blocks: Option<u64>,
    /// Reads of tables in the server's own count (`pg_stat_io`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_reads: Option<u64>,
    /// Bytes that the processes of the sessions had the kernel fetch from storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process_bytes: Option<u64>,
    /// The part of them by the processes of the sessions with reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_process_bytes: Option<u64>,
    /// What reached the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<DeviceReads>,
    /// CPU time of the processes of the sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
}

/// Reads of a block device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceReads {
    /// How many.
    pub reads: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether only the server's own control group was counted, so that other users of the device do not matter.
    pub of_server: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ServerCounts {
    /// Blocks that look-ups and reports had to read.
    pub const fn asked_blocks(&self) -> u64 {
        self.probes.saturating_add(self.scanned_blocks)
    }

    /// Blocks that the storage had to deliver for them: those, and what the server read of an index.
    pub fn needed_blocks(&self) -> u64 {
        self.asked_blocks().saturating_add(self.index_blocks.unwrap_or(0))
    }

    /// Adds the counts of another load; what one of them lacks, the sum lacks.
    pub fn add(&mut self, other: &Self) {
        let sum = |mine: Option<u64>, theirs: Option<u64>| Some(mine?.saturating_add(theirs?));
        self.probes = self.probes.saturating_add(other.probes);
        self.scanned_blocks = self.scanned_blocks.saturating_add(other.scanned_blocks);
        self.ahead_blocks = self.ahead_blocks.saturating_add(other.ahead_blocks);
        self.commits = self.commits.saturating_add(other.commits);
        self.flushes = sum(self.flushes, other.flushes);
        self.report_process_bytes = sum(self.report_process_bytes, other.report_process_bytes);
        self.table_blocks = sum(self.table_blocks, other.table_blocks);
        self.index_blocks = sum(self.index_blocks, other.index_blocks);
        self.server_reads = sum(self.server_reads, other.server_reads);
        self.process_bytes = sum(self.process_bytes, other.process_bytes);
        self.cpu_ns = sum(self.cpu_ns, other.cpu_ns);
        self.device = self.device.zip(other.device).map(|(mine, theirs)| DeviceReads {
            reads: mine.reads.saturating_add(theirs.reads),
            bytes: mine.bytes.saturating_add(theirs.bytes),
            of_server: mine.of_server && theirs.of_server,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_visit_lacks_the_sum_lacks() {
        let device = DeviceReads { reads: 10, bytes: 81_920, of_server: true };
        let all = ServerCounts {
            probes: 10,
            scanned_blocks: 2,
            ahead_blocks: 0,
            commits: 6,
            flushes: Some(3),
            report_process_bytes: None,
            table_blocks: Some(10),
            index_blocks: Some(3),
            server_reads: None,
            process_bytes: Some(81_920),
            device: Some(device),
            cpu_ns: Some(5),
        };
        let mut sum = all;
        sum.add(&all);
        let twice = DeviceReads { reads: 20, bytes: 163_840, of_server: true };
        assert_eq!((sum.probes, sum.table_blocks, sum.server_reads), (20, Some(20), None));
        assert_eq!((sum.asked_blocks(), sum.report_process_bytes), (24, None));
        assert_eq!((sum.commits, sum.flushes), (12, Some(6)));
        assert_eq!((sum.process_bytes, sum.device, sum.cpu_ns), (Some(163_840), Some(twice), Some(10)));
        sum.add(&ServerCounts { device: None, ..all });
        assert_eq!((sum.probes, sum.device), (30, None));
    }
}
