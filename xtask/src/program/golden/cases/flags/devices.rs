//! Simulated devices that are limited, change, or answer in two ways.

use super::super::super::simulated::{on_disk, once, own, request, rounds, rounds_within};
use super::super::Case;
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::Pace;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::record::Record;

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("device-burst-credit", || at_eight("white=3%,bucket=100:1500", 0)),
        Case::of("device-write-cliff", || at_eight("white=3%,cliff=16M:0.3", 100)),
        Case::of("device-drift", || at_eight("white=1%,drift=-80%", 0)),
        Case::of("device-throttled-for-a-while", || at_eight("white=1%,fall=0.5:4s:9s", 0)),
        Case::of("device-level-shift", || of_levels("white=1%,fall=0.5:16s:20s", &[1, 8], 0, once(12))),
        Case::of("device-slow-start", || at_eight("white=1%,startup=-40%:8s", 0)),
        Case::of("device-cache", || levels("hits=40%:1ms", 50)),
        Case::of("device-outliers", || levels("white=2%,modes=20%:0.6", 50)),
        Case::of("device-lost-ios", || at_eight("lost=150:3s", 0)),
        Case::of("device-slow-noise", || levels("noise=ar:30s:8%", 20)),
        Case::of("device-stalls", || levels("stalls=0.5:200ms,between=1%", 50)),
        Case::of("device-capped", capped),
        Case::of("device-chokes", chokes),
    ]
}

/// Eight outstanding small I/Os, alone, on four stations of 10 ms.
fn at_eight(noise: &str, write_percent: u8) -> anyhow::Result<Record> {
    of_levels(noise, &[1, 8], write_percent, rounds_within(50, 60))
}

fn levels(noise: &str, tenths: u16) -> anyhow::Result<Record> {
    of_levels(noise, &[1, 2, 4, 8], 0, rounds(tenths))
}

fn of_levels(noise: &str, levels: &[u32], write_percent: u8, pace: Pace) -> anyhow::Result<Record> {
    let mut classes = LoadClass::pair(8 << 10, 1 << 20);
    classes.truncate(1);
    classes[0].levels = levels.into();
    classes[0].write_percent = WritePercent::new(write_percent).unwrap_or_default();
    let law = format!("servers=4,service=10ms,rate=0,spread=lognormal:20%,{noise}");
    on_disk(&law, own(RunLevel::Oltp, classes).paced(pace))
}

/// A limit of bytes per second that large I/Os reach.
fn capped() -> anyhow::Result<Record> {
    let law = "servers=16,service=2ms,rate=0,cap=4M";
    on_disk(law, request(RunLevel::Simple).paced(once(2)))
}

/// More outstanding I/Os give a lower rate.
fn chokes() -> anyhow::Result<Record> {
    let law = "servers=4,service=10ms,rate=0,retrograde=5%,between=0.5%";
    on_disk(law, Request { task: Task::searched(RunLevel::Oltp, rounds(100)), ..request(RunLevel::Oltp) })
}
