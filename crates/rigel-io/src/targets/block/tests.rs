use super::*;
use crate::system::chosen_word;
use crate::tests::fixture::Fixture;
use rigel_core::facts::{DeviceFacts, IscsiFacts, MappedFacts, MdFacts};

#[test]
fn an_nvme_partition_has_the_queue_of_its_disk() {
    let fixture = Fixture::new();
    let disk = "pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1";
    fixture.disk(disk, (259, 0));
    fixture.partition(&format!("{disk}/nvme0n1p1"), (259, 1), 2048, 1_000_000);
    // What else lies there: a directory with a number that is no partition, and plain files.
    fixture.write(&format!("sys/devices/{disk}/device/dev"), "10:1\n");
    fixture.write(&format!("sys/devices/{disk}/device/model"), "Fast \x1bDrive 9000  \n");
    fixture.write("sys/devices/pci0000:00/0000:00:04.0/numa_node", "1\n");
    for (file, value) in [
        ("rotational", "0"),
        ("scheduler", "[none] mq-deadline kyber"),
        ("nr_requests", "1023"),
        ("max_sectors_kb", "128"),
        ("max_hw_sectors_kb", "512"),
        ("max_segments", "33"),
        ("io_poll", "1"),
        ("write_cache", "write back"),
        ("physical_block_size", "4096"),
    ] {
        fixture.write(&format!("sys/devices/{disk}/queue/{file}"), format!("{value}\n"));
    }
    let part = Block::by_number(&fixture.system().sys, (259, 1)).unwrap();
    let expected = DeviceFacts {
        name: "nvme0n1p1".into(),
        model: Some("Fast \\x1bDrive 9000".into()),
        rotational: Some(false),
        scheduler: Some("none".into()),
        nr_requests: Some(1023),
        max_sectors_kb: Some(128),
        max_hw_sectors_kb: Some(512),
        max_segments: Some(33),
        write_cache: Some("write back".into()),
        numa_node: Some(1),
        polled: Some(true),
        generic: None,
        transport: Some("nvme".into()),
        number: Some((259, 1)),
        partition_of: Some("nvme0n1".into()),
        start_bytes: Some(1 << 20),
        size_bytes: Some(512_000_000),
        physical_block_bytes: Some(4096),
        ..DeviceFacts::default()
    };
    assert_eq!(part.facts(&fixture.system()), expected);
    assert_eq!(part.physical_block_bytes(), Some(4096));
    assert_eq!(part.generation(), None);
    fixture.write(&format!("sys/devices/{disk}/diskseq"), "17\n");
    assert_eq!(part.generation(), Some(Generation { disk: 17, start_bytes: 1 << 20 }));
    assert_eq!(part.region_bytes(), Some((1 << 20, 512_000_000)));
    let disk = part.disk().unwrap();
    assert_eq!((disk.name.as_str(), disk.disk()), ("nvme0n1", None));
    assert_eq!(disk.partitions(), [part]);
    assert_eq!(Block::all(&fixture.system().sys), [disk]);
}

#[test]
fn how_a_disk_is_attached_is_seen_from_what_lies_above_it() {
    for (at, transport) in [
        ("pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda", Some("sata")),
        ("pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host5/target5:0:0/5:0:0:0/block/sdb", Some("usb")),
        ("platform/host9/session1/target9:0:0/9:0:0:0/block/sdc", Some("iscsi")),
        ("pci0000:00/0000:03:00.0/host1/rport-1:0-2/target1:0:0/1:0:0:0/block/sdd", Some("fc")),
        ("pci0000:00/0000:04:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/sde", Some("sas")),
        ("pci0000:00/0000:00:05.0/virtio2/block/vda", Some("virtio")),
        ("pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1", Some("nvme")),
        ("virtual/block/loop0", Some("loop")),
        ("virtual/block/dm-3", Some("device mapper")),
        ("virtual/block/md127", Some("md")),
        ("pci0000:00/strange/block/xyz", None),
    ] {
        let fixture = Fixture::new();
        fixture.disk(at, (8, 0));
        let block = Block::by_number(&fixture.system().sys, (8, 0)).unwrap();
        assert_eq!(block.facts(&fixture.system()).transport.as_deref(), transport, "{at}");
    }
}

