//! The record of a run: JSON lines, one per step, from which every output can be made again.
//!
//! The first line is the header (request, plan, facts), then one line per visit to a point, and a closing line. The
//! format has a major and a minor number: a reader reads every minor number of its major; a field that is added later
//! has a default and raises the minor number. Pure: bytes in, a [`Record`] out, and back. The journal that writes the
//! lines is `rigel-run`'s.

use crate::facts::{DriveLook, TargetFacts};
use crate::load::class::{Class, PerClass};
use crate::load::governor::GovernorInterval;
use crate::load::matrix::Point;
use crate::load::plan::Plan;
use crate::load::request::Request;
use crate::measure::{ClassTally, HungIo, IoCounts};
use serde::{Deserialize, Serialize};

mod check;
mod damage;
mod form;
mod mark;
mod nodes;
mod open_visit;
mod read;
pub mod rest;
pub mod resume;

pub use check::foreign_tallies;
pub use form::other_form;
pub use mark::{Mark, MarkContent};
pub use nodes::{Member, Node, NodeCounts, NodeRecord, NodeVisit, Nodes};

/// Major number of the format; a change that old readers would misread raises it.
pub const FORMAT_MAJOR: u32 = 3;
/// Minor number of the format; an added field raises it.
pub const FORMAT_MINOR: u32 = 0;

/// One line of a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// What is to be done, and on which targets.
    Header(Box<Header>),
    /// One visit to one point.
    Visit(Box<Visit>),
    /// A part of the current visit.
    Interval(Box<Interval>),
    /// One visit of the search for load levels.
    Search(Box<Visit>),
    /// The plan with its points, after the search.
    Plan(Box<Plan>),
    /// An interrupted run resumes here.
    Resumed(ResumedLine),
    /// What the drives below the targets say about themselves.
    Drives(DriveLook),
    /// A mark that a person or the host set during the load.
    Mark(Mark),
    /// The end of the run.
    Closing(ClosingLine),
}

/// Format number of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Format {
    /// See [`FORMAT_MAJOR`].
    pub major: u32,
    /// See [`FORMAT_MINOR`].
    pub minor: u32,
}

/// The first line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the format.
    pub rigel_record: Format,
    /// Version of the program that measured.
    pub program_version: String,
    /// Stem of every output of the run: `<name>_<YYYYMMDD_HHMM>`, with a number if two runs began in one minute.
    pub run_id: String,
    /// Local time of the start, RFC 3339.
    pub started: String,
    /// What was requested.
    pub request: Request,
    /// What was planned.
    pub plan: Plan,
    /// The hosts that measured.
    pub nodes: Nodes,
    /// What was measured.
    pub targets: Vec<TargetFacts>,
}

/// Unmeasured load before a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUpLoad {
    /// How long it took.
    pub ns: u64,
    /// How much was moved.
    pub bytes: u64,
    /// I/Os that failed.
    pub failures: u64,
}

/// Why a visit was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// The only visit to its point.
    #[default]
    Only,
    /// A long visit that starts a phase of an adaptive run; it shows limits and does not count towards the estimates.
    Long,
    /// A round of an adaptive run, counted from 0 in each phase.
    Round(u32),
    /// To a point that is precise enough, while another one rests; it counts like the others.
    FillsGap,
    /// The search for load levels of a class.
    Search(Class),
    /// A phase of a load, counted from 0; the point may have others.
    Phase(u32),
    /// Reads a working set until it is cached as far as it fits; does not count towards the estimates.
    Warm,
    /// To a point that was measured long before, to see whether it has changed. It does not count towards the estimates.
    Again,
}

/// One visit to one point: the sum of all workers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Index of the step in the plan; for a visit of the search, its number in the search.
    pub step: usize,
    /// Number of the visit in the run, from 0; part of the seed of all its offsets.
    pub number: u64,
    /// Why it was made.
    pub purpose: Purpose,
    /// The point.
    pub point: Point,
    /// Nanoseconds from the start of the run to the start of the measured window.
    pub began_ns: u64,
    /// Load before the window that was not measured.
    pub settle_ns: u64,
    /// Length of the measured window.
    pub measured_ns: u64,
    /// The user or an error ended the window early.
    pub cut_short: bool,
    /// The warm-up, if there was one.
    pub warm_up: Option<WarmUpLoad>,
    /// CPU time of all workers during settling, window and drain.
    pub worker_cpu_ns: Option<u64>,
    /// CPU time of the busiest of them.
    #[serde(default)]
    pub busiest_worker_cpu_ns: Option<u64>,
    /// Time from the start of the load to the end of the drain.
    pub loaded_ns: u64,
    /// Every I/O from the start of the load to the end of the drain, as the workers counted them; `None` if they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ios: Option<IoCounts>,
    /// I/Os that did not complete; the run ends with this visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hung: Option<HungIo>,
    /// What each node saw, in the order of [`Header::nodes`].
    pub nodes: Vec<NodeVisit>,
    /// What was counted, for each class of the point.
    pub tallies: PerClass<ClassTally>,
}

