//! Spells: times in which the I/Os of a class were far slower than the same load has them elsewhere, whatever part of a phase or of several they cover.
//!
//! Intervals are cut into cells of so many I/Os that chance makes none slow, and what is usual is what the faster quarter of the cells of a load has. In a
//! closed loop a slow cell has a high mean and a low rate: a standstill makes one cell slow at most, and a rare long I/O leaves the rate. Where intervals
//! cannot be cut, mean and median of a whole one are far higher. Must not look at failures.

mod blame;
mod cells;

use cells::{Cell, IOS_OF_A_CELL, cells};
use rigel_core::documents;
use rigel_core::load::class::Class;
use rigel_core::record::Record;
use rigel_core::stats::sample::sorted;
use rigel_core::units::{NS_PER_MS, Nanos, to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How much slower than usual a spell is: an I/O that takes the device five times as long, less the constant time of the host.
const SLOWER: f64 = 4.0;
/// The same for medians, which are known within 13 %.
const SLOWER_MEDIAN: f64 = 3.0;
/// In a closed loop this many times fewer I/Os complete in it.
const FEWER: f64 = 3.0;
/// With fewer cells of a load it is unknown what is usual.
const LEAST_CELLS: usize = 4;
/// The same for whole intervals: of two, one may be slow.
const LEAST_INTERVALS: usize = 2;
/// Fewer I/Os say nothing of a whole interval.
const LEAST_IOS: u64 = 5;
/// A shorter time is not a spell; a single long I/O is reported as such.
const LEAST_NS: u64 = 500 * NS_PER_MS;

/// A time in which the I/Os of a class were slow.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Spell {
    /// When it began, in seconds of load.
    #[serde(rename = "at_s", serialize_with = "documents::ns_in_seconds")]
    #[schemars(with = "f64")]
    pub began_ns: u64,
    /// How long it lasted, in seconds.
    #[serde(rename = "lasted_s", serialize_with = "documents::seconds")]
    #[schemars(with = "f64")]
    pub lasted: Nanos,
    /// The class.
    pub class: Class,
    /// The numbers of the targets that account for it, if targets are counted; empty if all do.
    #[serde(skip)]
    pub targets: Vec<usize>,
    /// The highest mean latency of a part of it, in microseconds.
    #[serde(rename = "latency_mean_us")]
    pub mean_us: f64,
    /// The latency of the same load elsewhere: a quarter of its time is faster.
    pub usual_us: f64,
}

impl Spell {
    /// When it ended, in nanoseconds of load.
    pub const fn ended_ns(&self) -> u64 {
        self.began_ns.saturating_add(self.lasted.0)
    }
}

/// What the cells of a load usually have.
#[derive(Clone, Copy, Debug)]
struct Usual {
    mean_ns: f64,
    p50_ns: f64,
    rate: f64,
}

impl Usual {
    fn of(own: &[&Cell]) -> Option<Self> {
        let is_whole = own.first()?.p50_ns.is_some();
        let busy: Vec<&Cell> = own.iter().copied().filter(|cell| !cell.is_silent()).collect();
        let least = if is_whole { LEAST_INTERVALS } else { LEAST_CELLS };
        let of =
            |figure: &dyn Fn(&Cell) -> f64| sorted(&busy.iter().map(|cell| figure(cell)).collect::<Vec<_>>());
        let (means, p50s) = (of(&Cell::mean_ns), of(&|cell| to_f64(cell.p50_ns.unwrap_or(0))));
        let rates = of(&Cell::rate);
        let low = busy.len() / 4;
        let fast = Self {
            mean_ns: *means.get(low)?,
            p50_ns: *p50s.get(low)?,
            rate: *rates.get(rates.len().checked_sub(low + 1)?)?,
        };
        (busy.len() >= least).then_some(fast)
    }

