//! Noise with a known law, stored vectors, and whole runs of simulated devices.

mod adaptive;
mod device;
mod mutants;

pub use crate::noise::{Noise, nanos};

use crate::interval::Interval;
use crate::variance::{PointVisits, spread};
use serde_json::Value;

/// One table of the stored vectors.
pub fn vectors(name: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../tests-data/estimators.json")).unwrap();
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

/// The intervals of all points of a phase, in their order.
pub fn intervals(points: &[PointVisits], target: f64) -> Vec<Option<Interval>> {
    let spreads = spread(points, target);
    points.iter().zip(&spreads).map(|(point, spread)| Interval::of_mean(&point.means, spread)).collect()
}

/// How often to repeat a simulation: `usual`, or `RIGEL_RUNS` when that is set.
pub fn repeats(usual: usize) -> usize {
    asked().unwrap_or(usual)
}

pub fn asked() -> Option<usize> {
    std::env::var("RIGEL_RUNS").ok().and_then(|text| text.parse().ok())
}
