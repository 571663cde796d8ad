//! The counters of a load: what the server, the kernel and the device say was read.
//!
//! Each is read before and after the load. One that cannot be read, or would count something else, is left out. The server is only asked for
//! functions, by prepared statements: anything else that its answer had to read would be counted with the load. Must not judge.

use crate::server::{Server, ServerFacts};
use rigel_core::measure::{DeviceReads, ServerCounts};
use rigel_io::group::Group;
use std::fs;
use std::path::{Path, PathBuf};

/// The kernel counts in this unit, whatever the sector size of the device.
const SECTOR_BYTES: u64 = 512;

/// When counters are read: nothing that is read for them may fall between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before a load: the server is asked first.
    Before,
    /// After it: the server is asked last.
    Behind,
}

/// Processes to count, and what to count.
pub struct Counters {
    pub server: Box<dyn Server>,
    /// The entries in `/proc` of what serves the sessions, when that is on this host.
    pub workers: Vec<PathBuf>,
    /// The sessions that make reports; the others look up rows.
    pub reports: Vec<PathBuf>,
    /// Control group of a private server.
    pub group: Option<Group>,
    /// The devices under the table; empty when they are not known.
    pub devices: Vec<(u32, u32)>,
    pub facts: ServerFacts,
    /// The server is asked, too; not if another node does so.
    pub asks: bool,
}

/// All counters at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    counts: ServerCounts,
    written_bytes: Option<u64>,
}

impl Counters {
    /// For a server whose sessions are not known yet.
    pub const fn new(
        server: Box<dyn Server>,
        facts: ServerFacts,
        group: Option<Group>,
        devices: Vec<(u32, u32)>,
    ) -> Self {
        Self { server, workers: Vec::new(), reports: Vec::new(), group, devices, facts, asks: true }
    }

    /// Reads all counters now.
    pub fn read(&mut self, moment: Moment) -> Reading {
        let before = (moment == Moment::Before).then(|| self.of_server());
        let moved = self.group.as_ref().and_then(|group| group.moved(&self.devices));
        let device = moved.map(|moved| moved.reads).or_else(|| of_disks(&self.devices));
        // Where workers of the server read, the sessions only wait, and what a read costs is not theirs alone.
        let itself = self.facts.reads_itself;
        let sum = |of: &[PathBuf], what: fn(&Path) -> Option<u64>| if itself { sum(of, what) } else { None };
        let process_bytes = sum(&self.workers, read_bytes);
        let report_process_bytes = sum(&self.reports, read_bytes);
        let cpu_ns = sum(&self.workers, cpu_ns);
        let of_server = before.unwrap_or_else(|| self.of_server());
        let counts = ServerCounts { process_bytes, report_process_bytes, device, cpu_ns, ..of_server };
        Reading { counts, written_bytes: moved.map(|moved| moved.written_bytes) }
    }

    fn of_server(&mut self) -> ServerCounts {
        if self.asks { self.server.counts() } else { ServerCounts::default() }
    }
}

/// What all of these devices have read so far; `None` without any.
pub fn of_disks(devices: &[(u32, u32)]) -> Option<DeviceReads> {
    let one = |(major, minor): &(u32, u32)| {
        let text = fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/stat")).ok()?;
        disk(&text)
    };
    let all: Option<Vec<DeviceReads>> = devices.iter().map(one).collect();
    all?.into_iter().reduce(|sum, more| DeviceReads {
        reads: sum.reads.saturating_add(more.reads),
        bytes: sum.bytes.saturating_add(more.bytes),
        of_server: false,
    })
}

/// `None` without any process.
fn sum(workers: &[PathBuf], of: fn(&Path) -> Option<u64>) -> Option<u64> {
    let all = workers.iter().map(|entry| of(entry));
    all.sum::<Option<u64>>().filter(|_| !workers.is_empty())
}

impl Reading {
    /// Counts since `before`, except what the sessions know themselves.
    pub fn since(&self, before: &Self) -> ServerCounts {
        let less = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        let (now, then) = (&self.counts, &before.counts);
        let device = now.device.zip(then.device).and_then(|(now, then)| {
            Some(DeviceReads {
                reads: now.reads.checked_sub(then.reads)?,
                bytes: now.bytes.checked_sub(then.bytes)?,
                of_server: now.of_server && then.of_server,
            })
        });
        ServerCounts {
            report_process_bytes: less(now.report_process_bytes, then.report_process_bytes),
            table_blocks: less(now.table_blocks, then.table_blocks),
            index_blocks: less(now.index_blocks, then.index_blocks),
            server_reads: less(now.server_reads, then.server_reads),
            flushes: less(now.flushes, then.flushes),
            process_bytes: less(now.process_bytes, then.process_bytes),
            device,
            cpu_ns: less(now.cpu_ns, then.cpu_ns),
            ..ServerCounts::default()
        }
    }

    /// What the server has written since `before`; 0 when nothing was counted.
    pub fn written_since(&self, before: &Self) -> u64 {
        self.written_bytes.zip(before.written_bytes).map_or(0, |(now, then)| now.saturating_sub(then))
    }
}

/// Documentation/block/stat.rst: reads are the first number, sectors read the third.
fn disk(stat: &str) -> Option<DeviceReads> {
    let mut numbers = stat.split_whitespace().map(str::parse::<u64>);
    let reads = numbers.next()?.ok()?;
    let bytes = numbers.nth(1)?.ok()?.checked_mul(SECTOR_BYTES)?;
    Some(DeviceReads { reads, bytes, of_server: false })
}

/// What the kernel fetched from storage for a process or thread (proc_pid_io(5)).
fn read_bytes(entry: &Path) -> Option<u64> {
    let text = fs::read_to_string(entry.join("io")).ok()?;
    text.lines().find_map(|line| line.strip_prefix("read_bytes:")?.trim().parse().ok())
}

/// The first number is the time on a CPU (Documentation/scheduler/sched-stats.rst).
fn cpu_ns(entry: &Path) -> Option<u64> {
    fs::read_to_string(entry.join("schedstat")).ok()?.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_disk_are_taken_from_their_places() {
        let stat = "  1527     0   24432   10  5 6 7 8 9 10 11\n";
        let found = disk(stat).unwrap();
        assert_eq!((found.reads, found.bytes), (1527, 24_432 * 512));
        assert_eq!(disk("1 2"), None);
    }

    #[test]
    fn a_counter_that_went_back_is_left_out() {
        let reading = |blocks, bytes| Reading {
            counts: ServerCounts {
                table_blocks: Some(blocks),
                process_bytes: Some(bytes),
                ..ServerCounts::default()
            },
            written_bytes: Some(blocks),
        };
        let counts = reading(30, 5).since(&reading(10, 9));
        assert_eq!((counts.table_blocks, counts.process_bytes), (Some(20), None));
        assert_eq!(reading(30, 5).written_since(&reading(10, 9)), 20);
    }

    #[test]
    fn the_kernel_tells_of_this_process() {
        let entry = Path::new("/proc/self");
        assert!(cpu_ns(entry).is_some_and(|ns| ns > 0) && read_bytes(entry).is_some());
    }
}
