//! The verdict at the top of the page.
//!
//! Must not choose the words; [`crate::verdict`] does.

use super::markup::Text;
use crate::judgement::{Cause, Suggestion, Tone};
use crate::page::Page;

/// The CSS class of a tone, with a leading space.
pub(crate) const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::DoNotUse => " bad",
        Tone::UseWithCare => " care",
        Tone::Good => "",
    }
}

/// The command that comes next.
pub(crate) fn next_line(next: &Suggestion) -> String {
    format!("<p class=\"next\">{}: <code>{}</code></p>", Text(&next.purpose), Text(&next.command))
}

/// Doubts about the numbers, each with its figures.
pub(crate) fn cause_list(page: &mut Page, causes: &[Cause]) {
    if causes.is_empty() {
        return;
    }
    page.line("<ul class=\"causes\">");
    causes.iter().for_each(|one| cause(page, one));
    page.line("</ul>");
}

/// The meaning, the flag with its figures, and what to do.
fn cause(page: &mut Page, one: &Cause) {
    let bad = if one.invalid { " bad" } else { "" };
    page.push(format_args!("<li><b>{}</b>", Text(&one.means)));
    if let Some(code) = one.code {
        page.push(format_args!(
            " <span class=\"flag{bad}\">{}</span> {}: {}.",
            code.name(),
            Text(&one.at()),
            Text(&one.figures)
        ));
    }
    page.line(format_args!(" <span class=\"do\">{}</span></li>", Text(&one.remedy)));
}
