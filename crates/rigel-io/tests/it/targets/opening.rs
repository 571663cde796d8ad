//! Opening: what a permit opens, what opens without one, and everything that may change in between.

use super::support::{MIB, MountGuard, asked, bytes_of, dir, ext4_image, look, loop_on, poke, sparse};
use rigel_core::error::{ExitKind, Problem};
use rigel_core::facts::TargetFacts;
use rigel_io::targets::OpenTargets;
use rigel_io::targets::guard::{WritePermit, consent_covers, permit};
use rigel_io::targets::inspect::target_facts;
use rigel_io::targets::open::Access;
use rigel_testdev::{LoopDevice, needs};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::{Errno, pread, pwrite};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

fn open_to_write(request: &TargetFacts, permit: WritePermit, direct: bool) -> Result<OpenTargets, Problem> {
    OpenTargets::open(std::slice::from_ref(request), Access::Permits(&[Some(permit)]), direct)
}

/// Facts and permit of a target that may be written with consent.
fn permitted(path: &Path) -> (TargetFacts, WritePermit) {
    let (facts, permit) = asked(path, true).unwrap();
    (facts.clone(), permit)
}

fn refused(result: Result<OpenTargets, Problem>, words: &str) {
    let problem = result.map(|_| ()).unwrap_err();
    assert_eq!(problem.kind, ExitKind::Refused);
    assert!(problem.to_string().contains(words), "{problem}");
}

#[test]
fn without_a_permit_the_kernel_refuses_a_write() {
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    poke(&file, 0, b"precious");
    let request = target_facts(&file).unwrap();
    for access in [Access::ReadOnly, Access::Permits(&[]), Access::Permits(&[None])] {
        let open = OpenTargets::open(std::slice::from_ref(&request), access, false).unwrap();
        assert!(!open[0].writable());
        assert_eq!(pwrite(&open[0], b"destroyed", 0), Err(Errno::BADF));
        let mut bytes = [0; 8];
        assert_eq!(pread(&open[0], &mut bytes, 0), Ok(8));
        assert_eq!(&bytes, b"precious");
    }
    assert_eq!(&bytes_of(&file)[..8], b"precious");
}

#[test]
fn a_permit_is_for_its_own_target_in_the_list() {
    let dir = dir();
    let (scratch, precious) = (sparse(&dir, "scratch", MIB), sparse(&dir, "precious", MIB));
    let (first, permit) = permitted(&scratch);
    let second = target_facts(&precious).unwrap();
    let permits = [Some(permit), None];
    let open = OpenTargets::open(&[first.clone(), second.clone()], Access::Permits(&permits), false).unwrap();
    assert_eq!((open[0].writable(), open[1].writable()), (true, false));
    assert_eq!(pwrite(&open[0], b"x", 0), Ok(1));
    assert_eq!(pwrite(&open[1], b"x", 0), Err(Errno::BADF));
    assert_eq!(open[0].size_bytes(), MIB);
    drop(open);
    // In the wrong order the permit opens nothing.
    let result = OpenTargets::open(&[second, first], Access::Permits(&permits), false);
    refused(result, "not the one that was checked");
}

#[test]
fn a_path_that_leads_elsewhere_is_refused() {
    let dir = dir();
    let (mine, precious) = (sparse(&dir, "mine", MIB), sparse(&dir, "precious", MIB));
    poke(&precious, 0, b"precious");
    let link = dir.path().join("link");
    symlink(&mine, &link).unwrap();
    let (request, permit) = permitted(&link);
    std::fs::remove_file(&link).unwrap();
    symlink(&precious, &link).unwrap();
    refused(open_to_write(&request, permit, true), "not the one that was checked");
    refused(OpenTargets::open(&[request], Access::ReadOnly, true), "not the one that was checked");
    assert_eq!(&bytes_of(&precious)[..8], b"precious");
}

#[test]
fn something_else_in_its_place_is_not_even_opened() {
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    let (request, permit) = permitted(&file);
    std::fs::rename(&file, dir.path().join("away")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &file, Mode::RUSR | Mode::WUSR).unwrap();
    // A FIFO would make the open hang.
    refused(open_to_write(&request, permit, false), "FIFO");
}

#[test]
fn a_file_that_changed_its_size() {
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    let (request, permit) = permitted(&file);
    std::fs::File::options().write(true).open(&file).unwrap().set_len(2 * MIB).unwrap();
    refused(open_to_write(&request, permit, false), "changed its size");
    // Reading only what was planned is fine.
    let open = OpenTargets::open(std::slice::from_ref(&request), Access::ReadOnly, false).unwrap();
    assert_eq!(open[0].size_bytes(), MIB);
    std::fs::File::options().write(true).open(&file).unwrap().set_len(MIB - 1).unwrap();
    refused(OpenTargets::open(&[request], Access::ReadOnly, false), "smaller");
}

#[test]
fn evidence_of_another_target_gives_no_permit() {
    let dir = dir();
    let (hole, precious) = (sparse(&dir, "hole", MIB), sparse(&dir, "precious", MIB));
    poke(&precious, 0, b"precious");
    let problem = permit(&target_facts(&precious).unwrap(), &look(&hole), true).map(|_| ()).unwrap_err();
    assert!(problem.what.contains("not the one that was checked"), "{problem}");
}

