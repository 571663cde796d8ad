//! From the visits of a phase to the quantities of the statistics: one for each class of each point.
//!
//! It is used during a run, to decide which points are done, and again on its record, to judge it. The same visits
//! give the same intervals. Must not decide what is visited; [`crate::stats::schedule`] does.

use crate::load::class::{Class, PerClass};
use crate::measure::ClassTally;
use crate::record::{Purpose, Visit};
use crate::stats::bound::{BoundVisit, LatencyOf};
use crate::stats::detect::TimedVisit;
use crate::stats::detect::overload::Growth;
use crate::stats::detect::slow_start::LongSeries;
use crate::stats::forecast::VisitsNeeded;
use crate::stats::levels_auto::LevelVisit;
use crate::stats::look::{Look, Quantity};
use crate::stats::parameters::Parameters;
use crate::stats::schedule::{Outlook, Phase};
use crate::stats::settle::to_ns;
use crate::stats::turns::{self, Ratio, RoundVisit, Turn};
use crate::stats::{Interval, PointVisits, Spread};
use crate::units::{NS_PER_MS, NS_PER_S, to_f64};
use std::collections::BTreeMap;

/// Width of the buckets that all visits of an adaptive run share.
pub(crate) const BUCKET_NS: u64 = 10 * NS_PER_MS;

/// The most buckets of the common width that one bucket of a record represents. The longest visit of an adaptive run
/// has buckets of 20 ms, but a record may claim anything.
const MOST_COPIES: usize = 10;

/// One class of one point, by the index of its step.
pub type Key = (usize, Class);

/// The rates over time of all visits of a phase so far. Long visits are kept apart: they do not count towards the estimates.
#[derive(Clone, Debug, Default)]
pub struct Profiles {
    profiles: BTreeMap<Key, Vec<Vec<f64>>>,
    /// The round of each of them, if it was made in one.
    rounds: BTreeMap<Key, Vec<Option<u32>>>,
    /// Points whose ratio is wanted, not their rates.
    pairs: Vec<[usize; 2]>,
    /// Each visit once, by its small I/Os if it has some, with its length.
    visits: Vec<(TimedVisit, u64)>,
    /// The last long visit to each.
    long: BTreeMap<Key, LongSeries>,
    /// For open loops: the rates, and the course of the backlog.
    open: BTreeMap<Key, (Vec<Vec<f64>>, Growth)>,
}

impl Profiles {
    /// For a phase whose pairs are compared, or without pairs.
    pub fn of_phase(phase: &Phase) -> Self {
        Self { pairs: phase.pairs.clone(), ..Self::default() }
    }

