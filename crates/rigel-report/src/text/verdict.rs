//! The verdict on a run for the terminal, 80 columns wide.
//!
//! Must not choose the words; [`crate::verdict`] does.

use super::style::{Ink, Style};
use super::wrap::{paragraph, wrapped};
use crate::page::Page;
use crate::verdict::{Cause, Conclusion, Part, Suggestion, Tone};

/// More causes are named by their codes above a table, which shows every flag.
const MOST_CAUSES: usize = 4;

/// The verdict above a table that shows every flag.
pub(crate) fn short(verdict: &Conclusion, style: Style) -> String {
    text(verdict, style, MOST_CAUSES)
}

/// The whole verdict.
pub(crate) fn lines(verdict: &Conclusion, style: Style) -> String {
    text(verdict, style, usize::MAX)
}

fn text(verdict: &Conclusion, style: Style, most: usize) -> String {
    let ink = tone_ink(verdict.look);
    let mut page = Page::default();
    for part in verdict.parts() {
        match part {
            Part::Head(head) => page.push(style.painted(ink, &paragraph(head))),
            Part::Sentence(sentence) => wrapped(&mut page, "", "", sentence),
            Part::Causes(causes) => {
                let (shown, others) = causes.split_at(causes.len().min(most));
                page.push(cause_lines(shown, style));
                if !others.is_empty() {
                    let names: Vec<String> = others.iter().map(Cause::label).collect();
                    wrapped(&mut page, "- ", "  ", &format!("Also: {}.", names.join("; ")));
                }
            }
            Part::Next(next) => page.push(suggestion(next)),
        }
    }
    page.into_string()
}

/// The command stands on a line of its own, which is never broken, so that it can be copied.
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

/// What speaks against the numbers, each with its figures.
pub(crate) fn cause_lines(causes: &[Cause], style: Style) -> String {
    causes.iter().map(|one| style.painted(cause_ink(one), &cause(one)).to_string()).collect()
}

const fn cause_ink(one: &Cause) -> Ink {
    if one.invalid { Ink::Invalid } else { Ink::Flag }
}

/// What it means and what to do; then the flag with its figures.
fn cause(one: &Cause) -> String {
    let mut page = Page::default();
    wrapped(&mut page, "- ", "  ", &format!("{} {}", one.means, one.remedy));
    if one.code.is_some() {
        wrapped(&mut page, "  ", "  ", &format!("{}: {}.", one.label(), one.figures));
    }
    page.into_string()
}
