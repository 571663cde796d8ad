//! Summaries and tables of ORION: units, gaps and what a spreadsheet makes of them.

use super::*;
use rigel_core::load::class::{Class, Span};

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
    let span = Some(Span::Whole);
    let small = ClassFacts {
        bytes: Some(8192),
        write_percent: Some(20.0),
        is_sequential: Some(false),
        span,
        ..ClassFacts::default()
    };
    assert_eq!(facts[&Class::SMALL], small);
    assert_eq!(facts[&Class::LARGE].bytes, Some(1 << 20));
    assert_eq!(sample("orion_10_2_summary.txt").version.as_deref(), Some("10.2.0.1.0"));
    // An aborted run has no results, and a line without its end is not believed.
    let whole = include_str!("../samples/orion_11_1_summary.txt");
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
