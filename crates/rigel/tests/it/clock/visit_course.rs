//! What changes while a visit goes on, or between two points of a fixed run, is told with its time.

use crate::support::{Place, flags, point};
use rigel_testdev::{BlkioCap, CapLimits, DeviceSpec, TestDevice, ZramDevice, needs};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
/// One visit to one point.
const VISIT: &str = "--matrix point --num-small 8 --num-large 0 --duration 14s --workers 1 --json";

/// The texts of the flags of that code.
fn texts<'a>(of: &'a Value, code: &str) -> Vec<&'a str> {
    let own = of["flags"].as_array().unwrap().iter().filter(|flag| flag["code"] == code);
    own.map(|flag| flag["text"].as_str().unwrap()).collect()
}

#[test]
fn a_fall_within_a_visit_is_told() {
    let place = Place::new();
    let law = "sim:servers=3,service=1ms,rate=0,fall=0.3333:12s:25s";
    let line = format!(
        "run advanced --engine {law} --matrix point --num-small 8 --num-large 0 --duration 45s --json"
    );
    let document = place.line(&line).expect_code(0).json();
    let found = texts(point(&document, 8, 0), "LEVEL_SHIFT");
    // A piece of a quarter of a second has 249 or 250 I/Os.
    let [text] = found[..] else { panic!("{document}") };
    assert!(
        text.starts_with("small: the rate fell from 3,000 to ") && text.contains(" IOPS at 12.0 s "),
        "{text}"
    );
    assert!(text.ends_with(" and came back at 25.0 s of the visit"), "{text}");
}

/// The last of five levels is visited when the device has a third of its speed.
#[test]
fn a_device_that_changes_between_two_points_of_a_fixed_run_is_told() {
    let place = Place::new();
    let run = |law: &str, name: &str| {
        let line = format!(
            "run advanced --engine sim:servers=4,service=1ms,rate=0{law} --matrix row --num-large 0 --num-disks 1 \
             --duration 4s --json --name {name}"
        );
        place.line(&line).expect_code(0).json()
    };
    let steady = run("", "steady");
    assert_eq!(texts(&steady, "LEVEL_SHIFT"), [""; 0]);
    let slower = run(",fall=0.3333:17700ms", "slower");
    let [text] = texts(&slower, "LEVEL_SHIFT")[..] else { panic!("{slower}") };
    assert!(
        text.starts_with("small: 1,334 IOPS at Small=5 and Large=0 is 0.334 of 4,000 IOPS at Small=4"),
        "{text}"
    );
    assert!(
        text.contains("s earlier; the storage changed between them, or more load makes it slower"),
        "{text}"
    );
    assert_eq!(flags(point(&slower, 5, 0)), ["SIMULATED"], "no visit was under both");
}

/// Starts a run, waits until its load has begun, makes changes, and gives its findings.
fn under(mut command: Command, has_begun: impl Fn() -> bool, changes: impl FnOnce()) -> Value {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = Instant::now();
    while !has_begun() && started.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(50));
    }
    changes();
    let output = child.wait_with_output().unwrap();
    let told = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", told()))
}

#[test]
fn a_limit_that_falls_and_comes_back_within_a_visit_is_told() {
    let name = "a_limit_that_falls_and_comes_back_within_a_visit_is_told";
    let place = Place::new();
    let Some(zram) = needs(name, ZramDevice::create(16 * MIB)) else { return };
    zram.fill(16 * MIB).unwrap();
    let limits = |iops| CapLimits { read_iops: Some(iops), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(zram.path(), limits(600))) else { return };
    let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
    command.current_dir(place.path()).arg("run").arg("advanced").arg(zram.path()).args(VISIT.split(' '));
    let stat = format!("/sys/class/block/{}/stat", zram.path().file_name().unwrap().to_string_lossy());
    let reads = || {
        let stat = std::fs::read_to_string(&stat).unwrap();
        stat.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    let before = reads();
    let document = under(
        command,
        || reads() > before + 1000,
        || {
            sleep(Duration::from_secs(2));
            cap.change(limits(200)).unwrap();
            sleep(Duration::from_secs(4));
            cap.change(limits(600)).unwrap();
        },
    );
    let found = point(&document, 8, 0);
    let [changed] = texts(found, "CHANGED")[..] else { panic!("{found}") };
    assert!(
        changed.contains("limits of the control group on I/O changed during visit 1, from "),
        "{changed}"
    );
    assert!(
        changed.contains("riops=600 to ")
            && changed.contains("riops=200 at ")
            && changed.contains("of the visit"),
        "{changed}"
    );
    let [shift] = texts(found, "LEVEL_SHIFT")[..] else { panic!("{found}") };
    assert!(shift.contains("the rate fell from ") && shift.contains(" and came back at "), "{shift}");
}

/// Nothing but the rate tells of a device that becomes slower by itself.
#[test]
fn a_device_that_slows_down_within_a_visit_is_told() {
    let name = "a_device_that_slows_down_within_a_visit_is_told";
    let spec = DeviceSpec {
        size_bytes: 64 * MIB,
        servers: 4,
        service_us: 10_000,
        mbps: None,
        exponential: false,
        flush_us: 0,
    };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let mut command = place.command();
    command.arg("run").arg("advanced").arg(device.disk()).args(VISIT.split(' '));
    device.reset().unwrap();
    let document = under(
        command,
        || device.gauge().unwrap().reads > 500,
        || {
            sleep(Duration::from_secs(2));
            device.command("service_us 40000").unwrap();
            sleep(Duration::from_secs(4));
            device.command("service_us 10000").unwrap();
        },
    );
    let found = point(&document, 8, 0);
    let [shift] = texts(found, "LEVEL_SHIFT")[..] else { panic!("{found}") };
    assert!(shift.contains("the rate fell from ") && shift.contains(" and came back at "), "{shift}");
    assert_eq!(texts(found, "CHANGED"), [""; 0], "{found}");
}
