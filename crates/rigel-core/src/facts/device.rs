//! Facts of a block device. Must not gather anything.

use serde::{Deserialize, Serialize};

/// The queue and the model of a block device, from /sys/block. The queue of a partition is its disk's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Kernel name, `sda` or `nvme0n1p1`.
    pub name: String,
    /// Model as the device reports it.
    pub model: Option<String>,
    /// Sequence number of the disk since the host was started (`diskseq`, Linux 5.15). It changes when another
    /// medium or file gets the same name.
    pub disk_sequence: Option<u64>,
    /// What the device calls itself, globally unique and permanent: its WWID, serial number, or the UUID of an array or volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Whether it is a spinning disk.
    pub rotational: Option<bool>,
    /// The chosen scheduler.
    pub scheduler: Option<String>,
    /// Requests that the queue can hold.
    pub nr_requests: Option<u32>,
    /// Largest request.
    pub max_sectors_kb: Option<u32>,
    /// Largest request of the hardware. The block layer may allow less.
    pub max_hw_sectors_kb: Option<u32>,
    /// Most segments of one request.
    pub max_segments: Option<u32>,
    /// `write back` or `write through`.
    pub write_cache: Option<String>,
    /// NUMA node of the device.
    pub numa_node: Option<i32>,
    /// Whether completions can be polled.
    pub polled: Option<bool>,
    /// The generic character device of a whole NVMe namespace, `ng0n1`.
    pub generic: Option<String>,
    /// How it is attached: `nvme`, `sata`, `sas`, `virtio`, `usb`, `iscsi`, `fc`, `loop`, `device mapper` ..
    pub transport: Option<String>,
    /// Devices that this one is made of (device mapper, md), by name.
    pub made_of: Vec<String>,
    /// Major and minor number.
    pub number: Option<(u32, u32)>,
    /// The disk that this partition is on.
    pub partition_of: Option<String>,
    /// Where this partition begins on its disk.
    pub start_bytes: Option<u64>,
    /// Its size.
    pub size_bytes: Option<u64>,
    /// Offset of the start from a physical block of the device.
    pub alignment_offset_bytes: Option<u64>,
    /// Smallest unit that it reads or writes.
    pub logical_block_bytes: Option<u32>,
    /// Unit that it writes without reading first.
    pub physical_block_bytes: Option<u32>,
    /// Smallest preferred request: the chunk of a RAID.
    pub minimum_io_bytes: Option<u64>,
    /// Preferred request: the stripe of a RAID; `None` if the device does not report one.
    pub optimal_io_bytes: Option<u64>,
    /// Read-ahead of buffered reads.
    pub read_ahead_kb: Option<u64>,
    /// 0 merges requests, 1 only simple cases, 2 never.
    pub nomerges: Option<u32>,
    /// Where requests complete: 0 anywhere, 1 near the submitting CPU, 2 on it.
    pub rq_affinity: Option<u32>,
    /// Latency target of the throttle of buffered writes; 0 is off.
    pub writeback_throttle_us: Option<u64>,
    /// Hardware queues.
    pub hardware_queues: Option<u32>,
    /// Commands that a SCSI device accepts simultaneously.
    pub queue_depth: Option<u32>,
    /// State of a SCSI device or an NVMe controller: `running`, `offline`, `live` ..
    pub state: Option<String>,
    /// The cache mode that a SCSI disk reports. The kernel may be set to assume another one.
    pub scsi_cache: Option<String>,
    /// Whether the kernel refuses every write.
    #[serde(default)]
    pub read_only: Option<bool>,
    /// Whether a loop device bypasses the page cache of its file.
    pub loop_direct: Option<bool>,
    /// The file of a loop device; known only below a target.
    #[serde(default)]
    pub loop_file: Option<LoopFile>,
    /// Facts of a device mapper device.
    pub mapped: Option<MappedFacts>,
    /// Facts of a software RAID.
    pub md: Option<MdFacts>,
    /// Facts of the session of an iSCSI disk.
    pub iscsi: Option<IscsiFacts>,
}

/// The file or device behind a loop device, and its filesystem and devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoopFile {
    /// Its path as the kernel stores it, printable.
    pub path: String,
    /// Filesystem that holds it, below any overlay; `None` for a device, and if no mount of it is visible from here.
    pub filesystem: Option<String>,
    /// Whether that filesystem passes direct I/O on to a medium; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct_io: Option<bool>,
    /// Per cent of its written bytes that are compressed; `None` if less than 1 or unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compressed_percent: Option<u64>,
    /// The block devices below it, the topmost first.
    pub below: Vec<DeviceFacts>,
}

/// A device of the device mapper.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedFacts {
    /// Its name.
    pub name: String,
    /// Which program made it, from its UUID: `LVM`, `CRYPT`, `mpath`, `part1`.
    pub maker: Option<String>,
    /// Its table, a line per target as `dmsetup table` shows it, without keys; empty if it could not be read (only root may).
    pub table: Vec<String>,
    /// The states of its targets, as `dmsetup status` shows them.
    pub status: Vec<String>,
}

/// RAID chunks are at least 16 KiB; other disks report their block size.
const LEAST_CHUNK_BYTES: u64 = 16 << 10;
const MOST_DATA_DISKS: u64 = 256;

/// A software RAID of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MdFacts {
    /// `raid0`, `raid1`, `raid5` ..
    pub level: String,
    /// Bytes of a stripe on one disk; 0 without stripes.
    pub chunk_bytes: u64,
    /// Disks that it should have.
    pub disks: u32,
    /// How many of them are missing.
    pub degraded: Option<u32>,
    /// `idle`, `resync`, `recover`, `check` ..
    pub sync_action: Option<String>,
}

