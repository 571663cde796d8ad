//! What the target itself shows about the run: a first pass over all blocks, before anything is judged.
//!
//! A write that left a trace began, so all earlier ones of the same writer were acknowledged. Must not call anything a fault.

use super::acks::Acks;
use super::lines::{EarlierContents, fingerprint, label_of};
use rigel_core::error::Problem;
use rigel_core::load::volume::Place;
use rigel_core::verify::block::{self, BLOCK_BYTES, Head as SectorHead, SECTOR_BYTES};
use std::collections::BTreeMap;

/// Traces of a run.
#[derive(Clone, Debug)]
pub struct Traces {
    /// For each writer: all writes below had begun.
    begun: Vec<u64>,
    /// The same for writes that are where they belong.
    there: Vec<u64>,
    /// Blocks with a sector of the run.
    blocks: u64,
    /// The run in the first block.
    label: Option<u64>,
    /// Content at some offsets before the run.
    before: BTreeMap<u64, String>,
    /// Samples that are as they were before the run, and those that are not.
    as_before: u64,
    otherwise: u64,
}

impl Traces {
    /// Without traces.
    pub fn new(acks: &Acks) -> Self {
        let head = acks.head();
        let none = vec![0; head.shape.writers.into()];
        let offsets = EarlierContents::offsets(head.shape.region_bytes);
        let before = offsets.zip(head.before.samples.iter().cloned()).collect();
        Self { begun: none.clone(), there: none, blocks: 0, label: None, before, as_before: 0, otherwise: 0 }
    }

    /// Examines a block of 4 KiB.
    pub fn look(&mut self, acks: &Acks, offset: u64, block: &[u8]) {
        let (rings, seed) = (acks.rings(), acks.head().seed);
        self.sample(offset, block);
        if offset == 0 {
            self.label = label_of(block);
            self.blocks += u64::from(self.label == Some(seed));
            return;
        }
        // Nearly all blocks are whole, which is seen fastest at once.
        if let Some(generation) = block::whole(seed, Place { target: 0, offset }, block) {
            self.blocks += 1;
            return self.trace(acks, offset, generation, true);
        }
        let mut is_own = false;
        for (sector, at) in block.chunks_exact(SECTOR_BYTES).zip((offset..).step_by(SECTOR_BYTES)) {
            let own = SectorHead::of(sector).filter(|head| head.seed == seed && head.place.target == 0);
            if let Some(head) = own.filter(|head| head.place.offset < rings.bytes()) {
                is_own = true;
                self.trace(acks, head.place.offset, head.generation, head.place.offset == at);
            }
        }
        self.blocks += u64::from(is_own);
    }

    fn sample(&mut self, offset: u64, block: &[u8]) {
        let Some(was) = self.before.get(&offset) else { return };
        let count = if *was == fingerprint(block) { &mut self.as_before } else { &mut self.otherwise };
        *count += 1;
    }

    fn trace(&mut self, acks: &Acks, offset: u64, generation: u64, is_there: bool) {
        let Some((writer, position)) = acks.rings().owner(offset).filter(|_| generation > 0) else { return };
        let began = acks.rings().number(writer, position, generation).saturating_add(1);
        let writer = usize::from(writer);
        self.begun[writer] = self.begun[writer].max(began);
        if is_there {
            self.there[writer] = self.there[writer].max(began);
        }
    }

    /// For a writer: all its writes below left a trace or came before one that did.
    pub(super) fn begun(&self, writer: u16) -> u64 {
        self.begun.get(usize::from(writer)).copied().unwrap_or(0)
    }

    /// For a writer: one above the last write that is where it belongs.
    pub(super) fn there(&self, writer: u16) -> u64 {
        self.there.get(usize::from(writer)).copied().unwrap_or(0)
    }

    /// Whether anything of the run was found.
    pub const fn is_any(&self) -> bool {
        self.blocks > 0
    }

    /// Refuses a target that the run did not write to, or that another run wrote to since.
    ///
    /// # Errors
    /// With what casts doubt on it.
    pub fn check(&self, acks: &Acks) -> Result<(), Problem> {
        let head = acks.head();
        let other = self.label.filter(|label| *label != head.seed && Some(*label) != head.before.label);
        if let Some(other) = other {
            return Err(Problem::refused("the target holds the label of another run")
                .at(head.target.as_str())
                .because(format!(
                    "the file belongs to the run {}, the label to the run {}, which wrote there later; or this is another target",
                    head.run,
                    super::run_name(other)
                ))
                .next("give the file of that run, or the target of this one"));
        }
        if !self.is_any() && self.otherwise > self.as_before {
            return Err(Problem::refused("the target holds neither the run's data nor what was there before")
                .at(head.target.as_str())
                .because(format!("the run {} wrote to {}", head.run, head.target))
                .next("name the target that the run wrote to; if it is this one, something has overwritten all of it since"));
        }
        Ok(())
    }
}

const _: () = assert!(BLOCK_BYTES.is_multiple_of(SECTOR_BYTES), "a block has whole sectors");
