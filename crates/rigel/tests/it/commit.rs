//! `rigel run commit`: known answers on the simulated device, and what is refused. Real ones: `clock::commit`.

use crate::support::{Place, ProgramOutput, flat};
use rigel_core::record::{Record, Visit};
use rigel_core::units::NS_PER_S;
use serde_json::Value;

/// The figures of a class of the point that has so many of it and nothing else.
pub fn alone<'a>(document: &'a Value, class: &str, writers: u64) -> &'a Value {
    let points = document["points"].as_array().unwrap();
    let is_it = |point: &&Value| {
        let levels = point["levels"].as_object().unwrap();
        let others = levels.iter().filter(|(name, level)| *name != class && **level != 0).count();
        levels.get(class).is_some_and(|level| *level == writers) && others == 0
    };
    let found = points.iter().find(is_it);
    &found.unwrap_or_else(|| panic!("no point {class}={writers} in {document}"))["classes"][class]
}

pub fn mean_us(io: &Value) -> f64 {
    io["latency_us"]["mean"]["value"].as_f64().unwrap()
}

pub fn run_flags(document: &Value) -> Vec<String> {
    let flags = document["flags"].as_array().unwrap();
    flags.iter().map(|flag| flag["code"].as_str().unwrap().to_owned()).collect()
}

fn refused(told: ProgramOutput, code: i32, parts: &[&str]) {
    let told = told.expect_code(code);
    for part in parts {
        assert!(told.stderr.contains(part), "{part}: {}", told.stderr);
    }
}

#[test]
fn numbers_of_writers_are_whole_and_not_too_many() {
    let place = Place::new();
    for wrong in ["0", "x", "1,65536", "1,,2"] {
        let told = place.line(&format!("run commit --writers {wrong}")).expect_code(2);
        for part in ["where: --writers", "is not a valid number of writers", "give 1 to 65535"] {
            assert!(told.stderr.contains(part), "{wrong}: '{part}' is missing: {}", told.stderr);
        }
    }
    assert!(place.files().is_empty());
}

/// Four stations of 1 ms, and 200 us more to be durable: 1.2 ms, and at most 4 at a time.
#[test]
fn a_simulated_flush_is_found() {
    let place = Place::new();
    let line = "run commit --engine sim:servers=4,service=1ms,rate=0,flush=200us --precision 5% --seed 1 --no-html --json";
    let document = place.line(line).expect_code(0).json();
    for (class, us) in [("dsync", 1200.0), ("fdatasync", 1200.0), ("unsynced", 1000.0)] {
        for writers in [1_u64, 2, 4, 8, 16] {
            let io = alone(&document, class, writers);
            let busy = writers.min(4) as f64;
            let (rate, mean) = (io["iops"]["value"].as_f64().unwrap(), mean_us(io));
            assert!((rate * us / 1e6 / busy - 1.0).abs() < 0.005, "{class} {writers}: {rate}");
            assert!((mean * busy / writers as f64 / us - 1.0).abs() < 0.005, "{class} {writers}: {mean}");
        }
    }
    assert_eq!(document["run"]["classes"]["dsync"]["unit"], "commits/s");
    assert_eq!(document["run"]["classes"]["dsync"]["counted"], "writers");
    assert!(!run_flags(&document).contains(&"FLUSH_FREE".to_owned()), "{:?}", run_flags(&document));
}

/// Without a word on how long and how many: one writer and many, in a minute, and a hint how to get more.
#[test]
fn commits_alone_are_measured_in_a_minute() {
    let place = Place::new();
    let line = "run commit --engine sim:servers=4,service=1ms,rate=0,flush=200us --seed 1 --no-html --json";
    let told = place.line(line).expect_measured();
    assert!(told.stderr.contains("--writers 1,2,4,8,16"), "{}", told.stderr);
    let document = told.json();
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 6, "{document:#}");
    for (class, us) in [("dsync", 1200.0), ("fdatasync", 1200.0), ("unsynced", 1000.0)] {
        for writers in [1_u64, 16] {
            let mean = mean_us(alone(&document, class, writers)) * writers.min(4) as f64 / writers as f64;
            assert!((mean / us - 1.0).abs() < 0.01, "{class} {writers}: {mean}");
        }
    }
    let record = Record::read(place.read("_record.jsonl").as_bytes()).unwrap();
    let ended_ns = record.visits.iter().map(Visit::ended_ns).max().unwrap();
    assert!(ended_ns < 62 * NS_PER_S, "{ended_ns}");
    assert!(record.visits.len() >= 3 * points.len(), "{}", record.visits.len());
}

