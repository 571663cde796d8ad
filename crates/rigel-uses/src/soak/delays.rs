//! The I/O that made users wait longest though nothing failed. It is compared with those of its phase that no standstill held. Must not look at failures.

use super::PhaseFound;
use rigel_core::documents;
use rigel_core::load::class::Class;
use rigel_core::measure::{ByTarget, ClassTally};
use rigel_core::record::{Purpose, Record, Visit};
use rigel_core::stats::detect::standstill::UsualTime;
use rigel_core::units::{Nanos, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// An I/O that took far longer than nearly all others of its phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LongIo {
    /// When it began, in seconds of load, to the nearest interval.
    #[serde(rename = "at_s", serialize_with = "documents::ns_in_seconds")]
    #[schemars(with = "f64")]
    pub began_ns: u64,
    /// How long it took, in microseconds.
    #[serde(rename = "latency_us", serialize_with = "documents::micros")]
    #[schemars(with = "f64")]
    pub length: Nanos,
    /// Its class.
    pub class: Class,
    /// The index of its target, if targets are counted.
    #[serde(skip)]
    pub target: Option<usize>,
    /// Almost none of the others takes longer than this, in microseconds.
    pub usual_us: f64,
}

/// The I/Os that took so long that their length alone is a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LongCount {
    /// At least this many.
    pub least: u64,
    /// At most this many.
    pub exact: bool,
}

/// How many took that long: all that the histograms have, and of those that crossed the beginning of a window the longest of each visit.
pub fn count(record: &Record, phases: &[PhaseFound], limit: Nanos) -> LongCount {
    let sum = |is_counted: &dyn Fn(u64, u64) -> bool| {
        let all = phases.iter().flat_map(|phase| phase.classes.values()).flat_map(|io| io.latency.buckets());
        all.filter(|(low, high, _)| is_counted(*low, *high)).map(|(.., n)| n).fold(0, u64::saturating_add)
    };
    let surely = sum(&|low, _| low >= limit.0);
    // Their bucket has shorter ones, too.
    let perhaps = sum(&|low, high| low < limit.0 && high > limit.0);
    let tallies = record.visits.iter().flat_map(|visit| visit.tallies.values());
    let carried: Vec<u64> = tallies
        .filter(|tally| tally.edges.longest_before_ns >= limit.0)
        .map(|tally| tally.edges.carried)
        .collect();
    let least = surely.saturating_add(carried.len() as u64);
    let is_alone = carried.iter().all(|&carried| carried <= 1);
    LongCount { least: least.max(perhaps.min(1)), exact: is_alone && perhaps <= u64::from(least == 0) }
}

/// The longest of those I/Os of a record that are far longer than nearly all others of their phase.
pub fn longest(record: &Record, phases: &[PhaseFound], targets: Option<&ByTarget>) -> Option<LongIo> {
    // Of a load of thousands of visits once.
    let mut known: BTreeMap<(u32, Class), Option<UsualTime>> = BTreeMap::new();
    let mut longest: Option<(u64, Class, UsualTime, &Visit)> = None;
    for visit in &record.visits {
        let Purpose::Phase(number) = visit.purpose else { continue };
        for (&class, tally) in &visit.tallies {
            let usual = known.entry((number, class)).or_insert_with(|| usual(phases, number, class, tally));
            let far = usual.filter(|usual| usual.is_far(tally.longest_ns()));
            let found = far.map(|usual| (tally.longest_ns(), class, usual, visit));
            longest = longest.into_iter().chain(found).max_by_key(|one| one.0);
        }
    }
    let (length_ns, class, usual, visit) = longest?;
    Some(LongIo {
        began_ns: over_ns(record, visit, class, length_ns).saturating_sub(length_ns),
        length: Nanos(length_ns),
        class,
        target: targets.and_then(|all| all.longest_ns.iter().position(|&longest| longest == length_ns)),
        usual_us: us_from_ns(to_f64(usual.most_ns)),
    })
}

fn usual(phases: &[PhaseFound], number: u32, class: Class, tally: &ClassTally) -> Option<UsualTime> {
    let phase = phases.iter().find(|phase| phase.number == number)?;
    let visits = usize::try_from(phase.visits).unwrap_or(usize::MAX);
    UsualTime::of(&phase.classes.get(&class)?.latency, tally.planned, visits)
}

/// When an I/O of a visit was over: at the end of the interval that contains it, or with the visit if it outlasted the window.
fn over_ns(record: &Record, visit: &Visit, class: Class, length_ns: u64) -> u64 {
    let mut own = record.intervals.iter().filter(|interval| interval.visit == visit.number);
    let ended_in = |tally: &ClassTally| tally.longest_ns() == length_ns && tally.edges.beyond == 0;
    let interval = own.find(|interval| interval.tallies.get(&class).is_some_and(ended_in));
    interval.map_or(visit.ended_ns(), |interval| interval.began_ns.saturating_add(interval.measured_ns))
}
