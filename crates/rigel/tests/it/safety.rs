//! Nothing is lost: what is on a target stays, unless the user named it after seeing the evidence.

use crate::support::{Place, point, tell};
use rigel_testdev::{LoopDevice, Unavailable, needs};
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const WRITE: [&str; 8] = ["--write", "50", "--duration", "100ms", "--engine", "libaio", "--quiet", "--json"];

fn write_to(place: &Place, target: &Path, more: &[&str]) -> crate::support::Told {
    let mut arguments = vec!["run", "oltp", target.to_str().unwrap(), "--num-disks", "1"];
    arguments.extend(WRITE);
    arguments.extend(more);
    place.rigel(arguments)
}

#[test]
fn data_is_not_overwritten_without_consent() {
    let place = Place::new();
    let target = place.random_file("table.dbf", 8 << 20);
    let before = fs::read(&target).unwrap();
    let told = write_to(&place, &target, &[]).expect_code(3);
    assert!(told.stderr.contains("--destroy-data") && told.stderr.contains("holds data"), "{}", told.stderr);
    assert_eq!(fs::read(&target).unwrap(), before);
    // Consent for something else is no consent.
    let other = place.random_file("other.dbf", 8 << 20);
    let told = write_to(&place, &target, &["--destroy-data", other.to_str().unwrap()]).expect_code(2);
    assert!(told.stderr.contains("no target of this run"), "{}", told.stderr);
    let told = write_to(&place, &target, &["--destroy-data", place.path().to_str().unwrap()]).expect_code(2);
    assert!(told.stderr.contains("no target of this run"), "{}", told.stderr);
    assert_eq!(fs::read(&target).unwrap(), before);
}

#[test]
fn consent_by_any_name_of_the_target_writes() {
    let place = Place::new();
    let target = place.random_file("table.dbf", 8 << 20);
    let link = place.path().join("by-another-name");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let before = fs::read(&target).unwrap();
    let document =
        write_to(&place, &target, &["--destroy-data", link.to_str().unwrap()]).expect_code(0).json();
    assert!(point(&document, 20, 0)["small_io"]["writes"].as_u64().unwrap() > 0);
    let after = fs::read(&target).unwrap();
    assert_eq!(after.len(), before.len(), "its size stays");
    assert_ne!(after, before);
}

#[test]
fn a_file_that_was_never_written_needs_no_consent() {
    let place = Place::new();
    let target = place.path().join("new.dbf");
    fs::File::create(&target).unwrap().set_len(8 << 20).unwrap();
    write_to(&place, &target, &[]).expect_code(0);
    // Now it holds what the run wrote.
    write_to(&place, &target, &[]).expect_code(3);
}

#[test]
fn orions_write_needs_the_same_consent() {
    let place = Place::new();
    let target = place.random_file("lun1", 8 << 20);
    place.lun("w.lun", &[&target]);
    let before = fs::read(&target).unwrap();
    let line =
        "orion -run advanced -testname w -write 100 -matrix point -num_small 2 -num_large 1 -duration 1";
    let told = place.line(line).expect_code(3);
    assert!(told.stderr.contains("--destroy-data"), "{}", told.stderr);
    assert_eq!(fs::read(&target).unwrap(), before);
    place.line(&format!("{line} --destroy-data lun1")).expect_code(0);
    assert_ne!(fs::read(&target).unwrap(), before);
}

#[test]
fn reading_changes_nothing() {
    let place = Place::new();
    let target = place.random_file("table.dbf", 8 << 20);
    let before = fs::read(&target).unwrap();
    for engine in ["io_uring", "libaio", "threads"] {
        let line = format!("run simple table.dbf --duration 100ms --engine {engine} --name {engine}");
        place.line(&line).expect_code(0);
        assert_eq!(fs::read(&target).unwrap(), before);
    }
}

