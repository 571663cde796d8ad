//! A file or device, pinned by a descriptor: nothing can take its place between a check and the open.
//!
//! Only regular files, block devices and raw devices are ever opened. Opening a FIFO hangs, and opening a tape or a
//! watchdog has effects. An NVMe generic device is replaced by the block device of its namespace. Must not read or write
//! the contents.

use super::block::{Block, Generation};
use super::errno::refusal;
use crate::system::System;
use rigel_core::error::Problem;
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::path_text;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What to do instead of naming something that stores nothing.
pub(crate) const NAME_STORAGE: &str = "name a file on a disk, or a block device (`rigel targets` lists them)";

/// Kind and identity of a file or device. Block and character devices can have equal numbers, so both are needed.
pub(crate) type NodeId = (TargetKind, Identity);

/// A file or device that is held by an `O_PATH` descriptor.
#[derive(Debug)]
pub(crate) struct Node {
    /// As the user named it.
    pub(crate) path: PathBuf,
    pin: OwnedFd,
    pub(crate) stat: fs::Stat,
    pub(crate) kind: TargetKind,
}

/// The times of the last change of a file's contents, and of contents or metadata, which no program can set back; in
/// seconds and nanoseconds.
pub(crate) type ChangeTimes = [(i64, u64); 2];

impl Node {
    /// Pins the file or device at `path`; links are followed.
    pub(crate) fn pin(path: &Path) -> Result<Self, Problem> {
        Self::pin_with(path, OFlags::empty())
    }

    /// Pins `path` itself: a link is refused.
    pub(crate) fn pin_no_link(path: &Path) -> Result<Self, Problem> {
        Self::pin_with(path, OFlags::NOFOLLOW)
    }

    /// The file or device of an open descriptor; `path` is the one that led there.
    pub(crate) fn of_open(path: &Path, fd: BorrowedFd<'_>) -> Result<Self, Problem> {
        let problem = |errno| refusal("the target cannot be checked again", path, errno);
        let pin = rustix::io::fcntl_dupfd_cloexec(fd, 0).map_err(problem)?;
        Self::of_pin(path, pin, problem)
    }

    fn of_pin(path: &Path, pin: OwnedFd, problem: impl Fn(Errno) -> Problem) -> Result<Self, Problem> {
        let stat = fs::fstat(&pin).map_err(problem)?;
        let kind = kind_of(path, &stat)?;
        Ok(Self { path: path.to_owned(), pin, stat, kind })
    }

    fn pin_with(path: &Path, extra: OFlags) -> Result<Self, Problem> {
        let problem = |errno| refusal("the target cannot be accessed", path, errno);
        let named = fs::open(path, OFlags::PATH | OFlags::CLOEXEC | extra, Mode::empty()).map_err(problem)?;
        let pin = block_for_generic(named).map_err(problem)?;
        let node = Self::of_pin(path, pin, problem)?;
        // `open` needs this directory; without it every target would seem to be missing.
        if !Path::new("/proc/self/fd").exists() {
            return Err(Problem::refused("the target cannot be opened safely")
                .at(path_text::encode(path))
                .because("/proc is not mounted, and targets are opened through /proc/self/fd")
                .next("mount it: mount -t proc proc /proc"));
        }
        Ok(node)
    }

    pub(crate) fn open(&self, flags: OFlags) -> Result<File, Errno> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY;
        fs::open(format!("/proc/self/fd/{}", self.pin.as_raw_fd()), flags, Mode::empty()).map(File::from)
    }

    /// Whether this user may write to it, without opening it.
    pub(crate) fn check_writable(&self) -> Result<(), Errno> {
        let path = format!("/proc/self/fd/{}", self.pin.as_raw_fd());
        fs::access(path, fs::Access::WRITE_OK)
    }

    /// Opens it for reading, or says why not.
    pub(crate) fn open_to_read(&self) -> Result<File, Problem> {
        self.open(OFlags::RDONLY).map_err(|errno| refusal("the target cannot be read", &self.path, errno))
    }

    pub(crate) fn place(&self) -> String {
        path_text::encode(&self.path)
    }

    pub(crate) fn real_path(&self) -> PathBuf {
        std::fs::read_link(format!("/proc/self/fd/{}", self.pin.as_raw_fd()))
            .unwrap_or_else(|_| self.path.clone())
    }

    pub(crate) fn identity(&self) -> Identity {
        identity_of(&self.stat, self.kind)
    }

    pub(crate) fn id(&self) -> NodeId {
        (self.kind, self.identity())
    }

    /// The block device in sysfs; `None` for anything else.
    pub(crate) fn block(&self, system: &System) -> Option<Block> {
        let is_block = self.kind == TargetKind::BlockDevice;
        is_block.then(|| Block::by_number(&system.sys, self.identity().device)).flatten()
    }

    /// Distinguishes a block device from others that had its number; `None` for anything else.
    pub(crate) fn generation(&self, system: &System) -> Option<Generation> {
        self.block(system)?.generation()
    }

    /// The last changes of a file, as of the moment it was pinned; `None` for a device, whose node does not show them.
    pub(crate) fn changed(&self) -> Option<ChangeTimes> {
        let stat = &self.stat;
        let times = [(stat.st_mtime, stat.st_mtime_nsec), (stat.st_ctime, stat.st_ctime_nsec)];
        (self.kind == TargetKind::File).then_some(times)
    }

    /// As [`mount_id`].
    pub(crate) fn mount_id(&self) -> Option<u64> {
        mount_id(self.pin.as_fd())
    }

    /// The kernel's name of its filesystem, if that is in memory.
    pub(crate) fn memory_filesystem(&self) -> Option<&'static str> {
        memory_filesystem(self.pin.as_fd())
    }

    pub(crate) fn on_read_only_mount(&self) -> bool {
        fs::fstatvfs(self.pin.as_fd())
            .is_ok_and(|answer| answer.f_flag.contains(fs::StatVfsMountFlags::RDONLY))
    }
}

