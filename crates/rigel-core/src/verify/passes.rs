//! The order in which the slots of a region are written, pass after pass, and which generation a slot has by it.
//!
//! A write has a number: that of its pass times the slots, plus its position in the pass. Every pass has the same order, so any
//! writes whose numbers lie closer together than there are slots go to different ones, and no slot needs a memory of its own. Must not know which
//! writes have completed.

use crate::load::permutation::Permutation;

/// Passes over a region.
#[derive(Clone, Debug)]
pub struct Passes {
    order: Permutation,
}

impl Passes {
    /// Passes over this many slots, at least one.
    pub fn new(slots: u64, seed: u64) -> Self {
        Self { order: Permutation::new(slots, seed) }
    }

    /// How many slots there are.
    pub const fn slots(&self) -> u64 {
        self.order.count()
    }

    /// The slot of a write, or of a position.
    #[inline]
    pub fn slot(&self, number: u64) -> u64 {
        self.order.at(number)
    }

    /// The position of a slot in every pass.
    pub fn position(&self, slot: u64) -> u64 {
        self.order.place_of(slot)
    }

    /// The generation that a write gives its slot, from 1.
    #[inline]
    pub const fn generation(&self, number: u64) -> u64 {
        number / self.slots() + 1
    }

    /// The generation of the slot at a position after the writes below a number; 0 when none of them went to it.
    #[inline]
    pub const fn after(&self, position: u64, number: u64) -> u64 {
        number / self.slots() + (position < number % self.slots()) as u64
    }

    /// The write that gave the slot at a position this generation, from 1.
    #[inline]
    pub const fn number(&self, position: u64, generation: u64) -> u64 {
        generation.saturating_sub(1).saturating_mul(self.slots()).saturating_add(position)
    }
}
