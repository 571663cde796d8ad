//! `_ci.csv`: the precision of the figures, a row per point and class, in addition to ORION's files, which have no place for it.
//!
//! Columns of the tidy table. Must not hold a figure that has no interval anywhere.

use super::findings::field;
use super::write;
use crate::table::{columns, rows};
use crate::view::View;
use rigel_core::error::Problem;

/// The figures, in the order of the tidy table.
const KEPT: [&str; 22] = [
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
    let columns = columns(view);
    let class = columns.iter().position(|name| name == "class").unwrap_or(0);
    let is_kept = |place: usize| place <= class || KEPT.contains(&columns[place].as_str());
    let fields = |row: Vec<_>| {
        let kept = row.into_iter().enumerate().filter(|(place, _)| is_kept(*place));
        kept.map(|(_, cell)| field(cell)).collect()
    };
    let names = (0..columns.len()).filter(|place| is_kept(*place)).map(|place| columns[place].clone());
    write(names, rows(view).map(fields))
}
