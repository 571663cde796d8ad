//! A valid command line for one that was refused because a count cannot be combined with its matrix.
//!
//! Must not change what was refused.

use super::options_as_given;
use crate::args::Environment;
use crate::args::names::{Front, Opt};
use rigel_core::error::Problem;
use rigel_core::path_text;
use std::ffi::OsString;

/// The problem with such a line in its next step, if there is one.
pub(super) fn with_line_that_runs(
    problem: Problem,
    arguments: &[OsString],
    environment: &Environment,
) -> Problem {
    let options = [Opt::NUM_SMALL, Opt::NUM_LARGE, Opt::MATRIX].map(|opt| opt.spelled(Front::Orion));
    let is_advanced = arguments.iter().any(|word| word.eq_ignore_ascii_case("advanced"));
    let refused = options.into_iter().find(|option| problem.place.as_deref() == Some(option));
    let Some(option) = refused.filter(|_| is_advanced) else { return problem };
    let runs = |line: &Vec<OsString>| options_as_given(line, environment).is_ok();
    let Some(line) = candidates(arguments, option).into_iter().find(runs) else { return problem };
    let words: Vec<String> = line.iter().map(|word| path_text::encode_os(word)).collect();
    problem.next(format!("this line would run: `rigel orion {}`", words.join(" ")))
}

/// The line without a refused count, then with other matrices.
fn candidates(arguments: &[OsString], option: &str) -> Vec<Vec<OsString>> {
    let position = |name: &str| {
        arguments.iter().position(|word| word.to_str().is_some_and(|word| word.eq_ignore_ascii_case(name)))
    };
    let matrix = Opt::MATRIX.spelled(Front::Orion);
    let mut lines = Vec::new();
    if let Some(at) = position(option).filter(|_| option != matrix) {
        lines.push([&arguments[..at], arguments.get(at + 2..).unwrap_or_default()].concat());
    }
    if let Some(at) = position(matrix).filter(|at| at + 1 < arguments.len()) {
        for matrix in ["col", "row"] {
            let mut line = arguments.to_vec();
            line[at + 1] = matrix.into();
            lines.push(line);
        }
    }
    lines
}
