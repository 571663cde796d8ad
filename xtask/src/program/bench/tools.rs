//! The tools: how each is asked for a case, and what it says. Must not compare.

use super::cases::{AUTO, BenchTarget, COMPARED, Case};
use super::child::{self, ChildRun};
use super::verified;
use anyhow::Context as _;
use rigel_core::record::{Record, Visit};
use rigel_core::units::{MIB, Nanos, to_f64};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const US_PER_S: f64 = 1e6;
/// Jobs of fio that begin together, or nearly.
const MOST_JOBS: u32 = 128;

/// What a tool found, and what it cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// I/Os per second.
    pub iops: f64,
    /// CPU time in user mode per I/O, in microseconds, of the whole process.
    pub user_us: f64,
    /// The same in the kernel.
    pub system_us: f64,
    /// Median latency in microseconds, as the tool reports it.
    pub p50_us: Option<f64>,
    /// 99th percentile.
    pub p99_us: Option<f64>,
    /// 99th percentile of how late the tool itself was, where it says so.
    pub lag_p99_us: Option<f64>,
    /// Most resident memory in bytes.
    pub peak_bytes: u64,
    /// Time of the process beside the load: starting, ending, writing what it found.
    pub beside_s: f64,
}

/// A tool that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The release build of this repository.
    Rigel(PathBuf),
    /// The same, without examining the blocks.
    Plain(PathBuf),
    /// Another build of this repository.
    Given(PathBuf),
    /// The fio of the distribution.
    Fio,
    /// The same with another engine than Rigel chooses; `fio, ENGINE`.
    FioWith(&'static str),
    /// The bare loop in fio's sources; it takes no times.
    Bare(PathBuf),
    /// `cmp` of the GNU diffutils, which compares two files.
    Cmp,
}

/// Other tools that are installed.
pub fn peers(t_io_uring: Option<&Path>) -> anyhow::Result<Vec<Tool>> {
    let fio = Command::new("fio").arg("--version").output();
    anyhow::ensure!(
        fio.is_ok_and(|told| told.status.success()),
        "fio does not start; install the package fio"
    );
    let bare = t_io_uring.map(|path| {
        let path = path.canonicalize().with_context(|| format!("no t/io_uring at {}", path.display()));
        path.map(Tool::Bare)
    });
    let engines = ["fio, io_uring", "fio, libaio", "fio, sync"].map(Tool::FioWith);
    Ok([Tool::Fio, Tool::Cmp].into_iter().chain(engines).chain(bare.transpose()?).collect())
}

/// A build of Rigel somewhere. Tools are started in separate directories, so the path must not depend on that.
pub fn given(program: &Path) -> anyhow::Result<Tool> {
    let path = program.canonicalize().with_context(|| format!("no program at {}", program.display()))?;
    Ok(Tool::Given(path))
}

impl Tool {
    /// For tables.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Rigel(_) => "rigel",
            Self::Plain(_) => "rigel, unverified",
            Self::Given(_) => "the given rigel",
            Self::Fio => "fio",
            Self::FioWith(engine) => engine,
            Self::Bare(_) => "t/io_uring",
            Self::Cmp => "cmp",
        }
    }

    /// Whether the tool has something to set against the case.
    pub fn can(&self, case: &Case) -> bool {
        match self {
            Self::Rigel(_) | Self::Given(_) => true,
            Self::Plain(_) => case.verified.is_some(),
            // Half of what fio does then are writes.
            Self::Fio if case.verified.is_some() => case.verified == Some(50),
            Self::Cmp => case.engine == COMPARED,
            Self::Fio | Self::Bare(_) if case.engine == COMPARED => false,
            Self::FioWith(_) => case.engine == AUTO,
            Self::Fio if case.engine == AUTO => false,
            // Its jobs begin one after the other, each for its own time: with many of them, the sum of their rates is none of a moment.
            Self::Fio if case.engine == "sync" => case.outstanding <= MOST_JOBS,
            // fio has no engine that submits NOPs.
            Self::Fio => case.on != BenchTarget::Ring,
            // It knows no rates.
            Self::Bare(_) if case.rate.is_some() => false,
            Self::Bare(_) => {
                case.engine == "nop"
                    || (case.engine == "io_uring" && matches!(case.on, BenchTarget::Zram | BenchTarget::File))
            }
        }
    }

    /// Runs a case once.
    pub fn run(&self, case: &Case, targets: &[PathBuf], span: Duration) -> anyhow::Result<Sample> {
        match self {
            Self::Rigel(program) | Self::Given(program) if case.engine == COMPARED => {
                let mut command = Command::new(program);
                compared(command.args(["scrub", "--quiet"]), case, targets)
            }
            Self::Cmp => compared(&mut Command::new("cmp"), case, targets),
            Self::Plain(program) => verified_blocks(program, (case, false), targets, span),
            Self::Rigel(program) | Self::Given(program) if case.verified.is_some() => {
                verified_blocks(program, (case, true), targets, span)
            }
            Self::Fio if case.verified.is_some() => {
                verified::fio(case, targets.first().context("a case of verified blocks has a file")?)
            }
            Self::Rigel(program) | Self::Given(program) => rigel(program, case, targets, span),
            Self::FioWith(name) => {
                let engine = name.trim_start_matches("fio, ");
                fio(&Case { engine, ..case.clone() }, targets, span)
            }
            Self::Fio => fio(case, targets, span),
            Self::Bare(program) => bare(program, case, targets, span),
        }
    }
}

