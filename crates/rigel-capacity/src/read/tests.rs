//! Files of the real tools, and what is not one.

use super::*;
use crate::{Key, Kind, Metric, Source, Subject, Table};
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::fs;

pub(super) type Tables = BTreeMap<Key, Table>;

pub(super) fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests-data/{name}", env!("CARGO_MANIFEST_DIR"));
    fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(super) fn named(host: &str) -> Options {
    Options { host: Some(host.to_owned()), ..Options::default() }
}

pub(super) fn try_read(
    bytes: &[u8],
    options: Options,
    size: usize,
) -> Result<(Format, ReaderNotes, Tables), Problem> {
    let mut harvest = Harvest::default();
    let mut reader = Reader::new(options);
    for piece in bytes.chunks(size) {
        reader.bytes(piece, &mut harvest)?;
    }
    let (format, seen) = reader.end(&mut harvest)?;
    Ok((format, seen, harvest.take()))
}

pub(super) fn read(bytes: &[u8], options: Options) -> (ReaderNotes, Tables) {
    let (_, seen, tables) = try_read(bytes, options, 1 << 20).unwrap();
    (seen, tables)
}

pub(super) fn disk<'a>(tables: &'a Tables, name: &str) -> &'a Table {
    let of = |key: &Key| key.subject == Subject::disk(name, "");
    tables
        .iter()
        .find(|(key, _)| of(key))
        .map_or_else(|| panic!("{name}: {:?}", tables.keys()), |(_, table)| table)
}

fn at(table: &Table, metric: Metric, row: usize) -> f64 {
    table.column(metric).unwrap()[row]
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{found} is not {expected}");
}

/// Its first row: 2 s up to 18:10:25, 13,187 tps, 95,668 kB and 18,484 kB a second, 0.06 ms, 52 %.
#[test]
fn sadf_has_bytes_by_direction_and_operations_together() {
    let (seen, tables) = read(&file("sadf-12.6.1.json"), Options::default());
    let table = disk(&tables, "vda");
    assert_eq!((table.spans()[0].start_ms, table.spans()[0].length_ms), (1_795_543_823_000, 2_000));
    near(at(table, Metric::AllOps, 0), 13_187.0);
    near(at(table, Metric::ReadBytes, 0), 95_668.0 * 1024.0);
    near(at(table, Metric::WriteBytes, 0), 18_484.0 * 1024.0);
    near(at(table, Metric::AllTime, 0), 0.79122);
    near(at(table, Metric::Busy, 0), 0.52);
    assert!(table.column(Metric::ReadOps).is_none() && seen.unparted);
    assert!(tables.keys().all(|key| key.host == "db1" && key.source == Source::Sadf));
}

/// `-b` has the operations of all disks together, by direction.
#[test]
fn sadf_parts_operations_of_the_host() {
    let io = r#""io": {"tps": 13187.0, "io-reads": {"rtps": 9000.0, "bread": 2.0}, "io-writes": {"wtps": 4187.0, "bwrtn": 2.0}}, "disk": ["#;
    let text = String::from_utf8(file("sadf-12.6.1.json")).unwrap().replace("\"disk\": [", io);
    let (seen, tables) = read(text.as_bytes(), Options::default());
    assert!(seen.unparted && seen.parted_of_host);
    let (key, table) = tables.iter().find(|(key, _)| key.subject == Subject::host()).unwrap();
    assert_eq!((&key.host[..], key.source), ("db1", Source::Sadf));
    assert_eq!(table.spans(), disk(&tables, "vda").spans());
    near(at(table, Metric::ReadOps, 0), 9000.0);
    near(at(table, Metric::WriteOps, 0), 4187.0);
}

/// `-F MOUNT` has filesystems by their mount points, here 55,156 MB used and 202,864 MB free at the first look.
#[test]
fn sadf_has_the_space_of_filesystems() {
    let (seen, tables) = read(&file("sadf-12.6.1-filesystems.json"), Options::default());
    let (key, table) = tables.iter().find(|(key, _)| key.subject.kind == Kind::Filesystem).unwrap();
    assert_eq!((key.subject.name.as_str(), key.host.as_str()), ("/", "db1"));
    near(at(table, Metric::UsedBytes, 0), 55_156.0 * 1_048_576.0);
    near(at(table, Metric::SizeBytes, 0), 258_020.0 * 1_048_576.0);
    assert!(!seen.unparted, "there is no disk in it");
}

