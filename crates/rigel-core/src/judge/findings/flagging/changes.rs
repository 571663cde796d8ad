//! Flags from changes of the targets and of the I/O limits during the run.
//!
//! A change is seen when a visit is over, so the visit in which it was first seen may have been under both conditions. Limits are also checked during
//! the visit. Must not look at a number.

use crate::facts::{ChangedTarget, LimitsChange};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::sides::Side;
use crate::path_text;
use crate::record::{NodeVisit, Record, Visit};
use crate::units::say::rough_time;
use crate::units::to_f64;
use std::collections::BTreeMap;

/// A text names this many changes of limits one by one.
const MOST_TOLD: usize = 4;

/// The state known after a visit.
struct State<'a> {
    visit: &'a Visit,
    /// The changes that the nodes had seen before it.
    before: &'a [NodeVisit],
}

/// The changes seen by every visit, in order of time.
pub struct VisitChanges<'a> {
    record: &'a Record,
    /// By the number of the visit.
    of_visits: BTreeMap<u64, State<'a>>,
}

impl<'a> State<'a> {
    /// The changes before it and after it.
    fn both(&self) -> [&'a [NodeVisit]; 2] {
        [self.before, &self.visit.nodes]
    }

    /// Whether limits changed during it, restored or not.
    fn is_mixed(&self) -> bool {
        self.visit.nodes.iter().any(|node| !node.changed.io_max_changes.is_empty())
    }
}

impl<'a> VisitChanges<'a> {
    /// The changes of all visits of a run, including those of its search.
    pub fn of(record: &'a Record) -> Self {
        // Of two sides each looks at its own targets.
        let mut last: BTreeMap<Option<Side>, &[NodeVisit]> = BTreeMap::new();
        let mut of_visits = BTreeMap::new();
        for visit in record.search.iter().chain(&record.visits) {
            let side = record.header.request.side_of(visit.point);
            let before = last.insert(side, &visit.nodes).unwrap_or_default();
            of_visits.insert(visit.number, State { visit, before });
        }
        Self { record, of_visits }
    }

    /// The flag of a point; `visits` are those behind its figures.
    pub fn of_point(&self, visits: &[&Visit]) -> Option<Flag> {
        let states: Vec<&State<'_>> =
            visits.iter().filter_map(|visit| self.of_visits.get(&visit.number)).collect();
        let is_changed = |state: &&&State<'_>| state.is_mixed() || state.both().into_iter().any(is_changed);
        let changed = states.iter().filter(is_changed).count();
        if changed == 0 {
            return None;
        }
        let all = || states.iter().flat_map(|state| state.both());
        let meanwhile = states.iter().filter_map(|state| meanwhile(state.visit));
        let texts: Vec<String> = self.texts(all()).into_iter().chain(meanwhile).collect();
        let text = format!("{changed} of {} visits: {}", visits.len(), texts.join("; "));
        let flag = Flag::new(FlagCode::Changed, text);
        let targets = &self.record.header.targets;
        let lost =
            states.iter().any(|state| changed_targets(&state.visit.nodes).any(|it| it.takes_data(targets)));
        // A mean over two limits is the rate of neither.
        let mixed = states.iter().any(|state| state.is_mixed())
            || all().any(|nodes| limits(nodes).ne(limits(states[0].before)));
        Some(if lost || mixed { flag.invalidating() } else { flag })
    }

    /// The flag of the run, also for what only a long visit or the search saw.
    pub fn of_run(&self) -> Option<Flag> {
        let states = || self.of_visits.values();
        let lasting = states().position(|state| is_changed(&state.visit.nodes));
        let first = lasting.into_iter().chain(states().position(State::is_mixed)).min()?;
        let texts = self.in_words().into_iter();
        let texts: Vec<String> = texts.chain(states().filter_map(|state| meanwhile(state.visit))).collect();
        let since = if lasting.is_some() { "since" } else { "in" };
        let number = states().nth(first)?.visit.number + 1;
        let text = format!("{since} visit {number} of {}: {}", self.of_visits.len(), texts.join("; "));
        Some(Flag::new(FlagCode::Changed, text))
    }

    /// What happened to the targets and the limits, a sentence each.
    pub fn in_words(&self) -> Vec<String> {
        self.texts(self.of_visits.values().map(|state| &state.visit.nodes[..]))
    }

    /// Every change in words: the last state of each kind for each target, and the last limits of each node.
    fn texts<'b>(&self, all: impl Iterator<Item = &'b [NodeVisit]>) -> Vec<String> {
        let targets = &self.record.header.targets;
        let mut last = BTreeMap::new();
        let mut last_limits = BTreeMap::new();
        for nodes in all {
            last.extend(changed_targets(nodes).map(|it| ((it.target, it.change.kind()), it)));
            last_limits.extend(limits(nodes));
        }
        let texts = last.into_values().map(|changed| changed.sentence(targets));
        texts.chain(last_limits.into_iter().map(|(node, now)| self.limits_text(node, now))).collect()
    }

    fn limits_text(&self, node: usize, now: &[String]) -> String {
        let before =
            self.record.header.nodes.all().get(node).map_or(&[][..], |node| &node.host.cgroup.io_max);
        format!("limits of the control group on I/O: {}, before: {}", list(now), list(before))
    }
}

fn list(lines: &[String]) -> String {
    match lines {
        [] => "none".to_owned(),
        lines => lines.iter().map(|line| path_text::printable(line)).collect::<Vec<_>>().join(", "),
    }
}

/// When limits changed while a visit continued, and from what to what.
fn meanwhile(visit: &Visit) -> Option<String> {
    let began_ns = visit.began_ns.saturating_sub(visit.settle_ns);
    let all: Vec<&LimitsChange> = visit.nodes.iter().flat_map(|node| &node.changed.io_max_changes).collect();
    let told = all.iter().take(MOST_TOLD).map(|change| {
        let at = rough_time(to_f64(change.at_ns.saturating_sub(began_ns)));
        format!("from {} to {} at {at}", list(&change.before), list(&change.now))
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let more = all.len().checked_sub(MOST_TOLD).filter(|&more| more > 0);
    let more = more.map_or_else(String::new, |more| format!(", and {more} more times"));
    let text = || {
        let number = visit.number + 1;
        format!("limits of the control group on I/O changed during visit {number}, {told} of the visit{more}")
    };
    (!all.is_empty()).then(text)
}

fn is_changed(nodes: &[NodeVisit]) -> bool {
    nodes.iter().any(|node| !node.changed.targets.is_empty() || node.changed.io_max.is_some())
}

fn changed_targets(nodes: &[NodeVisit]) -> impl Iterator<Item = &ChangedTarget> {
    nodes.iter().flat_map(|node| &node.changed.targets)
}

/// The I/O limits of each node that changed, with the number of the node.
fn limits(nodes: &[NodeVisit]) -> impl Iterator<Item = (usize, &[String])> {
    nodes.iter().enumerate().filter_map(|(node, seen)| Some((node, seen.changed.io_max.as_deref()?)))
}
