//! Rules about plain text: layout, the line that opens a module, paths of one machine, marks of unfinished work.

use super::Finding;
use super::source::{RustFile, TextFile};

/// Files that people write by hand; in others, such as golden outputs, blanks may be part of the format.
const WRITTEN_BY_HAND: [&str; 7] = [".rs", ".md", ".toml", ".yml", ".yaml", ".sh", ".ci/run"];
/// What examples may show below `/home`: ORION's user, and the file of a published report of ORION.
const EXAMPLES: [&str; 2] = ["oracle", "test1.img"];
/// Written in two halves, so that this file does not break its own rule.
const UNFINISHED: [&str; 3] = [concat!("FIX", "ME"), concat!("TO", "DO"), concat!("XX", "X")];

/// Rules for every text.
pub fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line, rule, to_do: &str| findings.push(Finding::new(&file.path, line, rule, to_do));
    for (line, text) in numbered(&file.text) {
        if names_a_machine_path(text) {
            find(
                line,
                "machine-path",
                "name no folder of one machine; in examples use /home/oracle or a relative path",
            );
        }
        if UNFINISHED.iter().any(|mark| has_word(text, mark)) {
            find(line, "unfinished", "do it now, or open an issue and take the mark out");
        }
        // Rust needs to know about literals first; see `check_rust`.
        if is_written_by_hand(file) && !file.path.ends_with(".rs") && text.ends_with(char::is_whitespace) {
            find(line, "trailing-blank", "remove the blanks at the end of the line");
        }
    }
    if is_written_by_hand(file) && !file.text.is_empty() && !file.text.ends_with('\n') {
        find(file.text.lines().count(), "last-newline", "end the file with a newline");
    }
    findings
}

/// Rules for Rust files only.
pub fn check_rust(file: &RustFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |line, rule, to_do: &str| findings.push(Finding::new(file.path, line, rule, to_do));
    if file.is_module() && !file.is_test() && !file.text.starts_with("//!") {
        find(1, "module-doc", "open the file with `//!`: what it is for, what it must not do");
    }
    let (begin_in_literal, end_in_literal) = file.literal_lines();
    for (line, text) in numbered(file.text) {
        if text.ends_with(char::is_whitespace) && !end_in_literal.contains(&line) {
            find(line, "trailing-blank", "remove the blanks at the end of the line");
        }
        let indent = &text[..text.len() - text.trim_start().len()];
        if indent.contains('\t') && !begin_in_literal.contains(&line) {
            find(line, "tab", "indent with blanks; `cargo fmt` does it");
        }
    }
    findings
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').enumerate().map(|(index, line)| (index + 1, line))
}

fn is_written_by_hand(file: &TextFile) -> bool {
    WRITTEN_BY_HAND.iter().any(|end| file.path.ends_with(end))
}

fn names_a_machine_path(line: &str) -> bool {
    line.match_indices('/').any(|(at, _)| {
        // Only the head of a path counts: a part of a relative path or a URL is no folder of a machine.
        let before = line[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || "_-.}/*".contains(c)) {
            return false;
        }
        let path = &line[at + 1..];
        let top = leading_name(path);
        let below = path[top.len()..].strip_prefix('/').map_or("", leading_name);
        match top {
            "work" => true,
            // Alone it also stands in the lists of mounts that Linux gives.
            "root" => !below.is_empty(),
            "home" => !below.is_empty() && !EXAMPLES.contains(&below),
            _ => false,
        }
    })
}

fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !is_of_word(c) && c != '-' && c != '.').unwrap_or(text.len());
    &text[..end]
}

fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word)
    })
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests;
