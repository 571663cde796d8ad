//! What the doctor finds on this machine, where the settings are made for the test.

use crate::safety::{filesystem_on_a_loop_device, mount_with};
use crate::support::{Place, tell};
use rigel_testdev::needs;
use serde_json::Value;
use std::fs;

fn setting<'a>(document: &'a Value, rule: &str, about: &str) -> &'a Value {
    let settings = document["settings"].as_array().unwrap();
    let found = settings.iter().find(|setting| setting["rule"] == rule && setting["about"] == about);
    found.unwrap_or_else(|| panic!("nothing of {rule} for {about} in {document}"))
}

/// Of every severity one: barriers that are off, a loop device that goes through the page cache, a file of holes.
#[test]
fn a_file_on_a_filesystem_that_forgets() {
    let test = "a_file_on_a_filesystem_that_forgets";
    let place = Place::new();
    let Some(device) = needs(test, filesystem_on_a_loop_device(&place)) else { return };
    let mut losetup = std::process::Command::new("losetup");
    assert!(losetup.arg("--direct-io=off").arg(device.path()).status().unwrap().success());
    let Some(mounted) = needs(test, mount_with(device.path(), &place, "nobarrier,strictatime")) else {
        return;
    };
    let file = mounted.point().join("data.dbf");
    fs::File::create(&file).unwrap().set_len(8 << 20).unwrap();
    let (point, file) = (mounted.point().to_str().unwrap(), file.to_str().unwrap());
    let told = place.rigel(["doctor", file, "--json"]).expect_code(1);
    assert!(told.stderr.contains("severity error"), "{}", told.stderr);
    let document = told.json();
    assert_eq!(document["schema"], "rigel.doctor/1");
    let barriers = setting(&document, "barriers", point);
    assert_eq!(
        (barriers["verdict"].as_str(), barriers["value"].as_str()),
        (Some("error"), Some("nobarrier"))
    );
    assert!(barriers["change"].as_str().unwrap().starts_with("mount -o remount,barrier=1 /"), "{barriers}");
    assert_eq!(setting(&document, "access-times", point)["verdict"], "warning");
    assert_eq!(setting(&document, "never-written", file)["verdict"], "warning");
    let name = device.path().file_name().unwrap().to_str().unwrap();
    let cached = setting(&document, "loop-direct-io", name);
    assert_eq!(
        (cached["verdict"].as_str(), cached["value"].as_str()),
        (Some("warning"), Some("off")),
        "{cached}"
    );
    assert_eq!((&barriers["part"], &cached["part"]), (&"database".into(), &"measurement".into()));
    in_two_parts(&place, file, name);
}

/// The verdict, the parts with the gravest first, and the command that leads to what changes a setting.
fn in_two_parts(place: &Place, file: &str, device: &str) {
    let text = place.rigel(["doctor", file]).expect_code(1).stdout;
    assert!(text.contains(" to fix (1 error, "), "{text}");
    // The part with the error stands first, and each command below what it changes.
    let order = [
        "(nobarrier)",
        "change: mount -o remount,barrier=1 /",
        "(strictatime)",
        "never written, so it reads as zeros",
        "Next: ",
    ];
    // A line with a long name is broken.
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let places: Vec<usize> = order.iter().map(|words| flat.find(words).expect(words)).collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.contains(&format!("{device}: goes through the page cache")), "{text}");
    let next = text.lines().find_map(|line| line.strip_prefix("Next: rigel ")).unwrap();
    let whole = place.line(next).expect_code(1).stdout;
    assert!(whole.contains("    change   mount -o remount,barrier=1 /"), "{next}: {whole}");
}

