//! A soak as one HTML page: what its script draws, rates and latencies over the whole time with the faults on the same axis.
//!
//! Must not leave out a fault.

use super::{SoakReport, words};
use crate::document::html::Frame;
use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Picture, Shape};
use crate::document::{Block, PageDocument};
use crate::html::assets;
use crate::json_text::compact;
use crate::label;
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::units::say::{short, time};
use rigel_core::units::{Nanos, mbps, to_f64};
use rigel_uses::soak::{Moment, MomentBeside, MomentIo};
use serde::Serialize;

/// Most points of a line; with more, several intervals are merged.
const MOST_POINTS: usize = 1500;

/// What the script draws.
#[derive(Serialize)]
struct Figures {
    /// The loads of the phases.
    phases: Vec<String>,
    classes: Vec<ClassFigures>,
    /// Next to production: hours of load, number of the phase, per cent of the time taken, per cent allowed.
    beside: Vec<(f64, u64, f64, f64)>,
    /// Hours of load at which it resumed after an interruption.
    interruptions: Vec<f64>,
}

#[derive(Serialize)]
struct ClassFigures {
    name: String,
    unit: &'static str,
    rows: Vec<Row>,
}

/// Hours of load, number of the phase, rate, latencies in microseconds (median, 99th percentile, longest), failed I/Os, wrong blocks.
type Row = (f64, u64, f64, [Option<f64>; 3], u64, u64);

impl PageDocument for SoakReport<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let header = &self.record.header;
        let label = header.request.label.as_ref();
        Ok(Frame {
            title: label.map_or_else(String::new, |label| format!("{label}: "))
                + &format!("Does {} keep what is written to it?", label::storage(&header.targets)),
            when: vec![words::targets(self.record), header.run_id.clone(), header.started.clone()],
            made_from: "the record",
            script: &assets::SOAK,
            figures: ("soak", compact(&figures(self))?),
            tables: "the tables hold the figures of every phase",
        })
    }
}

/// The rate and the latency of the first class over the time of load.
pub(super) fn picture(told: &SoakReport<'_>) -> Option<Block> {
    /// More would overlap.
    const MOST_DOTS: usize = 240;
    let class = told.record.header.request.classes.first()?;
    let found = figures_of(told, class);
    let step = found.rows.len().div_ceil(MOST_DOTS).max(1);
    let (unit, per_hour) = unit_of(found.rows.last().map_or(0.0, |row| row.0));
    let line = |name: &str, figure: fn(&Row) -> Option<f64>| {
        let dot = |rows: &[Row]| {
            let up = rows.iter().filter_map(figure).reduce(f64::max)?;
            Some(Dot { across: rows.first()?.0 * per_hour, up, ends: None })
        };
        Line { name: name.to_owned(), dots: found.rows.chunks(step).filter_map(dot).collect() }
    };
    let panel = |title: String, up: Axis, lines: Vec<Line>| {
        let across = Axis::linear(unit, short);
        Panel {
            title,
            shape: Shape::Lines(Lines { across, up, lines, limit: None, band: None, marks: Vec::new() }),
        }
    };
    let rate = vec![line("", |row| Some(row.2))];
    let latency = vec![line("p99", |row| row.3[1]), line("longest", |row| row.3[2])];
    let of = class.noun();
    Picture::of([
        panel(format!("{} of {of}", found.unit), Axis::linear(found.unit, short), rate),
        panel("Latency".to_owned(), Axis::linear("latency", time), latency),
    ])
}

/// The unit in which the marks of an axis of that many hours are whole numbers, and how many an hour has.
fn unit_of(hours: f64) -> (&'static str, f64) {
    const LEAST: f64 = 4.0;
    match hours {
        _ if hours >= LEAST => ("hours of load", 1.0),
        _ if 60.0 * hours >= LEAST => ("minutes of load", 60.0),
        _ => ("seconds of load", 3600.0),
    }
}

fn hours(ns: u64) -> f64 {
    Nanos(ns).seconds() / 3600.0
}

fn figures(told: &SoakReport<'_>) -> Figures {
    let found = told.found;
    Figures {
        phases: found.phases.iter().map(|phase| words::phase_in_words(told, phase)).collect(),
        classes: told.record.header.request.classes.iter().map(|class| figures_of(told, class)).collect(),
        beside: shares(told),
        interruptions: found.interruptions.iter().map(|one| hours(one.run.0)).collect(),
    }
}

fn figures_of(told: &SoakReport<'_>, class: &LoadClass) -> ClassFigures {
    let in_bytes = class.figure == Figure::Mbps;
    ClassFigures {
        name: class.name.name().to_owned(),
        unit: if in_bytes { "MBPS" } else { "IOPS" },
        rows: rows(told, class.name, if in_bytes { mbps(class.io_bytes(), 1_000_000_000) } else { 1.0 }),
    }
}

/// The intervals of a class, with this many merged for the chart; never across phases.
fn rows(told: &SoakReport<'_>, class: Class, factor: f64) -> Vec<Row> {
    let own: Vec<(&Moment, &MomentIo)> =
        told.found.course.iter().filter_map(|moment| Some((moment, moment.ios.get(&class)?))).collect();
    let each = own.len().div_ceil(MOST_POINTS).max(1);
    let visits = own.chunk_by(|(one, _), (next, _)| one.phase == next.phase);
    visits.flat_map(|visit| visit.chunks(each)).filter_map(|part| joined(part, factor)).collect()
}

/// The share taken and allowed next to production, with this many intervals merged: the most that was taken, the least that
/// was allowed.
fn shares(told: &SoakReport<'_>) -> Vec<(f64, u64, f64, f64)> {
    let course = told.found.course.iter();
    let own: Vec<(&Moment, MomentBeside)> =
        course.filter_map(|moment| Some((moment, moment.beside?))).collect();
    let each = own.len().div_ceil(MOST_POINTS).max(1);
    let joined = |part: &[(&Moment, MomentBeside)]| {
        let (first, _) = part.first()?;
        let taken = part.iter().map(|(_, one)| one.taken).fold(0.0, f64::max);
        let allowed = part.iter().map(|(_, one)| one.allowed).fold(1.0, f64::min);
        Some((hours(first.began_ns), first.phase, 100.0 * taken, 100.0 * allowed))
    };
    own.chunks(each).filter_map(joined).collect()
}

/// The mean of the rates, and the worst of everything else in several intervals.
fn joined(part: &[(&Moment, &MomentIo)], factor: f64) -> Option<Row> {
    let (first, _) = part.first()?;
    let rate = factor * part.iter().map(|(_, io)| io.iops).sum::<f64>() / to_f64(part.len() as u64);
    let worst = |of: fn(&MomentIo) -> Option<f64>| part.iter().filter_map(|(_, io)| of(io)).reduce(f64::max);
    let sum = |of: fn(&MomentIo) -> u64| part.iter().map(|(_, io)| of(io)).fold(0, u64::saturating_add);
    let latencies = [worst(|io| io.p50_us), worst(|io| io.p99_us), worst(|io| io.max_us)];
    Some((hours(first.began_ns), first.phase, rate, latencies, sum(|io| io.errors), sum(|io| io.wrong)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_the_time_are_whole_numbers() {
        assert_eq!(
            [0.01, 0.1, 2.0, 4.0, 336.0].map(|hours| unit_of(hours).1),
            [3600.0, 60.0, 60.0, 1.0, 1.0]
        );
    }
}
