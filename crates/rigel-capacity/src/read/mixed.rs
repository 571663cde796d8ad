//! Files with more in them than one run of one thing: two runs without a line feed between them, counters of two replicas, containers of a database,
//! rows in any order, columns that were rounded away.

use super::field::utc;
use super::tests::{Tables, disk, named, read, try_read};
use super::*;
use crate::{Kind, Metric, Table};
use jiff::tz::TimeZone;

fn told(text: &str) -> String {
    try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string()
}

/// The only database of a file.
fn database(tables: &Tables) -> &Table {
    tables.iter().find(|(key, _)| key.subject.kind == Kind::Database).unwrap().1
}

#[test]
fn waits_in_whole_milliseconds_are_no_latency() {
    let report = |minute: u32, waits: &str| {
        format!(
            "2026-06-10T08:0{minute}:00+0000\n\nDevice r/s rkB/s r_await w/s wkB/s w_await %util\nsda 1000{waits} 8000{waits} 0{waits} 0{waits} 0{waits} 0{waits} 20{waits}\n\n"
        )
    };
    let text = |waits: &str| {
        let head = "Linux 5.14.0 (db1) \t06/10/2026 \t_x86_64_\t(4 CPU)\n\n".to_owned();
        (0..3).fold(head, |text, minute| text + &report(minute, waits))
    };
    let note = |seen: &ReaderNotes| seen.notes.iter().any(|note| note.contains("whole milliseconds"));
    let (seen, tables) = read(text("").as_bytes(), utc());
    let sda = disk(&tables, "sda");
    assert_eq!(sda.column(Metric::ReadOps).unwrap(), [1000.0; 2]);
    assert_eq!((sda.column(Metric::ReadTime), note(&seen)), (None, true));
    assert_eq!(sda.column(Metric::WriteTime).unwrap(), [0.0; 2], "nothing was written");
    let (seen, tables) = read(text(".00").as_bytes(), utc());
    assert!(disk(&tables, "sda").column(Metric::ReadTime).is_some() && !note(&seen));
    // As JSON, which has no decimals either.
    let json = |fraction: &str| {
        let report = |minute: u32| {
            format!(
                "{{\"timestamp\": \"2026-06-10T08:0{minute}:00+0000\", \"disk\": [{{\"disk_device\": \"sda\", \"r/s\": 1000{fraction}, \"r_await\": 0{fraction}}}]}}"
            )
        };
        let all: Vec<String> = (0..3).map(report).collect();
        format!(
            "{{\"sysstat\": {{\"hosts\": [{{\"nodename\": \"db1\", \"statistics\": [{}]}}]}}}}",
            all.join(",")
        )
    };
    assert_eq!(disk(&read(json("").as_bytes(), utc()).1, "sda").column(Metric::ReadTime), None);
    assert!(disk(&read(json(".00").as_bytes(), utc()).1, "sda").column(Metric::ReadTime).is_some());
    let sar = "Linux 5.14.0 (db1) \t06/13/2026 \t_x86_64_\t(4 CPU)\n\n08:00:01 DEV tps rkB/s wkB/s await %util\n\
               08:10:01 sda 100 800 0 0 5\n08:20:01 sda 100 800 0 0 5\n";
    let (seen, tables) = read(sar.as_bytes(), utc());
    assert_eq!((disk(&tables, "sda").column(Metric::AllTime), note(&seen)), (None, true));
}

/// nmon that was stopped within a line, and the file of another host behind it.
#[test]
fn a_run_of_nmon_behind_one_that_is_cut_off_is_another() {
    let run = |host: &str, hour: u32, rate: u32| {
        let head = format!(
            "AAA,progname,nmon\nAAA,host,{host}\nAAA,date,13-JUN-2026\nDISKREAD,Disk Read KB/s {host},sda\nDISKXFER,Disk transfers per second {host},sda\n"
        );
        (1..=4).fold(head, |text, at| {
            text + &format!("ZZZZ,T000{at},{hour:02}:0{at}:00,13-JUN-2026\nDISKREAD,T000{at},{}.0\nDISKXFER,T000{at},{}.0\n", rate * at * 8, rate * at)
        })
    };
    let first = run("db1", 8, 100);
    let cut = &first[..first.len() - 4];
    let (seen, tables) = read((cut.to_owned() + &run("db2", 20, 1000)).as_bytes(), utc());
    let of = |host: &str| tables.iter().find(|(key, _)| key.host == host).unwrap().1;
    let known = |host: &str, metric| of(host).samples(metric).map(|sample| sample.value).collect::<Vec<_>>();
    assert_eq!(known("db1", Metric::AllOps), [200.0, 300.0]);
    assert_eq!(known("db2", Metric::AllOps), [2000.0, 3000.0, 4000.0]);
    assert_eq!(known("db2", Metric::ReadBytes)[2], 32_000.0 * 1024.0);
    assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{seen:?}");
}

