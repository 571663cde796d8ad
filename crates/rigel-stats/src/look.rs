//! One look at all visits of a phase so far: the settling time, then the intervals, then the points that are done.
//!
//! Everything is recomputed from the profiles of the visits, so the settling time also applies to visits that
//! were made before it was known. If visits are too short to settle, longer ones are made; once there are enough of
//! them, the short ones no longer count. Must not remember anything between looks.

use super::batch_means;
use super::detect::slow_start::{LongSeries, ShortVisits, SlowStart, slow_start};
use super::interval::Interval;
use super::parameters::Parameters;
use super::sample::mean;
use super::settle::{Settle, after, choose_settle, to_ns};
use super::variance::{PointVisits, Spread, spread};
use std::collections::BTreeSet;
use std::ops::Range;

/// One measured quantity: one class of one point. A mixed point has two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Quantity {
    /// Its point, by the caller's numbers.
    pub point: usize,
    /// Quantities that are likely to settle alike, such as all small reads, share a number.
    pub group: u32,
    /// For each visit the rate per bucket, from the start of the load to its end.
    pub profiles: Vec<Vec<f64>>,
    /// A long visit, which is not part of the estimates; only some quantities have one.
    pub long: Option<LongSeries>,
    /// Its visits differ by its load and not as those of other points do, so no variance is borrowed.
    pub by_itself: bool,
}

/// What a look found; vectors are in the order of the quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Shorter visits, settling included, count for nothing; 0 when all count.
    pub shortest_ns: u64,
    /// The settling time that all means below have been taken after.
    pub settle: Settle,
    /// Means of the visits after settling, and what each says about its own error.
    pub visits: Vec<PointVisits>,
    /// Which of [`Parameters::visit_lengths`] each of these visits has, by its place.
    pub lengths: Vec<Vec<usize>>,
    /// How much the visits vary.
    pub spreads: Vec<Spread>,
    /// The intervals, where there is one.
    pub intervals: Vec<Option<Interval>>,
    /// Long visits that rise above the short ones, which end too early.
    pub slow_starts: Vec<Option<SlowStart>>,
}

impl Look {
    /// Looks at all quantities of a phase. `bucket_ns` is the width of the profiles' buckets; of the parameters the aim
    /// and the lengths of visits matter.
    ///
    /// All visits count if a settling time fits into them and no long visit rises above them. Otherwise only visits
    /// of the next length count, once every quantity has as many of them as come before the first look; and so on.
    /// If the longest are too short as well, they count anyway, and the settling time says so.
    ///
    /// Longer visits among the shorter ones would make these look noisy instead of low, so the shorter ones are
    /// also judged alone.
    pub fn at(quantities: &[Quantity], bucket_ns: u64, parameters: &Parameters) -> Self {
        let lengths = parameters.visit_lengths();
        let usual_ns = lengths.first().copied().unwrap_or(0);
        let points: BTreeSet<usize> = quantities.iter().map(|quantity| quantity.point).collect();
        let least = usize::try_from(parameters.first_look(points.len())).unwrap_or(usize::MAX);
        let look =
            |span: Range<u64>, length_ns: u64| Self::of(quantities, bucket_ns, (span, length_ns), parameters);
        let mut found = look(0..u64::MAX, usual_ns);
        let mut shortest_ns = 0;
        for longer_ns in lengths.into_iter().skip(1) {
            let count = |quantity: &Quantity| quantity.within(bucket_ns, longer_ns..u64::MAX).count();
            let longer: Vec<usize> = quantities.iter().map(count).collect();
            if longer.iter().any(|&visits| visits > 0) {
                found.doubt(look(shortest_ns..longer_ns, shortest_ns.max(usual_ns)));
            }
            if found.is_settled() || longer.iter().any(|&visits| visits < least) {
                break;
            }
            found = look(longer_ns..u64::MAX, longer_ns);
            shortest_ns = longer_ns;
        }
        found
    }

    /// Takes over the evidence against a part of the visits.
    fn doubt(&mut self, some: Self) {
        if self.settle.unsettled.is_none() && some.settle.unsettled.is_some() {
            self.settle.unsettled = some.settle.unsettled;
        }
        for (own, found) in self.slow_starts.iter_mut().zip(some.slow_starts) {
            *own = own.take().or(found);
        }
    }