    fn is_slow(&self, cell: &Cell) -> bool {
        let has_slow_mean = cell.mean_ns() >= SLOWER * self.mean_ns;
        has_slow_mean
            && match cell.p50_ns {
                Some(p50_ns) => cell.ios >= LEAST_IOS && to_f64(p50_ns) >= SLOWER_MEDIAN * self.p50_ns,
                // How many arrive is given: there are enough of them to judge by.
                None if cell.is_open => to_f64(cell.ios) >= IOS_OF_A_CELL / 2.0,
                None => FEWER * cell.rate() <= self.rate,
            }
    }
}

/// The spells of a soak, in order.
pub fn of(record: &Record) -> Vec<Spell> {
    let classes: BTreeSet<Class> =
        record.intervals.iter().flat_map(|interval| interval.tallies.keys().copied()).collect();
    let mut found: Vec<Spell> = classes
        .into_iter()
        .flat_map(|class| {
            let cells = cells(record, class);
            let mut own = spells(&cells, class);
            blame::name(&mut own, record, class);
            own
        })
        .collect();
    found.sort_by_key(|spell| (spell.began_ns, spell.class));
    found
}

/// Slow cells that follow each other.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: Cell,
    last: Cell,
    cells: usize,
    mean_ns: f64,
    usual_ns: f64,
}

impl Run {
    fn with(self, cell: Cell, usual: Usual) -> Self {
        let (mean_ns, usual_ns) = if cell.mean_ns() > self.mean_ns {
            (cell.mean_ns(), usual.mean_ns)
        } else {
            (self.mean_ns, self.usual_ns)
        };
        Self { last: cell, cells: self.cells + 1, mean_ns, usual_ns, ..self }
    }

    /// Where a standstill ends, one cell may look slow.
    fn spell(&self, class: Class) -> Option<Spell> {
        let lasted_ns = self.last.ended_ns.saturating_sub(self.first.began_ns);
        let is_long = self.first.p50_ns.is_some() || self.cells > 1 && lasted_ns >= LEAST_NS;
        is_long.then(|| Spell {
            began_ns: self.first.began_ns,
            lasted: Nanos(lasted_ns),
            class,
            targets: Vec::new(),
            mean_us: us_from_ns(self.mean_ns),
            usual_us: us_from_ns(self.usual_ns),
        })
    }
}

/// The spells in the cells of a class, which are in order.
fn spells(cells: &[Cell], class: Class) -> Vec<Spell> {
    let mut by_load: BTreeMap<usize, Vec<&Cell>> = BTreeMap::new();
    cells.iter().for_each(|cell| by_load.entry(cell.load).or_default().push(cell));
    let usual: BTreeMap<usize, Usual> =
        by_load.into_iter().filter_map(|(load, own)| Some((load, Usual::of(&own)?))).collect();
    let mut runs: Vec<Run> = Vec::new();
    let mut open: Option<Run> = None;
    for cell in cells {
        // Where the class rested in between, nobody knows how fast it would have been.
        runs.extend(open.take_if(|run| cell.interval > run.last.interval + 1));
        let slow = usual.get(&cell.load).filter(|usual| !cell.is_silent() && usual.is_slow(cell));
        match (slow, open) {
            (Some(usual), None) => {
                let (mean_ns, usual_ns) = (cell.mean_ns(), usual.mean_ns);
                open = Some(Run { first: *cell, last: *cell, cells: 1, mean_ns, usual_ns });
            }
            (Some(usual), Some(run)) => open = Some(run.with(*cell, *usual)),
            // A standstill within a spell does not end it.
            (None, Some(run)) if cell.is_silent() => {
                let interval = cell.interval;
                open = Some(Run { last: Cell { interval, ..run.last }, ..run });
            }
            (None, run) => {
                runs.extend(run);
                open = None;
            }
        }
    }
    runs.extend(open);
    runs.iter().filter_map(|run| run.spell(class)).collect()
}

#[cfg(test)]
mod tests;
