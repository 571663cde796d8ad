//! `rigel capacity replay`, `rigel run --compress` and `rigel capacity fit` with the real binary: a recorded time becomes a load that is what it
//! was, and a storage is asked how much of it it carries.

use crate::support::{Place, ProgramOutput, asked, flat};
use rigel_core::load::arrivals::Arrivals;
use rigel_core::load::class::{Shape, Spread};
use rigel_core::load::file::{self, LoadFile};
use rigel_core::units::NS_PER_S;
use rigel_testdev::{LoopDevice, MissingNeed, needs};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Fast enough for all of it.
const FAST: &str = "sim:servers=64,service=100us,rate=0";
/// One server: p99 is 2 ms at 2,697 I/Os per second that know nothing of each other.
const ONE: &str = "sim:servers=1,service=200us,rate=0,spread=exponential";
const BEGIN_S: i64 = 1_793_577_600;

/// What a source did in a phase: operations per second and their bytes, in both directions, and how bursty.
#[derive(Clone, Copy)]
struct Source {
    reads: (u32, f64),
    writes: (u32, f64),
    spread: f64,
    seconds: usize,
}

const DAY: Source = Source { reads: (320, 12_288.0), writes: (110, 8192.0), spread: 8.0, seconds: 3600 };
const NIGHT: Source = Source { reads: (60, 70_000.0), writes: (90, 9500.0), spread: 3.0, seconds: 3600 };

/// Seconds since the epoch as iostat writes them.
fn time(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let day = rigel_capacity::day::shown(days);
    format!("{day}T{:02}:{:02}:{:02}+0000", second / 3600, second / 60 % 60, second % 60)
}

/// What arrives in each second.
fn counts(seed: u64, rate: u32, source: &Source) -> Vec<u32> {
    let shape = Shape::Bursty(Spread::new(source.spread).unwrap());
    let mut counts = vec![0; source.seconds];
    let mut arrivals = Arrivals::new(seed, 0, 0, rate, shape);
    while let Some(count) = counts.get_mut(usize::try_from(arrivals.next_ns() / NS_PER_S).unwrap()) {
        *count += 1;
    }
    counts
}

/// A file of `iostat -x -t -o JSON 1`.
fn iostat(sources: &[Source], disk: &str) -> String {
    let mut text = "{\"sysstat\": {\"hosts\": [{\"nodename\": \"db1\", \"statistics\": [\n".to_owned();
    let mut at = BEGIN_S;
    let _ = write!(text, "{{\"timestamp\": \"{}\", \"disk\": []}}", time(at));
    for (seed, source) in (1..).zip(sources) {
        let both =
            counts(seed, source.reads.0, source).into_iter().zip(counts(100 + seed, source.writes.0, source));
        for (reads, writes) in both {
            at += 1;
            let kb = |count: u32, bytes: f64| f64::from(count) * bytes / 1024.0;
            let _ = write!(
                text,
                ",\n{{\"timestamp\": \"{}\", \"disk\": [{{\"disk_device\": \"{disk}\", \"r/s\": {reads}, \"w/s\": {writes}, \"rkB/s\": {}, \"wkB/s\": {}}}]}}",
                time(at),
                kb(reads, source.reads.1),
                kb(writes, source.writes.1)
            );
        }
    }
    text + "]}]}}"
}

fn imported(sources: &[Source]) -> Place {
    let place = Place::new();
    fs::write(place.path().join("source.json"), iostat(sources, "sda")).unwrap();
    capacity(&place, "import source.json --quiet").expect_code(0);
    place
}

fn capacity(place: &Place, line: &str) -> ProgramOutput {
    let (command, rest) = line.split_once(' ').unwrap_or((line, ""));
    place.line(&format!("capacity {command} --store store {rest}"))
}

fn read(place: &Place, name: &str) -> (String, LoadFile) {
    let text = fs::read_to_string(place.path().join(name)).unwrap();
    let load = file::read(name, text.as_bytes()).unwrap();
    (text, load)
}

fn near(found: f64, wanted: f64, what: &str) {
    assert!((found / wanted - 1.0).abs() < 0.02, "{what}: {found}, not {wanted}");
}

