//! Flags of time in which a device stood still, and of single I/Os that took far longer than all others.
//!
//! All visits to a point are checked, because even a visit that no figure uses is evidence. Must not compare rates.

use super::circumstances::shared_cpus;
use crate::judge::findings::PointFindings;
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::whole_buckets;
use crate::load::class::{Class, LoadClass};
use crate::load::matrix::Point;
use crate::measure::{ClassTally, Histogram};
use crate::record::{Record, Visit};
use crate::stats::detect::overload::Growth;
use crate::stats::detect::standstill::{
    ArrivalSeries, LEAST_NS, Standstill, UsualTime, standstill, standstill_of_arrivals,
};
use crate::units::say::{figure, rough_time};
use crate::units::{NS_PER_MS, to_f64};
use std::collections::BTreeSet;

/// The worst standstill of a class in a visit.
struct ClassStandstill {
    length_ns: u64,
    what: StandstillKind,
}

enum StandstillKind {
    /// Nothing completed, from that time of the run on. The range of its length, if it is known only roughly.
    Nothing { from_ns: u64, ends_ns: Option<[u64; 2]> },
    /// One I/O took this long in the visit that began at that time of the run, where barely any takes longer than the usual time.
    One { began_ns: u64, usual_ns: u64 },
}

/// If more threads want to run than there are CPUs, each gets a CPU for at most this long.
const LONGEST_SLICE_NS: u64 = 4 * NS_PER_MS;

/// The flags of a point; `visits` are all visits to it. `cpus`: if a thread waits for each I/O and no CPU time was left, the number of CPUs
/// that they shared.
pub fn of_point(visits: &[&Visit], point: &PointFindings, cpus: Option<u32>) -> Vec<Flag> {
    let mut found = Vec::new();
    for (class, io) in point.classes() {
        let usual = UsualTime::of(&io.latencies(), io.planned_outstanding, visits.len());
        let own = of_class(visits, class, usual);
        found.extend(of_load(&io.load, own, visits.len(), (point.point.sum(), cpus)));
    }
    found
}

/// The flags of the visits of a search, which make no point: by class.
pub fn of_search(record: &Record) -> Vec<Flag> {
    let visits: Vec<&Visit> = record.search.iter().collect();
    let classes: BTreeSet<Class> = visits.iter().flat_map(|visit| visit.tallies.keys().copied()).collect();
    let of_class = |class: Class| {
        let seen: Vec<ClassStandstill> = levels(&visits, class)
            .iter()
            .flat_map(|level| of_class(&level.visits, class, level.usual))
            .collect();
        let threads = visits.iter().map(|visit| visit.point.sum()).max().unwrap_or(0);
        let cpus = if seen.is_empty() { None } else { shared_cpus(record, &visits) };
        let flag = of_load(record.header.request.class(class)?, seen, visits.len(), (threads, cpus))?;
        Some(Flag { text: format!("in the search before the points: {}", flag.text), ..flag })
    };
    classes.into_iter().filter_map(of_class).collect()
}

/// The visits of a search at a level.
struct SearchLevel<'a> {
    outstanding: u32,
    visits: Vec<&'a Visit>,
    usual: Option<UsualTime>,
}

