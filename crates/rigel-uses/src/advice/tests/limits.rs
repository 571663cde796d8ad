//! The most that storage takes, for products that limit themselves to it.

use super::*;

/// Four runs: 4 KiB at random beside streams of 1 MiB, and streams of 4 KiB, each read and written.
#[test]
fn the_cost_model_needs_reads_and_writes_in_both_patterns() {
    let all = [
        KnownRun::new(0, 4 * KIB, MIB),
        KnownRun::new(0, 4 * KIB, 4 * KIB),
        KnownRun::writes(4 * KIB, MIB),
        KnownRun::writes(4 * KIB, 4 * KIB),
    ];
    let found = advised(&all);
    let of = |setting| text(&found, Product::Cgroup, setting);
    assert_eq!(of("device"), "254:0");
    for (bytes, sequential, random) in [("rbps", "rseqiops", "rrandiops"), ("wbps", "wseqiops", "wrandiops")]
    {
        assert_eq!([of(bytes), of(sequential), of(random)], ["2097152000", "2000", "40000"]);
    }
    let found = advised(&[KnownRun::reads()]);
    let refusal = refused(&found, Product::Cgroup, "rseqiops");
    assert!(refusal.step().contains("--size-large 4K") && !refusal.step().contains("--write"), "{refusal:?}");
    assert!(refused(&found, Product::Cgroup, "wrandiops").step().contains("--write 100"));
}

#[test]
fn limits_are_the_lower_ends_of_what_was_measured() {
    let found = advised(&[KnownRun::reads()]);
    assert_eq!(text(&found, Product::CgroupMax, "rbps"), (1800 * MIB).to_string());
    assert_eq!(text(&found, Product::CgroupMax, "riops"), "36000");
    assert!(refused(&found, Product::CgroupMax, "wbps").step().contains("--write 100"));
}

#[test]
fn a_rate_that_still_rose_is_no_limit() {
    let with = |class| {
        let mut reads = KnownRun::reads();
        reads.findings.curves.push(rising(class));
        advised(&[reads])
    };
    let small = with(Class::SMALL);
    let refusal = refused(&small, Product::CgroupMax, "riops");
    assert!(
        refusal.because.contains("NOT_SATURATED") && refusal.step().contains("--num-disks"),
        "{refusal:?}"
    );
    assert_eq!(text(&small, Product::CgroupMax, "rbps"), (1800 * MIB).to_string());
    let large = with(Class::LARGE);
    let refusal = refused(&large, Product::CgroupMax, "rbps");
    assert!(
        refusal.because.contains("NOT_SATURATED") && refusal.step().contains("--size-large"),
        "{refusal:?}"
    );
    assert_eq!(text(&large, Product::CgroupMax, "riops"), "36000");
    // The kernel scales the model by itself.
    assert_eq!(text(&large, Product::Cgroup, "rbps"), (2000 * MIB).to_string());
}

#[test]
fn a_disk_that_the_record_does_not_tell_is_not_guessed() {
    let with = |devices: &[(u32, u32)]| {
        let mut reads = KnownRun::reads();
        let witness = Some(witness(devices));
        reads.record.visits.iter_mut().for_each(|visit| visit.nodes[0].witness.clone_from(&witness));
        advised(&[reads])
    };
    assert!(refused(&with(&[]), Product::CgroupMax, "device").because.contains("does not show"));
    assert!(
        refused(&with(&[(8, 0), (8, 16)]), Product::CgroupMax, "device").because.contains("several disks")
    );
    let mut array = KnownRun::reads();
    // A volume on a RAID of two.
    let layer = |name: &str, made_of: &[&str]| rigel_core::facts::DeviceFacts {
        name: name.into(),
        made_of: made_of.iter().map(|&name| name.into()).collect(),
        ..Default::default()
    };
    array.record.header.targets[0].device = Some(layer("dm-0", &["md0"]));
    array.record.header.targets[0].below =
        vec![layer("md0", &["sda", "sdb"]), layer("sda", &[]), layer("sdb", &[])];
    let found = advised(&[array]);
    assert!(refused(&found, Product::Cgroup, "device").because.contains("it spans 2 devices"));
    assert_eq!(text(&found, Product::CgroupMax, "device"), "254:0");
}

#[test]
fn seastar_takes_the_lower_ends_of_reads_and_writes_of_4_kib() {
    let found = advised(&[KnownRun::new(0, 4 * KIB, MIB), KnownRun::writes(4 * KIB, MIB)]);
    let of = |setting| text(&found, Product::Seastar, setting);
    assert_eq!([of("mountpoint"), of("read_iops"), of("write_iops")], ["/data", "36000", "36000"]);
    assert_eq!(
        [of("read_bandwidth"), of("write_bandwidth")],
        [(1800 * MIB).to_string(), (1800 * MIB).to_string()]
    );
    let found = advised(&[KnownRun::reads()]);
    assert!(refused(&found, Product::Seastar, "read_iops").step().contains("--size-small 4K"));
    assert!(refused(&found, Product::Seastar, "write_bandwidth").step().contains("--write 100"));
    let mut hostile = KnownRun::reads();
    hostile.record.header.targets[0].mount_point = Some("/a\\x0ab".into());
    refused(&advised(&[hostile]), Product::Seastar, "mountpoint");
    let mut device = KnownRun::reads();
    device.record.header.targets[0].mount_point = None;
    refused(&advised(&[device]), Product::Seastar, "mountpoint");
}
