//! `cargo xtask ci`: every check, each run even if one before it failed, so that one round shows all there is to mend.
//! The tests come last: their closing lines are what a reader and a CI server look for. `cargo xtask test` is these alone.

mod again;
mod programs;
pub mod setup;
mod skips;
pub mod steps;
mod suite;
pub mod tool;

use crate::{deny, extension, fuzz, instructions, mpi, msrv, tidy};
use anyhow::Context as _;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::Command;
use steps::Steps;

pub use suite::run as test;

/// The checks that are a cargo command; the tests are not among them, as they need the skip file.
fn cargo_checks() -> [(&'static str, Vec<String>); 5] {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let all = |before: &[&str], after: &[&str]| [words(before), everything(), words(after)].concat();
    [
        ("fmt", words(&["fmt", "--all", "--check"])),
        // A workspace of its own, which only `cargo xtask fuzz` builds.
        ("fmt-fuzz", words(&["fmt", "--manifest-path", fuzz::MANIFEST, "--check"])),
        ("lock-fuzz", words(&["tree", "--locked", "--depth=0", "--manifest-path", fuzz::MANIFEST])),
        ("clippy", all(&["clippy"], &["--all-targets", "--", "-D", "warnings"])),
        ("doc", all(&["doc"], &["--no-deps", "--document-private-items"])),
    ]
}
/// What makes a warning of `cargo doc` an error; for `cargo test` it would reach into the examples in comments.
const DOC_FLAGS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");
/// Whether cargo keeps what the next build of a crate may use.
const INCREMENTAL: &str = "CARGO_INCREMENTAL";
/// What is kept of the crate that every build of the program needs.
const OF_PROGRAM: &str = "rigel_core-";
/// What a plain build leaves out. Everything is built with it, as building some of it twice would take longer; that the program
/// builds without is shown by the first command of the README.
const FEATURES: &str = "xtask/program";
/// Everything that can be built here, always together: cargo builds a crate again when the other crates, or the features, differ.
pub fn everything() -> Vec<String> {
    let server = extension::of_tests();
    let more = server
        .as_ref()
        .map_or_else(String::new, |(version, _)| format!(",{}", extension::features(*version)));
    let mut all =
        vec!["--workspace".to_owned(), "--locked".to_owned(), format!("--features={FEATURES}{more}")];
    let left_out = [(mpi::can_be_built(), mpi::PACKAGE), (server.is_some(), extension::PACKAGE)];
    all.extend(
        left_out.into_iter().filter(|(can, _)| !can).map(|(_, package)| format!("--exclude={package}")),
    );
    all
}

/// Runs every step, then says which failed.
pub fn run(root: &Path, with_setup: bool) -> anyhow::Result<bool> {
    let mut steps = Steps::default();
    if with_setup {
        steps.run("setup", "what the checks and the tests need", || {
            setup::run(&[setup::CHECKS, setup::TESTS].concat(), "the checks and the tests");
            tool::DENY.set_up(root);
            Ok(true)
        });
    }
    for (name, arguments) in cargo_checks() {
        steps.run(name, &shown(&arguments), || finished_well(&mut cargo(root, &arguments)));
    }
    steps.run("tidy", "cargo xtask tidy", || tidy::run(root));
    steps.run("msrv", "the compiler that is promised is enough", || msrv::run(root));
    let skip_file = skips::file()?;
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
    // Generated files are checked by a unit test of xtask.
    let programs = suite::build(root, &mut steps);
    suite::add(root, &mut steps, skips, programs.as_deref())?;
    Ok(steps.conclude("ci"))
}

/// Cargo as it started us, so that a toolchain chosen on the command line stays chosen.
pub fn cargo<S: AsRef<OsStr>>(root: &Path, arguments: &[S]) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(root).args(arguments);
    if let Some((_, pg_config)) = extension::of_tests() {
        cargo.env(extension::CHOICE, pg_config);
    }
    if is_doc(arguments) {
        cargo.env(DOC_FLAGS.0, DOC_FLAGS.1);
    }
    if env::var_os(INCREMENTAL).is_none() && !has_incremental(&crate::target_dir(root)) {
        cargo.env(INCREMENTAL, "0");
    }
    cargo
}

/// Whether somebody who changes the program has built it here. Keeping what the next build may use takes a sixth of the time of the first
/// one, so that where nothing is kept yet, as in CI, nothing is.
fn has_incremental(target_dir: &Path) -> bool {
    let kept = fs::read_dir(target_dir.join("debug/incremental")).into_iter().flatten().flatten();
    // The runner itself is always kept.
    kept.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with(OF_PROGRAM))
}

/// The command as one would type it.
fn shown(arguments: &[String]) -> String {
    let flags =
        if is_doc(arguments) { format!("{}=\"{}\" ", DOC_FLAGS.0, DOC_FLAGS.1) } else { String::new() };
    format!("{flags}cargo {}", arguments.join(" "))
}

fn is_doc<S: AsRef<OsStr>>(arguments: &[S]) -> bool {
    arguments.first().is_some_and(|first| first.as_ref() == "doc")
}

/// Whether others rely on the result, so that nothing may be left out.
pub fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}

pub fn finished_well(command: &mut Command) -> anyhow::Result<bool> {
    let status = command.status().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    Ok(status.success())
}

/// Runs what must not fail.
pub fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_owned();
    anyhow::ensure!(finished_well(command)?, "{} failed", program.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_build_of_the_program_is_kept() {
        let place = tempfile::tempdir().unwrap();
        assert!(!has_incremental(place.path()));
        let kept = place.path().join("debug/incremental");
        fs::create_dir_all(kept.join("xtask-1abc")).unwrap();
        assert!(!has_incremental(place.path()), "the runner itself");
        fs::create_dir(kept.join("rigel_core-2def")).unwrap();
        assert!(has_incremental(place.path()));
    }

    #[test]
    fn a_program_that_fails_or_is_missing_is_not_a_pass() {
        assert!(!finished_well(&mut Command::new("false")).unwrap());
        assert!(finished_well(&mut Command::new("/nowhere/program")).is_err());
    }
}
