//! How long a run takes, as the binary tells it before and while it measures.

use crate::support::Place;
use std::time::Instant;

const DEVICE: &str = "--engine sim:servers=4,service=1ms,rate=0,between=4% --seed 1";

/// The words between `usually ` and what follows the unit.
fn usually(text: &str) -> &str {
    let (_, range) = text.split_once("usually ").unwrap_or_else(|| panic!("no range in {text}"));
    let end = range.find(" min").unwrap_or_else(|| panic!("no minutes in {range}")) + " min".len();
    &range[..end]
}

#[test]
fn the_same_range_is_announced_and_planned() {
    let place = Place::new();
    let told = place.line(&format!("run simple {DEVICE}")).expect_code(0);
    let announced = usually(&told.stderr).to_owned();
    assert!(announced.starts_with("2 to 1"), "two minutes at least, more than ten at most: {announced}");
    let plan = place.line(&format!("run simple {DEVICE} --dry-run")).expect_code(0).stdout;
    assert_eq!(usually(&plan), announced, "{plan}");
    let limited =
        place.line(&format!("run simple {DEVICE} --max-duration 4m --dry-run")).expect_code(0).stdout;
    assert_eq!(usually(&limited), "2 to 4 min", "{limited}");
    assert!(limited.contains("no visit begins after 4 min"), "{limited}");
    let budget = place.line(&format!("calibrate {DEVICE} --budget 20s")).expect_code(0).stderr;
    assert!(budget.contains("to 20 s in total"), "no visit begins after 20 s: {budget}");
}

/// A search counts in the range, and says what it does instead of a rate of nothing.
#[test]
fn a_search_is_told_as_one() {
    let place = Place::new();
    let told = place.line(&format!("run oltp {DEVICE} --levels auto")).expect_code(0).stderr;
    assert!(told.contains("searching for load levels first; usually "), "{told}");
    assert!(told.contains("searching for the load levels of small I/O: 1 outstanding: "), "{told}");
    assert!(!told.contains(" 0 IOPS"), "{told}");
}

/// Where rates are only checked, no search is announced.
#[test]
fn required_rates_are_announced_as_such() {
    let place = Place::new();
    let device: Vec<&str> = DEVICE.split(' ').collect();
    let told = |more: &[&str]| place.rigel([&["slo"][..], &device[..], more].concat()).expect_code(0).stderr;
    let checked = told(&["--require", "p99 < 50ms @ 100", "--require", "mean < 50ms @ 200"]);
    assert!(checked.contains(": 2 required rates, about ") && checked.contains(" in total"), "{checked}");
    assert!(!checked.contains("searching for the rate first"), "{checked}");
    let found = told(&["--p99", "50ms", "--require", "p99 < 50ms @ 100"]);
    assert!(found.contains("searching for the rate first; "), "{found}");
}

#[test]
fn a_pipe_gets_no_more_than_a_line_in_ten_seconds() {
    let place = Place::new();
    for line in ["run normal", "calibrate"] {
        let began = Instant::now();
        let told = place.line(&format!("{line} {DEVICE}")).expect_code(0).stderr;
        let most = 1 + began.elapsed().as_secs() / 10;
        let progress = told.lines().filter(|line| line.contains(" elapsed, ")).count();
        assert!((1..=most).contains(&u64::try_from(progress).unwrap()), "{progress} lines of {most}: {told}");
        let visits = told.matches(", visit ").count();
        assert!(u64::try_from(visits).unwrap() <= most, "{told}");
    }
}
