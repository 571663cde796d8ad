//! Tables that the real tool printed, in four languages; what they hold is held against sadf's JSON of the same binary file.

use crate::read::tests::{Tables, disk, file, read, try_read};
use crate::read::{DateOrder, Format, Options};
use crate::{Kind, Metric, Span};
use jiff::tz::TimeZone;
use serde_json::Value;

fn utc() -> Options {
    Options { zone: Some(TimeZone::UTC), ..Options::default() }
}

fn text() -> String {
    String::from_utf8(file("sar-12.6.1.txt")).unwrap()
}

/// End in milliseconds, length in seconds, tps, kB read, kB written, busy: without a reader of this crate.
fn as_sadf_has_it() -> Vec<(i64, i64, [f64; 4])> {
    let json: Value = serde_json::from_slice(&file("sar-12.6.1.json")).unwrap();
    let all = json["sysstat"]["hosts"][0]["statistics"].as_array().unwrap();
    let row = |row: &Value| {
        let time = row["timestamp"]["time"].as_str().unwrap();
        let clock: Vec<i64> = time.split(':').map(|part| part.parse().unwrap()).collect();
        // 2026-11-29 is day 20,786.
        let at_s = 20_786 * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2];
        let of = |name: &str| row["disk"][0][name].as_f64().unwrap();
        let values = [of("tps"), of("rkB"), of("wkB"), of("util-percent")];
        (at_s * 1_000, row["timestamp"]["interval"].as_i64().unwrap(), values)
    };
    all.iter().map(row).collect()
}

fn same_as_sadf(tables: &Tables, what: &str) {
    let (table, expected) = (disk(tables, "vda"), as_sadf_has_it());
    let disks = tables.keys().filter(|key| key.subject.kind == Kind::Disk).count();
    assert_eq!((disks, table.spans().len(), expected.len()), (1, 7, 7), "{what}");
    for (row, (end_ms, seconds, [tps, read_kb, written_kb, busy])) in expected.into_iter().enumerate() {
        let span: Span = table.spans()[row];
        assert_eq!((span.end_ms(), i64::from(span.length_ms)), (end_ms, seconds * 1_000), "{what} {row}");
        let of = |metric| table.column(metric).unwrap()[row];
        assert!((of(Metric::AllOps) - tps).abs() < 0.006, "{what} {row}");
        assert!((of(Metric::ReadBytes) / 1024.0 - read_kb).abs() < 0.006, "{what} {row}");
        assert!((of(Metric::WriteBytes) / 1024.0 - written_kb).abs() < 0.006, "{what} {row}");
        assert!((of(Metric::Busy) * 100.0 - busy).abs() < 0.006, "{what} {row}");
    }
}

#[test]
fn every_language_and_form_says_what_sadf_says() {
    for name in [
        "sar-12.6.1.txt",
        "sar-12.6.1-all-12-hours.txt",
        "sar-12.6.1-chinese.txt",
        "sar-12.6.1-german-pretty.txt",
    ] {
        let (format, seen, tables) = try_read(&file(name), utc(), 1 << 20).unwrap();
        assert_eq!(
            (format, seen.reboots, seen.unusable, seen.first_reports),
            (Format::Sar, 2, 0, 0),
            "{name}"
        );
        assert!(seen.unparted && seen.notes.is_empty() && seen.hosts.contains("db1"), "{name}: {seen:?}");
        same_as_sadf(&tables, name);
        for size in [1, 7, 1000] {
            assert_eq!(try_read(&file(name), utc(), size).unwrap().2, tables, "{name} {size}");
        }
        let problem = try_read(&file(name), Options::default(), 1 << 20).unwrap_err();
        assert!(problem.to_string().contains("--zone"), "{name}: {problem}");
    }
    // India has the zone in the row.
    same_as_sadf(&read(&file("sar-12.6.1-india.txt"), Options::default()).1, "India");
}

