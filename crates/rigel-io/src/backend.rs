//! The trait between the load and the kernel.
//!
//! One thread owns one backend. The caller keeps the list of free slots; a backend asserts that a slot is not used
//! twice. Must not read a clock: the worker reads it once before `submit` and once before `reap`. So latency runs from
//! just before submission to the moment the completion was seen, and includes the time in the batch.

use rigel_core::facts::engine::{BufferFacts, EngineFacts};
use rigel_core::load::class::{MOST_CLASSES, Sync};
use rigel_core::load::workload::Direction;
use rigel_core::units::{NS_PER_S, NS_PER_US};
use std::io;
use std::ops::Range;

/// Most idle hosts wake a thread within this time.
const WAKES_EARLY_NS: u64 = 60 * NS_PER_US;

/// One I/O. `slot` names a buffer that the backend owns, so no caller can free it too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// The buffer, below [`Backend::slots`].
    pub slot: u16,
    /// Index into the targets that the backend was made with.
    pub target: u16,
    /// Read or write; a write needs a target that was opened with a permit.
    pub direction: Direction,
    /// Byte offset in the target.
    pub offset: u64,
    /// Bytes, at most the slot's buffer.
    pub len: u32,
    /// When a write counts as done; of no meaning for a read.
    pub sync: Sync,
}

/// The end of one I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The slot of the [`Op`]; free again.
    pub slot: u16,
    /// Bytes moved, or the errno.
    pub outcome: Result<u32, i32>,
}

/// A queue of outstanding I/Os.
pub trait Backend {
    /// The number of I/Os that can be outstanding.
    fn slots(&self) -> u16;

    /// The buffer of a slot that is not in flight: data for the next write, or the data of the last read.
    ///
    /// # Panics
    /// When the slot is in flight or does not exist.
    fn buffer_mut(&mut self, slot: u16) -> &mut [u8];

    /// The same buffer, read-only.
    ///
    /// # Panics
    /// As [`Backend::buffer_mut`].
    fn buffer(&self, slot: u16) -> &[u8];

    /// Whether a read puts data of a target into the buffer; false for an engine that only counts.
    fn moves_data(&self) -> bool {
        true
    }

    /// How long a call may wait for completions; a longer wait means that the caller was kept from checking. An
    /// engine in virtual time has no limit, nor has
    /// one whose call is the I/O.
    fn longest_wait_ns(&self) -> u64 {
        NS_PER_S
    }

    /// Queues an I/O; no system call.
    ///
    /// # Panics
    /// When the slot is already in flight, the length exceeds its buffer, the target does not exist, or a write goes to
    /// a target without a permit. All of these are bugs in the caller.
    fn push(&mut self, op: Op);

    /// Hands all queued I/Os to the kernel and waits until at least `wait_for` completions can be reaped. The wait ends
    /// after about a second, so the caller can check the age of the I/Os in flight; an engine that polls continues to wait. A
    /// failed I/O is a [`Completion`], not an error here.
    ///
    /// # Errors
    /// When the queue itself broke, and nothing can be measured any more. Never `Interrupted`.
    fn submit(&mut self, wait_for: u16) -> io::Result<()>;

    /// Hands all queued I/Os to the kernel and waits until at least `wait_for` completions can be reaped, or for
    /// `longest_ns`; with 0 it only checks. Unlike [`Backend::submit`] it waits as long if nothing is in flight. An engine
    /// that cannot wait returns at once.
    ///
    /// # Errors
    /// As [`Backend::submit`].
    fn submit_within(&mut self, wait_for: u16, longest_ns: u64) -> io::Result<()> {
        let _ = (wait_for, longest_ns);
        self.submit(0)
    }

    /// How long before a moment a wait should end for a caller that must not be late: waking up takes time.
    fn wakes_early_ns(&self) -> u64 {
        WAKES_EARLY_NS
    }

    /// Takes all completions that have arrived; no system call.
    fn reap(&mut self, sink: impl FnMut(Completion));

    /// Asks the kernel to cancel all I/Os in flight. A cancelled I/O comes back as a completion; most drivers can cancel
    /// nothing.
    fn cancel(&mut self) {}

    /// Abandons the I/Os in flight: dropping the backend then returns immediately and leaks the memory of the slots,
    /// because the kernel may still write to it.
    fn abandon(&mut self) {}
}

/// A new backend, with the facts about it and its buffers.
pub type NewBackend<B> = (B, EngineFacts, BufferFacts);

/// The buffers of a backend, one group of slots after the other: how many slots, and the bytes of each buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotLayout {
    groups: [(u16, u32); MOST_CLASSES],
    /// Whether all groups begin with the first slot.
    is_shared: bool,
}

impl SlotLayout {
    /// Groups in this order; at most [`MOST_CLASSES`].
    pub const fn of(wanted: &[(u16, u32)]) -> Self {
        let mut groups = [(0, 0); MOST_CLASSES];
        let (mine, _) = groups.split_at_mut(wanted.len());
        mine.copy_from_slice(wanted);
        Self { groups, is_shared: false }
    }

    /// Groups that are never used at the same time: they have the same slots, whose buffers suffice for each of them.
    pub const fn shared(wanted: &[(u16, u32)]) -> Self {
        Self { is_shared: true, ..Self::of(wanted) }
    }

    /// All slots.
    pub fn slots(&self) -> u16 {
        let counts = self.groups.iter().map(|group| group.0);
        if self.is_shared { counts.max().unwrap_or(0) } else { counts.sum() }
    }

    /// The slots of a group.
    pub fn group(&self, place: usize) -> Range<u16> {
        let others = if self.is_shared { &[] } else { &self.groups[..place] };
        let before: u16 = others.iter().map(|group| group.0).sum();
        before..before + self.groups[place].0
    }

    /// Bytes of the buffer of a slot that exists.
    pub fn bytes_of(&self, slot: u16) -> u32 {
        if self.is_shared {
            let own = self.groups.iter().filter(|group| slot < group.0);
            return own.map(|group| group.1).max().unwrap_or(0);
        }
        let mut end = 0;
        let holds = |group: &&(u16, u32)| {
            end += group.0;
            slot < end
        };
        self.groups.iter().find(holds).map_or(0, |group| group.1)
    }

    /// Bytes of the largest buffer that a slot has.
    pub fn longest(&self) -> u32 {
        self.groups.iter().filter(|group| group.0 > 0).map(|group| group.1).max().unwrap_or(0)
    }
}
