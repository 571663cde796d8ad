//! Text for the terminal: the plan of a run that was not started, and the results of one that was.
//!
//! 80 columns wide; in a plan, as far as names permit. Must not print.

mod canvas;
mod chart;
mod curves;
mod files;
mod plan;
mod style;
mod verdict;
mod wrap;

pub use plan::{Intent, ScratchIntent, plan};
pub use style::Style;

pub(crate) use crate::run::number;
pub(crate) use chart::charts;
pub(crate) use curves::blocks as curve_blocks;
pub(crate) use files::section as files_section;
pub(crate) use plan::io;
pub(crate) use style::Ink;
pub(crate) use verdict::{cause_lines, suggestion, tone_ink};
pub(crate) use wrap::{COLUMNS, paragraph, wrapped};

use crate::document::Blocks;
use crate::notes;
use crate::run;
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::record::{End, Record};

/// The whole verdict on a run, shown next to ORION's lines alone.
pub fn verdict_of(view: &View<'_>) -> String {
    Blocks::from(Conclusion::of(view).blocks()).text(Style::default())
}

/// The results of a run that its user stopped; `None` for every other one.
pub fn stopped(view: &View<'_>) -> Option<String> {
    let end = view.record.closing.as_ref()?.end;
    (end == Some(End::Stopped)).then(|| format!("the run was stopped {}", notes::progress(view)))
}

/// The same for a soak.
pub fn stopped_soak(record: &Record) -> Option<String> {
    let end = record.closing.as_ref()?.end;
    (end == Some(End::Stopped)).then(|| "the soak was stopped early".to_owned())
}

/// Whether there is something to show: a run that its user stopped early may have no figure yet.
pub fn has_figures(view: &View<'_>) -> bool {
    stopped(view).is_none() || notes::with_figures(view) > 0
}

/// What is shown after a run: the answer, the most important warnings, the table, and where the `files` are, whose paths have to be
/// printable. ORION's own lines are in its files, and what `rigel orion` prints.
pub fn report(view: &View<'_>, style: Style, files: &[String]) -> String {
    run::brief(view, files).text(style)
}

/// Everything that a record has for people on a terminal: the whole verdict, the table with every flag, charts, how certain the best numbers are.
pub fn explained(view: &View<'_>, style: Style, files: &[String]) -> String {
    run::explained(view, files).text(style)
}

/// Its table alone.
pub fn table(view: &View<'_>) -> String {
    run::table(view).text(Style::default())
}
