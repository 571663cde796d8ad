//! Ctrl-C: the first one ends the run in order, the second one at once.

use crate::support::{Place, ProgramOutput};
use rigel_core::record::Record;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

pub fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Lets a run end by itself; standard error has what was not read yet.
pub fn ended(mut child: Child, mut stderr: impl std::io::Read) -> ProgramOutput {
    let (mut told, mut stdout) = (String::new(), String::new());
    stderr.read_to_string(&mut told).unwrap();
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    ProgramOutput { code: child.wait().unwrap().code().unwrap_or(-1), stdout, stderr: told }
}

/// Starts a run and waits until its standard error holds `sign`.
pub fn start_until(place: &Place, line: &str, sign: &str) -> (Child, BufReader<ChildStderr>) {
    start_words_until(place, &line.split_whitespace().collect::<Vec<_>>(), sign)
}

/// The same with words that may hold blanks.
fn start_words_until(place: &Place, words: &[&str], sign: &str) -> (Child, BufReader<ChildStderr>) {
    let mut child =
        place.command().args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains(sign) {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "it ended too early: {told}");
    }
    (child, stderr)
}

/// Starts a run and waits until its record has what is asked for: its lines on standard error are ten seconds apart.
pub fn start_until_record(
    place: &Place,
    line: &str,
    has: impl Fn(&Record) -> bool,
) -> (Child, BufReader<ChildStderr>) {
    start_words_until_record(place, &line.split_whitespace().collect::<Vec<_>>(), has)
}

/// The same with words that may hold blanks.
pub fn start_words_until_record(
    place: &Place,
    words: &[&str],
    has: impl Fn(&Record) -> bool,
) -> (Child, BufReader<ChildStderr>) {
    let (mut child, stderr) = start_words_until(place, words, "engine ");
    let is_record = |name: &String| name.ends_with("_record.jsonl");
    let found = |name: String| {
        let bytes = std::fs::read(place.path().join(name)).unwrap();
        Record::read(&bytes).is_ok_and(|record| has(&record))
    };
    while !place.files().into_iter().filter(is_record).any(found) {
        assert!(child.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(20));
    }
    (child, stderr)
}

/// Runs until the record has what is asked for, and is ended by Ctrl-C then.
pub fn stopped_when(place: &Place, line: &str, has: impl Fn(&Record) -> bool) -> ProgramOutput {
    let (child, stderr) = start_until_record(place, line, has);
    signal(&child, "-INT");
    ended(child, stderr)
}

/// Starts a long run and waits until its first point is on disk.
fn start(place: &Place, more: &str) -> (Child, BufReader<ChildStderr>) {
    place.random_file("data", 16 << 20);
    let line = format!("run normal data --duration 1s {more}");
    start_until(place, &line, "point 1 ")
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
        assert!(stdout.contains(" Small Large      IOPS"), "what is there is printed: {stdout}");
    }
}

#[test]
fn a_scratch_file_goes_away_with_a_stopped_run() {
    let place = Place::new();
    let (mut child, mut stderr) =
        start_until(&place, "run normal --scratch-size 16M --duration 1s", "point 1 ");
    signal(&child, "-INT");
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    assert!(told.contains("start the run again") && !told.contains("--resume"), "{told}");
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()), "{:?}", place.files());
}

/// A run that stays in its first warm-up for two minutes.
fn start_warm_up(place: &Place) -> (Child, BufReader<ChildStderr>) {
    place.random_file("data", 16 << 20);
    let line = "run advanced data --type seq --matrix point --num-small 0 --num-large 1 --duration 1s";
    start_until(place, line, "1 point")
}

#[test]
fn a_warm_up_can_be_stopped() {
    let place = Place::new();
    let (mut child, mut stderr) = start_warm_up(&place);
    signal(&child, "-INT");
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4), "{told}");
    let record = Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
    assert!(record.visits.is_empty());
    assert_eq!(record.closing.map(|closing| closing.complete), Some(false));
}

