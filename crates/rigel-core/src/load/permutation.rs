//! An order of many numbers in which each comes once, without memory, and which can be entered anywhere.
//!
//! A keyed Feistel network (Luby and Rackoff 1988) that walks on while it is outside (Black and Rogaway 2002). It jumps like random I/O. Must not
//! know what is numbered.

use crate::load::draw::Generator;

const ROUNDS: usize = 6;

/// A permutation of the numbers below a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    count: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// Of this many numbers, at least one.
    pub fn new(count: u64, seed: u64) -> Self {
        let count = count.max(1);
        let bits = u64::BITS - (count - 1).leading_zeros();
        let mut draw = Generator::new(seed, &[]);
        let keys = std::array::from_fn(|_| draw.bits());
        Self { count, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// How many numbers it has.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The number at a place; places wrap.
    #[inline]
    pub fn at(&self, place: u64) -> u64 {
        let mut number = place % self.count;
        loop {
            number = self.mixed(number);
            if number < self.count {
                return number;
            }
        }
    }

    /// The place of a number, from 0; a number that is too large wraps.
    pub fn place_of(&self, number: u64) -> u64 {
        let mut place = number % self.count;
        loop {
            place = self.unmixed(place);
            if place < self.count {
                return place;
            }
        }
    }

    fn mixed(&self, number: u64) -> u64 {
        let (mut left, mut right) = self.halves(number);
        for key in self.keys {
            (left, right) = (right, left ^ self.scrambled(right ^ key));
        }
        left << self.half_bits | right
    }

    /// The inverse of the rounds.
    fn unmixed(&self, number: u64) -> u64 {
        let (mut left, mut right) = self.halves(number);
        for key in self.keys.into_iter().rev() {
            (left, right) = (right ^ self.scrambled(left ^ key), left);
        }
        left << self.half_bits | right
    }

    const fn halves(&self, number: u64) -> (u64, u64) {
        (number >> self.half_bits, number & self.mask())
    }

    const fn mask(&self) -> u64 {
        (1 << self.half_bits) - 1
    }

    /// The finaliser of SplitMix64, with as many bits as a half has.
    const fn scrambled(&self, word: u64) -> u64 {
        let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (word ^ (word >> 31)) & self.mask()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_comes_once_and_its_place_is_known(count in 1u64..5000, seed: u64) {
            let order = Permutation::new(count, seed);
            let mut all: Vec<u64> = (0..count).map(|place| order.at(place)).collect();
            for (place, &number) in (0..).zip(&all) {
                prop_assert_eq!(order.place_of(number), place);
                prop_assert_eq!(order.at(place + count), number);
            }
            all.sort_unstable();
            prop_assert!(all.into_iter().eq(0..count));
        }

        #[test]
        fn places_are_found_among_any_count_of_numbers(count in 1u64.., seed: u64, place: u64) {
            let order = Permutation::new(count, seed);
            let number = order.at(place);
            prop_assert!(number < count);
            prop_assert_eq!(order.place_of(number), place % count);
        }
    }
}
