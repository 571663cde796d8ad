//! Rates over pieces of half a second, the basis of fio's `iops_min`, `iops_stddev` and the like.
//!
//! Must not judge them; intervals are made elsewhere, and not from these.

use crate::view::View;
use rigel_core::judge::findings::{PointFindings, VisitFindings};
use rigel_core::load::class::Class;
use rigel_core::measure::ClassTally;
use rigel_core::record::Visit;
use rigel_core::units::{self, NS_PER_MS, to_f64};

/// fio's default of `iopsavgtime`.
const PIECE_NS: u64 = 500 * NS_PER_MS;

/// I/Os per second over the pieces of the visits that count, reads and writes together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Samples {
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Of the sample, not the population.
    pub stddev: f64,
    pub count: usize,
}

impl Samples {
    /// The samples of one class of a point; all 0 if no visit has a whole piece.
    pub fn of(view: &View<'_>, found: &PointFindings, class: Class) -> Self {
        let visits = view.counting(found);
        Self::from_rates(
            &visits.flat_map(|(visit, of_visit)| pieces(visit, of_visit, class)).collect::<Vec<f64>>(),
        )
    }

    fn from_rates(rates: &[f64]) -> Self {
        if rates.is_empty() {
            return Self::default();
        }
        let count = to_f64(rates.len() as u64);
        let mean = rates.iter().sum::<f64>() / count;
        let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
        Self {
            min: rates.iter().copied().fold(f64::INFINITY, f64::min),
            max: rates.iter().copied().fold(0.0, f64::max),
            mean,
            stddev: (squares / (count - 1.0).max(1.0)).sqrt(),
            count: rates.len(),
        }
    }

    /// The share of one direction.
    pub fn scaled(self, share: f64) -> Self {
        Self {
            min: self.min * share,
            max: self.max * share,
            mean: self.mean * share,
            stddev: self.stddev * share,
            ..self
        }
    }
}

/// The rates of the whole pieces in the measured part of a visit.
fn pieces(visit: &Visit, of_visit: &VisitFindings, class: Class) -> Vec<f64> {
    visit.tallies.get(&class).map_or_else(Vec::new, |tally| {
        let later_ns = of_visit.settle_ns.saturating_sub(visit.settle_ns);
        rates(tally, tally.lead_ns.saturating_add(later_ns), of_visit.measured_ns)
    })
}

/// The rates of `span_ns` from `begin_ns` after the start of the series.
fn rates(tally: &ClassTally, begin_ns: u64, span_ns: u64) -> Vec<f64> {
    let series = &tally.series;
    let bucket_ns = series.bucket_ns.max(1);
    let index =
        |buckets: u64| usize::try_from(buckets).map_or(series.ops.len(), |at| at.min(series.ops.len()));
    let end_ns = begin_ns.saturating_add(span_ns);
    let (from, to) = (index(begin_ns.div_ceil(bucket_ns)), index(end_ns / bucket_ns));
    let each = usize::try_from(PIECE_NS.div_ceil(bucket_ns)).unwrap_or(usize::MAX);
    let counted = series.ops.get(from..to).unwrap_or_default();
    let rate = |piece: &[u32]| {
        let ios: u64 = piece.iter().map(|&ops| u64::from(ops)).sum();
        units::iops(ios, bucket_ns.saturating_mul(piece.len() as u64))
    };
    counted.chunks_exact(each).map(rate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::units::NS_PER_S;

    #[test]
    fn pieces_begin_behind_the_settling_and_are_whole() {
        // 0.5 s before the window, then 2.2 s of it; 10 I/Os in the first 50 buckets, 2 and 4 in turn later.
        let mut tally = ClassTally::with_lead(8192, 1, 22 * NS_PER_S / 10, NS_PER_S / 2, &[]);
        for (index, ops) in tally.series.ops.iter_mut().enumerate() {
            *ops = if index < 50 {
                10
            } else if (index / 50) % 2 == 1 {
                2
            } else {
                4
            };
        }
        let found = rates(&tally, NS_PER_S / 2, 22 * NS_PER_S / 10);
        assert_eq!(found, [200.0, 400.0, 200.0, 400.0], "the last 0.2 s are no whole piece");
        let samples = Samples::from_rates(&found);
        assert_eq!((samples.min, samples.max, samples.mean, samples.count), (200.0, 400.0, 300.0, 4));
        assert!((samples.stddev - (4.0 * 100.0_f64.powi(2) / 3.0).sqrt()).abs() < 1e-9);
        assert_eq!(samples.scaled(0.5).mean, 150.0);
    }

    #[test]
    fn what_is_too_short_has_none() {
        let tally = ClassTally::new(8192, 1, NS_PER_S / 10);
        assert_eq!(rates(&tally, 0, NS_PER_S / 10), Vec::<f64>::new());
        assert_eq!(rates(&tally, u64::MAX, u64::MAX), Vec::<f64>::new());
        assert_eq!(Samples::from_rates(&[]), Samples::default());
        assert_eq!(Samples::from_rates(&[5.0]).stddev, 0.0);
    }
}
