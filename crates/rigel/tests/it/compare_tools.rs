//! Comparisons that no single row judges: results of other tools, one visit to each load level, records of other questions.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput, flat};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

/// Runs of one visit to each level on simulated devices of known ratios, and two searches for a rate.
fn runs() -> Place {
    static RUNS: OnceLock<Recording> = OnceLock::new();
    let make = |place: &Place| {
        let run = |(name, service, seed): (&str, &str, u32)| {
            let engine = format!("sim:service={service},between=1%,spread=exponential");
            let line = format!("--engine {engine} --seed {seed} --name {name} --no-html --quiet");
            place.line(&format!("run simple --duration 1s --num-disks 3 {line}")).expect_code(0);
            line
        };
        let lines =
            [("one", "1ms", 1), ("same", "1ms", 2), ("near", "952us", 3), ("twice", "500us", 4)].map(run);
        place
            .line(&format!("slo --p99 5ms {}", lines[0].replace("--name one", "--name slow")))
            .expect_code(0);
        place
            .line(&format!("slo --p99 5ms {}", lines[3].replace("--name twice", "--name fast")))
            .expect_code(0)
    };
    RUNS.get_or_init(|| Recording::of(make)).place()
}

fn record(place: &Place, name: &str) -> String {
    place.only_of(&format!("{name}_"), "_record.jsonl").to_str().unwrap().to_owned()
}

fn compare(place: &Place, more: &[&str]) -> ProgramOutput {
    place.rigel(["compare"].iter().chain(more))
}

fn rows_of<'a>(rows: &'a Value, metric: &str) -> Vec<&'a Value> {
    rows.as_array().unwrap().iter().filter(|row| row["metric"] == metric).collect()
}

#[test]
fn levels_of_one_visit_are_judged_together() {
    let place = runs();
    let [one, same, near, twice] = ["one", "same", "near", "twice"].map(|name| record(&place, name));
    for (other, change) in [(&same, 0.0), (&near, 0.05), (&twice, 1.0)] {
        let found = compare(&place, &[&one, other, "--json"]).expect_code(0).json();
        let over = rows_of(&found["over_levels"], "small_iops")[0].clone();
        let number = |key: &str| over[key].as_f64().unwrap();
        let (lo, hi) = (number("lo"), number("hi"));
        assert!(lo - 0.01 <= change && change <= hi + 0.01 && hi - lo < 0.1, "{change}: {over}");
        assert_eq!(over["levels"], 15);
        assert_eq!(over["verdict"] == "better", change > 0.02, "{over}");
        for row in rows_of(&found["rows"], "small_iops") {
            assert_eq!((row["reason"].as_str(), row["change"].is_null()), (Some("one_visit"), true), "{row}");
            let seen = row["seen"]["relative"].as_f64().unwrap();
            assert!((seen - change).abs() < 0.3 * (1.0 + change), "{row}");
        }
    }
    let table = compare(&place, &[&one, &twice]).expect_code(0).stdout;
    let told = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("Over all 15 load levels together the new side is better in the rate of small I/O"),
        "{table}"
    );
    assert!(told.contains("higher at 15 of 15"), "{table}");
    assert!(!told.contains("Undecided: none of"), "{table}");
    assert!(told.contains(") one visit"), "a range in parentheses: {table}");
    let table = compare(&place, &[&one, &same]).expect_code(0).stdout;
    assert!(table.contains("Undecided: none of 44 numbers shows whether a side is better."), "{table}");
}

#[test]
fn the_rate_within_bounds_is_compared_and_other_questions_are_named() {
    let place = runs();
    let [slow, fast, one] = ["slow", "fast", "one"].map(|name| record(&place, name));
    let found = compare(&place, &[&slow, &fast, "--json"]).expect_code(0).json();
    let row = rows_of(&found["rows"], "open_per_s_within_bound")[0];
    assert_eq!(row["verdict"], "better", "{row}");
    assert_eq!(row["base"]["basis"], "levels");
    compare(&place, &[&slow, &fast, "--fail-if", "open_per_s_within_bound < +10%"]).expect_code(0);
    let told = compare(&place, &[&one, &slow]).expect_code(2).stderr;
    assert!(told.contains("different questions") && told.contains("the highest rate that meets"), "{told}");
}

