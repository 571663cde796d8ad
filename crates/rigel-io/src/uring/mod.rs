//! io_uring: one ring per worker, used by the thread that made it and by no other.
//!
//! One system call per [`Backend::submit`]: it submits, waits, and takes the completions. Files and buffers
//! are registered where the kernel allows. Must not poll and must not read a clock.

pub(crate) mod refusal;
mod ring;

use crate::backend::{Backend, Completion, Op, SlotLayout};
use crate::slots::{Slots, outcome};
use crate::targets::OpenTargets;
use io_uring::{IoUring, opcode, squeue, types};
use rigel_core::engine::{BufferFacts, EngineFacts, EngineKind};
use rigel_core::error::Problem;
use rigel_core::workload::Direction;
use ring::{Names, Size};
use std::io;
use std::sync::Arc;

pub(crate) use ring::probe;

/// IORING_ENTER_GETEVENTS: take completions, also when none is waited for.
const GET_EVENTS: u32 = io_uring::EnterFlags::GETEVENTS.bits();

/// The engine `io_uring`. It cannot be sent to another thread: the kernel would refuse that thread.
pub struct Uring {
    /// Before `slots`, so that the ring is gone before the memory that is registered with it.
    ring: IoUring,
    names: Names,
    /// Pushed, and not yet in the submission queue.
    queued: Vec<Op>,
    /// Taken by the kernel, and no completion seen yet.
    in_kernel: usize,
    slots: Slots,
    /// Keeps the files open that `names` refers to.
    _targets: Option<Arc<OpenTargets>>,
}

impl Uring {
    /// Makes the ring; to be called in the thread that will use it.
    ///
    /// # Errors
    /// When the kernel refuses a ring of this size, or there is no memory for the buffers.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
        Self::with_size(Size::of_slots(layout.slots()), targets, layout, seed)
    }

    fn with_size(
        size: Size,
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
        let slots = Slots::new(&layout, targets.iter().map(|target| target.writable()), seed)?;
        let (mut backend, mut facts, buffer_facts) = Self::without_targets(size, slots)?;
        backend.names = ring::register(&backend.ring, &targets, &backend.slots, &mut facts);
        backend._targets = Some(targets);
        Ok((backend, facts, buffer_facts))
    }

    /// A ring that knows no targets and answers NOPs.
    fn without_targets(size: Size, slots: Slots) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
        let (ring, facts) = ring::make(size).map_err(|error| refusal::problem(&error))?;
        let buffer_facts = slots.buffer_facts().clone();
        let queued = Vec::with_capacity(usize::from(slots.count()));
        let backend = Self { ring, names: Names::nops(), queued, in_kernel: 0, slots, _targets: None };
        Ok((backend, facts, buffer_facts))
    }

    /// The engine `nop`: every I/O becomes a NOP, which the kernel answers without touching a target or a buffer.
    /// `writable` says of each target whether it may be written; there need not be a real one.
    ///
    /// # Errors
    /// As [`Uring::new`].
    pub fn nops(
        writable: &[bool],
        layout: SlotLayout,
        seed: u64,
    ) -> Result<(Self, EngineFacts, BufferFacts), Problem> {
        let slots = Slots::new(&layout, writable.iter().copied(), seed)?;
        let (backend, facts, buffer_facts) = Self::without_targets(Size::of_slots(layout.slots()), slots)?;
        Ok((backend, EngineFacts { kind: EngineKind::Nop, ..facts }, buffer_facts))
    }

    /// An engine whose ring takes only `submissions` at once.
    #[cfg(test)]
    pub(crate) fn with_submissions(
        submissions: u32,
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<Self, Problem> {
        let size = Size { submissions, ..Size::of_slots(layout.slots()) };
        Self::with_size(size, targets, layout, seed).map(|(backend, _, _)| backend)
    }

    /// How many threads the kernel may use for I/Os of regular files and devices that block.
    #[cfg(test)]
    pub(crate) fn kernel_threads(&self) -> u32 {
        let mut limits = [0, 0];
        // Zeros change nothing and bring the limits.
        self.ring.submitter().register_iowq_max_workers(&mut limits).map_or(0, |()| limits[0])
    }

    /// Moves as much of the queue to the submission queue as fits. Returns whether that is all, and how many
    /// entries await the kernel.
    #[inline]
    fn fill(&mut self) -> (bool, usize) {
        let mut submissions = self.ring.submission();
        let room = submissions.capacity() - submissions.len();
        let fitting = self.queued.len().min(room);
        for op in self.queued.drain(..fitting) {
            let entry = entry(&op, &self.names, &self.slots);
            // SAFETY: the buffer is that of a slot that `Slots::begin` has marked as busy and whose length it
            // has checked, so nobody else touches it until `reap` has seen the completion. It stays mapped
            // until then: `drop` waits for every completion, or leaks the memory. The file is open as long as
            // `_targets` lives.
            let pushed = unsafe { submissions.push(&entry) };
            debug_assert!(pushed.is_ok(), "there was room for it");
        }
        (self.queued.is_empty(), submissions.len())
    }

    /// Completions that can be reaped now.
    #[inline]
    fn ready(&mut self) -> io::Result<usize> {
        let completions = self.ring.completion();
        // The queue has room for every slot, so the kernel can lose a completion only by a bug. Its slot
        // would never come back.
        match completions.overflow() {
            0 => Ok(completions.len()),
            lost => Err(io::Error::other(format!("io_uring lost {lost} completions"))),
        }
    }

    /// One io_uring_enter. A signal, or a shortage that passes, is no error: the caller looks at what was
    /// reached.
    #[inline]
    fn enter(&mut self, submissions: usize, wait_for: usize) -> io::Result<()> {
        let result = enter(&self.ring, submissions, wait_for);
        // Not by the result: what the queue says is true of a failed call too.
        self.in_kernel += submissions - self.ring.submission().len().min(submissions);
        match result {
            Ok(_) => Ok(()),
            Err(error) => self.endure(error),
        }
    }

    #[cold]
    fn endure(&mut self, error: io::Error) -> io::Result<()> {
        match error.raw_os_error() {
            Some(libc::EINTR) => Ok(()),
            // Short of memory for requests: what is in flight gives it back.
            Some(libc::EAGAIN | libc::EBUSY) => {
                let ready = self.ready()?;
                if self.in_kernel <= ready {
                    return Err(error);
                }
                match enter(&self.ring, 0, ready + 1) {
                    Err(error) if error.raw_os_error() != Some(libc::EINTR) => Err(error),
                    _ => Ok(()),
                }
            }
            _ => Err(error),
        }
    }

    /// Waits for everything that the kernel has. `false` when it refuses to tell.
    fn drain(&mut self) -> bool {
        while self.in_kernel > 0 {
            self.in_kernel -= self.ring.completion().count();
            // A lost completion would be waited for in vain.
            if self.in_kernel > 0 && self.ready().and_then(|_| self.enter(0, 1)).is_err() {
                return false;
            }
        }
        true
    }
}

