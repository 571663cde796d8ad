//! The width of the interval for each later week, from the errors of a back-test.
//!
//! There are many errors of weeks near the origin; those of distant weeks are few and overlap. So the squared size of an error is one law of the
//! distance, fitted to all of them: week-to-week variation, a random walk, and a wrong trend. A short history has a handful of errors, and the model was
//! chosen because they are small: there, the interval is at least that of a line, and holds every model that so few errors do not rule out. Must not
//! choose a model.

use super::backtest::ModelErrors;
use super::holt::line;
use super::model::WEEK;
use rigel_core::stats::sample::mean;
use rigel_core::stats::special::student_t_quantile;

/// Days of a block of errors that barely depends on the next one.
const BLOCK_DAYS: f64 = 28.0;
/// Half of an interval of 95 %.
const UPPER: f64 = 0.975;
const HELD_PERCENT: usize = 95;
/// Fewer degrees of freedom would make an interval that says nothing.
const FEWEST: f64 = 3.0;
/// Models whose errors exceed the smallest by no more than this share are treated as equal: the interval contains all of them.
const ALIKE: f64 = 0.1;
/// Passes that separate the weekly pattern from a line; the second barely changes anything.
const PASSES: usize = 3;

/// Half the width of the interval of the logarithm, by weeks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Width {
    /// Squares: of each week alone, per week, per week squared.
    parts: [f64; 3],
    factor: f64,
    tested_weeks: f64,
}

impl Width {
    /// From the errors of a model over this many tested days. What varied from quarter to quarter will vary again: `wander`, a variance per week.
    pub fn of(tested: &ModelErrors, days: usize, wander: f64) -> Self {
        let mut parts = fit(&tested.errors);
        parts[1] = parts[1].max(wander);
        let blocks = (days as f64 / BLOCK_DAYS).max(2.0);
        // What the errors themselves ask for, and what so few blocks would ask for if they were normal.
        let factor = student_t_quantile(UPPER, blocks).max(conformal_factor(&tested.errors, parts));
        Self { parts, factor, tested_weeks: days as f64 / WEEK as f64 }
    }

    /// This many weeks ahead.
    pub fn at(&self, weeks: f64) -> f64 {
        let apart = (self.tested_weeks / weeks).max(FEWEST);
        self.factor.max(student_t_quantile(UPPER, apart)) * law(self.parts, weeks).sqrt()
    }
}

/// How far the error of a model may exceed the smallest before this many tested days rule it out: as a share, half
/// over the square of the blocks, and at least a tenth (from four and a half months of history on).
pub(super) fn alike(days: usize) -> f64 {
    let blocks = days as f64 / BLOCK_DAYS;
    ALIKE.max(0.5 / (blocks * blocks))
}

/// How far a later week may be from the line through all days: the prediction interval of least squares, of the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineError {
    /// Half the width of the interval of a day that nothing else makes uncertain.
    half: f64,
    days: f64,
}

impl LineError {
    /// From days without gaps, with a line and their usual week.
    pub fn of(history: &[f64], floor: f64) -> Self {
        let logs: Vec<f64> = history.iter().map(|value| (value + floor).ln()).collect();
        let (mut week, mut square) = ([0.0; WEEK], 0.0);
        for _ in 0..PASSES {
            let usual = |(day, log): (usize, &f64)| log - week[day % WEEK];
            let (start, slope) = line(&logs.iter().enumerate().map(usual).collect::<Vec<f64>>());
            let beside = |(day, log): (usize, &f64)| log - slope.mul_add(day as f64 + 1.0, start);
            let rest: Vec<f64> = logs.iter().enumerate().map(beside).collect();
            let of = |day: usize| mean(&rest.iter().skip(day).step_by(WEEK).copied().collect::<Vec<f64>>());
            week = std::array::from_fn(of);
            square = rest.iter().enumerate().map(|(day, rest)| (rest - week[day % WEEK]).powi(2)).sum();
        }
        // A line has two parameters, and a week six beside its mean.
        let df = (logs.len() as f64 - 1.0 - WEEK as f64).max(1.0);
        Self { half: student_t_quantile(UPPER, df) * (square / df).sqrt(), days: logs.len() as f64 }
    }

