//! Snapshots of `pg_stat_io` of PostgreSQL, as CSV or JSON, each row with the time of its snapshot in the column `at`.
//!
//! All rows of a snapshot are added up. Until version 17 an operation has `op_bytes`; from 18 on bytes are counted, and the log is a row of its own.
//! The kernel's page cache may answer a read, so fewer reads reach the disk. Must not guess the name of the host.

use super::csv::{self, Csv};
use super::pieces::Pieces;
use super::seen::{shown, wrong};
use super::{Format, Room, SampleSink};
use crate::{Kind, Metric, Source, Span, Subject, when};
use rigel_core::error::Problem;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The block size of PostgreSQL, unless it was built with another.
const BLOCK: f64 = 8192.0;
/// Possible names of the time column: that of the documented query, or PostgreSQL's name for the expression.
const TIMES: [&str; 8] = [
    "at",
    "now",
    "clock_timestamp",
    "current_timestamp",
    "statement_timestamp",
    "localtimestamp",
    "ts",
    "snap_time",
];
const METRICS: [Metric; 7] = [
    Metric::ReadOps,
    Metric::WriteOps,
    Metric::ReadBytes,
    Metric::WriteBytes,
    Metric::ReadTime,
    Metric::WriteTime,
    Metric::RedoBytes,
];

/// A reader of it.
pub struct PgStatIo {
    text: Text,
    state: State,
}

enum Text {
    Csv(Csv),
    Json(Pieces),
}

#[derive(Default)]
struct State {
    /// The snapshot that is being added up, and the previous one.
    now: Option<Snapshot>,
    before: Option<Snapshot>,
    /// The rows of the snapshot.
    rows: BTreeSet<RowKey>,
    /// The time of the last row, as written and as interpreted.
    told: Option<(String, Option<i64>)>,
}

/// Rows this far apart are of one snapshot: `clock_timestamp()` advances from row to row.
const MOST_APART_MS: i64 = 1_000;

/// The numbers of a row that are read.
const COUNTERS: [&str; 10] = [
    "reads",
    "read_bytes",
    "read_time",
    "writes",
    "write_bytes",
    "write_time",
    "extends",
    "extend_bytes",
    "extend_time",
    "op_bytes",
];

/// What a row is about: each snapshot has it once.
type RowKey = [Option<String>; 3];

/// All rows of one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Milliseconds of the epoch.
    pub at_ms: i64,
    /// When the statistics were reset the last time, as the rows say.
    pub reset: String,
    /// Sums, in the order of `METRICS`.
    sums: [f64; 7],
}

/// What a row of `pg_stat_io` reports; omitted values are 0.
trait Row {
    /// A number.
    fn number(&self, name: &str) -> Option<f64>;
    /// A text.
    fn text(&self, name: &str) -> Option<String>;
    /// What an unread column contains: an unknown value, no number, or one without its last digits.
    fn unread(&self, name: &str) -> Option<String>;
}

impl Snapshot {
    /// Without rows.
    pub const fn new(at_ms: i64) -> Self {
        Self { at_ms, reset: String::new(), sums: [0.0; 7] }
    }

    fn add(&mut self, row: &impl Row) {
        let of = |name: &str| row.number(name).unwrap_or(0.0);
        let block = row.number("op_bytes").unwrap_or(BLOCK);
        let bytes = |name: &str, operations: f64| row.number(name).unwrap_or(operations * block);
        let (reads, writes, extends) = (of("reads"), of("writes"), of("extends"));
        let written = bytes("write_bytes", writes) + bytes("extend_bytes", extends);
        let is_log = row.text("object").is_some_and(|object| object == "wal");
        let more = [
            reads,
            writes + extends,
            bytes("read_bytes", reads),
            written,
            of("read_time") / 1_000.0,
            (of("write_time") + of("extend_time")) / 1_000.0,
            if is_log { written } else { 0.0 },
        ];
        self.sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        let reset = row.text("stats_reset").unwrap_or_default();
        if self.reset < reset {
            self.reset = reset;
        }
    }

    /// Adds a row that is a JSON object; anything else adds nothing.
    pub fn add_json(&mut self, text: &str) {
        if let Ok(row) = serde_json::from_str::<Map<String, Value>>(text) {
            self.add(&row);
        }
    }

    /// What happened since another snapshot; `None` if the statistics were reset in between.
    pub fn since(&self, before: &Self) -> Option<(Span, Vec<(Metric, f64)>)> {
        let span = Span::between(before.at_ms, self.at_ms)?;
        let fell = self.sums.iter().zip(before.sums).any(|(now, then)| *now < then);
        if fell || self.reset != before.reset {
            return None;
        }
        let seconds = f64::from(span.length_ms) / 1_000.0;
        let rates = METRICS.into_iter().zip(self.sums.iter().zip(before.sums));
        // Times and the log are counted by some servers only.
        let counted = |metric: Metric, sum: f64| {
            sum > 0.0 || !matches!(metric, Metric::ReadTime | Metric::WriteTime | Metric::RedoBytes)
        };
        let known = rates.filter(|(metric, (now, _))| counted(*metric, **now));
        Some((span, known.map(|(metric, (now, then))| (metric, (now - then) / seconds)).collect()))
    }
}

impl PgStatIo {
    /// A reader for a file.
    pub fn new(format: Format) -> Self {
        let text = match format {
            Format::PgStatIoJson => Text::Json(Pieces::of("")),
            _ => Text::Csv(Csv::of(format)),
        };
        Self { text, state: State::default() }
    }
}

