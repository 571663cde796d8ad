//! io_uring: one ring per worker, used by the thread that made it and by no other.
//!
//! One system call per [`Backend::submit`] submits, waits, and takes the completions. Files and buffers are registered
//! where the kernel allows it. `Wire` is the form of an I/O in the queues. Must not read a clock.

mod nvme;
pub(crate) mod refusal;
mod ring;
mod wire;

use crate::backend::{Backend, Completion, NewBackend, Op, SlotLayout};
use crate::slots::Slots;
use crate::tag::{self, Next};
use crate::targets::OpenTargets;
use io_uring::types::{CancelBuilder, SubmitArgs, Timespec};
use io_uring::{IoUring, cqueue, opcode};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::engine::EngineKind;
use ring::Shape;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use nvme::NvmeCommands;
pub(crate) use ring::probe;
use wire::{Names, NoOperations, ReadsAndWrites, Wire};

/// IORING_ENTER_GETEVENTS: take completions even without waiting.
const GET_EVENTS: u32 = io_uring::EnterFlags::GETEVENTS.bits();

/// The engine `io_uring`.
pub type Uring = Ring<ReadsAndWrites>;
/// The engine `nop`.
pub type NopRing = Ring<NoOperations>;
/// The engine `nvme`.
pub type NvmeRing = Ring<NvmeCommands>;

/// A timeout request that completes once a second, so no wait is longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    /// It has to be submitted.
    Wanted,
    /// It is in the ring.
    Running,
    /// A polled ring takes no timer.
    None,
}

/// The kernel reads it when it takes the request.
static SECOND: Timespec = Timespec::new().sec(1);
/// User data of the timer. It is marked, and no slot has it, because no I/O is that long.
const TIMER_DATA: u64 = u64::MAX;

/// The reason why this process cannot create a ring; `None` if it can.
pub(crate) fn refused() -> Option<String> {
    probe(EngineKind::IoUring, false, &[1]).err().map(|error| refusal::cause(&error))
}

/// A ring with its slots. It cannot be sent to another thread: the kernel would refuse that thread.
pub struct Ring<W: Wire> {
    /// Declared before `slots`, so the ring is dropped before the memory that is registered with it.
    ring: IoUring<W::Submission, W::Completion>,
    wire: W,
    names: Names,
    /// Pushed, but not yet in the submission queue.
    queued: Vec<Op>,
    /// Requests in the kernel without a completion so far, including the timer.
    in_kernel: usize,
    timer: Timer,
    abandoned: bool,
    slots: Slots,
    /// Keeps the files open that `names` refers to.
    _targets: Option<Arc<OpenTargets>>,
}

impl Ring<ReadsAndWrites> {
    /// Makes the ring in the calling thread, which must be the one that uses it. With `poll` the kernel polls the device
    /// for completions instead of waiting for interrupts.
    ///
    /// # Errors
    /// When the kernel refuses a ring of this size, or there is no memory for the buffers.
    pub fn new(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
        poll: bool,
    ) -> Result<NewBackend<Self>, Problem> {
        Self::on_targets(ReadsAndWrites, Shape::of_slots(layout.slots(), poll), targets, layout, seed)
    }
}

impl Ring<NoOperations> {
    /// Every I/O becomes a NOP. `writable` says for each target whether it may be written. No real target is needed.
    ///
    /// # Errors
    /// As [`Uring::new`].
    pub fn nops(writable: &[bool], layout: SlotLayout, seed: u64) -> Result<NewBackend<Self>, Problem> {
        let slots = Slots::new(&layout, writable.iter().copied(), seed)?;
        Self::without_targets(NoOperations, Shape::of_slots(layout.slots(), false), slots)
    }
}

impl Ring<NvmeCommands> {
    /// Every I/O becomes a command to the namespace of its target.
    ///
    /// # Errors
    /// As [`Uring::new`], and when a target was opened without its namespace.
    pub fn passthrough(
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
        poll: bool,
    ) -> Result<NewBackend<Self>, Problem> {
        let wire = NvmeCommands::to(&targets)
            .ok_or_else(|| Problem::new(ExitKind::Bug, "a target was opened without its NVMe namespace"))?;
        Self::on_targets(wire, Shape::of_slots(layout.slots(), poll), targets, layout, seed)
    }
}

