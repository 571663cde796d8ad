//! Kinds of files as they came from the field: parts of a series, invalid numbers, rows changed by spreadsheets and clients, counters that
//! overflowed.

use super::field::{MINUTES, Report, answer, iostat, reads, sadf, series, utc};
use super::tests::{disk, read, try_read};
use super::*;
use crate::Metric;
use jiff::tz::TimeZone;

/// A line of VictoriaMetrics' export.
fn exported(name: &str, device: &str, readings: &[(i64, String)]) -> String {
    let values: Vec<&str> = readings.iter().map(|one| one.1.as_str()).collect();
    let times: Vec<String> = readings.iter().map(|one| format!("{}000", 1_780_000_000 + one.0)).collect();
    format!(
        r#"{{"metric":{{"__name__":"{name}","device":"{device}","instance":"db1:9100"}},"values":[{}],"timestamps":[{}]}}"#,
        values.join(","),
        times.join(",")
    ) + "\n"
}

/// As `/api/v1/export` has it: a series in several lines, in any order, and readings twice where blocks overlap.
#[test]
fn parts_of_a_series_in_an_export_are_one_series() {
    let name = "node_disk_reads_completed_total";
    let reading = |minute: i64| (minute * 60, format!("{}", 1000 + minute * minute * 600));
    let part = |from: i64, to: i64| exported(name, "sda", &(from..to).map(reading).collect::<Vec<_>>());
    let other =
        exported("node_disk_writes_completed_total", "sda", &(0..30).map(reading).collect::<Vec<_>>());
    let whole = read((part(0, 30) + &other).as_bytes(), Options::default());
    assert_eq!(reads(&whole.1, "sda").len(), 29);
    for (text, is_twice) in [
        (part(0, 10) + &part(10, 20) + &part(20, 30) + &other, false),
        (part(20, 30) + &other + &part(0, 10) + &part(10, 20), false),
        (part(0, 12) + &part(10, 30) + &other + &part(0, 12), true),
        (part(0, 1) + &part(1, 2) + &other + &part(2, 30), false),
    ] {
        let (seen, tables) = read(text.as_bytes(), Options::default());
        assert_eq!((seen.values, tables), (whole.0.values, whole.1.clone()), "{text}");
        assert_eq!(seen.notes.contains("readings that the file has twice count once"), is_twice, "{text}");
    }
    // Answers of Prometheus one behind the other go on as well.
    let answer = |from: i64, to: i64| {
        let values: Vec<String> = (from..to)
            .map(reading)
            .map(|(at, value)| format!("[{}, \"{value}\"]", 1_780_000_000 + at))
            .collect();
        format!(
            r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{{"metric": {{"__name__": "{name}", "device": "sda", "instance": "db1:9100"}}, "values": [{}]}}]}}}}"#,
            values.join(", ")
        )
    };
    let tables = read((answer(0, 12) + &answer(12, 30)).as_bytes(), Options::default()).1;
    assert_eq!(reads(&tables, "sda"), reads(&whole.1, "sda"));
}

#[test]
fn readings_that_are_no_numbers_are_left_out_and_counted() {
    let name = "node_disk_reads_completed_total";
    let values = ["1000", "NaN", "121000", "+Inf", "-Inf", "301000"];
    let expected = [1000.0, 1000.0];
    let time = |at: usize| 1_780_000_000 + 60 * i64::try_from(at).unwrap();
    let text: Vec<String> = values
        .iter()
        .enumerate()
        .map(|(at, value)| format!("{name}{{device=\"sda\",instance=\"db1:9100\"}} {value} {}\n", time(at)))
        .collect();
    let json: Vec<String> =
        values.iter().enumerate().map(|(at, value)| format!("[{}, \"{value}\"]", time(at))).collect();
    let json = format!(
        r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{{"metric": {{"__name__": "{name}", "device": "sda", "instance": "db1:9100"}}, "values": [{}]}}]}}}}"#,
        json.join(", ")
    );
    let in_json = |value: &str| match value {
        "NaN" => "null".to_owned(),
        "+Inf" => "\"Infinity\"".to_owned(),
        "-Inf" => "\"-Infinity\"".to_owned(),
        other => other.to_owned(),
    };
    let export: Vec<(i64, String)> = (0..).zip(values).map(|(at, value)| (at * 60, in_json(value))).collect();
    for text in [text.concat(), json, exported(name, "sda", &export)] {
        let (seen, tables) = read(text.as_bytes(), Options::default());
        assert_eq!((reads(&tables, "sda"), seen.unusable, seen.resets), (expected.to_vec(), 3, 0), "{text}");
    }
}

