//! Text for the terminal: the plan of a run that was not started, and the results of one that was.
//!
//! 80 columns wide; in a plan as far as names permit. Must not print.

mod canvas;
mod chart;
mod curves;
mod files;
mod listing;
mod nodes;
mod open;
mod phases;
mod plan;
mod selftest;
mod style;
mod table;
mod verdict;
mod wrap;

pub use plan::{Intent, ScratchIntent, plan};
pub use selftest::{selftest, selftest_markdown};
pub use style::Style;
pub use table::table;

pub(crate) use files::section as files_section;
pub(crate) use nodes::section as nodes_section;
pub(crate) use plan::io;
pub(crate) use style::Ink;
pub(crate) use table::number;
pub(crate) use verdict::{cause_lines, lines as verdict_lines, suggestion, tone_ink};
pub(crate) use wrap::{paragraph, wrapped};

use crate::calibration::{Document, figures};
use crate::notes;
use crate::page::{Page, join_paragraphs};
use crate::slo;
use crate::verdict::Conclusion;
use crate::view::View;
use rigel_core::record::{End, Record};

/// The whole verdict on a run, where only ORION's lines are shown beside it.
pub fn verdict_of(view: &View<'_>) -> String {
    verdict::lines(&Conclusion::of(view), Style::default())
}

/// What became of a run that its user stopped; `None` of every other one.
pub fn stopped(view: &View<'_>) -> Option<String> {
    let end = view.record.closing.as_ref()?.end;
    (end == Some(End::Stopped)).then(|| format!("you stopped the run {}", notes::progress(view)))
}

/// The same of a soak.
pub fn stopped_soak(record: &Record) -> Option<String> {
    let end = record.closing.as_ref()?.end;
    (end == Some(End::Stopped)).then(|| "you stopped the soak before its time was over".to_owned())
}

/// Whether there is something to show of a run: one that its user stopped early may have no figure yet.
pub fn has_figures(view: &View<'_>) -> bool {
    stopped(view).is_none() || notes::with_figures(view) > 0
}

/// Everything that is shown after a run: the verdict, the table, the charts, how sure the best numbers are, and where the
/// `files` are, whose paths have to be printable. ORION's own lines are in its files, and what `rigel orion` prints.
pub fn report(view: &View<'_>, style: Style, files: &[String]) -> String {
    if let Some(found) = &view.findings.slo {
        let verdict = verdict::lines(&Conclusion::of(view), style);
        return style.spelled(join_paragraphs([verdict, slo::table(found), files::section(files)]));
    }
    let paragraph = |lines: Vec<String>| {
        let mut page = Page::default();
        lines.iter().for_each(|line| wrapped(&mut page, "", "  ", line));
        page.into_string()
    };
    let verdict = verdict::short(&Conclusion::of(view), style);
    // A calibration has answers, which are the best numbers.
    let answers = Document::of(view).map(|found| figures(&found));
    let best = if answers.is_none() { paragraph(notes::headlines(view)) } else { String::new() };
    let parts = [
        verdict,
        answers.unwrap_or_default(),
        table::styled(view, style),
        chart::section(view, style),
        best,
        files::section(files),
    ];
    style.spelled(join_paragraphs(parts))
}
