//! Rebuilds of arrays, from the marks of the host, and what they cost the load. Must not look at the host.

use super::{Figures, ThroughFindings, level};
use rigel_core::facts::states::{StateChange, StateKind, SyncProgress};
use rigel_core::load::through::Span;
use rigel_core::record::{Mark, MarkContent};
use rigel_core::stats::{Basis, Estimate, Interval};
use rigel_core::units::{NS_PER_S, to_f64};

/// Bytes of a sector in sysfs.
const SECTOR: f64 = 512.0;
/// The host is checked so often: a moment is known to that.
const LOOK_NS: u64 = NS_PER_S;
/// A rebuild that ends with at least this share counts as complete.
const NEARLY: f64 = 0.9;
/// What an idle array reports.
const AT_REST: [&str; 2] = ["idle", "frozen"];

/// A rebuild.
#[derive(Clone, Debug)]
pub struct Rebuild {
    /// The array.
    pub device: String,
    /// Its action: `recover`, `resync`, ...; `None` if it was already running when the load began.
    pub action: Option<String>,
    /// When it was first seen, on the clock of the run.
    pub began_ns: u64,
    /// When it was over; `None` if it never was.
    pub ended_ns: Option<u64>,
    /// The completed share when it was last seen.
    pub share: Option<f64>,
    /// Bytes per second.
    pub rate: Option<Estimate>,
    /// Its cost to the load; `None` if no interval lies in it, or there is no level without a rebuild.
    pub cost: Option<RebuildCost>,
}

/// The load during a rebuild over the load before anything happened.
#[derive(Clone, Copy, Debug)]
pub struct RebuildCost {
    /// Of its rate.
    pub rate: Estimate,
    /// Of its mean latency.
    pub latency: Option<Estimate>,
}

/// The rebuilds that the marks of a run report.
pub fn all(found: &ThroughFindings) -> Vec<Rebuild> {
    let mut rebuilds: Vec<Rebuild> = Vec::new();
    let mut points: Vec<Vec<(u64, SyncProgress)>> = Vec::new();
    for Mark { run_ns, marked, .. } in &found.marks {
        let MarkContent::Host(change) = marked else { continue };
        let open = rebuilds.iter().rposition(|one| one.device == change.device && one.ended_ns.is_none());
        let begins = begins(change);
        match (open, change.kind) {
            (None, StateKind::SyncAction | StateKind::SyncCompleted) if begins => {
                let action =
                    change.to.clone().filter(|_| change.kind == StateKind::SyncAction && !change.is_old());
                rebuilds.push(begun(change.device.clone(), action, *run_ns));
                points.push(progress(change).map(|one| (*run_ns, one)).into_iter().collect());
            }
            (Some(at), StateKind::SyncAction) if !begins => rebuilds[at].ended_ns = Some(*run_ns),
            // It began between the looks at the one file and at the other.
            (Some(at), StateKind::SyncAction) if is_at_rest(change.from.as_deref()) => {
                rebuilds[at].action = rebuilds[at].action.take().or_else(|| change.to.clone());
            }
            (Some(at), StateKind::SyncCompleted) => {
                points[at].extend(progress(change).map(|one| (*run_ns, one)))
            }
            _ => {}
        }
    }
    // One that went on already is a part of the level before.
    let has_level = rebuilds.iter().all(|one| one.action.is_some());
    for (rebuild, points) in rebuilds.iter_mut().zip(points) {
        finish(rebuild, points, found);
        rebuild.cost = rebuild.cost.filter(|_| has_level);
    }
    rebuilds
}

fn begun(device: String, action: Option<String>, began_ns: u64) -> Rebuild {
    Rebuild { device, action, began_ns, ended_ns: None, share: None, rate: None, cost: None }
}

fn begins(change: &StateChange) -> bool {
    match change.kind {
        StateKind::SyncAction => change.to.is_some() && !is_at_rest(change.to.as_deref()),
        _ => progress(change).is_some(),
    }
}

fn is_at_rest(action: Option<&str>) -> bool {
    action.is_some_and(|action| AT_REST.contains(&action))
}

