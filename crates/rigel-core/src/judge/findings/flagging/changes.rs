//! Flags from what became of the targets and of the limits on I/O during the run.
//!
//! A change is seen when a visit is over, so the visit in which it was first seen may have been under both conditions.
//! Must not look at a number.

use crate::facts::ChangedTarget;
use crate::judge::flags::{Flag, FlagCode};
use crate::path_text;
use crate::record::{NodeVisit, Record, Visit};
use std::collections::BTreeMap;

/// What every visit found, in the order in which they were made.
pub struct Seen<'a> {
    record: &'a Record,
    /// By the number of a visit: what the nodes had seen before it, and what they saw when it was over.
    of_visits: BTreeMap<u64, [&'a [NodeVisit]; 2]>,
}

impl<'a> Seen<'a> {
    /// Of all visits of a run, those of its search too.
    pub fn of(record: &'a Record) -> Self {
        let mut before: &[NodeVisit] = &[];
        let mut of_visits = BTreeMap::new();
        for visit in record.search.iter().chain(&record.visits) {
            of_visits.insert(visit.number, [before, &visit.nodes]);
            before = &visit.nodes;
        }
        Self { record, of_visits }
    }

    /// The flag of a point; `visits` are those that its figures are from.
    pub fn of_point(&self, visits: &[&Visit]) -> Option<Flag> {
        let states: Vec<&[&[NodeVisit]; 2]> =
            visits.iter().filter_map(|visit| self.of_visits.get(&visit.number)).collect();
        let changed = states.iter().filter(|state| state.iter().any(|nodes| is_changed(nodes))).count();
        if changed == 0 {
            return None;
        }
        let all = || states.iter().flat_map(|state| state.iter().copied());
        let texts = self.texts(all()).join("; ");
        let flag = Flag::new(FlagCode::Changed, format!("{changed} of {} visits: {texts}", visits.len()));
        let targets = &self.record.header.targets;
        let lost = states.iter().any(|state| changed_targets(state[1]).any(|it| it.takes_data(targets)));
        // A mean over two limits is the rate of neither.
        let mixed = all().any(|nodes| limits(nodes).ne(limits(states[0][0])));
        Some(if lost || mixed { flag.invalidating() } else { flag })
    }

    /// The flag of the run, also for what only a long visit or the search saw.
    pub fn of_run(&self) -> Option<Flag> {
        let mut states = self.of_visits.iter();
        let (number, _) = states.find(|(_, [_, after])| is_changed(after))?;
        let texts = self.texts(self.of_visits.values().map(|[_, after]| *after)).join("; ");
        let text = format!("since visit {} of {}: {texts}", number + 1, self.of_visits.len());
        Some(Flag::new(FlagCode::Changed, text))
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
        let list = |lines: &[String]| match lines {
            [] => "none".to_owned(),
            lines => lines.iter().map(|line| path_text::printable(line)).collect::<Vec<_>>().join(", "),
        };
        let before =
            self.record.header.nodes.all().get(node).map_or(&[][..], |node| &node.host.cgroup.io_max);
        format!("limits of the control group on I/O: {}, before: {}", list(now), list(before))
    }
}

fn is_changed(nodes: &[NodeVisit]) -> bool {
    nodes.iter().any(|node| !node.changed.is_none())
}

fn changed_targets(nodes: &[NodeVisit]) -> impl Iterator<Item = &ChangedTarget> {
    nodes.iter().flat_map(|node| &node.changed.targets)
}

/// The limits on I/O of each node on which they are not what they were, with the number of the node.
fn limits(nodes: &[NodeVisit]) -> impl Iterator<Item = (usize, &[String])> {
    nodes.iter().enumerate().filter_map(|(node, seen)| Some((node, seen.changed.io_max.as_deref()?)))
}
