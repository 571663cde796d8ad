//! What a calibration says of commits: known answers, its share of the budget, and where it may write.

use crate::support::{EPOCH, Place, Told, tell};
use rigel_core::load::class::Class;
use rigel_core::record::{Record, Visit};
use serde_json::Value;
use std::fs;

const NS_PER_S: u64 = 1_000_000_000;
/// Four stations of 1 ms, and 200 us more to be durable.
const DEVICE: &str = "sim:servers=4,service=1ms,rate=0,flush=200us,between=1%";

fn calibrate(place: &Place, more: &str) -> Told {
    place.line(&format!("calibrate --quiet --no-html --seed 3 {more}"))
}

fn near(document: &Value, name: &str, truth: f64) {
    let found = document[name]["mean"].as_f64().unwrap_or_else(|| panic!("no {name} in {document}"));
    assert!((found / truth - 1.0).abs() < 0.05, "{name} {found} instead of {truth}: {document}");
}

fn is_commit(visit: &Visit) -> bool {
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
    let place = Place::new();
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
fn the_text_of_the_answers_and_of_a_comparison() {
    let place = Place::new();
    let told = calibrate(&place, &format!("--engine {DEVICE}")).expect_code(0).stdout;
    for part in ["commit_latency", "with_fdatasync", "without_sync", " writers (dsync)", "A commit takes 1."]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
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
    let place = Place::new();
    let line = "--engine sim:servers=1,service=150ms,rate=0,flush=50ms --budget 20s --max-latency 1s --json";
    let found = calibrate(&place, line).expect_code(0).json();
    assert_eq!(found["complete"], true, "{found}");
    assert_eq!(found["commit_latency_us"], Value::Null, "{found}");
    assert!(found["commits_reason"].as_str().unwrap().contains("the time was up"), "{found}");
}

#[test]
fn commits_that_are_not_wanted_or_cannot_be_found_say_why() {
    let place = Place::new();
    for (more, why) in [
        (format!("--engine {DEVICE} --no-commits"), "--no-commits"),
        ("--engine sim:servers=4,service=1ms".to_owned(), "flush=200us"),
        ("--engine null".to_owned(), "the engine cannot wait"),
    ] {
        let line = format!("{more} --budget 20s --json --name run_{}", why.len());
        let told = calibrate(&place, &line);
        let found = told.json();
        assert_eq!((&found["max_commits"], &found["commit_latency_us"]), (&Value::Null, &Value::Null));
        assert!(found["commits_reason"].as_str().unwrap().contains(why), "{why}: {found}");
    }
}

#[test]
fn a_dry_run_says_whether_commits_would_be_written() {
    let place = Place::new();
    place.random_file("data", 64 << 20);
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
    let other = place.random_file("other", 64 << 20);
    let some = told("data other --destroy-data data");
    assert!(!some.contains(writes) && other.exists(), "consent for one target is none for two: {some}");
}

/// A file whose contents may be lost gets one round over the logs before its first commit, and the answers are kept.
#[test]
fn a_file_with_consent_is_written_at_the_end() {
    let place = Place::new();
    let home = place.path().join("state");
    let file = place.random_file("data", 64 << 20);
    let before = fs::read(&file).unwrap();
    let try_with = |seconds: &u64| {
        let line = format!(
            "calibrate data --destroy-data data --budget {seconds}s --json --no-html --name of_{seconds}s"
        );
        let told = tell(place.command().args(line.split_whitespace()).env("XDG_STATE_HOME", &home));
        assert!([0, 4].contains(&told.code), "{told:?}");
        assert!(
            told.stderr.contains("commits are measured as well: durable writes of 8 KiB"),
            "{}",
            told.stderr
        );
        assert!(told.stderr.contains("data will be overwritten, as you consented"), "{}", told.stderr);
        (told.code == 0 && told.json()["commit_latency_us"] != Value::Null).then(|| (*seconds, told.json()))
    };
    let (seconds, found) = [20, 60, 180].iter().find_map(try_with).expect("three minutes for twelve points");
    assert!(fs::read(&file).unwrap() != before, "nothing was written");
    assert!(found["commit_latency_us"]["mean"].as_f64().unwrap() > 0.0, "{found}");
    let record =
        Record::read(&fs::read(place.only_of(&format!("of_{seconds}s_"), "_record.jsonl")).unwrap()).unwrap();
    let warmed: Vec<&Visit> = record.visits.iter().filter(|visit| visit.warm_up.is_some()).collect();
    assert_eq!(warmed.len(), 1, "one round over the logs");
    assert_eq!(record.visits.iter().find(|visit| is_commit(visit)).unwrap().number, warmed[0].number);
    // Where the disk has a write cache, the doctor tells what the history knows.
    let doctor =
        |target: &str| tell(place.command().args(["doctor", target]).env("XDG_STATE_HOME", &home)).stdout;
    let told = doctor("data");
    assert_eq!(told.contains("a write cache: lost"), told.contains("A commit on data took "), "{told}");
    let told = doctor("/");
    assert_eq!(
        told.contains("a write cache: lost"),
        told.contains("What a commit costs with that write cache: rigel run commit"),
        "{told}"
    );
    let line = ["calibrate", "--last", "--json"];
    assert_eq!(tell(place.command().args(line).env("XDG_STATE_HOME", &home)).expect_code(0).json(), found);
}

/// A record of commits advises as well as one of a calibration; a flush that costs nothing asks for a protected cache.
#[test]
fn commits_advise_how_a_log_is_made_durable() {
    let place = Place::new();
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
        assert_eq!(of("commit_delay")["value"], if remark { "500" } else { "1500" });
        let text = of("commit_delay")["remark"].as_str().unwrap_or_default().to_owned();
        assert_eq!(text.contains("make sure that the cache is protected"), remark, "{text}");
    }
}

#[test]
fn an_interrupted_calibration_goes_on_with_its_commits() {
    let place = Place::new();
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