/// A note about the host stands in one line, unless everything is asked for.
#[test]
fn a_line_for_each_finding_unless_all_is_asked_for() {
    let place = Place::new();
    place.random_file("t.dat", 1 << 20);
    let mut limited = std::process::Command::new("prlimit");
    limited.arg("--nofile=512:512").arg(env!("CARGO_BIN_EXE_rigel")).args(["doctor", "t.dat"]);
    let text = tell(limited.current_dir(place.path())).stdout;
    assert!(!text.starts_with("Good") && !text.contains("    why "), "{text}");
    let mut lines = text.lines().skip_while(|line| !line.contains("this login may open at most 512 files"));
    assert!(lines.next().unwrap().contains("warning  host: "), "{text}");
    assert!(lines.next().unwrap().trim_start().starts_with("change: 65536 at least: nofile "), "{text}");
    assert!(text.contains("\nNext: rigel doctor t.dat --all\n"), "{text}");
    let whole = place.line("doctor t.dat --all").stdout;
    assert!(whole.contains("    change   "), "{whole}");
}

/// What the whole host comes to depends on the host; what has to be so everywhere does not.
#[test]
fn the_whole_host_with_numbers_that_add_up() {
    let place = Place::new();
    let told = place.line("doctor --json");
    assert!([0, 1].contains(&told.code), "{told:?}");
    let document = told.json();
    let count = |field: &str| document[field].as_u64().unwrap();
    let settings = document["settings"].as_array().unwrap();
    let all: u64 = ["errors", "warnings", "notes", "fine", "unknown"].into_iter().map(count).sum();
    assert_eq!(all, settings.len() as u64);
    assert_eq!(told.code == 1, count("errors") > 0);
    let swappiness: u32 = fs::read_to_string("/proc/sys/vm/swappiness").unwrap().trim().parse().unwrap();
    let told = setting(&document, "swappiness", "host");
    let no_swap = fs::read_to_string("/proc/swaps").unwrap().lines().count() < 2;
    let value = told["value"].as_str().unwrap();
    assert!(
        value.starts_with(&swappiness.to_string()) && value.contains("there is no swap") == no_swap,
        "{told}"
    );
    assert!(!no_swap || told["verdict"] == "fine", "without swap there is nothing to change: {told}");
    let text = place.line("doctor").stdout;
    let (errors, warnings) = (count("errors"), count("warnings"));
    let of_all = match errors + warnings {
        0 => "Nothing to fix".to_owned(),
        1 => "1 setting to fix".to_owned(),
        all => format!("{all} settings to fix"),
    };
    assert!(text.starts_with(&of_all), "{of_all}: {text}");
    let numbered =
        |line: &&str| line.split_whitespace().next().is_some_and(|word| word.parse::<u32>().is_ok());
    let found = document["settings"].as_array().unwrap().iter();
    let found: std::collections::BTreeSet<&str> = found
        .filter(|setting| !["fine", "unknown"].contains(&setting["verdict"].as_str().unwrap()))
        .map(|setting| setting["rule"].as_str().unwrap())
        .collect();
    assert!(text.lines().filter(numbered).count() >= found.len(), "a line for each: {text}");
}

#[test]
fn a_limit_of_this_process_is_found() {
    let place = Place::new();
    let mut limited = std::process::Command::new("prlimit");
    limited.arg("--nofile=512:512").arg(env!("CARGO_BIN_EXE_rigel")).args(["doctor", "--json"]);
    let document = tell(limited.current_dir(place.path())).json();
    let files = setting(&document, "open-files", "host");
    assert_eq!(
        (files["verdict"].as_str(), files["value"].as_str()),
        (Some("warning"), Some("512")),
        "{files}"
    );
}

#[test]
fn a_target_that_is_not_there() {
    let told = Place::new().line("doctor nowhere").expect_code(3);
    assert!(told.stderr.contains("nowhere"), "{}", told.stderr);
}

/// Facts go into every record: those of the host, and those of every layer below a target.
#[test]
fn a_record_holds_what_the_doctor_looks_at() {
    let place = Place::new();
    place.random_file("t.dat", 16 << 20);
    place.line("run simple t.dat --duration 100ms").expect_code(0);
    let record = fs::read_to_string(place.only("_record.jsonl")).unwrap();
    let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert!(header["nodes"][0]["host"]["settings"]["swappiness"].is_u64(), "{header}");
    assert!(header["nodes"][0]["host"]["limits"]["open_files"].is_object(), "{header}");
    let mount = &header["targets"][0]["mount"];
    assert!(!mount["options"].as_array().unwrap().is_empty(), "{mount}");
}