/// Under its controller, and under its subsystem where there are several paths to it.
#[test]
fn a_namespace_has_a_generic_device_beside_it() {
    for parent in ["pci0000:00/0000:00:04.0/nvme/nvme0", "virtual/nvme-subsystem/nvme-subsys0"] {
        let fixture = Fixture::new();
        fixture.disk(&format!("{parent}/nvme0n1"), (259, 0));
        fixture.partition(&format!("{parent}/nvme0n1/nvme0n1p1"), (259, 1), 2048, 1_000_000);
        fixture.character(&format!("{parent}/ng0n1"), (240, 0));
        // A controller is a character device too, and no namespace.
        fixture.character("pci0000:00/0000:00:04.0/nvme/nvme9", (241, 0));
        let sys = fixture.system().sys;
        let block = Block::of_generic(&sys, (240, 0)).unwrap();
        assert_eq!((block.name.as_str(), block.number), ("nvme0n1", (259, 0)));
        assert_eq!(block.facts(&fixture.system()).generic.as_deref(), Some("ng0n1"));
        assert_eq!(block.generic().unwrap().number, (240, 0));
        assert_eq!(
            block.partitions()[0].facts(&fixture.system()).generic,
            None,
            "a partition is no namespace"
        );
        assert_eq!(Block::of_generic(&sys, (241, 0)), None);
        assert_eq!(Block::of_generic(&sys, (1, 3)), None);
    }
}

#[test]
fn what_is_missing_is_left_out() {
    let fixture = Fixture::new();
    fixture.disk("virtual/block/cciss!c0d0", (104, 0));
    fixture.write("sys/devices/virtual/block/cciss!c0d0/numa_node", "-1\n");
    fixture.write("sys/devices/virtual/block/cciss!c0d0/queue/nr_requests", "many\n");
    let facts = Block::by_number(&fixture.system().sys, (104, 0)).unwrap().facts(&fixture.system());
    let named = DeviceFacts { name: "cciss/c0d0".into(), number: Some((104, 0)), ..DeviceFacts::default() };
    assert_eq!(DeviceFacts { transport: None, ..facts }, named);
    assert_eq!(Block::by_number(&fixture.system().sys, (1, 2)), None);
}

#[test]
fn what_a_mapped_device_is_made_of_and_called() {
    let fixture = Fixture::new();
    let (dm, sda, sdb) = ("virtual/block/dm-0", "pci0/block/sda", "pci0/block/sdb");
    for (at, number) in [(dm, (253, 0)), (sdb, (8, 16)), (sda, (8, 0))] {
        fixture.disk(at, number);
    }
    fixture.holds(dm, sdb);
    fixture.holds(dm, sda);
    fixture.write("sys/devices/virtual/block/dm-0/dm/name", "vg-da\u{202e}ta\n");
    let by = |number| Block::by_number(&fixture.system().sys, number).unwrap();
    assert_eq!(by((253, 0)).facts(&fixture.system()).made_of, ["sda", "sdb"]);
    assert_eq!(by((8, 0)).holders(), [by((253, 0))]);
    assert_eq!(by((253, 0)).title(), "dm-0 (vg-da\\xe2\\x80\\xaeta)");
    fixture.write("sys/devices/virtual/block/dm-0/dm/uuid", "LVM-abc\n");
    assert_eq!(by((253, 0)).title(), "dm-0 (vg-da\\xe2\\x80\\xaeta, LVM)");
    assert_eq!(by((8, 0)).title(), "sda");
}

#[test]
fn loop_files_keep_their_blanks() {
    let fixture = Fixture::new();
    fixture.disk("virtual/block/loop0", (7, 0));
    fixture.write("sys/devices/virtual/block/loop0/loop/backing_file", b"/a b/\xff \n");
    let block = Block::by_number(&fixture.system().sys, (7, 0)).unwrap();
    assert_eq!(block.loop_file().unwrap().as_os_str().as_bytes(), b"/a b/\xff ");
}

