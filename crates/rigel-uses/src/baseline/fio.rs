//! fio's results as JSON or JSON+: jobs with their numbers, and the options that say what the load was.
//!
//! Jobs of one group ran at once and are one load level; `stonewall` begins another. Those of several clients are in `fio/clients.rs`. Must not
//! judge an option that does not affect what is compared.

mod clients;

use super::load::{Access, HalfUnits, Load};
use super::text::bytes;
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;
use rigel_core::load::class::Class;
use rigel_core::units::to_f64;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const LACKS: &[&str] = &[
    "no interval, because it gives one number for each job; how much another run would differ is not known",
    "numbers of whole runs, including the time in which the load began; its p99 counts from the end of the \
     submission (clat), Rigel's from its start",
];
/// fio's defaults.
const BLOCK: &str = "4k";
/// More buckets than a histogram of fio has are not read.
const MOST_BUCKETS: usize = 1 << 16;
/// A percentile is the middle of a bucket, and fio has 64 of them in each power of two.
const HALF_BUCKET: f64 = 1.0 / 128.0;
const MIB: f64 = 1_048_576.0;

/// Beside a load at a given rate.
const GIVEN: &str = "the latency from the intended start: at a given rate (rate_iops), its latencies count from when it began an I/O";
/// Beside several documents in a file.
const LAST: &str =
    "one result: the file has several, such as those of --status-interval, and the last one is used";
