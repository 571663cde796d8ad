//! Whether a latency of ORION is in milliseconds (up to 11.1) or in microseconds (from 11.2 on).
//!
//! A wrong guess is off by a factor of a thousand, so nothing is guessed: the text, the columns as ORION writes them, how long an I/O can take at
//! all, or the rates of the same run decide, or it remains undecided. Must not read a table.

use super::super::ToolFigure;
use super::super::text::{is_ambiguous, number};
use super::columns::{Table, has_own_decimals};
use rigel_core::error::Problem;
use rigel_core::judge::quantity::{Figure, Quantity, What};
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;

const US_PER_S: f64 = 1e6;
/// No I/O that ORION waits for is faster, whatever the storage: that is the time of a system call and a wake-up.
const SHORTEST_US: f64 = 2.0;
/// No storage does fewer I/Os per second.
const FEWEST_PER_S: f64 = 2.0;
/// ORION wrote `,%7.2f` milliseconds, and later `,%8.2f` microseconds.
const WIDTH_OF_MS: usize = 7;
const WIDTH_OF_US: usize = 8;
/// Only ORION from 12.2 on writes this many decimals, and in microseconds.
const DECIMALS_OF_US: usize = 3;
/// The first version that writes three decimals.
const DECIMALS_SINCE: (u32, u32) = (12, 2);
/// The first version that writes microseconds.
const US_SINCE: (u32, u32) = (11, 2);
/// Rate times latency is the outstanding I/Os, so far as their windows are the same; the units are a thousand apart.
const LITTLE: std::ops::Range<f64> = 0.1..10.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LatencyUnit {
    Us,
    Ms,
}

impl LatencyUnit {
    pub const fn in_us(self) -> f64 {
        match self {
            Self::Us => 1.0,
            Self::Ms => 1000.0,
        }
    }
}

pub const fn words(unit: LatencyUnit) -> &'static str {
    match unit {
        LatencyUnit::Us => "mean latencies of small I/O in microseconds",
        LatencyUnit::Ms => "mean latencies of small I/O in milliseconds",
    }
}

/// The unit of a table, and how it is known.
pub(super) fn of_table(above: &str, table: &Table<'_>) -> Option<(LatencyUnit, &'static str)> {
    if above.contains("millisecond") {
        return Some((LatencyUnit::Ms, "as the text above them says"));
    }
    if above.contains("microsecond") {
        return Some((LatencyUnit::Us, "as the text above them says"));
    }
    let decimals = table.decimals();
    let by_width = match table.width {
        Some(WIDTH_OF_MS) if has_own_decimals(decimals) => Some(LatencyUnit::Ms),
        Some(WIDTH_OF_US) if has_own_decimals(decimals) => Some(LatencyUnit::Us),
        _ => None,
    };
    let cells: Vec<(Point, f64)> =
        table.cells().filter_map(|(point, text)| Some((point, number(text)?))).collect();
    let is_possible = |unit: LatencyUnit| cells.iter().all(|&(point, value)| can_be(unit, point, value));
    match (by_width, is_possible(LatencyUnit::Us), is_possible(LatencyUnit::Ms)) {
        (Some(unit), ..) if is_possible(unit) => Some((unit, "as the width of their columns says")),
        (_, true, false) => {
            Some((LatencyUnit::Us, "because no storage is so slow that they are milliseconds"))
        }
        (_, false, true) => Some((LatencyUnit::Ms, "because no I/O is so short that they are microseconds")),
        (_, true, true) if decimals >= DECIMALS_OF_US => {
            Some((LatencyUnit::Us, "because only ORION since 12.2 writes that many decimals"))
        }
        _ => None,
    }
}

/// The unit of a line of the summary: its word, or the default of the version.
pub fn of_summary(word: &str, version: Option<&str>, digits: &str) -> Option<LatencyUnit> {
    match word {
        "usecs" | "usec" | "us" => return Some(LatencyUnit::Us),
        "msecs" | "msec" | "ms" => return Some(LatencyUnit::Ms),
        "" => {}
        _ => return None,
    }
    // From 11.2 on there is a word: where it is missing, somebody took it away.
    let is_later = version.and_then(release).map(|release| release >= US_SINCE);
    let has_decimals = digits.split_once('.').is_some_and(|(_, decimals)| has_own_decimals(decimals.len()));
    match is_later {
        Some(true) => None,
        Some(false) => Some(LatencyUnit::Ms),
        None => has_decimals.then_some(LatencyUnit::Ms),
    }
}