#[test]
fn older_sadf_counts_sectors_of_512_bytes() {
    let new = String::from_utf8(file("sadf-12.6.1.json")).unwrap();
    let old = new.replace("\"rkB\":", "\"x\":").replace("\"wkB\":", "\"y\":");
    let (tables, sectors) =
        (read(new.as_bytes(), Options::default()).1, read(old.as_bytes(), Options::default()).1);
    assert_eq!(
        disk(&tables, "vda").column(Metric::ReadBytes),
        disk(&sectors, "vda").column(Metric::ReadBytes)
    );
}

#[test]
fn reboots_are_counted_and_no_interval_goes_across_them() {
    let (seen, tables) = read(&file("sadf-12.6.1-restarts.json"), Options::default());
    assert_eq!(seen.reboots, 2);
    let spans = disk(&tables, "vda").spans();
    assert_eq!(spans.len(), 8);
    assert_eq!(spans[4].start_ms - spans[3].end_ms(), 20_000, "the time in between is a gap");
}

/// The hour from 02:00 to 03:00 comes twice; the same file in UTC says what is right.
#[test]
fn local_times_of_the_night_that_is_longer_are_those_of_utc() {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let options = Options { zone: Some(zone), ..Options::default() };
    let local = read(&file("sadf-12.6.1-dst-local.json"), options).1;
    let utc = read(&file("sadf-12.6.1-dst-utc.json"), Options::default()).1;
    assert_eq!(disk(&local, "vda").spans().len(), 15);
    assert_eq!(local, utc);
    let problem = try_read(&file("sadf-12.6.1-dst-local.json"), Options::default(), 9_999).unwrap_err();
    assert!(problem.to_string().contains("--zone"), "{problem}");
    assert!(problem.place.is_some_and(|place| place.starts_with("line ")));
}

/// The second report: 2 s up to 18:10:25.
#[test]
fn iostat_parts_reads_from_writes_and_its_first_report_is_left_out() {
    let (seen, tables) = read(&file("iostat-12.6.1.json"), Options::default());
    let table = disk(&tables, "vda");
    assert_eq!((table.spans()[0].start_ms, table.spans()[0].length_ms), (1_795_543_823_000, 2_000));
    assert_eq!(table.spans().len(), 11);
    near(at(table, Metric::ReadOps, 0), 10_620.0);
    near(at(table, Metric::WriteBytes, 0), 18_718.0 * 1024.0);
    near(at(table, Metric::ReadTime, 0), 10_620.0 * 0.05 / 1_000.0);
    assert!(!seen.unparted);
}

#[test]
fn dates_of_a_locale_are_not_guessed() {
    let bytes = file("iostat-12.6.1-c-locale.json");
    let utc = Options { zone: Some(TimeZone::UTC), ..Options::default() };
    let of_c = Options { dates: Some(DateOrder::MonthDay), ..utc.clone() };
    let wrong = Options { dates: Some(DateOrder::DayMonth), ..utc.clone() };
    let begin = |bytes: &[u8], options| disk(&read(bytes, options).1, "vda").spans()[0].start_ms;
    assert_eq!(begin(&bytes, of_c), 1_795_543_823_000);
    assert_eq!(begin(&bytes, utc.clone()), 1_795_543_823_000, "no guess: there is no month 24");
    assert!(try_read(&bytes, wrong, 100).is_err());
    let text = String::from_utf8(bytes).unwrap();
    let both = text.replace("11/24/26", "11/10/26").into_bytes();
    let problem = try_read(&both, utc.clone(), 100).unwrap_err();
    assert!(problem.to_string().contains("--dates month-day"), "{problem}");
    // One date shows the order of all that follow.
    let day_first = text.replace("11/24/26", "24/11/26");
    let later = day_first.rfind("24/11/26").unwrap();
    let day_first = format!("{}01/12/26{}", &day_first[..later], &day_first[later + 8..]);
    let table = read(day_first.as_bytes(), utc).1;
    let spans = disk(&table, "vda").spans();
    assert_eq!(spans[0].start_ms, 1_795_543_823_000);
    assert!(spans.last().unwrap().length_ms > 6 * 86_400_000, "the first of December: {spans:?}");
}