fn verified_blocks(
    program: &Path,
    (case, verify): (&Case, bool),
    targets: &[PathBuf],
    span: Duration,
) -> anyhow::Result<Sample> {
    let target = targets.first().context("a case of verified blocks has a file")?;
    verified::rigel(program, (case, case.verified.unwrap_or(0), verify), target, span)
}

fn rigel(program: &Path, case: &Case, targets: &[PathBuf], span: Duration) -> anyhow::Result<Sample> {
    let place = tempfile::tempdir()?;
    let mut command = Command::new(program);
    command.current_dir(place.path()).arg("run");
    let class = class_of(&mut command, case, place.path())?;
    command.args(["--name", "bench"]);
    command.args(["--duration", &format!("{}s", span.as_secs()), "--engine", case.engine]);
    // The others have as many as they need.
    if !["sync", AUTO].contains(&case.engine) {
        command.args(["--workers", "1"]);
    }
    // What an engine costs is that of its load; trials of other engines beside it are none of that.
    if case.engine != AUTO {
        command.arg("--no-trials");
    }
    if case.commits {
        targets.iter().for_each(|target| {
            command.arg("--destroy-data").arg(target);
        });
    }
    command.args(["--json", "--quiet"]).args(targets);
    // Of I/O that nothing makes, or zeros in memory, Rigel says that no number may be used; here its own cost is wanted.
    let is_memory = matches!(
        case.on,
        BenchTarget::Nothing | BenchTarget::Ring | BenchTarget::Zram | BenchTarget::FilledZram
    );
    let codes: &[i32] = if is_memory { &[0, 1] } else { &[0] };
    let ran = child::run_to(&mut command, codes)?;
    let document: Value = serde_json::from_str(&ran.stdout).context("the document of a run")?;
    let io = &document["points"][0]["classes"][class];
    let record = fs::read_dir(place.path())?.filter_map(Result::ok).map(|entry| entry.path());
    let record = record.into_iter().find(|path| path.to_string_lossy().ends_with("_record.jsonl"));
    let record = Record::read(&fs::read(record.context("a run leaves a record")?)?)?;
    let visit: &Visit = record.visits.first().context("a run has a visit")?;
    let ios = to_f64(visit.moved_bytes()) / to_f64(case.io_bytes);
    let loaded_s = Nanos(visit.loaded_ns).seconds();
    Ok(Sample {
        iops: number(&io["iops"]["value"])?,
        p50_us: io["latency_us"]["p50"]["value"].as_f64(),
        p99_us: io["latency_us"]["p99"]["value"].as_f64(),
        lag_p99_us: io["open"]["lag_us"]["p99"]["value"].as_f64(),
        beside_s: ran.wall_s - loaded_s,
        ..cost(&ran, ios)
    })
}

