//! Every fault reaches the caller as what it is, and only where it was set.

use rigel_testdev::{DeviceSpec, LoopDevice, TestDevice, needs};
use rustix::io::Errno;

use crate::support::{BLOCK_BYTES, join, read_block, start_readers, wait_for_in_flight, write_block};

/// A block of which the second half carries the fault.
const FAULTY_BYTES: u64 = 1 << 20;

fn mount(test_name: &str) -> Option<TestDevice> {
    needs(test_name, TestDevice::mount(DeviceSpec::default()))
}

fn arm(device: &TestDevice, fault: &str) {
    device.command(&format!("clear\n{fault} {} 4096\nreset", FAULTY_BYTES + 4096)).unwrap();
}

#[test]
fn eio_comes_as_errno_5_from_disk_and_raw() {
    let Some(device) = mount("eio_comes_as_errno_5_from_disk_and_raw") else { return };
    write_block(&device.disk(), FAULTY_BYTES, 3).unwrap();
    arm(&device, "eio");
    for path in [device.disk(), device.raw()] {
        assert_eq!(read_block(&path, FAULTY_BYTES).err(), Some(Errno::IO));
        assert_eq!(write_block(&path, FAULTY_BYTES, 4), Err(Errno::IO));
        assert!(read_block(&path, FAULTY_BYTES - 4096).is_ok(), "the block before");
        assert!(read_block(&path, FAULTY_BYTES + 8192).is_ok(), "the block after");
    }
    let gauge = device.gauge().unwrap();
    assert_eq!((gauge.errors_injected, gauge.reads, gauge.bytes_read), (4, 6, 4 * BLOCK_BYTES as u64));
    device.command("clear").unwrap();
    let (_, bytes) = read_block(&device.disk(), FAULTY_BYTES).unwrap();
    assert!(bytes.iter().all(|byte| *byte == 3), "a refused write must store nothing");
}

#[test]
fn eio_comes_through_a_loop_device() {
    let name = "eio_comes_through_a_loop_device";
    let Some(device) = mount(name) else { return };
    let Some(disk) = needs(name, LoopDevice::attach(device.disk(), true)) else { return };
    arm(&device, "eio");
    assert_eq!(read_block(disk.path(), FAULTY_BYTES).err(), Some(Errno::IO));
    assert_eq!(write_block(disk.path(), FAULTY_BYTES, 4), Err(Errno::IO));
    assert!(read_block(disk.path(), 0).is_ok());
}

#[test]
fn enospc_refuses_writes_alone() {
    let Some(device) = mount("enospc_refuses_writes_alone") else { return };
    arm(&device, "enospc");
    for path in [device.disk(), device.raw()] {
        assert_eq!(write_block(&path, FAULTY_BYTES, 4), Err(Errno::NOSPC));
        assert!(read_block(&path, FAULTY_BYTES).is_ok());
    }
    assert_eq!(device.gauge().unwrap().errors_injected, 2);
}

#[test]
fn a_corrupt_byte_arrives_flipped_by_every_way() {
    let name = "a_corrupt_byte_arrives_flipped_by_every_way";
    let Some(device) = mount(name) else { return };
    write_block(&device.disk(), FAULTY_BYTES, 0xff).unwrap();
    let disk = needs(name, LoopDevice::attach(device.disk(), true));
    arm(&device, "corrupt");
    let ways = [Some(device.disk()), Some(device.raw()), disk.as_ref().map(|disk| disk.path().to_owned())];
    for path in ways.into_iter().flatten() {
        let (count, bytes) = read_block(&path, FAULTY_BYTES).unwrap();
        assert_eq!(count, BLOCK_BYTES);
        let flipped: Vec<_> = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0xff).collect();
        assert_eq!(flipped, [(4096, &0xef)], "{}", path.display());
    }
    device.command("clear").unwrap();
    assert!(read_block(&device.raw(), FAULTY_BYTES).unwrap().1.iter().all(|byte| *byte == 0xff));
}

#[test]
fn a_short_read_stays_short_on_raw() {
    let Some(device) = mount("a_short_read_stays_short_on_raw") else { return };
    write_block(&device.disk(), FAULTY_BYTES, 5).unwrap();
    arm(&device, "short");
    let (count, bytes) = read_block(&device.raw(), FAULTY_BYTES).unwrap();
    assert_eq!(count, BLOCK_BYTES / 2);
    assert!(bytes[..count].iter().all(|byte| *byte == 5));
    assert_eq!(device.gauge().unwrap().bytes_read, BLOCK_BYTES as u64 / 2);
}

#[test]
fn a_short_read_is_completed_by_the_kernel_on_disk() {
    let Some(device) = mount("a_short_read_is_completed_by_the_kernel_on_disk") else { return };
    write_block(&device.disk(), FAULTY_BYTES, 5).unwrap();
    // Only the first half: the kernel asks for the second by itself, and that must not be cut again.
    device.command(&format!("short {FAULTY_BYTES} 4096\nreset")).unwrap();
    let (count, bytes) = read_block(&device.disk(), FAULTY_BYTES).unwrap();
    assert_eq!(count, BLOCK_BYTES);
    assert!(bytes.iter().all(|byte| *byte == 5));
    let gauge = device.gauge().unwrap();
    assert!(gauge.reads >= 2 && gauge.errors_injected == 1, "{gauge}");
}

