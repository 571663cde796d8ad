//! fio's results as JSON or JSON+: jobs with their numbers, and the options that say what the load was.
//!
//! Jobs of one group ran at once and are one load level; `stonewall` begins another (`fio/together.rs`). Those of several clients are in
//! `fio/clients.rs`, several documents in `fio/documents.rs`. Must not judge an option that does not affect what is compared.

mod clients;
mod documents;
mod latency;
mod options;
mod together;

use super::load::{Access, HalfUnits, Load};
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;
use rigel_core::units::to_f64;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const LACKS: &[&str] = &[
    "no interval, because it gives one number for each job; how much another run would differ is not known",
    "numbers of whole runs, including the start of the load; its p99 counts from the end of the \
     submission (clat), Rigel's from its start",
];
/// A percentile is the middle of a bucket, and fio has 64 of them in each power of two.
const HALF_BUCKET: f64 = 1.0 / 128.0;
const MIB: f64 = 1_048_576.0;

/// For a load at a given rate.
const GIVEN: &str = "the latency from the intended start: at a given rate (rate_iops), its latencies count from when it began an I/O";
/// For several documents in a file.
const LAST: &str =
    "one result: the file has several of a run, such as those of --status-interval, and the last one is used";
/// For batches.
const BATCHED: &str =
    "as many outstanding I/Os as iodepth says: iodepth_low or iodepth_batch_complete_min let them fall below";
const GIVE: &str = "give the results of a complete run with a load that Rigel has: random I/O, streams, or writes with fdatasync=1 or \
                    sync=dsync, not held back by an option";
/// More in flight than this many times what the options say are not that load.
const MOST_IN_FLIGHT: f64 = 1.2;
/// Engines with one I/O at a time, whatever the queue depth says.
const SYNCHRONOUS: [&str; 8] = ["psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "splice", "posix"];
/// If the mean size of the I/Os differs this much from the options, it is that of another load.
const SIZE_APART: f64 = 0.02;
/// A load that achieved less of its given rate did not keep it.
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
    /// From `fio --client`: the jobs of each client, then all of them together.
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
    /// Seconds since the run began, the one that has begun included.
    #[serde(default)]
    elapsed: f64,
    #[serde(default)]
    error: i64,
    /// The load; fio before 2.16 does not say.
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
    /// Milliseconds.
    runtime: f64,
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
    /// What copies of a job share: they ran in one group of one client under one name.
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
    let runs = documents::read(text)?;
    let mut passed_over = runs.passed_over;
    let (mut groups, mut lacks) = (Vec::new(), Vec::new());
    for run in &runs.all {
        let jobs = clients::jobs(run)?;
        let own = loads(&jobs, &run.global, &mut passed_over);
        lacks.extend(lacking(&jobs, &run.global, &own));
        groups.extend(own);
    }
    if groups.is_empty() {
        let cause = passed_over.first().cloned().unwrap_or_else(|| "it has no job".to_owned());
        return Err(Problem::usage("the fio JSON contains no result")
            .because(rigel_core::path_text::printable(&cause).into_owned())
            .next(GIVE));
    }
    let mut all_lacks = super::load::lacks(LACKS, &groups);
    all_lacks.extend(lacks);
    all_lacks.extend(runs.has_states.then_some(LAST));
    let mut seen = BTreeSet::new();
    all_lacks.retain(|lack| seen.insert(*lack));
    let first = runs.all.first();
    let version = first.map(|run| run.version.trim_start_matches("fio-").to_owned());
    Ok(Baseline {
        tool: Tool::Fio,
        version,
        conditions: first.map(conditions).unwrap_or_default(),
        lacks: all_lacks,
        passed_over,
        bound: None,
        ran_s: runs.ran_s,
        content: Content::Loads(groups),
    })
}