/// Arrivals per second and their bytes in a direction, of a phase of a run; `of` says what arrived of a class.
fn flow(load: &LoadFile, writes: bool, of: impl Fn(&str) -> f64) -> (f64, f64) {
    let own = load.classes.iter().filter(|class| class.write_percent.writes() == writes);
    own.fold((0.0, 0.0), |(ops, bytes), class| {
        let arrived = of(class.name.name());
        (ops + arrived, bytes + arrived * class.mean_bytes())
    })
}

#[test]
fn a_replay_has_the_rates_and_mixes_of_its_source_in_every_phase() {
    let place = imported(&[DAY, NIGHT]);
    let told = capacity(&place, "replay --out week.toml").expect_code(0);
    for part in ["sda of db1 by iostat", "2 phases"] {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
    assert_eq!(told.stdout, "");
    let (text, load) = read(&place, "week.toml");
    assert!(text.contains("# Made by: rigel capacity replay --store store --out week.toml"), "{text}");
    assert!(text.contains("; bursts of "), "{text}");
    assert_eq!(load.phases.len(), 2, "{text}");
    let run = format!("run --load week.toml --compress 4 --engine {FAST} --seed 7 --quiet --no-html");
    let text = flat(&place.line(&run).expect_code(0).stdout);
    assert!(text.contains("Both phases were served at the rates asked for; the longest p99 was"), "{text}");
    let document = place.line(&format!("report {} --format json", place.only("_record.jsonl").display()));
    let phases = document.expect_code(0).json()["phases"].as_array().unwrap().clone();
    assert_eq!(phases.len(), 2);
    for (phase, source) in phases.iter().zip([DAY, NIGHT]) {
        assert_eq!((phase["for_s"].as_f64(), phase["served"].as_bool()), (Some(900.0), Some(true)));
        let of = |name: &str| phase["classes"][name]["arrived_per_s"].as_f64().unwrap_or(0.0);
        let [reads, writes] = [false, true].map(|writes| flow(&load, writes, of));
        // The source itself varies by chance, as it is bursty.
        let [read, written] = [1_u64, 101].map(|seed| {
            let at = u64::from(source.seconds == NIGHT.seconds && source.reads.0 == NIGHT.reads.0);
            let rate = if seed == 1 { source.reads.0 } else { source.writes.0 };
            let all: u32 = counts(seed + at, rate, &source).iter().sum();
            f64::from(all) / 3600.0
        });
        near(reads.0, read, "reads");
        near(writes.0, written, "writes");
        near(writes.0 / (reads.0 + writes.0), written / (read + written), "share of writes");
        near(reads.1 / reads.0, source.reads.1, "bytes of a read");
        near(writes.1 / writes.0, source.writes.1, "bytes of a write");
        assert!(phase["spread"].as_f64().unwrap() > 2.0, "{phase}");
    }
}

/// Arrivals of each second of a soak, by phase.
fn seconds(place: &Place) -> Vec<Vec<f64>> {
    let record = place.read("_record.jsonl");
    let mut phases = vec![Vec::new(), Vec::new()];
    for line in record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        if line["line"] != "interval" {
            continue;
        }
        let tallies = line["tallies"].as_object().unwrap();
        let count: f64 = tallies.values().map(|tally| tally["open"]["arrived"].as_f64().unwrap()).sum();
        // The phases take turns.
        phases[usize::try_from(line["visit"].as_u64().unwrap() % 2).unwrap()].push(count);
    }
    phases
}

/// The dispersion within minutes, as [`rigel_capacity::replay`] has it of a source.
fn dispersion(counts: &[f64]) -> f64 {
    let minutes = counts.chunks_exact(60).map(|minute| {
        let mean = minute.iter().sum::<f64>() / 60.0;
        (mean, minute.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 59.0)
    });
    let (mean, variance) = minutes.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    variance / mean
}

