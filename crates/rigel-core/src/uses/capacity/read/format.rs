//! Which format a file has, by its first bytes; and what a file is that is none of them.
//!
//! Must not read samples.

use super::csv;
use super::seen::Seen;
use crate::error::Problem;
use crate::uses::capacity::Source;

/// A format that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON of a range query of Prometheus.
    Prometheus,
    /// Lines of JSON as VictoriaMetrics exports them, `/api/v1/export`.
    VictoriaMetrics,
    /// Text of metrics with times: OpenMetrics, or Prometheus's own.
    OpenMetrics,
    /// `iostat -x -t -o JSON`.
    Iostat,
    /// `sadf -j -- -b -d`.
    Sadf,
    /// CSV of `DBA_HIST_SYSMETRIC_SUMMARY`.
    Awr,
    /// CSV of `STATS$SYSSTAT`.
    Statspack,
    /// CSV of `pg_stat_io`.
    PgStatIoCsv,
    /// JSON of `pg_stat_io`.
    PgStatIoJson,
}

const KNOWN: &str = "JSON of Prometheus's query_range, VictoriaMetrics' export, OpenMetrics with times, `iostat -x -t -o JSON`, `sadf -j FILE -- -b -d`, and CSV \
     of AWR, Statspack or pg_stat_io; docs/reference/capacity.md has the commands and queries";
/// The first two bytes of the files of `sadc`, in either order.
const SADC: [[u8; 2]; 2] = [[0x96, 0xd5], [0xd5, 0x96]];
const GZIP: [u8; 2] = [0x1f, 0x8b];

impl Format {
    /// The format of a file that begins so.
    ///
    /// # Errors
    /// When it is none of those that are read, with what it is where that is known.
    pub fn of(head: &[u8]) -> Result<Self, Problem> {
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let has = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
        match text.first() {
            Some(b'{' | b'[') if has("\"sysstat\"") && has("\"file-date\"") => Ok(Self::Sadf),
            Some(b'{') if has("\"sysstat\"") => Ok(Self::Iostat),
            Some(b'{' | b'[') if has("\"backend_type\"") => Ok(Self::PgStatIoJson),
            Some(b'{') if has("\"timestamps\"") && has("\"metric\"") => Ok(Self::VictoriaMetrics),
            Some(b'{') if has("\"resultType\"") || has("\"status\"") => Ok(Self::Prometheus),
            Some(b'#') => Ok(Self::OpenMetrics),
            _ => Self::of_csv(text).or_else(|| Self::of_sample(text)).ok_or_else(|| unknown(head)),
        }
    }

    /// Metrics may begin with any: `go_threads{instance="db1:9100"} 1 1780000000`, and `{__name__=".."} ..` as promtool dumps them.
    fn of_sample(text: &[u8]) -> Option<Self> {
        let line = str::from_utf8(text.split(|&byte| byte == b'\n').next()?).ok()?;
        let end = line.find(['{', ' ', '\t'])?;
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || "_:".contains(sign);
        let value = line.rsplit_once('}').map_or(&line[end..], |(_, value)| value);
        let is_value = value.split_ascii_whitespace().next().is_some_and(|word| word.parse::<f64>().is_ok());
        let has_labels = line.contains("=\"") || line.starts_with("node_");
        (line[..end].chars().all(is_name) && is_value && has_labels).then_some(Self::OpenMetrics)
    }

    /// Of the first lines that one which names columns: SQL*Plus may have said something before it.
    fn of_csv(text: &[u8]) -> Option<Self> {
        text.split(|&byte| byte == b'\n').take(csv::MOST_BEFORE).find_map(Self::of_heading)
    }