    /// The same with these visits.
    #[must_use]
    pub fn with<'a>(mut self, visits: impl IntoIterator<Item = &'a Visit>) -> Self {
        visits.into_iter().for_each(|visit| self.add(visit));
        self
    }

    /// Adds a visit; one that was cut short is skipped. A long one is only compared with the others.
    pub fn add(&mut self, visit: &Visit) {
        if visit.purpose == Purpose::Long && !visit.cut_short {
            for (class, tally) in classes(visit) {
                let rates = course(tally, visit.measured_ns);
                let long = LongSeries { rates, bucket_ns: tally.series.bucket_ns };
                self.long.insert((visit.step, class), long);
            }
        }
        if !counts(visit) {
            return;
        }
        let began_ns = visit.began_ns.saturating_sub(visit.settle_ns);
        // Rates that are given tell nothing of the course of the run.
        if let Some((_, tally)) = classes(visit).next().filter(|(_, tally)| tally.open.is_none()) {
            let mean = to_f64(tally.completed()) / to_f64(visit.measured_ns.max(1)) * to_f64(NS_PER_S);
            let timed = TimedVisit { point: visit.step, began_ns, length: 0, mean };
            self.visits.push((timed, length_ns(visit)));
        }
        let round = if let Purpose::Round(round) = visit.purpose { Some(round) } else { None };
        for (class, tally) in classes(visit) {
            let key = (visit.step, class);
            self.rounds.entry(key).or_default().push(round);
            if let Some(open) = &tally.open {
                let (rates, growth) = self.open.entry(key).or_default();
                rates.push(profile(tally, visit.measured_ns));
                open.add_growth(growth);
            }
            self.profiles.entry(key).or_default().push(course_profile(tally, visit.measured_ns));
        }
    }

    /// The rates of an open loop whose backlog grows: the number in the system never settles, while the served rate does.
    fn overloaded(&self, key: &Key) -> Option<&Vec<Vec<f64>>> {
        self.open.get(key).filter(|(_, growth)| growth.is_overload()).map(|(rates, _)| rates)
    }

    /// Examines everything added so far, with the parameters of the adaptive run.
    pub fn look(&self, parameters: &Parameters) -> PhaseLook {
        let mut groups: PerClass<u32> = self.profiles.keys().map(|key| (key.1, 0)).collect();
        (0..).zip(groups.values_mut()).for_each(|(number, group)| *group = number);
        let quantity = |(key, profiles): (&Key, &Vec<Vec<f64>>)| Quantity {
            point: key.0,
            group: groups.get(&key.1).copied().unwrap_or(0),
            profiles: self.overloaded(key).unwrap_or(profiles).clone(),
            long: self.long.get(key).filter(|_| self.overloaded(key).is_none()).cloned(),
            by_itself: self.open.contains_key(key),
        };
        let quantities: Vec<Quantity> = self.profiles.iter().map(quantity).collect();
        let look = Look::at(&quantities, BUCKET_NS, parameters);
        let timed = |&(visit, length_ns): &(TimedVisit, u64)| {
            let length = parameters.length_place(length_ns);
            TimedVisit { length, ..visit }
        };
        let counting = self.visits.iter().filter(|&&(_, length_ns)| length_ns >= look.shortest_ns);
        let mut steps: Vec<usize> = self.profiles.keys().map(|key| key.0).collect();
        steps.dedup();
        PhaseLook {
            points: steps.len(),
            is_settled: look.is_settled(),
            ratios: self.ratios(&look, parameters.target),
            keys: self.profiles.keys().copied().collect(),
            timed: counting.map(timed).collect(),
            look,
        }
    }

    /// The ratio that each quantity is a part of; empty if rates are wanted.
    fn ratios(&self, look: &Look, target: f64) -> BTreeMap<usize, Ratio> {
        let of_step = |step: usize| -> Vec<(usize, Vec<RoundVisit>)> {
            let places = self.profiles.iter().enumerate().filter(|(_, (key, _))| key.0 == step);
            places
                .map(|(place, (key, profiles))| {
                    (place, self.visits_of(*key, profiles, &look.visits[place], look))
                })
                .collect()
        };
        let overloaded: Vec<bool> = self.profiles.keys().map(|key| self.overloaded(key).is_some()).collect();
        let mut places: Vec<[usize; 2]> = Vec::new();
        let mut found: Vec<Vec<Turn>> = Vec::new();
        for &[a, b] in &self.pairs {
            // The names of the classes are alike but for the side, so their order is the same.
            for ((at_a, of_a), (at_b, of_b)) in of_step(a).into_iter().zip(of_step(b)) {
                // What does not keep up has no latency, so the two have no ratio.
                if overloaded[at_a] || overloaded[at_b] {
                    continue;
                }
                places.push([at_a, at_b]);
                found.push(turns::turns(&of_a, &of_b));
            }
        }
        let ratios = turns::ratios(&found, target);
        places
            .into_iter()
            .zip(ratios)
            .flat_map(|(places, ratio)| places.map(|place| (place, ratio)))
            .collect()
    }

    /// The visits of rounds that a check is based on.
    fn visits_of(&self, key: Key, profiles: &[Vec<f64>], seen: &PointVisits, look: &Look) -> Vec<RoundVisit> {
        let rounds = self.rounds.get(&key).map_or(&[][..], Vec::as_slice);
        let is_long = |profile: &Vec<f64>| to_ns(profile.len(), BUCKET_NS) >= look.shortest_ns;
        let counting = profiles.iter().zip(rounds).filter(|(profile, _)| is_long(profile));
        // Without the error of each visit that is known of those that are long enough only, all or none are told.
        let errors = (seen.within_se.len() == seen.means.len()).then_some(&seen.within_se);
        let visit = |(place, (_, round)): (usize, (&Vec<f64>, &Option<u32>))| {
            Some(((*round)?, *seen.means.get(place)?, errors.and_then(|errors| errors.get(place)).copied()))
        };
        counting.enumerate().filter_map(visit).collect()
    }
}