    /// This many weeks ahead.
    pub fn at(&self, weeks: f64) -> f64 {
        let week = WEEK as f64;
        let from_middle = week.mul_add(weeks - 0.5, self.days / 2.0);
        let of_slope = 12.0 * from_middle.powi(2) / self.days.powi(3);
        self.half * (1.0 / week + 1.0 / self.days + of_slope).sqrt()
    }
}

fn law([alone, per_week, squared]: [f64; 3], weeks: f64) -> f64 {
    f64::mul_add(weeks, f64::mul_add(weeks, squared, per_week), alone)
}

/// The factor that holds 95 % of the errors, as in split conformal prediction.
fn conformal_factor(errors: &[Vec<f64>], parts: [f64; 3]) -> f64 {
    let scaled = |(week, error): (usize, &f64)| {
        let size = law(parts, (week + 1) as f64).sqrt();
        if size > 0.0 { error.abs() / size } else { 0.0 }
    };
    let mut all: Vec<f64> = errors.iter().flat_map(|one| one.iter().enumerate().map(scaled)).collect();
    all.sort_by(f64::total_cmp);
    let rank = (HELD_PERCENT * (all.len() + 1)).div_ceil(100).min(all.len());
    rank.checked_sub(1).and_then(|at| all.get(at)).copied().unwrap_or(0.0)
}

/// A week ahead, the mean square of its errors, and its weight: how many there are, over how much larger they may get.
struct Row {
    basis: [f64; 3],
    square: f64,
    weight: f64,
}

/// Squared errors as a + b w + c w^2 of the weeks ahead, none of them negative: the best of all subsets.
fn fit(errors: &[Vec<f64>]) -> [f64; 3] {
    let longest = errors.iter().map(Vec::len).max().unwrap_or(0);
    let row = |week: usize| {
        let squares: Vec<f64> = errors.iter().filter_map(|one| Some(one.get(week)?.powi(2))).collect();
        let (weeks, count) = ((week + 1) as f64, squares.len() as f64);
        let basis = [1.0, weeks, weeks * weeks];
        Row { basis, square: squares.iter().sum::<f64>() / count, weight: count / (weeks * weeks) }
    };
    let rows: Vec<Row> = (0..longest).map(row).collect();
    let subsets: [&[usize]; 7] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]];
    let fitted = subsets.iter().filter_map(|used| least_squares(&rows, used));
    let proper = fitted.filter(|parts| parts.iter().all(|part| *part >= 0.0));
    let miss = |parts: &[f64; 3]| -> f64 {
        rows.iter().map(|row| row.weight * (row.square - law(*parts, row.basis[1])).powi(2)).sum()
    };
    proper.min_by(|one, other| miss(one).total_cmp(&miss(other))).unwrap_or_default()
}

/// The parts of a subset, the others 0; by elimination, as the system has three equations at most.
fn least_squares(rows: &[Row], used: &[usize]) -> Option<[f64; 3]> {
    let size = used.len();
    let sum = |of: &dyn Fn(&Row) -> f64| rows.iter().map(|row| row.weight * of(row)).sum::<f64>();
    let equation = |&own: &usize| {
        let products = used.iter().map(|&other| sum(&|row| row.basis[own] * row.basis[other]));
        products.chain([sum(&|row| row.basis[own] * row.square)]).collect()
    };
    let mut system: Vec<Vec<f64>> = used.iter().map(equation).collect();
    for at in 0..size {
        let pivot = system[at].clone();
        if pivot[at].abs() < f64::MIN_POSITIVE {
            return None;
        }
        for (_, other) in system.iter_mut().enumerate().filter(|(row, _)| *row != at) {
            let share = other[at] / pivot[at];
            other.iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= share * above);
        }
    }
    let mut parts = [0.0; 3];
    used.iter().enumerate().for_each(|(at, &power)| parts[power] = system[at][size] / system[at][at]);
    Some(parts)
}
