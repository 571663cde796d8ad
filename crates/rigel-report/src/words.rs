//! Words that several outputs share: what the numbers are about, what an interval is, why a visit was made.
//!
//! Must not hold a number of a run.

use crate::view::View;
use rigel_core::facts::TargetKind;
use rigel_core::load::matrix::Point;
use rigel_core::load::workload::Class;
use rigel_core::record::Purpose;

/// What a number of a point is an estimate of.
pub(crate) const ESTIMAND: &str = "the mean throughput and latency at the point over the conditions of this run, \
                                   in steady state, as an average over time";
/// The same, where there is little room.
pub(crate) const SHORT_ESTIMAND: &str =
    "the mean at the point over the conditions of this run, in steady state, averaged over time";
/// What an interval holds when visits lie apart.
pub(crate) const INTERVAL: &str = "the 95 % CI for the mean over the run";
/// What an interval holds when there was one visit.
pub(crate) const ONE_VISIT: &str =
    "only what varied inside the one visit to the point; what another visit would add is not known";

/// What the numbers and their intervals are about, as one sentence.
pub(crate) fn estimand(view: &View<'_>) -> String {
    if view.is_adaptive() {
        format!("{ESTIMAND}; lo95 and hi95 are the ends of {INTERVAL}")
    } else {
        format!("{ESTIMAND}; lo95 and hi95 show {ONE_VISIT}")
    }
}

/// Why a visit was made, for programs.
pub(crate) const fn purpose_name(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Only => "only",
        Purpose::Long => "long",
        Purpose::Round(_) => "round",
        Purpose::FillsGap => "fills_gap",
        Purpose::Search(_) => "search",
    }
}

/// Why a visit was made, for people; nothing for the only visit to a point.
pub(crate) fn purpose(purpose: Purpose) -> Option<String> {
    match purpose {
        Purpose::Only => None,
        Purpose::Long => Some("long visit, not counted".to_owned()),
        Purpose::Round(round) => Some(format!("round {}", round.saturating_add(1))),
        Purpose::FillsGap => Some("while another point rests".to_owned()),
        Purpose::Search(class) => Some(format!("search of {} I/O", class.name())),
    }
}

/// What kind of file a target is, for people.
pub(crate) const fn target_kind(kind: TargetKind) -> &'static str {
    match kind {
        TargetKind::File => "file",
        TargetKind::BlockDevice => "block device",
        TargetKind::CharDevice => "character device",
        TargetKind::Simulated => "simulated",
    }
}

/// One class of one point as a name without blanks, for formats that name their series: `small4_large2_small`.
pub(crate) fn series(point: Point, class: Class) -> String {
    format!("small{}_large{}_{}", point.small, point.large, class.name())
}

/// A share in per cent for people, with three figures at most: 0.0312 is `3.1`, 0.00001 is `<0.1`.
pub(crate) fn percent(share: f64) -> String {
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
    let text = format!("{:.1}", 100.0 * share);
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A number that is not negative in at most five characters: `0.12`, `4032`, `12.3k`, `1.23M`.
#[must_use]
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

/// What no visit may have seen.
pub(crate) fn unseen(share: f64) -> String {
    format!("States of the device that last less than {} % of the time cannot be excluded.", percent(share))
}

/// `1 visit`, `8 visits`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
