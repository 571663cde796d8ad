//! Exponential smoothing with a trend that may fade: ETS with additive errors, (A,A,N) and (A,Ad,N).
//!
//! These fifty lines are our own: `augurs-ets` needs a crate whose licence `deny.toml` does not have, a newer compiler than the workspace, and 35
//! crates more. Must not know about seasons.

/// How fast level and trend follow the data, and how fast the trend fades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    /// For the level.
    pub alpha: f64,
    /// For the trend, at most `alpha`.
    pub beta: f64,
    /// What remains of the trend from one step to the next; 1 is all.
    pub phi: f64,
}

/// Level and trend at the end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Holt {
    level: f64,
    trend: f64,
    phi: f64,
}

const ALPHAS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8];
/// As shares of alpha.
const BETAS: [f64; 5] = [0.0, 0.01, 0.03, 0.1, 0.3];
/// The first values; a line through them is the start.
const START: usize = 28;

impl Holt {
    /// The one of smallest errors one step ahead.
    pub fn fit(values: &[f64], phi: f64) -> Self {
        let start = line(values.get(..START.min(values.len())).unwrap_or(values));
        let mut best = (f64::INFINITY, Self { level: start.0, trend: start.1, phi });
        for alpha in ALPHAS {
            for share in BETAS {
                let (errors, end) = Self::run(values, start, Smoothing { alpha, beta: alpha * share, phi });
                if errors < best.0 {
                    best = (errors, end);
                }
            }
        }
        best.1
    }

    /// Sum of squared errors one step ahead, and what it ends with; from level and trend before the first value.
    pub fn run(values: &[f64], start: (f64, f64), by: Smoothing) -> (f64, Self) {
        let (mut level, mut trend, mut errors) = (start.0, start.1, 0.0);
        for value in values {
            let expected = by.phi.mul_add(trend, level);
            let error = value - expected;
            errors = f64::mul_add(error, error, errors);
            level = by.alpha.mul_add(error, expected);
            trend = by.beta.mul_add(error, by.phi * trend);
        }
        (errors, Self { level, trend, phi: by.phi })
    }

    /// This many steps ahead, from 1 on.
    pub fn at(&self, steps: f64) -> f64 {
        let fading =
            if self.phi < 1.0 { self.phi * (1.0 - self.phi.powf(steps)) / (1.0 - self.phi) } else { steps };
        self.trend.mul_add(fading, self.level)
    }
}

/// Least squares: the value one step before the first, and the slope.
pub fn line(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean_at = (count + 1.0) / 2.0;
    let mean = values.iter().sum::<f64>() / count.max(1.0);
    let (mut products, mut squares) = (0.0, 0.0);
    for (at, value) in values.iter().enumerate() {
        let from_mean = at as f64 + 1.0 - mean_at;
        products = f64::mul_add(from_mean, value - mean, products);
        squares = f64::mul_add(from_mean, from_mean, squares);
    }
    let slope = if squares > 0.0 { products / squares } else { 0.0 };
    (slope.mul_add(-mean_at, mean), slope)
}
