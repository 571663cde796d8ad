//! Verified blocks on a device that damages, loses and misplaces writes: what it did is found, named right, and nothing else.

use crate::stop::{signal, start_until};
use crate::support::Place;
use rigel_core::load::class::Class;
use rigel_core::record::Record;
use rigel_core::verify::{Fault, VerifyCounts};
use rigel_testdev::{DeviceSpec, Gauge, TestDevice, needs};
use std::io::Read as _;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

const ENGINES: [&str; 4] = ["io_uring", "libaio", "sync", "threads"];
const SIZE_BYTES: u64 = 512 << 10;
const BLOCKS: u64 = SIZE_BYTES / 4096;
/// Longer than a visit settles, which began before the first write.
const SETTLED_US: u64 = 700_000;
/// Of twenty I/Os one is a write: a block is read 19 times on average before it is written again, and all but surely once.
const LOAD: &str = r#"load = "rigel.load/1"
[[class]]
name = "data"
size = "4K"
write = 5
verify = true
arrival = { outstanding = 8 }
"#;

fn device() -> DeviceSpec {
    DeviceSpec { size_bytes: SIZE_BYTES, ..DeviceSpec::default() }
}

/// What a device does, and how many blocks have which faults then.
struct Case {
    commands: &'static str,
    corrupt: [u64; 2],
    torn: [u64; 2],
    misdirected: [u64; 2],
    stale: [u64; 2],
    zeroed: [u64; 2],
}

const NONE: Case =
    Case { commands: "", corrupt: [0; 2], torn: [0; 2], misdirected: [0; 2], stale: [0; 2], zeroed: [0; 2] };

const CASES: [Case; 5] = [
    NONE,
    // Within a pass each write goes to another block.
    Case {
        commands: "flip nth 20\ntorn nth 50 3\nzero nth 80\nlost nth 110",
        corrupt: [1, 1],
        torn: [1, 1],
        zeroed: [1, 1],
        stale: [1, 1],
        ..NONE
    },
    // It comes before the next write to the block, or undoes that.
    Case { commands: "delay nth 50 1500", stale: [1, 2], ..NONE },
    // A read at the time of a write may be answered with either.
    Case { commands: "stale nth 40\nstale nth 60\nstale nth 80", stale: [1, 3], ..NONE },
    // The block that it falls on may be written before it is read, and another one may fall on that which is missed.
    Case {
        commands: "misdirect nth 10 200704\nmisdirect nth 20 200704\nmisdirect nth 30 200704\nmisdirect nth 40 200704",
        misdirected: [1, 4],
        stale: [1, 4],
        ..NONE
    },
];

/// Waits until the device has what is asked for.
fn wait(device: &TestDevice, holds: impl Fn(&Gauge) -> bool) -> Gauge {
    let begun = Instant::now();
    loop {
        let gauge = device.gauge().unwrap();
        if holds(&gauge) {
            return gauge;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "waited in vain: {gauge}");
        sleep(Duration::from_millis(5));
    }
}

/// Runs the load, gives the device commands after two passes, waits for another pass, and ends the run. What was found, and the exit
/// code with what was told.
fn found(device: &TestDevice, engine: &str, commands: &str) -> (VerifyCounts, i32, String) {
    // With one worker all blocks are read and written in step; those of sync, one for each I/O, need more passes until all were read.
    let (workers, passes) = match (engine, commands) {
        ("sync", _) => ("", 3),
        (_, "") => ("--workers 2", 1),
        _ => ("--workers 1", 1),
    };
    device.command("clear\nreset").unwrap();
    let place = Place::new();
    std::fs::write(place.path().join("data.toml"), LOAD).unwrap();
    let target = device.disk();
    let target = target.display();
    let line = format!(
        "run --load data.toml {target} --destroy-data {target} --engine {engine} --duration 10m --no-html {workers}"
    );
    let (mut child, mut stderr) = start_until(&place, &line, "engine ");
    let begun_us = wait(device, |gauge| gauge.writes > 2 * BLOCKS + 64).elapsed_us;
    device.command(commands).unwrap();
    let sprung = wait(device, |gauge| gauge.armed == 0).writes;
    wait(device, |gauge| gauge.writes > sprung + passes * BLOCKS + 64);
    // A visit that ends before its window begins is not recorded.
    wait(device, |gauge| gauge.elapsed_us > begun_us + SETTLED_US);
    signal(&child, "-INT");
    let mut told = String::new();
    stderr.read_to_string(&mut told).unwrap();
    let code = child.wait().unwrap().code().unwrap();
    (verified(place.only("_record.jsonl").as_path()), code, told)
}

