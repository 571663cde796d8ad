//! The paths of the outputs, a line each.
//!
//! A path that is longer than a line goes on in the next one behind a backslash, as a shell reads it, so that it can be
//! pasted. Must not look whether they are there.

use super::wrap::COLUMNS;
use crate::page::Page;

const INDENT: &str = "  ";

/// The paths, printable; nothing without any.
pub(super) fn section(paths: &[String]) -> String {
    let mut page = Page::default();
    if !paths.is_empty() {
        page.line("Files");
    }
    for path in paths {
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
}
