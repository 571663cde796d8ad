//! The block devices of the harness, and the cap on them.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rigel_testdev::{BlkioCap, CapLimits, LoopDevice, ZramDevice, needs};

use crate::support::{BLOCK_BYTES, read_block, write_block};

/// An odd size, by which a device is recognised as ours.
const SIZE_BYTES: u64 = (16 << 20) + 5 * 4096;

fn dd_direct(command: &mut Command, device: &Path, count: u32) -> bool {
    let input = format!("if={}", device.display());
    command.args([&input, "of=/dev/null", "iflag=direct", "bs=4096", "status=none"]);
    command.arg(format!("count={count}")).status().unwrap().success()
}

#[test]
fn a_loop_device_stands_on_any_file_and_goes_with_drop() {
    let name = "a_loop_device_stands_on_any_file_and_goes_with_drop";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::File::create(&file).unwrap().set_len(SIZE_BYTES).unwrap();
    let Some(disk) = needs(name, LoopDevice::attach(&file, false)) else { return };
    assert_eq!(write_block(disk.path(), 0, 7), Ok(BLOCK_BYTES));
    let queue = Path::new("/sys/block").join(disk.path().file_name().unwrap());
    let backing = queue.join("loop/backing_file");
    let stands_on = |file: &Path| {
        fs::read_to_string(&backing)
            .is_ok_and(|backing| Path::new(backing.trim()) == file.canonicalize().unwrap())
    };
    assert!(stands_on(&file));
    assert_eq!(fs::read_to_string(queue.join("queue/logical_block_size")).unwrap().trim(), "512");
    drop(disk);
    crate::support::wait_until("the loop device is detached", || !stands_on(&file));
}

/// As when a run had it open while it was detached: its number is free before it is dropped.
/// The kernel keeps what `blockdev --setro` said of a number.
#[test]
fn a_number_that_was_read_only_is_writable_for_the_next() {
    let name = "a_number_that_was_read_only_is_writable_for_the_next";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    fs::File::create(&file).unwrap().set_len(SIZE_BYTES).unwrap();
    let blockdev = |what: &str, path: &Path| Command::new("blockdev").arg(what).arg(path).output().unwrap();
    // Whoever else looks for a free one may be faster.
    for _ in 0..20 {
        let Some(first) = needs(name, LoopDevice::attach(&file, false)) else { return };
        let path = first.path().to_owned();
        assert!(blockdev("--setro", &path).status.success());
        drop(first);
        let Some(next) = needs(name, LoopDevice::attach(&file, false)) else { return };
        if next.path() == path {
            assert_eq!(String::from_utf8_lossy(&blockdev("--getro", &path).stdout).trim(), "0");
            return;
        }
    }
    panic!("each number was taken at once");
}

#[test]
fn a_loop_device_that_was_detached_leaves_its_number_to_others() {
    let name = "a_loop_device_that_was_detached_leaves_its_number_to_others";
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (directory.path().join("first"), directory.path().join("second"));
    for file in [&first, &second] {
        fs::File::create(file).unwrap().set_len(SIZE_BYTES).unwrap();
    }
    let losetup = |options: &[&OsStr]| Command::new("losetup").args(options).output().unwrap();
    // Whoever else looks for a free one may be faster.
    for _ in 0..20 {
        let Some(disk) = needs(name, LoopDevice::attach(&first, false)) else { return };
        let path = disk.path().to_owned();
        disk.detach();
        if losetup(&[path.as_ref(), second.as_ref()]).status.success() {
            drop(disk);
            let detached = losetup(&["--detach".as_ref(), path.as_ref()]);
            assert!(detached.status.success(), "it was taken away: {detached:?}");
            return;
        }
    }
    panic!("each number was taken at once");
}

#[test]
fn a_loop_device_on_nothing_is_unavailable() {
    let reason = LoopDevice::attach("/nowhere/file", true).unwrap_err();
    assert!(reason.to_string().contains("losetup"), "{reason}");
}

#[test]
fn a_zram_device_is_filled_and_goes_with_drop() {
    let Some(zram) = needs("a_zram_device_is_filled_and_goes_with_drop", ZramDevice::create(SIZE_BYTES))
    else {
        return;
    };
    zram.fill(SIZE_BYTES).unwrap();
    let state = Path::new("/sys/block").join(zram.path().file_name().unwrap());
    let statistics = fs::read_to_string(state.join("mm_stat")).unwrap();
    let numbers: Vec<u64> = statistics.split_whitespace().map(|number| number.parse().unwrap()).collect();
    let (original_bytes, compressed_bytes) = (numbers[0], numbers[1]);
    assert_eq!(original_bytes, SIZE_BYTES);
    assert!(compressed_bytes >= SIZE_BYTES, "the filler was compressed to {compressed_bytes}");
    assert!(read_block(&zram.path(), SIZE_BYTES - 8192).unwrap().1.iter().any(|byte| *byte != 0));
    drop(zram);
    // The number may have been given to somebody else already; a device as large as ours was not.
    let size = fs::read_to_string(state.join("disksize")).unwrap_or_default();
    assert_ne!(size.trim(), SIZE_BYTES.to_string());
}

#[test]
fn a_cap_holds_for_the_child_and_for_no_one_else() {
    let name = "a_cap_holds_for_the_child_and_for_no_one_else";
    let Some(zram) = needs(name, ZramDevice::create(SIZE_BYTES + 4096)) else { return };
    let limits = CapLimits { read_iops: Some(100), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(zram.path(), limits)) else { return };
    let start = Instant::now();
    assert!(dd_direct(&mut cap.command("dd"), &zram.path(), 100));
    // The first slices may be free; no machine is too fast for the others.
    assert!(start.elapsed() >= Duration::from_millis(700), "{:?}", start.elapsed());
    // A thousand more at this rate would take ten seconds.
    let start = Instant::now();
    assert!(dd_direct(&mut Command::new("dd"), &zram.path(), 1000));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
}

#[test]
fn a_cap_on_bytes_holds() {
    let name = "a_cap_on_bytes_holds";
    let Some(zram) = needs(name, ZramDevice::create(SIZE_BYTES + 8192)) else { return };
    let limits = CapLimits { read_bytes_per_s: Some(400 << 10), ..CapLimits::default() };
    let Some(cap) = needs(name, BlkioCap::create(zram.path(), limits)) else { return };
    let start = Instant::now();
    assert!(dd_direct(&mut cap.command("dd"), &zram.path(), 100));
    assert!(start.elapsed() >= Duration::from_millis(700), "{:?}", start.elapsed());
}

#[test]
fn a_cap_on_what_is_no_device_is_unavailable() {
    assert!(BlkioCap::create("/nowhere", CapLimits::default()).is_err());
}
