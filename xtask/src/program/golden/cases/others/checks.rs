//! Checks that are no measurement: writes after a loss of power, copies of data, targets and who may write to them.

use super::super::super::Document;
use super::super::super::facts;
use super::super::Case;
use super::super::hostile::NAME;
use rigel_core::error::Problem;
use rigel_core::facts::{FilePart, OwnerFacts, TargetFacts};
use rigel_core::guard::safety::Evidence;
use rigel_core::load::class::Sync;
use rigel_core::units::GIB;
use rigel_core::verify::{Excerpt, Fault};
use rigel_report::document::Document as _;
use rigel_report::text::Style;
use rigel_report::{durability, scrub, targets};
use rigel_uses::durability::{
    Ack, Acks, Device, DurabilityFindings as Gone, EarlierContents, Head, Kind, Loss, Rings, SCHEMA, Shape,
    ended, run_name,
};
use rigel_uses::scrub::{
    Certainty, Chunk, CopyJudgement, Difference, DiskIdentity, Extent, Kind as By, Map, Place, RangeCopy,
    ScrubFindings, SlowFindings, SlowRange, Source, State, Stretch, Strip,
};

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::other("durability-kept", || {
            durable(&Gone { acknowledged: 60, judged: 25, kept: 25, ..Gone::default() }, true)
        }),
        Case::other("durability-gone", || durable(&gone(), false)),
        Case::other("durability-nothing", || durable(&Gone::default(), false)),
        Case::other("scrub-alike", || {
            scrubbed(Source::Md("/dev/md0".into()), ScrubFindings::default(), true)
        }),
        Case::other("scrub-differs", || scrubbed(pair(), differing(), true)),
        Case::other("scrub-one-sound", || alone(ScrubFindings::default(), None, 1 << 26)),
        Case::other("scrub-one-bad", || alone(unreadable(), Some(owners()), 1 << 26)),
        Case::other("scrub-one-stopped", || alone(unreadable(), None, 1 << 25)),
        Case::other("scrub-stopped", || scrubbed(Source::Lvm(format!("vg/{NAME}")), differing(), false)),
        Case::other("targets", examined),
    ]
}

const SEED: u64 = 77;

/// A run of two writers, whose witness received sixty acknowledgements.
fn acks(is_over: bool) -> anyhow::Result<Acks> {
    let shape = Shape { region_bytes: 1 << 20, block_bytes: 8192, writers: 2 };
    let head = Head {
        schema: SCHEMA.into(),
        run: run_name(SEED),
        seed: SEED,
        program: super::super::super::simulated::VERSION.into(),
        began: "2026-03-01T12:00:00+01:00".into(),
        boot: None,
        target: "/dev/sdb".into(),
        size_bytes: GIB,
        is_device: true,
        device: Some(Device { name: "sdb".into(), model: Some("GOLDEN SSD".into()) }),
        shape,
        sync: Sync::Fdatasync,
        before: EarlierContents::default(),
    };
    let rings = Rings::new(SEED, shape)?;
    let run = run_name(SEED);
    let mut acks = Acks::begin(head.line()?.trim_end().as_bytes())?;
    for number in 0..60 {
        let writer = u16::from(number % 2 == 1);
        let (offset, generation) = rings.place(writer, number / 2);
        let mut line = String::new();
        Ack { writer, offset, generation, at_us: 1000 * (number + 1) }.write(&run, &mut line);
        acks.add(line.trim_end().as_bytes())?;
    }
    if is_over {
        acks.add(ended(&run, 60).trim_end().as_bytes())?;
    }
    Ok(acks)
}

/// One write of each kind is missing.
fn gone() -> Gone {
    let loss = |(number, kind): (u64, Kind)| Loss {
        kind,
        writer: (number > 0).then_some(u16::from(number % 2 == 1)),
        offset: 8192 * (1 + number),
        generation: number,
        witnessed: number != 2,
        reordered: number == 1,
        writes_ago: 3 * number,
        block: 8192 * (1 + number),
        fault: match kind {
            Kind::Lost => Fault::Stale { generation: 1, age: 2 },
            Kind::Torn => Fault::Torn { older: 1, newer: 2 },
            Kind::Corrupt => Fault::Corrupt { bits: 2, first_bit: 9, last_bit: 70 },
            Kind::Misdirected => Fault::Misdirected { from_target: 0, from_offset: 1 << 14, generation: 2 },
            Kind::Unreadable => Fault::Unreadable { errno: 5 },
        },
        sectors: 0b0001_1000,
        excerpt_at: 1536,
        found_hex: Excerpt([0xab; 32]),
        expected_hex: Excerpt([0x5c; 32]),
    };
    Gone {
        acknowledged: 60,
        unwitnessed: 1,
        judged: 25,
        kept: 20,
        lost: 1,
        torn: 1,
        corrupt: 1,
        misdirected: 1,
        unreadable: 1,
        reordered: 1,
        most_writes_ago: 12,
        in_flight: 2,
        in_flight_damaged: 1,
        losses: (0..).zip(Kind::ALL).map(loss).collect(),
    }
}

