//! `cargo xtask tidy`: the house rules that a program can judge, each finding with what to do.
//!
//! One file per group of rules, each a function from texts to findings: a rule must not read files itself, so that its
//! tests are snippets. What clippy and rustfmt can judge does not belong here.

mod anchors;
mod attributes;
mod crates;
mod exceptions;
mod links;
mod names;
mod pages;
mod phrases;
mod purity;
mod sizes;
mod source;
mod text;

pub use source::{is_for_tests, names as file_names};

use source::RustFile;
use std::fmt;
use std::path::Path;

/// One breach of a rule, and the way out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    rule: &'static str,
    to_do: String,
}

impl Finding {
    fn new(path: &str, line: usize, rule: &'static str, to_do: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, rule, to_do: to_do.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.to_do)
    }
}

/// Prints every finding; whether there are none.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let names = source::names(root)?;
    let files = source::read(root, &names)?;
    let packages = crates::read(root)?;
    let (rust, mut findings) = source::parse(&files);
    findings.extend(packages.iter().flat_map(|package| crates::check(package, &files)));
    findings.extend(files.iter().flat_map(text::check));
    findings.extend(files.iter().flat_map(phrases::check_page));
    findings.extend(rust.iter().flat_map(check_rust));
    findings.extend(links::check(&files, &names));
    findings.extend(pages::check(&files, &names));
    findings.extend(exceptions::judge(&rust.iter().flat_map(sizes::measure).collect::<Vec<_>>(), &files));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} findings in {} files", findings.len(), files.len());
    Ok(findings.is_empty())
}

fn check_rust(file: &RustFile) -> Vec<Finding> {
    [
        text::check_rust(file),
        attributes::check(file),
        purity::check(file),
        names::check(file),
        phrases::check_rust(file),
    ]
    .concat()
}

/// What the tests of the rules share.
#[cfg(test)]
mod snippet {
    use super::Finding;
    use super::source::{RustFile, TextFile};

    pub fn text(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    pub fn rust<'a>(path: &'a str, text: &'a str) -> RustFile<'a> {
        RustFile::parse(path, text).unwrap()
    }

    /// Line and rule of each finding.
    pub fn places(findings: Vec<Finding>) -> Vec<(usize, &'static str)> {
        findings.into_iter().map(|finding| (finding.line, finding.rule)).collect()
    }
}
