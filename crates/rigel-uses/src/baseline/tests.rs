//! Each format, with files written by the tools or modelled on them: the numbers, and every truncation.

use super::*;
use proptest::prelude::*;
use rigel_core::load::class::Class;
use rigel_core::load::matrix::Point;

macro_rules! samples {
    ($($name:literal),+ $(,)?) => { [$(($name, include_str!(concat!("samples/", $name)))),+] };
}

const SAMPLES: [(&str, &str); 30] = samples![
    "orion_10_2_summary.txt",
    "orion_11_1_summary.txt",
    "orion_11_1_iops.csv",
    "orion_11_1_lat.csv",
    "orion_11_1_mbps.csv",
    "orion_11_2_summary.txt",
    "orion_11_2_lat.csv",
    "orion_19_summary.txt",
    "calibrate_io.csv",
    "calibrate_io_sqlplus.txt",
    "calibrate_io_wrapped.txt",
    "calibrate_io_print_table.txt",
    "calibrate_io_printed.txt",
    "calibrate_io_psql.txt",
    "pg_test_fsync.txt",
    "elbencho.csv",
    "diskspd.xml",
    "fio_rand_read_8k_q8.json",
    "fio_rand_read_8k_q1_plus.json",
    "fio_seq_read_1m_q2.json",
    "fio_mixed_8k_30.json",
    "fio_rand_read_4jobs.json",
    "fio_rand_read_4jobs_grouped.json",
    "fio_two_jobs_stonewall.json",
    "fio_two_jobs_together.json",
    "fio_commit_fdatasync.json",
    "fio_rate_500.json",
    "fio_two_clients.json",
    "rigel_io_calibration.csv",
    "rigel_io_calibration_psql.txt",
];

fn sample(name: &str) -> Baseline {
    let text = SAMPLES.iter().find(|one| one.0 == name).unwrap().1;
    Baseline::read(text.as_bytes()).unwrap().unwrap()
}

/// The numbers by quantity and place, `small_iops 8,0`.
fn numbers(found: &Baseline) -> Vec<(String, f64)> {
    let figures = found.results(&LoadFacts::new()).figures;
    let name = |figure: &Figure| match figure.place() {
        Some(point) => {
            let levels: Vec<String> =
                point.classes().map(|(class, level)| format!(" {class} {level}")).collect();
            format!("{}{}", figure.quantity.name(), levels.concat())
        }
        None => figure.quantity.name(),
    };
    figures.iter().map(|figure| (name(figure), figure.estimate.value)).collect()
}

fn assert_numbers(name: &str, wanted: &[(&str, f64)]) {
    let found = numbers(&sample(name));
    for (quantity, value) in wanted {
        let own = found
            .iter()
            .find(|one| one.0 == *quantity)
            .unwrap_or_else(|| panic!("{name}: {quantity} of {found:?}"));
        assert!((own.1 / value - 1.0).abs() < 1e-6, "{name}: {own:?} is not {value}");
    }
}

mod field;

#[test]
fn every_sample_is_known_by_its_content() {
    let tools = |part: &str| match part {
        "orion" => Tool::Orion,
        "calibrate" => Tool::CalibrateIo,
        "pg" => Tool::PgTestFsync,
        "rigel" => Tool::Calibration,
        "elbencho.csv" => Tool::Elbencho,
        "diskspd.xml" => Tool::Diskspd,
        _ => Tool::Fio,
    };
    for (name, text) in SAMPLES {
        let found =
            Baseline::read(text.as_bytes()).unwrap().unwrap_or_else(|problem| panic!("{name}: {problem}"));
        assert_eq!(found.tool, tools(name.split('_').next().unwrap()), "{name}");
        assert!(!found.results(&LoadFacts::new()).figures.is_empty() || name.contains("rate"), "{name}");
        assert!(!found.lacks.is_empty());
    }
    for other in ["", "hello\n", "{\"line\":\"header\"}\n", "{}", "<html></html>", "a,b\n1,2\n"] {
        assert_eq!(Baseline::read(other.as_bytes()), None, "{other}");
        assert_eq!(unknown(other.as_bytes()).kind.code(), 2);
    }
}

