//! Recognises scratch files of Rigel: by name, by the header after the data, and by the blocks of the data.
//!
//! A kept scratch file may contain something else: a filesystem made in it, or a copy over it.
//! Every block that Rigel fills or writes begins with the stamp of its place, so a block with anything else there is foreign data. Both ends are
//! searched whole, because most formats have their labels there, and evenly spread blocks
//! between them. Must not write.

use super::errno::refusal;
use super::node::Node;
use rigel_core::error::Problem;
use rigel_core::facts::TargetKind;
use rigel_core::guard::safety::Evidence;
use rigel_core::guard::scratch::{self, BLOCK_BYTES, Header, TRAILER_BYTES};
use rigel_core::units::MIB;
use rustix::fs::{self, Advice, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::ErrorKind;
use std::os::unix::fs::FileExt as _;

const BLOCK: u64 = BLOCK_BYTES as u64;
/// Bytes at either end of the data that are searched whole.
const ENDS: u64 = MIB;
/// Blocks between the ends.
const SAMPLES: u64 = 256;

/// Whether a regular file has the name of a scratch file, links resolved.
pub(super) fn has_our_name(node: &Node) -> bool {
    node.kind == TargetKind::File && node.real_path().file_name().is_some_and(scratch::is_scratch_name)
}

/// The header, if the file has one that fits its size.
pub(super) fn header_of(fd: &File) -> Result<Option<Header>, Errno> {
    let size = u64::try_from(fs::fstat(fd)?.st_size).unwrap_or(0);
    let Some(at) = size.checked_sub(TRAILER_BYTES) else { return Ok(None) };
    let Some(block) = read_block(fd, at)? else { return Ok(None) };
    Ok(Header::decode(&block).ok().filter(|header| header.file_bytes() == size))
}

/// The header of a scratch file of ours, whole or not; `None` for anything else.
pub(super) fn header(node: &Node) -> Option<Header> {
    if !has_our_name(node) {
        return None;
    }
    header_of(&node.open(OFlags::RDONLY).ok()?).ok()?
}

/// The header of a scratch file of ours whose fill was finished; `None` for anything else.
pub(super) fn whole_header(node: &Node) -> Option<Header> {
    header(node).filter(Header::is_whole)
}

/// The part of a file that a run may use. The trailer of a scratch file is not part of it: later runs need its header.
pub(super) fn usable_bytes(node: &Node, size_bytes: u64) -> u64 {
    whole_header(node).map_or(size_bytes, |header| header.data_bytes)
}

/// Evidence about a whole scratch file of ours; `None` for anything else.
pub(super) fn evidence(node: &Node) -> Result<Option<Evidence>, Problem> {
    let Some(header) = whole_header(node) else { return Ok(None) };
    let found = first_foreign(&node.open_to_read()?, &header)
        .map_err(|errno| refusal("the scratch file cannot be read", &node.path, errno))?;
    Ok(Some(match found {
        None => Evidence::OurScratchFile,
        Some(first_offset) => Evidence::ScratchFileOfAnother { first_offset },
    }))
}

/// Offset of the first searched block that is not Rigel's; `None` when all are.
pub(super) fn first_foreign(fd: &File, header: &Header) -> Result<Option<u64>, Errno> {
    let found = search(fd, header);
    // Only advice: the blocks read here need not stay in the page cache.
    let _ = fs::fadvise(fd, 0, None, Advice::DontNeed);
    found
}

fn search(fd: &File, header: &Header) -> Result<Option<u64>, Errno> {
    for offset in places(header.data_bytes) {
        match read_block(fd, offset)? {
            Some(block) if scratch::may_be_own(offset, &block) => {}
            _ => return Ok(Some(offset)),
        }
    }
    // The trailer is zeros behind the header.
    for offset in blocks(header.data_bytes + BLOCK, header.data_bytes + TRAILER_BYTES) {
        if read_block(fd, offset)? != Some([0; BLOCK_BYTES]) {
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

/// Offsets of the blocks to search in data of this size. They come in no order, and a few come twice.
fn places(data_bytes: u64) -> impl Iterator<Item = u64> {
    let tail = data_bytes.saturating_sub(ENDS).next_multiple_of(BLOCK);
    let spread = evenly_spread(SAMPLES, tail / BLOCK).map(|block| block * BLOCK);
    blocks(0, ENDS.min(data_bytes)).chain(blocks(tail, data_bytes)).chain(spread)
}

/// Up to `most` indices below `count`, evenly spread.
pub(super) fn evenly_spread(most: u64, count: u64) -> impl Iterator<Item = u64> {
    let samples = most.min(count);
    let nth = move |index| u128::from(count) * u128::from(index) / u128::from(samples);
    (0..samples).map(move |index: u64| u64::try_from(nth(index)).unwrap_or(0))
}

fn blocks(from: u64, to: u64) -> impl Iterator<Item = u64> {
    (from..to).step_by(BLOCK_BYTES)
}

/// Reads a whole block; `None` at the end of the file.
fn read_block(file: &File, offset: u64) -> Result<Option<[u8; BLOCK_BYTES]>, Errno> {
    let mut block = [0; BLOCK_BYTES];
    Ok(read_all(file, &mut block, offset)?.then_some(block))
}

/// Fills the buffer; `false` when the file ends before.
pub(super) fn read_all(file: &File, buffer: &mut [u8], offset: u64) -> Result<bool, Errno> {
    match file.read_exact_at(buffer, offset) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
    }
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