#[test]
fn consent_is_by_identity() {
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    let other = sparse(&dir, "file2", MIB);
    let (link, hard) = (dir.path().join("by-id"), dir.path().join("hard"));
    symlink("file", &link).unwrap();
    std::fs::hard_link(&file, &hard).unwrap();
    let facts = target_facts(&file).unwrap();
    let spelled = dir.path().join("./x/../file");
    std::fs::create_dir(dir.path().join("x")).unwrap();
    for (consents, covered) in [
        (vec![], false),
        (vec![file.clone()], true),
        (vec![link.clone()], true),
        (vec![hard], true),
        (vec![spelled], true),
        (vec![other.clone(), file.clone()], true),
        (vec![other], false),
        (vec![dir.path().to_owned()], false),
        (vec![dir.path().join("fil")], false),
        (vec![PathBuf::from("/")], false),
        (vec![PathBuf::from("")], false),
        (vec![dir.path().join("*")], false),
        (vec![dir.path().join("file/")], false),
    ] {
        assert_eq!(consent_covers(&consents, &facts), covered, "{consents:?}");
    }
    // And for a target that is itself named by a link.
    assert!(consent_covers(&[file], &target_facts(&link).unwrap()));
}

#[test]
fn a_locked_file_waits_for_its_owner() {
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    let (request, first) = permitted(&file);
    let (_, second) = permitted(&file);
    let open = open_to_write(&request, first, false).unwrap();
    refused(open_to_write(&request, second, false), "locked");
    drop(open);
    let (_, third) = permitted(&file);
    let open = open_to_write(&request, third, false).unwrap();
    let mine = rustix::fs::open(&file, OFlags::RDONLY, Mode::empty()).unwrap();
    assert_eq!(rustix::fs::flock(&mine, FlockOperation::NonBlockingLockExclusive), Err(Errno::WOULDBLOCK));
    drop(open);
}

#[test]
fn a_file_is_written_by_all_nodes_of_one_run_and_by_no_other_run() {
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    let open = |run: Option<u64>| {
        let (request, permit) = permitted(&file);
        let permits = [Some(permit)];
        let access = run.map_or(Access::Permits(&permits), |run| Access::Together(&permits, run));
        OpenTargets::open(&[request], access, false)
    };
    let nodes = [open(Some(7)).unwrap(), open(Some(7)).unwrap()];
    refused(open(Some(8)), "on this host or another");
    refused(open(None), "locked");
    drop(nodes);
    let alone = open(None).unwrap();
    refused(open(Some(7)), "locked");
    drop(alone);
}

#[test]
fn without_direct_io_the_way_out_is_named() {
    let dir = dir();
    let Some((_mounted, ram)) = needs("without_direct_io_the_way_out_is_named", MountGuard::ramfs(&dir))
    else {
        return;
    };
    let file = ram.join("data");
    std::fs::write(&file, [1; 8192]).unwrap();
    let facts = target_facts(&file).unwrap();
    let request = facts.clone();
    let problem = OpenTargets::open(std::slice::from_ref(&request), Access::ReadOnly, true).unwrap_err();
    assert!(
        problem.to_string().contains("O_DIRECT") && problem.to_string().contains("--buffered"),
        "{problem}"
    );
    OpenTargets::open(&[request], Access::ReadOnly, false).unwrap();
}

#[test]
fn descriptors_are_not_inherited() {
    let dir = dir();
    let request = target_facts(&sparse(&dir, "file", MIB)).unwrap();
    let open = OpenTargets::open(&[request], Access::ReadOnly, true).unwrap();
    assert!(rustix::io::fcntl_getfd(&open[0]).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
    assert!(rustix::fs::fcntl_getfl(&open[0]).unwrap().contains(OFlags::DIRECT));
}

fn disk(dir: &tempfile::TempDir, name: &str) -> Option<(PathBuf, LoopDevice)> {
    let file = sparse(dir, name, 16 * MIB);
    let device = needs(name, loop_on(&file))?;
    Some((file, device))
}

#[test]
fn a_permitted_device_is_opened_exclusively() {
    let dir = dir();
    let Some((file, device)) = disk(&dir, "a_permitted_device_is_opened_exclusively") else { return };
    let (request, first) = permitted(device.path());
    let (_, second) = permitted(device.path());
    let open = open_to_write(&request, first, false).unwrap();
    assert_eq!(pwrite(&open[0], b"mine", 8192), Ok(4));
    refused(open_to_write(&request, second, false), "another program has the device open exclusively");
    // Nobody can mount it while it is open; reading needs no exclusive open.
    assert!(MountGuard::mount(device.path(), &dir.path().join("m"), "ro").is_err());
    OpenTargets::open(&[request], Access::ReadOnly, true).unwrap();
    rustix::fs::fsync(&open[0]).unwrap();
    drop(open);
    assert_eq!(&bytes_of(&file)[8192..8196], b"mine");
}

#[test]
fn a_device_that_was_mounted_after_the_permit() {
    let name = "a_device_that_was_mounted_after_the_permit";
    let dir = dir();
    let Some(image) = needs(name, ext4_image(&dir, "image")) else { return };
    let Some(device) = needs(name, loop_on(&image)) else { return };
    let (request, permit) = permitted(device.path());
    let point = dir.path().join("m");
    let Some(_mounted) = needs(name, MountGuard::mount(device.path(), &point, "ro")) else { return };
    let before = bytes_of(&image);
    refused(open_to_write(&request, permit, true), "is mounted on");
    assert!(bytes_of(&image) == before, "the image changed");
}

#[test]
fn a_file_that_came_into_use_after_the_permit() {
    let name = "a_file_that_came_into_use_after_the_permit";
    let dir = dir();
    let file = sparse(&dir, "file", MIB);
    let (request, permit) = permitted(&file);
    let Some(device) = needs(name, loop_on(&file)) else { return };
    refused(open_to_write(&request, permit, true), &format!("losetup -d {}", device.path().display()));
}
