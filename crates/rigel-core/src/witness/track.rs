//! A figure over time: one value per sample of a visit. Must not know what it means.

use super::{Counts, Witness};
use crate::measure::Window;
use crate::stats::sample::median;
use crate::units::{NS_PER_MS, NS_PER_US, to_f64};
use std::ops::Range;

/// Window of the smoothing around each sample. CPU times have steps of 10 ms and most kernels sample them, so a
/// single sample of 100 ms is mostly rounding.
const SMOOTH_US: u64 = 500 * NS_PER_MS / NS_PER_US;

/// One measure over a visit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisitMeasure {
    /// Mean over the visit.
    pub mean: f64,
    /// Median of the samples, each smoothed over half a second.
    pub median: f64,
    /// The limit for a smoothed sample.
    pub limit: f64,
    /// Part of the visit's time above the limit.
    pub above: f64,
    /// Number of samples.
    pub samples: usize,
}

pub(super) struct Piece<'a> {
    counts: &'a Counts,
    span_us: u64,
}

/// A measure at one sample, smoothed, and how long the sample is.
#[derive(Clone, Copy)]
struct SmoothSample {
    value: f64,
    span_us: u64,
}

/// A measure at every sample; `None` for samples that do not report it.
pub(super) struct Track {
    pub mean: Option<f64>,
    smooth: Vec<Option<SmoothSample>>,
}

/// The samples that lie in the window for more than half of their length.
pub(super) fn inside(witness: &Witness, window: Window) -> Vec<Piece<'_>> {
    let holds = |began_ns: u64, at_ns: u64| {
        let common = at_ns.min(window.end_ns).saturating_sub(began_ns.max(window.start_ns));
        common > at_ns.saturating_sub(began_ns) / 2
    };
    let spans = witness.spans().filter(|(began_ns, sample)| holds(*began_ns, sample.at_ns));
    spans
        .map(|(began_ns, sample)| Piece {
            counts: &sample.counts,
            span_us: (sample.at_ns - began_ns) / NS_PER_US,
        })
        .collect()
}

impl Track {
    /// `figure` gives numerator and denominator of one sample from its counters and its length in microseconds.
    /// Both are summed over the window of a smoothed sample, and over the visit.
    pub fn of(samples: &[Piece<'_>], figure: impl Fn(&Counts, u64) -> Option<(f64, f64)>) -> Self {
        let figures: Vec<_> = samples.iter().map(|piece| figure(piece.counts, piece.span_us)).collect();
        let ends_us = ends(samples);
        let one = |index: usize| {
            figures[index]?;
            let value = ratio(&figures[around(&ends_us, index)])?;
            Some(SmoothSample { value, span_us: samples[index].span_us })
        };
        Self { mean: ratio(&figures), smooth: (0..samples.len()).map(one).collect() }
    }

    pub(crate) fn at_most(self, other: &Self) -> Self {
        let lesser = |(a, b): (Option<SmoothSample>, &Option<SmoothSample>)| {
            let (a, b) = (a?, (*b)?);
            Some(SmoothSample { value: a.value.min(b.value), ..a })
        };
        let smooth: Vec<_> = self.smooth.into_iter().zip(&other.smooth).map(lesser).collect();
        let weighted = |one: &Option<SmoothSample>| {
            one.map(|one| (one.value * to_f64(one.span_us), to_f64(one.span_us)))
        };
        let mean = ratio(&smooth.iter().map(weighted).collect::<Vec<_>>());
        Self { mean, smooth }
    }

    /// Compares the samples with a limit. Figures below 0, an effect of rounding, become 0.
    pub fn measured(&self, limit: f64) -> Option<VisitMeasure> {
        let known: Vec<SmoothSample> = self.smooth.iter().copied().flatten().collect();
        let time = |least: f64| {
            known.iter().filter(|one| one.value > least).map(|one| one.span_us).fold(0, u64::saturating_add)
        };
        let values: Vec<f64> = known.iter().map(|one| one.value.max(0.0)).collect();
        Some(VisitMeasure {
            mean: self.mean?.max(0.0),
            median: median(&values),
            limit,
            above: to_f64(time(limit)) / to_f64(time(f64::NEG_INFINITY).max(1)),
            samples: known.len(),
        })
    }
}

fn ratio(figures: &[Option<(f64, f64)>]) -> Option<f64> {
    let known = figures.iter().flatten();
    let (top, bottom) = known.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (bottom > 0.0).then(|| top / bottom)
}

/// Where each sample ends if they are laid end to end, in microseconds.
fn ends(samples: &[Piece<'_>]) -> Vec<u64> {
    let spans = samples.iter().scan(0_u64, |end_us, piece| {
        *end_us = end_us.saturating_add(piece.span_us);
        Some(*end_us)
    });
    spans.collect()
}

/// The samples around one that fill half a second: as many on both sides, if available. `ends_us` are those of
/// [`ends`].
fn around(ends_us: &[u64], index: usize) -> Range<usize> {
    let range = |reach: usize| index.saturating_sub(reach)..(index + reach + 1).min(ends_us.len());
    let span_us = |range: Range<usize>| {
        let begin_us = range.start.checked_sub(1).map_or(0, |before| ends_us[before]);
        ends_us[range.end - 1] - begin_us
    };
    // The span grows with the reach, so the least reach that suffices is found by halving.
    let (mut least, mut most) = (0, ends_us.len());
    while least < most {
        let reach = usize::midpoint(least, most);
        if span_us(range(reach)) >= SMOOTH_US {
            most = reach;
        } else {
            least = reach + 1;
        }
    }
    range(least)
}