/// The negotiated parameters of an iSCSI session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IscsiFacts {
    /// Bytes that may be sent before the target asks for them.
    pub first_burst_bytes: Option<u64>,
    /// Bytes of one burst.
    pub max_burst_bytes: Option<u64>,
    /// Bytes of the largest packet that this host accepts.
    pub max_receive_bytes: Option<u64>,
    /// Whether every write waits for the target to ask for its data.
    pub initial_r2t: Option<bool>,
    /// Seconds for which a broken session holds its I/O before failing it.
    pub recovery_timeout_s: Option<u64>,
}

impl DeviceFacts {
    /// Whether it is a disk: neither a partition nor made of other devices.
    pub fn is_leaf(&self) -> bool {
        self.partition_of.is_none() && self.made_of.is_empty()
    }

    /// Bytes of a whole stripe, and where the figure comes from. Chunk times data disks, from the RAID or the table
    /// of a striped volume, otherwise the device's preferred size.
    pub fn stripe(&self) -> Option<Stripe> {
        let by_md = self.md.as_ref().and_then(MdFacts::stripe);
        let striped = || self.mapped.as_ref()?.table.iter().find_map(|line| striped(line));
        by_md.or_else(striped).or_else(|| self.liked_stripe())
    }

    fn liked_stripe(&self) -> Option<Stripe> {
        let (chunk_bytes, stripe) = (self.minimum_io_bytes?, self.optimal_io_bytes?);
        let whole =
            stripe > chunk_bytes && chunk_bytes >= LEAST_CHUNK_BYTES && stripe.is_multiple_of(chunk_bytes);
        let data_disks = stripe.checked_div(chunk_bytes)?;
        // Some disks and bridges name their largest transfer instead: 65535 "disks".
        (whole && data_disks <= MOST_DATA_DISKS).then_some(Stripe { chunk_bytes, data_disks })
    }
}

/// How a RAID or a striped volume spreads its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripe {
    /// Bytes on one disk.
    pub chunk_bytes: u64,
    /// Disks that hold data, without parity or copies.
    pub data_disks: u64,
}

impl Stripe {
    /// Bytes of one stripe over all disks.
    pub const fn bytes(self) -> u64 {
        self.chunk_bytes.saturating_mul(self.data_disks)
    }
}

impl MdFacts {
    fn stripe(&self) -> Option<Stripe> {
        let disks = u64::from(self.disks);
        let data_disks = match self.level.as_str() {
            "raid0" => disks,
            "raid4" | "raid5" => disks.checked_sub(1)?,
            "raid6" => disks.checked_sub(2)?,
            // Two near copies, unless its layout says otherwise, which sysfs shows as a number of its own.
            "raid10" => disks / 2,
            _ => return None,
        };
        (self.chunk_bytes > 0 && data_disks > 0)
            .then_some(Stripe { chunk_bytes: self.chunk_bytes, data_disks })
    }
}

/// `0 2097152 striped 4 128 8:0 0 ..`: the number of stripes, and sectors of a chunk.
fn striped(line: &str) -> Option<Stripe> {
    let mut words = line.split_whitespace().skip(2);
    (words.next() == Some("striped")).then_some(())?;
    let data_disks: u64 = words.next()?.parse().ok()?;
    let chunk_bytes = words.next()?.parse::<u64>().ok()?.checked_mul(512)?;
    (data_disks > 1 && chunk_bytes > 0).then_some(Stripe { chunk_bytes, data_disks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn md(level: &str, disks: u32) -> DeviceFacts {
        let md = MdFacts { level: level.into(), chunk_bytes: 512 << 10, disks, ..MdFacts::default() };
        DeviceFacts { md: Some(md), ..DeviceFacts::default() }
    }

    #[test]
    fn a_stripe_is_chunk_times_data_disks() {
        for (level, disks, data) in [
            ("raid0", 4, Some(4)),
            ("raid5", 7, Some(6)),
            ("raid6", 8, Some(6)),
            ("raid10", 4, Some(2)),
            ("raid1", 2, None),
            ("raid6", 1, None),
        ] {
            let stripe = md(level, disks).stripe();
            assert_eq!(stripe.map(|stripe| stripe.data_disks), data, "{level} of {disks}");
        }
        assert_eq!(md("raid5", 7).stripe().unwrap().bytes(), 3 << 20);
    }

    #[test]
    fn stripes_of_volumes_and_of_hardware() {
        let mapped = |line: &str| MappedFacts { table: vec![line.to_owned()], ..MappedFacts::default() };
        let volume =
            |line: &str| DeviceFacts { mapped: Some(mapped(line)), ..DeviceFacts::default() }.stripe();
        assert_eq!(
            volume("0 2097152 striped 4 128 8:0 0 8:16 0 8:32 0 8:48 0"),
            Some(Stripe { chunk_bytes: 64 << 10, data_disks: 4 })
        );
        assert_eq!(volume("0 2097152 linear 8:0 2048"), None);
        assert_eq!(volume("0 1 striped 18446744073709551615 18446744073709551615"), None);
        let liked = |minimum, optimal| {
            DeviceFacts {
                minimum_io_bytes: Some(minimum),
                optimal_io_bytes: Some(optimal),
                ..DeviceFacts::default()
            }
            .stripe()
        };
        assert_eq!(liked(256 << 10, 1 << 20), Some(Stripe { chunk_bytes: 256 << 10, data_disks: 4 }));
        assert_eq!(liked(4096, 0), None);
        assert_eq!(liked(512, 33_553_920), None, "the largest transfer of a USB bridge");
        assert_eq!(liked(4096, 16_773_120), None);
        assert_eq!(liked(0, 4096), None);
        assert_eq!(liked(4096, 4096), None);
    }
}
