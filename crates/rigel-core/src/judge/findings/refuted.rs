//! What no run may show: a point that contradicts the run's headline. Must not judge how certain a figure is.

use super::{Extreme, Extremes, Findings, PointFindings};
use crate::judge::answers::{LATENCY_AT_1, MAX_PMBPS};
use crate::load::class::{Class, Figure};
use crate::stats::bound::LatencyOf;

/// Figures that are equal up to rounding refute nothing.
const ROUNDED: f64 = 1e-9;

/// Everything that refutes a headline of a run: a point above the highest rate or below the lowest latency; one stream above many;
/// a rate within a limit above the one without; loads that differ but share rate and latency; ORION's lines with
/// another figure. Points that must not be used or were cut short refute nothing.
pub fn refuted(found: &Findings) -> Vec<String> {
    let mut all = of_points(found, &found.best, "the headline");
    all.extend(of_points(found, &found.plainly_best, "ORION's line"));
    all.extend(shared_twice(found));
    let Some(answers) = &found.answers else { return all };
    let rate = |best: Option<Extreme>| best.map(|best| best.estimate.value);
    let within = answers.max_iops.as_ref().ok().map(|within| within.iops.value);
    let lowest = found.best.latency_us(Class::SMALL).map(|best| best.estimate.value);
    let one = |quantity| Some(found.figure(quantity)?.estimate.value);
    let at_1 = one(LATENCY_AT_1).filter(|_| answers.bound.of == LatencyOf::Mean);
    let most_commits = answers.commits.as_ref().ok().and_then(|commits| commits.most);
    let pairs = [
        ("max_pmbps is above max_mbps", one(MAX_PMBPS), rate(answers.max_mbps)),
        ("max_iops is above unbounded_iops", within, rate(answers.unbounded_iops)),
        ("a row is above max_commits", rate(found.best.rate(Class::DSYNC)), rate(most_commits)),
        ("latency_at_1 is below the lowest latency", lowest, at_1),
    ];
    let is_above = |one: Option<f64>, other: Option<f64>| {
        one.zip(other).is_some_and(|(one, other)| one > other * (1.0 + ROUNDED))
    };
    all.extend(pairs.into_iter().filter(|one| is_above(one.1, one.2)).map(|one| one.0.to_owned()));
    all
}

fn of_points(found: &Findings, best: &Extremes, what: &str) -> Vec<String> {
    let mut all = Vec::new();
    for point in found.points.iter().filter(|point| !point.invalid()) {
        for (class, io) in point.classes().filter(|one| one.1.latency_us.is_some()) {
            let highest = best.rate(class).map_or(0.0, |best| best.estimate.value);
            let (own, us) = (io.rate().value, io.latency_us.map_or(0.0, |us| us.mean.value));
            if own > highest * (1.0 + ROUNDED) {
                all.push(format!("{what} of {class} is {highest}, and {} has {own}", point.point.words()));
            }
            let lowest = best.latency_us(class).filter(|_| io.load.figure != Figure::Mbps);
            if let Some(lowest) =
                lowest.map(|best| best.estimate.value).filter(|lowest| us * (1.0 + ROUNDED) < *lowest)
            {
                all.push(format!("{what} of {class} is {lowest} us, and {} has {us}", point.point.words()));
            }
        }
    }
    all
}

/// In a closed loop the number outstanding is the product of rate and latency: different loads cannot share both figures.
fn shared_twice(found: &Findings) -> Vec<String> {
    let is_same = |one: f64, other: f64| (one - other).abs() <= ROUNDED * other;
    let mut all = Vec::new();
    for (at, point) in found.points.iter().enumerate() {
        for (class, io) in point.classes().filter(|one| one.1.load.level_is_load()) {
            let Some(us) = io.latency_us.filter(|us| us.mean.value > 0.0) else { continue };
            let has_both = |other: &&PointFindings| {
                let Some(other_io) =
                    other.io(class).filter(|_| other.point.of(class) != point.point.of(class))
                else {
                    return false;
                };
                let is_latency =
                    other_io.latency_us.is_some_and(|other| is_same(other.mean.value, us.mean.value));
                is_latency && is_same(other_io.rate().value, io.rate().value)
            };
            let others = found.points.iter().take(at).filter(has_both);
            all.extend(others.map(|other| {
                format!(
                    "{} and {} share rate and latency of {class}",
                    other.point.words(),
                    point.point.words()
                )
            }));
        }
    }
    all
}
