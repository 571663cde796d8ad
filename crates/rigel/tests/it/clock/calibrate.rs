//! A calibration of a real file: within its budget, and kept in the history.

use crate::calibrate::{DEVICE, mean};
use crate::support::{Place, ProgramOutput, tell};
use rigel_core::record::Record;
use std::fs;
use std::path::Path;

fn at_home(place: &Place, home: &Path, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("XDG_STATE_HOME", home))
}

#[test]
fn a_file_within_the_budget_and_the_history_of_it() {
    let place = Place::new();
    let home = place.path().join("state");
    let none = at_home(&place, &home, "calibrate --last").expect_code(3);
    assert!(none.stderr.contains("no calibration is known"), "{}", none.stderr);
    place.random_file("data", 64 << 20);
    // A host that is busy needs more time for all points, and says so (exit code 4).
    let try_with = |seconds: &u64| {
        let line = format!("calibrate data --budget {seconds}s --json --no-html --name of_{seconds}s");
        let told = at_home(&place, &home, &line);
        assert!([0, 4].contains(&told.code), "{told:?}");
        (told.code == 0).then(|| (*seconds, told.json()))
    };
    let (seconds, found) = [20, 60, 180].iter().find_map(try_with).expect("three minutes for seven points");
    assert!(mean(&found, "unbounded_iops") > 0.0 && mean(&found, "latency_at_1_us") > 0.0);
    let record = place.only_of(&format!("of_{seconds}s_"), "_record.jsonl");
    let record = Record::read(&fs::read(record).unwrap()).unwrap();
    let last = record.visits.last().unwrap();
    assert!(last.began_ns - last.settle_ns < seconds * 1_000_000_000, "no visit begins after the budget");
    let last = at_home(&place, &home, "calibrate --last --json").expect_code(0).json();
    assert_eq!(last, found, "what was printed is what is kept");
    let told = at_home(&place, &home, "calibrate data --last").expect_code(0).stdout;
    assert!(told.contains("Calibration of data") && told.contains("max_pmbps"), "{told}");
    let table = at_home(&place, &home, "calibrate --history").expect_code(0).stdout;
    let (rows, another) = table.split_once("\n\n").unwrap();
    assert!(
        rows.lines().count() == 2
            && another.starts_with("How much another session will differ is not known yet"),
        "{table}"
    );
    at_home(&place, &home, "calibrate other --history").expect_code(3);
    // What is not to be kept is not, and a simulated device never.
    at_home(&place, &home, &format!("calibrate --engine {DEVICE} --quiet --no-html")).expect_code(0);
    assert_eq!(at_home(&place, &home, "calibrate --history").expect_code(0).stdout, table);
    fs::write(home.join("rigel/calibrations.sqlite"), "not a database, and long enough to be looked at")
        .unwrap();
    let told = at_home(&place, &home, "calibrate --last").expect_code(3);
    assert!(told.stderr.contains("calibrations.sqlite"), "{}", told.stderr);
}
