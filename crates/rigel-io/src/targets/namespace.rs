//! NVMe namespaces: a block device (`nvme0n1`) and, beside it, a generic character device (`ng0n1`) that takes commands.
//!
//! A generic device is never inspected or measured by itself: whoever uses a namespace uses its block device, so that is what
//! evidence is gathered about and what is held exclusively. Must not send a command.

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
        match ioctl::namespace_id(block.as_fd()) {
            Ok(same) if same == id && logical_bytes.is_power_of_two() => {
                Ok(Self { fd, id, block_shift: logical_bytes.trailing_zeros() })
            }
            _ => Err(Problem::refused("the NVMe generic device is not that of the target")
                .at(path_text::encode(path))
                .because("the device was exchanged while it was opened")
                .next("start again when nothing changes it any more")),
        }
    }
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
