//! Whether the numbers of a line can be those of a run. A record is untrusted text: `rigel report` reads it from anywhere.
//!
//! Refused is what no run can have written and what a later stage would pay for with time or memory out of proportion to
//! the file. Must not judge what a device did: a wrong but possible number is for the findings.

use super::damage::broken_at;
use super::{Header, Interval, Mark, MarkContent, ResumedLine, Visit};
use crate::error::Problem;
use crate::facts::{DriveLook, LimitsChange};
use crate::load::class::{Class, LoadClass, MAX_OUTSTANDING, MAX_RATE, PerClass, Sizes};
use crate::load::matrix::{Grid, MAX_POINTS, Point};
use crate::load::phase::MOST_PHASES as MOST_LOAD_PHASES;
use crate::load::plan::{AdaptivePlan, LevelSearch, Plan, RatePoints, RateSearch, WarmUp};
use crate::load::request::Request;
use crate::load::through::MOST_TEXT;
use crate::measure::series::MOST_BUCKETS;
use crate::measure::{ByTarget, ClassTally, Series};
use crate::stats::Parameters;
use crate::units::NS_PER_S;
use std::collections::BTreeSet;

/// The latest moment of a run, and its longest span: ten years.
const LONGEST_NS: u64 = 10 * 365 * 24 * 3600 * NS_PER_S;
/// Most early parts of a visit; there are eight settling times to choose from.
const MOST_PARTS: usize = 16;
/// Most drives below the targets of a host.
const MOST_DRIVES: usize = 4096;
/// Most phases of an adaptive run; reading and writing points make two.
const MOST_PHASES: usize = 16;
/// Most visits to a point of an adaptive run.
const MOST_VISITS: u32 = 1_000_000;
/// The widest precision.
const WIDEST_TARGET: f64 = 1.0;

/// A field and what is wrong with it.
type FieldError = Result<(), (String, String)>;

/// Checks the first line.
pub(super) fn header(number: usize, header: &Header) -> Result<(), Problem> {
    if let Err(problem) = header.request.check() {
        return Err(broken_at(number, "request", &problem.what));
    }
    plan(number, &header.request, &header.plan)
}

/// Checks a plan.
pub(super) fn plan(number: usize, request: &Request, plan: &Plan) -> Result<(), Problem> {
    at_line(number, of_plan(request, plan))
}

/// Checks a visit.
pub(super) fn visit(number: usize, request: &Request, visit: &Visit) -> Result<(), Problem> {
    at_line(number, of_visit(request, visit))
}

/// Checks a part of a visit.
pub(super) fn interval(number: usize, request: &Request, interval: &Interval) -> Result<(), Problem> {
    let Interval { began_ns, measured_ns, .. } = *interval;
    let spans = times(&[("began_ns", began_ns), ("measured_ns", measured_ns)]);
    let found = of_tallies(request, &interval.tallies, measured_ns, true);
    at_line(number, spans.and(found))
}

/// Checks the counts of a window from another process.
///
/// # Errors
/// With the field and what is wrong with it.
pub fn foreign_tallies(
    request: &Request,
    tallies: &PerClass<ClassTally>,
    measured_ns: u64,
    cut_short: bool,
) -> Result<(), String> {
    of_tallies(request, tallies, measured_ns, cut_short)
        .map_err(|(field, reason)| format!("{field}: {reason}"))
}

/// Checks where a run resumes.
pub(super) fn resumed(number: usize, resumed: &ResumedLine) -> Result<(), Problem> {
    let one = at_most("set_aside", usize::try_from(resumed.set_aside).unwrap_or(usize::MAX), 1);
    at_line(number, times(&[("run_ns", resumed.run_ns)]).and(one))
}

/// Checks the answers of drives.
pub(super) fn drives(number: usize, look: &DriveLook) -> Result<(), Problem> {
    let count = at_most("drives", look.drives.len(), MOST_DRIVES);
    at_line(number, times(&[("run_ns", look.run_ns)]).and(count))
}

/// Checks a mark.
pub(super) fn mark(number: usize, mark: &Mark) -> Result<(), Problem> {
    let length = match &mark.marked {
        MarkContent::Person(text) => text.chars().count(),
        MarkContent::Host(change) => change.device.chars().count(),
    };
    let short = at_most("marked", length, MOST_TEXT);
    at_line(number, times(&[("run_ns", mark.run_ns)]).and(short))
}

