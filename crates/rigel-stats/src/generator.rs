//! Random numbers from a seed alone: the same on every machine, and independent for each purpose.
//!
//! SplitMix64 (Steele, Lea, Flood 2014), from `rand_xoshiro`. Must not ask the operating system for anything.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::SplitMix64;

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

    /// Uniform in (0, 1]; never 0, so that its logarithm exists.
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
