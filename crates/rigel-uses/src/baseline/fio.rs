//! fio's results as JSON or JSON+: jobs with their numbers, and the options that say what the load was.
//!
//! Jobs of one group ran at once and are one load level; `stonewall` begins another. Must not judge an option that has no bearing on
//! what is compared.

use super::load::{Access, Load};
use super::text::bytes;
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;
use rigel_core::load::class::Class;
use rigel_core::units::to_f64;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

const LACKS: &[&str] = &[
    "no interval, as it gives one number for each job; how much another run would differ is not known",
    "numbers of whole runs, with the time in which the load began; its p99 counts from the end of the submission (clat), Rigel's from its start",
];
/// fio's defaults.
const BLOCK: &str = "4k";
/// More buckets than a histogram of fio has are not read.
const MOST_BUCKETS: usize = 1 << 16;
const MIB: f64 = 1_048_576.0;

type Options = BTreeMap<String, String>;

#[derive(Deserialize)]
struct Document {
    #[serde(rename = "fio version")]
    version: String,
    #[serde(default, rename = "global options")]
    global: Options,
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    #[serde(default)]
    jobname: String,
    #[serde(default)]
    groupid: u64,
    #[serde(default)]
    error: i64,
    #[serde(default, rename = "job options")]
    options: Options,
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

pub fn is_fio(head: &str) -> bool {
    head.contains("\"fio version\"")
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    // Notes of fio may stand before the document, and a second one behind it.
    let start = text.find('{').unwrap_or(0);
    let mut documents = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
    let whole = documents.next().ok_or_else(cut)?.map_err(|error| {
        let line = text[..start].lines().count().max(1) + error.line().saturating_sub(1);
        cut().at(format!("line {line}"))
    })?;
    let found: Document = serde_json::from_value(whole).map_err(|error| {
        Problem::usage("the JSON of fio is not as fio writes it")
            .because(rigel_core::path_text::printable(&error.to_string()).into_owned())
            .next("give the file of fio --output-format=json or json+ as it is")
    })?;
    let mut passed_over = Vec::new();
    let mut groups: BTreeMap<u64, Vec<Load>> = BTreeMap::new();
    for job in &found.jobs {
        match load(job, &found.global) {
            Ok(load) => groups.entry(job.groupid).or_default().push(load),
            Err(why) => passed_over.push(format!("'{}': {why}", job.jobname)),
        }
    }
    if groups.is_empty() {
        let cause = passed_over.first().cloned().unwrap_or_else(|| "it has no job".to_owned());
        return Err(Problem::usage("the JSON of fio holds no result")
            .because(rigel_core::path_text::printable(&cause).into_owned())
            .next("give the results of a run that ended"));
    }
    let mut lacks = LACKS.to_vec();
    if found.jobs.iter().any(|job| job.read.iops > 0.0 && job.write.iops > 0.0 && p99_us(job).is_none()) {
        lacks.push("no percentile of reads and writes together: --output-format=json+ has one");
    }
    let conditions = ["ioengine", "direct", "size", "filename", "directory", "runtime"];
    let option = |name: &'static str| {
        let of_job = || found.jobs.first().and_then(|job| job.options.get(name));
        Some((name, found.global.get(name).or_else(of_job)?.clone()))
    };
    Ok(Baseline {
        tool: Tool::Fio,
        version: Some(found.version.trim_start_matches("fio-").to_owned()),
        conditions: conditions.into_iter().filter_map(option).collect(),
        lacks,
        passed_over,
        content: Content::Loads(groups.into_values().collect()),
    })
}

fn cut() -> Problem {
    Problem::usage("the JSON of fio cannot be read")
        .because("the file is cut, or something was written into it")
        .next("give the file that fio wrote with --output=FILE, whole")
}

/// What a job did, or why that is not known.
fn load(job: &Job, global: &Options) -> Result<Load, String> {
    let option = |names: &[&str]| {
        let own = |options: &'_ Options| names.iter().find_map(|name| options.get(*name).cloned());
        own(&job.options).or_else(|| own(global))
    };
    if job.error != 0 {
        return Err(format!("it ended with error {}", job.error));
    }
    let directions = directions(job);
    let iops: f64 = directions.iter().map(|one| one.iops).sum();
    if iops <= 0.0 {
        return Err("it completed no read and no write".to_owned());
    }
    let walk = option(&["rw", "readwrite"]).unwrap_or_else(|| "read".to_owned());
    let write_percent = match walk.split(':').next().unwrap_or_default() {
        "read" | "randread" => 0.0,
        "write" | "randwrite" => 100.0,
        "rw" | "readwrite" | "randrw" => {
            let reads = option(&["rwmixread"]).and_then(|text| super::text::number(&text));
            let writes = option(&["rwmixwrite"]).and_then(|text| super::text::number(&text));
            writes.or_else(|| reads.map(|reads| 100.0 - reads)).unwrap_or(50.0).clamp(0.0, 100.0)
        }
        other => return Err(format!("rw={other} is not a load of Rigel")),
    };
    let has_sizes = option(&["bsrange", "blocksize_range", "bssplit"]).is_some();
    let size = option(&["bs", "blocksize"]).unwrap_or_else(|| BLOCK.to_owned());
    let count = |names: &[&str], least: u32| {
        option(names).and_then(|text| super::text::count(&text)).unwrap_or(least).max(least)
    };
    // Without group_reporting each copy of a job has numbers of its own.
    let is_together = option(&["group_reporting"]).is_some_and(|value| value != "0");
    let copies = if is_together { count(&["numjobs"], 1) } else { 1 };
    let outstanding = count(&["iodepth"], 1).saturating_mul(copies);
    let rate = option(&["rate_iops"]).and_then(|text| super::text::count(text.split(',').next()?));
    let sync = sync(&option);
    let access = match (sync, write_percent > 99.0, walk.starts_with("rand")) {
        (Some(class), true, _) => Access::Commit(class),
        (Some(_), false, _) => return Err("it mixes reads and commits".to_owned()),
        (None, _, true) => Access::Random,
        (None, _, false) => Access::Sequential,
    };
    let mbps: f64 = directions.iter().map(|one| one.bw_bytes.unwrap_or(1024.0 * one.bw) / MIB).sum();
    let is_commit = matches!(access, Access::Commit(_));
    let flush_us = if is_commit && job.sync.lat_ns.count > 0.0 { job.sync.lat_ns.mean / 1000.0 } else { 0.0 };
    Ok(Load {
        name: job.jobname.clone(),
        access,
        bytes: if has_sizes { None } else { bytes(&size) },
        write_percent,
        outstanding,
        given_rate: rate.map(|rate| rate.saturating_mul(copies)),
        iops,
        mbps,
        mean_us: mean_us(&directions).map(|mean| mean + flush_us),
        p99_us: if flush_us > 0.0 { None } else { p99_us(job) },
    })
}

/// The commit that a write is; of `fsync` and `sync=sync` none that Rigel has.
fn sync(option: &impl Fn(&[&str]) -> Option<String>) -> Option<Class> {
    let is_each = |name: &str| option(&[name]).is_some_and(|value| value == "1");
    match option(&["sync"]).as_deref() {
        Some("dsync" | "sync" | "1") => Some(Class::DSYNC),
        _ if is_each("fdatasync") || is_each("fsync") => Some(Class::FDATASYNC),
        _ => None,
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

/// The 99th percentile of the completion latency: as fio tells it of one direction, from the buckets of JSON+ where there are two.
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
