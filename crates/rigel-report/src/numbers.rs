//! Numbers for people, and numbers as other formats want them.
//!
//! Must not know what they are about.

use rigel_core::units::grouped;

/// Four figures, with a comma for thousands: `3,952`, `41.27`, `0.05`.
pub(crate) fn number(value: f64) -> String {
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

/// A time in the unit that suits it.
pub(crate) fn time(us: f64) -> String {
    match us {
        _ if us >= 1e6 => format!("{} s", number(us / 1e6)),
        _ if us >= 1e3 => format!("{} ms", number(us / 1e3)),
        _ => format!("{} µs", number(us)),
    }
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
    fn numbers_are_grouped() {
        for (value, text) in [
            (1_234_567.8, "1,234,568"),
            (3952.4, "3,952"),
            (999.96, "1,000"),
            (412.34, "412.3"),
            (41.271, "41.27"),
            (0.05, "0.05"),
            (0.0, "0"),
            (-1500.0, "-1,500"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(time(1012.4), "1.012 ms");
        assert_eq!((time(87.25).as_str(), time(2_500_000.0).as_str()), ("87.25 µs", "2.5 s"));
    }

    #[test]
    fn whole_numbers_saturate() {
        for (value, number) in [(0.4, 0), (0.5, 1), (-3.0, 0), (f64::NAN, 0), (1e300, u64::MAX)] {
            assert_eq!(whole(value), number, "{value}");
        }
    }
}
