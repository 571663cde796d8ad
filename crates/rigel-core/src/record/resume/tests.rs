use super::*;
use crate::load::class::Class;
use crate::record::tests::{header, visit};
use crate::record::{ClosingLine, TornLine};

const VERSION: &str = "0.1.0";

fn begun(visits: Vec<Visit>) -> Record {
    Record { visits, ..Record::begun(header()) }
}

#[test]
fn whole_visits_are_kept_and_the_rest_is_counted() {
    let second = Visit { began_ns: 5_000_000_000, ..visit(1, 1_000_000) };
    let mut record = begun(vec![visit(0, 1_000_000), second.clone()]);
    record.torn = Some(TornLine { line: 4, offset: 1000 });
    let (past, plan) = RecordPast::of(&record, 1234, VERSION).unwrap();
    assert_eq!((past.visits.len(), past.set_aside, past.torn_bytes), (2, 0, 234));
    assert_eq!(plan, header().plan);
    assert_eq!(past.run_ns(), second.ended_ns());
    let line = past.resumed("2026-01-01T13:00:00+00:00".into());
    assert_eq!((line.kept, line.run_ns), (2, past.run_ns()));
}

#[test]
fn a_visit_that_an_undisturbed_run_would_not_have_is_set_aside() {
    let cut_short = Visit { cut_short: true, ..visit(1, 1_000_000) };
    let mut failed = visit(1, 1_000_000);
    let small = failed.tallies.get_mut(&Class::SMALL).unwrap();
    small.reads.clear();
    small.errors = 3;
    for last in [cut_short, failed] {
        let (past, _) = RecordPast::of(&begun(vec![visit(0, 1_000_000), last]), 0, VERSION).unwrap();
        assert_eq!((past.visits.len(), past.set_aside), (1, 1));
    }
}

#[test]
fn what_cannot_go_on_is_told() {
    let closing = |complete| Some(ClosingLine { ended: "now".into(), complete, reason: None, end: None });
    let told = |record: &Record, version| RecordPast::of(record, 0, version).unwrap_err().to_string();
    let complete = Record { closing: closing(true), ..begun(vec![]) };
    assert!(told(&complete, VERSION).contains("complete"));
    assert!(RecordPast::of(&Record { closing: closing(false), ..begun(vec![]) }, 0, VERSION).is_ok());
    assert!(told(&begun(vec![]), "0.2.0").contains("started by Rigel 0.1.0, this is 0.2.0"));
    let mut other = begun(vec![]);
    other.header.plan.workers += 1;
    assert!(told(&other, VERSION).contains("the plan in the record"));
}

#[test]
fn visits_come_in_their_order_and_no_other() {
    let first = visit(0, 1_000_000);
    let at = VisitPosition { step: 0, point: first.point, purpose: first.purpose };
    let (past, _) = RecordPast::of(&begun(vec![first.clone()]), 0, VERSION).unwrap();
    for (at, number) in [(VisitPosition { step: 1, ..at }, 0), (at, 1)] {
        let problem = past.clone().next(at, number).unwrap_err();
        assert!(problem.to_string().contains("visit 0 of the record"), "{problem}");
    }
    let mut past = past;
    assert_eq!(past.next(at, 0).unwrap(), Some(first));
    assert_eq!(past.next(at, 1).unwrap(), None);
}

#[test]
fn another_target_is_no_target_of_the_run() {
    let then = header().targets;
    assert!(check_targets(&then, &then, false).is_ok());
    type Change = fn(&mut TargetFacts);
    let changes: [(Change, &str); 5] = [
        (|facts| facts.size_bytes += 1, "size"),
        (|facts| facts.identity.inode += 1, "inode 2"),
        (|facts| facts.identity.device.1 += 1, "device 8:1"),
        (|facts| facts.real_path = "/data/lun\x1b[2J".into(), "/data/lun\\x1b"),
        (
            |facts| {
                facts.scratch =
                    Some(crate::facts::ScratchFacts { seed: 1, used_before: true, own: true, kept: false })
            },
            "refilled",
        ),
    ];
    for (change, told) in changes {
        let mut now = then.clone();
        change(&mut now[0]);
        let problem = check_targets(&then, &now, false).unwrap_err();
        assert!(problem.what.contains(told) && problem.kind.code() == 3, "{problem}");
    }
}

#[test]
fn another_host_or_engine_is_told() {
    let then = header().nodes.first().clone();
    assert!(check_host(&then.host, &then.host).is_ok() && check_engine(&then.engine, &then.engine).is_ok());
    let host = HostFacts { kernel: "7.0".into(), ..then.host.clone() };
    assert!(check_host(&then.host, &host).unwrap_err().what.contains("kernel was"));
    let engine = EngineFacts { registered_buffers: false, ..then.engine.clone() };
    assert!(check_engine(&then.engine, &engine).unwrap_err().what.contains("registered files"));
}

