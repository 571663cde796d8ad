//! How numbers are written for people: shares, times, counts. Every output and the program use these.
//!
//! Must not know what a number is about.

pub(crate) use rigel_core::units::{number, trimmed};

use rigel_core::units::{NS_PER_S, Nanos};
use std::fmt::Display;

/// A time in the unit that suits it: `87.25 us`, `1.012 ms`. Spelled as on the command line, in flags and in ORION's files.
pub(crate) fn time(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", number(us / 1e6)),
        _ if us >= 1e3 => format!("{} ms", number(us / 1e3)),
        _ => format!("{} us", number(us)),
    }
}

/// Whole seconds, rounded up: `45 s`, `3 min 11 s`, `10 min`, `2 h 5 min`.
pub(crate) fn span(time: Nanos) -> String {
    let seconds = time.0.div_ceil(NS_PER_S);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// `0:45`, `4:10`, `1:02:03`; part of a second counts as one, so that work that goes on is never at zero.
pub fn time_left(ns: u64) -> String {
    let seconds = ns.div_ceil(NS_PER_S);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A share in per cent for people, with three figures at most: 0.0312 is `3.1`, 0.00001 is `<0.1`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent {
        _ if percent >= 999.5 => ">999".to_owned(),
        _ if percent >= 9.95 => format!("{percent:.0}"),
        _ if percent >= 0.05 || percent == 0.0 => format!("{percent:.1}"),
        _ => "<0.1".to_owned(),
    }
}

/// A share in per cent with at most one decimal, and none where it is a whole number: 0.05 is `5`.
pub(crate) fn plain_percent(share: f64) -> String {
    decimal_percent(share, 1)
}

/// The same with so many decimals; none where all of them are 0.
pub(crate) fn decimal_percent(share: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * share);
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    if rest.bytes().all(|digit| digit == b'0') { whole.to_owned() } else { text }
}

/// A number that is not negative in at most five characters: `0.12`, `4032`, `12.3k`, `1.23M`.
pub fn short(value: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];
    let text = |value: f64| match value {
        _ if value >= 99.95 => format!("{value:.0}"),
        _ if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    if value.is_nan() {
        return "-".to_owned();
    }
    if value < 9_999.5 {
        let text = text(value);
        return text
            .strip_suffix(".00")
            .or_else(|| text.strip_suffix(".0"))
            .map_or(text.clone(), str::to_owned);
    }
    let fitting = UNITS.iter().find(|(unit, _)| value < 999.5 * unit);
    fitting.map_or_else(|| format!("{value:.0e}"), |(unit, letter)| format!("{}{letter}", text(value / unit)))
}

/// A relative change in per cent with its sign, `-12.3`.
pub(crate) fn signed_percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        size if size >= 9999.5 && percent > 0.0 => ">+9999".to_owned(),
        size if size >= 99.95 => format!("{percent:+.0}"),
        size if size < 0.05 && percent < 0.0 => "-0.0".to_owned(),
        size if size < 0.05 && percent > 0.0 => "+0.0".to_owned(),
        0.0 => "0.0".to_owned(),
        _ => format!("{percent:+.1}"),
    }
}

/// `1 visit`, `8 visits`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// The nearest whole number; 0 for what is below, the largest for what is above all of them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is what is wanted"
)]
pub(crate) fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_the_unit_that_suits_them() {
        assert_eq!(time(1012.4), "1.012 ms");
        assert_eq!((time(87.25).as_str(), time(2_500_000.0).as_str()), ("87.25 us", "2.5 s"));
    }

    #[test]
    fn whole_numbers_saturate() {
        for (value, number) in [(0.4, 0), (0.5, 1), (-3.0, 0), (f64::NAN, 0), (1e300, u64::MAX)] {
            assert_eq!(whole(value), number, "{value}");
        }
    }

    #[test]
    fn short_numbers_have_five_characters_at_most() {
        for (value, text) in [
            (0.0, "0"),
            (0.125, "0.12"),
            (1.0, "1"),
            (12.34, "12.3"),
            (4032.4, "4032"),
            (9_999.4, "9999"),
            (9_999.6, "10.0k"),
            (12_345.0, "12.3k"),
            (999_400.0, "999k"),
            (999_600.0, "1.00M"),
            (1.5e12, "1.50T"),
            (1e15, "1e15"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(short(value), text, "{value}");
        }
    }

    #[test]
    fn per_cents_have_three_figures_at_most() {
        for (share, text) in [
            (0.0, "0.0"),
            (1e-9, "<0.1"),
            (0.0005, "0.1"),
            (0.0312, "3.1"),
            (0.0994, "9.9"),
            (0.0996, "10"),
            (1.5, "150"),
            (9.994, "999"),
            (9.996, ">999"),
        ] {
            assert_eq!(percent(share), text, "{share}");
        }
    }

    #[test]
    fn changes_keep_their_sign_and_three_figures() {
        for (share, text) in [
            (-0.123, "-12.3"),
            (0.05, "+5.0"),
            (0.0, "0.0"),
            (0.0001, "+0.0"),
            (-0.0001, "-0.0"),
            (1.5, "+150"),
            (-0.9996, "-100"),
            (150.0, ">+9999"),
        ] {
            assert_eq!(signed_percent(share), text, "{share}");
        }
    }
}