#[test]
fn megabytes_of_iostat_are_its_kilobytes() {
    let of = |name: &str| {
        let dates = Some(DateOrder::MonthDay);
        read(&file(name), Options { zone: Some(TimeZone::UTC), dates, ..Options::default() }).1
    };
    let (kb, mb) = (of("iostat-12.6.1-c-locale.json"), of("iostat-12.6.1-mb.json"));
    let (kb, mb) = (at(disk(&kb, "vda"), Metric::ReadBytes, 0), at(disk(&mb, "vda"), Metric::ReadBytes, 0));
    assert!((kb / mb - 1.0).abs() < 0.01, "{kb} {mb}");
}

#[test]
fn a_disk_that_a_report_leaves_out_did_nothing() {
    let tables = read(&file("iostat-12.6.1-disk-gone.json"), Options::default()).1;
    let (gone, there) = (disk(&tables, "loop57"), disk(&tables, "vda"));
    assert_eq!(gone.spans(), there.spans());
    assert!(gone.column(Metric::ReadOps).unwrap().contains(&0.0));
}

/// 20,971,520 bytes in 5 s, then more; then the device was made again and its counter fell.
#[test]
fn counters_of_prometheus_are_rates_and_a_reset_is_left_out() {
    let (seen, tables) = read(&file("prometheus-2.42.0.json"), Options::default());
    let table = disk(&tables, "loop57");
    near(at(table, Metric::ReadBytes, 0), 20_971_520.0 / 5.0);
    near(at(table, Metric::Busy, 0), 0.056 / 5.0);
    assert!(seen.resets > 0);
    let reads: Vec<i64> = table.samples(Metric::ReadBytes).map(|sample| sample.span.start_ms).collect();
    assert_eq!(reads.len(), 5, "six intervals, one of them with the reset");
    assert!(!reads.contains(&1_795_545_327_000));
    let root = tables.iter().find(|(key, _)| key.subject == Subject::named(Kind::Filesystem, "/")).unwrap().1;
    assert!(
        at(root, Metric::UsedBytes, 0) > 1e10
            && at(root, Metric::UsedBytes, 0) < at(root, Metric::SizeBytes, 0)
    );
    assert!(tables.keys().all(|key| key.host == "db1"), "the instance without its port");
    assert!(tables.iter().any(|(key, _)| key.subject == Subject::host()), "pressure");
}

#[test]
fn federated_scrapes_have_times_in_milliseconds() {
    let (seen, tables) = read(&file("prometheus-2.42.0-federate.txt"), Options::default());
    let table = disk(&tables, "vda");
    assert!(
        table.spans().iter().all(|span| (4_000..12_000).contains(&span.length_ms)),
        "{:?}",
        table.spans()
    );
    assert!(table.metrics().count() == 7 && seen.resets > 0);
    let problem = try_read(&file("node-exporter-1.5.0.txt"), named("db1"), 64).unwrap_err();
    assert!(problem.to_string().contains("no times"), "{problem}");
}

/// The same numbers as OpenMetrics writes them: times in seconds, and an end.
#[test]
fn openmetrics_has_times_in_seconds() {
    let text = String::from_utf8(file("prometheus-2.42.0-federate.txt")).unwrap();
    let seconds = |line: &str| match line.rsplit_once(' ') {
        Some((rest, ms)) if !line.starts_with('#') => format!("{rest} {}.{}\n", &ms[..10], &ms[10..]),
        _ => format!("{line}\n"),
    };
    let open = text.lines().map(seconds).collect::<String>() + "# EOF\n";
    assert_eq!(read(open.as_bytes(), Options::default()), read(text.as_bytes(), Options::default()));
}

