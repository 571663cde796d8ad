//! The directory and its three files: their numbers, names and attributes. It must not serve them.

use std::time::UNIX_EPOCH;

use fuser::{FileAttr, FileType, INodeNo};

/// The unit in which sizes are reported.
pub(crate) const BLOCK_BYTES: u32 = 512;

/// A node of the file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Root,
    /// The device for callers that use `O_DIRECT`, and for a loop device, which needs the page cache paths.
    Disk,
    /// The same bytes, without the page cache, so a short read reaches the caller.
    Raw,
    Control,
}

impl Node {
    pub(crate) const FILES: [Self; 3] = [Self::Disk, Self::Raw, Self::Control];

    pub(crate) fn of(ino: INodeNo) -> Option<Self> {
        [Self::Root, Self::Disk, Self::Raw, Self::Control].into_iter().find(|node| node.ino() == ino)
    }

    pub(crate) fn ino(self) -> INodeNo {
        match self {
            Self::Root => INodeNo::ROOT,
            Self::Disk => INodeNo(2),
            Self::Raw => INodeNo(3),
            Self::Control => INodeNo(4),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Root => ".",
            Self::Disk => "disk",
            Self::Raw => "raw",
            Self::Control => "ctl",
        }
    }

    pub(crate) fn is_device(self) -> bool {
        matches!(self, Self::Disk | Self::Raw)
    }

    /// What `stat` says about it; the time stands still, since nothing but bytes ever changes.
    pub(crate) fn attributes(self, device_size_bytes: u64) -> FileAttr {
        let directory = self == Self::Root;
        let size = if self.is_device() { device_size_bytes } else { 0 };
        FileAttr {
            ino: self.ino(),
            size,
            blocks: size / u64::from(BLOCK_BYTES),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind: if directory { FileType::Directory } else { FileType::RegularFile },
            perm: if directory { 0o755 } else { 0o666 },
            nlink: 1,
            uid: rustix::process::getuid().as_raw(),
            gid: rustix::process::getgid().as_raw(),
            rdev: 0,
            blksize: 4096,
            flags: 0,
        }
    }
}