#[test]
fn a_summary_of_orion_has_its_maxima_with_their_loads_and_units() {
    assert_numbers(
        "orion_10_2_summary.txt",
        &[
            ("max_small_iops", 812.0),
            ("max_large_mbps", 98.25),
            ("min_small_latency", 6840.0),
            ("small_iops small 17", 812.0),
        ],
    );
    assert_numbers("orion_11_2_summary.txt", &[("max_small_iops", 2740.0), ("min_small_latency", 5312.0)]);
    assert_numbers(
        "orion_19_summary.txt",
        &[("min_small_latency", 339.25), ("large_mbps small 3 large 2", 410.75)],
    );
    let facts = sample("orion_11_2_summary.txt").results(&LoadFacts::new()).facts;
    let small = ClassFacts { bytes: Some(8192), write_percent: Some(20.0), is_sequential: Some(false) };
    assert_eq!(facts[&Class::SMALL], small);
    assert_eq!(facts[&Class::LARGE].bytes, Some(1 << 20));
    assert_eq!(sample("orion_10_2_summary.txt").version.as_deref(), Some("10.2.0.1.0"));
    // An aborted run has no results, and a line without its end is not believed.
    let whole = include_str!("samples/orion_11_1_summary.txt");
    let aborted = &whole[..whole.find("Small Columns").unwrap()];
    let problem = Baseline::read(aborted.as_bytes()).unwrap().unwrap_err();
    assert!(
        problem.kind.code() == 2 && problem.what.contains("no results") && problem.next.is_some(),
        "{problem}"
    );
    let cut = Baseline::read(whole.trim_end().as_bytes()).unwrap().unwrap();
    assert!(cut.results(&LoadFacts::new()).passed_over[0].contains("may be truncated"));
    assert_eq!(numbers(&cut).len(), 4);
}

#[test]
fn the_tables_of_orion_are_told_apart_and_make_one_run() {
    assert_numbers("orion_11_1_iops.csv", &[("small_iops small 3", 5390.0), ("max_small_iops", 6150.0)]);
    assert_numbers("orion_11_1_mbps.csv", &[("large_mbps large 1", 280.1), ("max_large_mbps", 385.2)]);
    assert_numbers("orion_11_1_lat.csv", &[("small_latency small 5", 810.0), ("min_small_latency", 440.0)]);
    assert_numbers("orion_11_2_lat.csv", &[("small_latency small 2", 8611.5)]);
    let mut whole = sample("orion_11_1_summary.txt");
    for part in ["orion_11_1_iops.csv", "orion_11_1_mbps.csv", "orion_11_1_lat.csv"] {
        whole.join(sample(part)).unwrap();
    }
    let found = numbers(&whole);
    assert_eq!(found.iter().filter(|one| one.0.starts_with("small_iops")).count(), 5, "{found:?}");
    assert_eq!(found.iter().filter(|one| one.0 == "max_small_iops").count(), 1);
    assert!(whole.join(sample("pg_test_fsync.txt")).is_err());
}

fn read(text: &str) -> Result<Baseline, Problem> {
    Baseline::read(text.as_bytes()).unwrap_or_else(|| panic!("unknown: {text}"))
}

fn number_of(found: &Baseline, name: &str) -> Option<f64> {
    numbers(found).iter().find(|one| one.0 == name).map(|one| one.1)
}

const MS: &str = "orion_11_1_lat.csv";
const US: &str = "orion_11_2_lat.csv";

fn text_of(name: &str) -> &'static str {
    SAMPLES.iter().find(|one| one.0 == name).unwrap().1
}

/// The table of a file without the text above it.
fn bare_table(name: &str) -> String {
    let text = text_of(name);
    text[text.find("Large/Small").unwrap()..].to_owned()
}

/// The same as a spreadsheet writes it: no width, and round numbers without decimals.
fn saved_again(text: &str) -> String {
    let line = |line: &str| line.split(',').map(str::trim).collect::<Vec<_>>().join(",") + "\n";
    text.lines().map(line).collect()
}

