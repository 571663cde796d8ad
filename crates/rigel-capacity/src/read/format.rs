//! The format of a file, by its first bytes; and what an unsupported file is.
//!
//! Must not read samples.

use super::csv;
use super::foreign;
use super::headless;
use super::iostat_text::is_moment;
use super::locale::time_of_day;
use super::oswatcher::is_block_date;
use super::sadf_rows::HEAD;
use super::seen::ReaderNotes;
use crate::Source;
use rigel_core::error::Problem;

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
    /// `iostat -x -t` as text.
    IostatText,
    /// `sadf -j -- -b -d`.
    Sadf,
    /// `sadf -d -- -b -d`.
    SadfRows,
    /// `sar -d`, also among other tables.
    Sar,
    /// `oswiostat` of OSWatcher.
    OsWatcher,
    /// Runs of `iostat -x` without times, each under what `date` printed.
    IostatUnderDates,
    /// nmon, of Linux or AIX.
    Nmon,
    /// `collectl -P`.
    Collectl,
    /// `aws cloudwatch get-metric-data` or `get-metric-statistics`.
    CloudWatch,
    /// `az monitor metrics list`.
    Azure,
    /// CSV of `DBA_HIST_SYSMETRIC_SUMMARY`.
    Awr,
    /// CSV of `DBA_HIST_TBSPC_SPACE_USAGE`.
    AwrSpace,
    /// CSV of `STATS$SYSSTAT`.
    Statspack,
    /// A report of AWR, as text or HTML.
    AwrReport,
    /// A report of Statspack, as text.
    StatspackReport,
    /// CSV of `pg_stat_io`.
    PgStatIoCsv,
    /// JSON of `pg_stat_io`.
    PgStatIoJson,
}

const KNOWN: &str = "JSON of Prometheus's query_range, VictoriaMetrics' export, OpenMetrics with times, `iostat -x -t` as JSON or text, `sadf -j FILE -- -b -d` (or -d), `sar -d`, oswiostat of OSWatcher, ExaWatcher's iostat, nmon, `collectl -P`, JSON of CloudWatch and Azure Monitor, reports of AWR and \
     Statspack, and CSV of AWR, Statspack or pg_stat_io; docs/reference/capacity.md has the commands and queries";
