//! `cargo xtask ci`: every check, each run even if one before it failed, so that one round shows all there is to mend.
//! The tests come last: their closing lines are what a reader and a CI server look for.

pub mod setup;
mod skips;
pub mod tool;

use crate::{deny, fuzz, generate, instructions, tidy};
use anyhow::Context as _;
use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The checks that are a cargo command; the tests are not among them, as they need the skip file.
const CARGO_CHECKS: [(&str, &[&str]); 4] = [
    ("fmt", &["fmt", "--all", "--check"]),
    // A workspace of its own.
    ("fmt-fuzz", &["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]),
    (
        "clippy",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            FEATURES,
            "--locked",
            "--",
            "-D",
            "warnings",
        ],
    ),
    ("doc", &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"]),
];
/// What makes a warning of `cargo doc` an error; for `cargo test` it would reach into the examples in comments.
const DOC_FLAGS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");
/// Without `--no-fail-fast` the first failing crate would hide the skips and failures of all after it.
const TEST: &[&str] = &["test", "--workspace", "--features", FEATURES, "--locked", "--no-fail-fast"];
/// What a plain build leaves out. Everything is built with it, as building some of it twice would take longer; that it builds
/// without is shown by xtask itself, which needs the same crates.
const FEATURES: &str = "rigel/parquet";

/// Runs every step, then says which failed.
pub fn run(root: &Path, with_setup: bool) -> anyhow::Result<bool> {
    let mut steps = Steps::default();
    if with_setup {
        setup::run(setup::PACKAGES, "the tests");
        [tool::DENY, tool::FUZZ].iter().for_each(|tool| tool.set_up(root));
    }
    for (name, arguments) in CARGO_CHECKS {
        steps.run(name, &shown(arguments), || finished_well(&mut cargo(root, arguments)));
    }
    steps.run("tidy", "cargo xtask tidy", || tidy::run(root));
    steps.run("gen", "cargo xtask gen --check", || generate::check(root));
    let skip_file =
        tempfile::NamedTempFile::new().context("cannot create the file that collects skipped tests")?;
    let skips = skip_file.path();
    steps.run("deny", "cargo deny check bans licenses sources", || {
        deny::dependencies(root)?.among_others("deny", skips)
    });
    steps.run("advisories", "cargo deny check advisories", || {
        deny::advisories(root)?.among_others("advisories", skips)
    });
    steps.run("instructions", "cargo xtask instructions", || {
        instructions::run(root, false)?.among_others("instructions", skips)
    });
    steps.run("fuzz", "cargo xtask fuzz, briefly", || fuzz::smoke(root)?.among_others("fuzz", skips));
    let all_ran =
        steps.run("test", &shown(TEST), || finished_well(cargo(root, TEST).env("RIGEL_SKIP_FILE", skips)));
    steps.run("skips", "tests that could not run", || skips::run(root, skips, all_ran));
    Ok(steps.conclude())
}

/// Cargo as it started us, so that a toolchain chosen on the command line stays chosen.
pub fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(root).args(arguments);
    if is_doc(arguments) {
        cargo.env(DOC_FLAGS.0, DOC_FLAGS.1);
    }
    cargo
}

/// The command as one would type it.
fn shown(arguments: &[&str]) -> String {
    let flags =
        if is_doc(arguments) { format!("{}=\"{}\" ", DOC_FLAGS.0, DOC_FLAGS.1) } else { String::new() };
    format!("{flags}cargo {}", arguments.join(" "))
}

fn is_doc(arguments: &[&str]) -> bool {
    arguments.first() == Some(&"doc")
}

fn finished_well(command: &mut Command) -> anyhow::Result<bool> {
    let status = command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    Ok(status.success())
}

/// What was run, how long it took and whether it went well.
#[derive(Default)]
struct Steps {
    done: Vec<(&'static str, bool, Duration)>,
}

impl Steps {
    /// Runs a check and keeps what came of it; whether it went well.
    fn run(&mut self, name: &'static str, what: &str, check: impl FnOnce() -> anyhow::Result<bool>) -> bool {
        println!("\n=== {name}: {what}");
        let start = Instant::now();
        let good = check().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            false
        });
        self.done.push((name, good, start.elapsed()));
        println!("=== {}", line(name, good, start.elapsed()));
        good
    }

    /// Prints the table; whether all went well.
    fn conclude(&self) -> bool {
        println!();
        for (name, good, time) in &self.done {
            println!("{}", line(name, *good, *time));
        }
        let failed = self.failed();
        if failed.is_empty() {
            println!("ci: all {} steps passed", self.done.len());
        } else {
            println!("ci: {} of {} steps FAILED: {}", failed.len(), self.done.len(), failed.join(", "));
        }
        failed.is_empty()
    }

    fn failed(&self) -> Vec<&'static str> {
        self.done.iter().filter(|(_, good, _)| !good).map(|(name, ..)| *name).collect()
    }
}

fn line(name: &str, good: bool, time: Duration) -> String {
    let verdict = if good { "ok" } else { "FAILED" };
    format!("{name:<12} {verdict:<6} {:>7.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_and_an_error_are_kept_and_stop_nothing() {
        let mut steps = Steps::default();
        assert!(!steps.run("first", "", || Ok(false)));
        assert!(!steps.run("second", "", || anyhow::bail!("no such program")));
        assert!(steps.run("third", "", || Ok(true)));
        assert_eq!(steps.failed(), ["first", "second"]);
        assert!(!steps.conclude());
    }

    #[test]
    fn nothing_failed_is_a_pass() {
        let mut steps = Steps::default();
        steps.run("only", "", || Ok(true));
        assert!(steps.conclude());
    }

    #[test]
    fn a_program_that_fails_or_is_missing_is_not_a_pass() {
        assert!(!finished_well(&mut Command::new("false")).unwrap());
        assert!(finished_well(&mut Command::new("/nowhere/program")).is_err());
    }
}
