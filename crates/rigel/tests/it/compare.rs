//! Runs compared: what is told, what the exit code is, what is refused.

use crate::recording::Recording;
use crate::support::{Place, ProgramOutput};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Three runs on simulated devices whose visits differ, so that there are intervals: `base` and `same` take 1 ms for an I/O, `slow` takes
/// 1.3 ms.
fn three_runs() -> Place {
    static RUNS: OnceLock<Recording> = OnceLock::new();
    let make = |place: &Place| {
        let run = |(name, service, seed): (&str, &str, u32)| {
            let engine = format!("sim:service={service},between=1%,spread=exponential");
            place.line(&format!("run oltp --engine {engine} --seed {seed} --name {name} --no-html --quiet"))
        };
        let [_, _, last] = [("base", "1ms", 1), ("same", "1ms", 2), ("slow", "1300us", 3)]
            .map(|named| run(named).expect_code(0));
        last
    };
    RUNS.get_or_init(|| Recording::of(make)).place()
}

fn record(place: &Place, name: &str) -> String {
    place.only_of(&format!("{name}_"), "_record.jsonl").to_str().unwrap().to_owned()
}

fn compare(place: &Place, more: &[&str]) -> ProgramOutput {
    place.rigel(["compare"].iter().chain(more))
}

fn rows<'a>(document: &'a Value, metric: &str) -> Vec<&'a Value> {
    document["rows"].as_array().unwrap().iter().filter(|row| row["metric"] == metric).collect()
}

#[test]
fn a_slower_device_is_found_worse_and_the_same_one_is_not() {
    let place = three_runs();
    let records = ["base", "same", "slow"].map(|name| record(&place, name));
    let [base, same, slow] = records.each_ref().map(String::as_str);

    let found = compare(&place, &[base, slow, "--json"]).expect_code(0).json();
    assert_eq!(found["schema"], "rigel.comparison/1");
    assert_eq!(found["comparable"], true);
    let worse = rows(&found, "small_iops");
    assert!(worse.len() >= 3, "{worse:?}");
    for row in worse {
        assert_eq!(row["verdict"], "worse", "{row}");
        let change = &row["change"];
        // A service time of 1.3 ms and the transfer: the rate falls by about 23 %.
        let (lo, hi) = (change["lo"].as_f64().unwrap(), change["hi"].as_f64().unwrap());
        assert!(lo < -0.2 && hi < -0.1 && lo < hi, "{row}");
        assert_eq!(change["rests_on"], "intervals");
    }

    let table = compare(&place, &[base, slow]).expect_code(0).stdout;
    assert!(table.lines().all(|line| line.chars().count() <= 80 || line.contains("base_")), "{table}");
    let table = compare(&place, &[base, same]).expect_code(0).stdout;
    assert!(
        (table.starts_with("No difference") || table.starts_with("Undecided: "))
            && !table.contains("worse\n"),
        "{table}"
    );
}

#[test]
fn a_copy_of_a_run_is_no_further_run() {
    let place = three_runs();
    let [base, new] = ["base", "same"].map(|name| record(&place, name));
    let copy = place.path().join("copy_record.jsonl");
    fs::copy(&new, &copy).unwrap();
    let [base, new, copy] = [base.as_str(), new.as_str(), copy.to_str().unwrap()];
    for more in [[base, new, copy], [base, new, new]] {
        let told = compare(&place, &more).expect_code(2);
        assert!(told.stderr.contains("the same run twice"), "{}", told.stderr);
    }
    compare(&place, &[base, base]).expect_code(0);
}

#[test]
fn gates_decide_the_exit_code() {
    let place = three_runs();
    let records = ["base", "slow"].map(|name| record(&place, name));
    let [base, slow] = records.each_ref().map(String::as_str);
    let gate = |gates: &[&str]| {
        let gates = gates.iter().flat_map(|gate| ["--fail-if", gate]);
        place.rigel(["compare", base, slow].into_iter().chain(gates))
    };
    let failed = gate(&["small_iops < -5%"]).expect_code(1);
    assert!(
        failed.stdout.starts_with("Failed: 1 of 1 gate failed, 0 undecided, 0 passed."),
        "{}",
        failed.stdout
    );
    assert!(failed.stderr.contains("the gate 'small_iops < -5%' failed"), "{}", failed.stderr);
    gate(&["small_iops<-50%", "max_small_iops > 10%"]).expect_code(0);
    gate(&["small_iops < -50%", "min_small_latency > 1%"]).expect_code(1);
    // The change is about -22.9 %: a bound in the middle of its interval is neither kept nor broken.
    let json = compare(&place, &[base, slow, "--json"]).json();
    let change = &rows(&json, "max_small_iops")[0]["change"];
    let bound = format!("max_small_iops < {}%", 100.0 * change["relative"].as_f64().unwrap());
    let open = gate(&[&bound]).expect_code(0);
    assert!(open.stderr.contains("undecided"), "{}", open.stderr);
    let strict = ["compare", base, slow, "--fail-if", &bound, "--fail-undecided"];
    place.rigel(strict).expect_code(1);
    let wrong = gate(&["iops < -5%"]).expect_code(2);
    assert!(wrong.stderr.contains("'iops' is not a quantity"), "{}", wrong.stderr);
    let nothing = gate(&["large_mbps < -5%"]).expect_code(2);
    assert!(nothing.stderr.contains("no large_mbps in common"), "{}", nothing.stderr);
}