impl<W: Wire> Ring<W> {
    fn on_targets(
        wire: W,
        shape: Shape,
        targets: Arc<OpenTargets>,
        layout: SlotLayout,
        seed: u64,
    ) -> Result<NewBackend<Self>, Problem> {
        let slots = Slots::new(&layout, targets.iter().map(|target| target.writable()), seed)?;
        let (mut backend, mut facts, buffer_facts) = Self::without_targets(wire, shape, slots)?;
        let files = targets.iter().map(|target| target.file_for(W::KIND));
        let fixed = W::fixed_buffers(&backend.slots, &mut facts);
        backend.names = ring::register(&backend.ring, files, backend.slots.count(), &fixed, &mut facts);
        backend._targets = Some(targets);
        Ok((backend, facts, buffer_facts))
    }

    fn without_targets(wire: W, shape: Shape, slots: Slots) -> Result<NewBackend<Self>, Problem> {
        let (ring, facts) =
            ring::make::<W>(shape).map_err(|error| refusal::problem(W::KIND, shape.poll, &error))?;
        let buffer_facts = slots.buffer_facts().clone();
        let queued = Vec::with_capacity(usize::from(slots.count()));
        let timer = if shape.poll { Timer::None } else { Timer::Wanted };
        let names = Names::none();
        let backend =
            Self { ring, wire, names, queued, in_kernel: 0, timer, abandoned: false, slots, _targets: None };
        Ok((backend, facts, buffer_facts))
    }

    /// Moves I/Os to the submission queue as long as they fit. Returns whether all fitted, and the number of entries in
    /// the submission queue.
    #[inline]
    fn fill(&mut self) -> (bool, usize) {
        let mut submissions = self.ring.submission();
        if self.timer == Timer::Wanted && !submissions.is_full() {
            let entry: W::Submission = opcode::Timeout::new(&SECOND).build().user_data(TIMER_DATA).into();
            // SAFETY: the request refers to a static.
            if unsafe { submissions.push(&entry) }.is_ok() {
                self.timer = Timer::Running;
            }
        }
        let room = submissions.capacity() - submissions.len();
        let fitting = self.queued.len().min(room);
        for op in self.queued.drain(..fitting) {
            let memory = self.slots.memory(op.slot);
            let entry = self.wire.submission(&op, memory, &self.names);
            // SAFETY: `Slots::begin` has checked the length and marked the slot as busy, so nobody else touches the
            // buffer until `reap` has seen the completion. It stays mapped until then: `drop` waits for every
            // completion, or leaks the memory. The file is open as long as `_targets` lives.
            let pushed = unsafe { submissions.push(&entry) };
            debug_assert!(pushed.is_ok(), "it fitted before");
        }
        (self.queued.is_empty(), submissions.len())
    }

    #[inline]
    fn ready(&mut self) -> io::Result<usize> {
        let completions = self.ring.completion();
        // The queue has room for every slot, so only a bug in the kernel can lose a completion. Its slot would never
        // become free.
        match completions.overflow() {
            0 => Ok(completions.len()),
            lost => Err(io::Error::other(format!("io_uring lost {lost} completions"))),
        }
    }

    /// One io_uring_enter. A signal or a passing shortage of memory is not an error: the caller checks the queues itself.
    #[inline]
    fn enter(&mut self, submissions: usize, wait_for: usize) -> io::Result<()> {
        let result = enter::<W>(&self.ring, submissions, wait_for);
        // Not from the result: the queue is right even when the call failed.
        self.in_kernel += submissions - self.ring.submission().len().min(submissions);
        match result {
            Ok(_) => Ok(()),
            Err(error) => self.endure(error),
        }
    }

    /// Whether a call can wait for a time of its own (Linux 5.11). A polled ring cannot: it waits for completions without a limit.
    fn can_wait_within(&self) -> bool {
        self.timer != Timer::None && self.ring.params().is_feature_ext_arg()
    }

    /// The same with a limit to the wait, reaching which is not an error either.
    fn enter_within(&mut self, submissions: usize, wait_for: usize, longest: &Timespec) -> io::Result<()> {
        let arguments = SubmitArgs::new().timespec(longest);
        let result = self.ring.submitter().submit_with_args(wait_for, &arguments);
        self.in_kernel += submissions - self.ring.submission().len().min(submissions);
        match result {
            Err(error) if error.raw_os_error() != Some(libc::ETIME) => self.endure(error),
            _ => Ok(()),
        }
    }

