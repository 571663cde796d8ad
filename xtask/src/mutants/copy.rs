//! A copy of the sources below cargo's target directory, some files of which are others. What is the same is not written again, so that
//! cargo builds no more than it has to.
//!
//! Must not write into the repository.

use crate::tidy::file_names;
use anyhow::Context as _;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Makes `copy` contain what belongs to the repository, including uncommitted changes, with `changed` in place of the
/// files with these names or in addition to them, and nothing else.
pub fn write(root: &Path, copy: &Path, changed: &BTreeMap<String, String>) -> anyhow::Result<()> {
    let names = file_names(root)?;
    for name in names.iter().filter(|name| !changed.contains_key(*name)) {
        let bytes = fs::read(root.join(name)).with_context(|| format!("cannot read {name}"))?;
        put(&copy.join(name), &bytes)?;
        let mode = fs::metadata(root.join(name))?.permissions();
        fs::set_permissions(copy.join(name), mode)
            .with_context(|| format!("cannot set the mode of the copy of {name}"))?;
    }
    for (name, text) in changed {
        put(&copy.join(name), text.as_bytes())?;
    }
    let all: BTreeSet<&str> = names.iter().chain(changed.keys()).map(String::as_str).collect();
    sweep(copy, copy, &all)
}

fn put(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Removes the files that do not belong there: deleted ones, and those that tests left.
fn sweep(copy: &Path, folder: &Path, all: &BTreeSet<&str>) -> anyhow::Result<()> {
    let unreadable = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let path = entry.with_context(unreadable)?.path();
        if path.is_dir() && !path.is_symlink() {
            sweep(copy, &path, all)?;
        } else if !path.strip_prefix(copy).ok().and_then(Path::to_str).is_some_and(|name| all.contains(name))
        {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_copy_follows_its_source_and_what_is_the_same_stays() {
        let (root, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let git = Command::new("git").args(["init", "--quiet"]).current_dir(root.path()).status().unwrap();
        assert!(git.success());
        fs::create_dir(root.path().join("a")).unwrap();
        for (name, text) in [("a/b.rs", "b"), ("a/c.rs", "c"), ("d.md", "d")] {
            fs::write(root.path().join(name), text).unwrap();
        }
        let changed = |text: &str| {
            BTreeMap::from([("a/b.rs", text), ("new.rs", "n")].map(|(a, b)| (a.to_owned(), b.to_owned())))
        };
        write(root.path(), copy.path(), &changed("B")).unwrap();
        let read = |name: &str| fs::read_to_string(copy.path().join(name)).ok();
        let all = || ["a/b.rs", "a/c.rs", "d.md", "new.rs"].map(read);
        assert_eq!(all(), ["B", "c", "d", "n"].map(|text| Some(text.to_owned())));

        let time = |name: &str| fs::metadata(copy.path().join(name)).unwrap().modified().unwrap();
        let before = time("a/c.rs");
        fs::remove_file(root.path().join("d.md")).unwrap();
        fs::write(copy.path().join("a/left.snap"), "by a test").unwrap();
        write(root.path(), copy.path(), &changed("BB")).unwrap();
        assert_eq!(all(), [Some("BB".to_owned()), Some("c".to_owned()), None, Some("n".to_owned())]);
        assert_eq!((read("a/left.snap"), time("a/c.rs")), (None, before));
    }
}
