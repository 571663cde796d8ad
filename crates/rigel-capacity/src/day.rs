//! Days and months as text; a day is a number, counted from 1970-01-01.
//!
//! Must not read a clock.

use jiff::civil::Date;

/// 1970-01-01 as a date.
const EPOCH: Date = Date::constant(1970, 1, 1);

/// The date of a day; the last representable one if it is too far.
fn date(day: i64) -> Date {
    EPOCH.checked_add(jiff::Span::new().days(day.clamp(-700_000, 2_900_000))).unwrap_or(Date::MAX)
}

/// `2028-03-14`.
pub fn shown(day: i64) -> String {
    date(day).to_string()
}

/// `2028-03`.
pub fn month(day: i64) -> String {
    date(day).strftime("%Y-%m").to_string()
}

/// The day of `2028-03-14`, or the first one of `2028-03`.
pub fn read(text: &str) -> Option<i64> {
    let text = text.trim();
    // The library takes a date with a time as well, and would drop the time.
    if !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
        return None;
    }
    let whole = if text.split('-').count() == 2 { format!("{text}-01") } else { text.to_owned() };
    let found: Date = whole.parse().ok()?;
    Some(i64::from(found.since((jiff::Unit::Day, EPOCH)).ok()?.get_days()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_come_back_and_nonsense_is_none() {
        for text in ["1970-01-01", "2024-02-29", "2028-03-14", "1969-12-31"] {
            assert_eq!(shown(read(text).unwrap()), text);
        }
        assert_eq!(
            (read("2028-03"), month(read("2028-03-31").unwrap())),
            (read("2028-03-01"), "2028-03".to_owned())
        );
        for wrong in ["", "2028", "2028-13", "2028-02-30", "next year", "2028-03-14-15", "2028-03-14T08:00"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(shown(i64::MAX).len(), 10);
    }
}
