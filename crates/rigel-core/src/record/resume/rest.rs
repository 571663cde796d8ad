//! Whether what a run did not measure can be measured later, as its record tells it.
//!
//! Must not say so of anything that the program would then refuse. The state of the host is checked when the run is resumed.

use crate::facts::TargetFacts;
use crate::load::class::Class;
use crate::load::request::Request;
use crate::record::{End, Record};

/// What is possible with the rest of a run that ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It can be measured.
    Open,
    /// The run removed its own scratch file.
    NoScratch,
    /// The run used up its time, which cannot be changed.
    NoTime,
    /// The table was removed after the run: that of commits always, another one where the user asked for it.
    NoTable,
}

impl Rest {
    /// For a run that ended early and in order; `None` for every other one. A run that was killed cleaned nothing up.
    pub fn of(record: &Record) -> Option<Self> {
        let closing = record.closing.as_ref().filter(|closing| !closing.complete)?;
        let request = &record.header.request;
        let is_gone = |target: &TargetFacts| target.scratch.is_some_and(|file| file.own && !file.kept);
        Some(match closing.end {
            Some(End::OutOfTime) => Self::NoTime,
            _ if is_without_table(request) => Self::NoTable,
            // A soak leaves its file.
            _ if request.soak().is_none() && record.header.targets.iter().any(is_gone) => Self::NoScratch,
            _ => Self::Open,
        })
    }
}

/// Only what was typed says whether the table of a server that is there was to be removed.
fn is_without_table(request: &Request) -> bool {
    let drops = || request.command_line.split_whitespace().any(|word| word == "--drop");
    request.sql().is_some() && (request.class(Class::COMMIT).is_some() || drops())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ScratchFacts;
    use crate::load::sql::{Probe, Product, ReportBy, ServerChoice, SqlLevel, SqlRequest};
    use crate::load::task::Through;
    use crate::record::ClosingLine;
    use crate::record::tests::header;

    fn ended(end: End) -> Record {
        let closing = ClosingLine { ended: "now".into(), complete: false, reason: None, end: Some(end) };
        Record { closing: Some(closing), ..Record::begun(header()) }
    }

    #[test]
    fn what_the_run_put_away_or_used_up_is_not_gone_on_with() {
        assert_eq!(Rest::of(&Record::begun(header())), None, "it was killed, or goes on");
        assert_eq!(Rest::of(&ended(End::Stopped)), Some(Rest::Open));
        assert_eq!(Rest::of(&ended(End::GaveUp)), Some(Rest::Open));
        assert_eq!(Rest::of(&ended(End::OutOfTime)), Some(Rest::NoTime));
        let mut record = ended(End::Stopped);
        for (own, kept, rest) in
            [(true, false, Rest::NoScratch), (true, true, Rest::Open), (false, false, Rest::Open)]
        {
            let scratch = ScratchFacts { seed: 1, used_before: false, own, kept };
            record.header.targets[0].scratch = Some(scratch);
            assert_eq!(Rest::of(&record), Some(rest), "{own} {kept}");
        }
        record.closing.as_mut().unwrap().complete = true;
        assert_eq!(Rest::of(&record), None);
    }

    #[test]
    fn a_table_that_was_to_be_removed_is_not_gone_on_with() {
        let rest = |command_line: &str| {
            let mut record = ended(End::Stopped);
            record.header.request.command_line = command_line.to_owned();
            record.header.request.through = Through::Sql(SqlRequest {
                product: Product::Mysql,
                level: SqlLevel::Simple,
                probe: Probe::Batch,
                report: ReportBy::Range,
                server: ServerChoice::There,
            });
            Rest::of(&record)
        };
        assert_eq!(rest("sql simple --dsn DSN --drop"), Some(Rest::NoTable));
        assert_eq!(rest("sql simple --dsn DSN --name x--drop"), Some(Rest::Open));
    }
}
