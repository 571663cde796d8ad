//! Dates as locales write them: `11/24/26`, `24.11.2026`, halves of a day; the order of day and month is shown by the file or asked for.
//!
//! Must not guess an order.

use super::iostat::AGAIN;
use super::seen::{DateOrder, shown, wrong};
use crate::when;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
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

    /// The day on top of a document: `2026-11-24`, `11/24/26`, `24.11.2026`.
    ///
    /// # Errors
    /// When it is none, or its order is unknown.
    pub fn day(text: &str, asked: Option<DateOrder>, line: u64) -> Result<Date, Problem> {
        let none = || {
            wrong(line, format!("'{}' is not a date", shown(text)))
                .because("sysstat writes dates in the locale's format, but only numeric ones are read")
                .next("write ISO 8601 dates from now on: S_TIME_FORMAT=ISO")
        };
        // As Chinese and Japanese have it: 2026年11月24日.
        let numbers = text.trim_end_matches('日').replace(['年', '月'], "-");
        let parts = parts(&numbers).ok_or_else(none)?;
        let parts = match parts[0].len() {
            4 => parts,
            _ => Self::default().in_order(parts, text, asked, line)?,
        };
        when::of_parts(parts, "0:0:0").map(DateTime::date).ok_or_else(none)
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

/// How months begin in English, German, French, Spanish, Italian, Portuguese, Dutch, Polish and the Nordic languages; no beginning is that of two months.
const MONTHS: [(u8, &[&str]); 12] = [
    (1, &["jan", "ene", "gen", "sty"]),
    (2, &["feb", "fév", "fev", "lut"]),
    (3, &["mar", "mär", "mae", "mrz", "mrt", "maa"]),
    (4, &["apr", "avr", "abr", "kwi"]),
    (5, &["may", "mai", "mei", "maj", "mag"]),
    (6, &["jun", "juin", "giu", "cze"]),
    (7, &["jul", "juil", "lug", "lip"]),
    (8, &["aug", "aoû", "aou", "ago", "sie"]),
    (9, &["sep", "set", "wrz"]),
    (10, &["oct", "okt", "ott", "out", "paź"]),
    (11, &["nov", "lis"]),
    (12, &["dec", "déc", "dez", "dic", "des", "gru"]),
];

/// The number of a month: a word, or `11月`.
pub fn month(word: &str) -> Option<String> {
    let word = word.trim().trim_end_matches('.').to_lowercase();
    if let Some(number) = word.strip_suffix(['月', '월']) {
        return Some(number.to_owned());
    }
    let (number, _) = MONTHS.iter().find(|(_, names)| names.iter().any(|name| word.starts_with(name)))?;
    word.chars().all(char::is_alphabetic).then(|| number.to_string())
}

/// Times of day below a date, in their order: behind midnight they are of the next day.
#[derive(Clone, Copy, Debug)]
pub struct DayClock {
    day: Date,
    last: Time,
}

/// Clocks are set back by less, so that more is another day.
const MOST_BACK_S: i32 = 3 * 3_600;

impl DayClock {
    /// Of the day at which they begin.
    pub const fn begun(day: Date) -> Self {
        Self { day, last: Time::midnight() }
    }

    /// The next one.
    pub fn moment(&mut self, time: Time) -> DateTime {
        let second = |time: Time| {
            i32::from(time.hour()) * 3_600 + i32::from(time.minute()) * 60 + i32::from(time.second())
        };
        if second(self.last) - second(time) > MOST_BACK_S {
            self.day = self.day.tomorrow().unwrap_or(self.day);
        }
        self.last = time;
        self.day.to_datetime(time)
    }
}

/// A time of day at the begin of a line, `18:10:23` or `06:10:23 PM`, and of how many words it is.
pub fn time_of_day(words: &[&str]) -> Option<(Time, usize)> {
    // As Chinese and Japanese have it: 18时10分23秒.
    let first = words.first()?.trim_end_matches('秒').replace(['时', '時', '分'], ":");
    let local = when::of_parts(["2000", "1", "1"], &first)?;
    let is_half = |word: &&&str| ["AM", "PM"].contains(&word.replace('.', "").to_ascii_uppercase().as_str());
    match words.get(1).filter(is_half) {
        Some(half) => Some((in_half(local, half)?.time(), 2)),
        None => Some((local.time(), 1)),
    }
}

/// What `date` prints: `Thu Aug 24 15:44:41 CST 2017`, `So 29. Nov 11:21:58 UTC 2026`, `Sun Nov 29 11:21:58 AM +0530 2026`,
/// `2026年 11月 29日 星期日 11:21:58 UTC`; with its zone where that cannot be misread.
pub fn of_date(text: &str) -> Option<(DateTime, Option<TimeZone>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| word.contains(':'))?;
    let (time, count) = time_of_day(&words[at..])?;
    // A day of the week may be called as a month: `mar. 3 nov.`
    let month = words[..at].iter().filter_map(|word| month(word)).next_back()?;
    let number = |word: &&str| {
        let digits = word.trim_end_matches(['年', '日', '.', ',']);
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.to_owned())
    };
    let numbers: Vec<String> = words[..at].iter().chain(&words[at + count..]).filter_map(number).collect();
    let year = numbers.iter().find(|number| number.len() == 4)?;
    let day = numbers.iter().find(|number| number.len() < 3)?;
    let date = when::of_parts([year, &month, day], "0:0:0")?.date();
    let zone = words[at + count..].iter().find_map(|word| match when::is_utc(word) {
        true => Some(TimeZone::UTC),
        false => when::offset(word).map(Offset::to_time_zone),
    });
    Some((date.to_datetime(time), zone))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As `date` of coreutils 9.1 printed them in these languages.
    #[test]
    fn what_date_prints_is_read_in_many_languages() {
        for text in [
            "Sun Nov 29 11:21:58 UTC 2026",
            "Sun Nov 29 11:21:58 AM UTC 2026",
            "So 29. Nov 11:21:58 UTC 2026",
            "dim. 29 nov. 2026 11:21:58 UTC",
            "2026年 11月 29日 星期日 11:21:58 UTC",
            "mar. 29 nov. 11:21:58 UTC 2026",
        ] {
            let (local, zone) = of_date(text).unwrap();
            assert_eq!(
                (local.to_string().as_str(), zone),
                ("2026-11-29T11:21:58", Some(TimeZone::UTC)),
                "{text}"
            );
        }
        let (local, zone) = of_date("Thu Aug 24 03:44:41 PM CST 2017").unwrap();
        assert_eq!(
            (local.to_string().as_str(), zone),
            ("2017-08-24T15:44:41", None),
            "China, Cuba or Chicago"
        );
        assert!(of_date("Thu Aug 24 15:44:41 -03 2017").unwrap().1.is_some());
        for none in
            ["", "Thu Aug 24", "15:44:41", "Thu Foo 24 15:44:41 CST 2017", "Thu Aug 99 15:44:41 CST 2017"]
        {
            assert!(of_date(none).is_none(), "{none}");
        }
    }
}
