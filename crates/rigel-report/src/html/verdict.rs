//! What it comes to, at the top of the page.
//!
//! Must not find words; [`crate::verdict`] does.

use super::markup::Text;
use crate::page::Page;
use crate::verdict::{Conclusion, Tone};
use crate::view::View;

/// The sentences, with a colour beside them for how far the numbers can be trusted.
pub(super) fn section(page: &mut Page, view: &View<'_>) {
    let verdict = Conclusion::of(view);
    let tone = match verdict.tone {
        Tone::Bad => " bad",
        Tone::Care => " care",
        Tone::Good => "",
    };
    page.line(format_args!("<section class=\"verdict{tone}\" aria-label=\"Conclusion\">"));
    page.line(format_args!("<p>{}</p>", Text(&verdict.reached)));
    page.line(format_args!("<p>{}</p>\n</section>", Text(&verdict.trust)));
}
