//! The next offset and direction of each outstanding I/O, from the seed alone.
//!
//! Every slot (one outstanding I/O of one class) has its own generator, seeded from the run's seed, the point, the
//! class and the slot's number. So the sequence of a slot does not depend on how slots are split over workers, and a
//! record's seed reproduces every offset. Generator: SplitMix64 (Steele, Lea, Flood 2014), from `rand_xoshiro`.
//! Must not know workers or backends.

use crate::load::volume::{Place, Volume};
use crate::load::workload::{Direction, WritePercent};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;
use std::ops::Range;

/// A seeded generator of one slot, or of anything else that needs its own independent sequence.
#[derive(Clone, Debug)]
pub struct Generator(SplitMix64);

impl Generator {
    /// The generator of `purpose`, independent of every other purpose's.
    pub fn new(seed: u64, purpose: &[u64]) -> Self {
        // Each step hashes one more word into the state: the finaliser of SplitMix64 is a bijection with full
        // avalanche.
        let state = purpose.iter().fold(seed, |state, &word| {
            SplitMix64::seed_from_u64(state ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64()
        });
        Self(SplitMix64::seed_from_u64(state))
    }

    /// The generator of one slot of one visit; `class` is the place of its class in the load.
    pub fn of_slot(seed: u64, visit: u64, class: usize, slot: u32) -> Self {
        Self::new(seed, &[visit, class as u64, u64::from(slot)])
    }

    /// The generator of what a whole visit draws once.
    pub fn of_visit(seed: u64, visit: u64) -> Self {
        Self::new(seed, &[visit])
    }

    /// 64 uniform bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform below `bound` by multiplication (Lemire 2019, without the rejection step: the bias is below
    /// `bound / 2^64`, one part in 10^9 for an exabyte of 8 KiB chunks).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Uniform in `0..=last`.
    pub fn index(&mut self, last: usize) -> usize {
        let bound = u64::try_from(last).unwrap_or(u64::MAX).saturating_add(1);
        usize::try_from(self.below(bound)).unwrap_or(last)
    }

    /// A uniform permutation (Fisher, Yates 1938; Durstenfeld 1964).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.index(last));
        }
    }

    /// Uniform in (0, 1]; never 0, so its logarithm exists.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        crate::units::to_f64((self.bits() >> 11) + 1) / crate::units::to_f64(1 << 53)
    }

    /// Standard normal (Box, Muller 1958).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let angle = std::f64::consts::TAU * self.unit();
        (-2.0 * self.unit().ln()).sqrt() * angle.cos()
    }

    /// Exponential with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -self.unit().ln()
    }

    /// Lognormal with mean 1 and standard deviation `sd`: never negative, however large the deviation.
    #[inline]
    pub fn lognormal(&mut self, sd: f64) -> f64 {
        lognormal(self.normal(), sd)
    }

    /// Fills `bytes` with random data.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

/// Turns a standard normal into a lognormal with mean 1 and standard deviation `sd`.
#[inline]
pub fn lognormal(normal: f64, sd: f64) -> f64 {
    let variance = (sd * sd).ln_1p();
    (variance.sqrt() * normal - variance / 2.0).exp()
}

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

/// The position of one sequential stream, shared by its outstanding I/Os; or of those of its I/Os that are one lane of it.
#[derive(Clone, Debug)]
pub struct Stream {
    next_chunk: u64,
    /// It walks round and round from here ..
    first_chunk: u64,
    /// .. to the chunk before this one.
    end_chunk: u64,
    /// From one to the next.
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

    /// One that walks these chunks; at least one.
    pub const fn within(chunks: Range<u64>, direction: Direction) -> Self {
        Self {
            next_chunk: chunks.start,
            first_chunk: chunks.start,
            end_chunk: chunks.end,
            step: 1,
            direction,
        }
    }

    /// Every I/O that is `number` of this many `lanes`: together they go over the stream, each at its own pace.
    #[must_use]
    pub fn lane(self, number: u32, lanes: u32) -> Self {
        Self { step: lanes.max(1).into(), ..self.moved(number.into()) }
    }

    /// The same stream, `chunks` further on; after the last chunk comes the first.
    #[must_use]
    pub fn moved(self, chunks: u64) -> Self {
        let all = u128::from(self.end_chunk.saturating_sub(self.first_chunk).max(1));
        let next = (u128::from(self.next_chunk - self.first_chunk) + u128::from(chunks)) % all;
        Self { next_chunk: self.first_chunk + u64::try_from(next).unwrap_or(0), ..self }
    }

    /// The next chunk; after the last one comes the first.
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
