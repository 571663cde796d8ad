//! Kinds of records and files side by side: what they share is compared, and what they do not is told.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput, flat};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

fn record(place: &Place, name: &str) -> String {
    place.only_of(&format!("{name}_"), "_record.jsonl").to_str().unwrap().to_owned()
}

fn compare(place: &Place, more: &[&str]) -> ProgramOutput {
    place.rigel(["compare"].iter().chain(more))
}

fn rows<'a>(document: &'a Value, metric: &str) -> Vec<&'a Value> {
    document["rows"].as_array().unwrap().iter().filter(|row| row["metric"] == metric).collect()
}

/// A calibration and two runs of commits on devices of which the second needs twice as long for a flush.
fn commits() -> Place {
    static RUNS: OnceLock<Recording> = OnceLock::new();
    let make = |place: &Place| {
        let engine =
            |flush: &str| format!("sim:servers=4,service=1ms,flush={flush},between=1%,spread=exponential");
        let line =
            format!("calibrate --engine {} --seed 1 --budget 60s --name calibrated --quiet", engine("200us"));
        place.line(&line).expect_code(0);
        let run = |(name, flush, seed): (&str, &str, u32)| {
            let line = format!(
                "run commit --engine {} --seed {seed} --name {name} --no-html --quiet",
                engine(flush)
            );
            place.line(&line).expect_code(0)
        };
        let [_, last] = [("quick", "200us", 2), ("late", "2ms", 3)].map(run);
        last
    };
    RUNS.get_or_init(|| Recording::of(make)).place()
}

#[test]
fn a_calibration_and_a_run_of_commits_are_compared_by_their_commits() {
    let place = commits();
    let [calibrated, quick, late] = ["calibrated", "quick", "late"].map(|name| record(&place, name));
    let found = compare(&place, &[&calibrated, &late, "--json"]).expect_code(0).json();
    assert_eq!(found["comparable"], true, "{found}");
    let all = found["rows"].as_array().unwrap();
    let of_commits =
        |row: &Value| ["commit", "sync"].iter().any(|part| row["metric"].as_str().unwrap().contains(part));
    assert!(!all.is_empty() && all.iter().all(of_commits), "{all:?}");
    let latency = rows(&found, "commit_latency")[0];
    assert!(latency["seen"]["relative"].as_f64().unwrap() > 0.5, "{latency}");
    let question =
        found["differences"].as_array().unwrap().iter().find(|one| one["what"] == "question").unwrap();
    assert!(question["base"].as_str().unwrap().contains("calibration"), "{question}");
    assert_eq!(question["incomparable"], false);
    compare(&place, &[&quick, &calibrated]).expect_code(0);
    let line = ["rank", &format!("c={calibrated}"), &format!("q={quick}"), &format!("l={late}"), "--json"];
    let ranked = place.rigel(line).expect_code(0).json();
    assert_eq!(
        (&ranked["quantity"], &ranked["storages"][2]["name"]),
        (&"commit_latency".into(), &"l".into()),
        "{ranked}"
    );
    // Commits of another size are other commits.
    let engine = "sim:servers=4,service=1ms,flush=200us,between=1%,spread=exponential";
    place
        .line(&format!(
            "run commit --commit-size 16K --engine {engine} --seed 4 --name large --no-html --quiet"
        ))
        .expect_code(0);
    let told = compare(&place, &[&calibrated, &record(&place, "large")]).expect_code(2).stderr;
    assert!(told.contains("not comparable") && told.contains("commits ("), "{told}");
}

#[test]
fn the_same_run_on_both_sides_is_told_first() {
    let place = commits();
    let quick = record(&place, "quick");
    let copy = place.path().join("copy_record.jsonl");
    fs::copy(&quick, &copy).unwrap();
    for other in [quick.as_str(), copy.to_str().unwrap()] {
        let told = compare(&place, &[&quick, other]).expect_code(0);
        assert!(
            flat(&told.stdout)
                .starts_with("Do not use this comparison: both sides have the same run, quick_"),
            "{told:?}"
        );
        assert!(told.stderr.contains("the same run"), "a gate in a pipeline shows nothing else: {told:?}");
        let found = compare(&place, &[&quick, other, "--json"]).expect_code(0).json();
        assert_eq!(found["comparable"], false);
        assert_eq!(found["on_both_sides"].as_array().map(Vec::len), Some(1), "{found}");
    }
    let late = record(&place, "late");
    let other = compare(&place, &[&quick, &late, "--json"]).expect_code(0).json();
    assert_eq!(
        (&other["comparable"], other["on_both_sides"].as_array().map(Vec::len)),
        (&Value::Bool(true), Some(0))
    );
    let line = ["rank", &format!("a={quick}"), &format!("b={}", copy.display()), &format!("c={late}")];
    let told = place.rigel(line).expect_code(0).stdout;
    assert!(flat(&told).starts_with("Do not use this ranking: a and b have the same run."), "{told}");
    // Of results of other tools, too.
    let summary =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../rigel-uses/src/baseline/samples/orion_11_1_summary.txt");
    let told = compare(&place, &[summary, summary]).expect_code(0).stdout;
    assert!(told.starts_with("Do not use this comparison"), "{told}");
}

