//! Numbers for people, and numbers as other formats want them.
//!
//! Must not know what they are about.

pub(crate) use rigel_core::units::number;

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
    fn times_have_the_unit_that_suits_them() {
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
