//! Resuming an interrupted run: which part of its record counts, and whether the targets are still those that were measured.
//!
//! Every decision of a run follows from its request, its facts and the visits so far. A run that continues therefore makes
//! its decisions again, with the visits of the record in place of load, and measures from where they end. Pure; must
//! not touch a target.

use crate::error::{ExitKind, Problem};
use crate::event::VisitPosition;
use crate::facts::engine::EngineFacts;
use crate::facts::{HostFacts, Identity, TargetFacts, TargetKind};
use crate::load::class::PerClass;
use crate::load::plan::Plan;
use crate::path_text::printable;
use crate::record::{Record, ResumedLine, Visit};
use crate::units::{Bytes, NS_PER_S};
use crate::verify::{DurableMark, MOST_PARTS};
use std::collections::VecDeque;
use std::slice;

mod again;
mod rest;

pub use again::command;
pub use rest::Rest;

/// Longest age of a run that is resumed: five years. The remaining run then fits into the times that a record can hold.
const LATEST_NS: u64 = 5 * 365 * 24 * 3600 * NS_PER_S;

/// The past of a resumed run; empty at the start of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordPast {
    /// The visits that count, those of the search first.
    pub visits: VecDeque<Visit>,
    /// The plan that followed the search, if the search had ended.
    pub planned: Option<Plan>,
    /// Visits at the end of the record that do not count.
    pub set_aside: u64,
    /// Bytes at the end of the record that are not a complete line.
    pub torn_bytes: u64,
    /// Number of interruptions. Each may have lost one visit that is not among those above.
    pub interruptions: u64,
    /// For classes of verified blocks: what the intervals of a soak say about the blocks that are certainly present.
    pub settled: PerClass<DurableMark>,
}

impl RecordPast {
    /// The contents of the record of an interrupted run, and the plan that the run began with. `bytes` is the length of the
    /// record.
    ///
    /// The last visit does not count if it was cut short, if I/Os did not complete, or if all failed: an
    /// undisturbed run would have no such visit.
    ///
    /// # Errors
    /// When the run is complete, or this version would not do it in the same way.
    pub fn of(record: &Record, bytes: u64, program_version: &str) -> Result<(Self, Plan), Problem> {
        if record.complete() {
            return Err(Problem::usage("the run is complete").next("show it with `rigel report`"));
        }
        let header = &record.header;
        if record.resumed.len() + 1 >= MOST_PARTS {
            return Err(Problem::usage(format!(
                "the run has already been resumed {} times",
                record.resumed.len()
            ))
            .because("the block format has no room for more parts of a run")
            .next("start a new run; `rigel report` shows the results so far"));
        }
        if header.program_version != program_version {
            let theirs = printable(&header.program_version).into_owned();
            return Err(Problem::refused(format!(
                "the run was started by Rigel {theirs}, this is {program_version}"
            ))
            .because(
                "versions may choose points and places differently, so the visits would not belong together",
            )
            .next("resume with that version, or start a new run"));
        }
        let plan = Plan::new(&header.request, &header.nodes.first().host, &header.targets)?;
        let planned = (plan != header.plan).then(|| header.plan.clone());
        if planned.is_some() && !plan.searches() {
            return Err(Problem::usage("the plan in the record does not match its request")
                .because("the file was changed after Rigel wrote it")
                .next("start a new run"));
        }
        let mut visits: VecDeque<Visit> = record.search.iter().chain(&record.visits).cloned().collect();
        let mut set_aside = 0;
        // What a soak saw happened, however it ended.
        let is_soak = header.request.soak().is_some();
        if visits.back().is_some_and(|last| !is_soak && !counts(last)) {
            visits.pop_back();
            set_aside = 1;
        }
        let in_order =
            visits.iter().zip(visits.iter().skip(1)).all(|(one, next)| one.ended_ns() <= next.began_ns);
        if !in_order || visits.back().is_some_and(|last| last.ended_ns() > LATEST_NS) {
            return Err(other_way("the visits in the record have impossible times".to_owned()));
        }
        let torn_bytes = record.torn.as_ref().map_or(0, |torn| bytes.saturating_sub(torn.offset as u64));
        let settled = settled(record);
        let interruptions = record.resumed.len() as u64 + 1;
        Ok((Self { visits, planned, set_aside, torn_bytes, interruptions, settled }, plan))
    }

