//! Facts of the host and the targets, as plain data. `rigel-io` gathers them; the plan, the write guard's verdict
//! and the record use them.
//!
//! A fact that could not be read is `None`, never a guess. Must not gather anything.

mod carriers;
mod change;
pub mod copies;
mod device;
pub mod drive;
pub mod engine;
mod host;
mod io_limits;
mod memory;
mod mount;
mod owners;
mod priority;
pub mod shared;
pub mod states;
mod storage;

pub use carriers::{Carriers, NfsCarrier};
pub use change::{ChangedTarget, Changes, LimitsChange, TargetChange};
pub use device::{DeviceFacts, IscsiFacts, LoopFile, MappedFacts, MdFacts, Stripe};
pub use drive::DriveLook;
pub use host::{
    CgroupFacts, HostFacts, IdleState, KernelSettings, Limit, MemoryLimit, OWN_MEMORY_BYTES, ProcessLimits,
    USUAL_PAGE_BYTES,
};
pub use io_limits::{IoLimit, LimitedRate};
pub use memory::MemoryReason;
pub use mount::MountFacts;
pub use owners::{FilePart, OwnerFacts};
pub use priority::{
    IoClass, IoPriority, ProcessPriority, Rank, SchedulingPolicy, USUAL_SHARES, USUAL_WEIGHT,
};
pub use storage::Storage;

use serde::{Deserialize, Serialize};

/// What kind of file a target is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A block device.
    BlockDevice,
    /// A character device that answers like a raw device.
    CharDevice,
    /// A table of a database, whose files only the server opens.
    Table,
    /// A device that exists only in this process (engines `sim` and `null`).
    #[default]
    Simulated,
}

crate::named!(TargetKind {
    File: "file",
    BlockDevice: "block device",
    CharDevice: "character device",
    Table: "table",
    Simulated: "simulated"
});

impl TargetKind {
    /// Whether the kernel counts its I/O on a block device, where a witness can see other programs' I/O, too. It does not
    /// for a character device.
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::File | Self::BlockDevice | Self::Table)
    }
}

/// One target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// As the user named it, printable ([`crate::path_text`]).
    pub path: String,
    /// With links resolved, printable.
    pub real_path: String,
    /// File or device.
    pub kind: TargetKind,
    /// Its whole size.
    pub size_bytes: u64,
    /// Identity: the device that holds the file (`st_dev`) and its inode; for a device its own number (`st_rdev`) and 0.
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
    /// Where the bytes of a regular file are; `None` for a device, and if the filesystem does not report them.
    pub extents: Option<ExtentFacts>,
    /// The fill, if the file is a complete scratch file.
    pub scratch: Option<ScratchFacts>,
    /// The block device under the target.
    pub device: Option<DeviceFacts>,
    /// Every device below that one, each once, the topmost first: the disk of a partition, the members of a volume or RAID.
    #[serde(default)]
    pub below: Vec<DeviceFacts>,
    /// The mount that a regular file is reached through.
    pub mount: Option<MountFacts>,
    /// Whether the table of a database is logged: a crash of the server empties one that is not. `None` for other targets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_logged: Option<bool>,
}

impl TargetFacts {
    /// A target that exists only in this process.
    pub fn simulated(size_bytes: u64) -> Self {
        Self {
            path: "simulated".to_owned(),
            real_path: "simulated".to_owned(),
            kind: TargetKind::Simulated,
            size_bytes,
            logical_block_bytes: 512,
            ..Self::default()
        }
    }

    /// Whether Rigel made it for this run.
    pub fn is_own_scratch(&self) -> bool {
        self.scratch.is_some_and(|scratch| scratch.own)
    }

    /// Whether both are one file or device, whatever their names. Simulated targets never are.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.kind != TargetKind::Simulated && (self.kind, self.identity) == (other.kind, other.identity)
    }

    /// Each target once: two sides may share some.
    pub fn each_once(all: &[Self]) -> Vec<&Self> {
        let mut once: Vec<&Self> = Vec::new();
        for target in all {
            if !once.iter().any(|other| other.is_same_as(target)) {
                once.push(target);
            }
        }
        once
    }
}

/// What is known about the blocks of a scratch file ([`crate::guard::scratch`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchFacts {
    /// Seed of its fill.
    pub seed: u64,
    /// It existed before this run: earlier runs may have written to it, each with its own seed.
    pub used_before: bool,
    /// No target was named: the run made or reused the file, and puts it away.
    #[serde(default)]
    pub own: bool,
    /// It is kept when the run ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// How the filesystem was asked for the extents of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExtentSource {
    /// FIEMAP: every extent with its flags.
    #[default]
    Fiemap,
    /// SEEK_DATA and SEEK_HOLE: data and holes only. Unwritten extents may count as holes, and a filesystem that knows
    /// of no holes calls everything data.
    Seek,
}

/// Where the bytes of a regular file are, of the part that a run may use. A read of an unwritten extent or of a hole is
/// answered with zeros by the filesystem; no device is asked.
///
/// `written_bytes`, `unwritten_bytes` and `hole_bytes` add up to the bytes that were examined: the size of the target,
/// or less when `truncated`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtentFacts {
    /// How the kernel was asked.
    pub source: ExtentSource,
    /// Bytes that hold data, including those that wait in memory for allocation.
    pub written_bytes: u64,
    /// Bytes that are allocated on the device and were never written (fallocate).
    pub unwritten_bytes: u64,
    /// Bytes that are not allocated.
    pub hole_bytes: u64,
    /// Extents, written and unwritten.
    pub extents: u64,
    /// Written bytes that other files or snapshots share (reflink, deduplication).
    pub shared_bytes: u64,
    /// Written bytes inside the filesystem's own structures (inline data, packed tails).
    pub inline_bytes: u64,
    /// Written bytes that are stored in another form (compressed); encryption alone does not count.
    pub encoded_bytes: u64,
    /// The extents were too many, or took too long: only the first part of the file was examined.
    pub truncated: bool,
}

impl ExtentFacts {
    /// Bytes that were examined.
    pub const fn looked_bytes(&self) -> u64 {
        self.written_bytes.saturating_add(self.unwritten_bytes).saturating_add(self.hole_bytes)
    }
}

/// Which file or device a target is, whatever its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Identity {
    /// Major and minor number of the device that it is, or that holds it.
    pub device: (u32, u32),
    /// Inode of a regular file; 0 for a device.
    pub inode: u64,
}
