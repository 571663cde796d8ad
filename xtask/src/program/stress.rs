//! `cargo xtask stress`: the program at full rate for an hour on a loop device in memory: is every I/O accounted for, and does
//! its memory stay as it is?
//!
//! Three books are compared: what the workers counted, what the kernel counted for the device, and what the record says was
//! moved. Must not judge a rate.

use anyhow::Context as _;
use clap::Args;
use rigel_core::measure::IoCounts;
use rigel_core::record::Record;
use rigel_core::units::{GIB, MIB};
use rigel_testdev::{LoopDevice, random_file};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A file system in memory, in every Linux.
const MEMORY: &str = "/dev/shm";
const TARGET_BYTES: u64 = GIB;
const SECTOR_BYTES: u64 = 512;
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// All buffers and rings exist by then.
const BEGUN: Duration = Duration::from_secs(20);
/// The limit of the program's growth from then on.
const MOST_GROWTH_BYTES: u64 = 2 * MIB;
/// The program examines its target before it measures: signatures, alignment.
const MOST_OTHER_BYTES: u64 = 4 * MIB;

/// Duration and parallelism.
#[derive(Args)]
pub struct Options {
    /// Minutes at full rate
    #[arg(long, default_value_t = 60)]
    minutes: u64,
    /// Outstanding I/Os
    #[arg(long, default_value_t = 1000)]
    outstanding: u32,
    /// io_uring, libaio or threads
    #[arg(long, default_value = "io_uring")]
    engine: String,
}

/// What was seen from outside while the program ran.
#[derive(Default)]
struct OutsideView {
    looks: u64,
    begun_bytes: u64,
    least_bytes: u64,
    most_bytes: u64,
    most_in_flight: u64,
}

/// Runs it; whether all books agree.
pub fn run(root: &Path, options: &Options) -> anyhow::Result<bool> {
    let binary = super::release_build(root)?;
    let place = tempfile::Builder::new().prefix("rigel-stress").tempdir_in(MEMORY)?;
    let file = place.path().join("target");
    random_file(&file, TARGET_BYTES).context("cannot fill the target")?;
    let device =
        LoopDevice::attach(&file, false).map_err(|reason| anyhow::anyhow!("no loop device: {reason}"))?;
    let counters = counters_of(device.path())?;
    let before = read_bytes(&counters)?;
    println!(
        "stress: {} minutes of {} outstanding on {}",
        options.minutes,
        options.outstanding,
        device.path().display()
    );
    let mut child = start(&binary, place.path(), device.path(), options)?;
    let seen = watch(&mut child, &counters);
    let status = child.wait()?;
    anyhow::ensure!(status.success(), "the program failed: {status}");
    let moved = read_bytes(&counters)? - before;
    judge(place.path(), &seen, moved)
}

fn start(binary: &Path, out: &Path, device: &Path, options: &Options) -> anyhow::Result<Child> {
    let mut command = Command::new(binary);
    command.args(["run", "advanced"]).arg(device).arg("--out").arg(out);
    command.args(["--matrix", "point", "--num-large", "0", "--quiet", "--no-html", "--name", "stress"]);
    command.args(["--num-small", &options.outstanding.to_string()]).args([
        "--engine",
        &options.engine,
        "--no-trials",
    ]);
    command.args(["--duration", &format!("{}s", options.minutes * 60)]).stdout(Stdio::null());
    command.spawn().with_context(|| format!("cannot start {}", binary.display()))
}

/// Takes a reading once a second until it ends.
fn watch(child: &mut Child, counters: &Path) -> OutsideView {
    let (began, mut seen) = (Instant::now(), OutsideView { least_bytes: u64::MAX, ..OutsideView::default() });
    while matches!(child.try_wait(), Ok(None)) {
        thread::sleep(LOOK_EVERY);
        let Some(bytes) = resident_bytes(child.id()) else { continue };
        let in_flight = fs::read_to_string(counters.join("inflight")).unwrap_or_default();
        let in_flight = in_flight.split_whitespace().filter_map(|count| count.parse::<u64>().ok()).sum();
        seen.most_in_flight = seen.most_in_flight.max(in_flight);
        if began.elapsed() < BEGUN {
            seen.begun_bytes = bytes;
            continue;
        }
        seen.looks += 1;
        seen.least_bytes = seen.least_bytes.min(bytes);
        seen.most_bytes = seen.most_bytes.max(bytes);
        if seen.looks.is_multiple_of(60) {
            println!("stress: {} min, {} KiB resident", began.elapsed().as_secs() / 60, bytes / 1024);
        }
    }
    seen
}

fn judge(out: &Path, seen: &OutsideView, device_bytes: u64) -> anyhow::Result<bool> {
    let names = fs::read_dir(out)?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_record = |path: &PathBuf| path.to_string_lossy().ends_with("_record.jsonl");
    let record = names.into_iter().find(is_record).context("no record was left")?;
    let record = Record::read(&fs::read(record)?).map_err(|problem| anyhow::anyhow!("{problem}"))?;
    let visit = record.visits.first().context("the record has no visit")?;
    let IoCounts { submitted, returned, looks } = visit.ios.context("the record has no books")?;
    let errors = visit.tallies.values().map(|tally| tally.errors).sum::<u64>();
    let other_bytes = device_bytes.checked_sub(visit.moved_bytes());
    println!(
        "stress: {submitted} I/Os handed over, {returned} came back, {errors} failed; {looks} looks found all others in flight"
    );
    println!(
        "stress: the record has {} bytes moved, the kernel counted {device_bytes} bytes read on the device",
        visit.moved_bytes()
    );
    println!(
        "stress: resident {} KiB when it had begun, {} to {} KiB in {} looks; at most {} I/Os in the device at once",
        seen.begun_bytes / 1024,
        seen.least_bytes / 1024,
        seen.most_bytes / 1024,
        seen.looks,
        seen.most_in_flight
    );
    let books =
        submitted == returned && errors == 0 && other_bytes.is_some_and(|bytes| bytes <= MOST_OTHER_BYTES);
    let memory = seen.looks > 0 && seen.most_bytes.saturating_sub(seen.least_bytes) <= MOST_GROWTH_BYTES;
    println!("stress: books {}, memory {}", word(books), word(memory));
    Ok(books && memory)
}

const fn word(good: bool) -> &'static str {
    if good { "agree" } else { "DO NOT AGREE" }
}

/// The directory of a device's counters.
fn counters_of(device: &Path) -> anyhow::Result<PathBuf> {
    Ok(Path::new("/sys/block").join(device.file_name().context("a device has a name")?))
}

/// Documentation/block/stat.rst: the third number is sectors read.
fn read_bytes(counters: &Path) -> anyhow::Result<u64> {
    let text = fs::read_to_string(counters.join("stat"))?;
    let sectors = text.split_whitespace().nth(2).context("no number of sectors")?;
    Ok(sectors.parse::<u64>()? * SECTOR_BYTES)
}

fn resident_bytes(process: u32) -> Option<u64> {
    let status = procfs::process::Process::new(i32::try_from(process).ok()?).ok()?.status().ok()?;
    status.vmrss.map(|kib| kib * 1024)
}
