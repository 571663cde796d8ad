//! From the visits to each point to means and intervals.
//!
//! Visits of an adaptive run are judged phase by phase, as during the run. With a single visit per point, only its own pieces show how precise it
//! is. Must not raise flags.

use super::io::Sum;
use super::sureness::{Intervals, Sureness};
use super::{IoFindings, OwnCpu, PointFindings, nodes, visits};
use crate::judge::profiles::{self, Key, PhaseLook, Profiles, counts};
use crate::load::class::{Class, LoadClass};
use crate::measure::{ClassTally, Histogram};
use crate::record::{Header, Purpose, Record, Visit};
use crate::stats::Parameters;
use crate::stats::batch_means::{self, SeriesError};
use crate::stats::detect::stalls::stalls;
use crate::stats::estimate::Basis;
use crate::stats::interval::Interval;
use crate::stats::quantile::{self, Quantile};
use crate::stats::sample::mean;
use crate::stats::schedule::Phase;
use crate::units::{Nanos, to_f64, us_from_ns};
use std::collections::{BTreeMap, BTreeSet};

/// One phase of an adaptive run, judged.
#[derive(Debug)]
pub struct PhaseJudgement<'a> {
    /// Steps of its points, as planned.
    pub steps: BTreeSet<usize>,
    /// All of its visits, long ones included, in order.
    pub visits: Vec<&'a Visit>,
    /// Settling time, means and intervals of the rates.
    pub judged: PhaseLook,
    sure: BTreeMap<Key, (Intervals, Sureness)>,
}

/// The phases of an adaptive run that have visits; empty for a run with one visit per point.
pub fn phases(record: &Record) -> Vec<PhaseJudgement<'_>> {
    let Some(plan) = &record.header.plan.adaptive else {
        return Vec::new();
    };
    let phase = |planned: &Phase| {
        let parameters = planned.parameters(&plan.parameters);
        let steps: BTreeSet<usize> = planned.points.iter().copied().collect();
        let visits: Vec<&Visit> = record.visits.iter().filter(|visit| steps.contains(&visit.step)).collect();
        let judged = Profiles::of_phase(planned).with(visits.iter().copied()).look(parameters);
        let counting = visits.iter().copied().filter(|visit| judged.rests_on(visit));
        let sure = sureness(&by_step(counting), &judged, parameters);
        PhaseJudgement { steps, visits, judged, sure }
    };
    let all = plan.phases.iter().map(phase);
    all.filter(|phase| !phase.visits.is_empty()).collect()
}

/// All visited points in the order of the plan, without flags.
pub fn points(record: &Record, phases: &[PhaseJudgement<'_>]) -> Vec<PointFindings> {
    let numbers = phase_numbers(record);
    let found = by_step(&record.visits).into_iter().map(|(step, visits)| {
        let phase = phases.iter().find(|phase| phase.steps.contains(&step));
        PointFindings { phase: numbers.get(&step).copied(), ..point(&record.header, step, &visits, phase) }
    });
    found.collect()
}

/// The visits to each step, in order.
pub fn by_step<'a>(visits: impl IntoIterator<Item = &'a Visit>) -> BTreeMap<usize, Vec<&'a Visit>> {
    let mut by_step: BTreeMap<usize, Vec<&Visit>> = BTreeMap::new();
    visits.into_iter().for_each(|visit| by_step.entry(visit.step).or_default().push(visit));
    by_step
}

/// The visits behind the figures of a point, or of its phase: those that count; if there are none, all.
pub fn used<'a>(visits: &[&'a Visit], phase: Option<&PhaseJudgement<'_>>) -> Vec<&'a Visit> {
    let counts = |visit: &Visit| phase.map_or_else(|| counts(visit), |phase| phase.judged.rests_on(visit));
    let counting: Vec<&Visit> = visits.iter().copied().filter(|visit| counts(visit)).collect();
    if !counting.is_empty() {
        return counting;
    }
    // What warms a cache up, or looks whether it is still what it was, is no measurement beside one.
    let is_measured = |visit: &&Visit| !matches!(visit.purpose, Purpose::Warm | Purpose::Again);
    let measured: Vec<&Visit> = visits.iter().copied().filter(is_measured).collect();
    if measured.is_empty() { visits.to_vec() } else { measured }
}

/// The number of the planned phase that each step belongs to.
fn phase_numbers(record: &Record) -> BTreeMap<usize, usize> {
    let phases = record.header.plan.adaptive.iter().flat_map(|plan| plan.phases.iter().enumerate());
    phases.flat_map(|(number, phase)| phase.points.iter().map(move |&step| (step, number))).collect()
}

