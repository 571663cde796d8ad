//! What changes while a visit goes on, or between two points of a fixed run, is told with its time, on simulated devices. How often:
//! `rigel_run::trial::tests::visit_course`. A limit of a real control group: `clock::visit_course`.

use crate::support::{Place, flags, point};
use serde_json::Value;

/// The texts of the flags of that code.
pub fn texts<'a>(of: &'a Value, code: &str) -> Vec<&'a str> {
    let own = of["flags"].as_array().unwrap().iter().filter(|flag| flag["code"] == code);
    own.map(|flag| flag["text"].as_str().unwrap()).collect()
}

#[test]
fn a_fall_within_a_visit_is_told() {
    let place = Place::new();
    let law = "sim:servers=3,service=1ms,rate=0,fall=0.3333:12s:25s";
    let line = format!(
        "run advanced --engine {law} --matrix point --num-small 8 --num-large 0 --duration 45s --json"
    );
    let document = place.line(&line).expect_code(0).json();
    let found = texts(point(&document, 8, 0), "LEVEL_SHIFT");
    // A piece of a quarter of a second has 249 or 250 I/Os.
    let [text] = found[..] else { panic!("{document}") };
    assert!(
        text.starts_with("small: the rate fell from 3,000 to ") && text.contains(" IOPS at 12.0 s "),
        "{text}"
    );
    assert!(text.ends_with(" and came back at 25.0 s of the visit"), "{text}");
}

/// The last of five levels is visited when the device has a third of its speed.
#[test]
fn a_device_that_changes_between_two_points_of_a_fixed_run_is_told() {
    let place = Place::new();
    let run = |law: &str, name: &str| {
        let line = format!(
            "run advanced --engine sim:servers=4,service=1ms,rate=0{law} --matrix row --num-large 0 --num-disks 1 \
             --duration 4s --json --name {name}"
        );
        place.line(&line).expect_code(0).json()
    };
    let steady = run("", "steady");
    assert_eq!(texts(&steady, "LEVEL_SHIFT"), [""; 0]);
    let slower = run(",fall=0.3333:17700ms", "slower");
    let [text] = texts(&slower, "LEVEL_SHIFT")[..] else { panic!("{slower}") };
    assert!(
        text.starts_with("small: 1,334 IOPS at Small=5 and Large=0 is 0.334 of 4,000 IOPS at Small=4"),
        "{text}"
    );
    assert!(
        text.contains("s earlier; the storage changed in between, or more load makes it slower"),
        "{text}"
    );
    assert_eq!(flags(point(&slower, 5, 0)), ["SIMULATED"], "no visit was under both");
}
