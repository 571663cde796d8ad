//! A record from its lines, each checked for its place.
//!
//! Must not judge numbers; [`super::check`] does.

use super::damage::{broken, broken_at};
use super::form;
use super::{ClosingLine, FORMAT_MAJOR, Format, Interval, Line, Record, ResumedLine, TornLine, Visit, check};
use crate::error::Problem;
use crate::load::plan::Plan;
use serde::Deserialize;

impl Record {
    /// Reads a record. A last line without its line feed is set aside as torn; anything else that cannot be read is a
    /// problem.
    ///
    /// # Errors
    /// With the number of the line, the reason and what to do.
    pub fn read(bytes: &[u8]) -> Result<Self, Problem> {
        if let Some(problem) = form::other_form(bytes) {
            return Err(problem);
        }
        let lines = form::lines(bytes);
        let mut reader: Option<Reader> = None;
        let mut torn = None;
        let mut offset = bytes.len() - lines.len();
        for (number, line) in (1..).zip(lines.split_inclusive(|&byte| byte == b'\n')) {
            let Some(text) = line.strip_suffix(b"\n") else {
                torn = Some(TornLine { line: number, offset });
                break;
            };
            offset += line.len();
            match &mut reader {
                None => reader = Some(Reader::begin(number, text)?),
                Some(reader) => reader.line(number, text)?,
            }
        }
        let Reader { mut record } = reader.ok_or_else(|| {
            Problem::usage("this is not a Rigel record")
                .because("the file is empty, or its first line is incomplete")
                .next("give the file that ends in _record.jsonl")
        })?;
        record.end_open_visit();
        Ok(Self { torn, ..record })
    }
}

/// The part of a record that has been read.
struct Reader {
    record: Record,
}

impl Reader {
    fn begin(number: usize, text: &[u8]) -> Result<Self, Problem> {
        check_format(text)?;
        match parse(number, text)? {
            Line::Header(header) => {
                check::header(number, &header)?;
                Ok(Self { record: Record::begun(*header) })
            }
            _ => Err(broken(number, "the first line is not a header")),
        }
    }

    fn line(&mut self, number: usize, text: &[u8]) -> Result<(), Problem> {
        let line = parse(number, text)?;
        let record = &mut self.record;
        match line {
            Line::Resumed(resumed) => return self.resumed(number, resumed),
            _ if record.closing.is_some() => {
                return Err(broken(number, "there is data after the closing line"));
            }
            Line::Header(_) => return Err(broken(number, "a second header")),
            Line::Search(visit) => {
                if !record.visits.is_empty() {
                    return Err(broken(number, "a search visit appears after the search"));
                }
                check::visit(number, &record.header.request, &visit)?;
                self.check_number(number, &visit)?;
                self.record.search.push(*visit);
            }
            Line::Interval(interval) => {
                check::interval(number, &record.header.request, &interval)?;
                let behind =
                    |last: &Interval| interval.visit < last.visit || interval.began_ns < last.began_ns;
                if record.intervals.last().is_some_and(behind) {
                    return Err(broken(number, "an interval starts before the previous one"));
                }
                record.intervals.push(*interval);
            }
            Line::Drives(look) => {
                check::drives(number, &look)?;
                record.drives.push(look);
            }
            Line::Mark(mark) => {
                check::mark(number, &mark)?;
                record.marks.push(mark);
            }
            Line::Plan(plan) => self.replan(number, *plan)?,
            Line::Visit(visit) => {
                self.check_visit(number, &visit)?;
                self.record.visits.push(*visit);
            }
            Line::Closing(last) => record.closing = Some(last),
        }
        Ok(())
    }

    /// The run resumes: what the interruption cut short does not count.
    fn resumed(&mut self, number: usize, resumed: ResumedLine) -> Result<(), Problem> {
        check::resumed(number, &resumed)?;
        let record = &mut self.record;
        if record.closing.as_ref().is_some_and(|ClosingLine { complete, .. }| *complete) {
            return Err(broken(number, "a complete run continues"));
        }
        record.closing = None;
        record.end_open_visit();
        for _ in 0..resumed.set_aside {
            match record.visits.pop().or_else(|| record.search.pop()) {
                Some(visit) => record.set_aside.push(visit),
                None => return Err(broken(number, "a visit is set aside, but there is none")),
            }
        }
        let kept = record.search.len() + record.visits.len();
        if kept as u64 != resumed.kept {
            return Err(broken(number, &format!("{} visits were kept, {kept} exist", resumed.kept)));
        }
        // Those of a visit that is made again are not part of it.
        record.intervals.retain(|interval| interval.visit < resumed.kept);
        record.resumed.push(resumed);
        Ok(())
    }

