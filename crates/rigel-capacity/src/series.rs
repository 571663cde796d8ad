//! A series: the samples of one metric of one subject.
//!
//! Must not know tools.

use super::key::Subject;
use super::metric::{Behaviour, Metric};
use super::span::Span;

mod resample;

pub(crate) use resample::resampled;

/// A value and the time that it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The interval.
    pub span: Span,
    /// Per second for a flow, the state at the end for a level.
    pub value: f64,
}

/// Samples in time order, without overlaps; unknown times are gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The host.
    pub host: String,
    /// The subject.
    pub subject: Subject,
    /// The quantity.
    pub metric: Metric,
    /// The samples.
    pub samples: Vec<Sample>,
}

impl Series {
    /// Milliseconds for which something is known.
    pub fn covered_ms(&self) -> i64 {
        self.samples.iter().map(|sample| i64::from(sample.span.length_ms)).sum()
    }

    /// The mean over the time that is known; for a level, over its samples.
    pub fn mean(&self) -> Option<f64> {
        let weight = |sample: &Sample| match self.metric.behaviour() {
            Behaviour::Flow => f64::from(sample.span.length_ms),
            Behaviour::Level => 1.0,
        };
        let total: f64 = self.samples.iter().map(weight).sum();
        let sum: f64 = self.samples.iter().map(|sample| sample.value * weight(sample)).sum();
        (total > 0.0).then(|| sum / total)
    }

    /// The samples in intervals of exactly `step_ms`, which begin at its multiples: of a flow the mean of what is known of each, by time; of a level the
    /// last one. An interval whose flow is known to less than a half is left out.
    pub fn resampled(&self, step_ms: u32) -> Vec<Sample> {
        resampled(self.metric.behaviour(), &self.samples, step_ms)
    }

    /// The value that is not exceeded for this part of the time (0 to 1).
    pub fn quantile(&self, part: f64) -> Option<f64> {
        let mut all: Vec<(f64, i64)> =
            self.samples.iter().map(|sample| (sample.value, i64::from(sample.span.length_ms))).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let wanted = part * self.samples.iter().map(|sample| f64::from(sample.span.length_ms)).sum::<f64>();
        let mut passed = 0.0;
        for (value, length) in &all {
            passed += rigel_core::units::to_f64(u64::try_from(*length).unwrap_or_default());
            if passed >= wanted {
                return Some(*value);
            }
        }
        all.last().map(|last| last.0)
    }
}