fn filesystem_on_a_loop_device(place: &Place) -> Result<LoopDevice, Unavailable> {
    let image = place.path().join("image");
    fs::File::create(&image).map_err(Unavailable::new)?.set_len(32 << 20).map_err(Unavailable::new)?;
    let made = Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image).status().map_err(Unavailable::new)?;
    if !made.success() {
        return Err(Unavailable::new("mkfs.ext4 failed"));
    }
    LoopDevice::attach(&image, false)
}

/// Unmounts on the way out, whatever happened.
struct Mounted(PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn mount(device: &Path, place: &Place) -> Result<Mounted, Unavailable> {
    let point = place.path().join("mnt");
    fs::create_dir(&point).map_err(Unavailable::new)?;
    let mounted = Command::new("mount").arg(device).arg(&point).status().map_err(Unavailable::new)?;
    if mounted.success() { Ok(Mounted(point)) } else { Err(Unavailable::new("mount failed")) }
}

#[test]
fn a_mounted_device_is_refused_whatever_is_said() {
    let name = "a_mounted_device_is_refused_whatever_is_said";
    let place = Place::new();
    let Some(device) = needs(name, filesystem_on_a_loop_device(&place)) else { return };
    let path = device.path().to_str().unwrap().to_owned();
    let told = write_to(&place, device.path(), &[]).expect_code(3);
    assert!(told.stderr.contains("ext4"), "the evidence is shown: {}", told.stderr);
    let Some(_mounted) = needs(name, mount(device.path(), &place)) else { return };
    let image = place.path().join("image");
    let superblock = || {
        let mut block = [0; 1024];
        fs::File::open(&image).unwrap().read_exact_at(&mut block, 1024).unwrap();
        block[56..58].to_vec()
    };
    let before = superblock();
    for consent in [path.as_str(), image.to_str().unwrap()] {
        let told = write_to(&place, device.path(), &["--destroy-data", consent]);
        assert!([2, 3].contains(&told.code), "{told:?}");
    }
    let told = write_to(&place, device.path(), &["--destroy-data", &path]).expect_code(3);
    assert!(told.stderr.contains("mounted"), "{}", told.stderr);
    // The file under the device is in use as well.
    let told = write_to(&place, &image, &["--destroy-data", image.to_str().unwrap()]).expect_code(3);
    assert!(told.stderr.contains("loop"), "{}", told.stderr);
    assert_eq!(superblock(), before);
    // Reading it is fine.
    place.rigel(["run", "simple", &path, "--duration", "100ms"]).expect_code(0);
}

#[test]
fn a_scratch_file_of_ours_is_written_and_removed() {
    let place = Place::new();
    let line = "run advanced --scratch-size 256M --write 100 --matrix point --num-small 4 --num-large 0 --duration 200ms";
    place.line(line).expect_code(0);
    assert!(!place.files().contains(&"rigel-scratch.dat".to_owned()), "{:?}", place.files());
    // Kept, it is recognised by the next run, even after it was written to.
    place.line(&format!("{line} --keep-scratch")).expect_code(0);
    assert!(place.files().contains(&"rigel-scratch.dat".to_owned()));
    let told = place.line(line).expect_code(0);
    assert!(told.stderr.contains("used again"), "{}", told.stderr);
    // What only has the name is left alone.
    fs::write(place.path().join("rigel-scratch.dat"), "my own data").unwrap();
    place.line(line).expect_code(3);
    assert_eq!(fs::read_to_string(place.path().join("rigel-scratch.dat")).unwrap(), "my own data");
}

#[test]
fn a_symlink_in_place_of_an_output_is_not_followed() {
    let place = Place::new();
    let victim = place.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, place.path().join("l_20260101_1200_summary.txt")).unwrap();
    std::os::unix::fs::symlink(&victim, place.path().join("l_20260101_1200_record.jsonl")).unwrap();
    let line = "run oltp --engine sim --duration 1s --name l --seed 1";
    let _ = tell(place.command().args(line.split_whitespace()).env("SOURCE_DATE_EPOCH", "1767268800"));
    let _ = tell(
        place.command().args(line.split_whitespace()).arg("--force").env("SOURCE_DATE_EPOCH", "1767268800"),
    );
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}