/// A check of a phase, with the names of what was examined.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseLook {
    /// In the order of the check's vectors.
    pub keys: Vec<Key>,
    /// Beginning and mean of each visit that counts, in order.
    pub timed: Vec<TimedVisit>,
    /// The check.
    pub look: Look,
    /// Number of points examined.
    points: usize,
    /// By index of a quantity among the keys: how much two sides differ in it. Empty if rates are wanted.
    ratios: BTreeMap<usize, Ratio>,
    /// Whether the visits have settled, which every point requires.
    is_settled: bool,
}

impl PhaseLook {
    /// Whether a point is precise enough. The intervals of all of its classes must be narrow enough and based on as many
    /// visits as come before the first check. The visits of the phase must also last beyond their start-up;
    /// otherwise the error of the mean may be larger than its interval.
    pub fn reached(&self, step: usize, parameters: &Parameters) -> bool {
        // Keys are in order, and those of a point are together.
        let first = self.keys.partition_point(|key| key.0 < step);
        let own = self.keys[first..].iter().take_while(|key| key.0 == step).count();
        own > 0 && (first..first + own).all(|place| self.is_sure(place, parameters))
    }

    /// An estimate of the visits that each point still needs; `made` are those to a point so far.
    pub fn outlook(&self, parameters: &Parameters, made: impl Fn(usize) -> u32) -> Outlook {
        let least = parameters.first_look(self.points);
        let mut needed: BTreeMap<usize, VisitsNeeded> = BTreeMap::new();
        for (place, &(step, _)) in self.keys.iter().enumerate() {
            let of_class = self.needed(place, made(step), least, parameters);
            needed.entry(step).and_modify(|needed| *needed = needed.and(of_class)).or_insert(of_class);
        }
        Outlook { needed, is_steady: self.is_settled }
    }

    fn needed(&self, place: usize, made: u32, least: u32, parameters: &Parameters) -> VisitsNeeded {
        if self.is_sure(place, parameters) {
            return VisitsNeeded { least: 0, most: made };
        }
        if !self.is_settled && made >= least {
            // Longer ones come first, and may be too short as well.
            return VisitsNeeded { least: made.saturating_add(least), most: parameters.most_visits };
        }
        // Visits that are too short count for nothing.
        let counting = u32::try_from(self.look.visits[place].means.len()).unwrap_or(u32::MAX);
        let passed_over = made.saturating_sub(counting);
        let (spread, interval) = self.wanted(place);
        let VisitsNeeded { least: fewest, most } = VisitsNeeded::of(&spread, interval.as_ref(), parameters);
        let of = |visits: u32| visits.max(least).saturating_add(passed_over);
        VisitsNeeded { least: of(fewest), most: of(most) }
    }

    /// The variance and the interval of the wanted figure of a quantity: its rate, or the ratio of two sides.
    fn wanted(&self, place: usize) -> (Spread, Option<Interval>) {
        match self.ratios.get(&place) {
            Some(ratio) => (ratio.spread, ratio.interval),
            None => (self.look.spreads[place], self.look.intervals.get(place).copied().flatten()),
        }
    }

    /// Half the width of the widest interval of the wanted figures.
    pub fn widest(&self) -> f64 {
        let half =
            |place| self.wanted(place).1.map_or(f64::INFINITY, |interval| interval.relative_half_width);
        (0..self.keys.len()).map(half).fold(0.0, f64::max)
    }

