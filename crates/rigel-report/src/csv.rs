//! The findings as one tidy table (RFC 4180): a row per point and class, a column per variable.
//!
//! A number that is not there is an empty field. Rates are per second, one MB is 2^20 bytes. Must not round.

use crate::view::View;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::findings::{IoFindings, LatencyUs, PointFindings};
use rigel_core::path_text::printable;

const COLUMNS: [&str; 22] = [
    "run_id",
    "small",
    "large",
    "class",
    "io_bytes",
    "seconds",
    "iops",
    "mbps",
    "latency_mean_us",
    "latency_min_us",
    "latency_max_us",
    "latency_stddev_us",
    "latency_p50_us",
    "latency_p90_us",
    "latency_p99_us",
    "latency_p99_9_us",
    "latency_p99_99_us",
    "reads",
    "writes",
    "errors",
    "outstanding_planned",
    "outstanding_mean",
];

/// The table with its header line.
pub(crate) fn table(view: &View<'_>) -> Result<Vec<u8>, Problem> {
    let bug = |error: &dyn std::fmt::Display| {
        Problem::new(ExitKind::Bug, format!("the findings cannot be written as CSV: {error}"))
            .next("report this with the record")
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    let head = COLUMNS.into_iter().chain(["flags"]);
    writer.write_record(head).map_err(|error| bug(&error))?;
    let run_id = printable(&view.record.header.run_id);
    for found in &view.findings.points {
        for (class, io) in [("small", &found.small), ("large", &found.large)] {
            if let Some(io) = io {
                writer.write_record(row(&run_id, found, class, io)).map_err(|error| bug(&error))?;
            }
        }
    }
    writer.into_inner().map_err(|error| bug(&error))
}

fn row(run_id: &str, found: &PointFindings, class: &str, io: &IoFindings) -> Vec<String> {
    let mut row = vec![
        run_id.to_owned(),
        found.point.small.to_string(),
        found.point.large.to_string(),
        class.to_owned(),
        io.io_bytes.to_string(),
        found.seconds.to_string(),
        io.iops.to_string(),
        io.mbps.to_string(),
    ];
    row.extend(latency(io.latency_us));
    row.extend([
        io.reads.count().to_string(),
        io.writes.count().to_string(),
        io.errors.to_string(),
        io.planned_outstanding.to_string(),
        io.mean_outstanding.to_string(),
    ]);
    let codes: Vec<&str> = found.flags.iter().map(|flag| flag.code.name()).collect();
    row.push(codes.join(";"));
    row
}

fn latency(latency: Option<LatencyUs>) -> [String; 9] {
    let Some(us) = latency else {
        return Default::default();
    };
    let LatencyUs { mean, min, max, stddev, p50, p90, p99, p99_9, p99_99 } = us;
    [mean, min, max, stddev, p50, p90, p99, p99_9, p99_99].map(|value| value.to_string())
}
