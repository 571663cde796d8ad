//! What no history can know: a different growth, load or data added at a date, and different hosts.
//!
//! Must not look at a limit.

use super::super::day;
use super::super::forecast::{Forecast, WeekForecast};
use super::{Resource, WEEK};
use rigel_core::units::{Bytes, MIB, UnitError, to_f64};
use std::str::FromStr;

const DAYS_OF_YEAR: f64 = 365.25;

/// Growth instead of the history's, as a share of a year: 0.3 is 30 % more each year.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth(pub f64);

/// `--grow`: another growth, or more of everything from the start on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grow {
    /// `30%/y`.
    ByYear(Growth),
    /// `30%`: all rates are 1.3 times as high.
    AtOnce(f64),
}

/// Assumed changes to hosts and their load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// Hosts that are removed; their load moves to the others.
    pub without: Vec<String>,
    /// Files whose load comes to it.
    pub files: Vec<String>,
    /// How much higher all rates are, as a share.
    pub more: Option<f64>,
}

impl WhatIf {
    /// The factor for all rates.
    pub fn times(&self) -> f64 {
        1.0 + self.more.unwrap_or(0.0)
    }
}

/// An increase of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Bytes of data.
    Space(f64),
    /// I/Os per second.
    Iops(f64),
    /// Megabytes per second.
    Mbps(f64),
    /// A share of everything.
    All(f64),
}

/// A change from a day on.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandStep {
    /// The amount.
    pub change: Change,
    /// From when on.
    pub from: i64,
    /// As the user typed it.
    pub text: String,
}

/// Everything that is assumed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenario {
    /// `--grow`.
    pub growth: Option<Growth>,
    /// `--add` with a date.
    pub added: Vec<DemandStep>,
    /// Other hosts and rates than there were.
    pub what_if: WhatIf,
}

impl Scenario {
    /// The weeks of a forecast under it. With a given growth it does not depend on how far the history reaches.
    pub(super) fn of(&self, resource: Resource, told: &Forecast, days: usize) -> Vec<WeekForecast> {
        let mut weeks = match self.growth {
            None => told.ahead.clone(),
            Some(growth) => grown(told, growth, days),
        };
        for (week, ahead) in weeks.iter_mut().enumerate() {
            let first = told.next_day() + WEEK * i64::try_from(week).unwrap_or(0);
            for added in self.added.iter().filter(|added| added.from <= first) {
                let more = |value: f64| (value + added.change.to(resource, value)).max(0.0);
                *ahead = WeekForecast {
                    value: more(ahead.value),
                    lower: more(ahead.lower),
                    upper: more(ahead.upper),
                };
            }
        }
        weeks
    }
}

impl Change {
    fn to(self, resource: Resource, value: f64) -> f64 {
        match (self, resource) {
            (Self::Space(more), Resource::Space)
            | (Self::Iops(more), Resource::Iops)
            | (Self::Mbps(more), Resource::Mbps) => more,
            (Self::All(share), _) => share * value,
            _ => 0.0,
        }
    }
}

/// From today's level on, with the interval of the next week.
fn grown(told: &Forecast, growth: Growth, days: usize) -> Vec<WeekForecast> {
    let now = told.now();
    let share = |of: fn(&WeekForecast) -> f64| {
        told.ahead.first().filter(|week| week.value > 0.0).map_or(1.0, |week| of(week) / week.value)
    };
    let (lower, upper) = (share(|week| week.lower), share(|week| week.upper));
    let week = |week: usize| {
        let years = (week as f64 + 0.5) * 7.0 / DAYS_OF_YEAR;
        let value = now * (1.0 + growth.0).powf(years);
        WeekForecast { value, lower: value * lower, upper: value * upper }
    };
    (0..days.div_ceil(7)).map(week).collect()
}

fn per_cent(text: &str) -> Option<f64> {
    let number: f64 = text.trim().strip_suffix('%')?.trim().parse().ok()?;
    number.is_finite().then_some(number / 100.0)
}

impl FromStr for Grow {
    type Err = String;

    /// `30%/y` or `-10%/y`; `30%` for a single increase.
    fn from_str(text: &str) -> Result<Self, String> {
        let lower = text.trim().to_ascii_lowercase();
        let by_year = ["/year", "/y", "/a"].iter().find_map(|unit| lower.strip_suffix(unit));
        match per_cent(by_year.unwrap_or(&lower)) {
            Some(share) if share > -1.0 && share <= 100.0 => {
                Ok(by_year.map_or(Self::AtOnce(share), |_| Self::ByYear(Growth(share))))
            }
            Some(_) => Err(format!("'{text}' is out of range: it must be above -100% and at most 10000%")),
            None => Err(format!(
                "'{text}' is not a growth rate: write 30%/y for growth per year, or 30% for rates 1.3 times as high"
            )),
        }
    }
}

/// `--add`: something from a date on, or the load in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Addition {
    /// `200G@2027-04`.
    Step(DemandStep),
    /// `db7.csv`.
    File(std::path::PathBuf),
}

impl FromStr for Addition {
    type Err = String;

    /// Anything with a date, or an amount without one, is not a file.
    fn from_str(text: &str) -> Result<Self, String> {
        let is_path = text.contains('/');
        if !is_path && (text.contains('@') || amount_of(text.trim()).is_ok()) {
            text.parse().map(Self::Step)
        } else {
            Ok(Self::File(text.into()))
        }
    }
}

impl FromStr for DemandStep {
    type Err = String;

    /// `200G@2027-04`, `500IOPS@2027-04-15`, `80MBPS@2027-04` or `20%@2027-04`.
    fn from_str(text: &str) -> Result<Self, String> {
        let form = "write 200G@2027-04, 500IOPS@2027-04-15, 80MBPS@2027-04 or 20%@2027-04";
        let (amount, date) = text.split_once('@').ok_or_else(|| format!("'{text}' has no date: {form}"))?;
        let from = day::read(date).ok_or_else(|| format!("'{date}' is neither a month nor a day: {form}"))?;
        let amount = amount.trim();
        let (is_less, plain) = amount.strip_prefix('-').map_or((false, amount), |plain| (true, plain));
        let change = amount_of(plain).map_err(|error| format!("{error}: {form}"))?;
        let change = if is_less { change.negated() } else { change };
        Ok(Self { change, from, text: text.trim().to_owned() })
    }
}

impl Change {
    fn negated(self) -> Self {
        match self {
            Self::Space(more) => Self::Space(-more),
            Self::Iops(more) => Self::Iops(-more),
            Self::Mbps(more) => Self::Mbps(-more),
            Self::All(share) => Self::All(-share),
        }
    }
}

fn amount_of(text: &str) -> Result<Change, String> {
    if let Some(share) = per_cent(text) {
        return Ok(Change::All(share));
    }
    let lower = text.to_ascii_lowercase();
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    for (unit, change) in [("iops", Change::Iops as fn(f64) -> Change), ("mbps", Change::Mbps)] {
        if let Some(plain) = lower.strip_suffix(unit) {
            return number(plain)
                .map(change)
                .ok_or_else(|| format!("'{text}' is not a valid number of {unit}"));
        }
    }
    let bytes: Bytes = text.parse().map_err(|error: UnitError| error.to_string())?;
    if bytes.0 < MIB {
        return Err(format!("'{text}' is less than a megabyte"));
    }
    Ok(Change::Space(to_f64(bytes.0)))
}
