//! Gates: a bound on a change, `small_iops < -5%`, that a pipeline may fail by.
//!
//! A gate is judged by intervals: it fails where the whole interval of a change lies beyond the bound, and passes where the
//! whole interval keeps it. Must not choose an exit code.

use super::metric::Metric;
use super::{Comparison, Row};
use crate::error::Problem;
use crate::load::matrix::Point;

/// Which side of the bound is beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    Below,
    Above,
}

/// A bound on a change.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What it is about.
    pub metric: Metric,
    beyond: Beyond,
    /// The bound, relative: -0.05 is 5 % less.
    bound: f64,
    /// As it was typed, without blanks around it.
    pub text: String,
}

/// What became of a gate, at one point or altogether.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The change keeps the bound.
    Passed,
    /// The interval of the change holds the bound, or there is none.
    Undecided,
    /// The change is beyond the bound.
    Failed,
}

impl Outcome {
    /// The name in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Undecided => "undecided",
            Self::Failed => "failed",
        }
    }
}

/// A gate with what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate.
    pub gate: Gate,
    /// What became of it: the worst of its rows.
    pub outcome: Outcome,
    /// Its rows by their place in the comparison.
    pub rows: Vec<(usize, Outcome)>,
    /// Load levels that only some of the runs have, where the bound may be broken. They leave a gate open that does not fail.
    pub unseen: Vec<Point>,
}

