//! Adaptive runs of the binary: limited, stopped and killed in the middle.
//!
//! Rounds go by in simulated time; one run on a real file is stopped between its rounds.

use crate::stop::{ended, signal, start_until_record};
use crate::support::{Place, ProgramOutput, flags};
use rigel_core::record::{Purpose, Record, Visit};
use rigel_core::units::NS_PER_S;
use serde_json::Value;
use std::fs;
use std::path::Path;

const LIMIT_S: u64 = 30;

fn record(path: &Path) -> Record {
    Record::read(&fs::read(path).unwrap()).unwrap()
}

fn loaded_from_ns(visit: &Visit) -> u64 {
    visit.began_ns - visit.settle_ns
}

/// The only class of a point of `simple`.
fn io_of(point: &Value) -> &Value {
    if point["levels"]["small"] == 0 { &point["classes"]["large"] } else { &point["classes"]["small"] }
}

/// Seven points that vary so much that a limit of minutes is too short for some of them.
fn limited(place: &Place, seconds: u64) -> ProgramOutput {
    let device = "sim:servers=8,service=1ms,rate=0,between=1%,spread=exponential";
    let line =
        format!("run simple --engine {device} --precision 3% --fast --max-duration {seconds}s --seed 1");
    place.line(&format!("{line} --json"))
}

/// Whether each point reached what was asked for.
fn expect_every_width(document: &Value) -> Vec<bool> {
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 7, "each was visited");
    let width = |point: &Value| {
        let reached = io_of(point)["reached"].as_bool().unwrap();
        assert_eq!(flags(point).contains(&"NOT_REACHED"), !reached, "{point}");
        let visits = point["visits"].as_array().unwrap().len();
        assert!((1..=12).contains(&visits), "{visits} visits: {point}");
        reached
    };
    points.iter().map(width).collect()
}

#[test]
fn a_limit_ends_the_rounds_and_every_width_is_told() {
    for (seconds, some_reach) in [(LIMIT_S, false), (150, true)] {
        let place = Place::new();
        let reached = expect_every_width(&limited(&place, seconds).expect_code(0).json());
        assert_eq!(reached.contains(&true), some_reach, "{seconds} s: {reached:?}");
        assert!(reached.contains(&false), "{seconds} s: {reached:?}");
        let record = record(&place.only("_record.jsonl"));
        let last_ns = record.visits.iter().map(loaded_from_ns).max().unwrap();
        assert!(last_ns < seconds * NS_PER_S, "{seconds} s: a visit begins at {last_ns} ns");
    }
}

/// Two or three visits to a point may be alike by luck: however narrow, that is not what was asked for.
#[test]
fn too_few_visits_reach_nothing() {
    let place = Place::new();
    let device = "sim:servers=8,service=1ms,rate=0,between=1%,white=3%";
    let line = format!("run simple --engine {device} --max-duration 60s --seed 1 --json");
    let document = place.line(&line).expect_code(0).json();
    for point in document["points"].as_array().unwrap() {
        let io = io_of(point);
        assert_eq!(io["reached"], false, "{point}");
        assert!(flags(point).contains(&"NOT_REACHED"), "{point}");
    }
    assert!(
        place.read("_summary.txt").contains("was requested and reached at 0"),
        "{}",
        place.read("_summary.txt")
    );
}

/// Whether it is the second visit to its point.
fn is_of_the_second_round(visit: &Visit) -> bool {
    visit.purpose == Purpose::Round(1)
}

/// What is on disk in the middle of an adaptive run: whole visits, of which a report is made.
fn expect_a_report_of_what_was_measured(place: &Place, points: usize) {
    let path = place.only("_record.jsonl");
    let record = record(&path);
    let rounds = record.visits.iter().filter(|visit| matches!(visit.purpose, Purpose::Round(_))).count();
    assert!((points + 1..points * 12).contains(&rounds), "{rounds} visits of {points} points");
    let document = place.rigel(["report", path.to_str().unwrap(), "--format", "json"]).expect_code(0).json();
    let told = document["points"].as_array().unwrap();
    assert_eq!(told.len(), points, "the first round is whole");
    for point in told {
        assert!(flags(point).contains(&"NOT_REACHED"), "{point}");
    }
    assert_eq!(document["run"]["complete"], false);
}