/// Compares two files that are not in the page cache. An I/O is this many bytes of either.
fn compared(command: &mut Command, case: &Case, targets: &[PathBuf]) -> anyhow::Result<Sample> {
    let mut bytes = 0;
    for target in targets {
        // Nothing is copied; the cache drops the file.
        let mut forget = Command::new("dd");
        child::run(forget.arg(format!("if={}", target.display())).args(["iflag=nocache", "count=0"]))?;
        bytes += fs::metadata(target)?.len();
    }
    let ran = child::run(command.args(targets))?;
    let ios = to_f64(bytes) / to_f64(case.io_bytes);
    Ok(Sample {
        iops: ios / ran.wall_s,
        p50_us: None,
        p99_us: None,
        lag_p99_us: None,
        beside_s: 0.0,
        ..cost(&ran, ios)
    })
}

/// Says what a case loads, and returns the name of its load class.
fn class_of(command: &mut Command, case: &Case, place: &Path) -> anyhow::Result<&'static str> {
    if case.commits {
        let load = format!(
            "load = \"rigel.load/1\"\n[[class]]\nname = \"commits\"\nsize = \"{}K\"\nwrite = 100\npattern = \"log\"\nsync = \"dsync\"\n\
             arrival = {{ writers = {} }}\n",
            case.io_bytes >> 10,
            case.outstanding
        );
        fs::write(place.join("load.toml"), load)?;
        command.args(["--load", "load.toml", "--no-html"]);
        return Ok("commits");
    }
    if let Some(rate) = case.rate {
        command.args(["open", "--rate", &rate.to_string(), "--size-small", &case.io_bytes.to_string()]);
        command.args(["--max-outstanding", &case.outstanding.to_string()]);
        return Ok("open");
    }
    let (class, other) = if case.is_large() { ("large", "small") } else { ("small", "large") };
    command.args(["advanced", "--matrix", "point"]);
    command.args([
        format!("--num-{class}"),
        case.outstanding.to_string(),
        format!("--num-{other}"),
        "0".into(),
    ]);
    command.args([format!("--size-{class}"), case.io_bytes.to_string()]);
    Ok(class)
}

/// fio as its manual has it for one job of random reads, or of writes that are durable one by one; threads instead of processes, so that its memory can be seen, and
/// offsets drawn independently, as Rigel's are.
fn fio(case: &Case, targets: &[PathBuf], span: Duration) -> anyhow::Result<Sample> {
    let mut command = Command::new("fio");
    command.args(["--name=bench", "--direct=1", "--thread", "--norandommap"]);
    if case.commits {
        command.args(["--rw=write", "--sync=dsync", "--allow_file_create=0"]);
    } else {
        command.args(["--rw=randread", "--readonly"]);
    }
    command.args(["--time_based", "--output-format=json", "--lat_percentiles=1", "--group_reporting"]);
    command.args([format!("--runtime={}", span.as_secs()), format!("--bs={}", case.io_bytes)]);
    if ["threads", "sync"].contains(&case.engine) {
        // A thread per outstanding I/O is fio's engine psync in so many jobs.
        command.args(["--ioengine=psync".to_owned(), format!("--numjobs={}", case.outstanding)]);
    } else {
        command.args([format!("--ioengine={}", case.engine), format!("--iodepth={}", case.outstanding)]);
    }
    if let Some(rate) = case.rate {
        command.args([format!("--rate_iops={rate}"), "--rate_process=poisson".to_owned()]);
    }
    if targets.is_empty() {
        command.arg("--size=1g");
    } else {
        // fio's list of names has a limit, so they are short: relative to the directory that all targets are in.
        let place = targets[0].parent().unwrap_or_else(|| Path::new("/"));
        let names = targets.iter().filter_map(|path| path.file_name());
        let names: Vec<String> = names.map(|name| name.to_string_lossy().replace(':', "\\:")).collect();
        command.current_dir(place).arg(format!("--filename={}", names.join(":")));
    }
    let ran = child::run(&mut command)?;
    let start = ran.stdout.find('{').context("fio printed no JSON")?;
    let document: Value = serde_json::from_str(&ran.stdout[start..]).context("the JSON of fio")?;
    let ios = &document["jobs"][0][if case.commits { "write" } else { "read" }];
    let percentile = |name: &str| ios["lat_ns"]["percentile"][name].as_f64().map(|ns| ns / 1000.0);
    Ok(Sample {
        iops: number(&ios["iops"])?,
        p50_us: percentile("50.000000"),
        p99_us: percentile("99.000000"),
        beside_s: ran.wall_s - number(&ios["runtime"])? / 1000.0,
        ..cost(&ran, number(&ios["total_ios"])?)
    })
}

