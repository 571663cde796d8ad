//! Text for the terminal: the plan of a run that was not started, and the results of one that was.
//!
//! 80 columns wide; in a plan as far as names permit. Must not print.

mod canvas;
mod chart;
mod curves;
mod files;
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

pub(crate) use plan::io;
pub(crate) use style::Ink;
pub(crate) use table::number;
pub(crate) use verdict::lines as verdict_lines;
pub(crate) use wrap::wrapped;

use crate::notes;
use crate::orion::{self, OrionVersion};
use crate::page::{Page, join_paragraphs};
use crate::verdict::Conclusion;
use crate::view::View;

/// The whole verdict on a run, where only ORION's lines are shown beside it.
pub fn verdict_of(view: &View<'_>) -> String {
    verdict::lines(&Conclusion::of(view), Style::default())
}

/// Everything that is shown after a run: the verdict, the table, the charts, how sure the best numbers are, the results as
/// ORION prints them, and where the `files` are, whose paths have to be printable.
pub fn report(view: &View<'_>, style: Style, files: &[String]) -> String {
    let paragraph = |lines: Vec<String>| {
        let mut page = Page::default();
        lines.iter().for_each(|line| wrapped(&mut page, "", "  ", line));
        page.into_string()
    };
    let verdict = verdict::short(&Conclusion::of(view), style);
    let best = paragraph(notes::headlines(view));
    let results = narrow(&orion::results(OrionVersion::V19, view));
    let parts = [
        verdict,
        table::styled(view, style),
        chart::section(view, style),
        best,
        results,
        files::section(files),
    ];
    style.spelled(join_paragraphs(parts))
}

/// ORION's lines, the long ones broken; in its files they are whole.
fn narrow(lines: &str) -> String {
    let mut page = Page::default();
    for line in lines.lines() {
        let excess = line.chars().count().saturating_sub(wrap::COLUMNS);
        // The heading of a histogram has blanks to spare between its last columns.
        let spare = " ".repeat(excess + 2);
        match line.rsplit_once(&spare) {
            _ if excess == 0 => page.line(line),
            Some((before, last)) => page.line(format_args!("{before}  {last}")),
            None => wrapped(&mut page, "", "  ", line),
        }
    }
    page.into_string()
}