/// Client backends, in 2.196 s: 233 - 155 reads; the rows of all kinds are added up, and the reset is left out.
#[test]
fn snapshots_of_pg_stat_io_are_rates() {
    for (name, bytes_per_op) in [
        ("pg_stat_io-17.10.csv", 8192.0),
        ("pg_stat_io-17.10.jsonl", 8192.0),
        ("pg_stat_io-18.4.csv", 8192.0),
    ] {
        let (seen, tables) = read(&file(name), named("db1"));
        assert_eq!(seen.resets, 1, "{name}");
        let (key, table) = tables.iter().next().unwrap();
        assert_eq!((key.subject.kind, tables.len(), table.spans().len()), (Kind::Database, 1, 3), "{name}");
        let seconds = f64::from(table.spans()[0].length_ms) / 1_000.0;
        let reads = at(table, Metric::ReadOps, 0) * seconds;
        assert!(reads >= 77.9 && (reads - reads.round()).abs() < 1e-6, "{name}: {reads}");
        near(at(table, Metric::ReadBytes, 0), at(table, Metric::ReadOps, 0) * bytes_per_op);
        assert!(at(table, Metric::ReadTime, 0) > 0.0 && at(table, Metric::WriteOps, 0) > 0.0, "{name}");
        let problem = try_read(&file(name), Options::default(), 999).unwrap_err();
        assert!(problem.to_string().contains("--host"), "{problem}");
    }
    let csv = file("pg_stat_io-18.4.csv");
    let behind_set = [b"SET\n", &csv[..]].concat();
    assert_eq!(read(&behind_set, named("db1")), read(&csv, named("db1")), "what psql says before the names");
    let tables = read(&file("pg_stat_io-18.4.jsonl"), named("db1")).1;
    assert!(
        tables.values().next().unwrap().column(Metric::RedoBytes).is_some(),
        "the log is a row of its own"
    );
}

const AWR: &str = "\"HOST_NAME\",\"DB_NAME\",\"INSTANCE_NUMBER\",\"BEGIN_TIME\",\"END_TIME\",\"METRIC_NAME\",\"AVERAGE\"
\"ora1\",\"ORCL\",1,\"2026-11-24 10:00:00\",\"2026-11-24 11:00:00\",\"Physical Read Total IO Requests Per Sec\",812.5
\"ora1\",\"ORCL\",1,\"2026-11-24 10:00:00\",\"2026-11-24 11:00:00\",\"User Commits Per Sec\",40.25
\"ora2\",\"ORCL\",2,\"2026-11-24 10:00:00\",\"2026-11-24 11:00:00\",\"User Commits Per Sec\",1
\"ora1\",\"ORCL\",1,\"2026-11-24 11:00:00\",\"2026-11-24 12:00:00\",\"Redo Generated Per Sec\",1048576
\"ora1\",\"ORCL\",1,\"2026-11-24 11:00:00\",\"2026-11-24 12:00:00\",\"Host CPU Utilization (%)\",7

25 rows selected.
";

#[test]
fn awr_has_means_of_an_hour() {
    let utc = Options { zone: Some(TimeZone::UTC), ..Options::default() };
    let (seen, tables) = read(AWR.as_bytes(), utc);
    assert_eq!(seen.left_out, [("Host CPU Utilization (%)".to_owned(), 1)].into(), "told, not dropped");
    let keys: Vec<(&str, &str)> =
        tables.keys().map(|key| (key.host.as_str(), key.subject.name.as_str())).collect();
    assert_eq!(keys, [("ora1", "ORCL"), ("ora2", "ORCL/2")]);
    let table = tables.values().next().unwrap();
    assert_eq!(table.spans().len(), 2);
    near(at(table, Metric::ReadOps, 0), 812.5);
    near(at(table, Metric::Commits, 0), 40.25);
    near(at(table, Metric::RedoBytes, 1), 1_048_576.0);
    assert!(try_read(AWR.as_bytes(), Options::default(), 50).unwrap_err().to_string().contains("--zone"));
    let comma = AWR.replace(",40.25", ",40,25");
    let utc = Options { zone: Some(TimeZone::UTC), ..Options::default() };
    let problem = try_read(comma.as_bytes(), utc, 50).unwrap_err();
    assert_eq!(problem.place.as_deref(), Some("line 3"));
    assert!(problem.to_string().contains("NLS_NUMERIC_CHARACTERS"), "{problem}");
}

const STATSPACK: &str = "HOST_NAME,DB_NAME,INSTANCE_NUMBER,SNAP_TIME,STARTUP_TIME,NAME,VALUE
ora1,ORCL,1,2026-11-24 10:00:00,2026-11-01 00:00:00,user commits,1000
ora1,ORCL,1,2026-11-24 10:05:00,2026-11-01 00:00:00,user commits,1300
ora1,ORCL,1,2026-11-24 12:00:00,2026-11-01 00:00:00,user commits,8200
ora1,ORCL,1,2026-11-24 13:00:00,2026-11-24 12:30:00,user commits,9000
ora1,ORCL,1,2026-11-24 14:00:00,2026-11-24 12:30:00,user commits,12600
";