    /// The same for one class of a point, by its index among the keys.
    pub(crate) fn is_sure(&self, place: usize, parameters: &Parameters) -> bool {
        self.is_settled && self.is_narrow(place, parameters) && self.has_visits(place, parameters)
    }

    /// Whether its interval is narrow enough and only visits are missing.
    pub(crate) fn has_too_few(&self, place: usize, parameters: &Parameters) -> bool {
        self.is_narrow(place, parameters) && !self.has_visits(place, parameters)
    }

    fn is_narrow(&self, place: usize, parameters: &Parameters) -> bool {
        self.wanted(place).1.is_some_and(|interval| interval.relative_half_width <= parameters.target)
    }

    /// Whether as many visits count as come before the first check.
    fn has_visits(&self, place: usize, parameters: &Parameters) -> bool {
        let least = parameters.first_look(self.points);
        let visits = match self.ratios.get(&place) {
            Some(ratio) => ratio.interval.map_or(0, |interval| interval.visits),
            None => self.look.visits.get(place).map_or(0, |seen| seen.means.len()),
        };
        visits >= usize::try_from(least).unwrap_or(usize::MAX)
    }

    /// Whether a visit of the phase counts towards these estimates: one that [`counts`] and is long enough.
    pub fn rests_on(&self, visit: &Visit) -> bool {
        counts(visit) && length_ns(visit) >= self.look.shortest_ns
    }
}

/// The load before the window, and the window.
const fn length_ns(visit: &Visit) -> u64 {
    visit.settle_ns.saturating_add(visit.measured_ns)
}

/// Whether a visit can count towards the estimates.
pub fn counts(visit: &Visit) -> bool {
    matches!(visit.purpose, Purpose::Round(_) | Purpose::FillsGap) && !visit.cut_short
}

/// The classes of a visit that were loaded, small first.
pub fn classes(visit: &Visit) -> impl Iterator<Item = (Class, &ClassTally)> {
    visit.tallies.iter().map(|(class, tally)| (*class, tally))
}

/// I/Os per second of the slowest class of a visit; 0 if nothing was loaded.
pub fn slowest_rate(visit: &Visit) -> f64 {
    let rate =
        |tally: &ClassTally| to_f64(tally.completed()) / to_f64(visit.measured_ns.max(1)) * to_f64(NS_PER_S);
    let slowest = classes(visit).map(|(_, tally)| rate(tally)).fold(f64::INFINITY, f64::min);
    if slowest.is_finite() { slowest } else { 0.0 }
}

/// What the search for load levels needs of a visit; `None` if the class was idle.
pub fn level_visit(visit: &Visit, class: Class) -> Option<LevelVisit> {
    let (tally, outstanding) = (visit.tallies.get(&class)?, visit.point.of(class));
    let completed = to_f64(tally.completed());
    let rate = completed / to_f64(visit.measured_ns.max(1)) * to_f64(NS_PER_S);
    // A level counts streams, and a stream has several outstanding I/Os. The latency per stream is shorter by that
    // factor.
    let per_level = f64::from(tally.planned.max(1)) / f64::from(outstanding.max(1));
    let latency_s = tally.mean_latency_ns().unwrap_or(0.0) / to_f64(NS_PER_S) / per_level;
    let window_s = to_f64(visit.measured_ns) / to_f64(NS_PER_S);
    Some(LevelVisit { outstanding, rate, latency_s, window_s })
}

/// What the search for the level at a limit needs of a visit; `None` if no small I/O completed.
pub fn bound_visit(visit: &Visit, of: LatencyOf) -> Option<BoundVisit> {
    let tally = visit.tallies.get(&Class::SMALL)?;
    let all = tally.all_latencies_after(0);
    let latency_ns = match of {
        LatencyOf::Mean => all.mean_ns()?,
        LatencyOf::P99 => to_f64(all.quantile_ns(0.99)?),
    };
    Some(BoundVisit { outstanding: visit.point.small(), latency_ns })
}

