//! Rules about a target that was named.

use super::Part::{Database, Measurement};
use super::Severity::{Error, Note, Warning};
use super::{Judge, Rule, Status};
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::units::Bytes;

const OPEN: &str = "https://man7.org/linux/man-pages/man2/open.2.html";

/// Page of most databases.
const PAGE_BYTES: u32 = 8192;
/// Block of a redo log.
const LOG_BLOCK_BYTES: u32 = 512;
/// A file in pieces smaller than this is read in pieces.
const SMALL_PIECE_BYTES: u64 = 1 << 20;

pub(super) const RULES: &[Rule] = &[
    Rule {
        name: "direct-io",
        setting: "direct I/O",
        part: Measurement,
        severity: Error,
        wrong: "the page cache answers instead of the storage",
        why: "without it the page cache answers reads and absorbs writes: neither a measurement nor a database with its own cache sees the storage",
        show: "dd if={target} of=/dev/null iflag=direct bs=1M count=1",
        change: "use a filesystem that supports it (xfs, ext4); check the mount options",
        source: OPEN,
        judge: Judge::Target(|target, _| match (target.direct_io, &target.direct_io_refusal) {
            (Some(true), _) => Status::fine("possible"),
            (Some(false), Some(reason)) => Status::bent(format_args!("refused: {reason}"), ""),
            (Some(false), None) => Status::bent("refused", ""),
            (None, _) => Status::NotAsked,
        }),
    },
    Rule {
        name: "direct-io-alignment",
        setting: "unit of direct I/O",
        part: Database,
        severity: Error,
        wrong: "pages of a database below {value} are refused",
        why: "I/O of one database page is not a multiple of it and is refused",
        show: "blockdev --getss {target}",
        change: "use pages of at least {want} bytes, or another filesystem",
        source: OPEN,
        judge: Judge::Target(|target, _| unit(target, PAGE_BYTES)),
    },
    Rule {
        name: "log-alignment",
        setting: "unit of direct I/O for logs",
        part: Database,
        severity: Note,
        wrong: "redo logs in blocks below {value} are refused",
        why: "a redo log with 512-byte blocks cannot be written directly: it needs blocks of this size (Oracle: BLOCKSIZE of the log group)",
        show: "blockdev --getss {target}",
        change: "create the logs with blocks of {want} bytes",
        source: OPEN,
        judge: Judge::Target(|target, _| match unit(target, LOG_BLOCK_BYTES) {
            Status::Bent { .. } if target.logical_block_bytes > PAGE_BYTES => Status::NotAsked,
            verdict => verdict,
        }),
    },
    Rule {
        name: "never-written",
        setting: "unwritten parts",
        part: Measurement,
        severity: Warning,
        wrong: "{value} never written, so it reads as zeros",
        why: "the filesystem answers reads of them with zeros, without the device",
        show: "filefrag -v {target}",
        change: "measure a file filled with data; rigel run and rigel calibrate fill one if no target is given",
        source: "https://docs.kernel.org/filesystems/fiemap.html",
        judge: Judge::Target(|target, _| {
            let Some(found) = target.extents else { return Status::NotAsked };
            let never = found.unwritten_bytes.saturating_add(found.hole_bytes);
            let value = format!("{} of {}", Bytes(never), Bytes(found.looked_bytes()));
            Status::when(never > 0, value, "")
        }),
    },
    Rule {
        name: "fragments",
        setting: "fragments of the file",
        part: Measurement,
        severity: Note,
        wrong: "fragmented: sequential reads become random",
        why: "a sequential read of the file turns into a random one at every fragment",
        show: "filefrag {target}",
        change: "copy the file to a filesystem with enough free space, or defragment it (xfs_fsr, e4defrag)",
        source: "https://docs.kernel.org/filesystems/fiemap.html",
        judge: Judge::Target(|target, _| match target.extents {
            Some(found) if found.extents > 0 => {
                let mean = found.looked_bytes() / found.extents;
                let value = format!("{}, {} each on average", found.extents, Bytes(mean));
                Status::when(found.extents > 8 && mean < SMALL_PIECE_BYTES, value, "")
            }
            _ => Status::NotAsked,
        }),
    },
];

fn unit(target: &TargetFacts, most: u32) -> Status {
    if target.kind == TargetKind::Simulated || target.direct_io != Some(true) {
        return Status::NotAsked;
    }
    let bytes = target.logical_block_bytes;
    Status::when(bytes > most, format_args!("{bytes} bytes"), bytes)
}
