//! The tidy table: a row per point and class, a column per variable. CSV is written from it.
//!
//! Must hold every figure that other outputs have, and must not round.

use crate::view::View;
use rigel_core::judge::findings::{IoFindings, LatencyUs, OpenFindings, PointFindings};
use rigel_core::judge::flags::Flag;
use rigel_core::load::class::LoadClass;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;

/// One field of a row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Printable text.
    Text(String),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Truth(bool),
    /// There is no such figure.
    Nothing,
}

/// The name of every column: the run, the load level of each class, then the figures.
pub(crate) fn columns(view: &View<'_>) -> Vec<String> {
    let levels = view.level_columns().into_iter().map(|(name, _)| name);
    let open = if has_open(view) { &OPEN[..] } else { &[] };
    let figures = FIGURES.iter().chain(open).map(|&name| name.to_owned());
    std::iter::once("run_id".to_owned()).chain(levels).chain(figures).collect()
}

/// The figures of a class of a point. Rates are per second, one MB is 2^20 bytes.
const FIGURES: [&str; 38] = [
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
    "run_flags",
];

/// Columns for open loops; present if the run has one.
const OPEN: [&str; 15] = [
    "arrivals_asked_per_s",
    "arrivals",
    "arrivals_per_s",
    "service_mean_us",
    "service_p50_us",
    "service_p99_us",
    "service_max_us",
    "lag_mean_us",
    "lag_p99_us",
    "lag_max_us",
    "waited_for_slot",
    "left_without_slot",
    "backlog_start",
    "backlog_middle",
    "backlog_end",
];

fn has_open(view: &View<'_>) -> bool {
    view.record.header.request.classes.iter().any(LoadClass::is_open)
}

/// The rows, with a cell for each of [`columns`].
pub(crate) fn rows(view: &View<'_>) -> impl Iterator<Item = Vec<Cell>> {
    let run_id = printable(&view.record.header.run_id);
    let target = view.findings.target;
    let levels = view.level_columns();
    let open = has_open(view);
    view.findings.points.iter().flat_map(move |found| {
        let (run_id, levels) = (run_id.clone(), levels.clone());
        found.classes().map(move |(class, io)| {
            let mut row = vec![Cell::Text(run_id.to_string())];
            row.extend(levels.iter().map(|(_, class)| Cell::Count(found.point.of(*class).into())));
            row.push(Cell::Text(class.name().to_owned()));
            row.extend(figures(found, io, target, &view.findings.flags));
            if open {
                row.extend(open_figures(found.point.of(class), io.open.as_ref()));
            }
            row
        })
    })
}

fn codes(flags: &[Flag]) -> Cell {
    let codes: Vec<&str> = flags.iter().map(|flag| flag.code.name()).collect();
    Cell::Text(codes.join(";"))
}

fn figures(found: &PointFindings, io: &IoFindings, target: Option<f64>, run_flags: &[Flag]) -> Vec<Cell> {
    let mut row = vec![Cell::Count(io.io_bytes), Cell::Number(found.seconds)];
    row.extend(ends(Some(io.iops)));
    row.extend(ends(io.mbps()));
    row.extend(latency(io));
    row.extend(grounds(io, target));
    row.extend([
        Cell::Count(io.reads.count()),
        Cell::Count(io.writes.count()),
        Cell::Count(io.errors),
        Cell::Count(io.planned_outstanding.into()),
        Cell::Number(io.mean_outstanding),
        number(found.own_cpu.map(|cpu| cpu.share)),
    ]);
    row.extend([found.flags.as_slice(), run_flags].map(codes));
    row
}

fn open_figures(asked: u32, found: Option<&OpenFindings>) -> Vec<Cell> {
    let Some(found) = found else { return vec![Cell::Nothing; OPEN.len()] };
    let (service, lag) = (found.service_us(), found.lag_us());
    let of = |us: Option<LatencyUs>, value: fn(LatencyUs) -> f64| number(us.map(value));
    let mut row = vec![
        Cell::Number(asked.into()),
        Cell::Count(found.arrived),
        Cell::Number(found.arrived_per_s()),
        of(service, |us| us.mean.value),
        of(service, |us| us.p50.value),
        of(service, |us| us.p99.value),
        of(service, |us| us.max),
        of(lag, |us| us.mean.value),
        of(lag, |us| us.p99.value),
        of(lag, |us| us.max),
    ];
    row.extend([found.waited, found.left].map(Cell::Count));
    row.extend(found.backlog.map(Cell::Count));
    row
}

fn latency(io: &IoFindings) -> Vec<Cell> {
    let us = io.latency_us;
    let value = |of: fn(LatencyUs) -> f64| number(us.map(of));
    let mut cells = ends(us.map(|us| us.mean)).to_vec();
    cells.extend([value(|us| us.min), value(|us| us.max), value(|us| us.stddev)]);
    cells.extend(ends(us.map(|us| us.p50)));
    cells.push(value(|us| us.p90.value));
    cells.extend(ends(us.map(|us| us.p99)));
    cells.extend([value(|us| us.p99_9.value), value(|us| us.p99_99.value)]);
    cells
}

/// The basis of the intervals.
fn grounds(io: &IoFindings, target: Option<f64>) -> [Cell; 6] {
    let sure = &io.sure;
    [
        Cell::Count(sure.visits as u64),
        Cell::Text(io.iops.basis.name().to_owned()),
        number(sure.within),
        number(sure.between),
        number(sure.stalled),
        target.map_or(Cell::Nothing, |_| Cell::Truth(sure.reached)),
    ]
}

fn number(value: Option<f64>) -> Cell {
    value.map_or(Cell::Nothing, Cell::Number)
}

/// A figure and both ends of its interval.
fn ends(found: Option<Estimate>) -> [Cell; 3] {
    found.map_or([None; 3], |found| found.columns()).map(number)
}
