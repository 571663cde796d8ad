//! The trace: all figures of every point and visit, unprocessed.
//!
//! The markers of a point and the lines that begin with `ran` have the form that output of 10.2 and 11.x is remembered to
//! have; the rest is ours. Must not leave a flag out.

use super::{OrionVersion, heading};
use crate::flag_scopes::curve_name;
use crate::notes::{self, OrionPoint};
use crate::page::Page;
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::{IoFindings, PointFindings, VisitFindings, VisitIo};
use rigel_core::load::class::Class;
use rigel_core::path_text::printable;
use rigel_core::record::{Header, Node, Purpose, Visit};
use rigel_core::units::{Bytes, KIB, Nanos, to_f64};

/// The heading of the summary, the host and the engine, then the points in the order of the plan.
pub(super) fn render(version: OrionVersion, view: &View<'_>) -> String {
    let mut page = Page::default();
    page.push(heading::render(version, view));
    page.blank();
    circumstances(&mut page, &view.record.header);
    page.line(format_args!("intervals: {}", intervals(view)));
    searches(&mut page, view);
    for (found, (step, visits)) in view.findings.points.iter().zip(view.visits()) {
        page.blank();
        point(&mut page, &view.record.header, found, step, &visits);
    }
    ending(&mut page, view);
    page.into_string()
}

/// Where the intervals are, and what they mean.
fn intervals(view: &View<'_>) -> String {
    if view.is_adaptive() {
        format!("{}; see _ci.csv", words::INTERVAL)
    } else {
        format!("each shows {}; see _ci.csv", words::ONE_VISIT)
    }
}

/// The visits of the search for load levels.
fn searches(page: &mut Page, view: &View<'_>) {
    for found in &view.findings.curves {
        page.blank();
        page.line(format_args!("Searching levels of {} I/O", found.class()));
        for (of_visit, visit) in found.visits.iter().zip(view.searched(found.class())) {
            page.push(format_args!("{}, ", of_visit.point.named(", ")));
            visit_line(page, visit, of_visit);
        }
        for flag in &found.flags {
            page.line(format_args!("Flags @ {}: {}", curve_name(found.class()), notes::judged_flag(flag)));
        }
    }
}

/// The end of the trace: facts about the whole run.
fn ending(page: &mut Page, view: &View<'_>) {
    let flags = view.findings.flags.iter();
    let flags = flags.map(|flag| format!("Flags @ the run: {}", notes::judged_flag(flag)));
    let lines: Vec<String> = flags.chain(notes::cut_short(view)).collect();
    if !lines.is_empty() {
        page.blank();
    }
    for line in lines {
        page.line(line);
    }
}

fn circumstances(page: &mut Page, header: &Header) {
    page.line(format_args!("run: {}, started {}", printable(&header.run_id), printable(&header.started)));
    header.nodes.all().iter().for_each(|node| of_node(page, header, node));
}

fn of_node(page: &mut Page, header: &Header, node: &Node) {
    let Node { host, engine, buffers, .. } = node;
    let cpu = host.cpu_model.as_deref().unwrap_or("CPU model unknown");
    page.line(format_args!(
        "host: {} {}, {} CPUs, {}",
        printable(&host.kernel),
        printable(&host.machine),
        host.cpus,
        printable(cpu)
    ));
    page.line(format_args!(
        "engine: {}{}, worker threads {}, seed {}",
        engine.kind.name(),
        if engine.polled { " with polled completions" } else { "" },
        header.plan.workers_of(&header.request, engine.kind),
        header.request.seed
    ));
    for note in engine.reason.iter().chain(&engine.notes) {
        page.line(format_args!("engine note: {}", printable(note)));
    }
    page.line(format_args!("buffers: {}", Bytes(buffers.bytes)));
}

