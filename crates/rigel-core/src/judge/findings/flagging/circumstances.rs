//! Flags from what was watched during the load: other programs on the host and the device, and Rigel's own CPU time.
//!
//! Disturbed visits are kept and marked: what disturbs a calibration disturbs a database, too. Must not leave visits out.

use super::words::course;
use crate::facts::engine::EngineKind;
use crate::judge::findings::estimate::{PhaseJudgement, used};
use crate::judge::findings::visits;
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::classes;
use crate::load::class::LoadClass;
use crate::load::engine::EngineRequest;
use crate::measure::Window;
use crate::record::{Record, Visit};
use crate::units::say::in_percent;
use crate::units::to_f64;
use crate::witness::{
    Disturbance, ResidualCorrelation, WitnessedVisit, foreign_cores, host_limited, own_cores,
    residual_correlation,
};
use std::collections::{BTreeMap, BTreeSet};

/// The part of a number that is as large as the usual precision.
pub const MATTERS: f64 = 0.05;
/// From this part of all CPUs on there is barely any left.
const NO_CPU_LEFT: f64 = 0.85;
/// More of the CPU time than threads other than the workers usually take.
const MUCH_HANDED_OVER: f64 = 0.3;
/// A correlation that arises by chance this often is not reported.
const SIGNIFICANCE: f64 = 0.01;

/// The flags of a point; `visits` are those behind its figures, `flags` what is known about it already.
pub fn of_point(record: &Record, visits: &[&Visit], flags: &[Flag]) -> Vec<Flag> {
    let has = |code| flags.iter().any(|flag| flag.code == code);
    let (is_overloaded, is_behind) = (has(FlagCode::Overload), has(FlagCode::PacingLate));
    // Who keeps times exactly looks at the clock instead of sleeping; whether that sufficed is told by its lag. Where more
    // arrives than it can begin there is no time to wait for.
    let paces = visits.iter().flat_map(|visit| visit.tallies.values()).any(|tally| tally.open.is_some());
    let busy = match (paces, is_overloaded) {
        (true, false) => None,
        (true, true) if is_behind || most_waited(visits) => busy(record, visits).map(Flag::invalidating),
        (true, true) => None,
        (false, _) => busy(record, visits),
    };
    let found = [foreign(record, visits), busy, engine_limited(record, visits)];
    found.into_iter().flatten().collect()
}

/// Whether most arrivals had no slot: a busy worker does not look at the clock.
fn most_waited(visits: &[&Visit]) -> bool {
    let open =
        || visits.iter().flat_map(|visit| visit.tallies.values()).filter_map(|tally| tally.open.as_ref());
    let waited: u64 = open().map(|open| open.waited.saturating_add(open.left)).sum();
    let arrived: u64 = open().map(|open| open.arrived).sum();
    waited > arrived / 2
}

/// For each kind of disturbance, how many visits had it, and its figures in the worst of these. The interval already includes
/// the differences between visits; what remains is how far their mean can be off, and if that is negligible it is a note.
fn foreign(record: &Record, visits: &[&Visit]) -> Option<Flag> {
    let mut kinds: BTreeMap<usize, (usize, Disturbance)> = BTreeMap::new();
    let mut effects = 0.0;
    for visit in visits {
        let (disturbances, effect) = visits::foreign(&record.header, visit).unwrap_or_default();
        effects += effect;
        for disturbance in disturbances {
            let (kind, size) = kind(&disturbance);
            let known = kinds.entry(kind).or_insert((0, disturbance));
            known.0 += 1;
            if size > self::kind(&known.1).1 {
                known.1 = disturbance;
            }
        }
    }
    let text = |(count, worst): (usize, Disturbance)| match visits.len() {
        1 => worst.to_string(),
        all => format!("in {count} of {all} visits {worst}"),
    };
    let texts: Vec<String> = kinds.into_values().map(text).collect();
    let effect = effects / to_f64(visits.len().max(1) as u64);
    (!texts.is_empty()).then(|| match matters(record) {
        least if effect > least => Flag::new(FlagCode::Foreign, texts.join("; ")),
        _ => small(&texts.join("; "), effect),
    })
}

/// The largest part of the mean over visits that other programs can have taken; 0 if nothing watched.
pub fn effect(record: &Record, visits: &[&Visit]) -> f64 {
    let effects = visits.iter().map(|visit| visits::foreign(&record.header, visit).map_or(0.0, |one| one.1));
    effects.sum::<f64>() / to_f64(visits.len().max(1) as u64)
}

/// Other programs whose effect is too small to cast doubt on a number.
fn small(text: &str, effect: f64) -> Flag {
    let text = format!("{text}; effect on the mean: {} at most", in_percent(effect));
    Flag::new(FlagCode::Foreign, text).noting()
}

/// The part of a number above which a disturbance matters: the requested precision, if that is less.
fn matters(record: &Record) -> f64 {
    let aim = record.header.plan.adaptive.as_ref().map(|plan| plan.parameters.target);
    aim.map_or(MATTERS, |aim| aim.min(MATTERS))
}

