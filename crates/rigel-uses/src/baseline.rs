//! What other tools found about a storage, from their files, so that it can be a side of a comparison.
//!
//! Text in, loads and numbers out; a file is known by its content, never by its name. Must not open a file, and must not compare.

mod calibrate_io;
mod calibration;
mod cells;
mod diskspd;
mod elbencho;
mod fio;
mod foreign;
mod load;
mod orion;
mod pg_test_fsync;
mod text;
mod xml;

pub use load::{ClassFacts, LoadFacts, ToolResults, writes};

use load::Load;
use rigel_core::error::Problem;
use rigel_core::judge::quantity::Figure;
use rigel_core::path_text::printable;
use rigel_core::stats::bound::LatencyBound;

/// A larger file is not read: what these tools write about a run is far smaller.
pub const MOST_BYTES: u64 = 64 << 20;
/// Measurements of one side may overlap by this part of the shorter one: times are rounded.
const MOST_TOGETHER: f64 = 0.5;
/// A file is known by what is in this many of its first bytes.
const HEAD_BYTES: usize = 64 << 10;
/// What to give instead of an unreadable file.
const GIVE: &str = "give a record of Rigel (_record.jsonl), ORION's _summary.txt or _iops.csv, _mbps.csv and _lat.csv, the row of \
                    DBA_RSRC_IO_CALIBRATE, fio's --output-format=json, the text of pg_test_fsync, elbencho's --csvfile or diskspd's -Rxml";

/// The tool that wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// ORION: its summary, or a table of one of its CSV files.
    Orion,
    /// `DBMS_RESOURCE_MANAGER.CALIBRATE_IO`: its row, or what it prints.
    CalibrateIo,
    /// The answers of a calibration by Rigel without its record, as `calibrate_io()` keeps them.
    Calibration,
    /// fio, JSON or JSON+.
    Fio,
    /// PostgreSQL's `pg_test_fsync`.
    PgTestFsync,
    /// elbencho, CSV.
    Elbencho,
    /// diskspd, XML.
    Diskspd,
}

rigel_core::named!(Tool {
    Orion: "ORION",
    CalibrateIo: "CALIBRATE_IO",
    Calibration: "Rigel calibration",
    Fio: "fio",
    PgTestFsync: "pg_test_fsync",
    Elbencho: "elbencho",
    Diskspd: "diskspd",
});

/// What a tool found, from one file, or from the files that ORION writes for one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Baseline {
    /// The tool.
    pub tool: Tool,
    /// Its version, if the file reports it; foreign text.
    pub version: Option<String>,
    /// How and what it measured, if the file reports it: names with their texts; foreign text.
    pub conditions: Vec<(&'static str, String)>,
    /// What the numbers lack, one sentence each without a full stop.
    pub lacks: Vec<&'static str>,
    /// Parts of the file that are not read, with the reason, a sentence without a full stop each; foreign text.
    passed_over: Vec<String>,
    content: Content,
    /// The limit on the latency that its rates keep, where the file names one.
    pub bound: Option<LatencyBound>,
    /// When it measured, in seconds of the epoch, if the file says so.
    pub ran_s: Option<[f64; 2]>,
}

/// A number as a tool wrote it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ToolFigure {
    figure: Figure,
    /// Half a unit in the last place, in the unit of the figure: the most that the tool's rounding can change. 0 where that is negligible.
    half_unit: f64,
}

/// Numbers for loads that match Rigel's.
#[derive(Clone, Debug, Default, PartialEq)]
struct Figures {
    facts: LoadFacts,
    all: Vec<ToolFigure>,
    /// Latencies in an unknown unit, microseconds or milliseconds, as if they were microseconds.
    unscaled: Vec<ToolFigure>,
}

/// The numbers of a file.
#[derive(Clone, Debug, PartialEq)]
enum Content {
    /// For loads that match Rigel's.
    Figures(Figures),
    /// Loads of any kind; those that ran together are grouped.
    Loads(Vec<Vec<Load>>),
}

impl Baseline {
    /// Reads a file of one of these tools; `None` if none of them wrote it.
    ///
    /// # Errors
    /// When the file is truncated, or contains no usable number.
    pub fn read(bytes: &[u8]) -> Option<Result<Self, Problem>> {
        Self::read_file("", bytes)
    }

    /// Reads a file of that name, which may say what ORION's table holds; otherwise as [`Self::read`].
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_file(name: &str, bytes: &[u8]) -> Option<Result<Self, Problem>> {
        let text = text::unquoted(text::decoded(bytes));
        let tool = wrote(&text)?;
        let read = match tool {
            Tool::Orion => return Some(orion::read(&text, name)),
            Tool::CalibrateIo => calibrate_io::read,
            Tool::Calibration => calibration::read,
            Tool::Fio => fio::read,
            Tool::PgTestFsync => pg_test_fsync::read,
            Tool::Elbencho => elbencho::read,
            Tool::Diskspd => diskspd::read,
        };
        Some(read(&text))
    }

