//! `iostat -x -t` as text: tables of disks under a time, as all versions of sysstat from 9 on write them.
//!
//! So do ExaWatcher, and OSWatcher where it lets iostat run, which put lines about themselves on top. Columns are found by name. A report counts once the blank line after its table is
//! there: what a truncated table leaves out is unknown, not idle.
//! Runs may follow one another. Must not guess the order of a date.

use super::format::OSWATCHER;
use super::iostat::{Run, check_columns, time};
use super::lines::Lines;
use super::locale::{
    Dates, DayClock, ISO_IOSTAT, behind_weekday, head_day, of_date, plain, time_of_day, zone_word,
};
use super::seen::{DateOrder, Options, shown, wrong};
use super::sysstat::{Disk, glued_head, is_for_people, tell_coarse, tell_sums, without_colours};
use super::{Room, SampleSink};
use crate::when;
use jiff::tz::TimeZone;
use rigel_core::error::Problem;

/// A reader of it.
#[derive(Default)]
pub struct IostatText {
    lines: Lines,
    tables: Tables,
}

#[derive(Default)]
struct Tables {
    run: Run,
    runs: u64,
    /// When ExaWatcher says that it began, whose dates are month, day and year, or OSWatcher.
    started: Option<String>,
    /// The zone that OSWatcher has for it, unless it is that of `--zone`.
    zone: Option<TimeZone>,
    /// The date in the first line, and the times of day below it, which old versions write without a date.
    day: String,
    clock: Option<DayClock>,
    /// The time of the report, once it is known.
    at: Option<ReportTime>,
    /// A line that may be a time, but is not one that is read.
    foreign_time: Option<String>,
    /// The names of the columns of the table, while it continues.
    columns: Vec<String>,
    /// Blanks before them.
    indent: usize,
    rows: Vec<Disk<'static>>,
    /// Whether the table is that of network filesystems (`-n`).
    is_of_network: bool,
}

/// A reported time; `None` for a local time that never existed.
#[derive(Clone, Copy)]
struct ReportTime(Option<i64>);

impl Room for IostatText {
    fn bytes(&mut self, bytes: &[u8], out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let Self { lines, tables } = self;
        lines.cut(bytes, |line, number| tables.line(&without_colours(line), number, out))
    }

    fn end(&mut self, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if self.lines.drop_rest() || !self.tables.columns.is_empty() {
            out.seen.notes.insert("the file ends in the middle: iostat was stopped or is still writing; the complete reports are used");
        }
        Ok(())
    }
}

impl Tables {
    fn line(&mut self, line: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if let Some(at) = glued_head(line) {
            out.seen.notes.insert("a run in the file ends in the middle: its complete reports are used");
            return self.line(&line[at..], number, out);
        }
        let text = line.trim();
        if text.is_empty() {
            self.is_of_network = false;
            self.whole(number, out)
        } else if let Some(date) = text.strip_prefix(OSWATCHER) {
            // A run that was stopped within a table may be followed by another.
            self.columns.clear();
            self.watched(date, number, out)
        } else if text.starts_with("Filesystem") && text.contains("ops/s") {
            self.is_of_network = true;
            Ok(())
        } else if self.is_of_network {
            out.seen.leaves_out("network filesystems (iostat -n)");
            Ok(())
        } else if let Some(system) = text.strip_prefix("Linux ").filter(|system| system.contains('(')) {
            // A run that was stopped within a table may be followed by another.
            self.columns.clear();
            self.begin(system, out);
            Ok(())
        } else if text.starts_with("Device") {
            self.columns =
                text.split_whitespace().map(|name| name.trim_end_matches(':').to_owned()).collect();
            self.indent = indent(line);
            self.rows.clear();
            Ok(())
        } else if text.ends_with(" Device") {
            Err(wrong(
                number,
                "a report is spread over several tables, with the disk names after the figures",
            )
            .because("iostat was started with -h or --pretty")
            .next(format!("create it again: {ISO_IOSTAT}")))
        } else if !self.columns.is_empty() {
            self.disk(line, number, out)
        } else if let Some(time) = text.strip_prefix("Time:") {
            self.at = Some(ReportTime(self.time_of_day(time, number, out)?));
            Ok(())
        } else if let Some(started) = text.strip_prefix("# Starting Time:") {
            let date = started.split_whitespace().next().unwrap_or_default();
            self.started =
                Dates::day(date, Some(DateOrder::MonthDay), number).ok().map(|day| day.to_string());
            Ok(())
        } else if is_moment(text) {
            let dates = (&mut self.run.dates, self.zone.clone());
            self.at = Some(ReportTime(time(text, number, dates, out)?));
            Ok(())
        } else {
            // A line between reports with figures and words, or figures of another script: a time in an unsupported
            // language.
            let is_of_cpus =
                !text.contains(char::is_alphabetic) && text.contains(|sign: char| sign.is_ascii_digit());
            if text.contains(char::is_numeric) && !is_of_cpus {
                self.foreign_time = Some(text.to_owned());
            }
            Ok(())
        }
    }

