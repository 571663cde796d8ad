//! When a storage will be full or slow: the demand of production compared with what was measured.
//!
//! A resource ends in the first week whose busy days reach its limit. The interval of the date includes the uncertainty of both the forecast and
//! the measurement. Must not choose an exit code, and must not measure.

mod bucket;
mod demand;
mod scenario;
mod surface;

#[cfg(test)]
mod tests;

pub use bucket::{BucketForm, Credits};
pub use demand::{Demand, MINUTE_MS};
pub use scenario::{Addition, Change, DemandStep, Grow, Growth, Scenario, WhatIf};
pub use surface::{Disk, Surface};

use super::day;
use super::forecast::{Daily, Forecast, Kind, NoForecast, WeekForecast};
use rigel_core::stats::EstimateForm;

/// Days of a week of a forecast.
const WEEK: i64 = 7;

/// What may run out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// I/Os per second, as small ones.
    Iops,
    /// Megabytes (2^20) per second.
    Mbps,
    /// Space, in bytes.
    Space,
}

rigel_core::named!(Resource { Iops: "iops", Mbps: "mbps", Space: "space" });

impl Resource {
    /// Its name in texts.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Iops => "small IOPS",
            Self::Mbps => "bandwidth",
            Self::Space => "space",
        }
    }

    /// How the figure of a day is computed.
    pub const fn kind(self) -> Kind {
        match self {
            Self::Iops | Self::Mbps => Kind::Rate,
            Self::Space => Kind::Amount,
        }
    }
}

/// What a storage can provide of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// The resource.
    pub resource: Resource,
    /// The best single value with its interval; the upper end is infinite if it is not known.
    pub figure: EstimateForm,
    /// Its origin, as a phrase: `p99 < 5 ms`.
    pub from: String,
    /// Whether it is a rate within a bound that the phrase names.
    pub keeps_bound: bool,
}

/// The past and future demand of production for a resource.
#[derive(Clone, Debug)]
pub struct Course {
    /// The resource.
    pub resource: Resource,
    /// By day.
    pub daily: Daily,
    /// The forecast, or why there is none.
    pub forecast: Result<Forecast, NoForecast>,
    /// Week by week under the scenario; the forecast's own without one.
    pub ahead: Vec<WeekForecast>,
}

impl Course {
    /// The next `days` days of a history under a scenario.
    pub fn of(resource: Resource, daily: Daily, days: usize, scenario: &Scenario) -> Self {
        let forecast = Forecast::of(&daily, days);
        let ahead = forecast.as_ref().map(|told| scenario.of(resource, told, days)).unwrap_or_default();
        Self { resource, daily, forecast, ahead }
    }

    /// The day after what is reported.
    pub fn end(&self) -> Option<i64> {
        let told = self.forecast.as_ref().ok()?;
        Some(told.next_day() + WEEK * i64::try_from(self.ahead.len()).ok()?)
    }

    fn first(&self, limit: f64, end: fn(&WeekForecast) -> f64) -> ReachTime {
        let Ok(told) = &self.forecast else { return ReachTime::Unknown };
        match self.ahead.iter().position(|week| end(week) >= limit) {
            Some(week) => ReachTime::On(told.next_day() + WEEK * i64::try_from(week).unwrap_or(0)),
            None => ReachTime::Beyond(self.end().unwrap_or_default()),
        }
    }
}

/// When something is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReachTime {
    /// In the week from this day on.
    On(i64),
    /// Not before this day, the end of what the history supports.
    Beyond(i64),
    /// The history says nothing.
    Unknown,
}

impl ReachTime {
    /// The day, if there is one.
    pub const fn day(self) -> Option<i64> {
        match self {
            Self::On(day) => Some(day),
            Self::Beyond(_) | Self::Unknown => None,
        }
    }

    /// Whether it is certainly not before a day.
    pub const fn is_not_before(self, gate: i64) -> bool {
        match self {
            Self::On(day) | Self::Beyond(day) => day >= gate,
            Self::Unknown => false,
        }
    }

    /// `2028-03`, `after 2028-11` or `not known`.
    pub fn shown(self) -> String {
        match self {
            Self::On(at) => day::month(at),
            Self::Beyond(at) => format!("after {}", day::month(at)),
            Self::Unknown => "not known".to_owned(),
        }
    }
}

