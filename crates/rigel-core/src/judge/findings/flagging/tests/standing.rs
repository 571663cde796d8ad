//! What a run was, whatever it measured.

use super::*;
use crate::facts::engine::EngineKind;
use crate::facts::{IoPriority, ProcessPriority};
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
        host.priority = ProcessPriority { nice: Some(nice), io: IoPriority::from_kernel(io) };
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
