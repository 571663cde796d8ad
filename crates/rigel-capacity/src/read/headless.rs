//! Recognises a file whose first lines are missing, as `tail`, `head` and `grep` leave it: why it cannot be read, and what can.
//!
//! Must not read samples.

use super::locale::{ISO_IOSTAT, time_of_day};
use super::oracle::STATISTICS;
use super::sadf_rows;

/// Lines that are checked.
const MOST_LINES: usize = 40;
/// Numbers in a row of a table of disks, at least.
const FEWEST_NUMBERS: usize = 6;
/// Fields of a row of AWR or Statspack, and their possible separators.
const FEWEST_FIELDS: usize = 5;
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// Prefixes of nmon lines with values.
const NMON: [&str; 5] = ["ZZZZ,T", "DISKREAD", "DISKWRITE", "DISKBUSY", "DISKXFER"];
/// In rows of `pg_stat_io`.
const BACKENDS: [&str; 3] = ["client backend", "autovacuum worker", "background writer"];
/// Parts of JSON that are far from its beginning, what wrote them, and how to write it again.
const PARTS: [(&str, &str, &str); 4] = [
    ("\"disk_device\"", "iostat's JSON", ISO_IOSTAT),
    ("\"disk-device\"", "sadf's JSON", "sadf -j FILE -- -b -d"),
    ("\"__name__\"", "Prometheus's answer", "curl .. /api/v1/query_range > FILE, without jq"),
    ("\"Timestamps\"", "CloudWatch's answer", "aws cloudwatch get-metric-data .. > FILE"),
];

/// Why a file that begins so cannot be read, and what to do; nothing if that is not known.
pub fn cause(head: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(head);
    if text.trim_start().starts_with(['{', '[', ']', '}', '"', ','])
        && let Some((_, what, again)) = PARTS.iter().find(|(part, ..)| text.contains(part))
    {
        return Some((
            format!("it is part of {what}, without its beginning"),
            format!("import the whole file; it is written with {again}"),
        ));
    }
    if text.contains("# DISK STATISTICS") {
        return Some((
            "it is what collectl shows on a terminal".to_owned(),
            "let it write rows: collectl -sD -P -f DIRECTORY".to_owned(),
        ));
    }
    let lines = || text.lines().take(MOST_LINES);
    lines().find_map(of_names).or_else(|| lines().find_map(of_extract)).or_else(|| lines().find_map(of_row))
}

/// What is missing, and how to write all of it.
fn missing(what: &str, again: &str) -> (String, String) {
    let next = format!("import the whole file; it is written with {again}");
    (format!("{what}, as tail, head and grep leave it"), next)
}

/// By the column names.
fn of_names(line: &str) -> Option<(String, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_device = words.first().is_some_and(|word| word.starts_with("Device"));
    if is_device && words.contains(&"r/s") {
        Some(missing(
            "it is an iostat table without the first line of the run, which has the host and the date",
            ISO_IOSTAT,
        ))
    } else if words.contains(&"DEV") && words.contains(&"tps") {
        Some(missing(
            "it is a sar table without the first line, which has the host and the date",
            "sar -d -f FILE",
        ))
    } else {
        None
    }
}

/// A row of an extract of a database or sadf, or of a report.
fn of_extract(line: &str) -> Option<(String, String)> {
    let lower = line.to_ascii_lowercase();
    let has = |all: &[&str]| all.iter().any(|word| lower.contains(word));
    let fields = |sign: char| line.split(sign).collect::<Vec<_>>();
    if is_time_of_sadf(&fields(';')) {
        Some(missing(
            "it has rows of `sadf -d` without the line of column names, # hostname;interval;..",
            sadf_rows::AGAIN,
        ))
    } else if is_time_of_sadf(&fields('\t')) {
        Some((
            "it has rows of `sadf -p`, with one value in each".to_owned(),
            format!("create it again: {}", sadf_rows::AGAIN),
        ))
    } else if STATISTICS.iter().any(|(of_awr, of_statspack, _)| has(&[of_awr, of_statspack]))
        && DELIMITERS.iter().any(|sign| fields(*sign).len() >= FEWEST_FIELDS)
    {
        Some(missing(
            "it has rows of AWR or Statspack without the line of column names",
            "the documented query",
        ))
    } else if fields(',').len() > FEWEST_NUMBERS && has(&BACKENDS) {
        Some(missing("it has rows of pg_stat_io without the line of column names", "the documented query"))
    } else if has(&["begin snap:", "load profile", "instance activity stats"]) {
        Some(missing(
            "it is part of an AWR or Statspack report, without its title",
            "awrrpt.sql or spreport.sql",
        ))
    } else {
        None
    }
}

/// A row of a tool that reports disks.
fn of_row(line: &str) -> Option<(String, String)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if NMON.iter().any(|begin| line.starts_with(begin)) {
        Some(missing(
            "it has lines of nmon without those at the beginning (AAA,..)",
            "nmon -f -s 60 -c 1440 -g auto -D",
        ))
    } else if is_row_of_collectl(&words) {
        Some(missing(
            "it has rows of collectl without the lines at the beginning (# Collectl: ..)",
            "collectl -sD -P -f DIRECTORY",
        ))
    } else if time_of_day(&words).is_some_and(|(_, count)| is_row(&words[count..])) {
        Some(missing(
            "it has rows of sar without the first line (host and date) and the line of column names (DEV \
             tps ..)",
            "sar -d -f FILE",
        ))
    } else if is_row(&words) {
        Some(missing(
            "it has rows of iostat without the lines for column names (Device ..), host and times",
            ISO_IOSTAT,
        ))
    } else {
        None
    }
}