/// A number for each kind, and the size of a disturbance among those of its kind.
fn kind(disturbance: &Disturbance) -> (usize, f64) {
    match disturbance {
        Disturbance::Cpu(measured) => (0, measured.mean),
        Disturbance::Steal(measured) => (1, measured.mean),
        Disturbance::Waiting(measured) => (2, measured.mean),
        Disturbance::Io(io) => (3, io.foreign_mbps()),
    }
}

/// The window of a visit.
pub(super) const fn window(visit: &Visit) -> Window {
    Window { start_ns: visit.began_ns, end_ns: visit.began_ns.saturating_add(visit.measured_ns) }
}

/// The cores that other programs used on all nodes together; `None` if no node was watched.
fn of_all_nodes(visit: &Visit) -> Option<f64> {
    let witnesses = visit.nodes.iter().filter_map(|node| node.witness.as_ref());
    witnesses.filter_map(|witness| foreign_cores(witness, window(visit))).reduce(|sum, more| sum + more)
}

/// Visits in which a worker, or all of them together, had no CPU time left. The engines without storage exist to show exactly that, and
/// a polling worker is always busy.
pub(super) fn busy(record: &Record, visits: &[&Visit]) -> Option<Flag> {
    let engine = &record.header.nodes.first().engine;
    if engine.kind.is_without_storage() || engine.polled {
        return None;
    }
    let cpus: u32 = record.header.nodes.all().iter().map(|node| node.host.cpus).sum();
    let of_one = |visit: &&Visit| host_limited(visit.busiest_worker_cpu_ns?, visit.loaded_ns);
    // Many workers share the CPUs, and none of them uses much.
    let of_all = |visit: &&Visit| {
        let whole_ns = visit.loaded_ns.saturating_mul(u64::from(cpus.max(1)));
        // Records of before do not say how long the load was.
        host_limited(visit.worker_cpu_ns.filter(|_| whole_ns > 0)?, whole_ns)
    };
    let told = |shares: Vec<f64>, (who, cpus): (&str, &str)| {
        let most = shares.iter().copied().reduce(f64::max)?;
        let text = format!(
            "{} of {} visits: {who} used {:.0} % of {cpus}; the host was the limit, not the storage",
            shares.len(),
            visits.len(),
            100.0 * most
        );
        Some(Flag::new(FlagCode::HostLimited, text))
    };
    told(visits.iter().filter_map(of_one).collect(), ("the busiest worker", "a CPU")).or_else(|| {
        let all = if cpus == 1 { "the only CPU".to_owned() } else { format!("the {cpus} CPUs") };
        told(visits.iter().filter_map(of_all).collect(), ("all workers together", &all))
    })
}

/// The CPUs, if a thread waits for each I/O and some visit left no CPU time.
pub(super) fn shared_cpus(record: &Record, visits: &[&Visit]) -> Option<u32> {
    let [node] = record.header.nodes.all() else { return None };
    let has_threads = matches!(node.engine.kind, EngineKind::Sync | EngineKind::Threads);
    let is_full = |visit: &&Visit| {
        let witness = visit.nodes.first().and_then(|node| node.witness.as_ref());
        let used = witness.and_then(|witness| {
            Some(own_cores(witness, window(visit))? + foreign_cores(witness, window(visit)).unwrap_or(0.0))
        });
        used.is_some_and(|used| used > NO_CPU_LEFT * f64::from(node.host.cpus.max(1)))
    };
    let is_limited = || busy(record, visits).is_some() || visits.iter().any(is_full);
    (has_threads && is_limited()).then_some(node.host.cpus)
}

/// Visits in which no CPU time was left, and much of it was not that of workers. If the driver of the storage cannot answer without waiting, a
/// ring hands each I/O to a thread of the kernel and back; the engine of threads does so with every I/O. Not if
/// trials have shown that no other engine is faster.
fn engine_limited(record: &Record, visits: &[&Visit]) -> Option<Flag> {
    let engine = &record.header.nodes.first().engine;
    let handed_to = match engine.kind {
        EngineKind::IoUring => "kernel threads to which io_uring handed the I/Os",
        EngineKind::Threads => "the threads to which the engine handed the I/Os",
        _ => return None,
    };
    let is_settled = engine.trials.as_ref().is_some_and(|trials| trials.trials.len() > 1);
    let may_be = !engine.polled && !is_settled;
    // Of several nodes the workers of all are one sum.
    let [node] = record.header.nodes.all() else { return None };
    // The threads of the kernel run where the worker may whose ring it is.
    let bound: BTreeSet<u32> = engine.cpus.iter().copied().collect();
    let cpus = if bound.is_empty() { node.host.cpus } else { u32::try_from(bound.len()).unwrap_or(u32::MAX) };
    let share = |visit: &&Visit| {
        // The processes of a database are Rigel's own, too, and no ring of a worker's.
        let witness = visit.nodes.first().filter(|node| node.server.is_none())?.witness.as_ref()?;
        let own = own_cores(witness, window(visit)).filter(|_| visit.loaded_ns > 0)?;
        let workers = to_f64(visit.worker_cpu_ns?) / to_f64(visit.loaded_ns.max(1));
        handed_over([own, workers], cpus)
    };
    let shares: Vec<f64> = visits.iter().filter(|_| may_be).filter_map(share).collect();
    let most = shares.iter().copied().reduce(f64::max)?;
    let text = format!(
        "{} of {} visits: Rigel's CPUs were fully used, {:.0} % of that by {handed_to}",
        shares.len(),
        visits.len(),
        100.0 * most
    );
    Some(Flag::new(FlagCode::EngineLimited, text))
}