fn durable(found: &Gone, is_over: bool) -> anyhow::Result<Vec<Document>> {
    let acks = acks(is_over)?;
    let notes = ["the run ended normally with nothing in flight".to_owned(), format!("a note with {NAME}")];
    let checked = durability::DurabilityReport { acks: &acks, found, target: "/dev/sdb", notes: &notes };
    Ok(vec![
        Document::new("text", checked.text(Style::default())),
        Document::new("json", durability::json(&checked)?),
    ])
}

fn pair() -> Source {
    Source::Pair { paths: ["/dev/sdb".into(), "/dev/sdc".into()], offsets: [0, 1 << 20], length: None }
}

/// Ranges that differ, some judged by a page or a majority, one that cannot be read, and one that kept changing.
fn differing() -> ScrubFindings {
    let copy = |disk: u16, at: u64, errno: Option<i32>| RangeCopy {
        disk,
        offset: at,
        sha256: errno.is_none().then(|| format!("{:064x}", at + u64::from(disk))),
        errno,
        shows: errno.is_none().then(|| format!("{:032x}", 0xfeed + u64::from(disk))),
    };
    let judged = |at, by, right, certainty, why: &str| CopyJudgement {
        at,
        len: 8192,
        by,
        right,
        certainty,
        why: why.into(),
    };
    let mut found = ScrubFindings { passed: 3, ..ScrubFindings::default() };
    let postgresql = judged(
        8192,
        By::Postgresql,
        Some(1),
        Certainty::Certain,
        "its checksum is right, and that of A is not",
    );
    let likely =
        judged(16_384, By::Innodb, Some(0), Certainty::Likely, "its log sequence number is the higher one");
    found.add(Difference {
        at: 8192,
        len: 16_384,
        of: Some(Extent { file: 257, extent: 3 }),
        first: Some(17),
        differing_bytes: 400,
        copies: vec![copy(0, 8192, None), copy(1, 8192, None)],
        judged: vec![postgresql, likely],
    });
    found.add(Difference {
        at: 1 << 20,
        len: 4096,
        of: None,
        first: None,
        differing_bytes: 0,
        copies: vec![copy(0, 1 << 20, Some(5)), copy(1, 1 << 20, None)],
        judged: vec![judged(1 << 20, By::None, None, Certainty::Unknown, "one copy cannot be read")],
    });
    found.add_restless(Stretch { at: 1 << 22, len: 4096 });
    found
}

fn scrubbed(source: Source, found: ScrubFindings, complete: bool) -> anyhow::Result<Vec<Document>> {
    let place = |disk| Place { disk, offset: 0 };
    let map = Map::new(vec![Strip { len: 1 << 26, copies: vec![place(0), place(1)], of: None }]);
    let mut state = State::new(source, Some(100), &map, &[DiskIdentity::default(), DiskIdentity::default()]);
    state.found = found;
    state.done = if complete { 1 << 26 } else { 1 << 25 };
    if !complete {
        state.pending.push(Stretch { at: 1 << 24, len: 4096 });
    }
    let disks = ["/dev/sdb".to_owned(), "/dev/sdc".to_owned()];
    let notes = ["the copies are in use: a difference counts once it stood still".to_owned()];
    let scrubbed = scrub::ScrubReport {
        state: &state,
        disks: &disks,
        total: 1 << 26,
        notes: &notes,
        complete,
        first: 0,
        owners: None,
    };
    Ok(vec![
        Document::new("text", scrubbed.text(Style::default())),
        Document::new("json", scrub::json(&scrubbed)?),
    ])
}