/// A name followed by numbers.
fn is_row(words: &[&str]) -> bool {
    let is_number = |word: &&str| word.replace(',', ".").parse::<f64>().is_ok();
    let numbers = words.iter().skip(1).filter(|word| is_number(word)).count();
    words.len() > FEWEST_NUMBERS
        && numbers + 1 == words.len()
        && words[0].starts_with(|sign: char| sign.is_ascii_alphabetic())
}

/// A host, an interval in seconds and a time.
fn is_time_of_sadf(fields: &[&str]) -> bool {
    let is_seconds = |text: &str| text.parse::<i64>().is_ok_and(|seconds| seconds > 0);
    let is_time = |text: &str| text.len() > 9 && text.starts_with(|sign: char| sign.is_ascii_digit());
    matches!(fields, [_, seconds, time, _, _, ..] if is_seconds(seconds) && is_time(time))
}

fn is_row_of_collectl(words: &[&str]) -> bool {
    let is_date = |word: &str| word.len() == 8 && word.starts_with("20") && word.parse::<u32>().is_ok();
    matches!(words, [date, time, rest @ ..] if is_date(date) && time_of_day(&[time]).is_some() && rest.len() >= FEWEST_NUMBERS)
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::field::utc;
    use super::super::tests::{file, read, try_read};

    fn told(text: &str) -> String {
        try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string()
    }

    /// Each with the line that is missing.
    #[test]
    fn a_file_without_its_beginning_is_told_what_is_missing() {
        let text = |name: &str| String::from_utf8(file(name)).unwrap();
        let tail = |text: &str, lines: usize| {
            text.lines().skip(lines).map(|line| format!("{line}\n")).collect::<String>()
        };
        let grep = |text: &str, word: &str| {
            text.lines()
                .filter(|line| line.contains(word))
                .map(|line| format!("{line}\n"))
                .collect::<String>()
        };
        let (iostat, sar) = (text("iostat-12.6.1.txt"), text("sar-12.6.1.txt"));
        for (text, cause) in [
            (tail(&iostat, 1), "the first line of the run, which has the host and the date, is missing"),
            (tail(&iostat, 1).replace("11/29/26 ", "?"), "iostat table without the first line"),
            (grep(&iostat, "vda "), "rows of iostat without the lines for column names"),
            (tail(&sar, 1), "sar table without the first line"),
            (grep(&sar, " vda "), "rows of sar without the first line"),
            (tail(&text("iostat-12.6.1.json"), 8), "part of iostat's JSON"),
            (tail(&text("sadf-12.6.1.json"), 8), "part of sadf's JSON"),
            (
                text("nmon-16n.nmon")[text("nmon-16n.nmon").find("\nZZZZ,").unwrap() + 1..].to_owned(),
                "lines of nmon",
            ),
            (tail(&text("collectl-4.3.1.dsk"), 16), "rows of collectl"),
            (tail(&text("pg_stat_io-18.4.csv"), 1), "rows of pg_stat_io without the line of column names"),
            (
                "db1,ORCL,1,2026-06-10 00:00:22,2026-06-10 01:00:22,Redo Writes Per Sec,10\n".to_owned(),
                "rows of AWR or Statspack",
            ),
            (
                "db1;600;2026-11-29 21:11:59 UTC;vda;29.00;0.00;48244.00;0.00;1663.59;0.13;4.38;2.80\n"
                    .to_owned(),
                "rows of `sadf -d`",
            ),
            ("db1\t600\t2026-11-29 21:11:59 UTC\tvda\ttps\t29.00\n".to_owned(), "rows of `sadf -p`"),
        ] {
            assert!(
                told(&text).contains(cause),
                "{cause}: {}\n{}",
                told(&text),
                &text[..text.len().min(300)]
            );
        }
    }

    /// Logs are rotated within a run: the next file has no first line.
    #[test]
    fn iostat_without_its_first_line_is_read_once_the_host_is_named() {
        let text = String::from_utf8(file("iostat-12.6.1.txt")).unwrap();
        let whole = read(text.as_bytes(), utc()).1;
        let tail = &text[text.find('\n').unwrap() + 1..];
        let of_host = Options { host: Some("vm".to_owned()), ..utc() };
        assert_eq!(read(tail.as_bytes(), of_host.clone()).1, whole);
        // From the middle of the table since the boot on.
        let later = &text[text.find("vda").unwrap() - 30..];
        assert_eq!(read(later.as_bytes(), of_host).1.values().next().unwrap().spans().len(), 2);
    }

    #[test]
    fn packed_files_are_told_how_they_are_unpacked() {
        for (magic, command) in [
            (&b"BZh91AY"[..], "bzip2 -dk FILE"),
            (b"\xfd7zXZ\x00", "xz -dk FILE"),
            (b"\x28\xb5\x2f\xfd", "zstd -d FILE"),
            (b"\x04\x22\x4d\x18", "lz4 -d FILE"),
            (b"PK\x03\x04", "unzip FILE"),
            (b"7z\xbc\xaf\x27\x1c", "7z x FILE"),
        ] {
            let problem = try_read(magic, Options::default(), 99).unwrap_err().to_string();
            assert!(problem.contains(command), "{problem}");
        }
        let tar = [&[b'x'; 257][..], b"ustar\x0000", &file("iostat-12.6.1.txt")].concat();
        let problem = try_read(&tar, utc(), 99).unwrap_err().to_string();
        assert!(problem.contains("tar -xf FILE -C DIRECTORY"), "{problem}");
    }
}
