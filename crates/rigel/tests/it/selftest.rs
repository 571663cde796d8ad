//! `rigel selftest`: the promises of the statistics, tried by the binary itself.

use crate::support::Place;

/// Three trials of each case in virtual time, for every CI run. `cargo xtask stats` has a thousand.
#[test]
fn every_promise_is_kept() {
    let told = Place::new().line("selftest --trials 3 --seed 11").expect_code(0);
    assert!(told.stdout.contains("Passed: 41 of 41 promises kept"), "{}", told.stdout);
    assert!(told.stdout.contains("quiet") && told.stdout.contains("THROTTLED in 100.0 %"), "{}", told.stdout);
    for command in
        ["calibrate", "slo", "run simple", "run open", "run commit", "run zones", "run --load", "run streams"]
    {
        assert!(told.stdout.contains(&format!("rigel {command}")), "{command}: {}", told.stdout);
    }
    assert!(told.stdout.lines().all(|line| line.chars().count() <= 80), "{}", told.stdout);
    assert!(told.stderr.contains("123 of 123 trials"), "{}", told.stderr);
}

#[test]
fn the_same_seed_tells_the_same() {
    let table = |seed: u32| {
        let line = format!("selftest --only streams --trials 1 --markdown --quiet --seed {seed}");
        let told = Place::new().line(&line);
        assert_eq!(told.stderr, "", "no progress when quiet");
        told.stdout
    };
    let first = table(5);
    assert_eq!(first, table(5));
    assert_ne!(first, table(6));
    assert!(
        first.matches("| servers=4,service=1ms").count() == 2,
        "every device can be tried by hand: {first}"
    );
}

#[test]
fn only_the_cases_of_a_name_are_tried() {
    let told = Place::new().line("selftest --thorough --only sooner --trials 1 --quiet");
    assert!(
        told.code == 0 || told.stderr.contains("more than 50 %"),
        "one trial may be unlucky: {}",
        told.stderr
    );
    assert!(told.stdout.contains("4 trials with seed 1"), "{}", told.stdout);
    assert_eq!(told.stdout.matches("% of the time of two runs").count(), 4, "{}", told.stdout);
    let begins = |line: &str| Some(line[..line.find(" % of the time of two runs")?].rfind(' '));
    let begins: std::collections::BTreeSet<_> = told.stdout.lines().filter_map(begins).collect();
    assert_eq!(begins.len(), 1, "a column is one, however long a name is: {}", told.stdout);
}

#[test]
fn no_trials_are_refused() {
    for line in [
        "selftest --only nothing",
        "selftest --trials 0",
        "selftest --trials x",
        "selftest --seed -1",
        "selftest extra",
    ] {
        Place::new().line(line).expect_code(2);
    }
}
