//! Whether direct I/O works on a target, and its unit. The filesystem is asked first, then one block is read. Must not
//! write.

use crate::targets::aligned::AlignedBuffer;
use crate::targets::errno;
use crate::targets::node::Node;
use rustix::fs::{self, AtFlags, OFlags, StatxFlags};
use rustix::io::{Errno, pread, retry_on_intr};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Direct {
    pub logical_block_bytes: u32,
    pub refusal: Option<String>,
}

/// Units to try where neither device nor filesystem names one. Disks have these; the smallest comes first.
const CANDIDATES: [u32; 2] = [512, 4096];

/// Tries a direct read of one block. `device_block` is the logical block size of a device.
pub(crate) fn find(node: &Node, device_block: Option<u32>) -> Direct {
    let named = device_block.map(Ok).or_else(|| named_by_filesystem(node));
    let candidates = match &named {
        Some(Err(reason)) => {
            return Direct { logical_block_bytes: CANDIDATES[0], refusal: Some(reason.clone()) };
        }
        Some(Ok(unit)) => std::slice::from_ref(unit),
        None => &CANDIDATES[..],
    };
    let mut refusal = None;
    for &unit in candidates {
        match read_one(node, unit) {
            Ok(()) => return Direct { logical_block_bytes: unit, refusal: None },
            Err(reason) => refusal = Some(reason),
        }
    }
    Direct { logical_block_bytes: candidates[0], refusal }
}

/// Whether the filesystem reports direct I/O for a file; `None` if it does not say. Reads nothing.
pub(super) fn is_had(node: &Node) -> Option<bool> {
    named_by_filesystem(node).map(|unit| unit.is_ok())
}

/// The unit that the filesystem names for the file, or that it has no direct I/O. Since Linux 6.1, and not on every
/// filesystem.
fn named_by_filesystem(node: &Node) -> Option<Result<u32, String>> {
    let fd = node.open(OFlags::RDONLY).ok()?;
    let answer = fs::statx(&fd, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    if !StatxFlags::from_bits_retain(answer.stx_mask).contains(StatxFlags::DIOALIGN) {
        return None;
    }
    Some(match answer.stx_dio_offset_align {
        0 => Err("the filesystem reports no direct I/O for this file".to_owned()),
        unit => Ok(unit),
    })
}

fn read_one(node: &Node, unit: u32) -> Result<(), String> {
    let fd = node
        .open(OFlags::RDONLY | OFlags::DIRECT)
        .map_err(|errno| format!("an open with O_DIRECT was refused: {}", errno::text(errno)))?;
    let mut buffer = AlignedBuffer::new(usize::try_from(unit).unwrap_or(usize::MAX));
    match retry_on_intr(|| pread(&fd, &mut *buffer.bytes(), 0)) {
        // The kernel took it, and the device could not: what is bad there is counted when it is measured.
        Ok(_) | Err(Errno::IO | Errno::NXIO | Errno::TIMEDOUT | Errno::REMOTEIO | Errno::NODATA) => Ok(()),
        Err(errno) => Err(format!("a direct read of {unit} bytes failed: {}", errno::text(errno))),
    }
}
