//! Files of nmon 16n, written beside sadc; and forms from AIX, following its documentation.

use crate::read::tests::{disk, file, read, try_read};
use crate::read::{Format, Options};
use crate::{Metric, Source};
use jiff::tz::TimeZone;

fn utc() -> Options {
    Options { zone: Some(TimeZone::UTC), ..Options::default() }
}

fn text(name: &str) -> String {
    String::from_utf8(file(name)).unwrap()
}

/// The values of a line, by its words alone.
fn line(text: &str, name: &str, snapshot: u32) -> Vec<f64> {
    let head = format!("{name},T{snapshot:04},");
    let rest = text.lines().find_map(|line| line.strip_prefix(&head)).unwrap();
    rest.split(',').map(|value| value.parse().unwrap()).collect()
}

#[test]
fn snapshots_are_rates_since_the_one_before() {
    let name = "nmon-16n.nmon";
    let (format, seen, tables) = try_read(&file(name), utc(), 1 << 20).unwrap();
    assert_eq!((format, seen.first_reports, seen.unusable, seen.unparted), (Format::Nmon, 1, 0, true));
    assert!(tables.keys().all(|key| key.host == "db1" && key.source == Source::Nmon));
    assert_eq!(seen.left_out, [("JFSFILE".to_owned(), 5)].into(), "told, not dropped");
    let vda = disk(&tables, "vda");
    // 11:15:17 up to :18, and so on.
    let begin = (20_786 * 86_400 + 11 * 3_600 + 15 * 60 + 17) * 1_000;
    let spans: Vec<(i64, u32)> =
        vda.spans().iter().map(|span| (span.start_ms - begin, span.length_ms)).collect();
    assert_eq!(spans, [(0, 1_000), (1_000, 1_000), (2_000, 1_000), (3_000, 1_000)]);
    for (metric, section, unit) in [
        (Metric::AllOps, "DISKXFER", 1.0),
        (Metric::ReadBytes, "DISKREAD", 1024.0),
        (Metric::WriteBytes, "DISKWRITE", 1024.0),
        (Metric::Busy, "DISKBUSY", 0.01),
    ] {
        let expected: Vec<f64> = (2..=5).map(|at| line(&text(name), section, at)[0] * unit).collect();
        assert_eq!(vda.column(metric).unwrap(), expected, "{section}");
    }
    for size in [1, 7, 1000] {
        assert_eq!(try_read(&file(name), utc(), size).unwrap().2, tables, "{size}");
    }
    assert!(try_read(&file(name), Options::default(), 99).unwrap_err().to_string().contains("--zone"));
    // Sorted for a spreadsheet: times come last.
    let all = text(name);
    let mut lines: Vec<&str> = all.lines().collect();
    lines.sort_unstable();
    assert_eq!(read((lines.join("\n") + "\n").as_bytes(), utc()).1, tables);
    // Two runs in a file are two runs.
    let (seen, tables) = read((all.clone() + &all.replace(",11:15:", ",12:15:")).as_bytes(), utc());
    assert_eq!((seen.first_reports, disk(&tables, "vda").spans().len()), (2, 8));
}

/// Behind 9,999 snapshots the order of letters is another than that of numbers.
#[test]
fn a_long_file_may_be_sorted() {
    let mut text = "AAA,host,db1\nDISKREAD,Disk Read KB/s db1,sda\n".to_owned();
    for number in 1..=10_050_u32 {
        let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
        text += &format!(
            "ZZZZ,T{number:04},{hour:02}:{minute:02}:{second:02},29-NOV-2026\nDISKREAD,T{number:04},{number}.0\n"
        );
    }
    let (seen, tables) = read(text.as_bytes(), utc());
    assert_eq!((disk(&tables, "sda").spans().len(), seen.first_reports, seen.gaps), (10_049, 1, 0));
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(read((lines.join("\n") + "\n").as_bytes(), utc()), (seen, tables));
}

