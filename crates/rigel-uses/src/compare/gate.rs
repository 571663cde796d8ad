//! Gates: a bound on a change, `small_iops < -5%`, or on the new side itself, `small_p99 > 2ms`, that can fail a pipeline.
//!
//! A gate is judged by intervals: it fails if the whole interval is beyond the bound, and passes if the whole interval meets it. Must not choose
//! an exit code.

mod demanded;
mod text;

pub use demanded::demanded;

use super::{Comparison, Row, SideUsability};
use rigel_core::error::Problem;
use rigel_core::judge::quantity::Quantity;
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::Point;
use rigel_core::stats::{Basis, Estimate};

/// Which side of the bound is beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BreachSide {
    Below,
    Above,
}

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GateBound {
    /// The change, relative: -0.05 is 5 % less.
    Change(f64),
    /// The number of the new side, in the unit of its quantity.
    Value(f64),
}

/// A quantity with its bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// The quantity.
    pub quantity: Quantity,
    beyond: BreachSide,
    /// The bound.
    pub bound: GateBound,
    /// As typed, without surrounding blanks.
    pub text: String,
    /// The only level of its class that it is about; `None` for all of them.
    pub level: Option<u32>,
    /// It was required (`--require`): it is certainly kept, or it is not.
    pub required: bool,
}

/// The outcome of a gate, at one point or overall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// The bound is met.
    Passed,
    /// The interval contains the bound, or there is none.
    Undecided,
    /// All of the interval is beyond the bound.
    Failed,
}

rigel_core::named!(Outcome { Passed: "passed", Undecided: "undecided", Failed: "failed" });

/// A gate with its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct GateResult {
    /// The gate.
    pub gate: Gate,
    /// The outcome: the worst of its rows.
    pub outcome: Outcome,
    /// The indexes of its rows in the comparison.
    pub rows: Vec<(usize, Outcome)>,
    /// The outcome at the same rows if the base were judged by a bound on the number; empty for a bound on the change.
    pub base: Vec<(usize, Outcome)>,
    /// Load levels that only some of the runs have, where the bound may be broken. They leave a gate open that does not fail.
    pub unseen: Vec<Point>,
}

impl Gate {
    /// The outcome at one row.
    fn at(&self, row: &Row) -> Outcome {
        match self.bound {
            GateBound::Change(bound) => self.between(bound, change_ends(row), row.standing),
            GateBound::Value(bound) => self.of_number(bound, &row.new, row.standing),
        }
    }

    /// The outcome of a bound on a number.
    fn of_number(&self, bound: f64, number: &Estimate, standing: SideUsability) -> Outcome {
        self.between(bound, number_ends(number, standing, self.quantity), standing)
    }

    /// The outcome of a bound with a known or unknown interval.
    fn between(&self, bound: f64, ends: Option<(f64, f64)>, standing: SideUsability) -> Outcome {
        let Some((lo, hi)) = ends else {
            return Outcome::Undecided;
        };
        let (whole_beyond, whole_within) = match self.beyond {
            BreachSide::Below => (hi < bound, lo >= bound),
            BreachSide::Above => (lo > bound, hi <= bound),
        };
        // The storage alone has less.
        let shown_for_more = standing == SideUsability::Late && !self.quantity.what.is_rate();
        match (whole_beyond, whole_within) {
            (true, _) if shown_for_more && self.beyond == BreachSide::Above => Outcome::Undecided,
            (_, true) if shown_for_more && self.beyond == BreachSide::Below => Outcome::Undecided,
            (true, _) => Outcome::Failed,
            (_, true) => Outcome::Passed,
            _ => Outcome::Undecided,
        }
    }

    /// The outcome of a bound on a number, for a single storage; undecided for a bound on a change.
    pub fn of_estimate(&self, number: &Estimate, standing: SideUsability) -> Outcome {
        match self.bound {
            GateBound::Change(_) => Outcome::Undecided,
            GateBound::Value(bound) => self.of_number(bound, number, standing),
        }
    }

    /// Whether a number without an interval meets the bound.
    pub fn is_kept_by(&self, value: f64) -> bool {
        match (self.bound, self.beyond) {
            (GateBound::Change(_), _) => false,
            (GateBound::Value(bound), BreachSide::Below) => value >= bound,
            (GateBound::Value(bound), BreachSide::Above) => value <= bound,
        }
    }

