//! Working sets as families of OpenMetrics.
//!
//! Must not choose a figure.

use crate::metric_family::{Family, Labels, bounds, run_label};
use crate::view::View;
use rigel_core::stats::{Basis, Estimate};

const PER_US: f64 = 1e-6;

/// Empty for another run.
pub(crate) fn families(view: &View<'_>) -> Vec<Family> {
    let Some(found) = &view.findings.working_set else { return Vec::new() };
    let run = run_label(view);
    let samples = |of: Estimate, more: Labels| {
        let labels: Labels = [vec![run.clone()], more].concat();
        let all = bounds(of).into_iter();
        all.map(|(bound, value)| ([labels.clone(), bound].concat(), value)).collect::<Vec<_>>()
    };
    let mut rates = Family::new(
        "rigel_working_set_iops",
        "",
        "Random reads per second, by the bytes of the working set.",
    );
    let mut means = Family::new(
        "rigel_working_set_latency_seconds",
        "seconds",
        "Mean latency of one random read at a time, by the bytes of the working set.",
    );
    let mut caches =
        Family::new("rigel_cache_bytes", "bytes", "Size of a cache that was found, the fastest first.");
    for size in &found.sizes {
        let label = || vec![("working_set_bytes".into(), size.bytes.to_string())];
        rates.samples.extend(samples(size.rate, label()));
        means.samples.extend(samples(size.latency_us.mean.scaled(PER_US), label()));
    }
    for (number, cache) in found.caches().iter().enumerate() {
        let label = vec![("cache".into(), (number + 1).to_string())];
        caches.samples.extend(samples(Estimate::of(cache.bytes, Basis::OneVisit), label));
    }
    vec![rates, means, caches]
}