fn point(header: &Header, step: usize, all: &[&Visit], phase: Option<&PhaseJudgement<'_>>) -> PointFindings {
    let settle_ns = phase.map_or(0, |phase| phase.judged.look.settle.settle_ns);
    let visits: &[&Visit] = &used(all, phase);
    let measured = visits.iter().map(|visit| measured_ns(visit, settle_ns)).fold(0, u64::saturating_add);
    let counts = |visit: &Visit| visits.iter().any(|used| std::ptr::eq(*used, visit));
    let io = |load: &LoadClass| -> Option<(Class, IoFindings)> {
        let class = load.name;
        let tallies = visits.iter().filter_map(|visit| Some((tally(visit, class)?, visit.measured_ns)));
        let sum = Sum::of(tallies, settle_ns)?;
        let known = phase.and_then(|phase| phase.sure.get(&(step, class))).copied();
        let (intervals, sure) = known.unwrap_or_else(|| alone(visits, class));
        Some((class, sum.findings(load.clone(), &intervals, sure)))
    };
    PointFindings {
        step,
        point: visits[0].point,
        seconds: Nanos(measured).seconds(),
        visits: visits.len(),
        each_visit: visits::of(header, all, settle_ns, counts),
        phase: None,
        own_cpu: own_cpu(visits),
        ios: header.request.classes.iter().filter_map(io).collect(),
        nodes: nodes::of_point(header, visits),
        flags: Vec::new(),
    }
}

/// `None` if a visit does not report it.
fn own_cpu(visits: &[&Visit]) -> Option<OwnCpu> {
    let loaded = |visit: &Visit| to_f64(visit.loaded_ns.max(1));
    let (mut used, mut busiest, mut all) = (0.0, 0.0, 0.0);
    for visit in visits {
        used += to_f64(visit.worker_cpu_ns?);
        busiest = f64::max(busiest, to_f64(visit.busiest_worker_cpu_ns?) / loaded(visit));
        all += loaded(visit);
    }
    (all > 0.0).then(|| OwnCpu { share: used / all, busiest })
}

/// The part of the window of a visit after the settling time, which was chosen later.
fn measured_ns(visit: &Visit, settle_ns: u64) -> u64 {
    visit.measured_ns.saturating_sub(visits::later_ns(visit, settle_ns))
}

/// The tally of a class.
pub fn tally(visit: &Visit, class: Class) -> Option<&ClassTally> {
    visit.tallies.get(&class)
}

/// Everything about the precision of the figures of a phase. `visits` are those to each of its steps that count.
fn sureness(
    visits: &BTreeMap<usize, Vec<&Visit>>,
    judged: &PhaseLook,
    parameters: &Parameters,
) -> BTreeMap<Key, (Intervals, Sureness)> {
    let settle_ns = judged.look.settle.settle_ns;
    let to = |step: usize| visits.get(&step).map_or(&[][..], Vec::as_slice);
    let histograms: Vec<Vec<Histogram>> =
        judged.keys.iter().map(|&(step, class)| latencies(to(step), class, settle_ns)).collect();
    let medians = quantile::of_points(&histograms, 0.5);
    let tails = quantile::of_points(&histograms, 0.99);
    let sure = |(place, &key): (usize, &Key)| {
        let seen = &judged.look.visits[place];
        let found = judged.look.intervals[place];
        let own = to(key.0);
        let is_open = own.iter().filter_map(|visit| tally(visit, key.1)).any(|tally| tally.open.is_some());
        let iops = if is_open { achieved(own, key.1) } else { found };
        let intervals = Intervals {
            basis: basis(found, Basis::Visits),
            iops,
            mean_us: found.and_then(|found| latency(&histograms[place], &found)),
            p50_us: in_us(medians[place]),
            p99_us: in_us(tails[place]),
        };
        let sure = Sureness {
            reached: judged.is_sure(place, parameters),
            too_few: judged.has_too_few(place, parameters),
            visits: seen.means.len(),
            within: seen.relative_within(),
            between: seen.relative_between(),
            // Nothing may have arrived.
            stalled: stalled(own, key.1, settle_ns).filter(|_| !is_open),
        };
        (key, (intervals, sure))
    };
    judged.keys.iter().enumerate().map(sure).collect()
}

/// The achieved rate of an open loop: arrivals of one visit say nothing about those of another, so the visits have no common
/// deviation.
fn achieved(visits: &[&Visit], class: Class) -> Option<Interval> {
    let own = visits.iter().filter_map(|visit| Some((tally(visit, class)?.completed(), visit.measured_ns)));
    Interval::of_alike(&own.map(|(ops, ns)| crate::units::iops(ops, ns)).collect::<Vec<_>>())
}

/// The basis of an interval, if there is one.
fn basis(interval: Option<Interval>, basis: Basis) -> Basis {
    interval.map_or(Basis::Nothing, |_| basis)
}

/// The interval of a quantile in microseconds.
fn in_us(quantile: Quantile) -> Option<Interval> {
    match quantile {
        Quantile::Sure(interval) => Some(interval.scaled(us_from_ns(1.0))),
        Quantile::Indicative(_) | Quantile::Nothing => None,
    }
}

/// The latencies of each visit to a point after settling, reads and writes together.
fn latencies(visits: &[&Visit], class: Class, settle_ns: u64) -> Vec<Histogram> {
    let own = visits.iter();
    let all = own.filter_map(|visit| tally(visit, class)).map(|tally| {
        let mut latencies = tally.all_latencies_after(settle_ns);
        latencies.trim();
        latencies
    });
    all.collect()
}

