//! `_ci.csv`: how sure the figures are, a row per point and class, beside the files of ORION that have no place for it.
//!
//! Columns of the tidy table. Must not hold a figure that has no interval anywhere.

use super::findings::field;
use super::write;
use crate::table::{COLUMNS, rows};
use crate::view::View;
use rigel_core::error::Problem;

/// The columns, in the order of the tidy table.
const KEPT: [&str; 26] = [
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
    let kept = COLUMNS.map(|(name, _)| KEPT.contains(&name));
    let fields = |row: Vec<_>| {
        row.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(cell, _)| field(cell)).collect()
    };
    write(KEPT, rows(view).map(fields))
}
