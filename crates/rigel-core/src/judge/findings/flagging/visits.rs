//! Flags from comparisons between visits: outliers, groups, slow noise, drift, settling.
//!
//! Must not look inside a visit.

use super::words::{course, rate};
use crate::judge::findings::PointFindings;
use crate::judge::findings::estimate::PhaseJudgement;
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, LoadClass};
use crate::load::plan::AdaptivePlan;
use crate::record::{Record, Visit};
use crate::stats::detect::TimedVisit;
use crate::stats::detect::bimodal::{TwoGroups, two_groups};
use crate::stats::detect::drift::{RunDrift, drift};
use crate::stats::detect::rare::{RareSpell, rare_spells};
use crate::stats::detect::slow_noise::{RankCorrelation, slow_noise};
use crate::stats::interval::unseen_share;
use crate::stats::parameters::FEW_POINTS;
use crate::stats::sample::mean;
use crate::stats::variance::{PointVisits, outlying, outlying_limit};
use crate::units::say::{in_percent, listed, rate_change, rough_time, span};
use crate::units::{Nanos, iops, to_f64};
use std::collections::BTreeSet;

/// What the visits of a phase show about its single points.
#[derive(Debug)]
pub struct PhaseSpread {
    /// In the order of the phase's keys: how far the outlying visits are off; empty for a phase without
    /// contamination.
    outlying: Vec<Vec<f64>>,
    /// In the same order.
    groups: Vec<Option<TwoGroups>>,
}

impl PhaseSpread {
    /// Compares the visits of a phase.
    pub fn of(phase: &PhaseJudgement<'_>, target: f64) -> Self {
        let visits = &phase.judged.look.visits;
        let contaminated = phase.judged.look.spreads.iter().any(|spread| spread.contamination.is_some());
        Self {
            outlying: if contaminated { outlying(visits, target) } else { vec![Vec::new(); visits.len()] },
            groups: groups(visits, &phase.judged.look.lengths),
        }
    }
}

/// Two groups among the visits of one length to each point with several visits: that longer ones are on another
/// level is not a state of the device.
fn groups(visits: &[PointVisits], lengths: &[Vec<usize>]) -> Vec<Option<TwoGroups>> {
    let all: BTreeSet<usize> = lengths.iter().flatten().copied().collect();
    let of_one = |length: usize| {
        let own = visits.iter().zip(lengths).map(|(point, lengths)| {
            let means = point.means.iter().zip(lengths).filter(|&(_, &own)| own == length);
            PointVisits { means: means.map(|(mean, _)| *mean).collect(), within_se: Vec::new() }
        });
        two_groups(&own.collect::<Vec<_>>())
    };
    all.into_iter().map(of_one).fold(vec![None; visits.len()], |found, more| {
        found.into_iter().zip(more).map(|(found, more)| found.or(more)).collect()
    })
}

/// The flags of a point of a phase.
pub fn of_point(phase: &PhaseJudgement<'_>, compared: &PhaseSpread, point: &PointFindings) -> Vec<Flag> {
    let own = phase.judged.keys.iter().enumerate().filter(|(_, key)| key.0 == point.step);
    own.flat_map(|(place, &(_, class))| of_quantity(phase, compared, point, place, class)).collect()
}

fn of_quantity(
    phase: &PhaseJudgement<'_>,
    compared: &PhaseSpread,
    point: &PointFindings,
    place: usize,
    class: Class,
) -> Vec<Flag> {
    let mut found = Vec::new();
    // Of an open loop the visits differ in their latency, where waits by chance come in groups.
    if point.io(class).is_some_and(|io| io.load.is_open()) {
        return found;
    }
    let name = point.io(class).map_or_else(String::new, |io| io.load.title());
    let (far, visits) = (&compared.outlying[place], phase.judged.look.visits[place].means.len());
    // Where most visits are far off, the point is noisier than the others, and none of its visits is rare.
    if !far.is_empty() && 2 * far.len() < visits {
        let text = format!("{name}: {} of {visits} visits: {}", far.len(), rate_change(mean(far)));
        found.push(Flag::new(FlagCode::Contaminated, text));
    }
    if let Some(groups) = compared.groups[place] {
        let rate = |iops| point.io(class).map_or_else(String::new, |io| rate(&io.load, iops));
        let text = format!(
            "{name}: {} visits at {} and {} at {}; the mean describes neither",
            groups.low_visits,
            rate(groups.low),
            groups.high_visits,
            rate(groups.high)
        );
        found.push(Flag::new(FlagCode::Bimodal, text));
    }
    found
}

