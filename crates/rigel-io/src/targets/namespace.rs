//! NVMe namespaces: a block device (`nvme0n1`) and, beside it, a generic character device (`ng0n1`) that takes commands.
//!
//! A generic device is never inspected or measured by itself: whoever uses a namespace uses its block device, so that is what
//! evidence is gathered about and what is held exclusively. Must not send a command but Identify.

use super::errno::refusal;
use super::inspect::Block;
use super::ioctl;
use super::node::number;
use rigel_core::error::Problem;
use rigel_core::facts::Identity;
use rigel_core::path_text;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd, RawFd};
use std::path::{Path, PathBuf};

/// The open generic device of a target.
#[derive(Debug)]
pub struct Namespace {
    fd: OwnedFd,
    /// Its number on the controller.
    pub(crate) id: u32,
    /// Logarithm to base 2 of the bytes of a logical block.
    pub(crate) block_shift: u32,
}

impl Namespace {
    /// The descriptor that takes commands.
    pub(crate) fn raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// Opens the generic device of the block device `block`, which `path` led to and which has the given identity.
    ///
    /// # Errors
    /// When there is none, or it cannot be opened, or it is not the namespace of that block device.
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
        let told = |errno| refusal("the NVMe generic device cannot be opened", &device, errno);
        let pin = pinned(&device, generic.number).map_err(told)?;
        let access = if writable { OFlags::RDWR } else { OFlags::RDONLY };
        let held = format!("/proc/self/fd/{}", pin.as_raw_fd());
        let fd = fs::open(held, access | OFlags::CLOEXEC, Mode::empty()).map_err(told)?;
        let id = ioctl::namespace_id(fd.as_fd()).map_err(told)?;
        let (logical_bytes, _) = ioctl::block_sizes(block.as_fd()).map_err(told)?;
        let asked = |errno| refusal("the NVMe namespace does not say how it is formatted", &device, errno);
        let format = Format::in_use(&*ioctl::identify_namespace(fd.as_fd(), id).map_err(asked)?);
        if format.metadata_bytes > 0
            || 1_u64.checked_shl(format.block_shift) != Some(u64::from(logical_bytes))
        {
            return Err(with_metadata(path, &format));
        }
        // Looked up again: what was there when the name was found may have been replaced before it was opened.
        let still = Block::by_number(sys, identity.device).and_then(|block| block.generic());
        let opened = fs::fstat(&fd).map_err(told)?;
        let same = ioctl::namespace_id(block.as_fd()) == Ok(id);
        if !same || still.is_none_or(|still| still.number != number(opened.st_rdev)) {
            return Err(Problem::refused("the NVMe generic device is not that of the target")
                .at(path_text::encode(path))
                .because("the device was exchanged while it was opened")
                .next("start again when nothing changes it any more"));
        }
        Ok(Self { fd, id, block_shift: format.block_shift })
    }
}

/// How a namespace is formatted.
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

/// A read brings the metadata along, and the controller would put it where nobody has made room for it.
fn with_metadata(path: &Path, format: &Format) -> Problem {
    Problem::refused("the NVMe namespace is formatted with metadata")
        .at(path_text::encode(path))
        .because(format!("every block has {} bytes more than its data", format.metadata_bytes))
        .next("use the engine io_uring, or format the namespace without metadata")
}

/// A target that takes no NVMe commands.
fn no_namespace(path: &Path) -> Problem {
    Problem::refused("the target has no NVMe generic device")
        .at(path_text::encode(path))
        .because("only a whole NVMe namespace has one, since Linux 5.13")
        .next("name a namespace such as /dev/nvme0n1, or use another engine")
}

/// The block device of the namespace that a generic device with this number stands for, pinned by an `O_PATH`
/// descriptor; `None` when the number is no generic device's.
pub(super) fn pin_block(character: (u32, u32)) -> Option<Result<OwnedFd, Errno>> {
    let block = Block::of_generic(Path::new("/sys"), character)?;
    Some(pinned(&PathBuf::from("/dev").join(&block.name), block.number))
}

/// Pins a device that must have this number.
fn pinned(device: &Path, expected: (u32, u32)) -> Result<OwnedFd, Errno> {
    let pin = fs::open(device, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if number(fs::fstat(&pin)?.st_rdev) == expected { Ok(pin) } else { Err(Errno::NODEV) }
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