    /// The outcome if the runs ended before it could be judged.
    pub const fn unjudged(self) -> GateResult {
        GateResult {
            gate: self,
            outcome: Outcome::Undecided,
            rows: Vec::new(),
            base: Vec::new(),
            unseen: Vec::new(),
        }
    }

    /// Whether more than the bound breaks it.
    pub const fn is_upper(&self) -> bool {
        matches!(self.beyond, BreachSide::Above)
    }

    /// Whether it is about a row.
    fn is_about(&self, row: &Row) -> bool {
        let is_level = |level| row.point.is_some_and(|point| point.of(row.quantity.class) == level);
        row.quantity.name() == self.quantity.name() && self.level.is_none_or(is_level)
    }

    /// Checks that a load can have the quantity at all, so that nobody waits for a gate on nothing.
    ///
    /// # Errors
    /// When no class of it has.
    pub fn check(&self, classes: &[LoadClass]) -> Result<(), Problem> {
        let of_class = |load: &LoadClass| Quantity::of_class(load, load.plain_name());
        let all: Vec<Quantity> = classes.iter().flat_map(of_class).collect();
        let is_there = all.iter().any(|one| one.name() == self.quantity.name());
        if is_there { Ok(()) } else { Err(self.on_nothing("load has", &all)) }
    }

