//! A Python with packages of other tools, in a virtual environment of the tests' own.
//!
//! Readers of other tools are the real test of our files. Packages come from the index that the machine's pip is
//! set up for. Must not touch any other Python of the machine.

use super::needs::MissingNeed;
use rustix::fs::{FlockOperation, flock};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// A network that does not answer is waited for once in a process, not by every test.
static GAVE_UP: Mutex<Option<MissingNeed>> = Mutex::new(None);

/// See the module.
#[derive(Clone, Debug)]
pub struct Python {
    venv: PathBuf,
}

impl Python {
    /// A Python that has `requirements`, such as `fio-plot==1.1.21`. It is made in `dir` at the first use, and
    /// stays there for the next ones: give cargo's directory for temporary files of tests.
    ///
    /// # Errors
    /// When there is no Python that can make environments, or the packages cannot be had.
    pub fn with(dir: &Path, requirements: &[&str]) -> Result<Self, MissingNeed> {
        let mut gave_up = GAVE_UP.lock().map_err(MissingNeed::new)?;
        if let Some(reason) = &*gave_up {
            return Err(reason.clone());
        }
        let made = Self::make(dir, requirements);
        if let Err(reason) = &made {
            *gave_up = Some(reason.clone());
        }
        made
    }

    /// A program of one of the packages, or `python`.
    #[must_use]
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(self.venv.join("bin").join(program));
        // A user's own packages and settings are not those that were asked for; drawing needs no screen.
        command.env_remove("PYTHONPATH").env_remove("PYTHONHOME").env("MPLBACKEND", "Agg");
        command
    }

    fn make(dir: &Path, requirements: &[&str]) -> Result<Self, MissingNeed> {
        let made = Self { venv: dir.join("python-venv") };
        // Tests of several processes may want it at once.
        let lock = File::create(dir.join("python-venv.lock")).map_err(MissingNeed::new)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(MissingNeed::new)?;
        if !made.has("pip") {
            let mut python = Command::new("python3");
            python.args(["-m", "venv", "--clear"]).arg(&made.venv);
            succeed("python3 -m venv", python.output())?;
        }
        let missing: Vec<&str> = requirements.iter().copied().filter(|wanted| !made.has(wanted)).collect();
        if !missing.is_empty() {
            let mut pip = made.command("python");
            pip.args([
                "-m",
                "pip",
                "--disable-pip-version-check",
                "--no-input",
                "--retries",
                "1",
                "--timeout",
                "20",
            ]);
            pip.args(["install", "--quiet"]).args(&missing);
            succeed(&format!("pip install {}", missing.join(" ")), pip.output())?;
        }
        Ok(made)
    }

    /// Whether a requirement is met: a name, or a name and a version.
    fn has(&self, requirement: &str) -> bool {
        const LOOK: &str = "import importlib.metadata as m, sys\n\
                            name, _, version = sys.argv[1].partition('==')\n\
                            sys.exit(0 if m.version(name) == (version or m.version(name)) else 1)";
        let arguments = [OsStr::new("-c"), OsStr::new(LOOK), OsStr::new(requirement)];
        self.command("python").args(arguments).output().is_ok_and(|output| output.status.success())
    }
}

/// Nothing, or the last lines of what a program wrote: there it says what went wrong.
fn succeed(what: &str, output: std::io::Result<Output>) -> Result<(), MissingNeed> {
    let output = output.map_err(|error| MissingNeed::new(format!("{what}: {error}")))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(MissingNeed::new(format!("{what}: {}", lines[lines.len().saturating_sub(4)..].join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_had_is_told_with_its_reason() {
        let output = Command::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]).output();
        assert_eq!(succeed("pip", output).unwrap_err().to_string(), "pip: one two");
        let missing = Command::new("/nowhere/python").output();
        assert!(succeed("pip", missing).unwrap_err().to_string().starts_with("pip: No such file"));
    }

    #[test]
    fn an_environment_that_is_not_there_has_nothing() {
        let nowhere = Python { venv: PathBuf::from("/nowhere/venv") };
        assert!(!nowhere.has("pip"));
    }
}
