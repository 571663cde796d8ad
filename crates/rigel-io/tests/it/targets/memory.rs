//! Memory below a target that does not show in its own filesystem: under an overlay, and under the file of a loop device.

use super::support::{MIB, MountGuard, dir, ext4_image, loop_on, poke, sparse, tool};
use rigel_core::facts::TargetFacts;
use rigel_io::targets::inspect::{Snapshot, directory_facts, target_facts};
use rigel_testdev::{LoopDevice, MissingNeed, needs, random_file};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn memory(facts: &TargetFacts) -> Option<String> {
    facts.memory().map(|memory| memory.to_string())
}

fn of_file(path: &Path) -> Option<String> {
    memory(&target_facts(path).unwrap())
}

fn of_directory(path: &Path) -> Option<String> {
    memory(&directory_facts(path, &Snapshot::take()).unwrap())
}

/// All are memory for this reason; without one, none is memory.
#[track_caller]
fn assert_all_say(told: &[Option<String>], reason: Option<&str>) {
    for told in told {
        assert_eq!(told.is_some(), reason.is_some(), "{told:?}");
        assert!(told.iter().all(|told| reason.is_some_and(|reason| told.contains(reason))), "{told:?}");
    }
}

/// An overlay with the files `below` and `above` in its layers; its mount is dropped before what the layers lie on.
fn overlay(lower: &Path, upper: &Path) -> Result<(MountGuard, PathBuf), MissingNeed> {
    let [low, up, work, at] = [lower.join("low"), upper.join("up"), upper.join("work"), upper.join("merged")];
    for dir in [&low, &up, &work, &at] {
        std::fs::create_dir_all(dir).unwrap();
    }
    random_file(&low.join("below"), MIB).unwrap();
    random_file(&up.join("above"), MIB).unwrap();
    let options = format!("lowerdir={},upperdir={},workdir={}", low.display(), up.display(), work.display());
    let mounted = MountGuard::of_type("overlay", "overlay".as_ref(), &at, &options)?;
    Ok((mounted, at))
}

fn tmpfs(dir: &TempDir) -> Result<(MountGuard, PathBuf), MissingNeed> {
    let at = dir.path().join("tmpfs");
    Ok((MountGuard::of_type("tmpfs", "tmpfs".as_ref(), &at, "size=16m")?, at))
}

#[test]
fn an_overlay_on_memory_is_memory() {
    let name = "an_overlay_on_memory_is_memory";
    let dir = dir();
    let Some((_tmpfs, ram)) = needs(name, tmpfs(&dir)) else { return };
    let told = Some("this overlay has it on tmpfs, which keeps its files in memory".to_owned());
    let Some((mounted, at)) = needs(name, overlay(&ram, &ram)) else { return };
    assert_eq!((of_file(&at.join("below")), of_file(&at.join("above"))), (told.clone(), told.clone()));
    assert_eq!(of_directory(&at), told);
    drop(mounted);
    // Only one of the layers.
    let Some((_mounted, at)) = needs(name, overlay(dir.path(), &ram)) else { return };
    assert_eq!((of_file(&at.join("below")), of_file(&at.join("above"))), (None, told.clone()));
    let facts = directory_facts(&at, &Snapshot::take()).unwrap();
    assert_eq!((memory(&facts), facts.filesystem.as_deref()), (told, Some("overlay")));
    assert_eq!(facts.mount.unwrap().lies_on.as_deref(), Some("tmpfs"));
}

#[test]
fn an_overlay_on_a_disk_is_what_the_disk_is() {
    let name = "an_overlay_on_a_disk_is_what_the_disk_is";
    let dir = dir();
    let Some(image) = needs(name, ext4_image(&dir, "image")) else { return };
    for direct in [false, true] {
        let Some(device) = needs(name, LoopDevice::attach(&image, direct)) else { return };
        let point = dir.path().join("disk");
        let Some(_disk) = needs(name, MountGuard::mount(device.path(), &point, "rw")) else { return };
        let Some((_mounted, at)) = needs(name, overlay(&point, &point)) else { return };
        let told = [of_file(&at.join("below")), of_file(&at.join("above")), of_directory(&at)];
        assert_all_say(&told, (!direct).then_some("through the page cache of this host"));
        let facts = target_facts(&at.join("above")).unwrap();
        let below = device.path().file_name().unwrap().to_str();
        assert_eq!(facts.device.as_ref().map(|device| device.name.as_str()), below);
    }
}

#[test]
fn direct_io_of_a_loop_device_that_ext4_answers_from_memory() {
    let name = "direct_io_of_a_loop_device_that_ext4_answers_from_memory";
    let dir = dir();
    let Some(image) = needs(name, ext4_image(&dir, "image")) else { return };
    for journaled in [false, true] {
        let Some(disk) = needs(name, LoopDevice::attach(&image, true)) else { return };
        let point = dir.path().join("disk");
        let options = if journaled { "data=journal" } else { "data=ordered" };
        let Some(_disk) = needs(name, MountGuard::mount(disk.path(), &point, options)) else { return };
        let file = point.join("file");
        random_file(&file, 4 * MIB).unwrap();
        let says = target_facts(&file).unwrap().direct_io;
        let said =
            if says == Some(journaled) { Err(MissingNeed::new("statx tells nothing")) } else { Ok(()) };
        let Some(()) = needs(name, said) else { return };
        let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
        let Some(above) = needs(name, LoopDevice::attach(device.path(), true)) else { return };
        let told = [of_file(device.path()), of_file(above.path())];
        assert_all_say(&told, journaled.then_some("for which ext4 does not support direct I/O"));
    }
}

#[test]
fn a_loop_device_on_a_compressed_file() {
    let name = "a_loop_device_on_a_compressed_file";
    let dir = dir();
    let image = sparse(&dir, "image", 128 * MIB);
    let Some(_) = needs(name, tool("mkfs.btrfs", &["-q".as_ref(), image.as_ref()])) else { return };
    let Some(disk) = needs(name, loop_on(&image)) else { return };
    let point = dir.path().join("disk");
    let mounted = MountGuard::mount(disk.path(), &point, "compress-force=zstd");
    let Some(_mounted) = needs(name, mounted) else { return };
    let file = point.join("file");
    std::fs::File::create_new(&file).unwrap().set_len(4 * MIB).unwrap();
    poke(&file, 0, &[7; 4 << 20]);
    let Some(device) = needs(name, LoopDevice::attach(&file, true)) else { return };
    let known = target_facts(device.path()).unwrap().device.unwrap();
    assert_eq!(known.loop_file.as_ref().unwrap().compressed_percent, Some(100));
    assert!(known.cached_file().unwrap().to_string().contains("is compressed"));
}