    /// `Wed Feb 29 11:01:52 EST 2012 Sample interval: 5`: when the run below it began.
    fn watched(&mut self, date: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if let Some((local, zone)) = of_date(date) {
            self.started = Some(local.date().to_string());
            self.zone = match zone {
                None => out.zone_of(zone_word(date), local, number)?,
                known => known,
            };
        }
        Ok(())
    }

    /// `6.1.0-18-amd64 (db1) 11/24/26 _x86_64_ (4 CPU)`, with tabs in between.
    fn begin(&mut self, system: &str, out: &mut SampleSink<'_>) {
        let (host, rest) =
            system.split_once('(').and_then(|(_, rest)| rest.split_once(')')).unwrap_or_default();
        out.seen.tells_of(host, host);
        self.runs += 1;
        self.at = None;
        self.foreign_time = None;
        let day = self.started.as_deref().or_else(|| Some(head_day(rest)).filter(|day| !day.is_empty()));
        self.run = Run::begin(self.runs, host, Dates::begun(day));
        day.unwrap_or_default().clone_into(&mut self.day);
        self.clock = None;
    }

    /// `03:03:18 AM` of versions before sysstat 9, on the day in the first line.
    fn time_of_day(
        &mut self,
        text: &str,
        number: u64,
        out: &mut SampleSink<'_>,
    ) -> Result<Option<i64>, Problem> {
        let Some((time, _)) = time_of_day(&text.split_whitespace().collect::<Vec<_>>()) else {
            return Err(wrong(number, format!("'{}' is not a time of day", shown(text)))
                .because("iostat wrote it in another language, or the file is damaged")
                .next(format!("create it again: {ISO_IOSTAT}")));
        };
        let begun = match self.clock {
            Some(clock) => clock,
            None => DayClock::begun(Dates::day(&self.day, out.options.dates, number)?),
        };
        let clock = self.clock.insert(begun);
        out.moment(clock.moment(time), self.zone.clone(), number)
    }

    /// A row. The sum of a group is indented more than the column names.
    fn disk(&mut self, line: &str, number: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.len() != self.columns.len() {
            out.seen.unusable += 1;
            return Ok(());
        }
        if let Some(word) = words.iter().skip(1).find(|word| is_for_people(word)) {
            return Err(wrong(number, format!("'{}' is a rounded figure with a unit", shown(word)))
                .because("iostat was started with -h or --human")
                .next(format!("create it again: {ISO_IOSTAT}")));
        }
        let columns = self.columns.iter().zip(&words).skip(1).map(|(name, word)| (name.as_str(), *word));
        let name = if indent(line) > self.indent { format!(" {}", words[0]) } else { words[0].to_owned() };
        self.rows.push(Disk::of_columns(name, columns));
        Ok(())
    }