/// A part of a long visit, stored while the load continued. The line of the visit has the counts of all of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Number of the visit.
    pub visit: u64,
    /// Nanoseconds from the start of the run to the start of the interval.
    pub began_ns: u64,
    /// Its length.
    pub measured_ns: u64,
    /// What was counted, for each class of the point.
    pub tallies: PerClass<ClassTally>,
    /// Next to production: what the load was allowed, and why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub governed: Option<GovernorInterval>,
}

impl Visit {
    /// Time of the run at which the last of its I/Os had completed.
    pub const fn ended_ns(&self) -> u64 {
        self.began_ns.saturating_sub(self.settle_ns).saturating_add(self.loaded_ns)
    }

    /// Bytes that all nodes moved under load, without failed I/Os.
    pub fn moved_bytes(&self) -> u64 {
        self.nodes.iter().map(|node| node.moved_bytes).fold(0, u64::saturating_add)
    }

    /// Whether it belongs to the search for load levels.
    pub const fn searches(&self) -> bool {
        matches!(self.purpose, Purpose::Search(_))
    }

    /// Whether I/Os failed and none completed.
    pub fn all_failed(&self) -> bool {
        let tallies = || self.tallies.values();
        tallies().any(|tally| tally.errors > 0) && !tallies().any(|tally| tally.completed() > 0)
    }
}

/// The last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosingLine {
    /// Local time of the end, RFC 3339.
    pub ended: String,
    /// Every step of the plan was measured in full.
    pub complete: bool,
    /// Why it is not complete.
    pub reason: Option<String>,
    /// What ended it early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<End>,
}

/// What ended a run before every step was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The user.
    Stopped,
    /// The time limit.
    OutOfTime,
    /// The storage: I/Os did not complete, or all failed.
    GaveUp,
}

/// Where an interrupted run resumes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumedLine {
    /// Local time, RFC 3339.
    pub at: String,
    /// Time of the run at which it resumes: the end of the last visit that counts.
    pub run_ns: u64,
    /// Visits that count, including those of the search.
    pub kept: u64,
    /// Visits before this line that do not count: 1 if the interruption cut the last one short, otherwise 0.
    pub set_aside: u64,
    /// Bytes of an incomplete line, which were removed.
    pub torn_bytes: u64,
}

/// A whole record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The first line; its plan is the latest one.
    pub header: Header,
    /// The visits of the search for load levels, in order of time.
    pub search: Vec<Visit>,
    /// The visits to the points of the plan, in order of time.
    pub visits: Vec<Visit>,
    /// The parts of long visits, stored while these continued.
    pub intervals: Vec<Interval>,
    /// Each time the run resumed after an interruption.
    pub resumed: Vec<ResumedLine>,
    /// The visits that do not count since then, in order.
    pub set_aside: Vec<Visit>,
    /// The reports of the drives below the targets, in order.
    pub drives: Vec<DriveLook>,
    /// The marks of people and of the host, in order.
    pub marks: Vec<Mark>,
    /// The last line; `None` if the run was killed.
    pub closing: Option<ClosingLine>,
    /// An incomplete last line; everything before it is valid.
    pub torn: Option<TornLine>,
}

/// The beginning of a line whose writing was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornLine {
    /// Number of the line, from 1.
    pub line: usize,
    /// Byte offset where it begins.
    pub offset: usize,
}

impl Record {
    /// A record with only its first line.
    pub const fn begun(header: Header) -> Self {
        Self {
            header,
            search: Vec::new(),
            visits: Vec::new(),
            intervals: Vec::new(),
            resumed: Vec::new(),
            set_aside: Vec::new(),
            drives: Vec::new(),
            marks: Vec::new(),
            closing: None,
            torn: None,
        }
    }

    /// Adds the unfinished visit of a soak, made from its intervals.
    fn end_open_visit(&mut self) {
        if let Some(visit) = open_visit::of(self) {
            self.visits.push(visit);
        }
    }

    /// Whether every step was measured in full.
    pub fn complete(&self) -> bool {
        self.closing.as_ref().is_some_and(|closing| closing.complete)
    }
}

/// A line as it stands in the file, with its line feed.
///
/// # Errors
/// Never for the lines of this module: JSON fails only on maps whose keys are not text.
pub fn write_line(line: &Line) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
pub(crate) mod tests;
