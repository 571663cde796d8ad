//! Moments, ranks, a line and a correlation, for all other modules here.
//!
//! Must not judge. Empty samples give 0, never a panic; callers ask for the size where it matters.

use crate::units::to_f64;

/// The consistency factor that makes a median of absolute values estimate a normal standard deviation.
pub const MEDIAN_TO_SIGMA: f64 = 1.4826;

/// A length as a number.
pub fn count(length: usize) -> f64 {
    to_f64(u64::try_from(length).unwrap_or(u64::MAX))
}

/// The mean; 0 of nothing.
pub fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / count(values.len()) }
}

/// Sum of the squared deviations from the mean.
pub fn sum_of_squares(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum()
}

/// Unbiased sample variance; 0 for fewer than two values.
pub fn variance(values: &[f64]) -> f64 {
    if values.len() < 2 { 0.0 } else { sum_of_squares(values) / count(values.len() - 1) }
}

/// The values from the lowest on.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The middle value, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[half],
        _ => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

/// Slope and residuals of the least-squares line through `values` at 0, 1, 2, ..
pub fn line(values: &[f64]) -> (f64, Vec<f64>) {
    let middle = (count(values.len()) - 1.0) / 2.0;
    let centre = mean(values);
    let (mut cross, mut square) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate() {
        let x = count(index) - middle;
        cross += x * (value - centre);
        square += x * x;
    }
    let slope = if square > 0.0 { cross / square } else { 0.0 };
    let residual = |(index, value): (usize, &f64)| value - centre - slope * (count(index) - middle);
    (slope, values.iter().enumerate().map(residual).collect())
}

/// Ranks from 1; equal values share the mean of their ranks.
pub fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut below = 0;
    for tied in order.chunk_by(|&a, &b| values[a] == values[b]) {
        let shared = count(below) + (count(tied.len()) + 1.0) / 2.0;
        tied.iter().for_each(|&index| ranks[index] = shared);
        below += tied.len();
    }
    ranks
}

/// Pearson's correlation; 0 when one of the samples does not vary.
pub fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (centre_a, centre_b) = (mean(a), mean(b));
    let cross: f64 = a.iter().zip(b).map(|(a, b)| (a - centre_a) * (b - centre_b)).sum();
    let scale = (sum_of_squares(a) * sum_of_squares(b)).sqrt();
    if scale > 0.0 { cross / scale } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_by_hand() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), variance(&[1.0, 2.0, 6.0])), (3.0, 7.0));
        assert_eq!((mean(&[]), variance(&[5.0]), median(&[])), (0.0, 0.0, 0.0));
        assert_eq!((median(&[9.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 9.0])), (2.0, 3.0));
    }

    #[test]
    fn a_line_and_what_it_leaves() {
        assert_eq!(line(&[1.0, 3.0, 5.0, 7.0]), (2.0, vec![0.0; 4]));
        // Slope of 0, 1, 0 is 0; the mean is 1/3.
        let (slope, left) = line(&[0.0, 1.0, 0.0]);
        assert!(slope.abs() < 1e-15);
        assert!(left.iter().zip([-1.0, 2.0, -1.0]).all(|(left, thirds)| (3.0 * left - thirds).abs() < 1e-15));
    }

    #[test]
    fn ties_share_their_rank() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, 0.0]), [3.5, 2.0, 3.5, 1.0]);
        assert_eq!(ranks(&[0.0, 5.0, -0.0, 5.0, 5.0]), [1.5, 4.0, 1.5, 4.0, 4.0]);
        assert!((correlation(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]) + 1.0).abs() < 1e-15);
        assert_eq!(correlation(&[1.0, 1.0], &[0.0, 2.0]), 0.0);
    }
}
