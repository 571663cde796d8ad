//! Simulated production with a known law: trend, seasons, growth steps, holidays, noise; and how often forecasts of it hold.
//!
//! The test and `cargo xtask stats` count with it. Must not know how a forecast is made.

use super::backtest::of_weeks;
use super::model::PastSeries;
use super::{Daily, Forecast, IntervalCoverage, Model, WEEK};
use rigel_core::load::draw::Generator;
use rigel_core::stats::sample::{count, mean, sorted};
use std::collections::BTreeMap;

/// A law of production.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Its name.
    pub name: &'static str,
    /// Growth in a year.
    pub growth: f64,
    /// Growth is a share of the first day's level in each year, not of the current level.
    pub is_linear: bool,
    /// Share of a weekday at a weekend.
    pub weekend: f64,
    /// Half the swing over a year.
    pub yearly: f64,
    /// Steps of growth a year, on average.
    pub steps: f64,
    /// Standard deviation of the logarithm of one.
    pub step: f64,
    /// Share of a usual day in the ten days from 22 December on and on 2 % of the days.
    pub holidays: f64,
    /// Standard deviation of the logarithm from day to day.
    pub noise: f64,
    /// Standard deviation of a slow wander, forgotten in two weeks.
    pub wander: f64,
}

/// From easy to hard.
pub const LAWS: [Law; 8] = {
    let usual = Law {
        name: "steady growth",
        growth: 0.3,
        is_linear: false,
        weekend: 0.5,
        yearly: 0.0,
        steps: 0.0,
        step: 0.0,
        holidays: 1.0,
        noise: 0.05,
        wander: 0.0,
    };
    [
        usual,
        Law { name: "a line", is_linear: true, ..usual },
        Law { name: "fast growth", growth: 1.0, ..usual },
        Law { name: "slow growth, noisy", growth: 0.15, noise: 0.15, ..usual },
        Law { name: "holidays", holidays: 0.4, ..usual },
        Law { name: "season of the year", yearly: 0.1, ..usual },
        Law { name: "growth steps", growth: 0.2, steps: 4.0, step: 0.08, ..usual },
        Law {
            name: "all of it",
            growth: 0.3,
            yearly: 0.05,
            steps: 3.0,
            step: 0.05,
            holidays: 0.5,
            noise: 0.08,
            wander: 0.05,
            ..usual
        },
    ]
};

/// A drawn course of days.
#[derive(Clone, Debug)]
pub struct Course {
    /// The level of every day without holidays and without what varies from day to day.
    pub expected: Vec<f64>,
    /// The level that is seen.
    pub seen: Vec<f64>,
}

impl Law {
    /// A course from a seed.
    pub fn draw(&self, days: usize, seed: u64) -> Course {
        let mut by = Generator::new(seed, &[PURPOSE]);
        let (mut steps, mut wander) = (0.0, 0.0);
        let keep = (-1.0_f64 / 14.0).exp();
        let (season, phase) = (by.unit(), by.index(364));
        let mut course = Course { expected: Vec::with_capacity(days), seen: Vec::with_capacity(days) };
        for day in 0..days {
            let year = count(day) / 365.25;
            if by.unit() < self.steps / 365.25 {
                steps += self.step * by.normal();
            }
            wander = keep * wander + self.wander * (1.0 - keep * keep).sqrt() * by.normal();
            let usual = self.usual(day, year + season) * (steps + self.trend(year)).exp();
            let is_holiday = HOLIDAYS.contains(&((day + phase) % 365)) || by.unit() < 0.02;
            let today = if is_holiday { self.holidays } else { 1.0 };
            course.expected.push(usual);
            course.seen.push(usual * today * (wander + self.noise * by.normal()).exp());
        }
        course
    }

    fn trend(&self, year: f64) -> f64 {
        if self.is_linear { (self.growth * year).ln_1p() } else { year * self.growth.ln_1p() }
    }

    fn usual(&self, day: usize, of_year: f64) -> f64 {
        let weekday = match day % WEEK {
            5 | 6 => self.weekend,
            0 => 0.95,
            _ => 1.0,
        };
        1000.0 * weekday * self.yearly.mul_add((std::f64::consts::TAU * of_year).sin(), 1.0)
    }
}

const PURPOSE: u64 = 0x9EA5;
const HOLIDAYS: std::ops::Range<usize> = 355..365;
/// A storage is full between these weeks after the history, if it is.
const FULL_WEEKS: std::ops::Range<usize> = 4..86;

/// The result of many courses of a law.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// Courses in which the interval of the date held the true one.
    pub held: usize,
    /// Courses in which the date was later than the interval, and earlier.
    pub missed: [usize; 2],
    /// Courses in which the interval also had a last date.
    pub closed: usize,
    /// Courses with a date.
    pub of: usize,
    /// The weeks of the first year in their intervals.
    pub weeks: IntervalCoverage,
    /// The same for the second year.
    pub later_weeks: IntervalCoverage,
    /// The rehearsals.
    pub rehearsed: IntervalCoverage,
    /// How often each model was the best.
    pub models: BTreeMap<Model, usize>,
}

