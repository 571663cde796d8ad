//! The paths of the outputs that are opened first, a line each, and how the others are called.
//!
//! A path longer than a line continues on the next one after a backslash, as a shell reads it, so it can be pasted. Must not check whether they
//! exist.

use super::wrap::{COLUMNS, wrapped};
use crate::page::Page;

const INDENT: &str = "  ";
/// How the name of a record ends.
const RECORD: &str = "_record.jsonl";
/// Files with a line of their own.
const FIRST: [&str; 4] = [RECORD, "_summary.txt", "_report.html", "_versus.html"];

/// The printable paths; empty without any.
pub(crate) fn section(paths: &[String]) -> String {
    let mut page = Page::default();
    if !paths.is_empty() {
        page.line("Files");
    }
    let run = paths.iter().find_map(|path| path.strip_suffix(RECORD));
    let ending = |path: &String| Some(path.strip_prefix(run?)?.to_owned());
    let is_beside = |path: &&String| ending(path).is_some_and(|ending| !FIRST.contains(&ending.as_str()));
    let (beside, own): (Vec<&String>, Vec<&String>) = paths.iter().partition(is_beside);
    for path in own {
        let letters: Vec<char> = path.chars().collect();
        if INDENT.len() + letters.len() <= COLUMNS {
            page.line(format_args!("{INDENT}{path}"));
            continue;
        }
        // No indent behind a backslash: the shell would take it for a part of the path's surroundings.
        let pieces: Vec<String> =
            letters.chunks(COLUMNS - INDENT.len() - 1).map(|piece| piece.iter().collect()).collect();
        page.line(format_args!("{INDENT}{}", pieces.join("\\\n")));
    }
    if !beside.is_empty() {
        let endings: Vec<String> = beside.into_iter().filter_map(ending).collect();
        wrapped(&mut page, INDENT, INDENT, &format!("and next to it {}", endings.join(", ")));
    }
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_too_long_is_whole_for_a_shell() {
        let long = "/directory".repeat(20);
        let told = section(&["./a.txt".to_owned(), long.clone()]);
        assert!(told.lines().all(|line| line.chars().count() <= COLUMNS), "{told}");
        let (first, rest) = told.split_once("\n  ./a.txt\n  ").unwrap();
        assert_eq!(first, "Files");
        assert_eq!(rest.replace("\\\n", "").trim_end(), long);
        assert_eq!(section(&[]), "");
    }

    #[test]
    fn the_files_of_a_run_that_are_opened_first_have_lines() {
        let of = |ending: &str| format!("./x_1{ending}");
        let paths = ["_record.jsonl", "_summary.txt", "_iops.csv", "_lat.csv", "_report.html"].map(of);
        assert_eq!(
            section(&paths),
            "Files\n  ./x_1_record.jsonl\n  ./x_1_summary.txt\n  ./x_1_report.html\n  and next to it _iops.csv, _lat.csv\n"
        );
        let foreign = ["a.txt".to_owned(), "b.csv".to_owned()];
        assert_eq!(section(&foreign), "Files\n  a.txt\n  b.csv\n");
    }
}