/// The mean latency of all visits merged. In a closed loop it is the outstanding I/Os over the rate (Little), so it is as precise as the rate.
fn latency(visits: &[Histogram], rate: &Interval) -> Option<Interval> {
    let ios = visits.iter().map(Histogram::count).fold(0, u64::saturating_add);
    let sum_ns = visits.iter().map(Histogram::sum_ns).fold(0, u64::saturating_add);
    let mean = us_from_ns(to_f64(sum_ns)) / to_f64(ios.max(1));
    Interval::symmetric(mean, rate.relative_half_width, rate.visits, rate.df)
}

/// The share of stalled time of all visits to a point.
fn stalled(visits: &[&Visit], class: Class, settle_ns: u64) -> Option<f64> {
    let own = visits.iter();
    let ops: Vec<u32> = own
        .filter_map(|visit| Some((visit, tally(visit, class)?)))
        .flat_map(|(visit, tally)| {
            let skipped = settle_ns.div_ceil(profiles::BUCKET_NS);
            let ops = profiles::whole_buckets(tally, visit.measured_ns);
            ops.iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)).copied()
        })
        .collect();
    stalls(&ops, profiles::BUCKET_NS).map(|found| found.share)
}

/// The intervals of a repeated phase, as in a soak: its visits are separate, and only they show how they vary. `None`
/// for other visits, and if only one was complete.
fn of_phases(visits: &[&Visit], class: Class) -> Option<Intervals> {
    let is_whole = |visit: &&&Visit| matches!(visit.purpose, Purpose::Phase(_)) && !visit.cut_short;
    let own =
        visits.iter().filter(is_whole).filter_map(|visit| Some((tally(visit, class)?, visit.measured_ns)));
    let (rates, us): (Vec<f64>, Vec<Option<f64>>) = own
        .map(|(tally, ns)| {
            (crate::units::iops(tally.completed(), ns), tally.all_latencies_after(0).mean_ns())
        })
        .unzip();
    let us: Option<Vec<f64>> = us.into_iter().map(|ns| ns.map(us_from_ns)).collect();
    let of = |values: &[f64]| (values.len() > 1).then(|| Interval::of_alike(values)).flatten();
    let (iops, mean_us) = (of(&rates)?, us.and_then(|us| of(&us)));
    Some(Intervals { basis: Basis::Visits, iops: Some(iops), mean_us, ..Intervals::default() })
}

/// A point without separate visits: one visit has only its own pieces.
fn alone(visits: &[&Visit], class: Class) -> (Intervals, Sureness) {
    let sure = Sureness { visits: visits.len(), ..Sureness::default() };
    let nothing = (Intervals::default(), sure);
    let [visit] = visits else {
        return of_phases(visits, class).map_or(nothing, |intervals| (intervals, sure));
    };
    let Some(tally) = tally(visit, class) else {
        return nothing;
    };
    let lead = usize::try_from(tally.lead_ns.div_ceil(tally.series.bucket_ns.max(1))).unwrap_or(usize::MAX);
    let ops: Vec<u32> =
        profiles::whole_buckets(tally, visit.measured_ns).iter().skip(lead).copied().collect();
    let rates: Vec<f64> = profiles::rates(tally, visit.measured_ns).into_iter().skip(lead).collect();
    let all = tally.all_latencies_after(0);
    let rate = crate::units::iops(tally.completed(), visit.measured_ns);
    let half = relative_half_width(&rates);
    let course: Vec<f64> = profiles::course(tally, visit.measured_ns).into_iter().skip(lead).collect();
    let of_latency = relative_half_width(&course);
    let interval = |mean: f64, half: f64, df| Interval::symmetric(mean, half, 1, df);
    let iops = half.and_then(|(half, df)| interval(rate, half, df));
    // In a closed loop the mean latency is the outstanding I/Os over the rate, so both are equally sure. In an open loop it is
    // as sure as the number in the system.
    let mean_us =
        all.mean_ns().and_then(|ns| of_latency.and_then(|(half, df)| interval(us_from_ns(ns), half, df)));
    let intervals = Intervals { basis: basis(iops, Basis::OneVisit), iops, mean_us, ..Intervals::default() };
    let sure = Sureness {
        within: own_error(&rates).map(|own| own.standard_error / mean(&rates)),
        stalled: stalls(&ops, tally.series.bucket_ns)
            .map(|found| found.share)
            .filter(|_| tally.open.is_none()),
        ..sure
    };
    (intervals, sure)
}

/// Half the width of the interval that the pieces of one visit give, relative, and its degrees of freedom.
fn relative_half_width(rates: &[f64]) -> Option<(f64, f64)> {
    let own = own_error(rates)?;
    Some((own.half_width() / mean(rates), own.degrees_of_freedom))
}

/// What a visit sees of the error of its own mean; `None` when it is too short or nothing completed.
pub fn own_error(rates: &[f64]) -> Option<SeriesError> {
    batch_means::within(rates).filter(|_| mean(rates) > 0.0)
}
