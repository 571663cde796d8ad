//! What a target is.

use super::support::{MIB, MountGuard, dir, loop_on, poke, sparse};
use rigel_core::error::ExitKind;
use rigel_core::facts::{Identity, TargetKind};
use rigel_core::path_text;
use rigel_io::targets::inspect::target_facts;
use rigel_testdev::{DeviceSpec, TestDevice, ZramDevice, needs};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

#[test]
fn a_regular_file() {
    let dir = dir();
    let file = sparse(&dir, "data", 3 * MIB + 5);
    poke(&file, 0, &[1; 8192]);
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let facts = target_facts(&link).unwrap();
    let stat = std::fs::metadata(&file).unwrap();
    assert_eq!((facts.kind, facts.size_bytes), (TargetKind::File, 3 * MIB + 5));
    let device = (rustix::fs::major(stat.dev()), rustix::fs::minor(stat.dev()));
    assert_eq!(facts.identity, Identity { device, inode: stat.ino() });
    assert_eq!(facts.path, link.to_str().unwrap());
    assert_eq!(Path::new(&facts.real_path), file.canonicalize().unwrap());
    assert_eq!(facts.allocated_bytes, Some(stat.blocks() * 512));
    assert!(facts.filesystem.is_some(), "{facts:?}");
    assert!(Path::new(&facts.real_path).starts_with(facts.mount_point.clone().unwrap()), "{facts:?}");
    assert!(facts.logical_block_bytes.is_power_of_two());
    assert_eq!(facts.direct_io, Some(facts.direct_io_refusal.is_none()));
    assert_eq!(target_facts(&file).unwrap().identity, facts.identity);
}

#[test]
fn what_is_no_target_is_refused_and_never_opened() {
    let dir = dir();
    let fifo = dir.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR).unwrap();
    let socket = dir.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let circle = dir.path().join("loop");
    std::os::unix::fs::symlink(&circle, &circle).unwrap();
    let empty = sparse(&dir, "empty", 0);
    let below_file = empty.join("x");
    for (path, words) in [
        (dir.path(), "directory"),
        (&fifo, "FIFO"),
        (&socket, "socket"),
        (Path::new("/dev/null"), "character device"),
        (Path::new("/proc/cpuinfo"), "a kernel file (proc)"),
        (&circle, "loop"),
        (&empty, "empty file"),
        (&below_file, "not a directory"),
        (Path::new("/dev/no such device"), "no such file or device"),
        (Path::new(""), "no such file or device"),
    ] {
        let problem = target_facts(path).unwrap_err();
        assert_eq!(problem.kind, ExitKind::Refused, "{problem}");
        assert!(problem.to_string().contains(words), "{problem}");
        assert_eq!(problem.place.as_deref(), Some(path.to_str().unwrap()));
        assert!(problem.next.is_some(), "{problem}");
    }
}

#[test]
fn hostile_names_are_printable() {
    let dir = dir();
    let missing = dir.path().join(OsStr::from_bytes(b"\x1b[2J\xff"));
    let problem = target_facts(&missing).unwrap_err().to_string();
    assert!(problem.contains("\\x1b[2J\\xff") && !problem.contains('\x1b'), "{problem}");
    let there = dir.path().join(OsStr::from_bytes(b"a\nb\xfe"));
    std::fs::write(&there, "x").unwrap();
    let facts = target_facts(&there).unwrap();
    assert!(facts.path.ends_with("a\\x0ab\\xfe"));
    assert_eq!(path_text::decode(&facts.path), there);
}

#[test]
fn a_filesystem_without_direct_io() {
    let dir = dir();
    let Some((_mounted, ram)) = needs("a_filesystem_without_direct_io", MountGuard::ramfs(&dir)) else {
        return;
    };
    let file = ram.join("data");
    std::fs::write(&file, [1; 8192]).unwrap();
    let facts = target_facts(&file).unwrap();
    assert_eq!((facts.kind, facts.direct_io), (TargetKind::File, Some(false)));
    assert!(facts.direct_io_refusal.unwrap().contains("O_DIRECT"));
    assert_eq!((facts.filesystem.as_deref(), facts.device), (Some("ramfs"), None));
}

#[test]
fn a_file_of_the_kernel_is_no_storage() {
    let problem =
        target_facts(Path::new("/sys/kernel/mm/transparent_hugepage/enabled")).unwrap_err().to_string();
    assert!(problem.contains("a kernel file (sysfs)"), "{problem}");
}

#[test]
fn a_loop_device() {
    let dir = dir();
    let file = sparse(&dir, "disk", 8 * MIB);
    let Some(device) = needs("a_loop_device", loop_on(&file)) else { return };
    let facts = target_facts(device.path()).unwrap();
    assert_eq!((facts.kind, facts.size_bytes), (TargetKind::BlockDevice, 8 * MIB));
    assert_eq!((facts.logical_block_bytes, facts.direct_io), (512, Some(true)));
    assert_eq!((facts.identity.device.0, facts.identity.inode), (7, 0));
    assert_eq!((facts.filesystem, facts.mount_point, facts.allocated_bytes), (None, None, None));
    let known = facts.device.unwrap();
    assert_eq!(Some(known.name.as_str()), device.path().file_name().unwrap().to_str());
    assert!(known.nr_requests.is_some() && known.scheduler.is_some());
}

#[test]
fn an_unattached_device_has_no_size() {
    let dir = dir();
    let file = sparse(&dir, "disk", MIB);
    let Some(device) = needs("an_unattached_device_has_no_size", loop_on(&file)) else { return };
    // Truncated to nothing below the device: what a drive without a medium looks like.
    std::fs::File::options().write(true).open(&file).unwrap().set_len(0).unwrap();
    super::support::tool("losetup", &["-c".as_ref(), device.path().as_ref()]).unwrap();
    let problem = target_facts(device.path()).unwrap_err();
    assert!(problem.what.contains("size zero"), "{problem}");
}

#[test]
fn a_device_with_blocks_of_4096_bytes() {
    let Some(device) = needs("a_device_with_blocks_of_4096_bytes", ZramDevice::create(8 * MIB)) else {
        return;
    };
    let facts = target_facts(&device.path()).unwrap();
    assert_eq!((facts.logical_block_bytes, facts.physical_block_bytes), (4096, Some(4096)));
    assert_eq!(facts.direct_io, Some(true));
}

#[test]
fn a_file_on_fuse() {
    let device = TestDevice::mount(DeviceSpec::default());
    let Some(device) = needs("a_file_on_fuse", device) else { return };
    let facts = target_facts(&device.raw()).unwrap();
    assert_eq!((facts.kind, facts.size_bytes), (TargetKind::File, 64 * MIB));
    assert!(facts.filesystem.unwrap().starts_with("fuse"));
}
