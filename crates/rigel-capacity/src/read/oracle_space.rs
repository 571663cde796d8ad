//! CSV of Oracle's `DBA_HIST_TBSPC_SPACE_USAGE`: the space in use of all tablespaces at each snapshot of AWR.
//!
//! Rows of one snapshot, whether of the database or of a tablespace each, are added up. Must not take the size of files for that of the storage.

use super::csv::{Csv, Row};
use super::oracle::{WrittenTime, number, time_in};
use super::{Format, Room, SampleSink};
use crate::when::Zone;
use crate::{HOUR_MS, Key, Metric, Span, Subject};
use rigel_core::error::Problem;
use std::collections::BTreeMap;

/// The longest time that a snapshot represents: of a level only the end counts.
const MOST_MS: i64 = HOUR_MS;

/// A reader of it.
pub struct OracleSpace {
    csv: Csv,
    state: State,
}

#[derive(Default)]
struct State {
    /// The snapshot whose rows come.
    open: Option<Snapshot>,
    /// The database of the last snapshot, and its time.
    last: Option<(Key, i64)>,
    clocks: BTreeMap<Key, Clock>,
}

/// The last time of a database, as reported and as interpreted, and its clock.
#[derive(Default)]
struct Clock {
    last: Option<(WrittenTime, Option<i64>)>,
    zone: Option<Zone>,
}

struct Snapshot {
    key: Key,
    number: String,
    at_ms: i64,
    used_bytes: f64,
}

impl OracleSpace {
    /// A reader for a file.
    pub fn new() -> Self {
        Self { csv: Csv::of(Format::AwrSpace), state: State::default() }
    }
}

impl Room for OracleSpace {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { csv, state } = self;
        csv.cut(bytes, |row| state.row(row, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { csv, state } = self;
        let is_cut = csv.end(|row| state.row(row, out))?;
        csv.tell(is_cut, out);
        if is_cut {
            // The rows of the last snapshot are not all there.
            state.open = None;
        }
        state.close(out);
        Ok(())
    }
}

impl State {
    fn row(&mut self, row: &Row<'_>, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let host = row.text("host_name");
        out.check_host(host, row.line)?;
        let subject = Subject::instance(row.text("db_name"), row.text("instance_number"), row.text("dbid"));
        let key = out.key(host, subject, Format::AwrSpace.source());
        let used_bytes = number(row, "used_bytes")?;
        let Some(at_ms) = self.moment(&key, time_in(row, "snap_time", out)?, row.line, out)? else {
            return Ok(());
        };
        // Without a number the moment tells snapshots apart.
        let number = match row.text("snap_id") {
            "" => at_ms.to_string(),
            number => number.to_owned(),
        };
        match &mut self.open {
            Some(open) if open.key == key && open.number == number => {
                open.used_bytes += used_bytes;
                open.at_ms = open.at_ms.max(at_ms);
            }
            _ => {
                self.close(out);
                self.open = Some(Snapshot { key, number, at_ms, used_bytes });
            }
        }
        Ok(())
    }

    /// Milliseconds of the epoch, equal in all rows of a snapshot; `None` for a local time that never existed.
    fn moment(
        &mut self,
        key: &Key,
        told: WrittenTime,
        line: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<Option<i64>, Problem> {
        let Clock { last, zone } = self.clocks.entry(key.clone()).or_default();
        let at_ms = match (told, &*last) {
            (told, Some((before, at_ms))) if told == *before => *at_ms,
            (WrittenTime::At(at_ms), _) => Some(at_ms),
            (WrittenTime::Local(local), _) => out.moment_of(zone, local, None, line)?,
        };
        *last = Some((told, at_ms));
        Ok(at_ms)
    }

    /// The rows of a snapshot are over.
    fn close(&mut self, out: &mut SampleSink<'_>) {
        let Some(Snapshot { key, at_ms, used_bytes, .. }) = self.open.take() else { return };
        let before = self.last.take().filter(|(of, _)| *of == key).map(|(_, before_ms)| before_ms);
        if before.is_some_and(|before_ms| before_ms >= at_ms) {
            out.seen.backwards += 1;
            self.last = before.map(|before_ms| (key, before_ms));
            return;
        }
        let begin_ms = before.unwrap_or(i64::MIN).max(at_ms - MOST_MS);
        if let Some(span) = Span::between(begin_ms, at_ms) {
            out.row(&key, span, &[(Metric::UsedBytes, used_bytes)]);
        }
        self.last = Some((key, at_ms));
    }
}