fn point(page: &mut Page, header: &Header, found: &PointFindings, step: usize, visits: &[&Visit]) {
    page.line(format_args!("Running point: {}", found.point.named(", ")));
    page.line(format_args!(
        "Point {} out of {}",
        header.plan.point_number(step),
        header.plan.grid.total_points
    ));
    for (visit, of_visit) in visits.iter().zip(&found.each_visit) {
        visit_line(page, visit, of_visit);
    }
    let all: u32 = found.classes().map(|(_, io)| io.planned_outstanding).sum();
    for (class, io) in found.classes() {
        ran(page, header, class.name(), io, all.saturating_sub(io.planned_outstanding), found.seconds);
    }
    for flag in &found.flags {
        page.line(format_args!("Flags @ {}: {}", OrionPoint(found.point), notes::judged_flag(flag)));
    }
}

fn visit_line(page: &mut Page, visit: &Visit, found: &VisitFindings) {
    let seconds = |ns| Nanos(ns).seconds();
    let purpose = words::purpose(visit.purpose).map_or_else(String::new, |text| format!(" ({text})"));
    page.push(format_args!(
        "visit{purpose}: began at {:.3} s, settled {:.3} s, measured {:.3} s",
        seconds(visit.began_ns),
        seconds(visit.settle_ns),
        seconds(visit.measured_ns)
    ));
    if let Some(warm_up) = visit.warm_up {
        page.push(format_args!(", warmed up {:.3} s with {}", seconds(warm_up.ns), Bytes(warm_up.bytes)));
    }
    if let Some(ns) = visit.worker_cpu_ns {
        page.push(format_args!(", workers' CPU {:.3} s", seconds(ns)));
    }
    page.push(if visit.cut_short { ", cut short" } else { "" });
    // The only visit to a point has its figures below.
    if visit.purpose != Purpose::Only {
        for (class, io) in &found.ios {
            visit_io(page, *class, *io);
        }
    }
    for disturbance in found.foreign.iter().flatten() {
        page.push(format_args!("; {disturbance}"));
    }
    page.blank();
}

/// The result of a single visit, settled as long as the adaptive run took.
fn visit_io(page: &mut Page, class: Class, io: VisitIo) {
    page.push(format_args!("; {} iops {:.1}", class.name(), io.iops));
    if let Some(us) = io.latency_us {
        page.push(format_args!(" lat {us:.2} us"));
    }
    if let Some(little) = io.little {
        page.push(format_args!(" Little {little:.3}"));
    }
    if io.errors > 0 {
        page.push(format_args!(" {} failed", io.errors));
    }
}

/// `my` and `oth`: outstanding I/Os of this class and of the other one.
fn ran(page: &mut Page, header: &Header, class: &str, io: &IoFindings, others: u32, seconds: f64) {
    let (reads, writes) = (io.reads.count(), io.writes.count());
    let done = reads.saturating_add(writes);
    let latency_us = io.latency_us.map_or(0.0, |us| us.mean.value);
    let sizes = header.targets.iter().map(|target| target.size_bytes);
    let volume = sizes.fold(0, u64::saturating_add);
    page.line(format_args!("ran ({class}): VLun = 0 Size = {volume}"));
    page.line(format_args!("ran ({class}): Index = 0 Count = {done} Avg Lat = {latency_us:.2}"));
    page.line(format_args!(
        "ran ({class}): nio={done} nior={reads} niow={writes} req w%={} act w%={:.0}",
        io.load.write_percent.get(),
        100.0 * to_f64(writes) / to_f64(done.max(1))
    ));
    let direction = match (reads, writes) {
        (_, 0) => "READ",
        (0, _) => "WRITE",
        _ => "READ/WRITE",
    };
    page.line(format_args!(
        "ran ({class}): my {} oth {others} iops {:.0} size {} K lat {:.2} ms bw = {:.2} MBps dur {seconds:.2} s {direction}",
        io.planned_outstanding,
        io.iops.value,
        io.mean_bytes / to_f64(KIB),
        latency_us / 1000.0,
        io.mbps().map_or(0.0, |mbps| mbps.value),
    ));
    if io.errors > 0 {
        page.line(format_args!("ran ({class}): {} failed", io.errors));
    }
}
