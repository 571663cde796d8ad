//! How long something will take, in words: a range as coarse as what is known about it.
//!
//! Must not forecast.

use rigel_core::stats::forecast::TimeRange;
use rigel_core::units::NS_PER_S;
use rigel_core::units::say::time_left;

/// Shorter times are reported in seconds.
const SECONDS_BELOW_S: u64 = 120;
/// Shorter times are reported in minutes.
const MINUTES_BELOW_S: u64 = 90 * 60;

/// `3 to 10 min`, `40 s to 3 min`, `about 5 min`. The ends are rounded outwards.
pub fn range(range: TimeRange) -> String {
    let (least, most) =
        (coarse(range.least_ns / NS_PER_S, false), coarse(range.most_ns.div_ceil(NS_PER_S), true));
    if range.least_ns >= range.most_ns || least == most {
        return format!("about {most}");
    }
    match (least.split_once(' '), most.split_once(' ')) {
        (Some((few, unit)), Some((_, other))) if unit == other => format!("{few} to {most}"),
        _ => format!("{least} to {most}"),
    }
}

/// The remaining time: the same, or `4:10` if it is known.
pub fn left(left: TimeRange) -> String {
    if left.least_ns >= left.most_ns { time_left(left.most_ns) } else { range(left) }
}

/// `12 s`, `90 s`, `9 min`, `2 h 10 min`.
fn coarse(seconds: u64, up: bool) -> String {
    let to = |step: u64| if up { seconds.div_ceil(step) * step } else { seconds / step * step };
    let rounded = if seconds < 20 { seconds } else { to(10) };
    if rounded < SECONDS_BELOW_S {
        return format!("{rounded} s");
    }
    let minutes = if to(60) < MINUTES_BELOW_S { to(60) / 60 } else { to(600) / 60 };
    match (minutes / 60, minutes % 60) {
        _ if minutes < MINUTES_BELOW_S / 60 => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(least: u64, most: u64) -> TimeRange {
        TimeRange { least_ns: least * NS_PER_S, most_ns: most * NS_PER_S }
    }

    #[test]
    fn ranges_are_as_coarse_as_they_are_sure() {
        for (least, most, text) in [
            (131, 555, "2 to 10 min"),
            (41, 170, "40 s to 3 min"),
            (9, 12, "9 to 12 s"),
            (33, 71, "30 to 80 s"),
            (0, 1, "0 to 1 s"),
            (118, 120, "110 s to 2 min"),
            (299, 302, "4 to 6 min"),
            (300, 300, "about 5 min"),
            (5 * 60, 89 * 60, "5 to 89 min"),
            (5 * 60, 95 * 60, "5 min to 1 h 40 min"),
            (2 * 3600, 3 * 3600, "2 to 3 h"),
            (100 * 60, 200 * 60, "1 h 40 min to 3 h 20 min"),
        ] {
            assert_eq!(range(seconds(least, most)), text, "{least} {most}");
        }
        assert_eq!(left(seconds(250, 250)), "4:10");
        assert_eq!(left(seconds(131, 555)), "2 to 10 min");
    }
}
