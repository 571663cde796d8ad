//! `cargo xtask fuzz`: hostile input for every reader of foreign data, without end. The targets are in `fuzz`, whose tests try them briefly;
//! the program that hands them to libFuzzer is a workspace of its own.
//!
//! It is built with the flags of `COVERAGE`. There is no sanitizer, so that the compiler that builds
//! Rigel will do: nearly all of what is reached is safe code, in which panics, hangs and memory are what can go wrong. Must not keep what
//! it finds to itself: an input that fails lies in `fuzz/artifacts`.

use crate::cargo::{cargo, finished_well};
use crate::outcome::Outcome;
use crate::sanitize::{NIGHTLY, host};
use anyhow::Context as _;
use std::env;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Each target, and what libFuzzer should know of it.
const TARGETS: [(&str, &[&str]); 15] = [
    ("arguments", &["-max_len=1024"]),
    ("baseline", &["-max_len=8192"]),
    ("calibration", &["-max_len=4096"]),
    ("capacity", &["-max_len=8192"]),
    ("contents", &["-max_len=4096"]),
    ("drive", &["-max_len=4096"]),
    ("durability", &["-max_len=8192"]),
    ("fio_job", &["-max_len=2048"]),
    ("load_file", &["-max_len=2048"]),
    ("lun_list", &["-max_len=1024"]),
    ("machine", &["-max_len=6000"]),
    ("offers", &["-max_len=2048"]),
    ("record", &["-max_len=12000"]),
    // Not bytes but choices: a short input says little.
    ("record_edited", &["-max_len=256", "-len_control=0"]),
    ("scrub", &["-max_len=40000"]),
];
/// Tells libFuzzer which code an input reached, and which values were compared on the way.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cllvm-args=-sanitizer-coverage-stack-depth \
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0 --cfg fuzzing";
/// The program for all targets, in a separate workspace.
pub const MANIFEST: &str = "fuzz/libfuzzer/Cargo.toml";
const PROGRAM: &str = "rigel-libfuzzer";
/// The variable that selects the target in that program.
const CHOICE: &str = "RIGEL_FUZZ_TARGET";
/// An input that takes longer hangs; the slowest take a tenth of a second.
const LONGEST: &str = "-timeout=30";
/// Everything needs about 60 MB.
const MOST_MEMORY: &str = "-rss_limit_mb=1024";

/// Duration and selection.
#[derive(Clone, Debug, clap::Args)]
pub struct Options {
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    seconds: u32,
    /// Only targets whose name holds this
    #[arg(long, default_value = "")]
    only: String,
    /// What else to look for, such as address; all but none need the nightly compiler
    #[arg(long, default_value = "none")]
    sanitizer: String,
    /// Build without optimisation, for a short run: done sooner than a build that tries more inputs in a second
    #[arg(long)]
    quick: bool,
}

/// Runs the targets one after another; inputs found on the way are kept below cargo's target directory for the next run.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<Outcome> {
    let found = place(root).join("corpus");
    let chosen: Vec<_> = TARGETS.iter().filter(|(name, _)| name.contains(&options.only)).collect();
    let names = TARGETS.map(|(name, _)| name).join(", ");
    anyhow::ensure!(!chosen.is_empty(), "no target is named like '{}'; there are {names}", options.only);
    if Command::new("c++").arg("--version").output().is_err() {
        return Ok(Outcome::Skipped("c++ does not start: libFuzzer cannot be built".into()));
    }
    let Some(program) = build(root, options)? else { return Ok(Outcome::Judged(false)) };
    let next = Mutex::new(chosen.into_iter());
    let run_each = || {
        let mut failed = Vec::new();
        while let Some((name, hints)) = next.lock().unwrap_or_else(PoisonError::into_inner).next() {
            println!("fuzz: {name}, {} s", options.seconds);
            if !one(root, &program, options, (name, hints), &found.join(name))? {
                failed.push(*name);
            }
        }
        anyhow::Ok(failed)
    };
    // A target keeps one CPU busy.
    let failed = thread::scope(|scope| {
        let cpus = thread::available_parallelism().map_or(1, NonZero::get);
        let threads: Vec<_> = (0..cpus).map(|_| scope.spawn(run_each)).collect();
        let mut failed = Vec::new();
        for thread in threads {
            failed.extend(thread.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??);
        }
        anyhow::Ok(failed)
    })?;
    if !failed.is_empty() {
        println!(
            "fuzz: FAILED: {}. The input is below fuzz/artifacts: mend what it breaks, with a test, and put it into fuzz/corpus",
            failed.join(", ")
        );
    }
    Ok(Outcome::Judged(failed.is_empty()))
}

fn place(root: &Path) -> PathBuf {
    crate::target_dir(root).join("fuzz")
}

/// Runs one target; whether nothing failed.
fn one(
    root: &Path,
    program: &Path,
    options: &Options,
    (name, hints): (&str, &[&str]),
    found: &Path,
) -> anyhow::Result<bool> {
    let failing = root.join("fuzz/artifacts").join(name);
    for folder in [found, &failing] {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut run = Command::new(program);
    run.env(CHOICE, name);
    // The trailing slash makes it a folder to libFuzzer.
    run.current_dir(root.join("fuzz")).arg(format!("-artifact_prefix={}/", failing.display()));
    run.args(hints).args([LONGEST, MOST_MEMORY, "-verbosity=0", "-print_final_stats=1"]);
    run.arg(format!("-max_total_time={}", options.seconds));
    // New inputs go into the first directory.
    run.arg(found).arg(root.join("fuzz/corpus").join(name));
    if options.sanitizer == "address" {
        run.env("ASAN_OPTIONS", "detect_odr_violation=0");
    }
    finished_well(&mut run)
}

/// Builds the targets; the program that has all of them, if it builds.
fn build(root: &Path, options: &Options) -> anyhow::Result<Option<PathBuf>> {
    let mut flags = COVERAGE.to_owned();
    let toolchain: &[&str] = if options.sanitizer == "none" { &[] } else { &[NIGHTLY] };
    let mut build = if options.sanitizer == "none" {
        cargo(root, &["build"])
    } else {
        flags += &format!(" -Zsanitizer={}", options.sanitizer);
        let mut nightly = Command::new("cargo");
        nightly.current_dir(root).args([NIGHTLY, "build"]);
        nightly
    };
    if let Ok(more) = env::var("RUSTFLAGS") {
        flags += &format!(" {more}");
    }
    let host = host(toolchain)?;
    build.args(["--locked", "--manifest-path", MANIFEST]).env("RUSTFLAGS", flags);
    if options.quick {
        build.args(["--config", "profile.dev.opt-level=0"]);
    }
    // Naming the target keeps the flags out of build scripts and macros.
    build.args(["--target", &host]).arg("--target-dir").arg(place(root));
    Ok(finished_well(&mut build)?.then(|| place(root).join(host).join("debug").join(PROGRAM)))
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
        assert_eq!(names("src/targets"), known);
        assert_eq!(names("corpus"), known);
        assert!(known.iter().all(|name| !names(&format!("corpus/{name}")).is_empty()));
    }
}
