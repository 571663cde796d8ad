//! `cargo xtask gen`: files of the repository that the program itself writes, so that they cannot differ from it.
//! A new one is a line in `GENERATED`. It must not write anything that depends on the machine or the day.

use anyhow::Context as _;
use std::fs;
use std::io;
use std::path::Path;

struct Generated {
    path: &'static str,
    text: fn() -> String,
}

const GENERATED: &[Generated] = &[
    Generated { path: "docs/schemas/rigel.calibration-1.json", text: rigel_report::calibration::schema },
    Generated { path: "docs/schemas/rigel.comparison-1.json", text: rigel_report::compare::schema },
    Generated { path: "docs/schemas/rigel.findings-1.json", text: rigel_report::json::schema },
];

/// Writes the files that differ from what the program says.
pub fn write(root: &Path) -> anyhow::Result<bool> {
    for file in stale(root, GENERATED)? {
        let path = root.join(file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&path, (file.text)()).with_context(|| format!("cannot write {}", path.display()))?;
        println!("gen: wrote {}", file.path);
    }
    println!("gen: {} files are fresh", GENERATED.len());
    Ok(true)
}

/// Whether every file is what would be written.
pub fn check(root: &Path) -> anyhow::Result<bool> {
    let stale = stale(root, GENERATED)?;
    for file in &stale {
        println!(
            "{}:1: gen: differs from what the program says; run `cargo xtask gen` and commit it",
            file.path
        );
    }
    Ok(stale.is_empty())
}

fn stale<'a>(root: &Path, generated: &'a [Generated]) -> anyhow::Result<Vec<&'a Generated>> {
    let mut stale = Vec::new();
    for file in generated {
        let present = match fs::read(root.join(file.path)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.path)),
        };
        if present != (file.text)().as_bytes() {
            stale.push(file);
        }
    }
    Ok(stale)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELLO: &[Generated] = &[Generated { path: "hello.txt", text: || "hello\n".to_owned() }];

    #[test]
    fn a_missing_and_a_changed_file_are_stale() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(stale(root.path(), HELLO).unwrap().len(), 1);
        fs::write(root.path().join("hello.txt"), "hello").unwrap();
        assert_eq!(stale(root.path(), HELLO).unwrap().len(), 1);
        fs::write(root.path().join("hello.txt"), "hello\n").unwrap();
        assert_eq!(stale(root.path(), HELLO).unwrap().len(), 0);
    }
}