#[test]
fn a_stopped_one_tells_what_it_has() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let line = "run advanced data --matrix col --num-small 0 --num-disks 1 --fast --max-duration 25s --precision 0.5%";
    let in_the_second_round = |record: &Record| record.visits.iter().any(is_of_the_second_round);
    let (child, stderr) = start_until_record(&place, line, in_the_second_round);
    signal(&child, "-INT");
    ended(child, stderr).expect_code(4);
    expect_a_report_of_what_was_measured(&place, 2);
    assert_eq!(place.read("_ci.csv").lines().count(), 3, "the outputs were written");
}

/// The record as a process leaves it that is killed in the second round, while it writes a visit.
#[test]
fn a_killed_one_has_its_visits_on_disk() {
    let place = Place::new();
    limited(&place, 150).expect_code(0);
    let path = place.only("_record.jsonl");
    let whole = record(&path);
    let visits = whole.visits.iter().position(is_of_the_second_round).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines = text.match_indices("{\"line\":\"visit\"").map(|(at, _)| at);
    let torn = lines.nth(visits + 1).unwrap() + 200;
    fs::write(&path, &text[..torn]).unwrap();
    expect_a_report_of_what_was_measured(&place, 7);
    let record = record(&path);
    assert!(record.closing.is_none() && record.torn.is_some(), "{:?}", record.closing);
    assert_eq!(record.visits, whole.visits[..=visits]);
}

/// The device answers slowly, and the search does not take the time that its points need.
#[test]
fn a_search_keeps_to_its_share_of_the_limit_and_says_what_is_missing() {
    let place = Place::new();
    let run = "run oltp --engine sim:servers=64,service=20ms,rate=0 --levels auto --fast --seed 3";
    let refused = place.line(&format!("{run} --max-duration 5s")).expect_code(2);
    assert!(
        refused.stderr.contains("is not enough to search"),
        "before anything is measured: {}",
        refused.stderr
    );
    assert!(place.files().is_empty(), "{:?}", place.files());
    let line = format!("{run} --max-duration {LIMIT_S}s");
    let plan = place.line(&format!("{line} --dry-run")).expect_code(0);
    assert!(plan.stdout.contains("ends after 12 s at the latest"), "{}", plan.stdout);
    place.line(&line).expect_code(0);
    let record = record(&place.only("_record.jsonl"));
    let searched_ns = record.search.iter().map(loaded_from_ns).max().unwrap();
    assert!(searched_ns < LIMIT_S * NS_PER_S / 5 * 2, "a visit of the search begins at {searched_ns} ns");
    assert!(record.search.len() >= 11 && !record.visits.is_empty(), "{}", record.search.len());
}

/// I/Os that take as long as a visit of the search: each visit takes its time twice.
#[test]
fn a_search_that_is_ended_says_so_and_its_points_are_measured() {
    let place = Place::new();
    let device = "sim:servers=64,service=150ms,rate=0,between=1%";
    let line = format!("run oltp --engine {device} --levels auto --fast --max-duration {LIMIT_S}s --seed 3");
    let document = place.line(&format!("{line} --json")).expect_code(0).json();
    let record = record(&place.only("_record.jsonl"));
    let searched_ns = record.search.iter().map(loaded_from_ns).max().unwrap();
    assert!(searched_ns < LIMIT_S * NS_PER_S / 5 * 2, "{searched_ns}");
    assert!(!document["points"].as_array().unwrap().is_empty());
    let told = document.to_string();
    assert!(told.contains("NOT_SATURATED") && told.contains("ran out of time after"), "{told}");
}