fn verified(record: &Path) -> VerifyCounts {
    let record = Record::read(&std::fs::read(record).unwrap()).unwrap();
    let class = Class::named("data").unwrap();
    *record.visits[0].tallies[&class].verified.clone().unwrap()
}

fn every_fault_is_found_and_named(name: &str, engine: &str) {
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    for case in CASES {
        let (seen, code, told) = found(&device, engine, case.commands);
        let faults = seen.faults;
        let counts = [
            (faults.corrupt, case.corrupt),
            (faults.torn, case.torn),
            (faults.misdirected, case.misdirected),
            (faults.stale, case.stale),
            (faults.zeroed, case.zeroed),
            (faults.ahead + faults.foreign + faults.unreadable, [0; 2]),
        ];
        let right = |(count, [least, most]): &(u64, [u64; 2])| (*least..=*most).contains(count);
        assert!(counts.iter().all(right), "{engine}, {}: {seen:?}", case.commands);
        assert!(seen.checked > 19 * BLOCKS && seen.written > 3 * BLOCKS, "{seen:?}");
        for finding in &seen.findings {
            assert!(finding.offset < SIZE_BYTES && finding.found_hex != finding.expected_hex, "{finding:?}");
            if let Fault::Misdirected { from_offset, from_target, .. } = finding.fault {
                assert_eq!((from_offset + 200_704) % SIZE_BYTES, finding.offset, "{finding:?}");
                assert_eq!(from_target, 0);
            }
        }
        if case.commands.is_empty() {
            assert_eq!(code, 4, "{told}");
        } else {
            assert_eq!(code, 1, "{told}");
            assert!(told.contains("corrupted or lost data"), "{told}");
        }
    }
}

#[test]
fn every_fault_is_found_with_io_uring() {
    every_fault_is_found_and_named("every_fault_is_found_with_io_uring", ENGINES[0]);
}

#[test]
fn every_fault_is_found_with_libaio() {
    every_fault_is_found_and_named("every_fault_is_found_with_libaio", ENGINES[1]);
}

#[test]
fn every_fault_is_found_with_sync() {
    every_fault_is_found_and_named("every_fault_is_found_with_sync", ENGINES[2]);
}

#[test]
fn every_fault_is_found_with_threads() {
    every_fault_is_found_and_named("every_fault_is_found_with_threads", ENGINES[3]);
}

#[test]
fn blocks_that_cannot_be_read_or_written_are_told_and_no_others_accused() {
    let name = "blocks_that_cannot_be_read_or_written_are_told_and_no_others_accused";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    for engine in ENGINES {
        let (seen, code, told) = found(&device, engine, "eio 262144 16384");
        let faults = seen.faults;
        assert!(code == 1 && told.contains("errno 5"), "{engine}: {told}");
        assert!(faults.unreadable > 0 && faults.all() == faults.unreadable, "{engine}: {seen:?}");
        let place = 262_144..262_144 + 16_384;
        assert!(seen.findings.iter().all(|finding| place.contains(&finding.offset)), "{seen:?}");
    }
}

/// The second run finds the file that the first one kept.
#[test]
fn a_run_that_finds_nothing_accuses_nobody_and_its_scratch_file_stays_its_own() {
    let place = Place::new();
    std::fs::write(place.path().join("data.toml"), LOAD).unwrap();
    let line = "run --load data.toml --scratch-size 16M --keep-scratch --duration 1s --no-html";
    for is_used_again in [false, true] {
        let told = place.line(line).expect_measured();
        assert_eq!(told.stderr.contains("is reused"), is_used_again, "{}", told.stderr);
        let seen = verified(&place.only("_record.jsonl"));
        assert!(seen.written > 0 && seen.faults.all() == 0, "{seen:?}");
        std::fs::remove_file(place.only("_record.jsonl")).unwrap();
    }
}

#[test]
fn what_cannot_be_verified_is_refused_with_a_reason() {
    let place = Place::new();
    for (text, engine, because) in [
        (LOAD.replace("write = 5", "write = 0"), "io_uring", "writes nothing"),
        (LOAD.replace("\"4K\"", "\"2K\""), "io_uring", "4 KiB"),
        (LOAD.replace("verify = true", "verify = 1"), "io_uring", "true or false"),
        (LOAD.to_owned(), "null", "moves no data"),
        (LOAD.to_owned(), "sim", "moves no data"),
    ] {
        std::fs::write(place.path().join("data.toml"), text).unwrap();
        let told = place.line(&format!("run --load data.toml --engine {engine} --dry-run")).expect_code(2);
        assert!(told.stderr.contains(because), "{}", told.stderr);
    }
}
