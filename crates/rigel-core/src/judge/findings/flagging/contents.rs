//! Flags from what reads returned, and how fast: blocks without data, files without blocks, caches.
//!
//! Such numbers are about memory or metadata, so they are invalid. Must not judge writes.

mod zeros;

use crate::facts::ExtentFacts;
use crate::judge::findings::estimate::tally;
use crate::judge::findings::visits::moved;
use crate::judge::findings::{IoFindings, PointFindings};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::{Class, LoadClass, Pattern, PerClass};
use crate::load::matrix::Point;
use crate::measure::{ByTarget, ReadLook};
use crate::record::{Header, Visit};
use crate::stats::detect::cache::cache;
use crate::stats::detect::latency_modes::latency_modes;
use crate::units::say::rough_time;
use crate::units::{Bytes, NS_PER_US, to_f64};
use zeros::zeros;

/// Devices that moved a smaller part than this of what was requested did not answer it.
const LEAST_MOVED: f64 = 0.5;
/// A target whose mean latency is within this multiple of the lowest is as fast.
const AS_FAST: f64 = 1.25;
/// A target whose mean latency is beyond this multiple is slow.
const MUCH_SLOWER: f64 = 1.5;
/// Fewer bytes are not judged: counters are read a little before and after.
const LEAST_ASKED: u64 = 1 << 20;

/// The flags of a point; `visits` are those behind its figures. `alone_us` is the mean latency of each class at one
/// outstanding I/O without any other class.
pub fn of_point(
    header: &Header,
    visits: &[&Visit],
    point: &PointFindings,
    alone_us: &PerClass<f64>,
) -> Vec<Flag> {
    let mut found = Vec::new();
    for (class, io) in point.classes().filter(|(_, io)| io.reads.count() > 0) {
        found.extend(no_data(header, visits, &io.load));
        if let Some(&alone_us) = alone_us.get(&class).filter(|_| io.load.pattern == Pattern::Random) {
            let by_targets = || is_by_slow_targets(visits, class);
            found.extend(too_fast(io, alone_us).filter(|_| !by_targets()));
        }
    }
    // Memory that the facts show has a flag of its own, and may be meant.
    let targets = header.request.used_at(point.point, &header.targets);
    if targets.iter().all(|target| target.memory().is_none()) {
        found.extend(answered_above(header, visits));
    }
    found
}

/// The topmost devices of the targets or the lowest ones moved far less than was requested: something above them answered, whatever it
/// is. Devices without counters are not watched, and compression or deduplication lies below the devices that are.
fn answered_above(header: &Header, visits: &[&Visit]) -> Option<Flag> {
    let (device, own) = moved(header, visits)?;
    if own < LEAST_ASKED || to_f64(device) >= LEAST_MOVED * to_f64(own) {
        return None;
    }
    let text = format!(
        "of {} only {} came from the devices: the remainder was answered by a layer above them, such as \
         this host's page cache",
        Bytes(own),
        Bytes(device)
    );
    let cache = Flag::new(FlagCode::Cache, text);
    Some(cache.invalidating())
}

fn no_data(header: &Header, visits: &[&Visit], load: &LoadClass) -> Option<Flag> {
    let mut look = ReadLook::default();
    visits.iter().filter_map(|visit| tally(visit, load.name)).for_each(|tally| look.add(&tally.looked));
    let extents: Vec<&ExtentFacts> =
        header.targets.iter().filter_map(|target| target.extents.as_ref()).collect();
    let found = zeros(&look, &extents, header.request.is_beside_raw())?;
    let mut parts = Vec::new();
    if let Some(reads) = found.reads {
        parts.push(format!(
            "of {} blocks checked, {} were zero and {} belonged elsewhere",
            reads.sampled, reads.zero_blocks, reads.wrong_stamps
        ));
    }
    if let Some(files) = found.files {
        parts.push(format!(
            "{} of {} were never written",
            Bytes(files.unwritten_bytes.saturating_add(files.hole_bytes)),
            Bytes(files.looked_bytes)
        ));
    }
    let text = format!("{}: {}; such reads may never reach the medium", load.title(), parts.join("; "));
    Some(Flag::new(FlagCode::Zeros, text).invalidating())
}

/// Whether the slow reads are those of a few slow targets, and most targets are as fast as the fastest: then nothing is too fast. With a cache
/// before one of several targets, most are slow.
fn is_by_slow_targets(visits: &[&Visit], class: Class) -> bool {
    let mut counts = ByTarget::default();
    let known = visits.iter().filter_map(|visit| tally(visit, class)?.by_target.as_ref());
    known.for_each(|own| counts.add(own));
    let pairs = counts.ops.iter().zip(&counts.latency_sum_ns).filter(|(ops, _)| **ops > 0);
    let mut means: Vec<f64> = pairs.map(|(&ops, &sum_ns)| to_f64(sum_ns) / to_f64(ops)).collect();
    means.sort_by(f64::total_cmp);
    let (least, most) = (means.first().copied().unwrap_or(0.0), means.last().copied().unwrap_or(0.0));
    let middle = means.get(means.len() / 2).copied().unwrap_or(most);
    means.len() > 2 && middle <= AS_FAST * least && most >= MUCH_SLOWER * least
}

/// A fast tenth alone may be the spread of the service; a separate mode is not.
fn too_fast(io: &IoFindings, alone_us: f64) -> Option<Flag> {
    let quantile = |q| io.reads.quantile_ns(q);
    let found = cache(quantile(0.1)?, quantile(0.5)?, alone_us * to_f64(NS_PER_US))?;
    let modes = latency_modes(&io.reads)?;
    let text = format!(
        "{}: {:.0} % of the reads took about {}, a tenth at most {}: less than half the time of a read alone",
        io.load.title(),
        100.0 * modes.fast_share,
        rough_time(to_f64(modes.fast_ns)),
        rough_time(to_f64(found.p10_ns)),
    );
    Some(Flag::new(FlagCode::Cache, text).invalidating())
}

/// Mean latency of each class at one outstanding I/O without any other, if such a point was measured. `effect` is the part of its numbers that
/// other programs can have taken at a step: an I/O that is alone and waits for a CPU is not slower on the device, so that much is subtracted.
pub fn alone_us(points: &[PointFindings], effect: impl Fn(usize) -> f64) -> PerClass<f64> {
    let classes = points.iter().flat_map(PointFindings::classes).map(|(class, _)| class);
    let of_class = |class| {
        let (step, io) = point_alone(points, class)?;
        Some((class, io.latency_us?.mean.value * (1.0 - effect(step)).max(0.0)))
    };
    classes.filter_map(of_class).collect()
}

/// The figures of a class at one outstanding I/O without other classes, if such a point was measured.
pub fn alone(points: &[PointFindings], class: Class) -> Option<&IoFindings> {
    point_alone(points, class).map(|(_, io)| io)
}

fn point_alone(points: &[PointFindings], class: Class) -> Option<(usize, &IoFindings)> {
    let found = points.iter().find(|found| found.point == Point::alone(class, 1))?;
    let io = found.io(class)?;
    io.load.level_is_load().then_some((found.step, io))
}