#[test]
fn the_order_of_the_date_is_asked_where_it_may_be_either() {
    let either = text().replace("11/29/26", "06/10/26");
    let begin =
        |dates| disk(&read(either.as_bytes(), Options { dates, ..utc() }).1, "vda").spans()[0].start_ms;
    assert!(try_read(either.as_bytes(), utc(), 99).unwrap_err().to_string().contains("--dates"));
    assert_eq!(crate::when::shown(begin(Some(DateOrder::DayMonth))), "2026-10-06 11:21");
    assert_eq!(crate::when::shown(begin(Some(DateOrder::MonthDay))), "2026-06-10 11:21");
    for date in ["2026-11-29", "29.11.2026", "2026/11/29", "29-11-26"] {
        same_as_sadf(&read(text().replace("11/29/26", date).as_bytes(), utc()).1, date);
    }
    let words = try_read(text().replace("11/29/26", "29 nov").as_bytes(), utc(), 99).unwrap_err();
    assert!(words.to_string().contains("S_TIME_FORMAT=ISO"), "{words}");
}

/// As sysstat 9 has them, with the numbers of a disk for its name.
#[test]
fn columns_of_old_versions_and_midnight_are_read() {
    let row = |time: &str, disk: &str, tps: f64| {
        format!(
            "{time} {disk:>9} {tps:>9.2} {:>9.2} {:>9.2} 32.00 0.10 2.00 0.50 5.00\n",
            tps * 16.0,
            tps * 8.0
        )
    };
    let head = |time: &str| {
        format!(
            "{time}       DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util\n"
        )
    };
    let old = "Linux 2.6.32-754.el6.x86_64 (db1) \t11/24/2026 \t_x86_64_\t(2 CPU)\n\n".to_owned()
        + &head("11:40:01 PM")
        + &row("11:50:01 PM", "dev8-0", 100.0)
        + &row("11:50:01 PM", "dev8-1", 90.0)
        + &row("12:00:01 AM", "dev8-0", 200.0)
        + &row("12:00:01 AM", "dev8-1", 190.0)
        + "\n"
        + &head("12:00:01 AM")
        + &row("12:10:01 AM", "dev8-0", 300.0)
        + "Average:       dev8-0    200.00   3200.00   1600.00     32.00      0.10      2.00      0.50      5.00\n";
    let tables = read(old.as_bytes(), utc()).1;
    let (whole, part) = (disk(&tables, "dev8-0"), disk(&tables, "dev8-1"));
    assert_eq!(whole.column(Metric::AllOps).unwrap(), [100.0, 200.0, 300.0]);
    assert_eq!(whole.column(Metric::WriteBytes).unwrap()[0], 800.0 * 512.0);
    assert!((whole.column(Metric::AllTime).unwrap()[1] - 0.4).abs() < 1e-12);
    let starts: Vec<String> = whole.spans().iter().map(|span| crate::when::shown(span.start_ms)).collect();
    assert_eq!(starts, ["2026-11-24 23:40", "2026-11-24 23:50", "2026-11-25 00:00"]);
    assert!(whole.spans().iter().all(|span| span.length_ms == 600_000));
    assert_eq!(part.column(Metric::AllOps).unwrap(), [90.0, 190.0, 0.0], "left out by -z: it was idle");
    let own = crate::layers::own_disks(tables.keys().map(|key| key.subject.clone()).collect());
    assert_eq!(own.len(), 1, "the partition counts with its disk");
}

/// In Berlin the hour from 02:00 came twice; the names of the columns stand there again.
#[test]
fn an_hour_that_comes_twice_goes_forward() {
    let head = |time: &str| format!("\n{time}  DEV  tps  rkB/s  wkB/s\n");
    let row = |time: &str| format!("{time}  sda  100.00  8.00  4.00\n");
    let text = "Linux 6.1 (db1) \t10/25/26 \t_x86_64_\t(4 CPU)\n".to_owned()
        + &head("01:50:01")
        + &["02:00:01", "02:30:01"].map(row).concat()
        + &head("02:30:01")
        + &["02:50:01", "02:10:01", "02:40:01"].map(row).concat()
        + &head("02:40:01")
        + &row("03:00:01");
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let (seen, tables) = read(text.as_bytes(), Options { zone: Some(zone), ..Options::default() });
    let minutes: Vec<u32> = disk(&tables, "sda").spans().iter().map(|span| span.length_ms / 60_000).collect();
    assert_eq!((minutes, seen.backwards), (vec![10, 30, 20, 20, 30, 20], 0));
}

