//! NVMe namespaces: a block device (`nvme0n1`) and a generic character device (`ng0n1`) that takes commands.
//!
//! The generic device is never inspected on its own. Other programs use the block device, so evidence is gathered about
//! the block device, and it is the one held exclusively. Must send no command but Identify.

use super::block::Block;
use super::errno::refusal;
use super::ioctl;
use super::node::{number, pin_device};
use rigel_core::error::Problem;
use rigel_core::facts::Identity;
use rigel_core::path_text;
use rustix::fs::{self, Mode, OFlags};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;

/// The open generic device of a target.
#[derive(Debug)]
pub struct Namespace {
    pub(crate) fd: OwnedFd,
    /// Number of the namespace on its controller.
    pub(crate) id: u32,
    /// Logarithm to base 2 of the bytes of a logical block.
    pub(crate) block_shift: u32,
}

impl Namespace {
    /// Opens the generic device that belongs to the open block device `block`, which `path` led to and `identity` names.
    ///
    /// # Errors
    /// When there is none, when it cannot be opened, or when it belongs to another namespace.
    pub(crate) fn open(
        path: &Path,
        identity: Identity,
        block: &impl AsFd,
        writable: bool,
    ) -> Result<Self, Problem> {
        let sys = Path::new("/sys");
        let generic = Block::by_number(sys, identity.device).and_then(|block| block.generic());
        let generic = generic.ok_or_else(|| no_namespace(path))?;
        let device = Path::new("/dev").join(&generic.name);
        let problem = |errno| refusal("the NVMe generic device cannot be opened", &device, errno);
        let pin = pin_device(&device, generic.number).map_err(problem)?;
        let access = if writable { OFlags::RDWR } else { OFlags::RDONLY };
        let held = format!("/proc/self/fd/{}", pin.as_raw_fd());
        let fd = fs::open(held, access | OFlags::CLOEXEC, Mode::empty()).map_err(problem)?;
        let id = ioctl::namespace_id(fd.as_fd()).map_err(problem)?;
        let (logical_bytes, _) = ioctl::block_sizes(block.as_fd()).map_err(problem)?;
        let no_format = |errno| refusal("the format of the NVMe namespace cannot be read", &device, errno);
        let format = Format::in_use(&*ioctl::identify_namespace(fd.as_fd(), id).map_err(no_format)?);
        if format.metadata_bytes > 0
            || 1_u64.checked_shl(format.block_shift) != Some(u64::from(logical_bytes))
        {
            return Err(with_metadata(path, &format));
        }
        // Looked up again: the device may have been replaced between the look-up of its name and the open.
        let still = Block::by_number(sys, identity.device).and_then(|block| block.generic());
        let opened = fs::fstat(&fd).map_err(problem)?;
        let same = ioctl::namespace_id(block.as_fd()) == Ok(id);
        if !same || still.is_none_or(|still| still.number != number(opened.st_rdev)) {
            return Err(Problem::refused("the NVMe generic device does not belong to the target")
                .at(path_text::encode(path))
                .because("the device was replaced while it was being opened")
                .next("start again once nothing changes it"));
        }
        Ok(Self { fd, id, block_shift: format.block_shift })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Format {
    /// Logarithm to base 2 of the bytes of a logical block.
    block_shift: u32,
    /// Bytes of metadata with each of them.
    metadata_bytes: u16,
}

impl Format {
    /// From the Identify Namespace data structure (NVM Command Set Specification): FLBAS, byte 26, holds the number of the
    /// format in use, in bits 3:0 and, above, in bits 6:5; the formats begin at byte 128, four bytes each: metadata bytes,
    /// block size, performance.
    fn in_use(identity: &[u8; ioctl::IDENTIFY_BYTES]) -> Self {
        let chosen = identity[26];
        let number = usize::from((chosen & 0xf) | ((chosen >> 5 & 0x3) << 4));
        let at = 128 + 4 * number;
        Self {
            metadata_bytes: u16::from_le_bytes([identity[at], identity[at + 1]]),
            block_shift: identity[at + 2].into(),
        }
    }
}

/// Refused, because a read transfers the metadata too, and no buffer has room for it.
fn with_metadata(path: &Path, format: &Format) -> Problem {
    Problem::refused("the NVMe namespace is formatted with metadata")
        .at(path_text::encode(path))
        .because(format!("each block has {} extra bytes of metadata", format.metadata_bytes))
        .next("use the engine io_uring, or format the namespace without metadata")
}

fn no_namespace(path: &Path) -> Problem {
    Problem::refused("the target has no NVMe generic device")
        .at(path_text::encode(path))
        .because("only a whole NVMe namespace has one, since Linux 5.13")
        .next("name a namespace such as /dev/nvme0n1, or use another engine")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_in_use_is_found() {
        let mut identity = [0; ioctl::IDENTIFY_BYTES];
        identity[128..132].copy_from_slice(&[0, 0, 9, 0]);
        identity[128 + 12..128 + 16].copy_from_slice(&[8, 0, 12, 0]);
        identity[128 + 17 * 4..128 + 18 * 4].copy_from_slice(&[0x40, 1, 12, 2]);
        assert_eq!(Format::in_use(&identity), Format { block_shift: 9, metadata_bytes: 0 });
        // Bit 4 says that the metadata lie behind each block, not which format it is.
        identity[26] = 0x13;
        assert_eq!(Format::in_use(&identity), Format { block_shift: 12, metadata_bytes: 8 });
        identity[26] = 0x21;
        assert_eq!(Format::in_use(&identity), Format { block_shift: 12, metadata_bytes: 0x140 });
    }
}