/// A summary as ORION 10.2 wrote it, with `iops` at 4 outstanding.
fn summary(place: &Place, name: &str, iops: u32) -> String {
    let path = place.path().join(name);
    let text = format!(
        "ORION VERSION 10.2.0.1.0\n\nCommandline:\n-run simple \n\nThis maps to this test:\nTest: old\nSmall IO size: 8 KB\n\
         Large IO size: 1024 KB\nIO Types: Small Random IOs, Large Random IOs\nWrite: 0%\n\nMaximum Small IOPS={iops} @ Small=4 and Large=0\n\
         Minimum Small Latency=4.00 @ Small=1 and Large=0\n"
    );
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_summary_of_orion_is_a_side() {
    let place = Place::new();
    place
        .line(
            "run simple --duration 1s --engine sim:servers=4,service=1ms,rate=0 --name now --no-html --quiet",
        )
        .expect_code(0);
    let now = record(&place, "now");
    let old = summary(&place, "old_summary.txt", 2000);
    let found = compare(&place, &[&old, &now, "--json"]).expect_code(0).json();
    let row = rows_of(&found["rows"], "small_iops")[0];
    assert_eq!(
        (row["reason"].as_str(), row["point"]["small"].as_u64()),
        (Some("no_interval"), Some(4)),
        "{row}"
    );
    assert!((row["seen"]["relative"].as_f64().unwrap() - 1.0).abs() < 0.01, "{row}");
    assert_eq!(found["base"][0]["tool"]["name"], "ORION");
    let table = compare(&place, &[&old, &now]).expect_code(0).stdout;
    assert!(table.contains("ORION 10.2.0.1.0: ") && table.contains("no interval: "), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80 || line.contains('/')), "{table}");
    // Three files are three runs, and judge a change.
    let more = [("mon_summary.txt", 1990), ("tue_summary.txt", 2000), ("wed_summary.txt", 2010)];
    let more = more.map(|(name, iops)| summary(&place, name, iops));
    let [a, b, c] = more.each_ref().map(String::as_str);
    let found =
        compare(&place, &["--base", a, "--base", b, "--base", c, &now, "--json"]).expect_code(0).json();
    assert_eq!(rows_of(&found["rows"], "small_iops")[0]["verdict"], "better", "{found}");
    compare(&place, &["--base", a, "--base", b, "--base", c, &now, "--fail-if", "small_iops < -5%"])
        .expect_code(0);
}

#[test]
fn what_no_tool_wrote_and_what_is_cut_is_refused() {
    let place = Place::new();
    place.line("run simple --duration 1s --engine sim --name now --no-html --quiet").expect_code(0);
    let now = record(&place, "now");
    let other = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for (file, parts) in [
        (other("notes.txt", "hello\n"), ["neither a record of Rigel nor", "begins with 'hello'"]),
        (
            other("a.json", "{\"fio version\" : \"fio-3.33\", \"jobs\" : ["),
            ["fio cannot be read", "truncated"],
        ),
        (
            other("b_summary.txt", "ORION VERSION 11.2.0.2.0\n\nTest: x\n"),
            ["ORION has no results", "aborted"],
        ),
        (other("empty", ""), ["neither a record of Rigel nor", "it is empty"]),
    ] {
        let told = compare(&place, &[&file, &now]).expect_code(2).stderr;
        assert!(parts.iter().all(|part| told.contains(part)) && told.contains("next step"), "{told}");
    }
    let sized = summary(&place, "old_summary.txt", 2000);
    let text = fs::read_to_string(&sized).unwrap().replace("Small IO size: 8 KB", "Small IO size: 16 KB");
    fs::write(&sized, text).unwrap();
    let told = compare(&place, &[&sized, &now]).expect_code(2).stderr;
    assert!(told.contains("size of small I/O (16 KiB") && told.contains("--allow-differences"), "{told}");
    compare(&place, &[&sized, &now, "--allow-differences", "--html"]).expect_code(0);
    let page = place.files().into_iter().find(|name| name.ends_with(".html")).expect("a page");
    let page = fs::read_to_string(place.path().join(page)).unwrap();
    assert!(page.contains("ORION") && page.contains("now"), "{page}");
}