    /// Time of the run at which it resumes.
    pub fn run_ns(&self) -> u64 {
        self.visits.back().map_or(0, Visit::ended_ns)
    }

    /// Whether all visits of the record were used by the run that ended here.
    ///
    /// # Errors
    /// When some were not.
    pub fn check_end(&self) -> Result<(), Problem> {
        match self.visits.len() {
            0 => Ok(()),
            left => Err(other_way(format!("the run is over, but the record has {left} visits left"))),
        }
    }

    /// The line about the resumption, at a local time.
    pub fn resumed(&self, at: String) -> ResumedLine {
        ResumedLine {
            at,
            run_ns: self.run_ns(),
            kept: self.visits.len() as u64,
            set_aside: self.set_aside,
            torn_bytes: self.torn_bytes,
        }
    }

    /// The next visit of the record, if the run wants the one at `at` with the number `number`; `None` after the last.
    ///
    /// # Errors
    /// When the record has another visit in that place.
    pub fn next(&mut self, at: VisitPosition, number: u64) -> Result<Option<Visit>, Problem> {
        let Some(visit) = self.visits.pop_front() else { return Ok(None) };
        let made = VisitPosition { step: visit.step, point: visit.point, purpose: visit.purpose };
        if made == at && visit.number == number {
            return Ok(Some(visit));
        }
        Err(other_way(format!(
            "visit {} of the record is not the one the run would make at this point",
            visit.number
        )))
    }

    /// Whether the record has the plan that followed its search; if not, it must still be written.
    ///
    /// # Errors
    /// When it differs from `plan`.
    pub fn has_plan(&self, plan: &Plan) -> Result<bool, Problem> {
        match &self.planned {
            Some(planned) if planned != plan => {
                Err(other_way("the search in the record leads to a different plan".to_owned()))
            }
            planned => Ok(planned.is_some()),
        }
    }
}

/// The latest state of every class in the record, for each finished part of the run.
fn settled(record: &Record) -> PerClass<DurableMark> {
    let parts = record.resumed.len() + 1;
    let mut last = PerClass::new();
    for (class, tally) in record.intervals.iter().flat_map(|interval| &interval.tallies) {
        if let Some(settled) = tally.verified.as_ref().and_then(|verified| verified.settled.as_ref()) {
            last.insert(*class, settled.clone());
        }
    }
    for settled in last.values_mut() {
        // A part that ended before its first interval left blocks of which nothing is known.
        settled.below.iter_mut().for_each(|(_, earlier)| earlier.0.resize(parts, 0));
    }
    last
}

/// The record does not match the course that this run would have taken.
pub fn other_way(what: String) -> Problem {
    Problem::new(ExitKind::Usage, what)
        .because("the record was changed after Rigel wrote it, or comes from another build")
        .next("start a new run; `rigel report` shows the results so far")
}

/// Whether an undisturbed run could have this visit.
fn counts(visit: &Visit) -> bool {
    !visit.cut_short && visit.hung.is_none() && !visit.all_failed()
}

/// Whether the host was rebooted since; false if that is unknown.
pub fn is_restarted(then: &HostFacts, now: &HostFacts) -> bool {
    then.boot_id.is_some() && now.boot_id.is_some() && then.boot_id != now.boot_id
}