/// An engine that the user chose, and that trials before the run showed to be slower than another on this target. I/O that arrives at a rate needs
/// no more than the rate; whether it was late has its own flags.
pub(super) fn slower_engine(record: &Record) -> Option<Flag> {
    let engine = &record.header.nodes.first().engine;
    let request = &record.header.request;
    let is_full = !request.classes.iter().all(LoadClass::is_open);
    let is_chosen = is_full && matches!(request.engine, EngineRequest::Only(_));
    let trials = engine.trials.as_ref().filter(|_| is_chosen)?;
    let faster = trials.faster_than(engine.kind)?;
    let text = format!("{}; --engine {} shows more of the storage", trials.sentence(), faster.engine.name());
    Some(Flag::new(FlagCode::EngineLimited, text))
}

/// The part of the CPU time of a process that was not its workers', from `own` and `workers` in cores; `None` if it is small or CPU time was left.
fn handed_over([own, workers]: [f64; 2], cpus: u32) -> Option<f64> {
    let share = 1.0 - workers / own;
    (own > NO_CPU_LEFT * f64::from(cpus.max(1)) && share > MUCH_HANDED_OVER).then_some(share)
}

/// Whether visits were slower the more CPU time other programs used, over a whole phase.
pub fn of_phase(phase: &PhaseJudgement<'_>) -> Option<Flag> {
    let visits = used(&phase.visits, Some(phase));
    let rate = |visit: &Visit| {
        let (_, tally) = classes(visit).next()?;
        Some(to_f64(tally.completed()) / to_f64(visit.measured_ns.max(1)))
    };
    let mut means: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for (step, rate) in visits.iter().filter_map(|visit| Some((visit.step, rate(visit)?))) {
        let sum = means.entry(step).or_default();
        *sum = (sum.0 + rate, sum.1 + 1.0);
    }
    let witnessed = |visit: &&Visit| {
        let (sum, count) = means.get(&visit.step)?;
        Some(WitnessedVisit {
            point: visit.step,
            foreign_cores: of_all_nodes(visit)?,
            residual: rate(visit)? / (sum / count) - 1.0,
        })
    };
    let found = residual_correlation(&visits.iter().filter_map(witnessed).collect::<Vec<_>>())?;
    (found.p < SIGNIFICANCE && found.per_core < 0.0).then(|| Flag::new(FlagCode::Foreign, slower(&found)))
}

/// What the visits show, within their range: the effect of a whole core is unknown from part of one.
fn slower(found: &ResidualCorrelation) -> String {
    let cores = found.range_cores.min(1.0);
    format!(
        "visits slowed as other programs used more CPU: with {cores:.2} more cores the rate {} (correlation \
         {:.2} over {} visits)",
        course(found.per_core * cores),
        found.r,
        found.visits
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_not_followed_beyond_the_visits() {
        let told = |per_core, range_cores| {
            slower(&ResidualCorrelation { per_core, range_cores, r: -0.8, p: 0.001, visits: 40 })
        };
        for (per_core, range_cores, text) in [
            (-2.88, 0.1, "with 0.10 more cores the rate changed by -29 % of its mean ("),
            (-0.2, 2.5, "with 1.00 more cores the rate changed by -20 % of its mean ("),
            (-2.88, 0.5, "with 0.50 more cores the rate became 6.1 times slower ("),
        ] {
            assert!(told(per_core, range_cores).contains(text), "{}", told(per_core, range_cores));
        }
    }

    #[test]
    fn the_engine_is_the_limit_only_where_no_cpu_is_left_and_much_was_handed_over() {
        let share = handed_over([1.9, 0.6], 2).unwrap();
        assert!((share - 0.684).abs() < 0.001, "{share}");
        assert_eq!(handed_over([1.9, 1.8], 2), None, "the workers did it");
        assert_eq!(handed_over([1.2, 0.3], 2), None, "there is CPU time left, so the device is waited for");
        assert_eq!(handed_over([1.9, 0.6], 4), None, "of four CPUs two are idle");
        assert_eq!(handed_over([0.0, 0.0], 2), None);
    }
}
