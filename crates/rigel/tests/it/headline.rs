//! The numbers that stand for a run: which point they are from, and what they say of the storage.

use crate::support::Place;

/// The disturbed point has a lower rate and a wide interval, and the same with the latency of the first point.
#[test]
fn a_point_whose_speed_changed_is_no_headline() {
    let place = Place::in_memory();
    let rates =
        "--matrix row --num-large 0 --engine sim:servers=2,fall=0.5:42s:46s --num-disks 1 --duration 10s";
    let told = place.line(&format!("run advanced {rates} --seed 5 --no-html")).expect_code(0).stdout;
    assert!(told.contains("reached 1,984 small I/Os per second (± less than 0.1 %)"), "{told}");
    assert!(told.contains("\n! LEVEL_SHIFT: "), "{told}");
    let record = place.only("_record.jsonl");
    let told = place.rigel(["report", record.to_str().unwrap(), "--explain"]).expect_code(0).stdout;
    assert!(told.contains("LEVEL_SHIFT (small: the rate rose from 992 to 1,984 IOPS"), "{told}");
    assert!(!told.contains("5 outstanding give"), "{told}");
    let latency = "run simple --engine sim:fall=0.2:4s:6s --duration 10s --seed 5 --json --no-html";
    let found = place.line(latency).expect_code(0).json();
    let best = &found["best"]["small"]["latency_us"];
    assert!((best["value"].as_f64().unwrap() - 1007.8).abs() < 1.0, "{best}");
    assert_eq!(best["levels"]["small"], 2, "{best}");
}

/// ORION's levels end where the number of disks says. That the storage may do more is no fault of the numbers.
#[test]
fn a_rate_that_still_rises_is_told_and_is_no_fault() {
    let place = Place::in_memory();
    let found = |servers: u32, more: &str| {
        let device = format!("sim:servers={servers},service=10ms,rate=0,between=2%");
        let line = format!("run oltp --engine {device} --seed 2 --json --no-html {more}");
        place.line(&line).expect_code(0).json()
    };
    let rising = found(64, "");
    assert_eq!(
        (rising["best"]["small"]["still_rising"].as_bool(), &rising["verdict"]["tone"]),
        (Some(true), &"good".into())
    );
    assert_eq!(found(8, "")["best"]["small"]["still_rising"], false);
    assert_eq!(
        found(64, "--levels auto")["best"]["small"]["still_rising"],
        false,
        "the search found the end"
    );
}
