//! Files as they came from the field: spellings of versions and languages, and what looks like load but is not.

use super::tests::{Tables, disk, named, read, try_read};
use super::*;
use crate::Metric;
use jiff::tz::TimeZone;

pub(super) fn utc() -> Options {
    Options { zone: Some(TimeZone::UTC), ..Options::default() }
}

/// A disk with its reads and writes per second, and a report on some: its time, and they.
pub(super) type Load<'a> = (&'a str, f64, f64);
pub(super) type Report<'a> = (&'a str, &'a [Load<'a>]);

/// A document of iostat with these reports: the time, and of each disk reads and writes per second.
pub(super) fn iostat(day: &str, reports: &[Report<'_>]) -> String {
    let disk = |(name, reads, writes): &Load<'_>| {
        format!(
            r#"{{"disk_device": "{name}", "r/s": {reads:.2}, "w/s": {writes:.2}, "rkB/s": 8.00, "wkB/s": 4.00, "r_await": 1.00, "w_await": 0.50, "util": 20.00}}"#
        )
    };
    let report = |(time, disks): &Report<'_>| {
        let disks: Vec<String> = disks.iter().map(disk).collect();
        format!(r#"{{"timestamp": "{time}", "disk": [{}]}}"#, disks.join(", "))
    };
    let reports: Vec<String> = reports.iter().map(report).collect();
    format!(
        "{{\"sysstat\": {{\n\"hosts\": [\n{{\"nodename\": \"db1\", \"date\": \"{day}\",\n\"statistics\": [\n{}\n]}}]}}}}\n",
        reports.join(",\n")
    )
}

pub(super) fn reads(tables: &Tables, name: &str) -> Vec<f64> {
    disk(tables, name).column(Metric::ReadOps).unwrap().to_vec()
}

pub(super) const MINUTES: [&str; 4] = [
    "2026-06-10T08:00:00+0000",
    "2026-06-10T08:01:00+0000",
    "2026-06-10T08:02:00+0000",
    "2026-06-10T08:03:00+0000",
];

#[test]
fn the_first_report_of_each_run_in_a_file_is_left_out() {
    let run = |hour: &str| {
        let times = MINUTES.map(|time| time.replace("T08", hour));
        let load = |number: usize| [("sda", if number == 0 { 9000.0 } else { 1000.0 }, 1.0)];
        let loads = [0, 1, 2, 3].map(load);
        let reports: Vec<Report<'_>> =
            times.iter().zip(&loads).map(|(time, load)| (time.as_str(), &load[..])).collect();
        iostat("2026-06-10", &reports)
    };
    let (seen, tables) = read((run("T08") + &run("T09") + &run("T10")).as_bytes(), Options::default());
    assert_eq!(reads(&tables, "sda"), [1000.0; 9]);
    assert_eq!(seen.first_reports, 3);
    assert!(
        disk(&tables, "sda").spans().iter().all(|span| span.length_ms == 60_000),
        "no interval leads from run to run"
    );
}

/// As `iostat -z` leaves them out: before the first, in between, and after the last.
#[test]
fn a_disk_that_was_left_out_was_idle() {
    let (idle, busy) = ([("sdb", 10.0, 5.0)], [("sdb", 10.0, 5.0), ("sda", 1000.0, 500.0)]);
    let times: Vec<String> = (0..9).map(|minute| format!("2026-06-10T08:0{minute}:00+0000")).collect();
    let load = |minute: usize| if [3, 6].contains(&minute) { &busy[..] } else { &idle[..] };
    let reports: Vec<Report<'_>> =
        times.iter().enumerate().map(|(minute, time)| (time.as_str(), load(minute))).collect();
    let (seen, tables) = read(iostat("2026-06-10", &reports).as_bytes(), Options::default());
    assert_eq!(reads(&tables, "sda"), [0.0, 0.0, 1000.0, 0.0, 0.0, 1000.0, 0.0, 0.0]);
    assert_eq!((seen.idle, seen.first_reports), (6, 1), "what is not in the file is told");
    assert_eq!(disk(&tables, "sda").spans(), disk(&tables, "sdb").spans());
}

