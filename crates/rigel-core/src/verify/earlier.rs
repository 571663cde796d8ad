//! What earlier processes of a run left in a region: the basis for resuming a run that was killed, or whose host was.
//!
//! Each process of a run is a *part* of it. It passes over the slots in the same order, but its generations begin above all those that an earlier
//! part can have reached, so a block says which part wrote it. Of an earlier part one number is known, from a line of the record: every write below
//! it was durable. What that part wrote after the line may be there or not. Must not know the part that runs now.

use super::expected::GenerationRange;
use super::passes::Passes;
use serde::{Deserialize, Serialize};

/// Bits of a generation that count the passes of a part. The bits above are the number of the part.
const PASS_BITS: u32 = 32;
/// Most parts of a run: the remaining bits of a generation have room for this many.
pub const MOST_PARTS: usize = 1 << 15;

/// A generation as people count: the part of the run, from 0, and the pass in it, from 1.
pub const fn parted(generation: u64) -> (u64, u64) {
    (generation >> PASS_BITS, generation & ((1 << PASS_BITS) - 1))
}

/// The parts of a run before the current one, each with the number of writes that were certainly durable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EarlierParts(pub Vec<u64>);

impl EarlierParts {
    /// The offset of the generations of the current part.
    pub const fn base(&self) -> u64 {
        (self.0.len() as u64) << PASS_BITS
    }

    /// How many positions of a pass, from the first on, an earlier part wrote at least once.
    pub fn written(&self, slots: u64) -> u64 {
        self.0.iter().copied().max().unwrap_or(0).min(slots)
    }

    /// What the slot at a position may hold: `own` is what the current part allows, with generations counted from 1.
    #[inline]
    pub fn expected(&self, own: GenerationRange, position: u64, passes: &Passes) -> GenerationRange {
        if self.0.is_empty() {
            return own;
        }
        let base = self.base();
        let newest = if own.newest > 0 { base + own.newest } else { base - 1 };
        let oldest = if own.oldest > 0 { base + own.oldest } else { self.oldest(position, passes) };
        GenerationRange { oldest, newest }
    }

    /// The last write of an earlier part that is certainly present; 0 if there is none.
    fn oldest(&self, position: u64, passes: &Passes) -> u64 {
        let mut own = self
            .0
            .iter()
            .enumerate()
            .rev()
            .map(|(part, &settled)| (part as u64, passes.after(position, settled)));
        own.find(|(_, pass)| *pass > 0).map_or(0, |(part, pass)| (part << PASS_BITS) + pass)
    }
}
