//! CSV of Oracle: `DBA_HIST_SYSMETRIC_SUMMARY` of AWR (means of intervals) and `STATS$SYSSTAT` of Statspack (counters at snapshots).
//!
//! The queries are in the documentation, and their columns are found by name. Times are those of the database's host, so they need a zone unless
//! they have an offset. Must not read other statistics.

use super::csv::{Csv, Row};
use super::differences::Run;
use super::locale::Dates;
use super::seen::{shown, wrong};
use super::{Format, Room, SampleSink};
use crate::counter::Counter;
use crate::{Key, Metric, Span, Subject, when};
use rigel_core::error::Problem;
use std::collections::BTreeMap;

/// Names in AWR and in Statspack, in lower case.
pub const STATISTICS: [(&str, &str, Metric); 7] = [
    ("physical read total io requests per sec", "physical read total io requests", Metric::ReadOps),
    ("physical write total io requests per sec", "physical write total io requests", Metric::WriteOps),
    ("physical read total bytes per sec", "physical read total bytes", Metric::ReadBytes),
    ("physical write total bytes per sec", "physical write total bytes", Metric::WriteBytes),
    ("redo generated per sec", "redo size", Metric::RedoBytes),
    ("redo writes per sec", "redo writes", Metric::RedoOps),
    ("user commits per sec", "user commits", Metric::Commits),
];

/// A reader of it.
pub struct Oracle {
    csv: Csv,
    state: State,
}

struct State {
    format: Format,
    instances: BTreeMap<Key, Instance>,
    run: Run,
}

/// The counters of an instance since it was started.
struct Instance {
    started: String,
    counters: BTreeMap<Metric, Counter>,
}

impl Oracle {
    /// A reader for a file.
    pub fn new(format: Format) -> Self {
        let state = State { format, instances: BTreeMap::new(), run: Run::default() };
        Self { csv: Csv::of(format), state }
    }
}

impl Room for Oracle {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { csv, state } = self;
        csv.cut(bytes, |row| state.row(row, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { csv, state } = self;
        let is_cut = csv.end(|row| state.row(row, out))?;
        csv.tell(is_cut, out);
        state.run.end(out);
        Ok(())
    }
}

impl State {
    fn row(&mut self, row: &Row<'_>, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let host = row.text("host_name");
        out.check_host(host, row.line)?;
        let key = out.key(
            host,
            Subject::instance(row.text("db_name"), row.text("instance_number"), row.text("dbid")),
            self.format.source(),
        );
        let is_awr = self.format == Format::Awr;
        let name = row.text(if is_awr { "metric_name" } else { "name" });
        let is_name =
            |of: &&(&str, &str, Metric)| name.eq_ignore_ascii_case(if is_awr { of.0 } else { of.1 });
        let Some(&(_, _, metric)) = STATISTICS.iter().find(is_name) else {
            out.seen.leaves_out(name);
            return Ok(());
        };
        if is_awr { self.mean(row, &key, metric, out) } else { self.count(row, &key, metric, out) }
    }

    /// The mean of an interval, as AWR has it.
    fn mean(
        &mut self,
        row: &Row<'_>,
        key: &Key,
        metric: Metric,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let (begin, end) = (moment(row, "begin_time", out)?, moment(row, "end_time", out)?);
        let (Some(begin), Some(end)) = (begin, end) else { return Ok(()) };
        let value = number(row, "average")?;
        match Span::between(begin, end) {
            Some(span) => self.run.take(key, metric, span, value, out),
            None => out.seen.backwards += 1,
        }
        Ok(())
    }

    /// A counter at a snapshot, as Statspack has it.
    fn count(
        &mut self,
        row: &Row<'_>,
        key: &Key,
        metric: Metric,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let Some(at) = moment(row, "snap_time", out)? else { return Ok(()) };
        let value = number(row, "value")?;
        let started = row.text("startup_time");
        let begin = || Instance { started: started.to_owned(), counters: BTreeMap::new() };
        let instance = self.instances.entry(key.clone()).or_insert_with(begin);
        if instance.started != started {
            out.seen.reboots += 1;
            *instance = begin();
        }
        let counter = instance.counters.entry(metric).or_insert_with(Counter::exact);
        if let Some((span, rate)) = out.seen.rate(counter.read(at, value)) {
            self.run.take(key, metric, span, rate, out);
        }
        Ok(())
    }
}

/// The number in a column.
///
/// # Errors
/// When it is none.
pub fn number(row: &Row<'_>, name: &str) -> Result<f64, Problem> {
    let text = row.text(name);
    row.number(name).ok_or_else(|| {
        wrong(row.line, format!("'{}' in the column {name} is not a number", shown(text)))
            .because("its comma may separate decimals or thousands, or the columns differ")
            .next("run the documented query again; it sets NLS_NUMERIC_CHARACTERS")
    })
}

/// The moment in a column; none when its local time is one that the clock skipped.
///
/// # Errors
/// When it is none, or needs a zone.
pub fn moment(row: &Row<'_>, name: &str, out: &mut SampleSink<'_>) -> Result<Option<i64>, Problem> {
    let text = row.text(name);
    if let Some(at_ms) = when::with_offset(text) {
        return Ok(Some(at_ms));
    }
    let local = match when::without_offset(text) {
        Some(local) => local,
        // The format of a session: its order is asked for.
        None if is_in_numbers(text) => Dates::of_database().moment(text, out.options.dates, row.line)?,
        None => {
            return Err(wrong(
                row.line,
                format!("'{}' in the column {name} is not a date and time", shown(text)),
            )
            .because("the session uses its own date format")
            .next("run the documented query, which writes 2026-11-24 18:10:00"));
        }
    };
    out.moment(local, None, row.line)
}

/// Whether a date is three numbers, such as `10-06-26`.
fn is_in_numbers(text: &str) -> bool {
    let date = text.split(' ').next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    date.split(['-', '/', '.']).count() == 3 && date.split(['-', '/', '.']).all(is_number)
}
