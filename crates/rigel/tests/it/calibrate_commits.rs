//! What a calibration says of commits: known answers, its share of the budget, and where it may write.

use crate::support::{EPOCH, Place, ProgramOutput, flat, tell};
use rigel_core::load::class::Class;
use rigel_core::load::commits::NoCommits;
use rigel_core::load::request::{EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::record::{Record, Visit};
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;
use serde_json::Value;
use std::fs;

const NS_PER_S: u64 = 1_000_000_000;
/// Four stations of 1 ms, and 200 us more to be durable.
const DEVICE: &str = "sim:servers=4,service=1ms,rate=0,flush=200us,between=1%";

fn calibrate(place: &Place, more: &str) -> ProgramOutput {
    place.line(&format!("calibrate --quiet --no-html --seed 3 {more}"))
}

fn near(document: &Value, name: &str, truth: f64) {
    let found = document[name]["value"].as_f64().unwrap_or_else(|| panic!("no {name} in {document}"));
    assert!((found / truth - 1.0).abs() < 0.05, "{name} {found} instead of {truth}: {document}");
}

pub fn is_commit(visit: &Visit) -> bool {
    [Class::DSYNC, Class::FDATASYNC, Class::UNSYNCED].iter().any(|class| visit.point.of(*class) > 0)
}

fn began_ns(visit: &Visit) -> u64 {
    visit.began_ns - visit.settle_ns
}

fn record(place: &Place) -> Record {
    Record::read(&fs::read(place.only("_record.jsonl")).unwrap()).unwrap()
}

#[test]
fn commits_of_a_known_device_within_the_budget() {
    let place = Place::in_memory();
    let found = calibrate(&place, &format!("--engine {DEVICE} --json")).expect_code(0).json();
    near(&found, "commit_latency_us", 1200.0);
    near(&found, "commit_fdatasync_us", 1200.0);
    near(&found, "commit_unsynced_us", 1000.0);
    near(&found, "max_commits", 4.0 / 0.0012);
    near(&found, "max_iops", 4000.0);
    assert!(found["commit_writers"].as_u64().unwrap() >= 4, "{found}");
    assert_eq!((&found["commits_reason"], &found["write_percent"]), (&Value::Null, &Value::from(0)));
    let record = record(&place);
    let searched = record.search.iter().map(began_ns).max().unwrap();
    assert!(searched < 31 * NS_PER_S, "the search has three fifths of what the commits leave: {searched}");
    let first = record.visits.iter().position(is_commit).unwrap();
    assert!(record.visits[first..].iter().all(is_commit), "commits come last");
    assert!(record.visits[..first].iter().all(|visit| began_ns(visit) < 50 * NS_PER_S));
    assert!(record.visits.iter().all(|visit| began_ns(visit) < 60 * NS_PER_S), "no visit after the budget");
}

#[test]
fn calibrations_are_compared_by_their_commits_as_well() {
    let place = Place::in_memory();
    calibrate(&place, &format!("--engine {DEVICE}")).expect_code(0);
    let record = place.only("_record.jsonl");
    let record = record.to_str().unwrap();
    let told = place.rigel(["compare", record, record]).expect_code(0).stdout;
    assert!(told.contains("commit_latency") && told.contains("max_commits"), "{told}");
    let gate = ["compare", record, record, "--fail-if", "commit_latency > +20%"];
    assert!(place.rigel(gate).expect_code(0).stdout.contains("passed"));
}

/// A slow device needs its time for the other points: then commits have no figure, and the calibration is whole all the same.
#[test]
fn commits_that_had_no_time_are_no_failure() {
    let place = Place::in_memory();
    let line = "--engine sim:servers=1,service=150ms,rate=0,flush=50ms --budget 20s --max-latency 1s --json";
    let found = calibrate(&place, line).expect_code(0).json();
    assert_eq!(found["complete"], true, "{found}");
    assert_eq!(found["commit_latency_us"], Value::Null, "{found}");
    assert!(found["commits_reason"].as_str().unwrap().contains("time ran out"), "{found}");
}

#[test]
fn commits_that_are_not_wanted_or_cannot_be_found_say_why() {
    let place = Place::in_memory();
    for (name, more, why) in [
        ("flushless", "--engine sim:servers=4,service=1ms".to_owned(), "flush=200us"),
        ("unwanted", format!("--engine {DEVICE} --no-commits"), "--no-commits"),
    ] {
        let told = calibrate(&place, &format!("{more} --budget 20s --json --name {name}")).expect_code(0);
        let found = told.json();
        assert_eq!((&found["max_commits"], &found["commit_latency_us"]), (&Value::Null, &Value::Null));
        assert!(found["commits_reason"].as_str().unwrap().contains(why), "{why}: {found}");
    }
    // No virtual time goes with the others: who asks gets the reason, and a record with it tells it.
    let request = |engine: &str| {
        let bound = LatencyBound { limit: Nanos::from_millis(10), of: LatencyOf::Mean };
        let engine = EngineRequest::Only(engine.parse().unwrap());
        let request = Request { engine, ..Request::calibration(bound, Nanos::from_secs(20)) };
        let Task::Calibrate { no_commits, .. } = request.with_commits(true).task else {
            panic!("{engine:?}")
        };
        no_commits
    };
    assert_eq!(request("null"), Some(NoCommits::Engine));
    assert_eq!(request("threads"), None);
    let record = place.only_of("unwanted", "_record.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    for (reason, why) in
        [("engine", "this engine cannot wait"), ("kernel", "this kernel is too old (Linux 4.18 can)")]
    {
        fs::write(&record, text.replacen("\"left_out\"", &format!("\"{reason}\""), 1)).unwrap();
        let told = place.rigel(["report".as_ref(), record.as_os_str()]).expect_code(0).stdout;
        assert!(flat(&told).contains(&format!("not measured, because {why}")), "{told}");
    }
}

#[test]
fn a_dry_run_says_whether_commits_would_be_written() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let writes = "commits: durable writes of 8 KiB";
    let told = |more: &str| {
        let told = place.line(&format!("calibrate --dry-run {more}")).expect_code(0);
        told.stdout.replace("\n            ", " ")
    };
    let scratch = told("--scratch-size 64M");
    assert!(scratch.contains(writes) && scratch.contains("dsync: 8 KiB"), "{scratch}");
    assert!(!told("--scratch-size 64M --no-commits").contains("ommits"));
    let without = told("data");
    assert!(
        without.contains("nothing would be written to the targets") && !without.contains(writes),
        "{without}"
    );
    let with = told("data --destroy-data data");
    assert!(
        with.contains(writes) && with.contains("would be overwritten, as --destroy-data allows"),
        "{with}"
    );
    let other = place.random_file("other", 16 << 20);
    let some = told("data other --destroy-data data");
    assert!(!some.contains(writes) && other.exists(), "consent for one target is none for two: {some}");
}

/// A record of commits advises as well as one of a calibration; a flush that costs nothing asks for a protected cache.
#[test]
fn commits_advise_how_a_log_is_made_durable() {
    let place = Place::in_memory();
    for (name, law, remark) in [("costs", "flush=2ms", false), ("free", "flush=1us", true)] {
        let line = format!(
            "run commit --engine sim:servers=4,service=1ms,rate=0,{law} --writers 1,2 --seed 1 --no-html --quiet --name {name}"
        );
        place.line(&line).expect_code(0);
        let record = place.only_of(name, "_record.jsonl");
        let told = place.rigel(["advise", record.to_str().unwrap(), "--json"]).expect_code(0).json();
        let of = |setting: &str| {
            let found = told["advice"].as_array().unwrap().iter().find(|one| one["setting"] == setting);
            found.unwrap_or_else(|| panic!("no {setting} in {told}")).clone()
        };
        assert_eq!(of("wal_sync_method")["value"], "fdatasync");
        // Half of what a commit takes: of 1.001 ms it is 500.5.
        let delay_us: u32 = of("commit_delay")["value"].as_str().unwrap().parse().unwrap();
        assert!(if remark { (500..=501).contains(&delay_us) } else { delay_us == 1500 }, "{delay_us}");
        let text = of("commit_delay")["remark"].as_str().unwrap_or_default().to_owned();
        assert_eq!(text.contains("make sure that the cache is protected"), remark, "{text}");
    }
}

#[test]
fn an_interrupted_calibration_goes_on_with_its_commits() {
    let place = Place::in_memory();
    let line = format!("calibrate --quiet --no-html --seed 3 --budget 20s --engine {DEVICE}");
    let run = |arguments: &[&str]| {
        tell(place.command().args(arguments).env("SOURCE_DATE_EPOCH", EPOCH)).expect_code(0);
    };
    run(&line.split_whitespace().collect::<Vec<_>>());
    let path = place.only("_record.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    let first =
        whole.lines().position(|line| line.contains("\"fdatasync\":1}") && line.contains("tallies")).unwrap();
    let kept: String = whole.lines().take(first).map(|line| format!("{line}\n")).collect();
    fs::write(&path, kept).unwrap();
    run(&["run", "--quiet", "--no-html", "--resume", path.to_str().unwrap()]);
    let tallies = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.contains("\"tallies\"")).map(str::to_owned).collect()
    };
    assert_eq!(tallies(&fs::read_to_string(&path).unwrap()), tallies(&whole));
}
