//! Noise with a known law, from a seed alone.

use crate::generator::Generator;

/// Seeded noise.
#[derive(Clone, Debug)]
pub struct Noise(Generator);

impl Noise {
    /// The noise of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Generator::new(seed, &[0x6e6f_6973_6520]))
    }

    /// Uniform in (0, 1].
    pub fn uniform(&mut self) -> f64 {
        self.0.unit()
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        self.0.normal()
    }

    /// Exponential with mean 1.
    pub fn exponential(&mut self) -> f64 {
        self.0.exponential()
    }

    /// An AR(1) series with mean 0 and standard deviation `sd`; `tau` in steps, 0 for white noise.
    pub fn correlated(&mut self, length: usize, tau: f64, sd: f64) -> Vec<f64> {
        let keep = if tau > 0.0 { (-1.0 / tau).exp() } else { 0.0 };
        let mut value = self.normal();
        let mut next = || {
            value = keep * value + (1.0 - keep * keep).sqrt() * self.normal();
            sd * value
        };
        (0..length).map(|_| next()).collect()
    }
}

/// A latency as the histogram counts it; never 0.
pub fn nanos(ns: f64) -> u64 {
    u64::try_from(std::time::Duration::from_secs_f64(ns / 1e9).as_nanos()).unwrap_or(u64::MAX).max(1)
}