/// As `timeout` sends it: to the process, and to its group.
#[test]
fn signals_that_come_together_are_one() {
    let place = Place::new();
    let (child, stderr) = start(&place, "");
    for name in ["-TERM", "-TERM", "-HUP"] {
        signal(&child, name);
    }
    let told = ended(child, stderr).expect_code(4);
    assert!(place.files().iter().any(|name| name.ends_with("_summary.txt")), "{:?}: {told:?}", place.files());
}

/// As `nohup` and a shell without job control set them before the program begins.
#[test]
fn signals_that_were_ignored_at_the_start_stay_ignored() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let line = "run advanced data --matrix point --num-small 1 --num-large 0 --duration 2s --no-html";
    let script = format!("trap '' HUP INT; exec {} {line}", env!("CARGO_BIN_EXE_rigel"));
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path()).stdin(Stdio::null());
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut told = String::new();
    while !told.contains("engine ") {
        assert_ne!(stderr.read_line(&mut told).unwrap(), 0, "it ended too early: {told}");
    }
    for name in ["-HUP", "-INT"] {
        signal(&child, name);
    }
    ended(child, stderr).expect_measured();
    let record = Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
    assert!(record.complete(), "{:?}", record.closing);
}

/// The I/O that hangs keeps the first signal from ending the run; the second one does.
#[test]
fn the_second_one_ends_at_once() {
    let spec = rigel_testdev::DeviceSpec {
        size_bytes: 16 << 20,
        servers: 4,
        service_us: 1000,
        mbps: None,
        exponential: false,
        flush_us: 0,
    };
    let mounted = rigel_testdev::TestDevice::mount(spec);
    let Some(device) = rigel_testdev::needs("the_second_one_ends_at_once", mounted) else { return };
    let place = Place::new();
    let line = format!(
        "run advanced {} --engine threads --matrix point --num-small 8 --num-large 0 --duration 1s",
        device.disk().display()
    );
    let (mut child, _stderr) = start_until(&place, &line, "1 point");
    device.command("hang 0 16777216").unwrap();
    while device.gauge().unwrap().in_flight < 8 {
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, "-INT");
    signal(&child, "-TERM");
    std::thread::sleep(Duration::from_millis(1200));
    assert!(
        child.try_wait().unwrap().is_none(),
        "an I/O that hangs is still waited for, as both came together"
    );
    signal(&child, "-INT");
    std::thread::sleep(Duration::from_millis(300));
    // The process is gone for its parent only when the kernel has its I/Os back.
    device.command("release").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let record = Record::read(&std::fs::read(place.only("_record.jsonl")).unwrap()).unwrap();
    assert!(record.closing.is_none(), "it ended at once, with the record whole up to there");
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

/// What was measured is the same in what is shown and in what is said: there is none yet, and the run can go on.
#[test]
fn a_calibration_that_is_stopped_in_its_search_has_no_numbers_to_warn_of() {
    let place = Place::new();
    place.random_file("data", 16 << 20);
    let line = "calibrate data --for 60s --no-html --no-history";
    let told = stopped_when(&place, line, |record| !record.search.is_empty()).expect_code(4);
    assert!(
        told.stdout.starts_with("There are no numbers yet.\nNo point was measured.\n"),
        "{}",
        told.stdout
    );
    assert!(!told.stdout.contains("Do not use"), "{}", told.stdout);
    assert!(told.stderr.contains("the search was not finished after "), "{}", told.stderr);
}

/// Whoever read the results is gone long before the end: the record has them, and a note says how to see them.
#[test]
fn a_reader_that_has_gone_loses_no_result() {
    let place = Place::new();
    let line = "run simple --engine sim --seed 1 --max-duration 60s --no-html --quiet --name alone";
    let script = format!("{{ sleep 0.3; exec {} {line}; }} | true", env!("CARGO_BIN_EXE_rigel"));
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("set -o pipefail; {script}")]).current_dir(place.path());
    let told = crate::support::tell(&mut shell).expect_code(0);
    let note = told.stderr.split_once("ended before it read the results: rigel ").expect(&told.stderr).1;
    let command = note.split(" shows").next().unwrap();
    let shown = place.line(command).expect_code(0).stdout;
    assert!(shown.contains("IOPS"), "{command}: {shown}");
}