/// The first two bytes of the files of `sadc`, in either order.
const SADC: [[u8; 2]; 2] = [[0x96, 0xd5], [0xd5, 0x96]];
/// Names of what is not stored, in one line.
const MOST_NAMES: usize = 4;
/// Lines that may precede that of a tool.
const MOST_REMARKS: usize = 10;
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// First bytes of other compressed files, and the program that unpacks them.
const PACKED: [(&[u8], &str); 8] = [
    (b"BZh", "bzip2 -dk FILE"),
    (b"\xfd7zXZ", "xz -dk FILE"),
    (b"\x28\xb5\x2f\xfd", "zstd -d FILE"),
    (b"\x04\x22\x4d\x18", "lz4 -d FILE"),
    (b"LZIP", "lzip -dk FILE"),
    (b"\x1f\x9d", "uncompress FILE"),
    (b"PK\x03\x04", "unzip FILE; a spreadsheet has to be saved as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "7z x FILE"),
];
/// Titles of Oracle reports other than AWR.
const OTHER_REPORTS: [&[u8]; 4] = [b"ASH Report For", b"ADDM Report for", b"ADDM REPORT FOR", b"\nTKPROF: "];
/// The magic of a tar archive at this offset.
const TAR: (usize, &[u8]) = (257, b"ustar");
/// How blocks of an archive begin, or its files.
const OSWATCHER: &str = "zzz ***";
const EXAWATCHER: [&str; 2] = ["# Collection Module:", "\nzzz <"];

rigel_core::named!(Format {
    Prometheus: "Prometheus JSON",
    VictoriaMetrics: "VictoriaMetrics JSON",
    OpenMetrics: "OpenMetrics",
    Iostat: "iostat JSON",
    IostatText: "iostat text",
    Sadf: "sadf JSON",
    SadfRows: "sadf rows",
    Sar: "sar text",
    OsWatcher: "OSWatcher iostat",
    IostatUnderDates: "iostat text under dates",
    Nmon: "nmon",
    Collectl: "collectl",
    CloudWatch: "CloudWatch JSON",
    Azure: "Azure Monitor JSON",
    Awr: "AWR CSV",
    AwrSpace: "AWR space CSV",
    Statspack: "Statspack CSV",
    AwrReport: "AWR report",
    StatspackReport: "Statspack report",
    PgStatIoCsv: "pg_stat_io CSV",
    PgStatIoJson: "pg_stat_io JSON"
});

impl Format {
    /// The format of a file with this beginning.
    ///
    /// # Errors
    /// When it is not one of the supported formats; with its name if that is known.
    pub fn of(head: &[u8]) -> Result<Self, Problem> {
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
        let has = |word: &str| text.windows(word.len()).any(|part| part == word.as_bytes());
        let is_watched = has(OSWATCHER) || EXAWATCHER.iter().any(|word| has(word));
        match text.first() {
            // Whatever is in it.
            _ if is_archive(head) || head.starts_with(b"PK\x03\x04") || foreign::cause(head).is_some() => {
                Err(unknown(head))
            }
            _ if is_watched && has("\nDevice") && has(OSWATCHER) => Ok(Self::OsWatcher),
            _ if is_watched && has("\nDevice") => Ok(Self::IostatText),
            _ if is_watched => Err(unknown(head)),
            _ if has_dated_runs(text) => Ok(Self::IostatUnderDates),
            _ if tool_begins(text) > 0 => Self::of(&text[tool_begins(text)..]),
            Some(b'A') if text.starts_with(b"AAA,") => Ok(Self::Nmon),
            _ if has("# Collectl:") || has("[DSK]") || has("[DSK:") => Ok(Self::Collectl),
            Some(b'{' | b'[') if has("\"sysstat\"") && has("\"file-date\"") => Ok(Self::Sadf),
            Some(b'{') if has("\"sysstat\"") => Ok(Self::Iostat),
            Some(b'{' | b'[') if has("\"backend_type\"") => Ok(Self::PgStatIoJson),
            Some(b'{') if has("\"MetricDataResults\"") || has("\"Datapoints\"") => Ok(Self::CloudWatch),
            Some(b'{') if has("\"metadatavalues\"") || has("Microsoft.Insights/metrics") => Ok(Self::Azure),
            Some(b'{') if has("\"timestamps\"") && has("\"metric\"") => Ok(Self::VictoriaMetrics),
            Some(b'{') if has("\"resultType\"") || has("\"status\"") => Ok(Self::Prometheus),
            Some(b'#') if text.starts_with(HEAD.as_bytes()) => Ok(Self::SadfRows),
            Some(b'#') => Ok(Self::OpenMetrics),
            Some(b'L') if text.starts_with(b"Linux ") && has_devices(text) => Ok(Self::IostatText),
            Some(b'L') if text.starts_with(b"Linux ") && (has_times(text) || has(" DEV ")) => Ok(Self::Sar),
            // A log that was rotated within a run.
            _ if has("r/s") && has_devices(text) && has_moments(text) => Ok(Self::IostatText),
            _ if has("WORKLOAD REPOSITORY") || has("<title>AWR") => Ok(Self::AwrReport),
            _ if has("STATSPACK report for") => Ok(Self::StatspackReport),
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

    /// From the column names in the first lines: SQL*Plus may have printed something before them.
    fn of_csv(text: &[u8]) -> Option<Self> {
        text.split(|&byte| byte == b'\n').take(csv::MOST_BEFORE).find_map(Self::of_heading)
    }

    /// The format whose columns a line names.
    pub fn of_heading(line: &[u8]) -> Option<Self> {
        let head = csv::Heading::of(csv::without_prompt(line))?;
        let has = |names: &[&str]| names.iter().all(|name| head.place(name).is_some());
        if has(&["metric_name", "average"]) {
            Some(Self::Awr)
        } else if has(&["snap_time", "db_name", "used_bytes"]) {
            Some(Self::AwrSpace)
        } else if has(&["snap_time", "name", "value"]) {
            Some(Self::Statspack)
        } else if has(&["backend_type", "reads"]) {
            Some(Self::PgStatIoCsv)
        } else {
            None
        }
    }

    /// The tool that wrote it.
    pub const fn source(self) -> Source {
        match self {
            Self::Prometheus | Self::VictoriaMetrics | Self::OpenMetrics => Source::Prometheus,
            Self::Iostat | Self::IostatText => Source::Iostat,
            Self::Sadf | Self::SadfRows | Self::Sar => Source::Sadf,
            Self::OsWatcher | Self::IostatUnderDates => Source::OsWatcher,
            Self::Nmon => Source::Nmon,
            Self::Collectl => Source::Collectl,
            Self::CloudWatch => Source::CloudWatch,
            Self::Azure => Source::Azure,
            Self::Awr | Self::AwrReport => Source::Awr,
            Self::AwrSpace => Source::AwrSpace,
            Self::Statspack | Self::StatspackReport => Source::Statspack,
            Self::PgStatIoCsv | Self::PgStatIoJson => Source::PgStatIo,
        }
    }

    /// A file of this format without a sample.
    pub fn empty(self, seen: &ReaderNotes) -> Problem {
        let problem = Problem::usage(format!("this {} contains no samples", self.name()));
        let problem = if seen.backwards > 0 && seen.resets + seen.gaps + seen.unusable == 0 {
            problem.because("its rows are in reverse chronological order")
        } else if seen.resets + seen.gaps > 0 {
            problem.because("all of its intervals were dropped: counters fell, or the gaps are too long")
        } else if seen.unusable > 0 && seen.left_out.is_empty() {
            problem.because(
                "none of its values is possible: they are not numbers, below 0, or more than any host can do",
            )
        } else if !seen.left_out.is_empty() {
            let names: Vec<&str> = seen.left_out.keys().take(MOST_NAMES).map(String::as_str).collect();
            problem
                .because(format!("it only has data that Rigel does not store, such as {}", names.join(", ")))
        } else if seen.skipped > 0 {
            problem.because(
                "its local times are in an hour that the zone's clock skipped: --zone names a \
                different zone from the file's",
            )
        } else {
            match self {
                Self::Prometheus | Self::VictoriaMetrics | Self::OpenMetrics => problem.because(
                    "it has none of the counters node_disk_*, node_filesystem_* and node_pressure_io_*, or only one sample of each",
                ),
                Self::Sadf | Self::SadfRows => problem.because("sysstat did not record disks (SADC_OPTIONS lacks -S DISK), or `-d` was left out"),
                Self::Sar => problem.because(
                    "it has no table of disks with times such as 18:10:23: sar was started without -d or in \
                     another language, the line of column names (DEV tps ..) is missing, or the file comes \
                     from mpstat or pidstat",
                ),
                Self::OsWatcher | Self::IostatUnderDates => {
                    problem.because("each of its blocks has only the report since boot, or none")
                }
                Self::Nmon => problem.because(
                    "it has fewer than two disk snapshots, or their times (ZZZZ) are missing",
                ),
                Self::CloudWatch | Self::Azure => problem.because(
                    "it has no disk metrics such as VolumeReadOps and Disk Read Operations/Sec, or fewer \
                     than two samples of each",
                ),
                Self::Collectl => problem.because("collectl recorded no disks: -sd or -sD is missing"),
                Self::Iostat | Self::IostatText if seen.first_reports > 1 => problem.because(
                    "each iostat run in it has only one report, but an interval needs two",
                ),
                Self::Iostat | Self::IostatText => problem.because("it has only one report, but an interval needs two"),
                Self::AwrReport | Self::StatspackReport => problem.because(
                    "it has neither a Load Profile nor an IO Profile nor Instance Activity Stats, or is cut off before them",
                ),
                _ => problem.because("counters need two snapshots, and averages need the names in the documented query"),
            }
        };
        problem.next("docs/reference/capacity.md has the commands and queries")
    }
}

/// The offset of the first line of a sysstat tool, if other text precedes it: that of `nohup` and `script`, or a prompt. Otherwise 0.
fn tool_begins(text: &[u8]) -> usize {
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n').take(MOST_REMARKS) {
        let is_head = line.starts_with(b"Linux ") && line.contains(&b'(') && line.contains(&b'\t');
        if is_head || line.starts_with(b"{\"sysstat\"") {
            return at;
        }
        at += line.len();
    }
    0
}

/// Whether each run of iostat follows a date, as a loop with `date` writes them, and has no times of its own. A single run may have any interval.
fn has_dated_runs(text: &[u8]) -> bool {
    if !has_devices(text) {
        return false;
    }
    let (mut dated, mut is_behind_date, mut is_behind_head) = (0, false, false);
    for line in text.split(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let is_head = line.starts_with("Linux ") && line.contains('(') && line.contains('\t');
        if (is_head && !is_behind_date) || (is_behind_head && is_moment(line)) {
            return false;
        }
        dated += u32::from(is_head);
        is_behind_date = is_block_date(line);
        is_behind_head = is_head;
    }
    dated > 1
}

/// Whether some line has the names of the columns of iostat, which `--pretty` puts before that of the disk.
fn has_devices(text: &[u8]) -> bool {
    let mut lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.any(|line| line.starts_with(b"Device") || line.ends_with(b" Device"))
}

/// Whether it is a tar archive, of one file or several.
fn is_archive(head: &[u8]) -> bool {
    head.get(TAR.0..TAR.0 + TAR.1.len()) == Some(TAR.1)
}

/// Whether some line is a date and a time.
fn has_moments(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| is_moment(String::from_utf8_lossy(line).trim()))
}

/// Whether some line begins with a time of day, like those of sar, mpstat and pidstat.
fn has_times(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').any(|line| {
        let line = String::from_utf8_lossy(line);
        time_of_day(&line.split_whitespace().take(4).collect::<Vec<_>>()).is_some()
    })
}

