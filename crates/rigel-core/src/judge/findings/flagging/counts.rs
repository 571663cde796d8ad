//! Flags from what was counted: wrong and missing data, failures, queues that were not filled, Little's law, buffers.
//!
//! Must not compare visits with one another.

use super::circumstances;
use crate::facts::engine::EngineKind;
use crate::judge::findings::{IoFindings, PointFindings, nodes};
use crate::judge::flags::{self, Flag, FlagCode};
use crate::judge::wrong_data;
use crate::load::class::Figure;
use crate::load::plan::Plan;
use crate::measure::FirstError;
use crate::path_text;
use crate::record::{Header, Purpose, Record, Visit};
use crate::units::{Nanos, to_f64};

/// If a larger share of the I/Os failed, the rate of the others says nothing about the storage: a failed I/O returns earlier or later than a
/// served one, and the others get the time that it leaves.
const MOST_FAILED: f64 = 0.005;

/// The flags of a point; `visits` are all visits to it.
pub fn of_point(record: &Record, visits: &[&Visit], point: &PointFindings) -> Vec<Flag> {
    let mut found = Vec::new();
    let cut = cut_short(record, visits);
    let is_cut = cut.is_some();
    // Where a class had no time for a single I/O, nobody has to look for a fault.
    let is_empty = |(_, io): (_, &IoFindings)| completed(io) == 0 && io.first_error.is_none();
    let has_nothing = point.classes().any(is_empty);
    found.extend(cut.map(|flag| if has_nothing { flag.invalidating() } else { flag }));
    let warm_ups = visits.iter().filter_map(|visit| visit.warm_up);
    let failures = warm_ups.map(|done| done.failures).fold(0, u64::saturating_add);
    if failures > 0 {
        found.push(Flag::new(FlagCode::Errors, format!("warm-up: {failures} I/Os failed")));
    }
    let hung = visits.iter().filter_map(|visit| nodes::hung(&record.header, visit));
    let hung: Vec<Flag> = hung.map(|text| Flag::new(FlagCode::Hung, text).invalidating()).collect();
    // What hangs has no latency yet, and says all that rate and latency could.
    let is_hung = !hung.is_empty();
    found.extend(hung);
    // A worker that has one I/O of its own has none in flight while it counts the last one.
    let has_pauses = record.header.nodes.first().engine.kind == EngineKind::Sync;
    let may_be_short = has_pauses || circumstances::busy(record, visits).is_some();
    for (class, io) in point.classes() {
        let verified = wrong_data::counts(visits.iter().copied(), Some(class));
        found.extend(
            wrong_data::sentence(&record.header.targets, &verified)
                .map(|text| Flag::new(FlagCode::WrongData, format!("{}: {text}", io.load.title()))),
        );
        let flags = class_flags(&record.header, &io.load.title(), io, (point, may_be_short));
        let is_of_end = |flag: &Flag| is_cut && flag.code == FlagCode::NoData && io.first_error.is_none();
        let follows = |flag: &Flag| is_hung && flag.code == FlagCode::Little;
        found.extend(flags.into_iter().filter(|flag| !is_of_end(flag) && !follows(flag)));
    }
    found
}

/// A visit that the end of the run cut short; a point with other visits loses nothing.
fn cut_short(record: &Record, visits: &[&Visit]) -> Option<Flag> {
    let [visit] = visits else {
        return None;
    };
    let text = format!(
        "measured {:.2} s of {}",
        Nanos(visit.measured_ns).seconds(),
        planned(&record.header.plan, visit)?
    );
    visit.cut_short.then(|| Flag::new(FlagCode::CutShort, text))
}

/// The planned length of a visit: a long visit has its own.
fn planned(plan: &Plan, visit: &Visit) -> Option<Nanos> {
    let phases = plan.adaptive.iter().flat_map(|adaptive| &adaptive.phases);
    let mut long_visits = phases.flat_map(|phase| &phase.long_visits);
    match visit.purpose {
        Purpose::Long => long_visits.find(|long| long.point == visit.step).map(|long| Nanos(long.measure_ns)),
        _ => plan.steps.get(visit.step).map(|step| step.measure),
    }
}

