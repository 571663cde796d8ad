//! What was wrong around a run: memory instead of storage, buffers, others on the host, limits that changed.

use super::super::super::by_hand::{Run, SPREAD, served};
use super::super::super::facts;
use super::super::super::simulated::{once, own, rounds};
use super::super::Case;
use rigel_core::facts::engine::EngineKind;
use rigel_core::facts::engine::trials::{EngineTrial, EngineTrials};
use rigel_core::facts::{
    ChangedTarget, ExtentFacts, IoClass, IoPriority, LimitsChange, ProcessPriority, TargetChange, TargetFacts,
};
use rigel_core::load::class::LoadClass;
use rigel_core::load::engine::EngineRequest;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Pace;
use rigel_core::load::request::Request;
use rigel_core::record::{Record, Visit};
use rigel_core::units::{GIB, MIB, NS_PER_US};
use rigel_core::witness::{Counts, DeviceTransfer, Witness, WitnessSample};

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("host-buffered", buffered),
        Case::of("host-memory", || on_memory("tmpfs")),
        Case::of("host-loop-cached", loop_cached),
        Case::of("host-scattered-buffers", scattered),
        Case::of("host-busy-worker", busy_worker),
        Case::of("host-handed-over", handed_over),
        Case::of("engine-slower", slower_engine),
        Case::of("host-others-cpu", || {
            others(|_| Counts {
                busy_us: Some(400_000),
                own_us: Some(40_000),
                moved: vec![None],
                ..Counts::default()
            })
        }),
        Case::of("host-others-everything", || others(everything)),
        Case::of("host-limits-changed", limits_changed),
        Case::of("host-target-replaced", replaced),
        Case::of("host-holes", holes),
        Case::of("host-low-priority", low_priority),
    ]
}

/// Small I/O at three levels and large I/O at one: a class alone at each of its levels.
pub fn few(pace: Pace) -> Request {
    let mut classes = LoadClass::pair(8 << 10, 1 << 20);
    classes[0].levels = vec![1, 2, 8];
    classes[1].levels = vec![2];
    own(RunLevel::Simple, classes).paced(pace)
}

/// That load, once each, on a disk.
pub fn once_each() -> anyhow::Result<Record> {
    Ok(Run::new(few(once(2)))?.once(2, &served(4)).record)
}

/// In rounds.
pub fn in_rounds() -> anyhow::Result<Record> {
    Ok(Run::new(few(rounds(50)))?.rounds(&SPREAD, &served(4)).record)
}

fn buffered() -> anyhow::Result<Record> {
    let mut record = once_each()?;
    record.header.request.buffered = true;
    Ok(record)
}

fn on(target: TargetFacts) -> anyhow::Result<Record> {
    let targets = vec![target, facts::file(1, GIB)];
    Ok(Run::on(few(once(2)), targets)?.once(2, &served(4)).record)
}

fn on_memory(filesystem: &str) -> anyhow::Result<Record> {
    let mut target = facts::file(0, GIB);
    target.filesystem = Some(filesystem.into());
    target.mount.iter_mut().for_each(|mount| mount.filesystem = filesystem.into());
    on(target)
}

/// A loop device that goes through the page cache of its file.
fn loop_cached() -> anyhow::Result<Record> {
    let mut target = facts::device(0, GIB);
    target.device.iter_mut().for_each(|device| {
        device.transport = Some("loop".into());
        device.loop_direct = Some(false);
    });
    on(target)
}

/// As with `ionice -c3 nice -n 19`.
fn low_priority() -> anyhow::Result<Record> {
    let mut record = once_each()?;
    let io = IoPriority { class: IoClass::Idle, level: 7 };
    record.header.nodes.first_mut().host.priority =
        ProcessPriority { nice: Some(19), io: Some(io), ..ProcessPriority::default() };
    Ok(record)
}

fn scattered() -> anyhow::Result<Record> {
    let mut record = once_each()?;
    record.header.nodes.first_mut().buffers.large_segments_max = Some(256);
    Ok(record)
}

fn busy_worker() -> anyhow::Result<Record> {
    let mut record = in_rounds()?;
    for visit in &mut record.visits[3..] {
        visit.busiest_worker_cpu_ns = Some(visit.loaded_ns * 97 / 100);
    }
    Ok(record)
}

/// The threads of the kernel to which a ring hands its I/Os take most of the CPU that the worker is bound to.
fn handed_over() -> anyhow::Result<Record> {
    let mut record = in_rounds()?;
    let engine = &mut record.header.nodes.first_mut().engine;
    (engine.kind, engine.cpus) = (EngineKind::IoUring, vec![0]);
    for visit in &mut record.visits {
        let used_us = Some(visit.loaded_ns / SAMPLES / NS_PER_US * 95 / 100);
        let moved =
            vec![Some(DeviceTransfer { read_bytes: visit.nodes[0].moved_bytes / SAMPLES, written_bytes: 0 })];
        let counts = Counts { busy_us: used_us, own_us: used_us, moved, ..Counts::default() };
        visit.nodes[0].witness = Some(witness(visit, &counts));
        visit.worker_cpu_ns = Some(visit.loaded_ns * 40 / 100);
    }
    Ok(record)
}