/// A number of the summary without thousands separators; `None` if `5,312` may be either. ORION writes rates of small
/// I/O as whole numbers, those of large I/O with two decimals, and latencies with two, none (11.2) or three (from
/// 12.2 on).
pub fn plain(digits: &str, name: &str, version: Option<&str>) -> Option<String> {
    if !is_ambiguous(digits) || name.eq_ignore_ascii_case("Maximum Small IOPS") {
        return Some(digits.to_owned());
    }
    let has_comma = digits.contains(',');
    let release = version.and_then(release);
    let is_of_thousands = match release {
        _ if !name.to_ascii_lowercase().contains("latency") => true,
        Some(release) if release >= DECIMALS_SINCE => false,
        Some(release) if release >= US_SINCE => true,
        // A point is what ORION itself writes.
        _ if !has_comma => false,
        _ => return None,
    };
    Some(if is_of_thousands { digits.replace(['.', ','], "") } else { digits.replace(',', ".") })
}

/// The first two numbers of a version: `11.1.0.7.0`, `RDBMS_19.3.0.0.0DBRU_LINUX.X64_190417`.
fn release(version: &str) -> Option<(u32, u32)> {
    let from = version.find(|c: char| c.is_ascii_digit())?;
    let mut numbers = version[from..].split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Whether a storage can have this mean latency at this load.
fn can_be(unit: LatencyUnit, point: Point, value: f64) -> bool {
    let us = unit.in_us() * value;
    value <= 0.0 || (us >= SHORTEST_US && f64::from(point.of(Class::SMALL)) * US_PER_S / us >= FEWEST_PER_S)
}

/// By the rates of the same points: rate times latency is the outstanding I/Os (Little's law). `None` if no point has both, or they disagree.
pub fn by_rates(latencies: &[ToolFigure], rates: &[ToolFigure]) -> Option<LatencyUnit> {
    let rate_at = |point: Point| {
        let rate = Quantity::at_points(What::Rate, Class::SMALL);
        rates.iter().find(|one| one.figure.quantity == rate && one.figure.point == Some(point))
    };
    let said = |one: &ToolFigure| {
        let point = one.figure.point?;
        let rate = rate_at(point)?.figure.estimate.value;
        let in_flight =
            one.figure.estimate.value * rate / US_PER_S / f64::from(point.of(Class::SMALL).max(1));
        [LatencyUnit::Us, LatencyUnit::Ms]
            .into_iter()
            .find(|unit| LITTLE.contains(&(in_flight * unit.in_us())))
    };
    let told: Vec<LatencyUnit> = latencies.iter().filter_map(said).collect();
    told.first().copied().filter(|first| told.iter().all(|one| one == first))
}

/// The same latencies in microseconds.
pub fn scaled(latencies: &[ToolFigure], unit: LatencyUnit) -> Vec<ToolFigure> {
    let scaled = |one: &ToolFigure| {
        let estimate = Estimate::bare(unit.in_us() * one.figure.estimate.value);
        ToolFigure { figure: Figure { estimate, ..one.figure }, half_unit: unit.in_us() * one.half_unit }
    };
    latencies.iter().map(scaled).collect()
}

/// The remark on latencies of unknown unit.
pub const OPEN: &str =
    "its latencies, which may be milliseconds (ORION up to 11.1) or microseconds (from 11.2 on)";

pub fn open() -> Problem {
    Problem::usage("the unit of ORION's latencies is not known")
        .because(
            "ORION writes milliseconds up to 11.1 and microseconds from 11.2 on; the text that says which is missing, and the numbers can be either",
        )
        .next(
            "give the _iops.csv or _summary.txt of the same run in the same directory, whose rates decide \
             it; or write 'latency in microseconds' or \
             'latency in milliseconds' above the table",
        )
}