    /// The table is over.
    fn whole(&mut self, line: u64, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        if std::mem::take(&mut self.columns).is_empty() {
            return Ok(());
        }
        check_columns(&self.rows, line)?;
        tell_coarse(&self.rows, out);
        tell_sums(&self.rows, out);
        let Options { host, host_of_nameless, .. } = out.options;
        if self.runs == 0 && host.is_none() && host_of_nameless.is_none() {
            return Err(wrong(
                line,
                "the first line of the run, which has the host and the date, is missing",
            )
            .because("tail, grep or log rotation cut it off")
            .next("name the host with --host NAME"));
        }
        let Some(ReportTime(at_ms)) = self.at.take() else {
            if let Some(text) = &self.foreign_time {
                return Err(wrong(line, format!("'{}' is not a date and time", shown(text)))
                    .because("iostat writes dates in the locale's format, but only numeric ones are read")
                    .next(format!("write ISO 8601 dates from now on: {ISO_IOSTAT}")));
            }
            return Err(wrong(line, "the reports have no timestamps")
                .because("iostat was started without -t")
                .next(format!("create it again: {ISO_IOSTAT}")));
        };
        if let Some(at_ms) = at_ms {
            self.run.report(at_ms, &self.rows, out);
        }
        Ok(())
    }
}

