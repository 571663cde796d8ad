//! Times as tools write them, as milliseconds of the epoch in UTC.
//!
//! A local time without an offset needs a time zone, and in the repeated hour it also needs the previous times: times in a file go forward. Must
//! not guess a zone, and must not read a clock.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, Zoned};

/// Converts local times of one file to UTC, in file order. A time much earlier than the previous one starts another
/// sequence: another host, or an older file after a newer one.
#[derive(Clone, Debug)]
pub struct Zone {
    zone: TimeZone,
    last_ms: i64,
}

/// Clocks are set back by less.
const MOST_BACK_MS: i64 = 3 * 3_600_000;

impl Zone {
    /// For a time zone.
    pub const fn new(zone: TimeZone) -> Self {
        Self { zone, last_ms: i64::MIN }
    }

    /// The UTC time of a local time, in milliseconds of the epoch. If it occurred twice, the first, unless the
    /// previous times are later already; `None` if the clock skipped it.
    pub fn moment(&mut self, local: DateTime) -> Option<i64> {
        let possible = moments(&self.zone, local);
        let last_ms = self.last_ms;
        let begins_again = |at_ms: i64| at_ms.saturating_add(MOST_BACK_MS) < last_ms;
        let is_next = |at_ms: &&i64| **at_ms > last_ms || begins_again(**at_ms);
        let moment = possible.iter().find(is_next).or(possible.last()).copied()?;
        self.last_ms = if begins_again(moment) { moment } else { last_ms.max(moment) };
        Some(moment)
    }
}

/// The moments at which a clock shows a local time: none that it skipped, two in the hour that comes twice.
pub fn moments(zone: &TimeZone, local: DateTime) -> Vec<i64> {
    let offsets = match zone.to_ambiguous_timestamp(local).offset() {
        AmbiguousOffset::Unambiguous { offset } => vec![offset],
        AmbiguousOffset::Gap { .. } => Vec::new(),
        AmbiguousOffset::Fold { before, after } => vec![before, after],
    };
    offsets
        .into_iter()
        .filter_map(|offset| offset.to_timestamp(local).ok())
        .map(Timestamp::as_millisecond)
        .collect()
}

/// A date and a time of day: `2026-11-24` and `18:10:25`. A two-digit year is not accepted here: the Dutch write it last, as in `10-06-26`.
pub fn local(date: &str, time: &str) -> Option<DateTime> {
    let (year, rest) = date.trim().split_once('-').filter(|(year, _)| year.len() == 4)?;
    let (month, day) = rest.split_once('-')?;
    of_parts([year, month, day], time)
}

/// The year 1900 of the Buddhist calendar, in which Thai dates are, and how far it is ahead.
const BUDDHIST: i16 = 2_443;
const BUDDHIST_AHEAD: i16 = 543;

/// Year, month, day and a time of day; a two-digit year is in this century, and years far in the future are Buddhist ones.
pub fn of_parts([year, month, day]: [&str; 3], time: &str) -> Option<DateTime> {
    let mut clock = time.trim().split(':');
    let (hour, minute) = (digits(clock.next()?)?, digits(clock.next()?)?);
    let (second, fraction) = match clock.next().unwrap_or("0").split_once('.') {
        Some((second, fraction)) => (digits(second)?, nanoseconds(fraction)?),
        None => (digits(time.trim().split(':').nth(2).unwrap_or("0"))?, 0),
    };
    if clock.next().is_some() {
        return None;
    }
    let century = if year.trim().len() == 2 { 2_000 } else { 0 };
    let year = i16::try_from(digits::<i32>(year)?.checked_add(century)?).ok()?;
    let year = if year < BUDDHIST { year } else { year - BUDDHIST_AHEAD };
    DateTime::new(year, digits(month)?, digits(day)?, hour, minute, second, fraction).ok()
}

fn digits<N: std::str::FromStr>(text: &str) -> Option<N> {
    let text = text.trim();
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn nanoseconds(fraction: &str) -> Option<i32> {
    let digits_only = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let nine: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    digits_only.then(|| nine.parse().ok())?
}

/// A moment as ISO 8601 and PostgreSQL write it, with an offset: `2026-11-24T18:10:23+0000`, `2026-11-24 18:10:23.5+00`, `..Z`.
pub fn with_offset(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let (date, rest) = text.split_once(['T', ' '])?;
    let at = rest.find(['+', '-'])?;
    let (time, offset) = rest.split_at(at);
    Some(self::offset(offset)?.to_timestamp(local(date, time)?).ok()?.as_millisecond())
}

/// Seconds of the epoch, as `iostat -U` writes them: ten digits, which are the years from 2001 to 2286.
pub fn of_epoch(text: &str) -> Option<i64> {
    let is_whole = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.parse::<i64>().ok()?.checked_mul(1_000))?
}

/// `+02`, `-0330`, `+05:30`: how far a clock is ahead of UTC.
pub fn offset(text: &str) -> Option<Offset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let plain: String = text.strip_prefix(['+', '-'])?.chars().filter(|&sign| sign != ':').collect();
    let (hours, minutes) = match plain.len() {
        2 => (digits::<i32>(&plain)?, 0),
        4 => (digits::<i32>(plain.get(..2)?)?, digits::<i32>(plain.get(2..)?)?),
        _ => return None,
    };
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