impl Room for PgStatIo {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let state = &mut self.state;
        match &mut self.text {
            Text::Json(pieces) => pieces.cut(bytes, |piece| state.object(piece.json, piece.line, out)),
            Text::Csv(csv) => csv.cut(bytes, |row| state.row(row, row.line, out)),
        }
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let state = &mut self.state;
        let is_cut = match &mut self.text {
            Text::Json(pieces) => {
                let ended = pieces.end();
                let is_cut = ended.is_err();
                out.takes_what_is_whole(
                    ended,
                    "the file ends in the middle: only complete snapshots are used",
                )?;
                is_cut
            }
            Text::Csv(csv) => {
                let is_cut = csv.end(|row| state.row(row, row.line, out))?;
                csv.tell(is_cut, out);
                is_cut
            }
        };
        if is_cut {
            // The rows of the last snapshot are not all there.
            state.now = None;
        }
        state.snapshot(None, 0, out)
    }
}

impl State {
    fn object(&mut self, json: &[u8], line: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let row: Map<String, Value> = serde_json::from_slice(json)
            .map_err(|error| wrong(line, format!("this is not a row: {}", shown(&error.to_string()))))?;
        self.row(&row, line, out)
    }

    fn row(&mut self, row: &impl Row, line: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let text = TIMES.into_iter().find_map(|name| row.text(name)).ok_or_else(|| {
            wrong(line, "a row has no time")
                .because("the query leaves out now()")
                .next("ask: SELECT now() AS at, * FROM pg_stat_io")
        })?;
        let Some(at_ms) = self.moment(&text, line, out)? else { return Ok(()) };
        check(row, line)?;
        let about = ["backend_type", "object", "context"].map(|name| row.text(name));
        let is_of_now = self.now.as_ref().is_some_and(|now| {
            now.at_ms == at_ms
                || ((0..MOST_APART_MS).contains(&(at_ms - now.at_ms)) && !self.rows.contains(&about))
        });
        if !is_of_now {
            self.snapshot(Some(Snapshot::new(at_ms)), line, out)?;
            self.rows.clear();
        }
        self.rows.insert(about);
        if let Some(now) = &mut self.now {
            now.add(row);
        }
        Ok(())
    }

    /// The time of a snapshot, equal in all of its rows; `None` for a local time that never existed.
    fn moment(&mut self, text: &str, line: u64, out: &mut SampleSink<'_>) -> Result<Option<i64>, Problem> {
        if let Some((_, at_ms)) = self.told.as_ref().filter(|(told, _)| told == text) {
            return Ok(*at_ms);
        }
        let at_ms = match (when::with_offset(text), when::without_offset(text)) {
            (Some(at_ms), _) => Some(at_ms),
            (None, Some(local)) => out.moment(local, None, line)?,
            (None, None) => {
                return Err(wrong(line, format!("'{}' is not a date and time", shown(text)))
                    .because("the session has another DateStyle than ISO")
                    .next("ask: SELECT now() AS at, * FROM pg_stat_io, after SET datestyle = ISO"));
            }
        };
        self.told = Some((text.to_owned(), at_ms));
        Ok(at_ms)
    }

    /// A snapshot is complete; the next one begins.
    fn snapshot(
        &mut self,
        next: Option<Snapshot>,
        line: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let whole = std::mem::replace(&mut self.now, next);
        let Some(whole) = whole else { return Ok(()) };
        out.check_host("", line.max(1))?;
        if let Some(before) = &self.before {
            match whole.since(before) {
                _ if whole.at_ms <= before.at_ms => out.seen.backwards += 1,
                Some((span, values)) => {
                    let subject = Subject::named(Kind::Database, "postgresql");
                    let key = out.key("", subject, Source::PgStatIo);
                    out.row(&key, span, &values);
                }
                None => out.seen.resets += 1,
            }
        }
        self.before = Some(whole);
        Ok(())
    }
}

/// Refuses a row with a counter that would count as 0.
fn check(row: &impl Row, line: u64) -> Result<(), Problem> {
    let Some((name, text)) = COUNTERS.into_iter().find_map(|name| Some((name, row.unread(name)?))) else {
        return Ok(());
    };
    if csv::has_lost_digits(&text) {
        return Err(csv::lost_digits(&text, name, line));
    }
    Err(wrong(line, format!("'{}' in the column {name} is not a number", shown(&text)))
        .because("it has separators of thousands, or the columns differ")
        .next("save the rows with psql --csv"))
}

impl Row for csv::Row<'_> {
    fn unread(&self, name: &str) -> Option<String> {
        let text = self.text(name);
        let is_unread =
            !text.is_empty() && !text.eq_ignore_ascii_case("null") && csv::Row::number(self, name).is_none();
        (is_unread || csv::has_lost_digits(text)).then(|| text.to_owned())
    }

    fn number(&self, name: &str) -> Option<f64> {
        csv::Row::number(self, name)
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.text(name);
        (!text.is_empty()).then(|| text.to_owned())
    }
}

impl Row for Map<String, Value> {
    fn unread(&self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        let is_read = value.is_null() || self.number(name).is_some();
        (!is_read).then(|| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    fn number(&self, name: &str) -> Option<f64> {
        let value = self.get(name)?;
        value.as_f64().or_else(|| value.as_str()?.parse().ok())
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(self.get(name)?.as_str()?.to_owned())
    }
}
