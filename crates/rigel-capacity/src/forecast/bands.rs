//! The width of the interval for each later week, from the errors of a back-test.
//!
//! There are many errors of weeks near the origin; those of distant weeks are few and overlap. So the squared size of an error is one law of the
//! distance, fitted to all of them: week-to-week variation, a random walk, and a wrong trend. Must not choose a model.

use super::backtest::ModelErrors;
use super::model::WEEK;
use rigel_core::stats::special::student_t_quantile;

/// Days of a block of errors that barely depends on the next one.
const BLOCK_DAYS: f64 = 28.0;
/// Half of an interval of 95 %.
const UPPER: f64 = 0.975;
const HELD_PERCENT: usize = 95;
/// Fewer degrees of freedom would make an interval that says nothing.
const FEWEST: f64 = 3.0;

/// Half the width of the interval of the logarithm, by weeks ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Width {
    /// Squares: of each week alone, per week, per week squared.
    parts: [f64; 3],
    factor: f64,
    tested_weeks: f64,
}

impl Width {
    /// Of the errors of a model over this many tested days. What varied from quarter to quarter will vary again: `wander`, a variance per week.
    pub fn of(tested: &ModelErrors, days: usize, wander: f64) -> Self {
        let mut parts = fit(&tested.errors);
        parts[1] = parts[1].max(wander);
        let blocks = (days as f64 / BLOCK_DAYS).max(2.0);
        // What the errors themselves ask for, and what so few blocks would ask for if they were normal.
        let factor = student_t_quantile(UPPER, blocks).max(conformal_factor(&tested.errors, parts));
        Self { parts, factor, tested_weeks: days as f64 / WEEK as f64 }
    }

    /// So many weeks ahead.
    pub fn at(&self, weeks: f64) -> f64 {
        let apart = (self.tested_weeks / weeks).max(FEWEST);
        self.factor.max(student_t_quantile(UPPER, apart)) * law(self.parts, weeks).sqrt()
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
