mod cases;

use super::*;
use cases::{cases, layer_cases, raid};
use rigel_core::facts::{
    ExtentFacts, ExtentSource, IdleState, IoPriority, IscsiFacts, Limit, LoopFile, MappedFacts, MdFacts,
    ProcessPriority, TargetKind,
};
use std::collections::BTreeSet;

/// Everything that a rule can look at, in order.
#[derive(Clone, Default)]
struct Case {
    host: HostFacts,
    devices: Vec<DeviceFacts>,
    mounts: Vec<MountFacts>,
    targets: Vec<TargetFacts>,
}

impl Case {
    fn verdict(&self, rule: &str) -> Status {
        let mut system = System::whole(&self.host, &self.devices, &self.mounts);
        system.targets = &self.targets;
        system.is_chosen = !self.targets.is_empty();
        let all = examine(&system);
        let mut found = all.iter().filter(|judged| judged.rule.name == rule);
        found.next().map_or(Status::NotAsked, |judged| judged.verdict.clone())
    }
}

fn host(host: HostFacts) -> Case {
    Case { host, ..Case::default() }
}

fn device(device: DeviceFacts) -> Case {
    Case { devices: vec![DeviceFacts { name: "sda".into(), ..device }], ..Case::default() }
}

fn mount(filesystem: &str, options: &str) -> Case {
    let mount = MountFacts {
        mount_point: "/data".into(),
        filesystem: filesystem.into(),
        source: "/dev/sda1".into(),
        options: options.split(',').map(str::to_owned).collect(),
        device: Some("sda".into()),
        lies_on: None,
    };
    Case { mounts: vec![mount], ..Case::default() }
}

fn target(change: impl FnOnce(&mut TargetFacts)) -> Case {
    let mut target = TargetFacts::simulated(1 << 30);
    target.kind = TargetKind::File;
    change(&mut target);
    Case { targets: vec![target], ..Case::default() }
}

fn mapped(kind: &str, rest: &str) -> DeviceFacts {
    let maker = (kind == "multipath").then(|| "mpath".to_owned());
    let table = vec![format!("0 1000 {kind} {rest}")];
    DeviceFacts {
        mapped: Some(MappedFacts { name: "x".into(), maker, table, status: vec![] }),
        ..DeviceFacts::default()
    }
}

