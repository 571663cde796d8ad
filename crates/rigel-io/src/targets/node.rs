//! What a path leads to, pinned: between looking and opening nobody can put something else in its place.
//!
//! Nothing but regular files, block devices and raw devices is ever opened: opening a FIFO hangs, opening a tape or a
//! watchdog does something. An NVMe generic device stands for the block device of its namespace. Must not read or write what is behind the path.

use super::errno::refusal;
use super::namespace;
use rigel_core::error::Problem;
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::path_text;
use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, StatxFlags};
use rustix::io::Errno;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

/// A file or device that is held by an `O_PATH` descriptor.
#[derive(Debug)]
pub(crate) struct Node {
    path: PathBuf,
    pin: OwnedFd,
    stat: fs::Stat,
    kind: TargetKind,
}

/// The times of the last changes of a file, in seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Changed {
    contents: (i64, u64),
    /// The contents or anything else; nobody can set it back.
    file: (i64, u64),
}

impl Node {
    /// Pins what `path` leads to, links followed.
    pub(crate) fn pin(path: &Path) -> Result<Self, Problem> {
        Self::pin_with(path, OFlags::empty())
    }

    /// Pins `path` itself: a link is refused.
    pub(crate) fn pin_no_link(path: &Path) -> Result<Self, Problem> {
        Self::pin_with(path, OFlags::NOFOLLOW)
    }

    /// What a descriptor is open on, by the path that led there.
    pub(crate) fn of_open(path: &Path, fd: BorrowedFd<'_>) -> Result<Self, Problem> {
        let told = |errno| refusal("the target cannot be looked at again", path, errno);
        let pin = rustix::io::fcntl_dupfd_cloexec(fd, 0).map_err(told)?;
        let stat = fs::fstat(&pin).map_err(told)?;
        let kind = kind_of(path, &stat)?;
        Ok(Self { path: path.to_owned(), pin, stat, kind })
    }

    fn pin_with(path: &Path, extra: OFlags) -> Result<Self, Problem> {
        let told = |errno| refusal("the target cannot be reached", path, errno);
        let named = fs::open(path, OFlags::PATH | OFlags::CLOEXEC | extra, Mode::empty()).map_err(told)?;
        let pin = block_behind(named).map_err(told)?;
        let stat = fs::fstat(&pin).map_err(told)?;
        let kind = kind_of(path, &stat)?;
        // Everything further goes through that directory; without it a file would seem to be missing.
        if !Path::new("/proc/self/fd").exists() {
            return Err(Problem::refused("the target cannot be opened safely")
                .at(path_text::encode(path))
                .because("/proc is not mounted; what is pinned is opened through /proc/self/fd")
                .next("mount it: mount -t proc proc /proc"));
        }
        Ok(Self { path: path.to_owned(), pin, stat, kind })
    }

    /// Opens exactly what is pinned.
    pub(crate) fn open(&self, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NOCTTY;
        fs::open(format!("/proc/self/fd/{}", self.pin.as_raw_fd()), flags, Mode::empty())
    }

    /// Opens it for reading, or says why not.
    pub(crate) fn open_to_read(&self) -> Result<OwnedFd, Problem> {
        self.open(OFlags::RDONLY).map_err(|errno| refusal("the target cannot be read", &self.path, errno))
    }

    /// As the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The printable form of [`Node::path`].
    pub(crate) fn place(&self) -> String {
        path_text::encode(&self.path)
    }

    /// With links resolved.
    pub(crate) fn real_path(&self) -> PathBuf {
        std::fs::read_link(format!("/proc/self/fd/{}", self.pin.as_raw_fd()))
            .unwrap_or_else(|_| self.path.clone())
    }

    pub(crate) const fn kind(&self) -> TargetKind {
        self.kind
    }

    pub(crate) const fn stat(&self) -> &fs::Stat {
        &self.stat
    }

    pub(crate) fn identity(&self) -> Identity {
        identity_of(&self.stat, self.kind)
    }

    /// When it was changed last, as it was when it was pinned; `None` for a device, whose node says nothing about that.
    pub(crate) fn changed(&self) -> Option<Changed> {
        let stat = &self.stat;
        (self.kind == TargetKind::File).then_some(Changed {
            contents: (stat.st_mtime, stat.st_mtime_nsec),
            file: (stat.st_ctime, stat.st_ctime_nsec),
        })
    }

    /// Number of the mount that it is reached through; `None` before Linux 5.8.
    pub(crate) fn mount_id(&self) -> Option<u64> {
        let answer = fs::statx(&self.pin, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
        let known = StatxFlags::from_bits_retain(answer.stx_mask).contains(StatxFlags::MNT_ID);
        known.then_some(answer.stx_mnt_id)
    }

    /// Whether the filesystem or the mount refuses writes.
    pub(crate) fn on_read_only_mount(&self) -> bool {
        fs::fstatvfs(self.pin.as_fd())
            .is_ok_and(|answer| answer.f_flag.contains(fs::StatVfsMountFlags::RDONLY))
    }
}

/// The block device of an NVMe namespace instead of its generic character device; anything else as it is.
fn block_behind(pin: OwnedFd) -> Result<OwnedFd, Errno> {
    let stat = fs::fstat(&pin)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::CharacterDevice {
        return Ok(pin);
    }
    namespace::pin_block(number(stat.st_rdev)).unwrap_or(Ok(pin))
}

/// Major and minor number as the record keeps them.
pub(crate) fn number(device: u64) -> (u32, u32) {
    (fs::major(device), fs::minor(device))
}

/// Who a file or device is.
pub(crate) fn identity_of(stat: &fs::Stat, kind: TargetKind) -> Identity {
    match kind {
        TargetKind::File => Identity { device: number(stat.st_dev), inode: stat.st_ino },
        _ => Identity { device: number(stat.st_rdev), inode: 0 },
    }
}

/// The kind of a file or device that could be a target, else `None`.
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
        Some(TargetKind::CharDevice) if !is_raw_device(stat.st_rdev) => refused(
            "a character device that is no raw device",
            "name the block device instead (lsblk lists them)",
        ),
        Some(kind) => Ok(kind),
        None => match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => refused("a directory", "name a file in it, or a block device"),
            FileType::Fifo => refused("a FIFO", "name a regular file or a block device"),
            FileType::Socket => refused("a socket", "name a regular file or a block device"),
            FileType::Symlink => refused("a symbolic link", "name what it leads to"),
            _ => refused("no regular file and no device", "name a regular file or a block device"),
        },
    }
}

/// Whether the driver of a character device is the raw driver. Asked of the kernel's list by name, because finding out
/// by opening it could start a watchdog or rewind a tape.
fn is_raw_device(device: u64) -> bool {
    let list = std::fs::read_to_string("/proc/devices").unwrap_or_default();
    let characters = list.lines().skip_while(|line| !line.starts_with("Character")).skip(1);
    characters
        .take_while(|line| !line.starts_with("Block"))
        .filter_map(|line| line.trim().split_once(' '))
        .any(|(major, name)| name == "raw" && major.parse() == Ok(fs::major(device)))
}
