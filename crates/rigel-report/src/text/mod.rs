//! Text for the terminal: the plan of a run that was not started, and the results of one that was.
//!
//! 80 columns wide as far as names and ORION's lines permit. Must not print.

mod curves;
mod plan;
mod selftest;
mod table;
mod wrap;

pub use plan::{Intent, ScratchIntent, intended, plan};
pub use selftest::{selftest, selftest_markdown};
pub use table::table;

pub(crate) use plan::io;
pub(crate) use table::number;
pub(crate) use wrap::wrapped;

use crate::notes;
use crate::orion::{self, OrionVersion};
use crate::page::{Page, join_paragraphs};
use crate::view::View;

/// Everything that is shown after a run: the table, how sure the best numbers are, the results as ORION prints them.
#[must_use]
pub fn results(view: &View<'_>) -> String {
    let paragraph = |lines: Vec<String>| {
        let mut page = Page::default();
        lines.iter().for_each(|line| wrapped(&mut page, "", "  ", line));
        page.into_string()
    };
    let best = paragraph(notes::intervals(view));
    let end = paragraph(notes::cut_short(view).into_iter().collect());
    join_paragraphs([table(view), best, orion::results(OrionVersion::V19, view), end])
}
