//! `rigel run working-set`: known caches on simulated devices and on a FUSE device, what has none, what is refused, and how it ends.

use crate::support::{Place, ProgramOutput, flat};
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;

const MIB: f64 = 1024.0 * 1024.0;
/// A slow disk, read in large pieces so that a simulation is short.
const LAW: &str = "servers=2,service=5ms,rate=0,size=1G";

fn line(more: &str, law: &str) -> String {
    format!("run working-set --engine sim:{LAW}{law} --size-small 64K --seed 7 --json --quiet {more}")
}

fn found(place: &Place, more: &str, law: &str) -> Value {
    place.line(&line(more, law)).expect_code(0).json()["working_set"].clone()
}

fn answer(found: &Value) -> (&str, &str) {
    (found["answer"].as_str().unwrap(), found["cause"].as_str().unwrap_or("none"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A cache of so many MiB that answers in so many microseconds.
fn expect_cache(cache: &Value, mib: f64, us: f64) {
    let [value, lo, hi] = ["value", "lo95", "hi95"].map(|name| number(&cache["bytes"][name]) / MIB);
    assert!((value / mib - 1.0).abs() < 0.1, "{cache}");
    assert!(lo <= mib * 1.02 && mib * 0.98 <= hi && hi / lo < 1.3, "{lo} to {hi} for {mib}");
    assert!((number(&cache["latency_us"]) / us - 1.0).abs() < 0.05, "{cache}");
}

fn refused(told: ProgramOutput, parts: &[&str]) {
    let told = told.expect_code(2);
    for part in parts {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

#[test]
fn a_cache_is_found_with_size_latency_hits_and_what_more_would_get() {
    let place = Place::new();
    let sets = found(&place, "", ",cache=300M:200us");
    assert_eq!(answer(&sets), ("caches", "none"), "{sets}");
    let caches = sets["caches"].as_array().unwrap();
    assert_eq!(caches.len(), 1, "{sets}");
    expect_cache(&caches[0], 300.0, 200.0);
    assert!((number(&sets["behind_us"]) / 5000.0 - 1.0).abs() < 0.05, "{sets}");
    let sizes = sets["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 5, "{sets}");
    for size in sizes {
        let bytes = number(&size["bytes"]);
        let hits = (300.0 * MIB / bytes).min(1.0);
        assert!((number(&size["hits"][0]["value"]) - hits).abs() < 0.04, "{size}");
        assert_eq!(size["warmth"], "steady", "{size}");
        let mean_us = 200.0 * hits + 5000.0 * (1.0 - hits);
        assert!((number(&size["latency_us"]["mean"]["value"]) / mean_us - 1.0).abs() < 0.15, "{size}");
    }
    // 2 stations: 10,000 a second of hits, 400 of misses.
    assert!((number(&sizes[0]["iops"]["value"]) / 10_000.0 - 1.0).abs() < 0.05, "{}", sizes[0]);
    let twice = |what: &str| {
        let all = sets["forecasts"].as_array().unwrap().iter();
        all.clone().find(|one| one["what"] == what && number(&one["times"]) == 2.0).unwrap().clone()
    };
    assert!((number(&twice("working_set")["hits"]) - 0.5).abs() < 0.05, "{}", twice("working_set"));
    assert!((number(&twice("caches")["hits"]) - 0.586).abs() < 0.05, "{}", twice("caches"));
    let says = sets["says"].as_str().unwrap();
    assert!(says.starts_with("A cache of about ") && says.contains("that answers in 200"), "{says}");
    let record = place.only("_record.jsonl");
    let record = record.to_str().unwrap();
    let told = flat(&place.rigel(["report", record]).expect_code(0).stdout);
    // Text has the sign where programs have letters.
    assert!(
        told.starts_with(&flat(says).replace(" us", " µs")) && told.contains("twice the cache"),
        "{told}"
    );
    assert!(
        !told.contains("SMALL_TARGET") && !told.contains("BIMODAL"),
        "hits and misses are the answer: {told}"
    );
    let page = place.read("_report.html");
    assert!(
        page.contains("IOPS with 32 outstanding reads") && page.contains("Latency of one read at a time")
    );
    assert!(page.contains("<h3>Latency behind the cache</h3>"), "a name without its noun");
    assert!(page.contains(">64\u{a0}MiB</text>") || page.contains(">64 MiB</text>"), "the marks of the axis");
    for (format, part) in [
        ("markdown", "## What a larger cache would give"),
        ("openmetrics", "rigel_cache_bytes"),
        ("csv", "single"),
    ] {
        let told = place.rigel(["report", record, "--format", format]).expect_code(0).stdout;
        assert!(told.contains(part), "{format}: {told}");
    }
    refused(place.rigel(["advise", record, "--database", "postgresql"]), &["cache", "rigel calibrate"]);
}

#[test]
fn two_caches_are_told_apart() {
    let place = Place::new();
    let sets = found(&place, "", ",cache=90M:100us,cache2=400M:1ms");
    assert_eq!(answer(&sets), ("caches", "none"), "{sets}");
    let caches = sets["caches"].as_array().unwrap();
    assert_eq!(caches.len(), 2, "{sets}");
    expect_cache(&caches[0], 90.0, 100.0);
    expect_cache(&caches[1], 400.0, 1000.0);
    assert!(sets["says"].as_str().unwrap().starts_with("Two caches: one of about "), "{sets}");
}

/// A second cache that cannot be told apart is not what lies behind the first one.
#[test]
fn what_is_behind_a_cache_is_not_a_cache_that_nobody_sees() {
    let place = Place::new();
    let law = ",service=1ms,spread=exponential,cache=80M:50us,cache2=160M:100us";
    let sets = found(&place, "", law);
    assert_eq!(sets["caches"].as_array().unwrap().len(), 1, "{sets}");
    assert!((400.0..1000.0).contains(&number(&sets["behind_us"])), "{sets}");
}

#[test]
fn what_has_no_cache_is_not_given_one() {
    for (law, wanted) in [
        (",spread=lognormal:20%", ("no_cache", "none")),
        (",white=5%", ("no_cache", "none")),
        (",hits=40%:200us", ("no_cache", "none")),
        (",drift=-20%", ("undecided", "drift")),
    ] {
        let place = Place::new();
        let sets = found(&place, "--for 30m", law);
        assert_eq!(answer(&sets), wanted, "{law}: {sets}");
        assert!(sets["caches"].as_array().unwrap().is_empty() && sets["behind_us"].is_null(), "{sets}");
    }
    let place = Place::new();
    let sets = found(&place, "--for 30m", ",modes=50%:0.4");
    assert!(sets["caches"].as_array().unwrap().is_empty(), "{sets}");
}

/// A cache that is a tenth faster than what is behind it: the rows say so, and the sentence does not deny it.
#[test]
fn sizes_that_take_longer_are_not_said_to_take_as_long() {
    let told = |law: &str| {
        let place = Place::in_memory();
        let line = line("", law).replace(" --json", "");
        flat(&place.line(&line).expect_code(0).stdout)
    };
    let text = told(",cache=128M:4500us");
    let sentence = "No cache within the sizes tried makes much of a difference: reads of 1 GiB take 4.9";
    assert!(text.contains(sentence) && text.contains(" % longer than those of 64 MiB, 4.5"), "{text}");
    assert!(!text.contains("take as long as"), "{text}");
    let text = told("");
    assert!(text.contains("reads of 1 GiB take as long as those of 64 MiB"), "{text}");
}

#[test]
fn a_target_that_fits_and_a_time_that_is_short_are_told_as_what_they_are() {
    let place = Place::new();
    let sets = found(&place, "", ",cache=4G:200us");
    assert_eq!(answer(&sets), ("at_least", "target_fits"), "{sets}");
    assert!((number(&sets["at_least_bytes"]) - 1024.0 * MIB).abs() < 1.0, "{sets}");
    assert!(sets["says"].as_str().unwrap().starts_with("A cache of at least 1 GiB"), "{sets}");
    // All but the largest size fit, and a few of its reads show it: by law it may be a cache, and it may be others.
    let place = Place::new();
    let sets = found(&place, "", ",cache=920M:200us");
    assert_eq!(answer(&sets), ("undecided", "only_largest"), "{sets}");
    let says = sets["says"].as_str().unwrap();
    assert!(
        says.contains("only reads of 1 GiB are slower, 10 % of them") && says.contains("--sizes"),
        "{says}"
    );
    // A pass of 64 MiB takes 20 s when every read is 8 KiB, and one of 1 GiB more than 5 minutes.
    let place = Place::new();
    let slow = format!("run working-set --engine sim:{LAW},cache=4G:200us --seed 7 --json --quiet --for 4m");
    let sets = place.line(&slow).expect_code(0).json()["working_set"].clone();
    assert_eq!(answer(&sets), ("at_least", "time"), "{sets}");
    assert!(sets["says"].as_str().unwrap().contains("--for"), "{sets}");
    let last = sets["sizes"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["warmth"], "no_pass", "{last}");
}

#[test]
fn what_shows_no_cache_is_refused_before() {
    let place = Place::new();
    for (more, parts) in [
        ("--sizes 1G,64M", &["--sizes", "out of order"][..]),
        ("--sizes 64M", &["--sizes", "shows no cache"]),
        ("--sizes 64M,2G", &["--sizes", "larger than the target"]),
        ("--max-size 2G", &["--max-size", "larger than the target"]),
        ("--max-size 2G --sizes 64M,1G", &["--sizes"]),
        ("--for 20s", &["--for", "too short for 5 working sets", "26s"]),
        ("--write 20", &["--write", "only reads"]),
        ("--duration 10s", &["--duration", "--for"]),
        ("--span 0-50%", &["--span", "--max-size"]),
    ] {
        refused(place.line(&line(more, "")), parts);
    }
    refused(place.line(&line("", ",size=127M")), &["too small", "128 MiB or more"]);
    refused(place.line(&line("", ",targets=2")), &["2 targets", "name one target"]);
    refused(place.line("versus working-set a --and b"), &["rigel run working-set"]);
    refused(place.line("run oltp --max-size 1G --engine sim"), &["--max-size", "rigel run working-set"]);
    refused(place.line("run working-set --dry-run --as-load --engine sim"), &["--as-load"]);
    let told = place.line("run working-set --dry-run --engine sim").expect_code(0).stdout;
    assert!(told.contains("5 working sets, 64 MiB to 1 GiB") && told.contains("at most 1 h"), "{told}");
}

/// The record of a run that was cut has the sizes up to there, and no run goes on with it.
#[test]
fn a_cut_record_says_what_is_known_and_is_not_resumed() {
    let place = Place::new();
    found(&place, "", ",cache=150M:200us");
    let record = place.only("_record.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    let is_last = |line: &&str| line.contains(r#""purpose":"only""#) && line.contains(r#"{"random":5}"#);
    let kept: Vec<&str> = text.lines().take_while(|line| !is_last(line)).collect();
    assert!(kept.len() + 3 < text.lines().count());
    std::fs::write(&record, kept.join("\n") + "\n").unwrap();
    let told = flat(&place.rigel(["report", record.to_str().unwrap()]).stdout);
    assert!(told.contains("A cache of about ") && told.contains("1 of 5 sizes was not measured"), "{told}");
    assert!(!told.contains("--resume"), "{told}");
    refused(
        place.rigel(["run", "--resume", record.to_str().unwrap()]),
        &["a run over working sets cannot be resumed"],
    );
}

/// The kernel, a queue of its own and real time are between us and the cache.
#[test]
fn the_cache_of_a_real_file_system_is_found() {
    let spec = DeviceSpec { size_bytes: 256 << 20, servers: 32, service_us: 12_000, ..DeviceSpec::default() };
    let name = "the_cache_of_a_real_file_system_is_found";
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    device.command("lru 75497472 1000").unwrap();
    let place = Place::new();
    let told = place.line(&format!(
        "run working-set {} --sizes 24M,96M,192M --size-small 64K --for 2m --json --quiet",
        device.disk().display()
    ));
    let sets = told.json()["working_set"].clone();
    assert_eq!(answer(&sets), ("caches", "none"), "{sets}");
    let caches = sets["caches"].as_array().unwrap();
    assert_eq!(caches.len(), 1, "{sets}");
    let mib = number(&caches[0]["bytes"]["value"]) / MIB;
    // On a busy machine some hits take as long as misses.
    assert!((mib / 72.0 - 1.0).abs() < 0.15, "{mib} for 72: {sets}");
    // A busy machine answers later and never earlier, but a histogram reports the middle of a bucket, which
    // may lie up to half a bucket (0.8 %) below the fastest I/O in it.
    let at_least = |told: &Value, device_us: f64| number(told) >= device_us * 0.99;
    assert!(at_least(&caches[0]["latency_us"], 1000.0) && at_least(&sets["behind_us"], 12_000.0), "{sets}");
    let written = device.gauge().unwrap();
    assert_eq!(written.writes, 0, "{written:?}");
}
