//! CSV of Oracle: `DBA_HIST_SYSMETRIC_SUMMARY` of AWR (means of intervals) and `STATS$SYSSTAT` of Statspack (counters at snapshots).
//!
//! The queries are in the documentation, and their columns are found by name. Times are those of the database's host, so they need a zone unless
//! they have an offset. Rows may be in any order. Must not read other statistics.

mod counters;
mod interval;

use super::csv::{Csv, Row, has_lost_digits, lost_digits};
use super::differences::Run;
use super::locale::{Dates, time_of_day};
use super::oracle_report::notation;
use super::seen::{DateOrder, shown, wrong};
use super::{Format, Room, SampleSink};
use crate::{Key, Metric, Subject, when};
use counters::{Counters, Reading};
use interval::Intervals;
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};
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

/// Separators in a date, and in a time of day.
const PARTS: usize = 3;

/// A reader of it.
pub struct Oracle {
    csv: Csv,
    state: State,
}

struct State {
    format: Format,
    intervals: BTreeMap<(Key, Metric), Intervals>,
    counters: Counters,
    container: Option<String>,
    run: Run,
}

/// A time as a row has it, in UTC or by a local clock.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum WrittenTime {
    /// Milliseconds of the epoch.
    At(i64),
    Local(DateTime),
}

/// Columns that distinguish containers of a database.
const CONTAINERS: [&str; 2] = ["con_id", "con_dbid"];
/// What replaces an unknown number; one that is too long for its column is a row of `#`.
const UNKNOWN: [&str; 6] = ["", "null", "(null)", "n/a", "nan", "-"];

impl Oracle {
    /// A reader for a file.
    pub fn new(format: Format) -> Self {
        let state = State {
            format,
            intervals: BTreeMap::new(),
            counters: Counters::default(),
            container: None,
            run: Run::default(),
        };
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
        state.counters.write(&mut state.run, out)?;
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
        self.check_container(row, out)?;
        if is_awr { self.mean(row, &key, metric, out) } else { self.count(row, &key, metric, out) }
    }

    /// Refuses rows of several containers, each of which does a part of what the database does.
    fn check_container(&mut self, row: &Row<'_>, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Some(column) = CONTAINERS.into_iter().find(|name| row.has(name)) else { return Ok(()) };
        let found = row.text(column);
        let known = self.container.get_or_insert_with(|| found.to_owned());
        if known != found {
            let (one, column) = (shown(known), column.to_ascii_uppercase());
            return Err(wrong(
                row.line,
                format!("the rows are of several containers: {column} is {one} and {}", shown(found)),
            )
            .because("views such as DBA_HIST_CON_SYSSTAT have a row for each of them, and Rigel keeps whole databases")
            .next("query DBA_HIST_SYSMETRIC_SUMMARY or DBA_HIST_SYSSTAT in the root container"));
        }
        if column == CONTAINERS[0] && found.parse().is_ok_and(|number: u32| number > 1) {
            out.seen.notes.insert(
                "the rows are of one pluggable database (CON_ID): its load is a part of the whole database's",
            );
        }
        Ok(())
    }

    /// The mean of an interval, as AWR has it.
    fn mean(
        &mut self,
        row: &Row<'_>,
        key: &Key,
        metric: Metric,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        let (begin, end) = (time_in(row, "begin_time", out)?, time_in(row, "end_time", out)?);
        let value = number(row, "average")?;
        let is_there = |told: WrittenTime| match (told, &out.options.zone) {
            (WrittenTime::Local(local), Some(zone)) => !when::moments(zone, local).is_empty(),
            _ => true,
        };
        if !is_there(begin) || !is_there(end) {
            out.seen.skipped += 1;
            return Ok(());
        }
        let intervals = self.intervals.entry((key.clone(), metric)).or_default();
        match intervals.next(begin, end, out.options.zone.as_ref()) {
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
        let told = time_in(row, "snap_time", out)?;
        if has_lost_digits(row.text("value")) {
            return Err(lost_digits(row.text("value"), "value", row.line));
        }
        let value = number(row, "value")?;
        if value.is_nan() {
            out.seen.unusable += 1;
            return Ok(());
        }
        let life = self.counters.life(row.text("startup_time"));
        let reading = Reading { told, life, value, line: row.line };
        self.counters.take(key, metric, reading, &mut self.run, out)
    }
}

/// The number in a column; NaN if unknown.
///
/// # Errors
/// When it is not a number.
pub fn number(row: &Row<'_>, name: &str) -> Result<f64, Problem> {
    let text = row.text(name);
    if row.has(name)
        && (text.bytes().all(|byte| byte == b'#')
            || UNKNOWN.iter().any(|word| text.eq_ignore_ascii_case(word)))
    {
        return Ok(f64::NAN);
    }
    row.number(name).ok_or_else(|| {
        wrong(row.line, format!("'{}' in the column {name} is not a number", shown(text)))
            .because("its comma may separate decimals or thousands, or the columns differ")
            .next("run the documented query again; it sets NLS_NUMERIC_CHARACTERS")
    })
}

/// The time in a column.
///
/// # Errors
/// When it is not a time, or needs a zone.
pub fn time_in(row: &Row<'_>, name: &str, out: &mut SampleSink<'_>) -> Result<WrittenTime, Problem> {
    if !row.has(name) {
        return Err(wrong(row.line, format!("there is no column {}", name.to_ascii_uppercase()))
            .because("the query that wrote the file selects other columns")
            .next("run the documented query"));
    }
    let text = row.text(name);
    if let Some(at_ms) = when::with_offset(text) {
        return Ok(WrittenTime::At(at_ms));
    }
    let (local, zone) = match when::without_offset(text) {
        Some(local) => (local, None),
        None => of_session(text, out.options.dates, row.line)?,
    };
    match (zone, &out.options.zone) {
        (None, Some(_)) => Ok(WrittenTime::Local(local)),
        // What has an offset has one moment, and what has none and no zone is refused.
        (zone, _) => {
            Ok(out.moment(local, zone, row.line)?.map_or(WrittenTime::Local(local), WrittenTime::At))
        }
    }
}

/// A time in the format of a session: `13-JUN-26 08.00.05.000000000 PM`, `13.06.26 20:00:05,000000000`, followed by
/// an offset if it has one. The caller gives the order of the numbers.
fn of_session(
    text: &str,
    asked: Option<DateOrder>,
    line: u64,
) -> Result<(DateTime, Option<TimeZone>), Problem> {
    let none = || {
        wrong(line, format!("'{}' is not a date and time", shown(text)))
            .because("the session uses its own date format, without a time or in a language that is not read")
            .next("run the documented query, which writes 2026-11-24 18:10:00")
    };
    let (date, rest) = text.split_once(' ').ok_or_else(none)?;
    let clock = in_seconds(rest);
    let words: Vec<&str> = clock.split_whitespace().collect();
    let (time, count) = time_of_day(&words).ok_or_else(none)?;
    let zone = match &words[count..] {
        [] => None,
        [offset] => Some(when::offset(offset).map(Offset::to_time_zone).ok_or_else(none)?),
        _ => return Err(none()),
    };
    // Its words about what is none are those about reports.
    let day = notation::moment(&format!("{date} 0:0:0"), &mut Dates::of_database(), asked, line);
    let day =
        day.map_err(|problem| if problem.what.contains(" is not a date") { none() } else { problem })?;
    Ok((day.date().to_datetime(time), zone))
}

/// A time of day without a fraction of a second, with colons: Oracle's own format has points.
fn in_seconds(text: &str) -> String {
    let (time, rest) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let sign = if time.contains(':') { ':' } else { '.' };
    let parts = time.split(sign).take(PARTS).map(|part| part.split(['.', ',']).next().unwrap_or_default());
    format!("{} {rest}", parts.collect::<Vec<_>>().join(":"))
}

#[cfg(test)]
mod tests {
    use super::super::field::utc;
    use super::super::tests::{read, try_read};

