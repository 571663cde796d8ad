//! How numbers are written for people: figures, shares, factors, counts; below, times and sizes. Every output, message and flag uses these.
//!
//! Must not know what a number is about.

mod time;

pub use time::{
    rough_size, rough_span, rough_time, size_unit, span, time, time_left, two_units, typed_size, typed_time,
};

use std::fmt::Display;

/// With three decimals at most: 10.0 is `10`, 2.5 is `2.5`.
pub fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The digits of a whole number in groups of three: `-1,234,567`.
pub fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    let mut text = String::from(sign);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Four figures, with a comma for thousands: `3,952`, `41.27`, `0.05`.
pub fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 1000.0 => 0,
        size if size >= 100.0 => 1,
        size if size >= 10.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let grouped = grouped(whole);
    let fraction = fraction.trim_end_matches('0');
    if fraction.is_empty() { grouped } else { format!("{grouped}.{fraction}") }
}

/// A whole number with a comma for thousands: `12,346`.
pub fn thousands(value: f64) -> String {
    number(value.round())
}

/// A number with three digits or more: `3,590`, `42.1`, `0.512`.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => grouped(&format!("{value:.0}")),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A number that may be tiny, in two or three figures: `12.3`, `0.31`, `4.2e-4`.
pub fn fine(value: f64) -> String {
    match value {
        _ if value <= 0.0 => "0".to_owned(),
        _ if value >= 10.0 => format!("{value:.1}"),
        _ if value >= 0.1 => format!("{value:.2}"),
        _ if value >= 0.001 => format!("{value:.4}"),
        _ => format!("{value:.1e}"),
    }
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

/// How many times: `4.2`, `32`, `many`.
pub fn factor(times: f64) -> String {
    match times {
        _ if times < 9.95 => format!("{times:.1}"),
        _ if times < 1e6 => grouped(&format!("{times:.0}")),
        _ => "many".to_owned(),
    }
}

/// A ratio in few characters: `0.42`, `12`, `>99`.
pub fn short_ratio(ratio: f64) -> String {
    match ratio {
        _ if ratio > 99.0 => ">99".to_owned(),
        _ if ratio >= 9.95 => format!("{ratio:.0}"),
        _ if ratio > 0.0 && ratio < 0.005 => "<.01".to_owned(),
        _ => trimmed((ratio * 100.0).round() / 100.0),
    }
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

/// A share with its unit: `31 %`, `4.2 %`, `>999 %`.
pub fn in_percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        _ if percent >= 999.5 => ">999 %".to_owned(),
        size if size >= 9.95 => format!("{percent:.0} %"),
        _ => format!("{percent:.1} %"),
    }
}

/// In per cent, with as many decimals as it has: 0.0001 is `0.01`.
pub fn full_percent(share: f64) -> String {
    if share < 0.001 { number(100.0 * share) } else { plain_percent(share) }
}

/// A share in per cent with at most one decimal, and none where it is a whole number: 0.05 is `5`.
pub fn plain_percent(share: f64) -> String {
    decimal_percent(share, 1)
}

/// The same with this many decimals; none where all of them are 0.
pub fn decimal_percent(share: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * share);
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    if rest.bytes().all(|digit| digit == b'0') { whole.to_owned() } else { text }
}

/// A relative change in per cent with its sign, `-12.3`.
pub fn signed_percent(share: f64) -> String {
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

/// From this change on, a factor is read more easily than per cent.
const FACTOR_FROM: f64 = 9.995;

/// A relative change as people read it: `-12.3 %`, and from eleven times as much on the factor, `x 64`.
pub fn change(share: f64) -> String {
    if share >= FACTOR_FROM {
        format!("x {}", factor(1.0 + share))
    } else {
        format!("{} %", signed_percent(share))
    }
}

/// The interval of such a change, in its notation: `-5.2 .. +13.6`, and `x 14 .. x 19` next to `x 16`.
pub fn change_range(share: f64, (lo, hi): (f64, f64)) -> String {
    let end = |end: f64| {
        if share >= FACTOR_FROM { format!("x {}", factor(1.0 + end)) } else { signed_percent(end) }
    };
    format!("{} .. {}", end(lo), end(hi))
}

/// A difference of rates: `-31 %`, `+4.2 %`; from three times the rate on as a ratio, `x 3.9`. No rate loses more than all
/// of it, though a line through its noise may.
pub fn rate_change(share: f64) -> String {
    match share {
        _ if share >= 2.0 => format!("x {}", factor(1.0 + share)),
        _ if share > 0.0 => format!("+{}", in_percent(share)),
        _ => in_percent(share.max(-1.0)),
    }
}

/// `1 visit`, `8 visits`.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let plural = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
    }
}

/// What the second figure of a number counts: 10 for 793, 0.1 for 4.2.
pub fn unit_of_two_figures(value: f64) -> f64 {
    10_f64.powf(value.log10().floor() - 1.0)
}

/// The nearest whole number; 0 for what is below, the largest for what is above all of them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, which is what is wanted"
)]
pub fn whole(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests;