#[test]
fn the_unit_of_a_latency_without_the_text_above_is_known_for_sure_or_not_read() {
    // Columns as ORION writes them: 7 characters of milliseconds, 8 of microseconds.
    let bare = read(&bare_table(US)).unwrap();
    assert_eq!(number_of(&bare, "small_latency small 2"), Some(8611.5));
    let short = bare_table(US).replace("9410.25, 8611.50, 8102.75", "  41.25,   36.50,   31.75");
    assert_eq!(number_of(&read(&short).unwrap(), "small_latency small 1"), Some(41.25), "{short}");
    assert_eq!(number_of(&sample(MS), "small_latency small 5"), Some(810.0));
    // Without the columns: no I/O takes 0.44 us, and no storage needs 9.4 s for one.
    let ms = read(&saved_again(text_of(MS))).unwrap();
    assert_eq!(number_of(&ms, "small_latency small 5"), Some(810.0));
    let us = read(&saved_again(&bare_table(US))).unwrap();
    assert_eq!(number_of(&us, "small_latency small 2"), Some(8611.5));
    // Both are possible.
    let open = "Large/Small,1,2,3\n0,14.62,15.1,16.25\n";
    let found = read(open).unwrap();
    assert_eq!(numbers(&found), []);
    let problem = found.check().unwrap_err();
    assert!(problem.kind.code() == 2 && problem.what.contains("unit") && problem.next.is_some(), "{problem}");
    // The text says it, but only if it names the unit.
    for (above, us) in [("Average latency in microseconds", 15.1), ("Latency in milliseconds", 15_100.0)] {
        let found = read(&format!("{above}\n{open}")).unwrap();
        assert_eq!(number_of(&found, "small_latency small 2"), Some(us), "{above}");
    }
    assert!(read(&format!("Average latency of small IOs\n{open}")).unwrap().check().is_err());
}

/// Round latencies that a spreadsheet wrote without decimals look like rates.
#[test]
fn the_name_of_a_file_says_what_its_table_holds_where_no_text_does() {
    let table = "Large/Small,1,2,3\n0,9410,8611,8102\n";
    let found = |name: &str, text: &str| Baseline::read_file(name, text.as_bytes()).unwrap().unwrap();
    let lat = found("run7_lat.csv", table);
    assert_eq!(number_of(&lat, "small_latency small 2"), Some(8611.0));
    assert_eq!(number_of(&lat, "small_iops small 2"), None);
    for name in ["run7_iops.csv", "table.csv", ""] {
        assert_eq!(number_of(&found(name, table), "small_iops small 2"), Some(8611.0), "{name}");
    }
    // The text above is ORION's own.
    let told = found("run7_lat.csv", &format!("Small IOPS\n{table}"));
    assert_eq!(number_of(&told, "small_iops small 2"), Some(8611.0));
}

/// Rate times latency is the outstanding I/Os.
#[test]
fn rates_of_the_same_run_tell_the_unit_of_its_latencies() {
    let lat = "Large/Small,1,2,3\n0,14.62,15.1,16.25\n";
    let iops = |scale: f64| {
        format!("Large/Small,1,2,3\n0,{:.0},{:.0},{:.0}\n", 68.4 * scale, 132.5 * scale, 184.6 * scale)
    };
    for (scale, us) in [(1.0, 15_100.0), (1000.0, 15.1)] {
        for (first, second) in [(lat.to_owned(), iops(scale)), (iops(scale), lat.to_owned())] {
            let mut found = read(&first).unwrap();
            found.join(read(&second).unwrap()).unwrap();
            assert!(found.check().is_ok());
            assert_eq!(number_of(&found, "small_latency small 2"), Some(us), "{first}{second}");
            assert_eq!(number_of(&found, "min_small_latency").map(|min| min < us), Some(true));
            // Pasted into one text they are the same.
            let pasted = read(&format!("{first}\n{second}")).unwrap();
            assert_eq!(number_of(&pasted, "small_latency small 2"), Some(us));
        }
    }
    // Rates of other points say nothing, and the rates are read all the same.
    let mut found = read("Large/Small,7,8\n0,900,950\n").unwrap();
    found.join(read(lat).unwrap()).unwrap();
    assert!(found.check().is_ok() && number_of(&found, "small_latency small 2").is_none());
    let passed_over = found.results(&LoadFacts::new()).passed_over;
    assert!(passed_over.iter().any(|one| one.contains("milliseconds")), "{passed_over:?}");
}

