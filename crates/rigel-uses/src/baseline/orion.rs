//! ORION's files of a run: the summary (10.2, 11.1, 11.2, 12, 19), or a table of `_iops.csv`, `_mbps.csv`, `_lat.csv`.
//!
//! Latencies are milliseconds up to 11.1 and microseconds from 11.2 on (`orion/unit.rs`). The tables of rates and latencies look alike
//! (`orion/table.rs`). Must not open a file.

mod columns;
mod table;
mod unit;

use self::columns::{HEADER, Line};
use self::table::{TableNumbers, has_lost_header, is_header};
use self::unit::LatencyUnit;
use super::text::{bytes, count, cut_line, half_unit, is_ambiguous, number, whole, whole_lines};
use super::{Baseline, ClassFacts, Content, Figures, LoadFacts, Tool, ToolFigure};
use rigel_core::error::Problem;
use rigel_core::judge::quantity::{Figure, Quantity, Scope, What};
use rigel_core::load::class::{Class, Span};
use rigel_core::load::matrix::Point;
use rigel_core::stats::Estimate;

const RESULTS: [&str; 3] = ["Maximum Large MBPS", "Maximum Small IOPS", "Minimum Small Latency"];
const LACKS: &[&str] = &[
    "no interval, because it visits each load level once and gives one number; how much another run would \
     differ is not known",
    "no latency percentiles",
];

pub fn is_orion(head: &str) -> bool {
    let is_own = |line: &str| {
        let line = line.trim_start();
        line.starts_with("ORION VERSION")
            || line.starts_with("ORION: ORacle IO Numbers")
            || is_header(line)
            || RESULTS.iter().any(|result| line.starts_with(result))
    };
    head.lines().any(is_own)
}

/// `name` is that of the file, or empty.
pub fn read(text: &str, name: &str) -> Result<Baseline, Problem> {
    let (lines, cut) = whole_lines(text);
    let has_table = lines.iter().any(|(_, line)| is_header(line));
    let has_result = lines.iter().any(|(_, line)| is_result(line));
    let mut all = Vec::new();
    if has_result || !has_table {
        all.push(summary(&lines, cut)?);
    }
    all.extend(table::read(&lines, name)?.into_iter().map(of_table));
    let mut all = all.into_iter();
    let mut found = all.next().ok_or_else(|| no_rows(cut))?;
    for part in all {
        // Parts of one text are about one run.
        if found.join(part).is_err() {
            return Err(no_rows(cut));
        }
    }
    found.passed_over.extend(cut.map(cut_line));
    Ok(found)
}

/// The problem of a text that is not a result of ORION, but rows of one of its tables without their header; `None` for another text.
pub fn without_header(text: &str) -> Option<Problem> {
    let (lines, _) = whole_lines(text);
    has_lost_header(&lines).then(|| {
        Problem::usage("the file has rows of numbers, but no line that names the columns")
            .because(format!(
                "if it is a table of ORION, its line '{HEADER}, ..' is missing, which gives the outstanding small I/Os of each column"
            ))
            .next("give the file with that line, as ORION wrote it, or the _summary.txt of the run")
    })
}

/// The problem of latencies in an unknown unit, where a run has nothing else.
pub fn unsettled(figures: &Figures) -> Option<Problem> {
    (figures.all.is_empty() && !figures.unscaled.is_empty()).then(unit::open)
}

/// The text for such latencies next to other numbers.
pub fn open_latencies(figures: &Figures) -> Option<String> {
    (!figures.unscaled.is_empty()).then(|| unit::OPEN.to_owned())
}

fn of_table(found: TableNumbers) -> Baseline {
    Baseline {
        tool: Tool::Orion,
        version: None,
        conditions: vec![("table", found.what)],
        lacks: LACKS.to_vec(),
        passed_over: Vec::new(),
        bound: None,
        ran_s: None,
        content: Content::Figures(Figures {
            unscaled: found.unscaled,
            ..Figures::new(LoadFacts::new(), found.figures)
        }),
    }
}

/// Takes what another file reports on the same run. Rates reveal the unit of latencies that have none.
pub fn join(own: &mut Figures, other: &Figures) {
    for (class, other) in &other.facts {
        let own = own.facts.entry(*class).or_default();
        own.bytes = own.bytes.or(other.bytes);
        own.write_percent = own.write_percent.or(other.write_percent);
        own.is_sequential = own.is_sequential.or(other.is_sequential);
    }
    merge(&mut own.all, &other.all);
    own.unscaled.extend(&other.unscaled);
    if let Some(unit) = unit::by_rates(&own.unscaled, &own.all) {
        let known = unit::scaled(&std::mem::take(&mut own.unscaled), unit);
        merge(&mut own.all, &known);
    }
}