/// The same second by sadc: 11:15:17, with 2217.00 tps, 102408 kB read and 14584 kB written, 19.60 % busy. Both look at their own moments.
#[test]
fn nmon_and_sysstat_saw_the_same_disk() {
    let tables = read(&file("nmon-16n.nmon"), utc()).1;
    let first = |metric| disk(&tables, "vda").column(metric).unwrap()[0];
    for (metric, sadc) in [
        (Metric::AllOps, 2217.0),
        (Metric::ReadBytes, 102_408.0 * 1024.0),
        (Metric::WriteBytes, 14_584.0 * 1024.0),
        (Metric::Busy, 0.196),
    ] {
        assert!((first(metric) / sadc - 1.0).abs() < 0.05, "{metric:?}: {} {sadc}", first(metric));
    }
}

#[test]
fn groups_of_disks_part_reads_from_writes_and_have_times() {
    let name = "nmon-16n-groups.nmon";
    let (seen, tables) = read(&file(name), utc());
    let vda = disk(&tables, "vda");
    assert!(!seen.unparted && vda.column(Metric::AllOps).is_none());
    for (metric, section, group, unit) in [
        (Metric::ReadOps, "DISKREADS", 0, 1.0),
        (Metric::WriteOps, "DISKWRITES", 0, 1.0),
        (Metric::ReadTime, "DGREADSERV", 1, 0.001),
        (Metric::WriteTime, "DGWRITESERV", 1, 0.001),
    ] {
        let expected: Vec<f64> = (2..=4).map(|at| line(&text(name), section, at)[group] * unit).collect();
        assert_eq!(vda.column(metric).unwrap(), expected, "{section}");
    }
    // Busy of a group whose disk nmon does not know.
    assert_eq!(seen.unusable, 3);
    assert_eq!(seen.left_out.keys().collect::<Vec<_>>(), ["DGBACKLOG", "DGINFLIGHT", "JFSFILE"]);
    let own = crate::layers::own_disks(tables.keys().map(|key| key.subject.clone()).collect());
    assert_eq!(own.len(), 1, "memory is no disk");
}

/// AIX tells times of a mean transfer; a line has 150 disks at most, and the next ones have a section of their own.
#[test]
fn aix_and_continued_sections_are_read() {
    let head = "AAA,progname,topas_nmon\nAAA,AIX,7.2.4.0\nAAA,host,db1\nDISKRIO,Disk IO Reads per second db1,hdisk0\n\
        DISKWIO,Disk IO Writes per second db1,hdisk0\nDISKREADSERV,Disk Read Service Time msec/xfer db1,hdisk0\n\
        DISKREAD,Disk Read KB/s db1,hdisk0\nDISKREAD1,Disk Read KB/s db1,hdisk1,hdiskpower0\n";
    let snapshot = |at: u32| {
        format!(
            "ZZZZ,T{at:04},00:{at:02}:12,05-JUL-2026\nDISKRIO,T{at:04},200.0\nDISKWIO,T{at:04},100.0\nDISKREADSERV,T{at:04},4.0\nDISKREAD,T{at:04},800.0\nDISKREAD1,T{at:04},7.0,9.0\n"
        )
    };
    let text = head.to_owned() + &snapshot(1) + &snapshot(2) + &snapshot(3);
    let (seen, tables) = read(text.as_bytes(), utc());
    let of = |name: &str, metric| disk(&tables, name).column(metric).unwrap().to_vec();
    assert_eq!(of("hdisk0", Metric::ReadTime), [0.8, 0.8]);
    assert_eq!(
        (of("hdisk0", Metric::WriteOps), of("hdisk1", Metric::ReadBytes)),
        (vec![100.0; 2], vec![7168.0; 2])
    );
    assert_eq!((seen.first_reports, tables.len()), (1, 3));
    let own = crate::layers::own_disks(tables.keys().map(|key| key.subject.clone()).collect());
    assert_eq!(own.len(), 2, "a disk of PowerPath lies on others");
    let month = try_read(text.replace("JUL", "FOO").as_bytes(), utc(), 99).unwrap_err();
    assert!(month.to_string().contains("LC_ALL=C"), "{month}");
}