    /// Its numbers; if it has several loads of a class, those of the one most like the other side's.
    pub fn results(&self, other: &LoadFacts) -> ToolResults {
        let mut results = match &self.content {
            Content::Figures(figures) => figures.results(),
            Content::Loads(groups) => load::results(groups, other),
        };
        results.passed_over.splice(0..0, self.passed_over.iter().cloned());
        results
    }

    /// Whether it searched for the load with the highest rate.
    pub const fn searches_levels(&self) -> bool {
        matches!(self.tool, Tool::CalibrateIo | Tool::Calibration)
    }

    /// Whether it measured at the same time as another for most of the shorter period: each then had only a part of the storage.
    pub fn is_beside(&self, other: &Self) -> bool {
        let Some(([begin, end], [other_begin, other_end])) = self.ran_s.zip(other.ran_s) else {
            return false;
        };
        let together = end.min(other_end) - begin.max(other_begin);
        together > MOST_TOGETHER * (end - begin).min(other_end - other_begin) && together > 0.0
    }

    /// `fio 3.33`; foreign text.
    pub fn name(&self) -> String {
        self.version.as_ref().map_or_else(
            || self.tool.name().to_owned(),
            |version| format!("{} {}", self.tool.name(), printable(version)),
        )
    }

    /// Refuses numbers that no file about the run makes usable.
    ///
    /// # Errors
    /// When it has nothing but latencies in an unknown unit.
    pub fn check(&self) -> Result<(), Problem> {
        match &self.content {
            Content::Figures(figures) => orion::unsettled(figures).map_or(Ok(()), Err),
            Content::Loads(_) => Ok(()),
        }
    }

    /// Adds the numbers of another file about the same run of ORION; returns it if it is not about that run.
    ///
    /// # Errors
    /// The other one, if both are not parts of one run.
    pub fn join(&mut self, other: Self) -> Result<(), Box<Self>> {
        match (&mut self.content, &other.content) {
            (Content::Figures(own), Content::Figures(others))
                if self.tool == Tool::Orion && other.tool == Tool::Orion =>
            {
                orion::join(own, others);
            }
            _ => return Err(Box::new(other)),
        }
        self.version = self.version.take().or(other.version);
        self.conditions.extend(other.conditions);
        self.passed_over.extend(other.passed_over);
        Ok(())
    }
}

impl Figures {
    const fn new(facts: LoadFacts, all: Vec<ToolFigure>) -> Self {
        Self { facts, all, unscaled: Vec::new() }
    }

    fn results(&self) -> ToolResults {
        ToolResults {
            facts: self.facts.clone(),
            figures: self.all.iter().map(|one| one.figure).collect(),
            half_units: self
                .all
                .iter()
                .map(|one| ((one.figure.quantity, one.figure.place()), one.half_unit))
                .collect(),
            passed_over: orion::open_latencies(self).into_iter().collect(),
        }
    }
}

/// The problem of a file that none of these tools wrote, by its first bytes.
pub fn unknown(bytes: &[u8]) -> Problem {
    let text = text::decoded(&bytes[..bytes.len().min(HEAD_BYTES)]);
    if let Some(problem) = orion::without_header(&text) {
        return problem;
    }
    if let Some((cause, next)) = foreign::cause(&text) {
        return Problem::usage(
            "the file is neither a record of Rigel nor a result of another tool that can be a side",
        )
        .because(cause)
        .next(next.unwrap_or(GIVE));
    }
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let cause = first.map_or_else(
        || "it is empty".to_owned(),
        |line| format!("it begins with '{}'", printable(&text::shortened(line))),
    );
    Problem::usage("the file is neither a record of Rigel nor a result of another tool that Rigel knows")
        .because(cause)
        .next(GIVE)
}

/// Whether the beginning of a file matches a format.
type Detector = fn(&str) -> bool;

/// The tool that wrote a text; `None` for a record of Rigel, and for an unknown format.
fn wrote(text: &str) -> Option<Tool> {
    let head = text::head(text, HEAD_BYTES);
    let start = head.trim_start();
    if start.starts_with("{\"line\":") {
        return None;
    }
    if start.starts_with('{') && head.contains("\"rigel.calibration/1\"") {
        return Some(Tool::Calibration);
    }
    let knows: [(Tool, Detector); 7] = [
        // Its columns are those of CALIBRATE_IO, and more.
        (Tool::Calibration, calibration::is_row),
        (Tool::Fio, fio::is_fio),
        (Tool::Diskspd, diskspd::is_diskspd),
        (Tool::Orion, orion::is_orion),
        (Tool::PgTestFsync, pg_test_fsync::is_pg_test_fsync),
        (Tool::Elbencho, elbencho::is_elbencho),
        (Tool::CalibrateIo, calibrate_io::is_calibrate_io),
    ];
    knows.into_iter().find(|(_, is)| is(head)).map(|(tool, _)| tool)
}

#[cfg(test)]
mod tests;
