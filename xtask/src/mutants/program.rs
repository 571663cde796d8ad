//! The test programs of the copy: built once, and run with one mutation on until the first test fails.
//!
//! Must not know which program has to find a mutation.

use super::switch::VARIABLE;
use crate::ci::cargo;
use anyhow::Context as _;
use serde_json::Value;
use std::env;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The crates whose unit tests have to find mutations, each after those that it is built on.
pub const PACKAGES: [&str; 6] =
    ["rigel-stats", "rigel-core", "rigel-uses", "rigel-capacity", "rigel-report", "rigel"];
/// The crate of the real binary, which hears of a mutation as its tests do.
const BINARY: &str = "rigel";
/// The program of those tests.
const WITH_BINARY: &str = "it";
/// A program that takes this long hangs, unless the original does too.
const HANGS: Duration = Duration::from_secs(60);
/// A mutation may take this many times as long as the original, because it may well extend a search.
const LONGER: u32 = 3;
/// How the copy is built, besides the profile `dev`: nobody reads its backtraces.
const PROFILE: [&str; 2] = ["--config", "profile.dev.debug=false"];

/// A program with tests in it.
#[derive(Clone, Debug)]
pub struct Program {
    pub package: String,
    /// Whether it starts the real binary; otherwise it contains the unit tests of the library.
    pub with_binary: bool,
    path: PathBuf,
    /// Where cargo starts it.
    folder: PathBuf,
    /// The root of the copy.
    copy: PathBuf,
    /// The names of its tests.
    tests: Vec<String>,
    /// After this time it hangs.
    pub most: Duration,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// All of its tests passed.
    Passed,
    /// The first test that failed; the others were not waited for.
    Failed(String),
    /// It ended without reporting a failed test.
    Died(String),
    /// It did not end.
    Hung(Duration),
}

/// Builds the programs of the copy; `None` when they do not build.
pub fn build(copy: &Path, target: &Path) -> anyhow::Result<Option<Vec<Program>>> {
    let packages = PACKAGES.map(|package| ["-p", package]).concat();
    let what = [
        "test",
        "--locked",
        "--no-run",
        "--message-format=json-render-diagnostics",
        "--lib",
        "--test",
        WITH_BINARY,
    ];
    let mut build = cargo(copy, &[&what[..], &PROFILE, &packages].concat());
    // A switch has more brackets than the compiler likes to see.
    let flags = env::var("RUSTFLAGS").unwrap_or_default() + " -Awarnings";
    build.env("RUSTFLAGS", flags.trim()).env("CARGO_TARGET_DIR", target);
    let told = build.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if !told.status.success() {
        return Ok(None);
    }
    let lines = told.stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let programs: Vec<Program> =
        lines.filter_map(|line: Value| of_message(&line, copy)).collect::<anyhow::Result<_>>()?;
    anyhow::ensure!(programs.len() == PACKAGES.len() + 1, "cargo names {} programs", programs.len());
    Ok(Some(programs))
}

/// The test program in a message of cargo, if it is one that is needed.
fn of_message(line: &Value, copy: &Path) -> Option<anyhow::Result<Program>> {
    let path = PathBuf::from(line["executable"].as_str()?);
    if line["profile"]["test"] != true {
        return None;
    }
    let folder = Path::new(line["manifest_path"].as_str()?).parent()?.to_owned();
    let package = folder.file_name()?.to_str()?.to_owned();
    let with_binary = line["target"]["kind"][0] == "test";
    // Others have tests of that name, too, which start nothing.
    if with_binary && package != BINARY {
        return None;
    }
    let tests = Vec::new();
    let program =
        Program { package, with_binary, path, folder, copy: copy.to_owned(), tests, most: Duration::ZERO };
    Some(program.list())
}

impl Program {
    /// Its name in the report.
    pub fn name(&self) -> String {
        let kind = if self.with_binary { WITH_BINARY } else { "unit tests" };
        format!("{} of {}", kind, self.package)
    }

    /// Learns the names of the tests.
    fn list(mut self) -> anyhow::Result<Self> {
        let told = self.command(None, &[]).arg("--list").stderr(Stdio::inherit()).output();
        let told = told.with_context(|| format!("cannot start the {}", self.name()))?;
        let lines = String::from_utf8_lossy(&told.stdout);
        self.tests =
            lines.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect();
        anyhow::ensure!(!self.tests.is_empty(), "the {} has none", self.name());
        Ok(self)
    }

