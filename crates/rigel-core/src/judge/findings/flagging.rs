//! Which flags a run, its points and its curves carry.
//!
//! Each module has the tests of one kind of evidence; this one combines them in display order.
//! Must not change a number.

mod changes;
mod circumstances;
mod contents;
mod counts;
mod course;
mod credit;
mod curve;
mod flushes;
mod latency;
mod levels;
mod long_visit;
mod neighbours;
mod open;
mod open_latency;
mod server;
mod standing;
mod standstill;
mod targets;
mod visits;
mod words;

pub use changes::VisitChanges as ChangesSeen;
pub use circumstances::MATTERS as FOREIGN_MATTERS;
pub use curve::{flags as curve, unfinished as unfinished_search, unfinished_bound};
pub use flushes::of_run as free_flushes;

use super::PointFindings;
use super::estimate::{PhaseJudgement, by_step, used};
use super::nodes;
use crate::facts::{MemoryReason, TargetFacts};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::matrix::Point;
use crate::record::{Header, Record, ResumedLine, Visit};
use crate::stats::Basis;

/// Gives every point its flags and returns those of the run as a whole.
pub fn flag(record: &Record, phases: &[PhaseJudgement<'_>], points: &mut [PointFindings]) -> Vec<Flag> {
    let limited = levels::limited(record);
    for_points(record, phases, points, &limited);
    for_run(record, phases, points, &limited)
}

fn for_points(
    record: &Record,
    phases: &[PhaseJudgement<'_>],
    points: &mut [PointFindings],
    limited: &[levels::ClassLimit],
) {
    let target = record.header.plan.adaptive.as_ref().map(|plan| plan.parameters.target);
    let compared: Vec<visits::PhaseSpread> =
        phases.iter().map(|phase| visits::PhaseSpread::of(phase, target.unwrap_or(0.0))).collect();
    let by_step = by_step(&record.visits);
    let effect = |step: usize| {
        let visits = by_step.get(&step).map_or(&[][..], Vec::as_slice);
        circumstances::effect(record, visits)
    };
    let alone_us = contents::alone_us(points, effect);
    // Behind a limit an I/O waits even when it is alone, so being faster than that tells nothing of a cache.
    let mut unlimited_us = alone_us.clone();
    unlimited_us.retain(|class, _| !limited.iter().any(|limited| limited.load.name == *class));
    // Where an I/O that is alone is of one of two kinds, their mean says nothing of how fast one may be.
    let of_one_kind_us = latency::of_one_kind(points, &alone_us);
    let changes = changes::VisitChanges::of(record);
    for point in points {
        let visits = by_step.get(&point.step).map_or(&[][..], Vec::as_slice);
        let phase = phases.iter().zip(&compared).find(|(phase, _)| phase.steps.contains(&point.step));
        let counting = used(visits, phase.map(|(phase, _)| phase));
        let mut flags = circumstances_of(&record.header, point.point);
        flags.extend(counts::of_point(record, visits, point));
        flags.extend(standstill::of_point(visits, point, circumstances::shared_cpus(record, visits)));
        flags.extend(open::of_point(&counting, visits, point));
        flags.extend(nodes::flags(&record.header, &counting, point));
        flags.extend(changes.of_point(&counting));
        flags.extend(contents::of_point(&record.header, &counting, point, &unlimited_us));
        flags.extend(server::of_point(&record.header.request, &counting));
        flags.extend(circumstances::of_point(record, &counting, &flags));
        // How the rate changes, and the latency with it, is what was asked.
        if record.header.request.asks_for_change() {
            flags.extend(course::back_and_forth(&record.header, &counting));
        } else {
            flags.extend(latency::of_point(&counting, point, &of_one_kind_us));
            let settle_ns = phase.map_or(0, |(phase, _)| phase.judged.look.settle.settle_ns);
            flags.extend(course::of_point(&record.header, &counting, settle_ns));
        }
        flags
            .extend(phase.into_iter().flat_map(|(phase, compared)| visits::of_point(phase, compared, point)));
        let points = phase.map_or(0, |(phase, _)| phase.steps.len());
        if points > 0 {
            let of_latency = open_latency::of_point(point, &flags, points, target.unwrap_or(0.0));
            flags.extend(of_latency);
        }
        // Of two sides that take turns the ratio was asked for, and not how sure each rate is.
        let asked = target.filter(|_| record.header.request.sides.is_none());
        flags.extend(width(point, asked, least_visits(record, points)));
        point.flags = flags;
    }
}

fn for_run(
    record: &Record,
    phases: &[PhaseJudgement<'_>],
    points: &[PointFindings],
    limited: &[levels::ClassLimit],
) -> Vec<Flag> {
    let mut found: Vec<Flag> = changes::VisitChanges::of(record).of_run().into_iter().collect();
    found.extend(standing::of_run(record));
    found.extend(circumstances::slower_engine(record));
    found.extend(standstill::of_search(record));
    for phase in phases {
        found.extend(long_visit::of_phase(record, phase));
        if let Some(plan) = &record.header.plan.adaptive {
            found.extend(visits::of_phase(plan, phase, name(record, phases, phase)));
        }
        found.extend(circumstances::of_phase(phase));
    }
    found.extend(visits::came_back(record));
    if !record.header.request.asks_for_change() {
        found.extend(levels::of_run(record, phases, points, limited));
        found.extend(credit::of_run(record));
        found.extend(neighbours::of_run(record, points));
    }
    found.extend(targets::of_run(record));
    found.extend(visits::few_points(record, points));
    let mut set_aside = record.set_aside.iter();
    found.extend(record.resumed.iter().map(|line| {
        let left_out = if line.set_aside == 0 { None } else { set_aside.next() };
        resumed(record, line, left_out)
    }));
    found
}

/// The beginning of the texts about a phase; empty if there is only one.
fn name(record: &Record, phases: &[PhaseJudgement<'_>], phase: &PhaseJudgement<'_>) -> &'static str {
    let writes = || {
        let points = phase.steps.iter().filter_map(|&step| record.header.plan.steps.get(step));
        points.into_iter().any(|step| record.header.request.writes(step.point))
    };
    match phases.len() {
        0 | 1 => "",
        _ if writes() => "points that write: ",
        _ => "points that only read: ",
    }
}

/// Flags that apply to every point of the run, or of its side.
fn circumstances_of(header: &Header, point: Point) -> Vec<Flag> {
    let mut found = Vec::new();
    if header.request.is_buffered_at(point) {
        let flag = Flag::new(FlagCode::Buffered, "measured through the page cache: memory, not storage");
        found.push(flag.invalidating());
    }
    found.extend(memory(header.request.used_at(point, &header.targets)));
    if header.nodes.first().engine.kind.is_simulated() {
        let text = format!("engine {}: no storage was touched", header.nodes.first().engine.kind.name());
        found.push(Flag::new(FlagCode::Simulated, text));
    }
    found
}

/// I/O of every point goes to all targets, so a single one in memory spoils them all.
fn memory(targets: &[TargetFacts]) -> Option<Flag> {
    let found: Vec<MemoryReason> = targets.iter().filter_map(TargetFacts::memory).collect();
    let first = found.first()?;
    let which = match (found.len(), targets.len()) {
        (some, all) if some < all => format!("{some} of {all} targets: "),
        _ => String::new(),
    };
    Some(Flag::new(FlagCode::Memory, format!("{which}{first}; {}", first.effect())).invalidating())
}

/// The record does not have what happened during an interruption; why a visit does not count is reported here only.
fn resumed(record: &Record, line: &ResumedLine, left_out: Option<&Visit>) -> Flag {
    let why = left_out.map(|visit| match nodes::hung(&record.header, visit) {
        Some(hung) => hung,
        None if visit.all_failed() => "all of its I/Os failed".to_owned(),
        None => "it was cut short".to_owned(),
    });
    let why = why.map_or_else(String::new, |why| format!("; the visit after them is left out: {why}"));
    let ResumedLine { at, kept, .. } = line;
    Flag::new(FlagCode::Resumed, format!("interrupted, and resumed at {at} after {kept} visits{why}"))
}

/// Visits that a point of a phase with this many points gets before it is checked; a width from fewer may be small by luck.
fn least_visits(record: &Record, points: usize) -> usize {
    let Some(plan) = &record.header.plan.adaptive else {
        return 0;
    };
    usize::try_from(plan.parameters.first_look(points)).unwrap_or(0)
}

/// Intervals that are wider than requested, with the width that was reached, or that are based on too few visits, or
/// on visits that begin too early.
fn width(point: &PointFindings, target: Option<f64>, least: usize) -> Vec<Flag> {
    let Some(target) = target else {
        return Vec::new();
    };
    let wide = point.classes().filter_map(|(name, io)| match io.judged().interval {
        Some(_) if io.judged().basis != Basis::Visits => {
            Some(format!("{name}: a single visit, so the width only covers variation within it"))
        }
        Some(interval) if interval.visits < least => {
            Some(format!("{name}: too few visits, {} of at least {least}", interval.visits))
        }
        Some(_) if io.sure.reached => None,
        Some(interval) if interval.relative_half_width <= target => Some(format!(
            "{name}: ±{:.1} %, but the visits end before the device has settled, so the mean may be off by more",
            100.0 * interval.relative_half_width
        )),
        Some(interval) => Some(format!(
            "{name}: ±{:.1} % after {} visits, ±{:.1} % requested",
            100.0 * interval.relative_half_width,
            interval.visits,
            100.0 * target
        )),
        None => Some(format!("{name}: no interval from {} visit{}", io.sure.visits, if io.sure.visits == 1 { "" } else { "s" })),
    });
    wide.map(|text| Flag::new(FlagCode::NotReached, text)).collect()
}

#[cfg(test)]
mod tests;