/// Engines with one I/O at a time, whatever the queue depth says.
const SYNCHRONOUS: [&str; 8] = ["psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "posix"];
/// A mean size of the I/Os that is so far from the one of the options is that of another load.
const SIZE_APART: f64 = 0.02;
/// A load that did less of its given rate did not keep it.
const KEPT_RATE: f64 = 0.98;

type Options = BTreeMap<String, String>;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "fio version")]
    version: String,
    #[serde(default, rename = "global options")]
    global: Options,
    #[serde(default)]
    jobs: Vec<Job>,
    /// Of `fio --client`: the jobs of each client, then all of them together.
    #[serde(default)]
    client_stats: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    #[serde(default)]
    jobname: String,
    #[serde(default)]
    groupid: u64,
    /// The client that ran it, with its port.
    #[serde(default)]
    hostname: String,
    #[serde(default)]
    port: u32,
    /// Milliseconds.
    #[serde(default)]
    job_runtime: f64,
    #[serde(default)]
    error: i64,
    /// What the load was; fio before 2.16 does not say.
    #[serde(rename = "job options")]
    options: Option<Options>,
    #[serde(default)]
    read: Direction,
    #[serde(default)]
    write: Direction,
    mixed: Option<Direction>,
    #[serde(default)]
    sync: Sync,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Direction {
    bw_bytes: Option<f64>,
    /// KiB per second, of fio before 3.
    bw: f64,
    iops: f64,
    total_ios: f64,
    lat_ns: Option<Latency>,
    clat_ns: Option<Latency>,
    /// Microseconds, of fio before 3.
    lat: Option<Latency>,
    clat: Option<Latency>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sync {
    lat_ns: Latency,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Latency {
    mean: f64,
    #[serde(rename = "N")]
    count: f64,
    percentile: BTreeMap<String, f64>,
    bins: BTreeMap<String, u64>,
}

impl Job {
    /// What its copies share: they ran in one group of one client under one name.
    fn key(&self) -> (u64, &str, &str, u32) {
        (self.groupid, &self.jobname, &self.hostname, self.port)
    }

    /// `db`, and of a client `db on db1:8765`; foreign text.
    fn name(&self) -> String {
        if self.hostname.is_empty() {
            return self.jobname.clone();
        }
        format!("{} on {}:{}", self.jobname, self.hostname, self.port)
    }
}

pub fn is_fio(head: &str) -> bool {
    head.contains("\"fio version\"")
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let (whole, count) = last_document(text)?;
    let found: Document = serde_json::from_value(whole).map_err(|error| {
        Problem::usage("the JSON is not as fio writes it")
            .because(rigel_core::path_text::printable(&error.to_string()).into_owned())
            .next("give the file of fio --output-format=json or json+ as it is")
    })?;
    let jobs = clients::jobs(&found)?;
    let (mut passed_over, mut refused) = (Vec::new(), BTreeSet::new());
    let mut groups: BTreeMap<u64, Vec<Load>> = BTreeMap::new();
    for job in &jobs {
        let of_name = jobs.iter().filter(|other| other.key() == job.key());
        match load(job, &found.global, of_name.count()) {
            Ok(load) => groups.entry(job.groupid).or_default().push(load),
            Err(why) => {
                refused.insert(job.groupid);
                passed_over.push(format!("'{}': {why}", job.name()));
            }
        }
    }
    // What ran beside a load that is not known had not the storage to itself.
    groups.retain(|group, loads| {
        let beside = loads.iter().filter(|_| refused.contains(group));
        passed_over
            .extend(beside.map(|load| format!("'{}' ran at the same time, and is not used", load.name)));
        !refused.contains(group)
    });
    if groups.is_empty() {
        let cause = passed_over.first().cloned().unwrap_or_else(|| "it has no job".to_owned());
        return Err(Problem::usage("the fio JSON contains no result")
            .because(rigel_core::path_text::printable(&cause).into_owned())
            .next("give the results of a complete run"));
    }
    let groups: Vec<Vec<Load>> = groups.into_values().collect();
    let mut lacks = super::load::lacks(LACKS, &groups);
    if jobs.iter().any(|job| job.read.iops > 0.0 && job.write.iops > 0.0 && p99_us(job).is_none()) {
        lacks.push("no percentiles of reads and writes together: --output-format=json+ has them");
    }
    lacks.extend((count > 1).then_some(LAST));
    lacks.extend(clients::has_several(&jobs).then_some(clients::ONE_SET));
    lacks.extend(groups.iter().flatten().any(|load| load.given_rate.is_some()).then_some(GIVEN));
    let conditions = ["ioengine", "direct", "size", "filename", "directory", "runtime"];
    let option = |name: &'static str| {
        let of_job = || jobs.first().and_then(|job| job.options.as_ref()?.get(name));
        Some((name, found.global.get(name).or_else(of_job)?.clone()))
    };
    Ok(Baseline {
        tool: Tool::Fio,
        version: Some(found.version.trim_start_matches("fio-").to_owned()),
        conditions: conditions.into_iter().filter_map(option).collect(),
        lacks,
        passed_over,
        bound: None,
        content: Content::Loads(groups),
    })
}

/// The last whole document of a file, and how many there are. Notes of fio may stand before and behind them.
fn last_document(text: &str) -> Result<(Value, usize), Problem> {
    let start = text.find('{').unwrap_or(0);
    let documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let (mut last, mut count) = (None, 0);
    for document in documents {
        match document {
            Ok(value) => (last, count) = (Some(value), count + 1),
            Err(_) if last.is_some() => break,
            Err(error) => {
                let line = text[..start].lines().count().max(1) + error.line().saturating_sub(1);
                return Err(cut().at(format!("line {line}")));
            }
        }
    }
    last.map(|last| (last, count)).ok_or_else(cut)
}

fn cut() -> Problem {
    Problem::usage("the JSON of fio cannot be read")
        .because("the file is truncated, or something was written into it")
        .next("give the complete file that fio wrote with --output=FILE")
}

/// What a job did, or why that is not known. `entries`: this many jobs of its group have its name.
fn load(job: &Job, global: &Options, entries: usize) -> Result<Load, String> {
    let own_options = job.options.as_ref().ok_or("the file does not describe its load (fio before 2.16)")?;
    let option = |names: &[&str]| {
        let own = |options: &'_ Options| names.iter().find_map(|name| options.get(*name).cloned());
        own(own_options).or_else(|| own(global))
    };
    held_back(&option)?;
    if job.error != 0 {
        return Err(format!("it ended with error {}", job.error));
    }
    let directions = directions(job);
    let iops: f64 = directions.iter().map(|one| one.iops).sum();
    if iops <= 0.0 {
        return Err("it completed no read and no write".to_owned());
    }
    let walk = option(&["rw", "readwrite"]).unwrap_or_else(|| "read".to_owned());
    let write_percent = write_percent(&walk, &option)?;
    let count = |names: &[&str], least: u32| {
        option(names).and_then(|text| super::text::count(&text)).unwrap_or(least).max(least)
    };
    // With group_reporting, which its document does not always name, the copies of a job have one entry together.
    let copies = if entries > 1 { 1 } else { count(&["numjobs"], 1) };
    let engine = option(&["ioengine"]).unwrap_or_else(|| SYNCHRONOUS[0].to_owned());
    let depth = if SYNCHRONOUS.contains(&engine.as_str()) { 1 } else { count(&["iodepth"], 1) };
    let outstanding = depth.saturating_mul(copies);
    let rate = given_rate(&option, job).map(|rate| rate.saturating_mul(copies));
    if let Some(rate) = rate.filter(|rate| iops < KEPT_RATE * f64::from(*rate)) {
        return Err(format!("it was set to {rate} I/Os per second, and did {iops:.0}"));
    }
    let sync = sync(&option)?;
    let access = match (sync, write_percent > 99.0, walk.starts_with("rand")) {
        (Some(class), true, _) => Access::Commit(class),
        (Some(_), false, _) => return Err("it mixes reads and commits".to_owned()),
        (None, _, true) => Access::Random,
        (None, _, false) => Access::Sequential,
    };
    let mbps: f64 = directions.iter().map(|one| one.bw_bytes.unwrap_or(1024.0 * one.bw) / MIB).sum();
    let bytes = size(&option, write_percent);
    let mean_bytes = mbps * MIB / iops;
    if let Some(bytes) = bytes.filter(|&bytes| (mean_bytes / to_f64(bytes) - 1.0).abs() > SIZE_APART) {
        return Err(format!(
            "its I/Os have {mean_bytes:.0} bytes on average, and its options say {bytes}: several jobs that \
             group_reporting adds up, and that cannot be separated"
        ));
    }
    let is_commit = matches!(access, Access::Commit(_));
    let p99_us = p99_us(job);
    let flush_us = if is_commit && job.sync.lat_ns.count > 0.0 { job.sync.lat_ns.mean / 1000.0 } else { 0.0 };
    Ok(Load {
        name: job.name(),
        access,
        bytes,
        write_percent,
        outstanding,
        given_rate: rate,
        is_buffered: !is_commit && option(&["direct"]).is_none_or(|value| value == "0"),
        iops,
        mbps,
        mean_us: mean_us(&directions).map(|mean| mean + flush_us),
        p99_us: if flush_us > 0.0 { None } else { p99_us },
        // Its other numbers have six decimals.
        half_units: HalfUnits { p99_us: p99_us.unwrap_or(0.0) * HALF_BUCKET, ..HalfUnits::default() },
    })
}

/// The share of writes that its options ask for: 30 is 30 %.
fn write_percent(walk: &str, option: &impl Fn(&[&str]) -> Option<String>) -> Result<f64, String> {
    match walk.split(':').next().unwrap_or_default() {
        "read" | "randread" => Ok(0.0),
        "write" | "randwrite" => Ok(100.0),
        "rw" | "readwrite" | "randrw" => {
            let reads = option(&["rwmixread"]).and_then(|text| super::text::number(&text));
            let writes = option(&["rwmixwrite"]).and_then(|text| super::text::number(&text));
            Ok(writes.or_else(|| reads.map(|reads| 100.0 - reads)).unwrap_or(50.0).clamp(0.0, 100.0))
        }
        other => Err(format!("rw={other} is not a load that Rigel knows")),
    }
}

/// Refuses a load that was held back: its rate says nothing of the storage.
fn held_back(option: &impl Fn(&[&str]) -> Option<String>) -> Result<(), String> {
    let is_set = |name: &&str| {
        let text = option(&[*name]);
        text.is_some_and(|text| text.chars().any(|digit| ('1'..='9').contains(&digit)))
    };
    let limits = ["rate", "thinktime"].into_iter().find(|name| is_set(name));
    if let Some(name) = limits {
        return Err(format!("{name} held it back, so its rate is not the storage's"));
    }
    match option(&["percentage_random"]).and_then(|text| super::text::number(&text)) {
        Some(share) if share < 100.0 => {
            Err(format!("{share} % of its I/O is random, the remainder sequential"))
        }
        _ => Ok(()),
    }
}

/// `rate_iops` is a rate of reads and of writes, or two of them.
fn given_rate(option: &impl Fn(&[&str]) -> Option<String>, job: &Job) -> Option<u32> {
    let text = option(&["rate_iops"])?;
    let mut rates = text.split(',').map(super::text::count);
    let reads = rates.next().flatten()?;
    let writes = rates.next().map_or(Some(reads), |rate| rate)?;
    let of = |rate: u32, direction: &Direction| if direction.iops > 0.0 { rate } else { 0 };
    Some(of(reads, &job.read).saturating_add(of(writes, &job.write))).filter(|rate| *rate > 0)
}

/// The size of its I/Os; `None` if it has several. fio's `8k,16k` are those of reads and of writes.
fn size(option: &impl Fn(&[&str]) -> Option<String>, write_percent: f64) -> Option<u64> {
    if option(&["bsrange", "blocksize_range", "bssplit"]).is_some() {
        return None;
    }
    let text = option(&["bs", "blocksize"]).unwrap_or_else(|| BLOCK.to_owned());
    if text.contains('-') {
        return None;
    }
    let mut sizes = text.split(',').map(bytes);
    let reads = sizes.next().flatten()?;
    let writes = sizes.next().map_or(Some(reads), |size| size)?;
    match write_percent {
        share if share <= 0.0 => Some(reads),
        share if share >= 100.0 => Some(writes),
        _ => (reads == writes).then_some(reads),
    }
}

/// The commit that a write is: a flush of the data alone after each one, or O_DSYNC. Rigel has none that also waits for what the file system keeps about
/// the file.
fn sync(option: &impl Fn(&[&str]) -> Option<String>) -> Result<Option<Class>, String> {
    let every = |name: &str| option(&[name]).filter(|value| value != "0");
    match (option(&["sync"]).as_deref(), every("fdatasync"), every("fsync")) {
        (Some("dsync"), None, None) => Ok(Some(Class::DSYNC)),
        (None | Some("0" | "none"), Some(each), None) if each == "1" => Ok(Some(Class::FDATASYNC)),
        (None | Some("0" | "none"), None, None) => Ok(None),
        (Some("sync" | "1"), ..) => {
            Err("sync=sync (O_SYNC) waits for more than the data; compare sync=dsync".to_owned())
        }
        (_, _, Some(each)) if each == "1" => {
            Err("fsync=1 waits for more than the data; compare fdatasync=1".to_owned())
        }
        _ => Err("it waits for only some of its writes".to_owned()),
    }
}

/// Reads and writes, or both together where fio has them so.
fn directions(job: &Job) -> Vec<&Direction> {
    let both = || [&job.read, &job.write].into_iter().filter(|one| one.iops > 0.0).collect();
    job.mixed.as_ref().map_or_else(both, |mixed| vec![mixed])
}

/// The mean latency from submission on, each direction by its rate.
fn mean_us(directions: &[&Direction]) -> Option<f64> {
    let mean = |one: &&Direction| {
        let ns = one.lat_ns.as_ref().map(|latency| latency.mean / 1000.0);
        let us = ns.or_else(|| one.lat.as_ref().map(|latency| latency.mean))?;
        (us > 0.0).then_some(us * one.iops)
    };
    let sum: f64 = directions.iter().map(mean).sum::<Option<f64>>()?;
    let iops: f64 = directions.iter().map(|one| one.iops).sum();
    (iops > 0.0).then_some(sum / iops)
}

/// The 99th percentile of the completion latency: as fio reports it of one direction, from the buckets of JSON+ where there are two.
fn p99_us(job: &Job) -> Option<f64> {
    let directions = directions(job);
    if let [only] = directions.as_slice() {
        let of = |latency: &Option<Latency>, scale: f64| {
            let found = latency.as_ref()?.percentile.iter();
            let mut found = found.filter(|(name, _)| name.parse::<f64>() == Ok(99.0));
            found.next().map(|(_, value)| value / scale).filter(|us| us.is_finite())
        };
        return of(&only.clat_ns, 1000.0)
            .or_else(|| of(&only.lat_ns, 1000.0))
            .or_else(|| of(&only.clat, 1.0));
    }
    let mut buckets: BTreeMap<u64, u64> = BTreeMap::new();
    for one in directions {
        let bins = &one.clat_ns.as_ref()?.bins;
        if bins.is_empty() || bins.len() > MOST_BUCKETS {
            return None;
        }
        for (ns, ios) in bins {
            let sum = buckets.entry(ns.parse().ok()?).or_default();
            *sum = sum.saturating_add(*ios);
        }
    }
    let all = buckets.values().fold(0u64, |sum, ios| sum.saturating_add(*ios));
    let wanted = 0.99 * to_f64(all);
    let mut below = 0u64;
    let reached = buckets.iter().find(|(_, ios)| {
        below = below.saturating_add(**ios);
        to_f64(below) >= wanted
    });
    reached.map(|(ns, _)| to_f64(*ns) / 1000.0)
}
