//! Forecasts a production figure: the level of busy days, week by week, with an interval tested on the series itself.
//!
//! ```text
//! readings -> Daily: a level a day -> back-test: models at many origins -> the best one, its law of errors -> weeks ahead
//! ```
//! Pure functions ([docs/method/forecast.md](../../../../../docs/method/forecast.md)). Must not know what the figure is, nor how much a storage can take.

mod backtest;
mod bands;
mod daily;
mod holt;
mod model;
#[cfg(any(test, feature = "harness"))]
pub mod years;

#[cfg(test)]
mod tests;

pub use daily::{BIN_S, DAY_S, Daily, Kind, Reading};
pub use model::Model;

use backtest::{BackTest, ModelErrors};
use bands::{LineError, Width, alike};
use model::{PastSeries, WEEK};
use rigel_core::stats::sample::{mean, median, variance};

/// With fewer days there is no forecast: two weeks allow a test of the next two.
pub const FEWEST_DAYS: usize = 28;
/// Nothing is said about a future that is more than this many times as long as the past.
pub const MOST_PASTS: usize = 2;
/// The share of the mean level that keeps a logarithm away from zero.
const FLOOR: f64 = 0.02;
/// Weeks that say what a busy day is.
const RECENT_WEEKS: usize = 13;
/// Weeks that say what today's level is.
const LEVEL_WEEKS: usize = 4;
/// Weeks of a year.
const YEAR_WEEKS: usize = 52;
/// No logarithm of an interval is wider: its exponential would be no number.
const WIDEST: f64 = 100.0;

/// Why there is no forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoForecast {
    /// Nothing was read.
    Nothing,
    /// The history has too few days.
    Short {
        /// From the first to the last.
        days: usize,
    },
    /// More than a third of the days is missing.
    Gaps {
        /// From the first to the last.
        days: usize,
        /// Days without a level.
        missing: usize,
    },
}

/// A week to come: the level of its busy days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeekForecast {
    /// The most likely value.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

/// How much higher a busy day is at the end of a number of weeks than today, as a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GrowthAhead {
    /// Weeks from today on.
    pub weeks: usize,
    /// Most likely.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

impl GrowthAhead {
    /// Whether it is the growth of a whole year.
    pub const fn is_of_a_year(&self) -> bool {
        self.weeks == YEAR_WEEKS
    }
}

/// How often an interval contained the actual value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IntervalCoverage {
    /// Weeks inside.
    pub weeks: usize,
    /// Out of this many.
    pub of: usize,
}

/// What a series says about its future.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// The first day of the history, counted from 1970-01-01.
    pub first: i64,
    /// The level of each day; gaps are filled by lines.
    pub history: Vec<f64>,
    /// Days that were gaps.
    pub missing: usize,
    /// The model of the forecast: the one with the smallest error.
    pub model: Model,
    /// All models with their mean error per week in the back-test, best first.
    pub tested: Vec<(Model, f64)>,
    /// How many forecasts of each model were tested.
    pub origins: usize,
    /// A busy day, the second highest of its week, relative to the mean of that week.
    pub busy: f64,
    /// Weeks from the day after the history on.
    pub ahead: Vec<WeekForecast>,
    /// Had it been asked when two thirds of the history were there; `None` if that was too short.
    pub rehearsed: Option<IntervalCoverage>,
}

impl Forecast {
    /// Forecasts the next `days` days, but no more than the history supports.
    ///
    /// # Errors
    /// When the history is not enough for a forecast.
    pub fn of(daily: &Daily, days: usize) -> Result<Self, NoForecast> {
        let history = filled(daily)?;
        let rehearsed = rehearsed(&history);
        Ok(Self {
            first: daily.first,
            missing: daily.missing(),
            rehearsed,
            ..Self::of_values(&history, days)
        })
    }

    /// The day after the history.
    pub fn next_day(&self) -> i64 {
        self.first + i64::try_from(self.history.len()).unwrap_or(0)
    }

    /// The level of a busy day today, at the end of the history: each of the last four weeks, moved there by the usual change of a week; the median of them.
    pub fn now(&self) -> f64 {
        let weeks: Vec<f64> = self.history.rchunks_exact(WEEK).take(RECENT_WEEKS).map(mean).collect();
        let change = change_per_week(&weeks);
        // The first one was, in the middle, half a week ago.
        let moved = |(back, week): (usize, &f64)| change.mul_add(back as f64 + 0.5, *week);
        let today: Vec<f64> = weeks.iter().take(LEVEL_WEEKS).enumerate().map(moved).collect();
        (self.busy * median(&today)).max(0.0)
    }

    /// The level of a busy day in the last four weeks, their median.
    pub fn recent(&self) -> f64 {
        let weeks: Vec<f64> = self.history.rchunks_exact(WEEK).take(LEVEL_WEEKS).map(mean).collect();
        self.busy * median(&weeks)
    }

    /// How much higher a busy day is in the last week of the forecast, or in a year if it reaches that far.
    pub fn growth(&self) -> Option<GrowthAhead> {
        let now = self.now();
        let weeks = self.ahead.len().min(YEAR_WEEKS);
        let last = self.ahead.get(weeks.checked_sub(1)?)?;
        let [value, lower, upper] = [last.value, last.lower, last.upper].map(|level| level / now - 1.0);
        (now > 0.0).then_some(GrowthAhead { weeks, value, lower, upper })
    }

    /// How much higher it is in a year, as a share; `None` if the forecast does not reach that far.
    pub fn growth_per_year(&self) -> Option<f64> {
        self.growth().filter(GrowthAhead::is_of_a_year).map(|growth| growth.value)
    }