    /// A plan that follows the search replaces the first one, unless it has been used for a visit.
    fn replan(&mut self, number: usize, plan: Plan) -> Result<(), Problem> {
        let Record { header, visits, .. } = &mut self.record;
        if !visits.is_empty() || !header.plan.searches() {
            return Err(broken(number, "a second plan"));
        }
        check::plan(number, &header.request, &plan)?;
        header.plan = plan;
        Ok(())
    }

    fn check_visit(&self, number: usize, visit: &Visit) -> Result<(), Problem> {
        check::visit(number, &self.record.header.request, visit)?;
        if visit.nodes.len() > self.record.header.nodes.all().len() {
            return Err(broken_at(number, "nodes", "more nodes than the header has"));
        }
        match self.record.header.plan.steps.get(visit.step) {
            Some(step) if step.point == visit.point => self.check_number(number, visit),
            _ => Err(broken(number, "a visit to a point that is not in the plan")),
        }
    }

    /// Visits are numbered through the search and the plan. One that was set aside is made again under its number.
    fn check_number(&self, number: usize, visit: &Visit) -> Result<(), Problem> {
        let next = (self.record.search.len() + self.record.visits.len()) as u64;
        if visit.number == next {
            return Ok(());
        }
        let reason = format!(
            "visit {} is where visit {next} has to be: a line is missing, doubled or in another place",
            visit.number
        );
        Err(broken_at(number, "number", &reason))
    }
}

fn parse(number: usize, text: &[u8]) -> Result<Line, Problem> {
    typed(text).map_err(|error| broken(number, &error.to_string()))
}

/// Checks the kind of a line first, and then reads it as that. Left to serde, a line would become a tree of values that every
/// type is read from once more: slower, and half a megabyte of code.
pub(super) fn typed(text: &[u8]) -> serde_json::Result<Line> {
    #[derive(Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Header,
        Visit,
        Interval,
        Search,
        Plan,
        Resumed,
        Drives,
        Mark,
        Closing,
    }
    #[derive(Deserialize)]
    struct Peek {
        line: Kind,
    }
    let peek: Peek = serde_json::from_slice(text)?;
    Ok(match peek.line {
        Kind::Header => Line::Header(serde_json::from_slice(text)?),
        Kind::Visit => Line::Visit(serde_json::from_slice(text)?),
        Kind::Interval => Line::Interval(serde_json::from_slice(text)?),
        Kind::Search => Line::Search(serde_json::from_slice(text)?),
        Kind::Plan => Line::Plan(serde_json::from_slice(text)?),
        Kind::Resumed => Line::Resumed(serde_json::from_slice(text)?),
        Kind::Drives => Line::Drives(serde_json::from_slice(text)?),
        Kind::Mark => Line::Mark(serde_json::from_slice(text)?),
        Kind::Closing => Line::Closing(serde_json::from_slice(text)?),
    })
}

/// Checks the format number before anything else, so a newer record gets the right message.
fn check_format(text: &[u8]) -> Result<(), Problem> {
    #[derive(Deserialize)]
    struct Peek {
        rigel_record: Format,
        program_version: Option<String>,
    }
    let peek: Peek = serde_json::from_slice(text).map_err(|_| {
        Problem::usage("this is not a Rigel record")
            .at("line 1")
            .because("the first line is not the header of a record")
            .next("give the file that ends in _record.jsonl")
    })?;
    if peek.rigel_record.major == FORMAT_MAJOR {
        return Ok(());
    }
    let major = peek.rigel_record.major;
    let problem =
        Problem::usage(format!("the record has format {major}, but this program reads {FORMAT_MAJOR}"))
            .at("line 1");
    if major < FORMAT_MAJOR {
        return Err(problem.because("it was written before the first release").next("measure again"));
    }
    let writer = peek.program_version.unwrap_or_else(|| "unknown".into());
    Err(problem
        .because(format!("it was written by Rigel {}", crate::path_text::encode_os(writer.as_ref())))
        .next("read it with that version or a later one"))
}