/// If both have a number, keeps the one with more digits.
fn merge(own: &mut Vec<ToolFigure>, more: &[ToolFigure]) {
    for one in more {
        let same = |own: &&mut ToolFigure| {
            (own.figure.quantity, own.figure.place()) == (one.figure.quantity, one.figure.place())
        };
        match own.iter_mut().find(same) {
            Some(known) if one.half_unit < known.half_unit => *known = *one,
            Some(_) => {}
            None => own.push(*one),
        }
    }
}

fn no_rows(cut: Option<&str>) -> Problem {
    let cause =
        if cut.is_some() { "the file is cut" } else { "the run was aborted before its first load level" };
    Problem::usage("the ORION table contains no number")
        .because(cause)
        .next("give the _iops.csv, _mbps.csv or _lat.csv of a complete run, or its _summary.txt")
}

fn is_result(line: &str) -> bool {
    RESULTS.iter().any(|result| behind(line, result).is_some())
}

/// The text after a label at the start of a line, in upper or lower case.
fn behind<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let line = line.trim();
    let start = line.get(..label.len())?;
    start.eq_ignore_ascii_case(label).then(|| line[label.len()..].trim())
}

fn summary(lines: &[Line<'_>], cut: Option<&str>) -> Result<Baseline, Problem> {
    let first = |labels: &[&str]| {
        let found = lines.iter().find_map(|(_, line)| labels.iter().find_map(|label| behind(line, label)));
        found.map(str::to_owned)
    };
    let version = first(&["ORION VERSION", "ORION: ORacle IO Numbers -- Version"]);
    let (mut all, mut unscaled) = (Vec::new(), Vec::new());
    let (own, passed_over) = of_one_run(lines);
    for (at, line) in own {
        let result = result(line, version.as_deref()).ok_or_else(|| unread(at, line))?;
        let into = if result.is_scaled { &mut all } else { &mut unscaled };
        merge(into, &result.figures);
    }
    if all.is_empty() && unscaled.is_empty() {
        return Err(no_results(lines, cut));
    }
    let conditions = [
        ("command", first(&["Command line:", "Commandline:"])),
        ("test", first(&["Test:"])),
        ("cache size", first(&["Cache size:"])),
        ("time of a load level", first(&["Duration for each data point:"])),
        ("target", first(&["Name:"])),
        ("outstanding small I/Os", first(&["Small Columns:,"]).map(list)),
        ("outstanding large I/Os", first(&["Large Columns:,"]).map(list)),
    ];
    // The command stands on a line of its own.
    let command = lines.windows(2).find(|pair| {
        behind(pair[0].1, "Command line:").or_else(|| behind(pair[0].1, "Commandline:")).is_some()
    });
    let command = command.map(|pair| pair[1].1.trim().to_owned());
    let conditions = conditions.into_iter().filter_map(|(name, text)| {
        let text = if name == "command" { command.clone() } else { text };
        Some((name, text.filter(|text| !text.is_empty())?))
    });
    let facts = facts(&first);
    Ok(Baseline {
        tool: Tool::Orion,
        version,
        conditions: conditions.collect(),
        lacks: LACKS.to_vec(),
        passed_over,
        bound: None,
        ran_s: None,
        content: Content::Figures(Figures { unscaled, ..Figures::new(facts, all) }),
    })
}

/// The lines with results of the first run of a text, and the remark on others.
fn of_one_run<'a>(lines: &[Line<'a>]) -> (Vec<Line<'a>>, Vec<String>) {
    let label = |line: &str| RESULTS.iter().position(|result| behind(line, result).is_some());
    let mut own: Vec<Line<'a>> = Vec::new();
    for &(at, line) in lines.iter().filter(|(_, line)| is_result(line)) {
        let known = own.iter().find(|(_, known)| label(known) == label(line));
        match known {
            // Pasted twice.
            Some((_, known)) if known.trim() == line.trim() => {}
            Some(_) => {
                let more = format!(
                    "the results of another run, from line {at} on: give each run as a file of its own"
                );
                return (own, vec![more]);
            }
            None => own.push((at, line)),
        }
    }
    (own, Vec::new())
}

/// `0,      1,      2` as `0, 1, 2`.
fn list(columns: String) -> String {
    columns.split(',').map(str::trim).collect::<Vec<_>>().join(", ")
}

