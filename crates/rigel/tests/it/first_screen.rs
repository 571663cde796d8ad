//! What somebody sees who types `rigel` for the first time.

use super::support::{Place, flat, tell};
use std::process::Command;

#[test]
fn the_program_alone_shows_all_commands_on_one_screen() {
    let place = Place::new();
    let alone = place.line("").expect_code(0);
    assert_eq!(alone.stderr, "");
    assert!(alone.stdout.lines().count() <= 23, "{}", alone.stdout);
    assert!(alone.stdout.lines().all(|line| line.chars().count() <= 80), "{}", alone.stdout);
    for group in ["measure ", "choose ", "trust ", "plan ", "database ", "more "] {
        assert!(alone.stdout.lines().any(|line| line.starts_with(group)), "{group}: {}", alone.stdout);
    }
    for same in ["help", "--help", "-h"] {
        assert_eq!(place.line(same).expect_code(0).stdout, alone.stdout, "{same}");
    }
}

#[test]
fn help_and_version_are_given_however_they_are_asked_for() {
    let place = Place::new();
    let told = |line: &str| place.line(line).expect_code(0).stdout;
    for (one, other) in [
        ("version", "--version"),
        ("-v", "-V"),
        ("calibrate help", "help calibrate"),
        ("run --help", "help run"),
        ("capacity forecast help", "help capacity forecast"),
        ("capacity", "capacity -h"),
        ("durability", "durability -h"),
        ("orion help", "help orion"),
    ] {
        assert_eq!(told(one), told(other), "{one}");
    }
    let long = told("--version");
    assert_eq!(long.lines().next(), Some(told("-V").trim()));
    assert!(long.contains(&format!("\narchitecture: {}\n", std::env::consts::ARCH)), "{long}");
    assert!(long.lines().last().is_some_and(|line| line.starts_with("engines: io_uring, ")), "{long}");
    let run = told("run --help");
    assert!(run.find("Examples:") < run.find("Arguments:") && run.len() > told("run -h").len(), "{run}");
    let near = place.line("calibarte").expect_code(2).stderr;
    assert!(near.contains("`rigel calibrate`"), "{near}");
}

#[test]
fn one_option_is_the_time_of_every_command() {
    let place = Place::new();
    for command in
        ["run", "calibrate", "slo", "versus", "sql", "soak", "capacity fit", "sql prove", "durability run"]
    {
        let help = place.line(&format!("help {command}")).expect_code(0).stdout;
        assert!(help.contains("--for <TIME>"), "{command}: {help}");
        assert!(!help.contains("--max-duration") && !help.contains("--budget"), "{command}: {help}");
    }
    let line = "--engine sim:servers=4 --seed 1 --quiet --no-html --name";
    place.line(&format!("calibrate --for 30s --no-history {line} new")).expect_code(0);
    place.line(&format!("calibrate --budget 30s --no-history {line} old")).expect_code(0);
    place.line("slo --p99 5ms --for 3m --engine sim:servers=4 --dry-run").expect_code(0);
    let told = place.line("sql simple --database oracle").expect_code(2).stderr;
    assert!(
        told.contains("only postgresql and mysql can") && told.contains("`rigel run --load oracle`"),
        "{told}"
    );
}

/// What puts a run before or behind others stands in its first screen, whether it is a warning or a note.
#[test]
fn another_priority_is_on_the_first_screen() {
    let place = Place::new();
    place.random_file("t.dat", 4 << 20);
    for (front, value) in
        [("chrt -b 0", "policy SCHED_BATCH"), ("chrt -i 0", "policy SCHED_IDLE"), ("nice -n 5", "nice 5")]
    {
        let mut words = front.split(' ').chain([env!("CARGO_BIN_EXE_rigel")]);
        let mut command = Command::new(words.next().unwrap());
        let line = "run advanced t.dat --matrix point --num-small 2 --num-large 0 --duration 100ms --no-html --force --name p";
        command.args(words).args(line.split(' ')).current_dir(place.path());
        let told = flat(&tell(&mut command).stdout);
        let sentence = told.split("! Rigel ran not at normal priority (").nth(1);
        assert!(
            sentence.is_some_and(|rest| rest.split(')').next().unwrap().contains(value)),
            "{front}: {told}"
        );
        assert_eq!(told.contains("PRIORITY: "), front.contains("-i"), "{front}: {told}");
    }
    let usual = place.line("run advanced t.dat --matrix point --num-small 2 --num-large 0 --duration 100ms --no-html --force --name p").stdout;
    assert!(!usual.contains("normal priority"), "{usual}");
}
