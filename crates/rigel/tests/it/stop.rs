//! Ctrl-C: the first one ends the run in order, the second one at once.

use crate::support::Place;
use rigel_core::record::Record;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Starts a long run and waits until its first point is on disk.
fn start(place: &Place, more: &str) -> (Child, BufReader<std::process::ChildStderr>) {
    place.random_file("data", 16 << 20);
    let line = format!("run normal data --duration 1s {more}");
    let mut child = place
        .command()
        .args(line.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("point 1 ") {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "it ended too early: {told}");
    }
    (child, stderr)
}

#[test]
fn the_first_one_leaves_a_whole_record_and_its_outputs() {
    for name in ["-INT", "-TERM"] {
        let place = Place::new();
        let (mut child, mut stderr) = start(&place, "");
        signal(&child, name);
        let status = child.wait().unwrap();
        let mut told = String::new();
        stderr.read_to_string(&mut told).unwrap();
        assert_eq!(status.code(), Some(4), "{told}");
        assert!(told.contains("stopped"), "{told}");
        let record = Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
        assert!(!record.visits.is_empty() && record.visits.len() < 17);
        assert_eq!(record.closing.map(|closing| closing.complete), Some(false));
        assert!(record.torn.is_none());
        assert!(place.read("_summary.txt").contains("cut short"), "{}", place.read("_summary.txt"));
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        assert!(stdout.contains("Maximum Small IOPS"), "what is there is printed: {stdout}");
    }
}

#[test]
fn a_scratch_file_goes_away_with_a_stopped_run() {
    let place = Place::new();
    let mut child = place
        .command()
        .args("run normal --scratch-size 256M --duration 1s".split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("point 1 ") {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "{told}");
    }
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(4));
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()), "{:?}", place.files());
}

#[test]
fn a_killed_run_has_its_finished_points_on_disk() {
    let place = Place::new();
    let (mut child, _stderr) = start(&place, "");
    child.kill().unwrap();
    child.wait().unwrap();
    let record = Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
    assert!(!record.visits.is_empty(), "the point that was told is on disk");
    assert!(record.closing.is_none());
    let path = place.only("_record.jsonl");
    let told = place.rigel(["report", path.to_str().unwrap(), "--format", "json"]).expect_code(0);
    assert_eq!(told.json()["run"]["complete"], false);
}