fn unread(line: usize, text: &str) -> Problem {
    let digits = text.split_once('=').and_then(|(_, rest)| rest.split_whitespace().next());
    if digits.is_some_and(is_ambiguous) {
        return Problem::usage("a result of ORION cannot be read")
            .at(format!("line {line}"))
            .because("its comma may separate thousands or decimals, and no version of ORION from 11.2 on is named, which would decide it")
            .next("write the number with a decimal point and without separators of thousands");
    }
    Problem::usage("a result of ORION cannot be read")
        .at(format!("line {line}"))
        .because(format!(
            "'{}' is not a number with its load (@ Small=.. and Large=..)",
            rigel_core::path_text::printable(&super::text::shortened(text.trim()))
        ))
        .next("give the file as ORION wrote it")
}

/// The sizes, the share of writes and the pattern in the summary.
fn facts(first: &impl Fn(&[&str]) -> Option<String>) -> LoadFacts {
    let size = |label: &str| bytes(&first(&[label])?.replace(" KB", "k").replace(" MB", "m"));
    let write_percent =
        first(&["Writes:", "Write:"]).and_then(|text| number(text.trim_end_matches('%').trim_end()));
    let types = first(&["IO types:"]).map(|types| types.to_ascii_lowercase());
    let is_sequential = types.filter(|types| types.contains("large")).map(|types| {
        let large = types.split(',').find(|part| part.contains("large")).unwrap_or_default().to_owned();
        large.contains("sequential")
    });
    // ORION has no option for a part of a target.
    let span = Some(Span::Whole);
    let small = ClassFacts {
        bytes: size("Small IO size:"),
        write_percent,
        is_sequential: Some(false),
        span,
        ..ClassFacts::default()
    };
    let large = ClassFacts { bytes: size("Large IO size:"), is_sequential, ..small };
    LoadFacts::from([(Class::SMALL, small), (Class::LARGE, large)])
}

/// A result of the summary.
struct SummaryResult {
    /// The number of the run, and that of its point.
    figures: [ToolFigure; 2],
    /// Whether it is in the unit of its quantity. A latency of unknown unit is kept as if it were in microseconds.
    is_scaled: bool,
}

/// `Maximum Small IOPS=19019 @ Small=5 and Large=0`
fn result(line: &str, version: Option<&str>) -> Option<SummaryResult> {
    let (name, others) = line.trim().split_once('=')?;
    let (value, point) = others.split_once('@')?;
    let (digits, word) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    let plain = unit::plain(digits, name.trim(), version)?;
    let digits = plain.as_str();
    let (small, large) = point.trim().strip_prefix("Small=")?.split_once(" and Large=")?;
    let point = Point::pair(count(small)?, count(large)?);
    let is = |label: &str| name.trim().eq_ignore_ascii_case(label);
    let label = RESULTS.iter().copied().find(|label| is(label))?;
    let (what, class, value, unit) = match label {
        "Maximum Large MBPS" => (What::Mbps, Class::LARGE, number(digits)?, Some(LatencyUnit::Us)),
        "Maximum Small IOPS" => (What::Rate, Class::SMALL, whole(digits)?, Some(LatencyUnit::Us)),
        "Minimum Small Latency" => {
            (What::Mean, Class::SMALL, number(digits)?, unit::of_summary(word.trim(), version, digits))
        }
        _ => return None,
    };
    let scale = unit.unwrap_or(LatencyUnit::Us).in_us();
    let of = |scope: Scope| ToolFigure {
        figure: Figure {
            quantity: Quantity::new(scope, what, class),
            estimate: Estimate::bare(scale * value),
            point: Some(point),
        },
        half_unit: scale * half_unit(digits, value),
    };
    Some(SummaryResult { figures: [Scope::Best, Scope::Point].map(of), is_scaled: unit.is_some() })
}

/// How ORION reports its failure.
const FAILURES: [&str; 4] = ["orion_main:", "rwbase_", "ORA-", "Error"];

fn no_results(lines: &[Line<'_>], cut: Option<&str>) -> Problem {
    let failure = lines
        .iter()
        .map(|(_, line)| line.trim())
        .find(|line| FAILURES.iter().any(|sign| line.starts_with(sign)));
    let failed = failure.map(|line| {
        format!("ORION failed: '{}'", rigel_core::path_text::printable(&super::text::shortened(line)))
    });
    let cut = failed.or_else(|| cut.map(ends_within));
    let cause =
        cut.unwrap_or_else(|| "the run was aborted before its results, or the file is truncated".to_owned());
    Problem::usage("the summary of ORION has no results")
        .because(cause)
        .next("give the _summary.txt of a complete run, or its _iops.csv, _mbps.csv and _lat.csv")
}

fn ends_within(line: &str) -> String {
    let line = super::text::shortened(line);
    format!("the file ends in the middle of a line, '{}'", rigel_core::path_text::printable(&line))
}