#[test]
fn a_latency_of_a_summary_without_its_unit_has_that_of_its_version() {
    let old = text_of("orion_11_1_summary.txt");
    let new = text_of("orion_19_summary.txt");
    let lines = |text: &str| text[text.find("Maximum").unwrap()..].to_owned();
    assert_eq!(number_of(&read(&lines(old)).unwrap(), "min_small_latency"), Some(440.0));
    let in_ms = new.replace("339.250 usecs", "0.339 msecs");
    assert!((number_of(&read(&in_ms).unwrap(), "min_small_latency").unwrap() - 339.0).abs() < 1e-6);
    for text in [new.replace(" usecs", ""), lines(new).replace(" usecs", ""), new.replace("usecs", "ticks")] {
        let found = read(&text).unwrap();
        assert_eq!(number_of(&found, "min_small_latency"), None, "{text}");
        assert_eq!(number_of(&found, "max_small_iops"), Some(13_480.0));
        assert!(found.results(&LoadFacts::new()).passed_over.iter().any(|one| one.contains("latencies")));
    }
    // A table below a summary holds what it holds, whatever words the summary has.
    let both = format!("{old}\n{}", text_of("orion_11_1_iops.csv"));
    let found = read(&both).unwrap();
    assert_eq!(number_of(&found, "small_iops small 3"), Some(5390.0));
    assert_eq!(number_of(&found, "min_small_latency"), Some(440.0));
}

