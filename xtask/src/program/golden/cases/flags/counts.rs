//! Counts that speak against themselves: queues that were not full, reads without data, answers that are too fast, curves that cannot be.

use super::super::super::by_hand::{Run, SPREAD, served};
use super::super::super::simulated::{request, rounds};
use super::super::Case;
use super::circumstances::once_each;
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::Request;
use rigel_core::load::task::Task;
use rigel_core::measure::{Histogram, ReadLook};
use rigel_core::record::{Record, Visit};
use rigel_core::units::{NS_PER_MS, NS_PER_US};

/// The cases.
pub fn all() -> Vec<Case> {
    vec![
        Case::of("counts-queue-not-full", queue_not_full),
        Case::of("counts-too-fast", too_fast),
        Case::of("counts-zeros", zeros),
        Case::of("counts-little", little),
        Case::of("counts-not-monotone", not_monotone),
    ]
}

fn changed(step: usize, change: impl Fn(&mut Visit)) -> anyhow::Result<Record> {
    let mut record = once_each()?;
    record.visits.iter_mut().filter(|visit| visit.step == step).for_each(change);
    Ok(record)
}

fn queue_not_full() -> anyhow::Result<Record> {
    changed(2, |visit| {
        visit.tallies.values_mut().for_each(|tally| tally.in_flight_ns = tally.in_flight_ns * 9 / 10)
    })
}

/// A third of the reads at eight outstanding were answered by a cache.
fn too_fast() -> anyhow::Result<Record> {
    changed(2, |visit| {
        for tally in visit.tallies.values_mut() {
            let count = tally.reads.count();
            let slow_ns = (tally.in_flight_ns - count / 3 * 50 * NS_PER_US) / (count - count / 3);
            let mut reads = Histogram::new();
            (0..count).for_each(|io| reads.record(if io < count / 3 { 50 * NS_PER_US } else { slow_ns }));
            tally.reads = reads;
        }
    })
}

fn zeros() -> anyhow::Result<Record> {
    let looked = ReadLook { sampled: 400, zero_blocks: 390, wrong_stamps: 2 };
    changed(1, |visit| visit.tallies.values_mut().for_each(|tally| tally.looked = looked))
}

/// I/Os took half of the time that follows from rate and outstanding I/Os.
fn little() -> anyhow::Result<Record> {
    changed(1, |visit| {
        for tally in visit.tallies.values_mut() {
            let count = tally.reads.count();
            tally.reads.clear();
            (0..count).for_each(|_| tally.reads.record(NS_PER_MS / 2));
        }
    })
}

/// The search for levels saw a rate that fell and one that no device with that latency has.
fn not_monotone() -> anyhow::Result<Record> {
    let asked = Request { task: Task::searched(RunLevel::Oltp, rounds(100)), ..request(RunLevel::Oltp) };
    let rate = |_: &LoadClass, level: u32| match level {
        1 => 100,
        2 => 700,
        3 | 4 => 400,
        _ => 1000,
    };
    Ok(Run::new(asked)?.searched(&rate)?.rounds(&SPREAD, &served(4)).record)
}
