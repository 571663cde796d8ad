//! `rigel run through` and `rigel mark`: a device that freezes, fails and is slow while a rate is held; marks from other terminals; what is refused.
//!
//! What is told is held against the time for which the device was held, from within and from without, so that a busy machine makes no test stricter.

use crate::stop::{ended, start_until_record};
use crate::support::{Place, ProgramOutput, flat};
use rigel_core::record::Record;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// What the device may take from its release to its answers on a busy machine.
const LATE: f64 = 0.25;
/// I/Os per second: far below what the device does.
const RATE: u32 = 200;

fn device() -> DeviceSpec {
    DeviceSpec {
        size_bytes: 16 << 20,
        servers: 4,
        service_us: 1000,
        exponential: true,
        ..DeviceSpec::default()
    }
}

/// There is a level before the trouble.
fn is_level(record: &Record) -> bool {
    record.intervals.len() >= 8
}

fn mark(place: &Place, run: &str, text: &str) -> ProgramOutput {
    place.rigel(["mark", "--run", run, text])
}

fn document(place: &Place, name: &str) -> Value {
    let record = place.only_of(name, "_record.jsonl");
    place
        .rigel(["report".as_ref(), record.as_os_str(), "--format".as_ref(), "json".as_ref()])
        .expect_code(0)
        .json()
}

