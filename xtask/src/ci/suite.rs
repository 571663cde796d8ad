//! `cargo xtask test`: every test of the workspace, and what could not run here. `cargo xtask ci` ends with the same steps.
//!
//! Must not install or build anything that no test needs.

use super::again::TestReport;
use super::programs::{self, TestProgram};
use super::steps::Steps;
use super::{again, everything, setup, shown, skips};
use crate::cargo::cargo;
use crate::{extension, mpi};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The module of tests that hold what they see against a clock or a rate, and have little company: the path is the group.
const CLOCK: &str = "clock::";
/// The tests of this name mostly wait for runs of a given duration.
const WAITING: &[&str] = &["it"];
/// Test programs that run separately, each with the reason.
const APART: &[&str] = &["browser", "exports", "live", "no_allocation", "nodes"];
/// The longest of them, which starts programs of several processes and waits for them half of the time.
const RANKS: &[&str] = &["mpi"];
/// The one that waits for what it makes on devices half of the time.
const DEVICES: &[&str] = &["corpus"];
/// The one that holds what it sees against a law, on devices that are slow: it has as little company as the tests of [`CLOCK`].
const LAWS: &[&str] = &["known_answers"];

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
    let programs = build(root, &mut steps);
    add(root, &mut steps, skip_file.path(), programs.as_deref())?;
    Ok(steps.conclude("test"))
}

/// Builds the tests, as a separate step, so that the table shows its time separately; `None` if they could not be built.
pub fn build(root: &Path, steps: &mut Steps) -> Option<Vec<TestProgram>> {
    let mut arguments = everything();
    arguments.insert(0, "test".to_owned());
    arguments.push("--no-run".to_owned());
    let mut programs = None;
    steps.run("build", &shown(&arguments), || {
        programs = programs::build(&mut cargo(root, &arguments))?;
        Ok(programs.is_some())
    });
    programs
}

/// Runs the tests, if they could be built, and says which could not run.
pub fn add(
    root: &Path,
    steps: &mut Steps,
    skips: &Path,
    programs: Option<&[TestProgram]>,
) -> anyhow::Result<()> {
    if !mpi::can_be_built() {
        mpi::tell_missing(skips)?;
    }
    let mut all_ran = programs.is_some();
    if let Some(programs) = programs {
        let mut among_others = Vec::new();
        let extension = programs.iter().find(|program| program.package == extension::PACKAGE);
        let surroundings =
            Surroundings { root, skips, extension: extension.map(|own| own.beside(extension::LIBRARY)) };
        for group in groups() {
            let own = programs.iter().filter(|program| group.lanes.iter().any(|lane| lane.holds(program)));
            let what = own.map(|program| format!("{} of {}", program.target, program.package));
            all_ran &= steps.run(group.name, &what.collect::<Vec<_>>().join(", "), || {
                let (good, more) = group.run(programs, &surroundings)?;
                among_others.extend(more);
                Ok(good)
            });
        }
        steps.run("again", "tests that failed beside others", || Ok(again::tell(&among_others)));
    }
    steps.run("skips", "tests that could not run", || skips::run(root, skips, all_ran));
    Ok(())
}

/// What every group has.
struct Surroundings<'a> {
    root: &'a Path,
    /// Collects the tests that cannot run.
    skips: &'a Path,
    /// The library that a server loads, if it could be built.
    extension: Option<PathBuf>,
}

impl Surroundings<'_> {
    fn start(&self, program: &TestProgram, arguments: &[&str]) -> Command {
        let mut command = program.command();
        command.args(arguments).env("RIGEL_SKIP_FILE", self.skips);
        command.envs(self.extension.iter().map(|library| (extension::FOR_TESTS, library)));
        command
    }
}

/// Tests that are run together.
struct Group {
    name: &'static str,
    /// What runs simultaneously: several groups if each waits more than it works.
    lanes: Vec<Lane>,
    /// Whether what others do on the machine may reach a test.
    measures: bool,
}