/// Whether some line names columns of AWR with blanks between them.
fn is_table_of_sqlplus(head: &[u8]) -> bool {
    let mut lines = head.split(|&byte| byte == b'\n').take(csv::MOST_BEFORE);
    lines.any(|line| {
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let words: Vec<&str> = line.split_whitespace().collect();
        let has = |names: [&str; 2]| names.iter().all(|name| words.contains(name));
        has(["metric_name", "average"]) || has(["metric_name", "value"]) || has(["snap_time", "value"])
    })
}

/// The missing column in a file that names those of AWR.
fn missing_column(head: &[u8]) -> Option<&'static str> {
    let mut lines = head.split(|&byte| byte == b'\n').take(csv::MOST_BEFORE);
    let found = lines.find_map(|line| csv::Heading::of(csv::without_prompt(line))?.missing());
    found.or_else(|| {
        // What a counter says now, without a time.
        let has_counter = csv::without_prompt(head.split(|&byte| byte == b'\n').next()?)
            .eq_ignore_ascii_case(b"name,value");
        has_counter.then_some("SNAP_TIME or END_INTERVAL_TIME")
    })
}

/// A file of a format that is not read.
pub fn unknown(head: &[u8]) -> Problem {
    let problem = Problem::usage("this file cannot be imported").at("line 1");
    let starts = |words: &[&[u8]]| words.iter().any(|word| head.trim_ascii_start().starts_with(word));
    let has = |words: &[&[u8]]| words.iter().any(|word| head.windows(word.len()).any(|part| part == *word));
    if head.trim_ascii().is_empty() {
        problem.because("it is empty").next("check whether the tool that should have written it failed")
    } else if SADC.iter().any(|magic| head.starts_with(magic)) {
        problem
            .because("it is a binary sysstat file, whose layout depends on the version")
            .next("convert it with sysstat: sadf -j FILE -- -b -d > FILE.json")
    } else if head.starts_with(&GZIP) {
        problem.because("it is compressed").next("uncompress it first: gzip -d FILE")
    } else if let Some((_, tool)) = PACKED.iter().find(|(magic, _)| head.starts_with(magic)) {
        problem
            .because("its compression format is not supported; gzip is")
            .next(format!("unpack it first: {tool}"))
    } else if is_archive(head) {
        problem
            .because("it is a tar archive")
            .next("unpack it into a directory, and import that: mkdir DIRECTORY && tar -xf FILE -C DIRECTORY")
    } else if has(&[OSWATCHER.as_bytes(), EXAWATCHER[0].as_bytes(), EXAWATCHER[1].as_bytes()]) {
        problem
            .because("it is an OSWatcher or ExaWatcher file without Linux disks")
            .next("only the iostat files of such archives are read")
    } else if has(&OTHER_REPORTS) {
        problem
            .because("it is an Oracle report without I/O rates: of sessions, findings or a trace")
            .next("create reports with awrrpt.sql or spreport.sql")
    } else if let Some((cause, next)) = foreign::cause(head).or_else(|| foreign::page(head)) {
        problem.because(cause).next(next)
    } else if is_table_of_sqlplus(head) {
        problem
            .because("it is an SQL*Plus table with only blanks between its columns")
            .next("run the query again after SET MARKUP CSV ON QUOTE ON")
    } else if let Some(column) = missing_column(head) {
        problem
            .because(format!("it has rows of AWR or Statspack, but has no column {column}"))
            .next("run the query in the documentation, or use its column names")
    } else if let Some((cause, next)) = headless::cause(head) {
        problem.because(cause).next(next)
    } else if starts(&[b"Linux "]) {
        problem
            .because(
                "it is the output of a sysstat tool without a disk table; those of iostat -x -t and \
                sar -d can be read",
            )
            .next("use sar -d -f FILE, or sadf -j FILE -- -b -d")
    } else if starts(&[b"SQLite format"]) {
        problem.because("it is a database").next("`rigel capacity show --store FILE` shows a store")
    } else {
        problem.because("its first bytes match none of the supported formats").next(format!("give {KNOWN}"))
    }
}