    fn of_values(history: &[f64], days: usize) -> Self {
        let floor = (FLOOR * mean(history)).max(f64::MIN_POSITIVE);
        let weeks = days.min(MOST_PASTS * history.len()).div_ceil(WEEK);
        let test = BackTest::of(history, floor);
        let busy = busy_day(history);
        let tested_days = history.len() - test.origins.first().copied().unwrap_or(0);
        let (past, wander) = (PastSeries::new(history, floor), wander(history, floor));
        let most = test.models.first().map_or(0.0, |best| best.score) * (1.0 + alike(tested_days));
        let alike = test.models.iter().filter(|one| one.score <= most);
        // Few errors may be small by chance, and the best model of all was chosen for that.
        let line = LineError::of(history, floor);
        let mut ahead: Vec<WeekForecast> = Vec::new();
        for one in alike {
            let width = Width::of(one, tested_days, wander);
            let told = weeks_ahead(&past, one, weeks).enumerate().map(|(week, value)| {
                let weeks = (week + 1) as f64;
                let half = width.at(weeks).max(line.at(weeks)).min(WIDEST);
                let end = |half: f64| busy * ((value + floor) * half.exp() - floor).max(0.0);
                WeekForecast { value: busy * value, lower: end(-half), upper: end(half) }
            });
            if ahead.is_empty() {
                ahead = told.collect();
            } else {
                ahead.iter_mut().zip(told).for_each(|(all, one)| {
                    (all.lower, all.upper) = (all.lower.min(one.lower), all.upper.max(one.upper));
                });
            }
        }
        Self {
            first: 0,
            history: history.to_vec(),
            missing: 0,
            model: test.models.first().map_or(Model::LastWeek, |best| best.model),
            tested: test.models.iter().map(|one| (one.model, one.score)).collect(),
            origins: test.origins.len(),
            busy,
            ahead,
            rehearsed: None,
        }
    }
}

fn weeks_ahead(past: &PastSeries<'_>, tested: &ModelErrors, weeks: usize) -> impl Iterator<Item = f64> {
    let days = past.ahead(tested.model, weeks * WEEK);
    (0..weeks).map(move |week| mean(&days[week * WEEK..(week + 1) * WEEK]))
}

/// The levels, with lines over the gaps.
fn filled(daily: &Daily) -> Result<Vec<f64>, NoForecast> {
    let (days, missing) = (daily.days(), daily.missing());
    match days {
        0 => return Err(NoForecast::Nothing),
        _ if days < FEWEST_DAYS => return Err(NoForecast::Short { days }),
        _ if 3 * missing > days => return Err(NoForecast::Gaps { days, missing }),
        _ => {}
    }
    let mut values: Vec<f64> = Vec::with_capacity(days);
    for (at, level) in daily.levels.iter().enumerate() {
        let Some(level) = *level else { continue };
        let gap = at - values.len();
        let before = values.last().copied().unwrap_or(level);
        values.extend((1..=gap).map(|step| before + (level - before) * step as f64 / (gap + 1) as f64));
        values.push(level);
    }
    Ok(values)
}

/// A busy day relative to the mean of its week, as the median of the last weeks.
fn busy_day(history: &[f64]) -> f64 {
    let of_week = |week: &[f64]| {
        let mut days = week.to_vec();
        days.sort_by(f64::total_cmp);
        (mean(week) > 0.0).then(|| days[WEEK - 2] / mean(week))
    };
    let all: Vec<f64> = history.rchunks_exact(WEEK).take(RECENT_WEEKS).filter_map(of_week).collect();
    if all.is_empty() { 1.0 } else { median(&all) }
}

/// The median of the slopes between any two weeks, the last one first (Theil 1950; Sen 1968): a holiday is not a trend.
fn change_per_week(weeks: &[f64]) -> f64 {
    let slope = |(at, &later): (usize, &f64)| {
        weeks.iter().enumerate().skip(at + 1).map(move |(back, week)| (later - week) / (back - at) as f64)
    };
    median(&weeks.iter().enumerate().flat_map(slope).collect::<Vec<f64>>())
}

/// The variation of growth from quarter to quarter: the variance of the logarithm, per week.
fn wander(history: &[f64], floor: f64) -> f64 {
    const MONTH: usize = 28;
    let level = |days: &[f64]| (median(days) + floor).ln();
    let levels: Vec<f64> = history.windows(MONTH).step_by(WEEK).map(level).collect();
    let grown: Vec<f64> = levels.windows(RECENT_WEEKS + 1).map(|one| one[RECENT_WEEKS] - one[0]).collect();
    if grown.len() < 2 { 0.0 } else { variance(&grown) / RECENT_WEEKS as f64 }
}

/// Forecasts the last third of the history from the first two.
fn rehearsed(history: &[f64]) -> Option<IntervalCoverage> {
    let (seen, later) = history.split_at(history.len() * 2 / 3);
    if seen.len() < FEWEST_DAYS {
        return None;
    }
    let told = Forecast::of_values(seen, later.len());
    let weeks = later.chunks_exact(WEEK).zip(&told.ahead);
    let is_inside = |(came, ahead): (&[f64], &WeekForecast)| {
        (ahead.lower..=ahead.upper).contains(&(told.busy * mean(came)))
    };
    let held: Vec<bool> = weeks.map(is_inside).collect();
    Some(IntervalCoverage { weeks: held.iter().filter(|held| **held).count(), of: held.len() })
}
