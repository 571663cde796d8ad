//! The classes of a job, with their levels.
//!
//! Must not read a value.

use super::job::Job;
use super::remark::{Page, Remark};
use super::values::Split;
use super::{parts, wrong};
use crate::error::Problem;
use crate::load::class::{Arrival, Class, Figure, LoadClass, Pattern, Shape, Sizes, Sync};
use crate::load::workload::WritePercent;
use crate::units::say::whole;
use crate::units::to_f64;

/// Smallest block of any device.
const BLOCK_BYTES: u64 = 512;
/// Letters of a name, with room for `_r` and `_w`.
const NAME_LETTERS: usize = 13;

/// One direction of a job.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    writes: bool,
    sizes: Split,
    /// I/Os per second of all its processes.
    per_s: Option<f64>,
}

/// The classes of a job, and how much there is of each; their names differ from existing ones.
pub fn of(
    job: &Job<'_>,
    file: Option<u64>,
    others: &[LoadClass],
    page: &mut Page<'_>,
) -> Result<Vec<(LoadClass, u32)>, Problem> {
    if job.waits() && job.iodepth > 1 {
        let words = format!(
            "ioengine={} keeps one I/O per job outstanding, whatever iodepth says, and so does the class: \
             for {} of them, \
             name an asynchronous engine in the job",
            job.engine, job.iodepth
        );
        page.remarks.push(Remark::new(job.line, &format!("[{}]", job.name), None, words));
    }
    let (span, is_whole) = parts::span(job, file);
    if !is_whole {
        let words = format!(
            "its part of the file is not a whole percentage; taken as {span}: edit the load, or use --span"
        );
        page.remarks.push(Remark::new(job.line, &format!("[{}]", job.name), None, words));
    }
    let ways = ways(job, page);
    let is_one = match ways.as_slice() {
        [reads, writes] => {
            job.walk.random && reads.sizes == writes.sizes && reads.per_s.is_none() && writes.per_s.is_none()
        }
        _ => false,
    };
    let depth = if job.waits() { 1 } else { job.iodepth };
    let mut made: Vec<(LoadClass, u32)> = Vec::new();
    if is_one && let Some(way) = ways.first() {
        let class = LoadClass {
            write_percent: share(100 - job.mix_read),
            sync: job.sync,
            ..class(job, way, depth, page)?
        };
        made.push((class, depth.saturating_mul(job.numjobs)));
    } else {
        let depths = depths(job, &ways, depth, page);
        for (way, depth) in ways.iter().zip(depths) {
            let made_class = class(job, way, depth, page)?;
            let level = way.per_s.map_or_else(|| closed_level(job, &made_class, depth), level_of);
            made.push((made_class, level));
        }
    }
    let suffixes: &[&str] = if made.len() == 2 { &["_r", "_w"] } else { &[""] };
    let mut taken: Vec<Class> = others.iter().map(|class| class.name).collect();
    for ((class, _), suffix) in made.iter_mut().zip(suffixes) {
        class.name = name(job.name, suffix, &taken);
        class.span = span;
        taken.push(class.name);
    }
    Ok(made)
}

/// Reads, writes or both, each with its sizes and its rate.
fn ways(job: &Job<'_>, page: &mut Page<'_>) -> Vec<Way> {
    let (reads, writes) = match (job.walk.reads && job.walk.writes, job.mix_read) {
        (true, 0) => (false, true),
        (true, 100) => (true, false),
        _ => (job.walk.reads, job.walk.writes),
    };
    [(0, reads), (1, writes)]
        .into_iter()
        .filter(|way| way.1)
        .map(|(place, _)| {
            let sizes =
                job.split.as_ref().map_or_else(|| vec![(job.bs[place], 100)], |split| split[place].clone());
            let per_s = rate(job, place, &sizes);
            Way { writes: place == 1, sizes: blocks(job, sizes, page), per_s }
        })
        .collect()
}

/// fio converts both kinds of rates into bytes per second by the smallest size; I/Os of mixed sizes therefore arrive
/// less often than `rate_iops` says.
fn rate(job: &Job<'_>, place: usize, sizes: &[(u64, u8)]) -> Option<f64> {
    let smallest = sizes.iter().map(|size| size.0).min()?;
    let mean: f64 = sizes.iter().map(|size| to_f64(size.0) * f64::from(size.1) / 100.0).sum();
    let of_iops = job.rate_iops[place].map(|iops| to_f64(iops) * to_f64(smallest));
    let bytes_per_s = job.rate_bytes[place].map(to_f64).or(of_iops)?;
    Some(bytes_per_s / mean * f64::from(job.numjobs))
}