/// The end of a resource on a storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Ends {
    /// The limit that is reached.
    pub limit: Limit,
    /// The level of a busy day now; `None` without a forecast.
    pub now: Option<f64>,
    /// Most likely.
    pub likely: ReachTime,
    /// Not earlier with 97.5 % confidence.
    pub earliest: ReachTime,
    /// Not later with 97.5 % confidence.
    pub latest: ReachTime,
}

impl Ends {
    /// When a course reaches a limit.
    pub fn of(course: &Course, limit: &Limit) -> Self {
        let EstimateForm { value, lo95, hi95, .. } = limit.figure;
        Self {
            now: course.forecast.as_ref().ok().map(Forecast::now),
            likely: course.first(value, |week| week.value),
            earliest: course.first(lo95.unwrap_or(value), |week| week.upper),
            latest: course.first(hi95.unwrap_or(value), |week| week.lower),
            limit: limit.clone(),
        }
    }

    /// The share of the limit that a busy day uses now.
    pub fn used(&self) -> Option<f64> {
        self.now.map(|now| now / self.limit.figure.value)
    }
}

/// The outcome of `--fail-before`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Nothing runs out before, as far as the intervals show.
    Passed,
    /// Something may end before, but most likely does not.
    Undecided,
    /// Something most likely ends before.
    Failed,
    /// The history does not reach that far.
    Unknown,
}

rigel_core::named!(Gate { Passed: "passed", Undecided: "undecided", Failed: "failed", Unknown: "unknown" });

/// What runs out on a storage, in order of date.
#[derive(Clone, Debug, PartialEq)]
pub struct Storage {
    /// Its name.
    pub name: String,
    /// What was measured on it.
    pub surface: Surface,
    /// Its resources.
    pub ends: Vec<Ends>,
    /// What the history does to its token bucket, if it has one.
    pub credits: Option<Credits>,
}

impl Storage {
    /// A surface under all courses.
    pub fn of(name: &str, surface: Surface, courses: &[Course]) -> Self {
        Self::with_credits(name, surface, None, courses)
    }

    /// A token bucket, which a load may empty. Its limit is the level of a busy day at which it would.
    pub fn with_credits(
        name: &str,
        mut surface: Surface,
        credits: Option<Credits>,
        courses: &[Course],
    ) -> Self {
        let recent = |resource| {
            let course = courses.iter().find(|course| course.resource == resource)?;
            course.forecast.as_ref().ok().map(Forecast::recent)
        };
        surface.limits.extend(credits.as_ref().map(|credits| credits.limit(recent(credits.bucket.resource))));
        let end = |limit: &Limit| {
            let course = courses.iter().find(|course| course.resource == limit.resource)?;
            Some(Ends::of(course, limit))
        };
        let mut ends: Vec<Ends> = surface.limits.iter().filter_map(end).collect();
        ends.sort_by_key(|one| (one.likely, one.earliest, one.latest));
        Self { name: name.to_owned(), surface, ends, credits }
    }

    /// Whether any limit of I/O is known. Without one, nothing says when it becomes slow.
    pub fn is_measured(&self) -> bool {
        self.surface.limits.iter().any(|limit| limit.resource != Resource::Space)
    }

    /// The outcome of a gate. An unknown limit may be reached any day.
    pub fn gate(&self, day: i64) -> Gate {
        let judge = |one: &Ends| {
            if one.likely.day().is_some_and(|likely| likely < day) {
                Gate::Failed
            } else if one.likely.day().is_none() && !one.likely.is_not_before(day) {
                Gate::Unknown
            } else if one.earliest.is_not_before(day) {
                Gate::Passed
            } else {
                Gate::Undecided
            }
        };
        let unknown = self.surface.unknown.iter().map(|_| Gate::Unknown);
        let all: Vec<Gate> = self.ends.iter().map(judge).chain(unknown).collect();
        let worst =
            [Gate::Failed, Gate::Unknown, Gate::Undecided].into_iter().find(|gate| all.contains(gate));
        worst.unwrap_or(if all.is_empty() { Gate::Unknown } else { Gate::Passed })
    }
}
