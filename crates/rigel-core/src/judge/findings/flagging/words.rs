//! Figures and places in the words of the flags' texts.
//!
//! Must not judge.

use crate::load::class::LoadClass;
use crate::load::matrix::Point;
use crate::units::{KIB, MIB, NS_PER_MS, NS_PER_S, NS_PER_US, grouped, to_f64};

/// A number with three digits or more: `3,590`, `42.1`, `0.512`.
pub fn figure(value: f64) -> String {
    let size = value.abs();
    if size >= 99.95 {
        return grouped(&format!("{value:.0}"));
    }
    let decimals = if size >= 9.995 {
        1
    } else if size >= 0.9995 {
        2
    } else {
        3
    };
    format!("{value:.decimals$}")
}

/// A share: `31 %`, `4.2 %`, `>999 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    match percent.abs() {
        _ if percent >= 999.5 => ">999 %".to_owned(),
        size if size >= 9.95 => format!("{percent:.0} %"),
        _ => format!("{percent:.1} %"),
    }
}

/// How many times: `4.2`, `32`, `many`.
pub fn factor(times: f64) -> String {
    match times {
        _ if times < 9.95 => format!("{times:.1}"),
        _ if times < 1e6 => grouped(&format!("{times:.0}")),
        _ => "many".to_owned(),
    }
}

/// A difference of rates: `-31 %`, `+4.2 %`; from three times the rate on as a ratio, `x 3.9`. No rate loses more than all
/// of it, though a line through its noise may.
pub fn signed(share: f64) -> String {
    match share {
        _ if share >= 2.0 => format!("x {}", factor(1.0 + share)),
        _ if share > 0.0 => format!("+{}", percent(share)),
        _ => percent(share.max(-1.0)),
    }
}

/// How a rate went from the beginning to the end of a line that is laid through it, whose change is relative to its mean:
/// `changed by -12 % of its mean`, `became 3.9 times slower`. Changes as large as the mean are told as a ratio, as far as
/// that means something: the line may end below nothing.
pub fn course(change: f64) -> String {
    let (begin, end) = (1.0 - change / 2.0, 1.0 + change / 2.0);
    match change {
        _ if 10.0 * end < begin => "fell to less than a tenth".to_owned(),
        _ if 10.0 * begin < end => "rose to more than ten times as much".to_owned(),
        _ if change <= -1.0 => format!("became {} times slower", factor(begin / end)),
        _ if change >= 1.0 => format!("became {} times faster", factor(end / begin)),
        _ => format!("changed by {} of its mean", signed(change)),
    }
}

/// A rate as reports give it, in the unit of its class.
pub fn rate(load: &LoadClass, iops: f64) -> String {
    format!("{} {}", figure(iops * load.scale()), load.unit())
}

/// Bytes per second as reports give them.
pub fn megabytes(bytes_per_s: f64) -> String {
    format!("{} MBPS", figure(bytes_per_s / to_f64(MIB)))
}

/// A size that need not be whole: `8 KiB`, `1.46 MiB`.
pub fn size(bytes: f64) -> String {
    let units = [(MIB, "MiB"), (KIB, "KiB")];
    let unit = units.into_iter().find(|&(unit, _)| bytes >= to_f64(unit));
    let (value, name) = unit.map_or((bytes, "B"), |(unit, name)| (bytes / to_f64(unit), name));
    let figure = figure(value);
    let whole = figure.split_once('.').filter(|(_, decimals)| decimals.bytes().all(|digit| digit == b'0'));
    format!("{} {name}", whole.map_or(figure.as_str(), |(whole, _)| whole))
}

/// A time, in the unit that fits it.
pub fn time(ns: f64) -> String {
    let units = [(NS_PER_S, "s"), (NS_PER_MS, "ms"), (NS_PER_US, "us")];
    let unit = units.into_iter().find(|&(unit, _)| ns >= to_f64(unit));
    unit.map_or_else(|| format!("{ns:.0} ns"), |(unit, name)| format!("{} {name}", figure(ns / to_f64(unit))))
}

/// A point, as ORION writes it; of a class of one of two sides, with the side.
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
    let items: Vec<String> = items.iter().map(u32::to_string).collect();
    match items.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => items.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_groups() {
        let told: Vec<String> =
            [1_234_567.0, 3590.4, 99.97, 42.13, 5.2, 0.0512, 0.0, -1234.0].map(figure).to_vec();
        assert_eq!(told, ["1,234,567", "3,590", "100", "42.1", "5.20", "0.051", "0.000", "-1,234"]);
    }

    #[test]
    fn differences_have_a_sign() {
        assert_eq!([signed(-0.31), signed(0.042), signed(0.0)], ["-31 %", "+4.2 %", "0.0 %"]);
        assert_eq!(percent(0.996), "100 %");
        assert_eq!([factor(4.16), factor(31.7)], ["4.2", "32"]);
    }

    #[test]
    fn no_rate_falls_by_more_than_all_of_it() {
        assert_eq!(
            [signed(-2.88), signed(1.9), signed(2.88), signed(1e9)],
            ["-100 %", "+190 %", "x 3.9", "x many"]
        );
        assert_eq!([percent(288.4), factor(f64::INFINITY), factor(f64::NAN)], [">999 %", "many", "many"]);
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
        assert_eq!([5400.0, 999.0, 98e6, 12.5e9].map(time), ["5.40 us", "999 ns", "98.0 ms", "12.5 s"]);
        assert_eq!([8192.0, 1_048_576.0, 300_000.0, 512.0].map(size), ["8 KiB", "1 MiB", "293 KiB", "512 B"]);
        assert_eq!(
            [list(&[]), list(&[1]), list(&[1, 2]), list(&[1, 2, 4])],
            ["", "1", "1 and 2", "1, 2 and 4"]
        );
    }
}