/// One device, with unreadable and slow ranges.
fn unreadable() -> ScrubFindings {
    let mut found = ScrubFindings { passed: 1, ..ScrubFindings::default() };
    for (at, len, errno) in [(1 << 20, 4096, 5), (1 << 21, 1 << 20, 5), (1 << 23, 8192, 61)] {
        let range = Chunk { at, len, copies: vec![Place { disk: 0, offset: (1 << 20) + at }] };
        found.add_unreadable(&range, errno);
    }
    let mut slow = SlowFindings { cleared: 7, unjudged: 2, ..SlowFindings::default() };
    for at in [1 << 24, 17 << 20] {
        slow.add(SlowRange { at, len: 1 << 20, took_us: 412_345, neighbours_us: 7_890, readings: 8 });
    }
    found.slow = Some(slow);
    found
}

/// Files with hostile names on some of these ranges.
fn owners() -> OwnerFacts {
    let part = |at, len, name: &str| FilePart { at, len, path: format!("/data/{name}"), offset: 12_288 };
    OwnerFacts {
        files: vec![part(2 << 20, 4096, NAME), part(3 << 20, 1 << 19, "b"), part(7 << 19, 1 << 19, "c")],
        mounts: vec!["/data".to_owned()],
        doubt: Some("3 files or directories of /data could not be opened".to_owned()),
    }
}

fn alone(found: ScrubFindings, owners: Option<OwnerFacts>, done: u64) -> anyhow::Result<Vec<Document>> {
    let place = Place { disk: 0, offset: 1 << 20 };
    let map = Map::new(vec![Strip { len: 1 << 26, copies: vec![place], of: None }]);
    let source = Source::One { path: "/dev/sdb".into(), offset: 1 << 20, length: None };
    let mut state = State::new(source, Some(100), &map, &[DiskIdentity::default()]);
    (state.found, state.done) = (found, done);
    let (disks, notes) = (["/dev/sdb".to_owned()], ["reads /dev/sdb; nothing is written to it".to_owned()]);
    let scrubbed = scrub::ScrubReport {
        state: &state,
        disks: &disks,
        total: 1 << 26,
        notes: &notes,
        complete: done == 1 << 26,
        first: 1 << 20,
        owners: owners.as_ref(),
    };
    Ok(vec![
        Document::new("text", scrubbed.text(Style::default())),
        Document::new("json", scrub::json(&scrubbed)?),
    ])
}

/// Targets with every kind of evidence, one that could not be examined and one that could not be opened; and none at all.
fn examined() -> anyhow::Result<Vec<Document>> {
    let evidence = vec![
        Evidence::Mounted { device: "sdb1".into(), mount_point: "/data".into() },
        Evidence::Held { device: "sdb2".into(), holder: "dm-0".into() },
        Evidence::Swap { device: "sdb3".into() },
        Evidence::ExclusivelyOpen,
        Evidence::ReadOnly,
        Evidence::OpenElsewhere { processes: vec!["77 (postgres)".into(), "78 (dd)".into()] },
        Evidence::Signature {
            usage: "filesystem".into(),
            kind: "ext4".into(),
            label: Some(NAME.into()),
            offset: Some(1080),
        },
        Evidence::SignaturesUnknown { reason: "blkid did not start".into() },
        Evidence::Partitions { names: vec!["sdb1".into(), "sdb2".into()] },
        Evidence::HoldsData { first_offset: 4096 },
        Evidence::NotWhollyRead { looked_bytes: 1 << 20 },
        Evidence::NeverWritten { how: "all blocks were read as zeros".into() },
        Evidence::OurScratchFile,
        Evidence::ScratchFileOfAnother { first_offset: 8192 },
    ];
    let mut all: Vec<targets::TargetCheck> =
        evidence.into_iter().map(|one| looked_at(facts::device(0, 16 * GIB), vec![one])).collect();
    let mut in_memory = facts::file(1, GIB);
    in_memory.filesystem = Some("tmpfs".into());
    all.push(looked_at(in_memory, Vec::new()));
    let closed = Problem::refused("it cannot be opened: Permission denied").next("start it as root");
    all.push(targets::TargetCheck { closed: Some(closed), ..looked_at(facts::device(2, GIB), Vec::new()) });
    let trouble = Some(format!("a read failed: {NAME}"));
    all.push(targets::TargetCheck { trouble, ..looked_at(facts::file(3, GIB), Vec::new()) });
    Ok(vec![
        Document::new("table", targets::TargetList(&all).text(Style::default())),
        Document::new("table-of-none", targets::TargetList(&[]).text(Style::default())),
        Document::new("json", targets::json(&all)?),
    ])
}

fn looked_at(facts: TargetFacts, evidence: Vec<Evidence>) -> targets::TargetCheck {
    targets::TargetCheck { facts, evidence, trouble: None, closed: None }
}