#[test]
fn chosen_words() {
    for (list, word) in
        [("[none] kyber", "none"), ("none kyber [bfq]", "bfq"), ("none", "none"), ("a [b", "a [b")]
    {
        assert_eq!(chosen_word(list), word);
    }
}

#[test]
fn io_is_counted_on_the_lowest_device_that_moves_each_byte_once() {
    let fixture = Fixture::new();
    fixture.disk("pci0/sda", (8, 0));
    fixture.partition("pci0/sda/sda1", (8, 1), 2048, 1_000_000);
    fixture.partition("pci0/sda/sda2", (8, 2), 2_000_000, 1_000_000);
    fixture.disk("pci0/sdb", (8, 16));
    // An encrypted volume on a logical volume on a partition, and a mirror of two disks with a partition.
    fixture.disk("virtual/block/dm-0", (253, 0));
    fixture.holds("virtual/block/dm-0", "pci0/sda/sda2");
    fixture.disk("virtual/block/dm-1", (253, 1));
    fixture.holds("virtual/block/dm-1", "virtual/block/dm-0");
    fixture.disk("virtual/block/md0", (9, 0));
    fixture.holds("virtual/block/md0", "pci0/sda/sda1");
    fixture.holds("virtual/block/md0", "pci0/sdb");
    fixture.partition("virtual/block/md0/md0p1", (259, 0), 2048, 1_000_000);
    let sys = fixture.system().sys;
    let root = sys.parent().unwrap();
    let devices = |targets: &[(u32, u32)]| counting_devices(root, targets);
    assert_eq!(devices(&[(8, 1)]), Some(vec![(8, 0)]));
    assert_eq!(devices(&[(253, 1)]), Some(vec![(8, 0)]));
    assert_eq!(devices(&[(259, 0)]), Some(vec![(9, 0)]));
    assert_eq!(devices(&[(8, 16), (253, 1), (8, 2), (8, 0)]), Some(vec![(8, 0), (8, 16)]));
    assert_eq!(devices(&[]), Some(vec![]));
    assert_eq!(devices(&[(8, 16), (0, 41)]), None, "a target without a device spoils the sum");
}

/// A volume of a pool, whose device does not see its I/O, and a disk whose counters stand still.
#[test]
fn io_is_not_counted_where_not_all_of_it_shows() {
    let fixture = Fixture::new();
    let (thin, pool) = ("virtual/block/dm-1", "virtual/block/dm-0");
    fixture.disk("pci0/sda", (8, 0));
    fixture.disk("pci0/sdb", (8, 16));
    for (device, minor) in [(pool, 0), (thin, 1)] {
        fixture.disk(device, (253, minor));
    }
    fixture.holds(pool, "pci0/sda");
    fixture.holds(thin, pool);
    let sys = fixture.system().sys;
    let devices = |number: (u32, u32)| counting_devices(sys.parent().unwrap(), &[number]);
    for (of_pool, of_thin, lowest) in [
        ("LVM-abc-tpool", "LVM-def", (253, 1)),
        ("LVM-abc", "LVM-def-VDO", (253, 1)),
        ("", "", (253, 1)),
        ("LVM-abc", "CRYPT-LUKS2-def", (8, 0)),
    ] {
        fixture.write(&format!("sys/devices/{pool}/dm/uuid"), format!("{of_pool}\n"));
        fixture.write(&format!("sys/devices/{thin}/dm/uuid"), format!("{of_thin}\n"));
        assert_eq!(devices((253, 1)), Some(vec![lowest]), "{of_pool} {of_thin}");
    }
    fixture.write("sys/devices/pci0/sdb/stat", "  12 0 96 1 0 0 0 0 0 1 1\n");
    assert_eq!(devices((8, 16)), Some(vec![(8, 16)]));
    fixture.write("sys/devices/pci0/sdb/queue/iostats", "0\n");
    assert_eq!(devices((8, 16)), None);
    fixture.write("sys/devices/pci0/sdb/queue/iostats", "1\n");
    fixture.write("sys/devices/pci0/sdb/stat", "  0 0 0 0 0 0 0 0 0 0 0\n");
    assert_eq!(devices((8, 16)), None, "as the paths of an NVMe namespace together");
}

