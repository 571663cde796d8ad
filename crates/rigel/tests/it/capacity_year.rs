//! A year of minutes of 50 disks into the store: what it costs, and that all of it is there.

use crate::support::{Place, tell};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const DISKS: u64 = 50;
/// Prometheus gives at most 11,000 moments a series, so a file holds a week.
const MINUTES: u64 = 7 * 1_440;
/// The first of January 2026.
const BEGIN: u64 = 1_767_225_600;
/// Counters, and what one I/O adds to each.
const COUNTERS: [(&str, u64); 7] = [
    ("node_disk_io_time_seconds_total", 1),
    ("node_disk_read_bytes_total", 9_300),
    ("node_disk_read_time_seconds_total", 3),
    ("node_disk_reads_completed_total", 1),
    ("node_disk_write_time_seconds_total", 2),
    ("node_disk_writes_completed_total", 1),
    ("node_disk_written_bytes_total", 16_700),
];
/// The bounds on what the import of a year may take; others may have the CPU for a while, so that its own time counts.
const MOST_MIB: u64 = 200;
const MOST_CPU_S: f64 = 60.0;

/// I/Os of a disk in a minute: more by day, with noise that no two minutes share.
fn ios(disk: u64, minute: u64) -> u64 {
    let noise = (disk * 1_000_003 + minute).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
    let busy = if (8..18).contains(&(minute / 60 % 24)) { 3_000 } else { 700 };
    busy + busy * noise / 1_024 + 10 * disk
}

/// A week as Prometheus answers `query_range`; it ends where the next one begins.
fn week(path: &Path, number: u64) {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).unwrap());
    write!(out, "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[").unwrap();
    for (place, (name, of_one)) in COUNTERS.iter().enumerate() {
        for disk in 0..DISKS {
            let comma = if (place, disk) == (0, 0) { "" } else { "," };
            let labels = format!("\"device\":\"sd{disk}\",\"instance\":\"db1:9100\",\"job\":\"node\"");
            write!(out, "{comma}{{\"metric\":{{\"__name__\":\"{name}\",{labels}}},\"values\":[").unwrap();
            let mut sum = number * MINUTES * 5_000 * of_one;
            for minute in 0..=MINUTES {
                let comma = if minute == 0 { "" } else { "," };
                let at = BEGIN + 60 * (number * MINUTES + minute);
                // Times have three decimals, as those of the node exporter.
                if name.contains("_time_") {
                    write!(out, "{comma}[{at},\"{}.{:03}\"]", sum / 1_000, sum % 1_000).unwrap();
                } else {
                    write!(out, "{comma}[{at},\"{sum}\"]").unwrap();
                }
                sum += of_one * ios(disk, number * MINUTES + minute);
            }
            write!(out, "]}}").unwrap();
        }
    }
    write!(out, "]}}}}").unwrap();
    out.flush().unwrap();
}

/// What a process took: seconds, seconds of CPU time, highest resident memory in MiB.
struct ProcessCost {
    wall_s: f64,
    cpu_s: f64,
    peak_mib: u64,
}

/// Looks at a process until it has ended well.
fn watched(mut child: Child) -> ProcessCost {
    let dir = format!("/proc/{}", child.id());
    let begun = Instant::now();
    let mut took = ProcessCost { wall_s: 0.0, cpu_s: 0.0, peak_mib: 0 };
    loop {
        let status = std::fs::read_to_string(format!("{dir}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        took.peak_mib = took.peak_mib.max(kib.unwrap_or(0) / 1_024);
        let stat = std::fs::read_to_string(format!("{dir}/stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        // User and system time, in hundredths of a second.
        let ticks = [11, 12].map(|at| fields.get(at).and_then(|text| text.parse::<f64>().ok()));
        if let [Some(user), Some(system)] = ticks {
            took.cpu_s = took.cpu_s.max((user + system) / 100.0);
        }
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            took.wall_s = begun.elapsed().as_secs_f64();
            return took;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Imports so many weeks at once; the place with the store, and what it took.
fn imported(weeks: u64) -> (Place, ProcessCost) {
    let place = Place::new();
    let names: Vec<String> = (0..weeks).map(|number| format!("week-{number:02}.json")).collect();
    names.iter().enumerate().for_each(|(number, name)| week(&place.path().join(name), number as u64));
    let mut command = place.command();
    command.args(["capacity", "import", "--quiet", "--store", "store"]).args(&names).stdout(Stdio::null());
    let took = watched(command.spawn().unwrap());
    let end = if weeks == 1 { "2026-01-08 00:00" } else { "" };
    let list = tell(place.command().args(["capacity", "list", "--store", "store"])).expect_code(0).stdout;
    let disks: Vec<&str> = list.lines().filter(|line| line.contains(" prometheus ")).collect();
    assert_eq!(disks.len() as u64, DISKS, "{list}");
    let whole =
        |line: &&str| ["2026-01-01 00:00", end, " 60 s ", " 100 %"].iter().all(|part| line.contains(part));
    assert!(disks.iter().all(whole), "{list}");
    (place, took)
}

/// What memory it takes does not depend on how long the history is.
#[test]
fn a_week_of_minutes_of_50_disks_needs_little_memory() {
    let (_place, took) = imported(1);
    assert!((8..MOST_MIB).contains(&took.peak_mib), "{} MiB", took.peak_mib);
}

/// `cargo xtask long` has it with optimisation, which its bound on the time is for.
#[test]
fn a_year_of_minutes_of_50_disks_is_imported_within_a_minute() {
    let test = "a_year_of_minutes_of_50_disks_is_imported_within_a_minute";
    let Some(weeks) = crate::support::asked::<u64>(test, "RIGEL_IMPORT_WEEKS") else { return };
    let (place, ProcessCost { wall_s, cpu_s, peak_mib }) = imported(weeks);
    let bytes = |name: &str| place.path().join(name).metadata().unwrap().len();
    let read: u64 = (0..weeks).map(|number| bytes(&format!("week-{number:02}.json"))).sum();
    let values = weeks * MINUTES * DISKS * COUNTERS.len() as u64;
    println!(
        "{weeks} weeks, {values} values, {} MiB read: {wall_s:.1} s, {cpu_s:.1} s of CPU time, {peak_mib} MiB of memory, {} MiB of store",
        read >> 20,
        bytes("store") >> 20
    );
    assert!(peak_mib < MOST_MIB, "{peak_mib} MiB");
    assert!(cpu_s < MOST_CPU_S * weeks as f64 / 52.0, "{cpu_s} s of CPU time");
}
