//! How the kernel's queues identify an I/O: 64 bits that come back with its completion.
//!
//! They hold the slot, the length, and, of a write that a flush follows, what it takes to send the flush. Must not decide
//! what is flushed; the engines do.

use crate::backend::{Completion, Op};
use rigel_core::load::class::Sync;
use rigel_core::load::workload::Direction;

/// A tag with this bit does not belong to a finished I/O, but to a write whose flush comes next, a flush, or a timer of the engine.
pub(crate) const MARKED: u64 = 1 << 16;
/// In addition to it: a flush.
const FLUSH: u64 = 1 << 17;
const TARGET_SHIFT: u32 = 18;
/// Leaves 30 bits for a length; `Request::check` allows 256 MiB.
const LEN_SHIFT: u32 = 34;

/// The tag of an I/O that ends with its completion.
#[inline]
pub(crate) fn of(op: &Op) -> u64 {
    u64::from(op.slot) | u64::from(op.len) << LEN_SHIFT
}

/// The tag of a write that is over once it is flushed.
pub(crate) fn of_write_to_flush(op: &Op) -> u64 {
    of(op) | MARKED | u64::from(op.target) << TARGET_SHIFT
}

/// The tag of a flush of a write that was to be flushed.
pub(crate) fn of_flush(op: &Op) -> u64 {
    of_write_to_flush(op) | FLUSH
}

/// Slot and length.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the slot is what the cut leaves")]
pub(crate) const fn slot_and_len(tag: u64) -> (u16, u32) {
    (tag as u16, (tag >> LEN_SHIFT) as u32)
}

/// Replaces the offset for the flush of a write; no I/O has it ([`crate::slots::Slots::begin`]).
const NO_OFFSET: u64 = u64::MAX;

/// Whether that is a flush and no write.
pub(crate) const fn is_flush(op: &Op) -> bool {
    op.offset == NO_OFFSET
}

/// What follows a completion with a marked tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The I/O is over.
    Over(Completion),
    /// The write is done, and this flush has to be sent.
    Flush(Op),
}

/// `outcome` is that of the write, or of the flush, which moves nothing.
#[cold]
#[expect(clippy::cast_possible_truncation, reason = "16 bits of the tag are the target")]
pub(crate) fn next(tag: u64, outcome: Result<u32, i32>) -> Next {
    let (slot, len) = slot_and_len(tag);
    match outcome {
        Ok(_) if tag & FLUSH != 0 => Next::Over(Completion { slot, outcome: Ok(len) }),
        Ok(moved) if moved == len => Next::Flush(Op {
            slot,
            target: (tag >> TARGET_SHIFT) as u16,
            direction: Direction::Write,
            offset: NO_OFFSET,
            len,
            sync: Sync::Fdatasync,
        }),
        // A short or failed write is over: there is nothing to make durable.
        outcome => Next::Over(Completion { slot, outcome }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: Op = Op {
        slot: u16::MAX,
        target: 65_534,
        direction: Direction::Write,
        offset: 1 << 40,
        len: 256 << 20,
        sync: Sync::Fdatasync,
    };

    #[test]
    fn tags_read_back() {
        assert_eq!(slot_and_len(of(&WRITE)), (u16::MAX, 256 << 20));
        assert_eq!(of(&WRITE) & MARKED, 0);
        assert_eq!(slot_and_len(of_write_to_flush(&WRITE)), (u16::MAX, 256 << 20));
        assert_ne!(of_write_to_flush(&WRITE) & MARKED, 0);
    }

    #[test]
    fn a_whole_write_is_flushed_and_then_over() {
        let Next::Flush(flush) = next(of_write_to_flush(&WRITE), Ok(WRITE.len)) else { panic!("no flush") };
        assert!(is_flush(&flush) && !is_flush(&WRITE));
        assert_eq!((flush.slot, flush.target), (WRITE.slot, WRITE.target));
        let over = |outcome| Next::Over(Completion { slot: WRITE.slot, outcome });
        assert_eq!(next(of_flush(&flush), Ok(0)), over(Ok(WRITE.len)));
        assert_eq!(next(of_flush(&flush), Err(5)), over(Err(5)));
    }

    #[test]
    fn a_write_that_failed_or_fell_short_is_over() {
        for outcome in [Err(28), Ok(512)] {
            let over = Next::Over(Completion { slot: WRITE.slot, outcome });
            assert_eq!(next(of_write_to_flush(&WRITE), outcome), over);
        }
    }
}