    /// SQL*Plus writes so if NUMWIDTH is too small: the difference of two counters would be 0.
    #[test]
    fn counters_without_their_last_digits_are_refused() {
        let text = |first: &str, second: &str| {
            format!(
                "HOST_NAME,DB_NAME,INSTANCE_NUMBER,SNAP_TIME,STARTUP_TIME,NAME,VALUE\n\
                 db1,PROD,1,2026-06-13 08:00:00,2026-06-01 00:00:00,redo writes,{first}\n\
                 db1,PROD,1,2026-06-13 09:00:00,2026-06-01 00:00:00,redo writes,{second}\n"
            )
        };
        let problem = try_read(text("1.2346E+11", "1.2347E+11").as_bytes(), utc(), 99).unwrap_err();
        assert!(problem.to_string().contains("lost its last digits"), "{problem}");
        assert_eq!(read(text("1.000E+3", "3.7000E+4").as_bytes(), utc()).0.values, 1, "exact ones are none");
        let pg = "at,backend_type,object,context,reads,read_bytes\n2026-06-13 08:00:00+00,client backend,relation,normal,";
        for (number, word) in [("1.23E+11", "lost its last digits"), ("\"1,234,567\"", "is not a number")] {
            let problem = try_read(format!("{pg}{number},8192\n").as_bytes(), utc(), 99).unwrap_err();
            assert!(problem.to_string().contains(word), "{problem}");
        }
    }

    #[test]
    fn times_in_the_format_of_a_session_are_read_where_they_have_one_meaning() {
        let row = |begin: &str, end: &str| {
            format!(
                "HOST_NAME;DB_NAME;INSTANCE_NUMBER;BEGIN_TIME;END_TIME;METRIC_NAME;AVERAGE\n\
                 db1;ORCL;1;{begin};{end};Redo Writes Per Sec;10\n"
            )
        };
        let same = read(row("2026-06-13 20:00:05", "2026-06-13 21:00:05").as_bytes(), utc());
        for (begin, end) in [
            ("13-JUN-26 08.00.05.000000000 PM", "13-JUN-26 09.00.05.000000000 PM"),
            ("13-JUN-26 08.00.05 PM", "13-JUN-26 09.00.05 PM"),
            ("13-JUN-2026 20:00:05", "13-JUN-2026 21:00:05"),
            ("13-Jun-26 20.00.05,123456", "13-Jun-26 21.00.05,123456"),
            ("13/06/2026 20:00:05,000000000", "13/06/2026 21:00:05,000000000"),
            ("06/13/2026 08:00:05 PM", "06/13/2026 09:00:05 PM"),
            ("13-JUN-26 10.00.05.000000 PM +02:00", "13-JUN-26 11.00.05.000000 PM +02:00"),
        ] {
            assert_eq!(read(row(begin, end).as_bytes(), utc()), same, "{begin}");
        }
        let told = |begin: &str| try_read(row(begin, begin).as_bytes(), utc(), 99).unwrap_err().to_string();
        for none in [
            "13-JUN-26",
            "13-FOO-26 20:00:05",
            "soon",
            "13-JUN-26 25:00:05",
            "13-JUN-26 20:00:05 EUROPE/BERLIN",
        ] {
            let told = told(none);
            assert!(told.contains("own date format") && !told.contains("iostat"), "{told}");
        }
        let told = told("10/06/26 20:00:05");
        assert!(told.contains("--dates") && !told.contains("iostat"), "{told}");
    }
}
