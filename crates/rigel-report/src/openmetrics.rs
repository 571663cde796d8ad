//! `_metrics.prom`: the findings as OpenMetrics text, for Prometheus and compatible tools.
//!
//! Everything is a gauge, even what only names something (`.._info`, always 1): so the text is also valid in the older exposition format, which
//! the textfile collector of the node exporter expects. Units are base units: seconds, bytes, shares. A figure
//! and the ends of its 95 % interval differ in the label `bound` (`value`, `lo95`, `hi95`). Must not give samples a time: these
//! are results, and a collector would refuse or forget them.

use crate::change;
use crate::flag_scopes;
use crate::metric_family::{Family, Labels, bounds, run_label};
use crate::moment;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::{IoFindings, LatencyUs};
use rigel_core::stats::Estimate;
use rigel_core::units::{MIB, to_f64};

/// The text with its end mark.
pub(crate) fn text(view: &View<'_>) -> String {
    let mut page = Page::default();
    let mut families = of_run(view);
    families.extend(of_classes(view));
    families.extend(change::families(view));
    families.push(flags(view));
    families.iter().for_each(|family| family.write(&mut page));
    page.line("# EOF");
    page.into_string()
}

fn truth(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}

fn of_run(view: &View<'_>) -> Vec<Family> {
    let header = &view.record.header;
    let run = run_label(view);
    let info = vec![
        run.clone(),
        ("level".into(), header.request.level().name().to_owned()),
        ("engine".into(), header.nodes.first().engine.kind.name().to_owned()),
        ("targets".into(), view.targets().join(", ")),
        ("started".into(), header.started.clone()),
        ("version".into(), header.program_version.clone()),
    ];
    let one = |name, unit, help, labels: Labels, value| Family {
        samples: vec![(labels, value)],
        ..Family::new(name, unit, help)
    };
    let mut families = vec![
        one("rigel_run_info", "", "Which run this is; always 1.", info, 1.0),
        one(
            "rigel_run_complete",
            "",
            "Whether every point was measured in full.",
            vec![run.clone()],
            truth(view.record.complete()),
        ),
    ];
    families.extend(moment::epoch_ms(&header.started).and_then(|ms| u64::try_from(ms).ok()).map(|ms| {
        let help = "When the run began, since 1970.";
        one("rigel_run_start_timestamp_seconds", "seconds", help, vec![run], to_f64(ms) / 1000.0)
    }));
    families
}

fn plain(value: Option<f64>) -> Vec<(Labels, f64)> {
    value.map(|value| (Vec::new(), value)).into_iter().collect()
}

const PER_US: f64 = 1e-6;

fn of_classes(view: &View<'_>) -> Vec<Family> {
    let mut families = rates_and_latencies(view);
    families.extend(counts(view));
    families
}

fn rates_and_latencies(view: &View<'_>) -> Vec<Family> {
    let us = |io: &IoFindings, of: fn(&LatencyUs) -> f64| plain(io.latency_us.map(|us| of(&us) * PER_US));
    vec![
        Family::new("rigel_iops", "", "Successful I/Os per second, reads and writes.")
            .filled(view, |_, io| bounds(io.iops)),
        Family::new("rigel_throughput_bytes_per_second", "bytes_per_second", "Bytes moved per second.")
            .filled(view, |_, io| io.mbps().map_or_else(Vec::new, |mbps| bounds(mbps.scaled(to_f64(MIB))))),
        Family::new("rigel_latency_mean_seconds", "seconds", "Arithmetic mean of the latency.")
            .filled(view, |_, io| io.latency_us.map_or_else(Vec::new, |us| bounds(us.mean.scaled(PER_US)))),
        Family::new(
            "rigel_latency_seconds",
            "seconds",
            "Latency that this percentage of the I/Os did not exceed.",
        )
        .filled(view, |_, io| percentiles(io)),
        Family::new("rigel_latency_min_seconds", "seconds", "Smallest latency.")
            .filled(view, move |_, io| us(io, |us| us.min)),
        Family::new("rigel_latency_max_seconds", "seconds", "Largest latency.")
            .filled(view, move |_, io| us(io, |us| us.max)),
        Family::new("rigel_latency_stddev_seconds", "seconds", "Standard deviation of the latency.")
            .filled(view, move |_, io| us(io, |us| us.stddev)),
    ]
}

/// Not under the label `quantile`, which `promtool` expects on summaries only; and these have intervals.
fn percentiles(io: &IoFindings) -> Vec<(Labels, f64)> {
    let Some(us) = io.latency_us else { return Vec::new() };
    let of = |(percentile, found): (&str, Estimate)| {
        let label = ("percentile".into(), percentile.to_owned());
        let add = move |(more, value): (Labels, f64)| ([vec![label.clone()], more].concat(), value);
        bounds(found.scaled(PER_US)).into_iter().map(add)
    };
    us.percentiles().into_iter().flat_map(of).collect()
}

fn counts(view: &View<'_>) -> Vec<Family> {
    let target = view.findings.target;
    let directions = |io: &IoFindings| {
        let all = [("read", io.reads.count()), ("write", io.writes.count())];
        all.map(|(name, ios)| (vec![("direction".into(), name.to_owned())], to_f64(ios))).to_vec()
    };
    vec![
        Family::new("rigel_ios", "", "Successful I/Os behind the figures.")
            .filled(view, |_, io| directions(io)),
        Family::new("rigel_errors", "", "Failed I/Os.").filled(view, |_, io| plain(Some(to_f64(io.errors)))),
        Family::new("rigel_outstanding", "", "Mean number of I/Os in flight.")
            .filled(view, |_, io| plain(Some(io.mean_outstanding))),
        Family::new("rigel_visits", "", "Visits behind the figures.")
            .filled(view, |_, io| plain(Some(to_f64(io.sure.visits as u64)))),
        Family::new("rigel_measured_seconds", "seconds", "Measured time of the point.")
            .filled(view, |found, _| plain(Some(found.seconds))),
        Family::new(
            "rigel_own_cpu",
            "",
            "CPU time of Rigel's workers over the time of the load; 1 is one CPU.",
        )
        .filled(view, |found, _| plain(found.own_cpu.map(|cpu| cpu.share))),
        Family::new("rigel_precision_reached", "", "Whether the rate is as precise as requested.")
            .filled(view, |_, io| plain(target.map(|_| truth(io.sure.reached)))),
        Family::new("rigel_invalid", "", "Whether a flag says that these numbers must not be used.")
            .filled(view, |found, _| plain(Some(truth(found.invalid())))),
    ]
}

/// Flags of the run, of its points, and of the curves of a search.
fn flags(view: &View<'_>) -> Family {
    let run = run_label(view);
    let levels = view.level_columns();
    let mut samples: Vec<(Labels, f64)> = Vec::new();
    for (scope, flag) in view.findings.flags_by_scope() {
        let place = flag_scopes::columns(&levels, scope);
        let mut labels = vec![run.clone()];
        labels.extend(place.into_iter().map(|(name, text)| (name.to_owned().into(), text)));
        labels.extend([
            ("code".into(), flag.code.name().to_owned()),
            ("invalid".into(), flag.invalid.to_string()),
            ("note".into(), flag.note.to_string()),
            ("text".into(), flag.text.clone()),
        ]);
        // No two samples may have the same labels.
        if !samples.iter().any(|(same, _)| *same == labels) {
            samples.push((labels, 1.0));
        }
    }
    let help = "What to know before you use the numbers; always 1.";
    Family { samples, ..Family::new("rigel_flag_info", "", help) }
}
