//! diskspd's results as XML (`-Rxml`): a load for each time span, with the profile that says what it was.
//!
//! Must not read the figures of single threads.

use super::load::{Access, HalfUnits, Load};
use super::text::{count, half_unit, number};
use super::xml::{self, Element};
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;

const LACKS: &[&str] = &[
    "no interval, because it gives one number for each time span; how much another run would differ is not \
     known",
];
const MIB: f64 = 1_048_576.0;
/// The first element of a document.
const ROOT: &str = "<Results>";

pub fn is_diskspd(head: &str) -> bool {
    head.contains(ROOT)
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let (mut groups, mut passed_over, mut version) = (Vec::new(), Vec::new(), None);
    // Runs that are written to one file follow one another.
    let starts: Vec<usize> = text.match_indices(ROOT).map(|(at, _)| at).collect();
    for (number, &start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).copied().unwrap_or(text.len());
        let root = match xml::read(&text[start..end]) {
            Ok(root) => root,
            Err(line) => {
                let line = text[..start].matches('\n').count() + line;
                if number == 0 {
                    return Err(unread(line));
                }
                passed_over
                    .push(format!("result {}, which is truncated or damaged in line {line}", number + 1));
                continue;
            }
        };
        version = version
            .or_else(|| root.first(&["System", "Tool", "Version"]).map(|version| version.text.clone()));
        let prefix = if starts.len() > 1 { format!("result {}, ", number + 1) } else { String::new() };
        spans(&root, &prefix, &mut groups, &mut passed_over);
    }
    if groups.is_empty() {
        let cause = passed_over.first().cloned().unwrap_or_else(|| "it has no time span".to_owned());
        return Err(Problem::usage("the diskspd XML contains no result").because(cause).next(
            "give the results of a complete run, with its profile (-Rxml), whose targets have one load that nothing held back",
        ));
    }
    Ok(Baseline {
        tool: Tool::Diskspd,
        version,
        conditions: Vec::new(),
        lacks: super::load::lacks(LACKS, &groups),
        passed_over,
        bound: None,
        ran_s: None,
        content: Content::Loads(groups),
    })
}

fn unread(line: usize) -> Problem {
    Problem::usage("the XML of diskspd cannot be read")
        .at(format!("line {line}"))
        .because("the file is truncated, or something was written into it")
        .next("give the complete standard output of diskspd -Rxml")
}

/// Adds the time spans of a document, each with its profile.
fn spans(root: &Element, prefix: &str, groups: &mut Vec<Vec<Load>>, passed_over: &mut Vec<String>) {
    let profiles: Vec<&Element> =
        root.first(&["Profile", "TimeSpans"]).map(|all| all.each("TimeSpan").collect()).unwrap_or_default();
    for (at, span) in root.each("TimeSpan").enumerate() {
        let name = format!("{prefix}time span {}", at + 1);
        match profiles.get(at).ok_or_else(|| "the profile does not describe its load".to_owned()) {
            Ok(profile) => match load(&name, span, profile) {
                Ok(load) => groups.push(vec![load]),
                Err(why) => passed_over.push(format!("'{name}': {why}")),
            },
            Err(why) => passed_over.push(format!("'{name}': {why}")),
        }
    }
}

fn value(element: &Element, path: &[&str]) -> Option<f64> {
    number(&element.first(path)?.text)
}