/// fio's JSON of a job that ended then; commits if `sync` says so.
fn fio(place: &Place, name: &str, timestamp: u32, iops: u32, sync: bool) -> String {
    let (option, rw) = if sync { (", \"fdatasync\": \"1\"", "write") } else { ("", "randread") };
    let direction = if sync { "write" } else { "read" };
    let bytes = iops * 8192;
    let text = format!(
        "{{\"fio version\" : \"fio-3.33\", \"timestamp\": {timestamp}, \"jobs\": [{{\"jobname\": \"a\", \"groupid\": 0, \"elapsed\": 61, \
         \"job options\": {{\"rw\": \"{rw}\", \"bs\": \"8k\", \"ioengine\": \"psync\", \"direct\": \"1\"{option}}}, \"{direction}\": {{\"iops\": {iops}, \
         \"bw_bytes\": {bytes}, \"runtime\": 60000, \"lat_ns\": {{\"mean\": {}}}}}}}]}}\n",
        1e9 / f64::from(iops)
    );
    let path = place.path().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn results_of_one_time_are_no_repetition_and_other_numbers_are_named() {
    let place = Place::new();
    place
        .line("run simple --duration 1s --num-disks 1 --engine sim --name now --no-html --quiet")
        .expect_code(0);
    let now = record(&place, "now");
    let first = fio(&place, "first.json", 1_780_000_000, 2000, false);
    for (name, timestamp, code) in [("beside.json", 1_780_000_010, 2), ("later.json", 1_780_003_600, 0)] {
        let other = fio(&place, name, timestamp, 2010, false);
        let told = compare(&place, &["--base", &first, "--base", &other, &now]).expect_code(code).stderr;
        assert_eq!(told.contains("measured at the same time"), code == 2, "{told}");
        place
            .rigel(["rank", &format!("old={first},{other}"), &format!("new={now}"), "--by", "max_small_iops"])
            .expect_code(code);
    }
    let commits = fio(&place, "commits.json", 1_780_000_000, 500, true);
    let told = compare(&place, &[&commits, &now]).expect_code(2).stderr;
    for part in ["has fdatasync_per_s", "answers what the storage does", "rigel run commit"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let calibration = place.path().join("calibration.csv");
    fs::write(&calibration, "MAX_PMBPS,MAX_IOPS,MAX_MBPS\n100,2000,300\n").unwrap();
    let told = compare(&place, &[calibration.to_str().unwrap(), &commits]).expect_code(2).stderr;
    assert!(told.contains("has max_iops") && told.contains("rigel calibrate"), "{told}");
}

/// What a page cache answered is not what storage does, whoever measured it.
#[test]
fn a_result_through_the_page_cache_is_refused_beside_one_that_is_not() {
    let place = Place::new();
    place
        .line("run simple --duration 1s --num-disks 1 --engine sim --name now --no-html --quiet")
        .expect_code(0);
    let now = record(&place, "now");
    let direct = fio(&place, "direct.json", 1_780_000_000, 2000, false);
    compare(&place, &[&direct, &now]).expect_code(0);
    let through_cache = |name: &str, timestamp: u32, iops: u32| {
        let path = fio(&place, name, timestamp, iops, false);
        let text = fs::read_to_string(&path).unwrap().replace("\"direct\": \"1\"", "\"direct\": \"0\"");
        fs::write(&path, text).unwrap();
        path
    };
    let cached = through_cache("cached.json", 1_780_003_600, 90_000);
    let old = format!("old={cached}");
    for other in [&now, &direct] {
        let told = flat(&compare(&place, &[&cached, other]).expect_code(2).stderr);
        assert!(told.contains("page cache of small I/O (yes; "), "{told}");
        let anyway =
            compare(&place, &[&cached, other, "--allow-differences", "--json"]).expect_code(0).json();
        assert_eq!(anyway["differences"][0]["what"], "page cache of small I/O", "{anyway}");
        let new = format!("new={other}");
        let line = ["rank", &old, &new, "--by", "max_small_iops"];
        let told = flat(&place.rigel(line).expect_code(2).stderr);
        assert!(told.contains("page cache of small I/O (yes; "), "{told}");
        place.rigel(line.iter().chain(&["--allow-differences"])).expect_code(0);
    }
    let again = through_cache("again.json", 1_780_007_200, 91_000);
    let told = compare(&place, &[&cached, &again]).expect_code(0).stdout;
    assert!(flat(&told).contains("the page cache of the host may have answered"), "{told}");
}

/// A soak comes to each of its phases again: three visits in a short one, which say how much they differ, and are too few for a verdict.
#[test]
fn the_phases_of_two_soaks_have_intervals() {
    let place = Place::new();
    for (name, service, seed) in [("before", "1ms", 1), ("after", "2ms", 2)] {
        let engine = format!("sim:service={service},between=1%,spread=exponential");
        let line = format!("soak --engine {engine} --for 10m --seed {seed} --name {name} --quiet --no-html");
        place.line(&line).expect_code(0);
    }
    let found = compare(&place, &[&record(&place, "before"), &record(&place, "after"), "--json"])
        .expect_code(0)
        .json();
    let rows = rows_of(&found["rows"], "small_iops");
    assert!(!rows.is_empty(), "{found}");
    for row in rows {
        assert_eq!(
            (&row["base"]["visits"], row["reason"].as_str()),
            (&3.into(), Some("few_visits")),
            "{row}"
        );
        assert!(row["base"]["lo95"].is_f64() && row["seen"]["hi"].as_f64().unwrap() < -0.3, "{row}");
    }
}