const COUNTERS: &str = "HOST_NAME,DB_NAME,INSTANCE_NUMBER,SNAP_TIME,STARTUP_TIME,NAME,VALUE\n";

fn counter(hour: usize, value: u64) -> String {
    format!("db1,PROD,1,2026-06-13 {hour:02}:00:00,2026-06-01 00:00:00,redo writes,{value}\n")
}

#[test]
fn counters_of_oracle_may_be_in_any_order_and_have_one_value_at_a_time() {
    let rows: Vec<String> =
        [(8, 3_600), (9, 7_200), (10, 18_000), (11, 18_000)].map(|(hour, value)| counter(hour, value)).into();
    let text = |order: &[usize]| order.iter().fold(COUNTERS.to_owned(), |text, at| text + &rows[*at]);
    let (_, sorted) = read(text(&[0, 1, 2, 3]).as_bytes(), utc());
    assert_eq!(database(&sorted).column(Metric::RedoOps).unwrap(), [1.0, 3.0, 0.0]);
    for order in [&[3, 2, 1, 0][..], &[1, 3, 0, 2], &[0, 0, 1, 2, 2, 3]] {
        let (seen, tables) = read(text(order).as_bytes(), utc());
        assert_eq!((tables, seen.backwards), (sorted.clone(), 0), "{order:?}");
    }
    let two = text(&[0, 1]) + &counter(9, 10);
    assert!(told(&two).contains("two values at 2026-06-13 09:00 UTC"), "{}", told(&two));
    // Another life of the instance.
    let again = text(&[0, 1])
        + &counter(10, 5).replace("06-01", "06-12")
        + &counter(11, 3_605).replace("06-01", "06-12");
    let (seen, tables) = read(again.as_bytes(), utc());
    assert_eq!((seen.reboots, database(&tables).column(Metric::RedoOps).unwrap()), (1, &[1.0, 1.0][..]));
}

#[test]
fn containers_of_a_database_are_not_the_database() {
    let rows = |container: u32| {
        counter(8, 10).replace("db1,", &format!("{container},db1,"))
            + &counter(9, 20).replace("db1,", &format!("{container},db1,"))
    };
    let head = "CON_ID,".to_owned() + COUNTERS;
    let both = told(&(head.clone() + &rows(1) + &rows(3)));
    assert!(both.contains("several containers: CON_ID is 1 and 3"), "{both}");
    let part = |container| read((head.clone() + &rows(container)).as_bytes(), utc()).0.notes;
    assert!(part(0).is_empty() && part(3).iter().any(|note| note.contains("one pluggable database")));
}

/// The night in which the clock goes back, of two statistics one behind the other, as the documented query has them.
#[test]
fn the_hour_that_comes_twice_is_that_of_each_statistic() {
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let options = || Options { zone: Some(zone.clone()), ..Options::default() };
    let spans = |text: &str| {
        let (seen, tables) = read(text.as_bytes(), options());
        assert_eq!((seen.backwards, seen.skipped), (0, 0));
        let column = |metric| {
            database(&tables).samples(metric).map(|one| (one.span.start_ms, one.value)).collect::<Vec<_>>()
        };
        (column(Metric::RedoOps), column(Metric::Commits))
    };
    let mean = |name: &str| {
        let hours = [("01:00:00", "02:00:00", 1), ("02:00:00", "02:00:00", 2), ("02:00:00", "03:00:00", 3)];
        hours
            .map(|(begin, end, value)| {
                format!("db1,PROD,1,2026-10-25 {begin},2026-10-25 {end},{name},{value}\n")
            })
            .concat()
    };
    let head = "HOST_NAME,DB_NAME,INSTANCE_NUMBER,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n".to_owned();
    let (one, other) = spans(&(head + &mean("Redo Writes Per Sec") + &mean("User Commits Per Sec")));
    assert_eq!((one.len(), &one), (3, &other));
    let count = |name: &str| {
        let hours = [("01", 3_600), ("02", 7_200), ("02", 14_400), ("03", 25_200)];
        hours.map(|(hour, value)| format!("db1,PROD,1,2026-10-25 {hour}:00:00,x,{name},{value}\n")).concat()
    };
    assert_eq!(spans(&(COUNTERS.to_owned() + &count("redo writes") + &count("user commits"))), (one, other));
}