#[test]
fn a_file_that_is_cut_anywhere_gives_its_complete_rows() {
    let whole = text();
    let all = read(whole.as_bytes(), utc()).1;
    let all = disk(&all, "vda");
    for end in 1..=whole.len() {
        let rows = whole[..end].lines().filter(|line| line.contains(" vda ") && !line.starts_with("Av"));
        // The last line counts once it has its end.
        let last_is_torn = !whole[..end].ends_with('\n')
            && whole[..end]
                .lines()
                .last()
                .is_some_and(|line| line.contains(" vda ") && !line.starts_with("Av"));
        let rows = rows.count() - usize::from(last_is_torn);
        match try_read(&whole.as_bytes()[..end], utc(), 1 << 16) {
            Err(problem) => assert!(problem.kind.code() == 2 && rows == 0, "{end}: {problem}"),
            Ok((_, seen, tables)) => {
                let table = disk(&tables, "vda");
                assert_eq!((table.spans(), seen.unusable), (&all.spans()[..rows], 0), "{end}");
            }
        }
    }
    let cut = &whole[..whole.find("11:21:32").unwrap()];
    let (seen, _) = read(cut.as_bytes(), utc());
    assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{seen:?}");
}

#[test]
fn two_days_in_a_file_are_two_days_and_what_is_no_table_of_disks_is_named() {
    let two = text() + &text().replace("11/29/26", "11/30/26");
    assert_eq!(disk(&read(two.as_bytes(), utc()).1, "vda").spans().len(), 14);
    let told = |text: &str| try_read(text.as_bytes(), utc(), 99).unwrap_err().to_string();
    let head = "Linux 6.1 (db1) \t11/24/26 \t_x86_64_\t(4 CPU)\n\n";
    assert!(
        told(&format!("{head}11:15:15     CPU    %usr\n11:15:16     all    1.00\n")).contains("without -d")
    );
    let rounded = format!("{head}11:15:15  tps rkB/s wkB/s DEV\n11:15:16  2228 96.7M 9.4M vda\n");
    assert!(told(&rounded).contains("started with -h"), "{}", told(&rounded));
    let headless = &text()[text().find("11:21:29").unwrap()..];
    assert!(told(headless).contains("without the first line"), "{}", told(headless));
}

/// As sar 12.6.1 wrote them: Greek, Hindi, Chinese of Hong Kong, Korean, Finnish; and a half of a day that is not known.
#[test]
fn halves_of_a_day_in_other_languages_are_known_or_refused() {
    let text = |day: &str, times: [&str; 2]| {
        format!(
            "Linux 6.1.0 (db1) \t{day} \t_x86_64_\t(2 CPU)\n\n{} DEV tps rkB/s wkB/s await %util\n{} sda 1500.00 8.00 4.00 1.00 20.00\n\n",
            times[0], times[1]
        )
    };
    let utc = || Options::utc();
    for (day, times) in [
        ("29/11/2026", ["03:26:02 μμ", "03:27:02 μμ"]),
        ("29/11/26", ["03:26:02 अपराह्न UTC", "03:27:02 अपराह्न UTC"]),
        ("2026年11月29日 星期日", ["下午 03時26分02秒 UTC", "下午 03時27分02秒 UTC"]),
        ("2026년 11월 29일", ["15시 26분 02초", "15시 27분 02초"]),
        ("29.11.2026", ["15.26.02", "15.27.02"]),
        ("29/11/2569", ["15:26:02", "15:27:02"]),
    ] {
        let tables = read(text(day, times).as_bytes(), utc()).1;
        let spans = disk(&tables, "sda").spans().to_vec();
        assert_eq!((spans[0].start_ms, spans[0].length_ms), (1_795_965_962_000, 60_000), "{day}");
    }
    let odd = text("29/11/2026", ["03:26:02 ገጽ", "03:27:02 ገጽ"]);
    let problem = try_read(odd.as_bytes(), utc(), 100).unwrap_err().to_string();
    assert!(problem.contains("follows the time"), "{problem}");
}

