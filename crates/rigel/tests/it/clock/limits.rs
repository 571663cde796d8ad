//! A limit is told from saturation: memory under a cap of the block cgroup, and a device that is merely full.

use crate::support::{Place, Told, tell};
use rigel_core::judge::findings::Findings;
use rigel_core::judge::flags::FlagCode;
use rigel_core::record::Record;
use rigel_testdev::{BlkioCap, CapLimits, DeviceSpec, TestDevice, ZramDevice, needs};
use std::path::Path;

/// Levels 1 to 5 of small I/O, 4 s each: two pieces for each level.
fn arguments(target: &Path) -> Vec<String> {
    let line = "run advanced --matrix row --num-large 0 --num-disks 1 --duration 4s --name limits";
    line.split(' ').map(str::to_owned).chain([target.display().to_string()]).collect()
}

/// The texts of the flags that tell of a limit.
fn throttled(place: &Place, told: Told) -> Vec<String> {
    told.expect_code(0);
    let record = Record::read(place.read("_record.jsonl").as_bytes()).unwrap();
    let flags = Findings::of(&record).flags.into_iter();
    flags.filter(|flag| flag.code == FlagCode::Throttled).map(|flag| flag.text).collect()
}

#[test]
fn a_cap_of_the_block_cgroup_is_a_limit() {
    let name = "a_cap_of_the_block_cgroup_is_a_limit";
    const SIZE: u64 = 64 << 20;
    let Some(zram) = needs(name, ZramDevice::create(SIZE)) else { return };
    zram.fill(SIZE).unwrap();
    let limits = CapLimits { read_iops: Some(777), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(zram.path(), limits)) else { return };
    let place = Place::new();
    let mut command = cap.command(env!("CARGO_BIN_EXE_rigel"));
    command.current_dir(place.path()).args(arguments(&zram.path())).arg("--allow-memory");
    let texts = throttled(&place, tell(&mut command));
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].starts_with("small: 7") && texts[0].contains("rate limit"), "{texts:?}");
}

/// Two stations that take 2 ms for every I/O: from two outstanding on, more bring nothing.
#[test]
fn a_saturated_device_is_not_limited() {
    let spec = DeviceSpec { servers: 2, service_us: 2000, ..DeviceSpec::default() };
    let Some(device) = needs("a_saturated_device_is_not_limited", TestDevice::mount(spec)) else { return };
    let place = Place::new();
    let told = place.rigel(arguments(&device.disk()));
    assert_eq!(throttled(&place, told), [""; 0]);
}