#[test]
fn a_short_write_stores_what_it_says_on_raw() {
    let Some(device) = mount("a_short_write_stores_what_it_says_on_raw") else { return };
    let (_, before) = read_block(&device.raw(), FAULTY_BYTES).unwrap();
    arm(&device, "short");
    assert_eq!(write_block(&device.raw(), FAULTY_BYTES, 5), Ok(BLOCK_BYTES / 2));
    device.command("clear").unwrap();
    let (_, bytes) = read_block(&device.raw(), FAULTY_BYTES).unwrap();
    assert!(bytes[..4096].iter().all(|byte| *byte == 5));
    assert_eq!(bytes[4096..], before[4096..], "the rest is as it was");
}

#[test]
fn a_hung_request_waits_for_release_or_clear() {
    let Some(device) = mount("a_hung_request_waits_for_release_or_clear") else { return };
    for command in ["release", "clear"] {
        device.command(&format!("hang 0 {BLOCK_BYTES}\nreset")).unwrap();
        let hung = start_readers(&device.disk(), 1, 1);
        wait_for_in_flight(&device, 1);
        assert!(read_block(&device.disk(), BLOCK_BYTES as u64).is_ok(), "others are served meanwhile");
        assert!(!hung[0].is_finished());
        assert_eq!(device.gauge().unwrap().reads, 1);
        device.command(command).unwrap();
        join(hung);
        assert_eq!(device.gauge().unwrap().reads, 2);
    }
}

#[test]
fn a_hung_request_fails_when_the_daemon_is_killed() {
    let Some(mut device) = mount("a_hung_request_fails_when_the_daemon_is_killed") else { return };
    device.command(&format!("hang 0 {BLOCK_BYTES}")).unwrap();
    let path = device.disk();
    let hung = std::thread::spawn(move || read_block(&path, 0).err());
    wait_for_in_flight(&device, 1);
    device.kill();
    let error = hung.join().unwrap();
    assert!(matches!(error, Some(Errno::CONNABORTED | Errno::NOTCONN)), "{error:?}");
    assert!(device.gauge().is_err());
}

#[test]
fn traps_are_sprung_by_every_way() {
    let name = "traps_are_sprung_by_every_way";
    let Some(device) = mount(name) else { return };
    let disk = needs(name, LoopDevice::attach(device.disk(), true));
    let ways = [Some(device.disk()), Some(device.raw()), disk.as_ref().map(|disk| disk.path().to_owned())];
    let first_bytes = |path: &std::path::Path| read_block(path, FAULTY_BYTES).unwrap().1[0];
    for path in ways.into_iter().flatten() {
        write_block(&path, FAULTY_BYTES, 1).unwrap();
        device.command("reset\nlost nth 2\nzero nth 3").unwrap();
        for (value, held) in [(2, 2), (3, 2), (4, 0), (5, 5)] {
            assert_eq!(write_block(&path, FAULTY_BYTES, value), Ok(BLOCK_BYTES), "no write says anything");
            assert_eq!(first_bytes(&path), held, "{} after {value}", path.display());
        }
        device.command("stale nth 1").unwrap();
        write_block(&path, FAULTY_BYTES, 6).unwrap();
        assert_eq!([first_bytes(&path), first_bytes(&path)], [5, 6], "{}", path.display());
        let gauge = device.gauge().unwrap();
        let counts = ["lost", "zero", "stale"].map(|kind| gauge.injected.get(kind).copied());
        assert_eq!((counts, gauge.armed), ([Some(1); 3], 0));
    }
}

#[test]
fn a_power_cut_keeps_what_was_flushed() {
    let Some(device) = mount("a_power_cut_keeps_what_was_flushed") else { return };
    let file = rigel_testdev::open_direct(device.disk()).unwrap();
    for (lie, held) in [(0, 2), (1, 1)] {
        device.command("cache 0").unwrap();
        write_block(&device.disk(), FAULTY_BYTES, 1).unwrap();
        device.command(&format!("cache 1\nlie {lie}")).unwrap();
        write_block(&device.disk(), FAULTY_BYTES, 2).unwrap();
        file.sync_data().unwrap();
        write_block(&device.disk(), FAULTY_BYTES, 3).unwrap();
        assert!(read_block(&device.disk(), FAULTY_BYTES).unwrap().1.iter().all(|byte| *byte == 3));
        device.command("power-cut").unwrap();
        assert!(read_block(&device.disk(), FAULTY_BYTES).unwrap().1.iter().all(|byte| *byte == held));
    }
}

#[test]
fn an_unknown_command_is_refused_and_nothing_of_its_text_is_done() {
    let name = "an_unknown_command_is_refused_and_nothing_of_its_text_is_done";
    let Some(device) = mount(name) else { return };
    for text in ["eoi 0 4096", "eio 0 4096\nhung 0 1", "servers 0", "eio 0"] {
        let error = device.command(text).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(Errno::INVAL.raw_os_error()), "{text}");
    }
    assert!(read_block(&device.disk(), 0).is_ok());
}
