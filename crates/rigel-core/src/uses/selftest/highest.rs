//! The cases of "highest" and "lowest": what stands for a whole run, where many of its points are alike, where one is clearly the best, and where the
//! last one is. And what no run of any case may show: a point that refutes what stands for it.
//!
//! Must not run anything.

use super::cases::{Case, Promised};
use super::known::Known;
use super::score::{Grade, Score};
use crate::judge::findings::{Extreme, Extremes, Findings, PointFindings};
use crate::judge::flags::FlagCode;
use crate::load::class::{Class, Figure};
use crate::load::matrix::RunLevel;
use crate::load::pace::LevelChoice;
use crate::load::request::{CacheWarmUp, Request};
use crate::sim::SimLaw;
use crate::stats::bound::LatencyOf;
use crate::units::{MIB, to_f64};

/// As many disks have ten levels of small I/O and four of large.
const DISKS: u32 = 2;

const IOPS: &str = "highest IOPS";
const MBPS: &str = "highest MBPS";
const LATENCY: &str = "lowest latency";

/// What is chosen among points is off by as much as the figures of a calibration may be.
const PROMISED: [Promised; 3] = promised(0.93, 0.01);
/// The bias is a part of a standard error, and with 6 % between visits an error of 3 % is left.
const UNSURE: [Promised; 3] = promised(0.93, 0.02);
/// Visits to some points differ nine times as much as those to others, and of each there are too few to know it.
const UNEQUAL: [Promised; 3] = promised(0.9, 0.0125);

const fn promised(least: f64, most_bias: f64) -> [Promised; 3] {
    [
        Promised { what: IOPS, least, most_bias },
        Promised { what: MBPS, least, most_bias },
        Promised { what: LATENCY, least, most_bias },
    ]
}

/// Figures that are equal but for rounding refute nothing.
const ROUNDED: f64 = 1e-9;

fn case(name: &'static str, law: &str, promised: &'static [Promised]) -> Case {
    Case { levels: LevelChoice::Orion, ..Case::known(RunLevel::Simple, name, law, promised) }
}

pub(super) fn all() -> Vec<Case> {
    let unsure = "servers=2,service=4ms,rate=0,spread=lognormal:20%,noise=ar:3s:8%,between=6%,white=5%";
    let unequal = "servers=2,service=4ms,rate=0,spread=lognormal:20%,between=2%,unequal=3,white=3%";
    let slow = "servers=9,service=4ms,rate=0,spread=lognormal:20%,between=3%,white=3%,retrograde=10%";
    let more = [
        case("highest of alike, like a busy virtual machine", unsure, &UNSURE),
        case("highest of alike, unequally sure", unequal, &UNEQUAL),
        case("highest before the end", slow, &PROMISED),
    ];
    few().into_iter().chain(more).collect()
}

/// Those of every self-test.
pub(super) fn few() -> Vec<Case> {
    let device = |servers: u32, more: &str| {
        format!("servers={servers},service=4ms,rate=0,spread=lognormal:20%,between=2%,white=3%{more}")
    };
    vec![
        case("highest of alike", &device(2, ""), &PROMISED),
        case("highest at a peak", &device(4, ",retrograde=10%"), &PROMISED),
        case("highest at the end", &device(32, ""), &PROMISED),
    ]
}

/// Makes a request one of as many levels as there have to be.
pub(super) fn ask(request: Request) -> Request {
    Request { num_disks: Some(DISKS), cache: CacheWarmUp::Off, ..request }
}

/// What stands for the run against the best of its points by the law of the device.
pub(super) fn figures(found: &Findings, request: &Request, law: &SimLaw) -> Vec<Known> {
    let rates = |class: Class| {
        let alone = found.points.iter().filter(move |one| one.point.is_alone(class));
        alone.filter_map(move |one| {
            let level = one.point.of(class);
            let load = &one.io(class)?.load;
            Some((level, law.truth_iops(load.pattern.outstanding(level), request.io_bytes(class))?))
        })
    };
    let most = |class| rates(class).map(|one| one.1).reduce(f64::max);
    // Little's law.
    let latency_us = rates(Class::SMALL).map(|(level, rate)| f64::from(level) / rate * 1e6).reduce(f64::min);
    let mbps = most(Class::LARGE).map(|iops| iops * to_f64(request.io_bytes(Class::LARGE)) / to_f64(MIB));
    let known =
        |what, best: Option<Extreme>, truth: Option<f64>| Some(Known::of(what, best?.estimate, truth?));
    [
        known(IOPS, found.best.rate(Class::SMALL), most(Class::SMALL)),
        known(MBPS, found.best.rate(Class::LARGE), mbps),
        known(LATENCY, found.best.latency_us(Class::SMALL), latency_us),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Everything that refutes what stands for a run: a point that has more than the highest rate or less than the lowest latency; one stream above many;
/// a rate within a bound above the one without; ORION's lines with another figure. Points that must not be used or were cut short refute nothing.
pub fn refuted(found: &Findings) -> Vec<String> {
    let mut all = of_points(found, &found.best, "the headline");
    all.extend(of_points(found, &found.plainly_best, "ORION's line"));
    let Some(answers) = &found.answers else { return all };
    let rate = |best: Option<Extreme>| best.map(|best| best.estimate.value);
    let within = answers.max_iops.as_ref().ok().map(|within| within.iops.value);
    let lowest = found.best.latency_us(Class::SMALL).map(|best| best.estimate.value);
    let at_1 = answers.latency_at_1_us.filter(|_| answers.bound.of == LatencyOf::Mean).map(|us| us.value);
    let most_commits = answers.commits.as_ref().ok().and_then(|commits| commits.most);
    let pairs = [
        ("max_pmbps is above max_mbps", rate(answers.max_pmbps), rate(answers.max_mbps)),
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
    let counts = |point: &&PointFindings| {
        let is_short = point.flags.iter().any(|flag| flag.code == FlagCode::CutShort);
        !point.invalid() && !is_short
    };
    let mut all = Vec::new();
    for point in found.points.iter().filter(counts) {
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

impl Score {
    /// Whether no run of the trials refutes itself, whatever its case promises.
    pub(super) fn consistent(&self) -> Grade {
        let refuted: Vec<&str> = self.trials.iter().filter_map(|trial| trial.refuted.as_deref()).collect();
        match refuted.as_slice() {
            [] => Grade::Kept,
            [first, ..] => Grade::Broken(format!(
                "{} of {} runs refute themselves: {first}",
                refuted.len(),
                self.trials.len()
            )),
        }
    }
}