#[test]
fn times_that_no_run_has_are_refused() {
    let at = |began_ns| Visit { began_ns, ..visit(0, 1_000_000) };
    let later = |began_ns| Visit { step: 1, ..at(began_ns) };
    assert!(RecordPast::of(&begun(vec![at(0), later(10_000_000_000)]), 0, VERSION).is_ok());
    for visits in [vec![at(20_000_000_000), later(10_000_000_000)], vec![at(6 * 365 * 24 * 3600 * NS_PER_S)]]
    {
        let problem = RecordPast::of(&begun(visits), 0, VERSION).unwrap_err();
        assert!(problem.what.contains("have impossible times"), "{problem}");
    }
}

#[test]
fn visits_behind_the_end_of_the_run_are_told() {
    let (past, _) = RecordPast::of(&begun(vec![visit(0, 1_000_000)]), 0, VERSION).unwrap();
    assert!(past.check_end().unwrap_err().what.contains("the record has 1 visits left"));
    assert!(RecordPast::default().check_end().is_ok());
}

#[test]
fn a_directory_on_other_storage_holds_no_file_of_the_run() {
    let mut file = header().targets.remove(0);
    file.mount_point = Some("/data".to_owned());
    let dir = |mount_point: &str, device| TargetFacts {
        mount_point: Some(mount_point.to_owned()),
        identity: Identity { device, inode: 2 },
        ..TargetFacts { kind: TargetKind::File, device: file.device.clone(), ..TargetFacts::default() }
    };
    let same = file.identity.device;
    assert!(check_still_there(&file, &dir("/data", same), false).is_ok());
    assert!(check_still_there(&file, &dir("/data", (9, 9)), true).is_ok(), "numbers are given anew");
    assert!(check_still_there(&file, &dir("/data", (9, 9)), false).is_err());
    let problem = check_still_there(&file, &dir("/", same), true).unwrap_err();
    assert!(problem.what.contains("the mount point of its filesystem was /data, is /"), "{problem}");
}

#[test]
fn a_file_with_a_new_hole_and_a_disk_with_a_new_number_are_others() {
    let mut then = header().targets;
    then[0].allocated_bytes = Some(1 << 30);
    let with = |bytes| vec![TargetFacts { allocated_bytes: Some(bytes), ..then[0].clone() }];
    assert!(
        check_targets(&then, &with((1 << 30) + 4096), false).is_ok(),
        "a file system may need more for it"
    );
    let problem = check_targets(&then, &with(1 << 29), false).unwrap_err();
    assert!(problem.what.contains("allocated size was 1 GiB"), "{problem}");
    let disk = |number| {
        let device = crate::facts::DeviceFacts { disk_sequence: Some(number), ..Default::default() };
        vec![TargetFacts { kind: TargetKind::BlockDevice, device: Some(device), ..then[0].clone() }]
    };
    assert!(check_targets(&disk(7), &disk(7), false).is_ok());
    assert!(
        check_targets(&disk(7), &disk(8), false).unwrap_err().what.contains("disk 7 of this host's start")
    );
    // After a start of the host numbers are others, and what a disk calls itself decides.
    assert!(check_targets(&disk(7), &disk(8), true).is_ok());
    let named = |name: &str| {
        let mut facts = disk(7);
        facts[0].device.as_mut().unwrap().identifier = Some(name.to_owned());
        facts
    };
    assert!(check_targets(&named("naa.5001"), &named("naa.5001"), true).is_ok());
    assert!(
        check_targets(&named("naa.5001"), &named("naa.5002"), true).unwrap_err().what.contains("naa.5001")
    );
    // Asked for by a link, it may have another name of the kernel then; that name alone says nothing.
    let called = |path: &str, real: &str, name: &str| {
        let mut facts = named(name);
        (facts[0].path, facts[0].real_path) = (path.to_owned(), real.to_owned());
        facts
    };
    let link = "/dev/disk/by-id/wwn-1";
    let then = called(link, "/dev/sdb", "naa.5001");
    assert!(check_targets(&then, &called(link, "/dev/sdc", "naa.5001"), true).is_ok());
    let mut part = called(link, "/dev/sdc2", "naa.5001");
    part[0].device.as_mut().unwrap().start_bytes = Some(1 << 30);
    for (now, restarted) in [
        (part, true),
        (called(link, "/dev/sdc", "naa.5001"), false),
        (called(link, "/dev/sdc", "naa.5002"), true),
        (called("/dev/disk/by-id/wwn-2", "/dev/sdb", "naa.5001"), true),
        (called("/dev/sdc", "/dev/sdc", "naa.5001"), true),
    ] {
        assert!(check_targets(&then, &now, restarted).is_err(), "{now:?}");
    }
    let host = |boot: &str| HostFacts { boot_id: Some(boot.to_owned()), ..HostFacts::default() };
    assert!(is_restarted(&host("a"), &host("b")) && !is_restarted(&host("a"), &host("a")));
    assert!(!is_restarted(&HostFacts::default(), &host("a")), "nobody knows");
}