/// The flags of a phase; `name` begins their texts.
pub fn of_phase(plan: &AdaptivePlan, phase: &PhaseJudgement<'_>, name: &str) -> Vec<Flag> {
    [contaminated(phase, plan.parameters.target), unsettled(phase), drifting(plan, phase), slow(plan, phase)]
        .into_iter()
        .flatten()
        .map(|flag| Flag { text: format!("{name}{}", flag.text), ..flag })
        .collect()
}

fn contaminated(phase: &PhaseJudgement<'_>, target: f64) -> Option<Flag> {
    let rare = phase.judged.look.spreads.iter().find_map(|spread| spread.contamination)?;
    let text = format!(
        "{} of {} visits are outliers, off by {} on average{}; all intervals are widened for them",
        rare.outlying,
        rare.visits,
        rate_change(rare.mean_deviation),
        outlying_times(phase, target)
    );
    Some(Flag::new(FlagCode::Contaminated, text))
}

/// Times that are named one by one.
const MOST_TIMES: usize = 3;

/// `, from 59 s to 1 min 31 s after the start`, so that one can look up what happened then. Empty if no visit can be located in time.
fn outlying_times(phase: &PhaseJudgement<'_>, target: f64) -> String {
    let limit = outlying_limit(&phase.judged.look.visits, target);
    let at = |ns: u64| span(Nanos(ns));
    let time = |spell: &RareSpell| match spell.visits {
        1 => format!("at {}", at(spell.from_ns)),
        _ => format!("from {} to {}", at(spell.from_ns), at(spell.until_ns)),
    };
    let spells = rare_spells(&phase.judged.timed, limit);
    match (spells.first(), spells.last()) {
        (Some(first), Some(last)) if spells.len() > MOST_TIMES => {
            format!(", the first {} and the last {} after the start", at(first.from_ns), at(last.from_ns))
        }
        (Some(_), _) => {
            format!(", {} after the start", listed(&spells.iter().map(time).collect::<Vec<_>>()))
        }
        (None, _) => String::new(),
    }
}

fn unsettled(phase: &PhaseJudgement<'_>) -> Option<Flag> {
    let settle = phase.judged.look.settle;
    let left = settle.unsettled?;
    let text = format!(
        "{} after the load began the rate still differs by {} (standard error {}) from later in the visits",
        rough_time(to_f64(settle.settle_ns)),
        rate_change(left.difference),
        in_percent(left.standard_error)
    );
    Some(Flag::new(FlagCode::Warmup, text))
}

fn drifting(plan: &AdaptivePlan, phase: &PhaseJudgement<'_>) -> Option<Flag> {
    drift(&phase.judged.timed, plan.parameters.target).map(|found| Flag::new(FlagCode::Drift, drifted(found)))
}

/// A run of less than a minute does not show the change in a minute.
fn drifted(found: RunDrift) -> String {
    let is_known = found.total.abs() >= found.per_minute.abs() && found.per_minute.abs() < 1.0;
    let per_minute =
        if is_known { format!(", {} a minute", rate_change(found.per_minute)) } else { String::new() };
    format!(
        "the rate of all points together {} from the first visit to the last{per_minute}",
        course(found.total)
    )
}

fn slow(plan: &AdaptivePlan, phase: &PhaseJudgement<'_>) -> Option<Flag> {
    let gap_ns = plan.parameters.gap_for(phase.steps.len());
    let found = slow_noise(&phase.judged.timed, gap_ns)?;
    let told = |what: &str, found: Option<RankCorrelation>| {
        found.map(|found| format!("{what} {:.2} (p {:.3}, {} pairs)", found.rho, found.p, found.pairs))
    };
    let rest = format!("visits to different points that begin {} apart", rough_time(to_f64(gap_ns)));
    let both = [told(&rest, found.at_gap), told("neighbours", found.adjacent)];
    let text = format!(
        "visits resemble each other (rank correlation: {}); intervals may be too narrow",
        both.into_iter().flatten().collect::<Vec<_>>().join(", ")
    );
    Some(Flag::new(FlagCode::SlowNoise, text))
}

