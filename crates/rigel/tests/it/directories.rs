//! Directories as targets: a scratch file in each, filled, measured and removed.

use super::support::{Place, ProgramOutput};
use std::fs;
use std::path::Path;

const SMALL: &str = "--num-disks 1 --duration 100ms --scratch-size 16M --quiet --no-html";

/// Names in a directory, in order.
fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

/// A place with these directories in it.
fn with_dirs(dirs: &[&str]) -> Place {
    let place = Place::new();
    dirs.iter().for_each(|dir| fs::create_dir(place.path().join(dir)).unwrap());
    place
}

/// What the record says of its targets.
fn targets(place: &Place) -> Vec<String> {
    let record = place.read("_record.jsonl");
    let header: serde_json::Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    let found = header.pointer("/targets").or_else(|| header.pointer("/header/targets"));
    let paths = found.and_then(serde_json::Value::as_array).unwrap();
    paths.iter().map(|target| target["path"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_directory_gets_a_scratch_file_that_is_removed() {
    let place = with_dirs(&["there"]);
    let told = place.line("run oltp there --num-disks 1 --duration 100ms --scratch-size 16M --no-html");
    let told = told.expect_code(0);
    assert!(told.stderr.contains("measuring a scratch file of 16 MiB in there"), "{}", told.stderr);
    assert!(told.stderr.contains("removed afterwards"), "{}", told.stderr);
    assert_eq!(names(&place.path().join("there")), Vec::<String>::new());
    assert_eq!(targets(&place), ["there/rigel-scratch.dat"]);
    // Whether it is named or not, this directory is called so.
    for named in ["", "."] {
        let line = format!("run oltp {named} --num-disks 1 --duration 100ms --scratch-size 16M --no-html");
        let told = place.line(&line).expect_code(0);
        assert!(
            told.stderr.contains("measuring a scratch file of 16 MiB in this directory"),
            "{}",
            told.stderr
        );
        assert!(!told.stderr.contains("no target"), "{}", told.stderr);
    }
}

#[test]
fn a_kept_file_is_used_again_and_a_foreign_one_is_left_alone() {
    let place = with_dirs(&["there"]);
    let there = place.path().join("there");
    fs::write(there.join("rigel-scratch.dat"), "mine").unwrap();
    // A file that Rigel did not make: no run takes its name.
    let told = place.line(&format!("run oltp there {SMALL}"));
    assert_eq!(fs::read(there.join("rigel-scratch.dat")).unwrap(), b"mine", "{}", told.stderr);
    fs::remove_file(there.join("rigel-scratch.dat")).unwrap();
    place.line(&format!("run oltp there {SMALL} --keep-scratch")).expect_code(0);
    assert_eq!(names(&there), ["rigel-scratch.dat"]);
    let again = place.line("run oltp there --num-disks 1 --duration 100ms --no-html").expect_code(0);
    assert!(again.stderr.contains("the existing one is reused, kept"), "{}", again.stderr);
    assert_eq!(names(&there), ["rigel-scratch.dat"]);
}

#[test]
fn both_sides_of_a_comparison_may_be_directories() {
    let place = with_dirs(&["a", "b"]);
    fs::write(place.path().join("b/other"), "kept").unwrap();
    let there = |line: &str| -> ProgramOutput {
        // Both get the file of the size that a first run leaves.
        for dir in ["a", "b"] {
            place.line(&format!("run oltp {dir} {SMALL} --keep-scratch --name fill")).expect_code(0);
        }
        place.line(line)
    };
    let told = there(
        "versus advanced --matrix point --num-small 1 --num-large 0 a --and b --for 20s --no-html --no-history",
    );
    assert!(matches!(told.code, 0 | 1 | 4), "{told:?}");
    assert!(told.stderr.contains("scratch files of 16 MiB in a and b"), "{}", told.stderr);
    assert_eq!(names(&place.path().join("a")), ["rigel-scratch.dat"], "kept by the first run");
    assert_eq!(names(&place.path().join("b")), ["other", "rigel-scratch.dat"]);
    let told = place.line("versus oltp a --and a --for 2s --no-html --no-history").expect_code(2);
    assert!(told.stderr.contains("A and B are the same"), "{}", told.stderr);
}

#[test]
fn what_no_scratch_file_can_be_made_for_is_refused_before_anything_is_written() {
    let place = with_dirs(&["there"]);
    place.random_file("data", 16 << 20);
    for (line, what) in [
        ("run oltp there data", "a directory and a target are named"),
        ("run oltp data --scratch-size 16M", "cannot be combined with targets"),
        ("run oltp there --destroy-data there", "not a target of this run"),
        ("run oltp there --engine sim", "cannot be combined with an engine that touches no storage"),
    ] {
        let told = place.line(line).expect_code(2);
        assert!(told.stderr.contains(what), "{line}: {}", told.stderr);
    }
    assert_eq!(names(&place.path().join("there")), Vec::<String>::new());
    let plan = place.line("run oltp there --scratch-size 16M --dry-run").expect_code(0).stdout;
    assert!(plan.contains("there/rigel-scratch.dat") && plan.contains("16 MiB would be written"), "{plan}");
    assert_eq!(names(&place.path().join("there")), Vec::<String>::new());
}

/// A soak of a directory writes, as on a scratch file here: nothing can be lost.
#[test]
fn a_soak_of_a_directory_writes_and_compares() {
    let place = with_dirs(&["there"]);
    let plan = place.line("soak --for 10s there --scratch-size 64M --dry-run").expect_code(0).stdout;
    let here = place.line("soak --for 10s --scratch-size 64M --dry-run").expect_code(0).stdout;
    let writes = |plan: &str| plan.lines().any(|line| line.contains("30 %"));
    assert!(writes(&here), "{here}");
    assert_eq!(writes(&plan), writes(&here), "{plan}");
}
