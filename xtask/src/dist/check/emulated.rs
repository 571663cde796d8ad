//! The program of another processor in an emulator: what people do first, and the bytes that it makes of a record. It runs on the kernel of this
//! host without io_uring and libaio, which the emulator does not hand on; that engines fall back is a part of what is tried.
//!
//! Must not judge speed.

use super::super::cross::Emulator;
use super::super::{PROGRAM, Release, binary, stage, wheel as wheels};
use super::room::{Room, output};
use super::{old_calls::unpacked, trial};
use anyhow::Context as _;
use serde_json::Value;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET_BYTES: u64 = 16 << 20;
/// Every format that goes to standard output.
const FORMATS: [&str; 7] = ["json", "csv", "fio", "hlog", "openmetrics", "markdown", "text"];
/// A load in production, as another program wrote it.
const IMPORTED: &str = "crates/rigel-capacity/tests-data/iostat-12.6.1.json";
/// A device whose figures follow from the seed.
const SIMULATED: [&str; 7] =
    ["--engine", "sim:servers=4,service=1ms", "--seed", "7", "--quiet", "--no-html", "--no-history"];

/// A program in a separate directory.
struct Program<'a> {
    emulator: Option<&'a Emulator>,
    path: PathBuf,
    place: &'a Path,
}

impl Program<'_> {
    fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        let mut command = match self.emulator {
            Some(emulator) => emulator.command(&self.path),
            None => Command::new(&self.path),
        };
        command.current_dir(self.place).env("XDG_STATE_HOME", self.place);
        output(command.env_remove("RIGEL_ORION_VERSION").args(arguments))
    }
}

/// Takes the binary out of the archive and tries it.
pub fn tried(release: &Release, releases: &[Release], emulator: &Emulator) -> anyhow::Result<bool> {
    let place = tempfile::tempdir_in(&release.work)?;
    let place = place.path();
    let rigel = Program { emulator: Some(emulator), path: unpacked(release, place)?, place };
    trial::is_version(&rigel.run(&["--version"])?, release.architecture)?;
    rigel.run(&["selftest", "--trials", "1", "--quiet"])?;
    measures(&rigel)?;
    trial::has_a_rate(&rigel.run(&[&["calibrate", "--json"], &SIMULATED[..]].concat())?)?;
    verifies(&rigel)?;
    let sample = release.root.join(IMPORTED);
    rigel.run(&[
        "capacity",
        "import",
        &sample.to_string_lossy(),
        "--store",
        "store",
        "--zone",
        "UTC",
        "--quiet",
    ])?;
    let list = rigel.run(&["capacity", "list", "--store", "store"])?;
    anyhow::ensure!(list.lines().count() > 1, "nothing was imported: {list}");
    same_bytes(release, releases, &rigel)
}

/// A file, with the available engines.
fn measures(rigel: &Program<'_>) -> anyhow::Result<()> {
    let mut data = fs::File::create_new(rigel.place.join("data"))?;
    io::copy(&mut fs::File::open("/dev/urandom")?.take(TARGET_BYTES), &mut data)?;
    for engine in ["auto", "sync", "threads"] {
        let out = rigel.place.join(format!("out-{engine}"));
        fs::create_dir(&out)?;
        let directory = out.to_string_lossy().into_owned();
        let short = ["--duration", "100ms", "--num-disks", "1", "--quiet", "--no-html"];
        let line = ["run", "simple", "data", "--engine", engine, "--out", &directory];
        rigel.run(&[&line[..], &short[..]].concat())?;
        let record = fs::read_to_string(out.join(record_in(&out)?))?;
        let header: Value = serde_json::from_str(record.lines().next().unwrap_or_default())?;
        println!("emulated: --engine {engine} measured with {}", header["engine"]["kind"]);
    }
    Ok(())
}

/// Blocks that identify themselves: their checksum has different code on each processor.
fn verifies(rigel: &Program<'_>) -> anyhow::Result<()> {
    let line = "soak data --write 50 --destroy-data data --for 5s --json --quiet --no-html";
    let told: Value = serde_json::from_str(&rigel.run(&line.split(' ').collect::<Vec<_>>())?)?;
    let mut sentences = told["told"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let compared = sentences.find(|sentence| sentence.contains("compared bit by bit"));
    let compared = compared.with_context(|| format!("the soak compared nothing: {told}"))?;
    anyhow::ensure!(told["faulty"] == false, "the soak found faults: {told}");
    println!("emulated: {compared}");
    Ok(())
}

/// The record of this host's program, in every format, by both.
fn same_bytes(release: &Release, releases: &[Release], rigel: &Program<'_>) -> anyhow::Result<bool> {
    let native = releases.iter().find(|other| other.architecture.is_native());
    let native = native.map(|native| binary::program(native, PROGRAM)).filter(|path| path.exists());
    let Some(path) = native else {
        let what = format!("{}: no program of this host to compare with", release.architecture.name);
        return release.leave_out(&what).map(|()| true);
    };
    let native = Program { emulator: None, path, place: rigel.place };
    let mut compared = 0;
    for task in [&["run", "simple", "--fast"][..], &["calibrate"], &["slo", "--p99", "20ms", "--for", "3m"]] {
        let out = rigel.place.join(format!("record-{}", task[0]));
        fs::create_dir(&out)?;
        let place = out.to_string_lossy().into_owned();
        native.run(&[task, &["--out", &place], &SIMULATED[..6]].concat())?;
        let record = out.join(record_in(&out)?).to_string_lossy().into_owned();
        for format in FORMATS {
            let line = ["report", &record, "--format", format];
            let (here, there) = (native.run(&line)?, rigel.run(&line)?);
            anyhow::ensure!(here == there, "{} of {record}: other bytes: {here}\n{there}", line.join(" "));
            compared += 1;
        }
    }
    println!("emulated: {compared} outputs have the same bytes");
    Ok(compared > 0)
}

fn record_in(place: &Path) -> anyhow::Result<String> {
    let name = stage::names(place)?.into_iter().find(|name| name.ends_with("_record.jsonl"));
    name.with_context(|| format!("no record in {}", place.display()))
}

/// What pip installs for another processor; its own Python is of this one.
pub fn wheel(release: &Release, room: &Room, emulator: &Emulator) -> anyhow::Result<bool> {
    let name = wheels::name(release);
    room.take_in(&release.out, &name)?;
    let [platform, _] = wheels::platforms(release);
    room.run(&format!(
        "python3 -m venv /opt/rigel && /opt/rigel/bin/pip install --quiet --no-compile --no-index --no-deps \
         --only-binary=:all: --platform {platform} --target /parts/wheel /parts/{name}"
    ))?;
    let path = room.path().join("parts/wheel/bin/rigel");
    let place = room.path().join("parts");
    let rigel = Program { emulator: Some(emulator), path, place: &place };
    trial::is_version(&rigel.run(&["--version"])?, release.architecture)?;
    Ok(true)
}