/// A logical volume on a RAID over two partitions: every layer once, the upper ones first.
#[test]
fn layers_down_to_the_disks() {
    let fixture = Fixture::new();
    let (dm, md) = ("virtual/block/dm-0", "virtual/block/md0");
    fixture.disk(dm, (253, 0));
    fixture.disk(md, (9, 0));
    for (name, number) in [("sda", 0), ("sdb", 16)] {
        let disk = format!("pci0/{name}");
        fixture.disk(&disk, (8, number));
        fixture.partition(&format!("{disk}/{name}1"), (8, number + 1), 63, 1000);
        fixture.holds(md, &format!("{disk}/{name}1"));
    }
    fixture.holds(dm, md);
    for (file, text) in [
        ("level", "raid5"),
        ("chunk_size", "524288"),
        ("raid_disks", "3"),
        ("degraded", "1"),
        ("sync_action", "recover"),
    ] {
        fixture.write(&format!("sys/devices/{md}/md/{file}"), format!("{text}\n"));
    }
    fixture.write(&format!("sys/devices/{dm}/dm/name"), "vg-data\n");
    fixture.write(&format!("sys/devices/{dm}/dm/uuid"), "LVM-abc\n");
    fixture.write("mapper/vg-data.table", "0 1000 linear 9:0 2048\n");
    let system = fixture.system();
    let volume = Block::by_number(&system.sys, (253, 0)).unwrap();
    let names: Vec<String> = volume.below().into_iter().map(|block| block.name).collect();
    assert_eq!(names, ["md0", "sda1", "sdb1", "sda", "sdb"]);
    let mapped = MappedFacts {
        name: "vg-data".into(),
        maker: Some("LVM".into()),
        table: vec!["0 1000 linear 9:0 2048".into()],
        status: vec![],
    };
    assert_eq!(volume.facts(&system).mapped, Some(mapped));
    let raid = volume.below()[0].facts(&system);
    let expected = MdFacts {
        level: "raid5".into(),
        chunk_bytes: 512 << 10,
        disks: 3,
        degraded: Some(1),
        sync_action: Some("recover".into()),
    };
    assert_eq!((raid.stripe().unwrap().bytes(), raid.md), (1 << 20, Some(expected)));
    assert_eq!(volume.below()[1].facts(&system).start_bytes, Some(63 * 512));
}

#[test]
fn a_disk_behind_iscsi() {
    let fixture = Fixture::new();
    fixture.disk("platform/host9/session1/target9:0:0/9:0:0:0/block/sdc", (8, 32));
    let lun = "sys/devices/platform/host9/session1/target9:0:0/9:0:0:0/block/sdc/device";
    for (file, text) in [
        (format!("{lun}/queue_depth"), "32"),
        (format!("{lun}/state"), "running"),
        (format!("{lun}/scsi_disk/9:0:0:0/cache_type"), "write back"),
        ("sys/class/iscsi_session/session1/first_burst_len".into(), "65536"),
        ("sys/class/iscsi_session/session1/max_burst_len".into(), "262144"),
        ("sys/class/iscsi_session/session1/initial_r2t".into(), "1"),
        ("sys/class/iscsi_session/session1/recovery_tmo".into(), "120"),
        ("sys/class/iscsi_connection/connection1:0/max_recv_dlength".into(), "262144"),
        ("sys/class/iscsi_connection/connection12:0/max_recv_dlength".into(), "1"),
    ] {
        fixture.write(&file, format!("{text}\n"));
    }
    let system = fixture.system();
    let facts = Block::by_number(&system.sys, (8, 32)).unwrap().facts(&system);
    let session = IscsiFacts {
        first_burst_bytes: Some(65536),
        max_burst_bytes: Some(262_144),
        max_receive_bytes: Some(262_144),
        initial_r2t: Some(true),
        recovery_timeout_s: Some(120),
    };
    assert_eq!(facts.iscsi, Some(session));
    assert_eq!((facts.queue_depth, facts.state.as_deref()), (Some(32), Some("running")));
    assert_eq!(facts.scsi_cache.as_deref(), Some("write back"));
}
