//! Two sides of runs, point by point: what changed, and how certain that is.
//!
//! A side is one run or several of the same kind. The input is records with their findings, the output is rows.
//! Every row is judged by an interval of its change. The intervals of a quantity are simultaneous, so a matrix of
//! many points does not show a change by chance. Must not format, and must not choose an exit code.

mod alike;
pub mod change;
mod effect;
pub mod gate;
mod past;
mod points;
mod seen;
mod shown;
mod soak_totals;
pub mod tools;

pub use alike::Difference;
pub(crate) use alike::differences;
pub use effect::{Effect, MARGIN};
pub use past::SessionSpread;
pub use points::OverPoints;
pub use seen::SeenChange;
pub use soak_totals::SoakTotals;

use crate::versus::{OverallRatio, Versus};
use change::{Change, Doubt, RunQuantity};
use rigel_core::judge::answers::MAX_IOPS;
use rigel_core::judge::findings::Findings;
use rigel_core::judge::quantity::{Figure, Quantity, Scope, What};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::record::Record;
use rigel_core::stats::Estimate;
use std::collections::BTreeMap;

/// A run with its findings.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Its record.
    pub record: &'a Record,
    /// Its findings.
    pub findings: &'a Findings,
}

/// Whether the number of a side may be used on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideUsability {
    /// It may.
    Usable,
    /// The tool began I/Os late: that of the storage alone is below a latency.
    Late,
    /// A flag says that it must not.
    Invalid,
    /// More I/O arrived than was served: a latency that says how long was measured.
    Behind {
        /// Whether the other side kept up with the same load.
        alone: bool,
    },
}

/// One quantity of one point, or of the runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Which quantity.
    pub quantity: Quantity,
    /// Where; `None` for a quantity of runs.
    pub point: Option<Point>,
    /// The base.
    pub base: Estimate,
    /// The new side.
    pub new: Estimate,
    /// Whether that may be used on its own.
    pub standing: SideUsability,
    /// The same of the base.
    pub base_standing: SideUsability,
    /// How much the new side differs; the reason when that is not known.
    pub change: Result<Change, Doubt>,
    /// What that says.
    pub verdict: Effect,
    /// It follows from another row of its point.
    pub follows: bool,
}

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// By quantity in the order of [`Findings::all_figures`], then by the levels of points.
    pub rows: Vec<Row>,
    /// Other differences between the runs. Those that make the runs incomparable come first.
    pub differences: Vec<Difference>,
    /// Points that only some of the runs have.
    pub left_out: Vec<Point>,
    /// Runs that both sides have: of what changed since they say nothing.
    pub on_both: Vec<String>,
    /// What each side endured, where all runs are soaks.
    pub endured: Option<[SoakTotals; 2]>,
}

impl Run<'_> {
    /// Whether both are the same measurement, whatever the names of their files.
    pub fn is_same(&self, other: &Self) -> bool {
        self.record.header == other.record.header && self.record.visits == other.record.visits
    }
}

/// The part of the base that the new side has too.
fn on_both<'a, T>(
    base: &'a [T],
    new: &'a [T],
    is_same: impl Fn(&T, &T) -> bool,
) -> impl Iterator<Item = &'a T> {
    base.iter().filter(move |own| new.iter().any(|other| is_same(own, other)))
}

impl Comparison {
    /// Compares all runs of one side with all of the other.
    pub fn of(base: &[Run<'_>], new: &[Run<'_>]) -> Self {
        Self::with_past(base, new, &[SessionSpread::default(); 2])
    }

    /// The same if past sessions show how much those of each side differ: a single run of a side is one of them.
    pub fn with_past(base: &[Run<'_>], new: &[Run<'_>], past: &[SessionSpread; 2]) -> Self {
        let all: Vec<&Run<'_>> = base.iter().chain(new).collect();
        let Some((first, others)) = all.split_first() else {
            return Self::default();
        };
        let left_out = alike::left_out(&all);
        let sides = [base, new].map(|runs| runs.iter().map(measured).collect::<Vec<_>>());
        let is_common = |key: &Key| {
            let is_there = key.1.is_none_or(|point| !left_out.contains(&point));
            is_there && has_one_bound(key.0, &all) && sides.iter().flatten().all(|run| run.contains_key(key))
        };
        let points = first.findings.points.iter().map(|found| found.point);
        let points: Vec<Point> = points.filter(|point| !left_out.contains(point)).collect();
        let figures = figures(first);
        let keys: Vec<Key> = figures.iter().map(key).filter(is_common).collect();
        let load = |class| first.findings.points.iter().find_map(|found| found.io(class)).map(|io| &io.load);
        let of = |own: &[Key]| {
            let quantity = own[0].0;
            let unequal = has_unequal_levels(quantity, &all, &left_out);
            let judged = move |row: Row| if unequal { row.of_unequal_levels() } else { row };
            rows((&load, &points), (own, &keys), &sides, past).into_iter().map(judged)
        };
        Self {
            rows: keys.chunk_by(|one, other| one.0 == other.0).flat_map(of).collect(),
            differences: differences(first, others),
            left_out,
            on_both: on_both(base, new, Run::is_same).map(|run| run.record.header.run_id.clone()).collect(),
            endured: soak_totals::of(base, new),
        }
    }

    /// Why the runs cannot be compared.
    pub fn incomparable(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.incomparable)
    }
}

impl Row {
    /// Whether a flag says that a number of one side must not be used.
    pub const fn is_invalid(&self) -> bool {
        matches!(self.verdict, Effect::Undecided(Doubt::Invalid))
    }

