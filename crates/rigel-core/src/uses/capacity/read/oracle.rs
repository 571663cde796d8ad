//! CSV of Oracle: `DBA_HIST_SYSMETRIC_SUMMARY` of AWR (means of intervals) and `STATS$SYSSTAT` of Statspack (counters at snapshots).
//!
//! The queries are in the documentation, and their columns are found by name. Times are those of the database's host, so that a zone is needed
//! unless they have an offset. Must not read other statistics.

use super::csv::{self, Fields, Heading};
use super::differences::Run;
use super::lines::Lines;
use super::prometheus::no_host;
use super::sadf::no_zone;
use super::seen::{Options, shown, wrong};
use super::{Format, Out, Room};
use crate::error::Problem;
use crate::uses::capacity::counter::{Counter, Step};
use crate::uses::capacity::when::{self, Moment, Zone};
use crate::uses::capacity::{Key, Kind, Metric, Span, Subject};
use std::collections::BTreeMap;

/// Names in AWR, in lower case.
const AWR: [(&str, Metric); 6] = [
    ("physical read total io requests per sec", Metric::ReadOps),
    ("physical write total io requests per sec", Metric::WriteOps),
    ("physical read total bytes per sec", Metric::ReadBytes),
    ("physical write total bytes per sec", Metric::WriteBytes),
    ("redo generated per sec", Metric::RedoBytes),
    ("user commits per sec", Metric::Commits),
];
/// Names in Statspack.
const STATSPACK: [(&str, Metric); 6] = [
    ("physical read total io requests", Metric::ReadOps),
    ("physical write total io requests", Metric::WriteOps),
    ("physical read total bytes", Metric::ReadBytes),
    ("physical write total bytes", Metric::WriteBytes),
    ("redo size", Metric::RedoBytes),
    ("user commits", Metric::Commits),
];

/// A reader of it.
pub struct Oracle {
    lines: Lines,
    state: State,
}

struct State {
    format: Format,
    heading: Option<Heading>,
    fields: Fields,
    zone: Option<Zone>,
    /// By key and metric: the counter, and when the instance was started.
    counters: BTreeMap<(Key, Metric), (Counter, String)>,
    /// When instances were started.
    starts: BTreeMap<Key, String>,
    run: Run,
}

impl Oracle {
    /// A reader for a file.
    pub fn new(format: Format, options: &Options) -> Self {
        let state = State {
            format,
            heading: None,
            fields: Fields::default(),
            zone: options.zone.clone().map(Zone::new),
            counters: BTreeMap::new(),
            starts: BTreeMap::new(),
            run: Run::default(),
        };
        Self { lines: Lines::of_csv(), state }
    }
}

impl Room for Oracle {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) -> Result<(), Problem> {
        let Self { lines, state } = self;
        lines.cut(bytes, |line, number| state.line(line, number, out))
    }

    fn end(&mut self, out: &mut Out<'_>) -> Result<(), Problem> {
        if let Some((line, number)) = self.lines.last() {
            self.state.line(&line, number, out)?;
        }
        self.state.run.end(out);
        Ok(())
    }
}

impl State {
    fn line(&mut self, line: &[u8], number: u64, out: &mut Out<'_>) -> Result<(), Problem> {
        let said = csv::without_prompt(line);
        // A command that SQL*Plus repeats behind its prompt has no comma.
        if said.is_empty() || (line.starts_with(b"SQL>") && !said.contains(&b',')) {
            return Ok(());
        }
        let line = said;
        let Some(heading) = &self.heading else {
            // What SQL*Plus says before is none of the columns.
            if Format::of_heading(line).is_some() {
                self.heading = Heading::of(line);
            }
            return Ok(());
        };
        let found = self.fields.read(line);
        // SQL*Plus ends with a line such as `25 rows selected.`
        let is_remark = found == Some(1)
            && ["rows selected.", "row selected."].iter().any(|end| self.fields.text(0).ends_with(end));
        if is_remark {
            return Ok(());
        }
        if found != Some(heading.len()) {
            return Err(wrong(
                number,
                format!("there are {} columns, and {} names", found.unwrap_or(0), heading.len()),
            )
            .because("the file was cut off, or numbers are written with a decimal comma")
            .next("run the documented query again; it sets NLS_NUMERIC_CHARACTERS"));
        }
        let row = Row { heading, fields: &self.fields, number };
        let (host, name) = (row.text("host_name"), row.database());
        if host.is_empty() && out.options.host.is_none() {
            return Err(no_host(number));
        }
        let key = out.key(host, Subject::named(Kind::Database, &name), self.format.source());
        match self.format {
            Format::Awr => awr(&row, &key, &mut self.zone, &mut self.run, out),
            _ => {
                let snapshot = Snapshot { counters: &mut self.counters, starts: &mut self.starts };
                statspack(&row, &key, &mut self.zone, snapshot, &mut self.run, out)
            }
        }
    }
}