/// Test programs, each of which runs when another one has ended.
#[derive(Clone, Copy, Debug)]
struct Lane {
    programs: Programs,
    /// Number of simultaneous programs: the last test of one, which is alone, then has company.
    programs_at_once: usize,
    /// Arguments of the test programs: which of their tests.
    which: &'static [&'static str],
    /// Number of simultaneous tests, if not one for each CPU.
    at_once: Option<usize>,
}

/// Which test programs.
#[derive(Clone, Copy, Debug)]
enum Programs {
    /// Those of tests in the sources.
    Units,
    /// Those with these names.
    Called(&'static [&'static str]),
}

impl Lane {
    fn holds(self, program: &TestProgram) -> bool {
        match self.programs {
            Programs::Units => program.is_unit,
            Programs::Called(names) => !program.is_unit && names.contains(&program.target.as_str()),
        }
    }
}

/// What remains to run of a lane.
struct Queue<'a> {
    programs: Vec<&'a TestProgram>,
    next: AtomicUsize,
}

impl<'a> Queue<'a> {
    fn of(lane: Lane, programs: &'a [TestProgram]) -> Self {
        let programs = programs.iter().filter(|program| lane.holds(program)).collect();
        Self { programs, next: AtomicUsize::new(0) }
    }

    /// Those that no other runner has taken.
    fn programs(&self) -> impl Iterator<Item = &'a TestProgram> {
        std::iter::from_fn(|| self.programs.get(self.next.fetch_add(1, Ordering::Relaxed)).copied())
    }
}

impl Group {
    /// Runs its tests; returns whether they went well, and the names of those that passed only alone.
    fn run(
        &self,
        programs: &[TestProgram],
        surroundings: &Surroundings<'_>,
    ) -> anyhow::Result<(bool, Vec<String>)> {
        let reports: Vec<(&TestProgram, Option<TestReport>)> = thread::scope(|scope| {
            let lanes = self.lanes.iter().map(|lane| (*lane, Arc::new(Queue::of(*lane, programs))));
            let each = lanes.flat_map(|(lane, queue)| vec![(lane, queue); lane.programs_at_once]);
            let runners: Vec<_> = each
                .map(|(lane, queue)| {
                    let report =
                        move |program| anyhow::Ok((program, self.run_program(program, lane, surroundings)?));
                    scope.spawn(move || queue.programs().map(report).collect::<anyhow::Result<Vec<_>>>())
                })
                .collect();
            let mut all = Vec::new();
            for runner in runners {
                all.extend(runner.join().map_err(|_| anyhow::anyhow!("a lane panicked"))??);
            }
            anyhow::Ok(all)
        })?;
        // Only now is a test alone that is run again.
        let (mut good, mut among_others) = (true, Vec::new());
        for (program, report) in reports {
            let Some(TestReport { failed, .. }) = report else {
                good = false;
                continue;
            };
            let alone = |name: &str| {
                let report = again::run(&mut surroundings.start(program, &["--exact", name]), "")?;
                Ok(report.is_some_and(|report| report.is_pass()))
            };
            good &= if self.measures { again::pass_alone(&failed, alone)? } else { failed.is_empty() };
            among_others.extend(failed.into_iter().filter(|_| self.measures));
        }
        Ok((good, among_others))
    }

    /// Runs those of its tests that are in one program; `None` if it failed without a name.
    fn run_program(
        &self,
        program: &TestProgram,
        lane: Lane,
        surroundings: &Surroundings<'_>,
    ) -> anyhow::Result<Option<TestReport>> {
        // Who says it, where lines of several come in between.
        let is_alone = matches!(self.lanes[..], [Lane { programs_at_once: 1, .. }]);
        let who = if is_alone { String::new() } else { format!("{}: ", program.target) };
        println!("\n--- {} of {}", program.target, program.package);
        let mut command = surroundings.start(program, lane.which);
        if let Some(threads) = lane.at_once {
            command.env("RUST_TEST_THREADS", threads.to_string());
        }
        let report = again::run(&mut command, &who)?;
        for test in report.iter().flat_map(|report| &report.failed) {
            println!(
                "FAILED {}: {test}; again: {}",
                program.file_of(test, surroundings.root).display(),
                program.by_hand(test)
            );
        }
        Ok(report)
    }
}

