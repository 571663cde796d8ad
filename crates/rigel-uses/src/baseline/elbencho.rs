//! elbencho's CSV file: a row for each phase, with its load and its numbers until the last thread ended.
//!
//! Must not read phases that move no data.

use super::cells::{csv, separator};
use super::load::{Access, HalfUnits, Load};
use super::text::{bytes, count, cut_line, half_unit, number, whole_lines};
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;
use std::collections::BTreeMap;

const LACKS: &[&str] = &[
    "no interval, because it gives one number for each phase; how much another run would differ is not known",
    "its CSV has no latency percentiles, and MiB/s only in whole numbers",
];
const IOPS: &str = "IOPS [last]";

pub fn is_elbencho(head: &str) -> bool {
    head.lines().any(is_header)
}

fn is_header(line: &str) -> bool {
    line.contains(IOPS) && line.contains("operation")
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let (lines, cut) = whole_lines(text);
    let (mut header, mut groups, mut version) = (Vec::new(), Vec::new(), None);
    let mut sign = ',';
    let mut passed_over: Vec<String> = cut.map(cut_line).into_iter().collect();
    for (at, line) in &lines {
        // Runs that are written to one file each have a header.
        if is_header(line) {
            sign = separator(line).unwrap_or(',');
            header = csv(line, sign);
            continue;
        }
        if header.is_empty() || line.trim().is_empty() {
            continue;
        }
        let cells = csv(line, sign);
        if cells.len() < header.len() {
            return Err(Problem::usage("a row of elbencho's CSV is too short")
                .at(format!("line {at}"))
                .because(format!(
                    "it has {} of {} columns: the file is truncated, or was changed",
                    cells.len(),
                    header.len()
                ))
                .next("give the complete file that elbencho wrote with --csvfile"));
        }
        let row: BTreeMap<&str, &str> =
            header.iter().map(String::as_str).zip(cells.iter().map(String::as_str)).collect();
        version = version.or_else(|| row.get("version").map(|version| (*version).to_owned()));
        match load(&row) {
            Ok(load) => groups.push(vec![load]),
            Err(why) => passed_over.push(format!("line {at}: {why}")),
        }
    }
    if groups.is_empty() {
        let none = if cut.is_some() { "the file is truncated" } else { "none of its phases read or wrote" };
        let cause = passed_over.first().filter(|_| cut.is_none()).map_or(none, String::as_str);
        return Err(Problem::usage("the elbencho CSV contains no result")
            .because(rigel_core::path_text::printable(cause).into_owned())
            .next("give the file of a complete run with --read or --write"));
    }
    Ok(Baseline {
        tool: Tool::Elbencho,
        version: version.filter(|version| !version.is_empty()),
        conditions: Vec::new(),
        lacks: super::load::lacks(LACKS, &groups),
        passed_over,
        bound: None,
        content: Content::Loads(groups),
    })
}

fn load(row: &BTreeMap<&str, &str>) -> Result<Load, String> {
    let cell = |name: &str| row.get(name).copied().unwrap_or_default();
    let operation = cell("operation");
    let is_write = match operation.to_ascii_uppercase().as_str() {
        "READ" => false,
        // RWMIX70: 70 % of reads; MIX-T4: four threads that read.
        name if name == "WRITE" || name.starts_with("RWMIX") || name.starts_with("MIX-T") => true,
        other => return Err(format!("the phase {other} moves no data")),
    };
    let command = cell("command").to_ascii_lowercase();
    if let Some(limit) = ["--limitread", "--limitwrite"].into_iter().find(|limit| command.contains(limit)) {
        return Err(format!("{limit} held it back, so its rate is not the storage's"));
    }
    let rate = |name: &str| number(cell(name)).unwrap_or(0.0);
    let (own, reads) = (rate(IOPS), rate("rwmix read IOPS [last]"));
    let iops = own + reads;
    let threads = count(cell("threads")).unwrap_or(1).max(1);
    let hosts = count(cell("hosts")).unwrap_or(1).max(1);
    let depth = count(cell("IO depth")).unwrap_or(1).max(1);
    let mean = |name: &str| number(cell(name)).filter(|us| *us > 0.0);
    let mean_us = match (mean("IO lat us [avg]"), mean("rwmix read IO lat us [avg]")) {
        (Some(own_us), Some(reads_us)) if iops > 0.0 => Some((own * own_us + reads * reads_us) / iops),
        (own_us, _) => own_us,
    };
    // Reads and writes of a mix are a number each.
    let parts = if reads > 0.0 { 2.0 } else { 1.0 };
    let write_percent = match (is_write, reads > 0.0) {
        (false, _) => 0.0,
        (true, false) => 100.0,
        (true, true) => (100.0 * own / iops).round(),
    };
    Ok(Load {
        name: operation.to_owned(),
        access: if cell("random") == "1" { Access::Random } else { Access::Sequential },
        bytes: bytes(cell("block size")),
        write_percent,
        outstanding: threads.saturating_mul(hosts).saturating_mul(depth),
        given_rate: None,
        is_buffered: cell("direct IO") == "0",
        iops,
        mbps: rate("MiB/s [last]") + rate("rwmix read MiB/s [last]"),
        mean_us,
        p99_us: None,
        half_units: HalfUnits {
            iops: 0.5 * parts,
            mbps: 0.5 * parts,
            mean_us: mean_us.map_or(0.0, |us| half_unit(cell("IO lat us [avg]"), us)),
            p99_us: 0.0,
        },
    })
}
