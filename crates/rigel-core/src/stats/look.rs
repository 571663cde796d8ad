//! One look at everything that a phase has seen so far: the settling time, then the intervals, then who is done.
//!
//! All is computed anew from the visits' profiles, so the settling time applies to visits that were made before it was
//! known. Must not remember anything between looks.

use super::batch_means;
use super::interval::Interval;
use super::sample::mean;
use super::settle::{Settle, after, choose_settle};
use super::variance::{PointVisits, Spread, spread};

/// One measured quantity: one class of one point. A mixed point has two.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Quantities that are likely to settle alike, such as all small reads, share a number.
    pub group: u32,
    /// For each visit the rate per bucket, from the start of the load to its end.
    pub profiles: Vec<Vec<f64>>,
}

/// What a look found; vectors are in the order of the quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// The settling time that all means below have been taken after.
    pub settle: Settle,
    /// Means of the visits after settling, and what each says of its own error.
    pub visits: Vec<PointVisits>,
    /// How much the visits vary.
    pub spreads: Vec<Spread>,
    /// The intervals, where there is one.
    pub intervals: Vec<Option<Interval>>,
}

impl Look {
    /// Looks at all quantities of a phase. `bucket_ns` is the width of the profiles' buckets, `target` the relative
    /// half-width that the calibration aims at.
    #[must_use]
    pub fn at(quantities: &[Quantity], bucket_ns: u64, target: f64) -> Self {
        let settle = settle(quantities, bucket_ns, target);
        let visits: Vec<PointVisits> =
            quantities.iter().map(|quantity| means(quantity, bucket_ns, settle.settle_ns)).collect();
        let spreads = spread(&visits, target);
        let interval = |(point, spread): (&PointVisits, &Spread)| Interval::of_mean(&point.means, spread);
        let intervals = visits.iter().zip(&spreads).map(interval).collect();
        Self { settle, visits, spreads, intervals }
    }

    /// Whether a quantity's interval is as narrow as `target`.
    #[must_use]
    pub fn reached(&self, quantity: usize, target: f64) -> bool {
        let interval = self.intervals.get(quantity).copied().flatten();
        interval.is_some_and(|interval| interval.relative_half_width <= target)
    }
}

/// The longest settling time of the phase as a whole and of each group: a start-up of a few points is diluted in the
/// mean of all.
fn settle(quantities: &[Quantity], bucket_ns: u64, target: f64) -> Settle {
    let choose = |wanted: Option<u32>| {
        let members = quantities.iter().filter(|quantity| wanted.is_none_or(|group| quantity.group == group));
        let profiles: Vec<&[f64]> =
            members.flat_map(|quantity| &quantity.profiles).map(Vec::as_slice).collect();
        choose_settle(&profiles, bucket_ns, target)
    };
    let mut groups: Vec<u32> = quantities.iter().map(|quantity| quantity.group).collect();
    groups.sort_unstable();
    groups.dedup();
    let all = choose(None);
    groups.into_iter().map(|group| choose(Some(group))).fold(all, |longest, found| Settle {
        settle_ns: longest.settle_ns.max(found.settle_ns),
        visits: longest.visits,
        unsettled: longest.unsettled.or(found.unsettled),
    })
}

fn means(quantity: &Quantity, bucket_ns: u64, settle_ns: u64) -> PointVisits {
    let pieces: Vec<&[f64]> =
        quantity.profiles.iter().map(|profile| after(profile, bucket_ns, settle_ns)).collect();
    let within = pieces.iter().filter_map(|piece| batch_means::within(piece));
    PointVisits {
        within_se: within.map(|within| within.standard_error).collect(),
        means: pieces.iter().map(|piece| mean(piece)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::tests::Noise;
    use crate::units::NS_PER_MS;

    const BUCKET: u64 = 10 * NS_PER_MS;

    fn quantity(noise: &mut Noise, group: u32, transient: f64) -> Quantity {
        let profile = |noise: &mut Noise| {
            let white = noise.correlated(250, 0.0, 0.03);
            let low = |index| if index < 90 { 1.0 + transient } else { 1.0 };
            white.iter().enumerate().map(|(index, white)| 500.0 * low(index) * (1.0 + white)).collect()
        };
        Quantity { group, profiles: (0..4).map(|_| profile(noise)).collect() }
    }

    #[test]
    fn a_start_up_of_one_group_is_not_diluted() {
        let mut noise = Noise::new(7);
        // 0.9 s at -4 %: in the mean over 20 quantities -0.6 %, within what a target of 8 % tolerates.
        let mut all: Vec<_> = (0..16).map(|_| quantity(&mut noise, 1, 0.0)).collect();
        all.extend((0..4).map(|_| quantity(&mut noise, 2, -0.04)));
        let found = Look::at(&all, BUCKET, 0.08);
        assert_eq!(found.settle.settle_ns, 800 * NS_PER_MS);
        all.iter_mut().for_each(|quantity| quantity.group = 1);
        assert_eq!(Look::at(&all, BUCKET, 0.08).settle.settle_ns, 500 * NS_PER_MS);
    }

    #[test]
    fn means_and_their_own_errors_are_taken_after_settling() {
        let mut noise = Noise::new(8);
        let all: Vec<_> = (0..6).map(|_| quantity(&mut noise, 0, -0.5)).collect();
        let found = Look::at(&all, BUCKET, 0.02);
        for (point, interval) in found.visits.iter().zip(&found.intervals) {
            let interval = interval.unwrap();
            assert!((interval.mean - 500.0).abs() < 5.0 && interval.visits == 4, "{interval:?}");
            assert!(point.within_se.iter().all(|se| (0.5..4.0).contains(se)), "{point:?}");
        }
        assert!(found.reached(0, 0.02) && !found.reached(0, 1e-6) && !found.reached(6, 1.0));
    }
}
