//! What the lightest load shows if no load meets the limits: the latency there, and which limits are possible.
//!
//! Must not choose a figure.

use crate::words::listed;
use rigel_core::judge::findings::{SloFindings, SloPoint};
use rigel_core::load::slo::SloBound;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{time, unit_of_two_figures};

/// I/Os that arrive during one of them if it is alone for nearly all of its time.
const ALONE: f64 = 0.1;

/// A limit that is broken there, with its latency.
type Broken<'a> = (&'a SloBound, Estimate);

/// ` One I/O alone: p99 is 182 us (175 us to 190 us). Possible is p99 < 200 us.` Empty if no latency is known.
pub(super) fn sentence(found: &SloFindings) -> String {
    let Some((point, broken)) = broken(found) else { return String::new() };
    let figure = |(bound, us): &Broken<'_>| {
        let ends = us.ends().map(|(lo, hi)| format!(" ({} to {})", time(lo), time(hi)));
        format!("{} is {}{}", bound.judged, time(us.value), ends.unwrap_or_default())
    };
    let figures = listed(&broken.iter().map(figure).collect::<Vec<_>>());
    let load = if is_alone(point) { "One I/O alone" } else { "At that load" };
    match limits(&broken) {
        Some(limits) => format!(" {load}: {figures}. Possible is {limits}."),
        None => format!(" {load}: {figures}. A limit has to be well above that."),
    }
}

/// `p99 < 200 us`: the tightest limits, rounded up, that the lightest load certainly meets; `None` if its visits do not show it.
pub(super) fn possible(found: &SloFindings) -> Option<String> {
    limits(&broken(found)?.1)
}

fn broken(found: &SloFindings) -> Option<(&SloPoint, Vec<Broken<'_>>)> {
    let point = found.points.first()?;
    let all = found.bounds.iter().zip(&point.ratios).zip(&point.judged_us);
    let broken =
        all.filter_map(|((bound, ratio), us)| (ratio.as_ref()?.value > 1.0).then_some((bound, (*us)?)));
    let broken: Vec<Broken<'_>> = broken.collect();
    (!broken.is_empty()).then_some((point, broken))
}

fn limits(broken: &[Broken<'_>]) -> Option<String> {
    let limit =
        |(bound, us): &Broken<'_>| Some(format!("{} < {}", bound.judged, time(rounded_up(us.ends()?.1))));
    let limits: Option<Vec<String>> = broken.iter().map(limit).collect();
    Some(listed(&limits?))
}

fn is_alone(point: &SloPoint) -> bool {
    let mean_us = point.latency_us.as_ref().map_or(f64::INFINITY, |us| us.mean.value);
    mean_us / 1e6 * f64::from(point.rate) < ALONE
}

/// Rounded up to two digits.
fn rounded_up(us: f64) -> f64 {
    let unit = unit_of_two_figures(us.max(1.0));
    // What a division is off by does not count.
    (us / unit - 1e-9).ceil() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_rounded_up_to_two_figures() {
        let told = [182.3, 190.0, 99.4, 1003.0, 20_000.0, 3.12].map(|us| time(rounded_up(us)));
        assert_eq!(told, ["190 us", "190 us", "100 us", "1.1 ms", "20 ms", "3.2 us"]);
    }
}
