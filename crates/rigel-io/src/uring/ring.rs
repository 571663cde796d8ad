//! Making a ring, and registering with it what spares the kernel work for each I/O.
//!
//! Nothing is assumed from the version of the kernel: each feature is asked for, and done without when
//! refused.

use crate::slots::Slots;
use crate::targets::OpenTargets;
use io_uring::{IoUring, opcode, squeue};
use rigel_core::engine::{EngineFacts, EngineKind};
use rigel_core::units::Bytes;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, RawFd};

/// The kernel's limit on the submission queue (IORING_MAX_ENTRIES).
const MAX_ENTRIES: u32 = 32_768;

/// How many entries the two queues of a ring get.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Submitted in one call; more are submitted in pieces.
    pub(super) submissions: u32,
    /// One for each slot, so that completions can never find the queue full.
    pub(super) completions: u32,
}

impl Size {
    pub(super) fn of_slots(slots: u16) -> Self {
        let slots = u32::from(slots).max(1);
        Self { submissions: slots.min(MAX_ENTRIES), completions: slots }
    }
}

/// How the kernel runs completions, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// When this thread asks for them, and no other thread ever submits (Linux 6.1).
    Deferred,
    /// When this thread enters the kernel for whatever reason (Linux 5.19).
    Cooperative,
    /// By interrupting this thread.
    Plain,
}

/// Makes a ring in the best mode that the kernel has.
///
/// # Errors
/// What io_uring_setup says, or `Unsupported` before Linux 5.6.
pub(super) fn make(size: Size) -> io::Result<(IoUring, EngineFacts)> {
    let (ring, mode) = first_mode(size)?;
    debug_assert!(ring.params().cq_entries() >= size.completions, "the kernel rounds up");
    if !ring.params().is_feature_rw_cur_pos() {
        // The feature came with the plain read and write operations.
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "the io_uring of Linux before 5.6 lacks what is needed",
        ));
    }
    let facts = EngineFacts {
        single_issuer: mode == Mode::Deferred,
        defer_taskrun: mode == Mode::Deferred,
        ..EngineFacts::plain(EngineKind::IoUring)
    };
    Ok((ring, facts))
}

fn first_mode(size: Size) -> io::Result<(IoUring, Mode)> {
    for mode in [Mode::Deferred, Mode::Cooperative] {
        match in_mode(size, mode) {
            Ok(ring) => return Ok((ring, mode)),
            // What a kernel says to a flag that it does not know.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((in_mode(size, Mode::Plain)?, Mode::Plain))
}

fn in_mode(size: Size, mode: Mode) -> io::Result<IoUring> {
    let mut builder = IoUring::builder();
    builder.setup_cqsize(size.completions);
    match mode {
        Mode::Deferred => builder.setup_submit_all().setup_single_issuer().setup_defer_taskrun(),
        Mode::Cooperative => builder.setup_submit_all().setup_coop_taskrun(),
        Mode::Plain => &mut builder,
    };
    builder.build(size.submissions)
}

/// Makes the rings of all workers at once, each as large as needed, and sends a NOP through every one: memory for one
/// ring may be there and not for all, and a ring may be allowed and its use refused.
///
/// # Errors
/// What the kernel refused with.
pub(crate) fn probe(slots_per_worker: &[u16]) -> io::Result<()> {
    let rings = slots_per_worker.iter().map(|&slots| make(Size::of_slots(slots)).map(|(ring, _)| ring));
    rings.collect::<io::Result<Vec<_>>>()?.iter_mut().try_for_each(send_nop)
}

fn send_nop(ring: &mut IoUring) -> io::Result<()> {
    // SAFETY: a NOP refers to no memory.
    unsafe { ring.submission().push(&opcode::Nop::new().build()) }.map_err(io::Error::other)?;
    loop {
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            // A signal may end the call after the NOP was taken and before it was answered.
            Ok(_) if ring.completion().is_empty() => {}
            Ok(_) => break,
        }
    }
    match ring.completion().next().map(|answer| answer.result()) {
        Some(result) if result < 0 => Err(io::Error::from_raw_os_error(-result)),
        _ => Ok(()),
    }
}

/// How I/Os name their file and their buffer.
#[derive(Debug)]
pub(super) struct Names {
    /// By target: its index among the registered files, or its descriptor.
    pub(super) files: Box<[RawFd]>,
    /// Says which of the two it is.
    pub(super) file_flags: squeue::Flags,
    /// Whether regions are registered, under the number of the region.
    pub(super) fixed_buffers: bool,
    /// Nothing is named: every I/O is a NOP.
    pub(super) nops: bool,
}

impl Names {
    /// For a ring that only answers NOPs.
    pub(super) fn nops() -> Self {
        Self { files: Box::default(), file_flags: squeue::Flags::empty(), fixed_buffers: false, nops: true }
    }
}

/// Registers files and buffers where the kernel lets us, and tells in `facts` what it did not.
pub(super) fn register(
    ring: &IoUring,
    targets: &OpenTargets,
    slots: &Slots,
    facts: &mut EngineFacts,
) -> Names {
    // Files that cannot be read without blocking go through the kernel's own threads, by default four per
    // CPU: too few for the depth that was asked for. Refused before Linux 5.15.
    let _ = ring.submitter().register_iowq_max_workers(&mut [u32::from(slots.count()), 0]);
    facts.registered_buffers = register_buffers(ring, slots, &mut facts.notes);
    let descriptors: Box<[RawFd]> = targets.iter().map(|target| target.as_fd().as_raw_fd()).collect();
    let registered = ring.submitter().register_files(&descriptors);
    facts.registered_files = registered.is_ok();
    let (files, file_flags) = match registered {
        Ok(()) => ((0..).take(descriptors.len()).collect(), squeue::Flags::FIXED_FILE),
        Err(error) => {
            facts.notes.push(format!("files are not registered with the kernel: {error}"));
            (descriptors, squeue::Flags::empty())
        }
    };
    Names { files, file_flags, fixed_buffers: facts.registered_buffers, nops: false }
}

fn register_buffers(ring: &IoUring, slots: &Slots, notes: &mut Vec<String>) -> bool {
    let regions: Vec<libc::iovec> = slots
        .regions()
        .map(|(start, bytes)| libc::iovec { iov_base: start.as_ptr().cast(), iov_len: bytes })
        .collect();
    // SAFETY: the regions stay mapped until the ring is gone: its owner drops the ring before the slots, and
    // leaks the memory when it cannot see the end of its I/O.
    let Err(error) = (unsafe { ring.submitter().register_buffers(&regions) }) else { return true };
    let bytes = regions.iter().map(|region| region.iov_len as u64).sum();
    notes.push(unregistered(bytes, &error));
    false
}

fn unregistered(bytes: u64, error: &io::Error) -> String {
    let bytes = Bytes(bytes);
    match (error.raw_os_error(), crate::limits::memlock_limit_bytes()) {
        (Some(libc::ENOMEM), Some(limit)) => format!(
            "{bytes} of buffers are not registered with the kernel, which costs some CPU time: RLIMIT_MEMLOCK is {} \
             (ulimit -l {})",
            Bytes(limit),
            limit / 1024
        ),
        _ => format!(
            "{bytes} of buffers are not registered with the kernel, which costs some CPU time: {error}"
        ),
    }
}
