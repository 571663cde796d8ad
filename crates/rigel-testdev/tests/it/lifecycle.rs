//! Nothing outlives its owner: no daemon, no mount, no directory; whichever way the owner ends.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rigel_testdev::{DeviceSpec, TestDevice, needs};

use crate::support::{read_block, wait_until};

const DAEMON: &str = env!("CARGO_BIN_EXE_rigel-testdev");

/// Set for the child of `a_killed_process_takes_its_device_along_even_when_it_hangs`.
const CHILD_FLAG: &str = "RIGEL_TESTDEV_HANG";

fn is_mounted(mountpoint: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    mounts.lines().any(|line| line.split(' ').nth(1).is_some_and(|place| Path::new(place) == mountpoint))
}

fn has_daemon(mountpoint: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    let mountpoint = mountpoint.to_str().unwrap().as_bytes();
    let is_daemon = |line: &[u8]| {
        let mut words = line.split(|byte| *byte == 0);
        words.next().is_some_and(|program| program.ends_with(b"rigel-testdev"))
            && words.any(|word| word == mountpoint)
    };
    lines.into_iter().any(|line| is_daemon(&line))
}

fn assert_nothing_left(mountpoint: &Path) {
    wait_until("the daemon has ended", || !has_daemon(mountpoint));
    wait_until("the mount is gone", || !is_mounted(mountpoint));
    wait_until("the directory is gone", || !mountpoint.exists());
}

fn first_line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

#[test]
fn drop_ends_the_daemon_and_the_mount() {
    let device = TestDevice::mount(DeviceSpec::default());
    let Some(device) = needs("drop_ends_the_daemon_and_the_mount", device) else { return };
    let mountpoint = device.disk().parent().unwrap().to_owned();
    assert!(is_mounted(&mountpoint) && has_daemon(&mountpoint));
    let open_file = fs::File::open(device.disk()).unwrap();
    drop(device);
    assert!(!is_mounted(&mountpoint) && !has_daemon(&mountpoint) && !mountpoint.exists());
    drop(open_file);
}

#[test]
fn drop_after_a_kill_cleans_up_too() {
    let device = TestDevice::mount(DeviceSpec::default());
    let Some(mut device) = needs("drop_after_a_kill_cleans_up_too", device) else { return };
    let mountpoint = device.disk().parent().unwrap().to_owned();
    device.kill();
    assert!(is_mounted(&mountpoint) && !has_daemon(&mountpoint));
    drop(device);
    assert_nothing_left(&mountpoint);
}

#[test]
fn a_device_outlives_the_thread_that_mounted_it() {
    let device = std::thread::spawn(|| TestDevice::mount(DeviceSpec::default())).join().unwrap();
    let Some(device) = needs("a_device_outlives_the_thread_that_mounted_it", device) else { return };
    assert!(read_block(&device.disk(), 0).is_ok());
}

#[test]
fn two_devices_stand_side_by_side() {
    let name = "two_devices_stand_side_by_side";
    let Some(one) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    let Some(two) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    read_block(&one.disk(), 0).unwrap();
    assert_eq!((one.gauge().unwrap().reads, two.gauge().unwrap().reads), (1, 0));
}

/// What the test below starts as a process of its own: it mounts a device, says where, and hangs on it.
#[test]
fn helper_that_hangs() {
    if std::env::var_os(CHILD_FLAG).is_none() {
        return;
    }
    let device = TestDevice::mount(DeviceSpec::default()).unwrap();
    device.command(&format!("hang 0 {}", u64::MAX)).unwrap();
    let directory = device.disk().parent().unwrap().display().to_string();
    std::io::stderr().write_all(format!("{directory}\n").as_bytes()).unwrap();
    let _ = read_block(&device.disk(), 0);
}

#[test]
fn a_killed_process_takes_its_device_along_even_when_it_hangs() {
    let name = "a_killed_process_takes_its_device_along_even_when_it_hangs";
    let Some(_) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    let mut owner = Command::new(std::env::current_exe().unwrap());
    owner.args(["--exact", "lifecycle::helper_that_hangs", "--nocapture"]).env(CHILD_FLAG, "1");
    let mut owner = owner.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(owner.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let mountpoint = PathBuf::from(line.trim_end());
    wait_until("the read hangs", || {
        fs::read_to_string(mountpoint.join("ctl")).is_ok_and(|gauge| gauge.contains("\nin_flight 1\n"))
    });
    owner.kill().unwrap();
    owner.wait().unwrap();
    assert_nothing_left(&mountpoint);
}

#[test]
fn a_daemon_ends_with_a_parent_that_is_no_test() {
    let name = "a_daemon_ends_with_a_parent_that_is_no_test";
    let Some(_) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    let directory = tempfile::tempdir().unwrap();
    let mountpoint = directory.path().join("device");
    fs::create_dir(&mountpoint).unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-c", r#""$0" "$1" --size 1048576 --die-with $$ & wait"#, DAEMON]).arg(&mountpoint);
    let mut shell = shell.stdout(Stdio::piped()).spawn().unwrap();
    assert_eq!(first_line(&mut shell), "ready");
    assert!(is_mounted(&mountpoint));
    shell.kill().unwrap();
    shell.wait().unwrap();
    assert_nothing_left(&mountpoint);
}

#[test]
fn mistakes_on_the_command_line_are_refused() {
    let output = Command::new(DAEMON).args(["/mnt", "--sise", "1"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("unknown option --sise"));
    let output = Command::new(DAEMON).args(["/nowhere/at/all", "--size", "1048576"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("unavailable "));
    let output =
        Command::new(DAEMON).args(["/mnt", "--size", "1048576", "--die-with", "999999999"]).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("is not the parent"));
}