#[test]
fn a_file_that_is_cut_anywhere_gives_its_complete_lines() {
    let whole = text("nmon-16n.nmon");
    let all = read(whole.as_bytes(), utc()).1;
    let all = disk(&all, "vda").column(Metric::ReadBytes).unwrap().to_vec();
    for end in (1..whole.len()).step_by(11).chain([whole.len()]) {
        let lines = whole[..end].lines().filter(|line| line.starts_with("DISKREAD,T")).count();
        match try_read(&whole.as_bytes()[..end], utc(), 1 << 16) {
            Err(problem) => assert!(problem.kind.code() == 2 && lines <= 2, "{end}: {problem}"),
            Ok((_, seen, tables)) => {
                let found =
                    disk(&tables, "vda").column(Metric::ReadBytes).map(<[f64]>::to_vec).unwrap_or_default();
                let found: Vec<f64> = found.into_iter().filter(|value| !value.is_nan()).collect();
                assert_eq!((found.as_slice(), seen.unusable), (&all[..found.len()], 0), "{end}");
                assert!(found.len() + 2 >= lines, "{end}: {lines} lines");
            }
        }
    }
}

/// AIX has the rate of reads beside that of both.
#[test]
fn reads_of_aix_part_its_transfers() {
    let head = "AAA,progname,topas_nmon\nAAA,AIX,7.2.5.0\nAAA,host,db1\nDISKXFER,Disk transfers per second db1,hdisk0\n\
        DISKRXFER,Transfers from disk (reads) per second db1,hdisk0\nDISKREADSERV,Disk Read Service Time msec/xfer db1,hdisk0\n\
        DISKWRITESERV,Disk Write Service Time msec/xfer db1,hdisk0\n";
    let snapshot = |at: u32| {
        format!(
            "ZZZZ,T{at:04},00:{at:02}:12,05-JUL-2026\nDISKXFER,T{at:04},300.0\nDISKRXFER,T{at:04},200.0\nDISKREADSERV,T{at:04},4.0\nDISKWRITESERV,T{at:04},1.0\n"
        )
    };
    let text = head.to_owned() + &snapshot(1) + &snapshot(2);
    let (seen, tables) = read(text.as_bytes(), utc());
    let of = |metric| disk(&tables, "hdisk0").column(metric).map(<[f64]>::to_vec);
    assert_eq!(
        [of(Metric::ReadOps), of(Metric::WriteOps), of(Metric::AllOps)],
        [Some(vec![200.0]), Some(vec![100.0]), None]
    );
    assert_eq!([of(Metric::ReadTime), of(Metric::WriteTime)], [Some(vec![0.8]), Some(vec![0.1])]);
    assert!(!seen.unparted && seen.left_out.is_empty(), "{seen:?}");
}

/// With commas for decimals the second disk would have the fractions of the first.
#[test]
fn decimal_commas_are_refused() {
    let text = text("nmon-16n.nmon").replace("db1,vda", "db1,sda,sdb");
    let of_two = |line: &str| match line.rsplit_once(',') {
        Some((begin, value)) if line.starts_with("DISK") && line.contains(",T0") => {
            format!("{begin},{0},{0}\n", value.replace('.', ","))
        }
        _ => format!("{line}\n"),
    };
    let comma: String = text.lines().map(of_two).collect();
    let told = try_read(comma.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
    assert!(told.contains("decimal commas") && told.contains("LC_ALL=C"), "{told}");
}

/// Old versions have the day at the top only.
#[test]
fn times_without_a_day_follow_the_day_of_the_file() {
    let text = text("nmon-16n.nmon");
    let dateless = text.replace(",29-NOV-2026\n", "\n").replace("AAA,date\n", "AAA,date,29-NOV-2026\n");
    assert!(dateless.contains("AAA,date,29-NOV-2026\n") && !dateless.contains("ZZZZ,T0001,11:15:17,"));
    assert_eq!(read(dateless.as_bytes(), utc()).1, read(text.as_bytes(), utc()).1);
}
