//! What was measured, as a sentence: with which I/O, on what, when and for how long.
//!
//! Must not say what came of it.

use crate::label;
use crate::view::View;
use crate::words;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{LoadClass, Sizes};
use rigel_core::path_text::printable;
use rigel_core::record::Visit;
use rigel_core::units::say::time;
use rigel_core::units::{Bytes, NS_PER_US, to_f64};

/// More targets are counted.
const FEW_TARGETS: usize = 2;

/// `Measured: small I/O of 8 KiB and large I/O of 1 MiB, reads only, on ./rigel-scratch.dat (file, 4 GiB), 2026-11-23 02:00, for 1 min 2 s.`
pub(super) fn sentence(view: &View<'_>) -> String {
    let header = &view.record.header;
    let loads = view.main_loads();
    if loads.is_empty() {
        return String::new();
    }
    let part = part(view);
    let commits = view.loads().into_iter().find(|load| !loads.iter().any(|main| main.name == load.name));
    let commits = commits.map(|load| format!("; commits of {}", Bytes(load.io_bytes())));
    let io = words::listed(&io(&loads));
    let all = view.record.visits.iter().chain(&view.record.search);
    let ended_ns = |visit: &Visit| visit.ended_ns().max(visit.began_ns.saturating_add(visit.measured_ns));
    let took_us = to_f64(all.map(ended_ns).max().unwrap_or(0)) / to_f64(NS_PER_US);
    format!(
        "Measured: {io}, {}{}, on {part}{}, {}, for {}{}.",
        writes(view),
        commits.unwrap_or_default(),
        targets(&header.targets),
        printable(&header.started.chars().take(16).collect::<String>()).replace('T', " "),
        time(took_us),
        // That took much less of the reader's own.
        if header.request.engine.is_simulated() { " of simulated time" } else { "" }
    )
}

/// `0-33% of `, before the targets; nothing where the I/Os went to all of them.
pub(crate) fn part(view: &View<'_>) -> String {
    let part = view.record.header.request.measured_part();
    part.map_or_else(String::new, |part| format!("{part} of "))
}

/// `small I/O of 8 KiB`, for each class. Both sides have the same load: it is reported once.
pub(crate) fn io(loads: &[&LoadClass]) -> Vec<String> {
    let of_load = |load: &&LoadClass| {
        let noun = called(&load.plain());
        match load.sizes {
            Sizes::None => noun,
            Sizes::Fixed(_) => format!("{noun} of {}", Bytes(load.io_bytes())),
            Sizes::Mixed(_) => format!("{noun} of up to {}", Bytes(load.io_bytes())),
        }
    };
    let mut io: Vec<String> = loads.iter().map(of_load).collect();
    io.dedup();
    io
}

/// `reads only`, `20 % of them writes`.
pub(crate) fn writes(view: &View<'_>) -> String {
    let request = &view.record.header.request;
    match request.common_write_percent().map(|share| share.get()) {
        Some(0) => "reads only".to_owned(),
        Some(100) => "writes only".to_owned(),
        Some(_) => format!("{} of them writes", request.write_share()),
        None => format!("writes: {}", request.write_share()),
    }
}

/// I/O has no number, commits are counted.
fn called(load: &LoadClass) -> String {
    if load.appends() { load.nouns() } else { load.noun() }
}

fn targets(all: &[TargetFacts]) -> String {
    let one = |target: &TargetFacts| {
        format!(
            "{} ({}, {})",
            printable(label::absolute(target)),
            target.kind.name(),
            Bytes(target.size_bytes)
        )
    };
    let all = TargetFacts::each_once(all);
    let (named, others) = all.split_at(all.len().min(FEW_TARGETS));
    let mut names: Vec<String> = named.iter().copied().map(one).collect();
    if !others.is_empty() {
        names.push(format!("{} more", others.len()));
    }
    words::listed(&names)
}