/// Every test is in one of them.
fn groups() -> [Group; 4] {
    let cpus = thread::available_parallelism().map_or(1, NonZero::get);
    let (some, more) = (cpus + cpus.div_ceil(2), 3 * cpus);
    let units = Lane { programs: Programs::Units, programs_at_once: cpus, which: &[], at_once: None };
    let called =
        |names, at_once| Lane { programs: Programs::Called(names), programs_at_once: 1, at_once, ..units };
    let of_program = |which, at_once| Lane { which, ..called(WAITING, Some(at_once)) };
    let group = |name, lanes: &[Lane]| Group { name, lanes: lanes.to_vec(), measures: true };
    [
        Group { measures: false, ..group("test-units", &[units]) },
        group("test-waiting", &[of_program(&["--skip", CLOCK], more)]),
        group("test-clock", &[of_program(&[CLOCK], some), called(LAWS, Some(some))]),
        group("test-apart", &[called(DEVICES, Some(more)), called(RANKS, None), called(APART, None)]),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    /// Every Rust file of the crates and its text.
    fn sources() -> Vec<(PathBuf, String)> {
        let mut folders = vec![crate::workspace_root().unwrap().join("crates")];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(&path).unwrap();
                    found.push((path, text));
                }
            }
        }
        found
    }

    #[test]
    fn each_program_is_run_once_however_many_run_at_once() {
        let programs = ["a", "b", "c", "d"].map(TestProgram::unit);
        let lane = Lane { programs: Programs::Units, programs_at_once: 2, which: &[], at_once: None };
        let queue = Queue::of(lane, &programs);
        let taken = thread::scope(|scope| {
            let take = || queue.programs().map(|program| program.target.clone()).collect::<Vec<_>>();
            let runners = [(); 2].map(|()| scope.spawn(take));
            runners.map(|runner| runner.join().unwrap()).concat()
        });
        assert_eq!(taken.len(), 4);
        assert_eq!(
            taken.into_iter().collect::<BTreeSet<_>>(),
            ["a", "b", "c", "d"].map(str::to_owned).into()
        );
        assert_eq!(
            Queue::of(Lane { programs: Programs::Called(&["a"]), ..lane }, &programs).programs().count(),
            0
        );
    }

    #[test]
    fn every_test_program_is_in_a_part() {
        let folders = ["crates", "extensions"].map(|name| crate::workspace_root().unwrap().join(name));
        let crates = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        let tests = crates.filter_map(|each| fs::read_dir(each.unwrap().path().join("tests")).ok()).flatten();
        let found: BTreeSet<String> = tests
            .map(|test| test.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let known: BTreeSet<String> =
            [APART, DEVICES, RANKS, WAITING, LAWS].concat().into_iter().map(str::to_owned).collect();
        assert_eq!(found, known, "name it among those that stand apart, or make it a part of `it`");
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

    /// Running the examples in comments would build the workspace once more (see `programs`); the one that there was could be a sentence.
    #[test]
    fn no_comment_has_an_example_that_nobody_would_run() {
        for (path, text) in sources() {
            let mut is_inside = false;
            for (line, number) in text.lines().map(str::trim).zip(1..) {
                let fence = ["/// ```", "//! ```"].iter().find_map(|comment| line.strip_prefix(comment));
                let Some(word) = fence else { continue };
                // A fence without a word opens Rust, too.
                let is_code = !is_inside && ["", "rust", "no_run"].contains(&word);
                assert!(!is_code, "{}:{number}: say it in a sentence, or as ```text", path.display());
                is_inside = !is_inside;
            }
        }
    }
}