#[test]
fn statspack_counts_and_a_restart_of_the_instance_is_no_growth() {
    let utc = Options { zone: Some(TimeZone::UTC), ..Options::default() };
    let (seen, tables) = read(STATSPACK.as_bytes(), utc);
    let commits = tables.values().next().unwrap().column(Metric::Commits).unwrap();
    assert_eq!(commits, [1.0, 1.0, 1.0], "intervals of any length; the one with the restart is left out");
    assert_eq!(seen.reboots, 1);
}

#[test]
fn every_file_is_the_same_however_its_bytes_come() {
    let zone = Some(TimeZone::UTC);
    let options = || Options {
        zone: zone.clone(),
        dates: Some(DateOrder::MonthDay),
        host: Some("h".to_owned()),
        ..Options::default()
    };
    for name in [
        "sadf-12.6.1.json",
        "iostat-12.6.1.json",
        "prometheus-2.42.0.json",
        "prometheus-2.42.0-federate.txt",
        "pg_stat_io-18.4.csv",
        "pg_stat_io-17.10.jsonl",
    ] {
        let bytes = file(name);
        let whole = format!("{:?}", try_read(&bytes, options(), bytes.len()).unwrap());
        for size in [1, 7, 1_000] {
            assert_eq!(format!("{:?}", try_read(&bytes, options(), size).unwrap()), whole, "{name} {size}");
        }
    }
}

#[test]
fn of_json_that_is_cut_off_what_is_whole_is_used_and_told() {
    for name in ["sadf-12.6.1.json", "prometheus-2.42.0.json", "pg_stat_io-18.4.jsonl"] {
        let bytes = file(name);
        let (whole, tables) = read(&bytes, named("db1"));
        for end in [bytes.len() / 2, bytes.len() - 20] {
            let (_, seen, part) = try_read(&bytes[..end], named("db1"), 1_000).unwrap();
            assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{name}: {seen:?}");
            assert!(seen.values <= whole.values, "{name}");
            for (key, table) in &part {
                for (metric, values) in table.columns() {
                    let all: Vec<f64> = tables[key].samples(metric).map(|sample| sample.value).collect();
                    let own: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                    assert!(all.starts_with(&own), "{name} {key:?} {metric:?}");
                }
            }
        }
        let problem = try_read(&bytes[..bytes.len() / 50], named("db1"), 1_000).unwrap_err();
        assert!(problem.what.contains("ends in the middle"), "{name}: {problem}");
        assert!(problem.place.is_some_and(|place| place.starts_with("line ")), "{name}");
        assert_eq!(problem.kind.code(), 2);
    }
}

#[test]
fn questions_that_prometheus_cannot_answer_so_are_told() {
    let told = |name: &str| try_read(&file(name), Options::default(), 100).unwrap_err().to_string();
    assert!(told("prometheus-2.42.0-rate.json").contains("has no name"));
    assert!(told("prometheus-2.42.0-instant.json").contains("query_range"));
    let error = br#"{"status":"error", "errorType":"bad_data",
        "error":"invalid parameter \"query\": 1:9: parse error: unexpected  end of input in a very long query that was cut"}"#;
    for size in [1, 7, 1000] {
        let problem = try_read(error, Options::default(), size).unwrap_err().to_string();
        let words = "invalid parameter \"query\": 1:9: parse error: unexpected  end of input in a very long query that was cut";
        assert!(problem.contains(words) && problem.contains("fix the query"), "{problem}");
    }
    let points =
        br#"{"status":"error","error":"exceeded maximum resolution of 11,000 points per timeseries"}"#;
    let problem = try_read(points, Options::default(), 100).unwrap_err().to_string();
    assert!(problem.contains("larger step"), "{problem}");
}

