//! A device that fails in the middle of a point.

use crate::support::{Place, ProgramOutput, flags, point};
use rigel_core::load::class::Class;
use rigel_testdev::{DeviceSpec, LoopDevice, TestDevice, needs};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

fn device() -> DeviceSpec {
    DeviceSpec {
        size_bytes: 16 << 20,
        servers: 8,
        service_us: 500,
        mbps: None,
        exponential: false,
        flush_us: 0,
    }
}

#[test]
fn errors_are_counted_and_the_run_goes_on() {
    let Some(device) = needs("errors_are_counted_and_the_run_goes_on", TestDevice::mount(device())) else {
        return;
    };
    let place = Place::new();
    for engine in ["io_uring", "libaio", "sync", "threads"] {
        device.command("clear\neio 8388608 4194304").unwrap();
        let line = format!(
            "run advanced {} --engine {engine} --matrix point --num-small 5 --num-large 0 --duration 500ms --json",
            device.disk().display()
        );
        let document = place.line(&line).expect_code_of_flags();
        assert_eq!(document["run"]["complete"], true);
        let found = point(&document, 5, 0);
        assert!(flags(found).contains(&"ERRORS"), "{engine}: {found}");
        assert!(found["classes"]["small"]["errors"].as_u64().unwrap() > 0);
        assert!(found["classes"]["small"]["reads"].as_u64().unwrap() > 0);
        let text = found["flags"].to_string();
        assert!(text.contains("errno 5"), "{text}");
        let offset: u64 = text.split("at byte ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!((8_388_608..8_388_608 + 4_194_304).contains(&offset), "{offset}");
    }
}

#[test]
fn a_device_on_which_everything_fails_ends_the_run() {
    let name = "a_device_on_which_everything_fails_ends_the_run";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    // Whether the first block can be read or not: what the device refuses is no word of the kernel about direct I/O.
    for fault in ["eio 4096 16777216", "eio 0 16777216"] {
        let place = Place::new();
        device.command(&format!("clear\n{fault}")).unwrap();
        let line = format!(
            "run advanced {} --duration 1s --matrix max --num-small 2 --num-large 0 --size-small 64K",
            device.disk().display()
        );
        let told = place.line(&line).expect_code(4);
        for part in ["every I/O of the point", "errno 5"] {
            assert!(told.stderr.contains(part), "{fault}: {}", told.stderr);
        }
        assert!(place.read("_record.jsonl").contains("\"complete\":false"));
        assert!(place.read("_summary.txt").contains("NO_DATA"));
    }
}

const ENGINES: [&str; 4] = ["io_uring", "libaio", "sync", "threads"];

/// What becomes of a fault.
#[derive(Clone, Copy)]
enum Outcome {
    /// Each is an error of the run, the first one told so.
    Each(&'static str),
    /// The layer above asks the device again before it gives up.
    Retried(&'static str),
    /// Nothing was missing.
    No,
}

/// A fault, where it is met, and what a run has to make of it.
struct Case {
    fault: &'static str,
    place: fn(&TestDevice) -> PathBuf,
    through_loop: bool,
    write: bool,
    outcome: Outcome,
}

const fn case(
    fault: &'static str,
    place: fn(&TestDevice) -> PathBuf,
    through_loop: bool,
    outcome: Outcome,
) -> Case {
    Case { fault, place, through_loop, write: false, outcome }
}

impl Case {
    const fn of_writes(self) -> Self {
        Self { write: true, ..self }
    }
}

/// A short read of `disk` makes the kernel believe that the file ends there. The driver of loop devices asks for the rest of a short
/// read until it gets nothing. A bit that is wrong in data of others is not Rigel's to know; it must not be taken for an error
/// either.
const CASES: [Case; 9] = [
    case("eio", TestDevice::disk, false, Outcome::Each("errno 5")),
    case("eio", TestDevice::disk, true, Outcome::Each("errno 5")),
    case("short", TestDevice::raw, false, Outcome::Each("fewer bytes")),
    case("short", TestDevice::raw, true, Outcome::Retried("errno 5")),
    case("corrupt", TestDevice::disk, false, Outcome::No),
    case("corrupt", TestDevice::disk, true, Outcome::No),
    case("enospc", TestDevice::disk, false, Outcome::No),
    case("enospc", TestDevice::disk, false, Outcome::Each("errno 28")).of_writes(),
    case("enospc", TestDevice::disk, true, Outcome::Each("errno 28")).of_writes(),
];

/// One outstanding I/O, so that the kernel cannot merge two of them to one that fails for both.
fn one_point(place: &Place, target: &Path, engine: &str, write: bool) -> Value {
    let target = target.display();
    let mut line = format!(
        "run advanced {target} --engine {engine} --no-trials --matrix point --num-small 1 --num-large 0 --duration 300ms --json"
    );
    if write {
        line += &format!(" --write 100 --destroy-data {target}");
    }
    point(&place.line(&line).expect_code_of_flags(), 1, 0).clone()
}

/// Every fault, with every engine, on the file and under a loop device: as many I/Os failed as the device failed.
#[test]
fn what_the_device_fails_is_what_is_counted() {
    let name = "what_the_device_fails_is_what_is_counted";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    for Case { fault, place, through_loop, write, outcome } in CASES {
        let file = place(&device);
        let on_top = if through_loop {
            let Some(on_top) = needs(name, LoopDevice::attach(&file, true)) else { return };
            Some(on_top)
        } else {
            None
        };
        let target = on_top.as_ref().map_or(file.as_path(), LoopDevice::path);
        for engine in ENGINES {
            let case = format!("{fault}, {engine}, loop {through_loop}, write {write}");
            let done = if write { "writes" } else { "reads" };
            let place = Place::new();
            device.command(&format!("clear\n{fault} 4194304 8388608\nreset")).unwrap();
            let found = one_point(&place, target, engine, write);
            let failed = device.gauge().unwrap().errors_injected;
            let errors = found["classes"]["small"]["errors"].as_u64().unwrap();
            assert!(found["classes"]["small"][done].as_u64().unwrap() > 0, "{case}: {found}");
            let (text, exact) = match outcome {
                Outcome::Each(text) => (text, true),
                Outcome::Retried(text) => (text, false),
                Outcome::No => {
                    assert_eq!(errors, 0, "{case}: {found}");
                    continue;
                }
            };
            assert!(failed > 0, "{case}: the fault was met");
            assert!(
                if exact { errors == failed } else { (1..=failed).contains(&errors) },
                "{case}: {failed}, {found}"
            );
            let flag = found["flags"].to_string();
            assert!(flag.contains(text) && flag.contains("ERRORS"), "{case}: {flag}");
        }
        device.command("clear").unwrap();
    }
}

/// On the file and under a loop device, with every engine at once, as they wait nearly all of the time: each has a device of its own.
fn everywhere(name: &str, spec: DeviceSpec, test: fn(&TestDevice, &Path, &str)) {
    let one = |engine: &str, through_loop: bool| {
        let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
        if !through_loop {
            return test(&device, &device.disk(), engine);
        }
        let Some(on_top) = needs(name, LoopDevice::attach(device.disk(), true)) else { return };
        test(&device, on_top.path(), engine);
    };
    thread::scope(|scope| {
        for engine in ENGINES {
            for through_loop in [false, true] {
                scope.spawn(move || one(engine, through_loop));
            }
        }
    });
}

/// All I/Os stand still for a second or more, and then come back: no error and nothing hung, but a latency of that length, wherever in the
/// visit it began.
#[test]
fn a_stall_is_a_latency() {
    everywhere("a_stall_is_a_latency", DeviceSpec { service_us: 20_000, ..device() }, stall);
}

fn stall(device: &TestDevice, target: &Path, engine: &str) {
    let place = Place::new();
    device.command("hang 4194304 8388608\nreset").unwrap();
    let line = format!(
        "run advanced {} --engine {engine} --no-trials --matrix point --num-small 4 --num-large 0 --duration 6s --json",
        target.display()
    );
    let mut command = place.command();
    command.args(line.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let stuck = || Some(device.gauge().unwrap()).filter(|gauge| gauge.in_flight == 4);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        let before = stuck();
        sleep(Duration::from_secs(1));
        if before.is_some_and(|before| stuck().is_some_and(|now| now.reads == before.reads)) {
            break;
        }
    }
    device.command("release").unwrap();
    let told = ProgramOutput::from(child.wait_with_output().unwrap()).expect_measured();
    let document = told.json();
    let found = point(&document, 4, 0);
    assert_eq!(found["classes"]["small"]["errors"], 0, "{engine}: {found}");
    let raised = flags(found);
    assert!(!raised.contains(&"HUNG") && raised.contains(&"STALLED"), "{engine}: {found}");
    let record = rigel_core::record::Record::read(place.read("_record.jsonl").as_bytes()).unwrap();
    let longest_ns = record.visits[0].tallies[&Class::SMALL].longest_ns();
    assert!(
        longest_ns >= 1_000_000_000,
        "{engine} on {}: {longest_ns} ns\n{}",
        target.display(),
        told.stderr
    );
}

/// The device never answers a part of its blocks. Where the kernel keeps a process until its requests are over, whatever it does, the device
/// answers at last: with libaio it waits for them when the memory goes, with threads for each system call. With io_uring the
/// process ends before.
#[test]
fn a_device_that_never_answers_ends_the_run() {
    everywhere("a_device_that_never_answers_ends_the_run", device(), no_answer);
}

fn no_answer(device: &TestDevice, target: &Path, engine: &str) {
    let place = Place::new();
    device.command("hang 8388608 4194304").unwrap();
    let line = format!("--engine {engine} --duration 60s --io-timeout 1s --quiet --json");
    let mut run = place.command();
    run.args(["run", "simple"]).arg(target).args(line.split(' '));
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
    let told = ProgramOutput::from(child.wait_with_output().unwrap()).expect_code(4);
    assert!(
        told.stderr.contains("did not complete for") && told.stderr.contains("--io-timeout"),
        "{engine}: {}",
        told.stderr
    );
    let document = told.json();
    let found = document["points"].as_array().unwrap().iter().find(|point| flags(point).contains(&"HUNG"));
    let text = found.unwrap_or_else(|| panic!("{engine}: no flag: {document}"))["flags"].to_string();
    let offset: u64 = text.split("read at byte ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((8_388_608 - 8192..8_388_608 + 4_194_304).contains(&offset), "{engine}: {text}");
    assert!(place.read("_record.jsonl").ends_with("}\n"), "the record is whole");
    device.command("release").unwrap();
}
