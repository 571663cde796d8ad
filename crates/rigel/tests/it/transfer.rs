//! `rigel report --size`: the time of a full scan, a backup and a restore, of simulated storage whose rates are known.

use crate::support::{Place, ProgramOutput, flat};
use serde_json::Value;

/// Each of the four servers moves 1 MiB in 2 ms: 2,000 MBPS.
const DEVICE: &str = "--engine sim:servers=4,service=1ms,rate=1000M --seed 3 --no-html";
const MIB_OF_10T: f64 = 10_485_760.0;

fn measured(place: &Place, name: &str, what: &str) -> String {
    place.line(&format!("run {what} {DEVICE} --name {name}")).expect_code(0);
    let files = place.files().into_iter();
    files.into_iter().find(|file| file.starts_with(name) && file.ends_with("_record.jsonl")).unwrap()
}

fn times(place: &Place, record: &str) -> Value {
    place.line(&format!("report {record} --size 10T --format json")).expect_code(0).json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// Size over rate, with the ends of the interval swapped.
fn assert_follows(one: &Value) {
    for (of_time, of_rate) in [("value", "value"), ("lo95", "hi95"), ("hi95", "lo95")] {
        let size = number(&one["seconds"][of_time]) * number(&one["mbps"][of_rate]);
        assert!((size / MIB_OF_10T - 1.0).abs() < 1e-9, "{one}");
    }
}

#[test]
fn reads_and_writes_of_known_rates_have_known_times() {
    let place = Place::in_memory();
    for (name, what, way, other, told) in [
        ("reads", "dss", "read", "write", "A full scan or a backup of 10 TiB takes 1 h 27 min"),
        ("writes", "dss --write 100", "write", "read", "A restore of 10 TiB takes 1 h 27 min"),
    ] {
        let record = measured(&place, name, what);
        let found = times(&place, &record);
        let [one] = found["alone"].as_array().unwrap().as_slice() else { panic!("{found}") };
        assert!((number(&one["seconds"]["value"]) / 5242.88 - 1.0).abs() < 0.001, "{one}");
        assert_follows(one);
        assert_eq!((&one["way"], &found["beside"]), (&way.into(), &Value::Array(Vec::new())), "{found}");
        let [missing] = found["missing"].as_array().unwrap().as_slice() else { panic!("{found}") };
        assert_eq!(missing["way"], other, "{found}");
        let text = place.line(&format!("report {record} --size 10T")).expect_code(0).stdout;
        assert!(text.starts_with(told), "{text}");
        // The command that is offered measures what was missing.
        let command = missing["command"].as_str().unwrap().strip_prefix("rigel ").unwrap();
        let again = format!("again_{name}");
        place.line(&format!("{command} --name {again} --no-html --seed 3")).expect_code(0);
        let record = place
            .files()
            .into_iter()
            .find(|file| file.starts_with(&again) && file.ends_with("_record.jsonl"));
        let found = times(&place, &record.unwrap());
        assert_eq!(found["alone"][0]["way"], other, "{found}");
        assert!((number(&found["alone"][0]["seconds"]["value"]) / 5242.88 - 1.0).abs() < 0.001, "{found}");
    }
}

/// Of two sides each has its own time, and a part of a target is no whole disk.
#[test]
fn the_time_says_on_which_side_and_on_which_part_it_was_measured() {
    let place = Place::in_memory();
    place
        .line(&format!(
            "versus simple {DEVICE} --and-engine sim:servers=8,service=1ms,rate=1000M --fast --name both --quiet"
        ))
        .expect_code(0);
    let record = place.only_of("both_", "_record.jsonl");
    let told = place.line(&format!("report {} --size 10T", record.display())).expect_code(0).stdout;
    let text = flat(&told);
    let (a, b) = (text.find(" on A"), text.find(" on B."));
    assert!(text.starts_with("A full scan or a backup of 10 TiB takes ") && a < b && a.is_some(), "{told}");
    assert!(told.contains("Full scan, backup, A") && told.contains("Full scan, backup, B"), "{told}");
    let record = measured(&place, "part", "dss --span 0-33%");
    let told = place.line(&format!("report {record} --size 10T")).expect_code(0).stdout;
    assert!(flat(&told).contains("Measured on 0-33% of the targets only"), "{told}");
}

/// Beside small I/O the rate is that of the points with both, and what ran beside is named.
#[test]
fn beside_small_io_the_time_is_that_of_points_with_both() {
    let place = Place::in_memory();
    let record = measured(&place, "both", "normal --num-disks 1");
    let found = times(&place, &record);
    let beside = found["beside"].as_array().unwrap();
    let small: Vec<u64> = beside.iter().map(|one| one["levels"]["small"].as_u64().unwrap()).collect();
    assert_eq!(small, [1, 2, 3, 4, 5], "{found}");
    beside.iter().for_each(assert_follows);
    let findings = place.line(&format!("report {record} --format json")).expect_code(0).json();
    for one in beside {
        let is_there = |point: &&Value| point["levels"] == one["levels"];
        let point = findings["points"].as_array().unwrap().iter().find(is_there).unwrap();
        assert_eq!(
            point["classes"]["small"]["iops"]["value"], one["beside"]["small"]["rate"]["value"],
            "{point}"
        );
        assert_eq!(one["beside"]["small"]["unit"], "IOPS");
    }
    let text = place.line(&format!("report {record} --size 10T --format markdown")).expect_code(0).stdout;
    assert!(text.contains("| Full scan, backup | 992 small IOPS"), "{text}");
}

#[test]
fn what_has_no_time_says_why_and_what_to_do() {
    let place = Place::in_memory();
    let small = measured(&place, "small", "oltp");
    let mixed = measured(&place, "mixed", "dss --write 20");
    let said = |line: &str| {
        let ProgramOutput { stderr, .. } = place.line(line).expect_code(2);
        flat(&stderr)
    };
    for record in [&small, &mixed] {
        let stderr = said(&format!("report {record} --size 10T"));
        assert!(stderr.contains("only reads or only writes"), "{stderr}");
        assert!(stderr.contains("rigel run dss --engine sim:servers=4,service=1ms,rate=1000M"), "{stderr}");
    }
    for (value, part) in [
        ("0", "is not an amount of data"),
        ("10", "write 10G or 10T"),
        ("99999999999T", "is too large"),
        ("ten", "is not a number"),
        ("10T --format csv", "--size has no csv output"),
        ("10T --html", "--html"),
        ("10T other_record.jsonl", "--size takes one record"),
    ] {
        let stderr = said(&format!("report {small} --size {value}"));
        assert!(stderr.contains(part), "{value}: {stderr}");
    }
}
