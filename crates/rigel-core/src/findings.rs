//! From a record to findings: every figure that an output shows, with its flags.
//!
//! Pure; the record alone decides. Must not format; renderers choose digits and layout.

use crate::engine::EngineKind;
use crate::flags::{self, Flag, FlagCode};
use crate::matrix::Point;
use crate::measure::{ClassTally, FirstError, Histogram};
use crate::path_text;
use crate::record::{Header, Record, Visit};
use crate::units::{self, us_from_ns};
use crate::workload::Direction;
use std::collections::BTreeMap;

/// Latency of successful I/Os, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyUs {
    /// Arithmetic mean.
    pub mean: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Standard deviation.
    pub stddev: f64,
    /// Median.
    pub p50: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p99_9: f64,
    /// 99.99th percentile.
    pub p99_99: f64,
}

impl LatencyUs {
    /// The statistics of a histogram; `None` when it is empty.
    #[must_use]
    pub fn of(histogram: &Histogram) -> Option<Self> {
        let exact = |ns: Option<u64>| ns.map(|ns| us_from_ns(units::to_f64(ns)));
        let quantile = |q| exact(histogram.quantile_ns(q));
        Some(Self {
            mean: us_from_ns(histogram.mean_ns()?),
            min: exact(histogram.min_ns())?,
            max: exact(histogram.max_ns())?,
            stddev: us_from_ns(histogram.stddev_ns()?),
            p50: quantile(0.5)?,
            p90: quantile(0.9)?,
            p99: quantile(0.99)?,
            p99_9: quantile(0.999)?,
            p99_99: quantile(0.9999)?,
        })
    }
}

/// One class of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct IoFindings {
    /// Successful I/Os per second, reads and writes.
    pub iops: f64,
    /// Megabytes (2^20) per second, reads and writes.
    pub mbps: f64,
    /// Reads and writes together; `None` when nothing completed.
    pub latency_us: Option<LatencyUs>,
    /// Latencies of reads.
    pub reads: Histogram,
    /// Latencies of writes.
    pub writes: Histogram,
    /// Bytes of one I/O.
    pub io_bytes: u64,
    /// Failed I/Os.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<FirstError>,
    /// Outstanding I/Os planned.
    pub planned_outstanding: u32,
    /// Mean in flight over the measured time.
    pub mean_outstanding: f64,
}

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointFindings {
    /// Outstanding small I/Os and outstanding large I/Os or streams.
    pub point: Point,
    /// Measured time.
    pub seconds: f64,
    /// Small I/Os, when the point has some.
    pub small: Option<IoFindings>,
    /// Large I/Os, when the point has some.
    pub large: Option<IoFindings>,
    /// What the reader should know about these numbers.
    pub flags: Vec<Flag>,
}

/// An extreme over all points, and where it was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// Where.
    pub point: Point,
}

/// All findings of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Findings {
    /// Measured points in the order of the plan.
    pub points: Vec<PointFindings>,
    /// Highest small IOPS.
    pub max_small_iops: Option<Extreme>,
    /// Highest large MBPS.
    pub max_large_mbps: Option<Extreme>,
    /// Lowest mean small latency, reads and writes weighted by their counts, in microseconds.
    pub min_small_latency_us: Option<Extreme>,
}

impl Findings {
    /// Judges a record.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        let mut by_step: BTreeMap<usize, Vec<&Visit>> = BTreeMap::new();
        for visit in &record.visits {
            by_step.entry(visit.step).or_default().push(visit);
        }
        let points: Vec<PointFindings> =
            by_step.values().map(|visits| point(&record.header, visits)).collect();
        Self {
            max_small_iops: extreme(&points, |p| done(p.small.as_ref()).map(|io| io.iops), f64::gt),
            max_large_mbps: extreme(&points, |p| done(p.large.as_ref()).map(|io| io.mbps), f64::gt),
            min_small_latency_us: extreme(&points, |p| Some(p.small.as_ref()?.latency_us?.mean), f64::lt),
            points,
        }
    }
}

/// The first point whose value beats all others. A point that was cut short has a say only when no whole one has; a
/// class without completions has none (its value is `None`).
fn extreme(
    points: &[PointFindings],
    value: impl Fn(&PointFindings) -> Option<f64>,
    beats: impl Fn(&f64, &f64) -> bool,
) -> Option<Extreme> {
    let has = |p: &PointFindings| value(p).is_some();
    let cut_short = |p: &PointFindings| p.flags.iter().any(|flag| flag.code == FlagCode::CutShort);
    let some_whole = points.iter().any(|p| has(p) && !cut_short(p));
    let with_a_say = points.iter().filter(|p| !some_whole || !cut_short(p));
    with_a_say.filter_map(|p| value(p).map(|value| Extreme { value, point: p.point })).fold(
        None,
        |best, next| match best {
            Some(best) if !beats(&next.value, &best.value) => Some(best),
            _ => Some(next),
        },
    )
}

/// A class in which something completed.
fn done(io: Option<&IoFindings>) -> Option<&IoFindings> {
    io.filter(|io| io.latency_us.is_some())
}