/// The text for the options that say how a run was made.
fn conditions(run: &Document) -> Vec<(&'static str, String)> {
    let names = ["ioengine", "direct", "size", "filename", "directory", "runtime"];
    let jobs = run.jobs.iter().chain(&run.client_stats).next();
    let option = |name: &'static str| {
        let of_job = || jobs?.options.as_ref()?.get(name);
        Some((name, run.global.get(name).or_else(of_job)?.clone()))
    };
    names.into_iter().filter_map(option).collect()
}

/// The loads of a run; those that ran together are grouped.
fn loads(jobs: &[&Job], global: &Options, passed_over: &mut Vec<String>) -> Vec<Vec<Load>> {
    let mut refused = together::refused(jobs, global, passed_over);
    let mut groups: BTreeMap<u64, Vec<Load>> = BTreeMap::new();
    for job in jobs {
        let of_name = jobs.iter().filter(|other| other.key() == job.key());
        match load(job, global, of_name.count()) {
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
    groups.into_values().collect()
}

/// What else the numbers of a run lack.
fn lacking(jobs: &[&Job], global: &Options, groups: &[Vec<Load>]) -> Vec<&'static str> {
    let has_no_p99 = |job: &&&Job| {
        let option = asked(job, global);
        let walk = options::walk(&option).ok();
        let share = walk.and_then(|walk| options::write_percent(&walk, &option).ok());
        let used = directions(job, share);
        used.len() > 1 && latency::p99_us(&used).is_none()
    };
    let is_batched = |job: &&&Job| options::is_batched(&asked(job, global));
    let found = [
        jobs.iter()
            .any(|job| has_no_p99(&job))
            .then_some("no percentiles of reads and writes together: --output-format=json+ has them"),
        clients::has_several(jobs).then_some(clients::ONE_SET),
        groups.iter().flatten().any(|load| load.given_rate.is_some()).then_some(GIVEN),
        jobs.iter().any(|job| is_batched(&job)).then_some(BATCHED),
        together::is_uneven(jobs).then_some(together::UNEVEN),
    ];
    found.into_iter().flatten().collect()
}

/// An option of a job, under the first of these names that it has.
fn asked<'a>(job: &'a Job, global: &'a Options) -> impl Fn(&[&str]) -> Option<String> + use<'a> {
    move |names: &[&str]| {
        let own = |options: &'_ Options| names.iter().find_map(|name| options.get(*name).cloned());
        job.options.as_ref().and_then(own).or_else(|| own(global))
    }
}

/// What a job did, or why that is not known. `entries`: this many jobs of its group have its name.
fn load(job: &Job, global: &Options, entries: usize) -> Result<Load, String> {
    if job.options.is_none() {
        return Err("the file does not describe its load (fio before 2.16)".to_owned());
    }
    let option = asked(job, global);
    options::check(&option)?;
    if job.error != 0 {
        return Err(format!("it ended with error {}", job.error));
    }
    let walk = options::walk(&option)?;
    let write_percent = options::write_percent(&walk, &option)?;
    let directions = directions(job, Some(write_percent));
    if options::reads_back(&option) && directions.len() > 1 {
        return Err("it also read back what it wrote (verify)".to_owned());
    }
    let iops: f64 = directions.iter().map(|one| one.iops).sum();
    if iops <= 0.0 {
        return Err("it completed no read and no write".to_owned());
    }
    let (outstanding, copies) = outstanding(&option, entries);
    let rate = options::given_rate(&option, job).map(|rate| rate.saturating_mul(copies));
    if let Some(rate) = rate.filter(|rate| iops < KEPT_RATE * f64::from(*rate)) {
        return Err(format!("it was set to {rate} I/Os per second, and did {iops:.0}"));
    }
    let access = access(&option, &walk, write_percent)?;
    let mbps: f64 = directions.iter().map(|one| one.bw_bytes.unwrap_or(1024.0 * one.bw) / MIB).sum();
    let bytes = one_size(&option, write_percent, mbps * MIB / iops)?;
    let is_commit = matches!(access, Access::Commit(_));
    let (mean_us, p99_us) = (latency::mean_us(&directions), latency::p99_us(&directions));
    in_flight(outstanding, iops, mean_us)?;
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
        mean_us: mean_us.map(|mean| mean + flush_us),
        p99_us: if flush_us > 0.0 { None } else { p99_us },
        // Its other numbers have six decimals.
        half_units: HalfUnits { p99_us: p99_us.unwrap_or(0.0) * HALF_BUCKET, ..HalfUnits::default() },
    })
}