/// Number of the mount that a descriptor was opened through; `None` before Linux 5.8.
pub(crate) fn mount_id(fd: BorrowedFd<'_>) -> Option<u64> {
    let answer = fs::statx(fd, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    let known = StatxFlags::from_bits_retain(answer.stx_mask).contains(StatxFlags::MNT_ID);
    known.then_some(answer.stx_mnt_id)
}

/// The filesystem of a descriptor if it is in memory, by the numbers of <linux/magic.h>: for a mount that the table of mounts
/// lacks, as after a change of root.
pub(crate) fn memory_filesystem(fd: BorrowedFd<'_>) -> Option<&'static str> {
    match u32::try_from(fs::fstatfs(fd).ok()?.f_type).ok()? {
        0x0102_1994 => Some("tmpfs"),
        0x8584_58f6 => Some("ramfs"),
        _ => None,
    }
}

/// Replaces an NVMe generic character device by the block device of its namespace; returns anything else unchanged.
fn block_for_generic(pin: OwnedFd) -> Result<OwnedFd, Errno> {
    let stat = fs::fstat(&pin)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::CharacterDevice {
        return Ok(pin);
    }
    match Block::of_generic(Path::new("/sys"), number(stat.st_rdev)) {
        Some(block) => pin_device(&Path::new("/dev").join(&block.name), block.number),
        None => Ok(pin),
    }
}

/// Pins a device, which must have this number.
pub(crate) fn pin_device(device: &Path, expected: (u32, u32)) -> Result<OwnedFd, Errno> {
    let pin = fs::open(device, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    if number(fs::fstat(&pin)?.st_rdev) == expected { Ok(pin) } else { Err(Errno::NODEV) }
}

/// Kind and identity of the file or device at a path, links followed; `None` for anything that cannot be a target.
pub(crate) fn id_at(path: &Path) -> Option<NodeId> {
    let stat = fs::stat(path).ok()?;
    let kind = plain_kind(&stat)?;
    Some((kind, identity_of(&stat, kind)))
}

/// Kind and identity of the block device with a number.
pub(crate) const fn block_id(number: (u32, u32)) -> NodeId {
    (TargetKind::BlockDevice, Identity { device: number, inode: 0 })
}

/// Major and minor number as in the record.
pub(crate) fn number(device: u64) -> (u32, u32) {
    (fs::major(device), fs::minor(device))
}

pub(crate) fn identity_of(stat: &fs::Stat, kind: TargetKind) -> Identity {
    match kind {
        TargetKind::File => Identity { device: number(stat.st_dev), inode: stat.st_ino },
        _ => Identity { device: number(stat.st_rdev), inode: 0 },
    }
}

/// The kind of a file or device that could be a target; `None` for anything else.
pub(crate) fn plain_kind(stat: &fs::Stat) -> Option<TargetKind> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Some(TargetKind::File),
        FileType::BlockDevice => Some(TargetKind::BlockDevice),
        FileType::CharacterDevice => Some(TargetKind::CharDevice),
        _ => None,
    }
}

fn kind_of(path: &Path, stat: &fs::Stat) -> Result<TargetKind, Problem> {
    let refused = |is: &str, next: &str| {
        Err(Problem::refused(format!("the target is {is}")).at(path_text::encode(path)).next(next))
    };
    match plain_kind(stat) {
        Some(TargetKind::CharDevice) if !is_raw_device(stat.st_rdev) => {
            refused("not storage: a character device other than a raw device", NAME_STORAGE)
        }
        Some(kind) => Ok(kind),
        None => match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => refused(
                "a directory",
                "name a file in it, or run `rigel run simple` there without a target to measure a scratch file",
            ),
            FileType::Fifo => refused("not storage: a FIFO", NAME_STORAGE),
            FileType::Socket => refused("not storage: a socket", NAME_STORAGE),
            FileType::Symlink => refused("a symbolic link", "name the file or device that it points to"),
            _ => refused("neither a regular file nor a device", NAME_STORAGE),
        },
    }
}

/// Whether a character device belongs to the raw driver. The answer comes from the kernel's list of drivers, because
/// opening an unknown device could start a watchdog or rewind a tape.
fn is_raw_device(device: u64) -> bool {
    let list = std::fs::read_to_string("/proc/devices").unwrap_or_default();
    let characters = list.lines().skip_while(|line| !line.starts_with("Character")).skip(1);
    characters
        .take_while(|line| !line.starts_with("Block"))
        .filter_map(|line| line.trim().split_once(' '))
        .any(|(major, name)| name == "raw" && major.parse() == Ok(fs::major(device)))
}
