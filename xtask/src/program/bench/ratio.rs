//! Ratios over rounds. Must not know what is divided.

use rigel_core::stats::special::student_t_quantile;

/// A ratio with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Geometric mean over the rounds.
    pub mean: f64,
    /// Lower end.
    pub lo95: f64,
    /// Upper end.
    pub hi95: f64,
}

/// Pairs of one round each, the first divided by the second. The logarithms are averaged, so that a ratio and its inverse
/// agree. `None` with fewer than two pairs or without a positive figure.
pub fn of(pairs: impl Iterator<Item = (f64, f64)>) -> Option<Ratio> {
    let logs: Vec<f64> = pairs.map(|(ours, theirs)| (ours / theirs).ln()).collect();
    if logs.len() < 2 || logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let count = f64::from(u32::try_from(logs.len()).ok()?);
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
    let half = student_t_quantile(0.975, count - 1.0) * (variance / count).sqrt();
    Some(Ratio { mean: mean.exp(), lo95: (mean - half).exp(), hi95: (mean + half).exp() })
}

/// The middle of the figures; of an even number the mean of the two in the middle, of none 0.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    let upper = figures.get(figures.len() / 2).copied().unwrap_or(0.0);
    if figures.len() % 2 == 1 || figures.is_empty() {
        upper
    } else {
        f64::midpoint(figures[figures.len() / 2 - 1], upper)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_and_its_inverse_agree() {
        let pairs = [(2.0, 1.0), (3.0, 1.0), (2.5, 1.0)];
        let there = of(pairs.into_iter()).unwrap();
        let back = of(pairs.into_iter().map(|(ours, theirs)| (theirs, ours))).unwrap();
        assert!((there.mean * back.mean - 1.0).abs() < 1e-12);
        assert!((there.lo95 * back.hi95 - 1.0).abs() < 1e-12);
        assert!(
            (there.mean.powi(3) - 15.0).abs() < 1e-9 && there.lo95 < there.mean && there.mean < there.hi95
        );
        // t(0.975, 2) = 4.3027, the standard deviation of ln 2, ln 3, ln 2.5 is 0.203075.
        assert!(((there.hi95 / there.mean).ln() - 4.302_653 * 0.203_075 / 3f64.sqrt()).abs() < 1e-4);
    }

    #[test]
    fn no_ratio_without_figures() {
        assert_eq!(of([(1.0, 1.0)].into_iter()), None);
        assert_eq!(of([(1.0, 1.0), (0.0, 1.0)].into_iter()), None);
        assert_eq!((median(vec![]), median(vec![3.0, 1.0, 2.0]), median(vec![4.0, 1.0])), (0.0, 2.0, 2.5));
    }
}
