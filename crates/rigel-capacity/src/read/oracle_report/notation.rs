//! Numbers and times as reports write them: `1,234.5`, `1.234,5`, `3.2M`; `29-Nov-26 04:00:12` with months in several languages.
//!
//! Must not guess: the user is asked for what a report does not show.

use super::super::locale::{Dates, month};
use super::super::seen::{DateOrder, shown, wrong};
use crate::when;
use jiff::civil::DateTime;
use rigel_core::error::Problem;

/// Between the groups of a number in Switzerland, and what is left of a no-break space in a single-byte character set.
const MARKS: [char; 3] = ['\'', '\u{2019}', char::REPLACEMENT_CHARACTER];

/// The decimal separator of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decimal {
    Point,
    Comma,
}

impl Decimal {
    /// What a number shows: a group always has three digits, a fraction in a report one or two. `None` if it shows nothing.
    pub fn shown_by(text: &str) -> Option<Self> {
        let number = without_unit(text.trim()).0;
        let at = number.rfind(['.', ','])?;
        let digits = number.len() - at - 1;
        let others = number[..at].contains(['.', ',']) && !number[..at].contains(&number[at..=at]);
        let is_point = number.as_bytes().get(at) == Some(&b'.');
        ((1..=2).contains(&digits) || others).then_some(if is_point { Self::Point } else { Self::Comma })
    }

    /// A number; `None` for anything else, such as the `#####` of one that is too long for its column.
    pub fn number(self, text: &str) -> Option<f64> {
        let (number, factor) = without_unit(text.trim());
        let (decimal, group) = if self == Self::Point { ('.', ',') } else { (',', '.') };
        let (whole, fraction) = number.split_once(decimal).unwrap_or((number, ""));
        let is_group = |sign: char| sign == group || sign.is_whitespace() || MARKS.contains(&sign);
        let whole: String = whole.chars().filter(|&sign| !is_group(sign)).collect();
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = digits(whole.strip_prefix('-').unwrap_or(&whole)) && digits(fraction);
        let is_empty = whole.trim_start_matches('-').is_empty() && fraction.is_empty();
        let value: f64 = (is_number && !is_empty).then(|| format!("{whole}.{fraction}0").parse().ok())??;
        Some(value * factor)
    }

    /// The step in which a number is reported: 0.1 for `12.3`.
    pub fn step(self, text: &str) -> f64 {
        let (number, factor) = without_unit(text.trim());
        let decimal = if self == Self::Point { '.' } else { ',' };
        let digits = number.split_once(decimal).map_or(0, |(_, fraction)| fraction.len());
        factor * 0.1_f64.powi(i32::try_from(digits).unwrap_or_default())
    }
}

/// A number without its unit letter, and the factor of that letter.
fn without_unit(text: &str) -> (&str, f64) {
    const UNITS: [(char, f64); 4] =
        [('K', 1024.0), ('M', 1_048_576.0), ('G', 1_073_741_824.0), ('T', 1_099_511_627_776.0)];
    let unit =
        |&(unit, factor): &(char, f64)| Some((text.strip_suffix([unit, unit.to_ascii_lowercase()])?, factor));
    UNITS.iter().find_map(unit).unwrap_or((text, 1.0))
}