#[test]
fn what_clients_write_for_no_number_is_counted() {
    let row = |hour: usize, value: &str| {
        format!(
            "db1,PROD,1,2026-06-13 {hour:02}:00:00,2026-06-13 {:02}:00:00,Redo Writes Per Sec,{value}\n",
            hour + 1
        )
    };
    let head = "\"Host Name\",\"Db Name\",\"Instance Number\",\"Begin Time\",\"End Time\",\"Metric Name\",\"Average\"\n";
    let text = head.to_owned()
        + &row(8, "10")
        + &row(9, "")
        + &row(10, "##########")
        + &row(11, "(null)")
        + &row(12, "20");
    let (seen, tables) = read(text.as_bytes(), utc());
    assert_eq!((seen.values, seen.unusable), (2, 3));
    assert_eq!(database(&tables).samples(Metric::RedoOps).count(), 2);
    assert!(told(&(head.to_owned() + &row(8, "many"))).contains("is not a number"));
}

#[test]
fn replicas_in_text_are_told_as_those_in_an_answer() {
    let line = |replica: &str, at: i64, value: i64| {
        format!(
            "node_disk_reads_completed_total{{device=\"sda\",instance=\"db1:9100\",replica=\"{replica}\"}} {value} {}000\n",
            1_780_000_000 + at
        )
    };
    let one = |replica: &str, late: i64| {
        (0..5).map(|at| line(replica, at * 60 + late, at * 6_000)).collect::<Vec<_>>()
    };
    let mixed: String = one("a", 0).into_iter().zip(one("b", 7)).map(|(a, b)| a + &b).collect();
    for text in [mixed, one("a", 0).concat() + &one("b", 0).concat()] {
        let told = told(&text);
        assert!(told.contains("the label replica differs (a and b)"), "{told}");
    }
    let renamed = one("a", 0).concat() + &one("b", 300).concat().replace("} 0 ", "} 30000 ");
    assert!(try_read(renamed.as_bytes(), utc(), 1 << 16).is_ok());
    let whole = one("a", 0).concat();
    for lost in [2, 16, 20] {
        let (seen, tables) = read(&whole.as_bytes()[..whole.len() - lost], utc());
        assert!(disk(&tables, "sda").samples(Metric::ReadOps).all(|one| (one.value - 100.0).abs() < 1e-9));
        assert_eq!((seen.values, seen.notes.len()), (3, usize::from(lost > 2)), "{lost}");
    }
    let backward: String = one("a", 0).into_iter().rev().collect();
    assert!(told(&backward).contains("reverse chronological order"), "{}", told(&backward));
}

