//! `cargo xtask test`: every test of the workspace, and what could not run here. `cargo xtask ci` ends with the same steps.
//!
//! Must not install or build anything that no test needs.

use super::steps::Steps;
use super::{FEATURES, cargo, finished_well, setup, shown, skips};
use std::path::Path;

const BUILD: &[&str] = &["test", "--workspace", "--features", FEATURES, "--locked", "--no-run"];
/// Without `--no-fail-fast` the first failing crate would hide the skips and failures of all after it.
const TEST: &[&str] = &["test", "--workspace", "--features", FEATURES, "--locked", "--no-fail-fast"];

/// Runs the tests alone, then says which step failed.
pub fn run(root: &Path, with_setup: bool) -> anyhow::Result<bool> {
    let mut steps = Steps::default();
    if with_setup {
        steps.run("setup", "what the tests need", || {
            setup::run(setup::TESTS, "the tests");
            Ok(true)
        });
    }
    let skip_file = skips::file()?;
    let built = build(root, &mut steps);
    add(root, &mut steps, skip_file.path(), built)?;
    Ok(steps.conclude("test"))
}

/// Builds the tests, as a step of its own, so that the table tells it from their run.
pub fn build(root: &Path, steps: &mut Steps) -> bool {
    steps.run("build", &shown(BUILD), || finished_well(&mut cargo(root, BUILD)))
}

/// Runs the tests, if they could be built, and tells which could not run.
pub fn add(root: &Path, steps: &mut Steps, skips: &Path, built: bool) -> anyhow::Result<()> {
    let all_ran = built
        && steps.run("test", &shown(TEST), || finished_well(cargo(root, TEST).env("RIGEL_SKIP_FILE", skips)));
    steps.run("skips", "tests that could not run", || skips::run(root, skips, all_ran));
    Ok(())
}
