//! The digests of the corpus as a file: a line for each document, by its path.
//!
//! Must not make a document.

use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Where it is.
pub const FILE: &str = "golden/digests.txt";

/// The whole file.
pub fn text(documents: &BTreeMap<String, Vec<u8>>) -> String {
    let mut text = String::new();
    for (path, bytes) in documents {
        for byte in Sha256::digest(bytes) {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        let _ = writeln!(text, "  {path}");
    }
    text
}

/// What happened to each document that is not in both files with the same digest, by its path.
pub fn differing(committed: &str, made: &str) -> Vec<(String, &'static str)> {
    let read = |text: &str| -> BTreeMap<String, String> {
        text.lines()
            .filter_map(|line| line.split_once("  "))
            .map(|(digest, path)| (path.into(), digest.into()))
            .collect()
    };
    let (before, now) = (read(committed), read(made));
    let paths: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let what = |path: &String| match (before.get(path), now.get(path)) {
        (Some(one), Some(other)) if one == other => None,
        (Some(_), Some(_)) => Some("differs"),
        (Some(_), None) => Some("is gone"),
        (None, _) => Some("is new"),
    };
    paths.into_iter().filter_map(|path| Some((path.clone(), what(path)?))).collect()
}