#[test]
fn tables_without_their_header_or_with_gaps_are_read_right_or_refused() {
    // German spreadsheets, and cells that were not measured in the middle.
    let german = "Large/Small;1;2;3\n0;0,44;;0,56\n1;;;\n";
    let found = read(german).unwrap();
    assert_eq!((number_of(&found, "small_latency small 3"), numbers(&found).len()), (Some(560.0), 3));
    let padded = "Large/Small,1,2,3\n0,2270,4310,\n1,,,\n";
    assert_eq!(number_of(&read(padded).unwrap(), "max_small_iops"), Some(4310.0));
    // Rows without the header: of which load, nobody knows.
    for name in ["orion_11_1_iops.csv", "orion_11_1_mbps.csv", US] {
        let text: String = text_of(name)
            .lines()
            .filter(|line| !line.starts_with("Large/Small"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(Baseline::read(text.as_bytes()), None, "{text}");
        let problem = unknown(text.as_bytes());
        assert!(
            problem.cause.as_ref().unwrap().contains("Large/Small") && problem.next.is_some(),
            "{problem}"
        );
    }
    let refused = |text: &str| read(text).unwrap_err();
    // A column whose load cannot be read would move all behind it.
    assert!(refused("Large/Small,1,x,3\n0,2270,4310,5390\n").what.contains("header"));
    // Without the row of no large I/Os, decimals may be MBPS or latencies.
    assert!(
        refused("Large/Small,1,2\n1,280.10,281.25\n2,385.20,390.1\n")
            .cause
            .unwrap()
            .contains("do not decide")
    );
    assert_eq!(
        number_of(&read("Large/Small,1,2\n1,280,281\n").unwrap(), "small_iops small 2 large 1"),
        Some(281.0)
    );
}

#[test]
fn every_number_of_a_tool_says_how_far_it_was_rounded() {
    let half_unit = |name: &str, quantity: &str| {
        let found = sample(name).results(&LoadFacts::new());
        let own = found.half_units.iter().find(|one| one.0.0.name() == quantity);
        *own.unwrap_or_else(|| panic!("{name}: {quantity}")).1
    };
    for (name, quantity, wanted) in [
        ("orion_10_2_summary.txt", "min_small_latency", 5.0),
        ("orion_10_2_summary.txt", "max_small_iops", 0.5),
        ("orion_10_2_summary.txt", "max_large_mbps", 0.005),
        ("orion_11_2_summary.txt", "min_small_latency", 0.5),
        ("orion_19_summary.txt", "min_small_latency", 0.0005),
        (MS, "small_latency", 5.0),
        (US, "min_small_latency", 0.005),
        ("calibrate_io.csv", "max_iops", 0.5),
        ("elbencho.csv", "max_large_mbps", 0.5),
        ("elbencho.csv", "small_latency", 0.5),
        ("diskspd.xml", "small_latency", 0.5),
        ("fio_rand_read_8k_q8.json", "small_p99", 2473.984 / 128.0),
        ("pg_test_fsync.txt", "max_commits", 0.0),
    ] {
        if wanted > 0.0 {
            let own = half_unit(name, quantity);
            assert!((own / wanted - 1.0).abs() < 1e-9, "{name}: {quantity} {own}");
        }
    }
}

#[test]
fn every_way_to_paste_calibrate_io_has_the_same_numbers() {
    for (name, _) in SAMPLES.iter().filter(|one| one.0.starts_with("calibrate")) {
        assert_numbers(name, &[("max_iops", 4120.0), ("max_large_mbps", 310.0)]);
        let has_pmbps = numbers(&sample(name)).iter().any(|one| one == &("max_pmbps".to_owned(), 182.0));
        assert_eq!(has_pmbps, !name.contains("printed"), "{name}");
    }
    let latency =
        |name: &str| sample(name).conditions.iter().find(|one| one.0.contains("latency")).unwrap().1.clone();
    assert_eq!(
        (latency("calibrate_io.csv"), latency("calibrate_io_printed.txt")),
        ("9.5 ms".into(), "9.513 ms".into())
    );
    let status = "STATUS        CALIBRATION_TIME\n------------- ----------------\nREADY         14-MAY-12 10.11.52 AM\n";
    let problem = Baseline::read(status.as_bytes()).unwrap().unwrap_err();
    assert!(problem.cause.unwrap().contains("V$IO_CALIBRATION_STATUS"));
}

#[test]
fn a_job_of_fio_is_a_load_with_its_options() {
    assert_numbers(
        "fio_rand_read_8k_q8.json",
        &[
            ("small_iops small 8", 26_248.251_748),
            ("small_latency small 8", 298.224_179_927),
            ("small_p99 small 8", 2473.984),
        ],
    );
    assert_numbers("fio_seq_read_1m_q2.json", &[("large_latency large 2", 2_375.234_297_683)]);
    // 30 % of writes: means by the rates of both directions.
    let iops = 9_973.013_493 + 4_241.379_31;
    let mean = (9_973.013_493 * 255.531_256_364 + 4_241.379_31 * 336.540_631_908) / iops;
    assert_numbers("fio_mixed_8k_30.json", &[("small_iops small 4", iops), ("small_latency small 4", mean)]);
    assert_eq!(
        sample("fio_mixed_8k_30.json").results(&LoadFacts::new()).facts[&Class::SMALL].write_percent,
        Some(30.0)
    );
    // Copies of a job add up, whether fio adds them or not.
    let copies = 6_593.203_398 + 6_484.289_277 + 6_438.403_99 + 5_640.718_563;
    assert_numbers("fio_rand_read_4jobs.json", &[("small_iops small 8", copies)]);
    assert_numbers("fio_rand_read_4jobs_grouped.json", &[("small_iops small 8", 22_328.835_582)]);
    // Jobs behind a stonewall are another load level, those without one are one.
    assert_numbers(
        "fio_two_jobs_stonewall.json",
        &[("small_iops small 4", 17_530.234_883), ("large_mbps large 2", 750.0)],
    );
    assert_numbers(
        "fio_two_jobs_together.json",
        &[("small_iops small 4 large 1", 4_571.428_571), ("large_mbps small 4 large 1", 542.457_542)],
    );
    // A commit is its write and its flush.
    assert_numbers("fio_commit_fdatasync.json", &[("commit_fdatasync", 17.324_213_635 + 709.056_495_078)]);
    assert_numbers(
        "fio_rate_500.json",
        &[("open_latency open 500", 851.712_935_936), ("open_p99 open 500", 5079.04)],
    );
    // The percentile of both directions is in the buckets of JSON+ alone.
    let plus = include_str!("samples/fio_mixed_8k_30_plus.json");
    let both = Baseline::read(plus.as_bytes()).unwrap().unwrap();
    assert!(numbers(&both).iter().any(|one| one.0 == "small_p99 small 4"));
    assert!(numbers(&sample("fio_mixed_8k_30.json")).iter().all(|one| !one.0.contains("p99")));
}

/// Two hosts with the same jobs: what each did, and both together.
#[test]
fn the_clients_of_fio_are_one_load_where_they_add_up() {
    let sum = |rates: [f64; 2]| rates.iter().sum::<f64>();
    assert_numbers(
        "fio_two_clients.json",
        &[
            ("small_iops small 8", sum([15_703.296_703, 15_952.047_952])),
            ("large_mbps large 4", sum([285_689_868.0, 284_927_744.0]) / 1_048_576.0),
        ],
    );
    let found = sample("fio_two_clients.json");
    assert!(found.lacks.iter().any(|lack| lack.contains("global options")), "{:?}", found.lacks);
    let text = text_of("fio_two_clients.json");
    // Copies that a client reports as one are as many more I/Os in flight of that client.
    let copies = edited(
        text,
        &[("\"iodepth\" : \"4\"", "\"iodepth\" : \"4\", \"numjobs\" : \"3\", \"group_reporting\" : \"1\"")],
    )
    .unwrap();
    assert!(number_of(&copies, "small_iops small 24").is_some(), "{:?}", numbers(&copies));
    let missing = edited(text, &[("\"total_ios\" : 15968", "\"total_ios\" : 5968")]).unwrap_err();
    assert!(missing.cause.as_ref().unwrap().contains("together, and the entry"), "{missing}");
    let at = text.find("\"job_runtime\"").unwrap();
    let line = &text[at..at + text[at..].find(',').unwrap()];
    let late = text.replacen(line, "\"job_runtime\" : 5000", 1);
    let problem = read(&late).unwrap_err();
    assert!(problem.what.contains("same time") && problem.cause.unwrap().contains("5.0 s"), "{line}");
}

/// PostgreSQL's table `rigel.io_calibration` has Oracle's columns, and some of its own.
#[test]
fn the_row_of_rigels_own_view_is_a_calibration_of_rigel() {
    for (name, _) in SAMPLES.iter().filter(|one| one.0.starts_with("rigel")) {
        let found = sample(name);
        assert_eq!((found.tool, found.name().as_str()), (Tool::Calibration, "Rigel calibration"), "{name}");
        let figures = found.results(&LoadFacts::new()).figures;
        let max_iops = figures.iter().find(|one| one.quantity.name() == "max_iops").unwrap();
        assert!(max_iops.estimate.interval.is_some(), "{name}: its document has the interval");
        assert_eq!(found.bound.map(|bound| bound.limit.0), Some(20_000_000), "{name}");
    }
    // Some of its columns, without the document.
    let some =
        "max_iops,max_mbps,max_pmbps,latency,num_physical_disks,max_latency\n18341,1420,611,0.872,4,20\n";
    let found = read(some).unwrap();
    assert_eq!((found.tool, number_of(&found, "max_iops")), (Tool::Calibration, Some(18_341.0)));
    assert!(found.lacks.iter().any(|lack| lack.starts_with("no interval")), "{:?}", found.lacks);
    assert_eq!(found.bound.map(|bound| bound.limit.0), Some(20_000_000));
    // Oracle's own is Oracle's.
    assert_eq!(sample("calibrate_io.csv").tool, Tool::CalibrateIo);
}

fn edited(text: &str, edits: &[(&str, &str)]) -> Result<Baseline, Problem> {
    let edit = |text: String, (from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    Baseline::read(edits.iter().fold(text.to_owned(), edit).as_bytes()).unwrap()
}

/// fio leaves `group_reporting` out of some documents; with `psync` there is one I/O at a time, whatever the queue depth is.
#[test]
fn the_outstanding_ios_of_fio_are_those_that_there_were() {
    let grouped = include_str!("samples/fio_rand_read_4jobs_grouped.json");
    let found = edited(grouped, &[("\"group_reporting\" : \"1\"", "\"thread\" : \"1\"")]).unwrap();
    assert!(numbers(&found).iter().any(|one| one.0 == "small_iops small 8"), "{:?}", numbers(&found));
    let one = include_str!("samples/fio_rand_read_8k_q8.json");
    for engine in ["psync", "pvsync2"] {
        let engine = format!("\"ioengine\" : \"{engine}\"");
        let alone = ("\"mean\" : 298224.179927", "\"mean\" : 37278.0");
        let found = edited(one, &[("\"ioengine\" : \"libaio\"", &engine), alone]).unwrap();
        assert!(numbers(&found).iter().any(|one| one.0 == "small_iops small 1"), "{:?}", numbers(&found));
    }
    let buffered = edited(one, &[("\"direct\" : \"1\"", "\"direct\" : \"0\"")]).unwrap();
    assert!(buffered.lacks.iter().any(|lack| lack.starts_with("direct I/O")), "{:?}", buffered.lacks);
    assert!(!sample("fio_rand_read_8k_q8.json").lacks.iter().any(|lack| lack.starts_with("direct I/O")));
}

/// What it did is then no rate of the storage, or the rate of another load than its options say.
#[test]
fn jobs_of_fio_that_were_held_back_or_mixed_are_refused_with_the_reason() {
    let one = include_str!("samples/fio_rand_read_8k_q8.json");
    let depth = "\"iodepth\" : \"8\"";
    for (more, why) in [
        ("\"rate\" : \"4m\"", "rate held it back"),
        ("\"thinktime\" : \"500\"", "thinktime held it back"),
        ("\"percentage_random\" : \"20\"", "20 % of its I/O is random"),
        ("\"rate_iops\" : \"90000\"", "it was set to 90000 I/Os per second"),
        ("\"bs\" : \"64k\"", "that cannot be separated"),
    ] {
        let problem = edited(one, &[(depth, &format!("{depth}, {more}"))]).unwrap_err();
        assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains(why)), "{more}: {problem}");
    }
    let commit = include_str!("samples/fio_commit_fdatasync.json");
    for (other, why) in
        [("\"fsync\" : \"1\"", "fsync=1 waits"), ("\"fdatasync\" : \"4\"", "only some of its writes")]
    {
        let problem = edited(commit, &[("\"fdatasync\" : \"1\"", other)]).unwrap_err();
        assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains(why)), "{other}: {problem}");
    }
    // What ran beside it is no load of its own.
    let together = include_str!("samples/fio_two_jobs_together.json");
    let problem =
        edited(together, &[("\"bs\" : \"1m\"", "\"bs\" : \"1m\", \"rate\" : \"40m\"")]).unwrap_err();
    assert!(problem.cause.as_ref().is_some_and(|cause| cause.contains("held it back")), "{problem}");
    let silent = edited(one, &[("\"job options\"", "\"other options\"")]).unwrap_err();
    assert!(silent.cause.is_some_and(|cause| cause.contains("does not describe its load")));
}

