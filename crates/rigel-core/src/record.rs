//! The record of a run: JSON lines, one per step, from which every output can be made again.
//!
//! The first line is the header (request, plan, facts), then one line per visit to a point, and a closing line. The
//! format has a major and a minor number: a reader reads every minor number of its major; a field that is added later
//! has a default and raises the minor number. Pure: bytes in, a [`Record`] out, and back. The journal that writes the
//! lines is `rigel-run`'s.

use crate::engine::{BufferFacts, EngineFacts};
use crate::error::Problem;
use crate::facts::{HostFacts, TargetFacts};
use crate::matrix::Point;
use crate::measure::{ClassTally, HungIo};
use crate::plan::Plan;
use crate::request::Request;
use crate::witness::Witness;
use crate::workload::Class;
use serde::{Deserialize, Serialize};

mod check;

/// Major number of the format; a change that old readers would misread raises it.
pub const FORMAT_MAJOR: u32 = 1;
/// Minor number of the format; an added field raises it.
pub const FORMAT_MINOR: u32 = 0;

/// One line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub enum Line {
    /// What is to be done, and where.
    Header(Box<Header>),
    /// One visit to one point.
    Visit(Box<Visit>),
    /// One visit of the search for load levels.
    Search(Box<Visit>),
    /// The plan with its points, after they were searched.
    Plan(Box<Plan>),
    /// The end.
    Closing(Closing),
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
    /// Stem of every output of the run: `<name>_<YYYYMMDD_HHMM>`, with a number when two runs began in one minute.
    pub run_id: String,
    /// Local time of the start, RFC 3339.
    pub started: String,
    /// What was asked for.
    pub request: Request,
    /// What was planned.
    pub plan: Plan,
    /// Who measured.
    pub host: HostFacts,
    /// What was measured.
    pub targets: Vec<TargetFacts>,
    /// The engine of worker 0; all workers have the same.
    pub engine: EngineFacts,
    /// The I/O buffers.
    pub buffers: BufferFacts,
}

/// Unmeasured load before a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarmUpDone {
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
    /// A long visit that starts a phase of a calibration; it shows limits and has no part in the estimates.
    Soak,
    /// A round of a calibration, counted from 0 in each phase.
    Round(u32),
    /// To a point that is done, while another one rests; it counts like the others.
    FillsGap,
    /// The search for load levels of a class.
    Search(Class),
}

/// One visit to one point: all workers added up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// Index of the step in the plan; of a visit of the search, its number there.
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
    /// The user or an error ended the window before its time.
    pub cut_short: bool,
    /// The warm-up, if one came before.
    pub warm_up: Option<WarmUpDone>,
    /// CPU time of all workers during settling, window and drain.
    pub worker_cpu_ns: Option<u64>,
    /// CPU time of the busiest of them.
    #[serde(default)]
    pub busiest_worker_cpu_ns: Option<u64>,
    /// Time from the start of the load to the end of the drain.
    pub loaded_ns: u64,
    /// Bytes moved in that time, failed I/Os left out.
    #[serde(default)]
    pub moved_bytes: u64,
    /// I/Os that did not come back; the run ends with this visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hung: Option<HungIo>,
    /// What happened on the host in that time; `None` when nobody watched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub witness: Option<Witness>,
    /// Small I/Os; `None` when the point has none.
    pub small: Option<ClassTally>,
    /// Large I/Os; `None` when the point has none.
    pub large: Option<ClassTally>,
}

/// The last line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// Local time of the end, RFC 3339.
    pub ended: String,
    /// Every step of the plan was measured in full.
    pub complete: bool,
    /// Why not, when not.
    pub reason: Option<String>,
}

/// A whole record.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The first line; its plan is the one that was made last.
    pub header: Header,
    /// The visits of the search for load levels, in the order in which they were made.
    pub search: Vec<Visit>,
    /// The visits to the points of the plan, in the order in which they were made.
    pub visits: Vec<Visit>,
    /// The last line; a run that was killed has none.
    pub closing: Option<Closing>,
    /// A last line that was not written whole; everything before it is good.
    pub torn: Option<TornLine>,
}

/// What is left of a line whose writing was interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornLine {
    /// Number of the line, from 1.
    pub line: usize,
    /// Byte offset where it begins.
    pub offset: usize,
}

impl Record {
    /// A record of which only the first line is known.
    #[must_use]
    pub const fn begun(header: Header) -> Self {
        Self { header, search: Vec::new(), visits: Vec::new(), closing: None, torn: None }
    }

