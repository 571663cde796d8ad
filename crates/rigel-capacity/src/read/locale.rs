//! Dates as locales write them: `11/24/26`, `24.11.2026`, halves of a day; the order of day and month is shown by the file or asked for.
//!
//! Must not guess an order.

use super::iostat::AGAIN;
use super::seen::{DateOrder, shown, wrong};
use crate::when;
use jiff::civil::{Date, DateTime};
use rigel_core::error::Problem;

/// The dates of one run of a tool.
#[derive(Clone, Debug, Default)]
pub struct Dates {
    /// The day on which it began, where the file says that in a way that cannot be misread.
    day: Option<Date>,
    /// The order of its dates, once one of them has shown it.
    order: Option<DateOrder>,
}

/// Both orders of the first two numbers of a date.
const ORDERS: [DateOrder; 2] = [DateOrder::MonthDay, DateOrder::DayMonth];

impl Dates {
    /// Of a run that began on a day, if the file says that.
    pub fn begun(day: Option<&str>) -> Self {
        Self { day: day.and_then(unmistakable), order: None }
    }

    /// `11/24/26 18:10:23`, `24.11.2026 18:10:23`, `11/24/2026 06:10:23 PM`. Halves of a day say nothing of the order: India has the day first.
    ///
    /// # Errors
    /// When it is none, or its order is unknown.
    pub fn moment(&mut self, text: &str, asked: Option<DateOrder>, line: u64) -> Result<DateTime, Problem> {
        let none = || {
            wrong(line, format!("'{}' is not a date and time", shown(text)))
                .because("iostat writes dates in the locale's format, but only numeric ones are read")
                .next(format!("write ISO 8601 dates from now on: {AGAIN}"))
        };
        let mut words = text.split_ascii_whitespace();
        let (Some(date), Some(time)) = (words.next(), words.next()) else { return Err(none()) };
        let parts = parts(date).ok_or_else(none)?;
        let local = when::of_parts(self.in_order(parts, date, asked, line)?, time).ok_or_else(none)?;
        match words.next() {
            Some(word) => in_half(local, word).ok_or_else(none),
            None => Ok(local),
        }
    }

    /// Year, month and day of three numbers, of which the year is the last.
    ///
    /// # Errors
    /// When neither the file nor the user says what is the day.
    pub fn in_order<'a>(
        &mut self,
        parts: [&'a str; 3],
        date: &str,
        asked: Option<DateOrder>,
        line: u64,
    ) -> Result<[&'a str; 3], Problem> {
        // The day of the document is that of the first report, or the one before it.
        let is_near = |order: &DateOrder| {
            let read = date_of(parts, *order);
            self.day
                .zip(read)
                .is_some_and(|(day, read)| read == day || day.tomorrow().is_ok_and(|next| next == read))
        };
        let of_day: Vec<DateOrder> = ORDERS.into_iter().filter(is_near).collect();
        // No year has a month 13.
        let possible: Vec<DateOrder> =
            ORDERS.into_iter().filter(|order| date_of(parts, *order).is_some()).collect();
        let order = match (asked.or(self.order), of_day.as_slice(), possible.as_slice()) {
            (Some(order), ..) => order,
            (None, &[order], _) | (None, _, &[order]) => *self.order.insert(order),
            // The day of the month is its number.
            (None, _, &[order, _]) if parts[0] == parts[1] => order,
            _ => {
                return Err(wrong(
                    line,
                    format!("'{}' does not show which is the day and which the month", shown(date)),
                )
                .because("the tool writes dates in the locale's format unless S_TIME_FORMAT=ISO is set")
                .next("specify --dates month-day or --dates day-month"));
            }
        };
        Ok(ordered(parts, order))
    }
}

/// The three numbers of a date.
fn parts(date: &str) -> Option<[&str; 3]> {
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    <[&str; 3]>::try_from(parts).ok()
}

/// The time of day in its half; a word that is none may be a zone. `None` for what is neither.
fn in_half(local: DateTime, word: &str) -> Option<DateTime> {
    let hour = local.hour() % 12;
    let hour = match word.replace('.', "").to_ascii_uppercase().as_str() {
        "AM" => hour,
        "PM" => hour + 12,
        zone if !zone.is_empty() && zone.bytes().all(|byte| byte.is_ascii_alphabetic()) => {
            return Some(local);
        }
        _ => return None,
    };
    local.with().hour(hour).build().ok()
}

/// The day of a document, where it cannot be misread.
fn unmistakable(text: &str) -> Option<Date> {
    let Some(parts) = parts(text).filter(|_| !text.contains('-')) else { return text.parse().ok() };
    match ORDERS.map(|order| date_of(parts, order)) {
        [Some(date), None] | [None, Some(date)] => Some(date),
        [one, other] => one.filter(|_| one == other),
    }
}

const fn ordered([first, second, year]: [&str; 3], order: DateOrder) -> [&str; 3] {
    match order {
        DateOrder::MonthDay => [year, first, second],
        DateOrder::DayMonth => [year, second, first],
    }
}

fn date_of(parts: [&str; 3], order: DateOrder) -> Option<Date> {
    when::of_parts(ordered(parts, order), "0:0:0").map(DateTime::date)
}