/// Nothing varies here: visits are all that is missing after a minute, and the command that is offered makes them at the same points.
#[test]
fn a_narrow_width_of_few_visits_is_told_as_that_and_the_offered_command_has_time_for_more() {
    let place = Place::new();
    let run = |line: &str| place.line(&format!("{line} --no-html")).expect_measured().stdout;
    let told = run("run commit --engine sim:servers=4,service=1ms --seed 1 --name minute");
    assert!(
        told.contains("! NOT_REACHED: Too few visits to be sure") && told.contains("*: too few visits. "),
        "{told}"
    );
    assert!(!told.contains("precise"), "{told}");
    let (_, below) = told.split_once("To measure longer:\n").unwrap_or_else(|| panic!("{told}"));
    let command = below.lines().next().unwrap().trim();
    assert!(command.contains(" --writers 1,16") && command.contains(" --for "), "{command}");
    let longer = run(&command.replace("rigel ", "").replace(" --no-html", "").replace("minute", "longer"));
    assert!(!longer.contains("NOT_REACHED"), "{command}: {longer}");
    let points = |text: &str| text.matches("\n dsync ").count() + text.matches("\n fdatasync ").count();
    assert_eq!((points(&told), points(&longer)), (4, 4), "{longer}");
    let record = place.only_of("minute", "_record.jsonl");
    let explained = place.rigel(["report".as_ref(), record.as_os_str(), "--explain".as_ref()]).expect_code(0);
    let explained = flat(&explained.stdout);
    assert!(explained.contains("* too few visits to be sure of the ± (NOT_REACHED)"), "{explained}");
    assert!(
        explained.contains("was reached at 0 of 6 points, as all of them had too few visits to be sure."),
        "{explained}"
    );
}

/// B writes in 500 us and flushes in as much, so that its durable writes take as long as the plain ones of A.
#[test]
fn a_flush_is_compared_with_the_writes_of_its_own_side() {
    let place = Place::new();
    let sides = |a: &str, b: &str, name: &str| {
        let line = format!(
            "versus commit --writers 1 --engine sim:servers=4,rate=0,{a} --and-engine sim:servers=4,rate=0,{b} \
             --seed 1 --fast --no-html --name {name}"
        );
        place.line(&line).expect_code(0).stdout
    };
    let costs = sides("service=1ms,flush=400us", "service=500us,flush=500us", "costs");
    assert!(costs.contains("dsync") && !costs.contains("FLUSH_FREE"), "{costs}");
    let free = sides("service=1ms,flush=400us", "service=500us", "free");
    assert!(free.contains("FLUSH_FREE"), "{free}");
}

#[test]
fn a_flush_that_costs_nothing_is_told() {
    let place = Place::new();
    let line = "run commit --engine sim:servers=4,service=1ms,rate=0 --writers 2,4 --seed 1 --no-html --json";
    let document = place.line(line).expect_code(0).json();
    let flags = document["flags"].as_array().unwrap();
    let flag = flags.iter().find(|flag| flag["code"] == "FLUSH_FREE").expect("FLUSH_FREE");
    let text = flag["text"].as_str().unwrap();
    assert!(text.contains("dsync: a write takes 1.00 ms on average with 2 writers"), "{text}");
    assert!(text.contains("fdatasync: "), "{text}");
    let document = place.line(&format!("{line} --sync none --name plain")).expect_code(0).json();
    assert!(!run_flags(&document).contains(&"FLUSH_FREE".to_owned()));
}

#[test]
fn commits_beside_reads_are_points_of_their_own() {
    let place = Place::new();
    let line = "run commit --engine sim:servers=2,service=1ms,rate=0,flush=1ms --sync dsync --writers 1 \
                --beside-reads 3 --duration 1s --seed 1 --no-html --json";
    let document = place.line(line).expect_code(0).json();
    let points = document["points"].as_array().unwrap();
    assert_eq!(points.len(), 5, "each class alone and beside the reads, and the reads alone");
    let beside = points.iter().find(|point| point["levels"]["dsync"] == 1 && point["levels"]["reads"] == 3);
    let classes = &beside.unwrap()["classes"];
    assert!(mean_us(&classes["dsync"]) > 1.2 * mean_us(alone(&document, "dsync", 1)));
    assert!(classes["reads"]["iops"]["value"].as_f64().unwrap() > 100.0);
}

#[test]
fn what_goes_without_commits_is_refused() {
    let place = Place::new();
    for (line, parts) in [
        (
            "run simple --sync dsync",
            &["--sync cannot be combined with the level 'simple'", "rigel run commit --sync"][..],
        ),
        ("run commit --write 20", &["--write cannot be combined with the level 'commit'"]),
        ("run commit --num-disks 4", &["--num-disks cannot be combined", "--writers"]),
        ("run commit --matrix basic", &["--matrix cannot be combined with the level 'commit'"]),
        ("run commit --levels auto", &["--levels"]),
        ("run commit --sync maybe", &["maybe", "--sync"]),
        ("run commit --poll", &["polled completions cannot wait for writes to be durable", "--poll"]),
        ("run commit --engine nvme", &["the engine nvme cannot wait for writes to be durable"]),
        ("run comit", &["did you mean `rigel run commit`?"]),
    ] {
        refused(place.line(line), 2, parts);
    }
    let told = place.line("orion -run commit");
    assert!(told.code == 2 && !told.stderr.contains("or commit"), "{}", told.stderr);
}