/// `rate_iops` is a rate of reads and one of writes; of several documents in a file the last one is the final one.
#[test]
fn rates_of_both_directions_add_up_and_the_last_document_counts() {
    let mixed = include_str!("samples/fio_mixed_8k_30.json");
    let depth = "\"iodepth\" : \"4\"";
    let given = edited(mixed, &[(depth, &format!("{depth}, \"rate_iops\" : \"4000\""))]).unwrap();
    assert!(numbers(&given).iter().any(|one| one.0.contains("open 8000")), "{:?}", numbers(&given));
    let one = include_str!("samples/fio_rand_read_8k_q8.json");
    let first = one.replace("\"iops\" : 26248.251748", "\"iops\" : 26000.0");
    assert_ne!(first, one);
    let both = Baseline::read(format!("{first}\n{one}\nfio: done\n").as_bytes()).unwrap().unwrap();
    assert!(
        numbers(&both).iter().any(|found| (found.1 - 26_248.251_748).abs() < 1e-6),
        "{:?}",
        numbers(&both)
    );
    assert!(both.lacks.iter().any(|lack| lack.starts_with("one result")), "{:?}", both.lacks);
}

#[test]
fn whole_numbers_with_separators_are_not_a_thousandth() {
    for (text, value) in [
        ("11518", 11_518.0),
        ("11,518", 11_518.0),
        ("11.518", 11_518.0),
        ("1.234.567", 1_234_567.0),
        ("9.5", 9.5),
    ] {
        assert_eq!(text::whole(text), Some(value), "{text}");
    }
    let psql = "-[ RECORD 1 ]------\nmax_iops  | 11518\nmax_mbps  | 812\nmax_pmbps | 401\nlatency   | 9.5\n";
    let found = Baseline::read(psql.as_bytes()).unwrap().unwrap();
    assert!(numbers(&found).contains(&("max_iops".to_owned(), 11_518.0)), "{:?}", numbers(&found));
}

