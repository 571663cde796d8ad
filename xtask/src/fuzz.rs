//! `cargo xtask fuzz`: hostile input for every reader of foreign data; the targets are in `fuzz`, a workspace of its own.
//!
//! Without a sanitizer, so that the compiler that builds Rigel will do: nearly all of what is reached is safe code, in which panics,
//! hangs and memory are what can go wrong. Must not keep what it finds to itself: an input that fails lies in `fuzz/artifacts`.

use crate::ci::tool::FUZZ;
use crate::outcome::Outcome;
use anyhow::Context as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Each target, and what libFuzzer should know of it.
const TARGETS: [(&str, &[&str]); 7] = [
    ("arguments", &["-max_len=1024"]),
    ("calibration", &["-max_len=4096"]),
    ("contents", &["-max_len=4096"]),
    ("lun_list", &["-max_len=1024"]),
    ("machine", &["-max_len=6000"]),
    ("record", &["-max_len=12000"]),
    // Not bytes but choices: a short input says little.
    ("record_edited", &["-max_len=256", "-len_control=0"]),
];
/// An input that takes longer hangs; the slowest take a tenth of a second.
const LONGEST: &str = "-timeout=30";
/// Everything needs some 60 MB.
const MOST_MEMORY: &str = "-rss_limit_mb=1024";

/// How long, and what.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// First install cargo-fuzz
    #[arg(long)]
    setup: bool,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Only targets whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// What else to look for, such as address; all but none need the nightly compiler
    #[arg(long, default_value = "none")]
    sanitizer: String,
}

/// A short run of each target from the committed corpus, for CI.
pub fn smoke(root: &Path) -> anyhow::Result<Outcome> {
    let fresh = tempfile::tempdir().context("cannot create a directory for what is found on the way")?;
    let options = Options { setup: false, seconds: 5, only: String::new(), sanitizer: String::from("none") };
    fuzz(root, &options, fresh.path())
}

/// Runs the targets one after another; what is found on the way is kept below cargo's target directory for the next run.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<Outcome> {
    if options.setup {
        FUZZ.set_up(root);
    }
    fuzz(root, options, &place(root).join("corpus"))
}

fn place(root: &Path) -> std::path::PathBuf {
    crate::target_dir(root).join("fuzz")
}

fn fuzz(root: &Path, options: &Options, found: &Path) -> anyhow::Result<Outcome> {
    let chosen: Vec<_> = TARGETS.iter().filter(|(name, _)| name.contains(&options.only)).collect();
    let names = TARGETS.map(|(name, _)| name).join(", ");
    anyhow::ensure!(!chosen.is_empty(), "no target is named like '{}'; there are {names}", options.only);
    let program = match FUZZ.find(root) {
        Ok(program) => program,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let mut build = cargo_fuzz(root, &program, "build", options);
    if let [(only, _)] = chosen[..] {
        build.arg(only);
    }
    if !succeeds(&mut build)? {
        return Ok(Outcome::Judged(false));
    }
    let mut failed = Vec::new();
    for (name, hints) in chosen {
        println!("fuzz: {name}, {} s", options.seconds);
        if !one(root, &program, options, (name, hints), &found.join(name))? {
            failed.push(*name);
        }
    }
    if !failed.is_empty() {
        println!(
            "fuzz: FAILED: {}. The input is below fuzz/artifacts: mend what it breaks, with a test, and put it into fuzz/corpus",
            failed.join(", ")
        );
    }
    Ok(Outcome::Judged(failed.is_empty()))
}

/// Runs one target; whether nothing failed.
fn one(
    root: &Path,
    program: &Path,
    options: &Options,
    (name, hints): (&str, &[&str]),
    found: &Path,
) -> anyhow::Result<bool> {
    fs::create_dir_all(found)?;
    let mut run = cargo_fuzz(root, program, "run", options);
    // New inputs go into the first directory.
    run.arg(name).arg(found).arg(root.join("fuzz/corpus").join(name)).arg("--");
    run.args(hints).args([LONGEST, MOST_MEMORY, "-verbosity=0", "-print_final_stats=1"]);
    succeeds(run.arg(format!("-max_total_time={}", options.seconds)))
}

fn cargo_fuzz(root: &Path, program: &Path, command: &str, options: &Options) -> Command {
    let mut fuzz = Command::new(program);
    // The profile of `fuzz/Cargo.toml`: with debug assertions and overflow checks, and without what takes long to build.
    fuzz.current_dir(root).args(["fuzz", command, "--dev"]);
    fuzz.arg("--target-dir").arg(place(root)).args(["--sanitizer", &options.sanitizer]);
    if options.sanitizer != "none" {
        fuzz.env("RUSTUP_TOOLCHAIN", "nightly");
    }
    fuzz
}

fn succeeds(command: &mut Command) -> anyhow::Result<bool> {
    let status =
        command.status().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_target_is_run_and_has_a_corpus() {
        let fuzz = crate::workspace_root().unwrap().join("fuzz");
        let names = |dir: &str| -> BTreeSet<String> {
            let entries = fs::read_dir(fuzz.join(dir)).unwrap().map(|entry| entry.unwrap().path());
            entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
        };
        let known: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(names("fuzz_targets"), known);
        assert_eq!(names("corpus"), known);
        assert!(known.iter().all(|name| !names(&format!("corpus/{name}")).is_empty()));
    }
}
