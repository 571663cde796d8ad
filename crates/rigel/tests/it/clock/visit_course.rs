//! A limit on I/O that changes while a visit goes on is told with its times.

use crate::support::{Place, point};
use crate::visit_course::texts;
use rigel_testdev::{BlkioCap, CapLimits, ZramDevice, needs};
use serde_json::Value;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;
/// One visit to one point.
const VISIT: &str = "--matrix point --num-small 8 --num-large 0 --duration 6s --workers 1 --json";

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
        || reads() > before + 200,
        || {
            // The limits are read once a second.
            sleep(Duration::from_millis(1500));
            cap.change(limits(200)).unwrap();
            sleep(Duration::from_secs(2));
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
}
