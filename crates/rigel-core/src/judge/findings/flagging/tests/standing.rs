//! The circumstances of a run, whatever it measured.

use super::*;
use crate::facts::engine::EngineKind;
use crate::facts::{DeviceFacts, IoPriority, ProcessPriority, SchedulingPolicy};
use crate::judge::flags::Flag;
use crate::load::request::CacheWarmUp;
use crate::record::tests::visit;
use crate::units::{GIB, MIB};

fn flags(change: impl FnOnce(&mut Record)) -> Vec<Flag> {
    let mut record =
        Record { visits: vec![visit(0, 1_000_000), visit(4, 1_000_000)], ..Record::begun(header()) };
    record.visits.iter_mut().for_each(|visit| visit.nodes[0].moved_bytes = 128 * MIB);
    change(&mut record);
    Findings::of(&record).flags
}

fn sized(size_bytes: u64) -> impl Fn(&mut Record) {
    move |record| record.header.targets[0].size_bytes = size_bytes
}

fn ranked(nice: i32, io: u32, weight: Option<u64>) -> Option<Flag> {
    let mut found = flags(|record| {
        let host = &mut record.header.nodes.first_mut().host;
        host.priority = ProcessPriority { nice: Some(nice), io: IoPriority::from_kernel(io), policy: None };
        host.cgroup.io_weight = weight;
    });
    found.pop().inspect(|flag| assert_eq!(flag.code, FlagCode::Priority))
}

#[test]
fn another_priority_is_told() {
    assert_eq!(ranked(0, 0, None), None);
    assert_eq!(ranked(0, 0, Some(100)), None);
    let idle = ranked(0, 3 << 13, None).unwrap();
    assert!(idle.speaks_against() && idle.text == "nice 0, I/O class idle", "{idle:?}");
    assert!(ranked(19, 0, None).unwrap().speaks_against());
    for note in [ranked(5, 0, None), ranked(-5, 0, None), ranked(0, 0, Some(20))] {
        assert!(!note.as_ref().unwrap().speaks_against(), "{note:?}");
    }
    assert_eq!(ranked(0, 0, Some(20)).unwrap().text, "io.weight 20 of the control group");
}

#[test]
fn a_virtual_machine_is_told_and_no_warning() {
    let of = |hypervisor: &str| {
        let mut found =
            flags(|record| record.header.nodes.first_mut().host.hypervisor = Some(hypervisor.to_owned()));
        found.pop().inspect(|flag| assert_eq!(flag.code, FlagCode::Guest)).unwrap()
    };
    let kvm = of("KVM");
    assert!(kvm.text == "a KVM virtual machine" && !kvm.speaks_against(), "{kvm:?}");
    assert_eq!(of("unknown").text, "a virtual machine");
    assert_eq!(flags(|_| {}), []);
}

#[test]
fn a_scheduling_policy_and_a_share_of_the_cpus_are_priorities_too() {
    let flag =
        |change: fn(&mut HostFacts)| flags(|record| change(&mut record.header.nodes.first_mut().host)).pop();
    let idle = flag(|host| host.priority.policy = Some(SchedulingPolicy::Idle)).unwrap();
    assert!(idle.code == FlagCode::Priority && idle.speaks_against(), "{idle:?}");
    assert_eq!(idle.text, "policy SCHED_IDLE");
    let fifo = flag(|host| host.priority.policy = Some(SchedulingPolicy::Fifo)).unwrap();
    assert!(!fifo.speaks_against(), "{fifo:?}");
    assert_eq!(flag(|host| host.priority.policy = Some(SchedulingPolicy::Other)), None);
    let pod = flag(|host| host.cgroup.cpu_shares = Some(2)).unwrap();
    assert!(pod.speaks_against() && pod.text.starts_with("cpu.shares 2 of the control group"), "{pod:?}");
    assert!(flag(|host| host.cgroup.cpu_weight = Some(1)).unwrap().speaks_against());
    assert!(!flag(|host| host.cgroup.cpu_weight = Some(50)).unwrap().speaks_against());
    assert_eq!(flag(|host| host.cgroup.cpu_weight = Some(100)), None);
}

/// The visits of these records do some thousands of reads in a second.
#[test]
fn a_limit_of_the_control_group_is_told_where_it_was_reached() {
    let rate = {
        let one = visit(0, 1_000_000);
        let reads: u64 = one.tallies.values().map(|tally| tally.latencies_after(0).0.count()).sum();
        reads * 1_000_000_000 / one.measured_ns
    };
    let limited = |line: String, number| {
        flags(|record| {
            record.visits.truncate(1);
            record.header.targets[0].device =
                Some(DeviceFacts { number: Some(number), ..DeviceFacts::default() });
            record.header.nodes.first_mut().host.cgroup.io_max = vec![line];
        })
        .into_iter()
        .find(|flag| flag.code == FlagCode::Throttled)
    };
    assert!(rate > 0);
    let told = limited(format!("8:0 riops={rate}"), (8, 0)).unwrap();
    assert!(
        told.speaks_against()
            && told.text.contains(&format!("allows {rate} reads per second (8:0 riops={rate})")),
        "{told:?}"
    );
    assert_eq!(limited(format!("8:0 riops={rate}"), (8, 16)), None, "another device");
    assert_eq!(limited(format!("8:0 riops={}", 10 * rate), (8, 0)), None, "far from it");
    assert_eq!(limited(format!("8:0 wiops={rate}"), (8, 0)), None, "nothing was written");
}

#[test]
fn what_a_cache_can_hold_is_told_the_more_the_smaller_it_is() {
    assert_eq!(flags(|_| {}), [], "a target of 1 GiB");
    let of = |bytes| flags(sized(bytes)).pop().unwrap();
    let note = of(GIB - 1);
    assert!(note.code == FlagCode::SmallTarget && !note.speaks_against(), "{note:?}");
    let once = of(65 * MIB);
    assert!(!once.speaks_against() && !once.text.contains("times"), "{once:?}");
    let again = of(64 * MIB);
    assert!(
        again.speaks_against() && again.text.ends_with("; one visit moved 2.00 times as much"),
        "{again:?}"
    );
    assert!(!of(256 * MIB).speaks_against());
}

#[test]
fn a_cache_that_was_named_is_the_measure() {
    let with = |bytes| {
        flags(|record| {
            record.header.request.cache = CacheWarmUp::Bytes(8 * GIB);
            sized(bytes)(record);
        })
    };
    assert_eq!(with(8 * GIB), []);
    let told = with(4 * GIB).pop().unwrap();
    assert!(
        told.speaks_against()
            && told.text == "4 GiB are used, but the cache given with -cache_size holds 8 GiB",
        "{told:?}"
    );
}

#[test]
fn what_is_small_by_nature_or_no_storage_is_not_small() {
    let small = |change: &dyn Fn(&mut Record)| {
        flags(|record| {
            sized(MIB)(record);
            change(record);
        })
    };
    assert_eq!(small(&|_| {})[0].code, FlagCode::SmallTarget);
    let log = |record: &mut Record| {
        record.header.request.classes.iter_mut().for_each(|class| class.pattern = Pattern::Log)
    };
    assert_eq!(small(&log), []);
    assert_eq!(small(&|record| record.header.request.buffered = true), []);
    assert_eq!(small(&|record| record.header.targets[0].filesystem = Some("tmpfs".into())), []);
    assert_eq!(small(&|record| record.header.nodes.first_mut().engine.kind = EngineKind::Sim), []);
}