    /// The same without a verdict, unless there is a better reason for that: a side that was not given the load says
    /// more than a number with few visits or no interval.
    fn of_unequal_levels(self) -> Self {
        let change = self.change.and(Err(Doubt::UnequalLevels)).map_err(|doubt| match doubt {
            Doubt::NoInterval | Doubt::OneVisit | Doubt::FewVisits => Doubt::UnequalLevels,
            doubt => doubt,
        });
        Self { verdict: Effect::of(self.quantity, &change), change, ..self }
    }
}

/// A quantity, and where; nowhere in particular of a quantity of runs.
pub(crate) type Key = (Quantity, Option<Point>);

fn key(figure: &Figure) -> Key {
    (figure.quantity, figure.place())
}

/// The figures of a run, each with whether it may be used.
fn measured(run: &Run<'_>) -> BTreeMap<Key, RunQuantity> {
    let findings = run.findings;
    let is_invalid = |point| findings.points.iter().any(|found| found.point == point && found.invalid());
    let one = |figure: &Figure| {
        RunQuantity::new(figure.quantity, figure.estimate, figure.point.is_some_and(is_invalid))
    };
    figures(run).iter().map(|figure| (key(figure), one(figure))).collect()
}

/// The figures of a run, in the order of outputs; of one of two sides first the ratio of B to A.
pub(crate) fn figures(run: &Run<'_>) -> Vec<Figure> {
    let versus = Versus::of(run.record, run.findings);
    let ratio = |one: &OverallRatio| Figure {
        quantity: Quantity { of: Scope::Ratio, ..one.quantity },
        estimate: one.ratio(),
        point: None,
    };
    let led = |versus: &Versus| {
        let own = versus.overall.iter().filter(|one| versus.leading.contains(&one.quantity));
        own.map(ratio).collect::<Vec<_>>()
    };
    let mut all: Vec<Figure> = versus.iter().flat_map(led).collect();
    all.extend(run.findings.all_figures());
    all
}

/// Whether a quantity means the same in all runs. The rate within a bound does not if the bounds differ, nor does the latency at it.
pub(crate) fn has_one_bound(quantity: Quantity, runs: &[&Run<'_>]) -> bool {
    let bound = |run: &Run<'_>| run.record.header.request.bound();
    let bounds = |run: &Run<'_>| run.record.header.request.slo().map(|slo| slo.bounds.clone());
    let is_same = |one: &Run<'_>, other: &Run<'_>| match quantity.what {
        _ if quantity == MAX_IOPS => bound(one) == bound(other),
        _ if quantity.of == Scope::WithinBound => bounds(one) == bounds(other),
        What::Bounded => bound(one).map(|bound| bound.of) == bound(other).map(|bound| bound.of),
        _ => true,
    };
    runs.windows(2).all(|pair| is_same(pair[0], pair[1]))
}

/// Whether the best of some run was found at a level that another run was not given.
fn has_unequal_levels(quantity: Quantity, runs: &[&Run<'_>], left_out: &[Point]) -> bool {
    let searched = |run: &&Run<'_>| run.record.header.request.searches_levels();
    let best = |run: &&Run<'_>| run.findings.figure(quantity)?.point;
    !runs.iter().all(searched) && runs.iter().filter_map(best).any(|at| left_out.contains(&at))
}

/// The usual number of points of a class in a calibration.
const POINTS_OF_A_DOCUMENT: usize = 10;

/// The rows of one quantity: one for each point of the runs, or one for the runs.
fn rows<'a>(
    (load, points): (&impl Fn(Class) -> Option<&'a LoadClass>, &[Point]),
    (keys, all): (&[Key], &[Key]),
    sides: &[Vec<BTreeMap<Key, RunQuantity>>; 2],
    past: &[SessionSpread; 2],
) -> Vec<Row> {
    let quantity = keys[0].0;
    let side = |key: &Key| sides.each_ref().map(|runs| runs.iter().map(|run| run[key]).collect::<Vec<_>>());
    let measured: Vec<(Option<Point>, [Vec<RunQuantity>; 2])> =
        keys.iter().map(|key| (key.1, side(key))).collect();
    let judged = if quantity.is_chosen() {
        // The best of many is chosen among as many; a document does not say among how many.
        let known = points.iter().filter(|point| point.of(quantity.class) > 0).count();
        if points.is_empty() { POINTS_OF_A_DOCUMENT } else { known }
    } else {
        measured.iter().filter(|(_, [base, new])| change::doubt(base, new).is_none()).count()
    };
    let past = past.map(|past| past.of(quantity));
    // A latency follows from a rate that is compared, too.
    let is_rate = |own: &Quantity| own.of == quantity.of && own.class == quantity.class && own.what.is_rate();
    let has_rate = |point: Option<Point>| all.iter().any(|(own, at)| *at == point && is_rate(own));
    let load = load(quantity.class);
    let row = |(point, [base, new]): &(Option<Point>, [Vec<RunQuantity>; 2])| {
        let change = change::change_between_sessions(base, new, judged, past);
        Row {
            quantity,
            point: *point,
            base: change::side(base, new),
            new: change::side(new, base),
            standing: standing(new),
            base_standing: standing(base),
            verdict: Effect::of(quantity, &change),
            change,
            follows: has_rate(*point) && load.is_some_and(|load| quantity.follows(load)),
        }
    };
    measured.iter().map(row).collect()
}

/// Whether the number of a side may be used: no flag of its runs forbids it.
pub(crate) fn standing(side: &[RunQuantity]) -> SideUsability {
    if side.iter().any(|one| one.invalid) { SideUsability::Invalid } else { SideUsability::Usable }
}

#[cfg(test)]
mod tests;
