//! What to give instead of a file that is not there: files of the same kind in its directory, the most similar name first.
//!
//! Must not open a file.

use rigel_core::path_text;
use rigel_core::units::say::listed;
use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

/// Names in a message.
const MOST_NAMED: usize = 3;

/// The next step for a missing file. `suits`: whether a name is that of such a file; `kind`: what it is, such as "a record".
pub fn next_step(path: &Path, kind: &str, suits: impl Fn(&str) -> bool) -> String {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty());
    let place = dir.map_or_else(|| "this directory".to_owned(), path_text::encode);
    let Ok(entries) = fs::read_dir(dir.unwrap_or_else(|| Path::new("."))) else {
        return format!("check the path: the directory {place} does not exist, or you may not list it");
    };
    let typed = path.file_name().unwrap_or_default().to_string_lossy();
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| suits(name)).collect();
    names.sort_by_cached_key(|name| (Reverse(likeness(&typed, name)), name.clone()));
    let shown: Vec<String> = names
        .iter()
        .take(MOST_NAMED)
        .map(|name| path_text::encode(&dir.map_or_else(|| PathBuf::from(name), |dir| dir.join(name))))
        .collect();
    match names.len() {
        0 => format!("check the path: {place} has no file that could be {kind}"),
        1 => format!("did you mean {}?", shown.concat()),
        count if count <= MOST_NAMED => format!("did you mean one of {}?", listed(&shown)),
        count => format!("did you mean one of the {count} in {place}, such as {}?", listed(&shown)),
    }
}

/// Letters that two names share at both ends.
fn likeness(one: &str, other: &str) -> usize {
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| pairs.take_while(|(a, b)| a == b).count();
    same(&mut one.chars().zip(other.chars())) + same(&mut one.chars().rev().zip(other.chars().rev()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        let step = |name: &str| next_step(&dir.path().join(name), "a job", |name| name.ends_with(".fio"));
        assert!(step("a.fio").contains("has no file that could be a job"));
        for name in ["oltp.fio", "backup.fio", "notes.txt"] {
            fs::write(dir.path().join(name), "").unwrap();
        }
        let told = step("oltq.fio");
        assert!(told.find("oltp.fio") < told.find("backup.fio"), "{told}");
        assert!(!told.contains("notes"), "{told}");
        let nowhere = next_step(Path::new("/nowhere/at/all"), "a job", |_| true);
        assert_eq!(
            nowhere,
            "check the path: the directory /nowhere/at does not exist, or you may not list it"
        );
    }
}