fn seconds(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A run on the device, to which something is done; for how long it lasted at least and at most.
fn through(
    place: &Place,
    device: &TestDevice,
    more: &str,
    begin: &str,
    time: Duration,
    end: &str,
) -> (ProgramOutput, f64, f64) {
    let line = format!("run through {} --rate {RATE} --name held {more}", device.disk().display());
    let (child, stderr) = start_until_record(place, &line, is_level);
    // By its process: other tests have runs of the same name.
    let told = mark(place, &child.id().to_string(), "now").expect_code(0);
    assert!(told.stdout.starts_with("marked in held_"), "{}", told.stdout);
    let before = Instant::now();
    device.command(begin).unwrap();
    let held = Instant::now();
    sleep(time);
    let least = held.elapsed();
    device.command(end).unwrap();
    (ended(child, stderr), least.as_secs_f64(), before.elapsed().as_secs_f64())
}

#[test]
fn a_freeze_of_seven_seconds_is_told_to_a_hundredth_and_a_report_says_the_same() {
    let name = "a_freeze_of_seven_seconds_is_told_to_a_hundredth_and_a_report_says_the_same";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let hang = format!("hang 0 {}", device.size_bytes());
    let (told, least, most) = through(&place, &device, "--for 30s", &hang, Duration::from_secs(7), "release");
    assert_eq!(told.code, 0, "{}", told.stderr);
    let found = document(&place, "held");
    let still = &found["standstill"];
    assert!(seconds(&still["most_s"]) >= 0.99 * least, "held for {least} s: {still}");
    assert!(seconds(&still["least_s"]) <= 1.01 * most + LATE, "held for {most} s: {still}");
    assert!(seconds(&found["longest_us"]) >= 0.95e6 * least, "{}", found["longest_us"]);
    assert_eq!((&found["errors"], &found["baseline"]), (&0.into(), &"known".into()));
    let marks = found["marks"].as_array().unwrap();
    assert!(marks.iter().any(|mark| mark["what"] == "now" && mark["who"] == "you"), "{marks:?}");
    let text = flat(&told.stdout);
    assert!(text.contains("The load stood still for ") && text.contains("no I/O failed"), "{text}");
    let record = place.only_of("held", "_record.jsonl");
    let again = place.rigel(["report".as_ref(), record.as_os_str()]).expect_code(0).stdout;
    let answer = |text: &str| text.split("\nrecord  ").next().unwrap().to_owned();
    assert_eq!(answer(&again), answer(&told.stdout));
    let page = place.read("_report.html");
    assert!(
        page.contains("The load stood still for ")
            && page.contains("class=\"mark\"")
            && ["Longest standstill", "Failed I/Os", "Time until back", "p99 before"]
                .iter()
                .all(|card| page.contains(&format!("<h3>{card}</h3>")))
            && !page.contains("<script")
    );
}

#[test]
fn failed_ios_end_no_run_and_are_seen_within_a_second() {
    let name = "failed_ios_end_no_run_and_are_seen_within_a_second";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let eio = format!("eio 0 {}", device.size_bytes());
    let line = format!("run through {} --rate {RATE} --name held --for 20s", device.disk().display());
    let demand = ["--require", "errors = 0", "--require", "standstill < 60s"];
    let words: Vec<&str> = line.split(' ').chain(demand).collect();
    let (child, stderr) = crate::stop::start_words_until_record(&place, &words, is_level);
    let marking = Instant::now();
    mark(&place, &child.id().to_string(), "now").expect_code(0);
    let before = Instant::now();
    device.command(&eio).unwrap();
    let late = marking.elapsed().as_secs_f64();
    sleep(Duration::from_secs(2));
    device.command("clear").unwrap();
    let most = before.elapsed().as_secs_f64();
    let told = ended(child, stderr);
    assert_eq!(told.code, 1, "{}", told.stderr);
    assert!(told.stderr.contains("not met: errors = 0"), "{}", told.stderr);
    let found = document(&place, "held");
    let errors = seconds(&found["errors"]);
    assert!(errors >= f64::from(RATE) && errors <= 2.0 * f64::from(RATE) * most, "{errors} in {most} s");
    assert_eq!(found["complete"], true);
    let marked = seconds(&found["marks"][0]["at_s"]);
    let troubles = found["troubles"].as_array().unwrap();
    let failed = troubles.iter().find(|one| one["kind"] == "failed I/Os").unwrap();
    // An interval is a second; the device heard of it a little after the mark.
    let after_s = seconds(&failed["at_s"]) - marked;
    assert!((-1.0..=late + LATE).contains(&after_s), "{failed} for {marked}");
    let limits: Vec<&Value> = found["limits"].as_array().unwrap().iter().map(|one| &one["kept"]).collect();
    assert_eq!(limits, ["no", "yes"]);
}

#[test]
fn a_slow_device_is_slow_for_as_long_as_it_was() {
    let name = "a_slow_device_is_slow_for_as_long_as_it_was";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    // Four servers do 65 of the 200 I/Os that arrive each second.
    let slow = format!("slow 0 {} 60000", device.size_bytes());
    let (told, least, _) = through(&place, &device, "--for 30s", &slow, Duration::from_secs(5), "clear");
    assert_eq!(told.code, 0, "{}", told.stderr);
    let found = document(&place, "held");
    let troubles = found["troubles"].as_array().unwrap();
    let lasted: f64 =
        troubles.iter().filter(|one| one["kind"] == "slow").map(|one| seconds(&one["lasted_s"])).sum();
    assert!(lasted >= least - 1.0, "slow for {least} s: {troubles:?}");
    assert_eq!(found["errors"], 0);
}

#[test]
fn of_two_runs_one_is_chosen_by_name_or_process() {
    let name = "of_two_runs_one_is_chosen_by_name_or_process";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    let line = |name: &str| {
        format!("run through {} --rate 50 --for 60s --share --name {name}", device.disk().display())
    };
    let has = |record: &Record| !record.intervals.is_empty();
    let (one, one_told) = start_until_record(&place, &line("one"), has);
    let (two, two_told) = start_until_record(&place, &line("two"), |record| {
        record.header.run_id.starts_with("two") && has(record)
    });
    let told = place.rigel(["mark", "which?"]).expect_code(2).stderr;
    assert!(
        told.contains("several runs take marks now")
            && told.contains("one_")
            && told.contains("rigel mark --run"),
        "{told}"
    );
    mark(&place, "one", "for one").expect_code(0);
    mark(&place, &two.id().to_string(), "for two").expect_code(0);
    let told = mark(&place, "three", "for nobody").expect_code(3).stderr;
    assert!(told.contains("no run 'three' takes marks now") && told.contains("two_"), "{told}");
    for (child, stderr) in [(one, one_told), (two, two_told)] {
        crate::stop::signal(&child, "-INT");
        assert_eq!(ended(child, stderr).code, 4);
    }
    for name in ["one", "two"] {
        let found = document(&place, name);
        let marks = found["marks"].as_array().unwrap();
        let own: Vec<&Value> =
            marks.iter().filter(|mark| mark["who"] == "you").map(|mark| &mark["what"]).collect();
        assert_eq!(own, [&Value::from(format!("for {name}"))]);
    }
    assert_eq!(mark(&place, "one", "too late").code, 3);
}

#[test]
fn what_is_no_mark_is_refused_before_a_run_is_looked_for() {
    let place = Place::new();
    for text in ["", " ", "two\nlines", &"x".repeat(201)] {
        let told = place.rigel(["mark", text]).expect_code(2).stderr;
        assert!(told.contains("this text cannot be a mark"), "{text:?}: {told}");
    }
    let told = place.rigel(["mark", "--at", "10:00", "path A pulled"]).expect_code(2).stderr;
    assert!(told.contains("a mark cannot be set at another time"), "{told}");
    let told = mark(&place, "nobody-has-this-name", "x").expect_code(3).stderr;
    assert!(told.contains("takes marks now"), "{told}");
}

#[test]
fn nothing_happened_is_said_and_a_rate_that_is_not_held_too() {
    let place = Place::new();
    let quiet =
        place.line("run through --engine sim --rate 500 --for 1m --seed 3 --name quiet").expect_code(0);
    assert!(
        flat(&quiet.stdout)
            .contains("Nothing happened: no mark, no standstill, no slow interval, and no I/O failed."),
        "{}",
        quiet.stdout
    );
    let words = [
        "run",
        "through",
        "--engine",
        "sim:servers=1,service=10ms",
        "--rate",
        "1000",
        "--for",
        "30s",
        "--require",
        "back < 5s",
    ];
    let over = place.rigel(words).expect_code(1);
    assert!(
        flat(&over.stdout).contains("does not hold 1,000 IOPS even without a failure"),
        "{}",
        over.stdout
    );
    assert!(over.stderr.contains("undecided: back < 5 s"), "{}", over.stderr);
}

/// A simulated device is slow before there is a level, or loses an I/O now and then: neither is a mark, and neither is nothing.
#[test]
fn what_the_load_noticed_alone_is_told_as_that() {
    let place = Place::new();
    let early = "run through --engine sim:servers=4,service=1ms,rate=0,fall=0.1:2s:3s --rate 300 --for 1m --seed 1 --name early";
    let told = flat(&place.line(early).expect_code(0).stdout);
    assert!(
        told.contains("from 1.5 s on, before there was a level to compare with. The load never stood still"),
        "{told}"
    );
    assert!(!told.contains("first mark") && told.contains("1.5 s load slow for "), "{told}");
    let found = document(&place, "early");
    assert_eq!(found["troubles"][0]["at_s"], found["first_sign_s"]);
    let lost = "run through --engine sim:servers=4,service=1ms,rate=0,lost=10000:20s --rate 1000 --for 2m --seed 1 --name lost";
    let told = flat(&place.line(lost).expect_code(0).stdout);
    // One of 10,000 of 120,000.
    let (start, rest) = told.split_once(" I/Os took 10.0 s or longer (up to 20.0 s).").unwrap_or((&told, ""));
    assert!(!rest.is_empty() && start.contains("no slow interval, and no I/O failed, but 1"), "{told}");
    assert!(told.contains("load an I/O began that took 20.0 s"), "{told}");
    assert!(!told.contains("Nothing happened") && !told.contains("Nothing was marked"), "{told}");
}

/// A second that is slow at the start takes nothing from what happens half a minute later.
#[test]
fn a_slow_second_is_not_the_beginning_of_a_later_failure() {
    let place = Place::new();
    let law = "servers=4,service=1ms,rate=0,fall=0.1:2s:2.4s,bucket=200:3000";
    let line = format!("run through --engine sim:{law} --rate 300 --for 1m --seed 1 --no-html --name alone");
    let told = flat(&place.line(&line).expect_code(0).stdout);
    assert!(told.contains("The first sign was at 28.5 s: slow."), "{told}");
    assert!(
        told.contains("had not recovered when the run ended") && told.contains("before 28.0 s"),
        "{told}"
    );
    assert!(told.contains("1.5 s load slow for 1.00 s") && told.contains("28.5 s load slow for"), "{told}");
    assert!(!told.contains("before there was a level"), "{told}");
}

/// What would leave nothing undecided is no advice where something is decided.
#[test]
fn the_advice_for_what_is_undecided_is_not_given_for_what_is_not_met() {
    let place = Place::new();
    let run = |demand: &str| {
        let words =
            ["run", "through", "--engine", "sim:servers=4,service=1ms", "--rate", "300", "--for", "1m"];
        place.rigel([&words[..], &["--require", demand]].concat()).expect_code(1).stderr
    };
    let told = run("p99 < 500us");
    assert!(told.contains("not met: p99 < 500 us") && told.contains("timeline"), "{told}");
    assert!(!told.contains("undecided"), "{told}");
    let told = run("back < 5s");
    assert!(told.contains("undecided: back < 5 s") && told.contains("run of 10 minutes"), "{told}");
}

#[test]
fn what_cannot_be_held_is_refused_with_the_option() {
    let place = Place::new();
    for (line, part) in [
        ("run through --engine sim", "needs the rate that is held"),
        ("run through --engine sim --rate 100,200", "holds one rate"),
        ("run through --engine sim --rate 100 --for 5s", "too short to see a failure"),
        ("run through --engine sim --rate 100 --duration 60s", "--for"),
        ("run through --engine sim --rate 100 --require nonsense", "standstill < 30s"),
        ("run simple --engine sim --require errors=0", "only the level 'through' has limits to meet"),
    ] {
        let told = place.line(line).expect_code(2).stderr;
        assert!(flat(&told).contains(part), "{line}: {told}");
    }
}

/// What speaks against the numbers is shown wherever they are; what the failure itself does is the answer.
#[test]
fn what_speaks_against_the_numbers_is_shown() {
    let place = Place::in_memory();
    let test = "what_speaks_against_the_numbers_is_shown";
    let is_there = place.path().starts_with("/dev/shm").then_some(());
    let is_there = is_there.ok_or_else(|| rigel_testdev::MissingNeed::new("no /dev/shm".to_owned()));
    if needs(test, is_there).is_none() {
        return;
    }
    place.random_file("t.dat", 16 << 20);
    let told = place
        .line("run through t.dat --rate 100 --for 11s --allow-memory --quiet --name held")
        .expect_code(0);
    assert!(told.stdout.contains("\n! MEMORY: "), "{}", told.stdout);
    let found = document(&place, "held");
    let codes: Vec<&str> =
        found["warnings"].as_array().unwrap().iter().filter_map(|one| one["code"].as_str()).collect();
    assert!(codes.contains(&"MEMORY") && !codes.contains(&"LEVEL_SHIFT"), "{found}");
    assert!(place.read("_report.html").contains("MEMORY"));
}