    /// Whether every step was measured in full.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.closing.as_ref().is_some_and(|closing| closing.complete)
    }

    /// Reads a record. A last line without its line feed is set aside as torn; anything else that cannot be read is a
    /// problem.
    ///
    /// # Errors
    /// With the number of the line, the reason and what to do.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        let mut header: Option<Header> = None;
        let mut search = Vec::new();
        let mut visits = Vec::new();
        let mut closing = None;
        let mut torn = None;
        let mut offset = 0;
        for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let number = index + 1;
            let Some(text) = line.strip_suffix(b"\n") else {
                torn = Some(TornLine { line: number, offset });
                break;
            };
            offset += line.len();
            if closing.is_some() {
                return Err(broken(number, "something follows the closing line"));
            }
            match read_line(number, text)? {
                Line::Header(first) if number == 1 => {
                    check::header(number, &first)?;
                    header = Some(*first);
                }
                Line::Header(_) => return Err(broken(number, "a second header")),
                Line::Search(visit) if visits.is_empty() => {
                    check::visit(number, &visit)?;
                    search.push(*visit);
                }
                Line::Search(_) => return Err(broken(number, "a visit of the search after the search")),
                Line::Plan(plan) => replan(number, *plan, header.as_mut(), &visits)?,
                Line::Visit(visit) => visits.push(check_visit(number, *visit, header.as_ref())?),
                Line::Closing(last) => closing = Some(last),
            }
        }
        let header = header.ok_or_else(|| {
            Problem::usage("this is no record of Rigel")
                .because("the file is empty, or its first line was not written whole")
                .next("give the file that ends in _record.jsonl")
        })?;
        Ok(Self { header, search, visits, closing, torn })
    }
}

/// A line as it stands in the file, with its line feed.
///
/// # Errors
/// Never for the lines of this module; JSON could fail on a map with keys that are no text.
pub fn write_line(line: &Line) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn broken(line: usize, reason: &str) -> Problem {
    Problem::usage(format!("the record cannot be read: {reason}"))
        .at(format!("line {line}"))
        .because("the file was changed or damaged after Rigel wrote it")
        .next("use an undamaged copy; the lines before this one can be saved with `head`")
}

/// The same, of one field.
fn broken_at(line: usize, field: &str, reason: &str) -> Problem {
    broken(line, reason).at(format!("line {line}, field {field}"))
}

fn read_line(number: usize, text: &[u8]) -> Result<Line, Problem> {
    if number == 1 {
        check_format(text)?;
    }
    serde_json::from_slice(text).map_err(|error| broken(number, &error.to_string()))
}

/// Looks at the format number before anything else, so that a newer record gets the right message.
fn check_format(text: &[u8]) -> Result<(), Problem> {
    #[derive(Deserialize)]
    struct Peek {
        rigel_record: Format,
        program_version: Option<String>,
    }
    let peek: Peek = serde_json::from_slice(text).map_err(|_| {
        Problem::usage("this is no record of Rigel")
            .at("line 1")
            .because("the first line is not the header of a record")
            .next("give the file that ends in _record.jsonl")
    })?;
    if peek.rigel_record.major == FORMAT_MAJOR {
        return Ok(());
    }
    let writer = peek.program_version.unwrap_or_else(|| "unknown".into());
    Err(Problem::usage(format!(
        "the record has format {}, this program reads {FORMAT_MAJOR}",
        peek.rigel_record.major
    ))
    .at("line 1")
    .because(format!("it was written by Rigel {}", crate::path_text::encode_os(writer.as_ref())))
    .next("read it with that version or a later one"))
}

/// A plan that follows the search takes the place of the first one, as long as nothing was visited by it.
fn replan(number: usize, plan: Plan, header: Option<&mut Header>, visits: &[Visit]) -> Result<(), Problem> {
    let Some(header) = header.filter(|header| visits.is_empty() && header.plan.search.is_some()) else {
        return Err(broken(number, "a second plan"));
    };
    check::plan(number, &plan)?;
    header.plan = plan;
    Ok(())
}

fn check_visit(number: usize, visit: Visit, header: Option<&Header>) -> Result<Visit, Problem> {
    let Some(header) = header else {
        return Err(broken(number, "a visit before the header"));
    };
    check::visit(number, &visit)?;
    match header.plan.steps.get(visit.step) {
        Some(step) if step.point == visit.point => Ok(visit),
        _ => Err(broken(number, "a visit to a point that is not in the plan")),
    }
}

#[cfg(test)]
pub(crate) mod tests;
