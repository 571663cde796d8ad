//! The error of one visit's mean by batch means, corrected for the correlation between batches.
//!
//! Such an interval contains only the noise inside the visit. The noise between visits is larger, so this is a
//! lower bound. Must not be used to decide when a run may stop.

use super::sample::{count, mean, sum_of_squares, variance};
use super::special::student_t_quantile;

/// Numbers of batches that are tried; the one with the wider interval counts.
const BATCHES: [usize; 2] = [20, 10];
/// Largest correlation between neighbours that is assumed. A series with more is too short to estimate it.
const LARGEST_CORRELATION: f64 = 0.8;
/// Degrees of freedom never fall below.
const FEWEST_DEGREES: f64 = 3.0;

/// The error of the mean of a series, estimated from the series alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeriesError {
    /// Standard error of the mean, in the unit of the series.
    pub standard_error: f64,
    /// Degrees of freedom of that standard error.
    pub degrees_of_freedom: f64,
}

impl SeriesError {
    /// Half the width of a 95 % interval, in the unit of the series.
    pub fn half_width(&self) -> f64 {
        student_t_quantile(0.975, self.degrees_of_freedom) * self.standard_error
    }
}

/// Means of `batches` equal pieces of a series. The remainder is left out at the front, where a run may not be
/// steady yet. Empty when the series is shorter than `batches`.
pub fn batches(series: &[f64], batches: usize) -> Vec<f64> {
    let length = series.len().checked_div(batches).unwrap_or(0);
    if length == 0 {
        return Vec::new();
    }
    series[series.len() - length * batches..].chunks_exact(length).map(mean).collect()
}

/// The wider of 20 and 10 batches; `None` for a series of fewer than 10 values.
///
/// With correlation r between neighbouring batches, taken to be an AR(1) process, the variance of the mean grows by
/// `(1 + r) / (1 - r)` and the degrees of freedom shrink by it. The sample's r is biased by about `-1 / k`, which is
/// added back.
pub fn within(series: &[f64]) -> Option<SeriesError> {
    let sizes = BATCHES.iter().filter(|&&size| series.len() >= size);
    let all = sizes.map(|&size| corrected(&batches(series, size)));
    all.max_by(|a, b| a.half_width().total_cmp(&b.half_width()))
}

fn corrected(batches: &[f64]) -> SeriesError {
    let k = count(batches.len());
    let inflation = inflation(batches, 1.0);
    SeriesError {
        standard_error: (variance(batches) * inflation / k).sqrt(),
        degrees_of_freedom: ((k - 1.0) / inflation).max(FEWEST_DEGREES),
    }
}

/// Factor by which autocorrelation raises the variance of a fit to a series: `(1 + r) / (1 - r)` for an AR(1)
/// process. The residuals of a fit with `fitted` parameters show about `fitted / n` too little correlation; that is
/// added back.
pub fn inflation(left: &[f64], fitted: f64) -> f64 {
    let correlation = (neighbours(left) + fitted / count(left.len())).clamp(0.0, LARGEST_CORRELATION);
    (1.0 + correlation) / (1.0 - correlation)
}

/// Correlation of each value with the next one; 0 for a constant series.
fn neighbours(values: &[f64]) -> f64 {
    let centre = mean(values);
    let cross: f64 = values.windows(2).map(|pair| (pair[0] - centre) * (pair[1] - centre)).sum();
    let square = sum_of_squares(values);
    if square > 0.0 { cross / square } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{Noise, close, numbers, vectors};

    #[test]
    fn the_front_is_left_out() {
        assert_eq!(batches(&[9.0, 1.0, 3.0, 5.0, 7.0], 2), [2.0, 6.0]);
        assert_eq!(batches(&[1.0], 2), Vec::<f64>::new());
        assert_eq!(batches(&[1.0], 0), Vec::<f64>::new());
    }

    #[test]
    fn agrees_with_a_second_implementation() {
        for case in vectors("batch_means").as_array().unwrap() {
            let series = numbers(&case["x"]);
            for (name, size) in [("k20", 20), ("k10", 10)] {
                let found = corrected(&batches(&series, size));
                close(found.standard_error, &case[name]["se"], 1e-9);
                close(found.degrees_of_freedom, &case[name]["df"], 1e-9);
            }
            let [a, b] = BATCHES.map(|size| corrected(&batches(&series, size)).half_width());
            assert_eq!(within(&series).unwrap().half_width(), a.max(b), "the wider one");
        }
    }

    #[test]
    fn white_noise_is_covered_and_correlated_noise_nearly() {
        for (tau, least) in [(0.0, 0.93), (5.0, 0.88)] {
            let mut noise = Noise::new(31);
            let covered = (0..400).filter(|_| {
                let series = noise.correlated(200, tau, 0.05);
                mean(&series).abs() <= within(&series).unwrap().half_width()
            });
            let share = count(covered.count()) / 400.0;
            assert!(share >= least, "tau {tau}: {share}");
        }
    }

    #[test]
    fn short_and_constant_series() {
        assert_eq!(within(&[1.0; 9]), None);
        assert_eq!(within(&[1.0; 12]).unwrap().standard_error, 0.0);
    }
}