/// Blanks with which a line begins.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line is a date and a time: `11/24/26 18:10:23`, `2026年11月24日 18时10分23秒`, `24.11.2026 18.10.23`, `2026-11-24T18:10:23+0000`, or
/// `1795543823`.
pub fn is_moment(text: &str) -> bool {
    if when::of_epoch(text).is_some() {
        return true;
    }
    let plain = plain(text);
    let words: Vec<&str> = plain.split(' ').collect();
    let is_date =
        words[0].starts_with(|sign: char| sign.is_ascii_digit()) && words[0].contains(['-', '/', '.', ':']);
    is_date && (words[0].contains(':') || time_of_day(behind_weekday(&words[1..])).is_some())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, file, read, try_read};
    use super::super::{DateOrder, Format, Options};
    use crate::Metric;
    use jiff::tz::TimeZone;

    fn utc() -> Options {
        Options { zone: Some(TimeZone::UTC), dates: Some(DateOrder::MonthDay), ..Options::default() }
    }

    fn text() -> String {
        String::from_utf8(file("iostat-12.6.1.txt")).unwrap()
    }

    /// Its second report, 1 s up to 05:39:03: vda had 1,420 reads of 5,696 kB in 0.06 ms, and 186 writes.
    #[test]
    fn tables_of_the_real_tool_are_read() {
        let (seen, tables) = read(text().as_bytes(), utc());
        let vda = disk(&tables, "vda");
        assert_eq!(
            (vda.spans()[0].start_ms, vda.spans()[0].length_ms, vda.spans().len()),
            (1_795_930_742_000, 1_000, 3)
        );
        let first = |metric| vda.column(metric).unwrap()[0];
        assert!((first(Metric::ReadOps) - 1420.0).abs() < 1e-9);
        assert!((first(Metric::WriteOps) - 186.0).abs() < 1e-9);
        assert!((first(Metric::ReadBytes) - 5696.0 * 1024.0).abs() < 1e-6);
        assert!((first(Metric::WriteBytes) - 740.0 * 1024.0).abs() < 1e-6);
        assert!((first(Metric::ReadTime) - 1420.0 * 0.06 / 1000.0).abs() < 1e-9);
        assert!((first(Metric::Busy) - 0.032).abs() < 1e-9);
        assert_eq!((seen.first_reports, seen.unusable), (1, 0));
        assert!(seen.notes.is_empty() && seen.hosts.contains("vm"), "{seen:?}");
        for size in [1, 7, 1000] {
            let other = try_read(text().as_bytes(), utc(), size).unwrap();
            assert_eq!((other.1, other.2), (seen.clone(), tables.clone()), "{size}");
        }
        // The language of the times and numbers makes no difference.
        let iso = text().replace("11/29/26 05:39:0", "2026-11-29T05:39:0");
        assert_eq!(read(iso.as_bytes(), utc()).1, tables);
        let seconds = text()
            .replace("11/29/26 05:39:02", "1795930742")
            .replace("\n11/29/26 05:39:03\n", "\n1795930743\n")
            .replace("11/29/26 05:39:04", "1795930744")
            .replace("11/29/26 05:39:05", "1795930745");
        assert_eq!(read(seconds.as_bytes(), Options::default()).1, tables, "iostat -U");
        let halves = text()
            .replace("11/29/26 05:39:02", "11/29/26 05:39:02 AM")
            .replace("\n11/29/26 05:39:03\n", "\n11/29/26 05:39:03 AM\n");
        assert_eq!(read(halves.as_bytes(), utc()).1, tables);
        let comma = text().replace('.', ",");
        assert_eq!(read(comma.as_bytes(), utc()).1, tables);
        // And two runs in a file are two runs.
        let twice = text() + &text().replace("05:39", "06:39");
        let (seen, tables) = read(twice.as_bytes(), utc());
        assert_eq!((seen.first_reports, disk(&tables, "vda").spans().len()), (2, 6));
    }

    /// As sysstat 9 and 10 have them, in sectors and as they were before reads had a wait of their own.
    #[test]
    fn columns_of_old_versions_are_read() {
        let report = |time: &str, reads: u32| {
            format!(
                "11/24/2026 {time} PM\navg-cpu:  %user   %nice\n           1.00    0.00\n\n\
                 Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
                 sda               0.00     1.00 {reads}.00   50.00   1600.00   400.00     8.00     0.10    2.00   0.50   5.00\n\n"
            )
        };
        let text = "Linux 2.6.32-754.el6.x86_64 (db1) \t11/24/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned()
            + &report("06:10:00", 7)
            + &report("06:20:00", 100);
        let (_, tables) = read(text.as_bytes(), Options { dates: None, ..utc() });
        let sda = disk(&tables, "sda");
        assert_eq!(crate::when::shown(sda.spans()[0].start_ms), "2026-11-24 18:10");
        assert_eq!(sda.column(Metric::ReadOps).unwrap(), [100.0]);
        assert_eq!(sda.column(Metric::WriteBytes).unwrap(), [400.0 * 512.0]);
        assert!(sda.column(Metric::ReadTime).is_none());
        assert_eq!(sda.column(Metric::AllTime).unwrap(), [150.0 * 2.0 / 1000.0]);
    }

    /// As JSON of sysstat 11.5 to 11.6 has them: operations are `r` and `w`, and MB of `-m` are called kB.
    #[test]
    fn json_of_old_versions_is_read() {
        let text = |unit: f64| {
            let report = |minute: u32| {
                format!(
                    r#"{{"timestamp": "11/24/2026 06:1{minute}:00 PM", "disk": [{{"disk_device": "sda", "rrqm": 0.00, "wrqm": 1.00, "r": 1000.00, "w": 500.00, "rkB": {:.2}, "wkB": {:.2}, "avgrq-sz": 16.00, "avgqu-sz": 0.10, "await": 1.00, "r_await": 1.00, "w_await": 2.00, "svctm": 0.50, "util": 10.00}}]}}"#,
                    8_192_000.0 / unit,
                    4_096_000.0 / unit
                )
            };
            format!(
                r#"{{"sysstat": {{"hosts": [{{"nodename": "db1", "date": "11/24/2026", "statistics": [{}, {}]}}]}}}}"#,
                report(0),
                report(1)
            )
        };
        for unit in [512.0, 1024.0, 1_048_576.0] {
            let (_, tables) = read(text(unit).as_bytes(), utc());
            let of = |metric| disk(&tables, "sda").column(metric).unwrap()[0];
            assert_eq!(
                [of(Metric::ReadOps), of(Metric::WriteOps), of(Metric::WriteTime)],
                [1000.0, 500.0, 1.0]
            );
            let (read, written) = (of(Metric::ReadBytes), of(Metric::WriteBytes));
            assert!(
                (read / 8_192_000.0 - 1.0).abs() < 0.002 && (written / 4_096_000.0 - 1.0).abs() < 0.002,
                "{unit}: {read} {written}"
            );
        }
    }

    #[test]
    fn a_file_that_is_cut_anywhere_gives_its_complete_reports() {
        let whole = text();
        let all = read(whole.as_bytes(), utc()).1;
        let mut rows = 0;
        for end in (1..whole.len()).step_by(13).chain([whole.len()]) {
            match try_read(&whole.as_bytes()[..end], utc(), 1 << 16) {
                Err(problem) => assert!(problem.kind.code() == 2 && rows == 0, "{end}: {problem}"),
                Ok((_, seen, tables)) => {
                    for (key, table) in &tables {
                        let count = table.spans().len();
                        assert_eq!(*table, all[key].slice(0, all[key].spans()[count - 1].end_ms()), "{end}");
                        rows = count;
                    }
                    assert_eq!(seen.unusable, 0, "{end}");
                }
            }
        }
        assert_eq!(rows, 3);
    }

    #[test]
    fn what_iostat_was_not_asked_for_is_named() {
        let told = |text: String| try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
        let no_times: String = text()
            .lines()
            .filter(|line| !line.starts_with("11/29/26 "))
            .map(|line| format!("{line}\n"))
            .collect();
        assert!(told(no_times).contains("without -t"));
        let plain = "Linux 6.1 (db1) \t11/24/26 \t_x86_64_\n\n11/24/26 18:10:23\nDevice             tps    kB_read/s\nsda  1.00  2.00\n\n";
        assert!(told(plain.to_owned()).contains("without -x"));
        assert!(told(plain.replace("11/24/26 18:10", "Time: noon")).contains("not a time of day"));
    }

    /// What iostat writes without `-x`: operations together, and the bytes of each direction, in whichever unit.
    #[test]
    fn without_extended_columns_bytes_have_a_direction_and_operations_have_none() {
        let report = |time: &str, unit: &str, read: f64, written: f64| {
            format!(
                "11/24/26 {time}\nDevice             tps    {unit}_read/s    {unit}_wrtn/s    {unit}_read    {unit}_wrtn\n\
                 sda             150.00   {read:.2}   {written:.2}   480000   240000\n\n"
            )
        };
        for (unit, bytes) in [("kB", 1024.0), ("MB", 1_048_576.0), ("Blk", 512.0)] {
            let text = "Linux 6.1 (db1) \t11/24/26 \t_x86_64_\t(4 CPU)\n\n".to_owned()
                + &report("18:10:00", unit, 1.0, 1.0)
                + &report("18:11:00", unit, 80.0, 40.0);
            let (seen, tables) = read(text.as_bytes(), utc());
            let of = |metric| disk(&tables, "sda").column(metric).map(<[f64]>::to_vec);
            assert_eq!(of(Metric::AllOps), Some(vec![150.0]), "{unit}");
            assert_eq!(of(Metric::ReadBytes), Some(vec![80.0 * bytes]), "{unit}");
            assert_eq!(of(Metric::WriteBytes), Some(vec![40.0 * bytes]), "{unit}");
            assert_eq!(of(Metric::ReadOps), None, "{unit}");
            assert!(seen.notes.iter().any(|note| note.contains("without -x")), "{unit}: {seen:?}");
        }
        let json = |minute: u32| {
            format!(
                r#"{{"timestamp": "2026-06-10T08:0{minute}:00+0000", "disk": [{{"disk_device": "sda", "tps": 150.00, "kB_read/s": 80.00, "kB_wrtn/s": 40.00, "kB_read": 480000}}]}}"#
            )
        };
        let text = format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "db1", "date": "2026-06-10", "statistics": [{}, {}]}}]}}}}"#,
            json(0),
            json(1)
        );
        let (_, tables) = read(text.as_bytes(), utc());
        let of = |metric| disk(&tables, "sda").column(metric).map(<[f64]>::to_vec);
        assert_eq!(
            (of(Metric::AllOps), of(Metric::WriteBytes)),
            (Some(vec![150.0]), Some(vec![40.0 * 1024.0]))
        );
    }

    /// ExaWatcher's head, which says which number of a date is the month; and versions of sysstat that have the date on top only.
    #[test]
    fn exawatcher_and_times_without_a_date_are_read() {
        let report = |time: &str, reads: u32| {
            format!(
                "{time}\navg-cpu:  %user   %nice\n           1.00    0.00\n\n\
                 Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
                 sda               0.00     1.00 {reads}.00   50.00   1600.00   400.00     8.00     0.10    2.00   0.50   5.00\n\n"
            )
        };
        let head = "############################################################\n# Starting Time:\t05/06/2026 23:59:50\n\
             # Sample Interval(s):\t5\n# Collection Module:\tIostatExaWatcher\n############################################################\n\
             zzz <05/06/2026 23:59:50> Count:720\nLinux 4.14.35 (cel01) \t05/06/2026 \t_x86_64_\t(32 CPU)\n\n";
        for form in [
            ["Time: 11:59:50 PM", "Time: 11:59:55 PM", "Time: 12:00:00 AM"],
            ["05/06/2026 11:59:50 PM", "05/06/2026 11:59:55 PM", "05/07/2026 12:00:00 AM"],
        ] {
            let text = head.to_owned() + &report(form[0], 7) + &report(form[1], 100) + &report(form[2], 200);
            let (seen, tables) = read(text.as_bytes(), Options { dates: None, ..utc() });
            let sda = disk(&tables, "sda");
            assert_eq!(sda.column(Metric::ReadOps).unwrap(), [100.0, 200.0], "{form:?}");
            assert_eq!(
                (sda.spans()[1].end_ms() / 1000, sda.spans()[1].length_ms),
                (1_778_112_000, 5_000),
                "2026-05-07"
            );
            assert!(seen.hosts.contains("cel01"));
        }
    }

    /// A real file of a cell of Exadata begins so, and has reports of five seconds for an hour below it.
    #[test]
    fn a_run_that_continues_below_a_head_of_oswatcher_has_an_interval_for_each_report() {
        let report = |second: u32, reads: u32| {
            format!(
                "Time: 23:59:{second:02}\navg-cpu:  %user   %nice\n           1.00    0.00\n\n\
                 Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
                 sda               0.00     1.00 {reads}.00   50.00   1600.00   400.00     8.00     0.10    2.00   0.50   5.00\n\n"
            )
        };
        let reports = |count: u32| (0..count).map(|at| report(5 * at, 100 * at)).collect::<String>();
        let head = "zzz ***Wed Feb 29 23:59:00 EST 2012 Sample interval: 5 secconds\n\
                    Linux 2.6.18-194.3.1.0.4.el5 (cel01) \t02/29/12\n\n";
        let text = head.to_owned() + &reports(6) + &report(0, 600).replace("23:59", "00:00");
        let options = Options { zone: TimeZone::get("America/New_York").ok(), ..Options::default() };
        let (format, seen, tables) = try_read(text.as_bytes(), options.clone(), 1 << 16).unwrap();
        assert_eq!((format, seen.first_reports), (Format::IostatText, 1));
        assert!(seen.hosts.contains("cel01") && seen.notes.is_empty(), "{seen:?}");
        let sda = disk(&tables, "sda");
        assert_eq!(sda.column(Metric::ReadOps).unwrap(), [100.0, 200.0, 300.0, 400.0, 500.0, 600.0]);
        let spans = sda.spans();
        assert_eq!(crate::when::shown(spans[0].start_ms), "2012-03-01 04:59");
        assert_eq!((spans[0].length_ms, spans[5].length_ms), (5_000, 35_000));
        // Of a head of three reports nobody knows whether more follow, and a block of OSWatcher never has that many.
        let long =
            text.replacen("Time: 23:59", "At 23:59", 7) + &reports(12).replace("Time:", "At").repeat(11);
        let told = try_read(long.as_bytes(), options, 1 << 16).unwrap_err().to_string();
        assert!(told.contains("one head of OSWatcher"), "{told}");
    }

    #[test]
    fn the_zone_of_oswatchers_head_is_that_of_dates_below_it() {
        let report = |second: u32| {
            format!(
                "11/24/26 18:10:{second:02}\nDevice r/s rkB/s w/s wkB/s\nsda {second}.00 8.00 2.00 8.00\n\n"
            )
        };
        let head = "zzz ***Tue Nov 24 18:10:00 UTC 2026\nLinux 6.1 (db1) \t11/24/26 \t_x86_64_\t(4 CPU)\n\n";
        let text = head.to_owned() + &(0..6).map(report).collect::<String>();
        let options = Options { dates: Some(DateOrder::MonthDay), ..Options::default() };
        let (format, _, tables) = try_read(text.as_bytes(), options, 1 << 16).unwrap();
        assert_eq!(format, Format::IostatText);
        let sda = disk(&tables, "sda");
        assert_eq!(sda.column(Metric::ReadOps).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(crate::when::shown(sda.spans()[0].start_ms), "2026-11-24 18:10");
    }

    /// What fills the buffer of a run that was stopped, and behind it the next run; and what iostat 12.6.1 wrote in other languages.
    #[test]
    fn a_head_behind_a_row_that_is_cut_off_begins_another_run() {
        let next = text().replace("05:39", "06:39");
        let at = text().rfind("vda").unwrap() + 40;
        let (seen, tables) = read((text()[..at].to_owned() + &next).as_bytes(), utc());
        let spans = disk(&tables, "vda").spans().to_vec();
        assert_eq!((seen.first_reports, seen.unusable, spans.len()), (2, 0, 5));
        assert!(spans.iter().all(|span| span.length_ms == 1_000), "{spans:?}");
        let chinese = text().replace("11/29/26 05:39:0", "2026年11月29日 05时39分0");
        let same = read(text().as_bytes(), utc()).1;
        assert_eq!(read(chinese.as_bytes(), utc()).1, same);
        let arab = text().replace("11/29/26 05", "الأحد 29 نوفمبر 2026 05");
        let problem = try_read(arab.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
        assert!(problem.contains("is not a date and time"), "{problem}");
    }

    /// What stands before a file that was made with nohup, script or copied from a terminal; and the colours of one.
    #[test]
    fn what_stands_around_a_run_is_none_of_it() {
        let same = read(text().as_bytes(), utc()).1;
        for before in [
            "nohup: ignoring input\n",
            "[oracle@db1 ~]$ iostat -xt 60\n",
            "Script started on 2026-06-10 08:00:00+00:00 [TERM=\"xterm\"]\n\n",
        ] {
            assert_eq!(read((before.to_owned() + &text()).as_bytes(), utc()).1, same, "{before}");
        }
        let coloured = text()
            .replace("\nvda  ", "\n\u{1b}[32;22mvda\u{1b}[0m  ")
            .replace("1420.00", "\u{1b}[35;1m1420.00\u{1b}[0m");
        assert!(coloured.contains("[35;1m") && coloured.contains("mvda"));
        assert_eq!(read(coloured.as_bytes(), utc()).1, same);
    }
}