/// A run that was stopped leaves what its buffer held, and the next head stands behind half a row.
#[test]
fn a_head_behind_a_row_that_is_cut_off_begins_another_run() {
    let day = |day: u32, end: &str| {
        format!(
            "Linux 6.1.0 (db1) \t2026-06-{day} \t_x86_64_\t(2 CPU)\n\n00:00:01 DEV tps rkB/s wkB/s await %util\n\
             00:10:01 sda 1500.00 8.00 4.00 1.00 20.00\n00:10:01 sdb 5.00 8.00 4.00 1.00 20.00\n00:20:01 sda 1500.00 8.00 4.00 1.00 20.00\n{end}"
        )
    };
    let text = day(10, "00:20:01 sdb 5.0") + &day(11, "00:20:01 sdb 5.00 8.00 4.00 1.00 20.00\n\n");
    let (seen, tables) = read(text.as_bytes(), Options::utc());
    let of = |name| disk(&tables, name);
    let days: Vec<String> =
        of("sda").spans().iter().map(|span| crate::when::shown(span.end_ms())[8..].to_owned()).collect();
    assert_eq!(days, ["10 00:10", "10 00:20", "11 00:10", "11 00:20"]);
    assert_eq!((tables.len(), of("sdb").spans().len(), seen.notes.len()), (2, 3, 1));
}

/// `sar -A` has the operations of the host by direction, before its disks.
#[test]
fn operations_of_the_host_are_read_by_direction() {
    let json: Value = serde_json::from_slice(&file("sar-12.6.1.json")).unwrap();
    let all = json["sysstat"]["hosts"][0]["statistics"].as_array().unwrap();
    let expected: Vec<[f64; 2]> = all
        .iter()
        .map(|row| {
            [&row["io"]["io-reads"]["rtps"], &row["io"]["io-writes"]["wtps"]]
                .map(|value| value.as_f64().unwrap())
        })
        .collect();
    let whole = String::from_utf8(file("sar-12.6.1-all-12-hours.txt")).unwrap();
    let (seen, tables) = read(whole.as_bytes(), utc());
    let host = |tables: &Tables| {
        tables.iter().find(|(key, _)| key.subject.kind == Kind::Host).map(|(_, table)| table.clone()).unwrap()
    };
    let of = host(&tables);
    let found = of.column(Metric::ReadOps).unwrap().iter().zip(of.column(Metric::WriteOps).unwrap());
    assert!(found.clone().count() == expected.len() && seen.parted_of_host);
    for ((reads, writes), [read, written]) in found.zip(expected) {
        assert!((reads - read).abs() < 0.006 && (writes - written).abs() < 0.006, "{reads} {writes}");
    }
    assert_eq!(of.spans(), disk(&tables, "vda").spans());
    // Alone, and in an hour that comes twice for the host and for its disks.
    let alone: String =
        whole.lines().filter(|line| !line.contains(" vda ")).map(|line| format!("{line}\n")).collect();
    assert_eq!(host(&read(alone.as_bytes(), utc()).1), of);
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let tables = "02:10:01 tps rtps wtps\n02:50:01 5 3 2\n02:10:01 5 3 2\n02:50:01 5 3 2\n\n\
                  02:10:01 DEV tps rkB/s wkB/s\n02:50:01 sda 5 1 1\n02:10:01 sda 5 1 1\n02:50:01 sda 5 1 1\n";
    let text = format!("Linux 6.1 (db1) \t2026-10-25 \t_x86_64_\t(4 CPU)\n\n{tables}");
    let tables = read(text.as_bytes(), Options { zone: Some(zone), ..Options::default() }).1;
    let spans = host(&tables).spans().to_vec();
    assert_eq!((spans.len(), spans.as_slice()), (3, disk(&tables, "sda").spans()));
}
