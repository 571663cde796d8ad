//! Wording that several outputs share: what the numbers are about, what an interval is, why a visit was made.
//!
//! Must not write a number in digits; [`rigel_core::units::say`] does.

pub(crate) use rigel_core::units::say::{counted, listed, percent, plain_percent};

use crate::view::View;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;
use rigel_core::record::Purpose;
use rigel_core::stats::{Basis, Estimate};

/// The quantity that the numbers of a point estimate.
pub(crate) const ESTIMAND: &str = "the mean throughput and latency at the point over the conditions of this run, \
                                   in steady state, as an average over time";
/// The same, for little space.
pub(crate) const SHORT_ESTIMAND: &str =
    "the mean at the point over the conditions of this run, in steady state, averaged over time";
/// The meaning of an interval of separate visits.
pub(crate) const INTERVAL: &str = "the 95 % CI for the mean over the run";
/// The meaning of an interval when there was one visit.
pub(crate) const ONE_VISIT: &str =
    "only variation within the one visit to the point; what another visit would add is not known";

/// The meaning of the numbers and their intervals, as one sentence.
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
        Purpose::Phase(_) => "phase",
        Purpose::Warm => "warm",
        Purpose::Again => "again",
    }
}

/// Why a visit was made, for people; empty for the only visit to a point.
pub(crate) fn purpose(purpose: Purpose) -> Option<String> {
    match purpose {
        Purpose::Only => None,
        Purpose::Long => Some("long visit, not counted".to_owned()),
        Purpose::Round(round) => Some(format!("round {}", round.saturating_add(1))),
        Purpose::FillsGap => Some("while another point rests".to_owned()),
        Purpose::Search(class) => Some(format!("search of {} I/O", class.name())),
        Purpose::Phase(number) => Some(format!("phase {}", number.saturating_add(1))),
        Purpose::Warm => Some("warming up, not counted".to_owned()),
        Purpose::Again => Some("once more, not counted".to_owned()),
    }
}

/// Yes or no in a column; `-` if unknown.
pub(crate) const fn yes_or_no(answer: Option<bool>) -> &'static str {
    match answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    }
}

/// One class of one point as a name without spaces, for formats that name their series: `small4_large2_small`.
pub(crate) fn series(point: Point, class: Class) -> String {
    let levels: String = point.shown().map(|(class, level)| format!("{class}{level}_")).collect();
    levels + class.name()
}

/// The longest states of the device that all visits may have missed.
pub(crate) fn unseen(share: f64) -> String {
    format!(
        "A state of the device that lasts less than {} % of the time may have been missed.",
        percent(share)
    )
}

/// ` (±2.1 %)`. For a number from one visit it says that its precision is unknown; empty for a percentile of all I/Os.
pub(crate) fn width(found: Estimate) -> String {
    let Some(half) = found.half_width() else {
        let unknown = if found.basis == Basis::Nothing { " (± unknown: one visit)" } else { "" };
        return unknown.to_owned();
    };
    match percent(half) {
        tiny if tiny.starts_with('<') || tiny == "0.0" => " (± less than 0.1 %)".to_owned(),
        width => format!(" (±{width} %)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The highest of many points may be the one of which least is known.
    #[test]
    fn a_number_of_one_visit_says_that_nothing_is_known_of_its_width() {
        assert_eq!(width(Estimate::bare(5.0)), " (± unknown: one visit)");
        let merged = Estimate { basis: Basis::Merged, ..Estimate::bare(5.0) };
        assert_eq!(width(merged), "", "a percentile of all I/Os together");
    }
}
