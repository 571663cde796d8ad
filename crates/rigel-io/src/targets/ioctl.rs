//! Requests to files and block devices that have no safe wrapper in rustix. Must not change a file or a device.

mod mapper;

pub(crate) use mapper::{MapperTarget, mapper_targets};

use rustix::ioctl::{self, Getter, Updater, opcode};
use rustix::{fs, io};
use std::ffi::c_int;
use std::os::fd::{AsRawFd as _, BorrowedFd};

const BLKGETSIZE64: ioctl::Opcode = opcode::read::<usize>(0x12, 114);
const BLKROGET: ioctl::Opcode = opcode::none(0x12, 94);
const LOOP_GET_STATUS64: ioctl::Opcode = 0x4c05;
const NVME_IOCTL_ID: ioctl::Opcode = opcode::none(b'N', 0x40);

/// Size in bytes of a block device or raw device.
pub(crate) fn device_size_bytes(fd: BorrowedFd<'_>) -> io::Result<u64> {
    // SAFETY: <linux/fs.h>: BLKGETSIZE64 writes one u64, though its number is built from size_t.
    unsafe { ioctl::ioctl(fd, Getter::<BLKGETSIZE64, u64>::new()) }
}

pub(crate) fn device_is_read_only(fd: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: <linux/fs.h>: BLKROGET writes one int.
    let flag = unsafe { ioctl::ioctl(fd, Getter::<BLKROGET, c_int>::new()) }?;
    Ok(flag != 0)
}

/// Number of an NVMe namespace on its controller, from its block or generic device.
pub(crate) fn namespace_id(fd: BorrowedFd<'_>) -> io::Result<u32> {
    // SAFETY: <linux/nvme_ioctl.h>: NVME_IOCTL_ID takes no argument and touches no memory of ours.
    let answer = unsafe { libc::ioctl(fd.as_raw_fd(), NVME_IOCTL_ID as libc::Ioctl) };
    u32::try_from(answer)
        .map_err(|_| io::Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(io::Errno::RANGE))
}

/// `struct nvme_passthru_cmd` of <linux/nvme_ioctl.h>.
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    _reserved: u16,
    namespace: u32,
    words_2_and_3: [u32; 2],
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    words_10_to_15: [u32; 6],
    timeout_ms: u32,
    result: u32,
}

// The structure is part of the kernel's interface and has 72 bytes.
const _: () = assert!(size_of::<AdminCommand>() == 72);
const NVME_IOCTL_ADMIN_CMD: ioctl::Opcode = opcode::read_write::<AdminCommand>(b'N', 0x41);
/// Identify of the NVM Express Base Specification; with 0 in its word 10 it is about a namespace.
const IDENTIFY: u8 = 0x06;
pub(crate) const IDENTIFY_BYTES: usize = 4096;

/// The Identify Namespace data structure of an NVMe namespace.
pub(crate) fn identify_namespace(
    fd: BorrowedFd<'_>,
    namespace: u32,
) -> io::Result<Box<[u8; IDENTIFY_BYTES]>> {
    let mut answer = Box::new([0; IDENTIFY_BYTES]);
    let mut command = AdminCommand {
        opcode: IDENTIFY,
        namespace,
        address: answer.as_mut_ptr() as u64,
        data_bytes: 4096,
        ..AdminCommand::default()
    };
    // SAFETY: NVME_IOCTL_ADMIN_CMD reads and writes one nvme_passthru_cmd, whose size is checked above, and the
    // controller's answer of 4096 bytes goes to `answer`, which has as many and lives until the call is over.
    unsafe { ioctl::ioctl(fd, Updater::<NVME_IOCTL_ADMIN_CMD, AdminCommand>::new(&mut command)) }?;
    Ok(answer)
}

pub(crate) fn block_sizes(fd: BorrowedFd<'_>) -> io::Result<(u32, Option<u32>)> {
    Ok((fs::ioctl_blksszget(fd)?, fs::ioctl_blkpbszget(fd).ok()))
}

/// `struct loop_info64` of <linux/loop.h>. Only its first fields are read here.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    rest: [u64; 26],
}

// The structure is part of the kernel's interface and has 232 bytes.
const _: () = assert!(size_of::<LoopInfo>() == 232);

