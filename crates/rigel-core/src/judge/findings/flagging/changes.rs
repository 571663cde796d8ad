//! Flags from what became of the targets and of the limits on I/O during the run.
//!
//! A change is seen when a visit is over, so the visit in which it was first seen may have been under both conditions.
//! Must not look at a number.

use crate::facts::Changes;
use crate::judge::flags::{Flag, FlagCode};
use crate::path_text;
use crate::record::{Record, Visit};
use std::collections::BTreeMap;

/// What every visit found, in the order in which they were made.
pub struct Seen<'a> {
    record: &'a Record,
    /// By the number of a visit: what had changed before it, and when it was over.
    of_visits: BTreeMap<u64, [&'a Changes; 2]>,
}

/// As at the beginning.
static NOTHING: Changes = Changes { targets: Vec::new(), io_max: None };

impl<'a> Seen<'a> {
    /// Of all visits of a run, those of its search too.
    pub fn of(record: &'a Record) -> Self {
        let mut before = &NOTHING;
        let mut of_visits = BTreeMap::new();
        for visit in record.search.iter().chain(&record.visits) {
            of_visits.insert(visit.number, [before, &visit.changed]);
            before = &visit.changed;
        }
        Self { record, of_visits }
    }

    /// The flag of a point; `visits` are those that its figures are from.
    pub fn of_point(&self, visits: &[&Visit]) -> Option<Flag> {
        let states: Vec<&[&Changes; 2]> =
            visits.iter().filter_map(|visit| self.of_visits.get(&visit.number)).collect();
        let changed = states.iter().filter(|state| state.iter().any(|changes| !changes.is_none())).count();
        if changed == 0 {
            return None;
        }
        let all = || states.iter().flat_map(|state| state.iter().copied());
        let texts = self.texts(all()).join("; ");
        let flag = Flag::new(FlagCode::Changed, format!("{changed} of {} visits: {texts}", visits.len()));
        let targets = &self.record.header.targets;
        let after = || states.iter().flat_map(|state| &state[1].targets);
        let lost = after().any(|changed| changed.takes_data(targets));
        // A mean over two limits is the rate of neither.
        let mixed = all().any(|changes| changes.io_max != states[0][0].io_max);
        Some(if lost || mixed { flag.invalidating() } else { flag })
    }

    /// The flag of the run, also for what only a long visit or the search saw.
    pub fn of_run(&self) -> Option<Flag> {
        let mut states = self.of_visits.iter();
        let (number, _) = states.find(|(_, [_, after])| !after.is_none())?;
        let texts = self.texts(self.of_visits.values().map(|[_, after]| *after)).join("; ");
        let text = format!("since visit {} of {}: {texts}", number + 1, self.of_visits.len());
        Some(Flag::new(FlagCode::Changed, text))
    }

    /// Every change in words: the last state of each kind for each target.
    fn texts<'b>(&self, all: impl Iterator<Item = &'b Changes>) -> Vec<String> {
        let targets = &self.record.header.targets;
        let mut last = BTreeMap::new();
        let mut limits = None;
        for changes in all {
            for changed in &changes.targets {
                last.insert((changed.target, changed.change.kind()), changed);
            }
            limits = changes.io_max.as_ref().or(limits);
        }
        let texts = last.into_values().map(|changed| changed.sentence(targets));
        texts.chain(limits.map(|now| self.limits_text(now))).collect()
    }

    fn limits_text(&self, now: &[String]) -> String {
        let list = |lines: &[String]| match lines {
            [] => "none".to_owned(),
            lines => lines.iter().map(|line| path_text::printable(line)).collect::<Vec<_>>().join(", "),
        };
        let before = &self.record.header.host.cgroup.io_max;
        format!("limits of the control group on I/O: {}, before: {}", list(now), list(before))
    }
}
