//! The steps of a long command: each runs even if one before it failed, and a table at the end says how long each took.
//! Must not know what a step does.

use std::time::{Duration, Instant};

/// What was run, how long it took and whether it went well.
#[derive(Default)]
pub struct Steps {
    done: Vec<(&'static str, bool, Duration)>,
}

impl Steps {
    /// Runs a check and keeps what came of it; whether it went well.
    pub fn run(
        &mut self,
        name: &'static str,
        what: &str,
        check: impl FnOnce() -> anyhow::Result<bool>,
    ) -> bool {
        println!("\n=== {name}: {what}");
        let start = Instant::now();
        let good = check().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            false
        });
        self.done.push((name, good, start.elapsed()));
        println!("=== {}", line(name, good, start.elapsed()));
        good
    }

    /// Prints the table of `who`; whether all went well.
    pub fn conclude(&self, who: &str) -> bool {
        println!();
        for (name, good, time) in &self.done {
            println!("{}", line(name, *good, *time));
        }
        let failed = self.failed();
        if failed.is_empty() {
            println!("{who}: all {} steps passed", self.done.len());
        } else {
            println!("{who}: {} of {} steps FAILED: {}", failed.len(), self.done.len(), failed.join(", "));
        }
        failed.is_empty()
    }

    /// Whether nothing failed so far.
    pub fn all_went_well(&self) -> bool {
        self.failed().is_empty()
    }

    fn failed(&self) -> Vec<&'static str> {
        self.done.iter().filter(|(_, good, _)| !good).map(|(name, ..)| *name).collect()
    }
}

fn line(name: &str, good: bool, time: Duration) -> String {
    let verdict = if good { "ok" } else { "FAILED" };
    format!("{name:<12} {verdict:<6} {:>7.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_and_an_error_are_kept_and_stop_nothing() {
        let mut steps = Steps::default();
        assert!(!steps.run("first", "", || Ok(false)));
        assert!(!steps.run("second", "", || anyhow::bail!("no such program")));
        assert!(steps.run("third", "", || Ok(true)));
        assert_eq!(steps.failed(), ["first", "second"]);
        assert!(!steps.conclude("ci"));
    }

    #[test]
    fn nothing_failed_is_a_pass() {
        let mut steps = Steps::default();
        steps.run("only", "", || Ok(true));
        assert!(steps.conclude("ci"));
    }
}
