//! What clap returns instead of arguments: help and version are text to show, everything else is a usage problem.
//!
//! Must not know any option.

use super::Invocation;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rigel_core::error::Problem;
use rigel_core::path_text;

/// Help and version become text to show.
pub fn outcome(error: &clap::Error) -> Result<Invocation, Problem> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            Ok(Invocation::Show(error.render().to_string()))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            Err(Problem::usage("a command is missing")
                .next("try `rigel run simple`, or list the commands with `rigel --help`"))
        }
        _ => Err(problem(error)),
    }
}

/// The usage problem in clap's text, whose paragraphs are the error (with the possible values), tips, the usage and a
/// hint to the help.
pub fn problem(error: &clap::Error) -> Problem {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(one_line);
    let what = paragraphs.next().unwrap_or_default();
    let what = what.strip_prefix("error: ").unwrap_or(&what);
    let rest: Vec<String> = paragraphs.collect();
    let found = |start: &str| rest.iter().find_map(|paragraph| paragraph.strip_prefix(start));
    let mut problem = Problem::usage(what);
    problem.place = place(error);
    match (found("tip: "), found("Usage: ")) {
        (Some(tip), _) => problem.next(tip),
        (None, Some(usage)) => problem.next(format!("the form is: {usage}; --help tells more")),
        (None, None) => problem.next("--help tells more"),
    }
}

/// The argument that it is about, without its value: `--seed`, `LEVEL`.
fn place(error: &clap::Error) -> Option<String> {
    let name = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(name) => name,
        ContextValue::Strings(names) => names.first()?,
        _ => return None,
    };
    let name = name.split(' ').next()?.trim_matches(['<', '>', '[', ']', '.']);
    Some(path_text::printable(name).into_owned())
}

/// A paragraph on one line, printable: it may quote what the user typed.
fn one_line(paragraph: &str) -> String {
    let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
    path_text::printable(lines.join(" ").trim()).into_owned()
}
