//! Facts of the host and the targets, as plain data. `rigel-io` gathers them; the plan, the write guard's verdict and the
//! record use them.
//!
//! A fact that could not be read is `None`, never a guess. Must not gather anything.

use serde::{Deserialize, Serialize};

/// The host that measures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// `uname -sr`.
    pub kernel: String,
    /// Machine architecture.
    pub machine: String,
    /// First `model name` of /proc/cpuinfo.
    pub cpu_model: Option<String>,
    /// CPUs that this process may run on.
    pub cpus: u32,
    /// Memory of the host.
    pub memory_bytes: Option<u64>,
    /// Explicit huge pages that are free now.
    pub huge_pages_free: Option<u64>,
    /// Size of one of them.
    pub huge_page_bytes: Option<u64>,
    /// The chosen word of /sys/kernel/mm/transparent_hugepage/enabled.
    pub transparent_huge_pages: Option<String>,
    /// RLIMIT_MEMLOCK, soft; `None` when unlimited.
    pub memlock_limit_bytes: Option<u64>,
    /// fs.aio-nr: libaio events in use on the whole host.
    pub aio_nr: Option<u64>,
    /// fs.aio-max-nr: how many there may be.
    pub aio_max_nr: Option<u64>,
    /// kernel.io_uring_disabled: 0 free, 1 for a group, 2 nobody; `None` before Linux 6.6.
    pub io_uring_disabled: Option<u32>,
}

/// What kind of file a target is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device.
    BlockDevice,
    /// A character device that answers like a raw device.
    CharDevice,
    /// A device that exists only in this process (engines `sim` and `null`).
    Simulated,
}

/// One target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// As the user named it, printable ([`crate::path_text`]).
    pub path: String,
    /// With links resolved, printable.
    pub real_path: String,
    /// File or device.
    pub kind: TargetKind,
    /// Its whole size.
    pub size_bytes: u64,
    /// Identity: device that holds the file (`st_dev`), and inode; for a device its own number (`st_rdev`) and 0.
    pub identity: Identity,
    /// Smallest unit of direct I/O: offset and length alignment.
    pub logical_block_bytes: u32,
    /// Unit that the device writes without reading first.
    pub physical_block_bytes: Option<u32>,
    /// Whether O_DIRECT opens work; `Some(false)` with the reason in `direct_io_refusal`.
    pub direct_io: Option<bool>,
    /// Why O_DIRECT was refused.
    pub direct_io_refusal: Option<String>,
    /// Filesystem that holds a regular file.
    pub filesystem: Option<String>,
    /// Where that filesystem is mounted, printable.
    pub mount_point: Option<String>,
    /// Bytes allocated to a regular file (`st_blocks`), to see holes.
    pub allocated_bytes: Option<u64>,
    /// Where the bytes of a regular file are; `None` for a device, and where the filesystem does not tell.
    #[serde(default)]
    pub extents: Option<ExtentFacts>,
    /// What it was filled with, when it is a whole scratch file of Rigel's.
    #[serde(default)]
    pub scratch: Option<ScratchFacts>,
    /// The block device under the target.
    pub device: Option<DeviceFacts>,
}

impl TargetFacts {
    /// A target that exists only in this process.
    #[must_use]
    pub fn simulated(size_bytes: u64) -> Self {
        Self {
            path: "simulated".to_owned(),
            real_path: "simulated".to_owned(),
            kind: TargetKind::Simulated,
            size_bytes,
            identity: Identity { device: (0, 0), inode: 0 },
            logical_block_bytes: 512,
            physical_block_bytes: None,
            direct_io: None,
            direct_io_refusal: None,
            filesystem: None,
            mount_point: None,
            allocated_bytes: None,
            extents: None,
            scratch: None,
            device: None,
        }
    }
}

/// What is known of the blocks of a scratch file ([`crate::scratch`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchFacts {
    /// Seed of its fill.
    pub seed: u64,
    /// It was there before this run: earlier runs may have written to it, each with a seed of its own.
    pub used_before: bool,
}

/// How the filesystem was asked for the extents of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtentSource {
    /// FIEMAP: every extent with its flags.
    Fiemap,
    /// SEEK_DATA and SEEK_HOLE: data and holes only. Unwritten extents may count as holes, and a filesystem that knows
    /// of no holes calls everything data.
    Seek,
}

/// Where the bytes of a regular file are, of the part that a run may use. A read of an unwritten extent or of a hole is
/// answered with zeros by the filesystem; no device is asked.
///
/// `written_bytes`, `unwritten_bytes` and `hole_bytes` add up to the bytes that were looked at: the size of the target,
/// or less when `truncated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtentFacts {
    /// Who told.
    pub source: ExtentSource,
    /// Bytes that hold data, those included that wait in memory for their place on the device.
    pub written_bytes: u64,
    /// Bytes that have a place on the device and were never written (fallocate).
    pub unwritten_bytes: u64,
    /// Bytes without a place on the device.
    pub hole_bytes: u64,
    /// Extents, written and unwritten.
    pub extents: u64,
    /// Written bytes whose place belongs to other files or snapshots too (reflink, deduplication).
    pub shared_bytes: u64,
    /// Written bytes that lie in the filesystem's own structures (inline data, packed tails).
    pub inline_bytes: u64,
    /// Written bytes that are stored in another form (compressed); encryption alone does not count.
    pub encoded_bytes: u64,
    /// There were too many extents, or they took too long: only the first part of the file was looked at.
    pub truncated: bool,
}

impl ExtentFacts {
    /// Bytes that were looked at.
    #[must_use]
    pub const fn looked_bytes(&self) -> u64 {
        self.written_bytes.saturating_add(self.unwritten_bytes).saturating_add(self.hole_bytes)
    }
}

/// Who a target is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Major and minor number of the device that it is, or that holds it.
    pub device: (u32, u32),
    /// Inode of a regular file; 0 for a device.
    pub inode: u64,
}

/// The queue and the model of a block device, from /sys/block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceFacts {
    /// Kernel name, `sda` or `nvme0n1p1`.
    pub name: String,
    /// Model as the device tells it.
    pub model: Option<String>,
    /// Spinning.
    pub rotational: Option<bool>,
    /// The chosen scheduler.
    pub scheduler: Option<String>,
    /// Requests that the queue holds.
    pub nr_requests: Option<u32>,
    /// Largest request.
    pub max_sectors_kb: Option<u32>,
    /// Largest request that the hardware takes in one piece, whatever the block layer is set to.
    #[serde(default)]
    pub max_hw_sectors_kb: Option<u32>,
    /// Most segments of one request.
    pub max_segments: Option<u32>,
    /// `write back` or `write through`.
    pub write_cache: Option<String>,
    /// NUMA node of the device.
    pub numa_node: Option<i32>,
    /// Whether completions can be polled for.
    #[serde(default)]
    pub polled: Option<bool>,
    /// The generic character device of a whole NVMe namespace, `ng0n1`.
    #[serde(default)]
    pub generic: Option<String>,
    /// How it is attached: `nvme`, `sata`, `sas`, `virtio`, `usb`, `iscsi`, `fc`, `loop`, `device mapper` ..
    #[serde(default)]
    pub transport: Option<String>,
    /// Devices that this one is made of (device mapper, md), by name.
    pub made_of: Vec<String>,
}