impl Score {
    /// Of histories of `days`, forecast for twice as long.
    pub fn of(law: &Law, days: usize, seeds: std::ops::Range<u64>) -> Self {
        let mut score = Self::default();
        seeds.for_each(|seed| score.add(law, days, seed));
        score
    }

    fn add(&mut self, law: &Law, days: usize, seed: u64) {
        let course = law.draw(3 * days, seed);
        let (history, future) = course.seen.split_at(days);
        let levels = history.iter().copied().map(Some).collect();
        let Ok(told) = Forecast::of(&Daily { levels, ..Daily::default() }, 2 * days) else { return };
        *self.models.entry(told.model).or_default() += 1;
        self.rehearsed.add(told.rehearsed.unwrap_or_default());
        for (week, (came, ahead)) in future.chunks_exact(WEEK).zip(&told.ahead).enumerate() {
            let came = told.busy * mean(came);
            let is_inside = (ahead.lower..=ahead.upper).contains(&came);
            let held = IntervalCoverage { weeks: usize::from(is_inside), of: 1 };
            if week < 52 { self.weeks.add(held) } else { self.later_weeks.add(held) }
        }
        self.add_date(&course, days, &told, seed);
    }

    /// Draws one of the weeks that are busier than all before it: its level is what the storage can take.
    fn add_date(&mut self, course: &Course, days: usize, told: &Forecast, seed: u64) {
        let busy = |week: &[f64]| sorted(week)[WEEK - 2];
        let future: Vec<f64> = course.expected[days..].chunks_exact(WEEK).map(busy).collect();
        let mut top = course.expected[..days].rchunks_exact(WEEK).map(busy).fold(0.0, f64::max);
        let mut full: Vec<(usize, f64)> = Vec::new();
        for (week, &level) in future.iter().enumerate() {
            if level > top && FULL_WEEKS.contains(&week) {
                full.push((week, level));
            }
            top = level.max(top);
        }
        let Some(last) = full.len().checked_sub(1) else { return };
        let (truth, limit) = full[Generator::new(seed, &[PURPOSE, 1]).index(last)];
        let earliest = told.ahead.iter().position(|week| week.upper >= limit);
        let latest = told.ahead.iter().position(|week| week.lower >= limit);
        let (is_early, is_late) =
            (latest.is_some_and(|week| week < truth), earliest.is_none_or(|week| week > truth));
        self.of += 1;
        self.held += usize::from(!is_early && !is_late);
        self.missed = [self.missed[0] + usize::from(is_early), self.missed[1] + usize::from(is_late)];
        self.closed += usize::from(latest.is_some());
    }
}

impl IntervalCoverage {
    fn add(&mut self, other: Self) {
        *self = Self { weeks: self.weeks + other.weeks, of: self.of + other.of };
    }
}

/// The result of a trace: on many days it is forecast from the data up to then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YearOutcome {
    /// Number of forecasts.
    pub asked: usize,
    /// The weeks that were in their intervals.
    pub weeks: IntervalCoverage,
    /// Mean errors of a week's logarithm: of the forecast, of the same as last week, of a straight line.
    pub errors: [f64; 3],
}

/// Days between two questions to a trace.
const ASKED_EVERY: usize = 91;

impl YearOutcome {
    /// From one level per day, with histories of `history` days and the `ahead` days after them.
    pub fn of(levels: &[f64], history: usize, ahead: usize) -> Self {
        let mut found = Self::default();
        let (mut sums, mut count) = ([0.0; 3], 0.0_f64);
        let last = levels.len().saturating_sub(ahead);
        for now in (history..=last).step_by(ASKED_EVERY) {
            let (seen, came) = (&levels[now - history..now], &levels[now..now + ahead]);
            let daily = Daily { levels: seen.iter().copied().map(Some).collect(), ..Daily::default() };
            let Ok(told) = Forecast::of(&daily, ahead) else { continue };
            found.asked += 1;
            let floor = 0.02 * mean(seen);
            let past = PastSeries::new(seen, floor);
            let baselines = [Model::LastWeek, Model::Line].map(|model| past.ahead(model, ahead));
            let errors = baselines.map(|baseline| of_weeks(came, &baseline, floor));
            for (week, (days, ahead)) in came.chunks_exact(WEEK).zip(&told.ahead).enumerate() {
                let busy = told.busy * mean(days);
                let is_inside = (ahead.lower..=ahead.upper).contains(&busy);
                found.weeks.add(IntervalCoverage { weeks: usize::from(is_inside), of: 1 });
                let own = ((busy + told.busy * floor) / (ahead.value + told.busy * floor)).ln();
                let all = [own, errors[0][week], errors[1][week]];
                sums.iter_mut().zip(all).for_each(|(sum, error)| *sum += error.abs());
                count += 1.0;
            }
        }
        found.errors = sums.map(|sum| sum / count.max(1.0));
        found
    }
}
