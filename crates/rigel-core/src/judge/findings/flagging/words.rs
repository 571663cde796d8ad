//! Wording of rates and places in the texts of flags.
//!
//! Must not judge.

use crate::load::class::LoadClass;
use crate::load::matrix::Point;
use crate::units::say::{factor, figure, listed, rate_change};
use crate::units::{MIB, to_f64};

/// How a rate changed from the start to the end of a fitted line, whose change is relative to its mean:
/// `changed by -12 % of its mean`, `became 3.9 times slower`. Changes as large as the mean are reported as a ratio, if that
/// is meaningful: the line may end below zero.
pub fn course(change: f64) -> String {
    let (begin, end) = (1.0 - change / 2.0, 1.0 + change / 2.0);
    match change {
        _ if 10.0 * end < begin => "fell to less than a tenth".to_owned(),
        _ if 10.0 * begin < end => "rose to more than ten times as much".to_owned(),
        _ if change <= -1.0 => format!("became {} times slower", factor(begin / end)),
        _ if change >= 1.0 => format!("became {} times faster", factor(end / begin)),
        _ => format!("changed by {} of its mean", rate_change(change)),
    }
}

/// A rate as in reports, in the unit of its class.
pub fn rate(load: &LoadClass, iops: f64) -> String {
    format!("{} {}", figure(iops * load.scale()), load.unit())
}

/// Bytes per second as in reports.
pub fn megabytes(bytes_per_s: f64) -> String {
    format!("{} MBPS", figure(bytes_per_s / to_f64(MIB)))
}

/// A point, as ORION writes it; with the side if there are two.
pub fn at(load: &LoadClass, point: Point) -> String {
    load.side.map_or_else(
        || point.named(" and "),
        |side| format!("{}: {}", side.name(), point.plain().named(" and ")),
    )
}

/// `1, 2 and 4`; whole numbers without gaps as `1 to 20`.
pub fn list(items: &[u32]) -> String {
    if let [first, .., last] = items
        && items.len() > 3
        && items.windows(2).all(|pair| pair[1] == pair[0] + 1)
    {
        return format!("{first} to {last}");
    }
    listed(&items.iter().map(u32::to_string).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_that_is_as_large_as_the_mean_is_a_ratio() {
        let told = [-0.12, -1.0, -1.5, -2.88, 0.12, 1.0, 2.88].map(course);
        assert_eq!(
            told,
            [
                "changed by -12 % of its mean",
                "became 3.0 times slower",
                "became 7.0 times slower",
                "fell to less than a tenth",
                "changed by +12 % of its mean",
                "became 3.0 times faster",
                "rose to more than ten times as much",
            ]
        );
    }

    #[test]
    fn units_are_those_of_reports() {
        let [small, large] = LoadClass::pair(8192, 1 << 19).try_into().unwrap();
        assert_eq!((rate(&small, 5200.0).as_str(), rate(&large, 400.0).as_str()), ("5,200 IOPS", "200 MBPS"));
        assert_eq!(
            [list(&[]), list(&[1]), list(&[1, 2]), list(&[1, 2, 4])],
            ["", "1", "1 and 2", "1, 2 and 4"]
        );
    }
}