    /// Looks at visits whose length is within the span; the shortest of them have `length_ns`.
    fn of(
        quantities: &[Quantity],
        bucket_ns: u64,
        (span, length_ns): (Range<u64>, u64),
        parameters: &Parameters,
    ) -> Self {
        let (target, shortest_ns) = (parameters.target, span.start);
        let longer: Vec<(u32, Vec<&[f64]>)> = quantities
            .iter()
            .map(|quantity| (quantity.group, quantity.within(bucket_ns, span.clone()).collect()))
            .collect();
        let place = |profile: &&[f64]| parameters.length_place(to_ns(profile.len(), bucket_ns));
        let lengths = longer.iter().map(|(_, profiles)| profiles.iter().map(place).collect()).collect();
        let settle = settle(&longer, bucket_ns, target);
        let means = |(_, profiles): &(u32, Vec<&[f64]>)| means(profiles, bucket_ns, settle.settle_ns);
        let visits: Vec<PointVisits> = longer.iter().map(means).collect();
        let spreads = spreads(quantities, &visits, target);
        let interval = |(point, spread): (&PointVisits, &Spread)| Interval::of_mean(&point.means, spread);
        let intervals: Vec<Option<Interval>> = visits.iter().zip(&spreads).map(interval).collect();
        let slow = |(place, quantity): (usize, &Quantity)| {
            let short = ShortVisits {
                visits: &visits[place],
                spread: &spreads[place],
                interval: intervals[place]?,
                settle_ns: settle.settle_ns,
                length_ns,
            };
            slow_start(quantity.long.as_ref()?, &short, target)
        };
        let slow_starts = quantities.iter().enumerate().map(slow).collect();
        Self { shortest_ns, settle, visits, lengths, spreads, intervals, slow_starts }
    }

    /// Whether the visits that count last beyond their start-up, as far as they and the long visits can show.
    pub fn is_settled(&self) -> bool {
        self.settle.unsettled.is_none() && self.slow_starts.iter().all(Option::is_none)
    }

    /// Whether a quantity's interval is as narrow as `target`.
    pub fn reached(&self, quantity: usize, target: f64) -> bool {
        let interval = self.intervals.get(quantity).copied().flatten();
        interval.is_some_and(|interval| interval.relative_half_width <= target)
    }
}

/// How much the visits vary, in the order of the quantities.
fn spreads(quantities: &[Quantity], visits: &[PointVisits], target: f64) -> Vec<Spread> {
    let alike = quantities.iter().zip(visits).filter(|(quantity, _)| !quantity.by_itself);
    let mut common = spread(&alike.map(|(_, visits)| visits.clone()).collect::<Vec<_>>(), target).into_iter();
    let each = quantities.iter().zip(visits).map(|(quantity, visits)| {
        // Where visits differ by chance as these do, none lies too far off.
        let alone = || spread(std::slice::from_ref(visits), f64::INFINITY).pop();
        if quantity.by_itself { alone() } else { common.next() }
    });
    each.flatten().collect()
}

impl Quantity {
    /// The profiles of visits whose length is within the span.
    fn within(&self, bucket_ns: u64, span: Range<u64>) -> impl Iterator<Item = &[f64]> {
        let profiles = self.profiles.iter().map(Vec::as_slice);
        profiles.filter(move |profile| span.contains(&to_ns(profile.len(), bucket_ns)))
    }
}

/// The longest settling time of the phase as a whole and of each group, from the groups and profiles of all quantities:
/// a start-up of a few points is diluted in the mean of all.
fn settle(quantities: &[(u32, Vec<&[f64]>)], bucket_ns: u64, target: f64) -> Settle {
    let choose = |wanted: Option<u32>| {
        let members = quantities.iter().filter(|(group, _)| wanted.is_none_or(|wanted| *group == wanted));
        let profiles: Vec<&[f64]> = members.flat_map(|(_, profiles)| profiles).copied().collect();
        choose_settle(&profiles, bucket_ns, target)
    };
    let mut groups: Vec<u32> = quantities.iter().map(|(group, _)| *group).collect();
    groups.sort_unstable();
    groups.dedup();
    let all = choose(None);
    groups.into_iter().map(|group| choose(Some(group))).fold(all, |longest, found| Settle {
        settle_ns: longest.settle_ns.max(found.settle_ns),
        visits: longest.visits,
        unsettled: longest.unsettled.or(found.unsettled),
    })
}