impl Gate {
    /// Reads `METRIC < N%` or `METRIC > N%`.
    ///
    /// # Errors
    /// A usage problem that says what is wrong with the text, and what a gate looks like.
    pub fn read(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        let wrong = |what: String| {
            Problem::usage(what)
                .at(format!("--fail-if '{}'", crate::path_text::printable(text)))
                .next("write METRIC < N% or METRIC > N%, for example 'small_iops < -5%' or 'small_p99 > 20%'")
        };
        let Some(at) = text.find(['<', '>']) else {
            return Err(wrong("the gate has neither < nor >".to_owned()));
        };
        let (name, rest) = text.split_at(at);
        let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name.trim());
        let metric = metric.ok_or_else(|| {
            let names: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
            wrong(format!("'{}' is no quantity that is compared", crate::path_text::printable(name.trim())))
                .because(format!("there are {}", names.join(", ")))
        })?;
        let beyond = if rest.starts_with('<') { Beyond::Below } else { Beyond::Above };
        let Some(number) = rest[1..].trim().strip_suffix('%') else {
            return Err(wrong("the bound is not in per cent".to_owned()));
        };
        let percent: f64 =
            number.trim().parse().ok().filter(|percent: &f64| percent.is_finite()).ok_or_else(|| {
                wrong(format!("'{}' is no number", crate::path_text::printable(number.trim())))
            })?;
        let never = (beyond == Beyond::Below && percent <= -100.0).then_some("a value never falls below 0");
        match never {
            Some(reason) => Err(wrong("the gate could never fail".to_owned()).because(reason)),
            None => Ok(Self { metric, beyond, bound: percent / 100.0, text: text.to_owned() }),
        }
    }

    /// What becomes of it at one row.
    fn at(&self, row: &Row) -> Outcome {
        let Ok(change) = &row.change else {
            return Outcome::Undecided;
        };
        let (whole_beyond, whole_within) = match self.beyond {
            Beyond::Below => (change.hi < self.bound, change.lo >= self.bound),
            Beyond::Above => (change.lo > self.bound, change.hi <= self.bound),
        };
        match (whole_beyond, whole_within) {
            (true, _) => Outcome::Failed,
            (_, true) => Outcome::Passed,
            _ => Outcome::Undecided,
        }
    }

    /// What becomes of it.
    ///
    /// # Errors
    /// When the comparison has no row of the quantity: a gate must not pass because nothing was measured.
    pub fn judge(self, comparison: &Comparison) -> Result<GateResult, Problem> {
        let of_metric = comparison.rows.iter().enumerate().filter(|(_, row)| row.metric == self.metric);
        let rows: Vec<(usize, Outcome)> = of_metric.map(|(place, row)| (place, self.at(row))).collect();
        // A quantity of the runs is the best of each, whatever its levels.
        let class = self.metric.class();
        let left_out = comparison.left_out.iter().copied().filter(|point| point.of(class) > 0);
        let unseen: Vec<Point> = left_out.filter(|_| !self.metric.is_of_a_run()).collect();
        let open = (!unseen.is_empty()).then_some(Outcome::Undecided);
        let worst = rows.iter().map(|row| row.1).max();
        let outcome = worst.map(|worst| open.map_or(worst, |open| open.max(worst)));
        let Some(outcome) = outcome else {
            return Err(Problem::usage(format!("the runs have no {} in common", self.metric.name()))
                .at(format!("--fail-if '{}'", self.text))
                .because("no point that all runs measured has that class of I/O")
                .next("gate on a quantity of the table, or compare runs of the same levels"));
        };
        Ok(GateResult { gate: self, outcome, rows, unseen })
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::{Change, Doubt, RestsOn};
    use super::super::{Comparison, Effect, Row};
    use super::*;

    fn row(metric: Metric, ends: Option<(f64, f64)>) -> Row {
        let side = crate::stats::Estimate::bare(1.0);
        let change = ends.ok_or(Doubt::NoInterval).map(|(lo, hi)| Change {
            relative: f64::midpoint(lo, hi),
            lo,
            hi,
            df: 9.0,
            rests_on: RestsOn::Intervals,
        });
        let point = Some(Point::pair(1, 0));
        let verdict = Effect::NoEvidence(Doubt::WithinNoise);
        Row { metric, point, base: side, new: side, change, verdict }
    }

    fn outcome(gate: &str, ends: &[Option<(f64, f64)>]) -> Outcome {
        let rows = ends.iter().map(|&ends| row(Metric::SmallIops, ends)).collect();
        let comparison = Comparison { rows, ..Comparison::default() };
        Gate::read(gate).unwrap().judge(&comparison).unwrap().outcome
    }

    #[test]
    fn a_gate_fails_only_by_the_whole_interval() {
        assert_eq!(outcome("small_iops < -5%", &[Some((-0.2, -0.06))]), Outcome::Failed);
        assert_eq!(outcome("small_iops < -5%", &[Some((-0.2, -0.04))]), Outcome::Undecided);
        assert_eq!(outcome("small_iops<-5%", &[Some((-0.05, 0.3))]), Outcome::Passed);
        assert_eq!(outcome(" small_iops > 10 % ", &[Some((0.11, 0.2))]), Outcome::Failed);
        assert_eq!(outcome("small_iops > 10%", &[Some((-0.1, 0.1))]), Outcome::Passed);
        assert_eq!(outcome("small_iops > 10%", &[Some((0.05, 0.2))]), Outcome::Undecided);
    }

    #[test]
    fn the_worst_row_decides_and_a_row_without_a_change_leaves_it_open() {
        let (good, bad) = (Some((-0.01, 0.01)), Some((-0.3, -0.2)));
        assert_eq!(outcome("small_iops < -5%", &[good, good]), Outcome::Passed);
        assert_eq!(outcome("small_iops < -5%", &[good, None]), Outcome::Undecided);
        assert_eq!(outcome("small_iops < -5%", &[good, None, bad]), Outcome::Failed);
    }

    #[test]
    fn a_point_that_is_missing_leaves_a_gate_open() {
        let judged = |left_out: Point, ends| {
            let rows = vec![row(Metric::SmallIops, Some(ends))];
            let comparison = Comparison { rows, left_out: vec![left_out], ..Comparison::default() };
            Gate::read("small_iops < -5%").unwrap().judge(&comparison).unwrap().outcome
        };
        let small = Point::pair(8, 0);
        assert_eq!(judged(small, (-0.01, 0.01)), Outcome::Undecided);
        assert_eq!(judged(small, (-0.3, -0.2)), Outcome::Failed);
        assert_eq!(judged(Point::pair(0, 2), (-0.01, 0.01)), Outcome::Passed);
    }

    #[test]
    fn a_quantity_of_the_runs_needs_no_equal_levels() {
        let left_out = vec![Point::pair(70, 0), Point::pair(0, 2)];
        let judged = |metric: Metric, gate: &str| {
            let rows = vec![row(metric, Some((-0.278, -0.046)))];
            let comparison = Comparison { rows, left_out: left_out.clone(), ..Comparison::default() };
            Gate::read(gate).unwrap().judge(&comparison).unwrap()
        };
        let best = judged(Metric::MinSmallLatency, "min_small_latency > +10%");
        assert_eq!((best.outcome, best.unseen), (Outcome::Passed, vec![]));
        let point = judged(Metric::SmallP99, "small_p99 > +10%");
        let own = vec![Point::pair(70, 0)];
        assert_eq!((point.outcome, point.unseen), (Outcome::Undecided, own), "not those of the other class");
    }

    #[test]
    fn a_gate_on_nothing_is_a_problem() {
        let comparison = Comparison { rows: vec![row(Metric::LargeMbps, None)], ..Comparison::default() };
        let problem = Gate::read("small_iops < -5%").unwrap().judge(&comparison).unwrap_err();
        assert!(problem.to_string().contains("no small_iops in common"), "{problem}");
    }

    #[test]
    fn a_gate_that_cannot_be_read_says_why() {
        for (text, what) in [
            ("", "neither < nor >"),
            ("small_iops -5%", "neither < nor >"),
            ("iops < -5%", "'iops' is no quantity"),
            ("small_iops < -5", "not in per cent"),
            ("small_iops < five%", "'five' is no number"),
            ("small_iops < nan%", "'nan' is no number"),
            ("small_iops < -100%", "could never fail"),
            ("small_iops <= -5%", "'= -5' is no number"),
            ("\u{1b}[2J < 5%", "\\x1b[2J"),
        ] {
            let problem = Gate::read(text).unwrap_err();
            assert!(problem.to_string().contains(what), "{text}: {problem}");
            assert_eq!(problem.kind.code(), 2);
        }
    }
}