/// Whether the present targets are those of the record. `restarted`: the host was rebooted since, which may change its device
/// numbers.
///
/// # Errors
/// With the first one that is not, and what differs.
pub fn check_targets(recorded: &[TargetFacts], now: &[TargetFacts], restarted: bool) -> Result<(), Problem> {
    if recorded.len() != now.len() {
        return Err(other_way(format!(
            "the record has {} targets, the run has {}",
            recorded.len(),
            now.len()
        )));
    }
    for (then, now) in recorded.iter().zip(now) {
        if let Some(difference) = difference(then, now, restarted) {
            return Err(Problem::refused(format!("this is not the target that was measured: {difference}"))
                .at(printable(&then.path))
                .because("it was replaced, or device names or numbers have changed since")
                .next(
                    "bring it back, or start a new run: samples from different targets cannot be combined",
                ));
        }
    }
    Ok(())
}

/// The same for files that were removed with their server and created again: their location and number may differ, their contents
/// and the device that holds them may not.
///
/// # Errors
/// As [`check_targets`].
pub fn check_made_again(
    recorded: &[TargetFacts],
    now: &[TargetFacts],
    restarted: bool,
) -> Result<(), Problem> {
    let same = |(then, now): (&TargetFacts, &TargetFacts)| {
        let identity = Identity { inode: then.identity.inode, ..now.identity };
        let (real_path, allocated_bytes) = (then.real_path.clone(), then.allocated_bytes);
        // Numbers of devices are given anew when the host is started.
        let identity = if restarted { then.identity } else { identity };
        TargetFacts { identity, real_path, allocated_bytes, ..now.clone() }
    };
    // What there are too many of, there are still too many of.
    let more = now.iter().skip(recorded.len()).cloned();
    let adjusted: Vec<TargetFacts> = recorded.iter().zip(now).map(same).chain(more).collect();
    check_targets(recorded, &adjusted, restarted)
}

/// Whether a directory is on the storage that held its former scratch file.
///
/// # Errors
/// As [`check_targets`].
pub fn check_still_there(recorded: &TargetFacts, dir: &TargetFacts, restarted: bool) -> Result<(), Problem> {
    let (mount_point, device, identity) = (dir.mount_point.clone(), dir.device.clone(), dir.identity);
    let file = TargetFacts { mount_point, device, identity, ..recorded.clone() };
    check_made_again(slice::from_ref(recorded), &[file], restarted)
}

fn allocated(facts: &TargetFacts) -> String {
    facts.allocated_bytes.map_or_else(String::new, |bytes| Bytes(bytes).to_string())
}

/// The same if part of a file was truncated or punched out; a run that writes may only have added to it.
fn less_allocated(then: &TargetFacts, now: &TargetFacts) -> String {
    let less = now.allocated_bytes < then.allocated_bytes && now.allocated_bytes < Some(now.size_bytes);
    allocated(if less { now } else { then })
}

fn difference(then: &TargetFacts, now: &TargetFacts, restarted: bool) -> Option<String> {
    let number = |facts: &TargetFacts| {
        let (major, minor) = facts.identity.device;
        match (restarted, facts.kind) {
            // Their node is made anew.
            (true, TargetKind::BlockDevice) => String::new(),
            (true, _) => format!("inode {}", facts.identity.inode),
            (false, _) => format!("device {major}:{minor}, inode {}", facts.identity.inode),
        }
    };
    let model = |facts: &TargetFacts| {
        let device = facts.device.as_ref();
        let word = |text: Option<&String>| text.cloned().unwrap_or_else(|| "?".to_owned());
        device.map_or_else(String::new, |device| {
            let (model, transport) = (word(device.model.as_ref()), word(device.transport.as_ref()));
            // A file stays on its filesystem when the host is started again, and has its inode.
            let sequence =
                device.disk_sequence.filter(|_| facts.kind == TargetKind::BlockDevice && !restarted);
            let model = match &device.identifier {
                Some(identifier) => format!("{model} {identifier}"),
                None => model,
            };
            match sequence {
                Some(number) => format!("{model} ({transport}, disk {number} of this host's start)"),
                None => format!("{model} ({transport})"),
            }
        })
    };
    let bytes = |count: u64| format!("{count} bytes");
    let seed = |facts: &TargetFacts| facts.scratch.map(|scratch| scratch.seed);
    let differs = |what: &str, then: String, now: String| {
        (then != now).then(|| format!("{what} was {}, is {}", printable(&then), printable(&now)))
    };
    // A link in /dev/disk/by-id leads to the same disk, whatever the kernel calls it this time.
    let by_link = restarted && is_named_disk(then, now);
    let place = |facts: &TargetFacts| if by_link { facts.path.clone() } else { facts.real_path.clone() };
    differs("its place", place(then), place(now))
        // Where a disk is not mounted, a directory of the same name is on another one.
        .or_else(|| {
            let (then, now) = then.mount_point.clone().zip(now.mount_point.clone())?;
            differs("the mount point of its filesystem", then, now)
        })
        .or_else(|| differs("its kind", format!("{:?}", then.kind), format!("{:?}", now.kind)))
        .or_else(|| differs("its size", bytes(then.size_bytes), bytes(now.size_bytes)))
        .or_else(|| differs("its identity", number(then), number(now)))
        .or_else(|| differs("the device", model(then), model(now)))
        .or_else(|| differs("its allocated size", allocated(then), less_allocated(then, now)))
        .or_else(|| (seed(then) != seed(now)).then(|| "it was refilled".to_owned()))
}

