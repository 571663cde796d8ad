//! Noise with a known law, stored vectors, and whole runs of simulated devices.

mod adaptive;
mod device;
mod mutants;

use crate::load::draw::Generator;
use serde_json::Value;

/// One table of the stored vectors.
pub fn vectors(name: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../tests-data/estimators.json")).unwrap();
    all[name].clone()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[track_caller]
pub fn close(found: f64, wanted: &Value, tolerance: f64) {
    let wanted = wanted.as_f64().unwrap();
    assert!((found - wanted).abs() <= tolerance * wanted.abs().max(1e-6), "{found} instead of {wanted}");
}

/// How often to repeat a simulation: `usual`, or `RIGEL_RUNS` when that is set.
pub fn repeats(usual: usize) -> usize {
    asked().unwrap_or(usual)
}

pub fn asked() -> Option<usize> {
    std::env::var("RIGEL_RUNS").ok().and_then(|text| text.parse().ok())
}

/// A latency as the histogram counts it; never 0.
pub fn nanos(ns: f64) -> u64 {
    u64::try_from(std::time::Duration::from_secs_f64(ns / 1e9).as_nanos()).unwrap().max(1)
}

/// Seeded noise.
#[derive(Clone)]
pub struct Noise(Generator);

impl Noise {
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
