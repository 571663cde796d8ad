//! The system calls of Linux asynchronous I/O and their structures, as in `linux/aio_abi.h`.
//!
//! These are raw calls, so libaio need not be installed. Must not keep slots or buffers.

use crate::backend::Op;
use crate::tag;
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

/// `aio_context_t`: the address of a ring that the kernel maps into this process.
#[derive(Debug)]
pub(super) struct Context(libc::c_ulong);

const PREAD: u16 = 0;
const PWRITE: u16 = 1;
const FDSYNC: u16 = 3;
/// The place of the flags in `key_and_flags`.
const FLAGS: usize = if cfg!(target_endian = "little") { 1 } else { 0 };

/// `struct iocb`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Iocb {
    pub(super) data: u64,
    /// `aio_key`, which the kernel writes, and `aio_rw_flags`; their order depends on the byte order.
    key_and_flags: [u32; 2],
    opcode: u16,
    priority: i16,
    file: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_file: u32,
}

/// `struct io_event`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Event {
    /// As given in the [`Iocb`].
    pub(super) data: u64,
    iocb: u64,
    /// Bytes moved, or a negative errno.
    pub(super) result: i64,
    result2: i64,
}

impl Event {
    /// The event of an I/O that the kernel refused.
    pub(super) fn refused(data: u64, errno: i32) -> Self {
        Self { data, result: -i64::from(errno), ..Self::default() }
    }
}

impl Iocb {
    /// An I/O whose event has its tag as `data`.
    pub(super) fn new(op: &Op, file: RawFd, buffer: *mut u8) -> Self {
        let read = Self {
            data: tag::of(op),
            opcode: PREAD,
            file: file.cast_unsigned(),
            // The kernel uses the pointer, so the compiler must know that its memory can be accessed from outside.
            buffer: buffer.expose_provenance() as u64,
            bytes: u64::from(op.len),
            offset: op.offset.cast_signed(),
            ..Self::default()
        };
        match op.direction {
            Direction::Read => read,
            Direction::Write => read.into_write(op),
        }
    }

    fn into_write(self, op: &Op) -> Self {
        let write = Self { opcode: PWRITE, ..self };
        match op.sync {
            Sync::None => write,
            Sync::Dsync => write.durable(),
            Sync::Fdatasync => Self { data: tag::of_write_to_flush(op), ..write },
        }
    }

    /// The same I/O with `RWF_DSYNC`.
    pub(super) fn durable(self) -> Self {
        let mut key_and_flags = [0; 2];
        key_and_flags[FLAGS] = libc::RWF_DSYNC.cast_unsigned();
        Self { key_and_flags, ..self }
    }

    /// Makes durable what was written to a file.
    pub(super) fn flush(op: &Op, file: RawFd) -> Self {
        Self { data: tag::of_flush(op), opcode: FDSYNC, file: file.cast_unsigned(), ..Self::default() }
    }
}

impl Context {
    pub(super) fn new(events: u32) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: io_setup writes one aio_context_t to the address of `context`, which is one.
        checked(unsafe { libc::syscall(libc::SYS_io_setup, libc::c_long::from(events), &raw mut context) })?;
        Ok(Self(context))
    }

    /// Submits from the front, and returns how many the kernel accepted.
    ///
    /// # Safety
    /// Every pointer must point to a valid [`Iocb`]. Its buffer must stay valid, and nothing else may touch it, until its
    /// event has arrived or the context is destroyed.
    pub(super) unsafe fn submit(&self, iocbs: &mut [*mut Iocb]) -> io::Result<usize> {
        // SAFETY: the kernel reads `iocbs.len()` pointers and one structure behind each, and keeps none of them after the
        // call. It keeps the buffers, and the caller guarantees their lifetime.
        checked(unsafe { libc::syscall(libc::SYS_io_submit, self.0, long(iocbs.len()), iocbs.as_mut_ptr()) })
    }

    /// Waits for at least `least` events and takes as many as fit into `room`; fewer after a signal, or after that time.
    pub(super) fn events(&self, least: usize, room: &mut [Event], longest: Duration) -> io::Result<usize> {
        let (least, most) = (long(least.min(room.len())), long(room.len()));
        let mut longest = libc::timespec {
            tv_sec: libc::time_t::try_from(longest.as_secs()).unwrap_or(libc::time_t::MAX),
            tv_nsec: longest.subsec_nanos().into(),
        };
        // SAFETY: the kernel writes at most `most` events, which fit into `room`; any bytes are valid in them. It reads the
        // time before the call returns.
        checked(unsafe {
            libc::syscall(libc::SYS_io_getevents, self.0, least, most, room.as_mut_ptr(), &raw mut longest)
        })
    }

    /// Leaks the context: the kernel frees it when the process ends.
    pub(super) const fn leak(&mut self) {
        self.0 = 0;
    }

    /// Waits for all I/O in flight and returns the events to the host. `false` when the kernel refused, and I/O may still be
    /// in flight.
    pub(super) fn destroy(&mut self) -> bool {
        // SAFETY: io_setup made the context, and it is not used again: `take` leaves 0, which is no context.
        let result = unsafe { libc::syscall(libc::SYS_io_destroy, std::mem::take(&mut self.0)) };
        result == 0
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.0 != 0 {
            self.destroy();
        }
    }
}

fn checked(result: libc::c_long) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Converts a count of slots, which always fits.
fn long(count: usize) -> libc::c_long {
    libc::c_long::try_from(count).unwrap_or(libc::c_long::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_have_the_sizes_of_the_kernel() {
        assert_eq!((size_of::<Iocb>(), size_of::<Event>()), (64, 32));
        assert_eq!(std::mem::offset_of!(Iocb, opcode), 16);
        assert_eq!(std::mem::offset_of!(Iocb, buffer), 24);
        assert_eq!(std::mem::offset_of!(Iocb, offset), 40);
    }

    #[test]
    fn a_context_is_given_back_once() {
        let mut context = Context::new(1).unwrap();
        assert!(context.destroy());
        assert!(!context.destroy(), "0 is no context");
    }
}
