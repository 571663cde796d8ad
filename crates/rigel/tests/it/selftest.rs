//! `rigel selftest`: the promises of the statistics, tried by the binary itself.

use crate::support::Place;

/// Eight trials of each case in virtual time: the quick set of every CI run. `cargo xtask stats` has a thousand.
#[test]
fn every_promise_is_kept() {
    let told = Place::new().line("selftest --seed 11").expect_code(0);
    assert!(told.stdout.contains("27 of 27 promises kept"), "{}", told.stdout);
    assert!(told.stdout.contains("quiet") && told.stdout.contains("THROTTLED in 100.0 %"), "{}", told.stdout);
    assert!(told.stdout.contains("rigel calibrate"), "{}", told.stdout);
    assert!(told.stdout.lines().all(|line| line.chars().count() <= 80), "{}", told.stdout);
    assert!(told.stderr.contains("216 of 216 trials"), "{}", told.stderr);
}

#[test]
fn the_same_seed_tells_the_same() {
    let table = |seed: u32| {
        let line = format!("selftest --trials 1 --markdown --quiet --seed {seed}");
        let told = Place::new().line(&line);
        assert_eq!(told.stderr, "", "no progress when quiet");
        told.stdout
    };
    let first = table(5);
    assert_eq!(first, table(5));
    assert_ne!(first, table(6));
    assert!(first.contains("`servers=8,service=4ms"), "every device can be tried by hand: {first}");
}

#[test]
fn no_trials_are_refused() {
    for line in ["selftest --trials 0", "selftest --trials x", "selftest --seed -1", "selftest extra"] {
        Place::new().line(line).expect_code(2);
    }
}