#[test]
fn what_is_not_comparable_is_refused_unless_told() {
    let place = Place::new();
    place.line("run advanced --matrix point --num-small 4 --num-large 0 --engine sim --duration 1s --name a --no-html").expect_code(0);
    place.line("run advanced --matrix point --num-small 4 --num-large 0 --engine sim --duration 1s --name b --no-html --size-small 16K").expect_code(0);
    let [a, b] = ["a_", "b_"].map(|name| place.only_of(name, "_record.jsonl"));
    let [a, b] = [&a, &b].map(|path| path.to_str().unwrap());
    let told = compare(&place, &[a, b]).expect_code(2);
    assert!(told.stderr.contains("they differ in size of small I/O (8 KiB; b_"), "{}", told.stderr);
    assert!(told.stderr.contains("--allow-differences"), "{}", told.stderr);
    let table = compare(&place, &[a, b, "--allow-differences"]).expect_code(0).stdout;
    assert!(table.contains("size of small I/O (numbers do not measure the same thing)"), "{table}");
    assert!(table.contains("one visit: "), "runs of one visit a point show no change: {table}");
    let alone = compare(&place, &[a]).expect_code(2);
    assert!(alone.stderr.contains("nothing to compare"), "{}", alone.stderr);
}

/// Short stroking is faster than all of a disk, whatever the disk.
#[test]
fn a_part_of_the_targets_is_not_compared_with_all_of_them() {
    let place = Place::new();
    for (name, more) in [("whole", ""), ("part", "--span 0-33%"), ("again", "--span 0-33%")] {
        let line = format!(
            "run advanced --matrix point --num-small 4 --num-large 0 --engine sim --duration 1s --name {name} --no-html {more}"
        );
        place.line(&line).expect_code(0);
    }
    let [whole, part, again] = ["whole", "part", "again"].map(|name| record(&place, name));
    let told = compare(&place, &[&whole, &part]).expect_code(2).stderr;
    assert!(told.contains("they differ in part of the targets (all; part_"), "{told}");
    assert!(told.contains("has 0-33%"), "{told}");
    let told = place.rigel(["rank", &whole, &part]).expect_code(2).stderr;
    assert!(told.contains("part of the targets"), "{told}");
    let same = compare(&place, &[&part, &again]).expect_code(0).stdout;
    assert!(same.split_whitespace().collect::<Vec<_>>().join(" ").contains("0-33% of simulated"), "{same}");
    // ORION always goes to all of a target.
    let orion =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../rigel-uses/src/baseline/samples/orion_11_1_summary.txt");
    let told = compare(&place, &[orion, &part]).expect_code(2).stderr;
    assert!(told.contains("part of the targets of small I/O (all; "), "{told}");
    compare(&place, &[orion, &whole]).expect_code(0);
    let table = compare(&place, &[&whole, &part, "--allow-differences"]).expect_code(0).stdout;
    assert!(table.contains("part of the targets (numbers do not measure the same thing)"), "{table}");
}

#[test]
fn several_runs_of_each_side_are_pooled() {
    let place = Place::new();
    for side in ["old", "new"] {
        fs::create_dir(place.path().join(side)).unwrap();
    }
    // Each seed has a speed of its own for the whole run: one run of each side would find a change that is none.
    let engine = "sim:process=10%,between=0.5%";
    for (side, seed) in [("old", 1), ("old", 2), ("old", 3), ("new", 4), ("new", 5), ("new", 6)] {
        let line =
            format!("run oltp --engine {engine} --seed {seed} --name r{seed} --no-html --quiet --out {side}");
        place.line(&line).expect_code(0);
    }
    let found = compare(&place, &["old", "new", "--json"]).expect_code(0).json();
    assert_eq!((found["base"].as_array().unwrap().len(), found["new"].as_array().unwrap().len()), (3, 3));
    for row in rows(&found, "small_iops") {
        assert_eq!(row["change"]["rests_on"], "runs", "{row}");
        assert_eq!((&row["base"]["visits"], &row["base"]["basis"]), (&3.into(), &"runs".into()));
        assert_eq!(row["verdict"], "undecided", "{row}");
    }
    let record = |side: &str| {
        let mut names: Vec<PathBuf> = fs::read_dir(place.path().join(side))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_str().unwrap().ends_with("_record.jsonl"))
            .collect();
        names.sort();
        names
    };
    let (old, new) = (record("old"), record("new"));
    let text = |path: &PathBuf| path.to_str().unwrap().to_owned();
    let arguments = [
        "compare".to_owned(),
        "--base".to_owned(),
        text(&old[0]),
        "--base".to_owned(),
        text(&old[1]),
        text(&new[0]),
        text(&new[1]),
        "--json".to_owned(),
    ];
    let some = place.rigel(&arguments).expect_code(0).json();
    assert_eq!((some["base"].as_array().unwrap().len(), some["new"].as_array().unwrap().len()), (2, 2));
}