/// The levels of a class, each with the usual latency of its I/Os. In a short visit a standstill holds many of its few I/Os, so in a
/// closed loop other levels show how long the latency can be.
fn levels<'a>(visits: &[&'a Visit], class: Class) -> Vec<SearchLevel<'a>> {
    let mut by_point: Vec<(Point, Vec<&Visit>)> = Vec::new();
    for &visit in visits.iter().filter(|visit| visit.tallies.contains_key(&class)) {
        match by_point.iter_mut().find(|one| one.0 == visit.point) {
            Some(one) => one.1.push(visit),
            None => by_point.push((visit.point, vec![visit])),
        }
    }
    let level = |(_, visits): (Point, Vec<&'a Visit>)| {
        let tallies = || visits.iter().filter_map(|visit| visit.tallies.get(&class));
        let mut all = Histogram::empty();
        tallies().for_each(|tally| all.add(&tally.all_latencies_after(0)));
        let outstanding = tallies().map(|tally| tally.planned).max().unwrap_or(0);
        let usual = UsualTime::of(&all, outstanding, visits.len());
        SearchLevel { outstanding, visits, usual }
    };
    let mut found: Vec<SearchLevel<'_>> = by_point.into_iter().map(level).collect();
    let is_closed = |level: &SearchLevel<'_>| {
        let mut tallies = level.visits.iter().filter_map(|visit| visit.tallies.get(&class));
        tallies.all(|tally| tally.open.is_none())
    };
    let closed = found.iter().filter(|level| is_closed(level));
    let others: Vec<(UsualTime, u32)> =
        closed.filter_map(|level| Some((level.usual?, level.outstanding))).collect();
    for level in found.iter_mut().filter(|level| is_closed(level)) {
        let bounded = |usual: UsualTime| {
            others.iter().fold(usual, |usual, &other| usual.bounded_by(level.outstanding, other))
        };
        level.usual = level.usual.map(bounded);
    }
    found
}

fn of_class(visits: &[&Visit], class: Class, usual: Option<UsualTime>) -> Vec<ClassStandstill> {
    let of = |visit: &&Visit| match usual {
        Some(usual) => of_visit(visit, class, usual),
        None => of_silent_visit(visit, class),
    };
    visits.iter().filter_map(of).collect()
}

/// The flag of a load observed in this many visits. With this many threads and CPUs a thread may wait for its turn.
fn of_load(
    load: &LoadClass,
    seen: Vec<ClassStandstill>,
    visits: usize,
    (threads, cpus): (u64, Option<u32>),
) -> Option<Flag> {
    let is_turn = |seen: &ClassStandstill| cpus.is_some_and(|cpus| seen.is_turn_of_a_thread(threads, cpus));
    let (turns, own): (Vec<_>, Vec<_>) = seen.into_iter().partition(is_turn);
    let longest = turns.iter().map(|seen| seen.length_ns).max();
    let Some(worst) = own.iter().max_by_key(|seen| seen.length_ns) else {
        let text = format!(
            "{}: the longest I/O took {}, and no CPU time was left: one of {threads} threads may wait that long for its turn",
            load.title(),
            rough_time(to_f64(longest?))
        );
        return Some(Flag::new(FlagCode::HostLimited, text));
    };
    let mut text = format!("{}: {}", load.title(), worst.sentence());
    if own.len() > 1 {
        text.push_str(&format!("; seen in {} of {visits} visits", own.len()));
    }
    Some(Flag::new(FlagCode::Stalled, text))
}

fn of_visit(visit: &Visit, class: Class, usual: UsualTime) -> Option<ClassStandstill> {
    let tally = visit.tallies.get(&class)?;
    let longest_ns = tally.longest_ns();
    let buckets = whole_buckets(tally, visit.measured_ns);
    let width_ns = tally.series.bucket_ns;
    let silence = match &tally.open {
        None => standstill(buckets, width_ns, longest_ns, usual),
        Some(open) => UsualTime::of_service(&open.service).and_then(|usual| {
            let dense = standstill(buckets, width_ns, longest_ns, usual);
            // Nothing may have arrived, unless something waited all the time.
            let dense = dense.filter(|found| longest_ns >= found.length_ns());
            dense.or_else(|| standstill_of_arrivals(&arrivals(visit, tally), longest_ns, usual))
        }),
    };
    if let Some(found) = silence {
        let Standstill { at_ns, least_ns, most_ns } = found;
        let from_ns = visit.began_ns.saturating_sub(tally.lead_ns).saturating_add(at_ns);
        let ends_ns = found.is_rough().then_some([least_ns, most_ns]);
        let what = StandstillKind::Nothing { from_ns, ends_ns };
        return Some(ClassStandstill { length_ns: found.length_ns(), what });
    }
    if is_overloaded(tally) {
        return None;
    }
    let began_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    let what = StandstillKind::One { began_ns, usual_ns: usual.most_ns };
    usual.is_far(longest_ns).then_some(ClassStandstill { length_ns: longest_ns, what })
}

