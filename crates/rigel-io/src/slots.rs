//! The slots in flight, and the rules that every engine enforces.
//!
//! Memory safety is based on this module: a caller gets a buffer only while its slot is free, and the kernel only while the
//! slot is busy. An engine calls [`Slots::begin`] before it submits an I/O, and [`Slots::end`] when the I/O has
//! completed. It touches buffers in no other way. Must not do I/O.

use crate::backend::{Op, SlotLayout};
use crate::buffers::{Buffers, Memory};
use rigel_core::error::Problem;
use rigel_core::facts::engine::BufferFacts;
use rigel_core::load::workload::Direction;
use std::ptr::NonNull;

/// The slots of one backend with their buffers.
#[derive(Debug)]
pub struct Slots {
    buffers: Buffers,
    busy: Box<[bool]>,
    /// Number of busy slots.
    outstanding: u16,
    /// For each target: whether it was opened with a permit.
    writable: Box<[bool]>,
}

impl Slots {
    /// All free. `writable` says for each target whether it may be written.
    pub(crate) fn new(
        layout: &SlotLayout,
        writable: impl Iterator<Item = bool>,
        seed: u64,
    ) -> Result<Self, Problem> {
        Ok(Self::on(Buffers::new(layout, seed)?, layout, writable))
    }

    /// The slots of one backend among thousands: small buffers do not take a huge page each.
    pub(crate) fn of_many(
        layout: &SlotLayout,
        writable: impl Iterator<Item = bool>,
        seed: u64,
    ) -> Result<Self, Problem> {
        Ok(Self::on(Buffers::of_many(layout, seed)?, layout, writable))
    }

    fn on(buffers: Buffers, layout: &SlotLayout, writable: impl Iterator<Item = bool>) -> Self {
        let busy = vec![false; usize::from(layout.slots())].into();
        Self { buffers, busy, outstanding: 0, writable: writable.collect() }
    }

    /// The number of slots.
    pub(crate) fn count(&self) -> u16 {
        // Made with `SlotLayout::slots` elements.
        u16::try_from(self.busy.len()).unwrap_or(u16::MAX)
    }

    /// The kind of memory behind the buffers.
    pub(crate) const fn buffer_facts(&self) -> &BufferFacts {
        self.buffers.facts()
    }

    /// The memory ranges that hold all buffers.
    pub(crate) fn regions(&self) -> impl Iterator<Item = (NonNull<u8>, usize)> {
        self.buffers.regions()
    }

    /// The memory of a slot, for the kernel. It may be used only while the slot is busy.
    #[inline]
    pub(crate) fn memory(&self, slot: u16) -> Memory {
        self.buffers.memory(slot)
    }

    /// Marks the slot as busy: its buffer belongs to the I/O now. Always inlined, because every I/O comes through here.
    ///
    /// # Panics
    /// When the I/O breaks a rule of [`crate::backend::Backend::push`].
    #[inline(always)]
    pub(crate) fn begin(&mut self, op: &Op) {
        let slot = usize::from(op.slot);
        assert!(slot < self.busy.len(), "slot {slot} of {} does not exist", self.busy.len());
        assert!(!self.busy[slot], "slot {slot} is already in flight");
        let bytes = self.buffers.memory(op.slot).bytes;
        assert!(op.len <= bytes, "{} bytes into slot {slot} of {bytes} bytes", op.len);
        // The kernel would read a larger offset as negative, and -1 as the current position of the file.
        assert!(op.offset <= i64::MAX as u64, "offset {} cannot be addressed", op.offset);
        let Some(writable) = self.writable.get(usize::from(op.target)) else {
            panic!("target {} of {} does not exist", op.target, self.writable.len());
        };
        assert!(
            op.direction == Direction::Read || *writable,
            "a write to target {} without a permit",
            op.target
        );
        self.busy[slot] = true;
        self.outstanding += 1;
    }

    /// Marks the slot as free: its I/O has completed.
    ///
    /// # Panics
    /// When no I/O was in flight on it: the engine or the kernel reported an I/O twice.
    #[inline]
    pub(crate) fn end(&mut self, slot: u16) {
        let busy = &mut self.busy[usize::from(slot)];
        assert!(*busy, "slot {slot} completed without an I/O");
        *busy = false;
        self.outstanding -= 1;
    }

