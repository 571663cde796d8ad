//! Turns readings of any spacing into one figure a day.
//!
//! For a rate, it is the level of the busy hours, the 95th percentile over five minutes: only 72 minutes of the day are busier. For an amount, such
//! as used space, it is the highest. Must not guess missing readings.

use rigel_core::units::to_f64;

/// Seconds of a day.
pub const DAY_S: i64 = 86_400;
/// A rate is the mean over this many seconds before a percentile is taken.
pub const BIN_S: i64 = 300;
const BINS: usize = 288;
/// The percentage of a day that is at or below its level. A day of which less than half was read is a gap.
const BUSY_PERCENT: usize = 95;

/// A value that was read, as it held from a moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Seconds since 1970 in UTC.
    pub from_s: i64,
    /// For how long it holds.
    pub seconds: u32,
    /// The mean over that time.
    pub value: f64,
}

/// What the figure of a day is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// For a rate: the level of the busy hours.
    Rate,
    /// For an amount: the highest of the day.
    Amount,
}

/// A figure a day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Daily {
    /// The first day, counted from 1970-01-01, in local time.
    pub first: i64,
    /// The figures; `None` if too little of a day was read. The first and the last are present.
    pub levels: Vec<Option<f64>>,
    /// Seconds between readings, the median.
    pub spacing_s: u32,
    /// The mean in each hour of the week over the mean of all, Monday first.
    pub week: Vec<f64>,
}

impl Daily {
    /// From readings in time order; local time is `offset_s` ahead of UTC.
    pub fn of(readings: &[Reading], offset_s: i64, kind: Kind) -> Self {
        let mut days = Days::default();
        for one in readings.iter().filter(|one| one.value.is_finite()) {
            days.add(one, offset_s);
        }
        days.close();
        let level = |day: &Day| day.level(kind);
        let known: Vec<(i64, f64)> =
            days.all.iter().filter_map(|day| Some((day.number, level(day)?))).collect();
        let Some((first, last)) = known.first().map(|one| one.0).zip(known.last().map(|one| one.0)) else {
            return Self::default();
        };
        let mut levels = vec![None; usize::try_from(last - first + 1).unwrap_or(0)];
        for (number, level) in known {
            if let Some(place) = usize::try_from(number - first).ok().and_then(|at| levels.get_mut(at)) {
                *place = Some(level);
            }
        }
        let mut spacings: Vec<u32> = readings.iter().map(|one| one.seconds).collect();
        spacings.sort_unstable();
        Self {
            first,
            levels,
            spacing_s: spacings.get(spacings.len() / 2).copied().unwrap_or(0),
            week: days.week.means(),
        }
    }

    /// Days from the first to the last.
    pub fn days(&self) -> usize {
        self.levels.len()
    }

    /// Days of these without a figure.
    pub fn missing(&self) -> usize {
        self.levels.iter().filter(|level| level.is_none()).count()
    }
}

#[derive(Default)]
struct Days {
    all: Vec<Day>,
    /// The day that is being read, with sum and weight of each bin.
    open: Option<(i64, Vec<(f64, f64)>)>,
    week: Week,
}

struct Day {
    number: i64,
    /// Means of the bins, ascending.
    bins: Vec<f64>,
}

impl Day {
    fn level(&self, kind: Kind) -> Option<f64> {
        match kind {
            // One look a day is enough for what changes slowly.
            Kind::Amount => self.bins.last().copied(),
            Kind::Rate => {
                let rank = (BUSY_PERCENT * self.bins.len()).div_ceil(100);
                (2 * self.bins.len() >= BINS).then(|| self.bins.get(rank.max(1) - 1).copied())?
            }
        }
    }
}

impl Days {
    /// Spreads a reading over the bins that it covers.
    fn add(&mut self, one: &Reading, offset_s: i64) {
        let mut from = one.from_s.saturating_add(offset_s);
        let end = from.saturating_add(i64::from(one.seconds.max(1)));
        while from < end {
            let bin_end = (from.div_euclid(BIN_S) + 1) * BIN_S;
            let until = end.min(bin_end);
            let day = from.div_euclid(DAY_S);
            if self.open.as_ref().is_none_or(|open| open.0 != day) {
                self.close();
                self.open = Some((day, vec![(0.0, 0.0); BINS]));
            }
            let place = usize::try_from(from.rem_euclid(DAY_S) / BIN_S).unwrap_or(0);
            let weight = to_f64(u64::try_from(until - from).unwrap_or(0));
            if let Some(bin) = self.open.as_mut().and_then(|open| open.1.get_mut(place)) {
                bin.0 += weight * one.value;
                bin.1 += weight;
            }
            self.week.add(from, one.value, weight);
            from = until;
        }
    }

    fn close(&mut self) {
        let Some((number, bins)) = self.open.take() else { return };
        let mut bins: Vec<f64> = bins.iter().filter(|bin| bin.1 > 0.0).map(|bin| bin.0 / bin.1).collect();
        bins.sort_by(f64::total_cmp);
        self.all.push(Day { number, bins });
    }
}

/// Sums of each hour of the week.
struct Week(Vec<(f64, f64)>);

impl Default for Week {
    fn default() -> Self {
        Self(vec![(0.0, 0.0); 168])
    }
}

impl Week {
    fn add(&mut self, local_s: i64, value: f64, weight: f64) {
        // 1970-01-01 was a Thursday.
        let hour = (local_s.div_euclid(3600) + 72).rem_euclid(168);
        if let Some(sum) = usize::try_from(hour).ok().and_then(|hour| self.0.get_mut(hour)) {
            sum.0 += weight * value;
            sum.1 += weight;
        }
    }

    fn means(&self) -> Vec<f64> {
        let all = self.0.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let mean = all.0 / all.1;
        let relative = |one: &(f64, f64)| if one.1 > 0.0 && mean > 0.0 { one.0 / one.1 / mean } else { 0.0 };
        self.0.iter().map(relative).collect()
    }
}
