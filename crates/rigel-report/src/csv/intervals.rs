//! `_ci.csv`: how sure the figures are, a row per point and class, beside the files of ORION that have no place for it.
//!
//! Must not hold a figure that has no interval anywhere.

use super::{estimate, grounds, of_classes, own_cpu};
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{IoFindings, PointFindings};

const COLUMNS: [&str; 26] = [
    "run_id",
    "small",
    "large",
    "class",
    "iops",
    "iops_lo95",
    "iops_hi95",
    "mbps",
    "mbps_lo95",
    "mbps_hi95",
    "latency_mean_us",
    "latency_mean_us_lo95",
    "latency_mean_us_hi95",
    "latency_p50_us",
    "latency_p50_us_lo95",
    "latency_p50_us_hi95",
    "latency_p99_us",
    "latency_p99_us_lo95",
    "latency_p99_us_hi95",
    "visits",
    "basis",
    "within",
    "between",
    "stalled_share",
    "reached",
    "own_cpu",
];

/// The table with its header line.
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let target = view.findings.target;
    of_classes(view, COLUMNS, |found, io| row(found, io, target))
}

fn row(found: &PointFindings, io: &IoFindings, target: Option<f64>) -> Vec<String> {
    let mut row = Vec::with_capacity(COLUMNS.len());
    let (us, sure) = (io.latency_us, &io.sure);
    row.extend(estimate(Some(io.iops), sure.iops));
    row.extend(estimate(Some(io.mbps), sure.mbps(io.io_bytes)));
    row.extend(estimate(us.map(|us| us.mean), sure.latency_us));
    row.extend(estimate(us.map(|us| us.p50), sure.p50_us()));
    row.extend(estimate(us.map(|us| us.p99), sure.p99_us()));
    row.extend(grounds(io, target));
    row.push(own_cpu(found));
    row
}