/// A date and a time of day: `29-Nov-26 04:00:12`, `2026-11-29 04:00`, `29.11.26 04:00:12`.
///
/// # Errors
/// When it is not one, or does not show which part is the month.
pub fn moment(
    text: &str,
    dates: &mut Dates,
    asked: Option<DateOrder>,
    line: u64,
) -> Result<DateTime, Problem> {
    let none = || {
        wrong(line, format!("'{}' is not a date and time", shown(text)))
            .because("its month is in an unsupported language, or the report is damaged")
            .next("create the report again with NLS_LANG=AMERICAN_AMERICA")
    };
    let (date, time) = text.trim().rsplit_once(' ').ok_or_else(none)?;
    // Japanese and Korean months are padded.
    let date: String = date.split_whitespace().collect();
    // A month may be abbreviated with a point.
    let is_hyphenated = date.contains('-');
    let parts: Vec<&str> =
        date.split(|sign| if is_hyphenated { sign == '-' } else { "/.".contains(sign) }).collect();
    let parts = <[&str; 3]>::try_from(parts).map_err(|_| none())?;
    let in_words = month(parts[1]);
    let parts = match &in_words {
        Some(month) => [parts[2], month.as_str(), parts[0]],
        None if parts[0].len() == 4 => parts,
        None if parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit())) => {
            dates.in_order(parts, &date, asked, line)?
        }
        None => return Err(none()),
    };
    when::of_parts(parts, time).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_both_notations_and_with_units_are_read() {
        for (text, decimal, expected) in [
            ("1,234.5", Decimal::Point, 1234.5),
            ("1.234,5", Decimal::Comma, 1234.5),
            ("3,601,800", Decimal::Point, 3_601_800.0),
            ("3.601.800", Decimal::Comma, 3_601_800.0),
            ("1 234,5", Decimal::Comma, 1234.5),
            ("1'234.5", Decimal::Point, 1234.5),
            ("1\u{fffd}234,5", Decimal::Comma, 1234.5),
            ("1\u{2019}234\u{2019}567", Decimal::Point, 1_234_567.0),
            (".2", Decimal::Point, 0.2),
            ("8K", Decimal::Point, 8192.0),
            ("1.5M", Decimal::Point, 1_572_864.0),
            ("2G", Decimal::Comma, 2_147_483_648.0),
            ("-12", Decimal::Point, -12.0),
        ] {
            assert_eq!(decimal.number(text), Some(expected), "{text}");
        }
        for none in ["", "########", "N/A", "1.2.3", "-", ".", "12a", "1e5"] {
            assert_eq!(Decimal::Point.number(none), None, "{none}");
        }
        let shown = ["60.00", "60,00", "1,234.5", "1.234,5", "1.234", "1,234,567", "7", ".2", "0.1M"];
        let (point, comma) = (Some(Decimal::Point), Some(Decimal::Comma));
        assert_eq!(
            shown.map(Decimal::shown_by),
            [point, comma, point, comma, None, None, None, point, point]
        );
        assert!((Decimal::Point.step("1,234.56") - 0.01).abs() < 1e-12);
    }

    #[test]
    fn months_of_many_languages_are_read_and_numbers_are_not_guessed() {
        let read = |text: &str, asked| moment(text, &mut Dates::default(), asked, 1).map(|at| at.to_string());
        for text in [
            "29-Nov-26 04:00:12",
            "29-NOV-2026 04:00:12",
            "29-nov.-26 04:00:12",
            "29-11月-26 04:00:12",
            "29-11월 -26 04:00:12",
            "2026-11-29 04:00:12",
            "29.11.26 04:00:12",
            "11/29/2026 04:00:12",
        ] {
            assert_eq!(read(text, None).unwrap(), "2026-11-29T04:00:12", "{text}");
        }
        for (text, month) in [
            ("Mär", 3),
            ("Mrz", 3),
            ("Mai", 5),
            ("mayo", 5),
            ("Okt", 10),
            ("Dez", 12),
            ("Févr.", 2),
            ("Ago", 8),
            ("juil.", 7),
            ("KAS", 11),
            ("Ağu", 8),
            ("НОЯ", 11),
            ("Мая", 5),
            ("ZÁŘ", 9),
            ("KVĚ", 5),
            ("Márc.", 3),
            ("Ápr.", 4),
            ("Jún.", 6),
            ("marras", 11),
            ("NİS", 4),
            ("EKİ", 10),
            ("ČVN", 6),
            ("ČVC", 7),
            ("červenec", 7),
            ("maalis", 3),
            ("kesä", 6),
            // In a single-byte character set.
            ("M\u{fffd}r", 3),
            ("F\u{fffd}VR.", 2),
            ("ao\u{fffd}t", 8),
            ("D\u{fffd}C.", 12),
            ("11\u{fffd}\u{fffd}", 11),
        ] {
            let found = read(&format!("05-{text}-26 04:00"), None).unwrap();
            assert_eq!(found, format!("2026-{month:02}-05T04:00:00"), "{text}");
        }
        assert!(read("10/06/26 04:00:12", None).unwrap_err().to_string().contains("--dates"));
        assert_eq!(read("10/06/26 04:00:12", Some(DateOrder::DayMonth)).unwrap(), "2026-06-10T04:00:12");
        for none in [
            "",
            "29-Foo-26 04:00:12",
            "29-\u{fffd}\u{fffd}\u{fffd}-26 04:00:12",
            "29-13\u{fffd}-26 04:00:12",
            "29-Nov-26",
            "31-Nov-26 04:00:12",
            "29-Nov-26 24:61:00",
        ] {
            assert!(read(none, None).is_err(), "{none}");
        }
    }
}
