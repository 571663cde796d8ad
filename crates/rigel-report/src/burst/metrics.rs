//! Two bursts as families of OpenMetrics.
//!
//! Must not choose a figure.

use super::{credit_of, rate_of};
use crate::metric_family::{Family, Labels, bounds, run_label};
use crate::view::View;
use rigel_core::stats::burst::BurstVerdict;
use rigel_core::stats::{Basis, Estimate, Interval};

/// Empty for another run.
pub(crate) fn families(view: &View<'_>) -> Vec<Family> {
    let Some(found) = &view.findings.burst else { return Vec::new() };
    let run = run_label(view);
    let samples = |of: Interval, more: Labels| {
        let labels: Labels = [vec![run.clone()], more].concat();
        let all = bounds(Estimate::of(of, Basis::OneVisit)).into_iter();
        all.map(|(bound, value)| ([labels.clone(), bound].concat(), value)).collect::<Vec<_>>()
    };
    let level = |name: &str, of: Interval| samples(of, vec![("level".into(), name.to_owned())]);
    let mut rates = Family::new("rigel_burst_iops", "", "I/Os per second of a burst, by its level.");
    let mut credit =
        Family::new("rigel_burst_credit_ios", "", "I/Os above the lower level until the rate fell.");
    let mut refill = Family::new(
        "rigel_burst_refill_seconds",
        "seconds",
        "Idle time after which a token bucket is full again.",
    );
    rates.samples.extend(rate_of(&found.found).into_iter().flat_map(|rate| level("only", rate)));
    if let Some((parts, _)) = credit_of(&found.found) {
        rates.samples.extend(level("high", parts.fall.high));
        rates.samples.extend(level("low", parts.fall.low));
        credit.samples.extend(samples(parts.credit, Vec::new()));
    }
    if let BurstVerdict::TokenBucket(parts, _) = &found.found {
        refill.samples.extend(samples(parts.refill_s, Vec::new()));
    }
    vec![rates, credit, refill]
}
