//! The phases of a load: what was requested and served in each, and the verdict on all of them.
//!
//! Must not compute what the findings have.

use crate::view::View;
use crate::words::listed;
use rigel_core::judge::findings::{PointFindings, VisitFindings, VisitIo};
use rigel_core::load::class::{Class, PerClass};
use rigel_core::load::task::Task;
use rigel_core::record::Purpose;
use rigel_core::units::Nanos;
use rigel_core::units::say::{counted, number, time};
use schemars::JsonSchema;
use serde::Serialize;

/// With fewer I/Os, the 99th percentile is the slowest of them.
const LEAST_IOS: u64 = 100;
/// Phases that are named; the table has all.
const MOST_NAMED: usize = 3;

/// A phase that was measured.
#[derive(Clone, Copy)]
pub(crate) struct PhaseResult<'a> {
    /// Its number, from 0.
    pub number: u32,
    /// Its point.
    pub found: &'a PointFindings,
    /// Its visit.
    pub visit: &'a VisitFindings,
}

/// The measured phases of a run, in order; empty if the load has none.
pub(crate) fn measured<'a>(view: &'a View<'_>) -> Vec<PhaseResult<'a>> {
    if view.record.header.request.phases().is_empty() {
        return Vec::new();
    }
    let of_point = |found: &'a PointFindings| found.each_visit.iter().map(move |visit| (found, visit));
    let phase = |(found, visit): (&'a PointFindings, &'a VisitFindings)| match visit.purpose {
        Purpose::Phase(number) => Some(PhaseResult { number, found, visit }),
        _ => None,
    };
    let mut all: Vec<PhaseResult<'a>> =
        view.findings.points.iter().flat_map(of_point).filter_map(phase).collect();
    all.sort_by_key(|phase| phase.number);
    all
}

/// The phases of a run that visits them once; a soak, which repeats them for days, has its own text.
fn once<'a>(view: &'a View<'_>) -> Vec<PhaseResult<'a>> {
    if matches!(view.record.header.request.task, Task::Phases(_)) { measured(view) } else { Vec::new() }
}

impl PhaseResult<'_> {
    /// Whether what arrived was served; `None` if nothing arrives at a rate.
    pub fn is_served(&self) -> Option<bool> {
        let open = || self.visit.ios.values().filter_map(|io| io.open);
        open().next()?;
        let failed = self.visit.ios.values().any(|io| io.open.is_some() && io.errors > 0);
        Some(!failed && !open().any(|open| open.is_overload))
    }

    /// I/Os per second that were requested and served, of what arrives at a rate.
    fn rates(&self) -> (f64, f64) {
        let open = || self.visit.ios.iter().filter(|(_, io)| io.open.is_some());
        let asked: f64 = open().map(|(class, _)| f64::from(self.visit.point.of(*class))).sum();
        (asked, open().map(|(_, io)| io.iops).sum())
    }

    /// The class with the longest p99.
    fn slowest(&self) -> Option<(Class, f64)> {
        let all = self.visit.ios.iter().filter(|(_, io)| io.ios >= LEAST_IOS);
        let all = all.filter_map(|(class, io)| Some((*class, io.p99_us?)));
        all.max_by(|one, other| one.1.total_cmp(&other.1))
    }

    /// Its number, counted from 1.
    fn shown(&self) -> u32 {
        self.number.saturating_add(1)
    }
}