fn means(profiles: &[&[f64]], bucket_ns: u64, settle_ns: u64) -> PointVisits {
    let pieces: Vec<&[f64]> = profiles.iter().map(|profile| after(profile, bucket_ns, settle_ns)).collect();
    let within = pieces.iter().filter_map(|piece| batch_means::within(piece));
    PointVisits {
        within_se: within.map(|within| within.standard_error).collect(),
        means: pieces.iter().map(|piece| mean(piece)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Noise;
    use crate::units::NS_PER_MS;

    const BUCKET: u64 = 10 * NS_PER_MS;

    fn at(quantities: &[Quantity], target: f64) -> Look {
        Look::at(quantities, BUCKET, &Parameters::new(target, false))
    }

    /// Quantities with visits of these lengths in seconds, whose rate begins 60 % low and comes up with 0.8 s.
    fn starting(noise: &mut Noise, quantities: usize, lengths_s: &[f64]) -> Vec<Quantity> {
        let profile = |noise: &mut Noise, length_s: f64| {
            let buckets =
                (0..1000u32).map(|index| f64::from(index) / 100.0).take_while(|&at_s| at_s < length_s);
            buckets.map(|at_s| (1.0 - 0.6 * (-at_s / 0.8).exp()) * (1.0 + 0.03 * noise.normal())).collect()
        };
        let one = |point| Quantity {
            point,
            group: 0,
            profiles: lengths_s.iter().map(|&length_s| profile(noise, length_s)).collect(),
            long: None,
            by_itself: false,
        };
        (0..quantities).map(one).collect()
    }

    #[test]
    fn short_visits_no_longer_count_once_there_are_enough_that_settle() {
        let mut noise = Noise::new(9);
        let short = at(&starting(&mut noise, 18, &[2.5; 4]), 0.05);
        assert!(!short.is_settled() && short.shortest_ns == 0, "{:?}", short.settle);
        // A second length of which there are three visits each is not yet enough; of four it is, but they are too
        // short, too.
        let three = at(&starting(&mut noise, 18, &[2.5, 2.5, 2.5, 2.5, 4.5, 4.5, 4.5]), 0.05);
        assert_eq!((three.is_settled(), three.shortest_ns, three.visits[0].means.len()), (false, 0, 7));
        assert_eq!(three.lengths[17], [0, 0, 0, 0, 1, 1, 1]);
        let four = at(&starting(&mut noise, 18, &[2.5, 4.5, 4.5, 4.5, 4.5]), 0.05);
        assert_eq!((four.is_settled(), four.visits[0].means.len()), (false, 4));
        assert_eq!(four.shortest_ns, 4500 * NS_PER_MS);
        let all = at(&starting(&mut noise, 18, &[2.5, 4.5, 8.5, 8.5, 8.5, 8.5]), 0.05);
        assert_eq!((all.is_settled(), all.shortest_ns), (true, 8500 * NS_PER_MS));
        assert!(all.settle.settle_ns >= 3000 * NS_PER_MS, "{:?}", all.settle);
        for (point, interval) in all.visits.iter().zip(&all.intervals) {
            assert_eq!((point.means.len(), point.within_se.len()), (4, 4));
            assert!((interval.unwrap().mean - 1.0).abs() < 0.01, "{interval:?}");
        }
        assert!(short.intervals[0].unwrap().mean < 0.95, "what short visits would make of it");
    }

    #[test]
    fn visits_are_passed_over_only_where_all_quantities_have_longer_ones() {
        let mut noise = Noise::new(10);
        let mut some = starting(&mut noise, 17, &[2.5, 2.5, 8.5, 8.5, 8.5, 8.5]);
        some.extend(starting(&mut noise, 1, &[2.5, 2.5, 8.5, 8.5, 8.5]));
        let found = at(&some, 0.05);
        assert_eq!((found.is_settled(), found.shortest_ns), (false, 0));
        assert_eq!((found.visits[0].means.len(), found.visits[17].means.len()), (6, 5));
        // Visits that settle all count, whatever their length.
        let quiet: Vec<_> = (0..8).map(|_| quantity(&mut noise, 0, 0.0)).collect();
        let mut mixed = quiet.clone();
        mixed.iter_mut().for_each(|quantity| quantity.profiles.extend(vec![vec![500.0; 850]; 2]));
        assert_eq!((at(&mixed, 0.05).shortest_ns, at(&mixed, 0.05).visits[0].means.len()), (0, 6));
    }

    #[test]
    fn a_long_visit_tells_of_a_start_up_that_short_ones_do_not_see() {
        let mut noise = Noise::new(11);
        // A rate that is 4 % higher, seconds after the start of the load: no short visit gets there.
        let later = |from_s: f64, length_s: f64, noise: &mut Noise| -> Vec<f64> {
            let buckets =
                (0..2050u32).map(|index| f64::from(index) / 100.0).take_while(|&at_s| at_s < length_s);
            buckets
                .map(|at_s| if at_s < from_s { 1.0 } else { 1.04 } * (1.0 + 0.03 * noise.normal()))
                .collect()
        };
        let mut all = |from_s: f64, lengths_s: &[f64]| -> Vec<Quantity> {
            let mut one = |point| Quantity {
                point,
                profiles: lengths_s.iter().map(|&length_s| later(from_s, length_s, &mut noise)).collect(),
                ..Quantity::default()
            };
            let mut all: Vec<Quantity> = (0..8).map(&mut one).collect();
            all[3].long = Some(LongSeries { rates: later(from_s, 20.5, &mut noise), bucket_ns: BUCKET });
            all
        };
        let found = at(&all(6.0, &[2.5; 4]), 0.05);
        assert!(!found.is_settled() && found.settle.unsettled.is_none());
        let slow = found.slow_starts[3].unwrap();
        assert!((slow.difference() - 0.04).abs() < 0.005 && (slow.early - 1.0).abs() < 0.01, "{slow:?}");
        assert_eq!((slow.from_ns / NS_PER_MS, found.slow_starts.iter().flatten().count()), (10_250, 1));
        // Longer visits of which enough end behind the rise: they see it, and cannot cut it off.
        let longer = at(&all(6.0, &[2.5, 2.5, 8.5, 8.5, 8.5, 8.5]), 0.05);
        assert_eq!(longer.shortest_ns, 8500 * NS_PER_MS);
        // After 3 s they can, and nothing is left of it.
        let cured = at(&all(3.0, &[2.5, 2.5, 8.5, 8.5, 8.5, 8.5]), 0.05);
        assert!(cured.is_settled() && cured.shortest_ns >= 4500 * NS_PER_MS, "{cured:?}");
        assert!((cured.intervals[3].unwrap().mean - 1.04).abs() < 0.005);
        assert!(at(&all(0.0, &[2.5; 4]), 0.05).is_settled(), "no start-up, no alarm");
    }

    #[test]
    fn few_quantities_pass_over_their_short_visits_too() {
        let mut noise = Noise::new(12);
        let mut at_most = |quantities: usize, longer: usize| {
            let lengths_s = [vec![2.5; 6], vec![8.5; longer]].concat();
            let mut all = starting(&mut noise, quantities, &lengths_s);
            all[0].long = starting(&mut noise, 1, &[9.9])[0].profiles.pop().map(|first| LongSeries {
                // Twice as long as that: what comes later is on the level of the end.
                rates: [first, vec![1.0; 1060]].concat(),
                bucket_ns: BUCKET,
            });
            at(&all, 0.05)
        };
        for quantities in [1, 3] {
            let (five, six) = (at_most(quantities, 5), at_most(quantities, 6));
            assert_eq!((five.shortest_ns, five.visits[0].means.len()), (0, 11));
            assert!(!five.is_settled(), "the longer ones among them do not hide that the short ones are low");
            assert_eq!((six.shortest_ns > 0, six.visits[0].means.len()), (true, 6));
            assert!(six.intervals[0].unwrap().mean > 0.93, "{:?}", six.intervals[0]);
        }
        assert_eq!(at_most(5, 4).visits[4].means.len(), 4, "of five points four are enough");
    }

    fn quantity(noise: &mut Noise, group: u32, transient: f64) -> Quantity {
        let profile = |noise: &mut Noise| {
            let white = noise.correlated(250, 0.0, 0.03);
            let low = |index| if index < 90 { 1.0 + transient } else { 1.0 };
            white.iter().enumerate().map(|(index, white)| 500.0 * low(index) * (1.0 + white)).collect()
        };
        Quantity {
            point: 0,
            group,
            profiles: (0..4).map(|_| profile(noise)).collect(),
            long: None,
            by_itself: false,
        }
    }

    #[test]
    fn a_start_up_of_one_group_is_not_diluted() {
        let mut noise = Noise::new(7);
        // 0.9 s at -4 %: in the mean over 20 quantities -0.6 %, within what a target of 8 % tolerates.
        let mut all: Vec<_> = (0..16).map(|_| quantity(&mut noise, 1, 0.0)).collect();
        all.extend((0..4).map(|_| quantity(&mut noise, 2, -0.04)));
        let found = at(&all, 0.08);
        assert_eq!(found.settle.settle_ns, 800 * NS_PER_MS);
        all.iter_mut().for_each(|quantity| quantity.group = 1);
        assert_eq!(at(&all, 0.08).settle.settle_ns, 500 * NS_PER_MS);
    }

    #[test]
    fn means_and_their_own_errors_are_taken_after_settling() {
        let mut noise = Noise::new(8);
        let all: Vec<_> = (0..6).map(|_| quantity(&mut noise, 0, -0.5)).collect();
        let found = at(&all, 0.02);
        for (point, interval) in found.visits.iter().zip(&found.intervals) {
            let interval = interval.unwrap();
            assert!((interval.mean - 500.0).abs() < 5.0 && interval.visits == 4, "{interval:?}");
            assert!(point.within_se.iter().all(|se| (0.5..4.0).contains(se)), "{point:?}");
        }
        assert!(found.reached(0, 0.02) && !found.reached(0, 1e-6) && !found.reached(6, 1.0));
    }
}