#[test]
fn values_that_no_host_can_reach_are_left_out_and_counted() {
    let load = |reads: f64| [("sda", reads, 1.0)];
    let loads = [1000.0, 1000.0, 9.223_372_036_854_776e18, 1000.0].map(load);
    let reports: Vec<Report<'_>> =
        MINUTES.iter().zip(&loads).map(|(time, load)| (*time, &load[..])).collect();
    let (seen, tables) = read(iostat("2026-06-10", &reports).as_bytes(), Options::default());
    let kept: Vec<f64> = disk(&tables, "sda").samples(Metric::ReadOps).map(|sample| sample.value).collect();
    assert_eq!(kept, [1000.0, 1000.0]);
    // The rate, and the time that follows from it.
    assert_eq!(seen.unusable, 2);
}

#[test]
fn a_date_is_read_in_the_order_that_its_document_shows() {
    let begin = |day: &str, times: [&str; 2], options: Options| {
        let load = [("sda", 1.0, 1.0)];
        let text = iostat(day, &[(times[0], &load), (times[1], &load)]);
        let tables = try_read(text.as_bytes(), options, 1 << 16).map(|(_, _, tables)| tables);
        tables.map(|tables| crate::when::shown(disk(&tables, "sda").spans()[0].start_ms))
    };
    let twelve = ["10/06/26 08:00:00 AM UTC", "10/06/26 08:01:00 AM UTC"];
    // India writes the day first, with halves of a day.
    assert_eq!(begin("2026-06-10", twelve, Options::default()).unwrap(), "2026-06-10 08:00");
    assert_eq!(begin("2026-10-06", twelve, Options::default()).unwrap(), "2026-10-06 08:00");
    // The document was begun before midnight.
    let night = ["06/11/2026 12:00:00 AM", "06/11/2026 12:01:00 a.m."];
    assert_eq!(begin("2026-06-10", night, utc()).unwrap(), "2026-06-11 00:00");
    // Neither its day nor its own says the order: it is asked.
    for day in ["10/06/26", "2026-01-01"] {
        let problem = begin(day, twelve, utc()).unwrap_err();
        assert!(problem.to_string().contains("--dates month-day or --dates day-month"), "{problem}");
    }
    let asked = Options { dates: Some(DateOrder::DayMonth), ..utc() };
    assert_eq!(begin("10/06/26", twelve, asked).unwrap(), "2026-06-10 08:00");
    // Both orders are the same day.
    let same = ["06.06.2026 20:00:00", "06.06.2026 20:01:00"];
    assert_eq!(begin("?", same, utc()).unwrap(), "2026-06-06 20:00");
    let words = begin("2026-06-10", ["10 juin 2026 08:00:00", "10 juin 2026 08:01:00"], utc()).unwrap_err();
    assert!(words.to_string().contains("S_TIME_FORMAT=ISO"), "{words}");
}

/// Dutch, and what sessions of Oracle write.
#[test]
fn a_year_of_two_digits_is_not_taken_for_the_day() {
    let load = [("sda", 1000.0, 1.0)];
    let begin = |times: [&str; 2], options: Options| {
        let text = iostat(&times[0][..8], &[(times[0], &load), (times[1], &load)]);
        let tables = try_read(text.as_bytes(), options, 1 << 16).map(|(_, _, tables)| tables);
        tables.map(|tables| crate::when::shown(disk(&tables, "sda").spans()[0].start_ms))
    };
    let asked = |order| Options { dates: Some(order), ..utc() };
    let dutch = ["10-06-26 08:00:00", "10-06-26 08:01:00"];
    let problem = begin(dutch, utc()).unwrap_err().to_string();
    assert!(problem.contains("--dates month-day or --dates day-month"), "{problem}");
    assert_eq!(begin(dutch, asked(DateOrder::DayMonth)).unwrap(), "2026-06-10 08:00");
    assert_eq!(begin(["29-11-26 08:00:00", "29-11-26 08:01:00"], utc()).unwrap(), "2026-11-29 08:00");
    let either = ["26/06/10 08:00:00", "26/06/10 08:01:00"];
    let problem = begin(either, utc()).unwrap_err().to_string();
    assert!(problem.contains("--dates year-month"), "{problem}");
    assert_eq!(begin(either, asked(DateOrder::YearMonth)).unwrap(), "2026-06-10 08:00");
    let row = |date: &str| {
        format!(
            "HOST_NAME,DB_NAME,INSTANCE_NUMBER,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n\
             db1,ORCL,1,{date} 00:00:22,{date} 01:00:22,Redo Writes Per Sec,10\n"
        )
    };
    // A session may also write the year first.
    for date in ["10-06-26", "29-11-26"] {
        let problem = try_read(row(date).as_bytes(), utc(), 100).unwrap_err().to_string();
        assert!(problem.contains("--dates"), "{problem}");
        assert_eq!(try_read(row(date).as_bytes(), asked(DateOrder::DayMonth), 100).unwrap().1.values, 1);
    }
}

