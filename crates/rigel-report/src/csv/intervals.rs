//! `_ci.csv`: how sure the figures are, a row per point and class, beside the files of ORION that have no place for it.
//!
//! Must not hold a figure that has no interval anywhere.

use super::{estimate, grounds, rows, write};
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::findings::{IoFindings, PointFindings};
use rigel_core::path_text::printable;
use rigel_core::workload::Class;

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
    let run_id = printable(&view.record.header.run_id);
    let target = view.findings.target;
    write(COLUMNS, rows(view, |found, class, io| row(&run_id, found, class, io, target)))
}

fn row(
    run_id: &str,
    found: &PointFindings,
    class: Class,
    io: &IoFindings,
    target: Option<f64>,
) -> Vec<String> {
    let mut row = vec![
        run_id.to_owned(),
        found.point.small.to_string(),
        found.point.large.to_string(),
        class.name().to_owned(),
    ];
    let (us, sure) = (io.latency_us, &io.sure);
    row.extend(estimate(Some(io.iops), sure.iops));
    row.extend(estimate(Some(io.mbps), sure.mbps(io.io_bytes)));
    row.extend(estimate(us.map(|us| us.mean), sure.latency_us));
    row.extend(estimate(us.map(|us| us.p50), sure.p50_us()));
    row.extend(estimate(us.map(|us| us.p99), sure.p99_us()));
    row.extend(grounds(io, target));
    row.push(found.own_cpu.map_or_else(String::new, |cpu| cpu.share.to_string()));
    row
}
