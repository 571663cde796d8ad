//! A calibration that may write, with real time: it has a budget of seconds for all of its points, of which commits are the last.

use crate::calibrate_commits::is_commit;
use crate::support::{Place, tell};
use rigel_core::record::{Record, Visit};
use serde_json::Value;
use std::fs;

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
            told.stderr.contains("commits are also measured: durable writes of 8 KiB"),
            "{}",
            told.stderr
        );
        assert!(told.stderr.contains("data will be overwritten, as you allowed"), "{}", told.stderr);
        (told.code == 0 && told.json()["commit_latency_us"] != Value::Null).then(|| (*seconds, told.json()))
    };
    let (seconds, found) = [20, 60, 180].iter().find_map(try_with).expect("three minutes for twelve points");
    assert!(fs::read(&file).unwrap() != before, "nothing was written");
    assert!(found["commit_latency_us"]["value"].as_f64().unwrap() > 0.0, "{found}");
    let record =
        Record::read(&fs::read(place.only_of(&format!("of_{seconds}s_"), "_record.jsonl")).unwrap()).unwrap();
    let warmed: Vec<&Visit> = record.visits.iter().filter(|visit| visit.warm_up.is_some()).collect();
    assert_eq!(warmed.len(), 1, "one round over the logs");
    assert_eq!(record.visits.iter().find(|visit| is_commit(visit)).unwrap().number, warmed[0].number);
    // Where the disk has a write cache, the doctor tells what the history knows.
    let doctor =
        |target: &str| tell(place.command().args(["doctor", target]).env("XDG_STATE_HOME", &home)).stdout;
    let told = doctor("data");
    assert_eq!(told.contains("volatile write cache: "), told.contains("A commit on data took "), "{told}");
    let told = doctor("/");
    assert_eq!(
        told.contains("volatile write cache: "),
        told.contains("To measure what a commit costs with the write cache"),
        "{told}"
    );
    let line = ["calibrate", "--last", "--json"];
    assert_eq!(tell(place.command().args(line).env("XDG_STATE_HOME", &home)).expect_code(0).json(), found);
}
