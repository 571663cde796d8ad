//! The intervals of a class cut into cells of so many I/Os that their mean says something. Must not judge one.

use rigel_core::load::class::Class;
use rigel_core::measure::ClassTally;
use rigel_core::record::{Interval, Record};
use rigel_core::stats::sample::{median, sorted};
use rigel_core::units::to_f64;
use std::collections::{BTreeMap, BTreeSet};

/// The usual number of I/Os in a cell.
pub(super) const IOS_OF_A_CELL: f64 = 50.0;

/// The unit of judgement: a part of an interval, or all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub began_ns: u64,
    pub ended_ns: u64,
    /// The step that has the load: phases of the same load share it.
    pub load: usize,
    /// The place of its interval among all.
    pub interval: usize,
    pub ios: u64,
    pub sum_ns: u64,
    /// Of a whole interval.
    pub p50_ns: Option<u64>,
    pub is_open: bool,
}

impl Cell {
    pub fn length_ns(&self) -> f64 {
        to_f64(self.ended_ns.saturating_sub(self.began_ns).max(1))
    }

    pub fn mean_ns(&self) -> f64 {
        to_f64(self.sum_ns) / to_f64(self.ios.max(1))
    }

    /// I/Os per nanosecond.
    pub fn rate(&self) -> f64 {
        to_f64(self.ios) / self.length_ns()
    }

    pub fn with(self, next: Self) -> Self {
        let (ios, sum_ns) = (self.ios.saturating_add(next.ios), self.sum_ns.saturating_add(next.sum_ns));
        Self { ended_ns: next.ended_ns, ios, sum_ns, ..self }
    }

    /// Nothing completed, or only what a standstill delayed.
    pub fn is_silent(&self) -> bool {
        self.ios == 0 || self.p50_ns.is_some() && self.mean_ns() >= self.length_ns()
    }
}

/// The load of an interval.
pub(super) fn load(record: &Record, interval: &Interval) -> usize {
    let phases = &record.header.plan.phases;
    let phase = interval.visit.checked_rem(phases.len() as u64).and_then(|phase| usize::try_from(phase).ok());
    phase.and_then(|phase| phases.get(phase)).map_or(0, |phase| phase.step)
}

/// The cells of a class, in order.
pub(super) fn cells(record: &Record, class: Class) -> Vec<Cell> {
    let own = record.intervals.iter().enumerate().filter_map(|(place, interval)| {
        Some((place, load(record, interval), interval, interval.tallies.get(&class)?))
    });
    let own: Vec<(usize, usize, &Interval, &ClassTally)> = own.collect();
    let mut parts: Vec<(Cell, Vec<Cell>)> = Vec::new();
    for (place, load, interval, tally) in own {
        parts.push((whole(place, load, interval, tally), parts_of(place, load, interval, tally)));
    }
    let loads: BTreeSet<usize> = parts.iter().map(|one| one.0.load).collect();
    let lengths: BTreeMap<usize, Option<f64>> =
        loads.into_iter().map(|load| (load, length(&parts, load))).collect();
    let cut = |(whole, parts): &(Cell, Vec<Cell>)| match lengths.get(&whole.load).copied().flatten() {
        Some(length) => joined(parts, length),
        None => vec![*whole],
    };
    parts.iter().flat_map(cut).collect()
}

fn whole(place: usize, load: usize, interval: &Interval, tally: &ClassTally) -> Cell {
    let all = tally.all_latencies_after(0);
    Cell {
        began_ns: interval.began_ns,
        ended_ns: interval.began_ns.saturating_add(interval.measured_ns),
        load,
        interval: place,
        ios: all.count(),
        sum_ns: all.sum_ns(),
        p50_ns: Some(all.quantile_ns(0.5).unwrap_or(0)),
        is_open: tally.open.is_some(),
    }
}

fn parts_of(place: usize, load: usize, interval: &Interval, tally: &ClassTally) -> Vec<Cell> {
    let series = &tally.series;
    let whole = whole(place, load, interval, tally);
    let part = |(number, (&ios, &sum_ns)): (u64, (&u32, &u64))| {
        let began_ns = interval.began_ns.saturating_add(series.bucket_ns.saturating_mul(number));
        let ended_ns = began_ns.saturating_add(series.bucket_ns).min(whole.ended_ns);
        Cell { began_ns, ended_ns, ios: u64::from(ios), sum_ns, p50_ns: None, ..whole }
    };
    let all = (0..).zip(series.ops.iter().zip(&series.latency_sum_ns)).map(part);
    all.filter(|cell| cell.began_ns < cell.ended_ns).collect()
}

/// The necessary length of the cells of a load; `None` if its intervals have too few parts for that.
fn length(intervals: &[(Cell, Vec<Cell>)], load: usize) -> Option<f64> {
    let own = || intervals.iter().filter(move |one| one.0.load == load);
    let rates = sorted(&own().flat_map(|one| one.1.iter().map(Cell::rate)).collect::<Vec<_>>());
    let rate = *rates.get(rates.len().checked_sub(rates.len() / 4 + 1)?)?;
    let part_ns = own().flat_map(|one| one.1.iter().map(Cell::length_ns)).fold(0.0, f64::max);
    let length_ns = part_ns.max(IOS_OF_A_CELL / rate);
    let usual_ns = median(&own().map(|one| one.0.length_ns()).collect::<Vec<_>>());
    (2.0 * length_ns <= usual_ns).then_some(length_ns)
}

/// Parts joined to cells of that length; a short rest belongs to the last one.
fn joined(parts: &[Cell], length_ns: f64) -> Vec<Cell> {
    let mut all: Vec<Cell> = Vec::new();
    let mut open: Option<Cell> = None;
    for part in parts {
        let cell = open.take().map_or(*part, |cell| cell.with(*part));
        if cell.length_ns() >= length_ns {
            all.push(cell);
        } else {
            open = Some(cell);
        }
    }
    match (open, all.last_mut()) {
        (Some(rest), Some(last)) if 2.0 * rest.length_ns() < length_ns => *last = last.with(rest),
        (rest, _) => all.extend(rest),
    }
    all
}
