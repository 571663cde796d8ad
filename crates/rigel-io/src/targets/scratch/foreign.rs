//! Whether something else was written into a scratch file: a filesystem made in a file that was kept, a copy over it.
//!
//! Every block that Rigel fills or writes begins with the stamp of its place, so that a block with anything else there
//! is somebody's data. Both ends and evenly spread blocks are looked at, as formats have their labels at the ends. Must
//! not write.

use super::{BLOCK, read_block};
use rigel_core::guard::scratch::{self, BLOCK_BYTES, Header, TRAILER_BYTES};
use rigel_core::units::MIB;
use rustix::fs::{self, Advice};
use rustix::io::Errno;
use std::os::fd::OwnedFd;

/// Looked at whole at either end of the data.
const ENDS: u64 = MIB;
/// Blocks between the ends.
const SAMPLES: u64 = 256;

/// Offset of the first block looked at that is not Rigel's; `None` when all are.
pub(super) fn first_foreign(fd: &OwnedFd, header: &Header) -> Result<Option<u64>, Errno> {
    let found = search(fd, header);
    // Advice only: what was read need not stay in the page cache.
    let _ = fs::fadvise(fd, 0, None, Advice::DontNeed);
    found
}

fn search(fd: &OwnedFd, header: &Header) -> Result<Option<u64>, Errno> {
    for offset in places(header.data_bytes) {
        match read_block(fd, offset)? {
            Some(block) if scratch::may_be_own(offset, &block) => {}
            _ => return Ok(Some(offset)),
        }
    }
    // Behind the header the trailer is zeros.
    for offset in blocks(header.data_bytes + BLOCK, header.data_bytes + TRAILER_BYTES) {
        if read_block(fd, offset)? != Some([0; BLOCK_BYTES]) {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

/// Offsets of blocks in data of that size, in no order, now and then one twice.
fn places(data_bytes: u64) -> impl Iterator<Item = u64> {
    let tail = data_bytes.saturating_sub(ENDS).next_multiple_of(BLOCK);
    let between = tail / BLOCK;
    let spread = (0..SAMPLES.min(between))
        .map(move |index| u128::from(between) * u128::from(index) / u128::from(SAMPLES.min(between)))
        .map(|block| u64::try_from(block).unwrap_or(0) * BLOCK);
    blocks(0, ENDS.min(data_bytes)).chain(blocks(tail, data_bytes)).chain(spread)
}

fn blocks(from: u64, to: u64) -> impl Iterator<Item = u64> {
    (from..to).step_by(BLOCK_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_and_what_is_between_are_looked_at_and_nothing_outside() {
        for size in [BLOCK, 3 * BLOCK, MIB, MIB + BLOCK, 16 * MIB, 1 << 40] {
            let found: Vec<u64> = places(size).collect();
            assert!(found.iter().all(|at| at % BLOCK == 0 && at + BLOCK <= size), "{size}");
            assert!(found.contains(&0) && found.contains(&(size - BLOCK)), "{size}");
        }
        assert!(places(1 << 40).any(|at| at > 1 << 38 && at < 1 << 39));
        assert_eq!(places(1 << 40).count() as u64, 2 * ENDS / BLOCK + SAMPLES);
    }
}
