//! `rigel versus` that does not come to its end, and sides that have a target in common.

use crate::stop::{signal, start_until_record};
use crate::support::{EPOCH, Place, ProgramOutput, flags, tell};
use std::fs::{self, OpenOptions};
use std::io::Read as _;

/// So slow that visits are lengthened, and not every point has its turn.
const SLOW: &str = "oltp --num-disks 1 --engine sim:servers=2,service=200ms --seed 4 --fast --quiet";

fn simulated(place: &Place, line: &str) -> ProgramOutput {
    tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", EPOCH))
}

#[test]
fn a_run_that_is_cut_short_names_the_command_that_goes_on() {
    let place = Place::new();
    simulated(&place, &format!("run {SLOW} --max-duration 60s --name one")).expect_code(4);
    let line = format!("versus {SLOW} --and-engine sim:servers=2,service=300ms --max-duration 90s");
    let both = simulated(&place, &line).expect_code(4);
    assert!(!both.stdout.contains("--resume"), "its time is used up: {}", both.stdout);
    let record = "versus_20260101_1200_record.jsonl";
    // As if it was stopped there: a moment that no signal meets in virtual time.
    for name in [record, "one_20260101_1200_record.jsonl"] {
        let path = place.path().join(name);
        let told = fs::read_to_string(&path).unwrap();
        let stopped = told.replace("\"end\":\"out_of_time\"", "\"end\":\"stopped\"");
        assert_ne!(stopped, told);
        fs::write(path, stopped).unwrap();
    }
    let one = simulated(&place, "report one_20260101_1200_record.jsonl").expect_code(0).stdout;
    let both = simulated(&place, &format!("versus --record {record}")).expect_code(0).stdout;
    simulated(&place, &format!("versus --record {record} --html --force")).expect_code(0);
    let of_one = "To resume the run, in the directory of its record:\n  rigel run --resume \
        one_20260101_1200_record.jsonl\n";
    assert!(one.contains(of_one), "{one}");
    let of_both = format!(
        "\nNext: rigel versus --resume {record}\n      to resume the run, in the directory of its record\n"
    );
    assert!(both.contains(&of_both), "{both}");
    let page = place.read("_versus.html");
    assert!(page.contains(&format!("<code>rigel versus --resume {record}</code>")));
    let again = simulated(&place, &format!("versus --resume {record} --quiet"));
    assert!(again.stdout.contains("A: simulated"), "{}", again.stderr);
}

/// Both files are there when the run begins; that of B is cut after the first visit, wherever that was.
#[test]
fn a_target_that_shrinks_is_named_with_its_size() {
    let place = Place::new();
    place.random_file("data", 8 << 20);
    let other = place.random_file("other", 8 << 20);
    let line = "versus advanced data --and other --matrix point --num-small 4 --num-large 0 --fast \
                --max-duration 25s --no-html";
    let (mut child, mut stderr) = start_until_record(&place, line, |record| !record.visits.is_empty());
    signal(&child, "-STOP");
    OpenOptions::new().write(true).open(other).unwrap().set_len(0).unwrap();
    signal(&child, "-CONT");
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{told}");
    assert!(told.contains("every I/O of the point B: Small=4 failed"), "{told}");
    assert!(told.contains("other has 0 bytes, not 8388608") && !told.contains("errno 0"), "{told}");
}

/// Changes are put into the record of a simulated run: what was seen of A says nothing of B.
#[test]
fn what_becomes_of_one_side_is_not_told_of_the_other() {
    let place = Place::new();
    let line = "versus oltp --num-disks 1 --engine sim:servers=4 --and-engine sim:servers=4,service=2ms --seed 4 --fast --quiet --no-html";
    simulated(&place, line).expect_code(0);
    let record = place.only("_record.jsonl");
    let text = fs::read_to_string(&record).unwrap();
    let changed = r#""changed":{"targets":[{"target":0,"change":{"size":{"bytes":4096}}}]},"moved_bytes""#;
    let of_a = |line: &str| line.contains(r#""point":{"small_a""#);
    let put =
        |line: &str| if of_a(line) { line.replace(r#""moved_bytes""#, changed) } else { line.to_owned() };
    fs::write(&record, text.lines().map(|line| put(line) + "\n").collect::<String>()).unwrap();
    let line = format!("report {} --format json", record.display());
    let document = place.line(&line).json();
    for point in document["points"].as_array().unwrap() {
        let is_of_a = !point["levels"]["small_a"].is_null();
        assert_eq!(flags(point).contains(&"CHANGED"), is_of_a, "{point}");
    }
}

#[test]
fn a_file_on_both_sides_counts_once() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let plan = |line: &str| place.line(&format!("versus oltp {line} --dry-run")).expect_code(0).stdout;
    let told = plan("data --and-engine threads");
    assert!(told.contains("\nData      4 MiB on the targets in all"), "{told}");
    assert!(told.contains("A: data") && told.contains("B: data"), "{told}");
    place.random_file("other", 4 << 20);
    let told = plan("data --and other");
    assert!(told.contains("\nData      8 MiB on the targets in all"), "{told}");
}

#[test]
fn an_engine_that_a_has_anyway_makes_no_other_side() {
    let place = Place::new();
    place.random_file("data", 4 << 20);
    let told = place.line("versus oltp data --and-engine threads --dry-run");
    // `Engine    A: io_uring, the best one that works here; B: threads`
    let engine = match told.stdout.split_once("Engine    A: ").and_then(|(_, rest)| rest.split_once(',')) {
        Some((engine, _)) => engine,
        None => "threads",
    };
    assert!(["io_uring", "libaio", "threads"].contains(&engine), "{}", told.stdout);
    let line = format!("versus oltp data --and-engine {engine} --dry-run");
    let told = place.line(&line).expect_code(2);
    for part in ["A and B are the same", "--and-engine", &format!("both get the engine {engine}"), "--same"] {
        assert!(told.stderr.contains(part), "'{part}' is missing: {}", told.stderr);
    }
    place.line(&format!("{line} --same")).expect_code(0);
    place.line(&format!("{line} --and-buffered")).expect_code(0);
    place.random_file("other", 4 << 20);
    place.line(&format!("versus oltp data --and other --and-engine {engine} --dry-run")).expect_code(0);
}
