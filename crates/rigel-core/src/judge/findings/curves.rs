//! The search for load levels again, on the visits that it made.
//!
//! Must not decide what is visited; [`crate::stats::levels_auto`] did, during the run.

use super::{CurveFindings, flagging, visits};
use crate::judge::flags::Flag;
use crate::judge::profiles::{bound_visit, level_visit};
use crate::load::class::{Class, LoadClass};
use crate::load::plan::LevelSearch;
use crate::record::{Purpose, Record, Visit};
use crate::stats::bound::{self, BoundVisit, NextBound};
use crate::stats::levels_auto::{self, Curve, Next};

/// The curve of each class that was searched; and what casts doubt on a search that ended early.
pub fn of(record: &Record) -> (Vec<CurveFindings>, Vec<Flag>) {
    let (mut curves, mut without_curve) = (Vec::new(), Vec::new());
    if let Some(search) = &record.header.plan.search {
        for &class in &search.classes {
            let own: Vec<&Visit> =
                record.search.iter().filter(|visit| visit.purpose == Purpose::Search(class)).collect();
            let Some(load) = record.header.request.class(class) else { continue };
            match of_class(record, search, load, &own) {
                (Some(curve), flags) => curves.push(CurveFindings {
                    load: load.clone(),
                    flags,
                    curve,
                    visits: visits::of(&record.header, &own, 0, |visit| !visit.cut_short),
                }),
                (None, flags) => without_curve.extend(flags),
            }
        }
    }
    (curves, without_curve)
}

fn of_class(
    record: &Record,
    search: &LevelSearch,
    load: &LoadClass,
    own: &[&Visit],
) -> (Option<Curve>, Vec<Flag>) {
    let class = load.name;
    let levels: Vec<_> = own.iter().filter_map(|visit| level_visit(visit, class)).collect();
    let rules = search.rules(class);
    let flags = |curve: &Curve| {
        let mut flags = flagging::curve(load, curve);
        flags.extend(below_the_bound(search, own, curve).filter(|_| class == Class::SMALL));
        flags
    };
    match levels_auto::next(&levels, &rules) {
        Next::Done(curve) => {
            let flags = flags(&curve);
            (Some(*curve), flags)
        }
        // The points were planned all the same: the search had no time for more.
        Next::Visit(_) if !record.header.plan.steps.is_empty() => {
            let curve = levels_auto::so_far(&levels, &rules).and_then(|(_, curve)| curve);
            let flags = match &curve {
                Some(curve) if curve.saturated => flags(curve),
                _ => vec![flagging::unfinished_search(class, levels.len())],
            };
            (curve, flags)
        }
        Next::Visit(_) | Next::Nothing => (None, Vec::new()),
    }
}

/// Whether the search for the level at the limit ended below saturation with levels left to try: more outstanding I/Os that
/// meet the limit would have a higher rate.
fn below_the_bound(search: &LevelSearch, own: &[&Visit], curve: &Curve) -> Option<Flag> {
    let bound = search.bound?;
    let visits: Vec<BoundVisit> =
        own.iter().map(|visit| bound_visit(visit, bound.of)).collect::<Option<_>>()?;
    let rules = search.rules(Class::SMALL);
    let next = bound::next(&visits, bound.limit, rules.visits, rules.most_outstanding);
    let level = bound::so_far(&visits, bound.limit)?;
    let could_gain = matches!(next, NextBound::Visit(_)) && level < curve.n_sat.found;
    could_gain.then(|| flagging::unfinished_bound(Class::SMALL, level, &bound))
}