    /// The problem if `there_are` these quantities, and not that of the gate.
    fn on_nothing(&self, there_are: &str, all: &[Quantity]) -> Problem {
        let mut names: Vec<String> = Vec::new();
        for name in all.iter().map(|one| one.name()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let there_are = if names.is_empty() {
            "compare runs of the same levels".to_owned()
        } else {
            format!("gate on an available quantity: the {there_are} {}", names.join(", "))
        };
        Problem::usage(format!("the runs have no {} in common", self.quantity.name()))
            .at(format!("--fail-if '{}'", self.text))
            .because("no point measured by all runs has that class of I/O")
            .next(there_are)
    }

    /// The outcome.
    ///
    /// # Errors
    /// When the comparison has no row of the quantity: a gate must not pass because nothing was measured.
    pub fn judge(self, comparison: &Comparison) -> Result<GateResult, Problem> {
        let own = || comparison.rows.iter().enumerate().filter(|(_, row)| self.is_about(row));
        let rows: Vec<(usize, Outcome)> = own().map(|(place, row)| (place, self.at(row))).collect();
        let base = match self.bound {
            GateBound::Change(_) => Vec::new(),
            GateBound::Value(bound) => own()
                .map(|(place, row)| (place, self.of_number(bound, &row.base, row.base_standing)))
                .collect(),
        };
        // A quantity of the runs is the best of each, whatever its levels.
        let quantity = own().next().map_or(self.quantity, |(_, row)| row.quantity);
        let class = quantity.class;
        let is_about =
            |point: &Point| self.level.map_or_else(|| point.of(class) > 0, |level| point.of(class) == level);
        let left_out = comparison.left_out.iter().copied().filter(is_about);
        let unseen: Vec<Point> = left_out.filter(|_| !quantity.is_of_a_run()).collect();
        let open = (!unseen.is_empty()).then_some(Outcome::Undecided);
        let worst = rows.iter().map(|row| row.1).max();
        let outcome = worst.map(|worst| open.map_or(worst, |open| open.max(worst)));
        let Some(outcome) = outcome else {
            let all: Vec<Quantity> = comparison.rows.iter().map(|row| row.quantity).collect();
            return Err(self.on_nothing("runs have", &all));
        };
        Ok(GateResult { gate: self, outcome, rows, base, unseen })
    }
}

/// The interval of the change; `None` if there is none.
fn change_ends(row: &Row) -> Option<(f64, f64)> {
    match row.standing {
        // The base kept up with the load that the queue of the new side grows under.
        SideUsability::Behind { alone: true } if !row.quantity.what.is_rate() => {
            Some((f64::INFINITY, f64::INFINITY))
        }
        _ => row.change.as_ref().ok().map(|change| (change.lo, change.hi)),
    }
}

/// The interval of the number of a side; `None` if it must not be used, or there is only one visit.
fn number_ends(number: &Estimate, standing: SideUsability, quantity: Quantity) -> Option<(f64, f64)> {
    match standing {
        SideUsability::Usable | SideUsability::Late => {
            number.ends().filter(|_| number.basis != Basis::OneVisit)
        }
        // Its queue grows for as long as one looks.
        SideUsability::Behind { .. } if !quantity.what.is_rate() => Some((f64::INFINITY, f64::INFINITY)),
        SideUsability::Behind { .. } | SideUsability::Invalid => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::{Change, Doubt, RestsOn};
    use super::super::{Comparison, Effect, Row};
    use super::*;
    use rigel_core::judge::quantity::{Scope, What};
    use rigel_core::load::class::Class;
    use rigel_core::stats::{Estimate, Interval};

    const RATE: Quantity = Quantity::at_points(What::Rate, Class::SMALL);

    fn row(quantity: Quantity, ends: Option<(f64, f64)>) -> Row {
        let side = Estimate::bare(1.0);
        let change = ends.ok_or(Doubt::NoInterval).map(|(lo, hi)| Change {
            relative: f64::midpoint(lo, hi),
            lo,
            hi,
            df: 9.0,
            rests_on: RestsOn::Intervals,
        });
        let point = Some(Point::pair(1, 0));
        let verdict = Effect::Undecided(Doubt::Wide);
        let standing = SideUsability::Usable;
        Row {
            quantity,
            point,
            base: side,
            new: side,
            standing,
            base_standing: standing,
            change,
            verdict,
            follows: false,
        }
    }

    fn outcome(gate: &str, ends: &[Option<(f64, f64)>]) -> Outcome {
        let rows = ends.iter().map(|&ends| row(RATE, ends)).collect();
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
            let rows = vec![row(RATE, Some(ends))];
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
        let judged = |quantity: Quantity, gate: &str| {
            let rows = vec![row(quantity, Some((-0.278, -0.046)))];
            let comparison = Comparison { rows, left_out: left_out.clone(), ..Comparison::default() };
            Gate::read(gate).unwrap().judge(&comparison).unwrap()
        };
        let best = judged(Quantity::new(Scope::Best, What::Mean, Class::SMALL), "min_small_latency > +10%");
        assert_eq!((best.outcome, best.unseen), (Outcome::Passed, vec![]));
        let point = judged(Quantity::at_points(What::P99, Class::SMALL), "small_p99 > +10%");
        let own = vec![Point::pair(70, 0)];
        assert_eq!((point.outcome, point.unseen), (Outcome::Undecided, own), "not those of the other class");
    }

    #[test]
    fn a_gate_finds_other_classes_by_their_name() {
        let outcome = |quantity: Quantity, gate: &str| {
            let comparison =
                Comparison { rows: vec![row(quantity, Some((0.1, 0.2)))], ..Comparison::default() };
            Gate::read(gate).unwrap().judge(&comparison).map(|found| found.outcome)
        };
        let open = Class::named("open").unwrap();
        assert_eq!(outcome(Quantity::at_points(What::P99, open), "open_p99 > 5%"), Ok(Outcome::Failed));
        assert_eq!(outcome(Quantity::at_points(What::Rate, open), "open_per_s > 30%"), Ok(Outcome::Passed));
        assert!(outcome(Quantity::at_points(What::P99, open), "open_latency > 5%").is_err());
        // A class of one's own may be called so that its latency has the name of a figure of calibrations.
        let commit = Class::named("commit").unwrap();
        assert_eq!(
            outcome(Quantity::at_points(What::Mean, commit), "commit_latency > 5%"),
            Ok(Outcome::Failed)
        );
        assert!(Gate::read("small_per_s > 5%").is_err() && Gate::read("Open_p99 > 5%").is_err());
    }

    #[test]
    fn a_number_with_a_unit_bounds_the_new_side() {
        let interval = Interval::symmetric(2000.0, 0.05, 8, 7.0);
        let measured = |basis, standing| {
            let new = Estimate { value: 2000.0, interval, basis };
            Row { new, standing, ..row(Quantity::at_points(What::P99, Class::named("open").unwrap()), None) }
        };
        let judged = |row: &Row, gate: &str| Gate::read(gate).unwrap().at(row);
        let sound = measured(Basis::Visits, SideUsability::Usable);
        let half = interval.unwrap().hi95 - 2000.0;
        assert!(half > 0.0);
        assert_eq!(judged(&sound, &format!("open_p99 > {:.0}us", 1990.0 - half)), Outcome::Failed);
        assert_eq!(judged(&sound, "open_p99 > 2ms"), Outcome::Undecided);
        assert_eq!(judged(&sound, &format!("open_p99>{:.0}us", 2010.0 + half)), Outcome::Passed);
        assert_eq!(judged(&sound, "open_p99 < 1ms"), Outcome::Passed);
        assert_eq!(
            judged(&measured(Basis::OneVisit, SideUsability::Usable), "open_p99 > 1ms"),
            Outcome::Undecided
        );
        assert_eq!(
            judged(&measured(Basis::Visits, SideUsability::Invalid), "open_p99 > 1ms"),
            Outcome::Undecided
        );
        for (alone, relative) in [(true, Outcome::Failed), (false, Outcome::Undecided)] {
            let behind = measured(Basis::Visits, SideUsability::Behind { alone });
            assert_eq!(judged(&behind, "open_p99 > 1h"), Outcome::Failed);
            assert_eq!(judged(&behind, "open_p99 > 900%"), relative, "the base kept up: {alone}");
            let rate = Row { quantity: RATE, ..behind };
            assert_eq!(judged(&rate, "small_iops < -5%"), Outcome::Undecided);
        }
        let (sides, bound) = (Row { base: sound.new, ..sound.clone() }, "open_p99 > 1ms");
        let behind = Row { base_standing: SideUsability::Behind { alone: true }, ..sides.clone() };
        for (row, base) in
            [(sides, Outcome::Failed), (sound.clone(), Outcome::Undecided), (behind, Outcome::Failed)]
        {
            let comparison = Comparison { rows: vec![row], ..Comparison::default() };
            let found = Gate::read(bound).unwrap().judge(&comparison).unwrap();
            assert_eq!(found.base, [(0, base)], "the base is judged, and does not decide");
            assert_eq!(found.outcome, Outcome::Failed);
        }
        let late = measured(Basis::Visits, SideUsability::Late);
        assert_eq!(judged(&late, "open_p99 > 1ms"), Outcome::Undecided, "a part of it is the tool's");
        assert_eq!(judged(&late, &format!("open_p99 > {:.0}us", 2010.0 + half)), Outcome::Passed);
        let worse = Row { standing: SideUsability::Late, ..row(late.quantity, Some((0.1, 0.2))) };
        assert_eq!(judged(&worse, "open_p99 > 5%"), Outcome::Undecided);
        let rate = Row { quantity: RATE, ..sound };
        for (gate, outcome) in [
            ("small_iops < 5000 IOPS", Outcome::Failed),
            ("small_iops < 1000 iops", Outcome::Passed),
            ("small_iops < 5000/s", Outcome::Failed),
        ] {
            assert_eq!(judged(&rate, gate), outcome, "{gate}");
        }
    }

    #[test]
    fn a_gate_on_nothing_is_a_problem() {
        let comparison = Comparison {
            rows: vec![row(Quantity::at_points(What::Mbps, Class::LARGE), None)],
            ..Comparison::default()
        };
        let gate = Gate::read("small_iops < -5%").unwrap();
        let classes = |class| [LoadClass::random(class, 8192)];
        let checked = gate.check(&classes(Class::LARGE));
        for problem in [gate.clone().judge(&comparison).unwrap_err(), checked.unwrap_err()] {
            assert!(problem.to_string().contains("no small_iops in common"), "{problem}");
        }
        assert_eq!(gate.check(&classes(Class::SMALL)), Ok(()));
    }

    #[test]
    fn a_gate_that_cannot_be_read_says_why() {
        for (text, what) in [
            ("", "neither < nor >"),
            ("small_iops -5%", "neither < nor >"),
            ("iops < -5%", "'iops' is not a quantity"),
            ("small_iops < -5", "'-5' is neither a percentage nor in IOPS or /s"),
            ("small_p99 > 2", "'2' is neither a percentage nor a time in us, ms or s"),
            ("small_p99 > 2x", "small_p99 > 2x"),
            ("large_mbps < 200 IOPS", "nor in MBPS or MB/s"),
            ("small_iops < 0 IOPS", "could never fail"),
            ("small_p99 > 0ms", "would always fail"),
            ("small_iops < five%", "'five' is not a number"),
            ("small_iops < nan%", "'nan' is not a number"),
            ("small_iops < -100%", "could never fail"),
            ("small_iops <= -5%", "'= -5' is not a number"),
            ("small_iops < five IOPS", "'five' is not a number"),
            ("\u{1b}[2J < 5%", "\\x1b[2J"),
        ] {
            let problem = Gate::read(text).unwrap_err();
            assert!(problem.to_string().contains(what), "{text}: {problem}");
            assert_eq!(problem.kind.code(), 2);
        }
    }
}