    /// The format whose columns a line names.
    pub fn of_heading(line: &[u8]) -> Option<Self> {
        let head = csv::Heading::of(csv::without_prompt(line))?;
        let has = |names: &[&str]| names.iter().all(|name| head.place(name).is_some());
        if has(&["metric_name", "average"]) {
            Some(Self::Awr)
        } else if has(&["snap_time", "name", "value"]) {
            Some(Self::Statspack)
        } else if has(&["backend_type", "reads"]) {
            Some(Self::PgStatIoCsv)
        } else {
            None
        }
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prometheus => "Prometheus JSON",
            Self::VictoriaMetrics => "VictoriaMetrics JSON",
            Self::OpenMetrics => "OpenMetrics",
            Self::Iostat => "iostat JSON",
            Self::Sadf => "sadf JSON",
            Self::Awr => "AWR CSV",
            Self::Statspack => "Statspack CSV",
            Self::PgStatIoCsv => "pg_stat_io CSV",
            Self::PgStatIoJson => "pg_stat_io JSON",
        }
    }

    /// Who wrote it.
    pub const fn source(self) -> Source {
        match self {
            Self::Prometheus | Self::VictoriaMetrics | Self::OpenMetrics => Source::Prometheus,
            Self::Iostat => Source::Iostat,
            Self::Sadf => Source::Sadf,
            Self::Awr => Source::Awr,
            Self::Statspack => Source::Statspack,
            Self::PgStatIoCsv | Self::PgStatIoJson => Source::PgStatIo,
        }
    }

    /// A file of this format without a sample.
    pub fn empty(self, seen: &Seen) -> Problem {
        let problem = Problem::usage(format!("this {} holds no sample", self.name()));
        let problem = if seen.resets + seen.gaps > 0 {
            problem.because("all of its intervals were left out: counters fell, or nobody looked for long")
        } else {
            match self {
                Self::Prometheus | Self::VictoriaMetrics | Self::OpenMetrics => problem.because(
                    "it has none of the counters node_disk_*, node_filesystem_* and node_pressure_io_*, or each of them once only",
                ),
                Self::Sadf => problem.because("sysstat kept no disks (SADC_OPTIONS has no -S DISK), or `-d` was left out"),
                Self::Iostat if seen.first_reports > 1 => problem.because(
                    "each run of iostat in it has one report, and an interval needs the time of the report before",
                ),
                Self::Iostat => problem.because("it has one report, and an interval needs the time of the report before"),
                _ => problem.because("counters need two snapshots, and averages the names that the documented query asks for"),
            }
        };
        problem.next("docs/reference/capacity.md has the commands and queries")
    }
}

/// A file of a format that is not read.
pub fn unknown(head: &[u8]) -> Problem {
    let problem = Problem::usage("this is no file that can be imported").at("line 1");
    let starts = |words: &[&[u8]]| words.iter().any(|word| head.trim_ascii_start().starts_with(word));
    if head.trim_ascii().is_empty() {
        problem.because("it is empty").next("see whether the tool that should have written it failed")
    } else if SADC.iter().any(|magic| head.starts_with(magic)) {
        problem
            .because("it is a file of sysstat's own, whose layout changes with its versions")
            .next("let sysstat turn it into text: sadf -j FILE -- -b -d > FILE.json")
    } else if head.starts_with(&GZIP) {
        problem.because("it is compressed").next("uncompress it first: gzip -d FILE")
    } else if starts(&[b"Linux "]) {
        problem
            .because(
                "it is the table of iostat or sar that is meant for people: it has no date with each row",
            )
            .next("use iostat -x -t -o JSON 60, or sadf -j FILE -- -b -d")
    } else if starts(&[b"WORKLOAD REPOSITORY", b"STATSPACK report", b"<html><head><title>AWR"]) {
        problem
            .because("it is a report for people, about one interval and without a course")
            .next("spool the documented query of DBA_HIST_SYSMETRIC_SUMMARY or STATS$SYSSTAT as CSV; docs/reference/capacity.md has it")
    } else if starts(&[b"SQLite format"]) {
        problem.because("it is a database").next("`rigel capacity show --store FILE` shows a store")
    } else {
        problem
            .because("its first bytes are of none of the formats that are read")
            .next(format!("give {KNOWN}"))
    }
}