#[test]
fn labels_of_other_agents_name_the_host_and_clusters_are_kept_apart() {
    let host_of = |labels: &str| {
        let line = |value: u32, at: u32| {
            format!("node_disk_reads_completed_total{{device=\"sda\",{labels}}} {value} {at}\n")
        };
        let text = line(1000, 1_780_000_000) + &line(61_000, 1_780_000_060);
        let tables = try_read(text.as_bytes(), Options::default(), 99)?.2;
        Ok::<_, Problem>(tables.into_keys().map(|key| key.host).collect::<Vec<_>>().join(" "))
    };
    for (labels, host) in [
        ("instance=\"db1:9100\"", "db1"),
        ("instance=\"db1:9100\",node=\"worker\"", "db1"),
        ("host=\"db1\"", "db1"),
        ("hostname=\"db1\"", "db1"),
        ("nodename=\"db1\"", "db1"),
        ("node=\"db1\"", "db1"),
        ("instance=\"localhost:9100\",nodename=\"db1\"", "db1"),
        ("instance=\"localhost:9100\"", "localhost"),
        ("instance=\"[::1]\",nodename=\"db1\"", "db1"),
        ("cluster=\"east\",instance=\"db1:9100\"", "east/db1"),
        ("exported_instance=\"db1:9100\",instance=\"gateway:9091\"", "db1"),
        ("exported_instance=\"localhost:9100\",instance=\"db1:9100\"", "db1"),
    ] {
        assert_eq!(host_of(labels).unwrap(), host, "{labels}");
    }
    assert!(host_of("job=\"node\"").unwrap_err().to_string().contains("--host"));
    let two = |cluster: &str, step: i64| {
        let labels = format!(r#""device": "sda", "cluster": "{cluster}""#);
        series("node_disk_reads_completed_total", &labels, 60, |at| {
            f64::from(i32::try_from(at * step).unwrap())
        })
    };
    let tables = read(answer(&[two("east", 60), two("west", 600)]).as_bytes(), Options::default()).1;
    let means: Vec<(String, f64)> = tables
        .iter()
        .map(|(key, table)| (key.host.clone(), table.column(Metric::ReadOps).unwrap()[0]))
        .collect();
    assert_eq!(means, [("east/db1".to_owned(), 1.0), ("west/db1".to_owned(), 10.0)]);
}

/// What a counter of 32 bits leaves that ran over or fell, as each tool has it.
#[test]
fn the_width_of_a_counter_is_no_load_in_any_format() {
    let load = |reads: f64| [("sda", reads, 1.0)];
    for width in [4_294_967_296.0 / 60.0, 18_446_744_073_709_551_616.0 / 60.0, 42_949_672.95] {
        let loads = [1000.0, 1000.0, width, 1000.0].map(load);
        let reports: Vec<Report<'_>> =
            MINUTES.iter().zip(&loads).map(|(time, load)| (*time, &load[..])).collect();
        let (seen, tables) = read(iostat("2026-06-10", &reports).as_bytes(), Options::default());
        let kept: Vec<f64> =
            disk(&tables, "sda").samples(Metric::ReadOps).map(|sample| sample.value).collect();
        assert_eq!((kept, seen.unusable), (vec![1000.0, 1000.0], 2), "{width}");
    }
    let tables = |value: &str| {
        let sar = format!(
            "Linux 6.1 (db1) \t2026-06-10 \t_x86_64_\t(4 CPU)\n\n00:00:01 DEV tps rkB/s wkB/s await %util\n\
             00:10:01 sda 300.00 8.00 4.00 1.00 20.00\n00:20:01 sda {value} 8.00 4.00 1.00 20.00\n00:30:01 sda 300.00 8.00 4.00 1.00 20.00\n"
        );
        let rows = format!(
            "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s\ndb1;600;2026-06-10 00:10:01 UTC;sda;300.00;8.00;4.00\n\
             db1;600;2026-06-10 00:20:01 UTC;sda;{value};8.00;4.00\ndb1;600;2026-06-10 00:30:01 UTC;sda;300.00;8.00;4.00\n"
        );
        let json = sadf(r#""utc": 1"#).replacen("300.00", value, 2).replacen(value, "300.00", 1);
        [sar, rows, json].map(|text| {
            let (seen, tables) = read(text.as_bytes(), utc());
            let kept: Vec<f64> =
                disk(&tables, "sda").samples(Metric::AllOps).map(|sample| sample.value).collect();
            (kept, seen.unusable > 0)
        })
    };
    for value in ["7158278.83", "30744573456182586.03", "42949672.95"] {
        assert_eq!(tables(value), [(); 3].map(|()| (vec![300.0, 300.0], true)), "{value}");
    }
    assert_eq!(tables("400000.00")[0].0, [300.0, 400_000.0, 300.0], "a high load is one");
    // Counters of Prometheus that jump and fall back.
    let jumps =
        |at: i64| if at == 60 { 4_294_967_295.0 } else { f64::from(i32::try_from(at * 600).unwrap()) };
    let text = answer(&[series("node_disk_reads_completed_total", r#""device": "sda""#, 60, jumps)]);
    let (seen, tables) = read(text.as_bytes(), Options::default());
    assert!(reads(&tables, "sda").iter().all(|rate| *rate < 11.0), "{:?}", reads(&tables, "sda"));
    assert_eq!((seen.unusable, seen.resets), (1, 1));
    let awr = |value: &str| {
        format!(
            "HOST_NAME,DB_NAME,INSTANCE_NUMBER,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n\
         db1,ORCL,1,2026-06-10 00:00:22,2026-06-10 01:00:22,Physical Read Total IO Requests Per Sec,{value}\n\
         db1,ORCL,1,2026-06-10 01:00:22,2026-06-10 02:00:22,Physical Read Total IO Requests Per Sec,10\n"
        )
    };
    assert_eq!(read(awr("1193046.47").as_bytes(), utc()).0.unusable, 1);
    assert_eq!(read(awr("5124095576030431").as_bytes(), utc()).0.unusable, 1);
}

#[test]
fn what_iostat_was_asked_for_besides_is_read_or_named() {
    let head = "Linux 6.1 (db1) \t11/24/26 \t_x86_64_\t(4 CPU)\n\n";
    let columns = "Device            r/s     rkB/s     w/s     wkB/s r_await w_await  %util\n";
    let report = |minute: u32, rows: &str| format!("2026-06-10T08:0{minute}:00+0000\n{columns}{rows}\n");
    let rows = "sda             100.00   400.00   50.00   200.00    1.00    1.00  10.00\n \
                all            150.00   600.00   60.00   240.00    1.00    1.00   8.00\n";
    let text = head.to_owned() + &report(0, rows) + &report(1, rows) + &report(2, rows);
    let (seen, tables) = read(text.as_bytes(), Options::default());
    let own = crate::layers::own_disks(tables.keys().map(|key| key.subject.clone()).collect());
    assert_eq!((tables.len(), own.len(), own[0].name.as_str()), (2, 1, "sda"));
    assert!(seen.notes.iter().any(|note| note.contains("iostat -g")), "{seen:?}");
    // A text that is indented as a whole has no groups.
    let indented: String =
        text.replace("\n all", "\nsdb").lines().map(|line| format!("    {line}\n")).collect();
    let tables = read(indented.trim_start().as_bytes(), Options::default()).1;
    assert!(tables.keys().all(|key| key.subject.id.is_empty()) && tables.len() == 2);
    let json =
        iostat("2026-06-10", &MINUTES.map(|time| (time, &[("sda", 1000.0, 1.0), (" all", 1000.0, 1.0)][..])));
    let tables = read(json.as_bytes(), Options::default()).1;
    assert_eq!(crate::layers::own_disks(tables.into_keys().map(|key| key.subject).collect()).len(), 1);
    let told = |text: &str| try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
    let people = text.replace("400.00", "0.4k").replace("10.00\n", "10.0%\n");
    assert!(
        told(&people).contains("started with -h or --human")
            && told(&people).contains("iostat -x -t -o JSON")
    );
    let pretty = head.to_owned()
        + "2026-06-10T08:00:00+0000\n     r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz Device\n    0.99      3.96     0.00   0.00    1.00     4.00 vda\n\n";
    assert!(told(&pretty).contains("-h or --pretty"), "{}", told(&pretty));
    let short = head.to_owned()
        + "2026-06-10T08:00:00+0000\nDevice             tps      kB/s    rqm/s   await  areq-sz  aqu-sz  %util\nvda               1.00      4.00     0.00    0.00     4.00    0.00   0.00\n\n";
    assert!(told(&short).contains("started with -s"), "{}", told(&short));
}

#[test]
fn csv_of_spreadsheets_and_of_chatty_clients_is_the_same() {
    let head =
        ["HOST_NAME", "DB_NAME", "INSTANCE_NUMBER", "BEGIN_TIME", "END_TIME", "METRIC_NAME", "AVERAGE"];
    let row = |hour: u32, value: &'static str| {
        let times = [format!("2026-06-10 0{hour}:00:22"), format!("2026-06-10 0{}:00:22", hour + 1)];
        let [begin, end] = times;
        [
            "db1".to_owned(),
            "ORCL".to_owned(),
            "1".to_owned(),
            begin,
            end,
            "Redo Writes Per Sec".to_owned(),
            value.to_owned(),
        ]
    };
    let heads = head.map(str::to_owned);
    let joined = |all: &[&[String; 7]], sign: &str, quote: &str| -> String {
        all.iter()
            .map(|row| row.each_ref().map(|field| format!("{quote}{field}{quote}")).join(sign) + "\n")
            .collect()
    };
    let (point, comma) = ([row(0, "1000.5"), row(1, "40.25")], [row(0, "1000,5"), row(1, "40,25")]);
    let same = read(joined(&[&heads, &point[0], &point[1]], ",", "").as_bytes(), utc());
    assert_eq!(same.0.values, 2);
    let plain = joined(&[&heads, &point[0], &point[1]], ",", "");
    let [heading, first, second] = plain.lines().collect::<Vec<_>>()[..] else { panic!() };
    for text in [
        joined(&[&heads, &comma[0], &comma[1]], ";", ""),
        joined(&[&heads, &comma[0], &comma[1]], "\t", ""),
        joined(&[&heads, &comma[0], &comma[1]], ",", "\""),
        joined(&[&heads, &point[0], &point[1]], "|", "\""),
        "\u{feff}".to_owned() + &joined(&[&heads, &point[0], &point[1]], ";", "\""),
        "sep=;\r\n".to_owned() + &joined(&[&heads, &comma[0], &comma[1]], ";", "").replace('\n', "\r\n"),
        format!(
            "{heading}\n---------,-------,---\n{first}\n\u{c}{heading}\n---------,-------,---\n{second}\n\n2 rows selected.\n\nElapsed: 00:00:01.23\n"
        ),
        format!(
            "SQL*Plus: Release 19.0.0.0.0 - Production on Wed Jun 10 08:00:00 2026\nVersion 19.3.0.0.0\n\nCopyright (c) 1982, 2019, Oracle.  All rights reserved.\n\n\n\
             Connected to:\nOracle Database 19c Enterprise Edition Release 19.0.0.0.0 - Production\n\n{heading}\n--,--,--,--,--,--,--\n{first}\n{second}\n\n2 Zeilen ausgew\u{e4}hlt.\n\n\
             Abgelaufen: 00:00:00.01\nSQL> exit\nDisconnected from Oracle Database 11g Enterprise Edition Release 11.2.0.4.0 - 64bit Production\n\
             With the Partitioning, OLAP, Data Mining and Real Application Testing options\n"
        ),
    ] {
        assert_eq!(read(text.as_bytes(), utc()), same, "{text}");
    }
    let (seen, tables) =
        read(format!("{heading}\n{first}\n{second}\nORA-01555: snapshot too old\n").as_bytes(), utc());
    assert_eq!(tables, same.1);
    assert!(seen.notes.iter().any(|note| note.contains("ORA-")), "{seen:?}");
    // A last line without its end may be half a number.
    let (seen, tables) = read(&plain.as_bytes()[..plain.len() - 2], utc());
    assert_eq!((tables.values().next().unwrap().spans().len(), seen.unusable, seen.notes.len()), (1, 0, 1));
    let whole = joined(&[&heads, &point[0], &point[1]], ",", "\"");
    assert_eq!(read(whole.trim_end().as_bytes(), utc()), same, "a field in quotes is whole");
    let either = try_read(plain.replace("40.25", "\"1,234\"").as_bytes(), utc(), 99).unwrap_err().to_string();
    assert!(either.contains("decimals or thousands"), "{either}");
}

/// Runs that were stopped and started again write into one file.
#[test]
fn runs_behind_one_that_was_cut_off_count() {
    let text = |hour: &str, load: f64| {
        let loads = [("sda", load, 1.0)];
        let times = MINUTES.map(|time| time.replace("T08", hour));
        let reports: Vec<Report<'_>> = times.iter().map(|time| (time.as_str(), &loads[..])).collect();
        iostat("2026-06-10", &reports)
    };
    let (first, second) = (text("T08", 100.0), text("T09", 200.0));
    for spread in [second.clone(), second.replacen("{\"sysstat\":", "{\n  \"sysstat\":", 1)] {
        for cut in [first.len() - 2, first.len() - 9, first.len() - 60, first.len() / 2] {
            let (seen, tables) = read(format!("{}\n{spread}", &first[..cut]).as_bytes(), Options::default());
            let kept: Vec<f64> =
                disk(&tables, "sda").samples(Metric::ReadOps).map(|sample| sample.value).collect();
            let of_second = kept.iter().filter(|rate| **rate > 150.0).count();
            assert_eq!((of_second, seen.first_reports), (MINUTES.len() - 1, 2), "{cut}: {kept:?}");
            assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{seen:?}");
        }
    }
    let (first, second) = (sadf(r#""utc": 1"#), sadf(r#""utc": 1"#).replace("2026-06-10", "2026-06-11"));
    let (_, tables) =
        read(format!("{}\n{second}", &first[..first.len() - 30]).as_bytes(), Options::default());
    assert_eq!(disk(&tables, "sda").spans().len(), 5);
}

#[test]
fn the_zone_that_a_file_names_is_held_against_the_one_that_is_given() {
    let begin = |time: &str, zone: Option<&str>| {
        let zone = zone.map(|zone| TimeZone::posix(zone).unwrap());
        let (_, seen, tables) =
            try_read(sadf(time).as_bytes(), Options { zone, ..Options::default() }, 1 << 16)?;
        let begin = crate::when::shown(disk(&tables, "sda").spans()[0].start_ms);
        Ok::<_, Problem>((begin, seen.notes.iter().any(|note| note.contains("--zone"))))
    };
    let berlin = Some("CET-1CEST,M3.5.0,M10.5.0/3");
    // sysstat has the name of winter in summer as well.
    for told in ["CET", "CEST", "+0100"] {
        let found = begin(&format!(r#""tz": "{told}""#), berlin).unwrap();
        assert_eq!(found, ("2026-06-09 22:00".to_owned(), false), "{told}");
    }
    assert_eq!(begin(r#""tz": "CEST""#, Some("UTC0")).unwrap(), ("2026-06-10 00:00".to_owned(), true));
    assert_eq!(begin(r#""tz": "-03""#, berlin).unwrap(), ("2026-06-10 03:00".to_owned(), false));
    let told = begin(r#""tz": "CEST""#, None).unwrap_err().to_string();
    assert!(told.contains("in CEST") && told.contains("--zone Europe/Berlin"), "{told}");
}

#[test]
fn other_reports_and_tables_of_oracle_are_told_what_they_are() {
    for (text, cause) in [
        ("ASH Report For PROD/prod1\n\n", "without I/O rates"),
        ("          ADDM Report for Task 'ADDM:1'\n          ----\n", "without I/O rates"),
        ("\nTKPROF: Release 19.0.0.0.0 - Development on Sat Jun 13 10:00:00 2026\n", "without I/O rates"),
        (
            "HOST_NAME   BEGIN_TIME          METRIC_NAME                 AVERAGE\n----------- ------------------- -------------------- ----------\n",
            "an SQL*Plus table",
        ),
    ] {
        let told = try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
        assert!(told.contains(cause), "{text}: {told}");
    }
}

#[test]
fn snapshots_of_postgresql_may_have_local_times_and_other_names_of_them() {
    let rows = |name: &str, day: &str, offset: &str| {
        let row = |(at, time): (usize, &str)| {
            ["relation", "temp relation"]
                .map(|object| format!("{day} {time}{offset},client backend,{object},{},0\n", at * 6000))
                .concat()
        };
        let all: String =
            ["02:10:00", "02:40:00", "02:10:00", "02:40:00"].into_iter().enumerate().map(row).collect();
        format!("{name},backend_type,object,reads,writes\n{all}")
    };
    let zone = || TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let options = || Options { zone: Some(zone()), host: Some("db1".to_owned()), ..Options::default() };
    for name in ["at", "ts", "clock_timestamp", "localtimestamp"] {
        let (seen, tables) = read(rows(name, "2026-10-25", "").as_bytes(), options());
        let table = tables.values().next().unwrap();
        assert_eq!((table.spans().len(), seen.backwards), (3, 0), "{name}: the hour that comes twice");
        assert!((table.column(Metric::ReadOps).unwrap()[0] - 12_000.0 / 1800.0).abs() < 1e-9);
    }
    let told = |name: &str, day: &str, zone: Option<TimeZone>| {
        try_read(rows(name, day, "").as_bytes(), Options { zone, ..options() }, 1 << 16)
            .unwrap_err()
            .to_string()
    };
    assert!(told("at", "2026-10-25", None).contains("--zone Europe/Berlin"));
    assert!(told("at", "25.10.2026", Some(zone())).contains("SET datestyle = ISO"));
    assert!(told("x", "2026-10-25", Some(zone())).contains("the query leaves out now()"));
}