#[test]
fn a_replay_is_as_bursty_as_its_source_in_every_phase() {
    let calm = Source { reads: (30, 8192.0), writes: (20, 8192.0), spread: 3.0, seconds: 3600 };
    let wild = Source { reads: (80, 8192.0), writes: (40, 8192.0), spread: 9.0, seconds: 3600 };
    let place = imported(&[calm, wild]);
    capacity(&place, "replay --out week.toml --quiet").expect_code(0);
    let (text, load) = read(&place, "week.toml");
    assert_eq!(load.phases.len(), 2, "{text}");
    let soak =
        format!("soak --load week.toml --for 2h --every 1s --engine {FAST} --seed 7 --quiet --no-html");
    place.line(&soak).expect_code(0);
    for ((at, again), source) in seconds(&place).iter().enumerate().zip([calm, wild]) {
        let at = at as u64;
        let reads = counts(1 + at, source.reads.0, &source);
        let both = reads.into_iter().zip(counts(101 + at, source.writes.0, &source));
        let before: Vec<f64> = both.map(|(reads, writes)| f64::from(reads + writes)).collect();
        assert!(again.len() > 3500, "{}", again.len());
        let (wanted, found) = (dispersion(&before), dispersion(again));
        // Of an hour the dispersion is known to 2.4 % of itself, and to twice that where it is made of few bursts; the exact test, over
        // days, is that of the library.
        assert!(
            (found / wanted - 1.0).abs() < 4.0 * 2.0 * (2.0_f64 / 3600.0).sqrt(),
            "{found}, not {wanted}"
        );
    }
}

#[test]
fn phases_follow_the_source_and_their_number_is_asked_for() {
    let short = |source: Source| Source { seconds: 600, ..source };
    let place = imported(&[short(DAY), short(NIGHT), short(DAY)]);
    let load = |options: &str| {
        let told = capacity(&place, &format!("replay --quiet {options}")).expect_code(0);
        assert_eq!(told.stderr, "");
        file::read("x", told.stdout.as_bytes()).unwrap_or_else(|problem| panic!("{problem}\n{}", told.stdout))
    };
    assert_eq!(load("").phases.len(), 3);
    assert_eq!(load("--phases 1").phases.len(), 1);
    assert_eq!(load("--phases all --every 1m").phases.len(), 30);
    assert_eq!(load("--from 2026-11-02T00:10:00Z --to 2026-11-02T00:20:00Z --every 1m").phases.len(), 1);
    let rate = |load: &LoadFile| -> u32 { load.phases[0].point.classes().map(|one| one.1).sum() };
    let (once, twice) = (load("--phases 1"), load("--phases 1 --scale 2"));
    near(f64::from(rate(&twice)), 2.0 * f64::from(rate(&once)), "twice the load");
    assert_eq!(once.phases[0].shape.map(|_| ()), Some(()), "the bursts of seconds are there");
    // Of a source of minutes nothing is known of bursts.
    let told = capacity(&place, "replay --phases 1").expect_code(0);
    assert!(!told.stderr.contains("Poisson"), "{}", told.stderr);
}

