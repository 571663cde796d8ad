use super::*;
use crate::targets::node::id_at;
use crate::tests::fixture::Fixture;

const SDA: &str = "pci0/block/sda";
const SDA1: &str = "pci0/block/sda/sda1";
const SDA2: &str = "pci0/block/sda/sda2";
const SDB: &str = "pci0/block/sdb";
const DM: &str = "virtual/block/dm-0";
const MD: &str = "virtual/block/md127";

fn host() -> Fixture {
    let fixture = Fixture::new();
    fixture.disk(SDA, (8, 0));
    fixture.partition(SDA1, (8, 1), 2048, 4096);
    fixture.partition(SDA2, (8, 2), 8192, 4096);
    fixture.disk(SDB, (8, 16));
    fixture.disk(DM, (253, 0));
    fixture.disk(MD, (9, 127));
    fixture.mounts(&[("0:25", "/proc", "proc", "proc")]);
    fixture
}

/// The evidence about a device, as text.
fn found(fixture: &Fixture, number: (u32, u32)) -> Vec<String> {
    let snapshot = Snapshot::of(fixture.system());
    let block = Block::by_number(&snapshot.system().sys, number).unwrap();
    mounted_or_held(&block, &snapshot).iter().map(ToString::to_string).collect()
}

#[test]
fn a_snapshot_is_asked_once_and_a_new_one_is_fresh() {
    let fixture = host();
    let block = Block::by_number(&fixture.system().sys, (8, 16)).unwrap();
    let snapshot = Snapshot::of(fixture.system());
    assert!(mounted_or_held(&block, &snapshot).is_empty());
    fixture.mounts(&[("8:16", "/data", "xfs", "/dev/sdb")]);
    assert!(mounted_or_held(&block, &snapshot).is_empty(), "it is as it was when it was taken");
    assert_eq!(found(&fixture, (8, 16)), ["sdb is mounted on /data"]);
}

#[test]
fn an_idle_device() {
    let fixture = host();
    for number in [(8, 0), (8, 1), (8, 16)] {
        assert!(found(&fixture, number).is_empty());
    }
}

#[test]
fn a_mounted_partition_is_its_disks_business_but_not_its_neighbours() {
    let fixture = host();
    fixture.mounts(&[("8:2", "/da\\040ta", "ext4", "/dev/sda2"), ("8:2", "/bind", "ext4", "/dev/sda2")]);
    let mounted = ["sda2 is mounted on /da ta", "sda2 is mounted on /bind"];
    assert_eq!(found(&fixture, (8, 2)), mounted);
    assert_eq!(found(&fixture, (8, 0)), mounted);
    assert!(found(&fixture, (8, 1)).is_empty());
}

#[test]
fn a_disk_in_use_as_a_whole_is_its_partitions_business() {
    let fixture = host();
    fixture.mounts(&[("8:0", "/whole", "xfs", "/dev/sda")]);
    assert_eq!(found(&fixture, (8, 1)), ["sda is mounted on /whole"]);
}

#[test]
fn a_mount_above_is_found_with_its_holder() {
    let fixture = host();
    fixture.holds(DM, SDA1);
    fixture.holds(DM, SDB);
    fixture.write("sys/devices/virtual/block/dm-0/dm/name", "vg-data\n");
    fixture.write("sys/devices/virtual/block/dm-0/dm/uuid", "LVM-x\n");
    fixture.mounts(&[("253:0", "/srv", "xfs", "/dev/mapper/vg-data")]);
    assert_eq!(found(&fixture, (8, 0)), ["dm-0 is mounted on /srv", "sda1 is in use by dm-0 (vg-data, LVM)"]);
    assert_eq!(found(&fixture, (8, 16)), ["dm-0 is mounted on /srv", "sdb is in use by dm-0 (vg-data, LVM)"]);
    assert_eq!(found(&fixture, (253, 0)), ["dm-0 is mounted on /srv"]);
    assert!(found(&fixture, (8, 2)).is_empty());
}

#[test]
fn a_multipath_disk_holds_its_partitions_too() {
    let fixture = host();
    fixture.holds(MD, SDA);
    assert_eq!(found(&fixture, (8, 2)), ["sda is in use by md127"]);
}

#[test]
fn holders_in_a_circle_end() {
    let fixture = host();
    fixture.holds(DM, SDA);
    fixture.holds(MD, DM);
    fixture.holds(DM, MD);
    assert_eq!(found(&fixture, (8, 0)), ["sda is in use by dm-0"]);
}

#[test]
fn every_device_of_a_mounted_btrfs() {
    let fixture = host();
    for name in ["sdb", "sdc"] {
        fixture.write(&format!("sys/fs/btrfs/uuid-1/devices/{name}"), "");
    }
    assert_eq!(found(&fixture, (8, 16)), ["sdb is mounted on the btrfs filesystem uuid-1"]);
    fixture.mounts(&[("0:41", "/pool", "btrfs", "/dev/sdc")]);
    assert_eq!(found(&fixture, (8, 16)), ["sdb is mounted on /pool"]);
    assert!(found(&fixture, (8, 0)).is_empty());
}

#[test]
fn hundreds_of_bind_mounts_are_cut() {
    let fixture = host();
    let points: Vec<String> = (0..300).map(|n| format!("/pod/{n}")).collect();
    let rows: Vec<_> = points.iter().map(|point| ("8:16", point.as_str(), "xfs", "/dev/sdb")).collect();
    fixture.mounts(&rows);
    assert_eq!(found(&fixture, (8, 16)).len(), MOST_MOUNTS);
}

#[test]
fn swap_by_any_name() {
    let fixture = host();
    let dir = tempfile::tempdir().unwrap();
    let (file, link) = (dir.path().join("swap file"), dir.path().join("link"));
    std::fs::write(&file, "x").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let escaped = file.to_str().unwrap().replace(' ', "\\040");
    fixture.write("proc/swaps", format!("Filename Type\n/dev/no/such partition\n{escaped} file 1 0 -2\n"));
    let snapshot = Snapshot::of(fixture.system());
    let found = in_swap(&[id_at(&link).unwrap()], &snapshot);
    assert_eq!(found, [Evidence::Swap { device: file.to_str().unwrap().into() }]);
    assert!(
        in_swap(&[id_at(dir.path().parent().unwrap()).unwrap_or(block_id((8, 0)))], &snapshot).is_empty()
    );
}

#[test]
fn a_file_behind_a_loop_device_is_held() {
    let fixture = host();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("image");
    std::fs::write(&file, "x").unwrap();
    // A number that no real loop device has: the kernel cannot be asked about it.
    fixture.disk("virtual/block/loop99999", (7, 99_999));
    fixture.write("sys/devices/virtual/block/loop99999/loop/backing_file", format!("{}\n", file.display()));
    let node = Node::pin(&file).unwrap();
    let found = blockers(&node, &Snapshot::of(fixture.system()));
    let [Evidence::Held { device, holder }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((device.as_str(), holder.as_str()), (file.to_str().unwrap(), "loop99999"));
}