fn at_line(number: usize, found: FieldError) -> Result<(), Problem> {
    found.map_err(|(field, reason)| broken_at(number, &field, &reason))
}

fn wrong(field: impl Into<String>, reason: impl Into<String>) -> FieldError {
    Err((field.into(), reason.into()))
}

/// Puts the name of the outer field before that of the inner one.
fn within(outer: &str, found: FieldError) -> FieldError {
    found.map_err(|(field, reason)| (format!("{outer}.{field}"), reason))
}

fn times(spans: &[(&str, u64)]) -> FieldError {
    match spans.iter().find(|(_, ns)| *ns > LONGEST_NS) {
        Some((field, ns)) => wrong(*field, format!("{ns} ns is more than ten years")),
        None => Ok(()),
    }
}

fn at_most(field: &str, count: usize, most: usize) -> FieldError {
    if count > most { wrong(field, format!("{count} is more than {most}")) } else { Ok(()) }
}

fn outstanding(field: &str, count: u32) -> FieldError {
    if count > MAX_OUTSTANDING {
        return wrong(field, format!("{count} outstanding I/Os are more than {MAX_OUTSTANDING}"));
    }
    Ok(())
}

/// The load level of a class is a rate in an open loop, and a count in a closed one.
fn level(request: &Request, class: Class, field: &str, count: u32) -> FieldError {
    if !request.class(class).is_some_and(LoadClass::is_open) {
        return outstanding(field, count);
    }
    if count > MAX_RATE { wrong(field, format!("a rate of {count} is more than {MAX_RATE}")) } else { Ok(()) }
}

fn point(request: &Request, point: Point) -> FieldError {
    let each = |(class, count): (Class, u32)| level(request, class, class.name(), count);
    within("point", point.classes().try_for_each(each))
}

fn of_plan(request: &Request, plan: &Plan) -> FieldError {
    at_most("plan.steps", plan.steps.len(), MAX_POINTS)?;
    within("plan.grid", of_grid(request, &plan.grid))?;
    for (index, step) in plan.steps.iter().enumerate() {
        let warm_up = match step.warm_up {
            Some(WarmUp::Time(time)) => time.0,
            Some(WarmUp::Bytes(_)) | None => 0,
        };
        let spans = [("warm_up", warm_up), ("settle", step.settle.0), ("measure", step.measure.0)];
        within(&format!("plan.steps[{index}]"), point(request, step.point).and(times(&spans)))?;
    }
    at_most("plan.phases", plan.phases.len(), MOST_LOAD_PHASES)?;
    for (index, phase) in plan.phases.iter().enumerate() {
        let field = format!("plan.phases[{index}]");
        if phase.step >= plan.steps.len() {
            return wrong(field, format!("{} is not a step of the plan", phase.step));
        }
        within(&field, times(&[("settle", phase.settle.0), ("measure", phase.measure.0)]))?;
    }
    if let Some(search) = &plan.search {
        within("plan.search", of_search(request, search))?;
    }
    if let Some(rates) = &plan.rates {
        within("plan.rates", of_rates(request, rates, plan.steps.len()))?;
    }
    if let Some(adaptive) = &plan.adaptive {
        within("plan.adaptive", of_adaptive(adaptive, plan.steps.len()))?;
    }
    Ok(())
}

fn of_grid(request: &Request, grid: &Grid) -> FieldError {
    at_most("points", grid.points.len(), MAX_POINTS)?;
    for (field, axes) in [("levels", &grid.levels), ("printed", &grid.printed)] {
        for (&class, levels) in axes {
            // Each level is one of a point; `simple` prints 0 although no small I/O runs there.
            at_most(field, levels.len(), grid.points.len().max(1))?;
            levels.iter().try_for_each(|&count| level(request, class, field, count))?;
        }
    }
    Ok(())
}

fn of_search(request: &Request, search: &LevelSearch) -> FieldError {
    search.most.values().try_for_each(|&most| outstanding("most", most))?;
    let different: BTreeSet<Class> = search.classes.iter().copied().collect();
    if different.len() < search.classes.len() {
        return wrong("classes", "a load class appears twice");
    }
    at_most("others", search.others.len(), MAX_POINTS)?;
    search.others.iter().try_for_each(|&one| point(request, one))?;
    let share = search.share.map_or(0, |share| share.0);
    times(&[("settle", search.settle.0), ("measure", search.measure.0), ("share", share)])
}

