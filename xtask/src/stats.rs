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
const HEAD: &str = "# How often the intervals contain the true value

Whole runs on simulated devices, made by \
`cargo xtask stats`. Schedule, workers, record and judgement are the ordinary ones;
only the device and the \
time are simulated. `rigel selftest` makes a few of these runs in seconds. The rules, and where they
fall \
short, are in [statistics](statistics.md).

Runs of `rigel run` (first table):

- *truth held*: share of \
the 95 % intervals that hold the true rate
- *reached*: share of points whose interval is as narrow as the \
aim
- *kept*: of these points, the share whose mean is within the aim
- *bias*: mean of estimate / truth - \
1
- *width*: mean half-width of the intervals
- *false alarms*: trials with a flag for which the device \
gives no cause

Runs of `rigel versus` are called \"in turns\". In the first table they have the ratio of \
two devices in the place of a rate; what
disturbs them disturbs both at the same time. In the last table \
the same device is on both sides, or turns are held against a run of
each side: their time over that of two \
runs that are compared and would be as sure, as the square of a width goes with one over the
time.

Runs of \
`rigel run open`, `commit`, `zones`, `streams` and of a load file (last table): latencies of queues, \
service and flush, the speed
at each place, and the rates and latencies of closed loops are held against \
formulas. The share is that of all intervals that contain the true value; each figure is told with its own \
share, and
with the mean of estimate / truth - 1.

Runs of `rigel calibrate` (second table): the figures \
are compared with the highest rates that the law of the device has, not
with those of the points that \
happened to be the best. Each cell says how often the 95 % interval holds the truth, the mean of
estimate / \
truth - 1, and the median half-width.

- *actual_latency*: its truth is that at the level which was \
chosen
- *within*: share of the trials in which the latency keeps the bound to the tenth that is allowed, \
or in which nothing keeps
  the bound and no rate was given
- *bracket*: share of the trials in which \
`n_sat` holds the level that saturates the device

If a trial begins a visit after its budget, the promise \
is broken; none did.

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
