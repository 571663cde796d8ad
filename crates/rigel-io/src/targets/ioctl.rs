//! The few questions to block devices that have no safe wrapper yet. Must not change a device.

use rustix::ioctl::{self, Getter, opcode};
use rustix::{fs, io};
use std::ffi::c_int;
use std::os::fd::BorrowedFd;

const BLKGETSIZE64: ioctl::Opcode = opcode::read::<usize>(0x12, 114);
const BLKROGET: ioctl::Opcode = opcode::none(0x12, 94);
const LOOP_GET_STATUS64: ioctl::Opcode = 0x4c05;

/// Size of a block device (or of what answers like one) in bytes.
pub(crate) fn device_size_bytes(fd: BorrowedFd<'_>) -> io::Result<u64> {
    // SAFETY: <linux/fs.h>: BLKGETSIZE64 writes one u64, though its number is built from size_t.
    unsafe { ioctl::ioctl(fd, Getter::<BLKGETSIZE64, u64>::new()) }
}

/// Whether the kernel refuses writes to a block device.
pub(crate) fn device_is_read_only(fd: BorrowedFd<'_>) -> io::Result<bool> {
    // SAFETY: <linux/fs.h>: BLKROGET writes one int.
    let flag = unsafe { ioctl::ioctl(fd, Getter::<BLKROGET, c_int>::new()) }?;
    Ok(flag != 0)
}

/// Logical and physical block size of a block device.
pub(crate) fn block_sizes(fd: BorrowedFd<'_>) -> io::Result<(u32, Option<u32>)> {
    Ok((fs::ioctl_blksszget(fd)?, fs::ioctl_blkpbszget(fd).ok()))
}

/// `struct loop_info64` of <linux/loop.h>, as far as it is read here; the rest is only room for the kernel to write.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    rest: [u64; 26],
}

// The structure is part of the kernel's interface and has 232 bytes.
const _: () = assert!(size_of::<LoopInfo>() == 232);

/// What a loop device is made of: `(st_dev, st_ino, st_rdev)` of the file or device behind it.
pub(crate) fn loop_backing(fd: BorrowedFd<'_>) -> io::Result<(u64, u64, u64)> {
    // SAFETY: LOOP_GET_STATUS64 writes one loop_info64, whose size is checked above; any bytes are valid integers.
    let info = unsafe { ioctl::ioctl(fd, Getter::<LOOP_GET_STATUS64, LoopInfo>::new()) }?;
    let _ = info.rest;
    Ok((info.device, info.inode, info.rdevice))
}