/// `(st_dev, st_ino, st_rdev)` of the file or device behind a loop device.
pub(crate) fn loop_backing(fd: BorrowedFd<'_>) -> io::Result<(u64, u64, u64)> {
    // SAFETY: LOOP_GET_STATUS64 writes one loop_info64, whose size is checked above; any bytes are valid integers.
    let info = unsafe { ioctl::ioctl(fd, Getter::<LOOP_GET_STATUS64, LoopInfo>::new()) }?;
    let _ = info.rest;
    Ok((info.device, info.inode, info.rdevice))
}

const FS_IOC_FIEMAP: ioctl::Opcode = opcode::read_write::<ExtentQuestion>(b'f', 11);
/// FIEMAP_FLAG_SYNC: write cached data to disk first.
pub(crate) const FIEMAP_SYNC: u32 = 1;

/// The FIEMAP_EXTENT_* flags of <linux/fiemap.h> that are used here.
pub(crate) mod extent_flags {
    pub(crate) const LAST: u32 = 0x1;
    pub(crate) const UNKNOWN: u32 = 0x2;
    pub(crate) const DELALLOC: u32 = 0x4;
    pub(crate) const ENCODED: u32 = 0x8;
    pub(crate) const DATA_ENCRYPTED: u32 = 0x80;
    pub(crate) const INLINE: u32 = 0x200;
    pub(crate) const TAIL: u32 = 0x400;
    pub(crate) const UNWRITTEN: u32 = 0x800;
    pub(crate) const SHARED: u32 = 0x2000;
}

/// `struct fiemap` of <linux/fiemap.h> without its array.
#[repr(C)]
#[derive(Default)]
struct ExtentQuestion {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    _reserved: u32,
}

/// `struct fiemap_extent`: a piece of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// Byte offset in the file.
    pub(crate) logical: u64,
    /// Byte offset on the device, where the file system has one.
    pub(crate) physical: u64,
    /// Bytes; the last one may reach beyond the end of the file.
    pub(crate) length: u64,
    _reserved: [u64; 2],
    flags: u32,
    _reserved_too: [u32; 3],
}

impl Extent {
    pub(crate) fn new(logical: u64, length: u64, flags: u32) -> Self {
        Self { logical, length, flags, ..Self::default() }
    }

    /// Whether it has one of these flags.
    pub(crate) const fn has(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }
}

#[repr(C)]
pub(crate) struct ExtentPage {
    question: ExtentQuestion,
    extents: [Extent; Self::ROOM],
}

// The structures are part of the kernel's interface: the array begins right behind the question.
const _: () = assert!(size_of::<ExtentQuestion>() == 32 && size_of::<Extent>() == 56);
const _: () = assert!(std::mem::offset_of!(ExtentPage, extents) == 32);

impl ExtentPage {
    /// Extents of one answer: enough for most files, and few enough where each one takes a search.
    pub(crate) const ROOM: usize = 512;

    /// An empty page, boxed because it is too large for the stack.
    pub(crate) fn boxed() -> Box<Self> {
        Box::new(Self { question: ExtentQuestion::default(), extents: [Extent::default(); Self::ROOM] })
    }

    /// The first extents of a file from `start` on within `length` bytes, in the order of their offsets.
    pub(crate) fn ask(
        &mut self,
        fd: BorrowedFd<'_>,
        start: u64,
        length: u64,
        flags: u32,
    ) -> io::Result<&[Extent]> {
        let room = u32::try_from(Self::ROOM).unwrap_or(0);
        self.question = ExtentQuestion { start, length, flags, room, ..ExtentQuestion::default() };
        // SAFETY: FS_IOC_FIEMAP reads a `struct fiemap` and writes it and as many `struct fiemap_extent` behind it as
        // `room` says. `ExtentPage` is both, laid out as checked above, and any bytes are valid integers.
        unsafe { ioctl::ioctl(fd, Updater::<FS_IOC_FIEMAP, Self>::new(self)) }?;
        let mapped = usize::try_from(self.question.mapped).unwrap_or(usize::MAX);
        Ok(&self.extents[..mapped.min(Self::ROOM)])
    }
}