#[test]
fn the_load_that_is_most_like_the_other_side_has_a_say() {
    let whole = include_str!("samples/fio_two_jobs_stonewall.json");
    // The second job becomes random reads of 16 KiB.
    let text = whole
        .replace("\"rw\" : \"read\"", "\"rw\" : \"randread\"")
        .replace("\"bs\" : \"1m\"", "\"bs\" : \"16k\"")
        .replace("\"mean\" : 2662561.308051", "\"mean\" : 41600.0")
        .replace("\"iops\" : 750.000000", "\"iops\" : 48000.0");
    let found = Baseline::read(text.as_bytes()).unwrap().unwrap();
    for (bytes, point) in [(8192, Point::pair(4, 0)), (16384, Point::pair(2, 0))] {
        let wanted = ClassFacts { bytes: Some(bytes), write_percent: Some(0.0), is_sequential: Some(false) };
        let results = found.results(&LoadFacts::from([(Class::SMALL, wanted)]));
        assert_eq!(results.facts[&Class::SMALL], wanted);
        assert_eq!(results.figures[0].point, Some(point));
        assert!(results.passed_over[0].contains("beside"), "{results:?}");
    }
}

#[test]
fn commits_phases_and_time_spans_are_read() {
    assert_numbers(
        "pg_test_fsync.txt",
        &[
            ("commit_latency", 1e6 / 617.865),
            ("commit_fdatasync", 1e6 / 2107.824),
            ("commit_unsynced", 1e6 / 409_220.782),
        ],
    );
    assert_numbers(
        "elbencho.csv",
        &[
            ("small_iops small 16", 40_800.0),
            ("small_latency small 16", 391.0),
            ("large_mbps large 4", 600.0),
        ],
    );
    assert!(sample("elbencho.csv").results(&LoadFacts::new()).passed_over[0].contains("RMFILES"));
    assert_numbers(
        "diskspd.xml",
        &[("small_iops small 8", 20_000.0), ("small_latency small 8", 380.0), ("small_p99 small 8", 1250.0)],
    );
}