fn of_rates(request: &Request, rates: &RateSearch, steps: usize) -> FieldError {
    point(request, rates.room)?;
    if let Some(rate) = [rates.lowest, rates.first, rates.most].into_iter().find(|rate| *rate > MAX_RATE) {
        return wrong("most", format!("a rate of {rate} is more than {MAX_RATE}"));
    }
    let parts = request.slo_parts();
    if let Some(others) =
        rates.points.as_ref().map(|points| points.others.len() + 1).filter(|all| *all != parts)
    {
        return wrong("points", format!("those of {others} loads where {parts} are searched"));
    }
    let named = rates.points.iter().flat_map(RatePoints::all).flat_map(RatePoints::steps);
    if let Some(step) = named.into_iter().find(|&step| step >= steps) {
        return wrong("points", format!("{step} is not a step of the plan"));
    }
    times(&[("settle", rates.settle.0), ("measure", rates.measure.0), ("share", rates.share.0)])
}

fn of_adaptive(adaptive: &AdaptivePlan, steps: usize) -> FieldError {
    within("parameters", of_parameters(&adaptive.parameters))?;
    if let Some(WarmUp::Time(time)) = adaptive.warm_up {
        times(&[("warm_up", time.0)])?;
    }
    at_most("phases", adaptive.phases.len(), MOST_PHASES)?;
    let mut seen = vec![false; steps];
    for (index, phase) in adaptive.phases.iter().enumerate() {
        let field = |name: &str| format!("phases[{index}].{name}");
        if phase.points.is_empty() {
            return wrong(field("points"), "a phase without points");
        }
        if let Some(own) = &phase.own {
            within("own", of_parameters(own))?;
        }
        for &point in &phase.points {
            match seen.get_mut(point) {
                None => return wrong(field("points"), format!("{point} is not a step of the plan")),
                Some(true) => return wrong(field("points"), format!("{point} appears twice")),
                Some(first) => *first = true,
            }
        }
        at_most(&field("pairs"), phase.pairs.len(), phase.points.len() / 2)?;
        if let Some(point) = phase.pairs.iter().flatten().find(|&&point| point >= steps) {
            return wrong(field("pairs"), format!("{point} is not a step of the plan"));
        }
        at_most(&field("long_visits"), phase.long_visits.len(), phase.points.len())?;
        for long in &phase.long_visits {
            if long.point >= steps {
                return wrong(field("long_visits"), format!("{} is not a step of the plan", long.point));
            }
            times(&[(&field("long_visits"), long.measure_ns)])?;
        }
    }
    Ok(())
}

fn of_parameters(parameters: &Parameters) -> FieldError {
    let target = parameters.target;
    if !(target > 0.0 && target <= WIDEST_TARGET) {
        return wrong("target", format!("{target} is not a relative half-width"));
    }
    let counts = [
        ("least_visits", parameters.least_visits),
        ("most_visits", parameters.most_visits),
        ("least_visits_few", parameters.least_visits_few),
    ];
    if let Some((field, count)) = counts.into_iter().find(|&(_, count)| count > MOST_VISITS) {
        return wrong(field, format!("{count} visits are more than {MOST_VISITS}"));
    }
    times(&[
        ("settle_ns", parameters.settle_ns),
        ("measure_ns", parameters.measure_ns),
        ("longest_measure_ns", parameters.longest_measure_ns),
        ("gap_ns", parameters.gap_ns),
        ("gap_few_ns", parameters.gap_few_ns),
        ("long_read_ns", parameters.long_read_ns),
        ("long_write_ns", parameters.long_write_ns),
        ("pause_ns", parameters.pause_ns),
        ("time_limit_ns", parameters.time_limit_ns.unwrap_or(0)),
    ])
}

