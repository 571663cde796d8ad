//! Running the binary in a directory of its own, and reading what it leaves.

use rigel_testdev::{MissingNeed, needs, restore_signals};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// `SOURCE_DATE_EPOCH` of simulated runs whose outputs are compared, and the record of such a run.
pub const EPOCH: &str = "1767268800";
pub const RECORD: &str = "rigel_20260101_1200_record.jsonl";
/// Outputs without a word about how the run went.
pub const SAME: [&str; 5] = ["_iops.csv", "_mbps.csv", "_lat.csv", "_hist.csv", "_ci.csv"];

/// A directory for one test, on a filesystem with direct I/O (that of the build), removed afterwards.
pub struct Place {
    dir: TempDir,
}

/// What a run of the binary left on its streams.
#[derive(Debug)]
pub struct ProgramOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl ProgramOutput {
    /// Fails with both streams unless the program ended with that code.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// For a run whose numbers must not be used, such as one of a target full of zeros: fails unless it was measured, ended
    /// with code 1 and named this flag as a cause.
    #[track_caller]
    pub fn expect_unusable(self, flag: &str) -> Self {
        assert!(self.has_cause(flag), "{flag} is no cause: {self:?}");
        self.expect_code(1)
    }

    /// For a run on a real target beside other tests, of which only that it came to its end is asked: it ended well, or with code 1
    /// because its workers were starved. Then Little's law does not hold for the time that was counted, or nothing was done in it, and
    /// Rigel itself says that others used the CPUs (`FOREIGN`, wherever it prints flags). No other cause is accepted.
    #[track_caller]
    pub fn expect_measured(self) -> Self {
        let starved = self.has_cause("LITTLE") || self.has_cause("NO_DATA");
        let is_of_storage =
            ["ZEROS", "CACHE", "MEMORY", "WRONG_DATA"].iter().any(|flag| self.has_cause(flag));
        let others_seen = self.stdout.is_empty() || self.stdout.contains("FOREIGN");
        let code = i32::from(self.code == 1 && starved && !is_of_storage && others_seen);
        self.expect_code(code)
    }

    /// The findings of a run, whose exit code has to be what they say: 1 where each point has a flag that makes it invalid, else 0. Memory
    /// is taken for asked for, so that a run that it was not asked of fails here.
    #[track_caller]
    pub fn expect_code_of_flags(self) -> Value {
        let document = self.json();
        let is_invalid =
            |flag: &Value| flag["invalid"] == true && flag["code"] != "MEMORY" && flag["code"] != "BUFFERED";
        let mut points = document["points"].as_array().unwrap().iter();
        let all = points.all(|point| point["flags"].as_array().unwrap().iter().any(is_invalid));
        self.expect_code(i32::from(all));
        document
    }

    /// Whether it was measured, and this flag is among the reasons why no number may be used.
    fn has_cause(&self, flag: &str) -> bool {
        let Some((_, said)) = self.stderr.split_once("error: measured, but no number is usable\n") else {
            return false;
        };
        let causes = said.lines().find_map(|line| line.strip_prefix("  likely cause: ")).unwrap_or_default();
        causes.split("; ").any(|cause| cause.starts_with(&format!("{flag} (")))
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

/// Whether a text is for 80 columns, but for a command that is there to be copied.
/// A text without the breaks of its lines.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub fn narrow(text: &str) -> bool {
    text.lines().all(|line| {
        line.chars().count() <= 80
            || ["  rigel ", "Next: rigel "].iter().any(|command| line.starts_with(command))
    })
}

impl Place {
    pub fn new() -> Self {
        restore_signals();
        Self { dir: TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    /// For simulated runs: in memory where the host has such a directory. Every line of a record is flushed before the next step, and a
    /// simulated device does little else than wait for that.
    pub fn in_memory() -> Self {
        restore_signals();
        TempDir::new_in("/dev/shm").map_or_else(|_| Self::new(), |dir| Self { dir })
    }

    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigel"));
        command.current_dir(self.path()).stdin(Stdio::null()).env_remove("RIGEL_ORION_VERSION");
        command
    }

    pub fn rigel<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> ProgramOutput {
        tell(self.command().args(arguments))
    }

    /// The arguments as one line, split at blanks.
    pub fn line(&self, line: &str) -> ProgramOutput {
        self.rigel(line.split_whitespace())
    }

    /// A file of random bytes that nobody could compress or guess.
    pub fn random_file(&self, name: &str, bytes: u64) -> PathBuf {
        let path = self.path().join(name);
        rigel_testdev::random_file(&path, bytes).unwrap();
        path
    }

    pub fn lun(&self, name: &str, targets: &[&Path]) -> PathBuf {
        let path = self.path().join(name);
        let lines: Vec<String> = targets.iter().map(|target| format!("{}\n", target.display())).collect();
        std::fs::write(&path, lines.concat()).unwrap();
        path
    }

    /// Names of the files in the directory, sorted.
    pub fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The one file whose name ends so.
    pub fn only(&self, suffix: &str) -> PathBuf {
        self.only_of("", suffix)
    }

    /// The one file of the run of that name whose name ends so.
    pub fn only_of(&self, run: &str, suffix: &str) -> PathBuf {
        let is_it = |name: &String| name.starts_with(run) && name.ends_with(suffix);
        let found: Vec<String> = self.files().into_iter().filter(is_it).collect();
        assert_eq!(found.len(), 1, "{run}..{suffix}: {found:?} of {:?}", self.files());
        self.path().join(&found[0])
    }

    pub fn read(&self, suffix: &str) -> String {
        std::fs::read_to_string(self.only(suffix)).unwrap()
    }
}

/// What `cargo xtask long` asks for by a variable of the environment; a test that needs it says that it is not set.
pub fn asked<T: std::str::FromStr>(name: &str, variable: &str) -> Option<T> {
    let asked = std::env::var(variable).ok().and_then(|text| text.parse().ok());
    needs(
        name,
        asked.ok_or_else(|| MissingNeed::new(format!("{variable} is not set, as by cargo xtask long"))),
    )
}

/// Another test that starts a program just now has, for a moment, a copy of every descriptor, also of a program that was just written.
pub fn tell(command: &mut Command) -> ProgramOutput {
    for _ in 0..100 {
        match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::ExecutableFileBusy => {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            output => return ProgramOutput::from(output.unwrap()),
        }
    }
    panic!("the program stays busy: {command:?}");
}

impl From<Output> for ProgramOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// The point of a findings document.
pub fn point(document: &Value, small: u64, large: u64) -> &Value {
    let points = document["points"].as_array().unwrap();
    points
        .iter()
        .find(|point| point["levels"]["small"] == small && point["levels"]["large"] == large)
        .unwrap_or_else(|| panic!("no point {small}, {large} in {document}"))
}

/// The codes of the flags of a point.
pub fn flags(point: &Value) -> Vec<&str> {
    point["flags"].as_array().unwrap().iter().map(|flag| flag["code"].as_str().unwrap()).collect()
}
