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

use sizes::Oversize;
use source::{RustFile, TextFile};
use std::fmt;
use std::num::NonZero;
use std::path::Path;
use std::thread;

/// One breach of a rule, and how to mend it.
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

/// Prints every finding; returns whether there are none.
pub fn run(root: &Path) -> anyhow::Result<bool> {
    let names = source::names(root)?;
    let files = source::read(root, &names)?;
    let packages = crates::read(root)?;
    let (mut findings, oversizes) = check_all_rust(&files)?;
    findings.extend(packages.iter().flat_map(|package| crates::check(package, &files)));
    findings.extend(files.iter().flat_map(text::check));
    findings.extend(files.iter().flat_map(phrases::check_page));
    findings.extend(links::check(&files, &names));
    findings.extend(pages::check(&files, &names));
    findings.extend(exceptions::judge(&oversizes, &files));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} findings in {} files", findings.len(), files.len());
    Ok(findings.is_empty())
}

/// The rules that Rust files break, and what exceeds the limits. Reading them takes nearly all of the time, so the CPUs share the work.
fn check_all_rust(files: &[TextFile]) -> anyhow::Result<(Vec<Finding>, Vec<Oversize>)> {
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    // Tokens stay in their thread.
    let share = |first: usize| {
        let (rust, mut findings) = source::parse(files.iter().skip(first).step_by(cpus));
        findings.extend(rust.iter().flat_map(check_rust));
        (findings, rust.iter().flat_map(sizes::measure).collect::<Vec<_>>())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cpus).map(|first| scope.spawn(move || share(first))).collect();
        let mut all = (Vec::new(), Vec::new());
        for thread in threads {
            let (findings, oversizes) = thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))?;
            all.0.extend(findings);
            all.1.extend(oversizes);
        }
        Ok(all)
    })
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

/// Shared by the tests of the rules.
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
