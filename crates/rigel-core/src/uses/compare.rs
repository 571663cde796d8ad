//! Two sides of runs, point by point: what changed, and how sure that is.
//!
//! A side is one run or several of the same kind. The input is records with their findings, the output is rows.
//! Every row is judged by an interval of its change. The intervals of a quantity are simultaneous, so a matrix of
//! many points does not show a change by chance. Must not format, and must not choose an exit code.

mod alike;
pub mod change;
mod effect;
pub mod gate;
mod metric;
mod past;
mod shown;

pub use alike::Difference;
pub use effect::{Effect, MARGIN};
pub use metric::Metric;
pub use past::Past;

use crate::judge::findings::Findings;
use crate::load::matrix::Point;
use crate::load::pace::LevelChoice;
use crate::record::Record;
use crate::stats::Estimate;
use change::{Change, Doubt, Measured};

/// A run with its findings.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Its record.
    pub record: &'a Record,
    /// What it says.
    pub findings: &'a Findings,
}

/// Whether the number of a side may be used by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
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
    pub metric: Metric,
    /// Where; `None` for a quantity of runs.
    pub point: Option<Point>,
    /// The base.
    pub base: Estimate,
    /// The new side.
    pub new: Estimate,
    /// Whether that may be used by itself.
    pub standing: Standing,
    /// The same of the base.
    pub base_standing: Standing,
    /// How much the new side differs; the reason when that cannot be told.
    pub change: Result<Change, Doubt>,
    /// What that says.
    pub verdict: Effect,
}

/// A comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// By metric in the order of [`Metric::ALL`], then by large and by small outstanding I/Os.
    pub rows: Vec<Row>,
    /// Other differences between the runs. Those that make the runs incomparable come first.
    pub differences: Vec<Difference>,
    /// Points that only some of the runs have.
    pub left_out: Vec<Point>,
}

impl Comparison {
    /// Compares all runs of one side with all of the other.
    pub fn of(base: &[Run<'_>], new: &[Run<'_>]) -> Self {
        Self::with_past(base, new, &[Past::default(); 2])
    }

    /// The same where sessions of the past tell how much those of each side differ: a single run of a side is one of them.
    pub fn with_past(base: &[Run<'_>], new: &[Run<'_>], past: &[Past; 2]) -> Self {
        let all: Vec<&Run<'_>> = base.iter().chain(new).collect();
        let Some((first, others)) = all.split_first() else {
            return Self::default();
        };
        let left_out = alike::left_out(&all);
        let mut points: Vec<Point> = first.findings.points.iter().map(|found| found.point).collect();
        points.retain(|point| !left_out.contains(point));
        points.sort_by_key(|point| point.by_rows());
        let of = |metric| {
            let unequal = has_unequal_levels(metric, &all, &left_out);
            let judged = move |row: Row| if unequal { row.of_unequal_levels() } else { row };
            rows(metric, &points, (base, new), past).into_iter().map(judged)
        };
        Self {
            rows: Metric::ALL.into_iter().filter(|&metric| is_common(metric, &all)).flat_map(of).collect(),
            differences: alike::differences(first, others),
            left_out,
        }
    }

    /// What makes the runs incomparable.
    pub fn incomparable(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().filter(|difference| difference.incomparable)
    }
}

impl Row {
    /// Whether a flag says that a number of one side must not be used.
    pub const fn is_invalid(&self) -> bool {
        matches!(self.verdict, Effect::Undecided(Doubt::Invalid))
    }

    /// The same without a verdict, unless there is a better reason for that.
    fn of_unequal_levels(self) -> Self {
        let change = self.change.and(Err(Doubt::UnequalLevels));
        Self { verdict: Effect::of(self.metric, &change), change, ..self }
    }
}

/// Whether a quantity is the same in all runs. The rate within a bound is not, when the bounds differ.
fn is_common(metric: Metric, runs: &[&Run<'_>]) -> bool {
    let bound = |run: &&Run<'_>| run.record.header.request.bound;
    metric != Metric::MaxIops || runs.windows(2).all(|pair| bound(&pair[0]) == bound(&pair[1]))
}

/// Whether the best of some run was found at a level that another run was not given.
fn has_unequal_levels(metric: Metric, runs: &[&Run<'_>], left_out: &[Point]) -> bool {
    let searched = |run: &&Run<'_>| run.record.header.request.levels == LevelChoice::Auto;
    let best = |run: &&Run<'_>| metric.best(run.findings).map(|best| best.point);
    !runs.iter().all(searched) && runs.iter().filter_map(best).any(|at| left_out.contains(&at))
}

/// The rows of one metric: one for each point of the runs, or one for the runs.
fn rows(
    metric: Metric,
    points: &[Point],
    (base, new): (&[Run<'_>], &[Run<'_>]),
    past: &[Past; 2],
) -> Vec<Row> {
    let side = |runs: &[Run<'_>], point: Option<Point>| -> Option<Vec<Measured>> {
        runs.iter().map(|run| measured(metric, run, point)).collect()
    };
    let places = points.iter().copied().map(Some).chain([None]);
    let sides: Vec<(Option<Point>, Vec<Measured>, Vec<Measured>)> =
        places.filter_map(|point| Some((point, side(base, point)?, side(new, point)?))).collect();
    let judged = if metric.is_chosen() {
        // The best of many is chosen among as many.
        points.iter().filter(|point| point.of(metric.class()) > 0).count()
    } else {
        sides.iter().filter(|(_, base, new)| change::doubt(base, new).is_none()).count()
    };
    let row = |(point, base, new): &(Option<Point>, Vec<Measured>, Vec<Measured>)| {
        let past = past.map(|past| past.of(metric));
        let change = change::change_between_sessions(base, new, judged, past);
        Row {
            metric,
            point: *point,
            base: change::side(base, new),
            new: change::side(new, base),
            standing: standing(new),
            base_standing: standing(base),
            verdict: Effect::of(metric, &change),
            change,
        }
    };
    sides.iter().map(row).collect()
}

fn standing(side: &[Measured]) -> Standing {
    if side.iter().any(|one| one.invalid) { Standing::Invalid } else { Standing::Usable }
}

fn measured(metric: Metric, run: &Run<'_>, point: Option<Point>) -> Option<Measured> {
    match point {
        Some(point) => metric.at(run.findings.points.iter().find(|found| found.point == point)?),
        None => metric.of(run.findings),
    }
}

#[cfg(test)]
mod tests;
