//! `cargo xtask test`: every test of the workspace, and what could not run here. `cargo xtask ci` ends with the same steps.
//!
//! Must not install or build anything that no test needs.

use super::steps::Steps;
use super::{again, cargo, everything, finished_well, setup, shown, skips};
use crate::outcome::Outcome;
use crate::{extension, mpi};
use std::num::NonZero;
use std::path::Path;
use std::process::Command;
use std::thread;

/// The module of tests that hold what they see against a clock or a rate, and have little company: the path is the group.
const CLOCK: &str = "clock::";
/// The tests of this name mostly wait for runs of a given duration.
const WAITING: &str = "it";
/// Test programs of their own. Each says why.
const APART: [&str; 4] = ["browser", "live", "no_allocation", "nodes"];
/// Those of them that wait for devices.
const DEVICES: [&str; 2] = ["corpus", "known_answers"];
/// That which starts programs of several processes, one test after the other.
const NODES: &str = "mpi";

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
    let build = test(&["--no-run"]);
    let built = steps.run("build", &shown(&build), || finished_well(&mut cargo(root, &build)));
    // Without it its tests say so, and are counted.
    let extension = || match extension::build(root)? {
        Outcome::Judged(good) => Ok(good),
        Outcome::Skipped(reason) => {
            println!("not built: {reason}");
            Ok(true)
        }
    };
    steps.run("extension", "extensions/postgresql/install.sh, for the tests", extension);
    built
}

/// Runs the tests, if they could be built, and tells which could not run.
pub fn add(root: &Path, steps: &mut Steps, skips: &Path, built: bool) -> anyhow::Result<()> {
    let mut all_ran = built;
    let mut among_others = Vec::new();
    if !mpi::can_be_built() {
        mpi::tell_missing(skips)?;
    }
    if built {
        for part in parts().into_iter().filter(|part| part.name != "test-mpi" || mpi::can_be_built()) {
            all_ran &= steps.run(part.name, &shown(&test(&part.arguments)), || {
                let Some(told) = again::run(&mut part.command(root, skips))? else { return Ok(false) };
                let failed = told.failed;
                if !part.measures {
                    return Ok(failed.is_empty());
                }
                let alone = |name: &str| {
                    let told = again::run(&mut part.alone(root, skips, name))?;
                    Ok(told.is_some_and(|told| told.is_pass()))
                };
                let good = again::pass_alone(&failed, alone)?;
                among_others.extend(failed);
                Ok(good)
            });
        }
        steps.run("again", "tests that failed beside others", || Ok(again::tell(&among_others)));
    }
    steps.run("skips", "tests that could not run", || skips::run(root, skips, all_ran));
    Ok(())
}

/// Tests that are run together.
struct Part {
    name: &'static str,
    arguments: Vec<&'static str>,
    /// Tests at once, if not one for each CPU.
    at_once: Option<usize>,
    /// Whether what others do on the machine may reach a test.
    measures: bool,
}

impl Part {
    fn command(&self, root: &Path, skips: &Path) -> Command {
        let mut command = cargo(root, &test(&self.arguments));
        if let Some(threads) = self.at_once {
            command.env("RUST_TEST_THREADS", threads.to_string());
        }
        command.env("RIGEL_SKIP_FILE", skips);
        command
    }

    /// One of its tests.
    fn alone(&self, root: &Path, skips: &Path, name: &str) -> Command {
        let programs = self.arguments.iter().copied().take_while(|argument| *argument != "--");
        let arguments: Vec<&str> = programs.chain(["--", "--exact", name]).collect();
        let mut command = cargo(root, &test(&arguments));
        command.env("RIGEL_SKIP_FILE", skips);
        command
    }
}

/// Every test is in one of them.
fn parts() -> [Part; 7] {
    let waiting = vec!["--test", WAITING, "--", "--skip", CLOCK];
    let clock = vec!["--test", WAITING, "--", CLOCK];
    let programs =
        |names: &[&'static str]| names.iter().flat_map(|name| ["--test", *name]).collect::<Vec<_>>();
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let (some, more) = (cpus + cpus.div_ceil(2), 3 * cpus);
    let part = |name, arguments, at_once| Part { name, arguments, at_once, measures: true };
    let computes = |name, arguments| Part { measures: false, ..part(name, arguments, None) };
    [
        computes("test-units", vec!["--lib", "--bins"]),
        part("test-waiting", waiting, Some(more)),
        part("test-clock", clock, Some(some)),
        part("test-devices", programs(&DEVICES), Some(more)),
        part("test-apart", programs(&APART), None),
        part("test-mpi", programs(&[NODES]), Some(1)),
        computes("test-doc", vec!["--doc"]),
    ]
}

/// Without `--no-fail-fast` the first failing crate would hide the skips and failures of all after it.
fn test<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [&["test"], &everything()[..], &["--no-fail-fast"], arguments].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    #[test]
    fn every_test_program_is_in_a_part() {
        let crates = fs::read_dir(crate::workspace_root().unwrap().join("crates")).unwrap();
        let tests = crates.filter_map(|each| fs::read_dir(each.unwrap().path().join("tests")).ok()).flatten();
        let found: BTreeSet<String> = tests
            .map(|test| test.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let known =
            APART.iter().chain(&DEVICES).chain([&WAITING, &NODES]).map(|&name| name.to_owned()).collect();
        assert_eq!(found, known, "name it among those that stand apart, or make it a part of `{WAITING}`");
    }

    /// The runner asks for a part of the path, so a module elsewhere whose name ends so would be taken along.
    #[test]
    fn nothing_but_the_clock_is_called_so() {
        let mut folders = vec![crate::workspace_root().unwrap().join("crates")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let stem = path.file_stem().unwrap().to_str().unwrap();
                let is_test = path.components().any(|part| part.as_os_str() == "tests");
                assert!(
                    !is_test
                        || !stem.ends_with("clock")
                        || path.with_extension("").ends_with("tests/it/clock"),
                    "{}: the runner would take it for a part of tests/it/clock",
                    path.display()
                );
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
    }
}
