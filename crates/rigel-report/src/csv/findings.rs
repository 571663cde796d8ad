//! `_findings.csv`: one tidy table, a row per point and class, a column per variable.
//!
//! Must not leave out a figure that the other outputs have.

use super::{ends, field, grounds, of_classes, own_cpu};
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::findings::{IoFindings, PointFindings};

const COLUMNS: [&str; 40] = [
    "run_id",
    "small",
    "large",
    "class",
    "io_bytes",
    "seconds",
    "iops",
    "iops_lo95",
    "iops_hi95",
    "mbps",
    "mbps_lo95",
    "mbps_hi95",
    "latency_mean_us",
    "latency_mean_us_lo95",
    "latency_mean_us_hi95",
    "latency_min_us",
    "latency_max_us",
    "latency_stddev_us",
    "latency_p50_us",
    "latency_p50_us_lo95",
    "latency_p50_us_hi95",
    "latency_p90_us",
    "latency_p99_us",
    "latency_p99_us_lo95",
    "latency_p99_us_hi95",
    "latency_p99_9_us",
    "latency_p99_99_us",
    "visits",
    "basis",
    "within",
    "between",
    "stalled_share",
    "reached",
    "reads",
    "writes",
    "errors",
    "outstanding_planned",
    "outstanding_mean",
    "own_cpu",
    "flags",
];

/// The table with its header line.
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let target = view.findings.target;
    of_classes(view, COLUMNS, |found, io| row(found, io, target))
}

fn row(found: &PointFindings, io: &IoFindings, target: Option<f64>) -> Vec<String> {
    let mut row = vec![io.io_bytes.to_string(), found.seconds.to_string(), io.iops.to_string()];
    row.extend(ends(io.sure.iops));
    row.push(io.mbps.to_string());
    row.extend(ends(io.sure.mbps(io.io_bytes)));
    row.extend(latency(io));
    row.extend(grounds(io, target));
    row.extend([
        io.reads.count().to_string(),
        io.writes.count().to_string(),
        io.errors.to_string(),
        io.planned_outstanding.to_string(),
        io.mean_outstanding.to_string(),
        own_cpu(found),
    ]);
    let codes: Vec<&str> = found.flags.iter().map(|flag| flag.code.name()).collect();
    row.push(codes.join(";"));
    row
}

fn latency(io: &IoFindings) -> Vec<String> {
    let us = io.latency_us;
    let sure = &io.sure;
    let mut fields = vec![field(us.map(|us| us.mean))];
    fields.extend(ends(sure.latency_us));
    fields.extend([us.map(|us| us.min), us.map(|us| us.max), us.map(|us| us.stddev)].map(field));
    fields.push(field(us.map(|us| us.p50)));
    fields.extend(ends(sure.p50_us()));
    fields.extend([us.map(|us| us.p90), us.map(|us| us.p99)].map(field));
    fields.extend(ends(sure.p99_us()));
    fields.extend([us.map(|us| us.p99_9), us.map(|us| us.p99_99)].map(field));
    fields
}