    /// The number of completions that a caller can wait for: never more than are outstanding.
    #[inline]
    pub(crate) fn awaitable(&self, wait_for: u16) -> u16 {
        wait_for.min(self.outstanding)
    }

    /// The buffer of a free slot.
    ///
    /// # Panics
    /// When the slot is in flight or does not exist.
    pub(crate) fn buffer_mut(&mut self, slot: u16) -> &mut [u8] {
        assert!(!self.busy[usize::from(slot)], "the buffer of slot {slot} is in flight");
        // SAFETY: the slot is free, so no I/O is in flight on it, and `begin` cannot be called while `self` is borrowed.
        unsafe { self.buffers.bytes_mut(slot) }
    }

    /// The buffer of a free slot, read-only.
    ///
    /// # Panics
    /// As [`Slots::buffer_mut`].
    pub(crate) fn buffer(&self, slot: u16) -> &[u8] {
        assert!(!self.busy[usize::from(slot)], "the buffer of slot {slot} is in flight");
        // SAFETY: as in `buffer_mut`; writing to the buffer needs `self` exclusively.
        unsafe { self.buffers.bytes(slot) }
    }

    /// Leaks the memory, because the kernel may still use it.
    pub(crate) fn leak(&mut self) {
        self.buffers.leak();
    }
}

/// The result of a system call or an event: bytes moved, or a negative errno.
#[inline]
pub(crate) fn outcome(result: i64) -> Result<u32, i32> {
    // An I/O moves at most 2 GiB, and an errno is below 4096, so both fit.
    u32::try_from(result).map_err(|_| i32::try_from(result.wrapping_neg()).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::load::class::Sync;

    const READ: Op =
        Op { slot: 0, target: 0, direction: Direction::Read, offset: 0, len: 4096, sync: Sync::None };

    fn slots() -> Slots {
        let layout = SlotLayout::of(&[(2, 4096), (1, 8192)]);
        Slots::new(&layout, [false, true].into_iter(), 1).unwrap()
    }

    #[test]
    fn a_slot_is_busy_from_begin_to_end() {
        let mut slots = slots();
        assert_eq!((slots.count(), slots.awaitable(9)), (3, 0));
        slots.begin(&READ);
        slots.begin(&Op { slot: 2, target: 1, direction: Direction::Write, len: 8192, ..READ });
        assert_eq!((slots.awaitable(1), slots.awaitable(9)), (1, 2));
        assert_eq!(slots.buffer_mut(1).len(), 4096);
        slots.end(2);
        assert_eq!((slots.awaitable(9), slots.buffer_mut(2).len()), (1, 8192));
        slots.buffer_mut(2)[8191] = 77;
        assert_eq!(slots.buffer(2)[8191], 77);
        slots.end(0);
        slots.begin(&READ);
    }

    fn panics(breach: impl FnOnce(&mut Slots) + std::panic::UnwindSafe) -> String {
        let payload = std::panic::catch_unwind(|| breach(&mut slots())).unwrap_err();
        payload.downcast_ref::<String>().unwrap().clone()
    }

    #[test]
    fn every_breach_panics_with_its_reason() {
        let breaches = [
            ("does not exist", Op { slot: 3, ..READ }),
            ("8192 bytes into slot 1", Op { slot: 1, len: 8192, ..READ }),
            ("cannot be addressed", Op { offset: u64::MAX, ..READ }),
            ("target 2 of 2 does not exist", Op { target: 2, ..READ }),
            ("without a permit", Op { direction: Direction::Write, ..READ }),
        ];
        for (reason, op) in breaches {
            let message = panics(|slots| slots.begin(&op));
            assert!(message.contains(reason), "{message}");
        }
        let again = panics(|slots| (0..2).for_each(|_| slots.begin(&READ)));
        assert!(again.contains("already in flight"), "{again}");
        assert!(panics(|slots| slots.end(1)).contains("without an I/O"));
        let lent = panics(|slots| {
            slots.begin(&READ);
            slots.buffer_mut(0);
        });
        assert!(lent.contains("in flight"), "{lent}");
        let shown = panics(|slots| {
            slots.begin(&READ);
            slots.buffer(0);
        });
        assert!(shown.contains("in flight"), "{shown}");
    }

    #[test]
    fn results_become_outcomes() {
        assert_eq!(outcome(0), Ok(0));
        assert_eq!(outcome(1 << 20), Ok(1 << 20));
        assert_eq!(outcome(-5), Err(5));
    }
}
