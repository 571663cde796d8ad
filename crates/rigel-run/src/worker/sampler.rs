//! Chooses the reads whose data is checked: one of every 64 counted reads of a class, and the very first one.
//!
//! The place among the 64 varies. A fixed place would always hit the same target when a stream goes round over 64
//! targets, or over a divisor of 64. It costs a subtraction per read; the check itself follows after a batch was
//! reaped. Must not allocate while measuring, and must not judge what it sees.

use crate::job::Workload;
use crate::load::Load;
use rigel_core::load::class::MOST_CLASSES;
use rigel_core::load::draw::Generator;
use rigel_core::load::workload::Direction;
use rigel_core::measure::ReadLook;
use rigel_io::backend::Backend;

/// One in this many reads is checked.
const ONE_OF: u32 = 64;
/// Sets the generator apart from those that draw offsets.
const PURPOSE: u64 = u64::from_le_bytes(*b"ReadLook");

/// The state of one job.
#[derive(Debug)]
pub(super) struct Sampler {
    /// 1 while reads count and bring data, otherwise 0.
    step: u32,
    classes: [Turn; MOST_CLASSES],
    /// Slots whose buffers are to be examined; each slot completes at most once a batch.
    picked: Vec<u16>,
    found: [ReadLook; MOST_CLASSES],
    generator: Generator,
}

/// Whose turn it is in one class.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Reads to the next one that is checked, that one included; never 0 between reads.
    due: u32,
    /// Its index in its group of [`ONE_OF`], from 0.
    place: u32,
}

impl Sampler {
    /// For one visit by one worker with this many slots; equal runs check equal places.
    pub fn new(seed: u64, visit: u64, worker: u32, slots: u16) -> Self {
        Self {
            step: 0,
            classes: [Turn { due: 1, place: 0 }; MOST_CLASSES],
            picked: Vec::with_capacity(usize::from(slots)),
            found: [ReadLook::default(); MOST_CLASSES],
            generator: Generator::new(seed, &[PURPOSE, visit, u64::from(worker)]),
        }
    }

    /// Called before each batch with whether its reads count.
    #[inline]
    pub fn begin_batch(&mut self, counts: bool) {
        self.step = u32::from(counts);
    }

    /// An I/O of the batch succeeded.
    #[inline]
    pub fn completed(&mut self, class: usize, direction: Direction, slot: u16) {
        if direction == Direction::Read {
            let turn = &mut self.classes[class];
            turn.due -= self.step;
            if turn.due == 0 {
                self.pick(class, slot);
            }
        }
    }

    #[cold]
    fn pick(&mut self, class: usize, slot: u16) {
        self.classes[class].advance(&mut self.generator);
        debug_assert!(self.picked.len() < self.picked.capacity(), "a slot completed twice in a batch");
        self.picked.push(slot);
    }

    /// Checks the selected reads. To be called before any slot of the batch is reused.
    #[inline]
    pub fn look<B: Backend>(&mut self, backend: &B, load: &mut Load<'_>, workload: &Workload) {
        if !self.picked.is_empty() {
            self.look_at_picked(backend, load, workload);
        }
    }

    #[cold]
    fn look_at_picked<B: Backend>(&mut self, backend: &B, load: &mut Load<'_>, workload: &Workload) {
        for number in self.picked.drain(..) {
            let slot = load.slot(number);
            let len = usize::try_from(slot.op.len).unwrap_or(usize::MAX);
            let stamps = workload.stamps.get(usize::from(slot.op.target)).and_then(Option::as_ref);
            let read = &backend.buffer(number)[..len];
            self.found[usize::from(slot.class)].take(read, slot.op.offset, stamps, self.generator.bits());
        }
    }

    /// The counts, by index of the class.
    pub const fn found(&self) -> [ReadLook; MOST_CLASSES] {
        self.found
    }
}

impl Turn {
    /// From its index in this group to one in the next.
    fn advance(&mut self, generator: &mut Generator) {
        let next = u32::try_from(generator.below(u64::from(ONE_OF))).unwrap_or(0);
        self.due = ONE_OF - self.place + next;
        self.place = next;
    }
}

#[cfg(test)]
mod tests;
