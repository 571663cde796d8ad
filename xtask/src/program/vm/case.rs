//! What a case is, and the scripts that it becomes inside the machine. Must not run anything.

use super::outcome::Outcome;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What `init.sh` allows for `setup` and for `teardown`.
const FRAME_SECONDS: u32 = 60;
/// How long `init.sh` waits after a limit before it abandons a process, and some time for itself.
const GRACE_SECONDS: u32 = 25;

/// One test inside the machine.
pub struct Case {
    /// Also the directory of its results.
    pub name: &'static str,
    /// Kernel modules that it loads; what they need comes by itself.
    pub modules: &'static [&'static str],
    /// Shell text that makes the device; it ends at the first command that fails.
    pub setup: String,
    /// The commands that run then, one after another.
    pub steps: Vec<CaseStep>,
    /// Shell text that takes the device away again.
    pub teardown: String,
    /// Judges the results: a line that says what was seen, or an error that says what is wrong.
    pub judge: fn(&Outcome) -> anyhow::Result<String>,
}

/// A command of a case.
pub struct CaseStep {
    /// Its results are in files with that name.
    pub name: String,
    /// After that time it is killed.
    pub seconds: u32,
    /// Shell text.
    pub script: String,
}

impl CaseStep {
    /// A program with its arguments, none of which the shell changes.
    pub fn program(name: &str, seconds: u32, words: &[&str]) -> Self {
        let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        Self { name: name.to_owned(), seconds, script: format!("exec {}\n", quoted.join(" ")) }
    }

    /// Shell text without changes.
    pub fn shell(name: &str, seconds: u32, script: &str) -> Self {
        Self { name: name.to_owned(), seconds, script: script.to_owned() }
    }

    /// The same with a line of shell text before it.
    pub fn after(mut self, line: &str) -> Self {
        self.script = format!("{line}\n{}", self.script);
        self
    }
}

impl Case {
    /// When `init.sh` must have completed it, whatever happened.
    pub fn limit(&self) -> Duration {
        let steps = self.steps.iter().map(|step| step.seconds + GRACE_SECONDS).sum::<u32>();
        Duration::from_secs((steps + 2 * (FRAME_SECONDS + GRACE_SECONDS)).into())
    }

    /// The list of steps as `init.sh` reads it.
    fn step_list(&self) -> String {
        self.steps.iter().fold(String::new(), |mut list, step| {
            let _ = writeln!(list, "{} {}", step.name, step.seconds);
            list
        })
    }
}

/// Writes the scripts of all cases to `root`, the root of the machine's file system.
pub fn write_scripts(cases: &[Case], root: &Path) -> anyhow::Result<()> {
    let place = root.join("cases");
    fs::create_dir_all(&place)?;
    let order: Vec<&str> = cases.iter().map(|case| case.name).collect();
    fs::write(place.join("order"), order.join("\n") + "\n")?;
    for case in cases {
        let place = place.join(case.name);
        fs::create_dir_all(&place)?;
        fs::write(place.join("setup"), &case.setup)?;
        fs::write(place.join("teardown"), &case.teardown)?;
        fs::write(place.join("steps"), case.step_list())?;
        for step in &case.steps {
            fs::write(place.join(&step.name), &step.script)?;
        }
    }
    Ok(())
}

/// One word for a POSIX shell, whatever it contains.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_shell_hands_on_every_word_as_it_was() {
        let words =
            ["printf", r"%s\n", "", "two words", "it's", "$HOME `id` $(id)", "a\\b", "*", "#", "--x=1"];
        let step = CaseStep::program("said", 1, &words);
        let told = Command::new("sh").args(["-e", "-c", &step.script]).output().unwrap();
        let lines = String::from_utf8(told.stdout).unwrap();
        assert_eq!(lines.lines().collect::<Vec<_>>(), words[2..]);
    }

    #[test]
    fn what_comes_before_a_command_is_run_before_it() {
        let step = CaseStep::program("said", 1, &["echo", "second"]).after("echo first");
        assert_eq!(step.script, "echo first\nexec echo second\n");
    }

    #[test]
    fn scripts_lie_where_the_first_process_looks_for_them() {
        let case = Case {
            name: "some-case",
            modules: &[],
            setup: "true\n".into(),
            steps: vec![CaseStep::program("a", 7, &["a"]), CaseStep::shell("b", 8, "b\n")],
            teardown: "false\n".into(),
            judge: |_| Ok(String::new()),
        };
        let root = tempfile::tempdir().unwrap();
        let least = Duration::from_secs(7 + 8 + 2 * 60);
        assert!(case.limit() > least);
        write_scripts(&[case], root.path()).unwrap();
        let read = |path: &str| fs::read_to_string(root.path().join("cases").join(path)).unwrap();
        assert_eq!(read("order"), "some-case\n");
        assert_eq!(read("some-case/steps"), "a 7\nb 8\n");
        assert_eq!(
            (read("some-case/setup"), read("some-case/teardown")),
            ("true\n".into(), "false\n".into())
        );
        assert_eq!((read("some-case/a"), read("some-case/b")), ("exec a\n".into(), "b\n".into()));
    }
}
