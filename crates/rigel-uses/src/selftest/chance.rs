//! What chance explains when few things are counted.
//!
//! Must not know what is counted.

use rigel_core::units::to_f64;

/// Significance: anything with a smaller probability is not taken for chance.
pub(super) const RARE: f64 = 0.01;

/// Probability that at most `count` of `all` independent events with the probability `share` occur: the binomial
/// distribution, summed in logarithms so that no term is too small for a float.
pub(super) fn at_most(count: usize, all: usize, share: f64) -> f64 {
    let odds = (share / (1.0 - share)).ln();
    let mut log = to_f64(all as u64) * (-share).ln_1p();
    let mut sum = 0.0;
    for happened in 0..=count.min(all) {
        sum += log.exp();
        log += (to_f64((all - happened) as u64) / to_f64(happened as u64 + 1)).ln() + odds;
    }
    f64::min(sum, 1.0)
}

pub(super) fn at_least(count: usize, all: usize, share: f64) -> f64 {
    count.checked_sub(1).map_or(1.0, |below| 1.0 - at_most(below, all, share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Three coins.
        for (count, sum) in [(0, 0.125), (1, 0.5), (2, 0.875), (3, 1.0)] {
            assert!((at_most(count, 3, 0.5) - sum).abs() < 1e-12);
        }
        assert!((at_least(2, 3, 0.5) - 0.5).abs() < 1e-12);
        assert!((at_least(0, 3, 0.5) - 1.0).abs() < 1e-12);
        assert!((at_most(0, 4603, 0.001) - 0.01).abs() < 1e-4);
        // Poisson with mean 1000 around its middle; the first term alone would be no float.
        assert!((at_most(1000, 1_000_000, 0.001) - 0.5084).abs() < 1e-3);
    }
}
