//! Tables for programs (RFC 4180 with line feeds): the findings, their intervals, their flags.
//!
//! A number that is not there is an empty field; an interval has the columns `_lo95` and `_hi95` behind the column of its
//! figure. Rates are per second, one MB is 2^20 bytes. Must not round.

mod findings;
mod flags;
mod intervals;

pub(crate) use findings::table as findings;
pub(crate) use flags::table as flags;
pub(crate) use intervals::table as intervals;

use crate::output_file::unwritable;
use crate::view::View;
use rigel_core::error::Problem;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::workload::Class;
use rigel_core::path_text::printable;
use rigel_core::stats::Interval;
use std::fmt::Display;

/// A header line and the rows below it.
fn write(
    columns: impl IntoIterator<Item = &'static str>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> Result<Vec<u8>, Problem> {
    let bug = |error: &dyn Display| unwritable("the findings", "CSV", error);
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns).map_err(|error| bug(&error))?;
    for row in rows {
        writer.write_record(row).map_err(|error| bug(&error))?;
    }
    writer.into_inner().map_err(|error| bug(&error))
}

/// A row for each class of each point: the run, the point and the class, then what `rest` has of them.
fn of_classes(
    view: &View<'_>,
    columns: impl IntoIterator<Item = &'static str>,
    rest: impl Fn(&PointFindings, &IoFindings) -> Vec<String>,
) -> Result<Vec<u8>, Problem> {
    let run_id = printable(&view.record.header.run_id);
    let row = |found: &PointFindings, class: Class, io: &IoFindings| {
        let small = found.point.small.to_string();
        let mut row = vec![run_id.to_string(), small, found.point.large.to_string(), class.name().to_owned()];
        row.extend(rest(found, io));
        row
    };
    let rows = view.findings.points.iter();
    write(columns, rows.flat_map(|found| found.classes().map(|(class, io)| row(found, class, io))))
}

/// What Rigel itself used of the CPU.
fn own_cpu(found: &PointFindings) -> String {
    field(found.own_cpu.map(|cpu| cpu.share))
}

/// A value, or nothing.
fn field(value: Option<impl Display>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Both ends of an interval.
fn ends(interval: Option<Interval>) -> [String; 2] {
    [field(interval.map(|interval| interval.lo95)), field(interval.map(|interval| interval.hi95))]
}

/// A figure and both ends of its interval.
fn estimate(value: Option<f64>, interval: Option<Interval>) -> [String; 3] {
    let [lo, hi] = ends(interval);
    [field(value), lo, hi]
}

/// What the intervals of a class rest on: visits, basis, within, between, stalled share, whether the precision that was
/// asked for was reached.
fn grounds(io: &IoFindings, target: Option<f64>) -> [String; 6] {
    let sure = &io.sure;
    [
        sure.visits.to_string(),
        sure.basis.name().to_owned(),
        field(sure.within),
        field(sure.between),
        field(sure.stalled),
        field(target.map(|_| sure.reached)),
    ]
}
