//! The next offset and direction of each outstanding I/O, from the seed alone.
//!
//! Every slot (one outstanding I/O of one class) has its own generator, seeded from the run's seed, the point, the
//! class and the slot's number. So the sequence of a slot does not depend on how slots are split over workers, and a
//! record's seed reproduces every offset. Must not know workers or backends.

use crate::load::volume::{Place, Volume};
use crate::load::workload::{Direction, WritePercent};
use std::ops::Range;

pub use rigel_stats::generator::{Generator, lognormal};

/// Read or write, drawn for one random I/O.
#[inline]
pub fn coin(generator: &mut Generator, share: WritePercent) -> Direction {
    match share.get() {
        0 => Direction::Read,
        100 => Direction::Write,
        percent if generator.below(100) < u64::from(percent) => Direction::Write,
        _ => Direction::Read,
    }
}

/// A uniform chunk of the volume.
#[inline]
pub fn anywhere(generator: &mut Generator, volume: &Volume) -> Place {
    volume.place(generator.below(volume.chunks()))
}

/// The position of one sequential stream, shared by its outstanding I/Os; or of one lane of it.
#[derive(Clone, Debug)]
pub struct Stream {
    next_chunk: u64,
    /// The first chunk of its range ..
    first_chunk: u64,
    /// .. to the chunk before this one.
    end_chunk: u64,
    /// From one chunk to the next.
    step: u64,
    /// Fixed for the whole point: a stream only reads or only writes.
    pub direction: Direction,
}

impl Stream {
    /// Stream `index` of `streams`: it starts at an even fraction of the volume.
    pub fn new(index: u32, streams: u32, volume: &Volume, share: WritePercent) -> Self {
        let direction = if share.stream_writes(index) { Direction::Write } else { Direction::Read };
        let all = 0..volume.chunks();
        let chunks = u128::from(volume.chunks()) * u128::from(index) / u128::from(streams.max(1));
        Self::within(all, direction).moved(u64::try_from(chunks).unwrap_or(0))
    }

    /// A stream within these chunks; at least one.
    pub const fn within(chunks: Range<u64>, direction: Direction) -> Self {
        Self {
            next_chunk: chunks.start,
            first_chunk: chunks.start,
            end_chunk: chunks.end,
            step: 1,
            direction,
        }
    }

    /// Every `lanes`-th I/O from `number` on: together the lanes cover the stream, each at its own pace.
    #[must_use]
    pub fn lane(self, number: u32, lanes: u32) -> Self {
        Self { step: lanes.max(1).into(), ..self.moved(number.into()) }
    }

    /// The same stream, `chunks` further on, wrapping at the end.
    #[must_use]
    pub fn moved(self, chunks: u64) -> Self {
        let all = u128::from(self.end_chunk.saturating_sub(self.first_chunk).max(1));
        let next = (u128::from(self.next_chunk - self.first_chunk) + u128::from(chunks)) % all;
        Self { next_chunk: self.first_chunk + u64::try_from(next).unwrap_or(0), ..self }
    }

    /// The next chunk, wrapping at the end.
    #[inline]
    pub fn advance(&mut self, volume: &Volume) -> Place {
        let place = volume.place(self.next_chunk);
        self.next_chunk += self.step;
        if self.next_chunk >= self.end_chunk {
            self.next_chunk =
                self.first_chunk + (self.next_chunk - self.end_chunk) % (self.end_chunk - self.first_chunk);
        }
        place
    }
}

#[cfg(test)]
mod tests;