/// What iostat 12.6.1 wrote in these languages.
#[test]
fn times_of_many_languages_are_read_or_named() {
    let load = [("sda", 1000.0, 1.0)];
    let begin = |time: &str| {
        // The seconds stand last; `02` is in the year, too.
        let at = time.rfind("02").unwrap_or(0);
        let next = time[..at].to_owned() + &time[at..].replacen("02", "03", 1);
        let text = iostat("29/11/2026", &[(time, &load), (&next, &load)]);
        let tables = try_read(text.as_bytes(), utc(), 1 << 16).map(|(_, _, tables)| tables);
        tables.map(|tables| disk(&tables, "sda").spans()[0].start_ms)
    };
    for time in [
        "2026年11月29日 15时26分02秒",
        "2026年11月29日 15時26分02秒",
        "2026년 11월 29일 15시 26분 02초",
        "29.11.2026 15.26.02",
        "29. 11. 2026 15:26:02",
        "29.11.2026. 15:26:02",
        "2026.11.29. 15:26:02",
        "2026-11-29 03:26:02 PM",
        "29/11/2026 03:26:02 μμ",
        "29/11/26 03:26:02 अपराह्न UTC",
        "29/11/26 03:26:02 অপরাহ্ণ UTC",
        "2026年11月29日 下午 03時26分02秒 UTC",
        "2026年11月29日 星期日 下午 03時26分02秒 UTC",
        "2026年11月29日 午後03時26分02秒",
        "29/11/2569 15:26:02",
        "29-11-2026 15:26:02 +0000",
    ] {
        assert_eq!(begin(time).unwrap(), 1_795_965_962_000, "{time}");
    }
    for time in ["29/11/2026 03:26:02 ገጽ", "29. nov. 2026 kl. 15.26 +0000", "۲۶/۱۱/۲۹ ۱۵:۲۶:۰۲"]
    {
        let problem = begin(time).unwrap_err().to_string();
        assert!(problem.contains("is not a date and time"), "{problem}");
    }
}

/// iostat that was stopped writes no end, and the next run continues in the same file.
#[test]
fn a_run_that_was_cut_off_does_not_hide_the_next() {
    let load = [("sda", 1000.0, 1.0)];
    let run = |hour: &str| {
        let times = MINUTES.map(|time| time.replace("T08", hour));
        iostat("2026-06-10", &times.each_ref().map(|time| (time.as_str(), &load[..])))
    };
    let (first, second) = (run("T08"), run("T09"));
    for cut in ["disk_device", "r/s\": 1000.00, \"w", "}]},\n", "]}]}}"] {
        let at = first.rfind(cut).unwrap() + cut.len();
        let text = first[..at].to_owned() + &second + &run("T10");
        for size in [1, 7, 1 << 16] {
            let (_, seen, tables) = try_read(text.as_bytes(), Options::default(), size).unwrap();
            let hours: std::collections::BTreeSet<String> = disk(&tables, "sda")
                .spans()
                .iter()
                .map(|span| crate::when::shown(span.start_ms)[11..13].to_owned())
                .collect();
            assert_eq!(hours.len(), 3, "{cut}: {hours:?}");
            assert!(reads(&tables, "sda").iter().all(|rate| (*rate - 1000.0).abs() < 1e-9));
            assert_eq!(seen.notes.is_empty(), cut == "]}]}}", "{cut}: {seen:?}");
        }
    }
}