/// A rate that has halved is not noise of a visit of seconds.
const HALVED: f64 = 0.5;

/// The flag of a search for bursts, for visits in which the rate fell and later recovered: the answer is the level that stays.
pub fn came_back(record: &Record) -> Vec<Flag> {
    if record.header.request.burst().is_none() {
        return Vec::new();
    }
    let closed = record.header.request.classes.iter().filter(|load| !load.is_open());
    closed.flat_map(|load| class_came_back(record, load)).collect()
}

fn class_came_back(record: &Record, load: &LoadClass) -> Vec<Flag> {
    let rate_of = |visit: &Visit| {
        let completed = visit.tallies.get(&load.name).filter(|_| !visit.cut_short)?.completed();
        Some(iops(completed, visit.measured_ns))
    };
    let timed = |visit: &Visit| {
        let (began_ns, mean) = (visit.began_ns.saturating_sub(visit.settle_ns), rate_of(visit)?);
        Some(TimedVisit { point: visit.step, began_ns, length: 0, mean })
    };
    let visits: Vec<TimedVisit> = record.visits.iter().filter_map(timed).collect();
    let is_dip = |spell: &RareSpell| spell.is_between && spell.relative < 1.0;
    let flag = |spell: RareSpell| {
        let text = format!(
            "{}: the rate was {} of what it was before and after, from {} to {} after the start",
            load.title(),
            in_percent(spell.relative),
            span(Nanos(spell.from_ns)),
            span(Nanos(spell.until_ns))
        );
        Flag::new(FlagCode::LevelShift, text)
    };
    rare_spells(&visits, HALVED).into_iter().filter(is_dip).map(flag).collect()
}

/// A state that lasts a smaller share of the time is rare, and no run of minutes sees it.
const RARE_SHARE: f64 = 0.05;

/// A plan of few points that were visited seldom: what may have been missed. Many visits to few points see as much.
pub fn few_points(record: &Record, points: &[PointFindings]) -> Option<Flag> {
    let planned = record.header.plan.steps.len();
    record.header.plan.adaptive.as_ref()?;
    let visits: usize = points.iter().map(|point| point.visits).sum();
    if planned >= FEW_POINTS || visits == 0 || unseen_share(visits) <= RARE_SHARE {
        return None;
    }
    let (point, visit) =
        (if planned == 1 { "point" } else { "points" }, if visits == 1 { "visit" } else { "visits" });
    let text = format!(
        "{planned} {point}, {visits} {visit}: a state of the device present less than {} of the time may \
         have been missed",
        in_percent(unseen_share(visits))
    );
    Some(Flag::new(FlagCode::FewPoints, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lengths_are_not_two_groups() {
        let near = |centre: f64| [0.0, 1.0, -1.0, 2.0, 0.5, -0.5].map(|off| centre + off);
        let points = [PointVisits { means: [near(900.0), near(950.0)].concat(), within_se: Vec::new() }];
        let by_length = [[vec![0; 6], vec![1; 6]].concat()];
        assert_eq!(groups(&points, &by_length), [None]);
        let found = groups(&points, &[vec![0; 12]])[0].unwrap();
        assert_eq!((found.low_visits, found.high_visits), (6, 6));
        let within = [PointVisits { means: [near(900.0), near(900.0)].concat(), within_se: Vec::new() }];
        let mut within_one = within.clone();
        within_one[0].means[6..9].iter_mut().for_each(|mean| *mean += 100.0);
        assert!(groups(&within, &by_length)[0].is_none() && groups(&within_one, &by_length)[0].is_some());
    }

    #[test]
    fn a_short_run_tells_no_minute() {
        let told = |total, per_minute| drifted(RunDrift { per_minute, total, t: -9.0, p: 0.001 });
        assert!(
            told(-0.12, -0.024)
                .ends_with("-12 % of its mean from the first visit to the last, -2.4 % a minute")
        );
        assert!(
            told(-0.96, -2.88).ends_with("changed by -96 % of its mean from the first visit to the last")
        );
        assert!(told(-1.5, -0.5).contains("together became 7.0 times slower from"));
    }
}
