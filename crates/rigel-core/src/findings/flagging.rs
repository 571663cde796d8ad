//! Which flags a run, its points and its curves carry.
//!
//! Each room holds the tests of one kind of evidence; this one puts them together in the order in which they are shown.
//! Must not change a number.

mod circumstances;
mod contents;
mod counts;

use super::PointFindings;
use super::estimate::Phase;
use crate::engine::EngineKind;
use crate::flags::{Flag, FlagCode};
use crate::record::{Header, Record, Visit};
use crate::stats::levels_auto::Curve;
use crate::workload::Class;

/// Gives every point its flags.
pub fn points(record: &Record, phases: &[Phase<'_>], points: &mut [PointFindings]) {
    let target = record.header.plan.calibration.as_ref().map(|plan| plan.parameters.target);
    let alone_us = contents::alone_us(points);
    for point in points {
        let visits: Vec<&Visit> = record.visits.iter().filter(|visit| visit.step == point.step).collect();
        let mut flags = everywhere(&record.header);
        flags.extend(counts::of_point(record, &visits, point));
        flags.extend(contents::of_point(&record.header, &visits, point, alone_us));
        flags.extend(circumstances::of_point(record, &visits));
        flags.extend(width(point, target));
        point.flags = flags;
    }
    let _ = phases;
}

/// What holds for the run as a whole.
pub fn run(_record: &Record, phases: &[Phase<'_>], _points: &[PointFindings]) -> Vec<Flag> {
    phases.iter().filter_map(circumstances::of_phase).collect()
}

/// What a curve of the search shows.
pub fn curve(_class: Class, _curve: &Curve) -> Vec<Flag> {
    Vec::new()
}

/// Flags that hold for every point of the run.
fn everywhere(header: &Header) -> Vec<Flag> {
    let mut found = Vec::new();
    if header.request.buffered {
        found.push(Flag::new(FlagCode::Buffered, "measured through the page cache: memory, not storage"));
    }
    if matches!(header.engine.kind, EngineKind::Sim | EngineKind::Null) {
        let text = format!("engine {}: no storage was touched", header.engine.kind.name());
        found.push(Flag::new(FlagCode::Simulated, text));
    }
    found
}

/// Intervals that are wider than was asked for, with the width that was reached.
fn width(point: &PointFindings, target: Option<f64>) -> Vec<Flag> {
    let Some(target) = target else {
        return Vec::new();
    };
    let classes = [("small", point.small.as_ref()), ("large", point.large.as_ref())];
    let loaded = classes.into_iter().filter_map(|(name, io)| Some((name, io?)));
    let wide = loaded.filter_map(|(name, io)| match io.sure.iops {
        Some(interval) if interval.relative_half_width <= target => None,
        Some(interval) => Some(format!(
            "{name}: ±{:.1} % after {} visits, ±{:.1} % was asked for",
            100.0 * interval.relative_half_width,
            interval.visits,
            100.0 * target
        )),
        None => Some(format!("{name}: no interval from {} visits", io.sure.visits)),
    });
    wide.map(|text| Flag::new(FlagCode::NotReached, text)).collect()
}
