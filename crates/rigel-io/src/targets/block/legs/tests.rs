//! Trees that look like sysfs, with arrays and volumes in them.

use super::*;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

/// Writes a file of a tree, with its directories.
fn put(root: &Path, file: &str, text: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn device(root: &Path, name: &str, number: &str) {
    put(root, &format!("sys/devices/{name}/dev"), &format!("{number}\n"));
    for (dir, link) in [("class/block", name), ("block", name), ("dev/block", number)] {
        let dir = root.join("sys").join(dir);
        fs::create_dir_all(&dir).unwrap();
        symlink(root.join("sys/devices").join(name), dir.join(link)).unwrap();
    }
}

fn array(level: &str, action: &str, states: [&str; 2]) -> TempDir {
    let dir = TempDir::new().unwrap();
    let root = dir.path();
    device(root, "md0", "9:0");
    for (file, text) in [("size", "2048"), ("md/level", level), ("md/sync_action", action)] {
        put(root, &format!("sys/devices/md0/{file}"), &format!("{text}\n"));
    }
    // The order of the names is not that of the slots.
    for (name, number, slot, offset, state) in
        [("sda1", "8:1", "1", "2048", states[0]), ("sdb1", "8:17", "0", "4096", states[1])]
    {
        device(root, name, number);
        for (file, text) in [("slot", slot), ("offset", offset), ("state", state)] {
            put(root, &format!("sys/devices/md0/md/dev-{name}/{file}"), &format!("{text}\n"));
        }
        symlink(
            root.join("sys/devices").join(name),
            root.join(format!("sys/devices/md0/md/dev-{name}/block")),
        )
        .unwrap();
    }
    dir
}

#[test]
fn legs_of_an_array_with_their_offsets() {
    let tree = array("raid1", "idle", ["in_sync,write_mostly", "in_sync"]);
    let legs = legs_of_array(tree.path(), Path::new("/dev/md0")).unwrap();
    assert_eq!(legs.disks, [Path::new("/dev/sdb1"), Path::new("/dev/sda1")]);
    let strip = &legs.strips[0];
    assert_eq!(strip.len, 1 << 20);
    assert_eq!(strip.copies, [Place { disk: 0, offset: 2 << 20 }, Place { disk: 1, offset: 1 << 20 }]);
}

#[test]
fn arrays_that_cannot_be_compared_are_refused_with_the_reason() {
    for (level, action, states, part) in [
        ("raid5", "idle", ["in_sync"; 2], "level raid5"),
        ("raid1", "resync", ["in_sync"; 2], "(resync)"),
        ("raid1", "idle", ["in_sync", "faulty"], "fewer than two legs"),
    ] {
        let tree = array(level, action, states);
        let problem = legs_of_array(tree.path(), Path::new("/dev/md0")).unwrap_err().to_string();
        assert!(problem.contains(part), "{problem}");
    }
    let tree = array("raid1", "idle", ["in_sync"; 2]);
    put(tree.path(), "sys/devices/md0/md/resync_start", "0\n");
    let problem = legs_of_array(tree.path(), Path::new("/dev/md0")).unwrap_err().to_string();
    assert!(problem.contains("not in sync yet"), "{problem}");
    put(tree.path(), "sys/devices/md0/md/resync_start", "none\n");
    assert!(legs_of_array(tree.path(), Path::new("/dev/md0")).is_ok());
    let problem = legs_of_array(tree.path(), Path::new("/dev/sda1")).unwrap_err().to_string();
    assert!(problem.contains("not an array"), "{problem}");
    assert!(legs_of_array(tree.path(), Path::new("/dev/md7")).is_err());
}

fn volume(table: &str, status: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    let root = dir.path();
    for minor in 0..7 {
        device(root, &format!("dm-{minor}"), &format!("253:{minor}"));
    }
    put(root, "sys/devices/dm-0/dm/name", "my--group-data\n");
    put(root, "mapper/my--group-data.table", table);
    put(root, "mapper/my--group-data.status", status);
    dir
}

#[test]
fn legs_of_volumes_by_both_drivers() {
    let raid = volume(
        "0 2048 raid raid1 3 0 region_size 1024 2 253:1 253:2 253:3 253:4\n",
        "0 2048 raid raid1 2 AA 2048/2048 idle 0 0 -\n",
    );
    let legs = legs_of_volume(raid.path(), "my-group/data").unwrap();
    assert_eq!(legs.disks, [Path::new("/dev/dm-2"), Path::new("/dev/dm-4")]);
    assert_eq!(legs.strips.iter().map(|strip| strip.len).sum::<u64>(), 1 << 20);
    let mirror = volume(
        "0 1024 mirror core 2 1024 nosync 2 253:1 0 253:2 8 1 handle_errors\n1024 1024 mirror core 1 1024 2 253:3 0 253:2 2048\n",
        "0 1024 mirror 2 253:1 253:2 1/1 1 AA 1 core\n1024 1024 mirror 2 253:3 253:2 1/1 1 AA 1 core\n",
    );
    let legs = legs_of_volume(mirror.path(), "my-group/data").unwrap();
    assert_eq!((legs.disks.len(), legs.strips.len()), (3, 2));
    assert_eq!(legs.strips[1].copies[1], Place { disk: 1, offset: 1 << 20 });
}

#[test]
fn volumes_that_cannot_be_compared_are_refused_with_the_reason() {
    let raid = "0 2048 raid raid1 3 0 region_size 1024 2 253:1 253:2 253:3 253:4\n";
    for (table, status, part) in [
        ("0 2048 linear 253:1 0\n", "", "type linear"),
        (raid, "0 2048 raid raid1 2 Aa 100/2048 recover 0 0 -\n", "not in sync"),
        (raid, "0 2048 raid raid1 2 AD 2048/2048 idle 0 0 -\n", "not in sync"),
        (raid, "", "not in sync"),
        ("", "", "only root"),
        (
            "0 2048 raid raid1 1 0 2 253:1 253:2 - -\n",
            "0 2048 raid raid1 2 AA 2048/2048 idle 0 0 -\n",
            "fewer than two",
        ),
    ] {
        let tree = volume(table, status);
        let problem = legs_of_volume(tree.path(), "my-group/data").unwrap_err().to_string();
        assert!(problem.contains(part), "{table}: {problem}");
    }
    let tree = volume("", "");
    assert!(
        legs_of_volume(tree.path(), "other/data")
            .unwrap_err()
            .to_string()
            .contains("no such active logical volume")
    );
    assert!(legs_of_volume(tree.path(), "data").unwrap_err().to_string().contains("VG/LV"));
}