#[test]
fn a_comparison_goes_into_a_ticket() {
    let place = commits();
    let [quick, late] = ["quick", "late"].map(|name| record(&place, name));
    for more in [&["compare", &quick, &late][..], &["compare", &quick, "--and", &late]] {
        let told = place.rigel(more.iter().chain(&["--format", "markdown"])).expect_code(0).stdout;
        assert!(told.contains("| --- |") && told.contains("**"), "{told}");
        assert!(!told.contains("Base   "), "{told}");
    }
    let calibrated = record(&place, "calibrated");
    let three = ["compare", &quick, "--and", &late, "--and", &calibrated, "--format", "markdown"];
    assert!(place.rigel(three).expect_code(0).stdout.contains("## Ranking by commit\\_latency"));
    let summary =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../rigel-uses/src/baseline/samples/orion_11_1_summary.txt");
    let other =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../rigel-uses/src/baseline/samples/orion_10_2_summary.txt");
    let told = compare(&place, &[summary, other, "--format", "markdown"]).expect_code(0).stdout;
    assert!(told.contains("| --- |"), "{told}");
}

/// The second run found B twice as quick as A, the first one a little quicker.
#[test]
fn the_ratio_of_two_sides_is_a_row_of_its_own_and_can_be_ranked() {
    let place = Place::new();
    for (name, service, seed) in [("before", "900us", 1), ("after", "500us", 2)] {
        let line = format!(
            "versus simple --engine sim:service=1ms,between=1%,spread=exponential --and-engine sim:service={service},between=1%,spread=exponential \
             --seed {seed} --fast --name {name} --quiet --no-html"
        );
        place.line(&line).expect_code(0);
    }
    let [before, after] = ["before", "after"].map(|name| record(&place, name));
    let found = compare(&place, &[&before, &after, "--json"]).expect_code(0).json();
    let row = rows(&found, "small_iops_b_over_a")[0];
    assert_eq!((&row["unit"], &row["verdict"]), (&"times".into(), &"better".into()), "{row}");
    let value = |side: &str| row[side]["value"].as_f64().unwrap();
    assert!((value("base") - 1.11).abs() < 0.06 && (value("new") - 2.0).abs() < 0.2, "{row}");
    assert!(row["change"]["lo"].as_f64().unwrap() > 0.5, "{row}");
    let table = compare(&place, &[&before, &after]).expect_code(0).stdout;
    assert!(
        table.contains("small_iops_b_over_a (times)")
            && flat(&table).contains("B over A in the rate of small I/O"),
        "{table}"
    );
    compare(&place, &[&before, &after, "--fail-if", "small_iops_b_over_a < -5%"]).expect_code(0);
    compare(&place, &[&after, &before, "--fail-if", "small_iops_b_over_a < -5%"]).expect_code(1);
    let line = ["rank", &format!("x={before}"), &format!("y={after}"), "--json"];
    let ranked = place.rigel(line).expect_code(0).json();
    assert_eq!(
        (&ranked["quantity"], &ranked["first"]),
        (&"small_iops_b_over_a".into(), &"y".into()),
        "{ranked}"
    );
    // Beside a run of one side there is no ratio.
    place.line("run simple --duration 1s --engine sim --name plain --no-html --quiet").expect_code(0);
    let told = place.rigel(["rank", &before, &record(&place, "plain")]).expect_code(2).stderr;
    assert!(told.contains("compares two sides") && told.contains("another run of `rigel versus`"), "{told}");
}

/// Runs of one command that have no number in common are refused for the reason that holds, with a command that shows them.
#[test]
fn limits_that_differ_and_figures_without_levels_are_named() {
    let place = Place::new();
    let engine = "--engine sim:servers=8,service=1ms,spread=exponential,between=1% --quiet --no-html";
    for line in ["slo --p99 5ms --seed 1 --name tight", "slo --p99 50ms --seed 2 --name loose"] {
        place.line(&format!("{line} {engine}")).expect_code(0);
    }
    let told = compare(&place, &[&record(&place, "tight"), &record(&place, "loose")]).expect_code(2).stderr;
    assert!(flat(&told).contains("their limits differ (p99 < 5 ms; loose_"), "{told}");
    for (name, seed) in [("one", 1), ("two", 2)] {
        place.line(&format!("run working-set --seed {seed} --name {name} {engine}")).expect_code(0);
    }
    let told = compare(&place, &[&record(&place, "one"), &record(&place, "two")]).expect_code(2).stderr;
    assert!(told.contains("such runs are not compared"), "{told}");
    let offered = told.split('`').nth(1).unwrap().to_owned();
    place.line(offered.strip_prefix("rigel ").unwrap()).expect_code(0);
}