#[test]
fn what_iostat_was_not_asked_for_is_named() {
    let told = |text: &str| try_read(text.as_bytes(), utc(), 1 << 16).unwrap_err().to_string();
    let plain = r#"{"sysstat": {"hosts": [{"nodename": "db1", "statistics": [
        {"timestamp": "2026-06-10T08:00:00+0000", "disk": [{"disk_device": "sda", "tps": 1500.00, "kB_read/s": 8.00}]}]}]}}"#;
    assert!(told(plain).contains("iostat was started without -x"), "{}", told(plain));
    let cpus = r#"{"sysstat": {"hosts": [{"nodename": "db1", "statistics": [
        {"timestamp": "08:00:00", "cpu-load": [{"cpu": "all", "usr": 1.0}]}]}]}}"#;
    assert!(told(cpus).contains("it comes from mpstat"), "{}", told(cpus));
    let one = iostat("2026-06-10", &[(MINUTES[0], &[("sda", 1.0, 1.0)])]);
    assert!(told(&one).contains("it has only one report"), "{}", told(&one));
    let ones = one.clone() + &one.replace("T08", "T09");
    assert!(told(&ones).contains("each iostat run in it has only one report"), "{}", told(&ones));
    assert!(told(&one.replace("1.00,", "1,00,")).contains("decimal comma"));
}

/// Ended by a signal, which leaves the brackets open.
#[test]
fn what_iostat_had_written_when_it_was_stopped_is_read() {
    let load = [("sda", 1000.0, 1.0)];
    let whole = iostat("2026-06-10", &MINUTES.map(|time| (time, &load[..])));
    for cut in ["]}]}}", "\n]}]}}"] {
        let text = whole.trim_end().strip_suffix(cut).unwrap();
        let (seen, tables) = read(text.as_bytes(), Options::default());
        assert_eq!(reads(&tables, "sda"), [1000.0; 3]);
        assert!(seen.notes.iter().any(|note| note.contains("ends in the middle")), "{seen:?}");
    }
    let half = &whole[..whole.find("08:01").unwrap()];
    assert!(
        try_read(half.as_bytes(), Options::default(), 100).unwrap_err().what.contains("ends in the middle")
    );
}

/// A document of sadf with the time of its statistics written so.
pub(super) fn sadf(time: &str) -> String {
    let statistics = |minute: u32| {
        format!(
            r#"{{"timestamp": {{"date": "2026-06-10", "time": "00:{minute}:01", {time}, "interval": 600}},
            "disk": [{{"disk-device": "sda", "tps": 300.00, "rkB": 1600.00, "wkB": 800.00, "await": 1.00, "util-percent": 10.00}}]}}"#
        )
    };
    let all: Vec<String> = [10, 20, 30].map(statistics).to_vec();
    format!(
        r#"{{"sysstat": {{"hosts": [{{"nodename": "db1", "file-date": "2026-06-10", "statistics": [{}]}}]}}}}"#,
        all.join(",\n")
    )
}

