//! What drives say of themselves before and after `rigel soak`, with the real binary and a program called `smartctl` that says what the test wants.

use crate::soak::{document, record};
use crate::support::{Place, ProgramOutput, flat, tell};
use rigel_core::facts::drive;
use rigel_io::targets::inspect::{InspectedTarget, Snapshot, inspect};
use rigel_testdev::{MissingNeed, needs};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const SHORT: &str = "soak --for 1s --every 1s data";

/// A place with a file on a drive, and a `smartctl` that runs `script`; nothing where no drive is below the directory of the build.
fn place(name: &str, script: &str) -> Option<Place> {
    let place = Place::new();
    place.random_file("data", 2 << 20);
    let bin = place.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let program = bin.join("smartctl");
    fs::write(&program, format!("#!/bin/sh\ncd {}\n{script}\n", place.path().display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    needs(
        name,
        if has_drive(place.path()) {
            Ok(place)
        } else {
            Err(MissingNeed::new("no drive is below the directory of the build"))
        },
    )
}

/// Whether the kernel names a drive below the file `data` of a directory.
pub fn has_drive(dir: &Path) -> bool {
    let file = dir.join("data");
    let facts = inspect(&file, &Snapshot::take()).map(InspectedTarget::into_facts).unwrap();
    !drive::below(&[facts]).is_empty()
}

/// Runs the binary with the program of the place before others.
fn run(place: &Place, line: &str) -> ProgramOutput {
    let mut command: Command = place.command();
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}/bin:{path}", place.path().display()));
    tell(command.args(line.split_whitespace()))
}

/// Prints `before` when it is asked first about a drive, then `after`.
fn changing(before: &Value, after: &Value) -> String {
    format!(
        "seen=seen-$(basename \"$3\")\nif mkdir $seen 2>/dev/null; then echo '{before}'; else echo '{after}'; exit 8; fi"
    )
}

fn nvme(media_errors: u64, hours: u64) -> Value {
    json!({
        "model_name": "Fast Disk", "serial_number": "S1", "smart_status": {"passed": true},
        "nvme_smart_health_information_log": {
            "critical_warning": 0, "media_errors": media_errors, "power_on_hours": hours, "percentage_used": 3,
            "num_err_log_entries": hours, "unsafe_shutdowns": hours,
        },
    })
}

#[test]
fn damage_that_grew_under_load_is_a_finding_in_every_output() {
    let name = "damage_that_grew_under_load_is_a_finding_in_every_output";
    let Some(place) = place(name, &changing(&nvme(2, 10), &nvme(5, 34))) else { return };
    let told = run(&place, SHORT).expect_code(1);
    let sign = "reports: media errors rose by 3, from 2";
    let flat = flat(&told.stdout);
    assert!(flat.contains(sign) && flat.contains("Fast Disk, serial S1"), "{}", told.stdout);
    assert!(flat.contains("power-on hours 34 (before 10)"), "{}", told.stdout);
    assert!(told.stderr.contains("a drive reports damage"), "{}", told.stderr);
    let found = document(&place);
    let drive = &found["drives"][0];
    assert_eq!((&found["faulty"], &drive["worse"], &drive["looks"]), (&json!(true), &json!(true), &json!(2)));
    let counter = |name: &str| {
        let all = drive["counters"].as_array().unwrap();
        all.iter().find(|one| one["counter"] == name).unwrap_or_else(|| panic!("{name}: {drive}")).clone()
    };
    let expected =
        json!({"counter": "media_errors", "first": 2, "last": 5, "looks": 2, "most": 5, "worse": true});
    assert_eq!(counter("media_errors"), expected);
    assert_eq!(counter("unsafe_shutdowns")["worse"], json!(false));
    let page = place.read("_report.html");
    assert!(page.contains("media errors rose by 3"), "the page");
    let metrics = place.read("_metrics.prom");
    let sample = metrics.lines().find(|line| line.contains("counter=\"media_errors\"")).unwrap();
    assert!(sample.starts_with("rigel_soak_drive_log{") && sample.ends_with(" 5.0"), "{sample}");
    assert!(sample.contains("serial=\"S1\""), "{sample}");
}

#[test]
fn wear_and_hours_are_told_and_are_no_finding_and_a_soak_that_goes_on_asks_again() {
    let name = "wear_and_hours_are_told_and_are_no_finding_and_a_soak_that_goes_on_asks_again";
    let Some(place) = place(name, &changing(&nvme(2, 10), &nvme(2, 34))) else { return };
    let told = run(&place, "soak --for 2s --every 1s data").expect_code(0);
    let flat = flat(&told.stdout);
    assert!(flat.contains("show no new damage and no alarm"), "{}", told.stdout);
    assert!(!told.stderr.contains("SMART"), "nothing is missing: {}", told.stderr);
    // As if it had been killed in its last moment: the looks before are kept.
    let path = place.only("_record.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let visits = lines.iter().filter(|line| line.starts_with("{\"line\":\"visit\"")).count();
    assert!(visits > 1, "{visits}");
    let first = lines.iter().position(|line| line.starts_with("{\"line\":\"visit\"")).unwrap();
    fs::write(&path, lines[..=first].iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    run(&place, &format!("soak --resume {}", path.display())).expect_code(0);
    let record = record(&place);
    assert_eq!((record.drives.len(), record.resumed.len(), record.complete()), (3, 1, true));
    assert_eq!(document(&place)["drives"][0]["looks"], json!(3));
}

/// What the first look meets is told at once, what the last one meets stands in the result.
#[test]
fn a_program_that_hangs_prints_rubbish_or_may_not_ask_is_a_note_and_the_soak_goes_on() {
    let name = "a_program_that_hangs_prints_rubbish_or_may_not_ask_is_a_note_and_the_soak_goes_on";
    let refused = json!({"smartctl": {"messages": [{"string": "Permission denied", "severity": "error"}], "exit_status": 2}});
    let refuses = "smartctl says: Permission denied";
    for (script, first, last) in [
        (
            "mkdir seen 2>/dev/null && exec sleep 1000; head -c 100000 /dev/urandom".to_owned(),
            "did not answer within 10 s",
            "nothing readable",
        ),
        (format!("echo '{refused}'; exit 2"), refuses, refuses),
    ] {
        let Some(place) = place(name, &script) else { return };
        let told = run(&place, SHORT).expect_code(0);
        assert_eq!(told.stderr.matches(first).count(), 1, "{}", told.stderr);
        assert!(flat(&told.stdout).contains(last), "{}", told.stdout);
        let found = document(&place);
        assert_eq!((&found["faulty"], &found["complete"]), (&json!(false), &json!(true)));
        assert!(found["drives"][0]["unknown"].as_str().unwrap().contains(last), "{found}");
        // The time that it took to ask is none of the load.
        let [asked_s, lasted_s] = ["asked_s", "lasted_s"].map(|what| found[what].as_f64().unwrap());
        assert!(lasted_s > asked_s - 0.6, "{lasted_s} of {asked_s}");
    }
}

#[test]
fn a_host_without_the_program_is_told_so_once() {
    let name = "a_host_without_the_program_is_told_so_once";
    let Some(place) = place(name, "") else { return };
    let beside = ["/usr/sbin", "/usr/local/sbin", "/sbin"].map(|dir| Path::new(dir).join("smartctl"));
    let is_there = beside.iter().any(|file| file.exists());
    let missing = if is_there { Err(MissingNeed::new("smartctl is installed")) } else { Ok(()) };
    let Some(()) = needs(name, missing) else { return };
    let mut command = place.command();
    command.env("PATH", place.path());
    let told = tell(command.args(SHORT.split_whitespace())).expect_code(0);
    assert_eq!(told.stderr.matches("smartctl is not in PATH").count(), 1, "{}", told.stderr);
    assert!(told.stdout.contains("smartctl is not"), "{}", told.stdout);
    let quiet = {
        let mut command = place.command();
        command.env("PATH", place.path());
        tell(command.args(format!("{SHORT} --quiet --name quiet").split_whitespace())).expect_code(0)
    };
    assert!(!quiet.stderr.contains("smartctl"), "{}", quiet.stderr);
}

#[test]
fn where_there_is_no_drive_one_sentence_says_so_and_of_a_simulated_device_none() {
    let place = Place::new();
    let told = place.line("soak --for 3s --engine sim --json").expect_code(0);
    let found = told.json();
    assert_eq!(found["drives"], Value::Null);
    assert!(!found["told"].to_string().contains("SMART"), "{}", found["told"]);
    let memory = Place::new();
    let target = Path::new("/dev/shm").join(format!("rigel-drives-{}", std::process::id()));
    let made = rigel_testdev::random_file(&target, 2 << 20);
    let Some(()) = needs(
        "where_there_is_no_drive_one_sentence_says_so_and_of_a_simulated_device_none",
        made.map_err(|error| MissingNeed::new(error.to_string())),
    ) else {
        return;
    };
    let told = memory.line(&format!("soak --for 1s --allow-memory {}", target.display()));
    fs::remove_file(&target).unwrap();
    let told = told.expect_code(0);
    let flat = flat(&told.stdout);
    assert!(flat.contains("no drive below the targets is known"), "{}", told.stdout);
}
