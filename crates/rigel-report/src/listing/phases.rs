//! The phases of a load, a row for each class of each: the table of points adds up the phases of the same load.
//!
//! Must not leave out a phase.

use super::mixed::load;
use super::{Listing, Row};
use crate::phases::{self, PhaseResult};
use crate::view::View;
use rigel_core::judge::findings::{PointFindings, VisitFindings, VisitIo};
use rigel_core::load::class::Class;
use rigel_core::units::Nanos;
use rigel_core::units::say::{number, span, time};

const HEADS: [&str; 8] = ["Phase", "For", "Class", "Load", "per s", "mean", "p50", "p99"];
const MEANING: &str = "For: the measured time of the phase. Load: what was asked for; per s: what was served. Each phase was measured once; \
    phases of the same load are one point in the table of points.";

/// The table; `None` if the load has no phases.
pub(crate) fn of<'a>(view: &'a View<'_>) -> Option<Listing<'a>> {
    let request = &view.record.header.request;
    if request.phases().is_empty() || request.slo().is_some() || request.burst().is_some() {
        return None;
    }
    let phases = phases::measured(view);
    let row =
        |number: u32, found: &'a PointFindings, visit: &VisitFindings, class: Class, io: &VisitIo| Row {
            cells: vec![
                number.saturating_add(1).to_string(),
                span(Nanos(visit.measured_ns)),
                class.to_string(),
                request.class(class).map_or_else(String::new, |one| load(one, visit.point.of(class))),
                figure(Some(io.iops), self::number),
                figure(io.latency_us, time),
                figure(io.p50_us, time),
                figure(io.p99_us, time),
            ],
            points: vec![found],
        };
    let rows = phases.into_iter().flat_map(|PhaseResult { number, found, visit }| {
        visit.ios.iter().map(move |(&class, io)| row(number, found, visit, class, io))
    });
    Some(Listing { heads: HEADS.map(str::to_owned).into(), rows: rows.collect(), meaning: MEANING })
}

fn figure(value: Option<f64>, write: fn(f64) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), write)
}
