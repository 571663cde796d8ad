//! The verdict on a run for the terminal, 80 columns wide.
//!
//! Must not choose the words; [`crate::verdict`] does.

use super::style::{Ink, Style};
use super::wrap::wrapped;
use crate::judgement::{Cause, Suggestion, Tone};
use crate::page::Page;

/// The command is on a separate line, which is never broken, so it can be copied.
pub(crate) fn suggestion(next: &Suggestion) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "", "", &format!("{}:", next.purpose));
    page.line(format_args!("  {}", next.command));
    page.into_string()
}

/// The ink of a verdict.
pub(crate) const fn tone_ink(tone: Tone) -> Ink {
    match tone {
        Tone::Good => Ink::Heading,
        Tone::UseWithCare => Ink::Flag,
        Tone::DoNotUse => Ink::Invalid,
    }
}

/// Doubts about the numbers, each with its figures.
pub(crate) fn cause_lines(causes: &[Cause], style: Style) -> String {
    causes.iter().map(|one| style.painted(cause_ink(one), &cause(one)).to_string()).collect()
}

const fn cause_ink(one: &Cause) -> Ink {
    if one.invalid { Ink::Invalid } else { Ink::Flag }
}

/// The meaning and what to do; then the flag with its figures.
fn cause(one: &Cause) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "- ", "  ", &format!("{} {}", one.means, one.remedy));
    if one.code.is_some() {
        wrapped(&mut page, "  ", "  ", &format!("{}: {}.", one.label(), one.figures));
    }
    page.into_string()
}
