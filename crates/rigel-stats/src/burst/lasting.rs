//! A rate that falls for good while loads alternate.
//!
//! A token bucket that is empty gives a load no more than what was refilled since it was emptied last, whatever the load is: amounts over time are
//! one number, that of the refill, also across rests and loads that take less. A device that is slower as a whole also slows what is below that;
//! one of two states goes back; one that drifts has no edge. Must not know what the loads are, nor what is counted.

use super::course::turn;
use crate::sample::{count, mean};
use std::collections::BTreeMap;

/// A load was above the refill when it was this many times as fast.
const ABOVE: f64 = 1.2;
/// The refill is one number within this part.
const SAME: f64 = 0.1;
/// Before the fall a load gives the same each time within this part, and it is held down when it gives less by more.
const NEAR: f64 = 0.15;
/// Part of the fall by which the rate may differ between the beginning and the end of a side.
const FLAT: f64 = 0.25;
/// The edge is looked for this many visits around the place where rates fall most.
const BLUR: usize = 8;
/// Visits above the refill before the fall, and held down to it behind.
const LEAST_BEFORE: usize = 3;
const LEAST_AFTER: usize = 5;
/// Were the visits in any order, all fast ones would be in front in one of this many.
const ODDS: f64 = 10_000.0;

/// A visit to a load, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadVisit {
    /// Which load.
    pub load: usize,
    /// When it began to load, in seconds of the run.
    pub began_s: f64,
    /// When all of it was over.
    pub ended_s: f64,
    /// What was done: I/Os, or bytes.
    pub amount: f64,
    /// How much of it was asked for per second, where it comes at a rate; else as much as the storage does.
    pub asked: Option<f64>,
}

impl LoadVisit {
    fn length_s(self) -> f64 {
        (self.ended_s - self.began_s).max(1e-9)
    }

    fn rate(self) -> f64 {
        self.amount / self.length_s()
    }
}

/// A rate that fell for good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastingFall {
    /// When, in seconds of the run: the end of the first visit that was held down.
    pub at_s: f64,
    /// The highest rate of a load before it, per second.
    pub high: f64,
    /// What is refilled, per second.
    pub low: f64,
    /// Visits before it, to loads that are above what is refilled.
    pub before: usize,
    /// Visits behind it that were held down to what was refilled since the one before.
    pub after: usize,
}

/// The fall among these visits, if there is one for good.
pub fn lasting_fall(visits: &[LoadVisit]) -> Option<LastingFall> {
    let edge = edge(visits)?;
    // Loads that it hardly slows blur the edge, and the visit in which it fell has something of both.
    let around = edge.saturating_sub(BLUR)..=edge + BLUR;
    let splits = around.flat_map(|after| [(after, after), (after.saturating_sub(1), after)]);
    splits.filter_map(|(before, after)| fall(visits.get(..before)?, visits.get(after..)?)).next()
}

/// Where the rates fall most, each over the highest of its load.
fn edge(visits: &[LoadVisit]) -> Option<usize> {
    let mut highest: BTreeMap<usize, f64> = BTreeMap::new();
    for visit in visits {
        let best = highest.entry(visit.load).or_insert(f64::MIN_POSITIVE);
        *best = best.max(visit.rate());
    }
    let most = highest.values().copied().fold(f64::MIN_POSITIVE, f64::max);
    let of_load = |visit: &LoadVisit| highest.get(&visit.load).copied().unwrap_or(1.0);
    let part = |visit: &LoadVisit| {
        visit.rate() / visit.asked.map_or_else(|| of_load(visit), |asked| asked.min(most).max(1e-9))
    };
    let parts: Vec<f64> = visits.iter().map(part).collect();
    let centre = mean(&parts);
    let (mut sum, mut best) = (0.0, (0.0, None));
    for (index, part) in parts.iter().enumerate() {
        sum += part - centre;
        let (before, after) = (index + 1, parts.len() - index - 1);
        if before < LEAST_BEFORE || after < LEAST_AFTER || sum <= 0.0 {
            continue;
        }
        let explained = sum * sum / (count(before) * count(after));
        if explained > best.0 {
            best = (explained, Some(before));
        }
    }
    best.1
}

