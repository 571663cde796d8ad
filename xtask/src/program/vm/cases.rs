//! The cases, in the order in which they are tried: a room per kind of device. Must not look at results of more than
//! one case.
//!
//! To add one, append it to the list of its room; another engine or option on the same device is one more [`Way`] in the
//! list of ways there.

mod engine_tests;
mod failover;
mod faults;
mod layers;
mod limits;
mod mirrors;
mod neighbours;
mod null_blk;
mod nvme;
mod power_cut;

use super::case::{Case, CaseStep};
use super::judge::{self, Figures};
use super::outcome::Outcome;

/// Where the programs of the engine tests are in the machine.
pub use engine_tests::PLACE as TESTS_PLACE;

/// Exit code where a target or the host refuses (docs/reference/commands.md).
const REFUSED: i32 = 3;
/// Exit code for a request that is not possible.
const USAGE: i32 = 2;
/// Limit of a run; its measurement takes a few seconds, whatever the machine.
const RUN_SECONDS: u32 = 60;

/// All of them; mirrors are scrubbed under writes for this many minutes.
pub fn all(scrub_minutes: u32) -> Vec<Case> {
    [
        null_blk::cases(),
        nvme::cases(),
        limits::cases(),
        faults::cases(),
        layers::cases(),
        mirrors::cases(scrub_minutes),
        failover::cases(),
        neighbours::cases(),
        power_cut::cases(),
        engine_tests::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// A way to reach a device.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Name of the steps.
    name: &'static str,
    /// As for `--engine`; also what the document must say.
    engine: &'static str,
    /// What is opened.
    target: &'static str,
    /// Further options.
    options: &'static [&'static str],
}

impl Way {
    /// An engine without further options.
    const fn plain(engine: &'static str, target: &'static str) -> Self {
        Self { name: engine, engine, target, options: &[] }
    }

    /// An engine that polls the device for completions.
    const fn polled(name: &'static str, engine: &'static str, target: &'static str) -> Self {
        Self { name, engine, target, options: &["--poll"] }
    }

    /// A run of one point of small I/O. The document goes to standard output, everything else to files with that name.
    fn run(&self, name: &str, outstanding: u32, span: &str, options: &[&str]) -> CaseStep {
        let outstanding = outstanding.to_string();
        let mut words =
            vec!["rigel", "run", "advanced", self.target, "--engine", self.engine, "--name", name];
        words.extend(["--matrix", "point", "--num-large", "0", "--num-small", &outstanding]);
        words.extend(["--duration", span, "--json", "--quiet"]);
        words.extend(self.options);
        words.extend(options);
        CaseStep::program(name, RUN_SECONDS, &words)
    }

    /// The name of its step at a load.
    fn at(&self, outstanding: u32) -> String {
        format!("{}-{outstanding}", self.name)
    }
}

/// Reads by every way at every load.
fn reads(ways: &[Way], loads: &[u32], span: &str) -> Vec<CaseStep> {
    let pairs = ways.iter().flat_map(|way| loads.iter().map(move |load| (way, *load)));
    pairs.map(|(way, load)| way.run(&way.at(load), load, span, &[])).collect()
}

/// Judges all of [`reads`]; returns what was seen, by step.
fn each(
    outcome: &Outcome,
    ways: &[Way],
    loads: &[u32],
    check: impl Fn(Figures) -> anyhow::Result<Figures>,
) -> anyhow::Result<String> {
    let mut seen = Vec::new();
    for (way, load) in ways.iter().flat_map(|way| loads.iter().map(move |load| (way, *load))) {
        let step = way.at(load);
        let found = judge::run(outcome, &step, way.engine)?;
        let found = check(found).map_err(|error| error.context(step.clone()))?;
        let engine = outcome.record(&step)?.header.nodes.first().engine.clone();
        anyhow::ensure!(engine.polled == way.options.contains(&"--poll"), "{step}: {engine:?}");
        seen.push(format!("{step} {}", found.shown()));
    }
    Ok(seen.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_files_and_none_comes_twice() {
        let cases = all(60);
        let names: BTreeSet<&str> = cases.iter().map(|case| case.name).collect();
        assert_eq!(names.len(), cases.len());
        let good = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        };
        for case in &cases {
            let mut taken: BTreeSet<&str> = ["setup", "teardown", "steps"].into();
            assert!(good(case.name) && !case.steps.is_empty() && !case.modules.is_empty(), "{}", case.name);
            assert!(
                case.steps.iter().all(|step| good(&step.name) && taken.insert(&step.name)),
                "{}",
                case.name
            );
        }
    }

    #[test]
    fn all_scripts_are_shell() {
        for case in all(60) {
            let steps = case.steps.iter().map(|step| &step.script);
            for script in steps.chain([&case.setup, &case.teardown]) {
                let told = std::process::Command::new("sh").args(["-n", "-c", script]).output().unwrap();
                assert!(told.status.success(), "{}: {script}: {told:?}", case.name);
            }
        }
    }

    #[test]
    fn a_run_names_what_it_reaches_and_how() {
        let way = Way { options: &["--workers", "2"], ..Way::plain("threads", "/dev/nullb0") };
        let script = way.run("a", 8, "1s", &["--write", "5"]).script;
        assert!(
            script.starts_with("exec rigel run advanced /dev/nullb0 --engine threads --name a "),
            "{script}"
        );
        assert!(
            script.contains(" --num-small 8 ") && script.ends_with(" --workers 2 --write 5\n"),
            "{script}"
        );
    }
}