#[test]
fn sysstat_names_utc_and_offsets_in_several_ways() {
    let begin = |time: &str, options: Options| {
        let (_, _, tables) = try_read(sadf(time).as_bytes(), options, 1 << 16)?;
        Ok::<_, Problem>(crate::when::shown(disk(&tables, "sda").spans()[0].start_ms))
    };
    let tokyo = || Options { zone: Some(TimeZone::fixed(jiff::tz::offset(9))), ..Options::default() };
    for time in [r#""utc": 1"#, r#""tz": "UTC""#, r#""tz": "GMT""#, r#""tz": "+00""#] {
        assert_eq!(begin(time, Options::default()).unwrap(), "2026-06-10 00:00", "{time}");
        assert_eq!(begin(time, tokyo()).unwrap(), "2026-06-10 00:00", "{time}: the file knows better");
    }
    assert_eq!(begin(r#""tz": "-0330""#, Options::default()).unwrap(), "2026-06-10 03:30");
    for time in [r#""tz": "JST""#, r#""utc": 0"#] {
        assert!(begin(time, Options::default()).unwrap_err().to_string().contains("--zone"), "{time}");
        assert_eq!(begin(time, tokyo()).unwrap(), "2026-06-09 15:00", "{time}");
    }
}

#[test]
fn sadf_without_commas_between_lists_is_mended_and_decimal_commas_are_named() {
    let sound = sadf(r#""utc": 1"#);
    let torn = sound.replace("}]}", "}]\n\t\t\"fchosts\": [\n\n\t]}");
    assert!(torn != sound && serde_json::from_str::<serde_json::Value>(&torn).is_err());
    assert_eq!(read(torn.as_bytes(), Options::default()).1, read(sound.as_bytes(), Options::default()).1);
    let comma = sound.replace("300.00", "300,00");
    let problem = try_read(comma.as_bytes(), Options::default(), 1 << 16).unwrap_err();
    assert!(
        problem.to_string().contains("decimal comma") && problem.to_string().contains("LC_ALL=C"),
        "{problem}"
    );
}

/// Counters of Prometheus: a name, the label of the device and of the replica, seconds between readings, and what each reading is.
pub(super) fn series(name: &str, labels: &str, step: i64, values: impl Fn(i64) -> f64) -> String {
    let values: Vec<String> =
        (0..120).map(|at| format!("[{}, \"{}\"]", 1_780_000_000 + at * step, values(at))).collect();
    format!(
        r#"{{"metric": {{"__name__": "{name}", "instance": "db1:9100", {labels}}}, "values": [{}]}}"#,
        values.join(", ")
    )
}

pub(super) fn answer(series: &[String]) -> String {
    format!(
        r#"{{"status": "success", "data": {{"resultType": "matrix", "result": [{}]}}}}"#,
        series.join(", ")
    )
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
#[test]
fn a_step_below_the_scrape_makes_no_bursts() {
    let scraped = |at: i64| 1e6 + ((at / 6) * 60_000) as f64;
    let now_and_then = |at: i64| if at < 60 { 5.0 } else { 6.0 };
    let idle = series("node_disk_reads_completed_total", r#""device": "aaa""#, 10, now_and_then);
    let busy = series("node_disk_reads_completed_total", r#""device": "sda""#, 10, scraped);
    let (seen, tables) = read(answer(&[idle.clone(), busy.clone()]).as_bytes(), Options::default());
    assert_eq!(reads(&tables, "sda"), [1000.0; 19]);
    assert!(disk(&tables, "aaa").spans().iter().all(|span| span.length_ms == 60_000));
    assert!(seen.notes.iter().any(|note| note.contains("readings repeat")), "{seen:?}");
    // One counter of the host with readings of its own says that each step was a scrape: the others are bursts.
    let own = series("node_disk_writes_completed_total", r#""device": "sda""#, 10, |at| (at * 7) as f64);
    let (seen, tables) = read(answer(&[idle, busy, own]).as_bytes(), Options::default());
    assert!(reads(&tables, "sda").contains(&6000.0) && seen.notes.is_empty());
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand")]
#[test]
fn replicas_are_told_by_the_label_that_differs() {
    let of = |replica: &str, step: i64| {
        let labels = format!(r#""device": "sda", "prometheus_replica": "{replica}""#);
        series("node_disk_reads_completed_total", &labels, step, |at| (at * 60) as f64)
    };
    let problem = try_read(answer(&[of("p-0", 60), of("p-1", 60)]).as_bytes(), Options::default(), 1 << 16);
    let problem = problem.unwrap_err().to_string();
    assert!(problem.contains("prometheus_replica") && problem.contains("p-1"), "{problem}");
    assert!(problem.contains("{prometheus_replica=\"p-0\"}"), "{problem}");
}

/// `promtool tsdb dump` of a real Prometheus, whose growth is worked out line by line.
#[test]
fn the_dump_of_promtool_is_read() {
    let bytes = tests::file("promtool-2.42.0-dump.txt");
    let (format, seen, tables) = try_read(&bytes, Options::default(), 1 << 20).unwrap();
    assert_eq!((format, seen.resets, seen.gaps, seen.unusable), (Format::OpenMetrics, 0, 0, 0));
    let text = String::from_utf8(bytes).unwrap();
    for (metric, name) in [
        (Metric::ReadOps, "node_disk_reads_completed_total"),
        (Metric::WriteBytes, "node_disk_written_bytes_total"),
        (Metric::ReadTime, "node_disk_read_time_seconds_total"),
        (Metric::Busy, "node_disk_io_time_seconds_total"),
    ] {
        let of_name = text.lines().filter(|line| line.contains(&format!("\"{name}\"")));
        let readings: Vec<(f64, i64)> = of_name
            .map(|line| {
                let (value, at) = line.rsplit_once("} ").unwrap().1.split_once(' ').unwrap();
                (value.parse().unwrap(), at.parse().unwrap())
            })
            .collect();
        let vda = disk(&tables, "vda");
        let found: Vec<(i64, f64)> =
            vda.samples(metric).map(|sample| (sample.span.end_ms(), sample.value)).collect();
        assert!(readings.len() > 8 && found.len() == readings.len() - 1, "{name}");
        for (pair, (end_ms, rate)) in readings.windows(2).zip(found) {
            let seconds = f64::from(u32::try_from(pair[1].1 - pair[0].1).unwrap()) / 1_000.0;
            let expected = (pair[1].0 - pair[0].0) / seconds;
            assert!(
                end_ms == pair[1].1 && (rate - expected).abs() <= 1e-9 * expected.max(1.0),
                "{name}: {rate} {expected}"
            );
        }
    }
    assert!(tables.keys().any(|key| key.subject == crate::Subject::named(crate::Kind::Filesystem, "/")));
}

#[test]
fn exports_of_others_hold_the_same_samples() {
    let times = [1_780_000_000_i64, 1_780_000_060, 1_780_000_120];
    let values = [1000.0, 61_000.0, 121_000.0];
    let name = "node_disk_reads_completed_total";
    let lines = |of: &dyn Fn(i64, f64) -> String| {
        times.iter().zip(values).map(|(at, value)| of(*at, value)).collect::<Vec<_>>().join("\n")
    };
    let plain = lines(&|at, value| format!("{name}{{device=\"sda\",instance=\"db1:9100\"}} {value} {at}"));
    let dumped = lines(&|at, value| {
        format!("{{__name__=\"{name}\", device=\"sda\", instance=\"db1:9100\"}} {value} {at}000")
    });
    let times: Vec<String> = times.iter().map(|at| format!("{at}000")).collect();
    let exported = format!(
        r#"{{"metric":{{"__name__":"{name}","device":"sda","instance":"db1:9100"}},"values":[1000,61000,121000],"timestamps":[{}]}}"#,
        times.join(",")
    );
    let other = r#"go_threads{instance="db1:9100"} 9 1780000000"#.to_owned();
    let dumped_other = r#"{__name__="up", instance="db1:9100"} 1 1780000000000"#.to_owned();
    let exported_other =
        r#"{"metric":{"__name__":"up","instance":"db1:9100"},"values":[1],"timestamps":[1780000000000]}"#
            .to_owned();
    for text in [other + "\n" + &plain, dumped_other + "\n" + &dumped, exported_other + "\n" + &exported] {
        let tables = read(text.as_bytes(), Options::default()).1;
        assert_eq!(reads(&tables, "sda"), [1000.0, 1000.0], "{text}");
    }
}

#[test]
fn what_sqlplus_says_around_the_rows_is_none_of_them() {
    let head = r#""HOST_NAME","DB_NAME","INSTANCE_NUMBER","BEGIN_TIME","END_TIME","METRIC_NAME","AVERAGE""#;
    let row = r#""db1","ORCL",1,"2026-06-10 00:00:22","2026-06-10 01:00:22","Physical Read Total IO Requests Per Sec",1000.5"#;
    let sound = read(format!("{head}\n{row}\n").as_bytes(), utc());
    assert_eq!(sound.0.values, 1);
    for text in [
        format!("\n\nSession altered.\n\n{head}\n{row}\n\n1 row selected.\n"),
        format!("SQL> {head}\n{row}\nSQL> exit\n"),
        format!("{head}\n{row}\n\n{head}\n"),
        format!(
            "SQL> SQL> alter session set nls_date_format='x';\n\nSession altered.\n\nSQL> {head}\n{row}\nSQL> spool off\n"
        ),
    ] {
        assert_eq!(read(text.as_bytes(), utc()), sound, "{text}");
    }
    let report = try_read(b"WORKLOAD REPOSITORY report for\n\nDB Name\n", named("db1"), 100).unwrap_err();
    assert!(report.to_string().contains("when its snapshots were taken"), "{report}");
}
