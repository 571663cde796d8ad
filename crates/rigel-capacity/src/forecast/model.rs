//! The models: two that any forecast has to beat, and those that split seasons off first.
//!
//! Must not choose one; [`super::backtest`] does.

use super::holt::{Holt, line};
use rigel_core::stats::sample::median;
use stlrs::MstlParams;

/// Days of a week.
pub(super) const WEEK: usize = 7;
/// Days of a year.
pub(super) const YEAR: usize = 365;
/// A trend that loses 1 % a day.
const FADING: f64 = 0.99;
/// Today's level is that of this many days.
const RECENT: usize = 28;

/// How the future is derived from the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Model {
    /// Each day like the same day of the last week.
    LastWeek,
    /// A straight line through all days.
    Line,
    /// Seasons on a straight line.
    SeasonsLine,
    /// Seasons on a line of the logarithm: this many per cent a year.
    SeasonsGrowth,
    /// Seasons on the level of the last four weeks, which changes like the median of the months: steps are not a trend.
    SeasonsDrift,
    /// The same for the logarithm.
    SeasonsDriftGrowth,
    /// Seasons and exponential smoothing with a trend.
    SeasonsSmoothing,
    /// Seasons and exponential smoothing with a trend that fades.
    SeasonsFading,
}

/// The scale of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    /// As it was read.
    Plain,
    /// The logarithm.
    Log,
}

rigel_core::named!(Model {
    LastWeek: "same as last week",
    Line: "straight line",
    SeasonsLine: "seasons and a line",
    SeasonsGrowth: "seasons and growth in per cent",
    SeasonsDrift: "seasons, recent level and usual change",
    SeasonsDriftGrowth: "seasons, recent level and usual change in per cent",
    SeasonsSmoothing: "seasons and smoothed trend",
    SeasonsFading: "seasons and fading trend"
});

impl Model {
    /// Whether the others have to beat it.
    pub const fn is_baseline(self) -> bool {
        matches!(self, Self::LastWeek | Self::Line)
    }

    const fn scale(self) -> Scale {
        match self {
            Self::SeasonsGrowth | Self::SeasonsDriftGrowth => Scale::Log,
            _ => Scale::Plain,
        }
    }
}

/// A past, split once for all models.
#[derive(Clone, Debug)]
pub(super) struct PastSeries<'a> {
    values: &'a [f64],
    floor: f64,
    plain: SeriesSplit,
    log: SeriesSplit,
}

/// A series without its seasons, and the last cycle of each season.
#[derive(Clone, Debug)]
struct SeriesSplit {
    rest: Vec<f64>,
    seasons: Vec<Vec<f64>>,
}

impl SeriesSplit {
    fn of(values: &[f64]) -> Self {
        let mut periods = vec![WEEK];
        if values.len() >= 2 * YEAR {
            periods.push(YEAR);
        }
        // Of a very short past no season can be told.
        let Ok(found) = MstlParams::new().fit(values, &periods) else {
            return Self { rest: values.to_vec(), seasons: Vec::new() };
        };
        let rest = found.trend().iter().zip(found.remainder()).map(|(trend, rest)| trend + rest).collect();
        let last = |(season, period): (&Vec<f64>, &usize)| season[season.len() - period..].to_vec();
        Self { rest, seasons: found.seasonal().iter().zip(&periods).map(last).collect() }
    }

    fn season(&self, step: usize) -> f64 {
        self.seasons.iter().map(|cycle| cycle.get((step - 1) % cycle.len()).copied().unwrap_or(0.0)).sum()
    }
}

impl<'a> PastSeries<'a> {
    /// For values without gaps; `floor` keeps the logarithm away from zero.
    pub fn new(values: &'a [f64], floor: f64) -> Self {
        let logs: Vec<f64> = values.iter().map(|value| (value + floor).ln()).collect();
        Self { values, floor, plain: SeriesSplit::of(values), log: SeriesSplit::of(&logs) }
    }

    /// The next days.
    pub fn ahead(&self, model: Model, days: usize) -> Vec<f64> {
        let split = match model.scale() {
            Scale::Plain => &self.plain,
            Scale::Log => &self.log,
        };
        let trend = self.trend(model, split);
        let one = |step: usize| {
            let trend = trend(step);
            let value = match model {
                Model::LastWeek | Model::Line => trend,
                _ => trend + split.season(step),
            };
            match model.scale() {
                Scale::Plain => value.max(0.0),
                Scale::Log => (value.min(700.0).exp() - self.floor).max(0.0),
            }
        };
        (1..=days).map(one).collect()
    }

    fn trend(&self, model: Model, split: &'a SeriesSplit) -> Box<dyn Fn(usize) -> f64 + '_> {
        let (values, count) = (&split.rest, split.rest.len() as f64);
        match model {
            Model::LastWeek => {
                let last = &self.values[self.values.len().saturating_sub(WEEK)..];
                Box::new(move |step| last[(step - 1) % last.len()])
            }
            Model::Line => {
                let (start, slope) = line(self.values);
                Box::new(move |step| slope.mul_add(count + step as f64, start))
            }
            Model::SeasonsLine | Model::SeasonsGrowth => {
                let (start, slope) = line(values);
                Box::new(move |step| slope.mul_add(count + step as f64, start))
            }
            Model::SeasonsDrift | Model::SeasonsDriftGrowth => {
                let recent = &values[values.len().saturating_sub(RECENT)..];
                let middle = median(recent);
                let slope = usual_change(values);
                let back = (recent.len() as f64 - 1.0) / 2.0;
                Box::new(move |step| slope.mul_add(back + step as f64, middle))
            }
            Model::SeasonsSmoothing => {
                let found = Holt::fit(values, 1.0);
                Box::new(move |step| found.at(step as f64))
            }
            Model::SeasonsFading => {
                let found = Holt::fit(values, FADING);
                Box::new(move |step| found.at(step as f64))
            }
        }
    }
}

/// The median of what changed over four weeks, per day.
fn usual_change(values: &[f64]) -> f64 {
    let lag = RECENT.min(values.len() / 2).max(1);
    let changes: Vec<f64> = values.windows(lag + 1).map(|pair| (pair[lag] - pair[0]) / lag as f64).collect();
    if changes.is_empty() { 0.0 } else { median(&changes) }
}
