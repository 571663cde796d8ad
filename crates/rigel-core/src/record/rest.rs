//! The lines of a record that did not fit, and wait in a separate file until there is room: where that file is, and where its lines belong.
//!
//! Pure; must not look at a directory.

use crate::error::Problem;
use crate::guard::scratch::fnv1a;
use crate::path_text;
use serde::Deserialize;
use std::path::PathBuf;

/// Where the rest of a record may be, the best place first: in the directories that the record names, if any. The name comes from the
/// first line, which says when and what was measured, so it is unique even if two records have the same name in two directories.
pub fn places(record: &[u8]) -> Vec<PathBuf> {
    #[derive(Deserialize)]
    struct Peek {
        request: RestName,
    }
    #[derive(Deserialize)]
    struct RestName {
        task: Task,
    }
    #[derive(Deserialize)]
    struct Task {
        #[serde(default)]
        soak: Soak,
    }
    #[derive(Default, Deserialize)]
    struct Soak {
        #[serde(default)]
        rest_dirs: Vec<String>,
    }
    let first = record.split_inclusive(|&byte| byte == b'\n').next().filter(|first| first.ends_with(b"\n"));
    let Some(first) = first else { return Vec::new() };
    let name = format!("rigel_soak_rest_{:016x}.jsonl", fnv1a(first));
    let dirs = serde_json::from_slice(first)
        .map_or_else(|_| Vec::new(), |Peek { request }| request.task.soak.rest_dirs);
    dirs.iter().map(|dir| path_text::decode(dir).join(&name)).collect()
}

/// How a record is completed: this many bytes of it stay, and these follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestSplice<'a> {
    /// Bytes of the record that stay. After them is a torn line, which the rest has in full.
    pub stays: usize,
    /// The bytes that follow.
    pub more: &'a [u8],
}

impl<'a> RestSplice<'a> {
    /// Where a rest belongs. The record may have some or all of its lines already, as a program that restores them may be killed at any time.
    ///
    /// # Errors
    /// When the record continued without them.
    pub fn of(record: &[u8], rest: &'a [u8]) -> Result<Self, Problem> {
        let nothing = Self { stays: record.len(), more: &[] };
        let whole_rest = whole_lines(rest);
        let Some(first) = whole_rest.split_inclusive(|&byte| byte == b'\n').next() else {
            return Ok(nothing);
        };
        let lines = whole_lines(record);
        let Some(at) = find(lines, first) else { return Ok(Self { stays: lines.len(), more: rest }) };
        let there = &lines[at..];
        match rest.strip_prefix(there) {
            Some(more) => Ok(Self { stays: lines.len(), more }),
            None if there.starts_with(whole_rest) => Ok(nothing),
            None => Err(went_on()),
        }
    }
}

/// The complete lines.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    &bytes[..end]
}

/// Where a line begins.
fn find(lines: &[u8], line: &[u8]) -> Option<usize> {
    let mut at = 0;
    for one in lines.split_inclusive(|&byte| byte == b'\n') {
        if one == line {
            return Some(at);
        }
        at += one.len();
    }
    None
}

/// The record and its rest contradict each other.
pub fn went_on() -> Problem {
    Problem::usage("lines that did not fit into the record were lost")
        .because("the spill file was missing or changed when the soak was resumed")
        .next("the file holds findings: keep it, but move it to another directory so that the record can be read")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(record: &str, rest: &str) -> String {
        let joint = RestSplice::of(record.as_bytes(), rest.as_bytes()).unwrap();
        let bytes = [&record.as_bytes()[..joint.stays], joint.more].concat();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn lines_come_behind_the_record_once_wherever_putting_them_back_ended() {
        let (record, rest) = ("head\none\n", "two\nthree\nfour\n");
        let whole = format!("{record}{rest}");
        for cut in record.len()..=whole.len() {
            assert_eq!(joined(&whole[..cut], rest), whole, "cut at {cut}");
        }
        let later = format!("{whole}five\n");
        assert_eq!(joined(&later, rest), later);
        assert_eq!(joined(&format!("{later}si"), rest), format!("{later}si"));
    }

    #[test]
    fn a_torn_line_of_the_rest_stays_torn() {
        assert_eq!(joined("head\n", "two\nthr"), "head\ntwo\nthr");
        assert_eq!(joined("head\ntwo\n", "two\nthr"), "head\ntwo\nthr");
        assert_eq!(joined("head\non", "tw"), "head\non", "nothing is known of it");
        assert_eq!(joined("head\n", ""), "head\n");
    }

    #[test]
    fn a_record_that_went_on_without_its_rest_is_told() {
        let problem = RestSplice::of(b"head\ntwo\nother\n", b"two\nthree\n").unwrap_err();
        assert_eq!(problem.kind.code(), 2);
        assert!(problem.next.is_some());
    }

    #[test]
    fn the_places_follow_from_the_whole_first_line() {
        let head =
            |dirs: &str| format!("{{\"request\":{{\"task\":{{\"soak\":{{\"rest_dirs\":{dirs}}}}}}}}}\n");
        let (one, other) = (head(r#"["/big","/tmp"]"#), head(r#"["/big"]"#));
        let found = places(one.as_bytes());
        assert_eq!(found, places(format!("{one}more\n").as_bytes()));
        assert!(
            found[0].starts_with("/big") && found[1].starts_with("/tmp") && found.len() == 2,
            "{found:?}"
        );
        assert_eq!(found[0].file_name(), found[1].file_name());
        assert_ne!(found[0], places(other.as_bytes())[0], "another record has another name");
        for none in ["", "hea", "head\n", "{\"request\":{}}\n", one.trim_end()] {
            assert!(places(none.as_bytes()).is_empty(), "{none}");
        }
    }
}
