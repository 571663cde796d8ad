//! The list of what may be larger than the limits, which may only shrink: an entry must say exactly what is there.

use super::Finding;
use super::sizes::Oversize;
use super::source::TextFile;
use std::collections::BTreeMap;

const LIST: &str = "xtask/tidy-exceptions.txt";

/// Findings for what is oversize without an entry or above it, and for entries that say too much.
pub fn judge(oversizes: &[Oversize], files: &[TextFile]) -> Vec<Finding> {
    let list = files.iter().find(|file| file.path == LIST).map_or("", |file| &file.text);
    let (mut entries, mut findings) = parse(list);
    for oversize in oversizes {
        let name = oversize.name();
        match entries.get_mut(&name) {
            Some(entry) if oversize.lines <= entry.lines => entry.needed = entry.needed.max(oversize.lines),
            // The entry is not up for lowering while something is above it.
            Some(entry) => {
                entry.needed = entry.lines;
                findings.push(too_long(oversize, entry.lines));
            }
            None => findings.push(too_long(oversize, oversize.limit())),
        }
    }
    for (name, entry) in entries {
        if entry.needed < entry.lines {
            let to_do = match entry.needed {
                0 => format!("`{name}` is within the limits: take the entry out"),
                lines => format!("`{name}` has shrunk: lower the entry to {lines}"),
            };
            findings.push(Finding::new(LIST, entry.at, "exceptions", to_do));
        }
    }
    findings
}

fn too_long(oversize: &Oversize, limit: usize) -> Finding {
    let (rule, what) = match &oversize.function {
        Some(name) => ("function-length", format!("`{name}` has")),
        None => ("file-length", "the file has".to_owned()),
    };
    let to_do =
        format!("{what} {} lines, {limit} may be: split it where it changes its subject", oversize.lines);
    Finding::new(&oversize.path, oversize.line, rule, to_do)
}

struct Entry {
    at: usize,
    lines: usize,
    /// The largest size that was seen.
    needed: usize,
}

fn parse(list: &str) -> (BTreeMap<String, Entry>, Vec<Finding>) {
    let mut entries = BTreeMap::new();
    let mut findings = Vec::new();
    for (index, line) in list.lines().enumerate() {
        let at = index + 1;
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let entry = line.split_once(' ').and_then(|(lines, name)| Some((lines.parse().ok()?, name.trim())));
        match entry {
            Some((lines, name)) => {
                entries.insert(name.to_owned(), Entry { at, lines, needed: 0 });
            }
            None => findings.push(Finding::new(
                LIST,
                at,
                "exceptions",
                "write: lines, a blank, path or path::function",
            )),
        }
    }
    (entries, findings)
}

#[cfg(test)]
mod tests {
    use super::super::snippet::{places, text};
    use super::*;

    fn found(oversizes: &[Oversize], list: &str) -> Vec<(usize, &'static str)> {
        places(judge(oversizes, &[text(LIST, list)]))
    }

    fn function(lines: usize) -> Oversize {
        Oversize { path: "a.rs".to_owned(), line: 7, function: Some("f".to_owned()), lines }
    }

    #[test]
    fn what_is_not_listed_is_found() {
        assert_eq!(found(&[function(71)], "# nothing\n"), [(7, "function-length")]);
        let file = Oversize { function: None, ..function(601) };
        assert_eq!(found(&[file], "71 a.rs::f\n").first(), Some(&(7, "file-length")));
    }

    #[test]
    fn an_exact_entry_is_enough() {
        assert_eq!(found(&[function(90)], "# why\n90 a.rs::f # a table\n"), []);
    }

    #[test]
    fn an_entry_must_not_grow_and_must_follow_when_the_function_shrinks() {
        assert_eq!(found(&[function(91)], "90 a.rs::f\n"), [(7, "function-length")]);
        assert_eq!(found(&[function(89)], "90 a.rs::f\n"), [(1, "exceptions")]);
    }

    #[test]
    fn an_entry_that_nothing_needs_and_one_that_cannot_be_read_are_found() {
        assert_eq!(found(&[], "\n90 a.rs::f\n"), [(2, "exceptions")]);
        assert_eq!(found(&[], "a.rs::f\n"), [(1, "exceptions")]);
    }
}
