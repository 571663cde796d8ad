//! `rigel versus` with bounds on the numbers of a side: which side keeps them, and whether the run is judged by them again.

use crate::recording::Recording;
use crate::support::{EPOCH, Place, ProgramOutput, flat, narrow, tell};
use serde_json::Value;
use std::fs;
use std::sync::OnceLock;

const RECORD: &str = "versus_20260101_1200_record.jsonl";
/// At 3,200 per second the p99 of A is about 6.2 ms, and that of B half of it.
const SIDES: &str = "--engine sim:servers=4,service=1ms,rate=0,spread=exponential \
                     --and-engine sim:servers=8,service=700us,rate=0,spread=exponential --seed 4 --fast --quiet";

fn rigel(place: &Place, line: &str, gates: &[&str]) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).args(gates).env("SOURCE_DATE_EPOCH", EPOCH))
}

fn again(place: &Place, more: &str, gates: &[&str]) -> ProgramOutput {
    rigel(place, &format!("versus --record {RECORD} {more}"), gates)
}

/// Without --rate: the rate that is required is measured.
fn measured(place: &Place, bound: &str) -> ProgramOutput {
    rigel(place, &format!("versus open {SIDES}"), &["--require", bound])
}

/// With a bound between both sides.
fn between_both() -> &'static Recording {
    static RUN: OnceLock<Recording> = OnceLock::new();
    RUN.get_or_init(|| Recording::of(|place| measured(place, "p99 < 5ms @ 3200").expect_code(0)))
}

#[test]
fn a_required_bound_is_told_of_both_sides() {
    let (told, place) = (&between_both().told, between_both().place());
    let text = flat(&told.stdout);
    for part in [
        "B meets p99 < 5 ms at 3200 per second, and A does not.",
        " on A, at least ",
        " % above the limit.",
        "Passed: the gate is met.",
    ] {
        assert!(text.contains(part), "{part}: {}", told.stdout);
    }
    assert!(narrow(&told.stdout), "{}", told.stdout);
    assert!(told.stdout.starts_with("B meets "), "the answer first: {}", told.stdout);
    let warning = told.stdout.find("\n- FEW_POINTS, the run: 2 points").expect("with its figures");
    assert!(warning < told.stdout.find("From .. to %").unwrap(), "{}", told.stdout);
    // The same from the record, and from its report.
    assert!(again(&place, "", &[]).expect_code(0).stdout.contains("B meets p99 < 5 ms"));
    let report = rigel(&place, &format!("report {RECORD}"), &[]).expect_code(0).stdout;
    assert!(flat(&report).contains("B meets p99 < 5 ms at 3200 per second, and A does not."), "{report}");
    let document = again(&place, "--json", &[]).expect_code(0).json();
    let gate = &document["gates"][0];
    assert_eq!((&gate["outcome"], &gate["base"]), (&"passed".into(), &"failed".into()), "{gate}");
    assert_eq!(gate["rows"].as_array().unwrap().len(), 1, "only at that rate: {gate}");
    assert!(document["sentences"][0].as_str().unwrap().starts_with("B meets p99"), "{document}");
    let page = place.read("_versus.html");
    assert!(page.contains("<strong>B meets p99 &lt; 5\u{a0}ms at 3200 per second, and A does not."));
    // A bound that nothing keeps, one that all keep, and one that is a change.
    let told = again(&place, "", &["--fail-if", "open_p99 > 20us"]).expect_code(1);
    assert!(flat(&told.stdout).contains("Neither A nor B meets p99 < 20 µs at 3200 per second."));
    assert!(told.stderr.contains("failed: at 3200 per second the p99 of B is "), "{}", told.stderr);
    assert!(!told.stderr.contains("likely cause"), "{}", told.stderr);
    let told = again(&place, "", &["--fail-if", "open_latency > 1s"]).expect_code(0);
    assert!(flat(&told.stdout).contains("A and B both meet mean latency < 1 s at 3200 per second."));
    let told = again(&place, "", &["--fail-if", "open_latency > -1%"]).expect_code(0);
    assert!(!told.stdout.contains("meets"), "{}", told.stdout);
}

/// The bound is put where the p99 of B was found.
#[test]
fn what_is_required_fails_when_it_is_not_known() {
    let place = Place::new();
    measured(&place, "p99 < 1s @ 3200").expect_code(0);
    let document = again(&place, "--json", &[]).expect_code(0).json();
    let row = document["rows"].as_array().unwrap().iter().find(|row| row["metric"] == "open_p99").unwrap();
    let p99_us = row["new"]["value"].as_f64().unwrap();
    let bound = format!("p99 < {p99_us:.0}us @ 3200");
    let told = again(&place, "", &["--require", &bound]).expect_code(1);
    assert!(told.stderr.contains("is undecided: at 3200 per second the p99 of B is "), "{}", told.stderr);
    assert!(
        flat(&told.stdout).contains("Undecided whether B meets ")
            && flat(&told.stdout).contains("; A does not."),
        "{}",
        told.stdout
    );
    let gate = format!("open_p99 > {p99_us:.0}us");
    let told = again(&place, "", &["--fail-if", &gate]).expect_code(0);
    assert!(told.stderr.contains("--fail-undecided fails on it"), "{}", told.stderr);
}