    /// How many tests have one of these pieces in their names.
    pub fn count(&self, piece: &str) -> usize {
        self.tests.iter().filter(|name| name.contains(piece)).count()
    }

    /// Runs the tests with these pieces in their names, all if there are none, until one fails.
    pub fn run(&self, mutation: Option<usize>, pieces: &[String]) -> anyhow::Result<End> {
        let child = self.command(mutation, pieces).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let child = child.with_context(|| format!("cannot start the {}", self.name()))?;
        until_one_fails(child, self.most)
    }

    /// Runs all tests unchanged, which have to pass, and measures how long that takes. `pieces`: the requested tests of the real binary.
    pub fn pass(&mut self, pieces: &[String]) -> anyhow::Result<()> {
        let begin = Instant::now();
        self.most = Duration::MAX;
        let end = self.run(None, pieces)?;
        anyhow::ensure!(end == End::Passed, "without a mutation, {}: {end:?}", self.name());
        self.most = HANGS + LONGER * begin.elapsed();
        println!("mutants: {} pass as they are, {:.0} s", self.name(), begin.elapsed().as_secs_f64());
        Ok(())
    }

    fn command(&self, mutation: Option<usize>, pieces: &[String]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(pieces).current_dir(&self.folder).stdin(Stdio::null()).env_remove(VARIABLE);
        command.env("CARGO_MANIFEST_DIR", &self.folder).env("INSTA_WORKSPACE_ROOT", &self.copy);
        // What fails is not to be made smaller, nor to be accepted.
        command.env("PROPTEST_MAX_SHRINK_ITERS", "0").env("INSTA_UPDATE", "no");
        if let Some(number) = mutation {
            command.env(VARIABLE, number.to_string());
        }
        command
    }
}

/// Waits for the first test that fails, or the end, and for no longer than `most`.
fn until_one_fails(mut child: Child, most: Duration) -> anyhow::Result<End> {
    let begin = Instant::now();
    let stdout = child.stdout.take().context("the output of the tests is not there")?;
    let (say, hear) = mpsc::channel();
    let listener = thread::spawn(move || {
        for line in BufReader::new(stdout).split(b'\n').map_while(Result::ok) {
            if say.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    let end = loop {
        match hear.recv_timeout(most.saturating_sub(begin.elapsed())) {
            Ok(line) => {
                if let Some(name) = failure(&line) {
                    break Some(End::Failed(name.to_owned()));
                }
            }
            Err(RecvTimeoutError::Timeout) => break Some(End::Hung(most)),
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    if end.is_some() {
        // It may have ended by itself.
        let _ = child.kill();
    }
    let status = child.wait().context("the tests did not end")?;
    drop(hear);
    let end =
        end.unwrap_or_else(|| if status.success() { End::Passed } else { End::Died(status.to_string()) });
    // A program that it started may still hold its output.
    drop(listener);
    Ok(end)
}

/// The name of the test that a line says has failed.
fn failure(line: &str) -> Option<&str> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    (outcome == "FAILED").then_some(name.trim_end_matches(" - should panic"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(script: &str, most: Duration) -> End {
        let child = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        until_one_fails(child, most).unwrap()
    }

    #[test]
    fn the_first_failure_ends_a_program_and_silence_is_no_pass() {
        let say = |line: &str| format!("echo 'running 2 tests'; echo 'test a::b ... ok'; echo '{line}'; ");
        let for_ever = Duration::MAX;
        assert_eq!(end_of(&say("test result: ok. 2 passed"), for_ever), End::Passed);
        let failing = say("test a::c ... FAILED") + "exec sleep 1000";
        assert_eq!(end_of(&failing, for_ever), End::Failed("a::c".to_owned()));
        assert!(
            matches!(end_of(&(say("") + "exit 101"), for_ever), End::Died(status) if status.contains("101"))
        );
        let short = Duration::from_millis(50);
        assert_eq!(end_of("exec sleep 1000", short), End::Hung(short));
    }

    #[test]
    fn only_the_line_of_a_test_tells_that_it_failed() {
        assert_eq!(failure("test a::b - should panic ... FAILED"), Some("a::b"));
        for line in ["test a::b ... ok", "test result: FAILED. 1 passed", "    a::b ... FAILED"] {
            assert_eq!(failure(line), None, "{line}");
        }
    }
}