fn of_visit(request: &Request, visit: &Visit) -> FieldError {
    point(request, visit.point)?;
    times(&[
        ("began_ns", visit.began_ns),
        ("settle_ns", visit.settle_ns),
        ("measured_ns", visit.measured_ns),
        ("loaded_ns", visit.loaded_ns),
        ("warm_up.ns", visit.warm_up.map_or(0, |done| done.ns)),
    ])?;
    if let Some(ios) = visit.ios {
        let all_came_back = ios.outstanding() == Some(0);
        if !all_came_back && (visit.hung.is_none() || ios.outstanding().is_none()) {
            return wrong("ios", format!("{} handed over, {} returned", ios.submitted, ios.returned));
        }
    }
    of_tallies(request, &visit.tallies, visit.measured_ns, visit.cut_short)?;
    for joined in visit.nodes.iter().filter_map(|node| node.joined.as_ref()) {
        times(&[("late_ns", joined.late_ns), ("round_trip_ns", joined.round_trip_ns)])?;
        if let Some(class) = joined.counted.keys().find(|class| request.class(**class).is_none()) {
            return wrong("joined", format!("the request has no class {class}"));
        }
    }
    for changed in visit.nodes.iter().map(|node| &node.changed) {
        at_most("io_max_changes", changed.io_max_changes.len(), LimitsChange::MOST)?;
        changed
            .io_max_changes
            .iter()
            .try_for_each(|change| times(&[("io_max_changes.at_ns", change.at_ns)]))?;
    }
    for witness in visit.nodes.iter().filter_map(|node| node.witness.as_ref()) {
        within("witness", times(&[("began_ns", witness.began_ns), ("at_ns", witness.ended_ns())]))?;
    }
    Ok(())
}

fn of_tallies(
    request: &Request,
    tallies: &PerClass<ClassTally>,
    measured_ns: u64,
    cut_short: bool,
) -> FieldError {
    tallies.iter().try_for_each(|(class, tally)| {
        let Some(load) = request.class(*class) else {
            return wrong(class.name(), "the request has no such class");
        };
        within(class.name(), of_tally(load, tally, measured_ns, cut_short))
    })
}

fn of_tally(load: &LoadClass, tally: &ClassTally, measured_ns: u64, cut_short: bool) -> FieldError {
    outstanding("planned", tally.planned)?;
    if tally.io_bytes == 0 && load.sizes != Sizes::None {
        return wrong("io_bytes", "an I/O of 0 bytes");
    }
    let most = tally.completed().saturating_mul(tally.io_bytes);
    if let Some(bytes) = tally.bytes.filter(|&bytes| bytes > most || !load.is_mixed()) {
        return wrong(
            "bytes",
            format!("{bytes} are not what {} I/Os of these sizes move", tally.completed()),
        );
    }
    times(&[("lead_ns", tally.lead_ns), ("longest_before_ns", tally.edges.longest_before_ns)])?;
    for (key, counts) in [("by_target", &tally.by_target), ("by_reader", &tally.by_reader)] {
        let Some(ByTarget { ops, errors, latency_sum_ns, longest_ns }) = counts.as_deref() else { continue };
        let others = [errors.len(), latency_sum_ns.len(), longest_ns.len()];
        if others.iter().any(|&len| len != ops.len()) || ops.len() > usize::from(u16::MAX) {
            return wrong(key, "its lists have different lengths, or are too long");
        }
    }
    at_most("early", tally.early.len(), MOST_PARTS)?;
    if !tally.early.is_sorted_by(|before, after| before.until_ns < after.until_ns) {
        return wrong("early", "its parts are not in time order");
    }
    let span_ns = tally.lead_ns.saturating_add(measured_ns);
    within("series", of_series(&tally.series, span_ns, cut_short))
}

/// A series has the buckets of its span. One that was cut short may end before the others.
fn of_series(series: &Series, span_ns: u64, cut_short: bool) -> FieldError {
    let Series { bucket_ns, ops, latency_sum_ns } = series;
    if *bucket_ns == 0 {
        return wrong("bucket_ns", "a bucket has no width");
    }
    at_most("ops", ops.len(), MOST_BUCKETS)?;
    if latency_sum_ns.len() != ops.len() {
        let reason = format!("it has {} buckets, ops {}", latency_sum_ns.len(), ops.len());
        return wrong("latency_sum_ns", reason);
    }
    let due = usize::try_from(span_ns.div_ceil(*bucket_ns)).unwrap_or(usize::MAX);
    if ops.len() > due || (ops.len() < due && !cut_short) {
        let (buckets, width) = (ops.len(), bucket_ns);
        return wrong("ops", format!("{buckets} buckets of {width} ns are not a series over {span_ns} ns"));
    }
    Ok(())
}
