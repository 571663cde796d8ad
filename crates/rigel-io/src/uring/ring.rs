//! Making a ring, and registering files and buffers with it, which saves the kernel work for each I/O.
//!
//! The version of the kernel is not checked: each feature is requested, and left out when refused.

use super::nvme::NvmeCommands;
use super::wire::{Names, ReadsAndWrites, Wire};
use io_uring::{IoUring, cqueue, opcode, squeue};
use rigel_core::facts::engine::{EngineFacts, EngineKind};
use rigel_core::units::Bytes;
use std::io;
use std::os::fd::RawFd;

/// The kernel's limit on the submission queue (IORING_MAX_ENTRIES).
const MAX_ENTRIES: u32 = 32_768;

/// Sizes of the two queues of a ring, and polling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Entries that one call can submit; more need several calls.
    pub(super) submissions: u32,
    /// One entry for each slot and one for the timer, so the queue always has room for a completion.
    pub(super) completions: u32,
    /// The kernel polls the device for completions instead of waiting for interrupts (IORING_SETUP_IOPOLL).
    pub(super) poll: bool,
}

impl Shape {
    pub(super) fn of_slots(slots: u16, poll: bool) -> Self {
        let slots = u32::from(slots).max(1);
        Self { submissions: slots.min(MAX_ENTRIES), completions: slots.saturating_add(1), poll }
    }
}

pub(super) type RingOf<W> = IoUring<<W as Wire>::Submission, <W as Wire>::Completion>;

/// When the kernel processes completions; the best mode comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// When this thread asks for them; only one thread may submit (Linux 6.1).
    Deferred,
    /// When this thread enters the kernel for any reason (Linux 5.19).
    Cooperative,
    /// Immediately, by interrupting this thread.
    Plain,
}

/// Makes a ring in the best mode that the kernel supports.
///
/// # Errors
/// The error of io_uring_setup, or `Unsupported` before Linux 5.6.
pub(super) fn make<W: Wire>(shape: Shape) -> io::Result<(RingOf<W>, EngineFacts)> {
    let (ring, mode) = first_mode::<W>(shape)?;
    debug_assert!(ring.params().cq_entries() >= shape.completions, "the kernel rounds up");
    if !ring.params().is_feature_rw_cur_pos() {
        // The feature came with the plain read and write operations.
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "io_uring before Linux 5.6 lacks required features",
        ));
    }
    let facts = EngineFacts {
        single_issuer: mode == Mode::Deferred,
        defer_taskrun: mode == Mode::Deferred,
        polled: shape.poll,
        ..EngineFacts::plain(W::KIND)
    };
    Ok((ring, facts))
}

fn first_mode<W: Wire>(shape: Shape) -> io::Result<(RingOf<W>, Mode)> {
    for mode in [Mode::Deferred, Mode::Cooperative] {
        match in_mode::<W>(shape, mode) {
            Ok(ring) => return Ok((ring, mode)),
            // The answer of a kernel that does not know a flag.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {}
            Err(error) => return Err(error),
        }
    }
    Ok((in_mode::<W>(shape, Mode::Plain)?, Mode::Plain))
}

fn in_mode<W: Wire>(shape: Shape, mode: Mode) -> io::Result<RingOf<W>> {
    let mut builder = RingOf::<W>::builder();
    builder.setup_cqsize(shape.completions);
    if shape.poll {
        builder.setup_iopoll();
    }
    match mode {
        Mode::Deferred => builder.setup_submit_all().setup_single_issuer().setup_defer_taskrun(),
        Mode::Cooperative => builder.setup_submit_all().setup_coop_taskrun(),
        Mode::Plain => &mut builder,
    };
    builder.build(shape.submissions)
}

/// Makes the rings of all workers together, each in its full size, and sends a NOP through every one. The memory may
/// be enough for one ring and not for all, and a kernel may allow a ring but refuse its use.
///
/// # Errors
/// The error of the kernel.
pub(crate) fn probe(kind: EngineKind, poll: bool, slots_per_worker: &[u16]) -> io::Result<()> {
    match kind {
        EngineKind::Nvme => probe_each::<NvmeCommands>(poll, slots_per_worker),
        _ => probe_each::<ReadsAndWrites>(poll, slots_per_worker),
    }
}

fn probe_each<W: Wire>(poll: bool, slots_per_worker: &[u16]) -> io::Result<()> {
    let make = |&slots| make::<W>(Shape::of_slots(slots, poll)).map(|(ring, _)| ring);
    let mut rings = slots_per_worker.iter().map(make).collect::<io::Result<Vec<_>>>()?;
    if poll {
        // A polled ring takes no NOP, so the NOP goes through a ring without polling.
        drop(rings);
        let (mut ring, _) = self::make::<W>(Shape::of_slots(1, false))?;
        return send_nop::<W>(&mut ring);
    }
    rings.iter_mut().try_for_each(send_nop::<W>)
}

fn send_nop<W: Wire>(ring: &mut RingOf<W>) -> io::Result<()> {
    // SAFETY: a NOP refers to no memory.
    unsafe { ring.submission().push(&opcode::Nop::new().build().into()) }.map_err(io::Error::other)?;
    loop {
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            // A signal may end the call between the submission of the NOP and its completion.
            Ok(_) if ring.completion().is_empty() => {}
            Ok(_) => break,
        }
    }
    let answer: Option<cqueue::Entry> = ring.completion().next().map(Into::into);
    match answer.map(|answer| answer.result()) {
        Some(result) if result < 0 => Err(io::Error::from_raw_os_error(-result)),
        _ => Ok(()),
    }
}

/// Registers the files of all targets and the memory of I/Os, as far as the kernel allows. Refusals are noted in
/// `facts`.
pub(super) fn register<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    ring: &IoUring<S, C>,
    files: impl Iterator<Item = RawFd>,
    slots: u16,
    fixed: &[libc::iovec],
    facts: &mut EngineFacts,
) -> Names {
    // I/O that may block goes through threads of the kernel, by default four per CPU, which is too few for a large depth.
    // Kernels before Linux 5.15 refuse this call.
    let _ = ring.submitter().register_iowq_max_workers(&mut [u32::from(slots), 0]);
    facts.registered_buffers = !fixed.is_empty() && register_buffers(ring, fixed, &mut facts.notes);
    let descriptors: Box<[RawFd]> = files.collect();
    let registered = ring.submitter().register_files(&descriptors);
    facts.registered_files = registered.is_ok();
    let (files, file_flags) = match registered {
        Ok(()) => ((0..).take(descriptors.len()).collect(), squeue::Flags::FIXED_FILE),
        Err(error) => {
            facts.notes.push(format!("files are not registered with the kernel: {error}"));
            (descriptors, squeue::Flags::empty())
        }
    };
    Names { files, file_flags, fixed_buffers: facts.registered_buffers }
}

fn register_buffers<S: squeue::EntryMarker, C: cqueue::EntryMarker>(
    ring: &IoUring<S, C>,
    regions: &[libc::iovec],
    notes: &mut Vec<String>,
) -> bool {
    // SAFETY: the regions stay mapped until the ring is gone: its owner drops the ring before the slots, and leaks the
    // memory when it cannot wait for the end of all I/O.
    let Err(error) = (unsafe { ring.submitter().register_buffers(regions) }) else { return true };
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
