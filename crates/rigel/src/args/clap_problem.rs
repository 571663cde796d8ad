//! What clap returns instead of arguments: help and version are text to show, everything else is a usage problem.
//!
//! Must not know any option; [`super::meant`] does.

use super::meant::{self, typed};
use super::values::ValueError;
use super::{Invocation, cli};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rigel_core::error::Problem;
use rigel_core::nearest::nearest;
use rigel_core::path_text;
use rigel_core::units::UnitError;
use std::error::Error as _;
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

/// Help and version become text to show. `arguments` begin with the command.
pub fn outcome(error: &clap::Error, arguments: &[OsString]) -> Result<Invocation, Problem> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Ok(Invocation::Show(error.render().to_string()))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Err(meant::no_word(&cli::command(), arguments))
        }
        _ => Err(meant::problem(error, &cli::command(), arguments).unwrap_or_else(|| problem(error))),
    }
}

/// The usage problem in clap's text, whose paragraphs are the error (with the possible values), tips, the usage and a
/// hint at the help. If it is clear what was meant, that is the next step.
pub fn problem(error: &clap::Error) -> Problem {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(one_line);
    let what = paragraphs.next().unwrap_or_default();
    let what = what.strip_prefix("error: ").unwrap_or(&what);
    let rest: Vec<String> = paragraphs.collect();
    let usage = rest.iter().find_map(|paragraph| paragraph.strip_prefix("Usage: "));
    let mut problem = Problem::usage(what);
    problem.place = place(error);
    if let Some(misread) = error.source().and_then(|source| source.downcast_ref::<ValueError>()) {
        let option = problem.place.as_deref().unwrap_or_default();
        let value = typed(error, ContextKind::InvalidValue).unwrap_or_default();
        problem.what = path_text::printable(&format!("`{option} {value}` {}", misread.reason)).into_owned();
        return problem.next(misread.next.clone());
    }
    let number = error.source().and_then(|source| source.downcast_ref::<ParseIntError>());
    if let (Some(misread), Some(option)) = (number, &problem.place) {
        let value = typed(error, ContextKind::InvalidValue).unwrap_or_default();
        let is_large = matches!(misread.kind(), IntErrorKind::PosOverflow);
        let reason = if is_large { "is too large" } else { "is not a whole number" };
        problem.what = path_text::printable(&format!("`{option} {value}` {reason}")).into_owned();
        return problem.next("give one whole number; --help says what it counts");
    }
    let unread = error.source().and_then(|source| source.downcast_ref::<UnitError>());
    if let (Some(UnitError::Meant { meant, .. }), Some(option)) = (unread, &problem.place) {
        let next = format!("did you mean {option} {meant}?");
        return problem.next(next);
    }
    if let (Some(UnitError::Comma { whole, decimal, .. }), Some(option)) = (unread, &problem.place) {
        let next = format!("write {option} {whole} or {option} {decimal}");
        return problem.next(next);
    }
    if let (Some(UnitError::UnknownUnit { known, .. }), Some(option)) = (unread, &problem.place) {
        let next = format!("write {option} with one of the units that are known: {known}");
        return problem.next(next);
    }
    match (suggestion(error), usage) {
        (Some(suggestion), _) => problem.next(suggestion),
        (None, Some(usage)) => {
            // Some commands have several forms.
            let forms = usage.replace(" rigel ", "` or `rigel ");
            problem.next(format!("the form is: `{forms}`; see --help"))
        }
        (None, None) => problem.next("--help shows more"),
    }
}

/// The word that was probably meant.
fn suggestion(error: &clap::Error) -> Option<String> {
    if let Some(option) = typed(error, ContextKind::SuggestedArg) {
        return Some(format!("did you mean {option}?"));
    }
    if let Some(ContextValue::Strings(known)) = error.get(ContextKind::ValidValue) {
        let value = typed(error, ContextKind::InvalidValue)?;
        let option = place(error).filter(|place| place.starts_with('-'));
        return match (nearest(&value, known.iter().map(String::as_str)), option) {
            (Some(near), Some(option)) => Some(format!("did you mean {option} {near}?")),
            (Some(near), None) => Some(format!("did you mean {near}?")),
            (None, Some(option)) if !known.is_empty() => {
                Some(format!("{option} takes one of {}", known.join(", ")))
            }
            (None, _) => None,
        };
    }
    let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested) else { return None };
    // Another tip is to pass an unknown option as the name of a target, behind `--`, which nobody wants.
    tips.iter().map(|tip| one_line(&tip.to_string())).find(|tip| !tip.starts_with("to pass "))
}

/// The argument that it is about, without its value: `--seed`, `LEVEL`.
pub fn place(error: &clap::Error) -> Option<String> {
    let name = typed(error, ContextKind::InvalidArg)?;
    Some(name.split([' ', '=']).next()?.trim_matches(['<', '>', '[', ']', '.']).to_owned())
}

/// A paragraph on one line, printable: it may quote what the user typed.
fn one_line(paragraph: &str) -> String {
    let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
    path_text::printable(lines.join(" ").trim()).into_owned()
}
