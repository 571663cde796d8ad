//! The cases of "highest" and "lowest": the headline of a run, if many of its points are alike, if one is clearly the best, and if the last one is.
//!
//! Must not run anything.

use super::case::Case;
use super::figure::KnownFigure;
use super::promise::FigurePromise;
use super::score::{Grade, Score};
use rigel_core::judge::findings::{Extreme, Findings};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, Request};
use rigel_core::sim::SimLaw;
use rigel_core::units::{MIB, to_f64};

/// This many disks have ten levels of small I/O and four of large.
const DISKS: u32 = 2;

const IOPS: &str = "highest IOPS";
const MBPS: &str = "highest MBPS";
const LATENCY: &str = "lowest latency";

/// A choice among points may be off by as much as the figures of a calibration.
const PROMISED: [FigurePromise; 3] = promised(0.93, 0.01);
/// The bias is a part of a standard error, and with 6 % between visits an error of 3 % is left.
const UNSURE: [FigurePromise; 3] = promised(0.93, 0.02);
/// Visits to some points differ nine times as much as those to others, and of each there are too few to know it.
const UNEQUAL: [FigurePromise; 3] = promised(0.9, 0.0125);

const fn promised(least: f64, most_bias: f64) -> [FigurePromise; 3] {
    [
        FigurePromise { what: IOPS, least, most_bias },
        FigurePromise { what: MBPS, least, most_bias },
        FigurePromise { what: LATENCY, least, most_bias },
    ]
}

fn case(name: &'static str, law: &str, promised: &'static [FigurePromise]) -> Case {
    Case::known(RunLevel::Simple, name, law, promised)
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

/// The cases of every self-test.
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

/// The figure of the run compared with the best of its points by the law of the device.
pub(super) fn figures(found: &Findings, request: &Request, law: &SimLaw) -> Vec<KnownFigure> {
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
        |what, best: Option<Extreme>, truth: Option<f64>| Some(KnownFigure::of(what, best?.estimate, truth?));
    [
        known(IOPS, found.best.rate(Class::SMALL), most(Class::SMALL)),
        known(MBPS, found.best.rate(Class::LARGE), mbps),
        known(LATENCY, found.best.latency_us(Class::SMALL), latency_us),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Score {
    /// Whether no run of the trials contradicts itself, whatever its case promises.
    pub(super) fn consistent(&self) -> Grade {
        let refuted: Vec<&str> = self.trials.iter().filter_map(|trial| trial.refuted.as_deref()).collect();
        match refuted.as_slice() {
            [] => Grade::Kept,
            [first, ..] => Grade::Broken(format!(
                "{} of {} runs contradict themselves: {first}",
                refuted.len(),
                self.trials.len()
            )),
        }
    }
}
