//! The visit of a soak that never ended, because its process or its host died: only its intervals remain.
//!
//! Must not know what follows.

use super::{Header, Interval, NodeVisit, Purpose, Record, Visit};
use crate::load::class::PerClass;
use crate::measure::ClassTally;

/// The unfinished visit that a record has intervals of; `None` if the last interval belongs to a complete visit, or the run is not a soak.
pub fn of(record: &Record) -> Option<Visit> {
    let soak = record.header.request.soak()?;
    let number = record.visits.len() as u64;
    let behind =
        record.intervals.iter().rposition(|interval| interval.visit != number).map_or(0, |last| last + 1);
    let own: &[Interval] = record.intervals.get(behind..)?;
    let (first, last) = (own.first()?, own.last()?);
    let began_ns = first.began_ns;
    let measured_ns = last.began_ns.saturating_add(last.measured_ns).saturating_sub(began_ns);
    let mut tallies: PerClass<ClassTally> = PerClass::new();
    let parts = own.iter().flat_map(|interval| interval.tallies.iter().map(move |part| (interval, part)));
    for (interval, (class, part)) in parts {
        let empty = || ClassTally::new(part.io_bytes, part.planned, measured_ns).widened(soak.every.0);
        let whole = tallies.entry(*class).or_insert_with(empty);
        whole.place(part, interval.began_ns.saturating_sub(began_ns));
    }
    for whole in tallies.values_mut() {
        whole.reads.trim();
        whole.writes.trim();
    }
    visit(&record.header, number, (began_ns, measured_ns), tallies)
}

fn visit(
    header: &Header,
    number: u64,
    (began_ns, measured_ns): (u64, u64),
    tallies: PerClass<ClassTally>,
) -> Option<Visit> {
    let round = header.plan.phases.len() as u64;
    let phase = number.checked_rem(round)?;
    let planned = header.plan.phases.get(usize::try_from(phase).ok()?)?;
    let moved_bytes = tallies.values().map(ClassTally::moved_bytes).fold(0, u64::saturating_add);
    let seen = |of_node: usize| NodeVisit {
        moved_bytes: if of_node == 0 { moved_bytes } else { 0 },
        ..NodeVisit::default()
    };
    Some(Visit {
        step: planned.step,
        number,
        purpose: Purpose::Phase(u32::try_from(phase).ok()?),
        point: header.plan.steps.get(planned.step)?.point,
        began_ns,
        settle_ns: planned.settle.0.min(began_ns),
        measured_ns,
        cut_short: true,
        warm_up: None,
        worker_cpu_ns: None,
        busiest_worker_cpu_ns: None,
        loaded_ns: planned.settle.0.min(began_ns).saturating_add(measured_ns),
        ios: None,
        hung: None,
        nodes: (0..header.nodes.all().len()).map(seen).collect(),
        tallies,
    })
}
