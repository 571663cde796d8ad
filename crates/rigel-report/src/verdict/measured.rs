//! What was measured, as a sentence: with which I/O, on what, when and for how long.
//!
//! Must not say what came of it.

use crate::label;
use crate::numbers::time;
use crate::view::View;
use crate::words;
use rigel_core::facts::TargetFacts;
use rigel_core::load::class::{LoadClass, Sizes};
use rigel_core::path_text::printable;
use rigel_core::record::Visit;
use rigel_core::units::{Bytes, NS_PER_US, to_f64};

/// More targets are counted.
const FEW_TARGETS: usize = 2;

/// `Measured: small I/O of 8 KiB and large I/O of 1 MiB, reads only, on ./rigel-scratch.dat (file, 4 GiB), 2026-11-23 02:00, for 1 min 2 s.`
pub(super) fn sentence(view: &View<'_>) -> String {
    let header = &view.record.header;
    let loads = view.loads();
    if loads.is_empty() {
        return String::new();
    }
    let of_load = |load: &&LoadClass| match load.sizes {
        Sizes::None => load.noun(),
        Sizes::Fixed(_) | Sizes::Mixed(_) => format!("{} of {}", load.noun(), Bytes(load.io_bytes())),
    };
    let io = words::listed(&loads.iter().map(of_load).collect::<Vec<_>>());
    let writes = match header.request.common_write_percent().map(|share| share.get()) {
        Some(0) => "reads only".to_owned(),
        Some(100) => "writes only".to_owned(),
        Some(_) => format!("{} of them writes", header.request.write_share()),
        None => format!("writes: {}", header.request.write_share()),
    };
    let all = view.record.visits.iter().chain(&view.record.search);
    let ended_ns = |visit: &Visit| visit.ended_ns().max(visit.began_ns.saturating_add(visit.measured_ns));
    let took_us = to_f64(all.map(ended_ns).max().unwrap_or(0)) / to_f64(NS_PER_US);
    format!(
        "Measured: {io}, {writes}, on {}, {}, for {}.",
        targets(&header.targets),
        printable(&header.started.chars().take(16).collect::<String>()).replace('T', " "),
        time(took_us)
    )
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
    let (named, others) = all.split_at(all.len().min(FEW_TARGETS));
    let mut names: Vec<String> = named.iter().map(one).collect();
    if !others.is_empty() {
        names.push(format!("{} more", others.len()));
    }
    words::listed(&names)
}
