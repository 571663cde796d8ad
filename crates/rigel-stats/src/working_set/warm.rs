//! When a working set is warm: its rate has stopped rising, and enough was read to fill any cache with it.
//!
//! Uniform random reads of n blocks leave `exp(-reads / n)` of them untouched, so the rate of a set that fits into a cache rises by less and less.
//! For a set that fits nowhere, the rate is steady from the first read, and only a whole pass shows that no larger cache, still cold, would have
//! held it. Must not know what reads.

/// So much of a pass is one stretch.
const PART_OF_A_PASS: f64 = 0.5;
/// Passes without which no rate counts as steady.
const LEAST_PASSES: f64 = 1.0;
/// A rise from one stretch to the next that is still steady.
const STEADY: f64 = 0.03;
/// Noise beyond this does not excuse a rise.
const MOST_NOISE: f64 = 0.05;
/// Standard errors that are noise.
const SIGMAS: f64 = 2.0;
/// The relative error of a stretch that is too short to tell its own.
pub const UNKNOWN_ERROR: f64 = 0.02;
/// More stretches end nothing that these did not.
const MOST_STRETCHES: usize = 48;

/// Reads of a working set, counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// How many.
    pub ios: f64,
    /// In this many seconds.
    pub seconds: f64,
    /// Relative standard error of their rate.
    pub error: f64,
}

/// Whether a working set is warm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warmth {
    /// The rate does not rise any more.
    Steady,
    /// It still rose.
    Rising,
    /// There was no time for a whole pass, so a larger cache would still be cold.
    NoPass,
}

impl Stretch {
    /// Reads per second.
    pub fn rate(&self) -> f64 {
        self.ios / self.seconds.max(1e-9)
    }
}

/// How often a set of this many blocks was read, on average.
pub fn passes(stretches: &[Stretch], blocks: f64) -> f64 {
    stretches.iter().map(|stretch| stretch.ios).sum::<f64>() / blocks.max(1.0)
}

/// Whether a set of this many blocks is warm behind these stretches.
pub fn warmth(stretches: &[Stretch], blocks: f64) -> Warmth {
    if passes(stretches, blocks) < LEAST_PASSES {
        return Warmth::NoPass;
    }
    let [.., before, last] = stretches else { return Warmth::Rising };
    let noise = (SIGMAS * before.error.hypot(last.error)).min(MOST_NOISE);
    if last.rate() > before.rate() * (1.0 + STEADY + noise) { Warmth::Rising } else { Warmth::Steady }
}

/// How long the next stretch is, in seconds; `None`: the set is warm, or no time is left to warm it up. Every set gets two looks of `look_s`, whatever `left_s` is.
pub fn next_stretch(stretches: &[Stretch], blocks: f64, look_s: f64, left_s: f64) -> Option<f64> {
    let [.., last] = stretches else { return Some(look_s) };
    let is_over = stretches.len() >= MOST_STRETCHES || (stretches.len() > 1 && left_s < look_s);
    if is_over || warmth(stretches, blocks) == Warmth::Steady {
        return None;
    }
    let rate = last.rate().max(1e-9);
    let missing_s = (LEAST_PASSES - passes(stretches, blocks)).max(0.0) * blocks / rate;
    // A part of a pass would show nothing that the looks did not.
    if missing_s > left_s {
        return (stretches.len() < 2).then_some(look_s);
    }
    Some((PART_OF_A_PASS * blocks / rate).clamp(look_s, left_s.max(look_s)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOK_S: f64 = 2.0;

    /// Warms a set up, from a cache that holds the first half of it or nothing; misses take 50 times as long.
    fn warm(blocks: f64, cache: f64, hit_per_s: f64, left_s: f64) -> (Vec<Stretch>, Warmth) {
        let mut stretches: Vec<Stretch> = Vec::new();
        let (mut cached, mut left_s) = (cache.min(blocks / 2.0), left_s);
        while let Some(seconds) = next_stretch(&stretches, blocks, LOOK_S, left_s) {
            let (mut ios, mut at_s) = (0.0, 0.0);
            while at_s < seconds {
                let step = blocks / 1000.0;
                let miss = 1.0 - cached / blocks;
                at_s += step * (1.0 + 49.0 * miss) / hit_per_s;
                cached = (cached + step * miss).min(cache.min(blocks));
                ios += step;
            }
            stretches.push(Stretch { ios, seconds: at_s, error: 0.001 });
            left_s -= at_s;
        }
        let found = warmth(&stretches, blocks);
        (stretches, found)
    }

    #[test]
    fn a_set_that_fits_is_read_until_it_is_cached_and_one_that_does_not_for_a_pass() {
        let (fits, found) = warm(1e6, 2e6, 20_000.0, 1e5);
        assert_eq!(found, Warmth::Steady);
        assert!((4.0..12.0).contains(&passes(&fits, 1e6)), "{}", passes(&fits, 1e6));
        let last = fits.last().unwrap().rate();
        assert!(last > 0.9 * 20_000.0, "{last}");
        let (large, found) = warm(4e6, 1e6, 20_000.0, 1e6);
        assert_eq!(found, Warmth::Steady);
        assert!((1.0..1.7).contains(&passes(&large, 4e6)), "{}", passes(&large, 4e6));
        // A small one is read many times in a look.
        let (small, found) = warm(8192.0, 1e6, 100_000.0, 1e5);
        assert!(small.len() <= 4 && found == Warmth::Steady, "{small:?}");
    }

    #[test]
    fn without_time_for_a_pass_there_are_two_looks_and_no_claim() {
        let (looks, found) = warm(4e6, 1e6, 20_000.0, 60.0);
        assert_eq!((looks.len(), found), (2, Warmth::NoPass));
        let (looks, found) = warm(1e6, 2e6, 20_000.0, 1500.0);
        assert!(looks.len() > 2 && found == Warmth::Rising, "{found:?} {looks:?}");
        assert_eq!(warmth(&[], 10.0), Warmth::NoPass);
    }

    #[test]
    fn noise_is_no_rise_and_a_rise_is_no_noise() {
        let of = |rates: [f64; 2], error| {
            let stretches = rates.map(|ios| Stretch { ios, seconds: 1.0, error });
            warmth(&stretches, 100.0)
        };
        assert_eq!(of([1000.0, 1020.0], 0.0), Warmth::Steady);
        assert_eq!(of([1000.0, 1050.0], 0.0), Warmth::Rising);
        assert_eq!(of([1000.0, 1050.0], 0.02), Warmth::Steady);
        assert_eq!(of([1000.0, 1200.0], 0.5), Warmth::Rising);
        assert_eq!(of([1000.0, 500.0], 0.0), Warmth::Steady);
    }
}
