//! One file or device alone, by the real binary: what cannot be read is told exactly, with the files that are there; what is slow every time is
//! told, and noise is not.

use super::MIB;
use crate::safety::mount;
use crate::stop::signal;
use crate::support::{Place, ProgramOutput, flat, narrow, tell};
use rigel_testdev::{DeviceSpec, LoopDevice, MissingNeed, TestDevice, needs};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A device of which nothing but the time of its reads matters.
fn device(mib: u64) -> DeviceSpec {
    DeviceSpec { size_bytes: mib * MIB, ..DeviceSpec::default() }
}

fn scrub(place: &Place, path: &Path, more: &str) -> ProgramOutput {
    let path = path.to_str().unwrap();
    place.rigel(["scrub", path, "--quiet"].into_iter().chain(more.split_whitespace()))
}

/// First byte on the device and length of what cannot be read.
fn bad(document: &Value) -> Vec<(u64, u64)> {
    let of = |range: &Value| (range["copies"][0]["offset"].as_u64().unwrap(), range["len"].as_u64().unwrap());
    document["differences"].as_array().unwrap().iter().map(of).collect()
}

fn slow(document: &Value) -> Vec<(u64, u64)> {
    let of = |range: &Value| (range["at"].as_u64().unwrap(), range["len"].as_u64().unwrap());
    document["slow"]["listed"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn every_block_of_a_sound_file_is_read() {
    let place = Place::new();
    // Not a whole number of blocks: the end is read, too.
    place.random_file("a", 9 * MIB + 1234);
    let before = fs::read(place.path().join("a")).unwrap();
    let told = place.line("scrub a --max-mbps 5000").expect_code(0);
    assert!(
        told.stdout.starts_with("Every block of a was read: all 9.00 MiB can be read."),
        "{}",
        told.stdout
    );
    assert!(told.stderr.contains("reads a; nothing is written to it"), "{}", told.stderr);
    assert!(
        told.stderr.contains("reading a: 9.00 MiB of 9.00 MiB, ") && told.stderr.contains(" MB/s"),
        "{}",
        told.stderr
    );
    let document = place.line("scrub a --json --quiet --offset-a 1M --length 2M").expect_code(0).json();
    for (field, value) in [
        ("schema", json!("rigel.scrub/1")),
        ("source", json!("one")),
        ("total_bytes", json!(2 * MIB)),
        ("compared_bytes", json!(2 * MIB)),
        ("complete", json!(true)),
        ("readable", json!(true)),
        ("alike", json!(null)),
        ("files", json!(null)),
        ("differences", json!([])),
    ] {
        assert_eq!(document[field], value, "{field}: {document}");
    }
    assert_eq!(fs::read(place.path().join("a")).unwrap(), before);
    assert_eq!(place.files(), ["a"], "nothing is left behind");
}

#[test]
fn what_cannot_be_read_is_told_exactly() {
    let test = "what_cannot_be_read_is_told_exactly";
    let place = Place::new();
    let Some(device) = needs(test, TestDevice::mount(device(16))) else { return };
    // A block; one that begins before a chunk does and ends in it; a byte; more than a chunk; the last block.
    let faults = [
        (MIB + 8192, 4096),
        (4 * MIB - 4096, 12_288),
        (6 * MIB + 5000, 1),
        (8 * MIB + 4096, 2 * MIB),
        (16 * MIB - 4096, 4096),
    ];
    let told = [
        (MIB + 8192, 4096),
        (4 * MIB - 4096, 12_288),
        (6 * MIB + 4096, 4096),
        (8 * MIB + 4096, 2 * MIB),
        (16 * MIB - 4096, 4096),
    ];
    let commands: String = faults.iter().map(|(at, len)| format!("eio {at} {len}\n")).collect();
    device.command(&commands).unwrap();
    let document = scrub(&place, &device.disk(), "--json --max-mbps 5000").expect_code(1).json();
    assert_eq!(bad(&document), told, "{document}");
    assert_eq!(document["differences"][0]["copies"][0]["errno"], 5, "{document}");
    let bytes = told.iter().map(|(_, len)| len).sum::<u64>();
    for (field, value) in [
        ("readable", json!(false)),
        ("complete", json!(true)),
        ("ranges", json!(5)),
        ("unreadable", json!(5)),
        ("bytes", json!(bytes)),
        ("files", json!(null)),
    ] {
        assert_eq!(document[field], value, "{field}: {document}");
    }
    let told = scrub(&place, &device.disk(), "--max-mbps 5000 --offset-a 1M --length 5M").expect_code(1);
    let text = flat(&told.stdout);
    for part in [
        "was tried: of 5 MiB, 16 KiB in 2 ranges cannot be read.",
        "cannot be read 4096 bytes at 1056768 (error 5)",
        "cannot be read 12288 bytes at 4190208 (error 5)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(narrow(&told.stdout) && told.stderr.contains("not every block can be read"), "{told:?}");
}

/// Much slower than any pause that a busy machine makes of its own accord.
#[test]
fn what_is_slow_every_time_is_told_and_is_no_failure() {
    let test = "what_is_slow_every_time_is_told_and_is_no_failure";
    let place = Place::new();
    let spec = DeviceSpec { service_us: 2000, ..device(48) };
    let Some(device) = needs(test, TestDevice::mount(spec)) else { return };
    device.command(&format!("slow {} {} 400000", 30 * MIB, MIB)).unwrap();
    let told = scrub(&place, &device.disk(), "--json --max-mbps 5000").expect_code(0);
    let document = told.json();
    assert_eq!(slow(&document), [(30 * MIB, MIB)], "{document}");
    let range = &document["slow"]["listed"][0];
    assert_eq!((&range["readings"], &document["readable"]), (&json!(8), &json!(true)), "{document}");
    assert!(range["took_us"].as_u64() >= Some(400_000), "{range}");
    assert!(range["took_us"].as_u64() >= range["neighbours_us"].as_u64().map(|us| 3 * us), "{range}");
}

/// A device whose times are as wild as they can be where all places are alike.
#[test]
fn noise_of_a_sound_device_is_never_told() {
    let test = "noise_of_a_sound_device_is_never_told";
    let place = Place::new();
    let spec = DeviceSpec { service_us: 15_000, exponential: true, ..device(48) };
    let Some(device) = needs(test, TestDevice::mount(spec)) else { return };
    for seed in 0..6 {
        device.command(&format!("seed {seed}")).unwrap();
        let document = scrub(&place, &device.disk(), "--json --max-mbps 5000").expect_code(0).json();
        assert_eq!(slow(&document), [], "seed {seed}: {document}");
        assert_eq!(
            (&document["complete"], &document["readable"]),
            (&json!(true), &json!(true)),
            "{document}"
        );
    }
}

/// Stops a scrub that is under way, and resumes it: all is found, once.
#[test]
fn a_scrub_that_was_stopped_goes_on_to_the_same_answer() {
    let test = "a_scrub_that_was_stopped_goes_on_to_the_same_answer";
    let place = Place::new();
    let Some(device) = needs(test, TestDevice::mount(device(16))) else { return };
    let (disk, kept) = (device.disk(), place.path().join("s.json"));
    device.command(&format!("eio {} 8192\neio {} 4096", 12 * MIB, 15 * MIB + 4096)).unwrap();
    let whole = scrub(&place, &disk, "--json --max-mbps 5000").expect_code(1).json();
    let mut command = place.command();
    command.arg("scrub").arg(&disk).args(["--max-mbps", "2", "--state", "s.json", "--quiet"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !kept.exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(1500));
    signal(&child, "-INT");
    let told = ProgramOutput::from(child.wait_with_output().unwrap()).expect_code(4);
    assert!(told.stderr.contains("rigel scrub --resume s.json"), "{told:?}");
    assert!(flat(&told.stdout).contains("were read, and all of them can be read."), "{told:?}");
    let state: Value = serde_json::from_str(&fs::read_to_string(&kept).unwrap()).unwrap();
    assert!(state["done"].as_u64() < Some(12 * MIB), "{state}");
    let again = place.line("scrub --resume s.json --max-mbps 5000 --json --quiet").expect_code(1).json();
    for field in ["differences", "ranges", "bytes", "complete", "readable", "compared_bytes"] {
        assert_eq!(again[field], whole[field], "{field}");
    }
}

#[test]
fn a_device_that_does_not_answer_ends_it_and_the_place_is_named() {
    let test = "a_device_that_does_not_answer_ends_it_and_the_place_is_named";
    let place = Place::new();
    let Some(device) = needs(test, TestDevice::mount(device(8))) else { return };
    device.command(&format!("eio {MIB} 4096\nhang {} 4096", 5 * MIB)).unwrap();
    // What was found before is told all the same.
    let told = scrub(&place, &device.disk(), "--io-timeout 1s --state kept --json").expect_code(1);
    assert_eq!(bad(&told.json()), [(MIB, 4096)]);
    assert!(told.stderr.contains("no read completed for 1 s"), "{}", told.stderr);
    assert!(told.stderr.contains("byte 5242880"), "{}", told.stderr);
    device.command(&format!("clear\neio {MIB} 4096")).unwrap();
    let document = place.line("scrub --resume kept --json --quiet").expect_code(1).json();
    assert_eq!((bad(&document), &document["complete"]), (vec![(MIB, 4096)], &json!(true)));
    device.command(&format!("clear\nhang {} 4096", 5 * MIB)).unwrap();
    let told = scrub(&place, &device.disk(), "--io-timeout 1s").expect_code(4);
    assert!(told.stderr.contains("no read completed"), "{}", told.stderr);
    device.command("clear").unwrap();
}

/// Where the first byte of a file lies on its device.
fn first_byte(file: &Path) -> Result<u64, MissingNeed> {
    let told = tell(Command::new("filefrag").args(["-v", "-b1"]).arg(file));
    let line = told.stdout.lines().find(|line| line.trim_start().starts_with("0:"));
    let first = line.and_then(|line| line.split(':').nth(2)?.split("..").next()?.trim().parse().ok());
    first.ok_or_else(|| MissingNeed::new(format!("filefrag: {}{}", told.stdout, told.stderr)))
}

/// A file system on a device of which a block of a file cannot be read, and one that is free.
#[test]
fn the_file_that_cannot_be_read_is_named() {
    let test = "the_file_that_cannot_be_read_is_named";
    let place = Place::new();
    let Some(device) = needs(test, TestDevice::mount_blank(device(64))) else { return };
    let Some(disk) = needs(test, LoopDevice::attach(device.disk(), true)) else { return };
    let made = Command::new("mkfs.ext4").args(["-q", "-b", "4096"]).arg(disk.path()).status();
    let made = made.map_err(MissingNeed::new).and_then(|made| match made.success() {
        true => Ok(()),
        false => Err(MissingNeed::new("mkfs.ext4 failed")),
    });
    let Some(()) = needs(test, made) else { return };
    let Some(mounted) = needs(test, mount(disk.path(), &place)) else { return };
    let file = mounted.point().join("a directory/data");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, vec![7; 1 << 20]).unwrap();
    fs::write(mounted.point().join("other"), vec![8; 1 << 20]).unwrap();
    tell(&mut Command::new("sync")).expect_code(0);
    let Some(first) = needs(test, first_byte(&file)) else { return };
    device.command(&format!("eio {} 4096\neio {} 4096", first + 12_288, 62 * MIB)).unwrap();
    let document = scrub(&place, disk.path(), "--json --max-mbps 5000").expect_code(1).json();
    let shown = file.to_str().unwrap();
    let part = json!({"at": first + 12_288, "len": 4096, "path": shown, "offset": 12_288});
    assert_eq!(document["files"]["files"], json!([part]), "{document}");
    assert_eq!(document["files"]["doubt"], json!(null), "{document}");
    let text = scrub(&place, disk.path(), "--max-mbps 5000").expect_code(1).stdout;
    for part in [&format!("{shown} (4096 bytes at 12288 in it)"), "no file has it: free space"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Nobody can tell without the file system.
    drop(mounted);
    let text = flat(&scrub(&place, disk.path(), "--max-mbps 5000").expect_code(1).stdout);
    assert!(text.contains("It is unknown which files are there: no file system of loop"), "{text}");
    device.command("clear").unwrap();
}