#[test]
fn junit_has_a_case_for_each_gate_or_row() {
    let place = three_runs();
    let records = ["base", "slow"].map(|name| record(&place, name));
    let [base, slow] = records.each_ref().map(String::as_str);
    let gates = ["--fail-if", "small_iops < -5%", "--fail-if", "small_iops < -90%", "--junit", "gates.xml"];
    place.rigel(["compare", base, slow].iter().chain(&gates)).expect_code(1);
    let xml = place.read("gates.xml");
    assert!(xml.contains("tests=\"2\"") && xml.contains("failures=\"1\""), "{xml}");
    assert!(xml.contains("small_iops &lt; -5%"), "{xml}");
    let rows = compare(&place, &[base, slow, "--format", "junit"]).expect_code(0).stdout;
    assert!(rows.contains("classname=\"small_iops\"") && rows.contains("<failure"), "{rows}");
    // What is there already stays.
    fs::write(place.path().join("gates.xml"), "mine").unwrap();
    place.rigel(["compare", base, slow, "--junit", "gates.xml"]).expect_code(3);
    assert_eq!(place.read("gates.xml"), "mine");
}

#[test]
fn a_directory_without_records_and_a_record_that_is_none_are_told() {
    let place = Place::new();
    fs::create_dir(place.path().join("empty")).unwrap();
    let told = compare(&place, &["empty", "empty"]).expect_code(2);
    assert!(told.stderr.contains("the directory contains no record"), "{}", told.stderr);
    fs::write(place.path().join("x_record.jsonl"), "hello\n").unwrap();
    let told = compare(&place, &[".", "empty"]).expect_code(2);
    assert!(told.stderr.contains("x_record.jsonl, line 1"), "{}", told.stderr);
}

/// A mix of two classes of a file, on a device whose I/Os take so long.
const MIX: &str = r#"
load = "rigel.load/1"
points = [ { oltp = 2 }, { oltp = 4, log = 1 } ]
[[class]]
name = "oltp"
size = "8K"
[[class]]
name = "log"
size = "16K"
"#;

#[test]
fn classes_of_a_load_file_are_compared_listed_and_gated() {
    let place = Place::in_memory();
    fs::write(place.path().join("mix.toml"), MIX).unwrap();
    for (name, service, seed) in [("base", "1ms", 1), ("slow", "1300us", 2)] {
        let engine = format!("sim:servers=8,service={service},between=1%,spread=exponential");
        let line =
            format!("run --load mix.toml --engine {engine} --seed {seed} --name {name} --no-html --quiet");
        place.line(&line).expect_code(0);
    }
    let records = ["base", "slow"].map(|name| record(&place, name));
    let [base, slow] = records.each_ref().map(String::as_str);

    let found = compare(&place, &[base, slow, "--json"]).expect_code(0).json();
    for (name, points) in [
        ("max_oltp_per_s", 1),
        ("max_log_per_s", 1),
        ("oltp_per_s", 2),
        ("oltp_latency", 2),
        ("oltp_p99", 2),
        ("log_per_s", 1),
    ] {
        let all = rows(&found, name);
        assert_eq!(all.len(), points, "{name}: {found}");
        assert!(all.iter().all(|row| row["base"]["value"].as_f64().unwrap() > 0.0), "{name}: {all:?}");
    }
    assert!(rows(&found, "oltp_per_s").iter().all(|row| row["verdict"] == "worse"), "{found}");
    let table = compare(&place, &[base, slow]).expect_code(0).stdout;
    assert!(table.contains("oltp_per_s (per s)") && table.contains("oltp_p99 (µs)"), "{table}");

    let gated = |gate: &str| compare(&place, &[base, slow, "--fail-if", gate]);
    gated("oltp_per_s < -5%").expect_code(1);
    gated("max_oltp_per_s < -60%").expect_code(0);
    let told = gated("backup_p99 > 5%").expect_code(2).stderr;
    assert!(told.contains("no backup_p99 in common") && told.contains("oltp_p99"), "{told}");
}
