//! Blocks that say what they are: written and compared by Rigel, by Rigel without a look at them, and by fio with its own checksums. Must not compare.

use super::cases::Case;
use super::child;
use super::sample::{Sample, cost, number};
use anyhow::Context as _;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// What fio writes, and then reads again.
const FIO_BYTES: &str = "512m";

/// A load of reads and writes; `verify`: each block is compared when it is read.
pub fn rigel(
    program: &Path,
    (case, writes, verify): (&Case, u32, bool),
    target: &Path,
    span: Duration,
) -> anyhow::Result<Sample> {
    let place = tempfile::tempdir()?;
    let load = format!(
        "load = \"rigel.load/1\"\n[[class]]\nname = \"blocks\"\nsize = \"{}K\"\nwrite = {writes}\nverify = {verify}\n\
         arrival = {{ outstanding = {} }}\n",
        case.io_bytes >> 10,
        case.outstanding
    );
    fs::write(place.path().join("load.toml"), load)?;
    let mut command = Command::new(program);
    command.current_dir(place.path()).args(["run", "--load", "load.toml", "--name", "bench"]);
    command.args(["--duration", &format!("{}s", span.as_secs()), "--engine", case.engine, "--workers", "1"]);
    command.args(["--no-trials", "--json", "--quiet", "--no-html", "--destroy-data"]).args([target, target]);
    let ran = child::run(&mut command)?;
    let document: Value = serde_json::from_str(&ran.stdout).context("the document of a run")?;
    let io = &document["points"][0]["classes"]["blocks"];
    let iops = number(&io["iops"]["value"])?;
    Ok(Sample {
        iops,
        p50_us: io["latency_us"]["p50"]["value"].as_f64(),
        p99_us: io["latency_us"]["p99"]["value"].as_f64(),
        beside_s: ran.wall_s - span.as_secs_f64(),
        ..cost(&ran, iops * span.as_secs_f64())
    })
}

/// fio writes all blocks once in random order and then reads and checks them; its rate is that of both phases together.
pub fn fio(case: &Case, target: &Path) -> anyhow::Result<Sample> {
    let mut command = Command::new("fio");
    command.args([
        "--name=bench",
        "--rw=randwrite",
        "--direct=1",
        "--thread",
        "--verify=crc32c",
        "--do_verify=1",
    ]);
    command.args(["--output-format=json", "--allow_file_create=0", &format!("--size={FIO_BYTES}")]);
    command.args([format!("--ioengine={}", case.engine), format!("--iodepth={}", case.outstanding)]);
    command.args([format!("--bs={}", case.io_bytes), format!("--filename={}", file_name(target)?.display())]);
    command.current_dir(target.parent().unwrap_or_else(|| Path::new("/")));
    let ran = child::run(&mut command)?;
    let start = ran.stdout.find('{').context("fio printed no JSON")?;
    let document: Value = serde_json::from_str(&ran.stdout[start..]).context("the JSON of fio")?;
    let [read, write] = ["read", "write"].map(|name| &document["jobs"][0][name]);
    let ios = number(&read["total_ios"])? + number(&write["total_ios"])?;
    anyhow::ensure!(number(&read["total_ios"])? > 0.0, "fio read nothing again");
    let span_s = (number(&read["runtime"])? + number(&write["runtime"])?) / 1000.0;
    Ok(Sample { iops: ios / span_s, beside_s: ran.wall_s - span_s, ..cost(&ran, ios) })
}

fn file_name(target: &Path) -> anyhow::Result<PathBuf> {
    target.file_name().map(PathBuf::from).context("a target has a name")
}