fn progress(change: &StateChange) -> Option<SyncProgress> {
    SyncProgress::read(change.to.as_deref()?).filter(|_| change.kind == StateKind::SyncCompleted)
}

fn finish(rebuild: &mut Rebuild, mut points: Vec<(u64, SyncProgress)>, found: &ThroughFindings) {
    // What was nearly done when it was over had done all of it; anything else was ended before.
    if let (Some(ended_ns), Some(last)) = (rebuild.ended_ns, points.last().map(|(_, last)| *last))
        && is_done(&points, ended_ns)
    {
        points.push((ended_ns, SyncProgress { done: last.all, ..last }));
    }
    rebuild.share = points.last().map(|(_, last)| to_f64(last.done) / to_f64(last.all));
    rebuild.rate = speed(&points);
    let end_ns = rebuild.ended_ns.unwrap_or(u64::MAX);
    let own: Vec<&Figures> = found
        .course
        .iter()
        .filter(|one| one.began_ns >= rebuild.began_ns && one.ended_ns <= end_ns)
        .collect();
    rebuild.cost = cost(&own, found);
}

/// Whether it would be complete by then at its speed so far.
fn is_done(points: &[(u64, SyncProgress)], ended_ns: u64) -> bool {
    let Some(((from_ns, from), (to_ns, to))) = points.first().zip(points.last()) else { return false };
    let (done, ns) = (to.done.saturating_sub(from.done), to_ns.saturating_sub(*from_ns));
    let per_ns = if ns == 0 { 0.0 } else { to_f64(done) / to_f64(ns) };
    let more = per_ns * to_f64(ended_ns.saturating_sub(*to_ns).saturating_add(LOOK_NS));
    to_f64(to.done) + more >= NEARLY * to_f64(to.all)
}

/// From the first to the last reading; each time is known to a second.
fn speed(points: &[(u64, SyncProgress)]) -> Option<Estimate> {
    let ((from_ns, from), (to_ns, to)) = (*points.first()?, *points.last()?);
    let (bytes, ns) = (SECTOR * to_f64(to.done.checked_sub(from.done)?), to_ns.checked_sub(from_ns)?);
    if ns == 0 || bytes <= 0.0 {
        return None;
    }
    let per_s = |ns: u64| bytes / (to_f64(ns) / to_f64(NS_PER_S));
    if ns <= 2 * LOOK_NS {
        return Some(Estimate::bare(per_s(ns)));
    }
    let (lo95, hi95, mean) = (per_s(ns + LOOK_NS), per_s(ns - LOOK_NS), per_s(ns));
    let interval =
        Interval { mean, lo95, hi95, relative_half_width: hi95 / mean - 1.0, visits: points.len(), df: 1.0 };
    Some(Estimate::of(interval, Basis::OneVisit))
}

fn cost(own: &[&Figures], found: &ThroughFindings) -> Option<RebuildCost> {
    let before = found.level(Span::Before)?;
    let rate = level::estimate(own, |part| Some(level::rate(part)))?;
    let mean = level::estimate(own, |part| level::merged(part).mean_ns().map(rigel_core::units::us_from_ns));
    let latency = mean.zip(before.mean_us).and_then(|(mean, before)| ratio(mean, before));
    Some(RebuildCost { rate: ratio(rate, before.rate)?, latency })
}

/// A ratio of two means that know nothing of each other.
fn ratio(of: Estimate, over: Estimate) -> Option<Estimate> {
    let value = of.value / over.value;
    if !value.is_finite() || value <= 0.0 {
        return None;
    }
    let (Some(mine), Some(theirs)) = (of.interval, over.interval) else { return Some(Estimate::bare(value)) };
    let half = mine.relative_half_width.hypot(theirs.relative_half_width);
    let (visits, df) = (mine.visits.min(theirs.visits), mine.df.min(theirs.df));
    Some(Estimate::of(Interval::geometric(value.ln(), half.ln_1p(), visits, df), Basis::OneVisit))
}