/// Whether more arrived than was served: then each I/O waits longer than the previous one, and that the last one of a long visit waited longest is
/// not a stall.
fn is_overloaded(tally: &ClassTally) -> bool {
    let mut growth = Growth::default();
    tally.open.iter().for_each(|open| open.add_growth(&mut growth));
    growth.is_overload()
}

/// The completions of a visit to an open loop, including the load before and after.
fn arrivals<'a>(visit: &Visit, tally: &'a ClassTally) -> ArrivalSeries<'a> {
    let ops = whole_buckets(tally, visit.measured_ns);
    let before_ns = visit.settle_ns.saturating_sub(tally.lead_ns);
    ArrivalSeries {
        ops,
        latency_sum_ns: tally.series.latency_sum_ns.get(..ops.len()).unwrap_or_default(),
        bucket_ns: tally.series.bucket_ns,
        before_ns,
        over_ns: visit.loaded_ns.saturating_sub(before_ns),
        gap_ns: visit.measured_ns / tally.open.as_ref().map_or(1, |open| open.arrived.max(1)),
    }
}

/// A visit to a point at which no I/O began and ended within a window: the device stood still all the time, as the later completions show.
fn of_silent_visit(visit: &Visit, class: Class) -> Option<ClassStandstill> {
    let length_ns = visit.tallies.get(&class)?.longest_ns();
    let from_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    let what = StandstillKind::Nothing { from_ns, ends_ns: None };
    (length_ns >= LEAST_NS).then_some(ClassStandstill { length_ns, what })
}

impl ClassStandstill {
    /// Whether one thread of this many waits that long for a CPU, if all want one. A standstill of all threads has another cause.
    fn is_turn_of_a_thread(&self, threads: u64, cpus: u32) -> bool {
        let round_ns = threads.saturating_mul(LONGEST_SLICE_NS) / u64::from(cpus.max(1));
        matches!(self.what, StandstillKind::One { .. }) && self.length_ns <= round_ns
    }

    fn sentence(&self) -> String {
        let length = rough_time(to_f64(self.length_ns));
        match self.what {
            StandstillKind::Nothing { from_ns, ends_ns } => {
                let from = rough_time(to_f64(from_ns));
                let ends = ends_ns.map_or_else(String::new, |ends_ns| {
                    let [least, most] = ends_ns.map(|ns| rough_time(to_f64(ns)));
                    format!(" (at least {least}, at most {most}, as few I/Os arrived)")
                });
                format!("nothing completed for {length}{ends}, from {from} into the run")
            }
            StandstillKind::One { began_ns, usual_ns } => {
                let times = figure(to_f64(self.length_ns) / to_f64(usual_ns.max(1)));
                let began = rough_time(to_f64(began_ns));
                format!(
                    "the longest I/O took {length}, {times} times as long as nearly all others, in the visit that began {began} into the run"
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_as_long_as_a_round_of_all_threads_is_the_turn_of_one() {
        let one = |ms: u64| ClassStandstill {
            length_ns: ms * NS_PER_MS,
            what: StandstillKind::One { began_ns: 0, usual_ns: NS_PER_MS },
        };
        assert!(one(4_000).is_turn_of_a_thread(10_000, 2));
        assert!(!one(30_000).is_turn_of_a_thread(10_000, 2), "no round is that long");
        assert!(!one(1_000).is_turn_of_a_thread(5, 2), "a stall is no matter of turns among five");
        let nothing =
            ClassStandstill { what: StandstillKind::Nothing { from_ns: 0, ends_ns: None }, ..one(4_000) };
        assert!(!nothing.is_turn_of_a_thread(10_000, 2));
    }
}