fn completed(io: &IoFindings) -> u64 {
    io.reads.count().saturating_add(io.writes.count())
}

/// `may_be_short`: the host, or the engine, has a reason for fewer in flight than planned.
fn class_flags(
    header: &Header,
    name: &str,
    io: &IoFindings,
    (point, may_be_short): (&PointFindings, bool),
) -> Vec<Flag> {
    let mut found = Vec::new();
    let completed = completed(io);
    if completed == 0 {
        found.push(Flag::new(FlagCode::NoData, format!("{name}: no I/O completed")).invalidating());
    }
    if let Some(error) = io.first_error {
        let failed = nodes::failed(&point.nodes, io.load.name);
        let flag = Flag::new(FlagCode::Errors, errors_text(header, name, io.errors, error) + &failed);
        let all = io.errors.saturating_add(completed);
        let is_rate = to_f64(io.errors) <= MOST_FAILED * to_f64(all);
        found.push(if is_rate { flag } else { flag.invalidating() });
    }
    let is_open = io.load.is_open();
    if !is_open && flags::queue_not_filled(io.mean_outstanding, io.planned_outstanding) {
        let text = format!(
            "{name}: {:.2} of {} planned were in flight",
            io.mean_outstanding, io.planned_outstanding
        );
        let flag = Flag::new(FlagCode::QueueNotFilled, text);
        // A worker for each I/O, and most of them waited for a CPU: that is no figure of so many outstanding.
        let is_other_load = header.nodes.first().engine.kind == EngineKind::Sync
            && io.mean_outstanding < 0.5 * f64::from(io.planned_outstanding);
        found.push(if is_other_load { flag.invalidating() } else { flag });
    }
    if !is_open {
        found.extend(little_flag(name, io, (point, may_be_short)));
    }
    if io.load.figure == Figure::Mbps {
        found.extend(buffers_flag(header));
    }
    found
}

/// Rate and latency against the number outstanding. A slot of verified blocks waits until its data has been checked before it is reused, and a
/// slot of a worker without CPU time waits for that: then only what was in flight counts. `QUEUE_NOT_FILLED` reports that fewer were in flight than
/// planned.
fn little_flag(name: &str, io: &IoFindings, (point, may_be_short): (&PointFindings, bool)) -> Option<Flag> {
    let planned = io.planned_outstanding;
    let is_short = may_be_short && flags::queue_not_filled(io.mean_outstanding, planned);
    let (outstanding, of) = if io.load.verify || is_short {
        (io.mean_outstanding, format!("{:.2} in flight", io.mean_outstanding))
    } else {
        (f64::from(planned), format!("{planned} outstanding"))
    };
    let ratio = flags::little(io.occupancy, point.seconds, outstanding)?;
    // An I/O that fails takes its time, too, has no latency that could count, and keeps one slot at most from the
    // others.
    if ratio < 1.0 && (1.0 - ratio) * outstanding <= to_f64(io.errors) {
        return None;
    }
    let text = format!("{name}: rate x latency is {ratio:.3} of {of}");
    let flag = Flag::new(FlagCode::Little, text);
    Some(if flags::little_is_invalid(ratio) { flag.invalidating() } else { flag })
}

fn buffers_flag(header: &Header) -> Option<Flag> {
    let segments = header.nodes.first().buffers.large_segments_max.filter(|&segments| segments > 1)?;
    let text = format!(
        "large buffers lie in up to {segments} physical pieces: the rate may be up to 3 times too low"
    );
    Some(Flag::new(FlagCode::Buffers, text))
}

fn errors_text(header: &Header, name: &str, errors: u64, first: FirstError) -> String {
    let target = header.targets.get(usize::from(first.target)).map_or("?", |target| target.path.as_str());
    let direction = first.direction.name();
    format!(
        "{name}: {errors} failed; the first, a {direction} at byte {} of {}, {}",
        first.offset,
        path_text::printable(target),
        first.reason()
    )
}