/// Sizes in whole blocks, as direct I/O requires.
fn blocks(job: &Job<'_>, sizes: Split, page: &mut Page<'_>) -> Split {
    let rounded = |bytes: u64| bytes.checked_next_multiple_of(BLOCK_BYTES).unwrap_or(bytes);
    let Some(odd) = sizes.iter().find(|size| rounded(size.0) != size.0) else { return sizes };
    let words = format!("direct I/O moves whole blocks: {} bytes are taken as {}", odd.0, rounded(odd.0));
    let remark = Remark::new(job.line, &format!("[{}]", job.name), None, words);
    if !page.remarks.contains(&remark) {
        page.remarks.push(remark);
    }
    let mut merged: Split = Vec::new();
    for (bytes, percent) in sizes {
        match merged.iter_mut().find(|size| size.0 == rounded(bytes)) {
            Some(same) => same.1 += percent,
            None => merged.push((rounded(bytes), percent)),
        }
    }
    merged
}

/// The outstanding I/Os of each direction, for each process.
fn depths(job: &Job<'_>, ways: &[Way], depth: u32, page: &mut Page<'_>) -> Vec<u32> {
    if ways.len() < 2 || ways.iter().any(|way| way.per_s.is_some()) {
        return vec![depth; ways.len()];
    }
    let reads = (u64::from(depth) * u64::from(job.mix_read) + 50) / 100;
    let reads = u32::try_from(reads).unwrap_or(depth).clamp(1, depth.saturating_sub(1).max(1));
    let writes = depth.saturating_sub(reads).max(1);
    let words = format!(
        "its reads and writes are separate classes, {reads} and {writes} outstanding; fio keeps {} % of the \
         I/Os reads, here each class goes as fast as it can: give both a rate for a fixed share",
        job.mix_read
    );
    page.remarks.push(Remark::new(job.line, &format!("[{}]", job.name), None, words));
    vec![reads, writes]
}

fn class(job: &Job<'_>, way: &Way, depth: u32, page: &Page<'_>) -> Result<LoadClass, Problem> {
    if !job.walk.random && way.sizes.len() > 1 {
        return Err(wrong(
            page.name,
            job.line,
            format!(
                "the job '{}' is sequential and has several sizes",
                crate::path_text::printable(job.name)
            ),
        )
        .because("the I/Os of a stream follow each other and have one size")
        .next("give it one size, or make it random"));
    }
    let sync = if way.writes { job.sync } else { Sync::None };
    let is_log = !job.walk.random && way.writes && sync != Sync::None && depth == 1 && way.per_s.is_none();
    let pattern = match job.walk.random {
        true => Pattern::Random,
        false if is_log => Pattern::Log,
        false => Pattern::Streams { ios_per_stream: depth },
    };
    let sizes = match way.sizes.as_slice() {
        [(bytes, _)] => Sizes::Fixed(*bytes),
        _ => Sizes::Mixed(way.sizes.clone()),
    };
    let shape = if job.poisson { Shape::Poisson } else { Shape::Even };
    let arrival = match way.per_s {
        Some(_) => Arrival::Open { shape, most_outstanding: depth.saturating_mul(job.numjobs) },
        None => Arrival::Closed,
    };
    let figure =
        if matches!(pattern, Pattern::Streams { .. }) { Figure::Mbps } else { Figure::Rate("IOPS".into()) };
    let write_percent = if way.writes { WritePercent::ALL } else { WritePercent::NONE };
    Ok(LoadClass {
        sizes,
        pattern,
        write_percent,
        sync,
        arrival,
        figure,
        ..LoadClass::random(Class::SMALL, 0)
    })
}

fn closed_level(job: &Job<'_>, class: &LoadClass, depth: u32) -> u32 {
    if class.pattern == Pattern::Random { depth.saturating_mul(job.numjobs) } else { job.numjobs }
}

fn level_of(per_s: f64) -> u32 {
    u32::try_from(whole(per_s.round()).max(1)).unwrap_or(u32::MAX)
}

fn share(percent: u8) -> WritePercent {
    WritePercent::new(percent).unwrap_or_default()
}

/// A new class name that resembles the job's.
fn name(job: &str, suffix: &str, taken: &[Class]) -> Class {
    let sign = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let mut word: String = job.chars().map(sign).collect();
    if !word.starts_with(|c: char| c.is_ascii_lowercase()) {
        word.insert(0, 'j');
    }
    let numbered = |number: usize| {
        let tail = if number == 1 { suffix.to_owned() } else { format!("{number}{suffix}") };
        let head: String = word.chars().take(NAME_LETTERS + 2 - tail.len()).collect();
        Class::named(&format!("{head}{tail}"))
    };
    (1..1000).filter_map(numbered).find(|name| !taken.contains(name)).unwrap_or(Class::SMALL)
}
