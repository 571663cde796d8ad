//! The text of PostgreSQL's `pg_test_fsync`: what one writer's commit costs, by method.
//!
//! The tests of one 8 kB write are read; they are what `rigel run commit` measures. Must not judge a method.

use super::load::{Access, HalfUnits, Load};
use super::text::{cut_line, half_unit, number, whole_lines};
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;
use rigel_core::load::class::Class;

const LACKS: &[&str] = &[
    "no interval, because each method was tested once for a few seconds; how much another test would differ \
     is not known",
    "no latency percentiles",
    "one writer only, which writes the same 8 kB again and again",
];
/// Three microseconds in memory are no write without a sync to a device.
const PLAIN: &str =
    "the plain write, which ends in the page cache: that of `rigel run commit` reaches the device";
const ONE_WRITE: &str = "Compare file sync methods using one";
const NO_SYNC: &str = "Non-";
/// One MB is 2^20 bytes.
const MIB: f64 = 1_048_576.0;

pub fn is_pg_test_fsync(head: &str) -> bool {
    head.contains(ONE_WRITE)
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let (lines, cut) = whole_lines(text);
    let (mut section, mut bytes, mut groups) = ("", 8192, Vec::new());
    let mut passed_over: Vec<String> = cut.map(cut_line).into_iter().collect();
    for (_, line) in &lines {
        // A page that shows it may have set it in by some blanks.
        let line = line.trim();
        if line.ends_with(':') {
            section = line;
            bytes = size(line).unwrap_or(bytes);
        } else if section.starts_with(NO_SYNC) && line.contains(" ops/sec") {
            passed_over.push(PLAIN.to_owned());
        } else if let Some(load) = method(section, line, bytes) {
            groups.push(vec![load]);
        }
    }
    if groups.is_empty() {
        let cause =
            if cut.is_some() { "the file is cut" } else { "no method of 'one 8kB write' has a number" };
        return Err(Problem::usage("the text of pg_test_fsync contains no result")
            .because(cause)
            .next("run pg_test_fsync on the file system of the WAL, and give all of its output"));
    }
    let direct = lines.iter().map(|(_, line)| line.trim()).find(|line| line.starts_with("O_DIRECT"));
    let seconds = lines.iter().find_map(|(_, line)| line.trim().strip_suffix(" per test"));
    let conditions = [("time of a method", seconds), ("direct I/O", direct)];
    Ok(Baseline {
        tool: Tool::PgTestFsync,
        version: None,
        conditions: conditions
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?.to_owned())))
            .collect(),
        lacks: LACKS.to_vec(),
        passed_over,
        bound: None,
        ran_s: None,
        content: Content::Loads(groups),
    })
}

/// `one 8kB write` as bytes.
fn size(section: &str) -> Option<u64> {
    let word = section.split(' ').find(|word| word.to_ascii_lowercase().contains("kb"))?;
    super::text::bytes(word)
}

/// A line of a section: the method, its rate, and what it is in Rigel; `None` of methods that Rigel does not have.
fn method(section: &str, line: &str, bytes: u64) -> Option<Load> {
    let (before, _) = line.split_once(" ops/sec")?;
    let (name, rate) = before.trim().rsplit_once(' ')?;
    let name = name.trim();
    let class = match name {
        "open_datasync" if section.starts_with(ONE_WRITE) => Class::DSYNC,
        "fdatasync" if section.starts_with(ONE_WRITE) => Class::FDATASYNC,
        _ => return None,
    };
    let iops = number(rate).filter(|rate| *rate > 0.0)?;
    #[expect(clippy::cast_precision_loss, reason = "the size of a write is far below 2^53")]
    let mbps = iops * bytes as f64 / MIB;
    let mean_us = 1e6 / iops;
    let half = half_unit(rate, iops);
    let half_units = HalfUnits { iops: half, mean_us: mean_us * half / iops, ..HalfUnits::default() };
    Some(Load {
        name: name.to_owned(),
        access: Access::Commit(class),
        bytes: Some(bytes),
        write_percent: 100.0,
        outstanding: 1,
        given_rate: None,
        is_buffered: false,
        iops,
        mbps,
        mean_us: Some(mean_us),
        p99_us: None,
        half_units,
    })
}