struct Row<'a> {
    heading: &'a Heading,
    fields: &'a Fields,
    number: u64,
}

impl Row<'_> {
    fn text(&self, name: &str) -> &str {
        self.heading.place(name).map_or("", |at| self.fields.text(at)).trim()
    }

    /// `ORCL`, and `ORCL/2` for the second of a cluster.
    fn database(&self) -> String {
        match (self.text("db_name"), self.text("instance_number")) {
            (name, "" | "1") => name.to_owned(),
            (name, instance) => format!("{name}/{instance}"),
        }
    }

    fn number(&self, name: &str) -> Result<f64, Problem> {
        let text = self.text(name);
        text.parse().map_err(|_| {
            wrong(self.number, format!("'{}' in the column {name} is no number", shown(text)))
                .because("numbers are written with a decimal comma, or the columns are others")
                .next("run the documented query again; it sets NLS_NUMERIC_CHARACTERS")
        })
    }

    fn moment(&self, name: &str, zone: &mut Option<Zone>) -> Result<Moment, Problem> {
        let text = self.text(name);
        if let Some(at_ms) = when::with_offset(text) {
            return Ok(Moment::At(at_ms));
        }
        let local = when::without_offset(text).ok_or_else(|| {
            wrong(self.number, format!("'{}' in the column {name} is no date and time", shown(text)))
                .because("the session writes dates in a format of its own")
                .next("run the documented query, which writes 2026-11-24 18:10:00")
        })?;
        Ok(zone.as_mut().ok_or_else(|| no_zone(self.number))?.moment(local))
    }
}

fn awr(
    row: &Row<'_>,
    key: &Key,
    zone: &mut Option<Zone>,
    run: &mut Run,
    out: &mut Out<'_>,
) -> Result<(), Problem> {
    let name = row.text("metric_name").to_ascii_lowercase();
    let Some(&(_, metric)) = AWR.iter().find(|(known, _)| *known == name) else {
        out.seen.leaves_out(row.text("metric_name"));
        return Ok(());
    };
    let (begin, end) = (row.moment("begin_time", zone)?, row.moment("end_time", zone)?);
    let (Moment::At(begin), Moment::At(end)) = (begin, end) else {
        out.seen.skipped += 1;
        return Ok(());
    };
    let value = row.number("average")?;
    match Span::between(begin, end) {
        Some(span) => run.take(key, metric, span, value, out),
        None => out.seen.backwards += 1,
    }
    Ok(())
}

struct Snapshot<'a> {
    counters: &'a mut BTreeMap<(Key, Metric), (Counter, String)>,
    starts: &'a mut BTreeMap<Key, String>,
}

fn statspack(
    row: &Row<'_>,
    key: &Key,
    zone: &mut Option<Zone>,
    kept: Snapshot<'_>,
    run: &mut Run,
    out: &mut Out<'_>,
) -> Result<(), Problem> {
    let name = row.text("name").to_ascii_lowercase();
    let Some(&(_, metric)) = STATSPACK.iter().find(|(known, _)| *known == name) else {
        out.seen.leaves_out(row.text("name"));
        return Ok(());
    };
    let Moment::At(at) = row.moment("snap_time", zone)? else {
        out.seen.skipped += 1;
        return Ok(());
    };
    let value = row.number("value")?;
    let started = row.text("startup_time");
    match kept.starts.get_mut(key) {
        Some(known) if known == started => {}
        Some(known) => {
            out.seen.reboots += 1;
            started.clone_into(known);
        }
        None => {
            kept.starts.insert(key.clone(), started.to_owned());
        }
    }
    let (counter, since) =
        kept.counters.entry((key.clone(), metric)).or_insert_with(|| (Counter::exact(), started.to_owned()));
    if since != started {
        counter.forget();
        started.clone_into(since);
    }
    match counter.read(at, value) {
        Step::Rate(span, rate) => run.take(key, metric, span, rate, out),
        Step::Reset => out.seen.resets += 1,
        Step::Gap => out.seen.gaps += 1,
        Step::Backwards => out.seen.backwards += 1,
        Step::Begin => {}
    }
    Ok(())
}
