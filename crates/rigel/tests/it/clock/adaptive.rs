//! Adaptive runs of the binary on a real file: limited, stopped and killed in the middle.

use crate::stop::{signal, start_until_record};
use crate::support::{Place, flags};
use rigel_core::record::{Purpose, Record, Visit};
use rigel_core::units::NS_PER_S;
use serde_json::Value;
use std::path::Path;

const LIMIT_S: u64 = 30;

fn record(path: &Path) -> Record {
    Record::read(&std::fs::read(path).unwrap()).unwrap()
}

fn loaded_from_ns(visit: &Visit) -> u64 {
    visit.began_ns - visit.settle_ns
}

/// The only class of a point of `simple`.
fn io_of(point: &Value) -> &Value {
    if point["levels"]["small"] == 0 { &point["classes"]["large"] } else { &point["classes"]["small"] }
}

#[test]
fn a_limit_ends_the_rounds_and_every_width_is_told() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let line = format!("run simple data --precision 0.5% --fast --max-duration {LIMIT_S}s --json");
    let document = place.line(&line).expect_code(0).json();
    let record = record(&place.only("_record.jsonl"));
    assert!(record.visits.iter().all(|visit| loaded_from_ns(visit) < LIMIT_S * NS_PER_S));
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 7, "each was visited");
    for point in points {
        let io = io_of(point);
        let reached = io["reached"].as_bool().unwrap();
        let flagged = flags(point).contains(&"NOT_REACHED");
        assert_eq!(flagged, !reached, "{point}");
        let visits = point["visits"].as_array().unwrap().len();
        assert!((1..=12).contains(&visits), "{visits}");
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
        place.read("_summary.txt").contains("was asked for and reached at 0"),
        "{}",
        place.read("_summary.txt")
    );
}

/// Starts a run and waits until some point is visited for the second time.
fn in_the_second_round(
    place: &Place,
) -> (std::process::Child, std::io::BufReader<std::process::ChildStderr>) {
    place.random_file("data", 16 << 20);
    let line = "run simple data --fast --max-duration 40s --precision 0.5%";
    start_until_record(place, line, |record| {
        record.visits.iter().any(|visit| visit.purpose == Purpose::Round(1))
    })
}

/// What is on disk in the middle of an adaptive run: whole visits, of which a report is made.
fn expect_a_report_of_what_was_measured(place: &Place) -> Value {
    let path = place.only("_record.jsonl");
    let record = record(&path);
    let rounds = record.visits.iter().filter(|visit| matches!(visit.purpose, Purpose::Round(_))).count();
    assert!((8..7 * 12).contains(&rounds), "{rounds}");
    let document = place.rigel(["report", path.to_str().unwrap(), "--format", "json"]).expect_code(0).json();
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 7, "the first round is whole");
    for point in points {
        assert!(flags(point).contains(&"NOT_REACHED"), "{point}");
    }
    document
}

#[test]
fn a_stopped_one_tells_what_it_has() {
    let place = Place::new();
    let (mut child, _stderr) = in_the_second_round(&place);
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let document = expect_a_report_of_what_was_measured(&place);
    assert_eq!(document["run"]["complete"], false);
    assert!(place.read("_summary.txt").contains("cut short"));
    assert!(place.read("_ci.csv").lines().count() > 7, "the outputs were written");
}

#[test]
fn a_killed_one_has_its_visits_on_disk() {
    let place = Place::new();
    let (mut child, _stderr) = in_the_second_round(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    let document = expect_a_report_of_what_was_measured(&place);
    assert_eq!(document["run"]["complete"], false);
    assert!(record(&place.only("_record.jsonl")).closing.is_none());
}

/// The FUSE device answers slowly, and the search does not take the time that its points need.
#[test]
fn a_search_keeps_to_its_share_of_the_limit_and_says_what_is_missing() {
    let spec = rigel_testdev::DeviceSpec { servers: 64, service_us: 20_000, ..Default::default() };
    let mounted = rigel_testdev::TestDevice::mount(spec);
    let name = "a_search_keeps_to_its_share_of_the_limit_and_says_what_is_missing";
    let Some(device) = rigel_testdev::needs(name, mounted) else { return };
    let place = Place::new();
    let path = device.disk().display().to_string();
    let refused = place.line(&format!("run oltp {path} --levels auto --fast --max-duration 5s"));
    assert!(
        refused.expect_code(2).stderr.contains("do not suffice for the search"),
        "before anything is measured"
    );
    let line = format!("run oltp {path} --levels auto --fast --max-duration {LIMIT_S}s");
    let plan = place.line(&format!("{line} --dry-run")).expect_code(0);
    assert!(plan.stdout.contains("ends after 12 s at the latest"), "{}", plan.stdout);
    place.line(&line).expect_code(0);
    let record = record(&place.only("_record.jsonl"));
    let searched_ns = record.search.iter().map(loaded_from_ns).max().unwrap();
    assert!(searched_ns < LIMIT_S * NS_PER_S / 5 * 2, "no visit of the search begins after its share");
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
    assert!(told.contains("NOT_SATURATED") && told.contains("had no time for more than"), "{told}");
    assert!(place.read("_summary.txt").contains("NOT_SATURATED"));
}