fn load(name: &str, span: &Element, profile: &Element) -> Result<Load, String> {
    let seconds = value(span, &["TestTimeSeconds"]).filter(|seconds| *seconds > 0.0);
    let seconds = seconds.ok_or("it has no time")?;
    let all = |tag: &str| -> f64 {
        let targets = span.each("Thread").flat_map(|thread| thread.each("Target"));
        targets.filter_map(|target| value(target, &[tag])).sum()
    };
    let targets: Vec<&Element> =
        profile.first(&["Targets"]).map(|all| all.each("Target").collect()).unwrap_or_default();
    let first = targets.first().ok_or("the profile has no target")?;
    // One word for all targets, or none.
    let same = |tag: &str| {
        let text = |target: &&Element| target.first(&[tag]).map(|found| found.text.clone());
        let own = text(first);
        targets.iter().all(|target| text(target) == own).then_some(own)
    };
    let writes = same("WriteRatio").ok_or("its targets have different shares of writes")?;
    let random = is_random(&targets)?;
    let bytes = same("BlockSize").flatten().and_then(|text| text.trim().parse().ok());
    let is_held = targets.iter().any(|target| value(target, &["Throughput"]).is_some_and(|held| held > 0.0));
    if is_held {
        return Err("its rate was set, so it shows what was requested".to_owned());
    }
    let is_set =
        |tag: &str| targets.iter().any(|target| value(target, &[tag]).is_some_and(|value| value > 0.0));
    if is_set("ThinkTime") {
        return Err("it paused between bursts (ThinkTime), so its rate is not the storage's".to_owned());
    }
    let is_part =
        targets.iter().any(|target| value(target, &["RandomRatio"]).is_some_and(|share| share < 100.0));
    if is_part && random {
        return Err("part of its I/O is random (RandomRatio), the remainder sequential".to_owned());
    }
    let is_off = |target: &&Element| {
        target
            .first(&["DisableOSCache"])
            .or_else(|| target.first(&["DisableAllCache"]))
            .is_some_and(|found| found.text.trim() == "true")
    };
    let is_direct = targets.iter().all(is_off);
    let iops = (all("ReadCount") + all("WriteCount")) / seconds;
    let latency = span.first(&["Latency"]);
    let p99 = latency.and_then(|latency| {
        let mut buckets = latency.each("Bucket");
        buckets.find(|bucket| value(bucket, &["Percentile"]) == Some(99.0))
    });
    let us = |ms: Option<f64>| ms.map(|ms| 1000.0 * ms).filter(|us| *us > 0.0);
    Ok(Load {
        name: name.to_owned(),
        access: if random { Access::Random } else { Access::Sequential },
        bytes,
        write_percent: writes.and_then(|text| number(&text)).unwrap_or(0.0),
        outstanding: outstanding(profile, &targets),
        given_rate: None,
        is_buffered: !is_direct,
        iops,
        mbps: (all("ReadBytes") + all("WriteBytes")) / seconds / MIB,
        mean_us: us(latency.and_then(|latency| value(latency, &["AverageTotalMilliseconds"]))),
        p99_us: us(p99.and_then(|bucket| value(bucket, &["TotalMilliseconds"]))),
        half_units: half_units(latency, p99),
    })
}

/// Whether all targets are random with a uniform distribution.
fn is_random(targets: &[&Element]) -> Result<bool, String> {
    let has = |target: &&Element, tag: &str| target.first(&[tag]).is_some();
    let random = targets.iter().all(|target| has(target, "Random"));
    if !random && targets.iter().any(|target| has(target, "Random")) {
        return Err("some of its targets are random and some not".to_owned());
    }
    if targets.iter().any(|target| has(target, "Distribution")) {
        return Err(
            "its Distribution asks for some places more often than for others, and Rigel for all alike"
                .to_owned(),
        );
    }
    Ok(random)
}

/// For its latencies, which it writes in milliseconds.
fn half_units(latency: Option<&Element>, p99: Option<&Element>) -> HalfUnits {
    let half_us = |element: Option<&Element>, tag: &str| {
        let text = element.and_then(|element| element.first(&[tag]));
        text.map_or(0.0, |found| 1000.0 * half_unit(&found.text, 0.0))
    };
    HalfUnits {
        mean_us: half_us(latency, "AverageTotalMilliseconds"),
        p99_us: half_us(p99, "TotalMilliseconds"),
        ..HalfUnits::default()
    }
}

/// `-o` times the threads of each target; `-O` times all threads if that was given.
fn outstanding(profile: &Element, targets: &[&Element]) -> u32 {
    let whole = |element: &Element, tag: &str| {
        element.first(&[tag]).and_then(|found| count(&found.text)).unwrap_or(0)
    };
    let per_target = |target: &&Element| whole(target, "RequestCount").max(1);
    let (threads, requests) = (whole(profile, "ThreadCount"), whole(profile, "RequestCount"));
    let sum = |of: &dyn Fn(&&Element) -> u32| {
        targets.iter().fold(0u32, |sum, target| sum.saturating_add(of(target)))
    };
    if threads > 0 {
        let of_thread = if requests > 0 { requests } else { sum(&per_target) };
        return threads.saturating_mul(of_thread);
    }
    sum(&|target| per_target(target).saturating_mul(whole(target, "ThreadsPerFile").max(1)))
}
