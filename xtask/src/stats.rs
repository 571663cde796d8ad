//! `cargo xtask stats`: the proof of the statistics at full size, as a page of the documentation.
//!
//! The program tries itself (`rigel selftest`); this builds it with all optimisations and keeps what it prints. It must
//! not judge: a promise that is not kept is in the page, and the command fails.

use crate::ci::cargo;
use anyhow::Context as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

const PAGE: &str = "docs/method/coverage.md";
const HEAD: &str = "\
# Calibrations with a known truth

Whole runs on simulated devices, made by `cargo xtask stats`: the ordinary schedule, workers, record and judgement, only
the device and the time are simulated. `rigel selftest` makes a few of them in seconds. What the rules are, and where they
fall short, is in [statistics.md](statistics.md).

*Truth held* is the share of the 95 % intervals that hold the true rate; *reached* the share of points as narrow as the aim;
*kept* the share of those whose mean is within the aim; *bias* the mean of estimate / truth - 1; *width* the mean half-width; *false alarms* the trials in which a flag came for which
the device gives no cause.

The figures of `rigel calibrate` are held against the highest rates that the law of the device has, not against those of the points that
happened to be the best: how often the 95 % interval holds the truth, the mean of estimate / truth - 1, the median half-width. The truth of
*actual_latency* is that at the level which was chosen; *within* is the share of the trials in which it keeps the bound to the tenth that is allowed (or nothing keeps it,
and none was given), *bracket* the share in which `n_sat` holds the level that saturates the device. No trial began a visit after its budget, or
the promise is broken.

";

/// Writes the page; whether every promise was kept.
pub fn run(root: &Path, trials: u32, seed: u64) -> anyhow::Result<bool> {
    let (trials, seed) = (trials.to_string(), seed.to_string());
    let arguments = [
        "run",
        "--release",
        "--locked",
        "-p",
        "rigel",
        "--",
        "selftest",
        "--thorough",
        "--markdown",
        "--trials",
        &trials,
        "--seed",
        &seed,
    ];
    println!("stats: cargo {}", arguments.join(" "));
    let mut selftest = cargo(root, &arguments);
    let told = selftest.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    if told.stdout.is_empty() {
        anyhow::bail!("the self-test printed nothing; see above");
    }
    let mut page = HEAD.as_bytes().to_vec();
    page.extend(told.stdout);
    fs::write(root.join(PAGE), page).with_context(|| format!("cannot write {PAGE}"))?;
    println!("stats: wrote {PAGE}");
    Ok(told.status.success())
}
