//! What is written reads back, by every way into the device.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};

use rigel_testdev::{AlignedBytes, DeviceSpec, LoopDevice, TestDevice, needs, open_direct};
use rustix::io::Errno;

use crate::support::{BLOCK_BYTES, read_block, write_block};

#[test]
fn disk_and_raw_are_the_same_bytes() {
    let device = TestDevice::mount_blank(DeviceSpec::default());
    let Some(device) = needs("disk_and_raw_are_the_same_bytes", device) else { return };
    let ways = [(device.disk(), device.raw()), (device.raw(), device.disk())];
    for (value, (into, out_of)) in (1..).zip(ways) {
        assert_eq!(write_block(&into, 40_960, value), Ok(BLOCK_BYTES));
        let (count, bytes) = read_block(&out_of, 40_960).unwrap();
        assert_eq!(count, BLOCK_BYTES);
        assert!(bytes.iter().all(|byte| *byte == value));
    }
    let (_, unwritten) = read_block(&device.disk(), 0).unwrap();
    assert!(unwritten.iter().all(|byte| *byte == 0));
    let gauge = device.gauge().unwrap();
    assert_eq!((gauge.writes, gauge.bytes_written), (2, 2 * BLOCK_BYTES as u64));
    assert_eq!((gauge.reads, gauge.bytes_read), (3, 3 * BLOCK_BYTES as u64));
}

#[test]
fn a_loop_device_reads_and_writes_the_same_bytes() {
    let name = "a_loop_device_reads_and_writes_the_same_bytes";
    let Some(device) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    let Some(disk) = needs(name, LoopDevice::attach(device.disk(), true)) else { return };
    assert_eq!(write_block(disk.path(), 8192, 7), Ok(BLOCK_BYTES));
    assert!(read_block(&device.raw(), 8192).unwrap().1.iter().all(|byte| *byte == 7));
    assert_eq!(write_block(&device.raw(), 65_536, 8), Ok(BLOCK_BYTES));
    assert!(read_block(disk.path(), 65_536).unwrap().1.iter().all(|byte| *byte == 8));
    let size_bytes = open_direct(disk.path()).unwrap().seek(SeekFrom::End(0)).unwrap();
    assert_eq!(size_bytes, device.size_bytes());
}

#[test]
fn a_request_of_a_mebibyte_arrives_whole() {
    let device = TestDevice::mount(DeviceSpec::default());
    let Some(device) = needs("a_request_of_a_mebibyte_arrives_whole", device) else { return };
    let file = open_direct(device.disk()).unwrap();
    let mut bytes = AlignedBytes::zeroed(1 << 20);
    bytes.fill(9);
    assert_eq!(rustix::io::pwrite(&file, &bytes, 4096), Ok(1 << 20));
    bytes.fill(0);
    assert_eq!(rustix::io::pread(&file, &mut bytes[..], 4096), Ok(1 << 20));
    assert!(bytes.iter().all(|byte| *byte == 9));
    let gauge = device.gauge().unwrap();
    assert_eq!((gauge.reads, gauge.writes), (1, 1));
}

#[test]
fn the_device_has_an_end_and_does_not_grow() {
    let device = TestDevice::mount(DeviceSpec { size_bytes: 1 << 20, ..DeviceSpec::default() });
    let Some(device) = needs("the_device_has_an_end_and_does_not_grow", device) else { return };
    for path in [device.disk(), device.raw()] {
        assert_eq!(write_block(&path, 1 << 20, 1), Err(Errno::NOSPC));
        assert_eq!(read_block(&path, (1 << 20) - 4096).unwrap().0, 4096);
        assert_eq!(read_block(&path, 1 << 20).unwrap().0, 0);
        assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
        let file = open_direct(&path).unwrap();
        assert!(file.set_len(4096).is_err());
        assert_eq!(fs::metadata(&path).unwrap().len(), 1 << 20);
    }
}

#[test]
fn a_shell_may_truncate_on_open_and_nothing_is_lost() {
    let device = TestDevice::mount(DeviceSpec { size_bytes: 1 << 20, ..DeviceSpec::default() });
    let Some(device) = needs("a_shell_may_truncate_on_open_and_nothing_is_lost", device) else { return };
    write_block(&device.disk(), 0, 5).unwrap();
    fs::File::create(device.disk()).unwrap();
    assert_eq!(fs::metadata(device.disk()).unwrap().len(), 1 << 20);
    assert!(read_block(&device.disk(), 0).unwrap().1.iter().all(|byte| *byte == 5));
}

#[test]
fn buffered_reads_see_the_bytes_and_syncs_are_counted() {
    let device = TestDevice::mount(DeviceSpec { size_bytes: 1 << 20, ..DeviceSpec::default() });
    let Some(device) = needs("buffered_reads_see_the_bytes_and_syncs_are_counted", device) else { return };
    write_block(&device.disk(), 8192, 6).unwrap();
    let mut bytes = Vec::new();
    let mut file = fs::File::options().read(true).write(true).open(device.disk()).unwrap();
    file.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len(), 1 << 20);
    assert!(bytes[8192..16_384].iter().all(|byte| *byte == 6));
    file.sync_all().unwrap();
    file.sync_data().unwrap();
    assert_eq!(device.gauge().unwrap().syncs, 2);
}

#[test]
fn the_directory_names_its_files() {
    let device = TestDevice::mount(DeviceSpec::default());
    let Some(device) = needs("the_directory_names_its_files", device) else { return };
    let directory = device.disk().parent().unwrap().to_owned();
    let names = fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["ctl", "disk", "raw"]);
    assert!(!directory.join("disc").exists());
}
