//! `cargo xtask stats`: the proof of the statistics at full size, as a page of the documentation.
//!
//! The program tries itself (`rigel selftest`); this builds it with all optimisations and keeps what it prints. It must
//! not judge: a promise that is not kept is in the page, and the command fails.

use crate::cargo::cargo;
use anyhow::Context as _;
use std::fs;
use std::path::Path;
use std::process::Stdio;

const PAGE: &str = "docs/method/coverage.md";
const HEAD: &str = "# How often the intervals contain the true value

Whole runs on simulated devices, made by `cargo xtask stats`. Schedule, workers, recording and evaluation are \
those of a real run;
only the device and the time are simulated. `rigel selftest` makes a few of these runs in seconds. The rules, \
and where they
fall short, are in [statistics](statistics.md).

Runs of `rigel run` (first table):

- *truth held*: share of the 95 % intervals that contain the true rate
- *reached*: share of the points whose interval is as narrow as the aim
- *kept*: of these points, the share whose mean is within the aim
- *bias*: mean of estimate / truth - 1
- *width*: mean half-width of the intervals
- *false alarms*: trials with a flag for which the device gives no cause

Runs of `rigel versus` are called \"in turns\". The first table shows the ratio of two devices for them \
instead of a rate;
disturbances affect both sides at the same time. In the last table, either the same device is on both sides, \
or `rigel versus` is
compared with one run of each side: its time, relative to the time of two runs that would give an equally \
precise ratio. The
square of the width is assumed to fall in proportion to the time.

Runs of `rigel run open`, `commit`, `zones`, `streams` and of a load file (last table): latencies of queues, \
service and flush, the speed
at each place, and the rates and latencies of closed loops are compared with formulas. The share is that of \
all intervals that contain
the true value; each figure is listed with its own share, and with the mean of estimate / truth - 1.

Runs of `rigel calibrate` (second table): the figures are compared with the highest rates that the model of \
the device allows, not
with those of the points that happened to be the best. Each cell shows how often the 95 % interval contains \
the true value, the mean of
estimate / truth - 1, and the median half-width.

- *actual_latency*: the true value is the latency at the chosen level
- *within*: share of the trials in which the latency meets the limit within the tolerance of a tenth, or in \
which nothing meets
  the limit and no rate was given
- *bracket*: share of the trials in which the range `n_sat` contains the level that saturates the device

If a trial begins a visit after its budget, the promise is broken; none did.

";

/// Writes the page; returns whether every promise was kept.
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
