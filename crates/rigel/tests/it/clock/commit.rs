//! `rigel run commit` on a FUSE device whose times are known, and what is written on real files.

use crate::busy_host::flags_of_points;
use crate::commit::{alone, mean_us, run_flags};
use crate::support::Place;
use rigel_testdev::{DeviceSpec, MissingNeed, TestDevice, needs};
use serde_json::Value;
use std::path::Path;
use std::thread;

fn measure(place: &Place, target: &Path, engine: &str) -> Value {
    let line = format!(
        "run commit {0} --destroy-data {0} --engine {engine} --writers 1 --duration 1s --no-html --json --force",
        target.display()
    );
    place.line(&line).expect_measured().json()
}

/// A write takes 20 ms and a flush 60 ms, always. The device cannot be faster; a machine that is busy with something else can
/// make I/Os come late, so one of a few runs has to come within 1 % for each way to commit and engine. The engines wait nearly all of
/// the time, and so wait at once, each on a device of its own.
#[test]
fn the_flush_time_of_a_real_file_is_found() {
    thread::scope(|scope| {
        for engine in ["io_uring", "libaio", "sync", "threads"] {
            scope.spawn(move || flush_time(engine));
        }
    });
}

fn flush_time(engine: &str) {
    let name = "the_flush_time_of_a_real_file_is_found";
    let spec =
        DeviceSpec { size_bytes: 1 << 20, service_us: 20_000, flush_us: 60_000, ..DeviceSpec::default() };
    let Some(device) = needs(name, TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let mut open = vec![("dsync", 80_000.0), ("fdatasync", 80_000.0), ("unsynced", 20_000.0)];
    let mut seen = Vec::new();
    let (mut told, mut busy) = (Vec::new(), true);
    for _ in 0..6 {
        let document = measure(&place, &device.disk(), engine);
        let flags = flags_of_points(&document);
        busy &= flags.contains("FOREIGN");
        told.push(flags);
        open.retain(|(class, us)| {
            let found = mean_us(alone(&document, class, 1)) / us;
            seen.push((*class, found));
            assert!(found > 0.995, "{engine}: {class} was faster than the device: {found}");
            // The engine threads needs two wake-ups for each I/O, which show beside 20 ms.
            found > if *class == "unsynced" { 1.05 } else { 1.01 }
        });
        assert!(!run_flags(&document).contains(&"FLUSH_FREE".to_owned()), "{engine}: {document}");
        if open.is_empty() {
            return;
        }
    }
    assert!(busy, "{engine}: {open:?} not found: {seen:?}; {told:#?}");
    let reason = format!("{engine}: other programs had the CPUs in every run: {seen:?}");
    needs::<()>("the_flush_time_of_a_real_file_is_found (busy host)", Err(MissingNeed::new(reason)));
}

#[test]
fn a_scratch_file_is_written_and_no_other_target_without_consent() {
    let place = Place::new();
    let line = "run commit --scratch-size 64M --writers 1 --duration 500ms --no-html --json";
    let told = place.line(line).expect_measured();
    assert!(told.stderr.contains("will be written: "), "{}", told.stderr);
    let document = told.json();
    for class in ["dsync", "fdatasync", "unsynced"] {
        let io = alone(&document, class, 1);
        assert!(io["iops"]["value"].as_f64().unwrap() > 0.0 && io["errors"] == 0, "{io}");
    }
    let file = place.random_file("data", 1 << 20);
    let before = std::fs::read(&file).unwrap();
    let refused = place.line("run commit data --duration 200ms").expect_code(3);
    assert!(refused.stderr.contains("--destroy-data"), "{}", refused.stderr);
    assert!(std::fs::read(&file).unwrap() == before, "it was written");
}