/// The user chose an engine that does less on this target than the two others.
fn slower_engine() -> anyhow::Result<Record> {
    let mut record = in_rounds()?;
    record.header.request.engine = EngineRequest::Only(EngineKind::Libaio);
    let trial = |engine, iops: [f64; 2]| EngineTrial { engine, iops: iops.to_vec() };
    let trials = EngineTrials {
        outstanding: 8,
        io_bytes: 8192,
        trials: vec![
            trial(EngineKind::Libaio, [158_436.0, 155_002.0]),
            trial(EngineKind::IoUring, [107_024.0, 106_840.0]),
            trial(EngineKind::Sync, [245_077.0, 239_910.0]),
        ],
    };
    let engine = &mut record.header.nodes.first_mut().engine;
    (engine.kind, engine.reason, engine.trials) = (EngineKind::Libaio, Some(trials.sentence()), Some(trials));
    Ok(record)
}

/// Every second visit is disturbed so in each of its samples.
fn others(disturbed: fn(&Visit) -> Counts) -> anyhow::Result<Record> {
    let mut record = in_rounds()?;
    let quiet = |visit: &Visit| {
        let moved =
            vec![Some(DeviceTransfer { read_bytes: visit.nodes[0].moved_bytes / SAMPLES, written_bytes: 0 })];
        Counts {
            busy_us: Some(30_000),
            own_us: Some(30_000),
            steal_us: Some(0),
            cpu_pressure_us: Some(0),
            moved,
            ..Counts::default()
        }
    };
    for (number, visit) in record.visits.iter_mut().enumerate() {
        let counts = if number % 2 == 0 { quiet(visit) } else { disturbed(visit) };
        visit.nodes[0].witness = Some(witness(visit, &counts));
    }
    Ok(record)
}

const SAMPLES: u64 = 10;

/// Others use CPUs and the device, and so does the hypervisor; tasks wait for a CPU.
fn everything(visit: &Visit) -> Counts {
    let own = visit.nodes[0].moved_bytes / SAMPLES;
    Counts {
        busy_us: Some(900_000),
        interrupts_us: Some(10_000),
        own_us: Some(30_000),
        steal_us: Some(200_000),
        cpu_pressure_us: Some(60_000),
        io_pressure_us: Some(120_000),
        moved: vec![Some(DeviceTransfer { read_bytes: own, written_bytes: 9 * MIB })],
        carried: None,
    }
}

fn witness(visit: &Visit, counts: &Counts) -> Witness {
    let began_ns = visit.began_ns - visit.settle_ns;
    let span_ns = visit.loaded_ns / SAMPLES;
    let sample = |number| WitnessSample { at_ns: began_ns + number * span_ns, counts: counts.clone() };
    Witness {
        period_ns: 100_000_000,
        cpus: Some(8),
        devices: vec![(8, 16)],
        kernel_us: Some(visit.loaded_ns / NS_PER_US / 1000),
        carried: None,
        began_ns,
        samples: (1..=SAMPLES).map(sample).collect(),
    }
}

fn limits_changed() -> anyhow::Result<Record> {
    let mut record = in_rounds()?;
    let line = |iops: u32| vec![format!("8:16 rbps=max wbps=max riops={iops} wiops=max")];
    record.header.nodes.first_mut().host.cgroup.io_max = line(4000);
    let at_ns = record.visits[4].began_ns;
    record.visits[4].nodes[0].changed.io_max_changes = vec![
        LimitsChange { at_ns, before: line(4000), now: line(1000) },
        LimitsChange { at_ns: at_ns + 1_000_000, before: line(1000), now: line(2000) },
    ];
    for visit in &mut record.visits[4..] {
        visit.nodes[0].changed.io_max = Some(line(2000));
    }
    Ok(record)
}

fn replaced() -> anyhow::Result<Record> {
    let mut record = in_rounds()?;
    for visit in &mut record.visits[6..] {
        visit.nodes[0].changed.targets = vec![
            ChangedTarget { target: 0, change: TargetChange::NoName },
            ChangedTarget { target: 0, change: TargetChange::ReadOnly },
            ChangedTarget { target: 0, change: TargetChange::NoSize { errno: 5 } },
        ];
    }
    Ok(record)
}

/// Half of the file was never written, and a part has no place at all.
fn holes() -> anyhow::Result<Record> {
    let mut target = facts::file(0, GIB);
    let extents = ExtentFacts {
        written_bytes: GIB / 2,
        unwritten_bytes: GIB / 4,
        hole_bytes: GIB / 4,
        extents: 3,
        ..ExtentFacts::default()
    };
    target.extents = Some(extents);
    on(target)
}
