//! Targets in use are refused, whatever is consented to, and nothing on them changes.

use super::support::{
    MIB, MountGuard, Partition, SwapGuard, WriteProtected, asked, assert_verdict, bytes_of, dir, ext4_image,
    look, loop_on, poke, sparse, tool,
};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::guard::safety::{Evidence, Verdict};
use rigel_testdev::needs;
use rustix::fs::{Mode, OFlags};
use std::path::Path;

/// Asks with consent; it must be refused all the same.
fn refused(path: &Path) -> Problem {
    assert_verdict(path, Verdict::Refused);
    let problem = asked(path, true).map(|_| ()).unwrap_err();
    assert_eq!(problem.kind, ExitKind::Refused);
    assert_eq!(problem.place.as_deref(), Some(path.to_str().unwrap()));
    problem
}

fn name_of(device: &Path) -> String {
    device.file_name().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_mounted_device() {
    let name = "a_mounted_device";
    let dir = dir();
    let Some(image) = needs(name, ext4_image(&dir, "image")) else { return };
    let Some(device) = needs(name, loop_on(&image)) else { return };
    let point = dir.path().join("mount point");
    let Some(_mounted) = needs(name, MountGuard::mount(device.path(), &point, "ro")) else { return };
    let before = bytes_of(&image);
    let problem = refused(device.path());
    let point = point.canonicalize().unwrap().to_str().unwrap().to_owned();
    let expected = format!("{} is mounted on {point}", name_of(device.path()));
    assert!(problem.cause.unwrap().contains(&expected));
    assert!(problem.next.unwrap().contains(&format!("umount {point}")));
    assert!(bytes_of(&image) == before, "the image changed");
}

#[test]
fn a_disk_with_a_mounted_partition() {
    let name = "a_disk_with_a_mounted_partition";
    let dir = dir();
    let disk = sparse(&dir, "disk", 20 * MIB);
    let Some(device) = needs(name, loop_on(&disk)) else { return };
    let Some(partition) = needs(name, Partition::add(device.path(), 16)) else { return };
    let Some(_) = needs(name, tool("mkfs.ext4", &["-q".as_ref(), partition.path.as_ref()])) else { return };
    let Some(_mounted) = needs(name, MountGuard::mount(&partition.path, &dir.path().join("m"), "ro")) else {
        return;
    };
    let before = bytes_of(&disk);
    for path in [device.path(), &partition.path] {
        let cause = refused(path).cause.unwrap();
        assert!(cause.contains(&format!("{} is mounted on", name_of(&partition.path))), "{cause}");
    }
    assert!(bytes_of(&disk) == before, "the disk changed");
}

#[test]
fn what_is_behind_a_loop_device() {
    let name = "what_is_behind_a_loop_device";
    let dir = dir();
    let file = sparse(&dir, "a file", MIB);
    let Some(lower) = needs(name, loop_on(&file)) else { return };
    let problem = refused(&file);
    assert!(problem.next.unwrap().contains(&format!("losetup -d {}", lower.path().display())));
    // The path that the kernel kept leads nowhere any more, but the device still knows.
    let moved = dir.path().join("link");
    std::fs::hard_link(&file, &moved).unwrap();
    std::fs::remove_file(&file).unwrap();
    assert!(refused(&moved).cause.unwrap().contains(&name_of(lower.path())));
    // A loop device may stand on another device as well.
    assert_verdict(lower.path(), Verdict::MayWrite);
    let Some(upper) = needs(name, loop_on(lower.path())) else { return };
    let cause = refused(lower.path()).cause.unwrap();
    assert_eq!(cause, format!("{} is in use by {}", name_of(lower.path()), name_of(upper.path())));
}

#[test]
fn swap() {
    let dir = dir();
    let file = sparse(&dir, "swap file", 0);
    std::fs::write(&file, vec![0; 4 << 20]).unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let Some(_on) = needs("swap", SwapGuard::on(&file)) else { return };
    let before = bytes_of(&file);
    let problem = refused(&file);
    assert!(problem.cause.unwrap().contains("in use as swap"));
    assert!(problem.next.unwrap().contains("swapoff"));
    assert!(bytes_of(&file) == before, "the swap file changed");

    let below = sparse(&dir, "below", 4 * MIB);
    let Some(device) = needs("swap", loop_on(&below)) else { return };
    let Some(_on) = needs("swap", SwapGuard::on(device.path())) else { return };
    assert!(look(device.path()).contains(&Evidence::Swap { device: device.path().to_str().unwrap().into() }));
    refused(device.path());
}

#[test]
fn read_only() {
    let dir = dir();
    let Some(image) = needs("read_only", ext4_image(&dir, "image")) else { return };
    let Some(device) = needs("read_only", loop_on(&image)) else { return };
    let point = dir.path().join("m");
    {
        let Some(_mounted) = needs("read_only", MountGuard::mount(device.path(), &point, "rw")) else {
            return;
        };
        std::fs::write(point.join("data"), [0; 8192]).unwrap();
        assert_verdict(&point.join("data"), Verdict::MayWrite);
    }
    {
        let Some(_mounted) = needs("read_only", MountGuard::mount(device.path(), &point, "ro")) else {
            return;
        };
        assert!(look(&point.join("data")).contains(&Evidence::ReadOnly));
        refused(&point.join("data"));
    }
    let Some(_protected) = needs("read_only", WriteProtected::set(device.path())) else { return };
    let problem = refused(device.path());
    assert_eq!(problem.cause.as_deref(), Some("it is read-only"));
}

#[test]
fn held_by_another_program() {
    let dir = dir();
    let file = sparse(&dir, "disk", MIB);
    let Some(device) = needs("held_by_another_program", loop_on(&file)) else { return };
    let exclusive = OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
    let holder = rustix::fs::open(device.path(), exclusive, Mode::empty()).unwrap();
    assert!(look(device.path()).contains(&Evidence::ExclusivelyOpen));
    let problem = refused(device.path());
    assert!(problem.next.unwrap().contains("fuser"));
    drop(holder);
    assert_verdict(device.path(), Verdict::MayWrite);
}

#[test]
fn a_device_that_is_only_open_needs_consent() {
    let dir = dir();
    let file = sparse(&dir, "disk", MIB);
    let name = "a_device_that_is_only_open_needs_consent";
    let Some(device) = needs(name, loop_on(&file)) else { return };
    poke(device.path(), 0, b"x");
    let problem = asked(device.path(), false).map(|_| ()).unwrap_err();
    assert_eq!(problem.cause.as_deref(), Some("it holds data (first seen at byte 0)"));
    let option = format!("--destroy-data {}", device.path().display());
    assert!(problem.next.unwrap().ends_with(&option));
    asked(device.path(), true).unwrap();
}
