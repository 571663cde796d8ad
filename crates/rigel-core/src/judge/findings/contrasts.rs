//! How rates of one run compare with one another, from the rounds in which both points were visited.
//!
//! Whatever makes the device fast or slow for a whole round affects both rates, but not their ratio, so a loss beside other
//! load, or a load that is nearly the best, is known more precisely than the two rates. Must not narrow the interval of a rate.

use super::{Findings, PointFindings, VisitFindings};
use crate::load::class::{Arrival, Class, PerClass};
use crate::load::matrix::Point;
use crate::record::Purpose;
use crate::stats::Interval;
use crate::stats::turns::{FEWEST_ROUNDS, RoundVisit, Turn, ratios, turns};
use std::collections::BTreeMap;

/// How the rate of a class at a point compares with others of the run; empty if no rounds allow it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contrast {
    /// With the highest rate of the class in the run.
    pub of_highest: Option<Interval>,
    /// With the rate at the same level without the other classes.
    pub of_alone: Option<Interval>,
}

impl Findings {
    /// The contrasts of each point, in the order of the points.
    pub fn contrasts(&self) -> Vec<PerClass<Contrast>> {
        let mut all = vec![PerClass::<Contrast>::new(); self.points.len()];
        let places: BTreeMap<Point, usize> = self.points.iter().map(|found| found.point).zip(0..).collect();
        // A rate that is given compares with nothing.
        let closed = |class: &Class| {
            let mut own = self.points.iter().filter_map(|found| found.io(*class));
            own.all(|io| io.load.arrival == Arrival::Closed)
        };
        for class in self.classes().into_iter().filter(closed) {
            let highest = self.best.rate(class).and_then(|best| places.get(&best.point).copied());
            let pairs = |base: &dyn Fn(Point) -> Option<usize>| -> Vec<[usize; 2]> {
                let own = self.points.iter().enumerate().filter(|(_, found)| found.point.of(class) > 0);
                let pair = |(place, found): (usize, &PointFindings)| Some([base(found.point)?, place]);
                own.filter_map(pair).filter(|[base, place]| base != place).collect()
            };
            let alone = |point: Point| places.get(&Point::alone(class, point.of(class))).copied();
            for (place, interval) in self.rate_ratios(class, &pairs(&|_| highest)) {
                all[place].entry(class).or_default().of_highest = interval;
            }
            for (place, interval) in self.rate_ratios(class, &pairs(&alone)) {
                all[place].entry(class).or_default().of_alone = interval;
            }
        }
        all
    }

    /// For each pair of points, the second one and its rate over that of the first.
    fn rate_ratios(&self, class: Class, pairs: &[[usize; 2]]) -> Vec<(usize, Option<Interval>)> {
        let of_pair = |pair: &[usize; 2]| -> Vec<Turn> {
            let [one, other] = pair.map(|place| &self.points[place]);
            // Rounds are counted anew in each phase.
            if one.phase.is_none() || one.phase != other.phase {
                return Vec::new();
            }
            turns(&rounds(one, class), &rounds(other, class))
        };
        let found: Vec<Vec<Turn>> = pairs.iter().map(of_pair).collect();
        let ratios = ratios(&found, self.target.unwrap_or(f64::INFINITY)).into_iter();
        let told = ratios.map(|ratio| ratio.interval.filter(|interval| interval.visits >= FEWEST_ROUNDS));
        pairs.iter().map(|pair| pair[1]).zip(told).collect()
    }
}

/// The rates of the visits of rounds that count.
fn rounds(found: &PointFindings, class: Class) -> Vec<RoundVisit> {
    let visit = |visit: &VisitFindings| match (visit.purpose, visit.ios.get(&class)) {
        (Purpose::Round(round), Some(io)) => Some((round, io.iops, io.standard_error)),
        _ => None,
    };
    found.each_visit.iter().filter(|visit| visit.counts).filter_map(visit).collect()
}
