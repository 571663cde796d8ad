//! `sadf -d FILE -- -b -d`: a row for each disk and time with semicolons between its fields, under a line of names.
//!
//! Each row has its host, its interval and its time. Must not guess a time zone.

use super::lines::Lines;
use super::prometheus::milliseconds;
use super::seen::{shown, wrong};
use super::sysstat::{Disk, SPACE};
use super::{Room, SampleSink};
use crate::{MS_PER_S, Metric, Source, Span, Subject, when};
use rigel_core::error::Problem;

/// Prefix of a line of column names.
pub const HEAD: &str = "# hostname;interval;timestamp";
/// The command that writes what is read here.
pub const AGAIN: &str = "sadf -d FILE -- -b -d";
/// Host, interval and time.
const OF_TIME: usize = 3;

/// A reader of it.
#[derive(Default)]
pub struct SadfRows {
    lines: Lines,
    /// The names of the columns.
    names: Vec<String>,
}

impl Room for SadfRows {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, names } = self;
        lines.cut(bytes, |line, number| self::line(&String::from_utf8_lossy(line), number, names, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if self.lines.drop_rest() {
            out.seen.notes.insert(
                "the file ends in the middle: sadf was stopped or is still writing; the complete rows are used",
            );
        }
        Ok(())
    }
}

fn line(text: &str, number: u64, names: &mut Vec<String>, out: &mut SampleSink<'_>) -> Result<(), Problem> {
    let text = text.trim();
    if let Some(head) = text.strip_prefix("# ") {
        *names = head.split(';').map(str::to_owned).collect();
        return Ok(());
    }
    let fields: Vec<&str> = text.split(';').collect();
    match fields.get(OF_TIME) {
        None => Ok(()),
        Some(word) if word.starts_with("LINUX-RESTART") => {
            out.seen.reboots += 1;
            Ok(())
        }
        Some(word) if word.starts_with("COM ") => Ok(()),
        _ if names.last().is_some_and(|name| name.ends_with("[...]")) => {
            Err(wrong(number, "a row has several disks or tables")
                .because("sadf was started with -h")
                .next(format!("create it again: {AGAIN}")))
        }
        _ if fields.len() != names.len() => {
            out.seen.unusable += 1;
            Ok(())
        }
        _ => row(names, &fields, number, out),
    }
}

fn row(names: &[String], fields: &[&str], number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
    let at = |name: &str| names.iter().position(|known| known == name);
    // Locales with decimal commas; there are no groups of thousands.
    let value = |place: usize| fields[place].replace(',', ".").parse().unwrap_or(f64::NAN);
    let (disk, of_host) = (at("DEV"), at("rtps").zip(at("wtps")));
    if disk.is_none() && of_host.is_none() {
        if names.iter().any(|name| name == "MBfsused") {
            out.seen.leaves_out(SPACE);
        }
        return Ok(());
    }
    let host = fields[0];
    out.check_host(host, number)?;
    out.seen.tells_of(host, host);
    let Some(span) = span(fields[1], fields[2], number, out)? else { return Ok(()) };
    if let Some((reads, writes)) = of_host {
        let key = out.key(host, Subject::host(), Source::Sadf);
        out.row(&key, span, &[(Metric::ReadOps, value(reads)), (Metric::WriteOps, value(writes))]);
        out.seen.parted_of_host = true;
    }
    let Some(disk) = disk else { return Ok(()) };
    out.seen.unparted = true;
    let columns = names.iter().enumerate().filter(|(place, _)| *place != disk);
    let columns = columns.map(|(place, name)| (name.as_str(), fields[place]));
    let values = Disk::of_columns(fields[disk].to_owned(), columns).values();
    let subject = out.disk(fields[disk], "");
    let key = out.key(host, subject, Source::Sadf);
    out.row(&key, span, &values);
    Ok(())
}

