//! elbencho's CSV or JSON file: a row for each phase, with its load and its numbers until the last thread ended.
//!
//! Must not read phases that move no data.

use super::cells::{csv, separator};
use super::load::{Access, HalfUnits, Load};
use super::text::{bytes, count, cut_line, half_unit, number, whole_lines};
use super::{Baseline, Content, Tool};
use rigel_core::error::Problem;
use serde_json::Value;
use std::collections::BTreeMap;

const LACKS: &[&str] = &[
    "no interval, because it gives one number for each phase; how much another run would differ is not known",
    "its CSV has no latency percentiles, and MiB/s only in whole numbers",
];
const IOPS: &str = "IOPS [last]";

pub fn is_elbencho(head: &str) -> bool {
    is_json(head) || head.lines().any(is_header)
}

/// `--jsonfile` has an object for each phase, with the names of the columns.
fn is_json(text: &str) -> bool {
    let quoted = |name: &str| text.contains(&format!("\"{name}\""));
    text.trim_start().starts_with(['{', '[']) && quoted(IOPS) && quoted("operation")
}

fn is_header(line: &str) -> bool {
    line.contains(IOPS) && line.contains("operation")
}

pub fn read(text: &str) -> Result<Baseline, Problem> {
    let mut passed_over = Vec::new();
    let (rows, is_cut) = if is_json(text) {
        let (rows, is_cut) = objects(text);
        passed_over.extend(is_cut.then(|| "what follows the last whole object".to_owned()));
        (rows, is_cut)
    } else {
        let (rows, cut) = table(text)?;
        passed_over.extend(cut.map(cut_line));
        (rows, cut.is_some())
    };
    let (mut groups, mut version) = (Vec::new(), None);
    for (place, row) in &rows {
        version = version.or_else(|| row.get("version").cloned());
        match load(row) {
            Ok(load) => groups.push(vec![load]),
            Err(why) => passed_over.push(format!("{place}: {why}")),
        }
    }
    if groups.is_empty() {
        let none = if is_cut { "the file is truncated" } else { "none of its phases read or wrote" };
        let cause = passed_over.first().filter(|_| !is_cut).map_or(none, String::as_str);
        return Err(Problem::usage("the elbencho file contains no result")
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
        ran_s: None,
        content: Content::Loads(groups),
    })
}

/// A phase, by the names of its columns.
type Row = BTreeMap<String, String>;

/// The phases of `--jsonfile`, one object after another or in a list, and whether the last one is truncated.
fn objects(text: &str) -> (Vec<(String, Row)>, bool) {
    let mut rows = Vec::new();
    let text_of = |value: Value| match value {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    };
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        let Ok(value) = value else { return (rows, true) };
        let all = if let Value::Array(all) = value { all } else { vec![value] };
        for one in all {
            let Value::Object(members) = one else { continue };
            let row = members.into_iter().map(|(name, value)| (name, text_of(value))).collect();
            rows.push((format!("phase {}", rows.len() + 1), row));
        }
    }
    (rows, false)
}

/// The phases of a table, each with its place, and a last line that may be cut.
#[expect(clippy::type_complexity, reason = "rows and a line")]
fn table(text: &str) -> Result<(Vec<(String, Row)>, Option<&str>), Problem> {
    let (lines, cut) = whole_lines(text);
    let (mut header, mut rows) = (Vec::new(), Vec::new());
    let mut sign = ',';
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
        rows.push((format!("line {at}"), header.iter().cloned().zip(cells).collect()));
    }
    Ok((rows, cut))
}

fn load(row: &Row) -> Result<Load, String> {
    let cell = |name: &str| row.get(name).map(String::as_str).unwrap_or_default();
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
