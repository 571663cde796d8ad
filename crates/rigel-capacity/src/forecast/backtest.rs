//! How well each model would have forecast the later part of the same series: at many origins, it sees only the data available by then.
//!
//! Errors are those of a week's mean: the logarithm of the actual value over the forecast. Must not make intervals.

use super::model::{Model, PastSeries, WEEK, YEAR};

/// More origins overlap too much to add information.
const MOST_ORIGINS: usize = 40;

/// The errors of all models.
#[derive(Clone, Debug)]
pub struct BackTest {
    /// Days that the models saw at each origin.
    pub origins: Vec<usize>,
    /// The models, best first, baselines among them.
    pub models: Vec<ModelErrors>,
}

/// The errors of one.
#[derive(Clone, Debug)]
pub struct ModelErrors {
    /// The model.
    pub model: Model,
    /// For each origin, the error of each week after it.
    pub errors: Vec<Vec<f64>>,
    /// The mean of their magnitudes.
    pub score: f64,
}

/// Fewest days that a model is shown.
pub fn shortest_past(days: usize) -> usize {
    // A season of the year is seen after two.
    if days >= 3 * YEAR { 2 * YEAR } else { (days / 2).max(2 * WEEK) }
}

impl BackTest {
    /// Of values without gaps.
    pub fn of(values: &[f64], floor: f64) -> Self {
        let first = shortest_past(values.len());
        let last = values.len().saturating_sub(WEEK);
        let weeks = last.saturating_sub(first) / WEEK;
        let step = WEEK * (weeks / MOST_ORIGINS + 1);
        let mut origins: Vec<usize> = (first..=last).rev().step_by(step).collect();
        origins.reverse();
        let mut errors: Vec<Vec<Vec<f64>>> = vec![Vec::new(); Model::ALL.len()];
        for &origin in &origins {
            let (seen, later) = values.split_at(origin);
            let past = PastSeries::new(seen, floor);
            for (model, errors) in Model::ALL.into_iter().zip(&mut errors) {
                errors.push(of_weeks(later, &past.ahead(model, later.len()), floor));
            }
        }
        let tested =
            |(model, errors): (Model, Vec<Vec<f64>>)| ModelErrors { model, score: score(&errors), errors };
        let mut models: Vec<ModelErrors> = Model::ALL.into_iter().zip(errors).map(tested).collect();
        models.sort_by(|one, other| one.score.total_cmp(&other.score));
        Self { origins, models }
    }
}

/// The error of each whole week.
pub fn of_weeks(came: &[f64], forecast: &[f64], floor: f64) -> Vec<f64> {
    let mean = |week: &[f64]| week.iter().sum::<f64>() / WEEK as f64;
    let error = |(came, forecast)| ((mean(came) + floor) / (mean(forecast) + floor)).ln();
    came.chunks_exact(WEEK).zip(forecast.chunks_exact(WEEK)).map(error).collect()
}

fn score(errors: &[Vec<f64>]) -> f64 {
    let all = || errors.iter().flatten();
    let count = all().count();
    if count == 0 { f64::INFINITY } else { all().map(|error| error.abs()).sum::<f64>() / count as f64 }
}