#[test]
fn metrics_that_are_not_read_are_named() {
    let answer = |name: &str, labels: &str| {
        format!(
            r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{{"metric": {{"__name__": "{name}", "instance": "db1:9100"{labels}}}, "values": [[1780000000, "1000"], [1780000060, "7000"]]}}]}}}}"#
        )
    };
    for name in ["windows_logical_disk_reads_total", "node_disk_io_now", "go_threads"] {
        assert!(told(&answer(name, "")).contains(name), "{}", told(&answer(name, "")));
    }
    assert!(
        told(r#"{"status": "success", "data": {"resultType": "matrix", "result": []}}"#)
            .contains("no series")
    );
    let reads = answer("node_disk_reads_completed_total", r#", "device": "sda""#);
    let warned = reads.strip_suffix('}').unwrap().to_owned() + r#", "warnings": ["a store did not answer"]}"#;
    assert!(read(warned.as_bytes(), utc()).0.notes.iter().any(|note| note.contains("may be incomplete")));
    assert!(read(reads.as_bytes(), utc()).0.notes.is_empty());
    for (kind, is_read) in [("xfs", true), ("tmpfs", false), ("squashfs", false), ("overlay", false)] {
        let size =
            answer("node_filesystem_size_bytes", &format!(r#", "mountpoint": "/x", "fstype": "{kind}""#));
        assert_eq!(try_read(size.as_bytes(), utc(), 1 << 16).is_ok(), is_read, "{kind}");
    }
    let far = r#"{"metric":{"__name__":"node_disk_reads_completed_total","instance":"db1:9100"},"values":[1,2],"timestamps":[1780000000000000,1780000060000000]}"#;
    assert!(told(far).contains("in milliseconds"), "{}", told(far));
    let far = reads.replace("1780000000,", "1780000000000,");
    assert!(told(&far).contains("in seconds"), "{}", told(&far));
}

/// `clock_timestamp()` is another in each row.
#[test]
fn rows_of_one_snapshot_may_be_some_milliseconds_apart() {
    let head = "clock_timestamp,backend_type,object,context,reads,writes,stats_reset\n".to_owned();
    let text = (0..3).fold(head, |text, minute| {
        ["client backend", "checkpointer"].iter().zip(["10", "20"]).fold(text, |text, (backend, ms)| {
            text + &format!(
                "2026-06-13 08:0{minute}:00.{ms}+00,{backend},relation,normal,{},0,\n",
                minute * 6_000
            )
        })
    });
    let (seen, tables) = read(text.as_bytes(), named("db1"));
    assert_eq!((database(&tables).column(Metric::ReadOps).unwrap(), seen.resets), (&[200.0; 2][..], 0));
}

#[test]
fn tables_that_are_not_read_are_counted() {
    let head = "Linux 5.14.0 (db1) \t06/13/2026 \t_x86_64_\t(4 CPU)\n\n";
    let sar = head.to_owned()
        + "08:00:01 DEV tps rkB/s wkB/s await\n08:10:01 sda 100.00 800.00 0.00 1.00\n\n08:00:01 MBfsfree MBfsused FILESYSTEM\n08:10:01 10 20 /dev/sda1\n08:10:01 10 20 /dev/sdb1\n";
    let left_out = |text: &str| read(text.as_bytes(), utc()).0.left_out.into_values().collect::<Vec<_>>();
    assert_eq!(left_out(&sar), [2]);
    let rows = "# hostname;interval;timestamp;DEV;tps\ndb1;600;2026-06-13 08:10:01 UTC;sda;1.00\n\
                # hostname;interval;timestamp;FILESYSTEM;MBfsfree;MBfsused\ndb1;600;2026-06-13 08:10:01 UTC;/dev/sda1;1;2\n";
    assert_eq!(left_out(rows), [1]);
    let report = |minute: u32| {
        format!(
            "2026-06-13T08:0{minute}:00+0000\n\nDevice r/s w/s\nsda 1.00 1.00\n\nFilesystem: rMB_nor/s wMB_nor/s ops/s\nnas:/ora 1.00 1.00 2.00\n\n"
        )
    };
    assert_eq!(left_out(&(head.to_owned() + &report(0) + &report(1))), [2]);
    // Zeros that a crash left in the log.
    let zeros = head.to_owned() + &report(0) + &report(1) + &"\0".repeat(4096) + &report(2);
    assert_eq!(disk(&read(zeros.as_bytes(), utc()).1, "sda").spans().len(), 2);
    let snap = |free: f64| {
        format!(
            r#"{{"sysstat": {{"hosts": [{{"nodename": "db1", "file-date": "2026-06-13", "statistics": [{{"timestamp": {{"date": "2026-06-13", "time": "00:10:01", "utc": 1, "interval": 600}}, "filesystems": [{{"mountpoint": "/snap/core/1", "MBfsfree": {free:.2}, "MBfsused": 60.00}}, {{"mountpoint": "/", "MBfsfree": 1.00, "MBfsused": 2.00}}]}}]}}]}}}}"#
        )
    };
    assert_eq!((left_out(&snap(0.0)), left_out(&snap(1.0))), (vec![1], vec![]));
}

/// Zones that a host abbreviates otherwise than the one that was given.
#[test]
fn a_zone_of_date_is_held_against_the_one_that_was_given() {
    let text = "zzz ***Sat Jun 13 08:00:00 EDT 2026\nDevice r/s w/s\nsda 1.00 1.00\n\nDevice r/s w/s\nsda 2.00 1.00\n\n";
    let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let options = Options { zone: Some(zone), ..named("db1") };
    let (seen, _) = read(text.as_bytes(), options.clone());
    assert!(seen.notes.iter().any(|note| note.contains("--zone")), "{seen:?}");
    let (seen, _) = read(text.replace("EDT", "CEST").as_bytes(), options);
    assert!(!seen.notes.iter().any(|note| note.contains("--zone")), "{seen:?}");
    assert!(try_read(text.as_bytes(), named("db1"), 99).unwrap_err().to_string().contains("in EDT"));
}
