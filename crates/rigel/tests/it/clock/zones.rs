//! `rigel run zones` on a FUSE device, a part of which is slow.

use crate::busy_host::{flags_of_points, of_a_few};
use crate::support::Place;
use rigel_testdev::{DeviceSpec, TestDevice, needs};
use serde_json::Value;

const MIB: u64 = 1 << 20;

/// The mean latency at each of eight places, in microseconds, endless where nothing came back. The level of a class is the number of the
/// place.
fn latencies(document: &Value, class: &str) -> Vec<f64> {
    let points = document["points"].as_array().unwrap();
    let of = |place: u64| {
        let is_it = |point: &&Value| point["levels"][class] == place;
        let found = points.iter().find(is_it).unwrap_or_else(|| panic!("no {class} at {place}: {document}"));
        found["classes"][class]["latency_us"]["mean"]["value"].as_f64().unwrap_or(f64::INFINITY)
    };
    (1..=8).map(of).collect()
}

/// Places 4 and 5 of 8 take 9 ms more for each request: 10 ms instead of 1 ms, and four times as long where four I/Os of a stream wait
/// for the only station. They are never faster; a machine that is busy can make others slow, so one of a few runs has to tell them apart.
#[test]
fn a_slow_region_of_a_file_is_slow_at_its_places() {
    let name = "a_slow_region_of_a_file_is_slow_at_its_places";
    let spec = DeviceSpec { size_bytes: 32 * MIB, service_us: 1000, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    device.command(&format!("slow {} {} 9000", 12 * MIB, 8 * MIB)).unwrap();
    let line = format!(
        "run zones {} --places 8 --duration 300ms --size-large 128K --no-html --json --quiet --force",
        device.disk().display()
    );
    of_a_few(name, 3, || {
        let document = place.line(&line).expect_measured().json();
        let found = [("random", 10_000.0), ("stream", 35_000.0)].map(|(class, slow_us)| {
            let found = latencies(&document, class);
            let is_slow: Vec<bool> = found.iter().map(|us| *us >= slow_us).collect();
            assert!(is_slow[3] && is_slow[4], "{class}: faster than the device: {found:?} us");
            (is_slow.iter().filter(|slow| **slow).count(), found)
        });
        let told = format!("us of random I/O and of streams: {found:?}, {}", flags_of_points(&document));
        (found.iter().all(|(slow, _)| *slow == 2), told)
    });
}