/// The outstanding I/Os of an entry, and how many copies of the job it stands for.
fn outstanding(option: &impl Fn(&[&str]) -> Option<String>, entries: usize) -> (u32, u32) {
    let count = |name: &str| option(&[name]).and_then(|text| super::text::count(&text)).unwrap_or(1).max(1);
    // With group_reporting, which its document does not always name, the copies of a job have one entry together.
    let copies = if entries > 1 { 1 } else { count("numjobs") };
    let engine = option(&["ioengine"]).unwrap_or_else(|| SYNCHRONOUS[0].to_owned());
    let depth = if SYNCHRONOUS.contains(&engine.as_str()) { 1 } else { count("iodepth") };
    (depth.saturating_mul(copies), copies)
}

fn access(
    option: &impl Fn(&[&str]) -> Option<String>,
    walk: &str,
    write_percent: f64,
) -> Result<Access, String> {
    match (options::sync(option)?, write_percent > 99.0, walk.starts_with("rand")) {
        (Some(class), true, _) => Ok(Access::Commit(class)),
        (Some(_), false, _) => Err("it mixes reads and commits".to_owned()),
        (None, _, true) => Ok(Access::Random),
        (None, _, false) => Ok(Access::Sequential),
    }
}

/// The size that its options say, if its I/Os had it; `None` of several sizes.
fn one_size(
    option: &impl Fn(&[&str]) -> Option<String>,
    write_percent: f64,
    mean_bytes: f64,
) -> Result<Option<u64>, String> {
    let is_that = |bytes: u64| (mean_bytes / to_f64(bytes) - 1.0).abs() <= SIZE_APART;
    let Some(bytes) = options::size(option, write_percent) else { return Ok(None) };
    let decimal = options::decimal(bytes, option);
    match [Some(bytes), decimal].into_iter().flatten().find(|&bytes| is_that(bytes)) {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(format!(
            "its I/Os have {mean_bytes:.0} bytes on average, and its options say {bytes}: several jobs that \
             group_reporting adds up, and that cannot be separated"
        )),
    }
}

/// Refuses more I/Os in flight than the options say: rate times latency is how many there were (Little's law).
fn in_flight(outstanding: u32, iops: f64, mean_us: Option<f64>) -> Result<(), String> {
    let found = mean_us.map_or(0.0, |us| us * iops / 1e6);
    if found <= MOST_IN_FLIGHT * f64::from(outstanding) {
        return Ok(());
    }
    Err(format!(
        "{found:.1} of its I/Os were outstanding on average, and its options say {outstanding}: several jobs that \
         group_reporting adds up, and that cannot be separated"
    ))
}

/// Reads and writes, or both together if fio reports them so. For a job that only writes, what it read back does not count.
fn directions(job: &Job, write_percent: Option<f64>) -> Vec<&Direction> {
    let is_asked = |is_write: bool| match write_percent {
        Some(share) if share <= 0.0 => !is_write,
        Some(share) if share >= 100.0 => is_write,
        _ => true,
    };
    let both = [(&job.read, false), (&job.write, true)];
    let both =
        || both.into_iter().filter(|(one, is_write)| one.iops > 0.0 && is_asked(*is_write)).map(|one| one.0);
    job.mixed.as_ref().map_or_else(|| both().collect(), |mixed| vec![mixed])
}
