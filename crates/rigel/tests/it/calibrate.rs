//! Calibrations of simulated devices: answers with a known truth, the bound, the budget. A real file: `clock::calibrate`.

use crate::support::{Place, ProgramOutput};
use rigel_core::record::Record;
use serde_json::Value;
use std::fs;

/// Eight stations; a small I/O takes 1 ms and 8 us for its bytes.
pub const DEVICE: &str = "sim:servers=8,service=1ms,rate=1000M,spread=exponential,between=1%";
const NS_PER_S: u64 = 1_000_000_000;
const TRUTH_IOPS: f64 = 8.0 / (0.001 + 8192.0 / 1_048_576_000.0);

fn calibrate(place: &Place, more: &str) -> ProgramOutput {
    place.line(&format!("calibrate --quiet --no-html --seed 3 {more}"))
}

pub fn mean(document: &Value, name: &str) -> f64 {
    document[name]["value"].as_f64().unwrap_or_else(|| panic!("no {name} in {document}"))
}

/// Within a few per cent: the interval is one of 95 %, and this is one run.
fn near(document: &Value, name: &str, truth: f64) {
    let found = mean(document, name);
    assert!((found / truth - 1.0).abs() < 0.1, "{name} {found} instead of {truth}: {document}");
    let ends = (document[name]["lo95"].as_f64().unwrap(), document[name]["hi95"].as_f64().unwrap());
    assert!(ends.0 < found && found < ends.1, "{document}");
}

#[test]
fn the_answers_of_a_device_with_a_known_truth() {
    let place = Place::new();
    let found =
        calibrate(&place, &format!("--engine {DEVICE} --max-latency 2ms --json")).expect_code(0).json();
    assert_eq!(
        (found["schema"].as_str(), found["complete"].as_bool()),
        (Some("rigel.calibration/1"), Some(true))
    );
    near(&found, "max_iops", TRUTH_IOPS);
    near(&found, "unbounded_iops", TRUTH_IOPS);
    near(&found, "latency_at_1_us", 1008.0);
    // Little: as many outstanding as the rate takes in 2 ms.
    let outstanding = found["outstanding"].as_u64().unwrap();
    assert!((14..=18).contains(&outstanding), "{found}");
    let latency_ms = mean(&found, "actual_latency_ms");
    assert!((latency_ms * TRUTH_IOPS / 1000.0 / outstanding as f64 - 1.0).abs() < 0.1, "{found}");
    assert!(
        found["n_sat"]["lo"].as_u64().unwrap() <= 8 && found["n_sat"]["hi"].as_u64().unwrap() >= 7,
        "{found}"
    );
    // A stream has four I/Os outstanding, so that two streams keep all stations busy: 2 ms for each MiB.
    near(&found, "max_pmbps", 2000.0);
    near(&found, "max_mbps", 4000.0);
    let record = place.only("_record.jsonl");
    let json = place.rigel(["report", record.to_str().unwrap(), "--format", "json"]).expect_code(0).json();
    assert!(json["points"].as_array().unwrap().len() >= 5, "{json}");
    assert!(!place.files().iter().any(|name| name.ends_with("_iops.csv")), "{:?}", place.files());
}

/// No I/O more or less at the edge of a short window speaks against a device that always takes the same time.
#[test]
fn a_device_without_noise_contradicts_nothing() {
    let place = Place::new();
    let told = calibrate(&place, "--engine sim:servers=4,service=1ms --budget 20s").expect_code(0).stdout;
    assert!(told.contains("3,960 small I/Os per second") && !told.contains("NOT_MONOTONE"), "{told}");
}

/// One I/O alone has the fewest I/Os in a visit, so it errs most, and every level is compared with it.
#[test]
fn service_times_that_vary_contradict_nothing() {
    let place = Place::new();
    let told = |seed: u64| {
        let law = "servers=32,service=200us,spread=exponential";
        let line =
            format!("calibrate --quiet --no-html --engine sim:{law} --seed {seed} --json --name n{seed}");
        place.line(&line).expect_code(0).stdout.contains("NOT_MONOTONE")
    };
    // Each of these seeds had it.
    let found: Vec<u64> = [1, 3, 15, 16, 21, 23, 41, 44].into_iter().filter(|&seed| told(seed)).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_bound_that_nothing_keeps_is_an_answer() {
    let place = Place::new();
    let more = format!("--engine {DEVICE} --max-latency 500us --percentile p99 --json");
    let found = calibrate(&place, &more).expect_code(0).json();
    assert_eq!(found["max_iops"], Value::Null);
    assert!(found["reason"].as_str().unwrap().contains("p99 latency"), "{found}");
    assert_eq!(found["percentile"], "p99");
    assert!(mean(&found, "unbounded_iops") > 0.0);
}

#[test]
fn so_many_disks_let_the_search_go_further() {
    let place = Place::new();
    let told =
        |more: &str| calibrate(&place, &format!("--engine {DEVICE} --dry-run {more}")).expect_code(0).stdout;
    assert!(told("").contains("up to 512 outstanding"));
    assert!(told("--num-disks 4").contains("up to 512 outstanding"));
    assert!(told("--num-disks 12").contains("up to 768 outstanding"));
}

/// The points need their part of the budget, however long the search would take: where levels are hard to tell apart, where a
/// visit takes longer than planned, where I/Os are lost.
#[test]
fn a_search_leaves_two_fifths_of_the_budget_to_the_points() {
    for (device, budget_s, is_cut_off) in [
        ("sim:servers=16,service=200us,spread=exponential,between=30%", 60, false),
        ("sim:servers=64,service=5ms,spread=exponential", 20, false),
        ("sim:servers=8,service=1ms,lost=1000:2s", 20, true),
    ] {
        let place = Place::new();
        let told = calibrate(&place, &format!("--engine {device} --budget {budget_s}s --json")).stdout;
        let record = Record::read(&fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
        let last_ns = record.search.iter().map(|visit| visit.began_ns - visit.settle_ns).max().unwrap();
        // The first three visits to a class, of 90 ms each, are made in any case.
        assert!(last_ns < budget_s * NS_PER_S / 5 * 3 + NS_PER_S / 2, "{device}: {last_ns} ns");
        assert!(!record.visits.is_empty(), "{device}: {told}");
        assert!(!is_cut_off || told.contains("ran out of time after"), "{device}: {told}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let place = Place::new();
    for (more, what) in [
        ("--budget 1s", "1 s is too short for a calibration"),
        ("--max-latency 0s", "a latency limit must be greater than 0"),
        ("--percentile p95", "p95"),
        ("--write 101", "101"),
        ("--last --history", "cannot be used with"),
    ] {
        let told = calibrate(&place, &format!("--engine sim {more}")).expect_code(2);
        assert!(told.stderr.contains(what), "{more}: {}", told.stderr);
    }
}

/// The same time would be used up by the search again.
#[test]
fn a_search_that_ran_out_of_time_leads_to_more_time() {
    let place = Place::in_memory();
    let line = "calibrate --engine sim:service=6s --seed 1 --for 20s --no-html --no-history";
    let told = place.line(line).expect_code(4);
    assert!(told.stdout.contains("time ran out during the search"), "{}", told.stdout);
    for text in [&told.stdout, &told.stderr] {
        let next = text.lines().find(|line| line.starts_with("Next: "));
        assert!(next.is_none_or(|next| next.contains(" --for 5m")), "{text}");
    }
    assert!(told.stdout.contains("Next: ") || told.stderr.contains("Next: "), "{told:?}");
}
