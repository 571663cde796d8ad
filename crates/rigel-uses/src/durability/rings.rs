//! Which place each write goes to: every writer has its own ring of places and writes them pass after pass in one order.
//!
//! The first place holds the label of the run. The others belong to the writers in rotation, so neighbours on the storage have different writers.
//! Must not know what was acknowledged.

use rigel_core::error::Problem;
use rigel_core::load::draw::Generator;
use rigel_core::load::volume::Place;
use rigel_core::units::Bytes;
use rigel_core::verify::block;
use rigel_core::verify::{GenerationRange, Passes};
use serde::{Deserialize, Serialize};

/// Bytes that are stamped and judged each on their own.
pub const BLOCK_BYTES: u64 = block::BLOCK_BYTES as u64;
/// Bytes of the largest write.
pub const MOST_BLOCK_BYTES: u64 = 1 << 20;
/// Writers at most.
pub const MOST_WRITERS: u16 = 1024;
/// Places that a ring has at least.
pub const LEAST_SLOTS: u64 = 2;
/// Sets the orders of the writers apart from other draws.
const PURPOSE: u64 = u64::from_le_bytes(*b"RigelDur");

/// What is written where, except the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Bytes from the start of the target on that are written.
    pub region_bytes: u64,
    /// Bytes of a write, a power of two.
    pub block_bytes: u64,
    /// Number of writers, each with one write at a time.
    pub writers: u16,
}

impl Shape {
    fn slots(self) -> Option<u64> {
        let places = self.region_bytes.checked_div(self.block_bytes)?.checked_sub(1)?;
        places.checked_div(self.writers.into()).filter(|&slots| slots >= LEAST_SLOTS)
    }

    /// Refuses what cannot be written.
    ///
    /// # Errors
    /// With what it is.
    pub fn check(self) -> Result<(), Problem> {
        let Self { region_bytes, block_bytes, writers } = self;
        if !block_bytes.is_power_of_two() || !(BLOCK_BYTES..=MOST_BLOCK_BYTES).contains(&block_bytes) {
            return Err(Problem::usage(format!("a write of {} is not possible", Bytes(block_bytes)))
                .because("a write consists of whole self-describing 4 KiB blocks")
                .next("give a power of two from 4K to 1M"));
        }
        if !(1..=MOST_WRITERS).contains(&writers) {
            return Err(Problem::usage(format!("{writers} is not a valid number of writers"))
                .next(format!("give 1 to {MOST_WRITERS}")));
        }
        if self.slots().is_none() {
            let least = block_bytes.saturating_mul(1 + LEAST_SLOTS * u64::from(writers));
            return Err(Problem::usage(format!(
                "{} is too small for this many writers",
                Bytes(region_bytes)
            ))
            .because("each needs at least two places, and the run itself one")
            .next(format!("give {} or more, or fewer writers", Bytes(least))));
        }
        Ok(())
    }
}

/// The rings of all writers.
#[derive(Clone, Debug)]
pub struct Rings {
    seed: u64,
    shape: Shape,
    slots: u64,
    passes: Vec<Passes>,
}

impl Rings {
    /// For a run with this seed.
    ///
    /// # Errors
    /// As [`Shape::check`].
    pub fn new(seed: u64, shape: Shape) -> Result<Self, Problem> {
        shape.check()?;
        let slots = shape.slots().unwrap_or(LEAST_SLOTS);
        let order = |writer: u16| Generator::new(seed, &[PURPOSE, writer.into()]).bits();
        let passes = (0..shape.writers).map(|writer| Passes::new(slots, order(writer))).collect();
        Ok(Self { seed, shape, slots, passes })
    }

    /// The seed of the run, which is part of all that it writes.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// What is written where.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Places of each writer.
    pub const fn slots(&self) -> u64 {
        self.slots
    }

    /// Bytes from the start of the target on that hold the label and all rings.
    pub fn bytes(&self) -> u64 {
        (1 + self.slots * u64::from(self.shape.writers)) * self.shape.block_bytes
    }

    /// The offset of a writer's write with this number, in bytes, and the generation that it gives the place.
    pub fn place(&self, writer: u16, number: u64) -> (u64, u64) {
        let passes = &self.passes[usize::from(writer)];
        let index = 1 + passes.slot(number) * u64::from(self.shape.writers) + u64::from(writer);
        (index * self.shape.block_bytes, passes.generation(number))
    }

    /// The writer whose place contains the byte at this offset, and its number in the writer's order; `None` for the
    /// label and what follows the rings.
    pub fn owner(&self, offset: u64) -> Option<(u16, u64)> {
        let index = (offset / self.shape.block_bytes).checked_sub(1).filter(|_| offset < self.bytes())?;
        let writers = u64::from(self.shape.writers);
        let writer = u16::try_from(index % writers).ok()?;
        Some((writer, self.passes.get(usize::from(writer))?.position(index / writers)))
    }

    /// The number of the write that gave a place this generation, from 1 on.
    pub fn number(&self, writer: u16, position: u64, generation: u64) -> u64 {
        self.passes[usize::from(writer)].number(position, generation)
    }

    /// What the place at a position may contain if all writes below `sure` were acknowledged and none from `begun` on had begun.
    pub fn expected(&self, writer: u16, position: u64, sure: u64, begun: u64) -> GenerationRange {
        let passes = &self.passes[usize::from(writer)];
        GenerationRange { oldest: passes.after(position, sure), newest: passes.after(position, begun) }
    }

    /// Writes what belongs at an offset into `out`, whole blocks of 4 KiB.
    ///
    /// # Panics
    /// When `out` is not made of whole blocks.
    pub fn fill(&self, offset: u64, generation: u64, out: &mut [u8]) {
        for (block, at) in out.chunks_mut(block::BLOCK_BYTES).zip((offset..).step_by(block::BLOCK_BYTES)) {
            block::fill(self.seed, Place { target: 0, offset: at }, generation, block);
        }
    }

    /// The label of the run: its first place as written before everything else.
    pub fn label(&self, out: &mut [u8]) {
        self.fill(0, 1, out);
    }
}