/// Batches of 32, registered files and buffers, no polling: what Rigel has, less the times.
fn bare(program: &Path, case: &Case, targets: &[PathBuf], span: Duration) -> anyhow::Result<Sample> {
    let mut command = Command::new(program);
    let batch = case.outstanding.min(32);
    command.args([format!("-d{}", case.outstanding), format!("-s{batch}"), format!("-c{batch}")]);
    command.args([format!("-b{}", case.io_bytes), format!("-r{}", span.as_secs())]);
    command.args(["-p0", "-B1", "-F1", "-n1", "-t0"]);
    match targets.first() {
        Some(path) => command.arg(path),
        // It wants to know the size of a target even for NOPs: any file will do.
        None => command.args(["-N1", "-O0"]).arg(program),
    };
    let ran = child::run(&mut command)?;
    let rates: Vec<f64> = ran.stdout.lines().filter_map(iops_of_line).collect();
    anyhow::ensure!(!rates.is_empty(), "no rate in what {} printed: {}", program.display(), ran.stdout);
    let iops = rates.iter().sum::<f64>() / f64::from(u32::try_from(rates.len())?);
    Ok(Sample { iops, beside_s: ran.wall_s - span.as_secs_f64(), ..cost(&ran, iops * span.as_secs_f64()) })
}

/// `IOPS=1.23M, BW=..` and `IOPS=456K, ..`; the closing line gives a maximum, which is not a mean.
fn iops_of_line(line: &str) -> Option<f64> {
    let text = line.strip_prefix("IOPS=")?.split(',').next()?;
    let (digits, scale) = match text.strip_suffix('M') {
        Some(digits) => (digits, 1e6),
        None => text.strip_suffix('K').map_or((text, 1.0), |digits| (digits, 1e3)),
    };
    Some(digits.parse::<f64>().ok()? * scale)
}

/// What a process cost per I/O, and the rest of a sample empty.
pub(super) fn cost(ran: &ChildRun, ios: f64) -> Sample {
    Sample {
        iops: 0.0,
        user_us: ran.user_s * US_PER_S / ios.max(1.0),
        system_us: ran.system_s * US_PER_S / ios.max(1.0),
        p50_us: None,
        p99_us: None,
        lag_p99_us: None,
        peak_bytes: ran.peak_bytes,
        beside_s: 0.0,
    }
}

impl Sample {
    /// Megabytes (2^20) per second.
    pub fn mbps(&self, io_bytes: u64) -> f64 {
        self.iops * to_f64(io_bytes) / to_f64(MIB)
    }

    /// User and system time per I/O in microseconds.
    pub fn cpu_us(&self) -> f64 {
        self.user_us + self.system_us
    }
}

pub(super) fn number(value: &Value) -> anyhow::Result<f64> {
    value.as_f64().context("a number is missing in what a tool printed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_program_takes_part_in_every_case_from_wherever_it_is_started() {
        let Tool::Given(path) = given(Path::new("src/../Cargo.toml")).unwrap() else {
            panic!("another tool")
        };
        assert!(path.is_absolute() && path.ends_with("Cargo.toml"), "{path:?}");
        assert!(super::super::cases::all().iter().all(|case| Tool::Given(path.clone()).can(case)));
        assert!(given(Path::new("/nowhere/rigel")).unwrap_err().to_string().contains("/nowhere/rigel"));
    }

    #[test]
    fn rates_of_the_bare_loop_are_read() {
        assert_eq!(iops_of_line("IOPS=1.25M, BW=4.9GiB/s, IOS/call=32/31"), Some(1.25e6));
        assert_eq!(iops_of_line("IOPS=431.5K, IOS/call=32/32"), Some(431_500.0));
        assert_eq!(iops_of_line("IOPS=999, BW=1MiB/s"), Some(999.0));
        assert_eq!(iops_of_line("Maximum IOPS=1.3M"), None);
    }
}