/// A file that is cut anywhere has no number that the whole file does not have; or a problem that says what to do.
#[test]
fn a_file_that_is_cut_anywhere_lies_never() {
    for (name, text) in SAMPLES {
        let whole = numbers(&sample(name));
        let best = |name: &str| name.starts_with("max_") || name.starts_with("min_");
        let step = if text.len() > 4096 { 53 } else { 1 };
        for end in (0..text.len()).step_by(step).filter(|&end| text.is_char_boundary(end)) {
            match Baseline::read(&text.as_bytes()[..end]) {
                None => {}
                Some(Err(problem)) => {
                    assert!(
                        problem.kind.code() == 2 && problem.cause.is_some() && problem.next.is_some(),
                        "{name} {end}"
                    );
                }
                Some(Ok(found)) => {
                    // The best of fewer points is another one.
                    let own = numbers(&found).into_iter().filter(|one| !best(&one.0));
                    own.for_each(|one| {
                        assert!(whole.contains(&one), "{name} cut at {end}: {one:?} of {whole:?}")
                    });
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..30, place in 0.0f64..1.0) {
        let _ = Baseline::read(&bytes);
        // Written over a sample, somewhere.
        let text = SAMPLES[at].1.as_bytes();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a file")]
        let place = (place * text.len() as f64) as usize;
        let mut edited = text[..place].to_vec();
        edited.extend(&bytes);
        edited.extend(&text[(place + bytes.len() / 2).min(text.len())..]);
        if let Some(Ok(found)) = Baseline::read(&edited) {
            let results = found.results(&LoadFacts::new());
            prop_assert!(results.figures.iter().all(|figure| figure.estimate.value.is_finite()));
        }
    }
}
