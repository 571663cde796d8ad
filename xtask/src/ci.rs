//! `cargo xtask ci`: every check, each run even if one before it failed, so that one round shows all there is to mend.
//! The tests come last: their closing lines are what a reader and a CI server look for. `cargo xtask test` is these alone.

mod again;
mod programs;
pub mod setup;
mod skips;
pub mod steps;
mod suite;
pub mod tool;

use crate::cargo::{DOC_FLAGS, cargo, finished_well, is_doc};
use crate::{deny, extension, fuzz, instructions, mpi, msrv, tidy};
use std::env;
use std::path::Path;
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
/// The features that a plain build leaves out. Everything is built with them, because building some of it twice would
/// take longer; the first command of the README shows that the program builds without them.
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

/// The command as one would type it.
fn shown(arguments: &[String]) -> String {
    let flags =
        if is_doc(arguments) { format!("{}=\"{}\" ", DOC_FLAGS.0, DOC_FLAGS.1) } else { String::new() };
    format!("{flags}cargo {}", arguments.join(" "))
}

/// Whether others rely on the result, so that nothing may be left out.
pub fn in_ci() -> bool {
    env::var("CI").is_ok_and(|value| value == "true")
}