impl Backend for Uring {
    fn slots(&self) -> u16 {
        self.slots.count()
    }

    fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        self.slots.buffer_mut(slot)
    }

    fn buffer(&self, slot: u16) -> &[u8] {
        self.slots.buffer(slot)
    }

    fn moves_data(&self) -> bool {
        !self.names.nops
    }

    #[inline]
    fn push(&mut self, op: Op) {
        self.slots.begin(&op);
        self.queued.push(op);
    }

    fn submit(&mut self, wait_for: u16) -> io::Result<()> {
        let wait_for = usize::from(self.slots.awaitable(wait_for));
        loop {
            let (all, submissions) = self.fill();
            // Waiting for what is not yet submitted would be for ever.
            self.enter(submissions, if all { wait_for } else { 0 })?;
            if all && self.ready()? >= wait_for && self.ring.submission().is_empty() {
                return Ok(());
            }
        }
    }

    #[inline]
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the kernel returns the slot number that it was given"
    )]
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for answer in self.ring.completion() {
            let slot = answer.user_data() as u16;
            self.in_kernel -= 1;
            self.slots.end(slot);
            // A NOP succeeds with 0, and stands for an I/O that moved everything.
            let outcome = if self.names.nops && answer.result() == 0 {
                Ok(self.slots.memory(slot).bytes)
            } else {
                outcome(i64::from(answer.result()))
            };
            sink(Completion { slot, outcome });
        }
    }
}

impl Drop for Uring {
    fn drop(&mut self) {
        if self.drain() {
            // Otherwise the kernel would do it some time after the ring is closed. Until then it would count
            // the memory as locked and keep the targets open: the next ring, or an exclusive open, could be
            // refused for it.
            let _ = self.ring.submitter().unregister_buffers();
            let _ = self.ring.submitter().unregister_files();
        } else {
            self.slots.leak();
        }
    }
}

#[inline]
fn enter(ring: &IoUring, submissions: usize, wait_for: usize) -> io::Result<usize> {
    let [submissions, wait_for] =
        [submissions, wait_for].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    // SAFETY: the entries were vouched for when they were pushed, and there is no argument structure.
    unsafe { ring.submitter().enter::<libc::sigset_t>(submissions, wait_for, GET_EVENTS, None) }
}

/// The submission of one I/O; its completion carries the slot.
#[inline]
fn entry(op: &Op, names: &Names, slots: &Slots) -> squeue::Entry {
    if names.nops {
        return opcode::Nop::new().build().user_data(u64::from(op.slot));
    }
    let memory = slots.memory(op.slot);
    let start = memory.start.as_ptr();
    let file = types::Fd(names.files[usize::from(op.target)]);
    let entry = match (op.direction, names.fixed_buffers) {
        (Direction::Read, true) => {
            opcode::ReadFixed::new(file, start, op.len, memory.region).offset(op.offset).build()
        }
        (Direction::Write, true) => {
            opcode::WriteFixed::new(file, start, op.len, memory.region).offset(op.offset).build()
        }
        (Direction::Read, false) => opcode::Read::new(file, start, op.len).offset(op.offset).build(),
        (Direction::Write, false) => opcode::Write::new(file, start, op.len).offset(op.offset).build(),
    };
    entry.flags(names.file_flags).user_data(u64::from(op.slot))
}