fn multipath(path_states: &[&str], status: &str) -> Case {
    let path = |(index, state): (usize, &&str)| DeviceFacts {
        name: format!("sd{index}"),
        state: Some((*state).to_owned()),
        number: Some((8, u32::try_from(index).unwrap() * 16)),
        ..DeviceFacts::default()
    };
    let paths: Vec<DeviceFacts> = path_states.iter().enumerate().map(path).collect();
    let mut above = mapped("multipath", "1 queue_if_no_path 0 1 1 round-robin 0 2 1 8:0 1 8:16 1");
    above.name = "dm-0".into();
    above.made_of = paths.iter().map(|path| path.name.clone()).collect();
    above.mapped.as_mut().unwrap().status = vec![status.to_owned()];
    Case { devices: std::iter::once(above).chain(paths).collect(), ..Case::default() }
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn extents(written: u64, holes: u64, pieces: u64) -> Option<ExtentFacts> {
    Some(ExtentFacts {
        source: ExtentSource::Fiemap,
        written_bytes: written,
        unwritten_bytes: 0,
        hole_bytes: holes,
        extents: pieces,
        shared_bytes: 0,
        inline_bytes: 0,
        encoded_bytes: 0,
        truncated: false,
    })
}

#[test]
fn every_rule_finds_what_it_is_for_and_nothing_else() {
    let cases = cases();
    for (rule, bent, fine) in &cases {
        assert!(matches!(bent.verdict(rule), Status::Bent { .. }), "{rule}: {:?}", bent.verdict(rule));
        assert!(
            matches!(fine.verdict(rule), Status::Fine(_) | Status::NotAsked),
            "{rule}: {:?}",
            fine.verdict(rule)
        );
    }
    // The RAID of a stripe that no disk has room for must not overflow.
    let vast =
        MdFacts { level: "raid0".into(), chunk_bytes: u64::MAX, disks: u32::MAX, ..MdFacts::default() };
    let mut vast = raid(vast, 1);
    vast.mounts = mount("ext4", "rw").mounts;
    assert!(matches!(vast.verdict("stripe-alignment"), Status::Bent { .. }));
    let tried: BTreeSet<&str> = cases.iter().map(|(rule, ..)| *rule).collect();
    let all: BTreeSet<&str> = rules().map(|rule| rule.name).collect();
    assert_eq!(tried, all, "each rule has its cases");
    assert_eq!(rules().count(), all.len(), "names are unique");
}

#[test]
fn every_rule_can_be_shown() {
    for rule in rules() {
        assert!(rule.source.starts_with("https://"), "{}", rule.name);
        assert!(
            rule.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
            "{}",
            rule.name
        );
        for text in [rule.setting, rule.wrong, rule.why, rule.show, rule.change] {
            assert!(text.len() > 2 && !text.contains("  ") && !text.ends_with('.'), "{}: {text}", rule.name);
        }
    }
    for (rule, bent, _) in cases() {
        let mut system = System::whole(&bent.host, &bent.devices, &bent.mounts);
        system.targets = &bent.targets;
        system.is_chosen = !bent.targets.is_empty();
        let all = examine(&system);
        let found = all.iter().find(|judged| judged.rule.name == rule).unwrap();
        // A line of 80 with a number, a severity and a name of seven characters: nvme0n1.
        assert!(found.wrong().chars().count() <= 80 - 13 - 9, "{rule}: {}", found.wrong());
        for text in [found.wrong(), found.show(), found.change()] {
            let places = ["{value}", "{device}", "{mount}", "{target}", "{want}"];
            assert!(places.iter().all(|place| !text.contains(place)), "{rule}: {text}");
            assert!(!text.contains("echo  >"), "{rule}: {text}");
        }
    }
}

/// A directory is not a target, and what it lies on will be measured anyway.
#[test]
fn a_buffered_loop_below_a_directory_is_found() {
    let device = DeviceFacts { name: "loop4".into(), loop_direct: Some(false), ..DeviceFacts::default() };
    let host = HostFacts::default();
    let is_found = |system: &System<'_>| {
        let found = examine(system).into_iter().find(|judged| judged.rule.name == "loop-direct-io");
        found.map(|judged| (judged.is_bent(), judged.change()))
    };
    let told = Some((true, "losetup --direct-io=on /dev/loop4".to_owned()));
    assert_eq!(is_found(&System::below(&host, &[]).with([&device], [])), told);
}

/// Of a whole host: every desktop has packages and images on loop devices, and nobody writes to them.
#[test]
fn a_buffered_loop_that_is_no_image_is_found_on_the_whole_host() {
    let device = |read_only| DeviceFacts {
        name: "loop4".into(),
        loop_direct: Some(false),
        read_only: Some(read_only),
        ..DeviceFacts::default()
    };
    let mounted = |options: &str| MountFacts {
        device: Some("loop4".into()),
        ..mount("ext4", options).mounts.remove(0)
    };
    let is_found = |device: DeviceFacts, mounts: &[MountFacts]| {
        let (host, devices) = (HostFacts::default(), [device]);
        let all = examine(&System::whole(&host, &devices, mounts));
        all.iter().any(|judged| judged.rule.name == "loop-direct-io" && judged.is_bent())
    };
    assert!(is_found(device(false), &[mounted("rw,relatime")]));
    assert!(is_found(device(false), &[]), "somebody may use it as a disk");
    assert!(!is_found(device(true), &[]), "a package that another namespace has mounted");
    assert!(!is_found(device(false), &[mounted("ro,relatime")]));
    let direct = DeviceFacts { loop_direct: Some(true), ..device(false) };
    assert!(!is_found(direct, &[]));
}

/// Nobody types a device by a name like these, but a mount point may have any.
#[test]
fn commands_can_be_pasted_whatever_is_in_a_name() {
    let mut case = mount("ext4", "rw,nobarrier");
    case.mounts[0].mount_point = "/my data; rm -rf $HOME'".into();
    let system = System::whole(&case.host, &case.devices, &case.mounts);
    let all = examine(&system);
    assert_eq!(all[0].rule.name, "barriers", "the gravest first");
    assert_eq!(all[0].show(), r"findmnt '/my data; rm -rf $HOME'\'''");
    // What looks like a place to fill in is not looked at again.
    case.mounts[0].mount_point = "/{mount}{want}{device}".into();
    let system = System::whole(&case.host, &case.devices, &case.mounts);
    assert_eq!(examine(&system)[0].show(), "findmnt '/{mount}{want}{device}'");
}

