//! What a test program says, and which of its failures are run again: tests that measure and failed beside others are, alone. What fails
//! there is a fault. What passes there twice is listed and counted, as the machine or its neighbours may have been the cause.
//!
//! Must not run tests again that depend on nothing but the code.

use anyhow::Context as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

/// If more than these fail, the cause is not chance.
const MOST: usize = 3;
/// Passing once alone may be chance as well.
const TIMES: usize = 2;

/// The output of a test program.
#[derive(Debug, Default, PartialEq)]
pub struct TestReport {
    /// How many passed.
    pub passed: usize,
    /// The names of those that failed.
    pub failed: Vec<String>,
    /// Failures that the closing lines of the programs count.
    counted: usize,
    /// Programs that began and have no closing line yet.
    open: usize,
}

impl TestReport {
    /// Whether something ran, and nothing failed: a name that no test has is not a pass.
    pub fn is_pass(&self) -> bool {
        self.passed > 0 && self.failed.is_empty()
    }

    fn hear(&mut self, line: &str) {
        if line.starts_with("running ") && line.trim_end_matches('s').ends_with(" test") {
            self.open += 1;
        } else if let Some(result) = line.strip_prefix("test result: ") {
            self.open = self.open.saturating_sub(1);
            let failed = result.split("; ").find_map(|part| part.strip_suffix(" failed"));
            self.counted += failed.and_then(|count| count.parse::<usize>().ok()).unwrap_or(0);
        } else if let Some((name, outcome)) =
            line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        {
            match outcome {
                "ok" => self.passed += 1,
                "FAILED" => self.failed.push(name.to_owned()),
                _ => {}
            }
        }
    }

    /// Whether every failure has its name; a program that died, and a name that was lost among other lines, have none.
    fn names_all(&self) -> bool {
        self.open == 0 && self.counted == self.failed.len()
    }
}

/// Runs a test program, showing its lines with `who` before each; none if it failed and does not name every test
/// that did.
///
/// # Errors
///
/// When the command cannot be started or read.
pub fn run(command: &mut Command, who: &str) -> anyhow::Result<Option<TestReport>> {
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let stdout = child.stdout.take().context("the output of the tests is not there")?;
    let mut report = TestReport::default();
    for line in BufReader::new(stdout).split(b'\n') {
        let line =
            String::from_utf8_lossy(&line.context("the output of the tests ended early")?).into_owned();
        println!("{who}{line}");
        report.hear(&line);
    }
    let good = child.wait().context("the tests did not end")?.success();
    Ok((good || (!report.failed.is_empty() && report.names_all())).then_some(report))
}

/// Whether each of the names passes alone; `alone` runs the test of a name.
///
/// # Errors
///
/// Those of `alone`.
pub fn pass_alone(
    names: &[String],
    mut alone: impl FnMut(&str) -> anyhow::Result<bool>,
) -> anyhow::Result<bool> {
    if names.len() > MOST {
        println!("{} tests failed: too many to be run again", names.len());
        return Ok(false);
    }
    for name in names {
        for time in 1..=TIMES {
            println!("\n{name} failed beside others; alone, {time} of {TIMES}:");
            if !alone(name)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The report of the last step of the tests; whether it is no more than chance may cause.
pub fn tell(names: &[String]) -> bool {
    for name in names {
        println!("{name}: failed beside others, passed {TIMES} times alone");
    }
    println!("{} tests failed beside others and passed alone; at most {MOST} may", names.len());
    names.len() <= MOST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printing(script: &str) -> Option<TestReport> {
        run(Command::new("sh").args(["-c", script]), "").unwrap()
    }

    const ONE_FAILED: &str = "echo 'running 2 tests'; echo 'test a::b ... FAILED'; echo 'test a::c ... ok'; \
        echo '    a::b'; echo 'test result: FAILED. 1 passed; 1 failed; 0 ignored';";

    #[test]
    fn the_names_of_failing_tests_are_found() {
        let told = printing(&format!("{ONE_FAILED} exit 1")).unwrap();
        assert_eq!((told.passed, &told.failed[..]), (1, &["a::b".to_owned()][..]));
        assert!(printing("echo 'test a::c ... ok'").unwrap().is_pass());
        assert!(!printing("echo 'running 0 tests'").unwrap().is_pass());
    }

    #[test]
    fn a_failure_without_a_name_is_not_passed_over() {
        assert_eq!(printing("exit 101"), None);
        let died = format!("{ONE_FAILED} echo 'running 1 test'; echo 'test x::y ... ok'; exit 101");
        assert_eq!(printing(&died), None, "the second program has no closing line");
        let lost = ONE_FAILED.replace("1 failed", "2 failed") + " exit 101";
        assert_eq!(printing(&lost), None);
    }

    #[test]
    fn a_test_must_pass_twice_alone() {
        let names = ["a".to_owned(), "b".to_owned()];
        let mut runs = Vec::new();
        let mut alone = |name: &str| {
            runs.push(name.to_owned());
            Ok(true)
        };
        assert!(pass_alone(&names, &mut alone).unwrap());
        assert_eq!(runs, ["a", "a", "b", "b"]);
        let mut left = 1;
        let once = |_: &str| {
            left -= 1;
            Ok(left >= 0)
        };
        assert!(!pass_alone(&names[..1], once).unwrap());
    }

    #[test]
    fn many_failures_are_no_chance() {
        let names: Vec<String> = (0..=MOST).map(|number| number.to_string()).collect();
        assert!(!pass_alone(&names, |_| panic!("not run again")).unwrap());
        assert!(!tell(&names) && tell(&names[1..]));
    }
}
