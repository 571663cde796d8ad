//! What a program is made of: the crates that are linked into it, as cargo resolves them, and what is no crate. Must not list what only
//! builds or tests it.

use super::{Release, cargo_says, tools::Tools};
use anyhow::Context as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A crate, or something that a crate holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    pub name: String,
    pub version: String,
    /// An expression of SPDX.
    pub licence: String,
    pub repository: Option<String>,
    /// Of its archive on crates.io; ours have none.
    pub sha256: Option<String>,
    /// The directory of a crate, with its licences.
    pub place: Option<PathBuf>,
    /// Files with the licences of parts that are not crates.
    pub texts: Vec<PathBuf>,
}

/// What is linked into a program, sorted by name: the one that cargo builds with these arguments in a workspace.
pub fn of(release: &Release, tools: &Tools, which: &[&str]) -> anyhow::Result<Vec<Part>> {
    let (workspace, triple) = (release.root.as_path(), release.architecture.triple);
    let tree = ["tree", "--locked", "--edges", "normal,no-proc-macro", "--target", triple];
    let told = cargo_says(workspace, &[&tree[..], which, &["--prefix", "none", "--format", "{p}"]].concat())?;
    let linked = names(&String::from_utf8_lossy(&told));
    // Features belong to a package; those of a whole workspace are asked for together.
    let features = which.iter().skip_while(|word| **word != "--features").copied();
    let metadata = ["metadata", "--locked", "--format-version", "1", "--filter-platform", triple];
    let told = cargo_says(workspace, &metadata.into_iter().chain(features).collect::<Vec<_>>())?;
    let metadata: Value = serde_json::from_slice(&told).context("cargo metadata wrote no JSON")?;
    let sums = sums(&fs::read_to_string(workspace.join("Cargo.lock"))?);
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let mut parts: Vec<Part> = packages.iter().filter_map(|package| part(package, &linked, &sums)).collect();
    anyhow::ensure!(parts.len() == linked.len(), "{} crates are linked, {} known", linked.len(), parts.len());
    let embedded = embedded(&parts)?;
    parts.extend(embedded);
    parts.extend(of_tools(release, tools)?);
    parts.sort();
    Ok(parts)
}

/// Lines such as `serde v1.0.2 (*)`.
fn names(tree: &str) -> BTreeSet<(String, String)> {
    let words = tree.lines().map(|line| line.split(' '));
    let known = words.filter_map(|mut words| {
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    });
    known.collect()
}

fn part(
    package: &Value,
    linked: &BTreeSet<(String, String)>,
    sums: &BTreeMap<(String, String), String>,
) -> Option<Part> {
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    let known = (text("name")?, text("version")?);
    linked.contains(&known).then_some(())?;
    Some(Part {
        sha256: sums.get(&known).cloned(),
        licence: text("license").unwrap_or_default(),
        repository: text("repository"),
        place: Path::new(&text("manifest_path")?).parent().map(Path::to_owned),
        texts: Vec::new(),
        name: known.0,
        version: known.1,
    })
}

/// Parts that are not crates.
fn other(name: &str, version: &str, licence: &str, repository: &str, texts: Vec<PathBuf>) -> Part {
    Part {
        name: name.to_owned(),
        version: version.to_owned(),
        licence: licence.to_owned(),
        repository: Some(repository.to_owned()),
        sha256: None,
        place: None,
        texts,
    }
}

/// What crates contain: `libsqlite3-sys` compiles SQLite, and `rigel-report` has ECharts in its assets.
fn embedded(crates: &[Part]) -> anyhow::Result<Vec<Part>> {
    let place =
        |name: &str| crates.iter().find(|part| part.name == name).and_then(|part| part.place.as_deref());
    let mut found = Vec::new();
    if let Some(place) = place("libsqlite3-sys") {
        let header = place.join("sqlite3/sqlite3.h");
        let text =
            fs::read_to_string(&header).with_context(|| format!("cannot read {}", header.display()))?;
        let version = sqlite_version(&text).with_context(|| format!("no version in {}", header.display()))?;
        found.push(other("sqlite", version, "blessing", "https://sqlite.org", Vec::new()));
    }
    if let Some(place) = place("rigel-report") {
        let notice = vec![place.join("assets/NOTICE")];
        found.push(other("echarts", "5.5.1", "Apache-2.0", "https://github.com/apache/echarts", notice));
    }
    Ok(found)
}

fn sqlite_version(header: &str) -> Option<&str> {
    let line = header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION "))?;
    line.trim().strip_prefix('"')?.strip_suffix('"')
}

/// What compiler and linker add to every program: Rust's standard library, and from zig the unwinder and functions that processors lack.
fn of_tools(release: &Release, tools: &Tools) -> anyhow::Result<Vec<Part>> {
    let toolchain = tools.toolchain(release.architecture)?;
    let rustc = toolchain.rustc.unwrap_or_else(|| "rustc".into());
    let told = Command::new(rustc).arg("--version").output().context("cannot start rustc")?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let version = told.split(' ').nth(1).context("rustc does not tell its version")?.to_owned();
    let (zig, place) = tools.zig()?;
    let unwind = vec![place.join("lib/libunwind/LICENSE.TXT")];
    let llvm = "Apache-2.0 WITH LLVM-exception";
    Ok(vec![
        other(
            "rust-std",
            &version,
            "MIT OR Apache-2.0",
            "https://github.com/rust-lang/rust",
            toolchain.licences,
        ),
        other("llvm-libunwind", &zig, llvm, "https://github.com/llvm/llvm-project", unwind),
        other(
            "zig-compiler-rt",
            &zig,
            "MIT",
            "https://codeberg.org/ziglang/zig",
            vec![place.join("LICENSE")],
        ),
    ])
}

/// The digests of a lock file, by name and version.
fn sums(lock: &str) -> BTreeMap<(String, String), String> {
    let value = |block: &str, key: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""))?;
        Some(line.trim_end_matches('"').to_owned())
    };
    let entry =
        |block: &str| Some(((value(block, "name")?, value(block, "version")?), value(block, "checksum")?));
    lock.split("[[package]]").filter_map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_and_a_lock_file_are_read() {
        let found = names("rigel v0.1.0 (/a b)\nserde v1.0.2\nserde v1.0.2 (*)\n\n");
        assert_eq!(found.len(), 2, "{found:?}");
        let lock = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.2\"\nchecksum = \"00ff\"\ndependencies = [\n \"b\",\n]\n\n\
                    [[package]]\nname = \"b\"\nversion = \"0.1.0\"\n";
        let found = sums(lock);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[&("a".to_owned(), "1.2".to_owned())], "00ff");
    }

    #[test]
    fn sqlite_tells_its_version() {
        let header = "#define SQLITE_VERSION_NUMBER 3053002\n#define SQLITE_VERSION        \"3.53.2\"\n";
        assert_eq!(sqlite_version(header), Some("3.53.2"));
        assert_eq!(sqlite_version("#define SQLITE_VERSION 3"), None);
    }
}
