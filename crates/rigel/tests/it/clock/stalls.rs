//! Freezes and slow spells whose length is told within what a busy machine adds to it.

use crate::stalls::{device, frozen_run, is_told, moment, stalled, until_loaded};
use crate::stop::{ended, start_until};
use crate::support::{Place, flat};
use rigel_testdev::{TestDevice, needs};
use std::fs;
use std::thread::sleep;
use std::time::Duration;

/// Both search first, with short visits; the run is ended when the one with the freeze is over.
#[test]
fn a_freeze_is_told_with_its_length_by_searches() {
    let name = "a_freeze_is_told_with_its_length_by_searches";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let disk = device.disk();
    let disk = disk.display();
    for line in [
        format!("slo {disk} --p99 30ms --no-trials --no-html"),
        format!("calibrate {disk} --for 30s --no-trials --no-commits --no-history --no-html"),
    ] {
        let end_after = Some(Duration::from_millis(2500));
        let time = Duration::from_millis(500);
        let (place, held) = frozen_run(&[&device], &line, 200..2500, time, end_after);
        is_told(&line, stalled(&place), &held);
    }
}

/// A spell of less than an interval, and the only target of it.
#[test]
fn a_soak_tells_a_slow_spell_with_its_time_target_and_length() {
    let name = "a_soak_tells_a_slow_spell_with_its_time_target_and_length";
    let Some(device) = needs(name, TestDevice::mount(device())) else { return };
    let Some(other) = needs(name, TestDevice::mount(crate::stalls::device())) else { return };
    let place = Place::new();
    let load =
        "load = \"rigel.load/1\"\n[[class]]\nname = \"data\"\nsize = \"8K\"\narrival = { outstanding = 8 }\n";
    fs::write(place.path().join("data.toml"), load).unwrap();
    let (disk, and) = (device.disk(), other.disk());
    let line = format!(
        "soak --load data.toml {} {} --for 12s --every 4s --name run --no-html",
        disk.display(),
        and.display()
    );
    let (child, stderr) = start_until(&place, &line, "engine ");
    until_loaded(&[&device, &other]);
    sleep(moment(4500..5500));
    other.command(&format!("slow 0 {} 50000", other.size_bytes())).unwrap();
    sleep(Duration::from_secs(3));
    other.command("clear").unwrap();
    let told = ended(child, stderr);
    assert_eq!(told.code, 0, "{}", told.stderr);
    let text = flat(&told.stdout);
    assert!(text.contains("the storage was far slower than usual for "), "{text}");
    assert!(text.contains(&format!(" on, on {} (data I/O took ", and.display())), "{text}");
    let record = place.only_of("run", "_record.jsonl");
    let json = place
        .rigel(["report".as_ref(), record.as_os_str(), "--format".as_ref(), "json".as_ref()])
        .expect_code(0)
        .json();
    let spells = json["slow_spells"].as_array().unwrap();
    let lasted_s: f64 = spells.iter().map(|spell| spell["lasted_s"].as_f64().unwrap()).sum();
    assert!((2.0..4.5).contains(&lasted_s), "{spells:?}");
    assert_eq!(spells[0]["targets"], serde_json::json!([and]));
    let at_s = spells[0]["at_s"].as_f64().unwrap();
    assert!((3.5..6.5).contains(&at_s), "{spells:?}");
}
