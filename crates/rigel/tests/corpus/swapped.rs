//! Targets that are exchanged between the look and the first write. strace stops the program at a call that it makes in
//! between (the trial of an engine), so that no luck is needed.

use crate::making::{blank, shell};
use crate::support::{Place, ProgramOutput};
use rigel_testdev::{LoopDevice, MissingNeed, needs};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

/// Of the first thread alone: the workers make the same call later.
const STOP: [&str; 4] = ["-e", "trace=io_setup", "-e", "inject=io_setup:signal=SIGSTOP:when=1"];

/// Starts a run that may write, exchanges something when it has looked at its target, and lets it go on.
fn exchanged(place: &Place, target: &Path, consent: bool, exchange: impl FnOnce()) -> ProgramOutput {
    let log = place.path().join("trace.log");
    let _ = fs::remove_file(&log);
    let mut command = Command::new("strace");
    command.current_dir(place.path()).args(STOP).arg("-o").arg(&log).arg(env!("CARGO_BIN_EXE_rigel"));
    let line = "run oltp --engine libaio --write 100 --num-disks 1 --duration 100ms --quiet --no-html";
    command.args(line.split_whitespace()).arg(target);
    if consent {
        command.arg("--destroy-data").arg(target);
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !fs::read_to_string(&log).unwrap_or_default().contains("stopped by SIGSTOP") {
        if child.try_wait().unwrap().is_some() {
            panic!("it ended before it opened its target: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(10));
    }
    exchange();
    let of_strace = format!("/proc/{0}/task/{0}/children", child.id());
    let stopped = fs::read_to_string(of_strace).unwrap();
    assert!(Command::new("kill").args(["-CONT", stopped.trim()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    ProgramOutput {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn strace() -> Result<(), MissingNeed> {
    shell(&["strace -o /dev/null -e inject=io_setup:signal=SIGSTOP true"], Path::new("/dev/null"))
}

/// Refused with that word, and every byte as the exchange left it.
fn refused(told: &ProgramOutput, word: &str, victim: &Path, left: &[u8]) {
    assert_eq!(told.code, 3, "{word}: {told:?}");
    assert!(told.stderr.contains(word), "{word}: {told:?}");
    assert!(fs::read(victim).unwrap() == left, "{word}: bytes were lost");
}

#[test]
fn a_file_that_is_exchanged_after_the_look_is_not_written() {
    let name = "a_file_that_is_exchanged_after_the_look_is_not_written";
    let Some(()) = needs(name, strace()) else { return };
    let _alone = crate::alone();
    let place = Place::new();
    let target = place.path().join("target.dbf");
    let victim = place.random_file("victim.dbf", 4 << 20);
    let precious = fs::read(&victim).unwrap();
    let fresh = || {
        let _ = fs::remove_file(&target);
        blank(&target, 4 << 20);
    };
    // Nothing happens: it is written, so that the refusals below are not for another reason.
    fresh();
    exchanged(&place, &target, false, || ()).expect_measured();

    // What held nothing gets a filesystem, or a few bytes.
    fresh();
    let mut left = Vec::new();
    let told = exchanged(&place, &target, false, || {
        shell(&["mkfs.ext4 -q -F $F"], &target).unwrap();
        left = fs::read(&target).unwrap();
    });
    refused(&told, "something wrote", &target, &left);

    // Another file of the same size takes its name, with consent as well.
    for consent in [false, true] {
        fresh();
        let told = exchanged(&place, &target, consent, || fs::rename(&victim, &target).unwrap());
        refused(&told, "not the one that was checked", &target, &precious);
        fs::rename(&target, &victim).unwrap();
    }
    // A link leads elsewhere.
    let link = place.path().join("link");
    fresh();
    symlink(&target, &link).unwrap();
    let told = exchanged(&place, &link, true, || {
        fs::remove_file(&link).unwrap();
        symlink(&victim, &link).unwrap();
    });
    refused(&told, "not the one that was checked", &victim, &precious);
    // It is no file any more; opening a FIFO would hang.
    fresh();
    let told = exchanged(&place, &target, true, || shell(&["rm $F", "mkfifo $F"], &target).unwrap());
    refused(&told, "FIFO", &victim, &precious);
    // It grows.
    fresh();
    let told = exchanged(&place, &target, true, || shell(&["truncate -s 5M $F"], &target).unwrap());
    refused(&told, "changed its size", &target, &vec![0; 5 << 20]);
}

/// Two images, the first of which is attached.
fn devices(place: &Place) -> Result<(PathBuf, LoopDevice, PathBuf), MissingNeed> {
    strace()?;
    let (image, other) = (place.path().join("image"), place.path().join("other"));
    blank(&image, 16 << 20);
    blank(&other, 16 << 20);
    shell(&["mkfs.ext4 -q -F $F"], &other)?;
    let device = LoopDevice::attach(&image, true)?;
    Ok((image, device, other))
}

#[test]
fn a_device_that_is_exchanged_after_the_look_is_not_written() {
    let name = "a_device_that_is_exchanged_after_the_look_is_not_written";
    let _alone = crate::alone();
    let place = Place::new();
    let Some((_image, device, other)) = needs(name, devices(&place)) else { return };
    let precious = fs::read(&other).unwrap();
    let path = device.path();
    // A file becomes the node of a device.
    let file = place.path().join("target.dbf");
    blank(&file, 16 << 20);
    let told = exchanged(&place, &file, true, || {
        fs::remove_file(&file).unwrap();
        symlink(path, &file).unwrap();
    });
    refused(&told, "not the one that was checked", path, &vec![0; 16 << 20]);
    // What held nothing gets a filesystem.
    let mut left = Vec::new();
    let told = exchanged(&place, path, false, || {
        shell(&["mkfs.ext4 -q -F $F", "blockdev --flushbufs $F"], path).unwrap();
        left = fs::read(path).unwrap();
    });
    refused(&told, "something wrote", path, &left);
    // It is mounted.
    let point = place.path().join("point");
    fs::create_dir(&point).unwrap();
    let mount = format!("mount -o ro,noload $F {}", point.display());
    let told = exchanged(&place, path, true, || shell(&[&mount], path).unwrap());
    let after = fs::read(path).unwrap();
    shell(&["umount $F"], &point).unwrap();
    refused(&told, "mounted", path, &left);
    assert!(after == left);
    // The same number, another file behind it.
    let attach = format!("losetup $F {}", other.display());
    let told = exchanged(&place, path, true, || shell(&["losetup -d $F", &attach], path).unwrap());
    // Nobody else detaches what was attached behind the back of its owner.
    shell(&["losetup -d $F"], path).unwrap();
    refused(&told, "not the one that was checked", &other, &precious);
}