/// The formula of stripe size times data disks, rounded up to a power of two: 128 KiB x 6 disks make 768 KiB, so 1 MiB.
#[test]
fn read_ahead_covers_a_stripe() {
    let (_, bent, _) = layer_cases().into_iter().find(|(rule, ..)| *rule == "stripe-read-ahead").unwrap();
    let Status::Bent { value, want } = bent.verdict("stripe-read-ahead") else { panic!("not bent") };
    assert_eq!(want, "1024");
    assert!(value.contains("128 KiB x 6 disks = 768 KiB"), "{value}");
    assert_eq!(bent.verdict("read-ahead"), Status::NotAsked, "one rule for one setting");
}

#[test]
fn a_failed_path_has_its_name() {
    let offline = multipath(&["running", "offline"], "");
    let Status::Bent { value, .. } = offline.verdict("multipath-paths") else { panic!("not bent") };
    assert_eq!(value, "1 of 2 failed: sd1");
    let failed = multipath(&["running", "running"], "0 1000 multipath 2 0 0 0 1 1 A 0 2 0 8:0 A 0 8:16 F 1");
    let Status::Bent { value, .. } = failed.verdict("multipath-paths") else { panic!("not bent") };
    assert_eq!(value, "1 of 2 failed: sd1");
}

#[test]
fn what_lies_below_targets_is_judged_once() {
    let md = DeviceFacts { name: "md0".into(), ..DeviceFacts::default() };
    let mut target = TargetFacts::simulated(1);
    target.device = Some(md.clone());
    target.below = vec![DeviceFacts { name: "sda".into(), nomerges: Some(2), ..DeviceFacts::default() }];
    let targets = [target.clone(), target];
    let host = HostFacts::default();
    let found = examine(&System::below(&host, &targets));
    assert_eq!(found.iter().filter(|judged| judged.rule.name == "nomerges").count(), 1);
}

#[test]
fn what_could_not_be_read_is_unknown_and_not_fine() {
    assert_eq!(Case::default().verdict("swappiness"), Status::Unknown);
    let table = DeviceFacts { mapped: Some(MappedFacts::default()), ..DeviceFacts::default() };
    assert_eq!(device(table).verdict("thin-or-snapshot"), Status::Unknown);
}

/// An error that a measurement does not show is one of the database; what is not the storage is one of the measurement.
#[test]
fn findings_stand_where_they_harm_most() {
    for (part, names) in [
        (Part::Measurement, ["direct-io", "memory-device", "test-target", "cgroup-io"].as_slice()),
        (Part::Database, &["barriers", "nfs-soft", "md-degraded", "multipath-paths", "swappiness"]),
    ] {
        for name in names {
            let rule = rules().find(|rule| rule.name == *name).unwrap();
            assert_eq!(rule.part, part, "{name}");
        }
    }
}

#[test]
fn without_swap_nothing_is_swapped_out() {
    let with = |swap_bytes| {
        let mut case = host(HostFacts { swap_bytes, ..HostFacts::default() });
        case.host.settings.swappiness = Some(60);
        case.verdict("swappiness")
    };
    assert_eq!(with(Some(0)), Status::fine("60, without effect: there is no swap"));
    assert_eq!(with(Some(1 << 30)), Status::bent(60, 10));
    assert_eq!(with(None), Status::bent(60, 10));
}

#[test]
fn a_hypervisor_that_hides_its_name_is_one_all_the_same() {
    let with = |hypervisor: &str, product: Option<&str>| {
        let (hypervisor, product) = (Some(hypervisor.to_owned()), product.map(str::to_owned));
        host(HostFacts { hypervisor, product, ..HostFacts::default() }).verdict("virtual-machine")
    };
    assert_eq!(with("unknown", None), Status::bent("yes, of unknown type", ""));
    assert_eq!(with("KVM", Some("Maker R1")), Status::bent("KVM, Maker R1", ""));
}