/// Half a year: whatever the clock does in between, standard time and summer time are this far apart.
const HALF_YEAR_MS: i64 = 183 * 24 * 3_600_000;

/// Whether a zone has this name or this offset from UTC at some time of the year: sysstat writes the winter name in summer too.
pub fn is_called(zone: &TimeZone, told: &str, around: DateTime) -> bool {
    let Ok(at) = Offset::UTC.to_timestamp(around) else { return false };
    [-HALF_YEAR_MS, 0, HALF_YEAR_MS].into_iter().any(|far_ms| {
        let at = Timestamp::from_millisecond(at.as_millisecond() + far_ms).unwrap_or(at);
        let info = zone.to_offset_info(at);
        info.abbreviation() == told || offset(told) == Some(info.offset())
    })
}

/// Whether a word means UTC, in the form of `date` and sysstat.
pub fn is_utc(word: &str) -> bool {
    ["UTC", "GMT", "UCT", "Z", "ZULU", "+00", "+0000", "+00:00"].contains(&word.to_ascii_uppercase().as_str())
}

/// A moment without an offset: `2026-11-24 18:10:23`, `2026-11-24T18:10:23.5`.
pub fn without_offset(text: &str) -> Option<DateTime> {
    let (date, time) = text.trim().split_once(['T', ' '])?;
    local(date, time)
}

/// `2026-11-24 18:10`, in UTC; for texts.
pub fn shown(at_ms: i64) -> String {
    let zoned: Option<Zoned> =
        Timestamp::from_millisecond(at_ms).ok().map(|moment| moment.to_zoned(TimeZone::UTC));
    zoned.map_or_else(|| "?".to_owned(), |moment| moment.strftime("%Y-%m-%d %H:%M").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Berlin's rule as POSIX writes it, so no database of zones is needed.
    fn berlin() -> Zone {
        Zone::new(TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap())
    }

    #[test]
    fn the_hour_that_comes_twice_goes_forward() {
        let mut zone = berlin();
        let mut at = |time: &str| {
            let moment = zone.moment(local("2026-10-25", time).unwrap());
            moment.map_or(-1, |ms| ms / 60_000 % 1_440)
        };
        let times = ["01:50:00", "02:10:00", "02:50:00", "02:10:00", "02:50:00", "03:10:00"];
        assert_eq!(times.map(&mut at), [1430, 10, 50, 70, 110, 130]);
        assert_eq!(berlin().moment(local("2026-03-29", "02:30:00").unwrap()), None);
        // Another host, behind the first.
        let mut zone = berlin();
        let mut hours = |times: [&str; 4]| {
            times.map(|time| zone.moment(local("2026-10-25", time).unwrap()).unwrap() / 3_600_000 % 24)
        };
        let times = ["01:00:00", "02:00:00", "02:00:00", "06:00:00"];
        assert_eq!((hours(times), hours(times)), ([23, 0, 1, 5], [23, 0, 1, 5]));
        assert_eq!(hours(["02:00:00", "02:00:00", "04:00:00", "05:00:00"]), [0, 1, 3, 4]);
    }

    #[test]
    fn a_zone_is_known_by_its_names_and_offsets_of_the_whole_year() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        for (told, expected) in
            [("CET", true), ("CEST", true), ("+02", true), ("+0100", true), ("UTC", false), ("-03", false)]
        {
            for day in ["2026-01-10", "2026-07-10"] {
                assert_eq!(is_called(&zone, told, local(day, "12:00:00").unwrap()), expected, "{told} {day}");
            }
        }
    }

    #[test]
    fn a_year_has_four_digits_where_it_is_first_and_may_be_a_buddhist_one() {
        assert_eq!(local("10-06-26", "08:00:00"), None);
        assert_eq!(without_offset("10-06-26 08:00:00"), None);
        let leap = of_parts(["2567", "2", "29"], "08:00:00").unwrap();
        assert_eq!(leap.to_string(), "2024-02-29T08:00:00");
        assert_eq!(of_parts(["2147483647", "2", "28"], "08:00:00"), None);
    }

    #[test]
    fn offsets_of_all_kinds_are_read() {
        let expected = Some(1_795_543_823_000);
        for text in [
            "2026-11-24T18:10:23+0000",
            "2026-11-24T18:10:23Z",
            "2026-11-24 18:10:23+00",
            "2026-11-24 19:10:23+01",
            "2026-11-24T23:40:23+05:30",
            "2026-11-24T15:10:23-0300",
        ] {
            assert_eq!(with_offset(text), expected, "{text}");
        }
        assert_eq!(with_offset("2026-11-24 18:10:23.25+00"), Some(1_795_543_823_250));
        for wrong in ["", "18:10:23", "2026-11-24 18:10:23", "2026-13-24T18:10:23+0000", "2026-11-24T+0000"] {
            assert_eq!(with_offset(wrong), None, "{wrong}");
        }
        assert_eq!(shown(1_795_543_823_000), "2026-11-24 18:10");
    }
}
