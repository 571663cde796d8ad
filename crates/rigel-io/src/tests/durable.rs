//! Writes that wait to be durable: the right bytes, one completion each, and the kernel was asked for it.

use super::*;
use crate::durable;
use rigel_core::facts::TargetFacts;
use rigel_core::facts::engine::EngineKind;
use rigel_testdev::{DeviceSpec, TestDevice};

for_every_engine!(
    durable_writes_land_and_complete_once,
    the_device_is_asked_to_make_them_durable,
    a_write_that_fails_is_not_flushed
);

#[test]
fn what_the_engines_need_is_here() {
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets("what_the_engines_need_is_here", false) else { return };
    for kind in [EngineKind::IoUring, EngineKind::Libaio, EngineKind::Sync, EngineKind::Threads] {
        assert_eq!(durable::check(kind, DURABLE, &targets, &[facts("one")]), Ok(()), "{kind:?}");
    }
}

#[test]
fn what_the_kernel_knows_needs_no_target() {
    for kind in [EngineKind::IoUring, EngineKind::Libaio, EngineKind::Sync, EngineKind::Threads] {
        assert_eq!(durable::known(kind, DURABLE), Ok(()), "{kind:?}");
    }
}

fn facts(path: &str) -> TargetFacts {
    TargetFacts { path: path.into(), ..TargetFacts::default() }
}

/// The null device cannot be flushed.
#[test]
fn a_second_target_that_cannot_be_durable_is_told_by_its_name() {
    let name = "a_second_target_that_cannot_be_durable_is_told_by_its_name";
    let scratch = Scratch::new(1 << 20);
    let Some(first) = needs(name, target(&scratch.path(), false)) else { return };
    let null = File::open("/dev/null").unwrap();
    let targets = OpenTargets::new(vec![first, OpenTarget::new(null.into(), 1 << 20, false)]);
    let check = |sync| {
        durable::check(EngineKind::Libaio, [Sync::None, sync], &targets, &[facts("file"), facts("null")])
    };
    let told = check(Sync::Fdatasync).unwrap_err();
    assert_eq!(told.place.as_deref(), Some("null"), "{told}");
    assert!(told.what.contains("fdatasync"), "{told}");
    assert_eq!(check(Sync::None), Ok(()));
}

const DURABLE: [Sync; 2] = [Sync::Dsync, Sync::Fdatasync];

fn durable_write(slot: u16, offset: u64, sync: Sync) -> Op {
    Op { sync, ..write(slot, offset, SMALL_BYTES) }
}

fn durable_writes_land_and_complete_once<E: Engine>() {
    let name = "durable_writes_land_and_complete_once";
    let scratch = Scratch::new(1 << 20);
    let Some(targets) = scratch.targets(name, true) else { return };
    let Some(mut backend) = engine::<E>(name, &targets, layout(5, 0)) else { return };
    for (round, sync) in (0_u8..).zip([Sync::None, Sync::Dsync, Sync::Fdatasync, Sync::Dsync]) {
        let ops: Vec<Op> = (0..5).map(|slot| durable_write(slot, u64::from(slot) * 65_536, sync)).collect();
        (0..5).for_each(|slot| backend.buffer_mut(slot).fill(round * 16 + u8::try_from(slot).unwrap()));
        let done = carry(&mut backend, &ops);
        let wanted = |slot| Completion { slot, outcome: Ok(SMALL_BYTES) };
        assert_eq!(done, (0..5).map(wanted).collect::<Vec<_>>(), "{sync:?}");
        let bytes = std::fs::read(scratch.path()).unwrap();
        for slot in 0..5_u8 {
            let from = usize::from(slot) * 65_536;
            assert!(bytes[from..from + 8192].iter().all(|&byte| byte == round * 16 + slot), "{sync:?}");
        }
    }
    // A read does not care.
    let reads = [
        Op { sync: Sync::Fdatasync, ..read(0, 0, SMALL_BYTES) },
        Op { sync: Sync::Dsync, ..read(1, 0, 4096) },
    ];
    assert_eq!(outcomes(&mut backend, &reads), [Ok(SMALL_BYTES), Ok(4096)]);
}

fn the_device_is_asked_to_make_them_durable<E: Engine>() {
    let name = "the_device_is_asked_to_make_them_durable";
    let Some(device) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    let Some(target) = needs(name, target(&device.disk(), true)) else { return };
    let targets = Arc::new(OpenTargets::new(vec![target]));
    let Some(mut backend) = engine::<E>(name, &targets, layout(3, 0)) else { return };
    let ops = |sync| [0, 1, 2].map(|slot| durable_write(slot, u64::from(slot) * 65_536, sync));
    carry(&mut backend, &ops(Sync::None));
    let plain = device.gauge().unwrap();
    assert_eq!((plain.writes, plain.syncs, plain.durable_writes), (3, 0, 0));
    for sync in DURABLE {
        device.reset().unwrap();
        carry(&mut backend, &ops(sync));
        let found = device.gauge().unwrap();
        let asked = if sync == Sync::Dsync { found.durable_writes } else { found.syncs };
        assert_eq!((found.writes, asked), (3, 3), "{sync:?}: {found:?}");
    }
}

fn a_write_that_fails_is_not_flushed<E: Engine>() {
    let name = "a_write_that_fails_is_not_flushed";
    let Some(device) = needs(name, TestDevice::mount(DeviceSpec::default())) else { return };
    let Some(target) = needs(name, target(&device.disk(), true)) else { return };
    let targets = Arc::new(OpenTargets::new(vec![target]));
    let Some(mut backend) = engine::<E>(name, &targets, layout(2, 0)) else { return };
    device.command("eio 65536 8192").unwrap();
    for _ in 0..3 {
        let ops = [0, 1].map(|slot| durable_write(slot, u64::from(slot) * 65_536, Sync::Fdatasync));
        assert_eq!(outcomes(&mut backend, &ops), [Ok(SMALL_BYTES), Err(libc::EIO)]);
    }
    assert_eq!(device.gauge().unwrap().syncs, 3);
}
