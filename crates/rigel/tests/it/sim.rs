//! Whole runs on the simulated device: exact answers, the same bytes for the same seed.

use crate::support::{EPOCH, Place, flags, point};

const LAW: &str = "sim:servers=4,service=1ms,rate=0";

fn simple(place: &Place, more: &str) -> serde_json::Value {
    place
        .line(&format!("run simple --engine {LAW} --duration 2s --seed 5 --json {more}"))
        .expect_code(0)
        .json()
}

#[test]
fn every_point_finds_the_law() {
    let place = Place::in_memory();
    let document = simple(&place, "");
    assert_eq!(document["schema"], "rigel.findings/1");
    assert_eq!(document["run"]["complete"], true);
    assert_eq!(document["run"]["engine"], "sim");
    assert_eq!(document["points"].as_array().unwrap().len(), 7);
    for small in 1..=5u64 {
        let found = point(&document, small, 0);
        let io = &found["classes"]["small"];
        let rate = 1000.0 * f64::from(u32::try_from(small.min(4)).unwrap());
        let iops = io["iops"]["value"].as_f64().unwrap();
        assert!((iops / rate - 1.0).abs() < 0.005, "{small}: {iops}");
        assert_eq!(io["outstanding"]["planned"], small);
        assert_eq!(io["outstanding"]["mean"].as_f64().unwrap(), f64::from(u32::try_from(small).unwrap()));
        assert_eq!(io["writes"], 0);
        // Five on four stations of constant service: one of five I/Os waits, and a queue is not two kinds of I/O.
        assert_eq!(flags(found), ["SIMULATED"]);
        assert!(found["classes"]["large"].is_null());
    }
    // Four and five have the same rate: the knee is ORION's answer, the larger level ours.
    assert_eq!(document["best"]["small"]["rate"]["levels"]["small"], 5);
    assert!(place.read("_summary.txt").contains("Maximum Small IOPS=4000 @ Small=4 and Large=0"));
}

#[test]
fn the_same_seed_leaves_the_same_bytes() {
    let (first, second) = (Place::in_memory(), Place::in_memory());
    for place in [&first, &second] {
        let line = format!("run normal --engine {LAW} --duration 1s --seed 5 --name same");
        let told = crate::support::tell(
            place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH),
        );
        told.expect_code(0);
    }
    assert_eq!(first.files(), second.files());
    assert!(first.files().contains(&"same_20260101_1200_record.jsonl".to_owned()));
    for name in first.files() {
        let read = |place: &Place| std::fs::read(place.path().join(&name)).unwrap();
        // The host's facts are in the record; both runs saw the same host but for its free resources.
        if !name.ends_with("record.jsonl") {
            assert_eq!(read(&first), read(&second), "{name}");
        }
    }
}

#[test]
fn writes_streams_and_both_classes() {
    let place = Place::in_memory();
    let line = format!(
        "run advanced --engine {LAW} --duration 1s --json --type seq --stream-ios 3 --cache-size 16M --write 50 \
         --matrix point --num-small 4 --num-large 2"
    );
    let document = place.line(&line).expect_code(0).json();
    let found = point(&document, 4, 2);
    assert_eq!(found["classes"]["large"]["outstanding"]["planned"], 6);
    assert!(found["classes"]["large"]["writes"].as_u64().unwrap() > 0, "one of two streams writes");
    assert!(found["classes"]["small"]["writes"].as_u64().unwrap() > 0);
    assert!(found["classes"]["small"]["reads"].as_u64().unwrap() > 0);
}

/// It knows no virtual time: what its rate is worth, the host says.
#[test]
fn the_null_engine_measures_the_tool() {
    let place = Place::in_memory();
    let line =
        "run advanced --engine null --duration 200ms --json --matrix point --num-small 32 --num-large 0";
    let document = place.line(line).expect_measured().json();
    let found = point(&document, 32, 0);
    assert!(found["classes"]["small"]["reads"].as_u64().unwrap() > 1000);
    assert!(flags(found).contains(&"SIMULATED"));
}

#[test]
fn a_disturbed_device_is_told_measured_and_seen() {
    let place = Place::in_memory();
    let run = "run advanced --duration 2s --seed 5 --matrix point --num-small 4 --num-large 0";
    let dry = place.line(&format!("{run} --engine {LAW},between=2% --dry-run")).expect_code(0);
    assert!(dry.stdout.contains("1 ms of service each, with disturbances,"), "{}", dry.stdout);
    let measure = |more: &str| place.line(&format!("{run} --engine {LAW},{more} --json --force"));
    let document = measure("cap=8M:8K").expect_code(0).json();
    let found = point(&document, 4, 0);
    let iops = found["classes"]["small"]["iops"]["value"].as_f64().unwrap();
    assert!((iops / 1024.0 - 1.0).abs() < 0.01, "{iops}");
    assert_eq!(flags(found), ["SIMULATED"]);
    let document = measure("lost=1000").expect_code(0).json();
    assert_eq!(flags(point(&document, 4, 0)), ["SIMULATED", "STALLED"], "{document}");
}