#[test]
fn bounds_that_are_decided_ask_for_no_surer_ratio() {
    let place = between_both().place();
    let causes = |document: &Value| document["verdict"]["causes"].to_string();
    let decided = again(&place, "--json", &[]).expect_code(0).json();
    let open = again(&place, "--json", &["--fail-if", "open_p99 > 5%"]).expect_code(0).json();
    assert_eq!((&decided["reached"], &open["reached"]), (&false.into(), &false.into()));
    assert!(!causes(&decided).contains("NOT_REACHED"), "{}", causes(&decided));
    assert!(causes(&open).contains("NOT_REACHED"), "{}", causes(&open));
}

#[test]
fn a_run_that_goes_on_is_judged_by_the_gates_that_it_began_with() {
    let place = Place::new();
    measured(&place, "p99 < 20us @ 3200").expect_code(1);
    let bytes = fs::read(place.path().join(RECORD)).unwrap();
    let cut = || {
        let other = Place::new();
        fs::write(other.path().join(RECORD), &bytes[..bytes.len() / 2]).unwrap();
        other
    };
    let told = rigel(&cut(), &format!("run --resume {RECORD} --quiet"), &[]).expect_code(1);
    assert!(told.stderr.contains("the gate 'p99 < 20 us @ 3200' failed"), "{}", told.stderr);
    assert!(told.stdout.contains("Neither A nor B meets p99 < 20 µs"), "{}", told.stdout);
    let other = cut();
    let line = format!("versus --resume {RECORD} --quiet");
    let told = rigel(&other, &line, &["--require", "p99 < 5ms @ 3200"]).expect_code(0);
    assert!(told.stdout.contains("B meets p99 < 5 ms"), "{}", told.stdout);
    rigel(&other, &format!("run --resume {RECORD} --quiet"), &[]).expect_code(1);
}

#[test]
fn a_bound_on_what_is_not_measured_is_refused() {
    let place = Place::new();
    let class =
        |name: &str| format!("[[class]]\nname = \"{name}\"\nsize = \"8K\"\narrival = {{ rate = 300 }}\n");
    let head = "load = \"rigel.load/1\"\n";
    fs::write(place.path().join("one.toml"), format!("{head}{}", class("reads"))).unwrap();
    fs::write(place.path().join("two.toml"), format!("{head}{}{}", class("reads"), class("scans"))).unwrap();
    for (load, gate, parts) in [
        (
            "oltp",
            "p99 < 2ms @ 8000",
            &["no class of the load has an arrival rate", "--rate", "small_p99 > 2ms"][..],
        ),
        ("open --rate 300", "p99.9 < 2ms @ 300", &["p99.9 is not compared", "rigel slo --require"]),
        ("open --rate 300", "p99 < 2ms", &["the rate is missing"]),
        ("open --rate 300", "p99 > 2ms @ 300", &["a limit is an upper one"]),
        (
            "--load one.toml",
            "p99 < 2ms @ 400",
            &["the load has no 400 per second", "reads arrives at 300 per second"],
        ),
        (
            "--load two.toml",
            "p99 < 2ms @ 300",
            &["does not name the class: reads or scans", "'reads_p99 > 2 ms'"],
        ),
    ] {
        let told =
            rigel(&place, &format!("versus {load} {SIDES} --dry-run"), &["--require", gate]).expect_code(2);
        for part in parts.iter().chain(&["--require"]) {
            assert!(told.stderr.contains(part), "{load}, {gate}, {part}: {}", told.stderr);
        }
    }
    // What a load file has is known when it was read.
    for (load, option, gate) in
        [("one.toml", "--require", "mean < 1s @ 300"), ("two.toml", "--fail-if", "scans_p99 > 2 ms")]
    {
        rigel(&place, &format!("versus --load {load} {SIDES} --dry-run"), &[option, gate]).expect_code(0);
    }
    let told = rigel(&place, &format!("versus --load one.toml {SIDES}"), &["--fail-if", "small_p99 > 2ms"]);
    assert!(told.expect_code(2).stderr.contains("the load has reads_per_s, reads_latency, reads_p99"));
    assert_eq!(place.files(), ["one.toml", "two.toml"]);
}
