//! A record in memory, for runs that are not needed again: trials of the statistics on simulated devices.

use super::Journal;
use rigel_core::error::{ExitKind, Problem};
use rigel_core::record::{Line, Record};

/// Stores the lines of a run.
#[derive(Debug, Default)]
pub struct Memory(Option<Record>);

impl Memory {
    /// The record; `None` without a header.
    pub fn into_record(self) -> Option<Record> {
        self.0
    }
}

impl Journal for Memory {
    fn append(&mut self, line: &Line) -> Result<(), Problem> {
        match (line.clone(), &mut self.0) {
            (Line::Header(header), place @ None) => *place = Some(Record::begun(*header)),
            (Line::Visit(visit), Some(record)) => record.visits.push(*visit),
            (Line::Interval(interval), Some(record)) => record.intervals.push(*interval),
            (Line::Search(visit), Some(record)) => record.search.push(*visit),
            (Line::Drives(look), Some(record)) => record.drives.push(look),
            (Line::Mark(mark), Some(record)) => record.marks.push(mark),
            (Line::Plan(plan), Some(record)) => record.header.plan = *plan,
            (Line::Closing(closing), Some(record)) => record.closing = Some(closing),
            // What was interrupted is gone with the process that had it in memory.
            (Line::Header(_), Some(_)) | (Line::Resumed(_), _) | (_, None) => {
                return Err(Problem::new(ExitKind::Bug, "the lines of a record came in the wrong order"));
            }
        }
        Ok(())
    }
}