/// Whether both are a disk that identifies itself, or the same part of it, named by a link.
fn is_named_disk(then: &TargetFacts, now: &TargetFacts) -> bool {
    let is_named = |facts: &TargetFacts| {
        let identifier = facts.device.as_ref().and_then(|device| device.identifier.as_ref());
        facts.kind == TargetKind::BlockDevice && facts.path != facts.real_path && identifier.is_some()
    };
    // A partition says the name of its whole disk.
    let part = |facts: &TargetFacts| {
        facts.device.as_ref().map(|device| (device.partition_of.is_some(), device.start_bytes))
    };
    is_named(then) && is_named(now) && part(then) == part(now)
}

/// Whether this host would measure as the one in the record did.
///
/// # Errors
/// With what differs.
pub fn check_host(then: &HostFacts, now: &HostFacts) -> Result<(), Problem> {
    let pairs = [
        ("kernel", then.kernel.clone(), now.kernel.clone()),
        ("CPU model", format!("{:?}", then.cpu_model), format!("{:?}", now.cpu_model)),
        ("page of memory", Bytes(then.page_bytes()).to_string(), Bytes(now.page_bytes()).to_string()),
        ("number of CPUs", then.cpus.to_string(), now.cpus.to_string()),
    ];
    refuse_difference("the host", &pairs)
}

/// Checks that the engine is set up as before.
///
/// # Errors
/// With what differs.
pub fn check_engine(then: &EngineFacts, now: &EngineFacts) -> Result<(), Problem> {
    let text = |facts: &EngineFacts| {
        let set_up = [
            ("registered buffers", facts.registered_buffers),
            ("registered files", facts.registered_files),
            ("a single issuer", facts.single_issuer),
            ("deferred task work", facts.defer_taskrun),
            ("polled completions", facts.polled),
        ];
        let with: Vec<&str> = set_up.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
        if with.is_empty() { "plain".to_owned() } else { with.join(", ") }
    };
    let pairs = [
        ("the engine", then.kind.name().to_owned(), now.kind.name().to_owned()),
        ("its set-up", text(then), text(now)),
        ("the CPUs of its workers", format!("{:?}", then.cpus), format!("{:?}", now.cpus)),
    ];
    refuse_difference("the engine", &pairs)
}

fn refuse_difference(whose: &str, pairs: &[(&str, String, String)]) -> Result<(), Problem> {
    match pairs.iter().find(|(_, then, now)| then != now) {
        None => Ok(()),
        Some((what, then, now)) => Err(Problem::refused(format!(
            "{whose} changed: {what} was {}, now {}",
            printable(then),
            printable(now)
        ))
        .because("measurements before and after the interruption would not be comparable")
        .next("resume where the run was started, or start a new run here")),
    }
}

#[cfg(test)]
mod tests;