    #[cold]
    fn endure(&mut self, error: io::Error) -> io::Result<()> {
        match error.raw_os_error() {
            Some(libc::EINTR) => Ok(()),
            // Short of memory for requests: I/Os in flight will free some.
            Some(libc::EAGAIN | libc::EBUSY) => {
                let ready = self.ready()?;
                // The timer frees nothing.
                if self.in_kernel <= ready.max(self.timers()) {
                    return Err(error);
                }
                match enter::<W>(&self.ring, 0, ready + 1) {
                    Err(error) if error.raw_os_error() != Some(libc::EINTR) => Err(error),
                    _ => Ok(()),
                }
            }
            _ => Err(error),
        }
    }

    /// 1 while the timer is in the kernel.
    const fn timers(&self) -> usize {
        matches!(self.timer, Timer::Running) as usize
    }

    /// Waits for all I/Os in the kernel; `false` when the ring fails.
    fn drain(&mut self) -> bool {
        loop {
            for answer in self.ring.completion() {
                let answer: cqueue::Entry = answer.into();
                self.in_kernel -= 1;
                if answer.user_data() == TIMER_DATA {
                    self.timer = Timer::Wanted;
                }
            }
            // The timer ends with the ring.
            if self.in_kernel <= self.timers() {
                return true;
            }
            // A lost completion never comes: `ready` fails then.
            if self.ready().and_then(|_| self.enter(0, 1)).is_err() {
                return false;
            }
        }
    }
}

impl<W: Wire> Backend for Ring<W> {
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
        W::MOVES_DATA
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
            // A wait for I/Os that are not submitted yet would never end.
            self.enter(submissions, if all { wait_for } else { 0 })?;
            if all && self.ready()? >= wait_for && self.ring.submission().is_empty() {
                return Ok(());
            }
        }
    }

    fn submit_within(&mut self, wait_for: u16, longest_ns: u64) -> io::Result<()> {
        let waits = longest_ns > 0 && self.can_wait_within();
        let longest = Timespec::from(Duration::from_nanos(longest_ns));
        loop {
            let (all, submissions) = self.fill();
            if all && waits && self.ready()? < usize::from(wait_for) {
                self.enter_within(submissions, usize::from(wait_for), &longest)?;
            } else {
                self.enter(submissions, 0)?;
            }
            if all && self.ring.submission().is_empty() {
                return Ok(());
            }
        }
    }

    #[inline]
    fn reap(&mut self, mut sink: impl FnMut(Completion)) {
        for answer in self.ring.completion() {
            let answer: cqueue::Entry = answer.into();
            self.in_kernel -= 1;
            let (slot, len) = tag::slot_and_len(answer.user_data());
            let mut over = Completion { slot, outcome: W::outcome(answer.result(), len) };
            if answer.user_data() & tag::MARKED != 0 {
                if answer.user_data() == TIMER_DATA {
                    self.timer = Timer::Wanted;
                    continue;
                }
                match tag::next(answer.user_data(), over.outcome) {
                    Next::Over(completion) => over = completion,
                    // The slot stays busy. The next `submit` sends the flush.
                    Next::Flush(op) => {
                        self.queued.push(op);
                        continue;
                    }
                }
            }
            self.slots.end(over.slot);
            sink(over);
        }
    }

    fn cancel(&mut self) {
        // Cancels the timer too. Before Linux 6.0 the call does not exist, and nothing is cancelled.
        let _ = self.ring.submitter().register_sync_cancel(Some(SECOND), CancelBuilder::any());
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

impl<W: Wire> Drop for Ring<W> {
    fn drop(&mut self) {
        if !self.abandoned && self.drain() {
            // Otherwise the kernel does this some time after the ring is closed. Until then the memory counts as locked
            // and the targets stay open, so the next ring or an exclusive open could be refused.
            let _ = self.ring.submitter().unregister_buffers();
            let _ = self.ring.submitter().unregister_files();
        } else {
            self.slots.leak();
        }
    }
}

#[inline]
fn enter<W: Wire>(
    ring: &IoUring<W::Submission, W::Completion>,
    submissions: usize,
    wait_for: usize,
) -> io::Result<usize> {
    let [submissions, wait_for] =
        [submissions, wait_for].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    // SAFETY: each entry was valid when it was pushed (see `fill`), and there is no argument structure.
    unsafe { ring.submitter().enter::<libc::sigset_t>(submissions, wait_for, GET_EVENTS, None) }
}

#[cfg(test)]
mod tests;
