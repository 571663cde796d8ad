//! The meaning of a report's rows, and the samples of its interval.
//!
//! The totals of the instance's statistics are exact and take precedence; where they are missing, the rates of the profiles are used. Must not know
//! how a report is laid out.

mod interval;
mod rates;

use super::super::seen::wrong;
use super::super::{Format, SampleSink};
use super::notation::Decimal;
use crate::Subject;
use rates::Rates;
use rigel_core::error::Problem;

/// A table of a report that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Database, instance and host.
    Identity,
    /// Begin and end.
    Snapshots,
    /// `Load Profile`.
    Load,
    /// `IO Profile`.
    Io,
    /// `Instance Activity Stats`.
    Activity,
}

/// What the reports of a file say.
pub struct Facts {
    format: Format,
    report: Option<Report>,
}

/// What one report says, as it is written.
#[derive(Debug, Default)]
struct Report {
    /// The line of its title.
    line: u64,
    section: Option<Section>,
    /// Column names of the identity, in lower case.
    columns: Vec<String>,
    database: String,
    dbid: String,
    instance: String,
    host: String,
    started: String,
    begin: String,
    end: String,
    elapsed_minutes: String,
    rates: Rates,
    is_whole: bool,
}

/// Titles of reports that are not about one instance and interval, and why they are not read.
const OTHERS: [(&str, &str, &str); 5] = [
    (
        "WORKLOAD REPOSITORY REPORT (RAC)",
        "it is the global report of a cluster, which mixes instances",
        "create a report of each instance: awrrpt.sql or awrrpti.sql",
    ),
    (
        "WORKLOAD REPOSITORY PDB report",
        "it is about one pluggable database, whose load is part of the whole database's",
        "create the report in the root container",
    ),
    ("WORKLOAD REPOSITORY COMPARE PERIOD", "it compares two intervals", "import the report of each interval"),
    ("WORKLOAD REPOSITORY SQL Report", "it is about one statement", "import reports of awrrpt.sql"),
    ("ADDM Report", "it has findings but no rates", "import reports of awrrpt.sql"),
];

impl Facts {
    /// For a file.
    pub const fn new(format: Format) -> Self {
        Self { format, report: None }
    }

    /// A line that may be a title: a report begins, and the previous one ends.
    ///
    /// # Errors
    /// When it is the title of a report that is not read, or the previous one has no samples.
    pub fn title(&mut self, text: &str, line: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let text = text.trim();
        if let Some((_, why, next)) = OTHERS.iter().find(|(title, ..)| text.starts_with(title)) {
            return Err(wrong(line, "this kind of Oracle report is not supported").because(*why).next(*next));
        }
        if text.starts_with("WORKLOAD REPOSITORY report") || text.starts_with("STATSPACK report for") {
            self.end(out)?;
            self.report = Some(Report { line, ..Report::default() });
        }
        Ok(())
    }

    /// Text outside tables: the names at the top of a page, and the end.
    pub fn remark(&mut self, text: &str) {
        let Some(report) = &mut self.report else { return };
        report.is_whole |= text.trim_start().starts_with("End of Report");
        let names = text.split_once("DB/Inst:").filter(|_| report.database.is_empty());
        let database = names.and_then(|(_, rest)| rest.trim_start().split_once('/'));
        // Statspack has the name of the database there only.
        if let Some((name, _)) = database.filter(|(name, _)| !name.contains(' ')) {
            name.clone_into(&mut report.database);
        }
    }

    /// The names of columns, as a line and one by one: a table begins.
    pub fn heading(&mut self, line: &str, columns: &[String]) {
        let Some(report) = &mut self.report else { return };
        let line = line.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().all(|word| line.contains(word));
        report.section = if has(&["statistic", "total", "per second", "per trans"]) {
            Some(Section::Activity)
        } else if has(&["read+write"]) && has(&["second"]) {
            Some(Section::Io)
        } else if has(&["per second", "per transaction"]) {
            Some(Section::Load)
        } else if has(&["snap id", "snap time"]) {
            Some(Section::Snapshots)
        } else if has(&["db id"]) || has(&["host name"]) || has(&["inst num"]) {
            Some(Section::Identity)
        } else {
            None
        };
        let name = |column: &String| {
            column.chars().filter(char::is_ascii_alphabetic).collect::<String>().to_ascii_lowercase()
        };
        report.columns = columns.iter().map(name).collect();
    }