/// Whether the phases were served, and the longest p99; `None` if no phase has anything that arrives at a rate.
pub(crate) fn verdict(view: &View<'_>) -> Option<String> {
    let all = once(view);
    let asked = view.record.header.request.phases().len();
    let judged: Vec<(&PhaseResult<'_>, bool)> =
        all.iter().filter_map(|phase| Some((phase, phase.is_served()?))).collect();
    if judged.is_empty() {
        return None;
    }
    let failed: Vec<&PhaseResult<'_>> = judged.iter().filter(|one| !one.1).map(|one| one.0).collect();
    let of_all = if all.len() < asked { format!(" of {asked}") } else { String::new() };
    // Phases in which nothing arrives at a rate have none to be served at.
    let with_rate = if judged.len() < all.len() { " with a rate" } else { "" };
    let phases = match (judged.len(), all.len() < asked) {
        (1, false) => format!("The phase{with_rate}"),
        (2, false) => format!("Both phases{with_rate}"),
        (count, false) => format!("All {count} phases{with_rate}"),
        (count, true) => format!("The {}{of_all}{with_rate} that were measured", counted(count, "phase")),
    };
    let first = if failed.is_empty() {
        let was = if judged.len() == 1 { "was" } else { "were" };
        format!("{phases} {was} served at the rates asked for")
    } else {
        let named: Vec<String> = failed.iter().take(MOST_NAMED).map(|phase| short_of(phase)).collect();
        let more = failed.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let count = if failed.len() == 1 { "One".to_owned() } else { failed.len().to_string() };
        let of = if judged.len() == 1 {
            with_rate.replacen(" with", " phase with", 1)
        } else {
            format!(" of {}{with_rate}", counted(judged.len(), "phase"))
        };
        let was = if failed.len() == 1 { "was" } else { "were" };
        format!("{count}{of} {was} not served at the rates asked for: {}{more}", listed(&named))
    };
    let is_well = |phase: &&PhaseResult<'_>| failed.iter().all(|other| other.number != phase.number);
    let slowest = all.iter().filter(is_well).filter_map(|phase| Some((phase, phase.slowest()?)));
    let slowest = slowest.max_by(|one, other| one.1.1.total_cmp(&other.1.1));
    let slowest = slowest.map_or_else(String::new, |(phase, (class, us))| {
        let others = if failed.is_empty() { "" } else { " of the others" };
        format!("; the longest p99{others} was {}, of {class} in phase {}", time(us), phase.shown())
    });
    Some(format!("{first}{slowest}."))
}

/// `phase 7 with 3,912 of 5,000 I/Os per second`
fn short_of(phase: &PhaseResult<'_>) -> String {
    let (asked, served) = phase.rates();
    format!("phase {} with {} of {} I/Os per second", phase.shown(), number(served.round()), number(asked))
}

/// A phase of a load, measured once.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Phase")]
pub(crate) struct PhaseDocument {
    /// Its number in the load, from 0.
    number: u32,
    /// Its intended length in seconds.
    for_s: f64,
    /// Seconds that its figures are from.
    measured_s: f64,
    /// The user or an error ended it early.
    cut_short: bool,
    /// Whether all arrivals were served; null where nothing arrives at a rate.
    served: Option<bool>,
    /// The squared coefficient of variation of the times between arrivals, if the phase defines it; otherwise null, and the classes define it.
    spread: Option<f64>,
    /// What each class did.
    classes: PerClass<PhaseIo>,
}

/// One class in one phase.
#[derive(Debug, Serialize, JsonSchema)]
struct PhaseIo {
    /// The requested load: arrivals per second, or the unit of its load level.
    asked: u32,
    /// Arrivals per second, as they occurred by chance; null in a closed loop.
    arrived_per_s: Option<f64>,
    /// I/Os per second that were served.
    served_per_s: f64,
    /// Mean latency in microseconds, from the intended start; null when nothing completed.
    mean_us: Option<f64>,
    /// The median.
    p50_us: Option<f64>,
    /// The 99th percentile.
    p99_us: Option<f64>,
}

/// The documents of all phases.
pub(crate) fn documents(view: &View<'_>) -> Vec<PhaseDocument> {
    let phases = view.record.header.request.phases();
    let of = |one: &PhaseResult<'_>| {
        let asked = usize::try_from(one.number).ok().and_then(|number| phases.get(number));
        let io = |(class, io): (&Class, &VisitIo)| (*class, PhaseIo::of(one.visit.point.of(*class), io));
        PhaseDocument {
            number: one.number,
            for_s: asked.map_or(0.0, |phase| phase.time.seconds()),
            measured_s: Nanos(one.visit.measured_ns).seconds(),
            cut_short: one.visit.cut_short,
            served: one.is_served(),
            spread: asked.and_then(|phase| Some(phase.shape?.spread())),
            classes: one.visit.ios.iter().map(io).collect(),
        }
    };
    once(view).iter().map(of).collect()
}

impl PhaseIo {
    fn of(asked: u32, io: &VisitIo) -> Self {
        Self {
            asked,
            arrived_per_s: io.open.map(|open| open.arrived_per_s),
            served_per_s: io.iops,
            mean_us: io.latency_us,
            p50_us: io.p50_us,
            p99_us: io.p99_us,
        }
    }
}