#[test]
fn two_hosts_under_one_name_are_refused() {
    let text = String::from_utf8(file("prometheus-2.42.0.json")).unwrap();
    let of = |port: u16| {
        format!("node_disk_io_time_seconds_total\",\"device\":\"loop57\",\"instance\":\"db1:{port}")
    };
    let other = text.replace(&of(9100), &of(9101));
    let problem = try_read(other.as_bytes(), Options::default(), 100).unwrap_err();
    assert!(problem.what.contains("two hosts would share the name db1:9100, db1:9101"), "{problem}");
    let two = text.replace(&of(9100), &of(9100).replace("db1", "db2"));
    assert!(try_read(two.as_bytes(), named("mine"), 100).is_err());
}

#[test]
fn a_renamed_disk_keeps_its_samples_by_what_stays() {
    let series = |name: &str, device: &str, wwn: &str, values: &str| {
        format!(
            r#"{{"metric":{{"__name__":"{name}","device":"{device}","instance":"a:1","wwn":"{wwn}"}},"values":[{values}]}}"#
        )
    };
    let (reads, info) = ("node_disk_reads_completed_total", "node_disk_info");
    let all = [
        series(info, "sda", "w1", "[0,\"1\"],[60,\"1\"]"),
        series(info, "sda", "w2", "[120,\"1\"],[180,\"1\"]"),
        series(reads, "sda", "", "[0,\"100\"],[60,\"700\"],[120,\"9000\"],[180,\"9060\"]"),
    ];
    let text =
        format!(r#"{{"status":"success","data":{{"resultType":"matrix","result":[{}]}}}}"#, all.join(","));
    let tables = read(text.as_bytes(), Options::default()).1;
    let found: Vec<(&str, f64)> =
        tables.iter().map(|(key, table)| (key.subject.id.as_str(), at(table, Metric::ReadOps, 0))).collect();
    assert_eq!(found, [("w1", 10.0), ("w2", 1.0)], "and nothing of the minute in which it was exchanged");
    let renamed = Options { renamed: vec![("vda".to_owned(), "sda".to_owned())], ..Options::default() };
    assert!(!disk(&read(&file("sadf-12.6.1.json"), renamed).1, "sda").is_empty());
}

#[test]
fn files_of_others_are_told_what_they_are() {
    let told = |bytes: &[u8]| try_read(bytes, Options::default(), 100).unwrap_err().to_string();
    assert!(told(b"").contains("it is empty"));
    assert!(told(b"\x96\xd5\x75\x21rest").contains("sadf -j FILE -- -b -d"));
    assert!(told(b"Linux 6.1 (db1) \t11/24/26\n\n08:00:01 AM DEV tps\n").contains("--zone"));
    assert!(told(b"Linux 6.1 (db1)\n\nsomething else\n").contains("sadf -j FILE"));
    assert!(told(b"Linux 6.1 (db1) \t11/24/26\n\nDevice r/s\n").contains("only one report"));
    assert!(told(b"\x1f\x8b\x08").contains("gzip -d"));
    assert!(told(b"SQLite format 3\0").contains("--store"));
    assert!(told(b"a,b,c\n1,2,3\n").contains("none of the supported formats"));
    assert!(told(b"<html>").contains("HTML"));
}

const SPACE: &str = "HOST_NAME,DB_NAME,DBID,SNAP_ID,SNAP_TIME,TABLESPACE_NAME,USED_BYTES
ora1,ORCL,271,10,2026-11-24 10:00:03,SYSTEM,1000
ora1,ORCL,271,10,2026-11-24 10:00:04,USERS,5000
ora1,ORCL,271,11,2026-11-24 11:00:03,SYSTEM,1000
ora1,ORCL,271,11,2026-11-24 11:00:04,USERS,7000
ora1,ORCL,271,9,2026-11-24 09:00:03,SYSTEM,1
";

#[test]
fn the_tablespaces_of_a_snapshot_are_the_space_of_the_database() {
    let (seen, tables) = read(SPACE.as_bytes(), Options::utc());
    let (key, table) = tables.iter().next().unwrap();
    assert_eq!((key.subject.id.as_str(), key.source, tables.len()), ("271/1", Source::AwrSpace, 1));
    assert_eq!(table.column(Metric::UsedBytes), Some([6000.0, 8000.0].as_slice()));
    assert_eq!(table.spans()[1].end_ms(), table.spans()[0].end_ms() + 3_600_000);
    assert_eq!(seen.backwards, 1, "a snapshot before the last one");
}
