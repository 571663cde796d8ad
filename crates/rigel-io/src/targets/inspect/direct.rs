//! Whether direct I/O works on a target and in which units: asked, then tried. Reads one block; must not write.

use crate::targets::aligned::AlignedBuffer;
use crate::targets::errno;
use crate::targets::node::Node;
use rustix::fs::{self, AtFlags, OFlags, StatxFlags};
use rustix::io::{Errno, pread};

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Direct {
    pub logical_block_bytes: u32,
    pub refusal: Option<String>,
}

/// Units to try where nobody names one: what disks have, smallest first.
const CANDIDATES: [u32; 2] = [512, 4096];

/// Tries a direct read of one block. `device_block` is what a device named as its unit.
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

/// What the filesystem says of the file (Linux 6.1 and later, not every filesystem): the unit, or that there is none.
fn named_by_filesystem(node: &Node) -> Option<Result<u32, String>> {
    let fd = node.open(OFlags::RDONLY).ok()?;
    let answer = fs::statx(&fd, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN).ok()?;
    if !StatxFlags::from_bits_retain(answer.stx_mask).contains(StatxFlags::DIOALIGN) {
        return None;
    }
    Some(match answer.stx_dio_offset_align {
        0 => Err("the filesystem says that it has no direct I/O for this file".to_owned()),
        unit => Ok(unit),
    })
}

fn read_one(node: &Node, unit: u32) -> Result<(), String> {
    let fd = node
        .open(OFlags::RDONLY | OFlags::DIRECT)
        .map_err(|errno| format!("an open with O_DIRECT was refused: {}", errno::text(errno)))?;
    let mut buffer = AlignedBuffer::new(usize::try_from(unit).unwrap_or(usize::MAX));
    loop {
        match pread(&fd, &mut *buffer.bytes(), 0) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => {
                return Err(format!("a direct read of {unit} bytes failed: {}", errno::text(errno)));
            }
        }
    }
}