fn fall(before: &[LoadVisit], after: &[LoadVisit]) -> Option<LastingFall> {
    let wanted = LoadRates::of(before)?;
    let behind = HeldVisits::of(&wanted, after)?;
    let low = mean(&behind.refills);
    let is_refill = |refill: &f64| (refill - low).abs() <= SAME * low;
    let is_above = |visit: &&LoadVisit| wanted.rate(visit.load).is_some_and(|rate| rate > ABOVE * low);
    let above: Vec<f64> = before.iter().filter(is_above).map(|visit| visit.rate()).collect();
    let found = LastingFall {
        at_s: behind.first_s,
        high: above.iter().copied().fold(0.0, f64::max),
        low,
        before: above.len(),
        after: behind.refills.len(),
    };
    let is_enough =
        found.before >= LEAST_BEFORE && behind.held >= LEAST_AFTER && odds(found.before, behind.held) >= ODDS;
    let flat = FLAT * behind.depth;
    let is_flat = turn(&wanted.parts).abs() <= flat && turn(&behind.refills).abs() <= flat * low;
    let is_kept = behind.most <= (1.0 + SAME) * low && behind.refills.iter().all(is_refill);
    (is_enough && is_flat && is_kept).then_some(found)
}

/// What loads give before the fall.
struct LoadRates {
    rates: BTreeMap<usize, f64>,
    /// The highest of a visit.
    most: f64,
    /// Each visit over the mean of its load.
    parts: Vec<f64>,
}

impl LoadRates {
    /// `None` when a load did not give the same each time.
    fn of(visits: &[LoadVisit]) -> Option<Self> {
        let mut all: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
        visits.iter().for_each(|visit| all.entry(visit.load).or_default().push(visit.rate()));
        let rates: BTreeMap<usize, f64> = all.iter().map(|(load, rates)| (*load, mean(rates))).collect();
        let part = |visit: &LoadVisit| visit.rate() / rates.get(&visit.load).copied().unwrap_or(1.0);
        let parts: Vec<f64> = visits.iter().map(part).collect();
        let most = visits.iter().map(|visit| visit.rate()).fold(0.0, f64::max);
        parts.iter().all(|part| (part - 1.0).abs() <= NEAR).then_some(Self { rates, most, parts })
    }

    /// What a visit would have without the fall, as far as that is known.
    fn wanted(&self, visit: &LoadVisit) -> Option<f64> {
        self.rate(visit.load).or_else(|| Some(visit.asked?.min(self.most)))
    }

    fn rate(&self, load: usize) -> Option<f64> {
        self.rates.get(&load).copied()
    }
}

/// What loads give behind the fall.
struct HeldVisits {
    /// The end of the first visit that was held down.
    first_s: f64,
    /// Visits that were held down.
    held: usize,
    /// Amounts over time, from the end of one visit that was held down to that of the next one.
    refills: Vec<f64>,
    /// The most that was taken over the time since a visit was held down.
    most: f64,
    /// By which part visits were held down, in the mean.
    depth: f64,
}

impl HeldVisits {
    /// `None` when a load gives more than before, or what was held down is not so from the beginning.
    fn of(wanted: &LoadRates, visits: &[LoadVisit]) -> Option<Self> {
        let (mut refills, mut depths, mut most, mut first_s) = (Vec::new(), Vec::new(), 0.0_f64, None);
        let (mut since_s, mut sum, mut free) = (None::<f64>, 0.0, 0);
        for visit in visits {
            sum += visit.amount;
            let before = wanted.wanted(visit);
            let part = before.map_or(1.0, |rate| visit.rate() / rate);
            if part > 1.0 + NEAR {
                return None;
            }
            let taken = since_s.map(|since_s| sum / (visit.ended_s - since_s).max(1e-9));
            most = most.max(taken.unwrap_or(0.0));
            if part >= 1.0 - NEAR {
                free += usize::from(first_s.is_none());
                continue;
            }
            refills.extend(taken);
            depths.push(1.0 - part);
            first_s.get_or_insert(visit.ended_s);
            (since_s, sum) = (Some(visit.ended_s), 0.0);
        }
        let first_s = first_s.filter(|_| free <= LEAST_AFTER)?;
        Some(Self { first_s, held: depths.len(), refills, most, depth: mean(&depths) })
    }
}

/// In how many orders this many visits of one kind and of another can come.
fn odds(some: usize, others: usize) -> f64 {
    let (some, others) = (some.min(others), some.max(others));
    (1..=some).map(|number| count(others + number) / count(number)).product()
}

#[cfg(test)]
mod tests;