/// Adds up the visits to one point.
fn point(header: &Header, visits: &[&Visit]) -> PointFindings {
    let span_ns: u64 = visits.iter().map(|visit| visit.measured_ns).sum();
    let sum = |class: fn(&Visit) -> Option<&ClassTally>| {
        let mut tallies = visits.iter().filter_map(|visit| class(visit));
        let first = tallies.next()?.clone();
        Some(tallies.fold(first, add_visit))
    };
    let small = sum(|visit| visit.small.as_ref());
    let large = sum(|visit| visit.large.as_ref());
    let mut found = run_flags(header);
    if visits.iter().any(|visit| visit.cut_short) {
        let text = format!(
            "measured {:.2} s instead of {}",
            units::Nanos(span_ns).seconds(),
            header.request.duration
        );
        found.push(Flag::new(FlagCode::CutShort, text));
    }
    let warm_up_failures: u64 =
        visits.iter().filter_map(|visit| visit.warm_up).map(|done| done.failures).sum();
    if warm_up_failures > 0 {
        let text = format!("warm-up: {warm_up_failures} I/Os failed");
        found.push(Flag::new(FlagCode::Errors, text));
    }
    for (name, tally) in [("small", &small), ("large", &large)] {
        if let Some(tally) = tally {
            found.extend(class_flags(header, name, tally, span_ns));
        }
    }
    PointFindings {
        point: visits[0].point,
        seconds: units::Nanos(span_ns).seconds(),
        small: small.map(|tally| io_findings(tally, span_ns)),
        large: large.map(|tally| io_findings(tally, span_ns)),
        flags: found,
    }
}

/// Visits follow one another: counts add, the number planned does not.
fn add_visit(mut sum: ClassTally, next: &ClassTally) -> ClassTally {
    let planned = sum.planned;
    let series = std::mem::take(&mut sum.series);
    sum.series.bucket_ns = next.series.bucket_ns;
    sum.add(next);
    ClassTally { planned, series, ..sum }
}

fn io_findings(tally: ClassTally, span_ns: u64) -> IoFindings {
    let mut all = tally.reads.clone();
    all.add(&tally.writes);
    let completed = tally.completed();
    IoFindings {
        iops: units::iops(completed, span_ns),
        mbps: units::mbps(completed.saturating_mul(tally.io_bytes), span_ns),
        latency_us: LatencyUs::of(&all),
        mean_outstanding: tally.mean_in_flight(span_ns),
        reads: tally.reads,
        writes: tally.writes,
        io_bytes: tally.io_bytes,
        errors: tally.errors,
        first_error: tally.first_error,
        planned_outstanding: tally.planned,
    }
}

/// Flags that hold for every point of the run.
fn run_flags(header: &Header) -> Vec<Flag> {
    let mut found = Vec::new();
    if header.request.buffered {
        found.push(Flag::new(FlagCode::Buffered, "measured through the page cache: memory, not storage"));
    }
    if matches!(header.engine.kind, EngineKind::Sim | EngineKind::Null) {
        let text = format!("engine {}: no storage was touched", header.engine.kind.name());
        found.push(Flag::new(FlagCode::Simulated, text));
    }
    found
}

fn class_flags(header: &Header, name: &str, tally: &ClassTally, span_ns: u64) -> Vec<Flag> {
    let mut found = Vec::new();
    if tally.completed() == 0 {
        found.push(Flag::new(FlagCode::NoData, format!("{name}: no I/O completed")));
    }
    if let Some(error) = tally.first_error {
        found.push(Flag::new(FlagCode::Errors, errors_text(header, name, tally.errors, error)));
    }
    let mean = tally.mean_in_flight(span_ns);
    if flags::queue_not_filled(mean, tally.planned) {
        let text = format!("{name}: {mean:.2} of {} planned were in flight", tally.planned);
        found.push(Flag::new(FlagCode::QueueNotFilled, text));
    }
    let latency_sum_ns = tally.reads.sum_ns().saturating_add(tally.writes.sum_ns());
    if let Some(ratio) = flags::little(tally.completed(), latency_sum_ns, span_ns, tally.planned) {
        let text = format!("{name}: rate x latency is {ratio:.3} of {} outstanding", tally.planned);
        found.push(Flag::new(FlagCode::Little, text));
    }
    if name == "large" {
        found.extend(buffers_flag(header));
    }
    found
}

fn buffers_flag(header: &Header) -> Option<Flag> {
    let segments = header.buffers.large_segments_max.filter(|&segments| segments > 1)?;
    let text = format!(
        "large buffers lie in up to {segments} physical pieces: the rate may be up to 3 times too low"
    );
    Some(Flag::new(FlagCode::Buffers, text))
}

fn errors_text(header: &Header, name: &str, errors: u64, first: FirstError) -> String {
    let target = header.targets.get(usize::from(first.target)).map_or("?", |target| target.path.as_str());
    let direction = match first.direction {
        Direction::Read => "read",
        Direction::Write => "write",
    };
    let reason = if first.errno == 0 {
        "moved fewer bytes than asked".into()
    } else {
        format!("errno {}", first.errno)
    };
    format!(
        "{name}: {errors} failed; the first, a {direction} at byte {} of {}, {reason}",
        first.offset,
        path_text::printable(target)
    )
}

#[cfg(test)]
mod tests;
