//! A device that fails in the middle of a point.

use crate::support::{Place, flags, point};
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

fn device() -> DeviceSpec {
    DeviceSpec { size_bytes: 16 << 20, servers: 8, service_us: 500, mbps: None, exponential: false }
}

#[test]
fn errors_are_counted_and_the_run_goes_on() {
    let Some(device) = needs("errors_are_counted_and_the_run_goes_on", TestDevice::mount(device())) else {
        return;
    };
    let place = Place::new();
    for engine in ["io_uring", "libaio", "threads"] {
        device.command("clear\neio 8388608 65536").unwrap();
        let line =
            format!("run simple {} --engine {engine} --duration 500ms --json", device.disk().display());
        let document = place.line(&line).expect_code(0).json();
        assert_eq!(document["run"]["complete"], true);
        let found = point(&document, 5, 0);
        assert!(flags(found).contains(&"ERRORS"), "{engine}: {found}");
        assert!(found["small_io"]["errors"].as_u64().unwrap() > 0);
        assert!(found["small_io"]["reads"].as_u64().unwrap() > 0);
        let text = found["flags"].to_string();
        assert!(text.contains("errno 5"), "{text}");
        let offset: u64 = text.split("at byte ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((8_388_608..8_388_608 + 65_536).contains(&offset), "{offset}");
        let summary = std::fs::read_dir(place.path()).unwrap().filter_map(Result::ok);
        let told = summary
            .filter(|entry| entry.file_name().to_string_lossy().ends_with("_summary.txt"))
            .any(|entry| std::fs::read_to_string(entry.path()).unwrap().contains("ERRORS"));
        assert!(told, "the summary shows the flag");
    }
}

#[test]
fn a_device_on_which_everything_fails_ends_the_run() {
    let name = "a_device_on_which_everything_fails_ends_the_run";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let place = Place::new();
    // The first block stays readable, so that the target can be looked at.
    device.command("eio 4096 16777216").unwrap();
    let line = format!(
        "run advanced {} --duration 1s --matrix max --num-small 2 --num-large 0 --size-small 64K",
        device.disk().display()
    );
    let told = place.line(&line).expect_code(4);
    assert!(
        told.stderr.contains("every I/O of the point") && told.stderr.contains("errno 5"),
        "{}",
        told.stderr
    );
    assert!(place.read("_record.jsonl").contains("\"complete\":false"));
    assert!(place.read("_summary.txt").contains("NO_DATA"));
}

#[test]
fn short_reads_are_errors() {
    let Some(device) = needs("short_reads_are_errors", TestDevice::mount(device())) else { return };
    let place = Place::new();
    device.command("short 4194304 1048576").unwrap();
    let line = format!("run simple {} --duration 500ms --json", device.raw().display());
    let document = place.line(&line).expect_code(0).json();
    let text = point(&document, 5, 0)["flags"].to_string();
    assert!(text.contains("fewer bytes"), "{text}");
}

/// The device never answers a part of its blocks. Where the kernel keeps a process until its requests are over, whatever it does, the device
/// answers at last: with libaio it waits for them when the memory goes, with threads for each system call. With io_uring the
/// process ends before.
#[test]
fn a_device_that_never_answers_ends_the_run() {
    let name = "a_device_that_never_answers_ends_the_run";
    for engine in ["io_uring", "threads", "libaio"] {
        let Some(device) = needs(name, TestDevice::mount(device())) else { return };
        let place = Place::new();
        device.command("hang 8388608 4194304").unwrap();
        let mut run = place.command();
        let disk = device.disk();
        let line = format!("--engine {engine} --duration 60s --io-timeout 1s --quiet --json");
        run.args(["run", "simple"]).arg(&disk).args(line.split(' '));
        let mut child = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if engine != "io_uring" {
            let told = || place.files().iter().any(|file| file.ends_with("_summary.txt"));
            let begun = Instant::now();
            while !told() && begun.elapsed() < Duration::from_secs(60) {
                sleep(Duration::from_millis(50));
            }
            assert!(told(), "the outputs are there while the kernel holds the process: {:?}", place.files());
            assert!(child.try_wait().unwrap().is_none(), "the kernel holds it");
            device.command("release").unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(4), "{engine}: {stderr}");
        assert!(
            stderr.contains("did not come back for") && stderr.contains("--io-timeout"),
            "{engine}: {stderr}"
        );
        let document: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let found =
            document["points"].as_array().unwrap().iter().find(|point| flags(point).contains(&"HUNG"));
        let text = found.unwrap_or_else(|| panic!("{engine}: no flag: {document}"))["flags"].to_string();
        let offset: u64 =
            text.split("read at byte ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((8_388_608 - 8192..8_388_608 + 4_194_304).contains(&offset), "{engine}: {text}");
        assert!(place.read("_record.jsonl").ends_with("}\n"), "the record is whole");
        device.command("release").unwrap();
    }
}