#[test]
fn two_soaks_have_their_faults_and_their_longest_io_side_by_side() {
    let place = Place::new();
    for (name, service, seed) in [("before", "1ms", 1), ("after", "2ms", 2)] {
        let engine = format!("sim:service={service},between=1%,spread=exponential");
        let line = format!("soak --engine {engine} --for 10m --seed {seed} --name {name} --quiet --no-html");
        place.line(&line).expect_code(0);
    }
    let [before, after] = ["before", "after"].map(|name| record(&place, name));
    let found = compare(&place, &[&before, &after, "--json"]).expect_code(0).json();
    let [base, new] = [&found["endured"][0], &found["endured"][1]];
    for side in [base, new] {
        assert_eq!((side["errors"].as_u64(), side["wrong_blocks"].as_u64()), (Some(0), Some(0)), "{side}");
        assert!(side["ios"].as_u64().unwrap() > 1000 && side["lasted_s"].as_f64().unwrap() > 60.0, "{side}");
    }
    assert!(new["longest_s"].as_f64().unwrap() > base["longest_s"].as_f64().unwrap(), "{found}");
    let table = compare(&place, &[&before, &after]).expect_code(0).stdout;
    for part in ["Failed I/Os", "Wrong blocks", "Longest I/O", "Counted, not judged"] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

#[test]
fn latencies_of_orion_without_their_unit_need_the_rates_of_the_run() {
    let place = Place::new();
    place
        .line(
            "run simple --duration 1s --engine sim:servers=4,service=1ms,rate=0 --name now --no-html --quiet",
        )
        .expect_code(0);
    let now = record(&place, "now");
    let dir = place.path().join("old");
    fs::create_dir(&dir).unwrap();
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).unwrap();
    write("x_lat.csv", "Large/Small,1,2,3,4\n0,14.62,15.1,16.25,17.5\n");
    let old = dir.to_str().unwrap();
    let told = compare(&place, &[old, &now]).expect_code(2).stderr;
    assert!(
        told.contains("the unit of ORION's latencies is not known") && told.contains("_iops.csv"),
        "{told}"
    );
    write("x_iops.csv", "Large/Small,1,2,3,4\n0,68,132,185,229\n");
    let found = compare(&place, &[old, &now, "--json"]).expect_code(0).json();
    let first = rows(&found, "small_latency")[0];
    assert_eq!(
        (first["base"]["value"].as_f64(), first["point"]["small"].as_u64()),
        (Some(14_620.0), Some(1)),
        "{first}"
    );
    // Rows without the line that says what their columns are.
    write("y_iops.csv", "          0,   2270,   4310,   5390\n          1\n");
    let told = compare(&place, &[dir.join("y_iops.csv").to_str().unwrap(), &now]).expect_code(2).stderr;
    assert!(told.contains("Large/Small") && told.contains("next step"), "{told}");
}

/// Three days on which an old ORION printed 4.00 ms are no proof that nothing varies.
#[test]
fn an_interval_of_rounded_numbers_is_as_wide_as_their_rounding() {
    let place = Place::new();
    place
        .line(
            "run simple --duration 1s --engine sim:servers=4,service=1ms,rate=0 --name now --no-html --quiet",
        )
        .expect_code(0);
    let now = record(&place, "now");
    let files = ["mon", "tue", "wed"].map(|day| {
        let text = format!(
            "ORION VERSION 10.2.0.1.0\n\nCommandline:\n-run simple \n\nTest: {day}\nSmall IO size: 8 KB\nLarge IO size: 1024 KB\n\
             IO Types: Small Random IOs, Large Random IOs\nWrite: 0%\n\nMaximum Small IOPS=2000 @ Small=4 and Large=0\n\
             Minimum Small Latency=1.01 @ Small=1 and Large=0\n"
        );
        let path = place.path().join(format!("{day}_summary.txt"));
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let line = ["--base", &files[0], "--base", &files[1], "--base", &files[2], &now, "--json"];
    let found = compare(&place, &line).expect_code(0).json();
    for (metric, half) in [("small_latency", 5.0), ("small_iops", 0.5)] {
        let base = &rows(&found, metric)[0]["base"];
        let [value, lo, hi] = ["value", "lo95", "hi95"].map(|key| base[key].as_f64().unwrap());
        assert!(lo <= value - 0.99 * half && hi >= value + half, "{metric}: {base}");
    }
}
