//! The table of `sar -b`: reads and writes of all disks of the host together.
//!
//! It stands before that of the disks in the same file and covers the same times, so that it has a clock of its own. Must not know disks.

use super::super::SampleSink;
use super::super::locale::DayClock;
use super::super::seen::{shown, wrong};
use super::super::sysstat::is_for_people;
use super::check_time;
use crate::when::{self, Zone};
use crate::{Metric, Source, Span, Subject};
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use rigel_core::error::Problem;

/// The table, from its line of names on.
#[derive(Default)]
pub struct HostTable {
    columns: Option<Columns>,
    clock: Option<DayClock>,
    zone: Option<Zone>,
    /// The end of the interval before; unknown where the clock skipped it.
    last_ms: Option<i64>,
}

/// The columns of a row.
struct Columns {
    /// Words after the time that belong to it.
    of_time: usize,
    is_utc: bool,
    count: usize,
    reads: usize,
    writes: usize,
}

impl Columns {
    /// The names after the time of a line, if they are those of this table.
    fn of(words: &[&str]) -> Option<Self> {
        let at = |name: &str| words.iter().position(|word| *word == name);
        let of_time = at("tps").filter(|_| at("DEV").is_none())?;
        Some(Self {
            of_time,
            is_utc: words[..of_time].iter().any(|word| when::is_utc(word)),
            count: words.len() - of_time,
            reads: at("rtps")? - of_time,
            writes: at("wtps")? - of_time,
        })
    }
}

impl HostTable {
    /// For a run that began on a day.
    pub fn begun(day: Date) -> Self {
        Self { clock: Some(DayClock::begun(day)), ..Self::default() }
    }

    /// The table is over.
    pub fn end(&mut self) {
        self.columns = None;
        self.last_ms = None;
    }

    /// The column names, with the time at which its first interval begins, or a row after its time. Returns whether
    /// it was one of them; the names of another table end it.
    pub fn heading_or_row(
        &mut self,
        host: &str,
        time: Time,
        words: &[&str],
        number: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<bool, Problem> {
        if let Some(columns) = Columns::of(words) {
            check_time(&words[..columns.of_time], number)?;
            self.columns = Some(columns);
            self.last_ms = self.moment(time, number, out)?;
            return Ok(true);
        }
        if words.contains(&"DEV") {
            self.end();
        }
        let Some(columns) = self.columns.as_ref().filter(|_| words.first() != Some(&"COM")) else {
            return Ok(false);
        };
        let values = words.get(columns.of_time..).unwrap_or_default();
        if values.len() != columns.count {
            out.seen.unusable += 1;
            return Ok(true);
        }
        if let Some(word) = values.iter().find(|word| is_for_people(word)) {
            return Err(wrong(number, format!("'{}' is a rounded figure with a unit", shown(word)))
                .because("sar was started with -h")
                .next("create it again: sar -d -f FILE"));
        }
        let value = |at: usize| values[at].replace(',', ".").parse().unwrap_or(f64::NAN);
        let values = [(Metric::ReadOps, value(columns.reads)), (Metric::WriteOps, value(columns.writes))];
        let at_ms = self.moment(time, number, out)?;
        let last_ms = std::mem::replace(&mut self.last_ms, at_ms);
        if let Some(span) = last_ms.zip(at_ms).and_then(|(begin, end)| Span::between(begin, end)) {
            let key = out.key(host, Subject::host(), Source::Sadf);
            out.row(&key, span, &values);
            out.seen.parted_of_host = true;
        }
        Ok(true)
    }

    fn moment(&mut self, time: Time, number: u64, out: &mut SampleSink<'_>) -> Result<Option<i64>, Problem> {
        let Some(clock) = &mut self.clock else { return Ok(None) };
        let local = clock.moment(time);
        let is_utc = self.columns.as_ref().is_some_and(|columns| columns.is_utc);
        match (&out.options.zone, is_utc) {
            (Some(zone), false) => Ok(self.zone.get_or_insert_with(|| Zone::new(zone.clone())).moment(local)),
            _ => out.moment(local, is_utc.then_some(TimeZone::UTC), number),
        }
    }
}