#[test]
fn what_has_no_replay_is_told_with_what_there_is() {
    let place = imported(&[Source { seconds: 600, ..DAY }]);
    let list = capacity(&place, "list").expect_code(0).stdout;
    for (line, parts) in [
        (
            "--from 2026-12-01 --to 2026-11-01",
            vec!["is not a valid time range", "--from, --to", "2026-11-02 00:10"],
        ),
        (
            "--from 2025-01-01 --to 2025-02-01",
            vec!["has no I/O from 2025-01-01", "the history covers 2026-11-02"],
        ),
        ("--from yesterday", vec!["'yesterday' is not a date or time", "--from"]),
        ("--host db9", vec!["no history of the host db9", "it has db1"]),
        ("--disk sdz", vec!["has no such I/O", "it has I/O of sda"]),
        ("--source awr", vec!["has no such I/O"]),
        ("--source oracle", vec!["is not a known source", "recorder, prometheus"]),
        ("--scale 0", vec!["--scale", "above 0"]),
        ("--scale 1000", vec!["more"]),
        ("--phases 0", vec!["--phases", "1 to 2500, or all"]),
        ("--every 7s", vec!["--every", "whole part of a day"]),
        ("--force", vec!["--out"]),
    ] {
        let told = capacity(&place, &format!("replay {line}"));
        if line == "--scale 1000" {
            // 430,000 per second are a load, if no storage carries it.
            assert_eq!(told.code, 0, "{}", told.stderr);
            continue;
        }
        assert_eq!(told.code, 2, "{line}: {} {}", told.stdout, told.stderr);
        parts.iter().for_each(|part| assert!(told.stderr.contains(part), "{line}, {part}: {}", told.stderr));
    }
    capacity(&place, "replay --out week.toml --quiet").expect_code(0);
    let before = fs::read(place.path().join("week.toml")).unwrap();
    let told = capacity(&place, "replay --out week.toml --quiet --phases 1").expect_code(3);
    assert!(told.stderr.contains("week.toml"), "{}", told.stderr);
    assert_eq!(fs::read(place.path().join("week.toml")).unwrap(), before);
    capacity(&place, "replay --out week.toml --quiet --force").expect_code(0);
    assert_eq!(capacity(&place, "list").expect_code(0).stdout, list, "the store is only read");
    assert_eq!(Place::new().line("capacity replay --store none").expect_code(3).stdout, "");
    let told = capacity(&imported(&[Source { seconds: 5, ..DAY }]), "replay").expect_code(2);
    for part in ["too short for a load", "no whole interval of 10 s"] {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
    let one_way = Place::new();
    let rows: String = (0..9)
        .map(|hour| format!("db1,ORCL,1,2026-06-10 0{hour}:00:00,2026-06-10 0{}:00:00,Physical Read Total IO Requests Per Sec,10\n", hour + 1))
        .collect();
    let text = format!("HOST_NAME,DB_NAME,INSTANCE_NUMBER,BEGIN_TIME,END_TIME,METRIC_NAME,AVERAGE\n{rows}");
    fs::write(one_way.path().join("reads.csv"), text).unwrap();
    capacity(&one_way, "import reads.csv --zone UTC").expect_code(0);
    let told = capacity(&one_way, "replay").expect_code(2);
    assert!(told.stderr.contains("has reads and no writes"), "{}", told.stderr);
    // A history of half hours.
    let told = crate::year::place(3).line("capacity replay --store s.sqlite --every 1m").expect_code(2);
    for part in ["intervals of 60 s are too fine", "intervals of 1800 s", "--every 1800s"] {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

/// A hole of ten minutes, and what lies in it.
#[test]
fn a_gap_is_left_out_and_a_time_within_it_is_refused() {
    let place = imported(&[Source { seconds: 600, ..DAY }]);
    let later = iostat(&[Source { seconds: 600, ..DAY }], "sda").replace("2026-11-02T00:", "2026-11-02T01:");
    fs::write(place.path().join("later.json"), later).unwrap();
    capacity(&place, "import later.json --quiet").expect_code(0);
    let told = capacity(&place, "replay --phases 1 --out both.toml").expect_code(0);
    assert!(told.stderr.contains("of the time is known, the remainder is left out"), "{}", told.stderr);
    let (text, load) = read(&place, "both.toml");
    assert!((1190..=1220).contains(&(load.phases[0].time.0 / NS_PER_S)), "{text}");
    let told =
        capacity(&place, "replay --from 2026-11-02T00:20:00Z --to 2026-11-02T00:50:00Z").expect_code(2);
    assert!(
        told.stderr.contains("the history covers 2026-11-02 00:00") && told.stderr.contains("gap"),
        "{}",
        told.stderr
    );
}

/// Prometheus tells a disk by its WWN, so that two hosts under one name can be seen.
#[test]
fn two_disks_of_one_name_are_not_added_up() {
    let series = |wwn: &str, ops: u32| -> String {
        let metric = |name: &str, per_s: u32| {
            let values: Vec<String> = (0..20)
                .map(|at| format!("[{},\"{}\"]", BEGIN_S + at * 60, at * 60 * i64::from(per_s)))
                .collect();
            format!(
                "{{\"metric\":{{\"__name__\":\"{name}\",\"device\":\"sda\",\"instance\":\"db1:9100\"}},\"values\":[{}]}}",
                values.join(",")
            )
        };
        let info = format!(
            "{{\"metric\":{{\"__name__\":\"node_disk_info\",\"device\":\"sda\",\"wwn\":\"{wwn}\",\"instance\":\"db1:9100\"}},\"values\":[[{BEGIN_S},\"1\"],[{},\"1\"]]}}",
            BEGIN_S + 1200
        );
        let all = [
            info,
            metric("node_disk_reads_completed_total", ops),
            metric("node_disk_writes_completed_total", 1),
            metric("node_disk_read_bytes_total", ops * 8192),
            metric("node_disk_written_bytes_total", 8192),
        ];
        format!(
            "{{\"status\":\"success\",\"data\":{{\"resultType\":\"matrix\",\"result\":[{}]}}}}",
            all.join(",")
        )
    };
    let place = Place::new();
    for (name, wwn, ops) in [("one.json", "0x5000a", 100), ("two.json", "0x5000b", 300)] {
        fs::write(place.path().join(name), series(wwn, ops)).unwrap();
        capacity(&place, &format!("import {name} --quiet")).expect_code(0);
    }
    let told = capacity(&place, "replay").expect_code(2);
    assert!(told.stderr.contains("two disks of db1 are called sda at the same time"), "{}", told.stderr);
    assert!(told.stderr.contains("--disk ID"), "{}", told.stderr);
    let told = capacity(&place, "replay --disk 0x5000b").expect_code(0);
    assert!(
        told.stdout.contains("rate = 300") && told.stderr.contains("(Poisson)"),
        "{} {}",
        told.stdout,
        told.stderr
    );
}

const PEAK: &str = r#"load = "rigel.load/1"
[[class]]
name = "reads"
size = "8K"
arrival = { rate = 1000 }
[[phase]]
for = "1h"
scale = 0.3
[[phase]]
for = "1h"
"#;

fn with(name: &str, text: &str) -> Place {
    let place = Place::new();
    fs::write(place.path().join(name), text).unwrap();
    place
}

#[test]
fn a_load_that_is_too_much_is_told_by_phase() {
    let place = with("peak.toml", &PEAK.replace("rate = 1000", "rate = 6000"));
    let line = format!("run --load peak.toml --compress 360 --engine {ONE} --seed 3 --quiet --no-html");
    let told = flat(&place.line(&line).stdout);
    assert!(told.contains("One of 2 phases was not served at the rates asked for: phase 2 with "), "{told}");
    assert!(told.contains(" of 6,000 I/Os per second; the longest p99 of the others was "), "{told}");
    let record = place.only("_record.jsonl");
    let document = place.line(&format!("report {} --format json", record.display()));
    let phases = document.json()["phases"].clone();
    assert_eq!((phases[0]["served"].as_bool(), phases[1]["served"].as_bool()), (Some(true), Some(false)));
    let asked = &phases[1]["classes"]["reads"];
    assert!(asked["asked"] == 6000 && asked["served_per_s"].as_f64().unwrap() < 5200.0, "{asked}");
    let markdown = place.line(&format!("report {} --format markdown", record.display())).stdout;
    assert!(markdown.contains("was not served at the rates asked for"), "{markdown}");
}

#[test]
fn what_cannot_be_compressed_says_why() {
    let place = with("peak.toml", PEAK);
    fs::write(place.path().join("plain.toml"), PEAK.split("[[phase]]").next().unwrap()).unwrap();
    for (line, parts) in [
        ("run --load peak.toml --compress 7200", vec!["would last only 500 ms", "give 3600 or less"]),
        ("run --load plain.toml --compress 2", vec!["a load without phases cannot be compressed"]),
        ("run --load peak.toml --compress 0.5", vec!["--compress", "1 to 100000"]),
        ("run simple --compress 2", vec!["--load"]),
    ] {
        let told = place.line(&format!("{line} --engine {ONE}")).expect_code(2);
        parts.iter().for_each(|part| assert!(told.stderr.contains(part), "{line}, {part}: {}", told.stderr));
    }
    let told =
        place.line(&format!("run --load peak.toml --compress 3600 --engine {ONE} --dry-run")).expect_code(0);
    assert!(told.stdout.contains("2 phases") || told.stdout.contains("1 s"), "{}", told.stdout);
}

fn fit(place: &Place, more: &str) -> ProgramOutput {
    let common = format!("capacity fit --quiet --no-html --seed 3 --engine {ONE}");
    place.line(&format!("{common} {more}"))
}

/// The formula says 2,697 per second: 2.7 times the phase of 1,000, which has more of everything than the other.
#[test]
fn the_largest_scale_is_that_of_the_formula() {
    let place = with("peak.toml", PEAK);
    let told = fit(&place, "--load peak.toml --p99 2ms --duration 3m --json --name a").expect_code(0).json();
    let scale = &told["scale"];
    let times = |name: &str| scale[name].as_f64().unwrap();
    assert!(times("lower") < 2.697 * 1.05 && times("upper") > 2.697 * 0.95, "{scale}");
    assert!(times("lower") <= times("estimate") && times("estimate") <= times("upper"), "{scale}");
    assert_eq!(scale["deciding_phases"], serde_json::json!([1]));
    assert_eq!((scale["phases"].as_u64(), times("reference_rate")), (Some(2), 1000.0));
    let text = told["told"].as_str().unwrap();
    assert!(
        text.starts_with("This storage carries 2.")
            && text.contains(", 95 %) with p99 < 2 ms in every phase."),
        "{text}"
    );
    assert!(
        text.contains("Phase 2 of 2 decides: no other phase that can be judged has more of anything"),
        "{text}"
    );
    let record = place.only_of("a", "_record.jsonl");
    // A run that was cut goes on to the same answer.
    let lines = fs::read_to_string(&record).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    fs::write(&record, lines[..lines.len() / 2].join("\n") + "\n").unwrap();
    let resumed = ["run", "--resume", record.to_str().unwrap(), "--json", "--quiet", "--no-html"];
    assert_eq!(place.rigel(resumed).expect_code(0).json()["scale"], *scale);
}

#[test]
fn phases_that_each_have_more_of_something_are_searched_at_once() {
    let bursty = PEAK.replace("scale = 0.3", "scale = 0.8\nshape = { bursty = 40 }");
    let place = with("two.toml", &bursty);
    let told = fit(&place, "--load two.toml --p99 2ms --duration 6m --json").expect_code(0).json();
    let scale = &told["scale"];
    assert_eq!(scale["deciding_phases"], serde_json::json!([1, 0]), "{scale}");
    assert_eq!(scale["decided_in"], 0, "bursts are served worse: {scale}");
    // Less than the formula has for the phase without bursts.
    assert!(scale["upper"].as_f64().unwrap() < 2.3, "{scale}");
    let points = told["points"].as_array().unwrap();
    let of = |phase: u64| points.iter().filter(|point| point["phase"] == phase).count();
    assert!(of(0) >= 5 && of(1) >= 5, "{points:?}");
}

#[test]
fn a_scale_that_is_required_is_a_gate() {
    let place = with("peak.toml", PEAK);
    fit(&place, "--load peak.toml --p99 2ms --duration 3m --require 1.5").expect_code(0);
    let broken = fit(&place, "--load peak.toml --p99 2ms --duration 3m --require 4").expect_code(1);
    assert!(broken.stderr.contains("'p99 < 2 ms @ 4 times the load' is not met"), "{}", broken.stderr);
    assert!(broken.stderr.contains("give the storage at most 2."), "{}", broken.stderr);
}

#[test]
fn what_cannot_be_fitted_says_what_and_where() {
    let place = with("peak.toml", PEAK);
    let closed = PEAK.replace("rate = 1000", "outstanding = 4");
    fs::write(place.path().join("closed.toml"), closed).unwrap();
    for (line, parts) in [
        ("--p99 2ms", vec!["--load"]),
        ("--load peak.toml", vec!["no latency limit was given", "--bound"]),
        ("--load none.toml --p99 2ms", vec!["none.toml"]),
        ("--load closed.toml --p99 2ms", vec!["no class of the load has an arrival rate"]),
        ("--load peak.toml --p99 2ms --require 0", vec!["--require", "above 0"]),
        ("--load peak.toml --p99 2ms --duration 1m", vec!["--for", "3m"]),
        (
            "--load peak.toml --p99 2ms --bound p99<3ms",
            vec!["two latency limits conflict: p99 < 2 ms and p99 < 3 ms"],
        ),
        ("--load peak.toml --p99 2ms --write 20", vec!["--write"]),
    ] {
        let told = fit(&place, line).expect_code(2);
        parts.iter().for_each(|part| assert!(told.stderr.contains(part), "{line}, {part}: {}", told.stderr));
    }
    let told = place.line(&format!("slo --load peak.toml --p99 2ms --engine {ONE}")).expect_code(2);
    assert!(told.stderr.contains("rigel capacity fit"), "{}", told.stderr);
    assert_eq!(place.files(), ["closed.toml", "peak.toml"]);
}

/// Of a load file with one phase: operations and bytes of a direction per second, as its classes arrive.
fn asked_for(load: &LoadFile, writes: bool) -> (f64, f64) {
    let point = load.phases[0].point;
    flow(load, writes, |name| {
        let class = load.classes.iter().find(|class| class.name.name() == name).unwrap();
        f64::from(point.of(class.name))
    })
}

/// With `RIGEL_REPLAY_SECONDS`: iostat looks on while a replay runs, and what it saw is held against the source of the replay. The target is a loop device
/// on the storage below the build, so that the I/Os of others on that disk do not count.
#[test]
fn on_a_real_device_iostat_sees_what_the_source_did() {
    let name = "on_a_real_device_iostat_sees";
    let Some(seconds) = asked::<usize>(name, "RIGEL_REPLAY_SECONDS") else { return };
    let source = Source { reads: (900, 12_288.0), writes: (400, 8192.0), spread: 6.0, seconds };
    let place = imported(&[source]);
    capacity(&place, "replay --phases 1 --out week.toml --quiet").expect_code(0);
    let (_, before) = read(&place, "week.toml");
    let file = place.random_file("data", 256 << 20);
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    let disk = device.path().display().to_string();
    let mut iostat = Command::new("iostat");
    iostat.args([
        "-x",
        "-t",
        "-o",
        "JSON",
        "-d",
        disk.trim_start_matches("/dev/"),
        "1",
        &(seconds + 15).to_string(),
    ]);
    iostat.env("S_TIME_FORMAT", "ISO").env("TZ", "UTC");
    let seen = File::create(place.path().join("seen.json")).unwrap();
    let started = iostat.stdout(seen).spawn().map_err(|error| MissingNeed::new(format!("iostat: {error}")));
    let Some(mut iostat) = needs(name, started) else { return };
    std::thread::sleep(Duration::from_secs(2));
    let began = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let began = i64::try_from(began).unwrap();
    let run = format!("run --load week.toml {disk} --destroy-data {disk} --seed 5 --quiet --no-html");
    let told = place.line(&run).expect_code(0);
    assert!(flat(&told.stdout).contains("The phase was served at the rates asked for"), "{}", told.stdout);
    assert!(iostat.wait().unwrap().success());
    place.line("capacity import seen.json --store seen --host seen --quiet").expect_code(0);
    // Without the start of the run and its end.
    let (from, to) = (time(began + 5), time(began + i64::try_from(seconds).unwrap() - 2));
    let again = format!(
        "capacity replay --store seen --phases 1 --every 10s --from {from} --to {to} --out again.toml"
    );
    let remarks = place.line(&again).expect_code(0).stderr;
    let (text, after) = read(&place, "again.toml");
    println!("{text}\n{remarks}");
    for (what, writes) in [("reads", false), ("writes", true)] {
        let (wanted, found) = (asked_for(&before, writes), asked_for(&after, writes));
        near(found.0, wanted.0, what);
        near(found.1 / found.0, wanted.1 / wanted.0, &format!("bytes of {what}"));
    }
    let spread = |load: &LoadFile| load.phases[0].shape.unwrap().spread();
    // What a time that short tells of it.
    let chance = 4.0 * 1.5 * (2.0 / seconds as f64).sqrt();
    let ratio = spread(&after) / spread(&before);
    println!("bursts: {} and {}", spread(&before), spread(&after));
    assert!((ratio - 1.0).abs() < chance.max(0.02), "{} and {}", spread(&after), spread(&before));
}
