//! The form of an I/O in the queues of a ring: a read or write, a NOP, or an NVMe command.
//!
//! Must not touch a queue, and must not decide anything: an entry says the same as its [`Op`].

use crate::backend::Op;
use crate::buffers::Memory;
use crate::slots::{Slots, outcome};
use crate::tag;
use io_uring::{cqueue, opcode, squeue, types};
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;
use std::os::fd::RawFd;
use std::ptr::NonNull;

/// How entries name their file and buffer.
#[derive(Debug)]
pub struct Names {
    /// For each target: its index among the registered files, or its descriptor.
    pub(super) files: Box<[RawFd]>,
    /// Marks `files` as indices or as descriptors.
    pub(super) file_flags: squeue::Flags,
    /// Whether the memory of [`Wire::fixed_buffers`] is registered.
    pub(super) fixed_buffers: bool,
}

impl Names {
    /// For a ring with NOPs only.
    pub(super) fn none() -> Self {
        Self { files: Box::default(), file_flags: squeue::Flags::empty(), fixed_buffers: false }
    }

    #[inline]
    pub(super) fn file(&self, op: &Op) -> types::Fd {
        types::Fd(self.files[usize::from(op.target)])
    }
}

pub(super) fn region(start: NonNull<u8>, bytes: usize) -> libc::iovec {
    libc::iovec { iov_base: start.as_ptr().cast(), iov_len: bytes }
}

/// A kind of entries. Every ring has one kind, because the ring fixes the size of its entries.
pub trait Wire {
    /// Entry of the submission queue.
    type Submission: squeue::EntryMarker;
    /// Entry of the completion queue.
    type Completion: cqueue::EntryMarker;
    /// The engine that uses this kind.
    const KIND: EngineKind;
    /// Whether a read transfers data of a target.
    const MOVES_DATA: bool;

    /// The memory to register with the ring, in the order of the indices in entries; empty for none. By default these are
    /// the regions that hold all buffers.
    fn fixed_buffers(slots: &Slots, _facts: &mut EngineFacts) -> Vec<libc::iovec> {
        slots.regions().map(|(start, bytes)| region(start, bytes)).collect()
    }

    /// The entry of an I/O, with its tag as user data. `memory` is the buffer of its slot.
    fn submission(&self, op: &Op, memory: Memory, names: &Names) -> Self::Submission;

    /// The outcome of an I/O of `len` bytes, from the result in its completion.
    ///
    /// # Errors
    /// The errno.
    fn outcome(result: i32, len: u32) -> Result<u32, i32>;
}

/// Plain reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct ReadsAndWrites;

impl Wire for ReadsAndWrites {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;
    const KIND: EngineKind = EngineKind::IoUring;
    const MOVES_DATA: bool = true;

    #[inline]
    fn submission(&self, op: &Op, memory: Memory, names: &Names) -> squeue::Entry {
        let start = memory.start.as_ptr();
        let file = names.file(op);
        let entry = match (op.direction, names.fixed_buffers) {
            (Direction::Read, true) => {
                let entry = opcode::ReadFixed::new(file, start, op.len, memory.region).offset(op.offset);
                entry.build().user_data(tag::of(op))
            }
            (Direction::Read, false) => {
                let entry = opcode::Read::new(file, start, op.len).offset(op.offset);
                entry.build().user_data(tag::of(op))
            }
            (Direction::Write, _) => write(op, memory, names),
        };
        entry.flags(names.file_flags)
    }

    #[inline]
    fn outcome(result: i32, _len: u32) -> Result<u32, i32> {
        outcome(i64::from(result))
    }
}

/// A write, or the flush that follows it.
#[inline]
fn write(op: &Op, memory: Memory, names: &Names) -> squeue::Entry {
    let (start, file) = (memory.start.as_ptr(), names.file(op));
    let (flags, tag) = match op.sync {
        Sync::None => (0, tag::of(op)),
        Sync::Dsync => (libc::RWF_DSYNC, tag::of(op)),
        Sync::Fdatasync if tag::is_flush(op) => {
            let flush = opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC);
            return flush.build().user_data(tag::of_flush(op));
        }
        Sync::Fdatasync => (0, tag::of_write_to_flush(op)),
    };
    let entry = if names.fixed_buffers {
        let entry = opcode::WriteFixed::new(file, start, op.len, memory.region).offset(op.offset);
        entry.rw_flags(flags).build()
    } else {
        opcode::Write::new(file, start, op.len).offset(op.offset).rw_flags(flags).build()
    };
    entry.user_data(tag)
}

/// NOPs, which the kernel completes without touching a target or a buffer.
#[derive(Clone, Copy, Debug)]
pub struct NoOperations;

impl Wire for NoOperations {
    type Submission = squeue::Entry;
    type Completion = cqueue::Entry;
    const KIND: EngineKind = EngineKind::Nop;
    const MOVES_DATA: bool = false;

    #[inline]
    fn submission(&self, op: &Op, _memory: Memory, _names: &Names) -> squeue::Entry {
        opcode::Nop::new().build().user_data(tag::of(op))
    }

    /// A NOP succeeds with 0 and counts as an I/O that moved all its bytes.
    #[inline]
    fn outcome(result: i32, len: u32) -> Result<u32, i32> {
        if result == 0 { Ok(len) } else { outcome(i64::from(result)) }
    }
}
