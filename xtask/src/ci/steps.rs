//! The steps of a long command: each runs even if one before it failed, and a table at the end says how long each took, and how busy the CPUs
//! were: what waits can have company, what computes cannot. Must not know what a step does.

use std::borrow::Cow;
use std::fs;
use std::time::{Duration, Instant};

/// The steps that ran, with their times and results.
#[derive(Default)]
pub struct Steps {
    done: Vec<Step>,
}

/// A step that has ended.
#[derive(Clone, Debug)]
struct Step {
    name: Cow<'static, str>,
    good: bool,
    time: Duration,
    /// The share of all CPUs that was in use, by whomever; none where the kernel does not say.
    busy: Option<f64>,
}

/// What all CPUs have done since the host started, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    idle: u64,
    all: u64,
}

impl Ticks {
    fn now() -> Option<Self> {
        Self::read(&fs::read_to_string("/proc/stat").ok()?)
    }

    /// The first line of /proc/stat, proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal; guests count as user already.
    fn read(stat: &str) -> Option<Self> {
        let fields = stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace();
        let ticks: Vec<u64> = fields.take(8).map_while(|field| field.parse().ok()).collect();
        Some(Self { idle: ticks.get(3)? + ticks.get(4)?, all: ticks.iter().sum() })
    }

    /// The share in use since then.
    #[expect(clippy::cast_precision_loss, reason = "ticks of a few hours are far below 2^52")]
    fn busy_since(self, before: Self) -> Option<f64> {
        let all = self.all.checked_sub(before.all).filter(|all| *all > 0)?;
        Some(1.0 - self.idle.saturating_sub(before.idle) as f64 / all as f64)
    }
}

impl Steps {
    /// Runs a check and keeps the result; returns whether it went well.
    pub fn run(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        what: &str,
        check: impl FnOnce() -> anyhow::Result<bool>,
    ) -> bool {
        let name = name.into();
        println!("\n=== {name}: {what}");
        let (start, before) = (Instant::now(), Ticks::now());
        let good = check().unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            false
        });
        let busy = before.and_then(|before| Ticks::now()?.busy_since(before));
        let step = Step { name, good, time: start.elapsed(), busy };
        println!("=== {}", step.line());
        self.done.push(step);
        good
    }

    /// Prints the table of `who`; returns whether all went well.
    pub fn conclude(&self, who: &str) -> bool {
        println!();
        for step in &self.done {
            println!("{}", step.line());
        }
        let failed = self.failed();
        if failed.is_empty() {
            println!("{who}: all {} steps passed", self.done.len());
        } else {
            println!("{who}: {} of {} steps FAILED: {}", failed.len(), self.done.len(), failed.join(", "));
        }
        failed.is_empty()
    }

    /// Whether nothing has failed so far.
    pub fn all_went_well(&self) -> bool {
        self.failed().is_empty()
    }

    fn failed(&self) -> Vec<&str> {
        self.done.iter().filter(|step| !step.good).map(|step| step.name.as_ref()).collect()
    }
}

impl Step {
    fn line(&self) -> String {
        let verdict = if self.good { "ok" } else { "FAILED" };
        let busy = self.busy.map(|busy| format!("  CPUs {:>3.0} % busy", 100.0 * busy)).unwrap_or_default();
        format!("{:<16} {verdict:<6} {:>7.1} s{busy}", self.name, self.time.as_secs_f64())
    }
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
    fn waiting_is_no_work() {
        let read = |text| Ticks::read(text);
        let before = read("cpu  100 10 20 300 40 5 5 20 7 0\ncpu0 1 2\n").unwrap();
        assert_eq!(before, Ticks { idle: 340, all: 500 });
        let after = Ticks { idle: 340 + 75, all: 500 + 100 };
        assert_eq!(after.busy_since(before), Some(0.25));
        assert_eq!(before.busy_since(before), None);
        assert_eq!((read(""), read("cpu 1 2 3\n")), (None, None));
    }

    #[test]
    fn nothing_failed_is_a_pass() {
        let mut steps = Steps::default();
        steps.run("only", "", || Ok(true));
        assert!(steps.conclude("ci"));
    }
}
