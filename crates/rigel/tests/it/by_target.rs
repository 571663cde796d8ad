//! Figures by target: every run of several targets has them, one of a single target costs nothing for them.

use crate::support::{Place, flat};
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;
use std::path::Path;

const FILE_BYTES: u64 = 8 << 20;
const POINT: &str = "advanced --matrix point --num-small 4 --num-large 0 --duration 1s";

fn run(place: &Place, what: &str, targets: &[&Path]) -> Value {
    let targets: Vec<_> = targets.iter().map(|target| target.display().to_string()).collect();
    let line = format!("run {what} --json --no-html --seed 5 {}", targets.join(" "));
    let told = place.line(&line);
    assert!(told.code <= 1, "{told:?}");
    told.json()
}

/// The lines of all visits.
fn visits(place: &Place) -> Vec<Value> {
    let text = std::fs::read_to_string(place.only("_record.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|line| line["line"] == "visit").collect()
}

fn sum(list: &Value) -> u64 {
    list.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
}

/// Settling and draining included, and random I/O goes to all targets alike.
#[test]
fn every_io_of_a_run_of_several_targets_is_counted_for_one_of_them() {
    let place = Place::new();
    let files: Vec<_> = ["a", "b", "c"].map(|name| place.random_file(name, FILE_BYTES)).into();
    let targets: Vec<&Path> = files.iter().map(std::path::PathBuf::as_path).collect();
    let found = run(&place, POINT, &targets);
    let visits = visits(&place);
    assert!(!visits.is_empty());
    for visit in &visits {
        let counts = &visit["tallies"]["small"]["by_target"];
        for list in ["ops", "errors", "latency_sum_ns", "longest_ns"] {
            assert_eq!(counts[list].as_array().unwrap().len(), 3, "{counts}");
        }
        let returned = sum(&counts["ops"]) + sum(&counts["errors"]);
        assert_eq!(Some(returned), visit["ios"]["returned"].as_u64(), "{counts}");
    }
    let [small] = found["by_target"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!((&small["class"], &small["levels"]["small"]), (&"small".into(), &4.into()));
    let rows = small["targets"].as_array().unwrap();
    let ios: u32 = rows.iter().map(|row| u32::try_from(row["ios"].as_u64().unwrap()).unwrap()).sum();
    for row in rows {
        let off = (row["of_mean"].as_f64().unwrap() - 1.0).abs();
        assert!(off < 6.0 * (2.0 / f64::from(ios)).sqrt(), "drawn alike: {row} of {ios}");
    }
    let paths: Vec<&str> = rows.iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(paths, targets.iter().map(|target| target.to_str().unwrap()).collect::<Vec<_>>());
    let record = place.only("_record.jsonl");
    let told = place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout;
    assert!(told.contains("by target\n"), "{told}");
}

#[test]
fn one_target_has_no_counts_of_its_own() {
    let place = Place::new();
    let file = place.random_file("a", FILE_BYTES);
    let found = run(&place, POINT, &[&file]);
    assert_eq!(found["by_target"], Value::Array(Vec::new()));
    let visits = visits(&place);
    assert!(visits.iter().all(|visit| visit["tallies"]["small"].get("by_target").is_none()));
}

/// Six devices, of which the third takes five times as long: much more than what waiting for a CPU can add to one of them.
#[test]
fn a_slow_target_among_many_is_named_in_a_plain_run() {
    let name = "a_slow_target_among_many_is_named_in_a_plain_run";
    let spec = |service_us: u64| DeviceSpec { size_bytes: FILE_BYTES, service_us, ..DeviceSpec::default() };
    let each = [5000, 5000, 25_000, 5000, 5000, 5000].into_iter();
    let devices: Option<Vec<TestDevice>> =
        each.map(|service_us| needs(name, TestDevice::mount(spec(service_us)))).collect();
    let Some(devices) = devices else { return };
    let place = Place::new();
    let disks: Vec<_> = devices.iter().map(TestDevice::disk).collect();
    let targets: Vec<&Path> = disks.iter().map(|disk| disk.as_ref()).collect();
    let what = "advanced --matrix point --num-small 6 --num-large 0 --duration 4s";
    let found = run(&place, what, &targets);
    let flags = found["flags"].as_array().unwrap();
    let flag = flags.iter().find(|flag| flag["code"] == "OUTLIER_TARGET");
    let text = flag.unwrap_or_else(|| panic!("{flags:?}"))["text"].as_str().unwrap();
    // On a busy host another one may be slow as well.
    assert!(text.contains(targets[2].to_str().unwrap()), "{text}");
    let small = &found["by_target"][0];
    assert!(small["targets"][2]["of_median"].as_f64().unwrap() > 1.5, "{small}");
    assert!(small["slowest_of_median"].as_f64().unwrap() > 1.5, "{small}");
}

/// Of two devices one takes five times as long: with so few no flag says which is unusual, but which is slower is known.
#[test]
fn the_slower_of_two_targets_is_named_with_its_ratio() {
    let name = "the_slower_of_two_targets_is_named_with_its_ratio";
    let spec = |service_us: u64| DeviceSpec { size_bytes: FILE_BYTES, service_us, ..DeviceSpec::default() };
    let devices: Option<Vec<TestDevice>> = [25_000, 5000]
        .into_iter()
        .map(|service_us| needs(name, TestDevice::mount(spec(service_us))))
        .collect();
    let Some(devices) = devices else { return };
    let place = Place::new();
    let disks: Vec<_> = devices.iter().map(TestDevice::disk).collect();
    let targets: Vec<&Path> = disks.iter().map(|disk| disk.as_ref()).collect();
    let found = run(&place, "advanced --matrix point --num-small 2 --num-large 0 --for 24s", &targets);
    assert!(!found["flags"].to_string().contains("OUTLIER_TARGET"), "{}", found["flags"]);
    let slower = &found["by_target"][0]["slower"];
    let slow = targets[0].to_str().unwrap();
    assert_eq!(slower["path"].as_str(), Some(slow), "{found}");
    let [lo, hi] = ["lo95", "hi95"].map(|end| slower["ratio"][end].as_f64().unwrap());
    assert!(lo > 1.1 && lo < hi, "{slower}");
    let record = place.only("_record.jsonl");
    let told = place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout;
    assert!(flat(&told).contains(&format!("{slow} is slower than the others: an I/O takes ")), "{told}");
}