    /// A table is over.
    pub fn end_table(&mut self) {
        self.report.iter_mut().for_each(|report| report.section = None);
    }

    /// The table in which the next row is.
    pub fn section(&self) -> Option<Section> {
        self.report.as_ref().and_then(|report| report.section)
    }

    /// Whether the next row is one of names.
    pub fn is_identity(&self) -> bool {
        self.section() == Some(Section::Identity)
    }

    /// A row of names.
    pub fn identity(&mut self, cells: &[String]) {
        let Some(report) = &mut self.report else { return };
        let Report { columns, database, dbid, instance, host, started, .. } = report;
        for (column, cell) in columns.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
            let place = match column.as_str() {
                "dbname" | "database" => &mut *database,
                "dbid" => &mut *dbid,
                "instnum" => &mut *instance,
                // Statspack underlines both words of `Host Name` as if they were columns.
                "host" | "hostname" | "name" => &mut *host,
                "startuptime" => &mut *started,
                _ => continue,
            };
            // The first says it: tables about other instances of a cluster may follow.
            if place.is_empty() {
                cell.clone_into(place);
            }
        }
    }

    /// A row with a label.
    pub fn fact(&mut self, label: &str, cells: &[&str]) {
        let Some(report) = &mut self.report else { return };
        let label = label.trim().trim_end_matches(':').to_ascii_lowercase();
        // The size of a block is in the middle of a row of other sizes.
        let sizes = [label.as_str()].into_iter().chain(cells.iter().copied());
        let at = sizes
            .map(|cell| cell.trim_end_matches(':'))
            .position(|cell| cell.eq_ignore_ascii_case("std block size"));
        if let Some(size) = at.and_then(|at| cells.get(at)) {
            report.rates.take(Section::Load, "std block size", &[size]);
        }
        match (report.section, label.as_str()) {
            (Some(Section::Snapshots), "begin snap") => report.begin = behind_number(cells),
            (Some(Section::Snapshots), "end snap") => report.end = behind_number(cells),
            (Some(Section::Snapshots), "elapsed") => {
                let minutes = cells.first().and_then(|cell| cell.split_whitespace().next());
                report.elapsed_minutes = minutes.unwrap_or_default().to_owned();
            }
            (Some(section), label) => report.rates.take(section, label, cells),
            (None, _) => {}
        }
    }

    /// The file, or a report in it, is complete.
    ///
    /// # Errors
    /// When it does not name its time or subject, or its interval is empty.
    pub fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Some(report) = self.report.take() else { return Ok(()) };
        if !report.is_whole {
            out.seen.notes.insert("the report is cut off: its complete parts are used");
        }
        let Some(decimal) = report.decimal() else { return Err(report.two_notations()) };
        let Some(span) = report.span(decimal, out)? else { return Ok(()) };
        let subject = report.subject()?;
        out.check_host(&report.host, report.line)?;
        let values = report.rates.values(decimal, span, out.seen);
        let key = out.key(&report.host, subject, self.format.source());
        if !values.is_empty() {
            out.row(&key, span, &values);
        }
        Ok(())
    }
}

/// The date and time after the number of a snapshot.
fn behind_number(cells: &[&str]) -> String {
    cells.join(" ").split_whitespace().skip(1).collect::<Vec<_>>().join(" ")
}

impl Report {
    /// How it writes numbers; `None` if it does so in two ways.
    fn decimal(&self) -> Option<Decimal> {
        let elapsed = Decimal::shown_by(&self.elapsed_minutes);
        let mut shown = self.rates.decimals().chain(elapsed);
        let first = shown.next().unwrap_or(Decimal::Point);
        shown.all(|other| other == first).then_some(first)
    }

    fn two_notations(&self) -> Problem {
        wrong(self.line, "the report writes numbers in two ways: 1,234.5 and 1.234,5")
            .because("it was edited, or put together from two reports")
            .next("create it again")
    }

    /// As in the CSV of the same database.
    fn subject(&self) -> Result<Subject, Problem> {
        if self.database.is_empty() {
            return Err(wrong(self.line, "the report does not name its database")
                .because("it is cut off before that, or is an excerpt")
                .next("import the whole report"));
        }
        Ok(Subject::instance(&self.database, &self.instance, &self.dbid))
    }
}
