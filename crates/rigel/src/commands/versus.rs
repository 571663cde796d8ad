//! `rigel versus` and `rigel sql`: the result of two sides, after the run and again from its record.
//!
//! Must not measure, and must not judge a ratio; `rigel_uses` does.

use super::compare::check_gates;
use super::past;
use super::report::{self, read, run_id};
use crate::args::{ReportOptions, Versus as Wish, VersusRecord};
use crate::output::{self, dir_of};
use crate::streams::Streams;
use rigel_core::error::Problem;
use rigel_core::judge::answer::Answer;
use rigel_core::path_text;
use rigel_core::record::Record;
use rigel_report::document::Document;
use rigel_report::text::Style;
use rigel_report::versus::{VersusReport, json, reason};
use rigel_report::{Format, OutputFile, View, beside};
use rigel_uses::beside::RawAndSql;
use rigel_uses::compare::gate::{Outcome, demanded};
use rigel_uses::compare::{SessionSpread, SideUsability};
use rigel_uses::versus::Versus;
use std::path::PathBuf;

/// What to do if an interval contains the bound of a gate.
const NARROWER: &str = "measure again with a smaller --precision, and a longer --for if you set one";

/// The same if a part of a latency is the tool's.
const ON_TIME: &str =
    "stop other programs on this host and measure again; or give Rigel CPUs of its own (--cpus)";

/// Shows what a record holds.
pub fn again(options: &VersusRecord, streams: &Streams) -> Result<(), Problem> {
    let mut record = read(&options.record, streams)?;
    let no_sides = || {
        Problem::usage("the record is not of a two-sided run")
            .at(path_text::encode(&options.record))
            .next("`rigel compare` compares two records, `rigel report` shows one")
    };
    if record.header.request.sides.is_none() {
        // A load through SQL without raw I/O beside it.
        return if record.header.request.sql().is_some() {
            report::report(&alone(options), streams)
        } else {
            Err(no_sides())
        };
    }
    judge_by(&mut record, &options.wish)?;
    let view = View::of(&record);
    let compared = SidesOutcome::of(&view, &options.wish, streams).ok_or_else(no_sides)?;
    if options.html {
        let dir = options.out.clone().unwrap_or_else(|| dir_of(&options.record).to_owned());
        let name = run_id(&record, &options.record)?;
        streams.list(&output::write_files(&dir, &name, &[compared.page()?], options.force)?)?;
    } else {
        compared.show(options.json, &[], streams)?;
    }
    compared.gated(streams)?;
    // As the run ended.
    view.findings.unusable(&record.header.request).map_or(Ok(()), Err)
}

/// The same outputs for a run without sides.
fn alone(options: &VersusRecord) -> ReportOptions {
    let format = match (options.json, options.html) {
        (_, true) => Format::Html,
        (true, false) => Format::Json,
        (false, false) => Format::Text,
    };
    let VersusRecord { record, out, force, .. } = options;
    ReportOptions {
        records: vec![record.clone()],
        format,
        out: out.clone(),
        force: *force,
        explain: false,
        size: None,
    }
}

/// Replaces the gates of the record by those requested now, and refuses those that do not apply to its load.
pub fn judge_by(record: &mut Record, wish: &Wish) -> Result<(), Problem> {
    let request = &mut record.header.request;
    if !wish.demands.is_empty() {
        request.demands = wish.demands.clone();
    }
    demanded(request).map(drop)
}

/// The result of the sides of a run.
pub struct SidesOutcome<'a> {
    view: &'a View<'a>,
    found: Versus,
    past: [SessionSpread; 2],
    /// For raw I/O and SQL, which have outputs of their own.
    beside: Option<RawAndSql>,
}

impl<'a> SidesOutcome<'a> {
    /// `None` when the run has no sides.
    pub fn of(view: &'a View<'a>, wish: &Wish, streams: &Streams) -> Option<Self> {
        let Answer::Ratio(_) = view.answer() else { return None };
        let found = Versus::of(view.record, &view.findings)?;
        let beside = RawAndSql::of(view.record, &view.findings, &found);
        let is_past_asked = !wish.no_history && beside.is_none();
        let past =
            if is_past_asked { past::of_sides(view.record, streams) } else { [SessionSpread::default(); 2] };
        Some(Self { view, found, past, beside })
    }

    fn both(&self) -> Option<beside::RawAndSqlView<'_>> {
        let found = self.beside.as_ref()?;
        Some(beside::RawAndSqlView { view: self.view, sides: &self.found, found })
    }

    /// Whether any load was measured on both sides.
    pub fn has_rows(&self) -> bool {
        self.turned().has_rows()
    }

    fn turned(&self) -> VersusReport<'_> {
        VersusReport { view: self.view, found: &self.found, past: &self.past }
    }

    pub fn page(&self) -> Result<OutputFile, Problem> {
        self.both().map_or_else(|| self.turned().file(), |both| both.file())
    }

    /// A file for people; `None` for a format that is made of the points.
    pub fn file(&self, format: Format) -> Result<Option<OutputFile>, Problem> {
        let (both, turned) = (self.both(), self.turned());
        let document: &dyn Document = both.as_ref().map_or(&turned, |both| both);
        Ok(match format {
            Format::Html => Some(self.page()?),
            Format::Markdown => Some(OutputFile::new("_report.md", document.markdown())),
            Format::Text => Some(OutputFile::new("_report.txt", document.text(Style::default()))),
            _ => None,
        })
    }

    /// Prints it; `files` are the outputs.
    pub fn show(&self, as_json: bool, files: &[PathBuf], streams: &Streams) -> Result<(), Problem> {
        let both = self.both();
        if as_json {
            let document = both.as_ref().map_or_else(|| json(&self.turned()), beside::json);
            return streams.results(&document?);
        }
        let files: Vec<String> = files.iter().map(|path| path_text::encode(path)).collect();
        let style = streams.style();
        let told = match &both {
            Some(both) => both.listed(style, &files),
            None => self.turned().listed(style, &files),
        };
        streams.results(told.as_bytes())
    }

    /// Fails when a gate does.
    pub fn gated(&self, streams: &Streams) -> Result<(), Problem> {
        let undecided_fails = self.view.record.header.request.demands.undecided_fails;
        let turned = self.turned();
        let rows = self.found.gates.iter().flat_map(|gate| &gate.rows);
        let mut open = rows.filter(|row| row.1 == Outcome::Undecided);
        let is_late = open.any(|row| self.found.comparison.rows[row.0].standing == SideUsability::Late);
        let next = if is_late { ON_TIME } else { NARROWER };
        check_gates(&self.found.gates, |gate| reason(&turned, gate), (undecided_fails, next), streams)
    }
}