/// `600` and `2026-11-29 21:10:01 UTC`, a local time without a zone, or seconds of the epoch.
fn span(seconds: &str, time: &str, line: u64, out: &mut SampleSink<'_>) -> Result<Option<Span>, Problem> {
    let words: Vec<&str> = time.split_whitespace().collect();
    let end_ms = match words.as_slice() {
        [epoch] => epoch.parse().ok().and_then(milliseconds),
        [date, time, zone @ ..] => {
            let local = when::local(date, time).ok_or_else(|| no_time(&words.join(" "), line))?;
            let zone = out.zone_of(&zone.join(" "), local, line)?;
            match out.moment(local, zone, line)? {
                Some(end_ms) => Some(end_ms),
                None => return Ok(None),
            }
        }
        [] => None,
    };
    let end_ms = end_ms.ok_or_else(|| no_time(time, line))?;
    let length_ms = seconds.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(MS_PER_S));
    let span = length_ms.and_then(|length| Span::between(end_ms.checked_sub(length)?, end_ms));
    out.seen.unusable += u64::from(span.is_none());
    Ok(span)
}

fn no_time(text: &str, line: u64) -> Problem {
    wrong(line, format!("'{}' is not a date and time", shown(text)))
        .because("the file is damaged, or has different columns")
        .next(format!("create it again: {AGAIN}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, read, try_read};
    use super::super::{Format, Options};
    use crate::{Kind, Metric};
    use jiff::tz::TimeZone;

    /// What sadf 12.6.1 wrote.
    const ROWS: &str = "# hostname;interval;timestamp;tps;rtps;wtps;dtps;bread/s;bwrtn/s;bdscd/s
vm;1;2026-11-29 21:11:59 UTC;29.00;0.00;29.00;0.00;0.00;96488.00;0.00
vm;1;2026-11-29 21:12:00 UTC;5.00;3.00;2.00;0.00;0.00;0.00;0.00
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
vm;1;2026-11-29 21:11:59 UTC;vda;29.00;0.00;48244.00;0.00;1663.59;0.13;4.38;2.80
vm;-1;2026-11-29 21:12:00 UTC;LINUX-RESTART\t(2 CPU)
vm;1;2026-11-29 21:12:00 UTC;vda;5.00;12.00;0.00;0.00;0.00;0.00;0.00;0.00
";

    #[test]
    fn rows_of_the_real_tool_are_read() {
        let (format, seen, tables) = try_read(ROWS.as_bytes(), Options::default(), 7).unwrap();
        assert_eq!((format, seen.reboots, seen.unusable, seen.unparted), (Format::SadfRows, 1, 0, true));
        let vda = disk(&tables, "vda");
        assert_eq!((vda.spans()[0].end_ms(), vda.spans()[0].length_ms), (1_795_986_719_000, 1_000));
        assert_eq!(vda.column(Metric::AllOps).unwrap(), [29.0, 5.0]);
        assert_eq!(vda.column(Metric::WriteBytes).unwrap()[0], 48_244.0 * 1024.0);
        let host = tables.iter().find(|(key, _)| key.subject.kind == Kind::Host).unwrap();
        assert_eq!((host.0.host.as_str(), host.1.column(Metric::ReadOps).unwrap()), ("vm", &[0.0, 3.0][..]));
    }

    #[test]
    fn every_form_of_the_time_is_the_same_and_others_are_told() {
        let same = read(ROWS.as_bytes(), Options::default()).1;
        let epoch = ROWS
            .replace("2026-11-29 21:11:59 UTC", "1795986719")
            .replace("2026-11-29 21:12:00 UTC", "1795986720");
        assert_eq!(read(epoch.as_bytes(), Options::default()).1, same);
        let local = ROWS.replace(" UTC", "");
        let zone = Options { zone: Some(TimeZone::UTC), ..Options::default() };
        assert_eq!(read(local.as_bytes(), zone).1, same);
        let told = |text: &str| try_read(text.as_bytes(), Options::default(), 99).unwrap_err().to_string();
        assert!(told(&local).contains("--zone"));
        assert!(told(&ROWS.replace("%util", "%util[...]")).contains("started with -h"));
        let (seen, tables) = read(&ROWS.as_bytes()[..ROWS.len() - 9], Options::default());
        assert_eq!((disk(&tables, "vda").spans().len(), seen.notes.len()), (1, 1), "cut off");
    }
}