/// Completions in each bucket of a visit that measured `measured_ns`, from the start of the series. A last, incomplete bucket
/// is left out: it would look like a stall.
pub fn whole_buckets(tally: &ClassTally, measured_ns: u64) -> &[u32] {
    let buckets = tally.lead_ns.saturating_add(measured_ns) / tally.series.bucket_ns.max(1);
    let ops = tally.series.ops.as_slice();
    usize::try_from(buckets).ok().and_then(|whole| ops.get(..whole)).unwrap_or(ops)
}

/// The same as I/Os per second.
pub fn rates(tally: &ClassTally, measured_ns: u64) -> Vec<f64> {
    let scale = to_f64(NS_PER_S) / to_f64(tally.series.bucket_ns.max(1));
    whole_buckets(tally, measured_ns).iter().map(|&ops| f64::from(ops) * scale).collect()
}

/// What is judged of a class over time: its rate, or the number in the system of an open loop, whose rate is given. That is
/// the rate times the latency (Little), so its mean is as precise as that of the latency. In buckets of the series.
pub fn course(tally: &ClassTally, measured_ns: u64) -> Vec<f64> {
    if tally.open.is_none() {
        return rates(tally, measured_ns);
    }
    let buckets = whole_buckets(tally, measured_ns).len();
    let sums = tally.series.latency_sum_ns.iter().take(buckets);
    sums.map(|&sum_ns| to_f64(sum_ns) / to_f64(tally.series.bucket_ns.max(1))).collect()
}

/// The rates in buckets of the common width. Visits of an adaptive run are short enough for it; a coarser bucket counts
/// as several.
pub fn profile(tally: &ClassTally, measured_ns: u64) -> Vec<f64> {
    widened(tally, rates(tally, measured_ns))
}

/// What is judged of a class over time, in the same buckets.
pub fn course_profile(tally: &ClassTally, measured_ns: u64) -> Vec<f64> {
    widened(tally, course(tally, measured_ns))
}

fn widened(tally: &ClassTally, rates: Vec<f64>) -> Vec<f64> {
    let copies = usize::try_from(tally.series.bucket_ns / BUCKET_NS).unwrap_or(1).clamp(1, MOST_COPIES);
    rates.into_iter().flat_map(|rate| std::iter::repeat_n(rate, copies)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four I/Os of 4 ms in one stream: a level of streams gives an I/O each millisecond.
    #[test]
    fn a_level_of_streams_takes_the_time_of_a_stream() {
        let mut visit = crate::record::tests::visit(5, 4_000_000);
        let large = visit.tallies.get_mut(&Class::LARGE).unwrap();
        let found = |visit: &Visit| level_visit(visit, Class::LARGE).unwrap();
        let alone = ClassTally { planned: 1, ..large.clone() };
        large.planned = 4;
        assert!((found(&visit).latency_s - 0.001).abs() < 1e-9);
        visit.tallies.insert(Class::LARGE, alone);
        assert!((found(&visit).latency_s - 0.004).abs() < 1e-9);
    }

    #[test]
    fn a_bucket_that_the_window_did_not_fill_is_left_out() {
        let mut tally = ClassTally::with_lead(8192, 1, 105 * NS_PER_MS, 20 * NS_PER_MS, &[]);
        for at_ms in 0..125 {
            tally.series.record(at_ms * NS_PER_MS, NS_PER_MS);
        }
        assert_eq!(tally.series.ops.len(), 13);
        assert_eq!(whole_buckets(&tally, 105 * NS_PER_MS), [10; 12]);
        assert_eq!(rates(&tally, 105 * NS_PER_MS), [1000.0; 12]);
        assert_eq!(whole_buckets(&tally, 110 * NS_PER_MS).len(), 13);
        assert_eq!(whole_buckets(&tally, u64::MAX).len(), 13, "no more than there are");
    }
}
