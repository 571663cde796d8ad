//! `cargo xtask instructions`: how many instructions of Rigel's own one I/O takes, held against the figures that were
//! accepted last.
//!
//! Counted by callgrind, not timed: the same on a busy machine. Another compiler makes other code, so the figures say which
//! one they are from, and under another nothing is judged. Must not measure time.

use crate::cargo::cargo;
use crate::outcome::Outcome;
use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILE: &str = "xtask/instructions.json";
/// What is counted.
const PROGRAM: &str = "rigel-loop-cost";
/// Growth by more than that is not accepted silently.
const MOST_GROWTH: f64 = 0.03;
/// Outstanding I/Os of each count, and batches of the two runs whose difference is taken: what is done once cancels out.
const COUNTS: [(u32, [u32; 2]); 3] = [(1, [2000, 22_000]), (32, [200, 1200]), (1000, [20, 60])];

/// The accepted numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct InstructionAllowance {
    /// `rustc --version` that the figures are from.
    rustc: String,
    /// Instructions per I/O, by the number of outstanding I/Os.
    per_io: BTreeMap<u32, f64>,
}

/// How a number compares with the accepted one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Growth {
    Same,
    Grown,
    /// There is no number to compare with.
    New,
}

/// Counts, and judges or accepts; good is what did not grow.
pub fn run(root: &Path, accept: bool) -> anyhow::Result<Outcome> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(Outcome::Skipped("valgrind does not start".into()));
    }
    let rustc = rustc_version()?;
    let accepted = read(root)?;
    if let Some(accepted) = accepted.as_ref().filter(|accepted| !accept && accepted.rustc != rustc) {
        let reason = format!("the accepted figures are from {}, this is {rustc}", accepted.rustc);
        return Ok(Outcome::Skipped(reason));
    }
    let program = build(root)?;
    let mut found = InstructionAllowance { rustc, per_io: BTreeMap::new() };
    let mut good = true;
    for (outstanding, batches) in COUNTS {
        let per_io = per_io(&program, outstanding, batches)?;
        let known = accepted.as_ref().and_then(|accepted| accepted.per_io.get(&outstanding).copied());
        let verdict = judge(per_io, known);
        good &= verdict != Growth::Grown;
        println!("instructions: {outstanding:>5} outstanding: {per_io:.1} per I/O{}", words(verdict, known));
        found.per_io.insert(outstanding, (per_io * 10.0).round() / 10.0);
    }
    if accept {
        let text = serde_json::to_string_pretty(&found)? + "\n";
        fs::write(root.join(FILE), text).with_context(|| format!("cannot write {FILE}"))?;
        println!("instructions: wrote {FILE}");
        return Ok(Outcome::Judged(true));
    }
    if !good {
        println!(
            "instructions: more work per I/O; mend it, or accept it with `cargo xtask instructions --accept` and say why"
        );
    }
    Ok(Outcome::Judged(good))
}

fn judge(per_io: f64, known: Option<f64>) -> Growth {
    match known {
        None => Growth::New,
        Some(known) if per_io > known * (1.0 + MOST_GROWTH) => Growth::Grown,
        Some(_) => Growth::Same,
    }
}

fn words(verdict: Growth, known: Option<f64>) -> String {
    match (verdict, known) {
        (Growth::Grown, Some(known)) => {
            format!(", {known:.1} accepted: GROWN by more than {:.0} %", 100.0 * MOST_GROWTH)
        }
        (_, Some(known)) => format!(", {known:.1} accepted"),
        (_, None) => ", nothing accepted yet".into(),
    }
}

fn read(root: &Path) -> anyhow::Result<Option<InstructionAllowance>> {
    match fs::read(root.join(FILE)) {
        Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).with_context(|| format!("{FILE} is damaged"))?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot read {FILE}")),
    }
}

fn rustc_version() -> anyhow::Result<String> {
    let told = Command::new("rustc").arg("--version").output().context("cannot start rustc")?;
    Ok(String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

/// The release build of the measuring loop alone.
fn build(root: &Path) -> anyhow::Result<PathBuf> {
    let arguments = ["build", "--release", "--locked", "-p", PROGRAM, "--message-format=json"];
    let told = cargo(root, &arguments)
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cannot start cargo")?;
    anyhow::ensure!(told.status.success(), "{PROGRAM} does not build");
    let lines = told.stdout.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    let program = lines
        .filter_map(|line: serde_json::Value| line["executable"].as_str().map(PathBuf::from))
        .next_back();
    program.context("cargo names no program")
}

/// The difference of two runs of different length.
fn per_io(program: &Path, outstanding: u32, batches: [u32; 2]) -> anyhow::Result<f64> {
    let [(few, fewer_ios), (many, more_ios)] =
        [count(program, outstanding, batches[0])?, count(program, outstanding, batches[1])?];
    anyhow::ensure!(more_ios > fewer_ios, "a longer run made no more I/Os: {fewer_ios}, {more_ios}");
    Ok((many - few) / (more_ios - fewer_ios))
}

/// Instructions and I/Os of one run.
fn count(program: &Path, outstanding: u32, batches: u32) -> anyhow::Result<(f64, f64)> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program);
    let told = valgrind
        .args([outstanding.to_string(), batches.to_string()])
        .output()
        .context("cannot start valgrind")?;
    let (said, ios) = (String::from_utf8_lossy(&told.stderr), String::from_utf8_lossy(&told.stdout));
    anyhow::ensure!(told.status.success(), "callgrind failed: {said}");
    let instructions = collected(&said).with_context(|| format!("callgrind names no count: {said}"))?;
    Ok((instructions, ios.trim().parse().context("the number of I/Os")?))
}

/// `==123== Collected : 456789`
fn collected(said: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_seen_and_chance_has_no_part() {
        assert_eq!(judge(103.0, Some(100.0)), Growth::Same);
        assert_eq!(judge(103.1, Some(100.0)), Growth::Grown);
        assert_eq!(judge(50.0, Some(100.0)), Growth::Same);
        assert_eq!(judge(50.0, None), Growth::New);
        assert!(words(Growth::Grown, Some(100.0)).contains("GROWN"));
    }

    #[test]
    fn the_count_of_callgrind_is_read() {
        assert_eq!(collected("==7== Events    : Ir\n==7== Collected : 1234567\n==7==\n"), Some(1_234_567.0));
        assert_eq!(collected("==7== no count\n"), None);
    }
}
