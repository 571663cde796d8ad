//! Flags from the circumstances of a run rather than its measurements: its priority, a virtual machine, the limits of its control group, targets that a
//! cache can hold.
//!
//! Of the measurements, it only uses whether they reached a limit. Must not look into a latency.

use super::circumstances::window;
use crate::facts::{IoLimit, LimitedRate, Rank, TargetFacts};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::LoadClass;
use crate::load::request::CacheWarmUp;
use crate::measure::ClassTally;
use crate::record::{Node, Record, Visit};
use crate::units::say::{figure, listed};
use crate::units::{Bytes, GIB, MIB, NS_PER_S, to_f64};
use crate::witness::own_cores;
use std::collections::BTreeSet;

/// Usual cache of a disk (hard disks 256 or 512 MiB, flash drives more, but most of that for their tables).
const CACHE_OF_A_DISK: u64 = 256 * MIB;
/// Usual cache of a controller, and a part that is too small to represent a disk.
const SMALL: u64 = GIB;
/// If a visit returns to every place this often, a cache of that size has answered most of it.
const PASSES: f64 = 2.0;
/// From this part of a limit on, the limit was measured.
const AT_THE_LIMIT: f64 = 0.8;
/// A rate this far above a limit is not held down by it.
const ABOVE_THE_LIMIT: f64 = 1.5;

/// The flags of the run.
pub fn of_run(record: &Record) -> Vec<Flag> {
    if record.header.nodes.first().engine.kind.is_simulated() {
        return Vec::new();
    }
    let limits = io_limit(record).into_iter().chain(cpu_limit(record));
    priority(record).into_iter().chain(guest(record)).chain(limits).chain(small_target(record)).collect()
}

/// A note: most databases run in virtual machines.
fn guest(record: &Record) -> Option<Flag> {
    let guests: BTreeSet<String> =
        record.header.nodes.all().iter().filter_map(|node| node.host.guest()).collect();
    let text = listed(&guests.into_iter().collect::<Vec<_>>());
    (!text.is_empty()).then(|| Flag::new(FlagCode::Guest, text).noting())
}

/// The limit of the control group on I/O that a visit reached.
fn io_limit(record: &Record) -> Option<Flag> {
    let [node] = record.header.nodes.all() else { return None };
    let targets = &record.header.targets;
    let limits = node.host.cgroup.io_limits(targets);
    let each = limits.iter().flat_map(|limit| limit.rates().map(move |rate| (limit, rate)));
    let is_reached = |(_, (what, allowed)): &(&IoLimit<'_>, (LimitedRate, u64))| {
        record.visits.iter().any(|visit| {
            let part = rate(visit, *what) / to_f64(*allowed).max(1.0);
            // What goes to several devices can be several times as much as one of them may do.
            part >= AT_THE_LIMIT && part <= ABOVE_THE_LIMIT * to_f64(targets.len().max(1) as u64)
        })
    };
    let told = |(limit, (what, allowed)): (&IoLimit<'_>, (LimitedRate, u64))| {
        format!("{allowed} {} ({})", what.words(), limit.told())
    };
    let reached: Vec<String> = each.filter(is_reached).map(told).collect();
    let text = format!(
        "the control group of this process allows {}, and that much was reached: its limit was measured, not the storage",
        reached.join("; ")
    );
    (!reached.is_empty()).then(|| Flag::new(FlagCode::Throttled, text))
}

/// Bytes or I/Os per second of a visit's window.
fn rate(visit: &Visit, what: LimitedRate) -> f64 {
    let of = |tally: &ClassTally| {
        let (reads, writes) = tally.latencies_after(0);
        let bytes = |ios: u64| to_f64(tally.moved_bytes()) * to_f64(ios) / to_f64(tally.completed().max(1));
        match what {
            LimitedRate::Reads => to_f64(reads.count()),
            LimitedRate::Writes => to_f64(writes.count()),
            LimitedRate::BytesRead => bytes(reads.count()),
            LimitedRate::BytesWritten => bytes(writes.count()),
        }
    };
    let all: f64 = visit.tallies.values().map(of).sum();
    all * to_f64(NS_PER_S) / to_f64(visit.measured_ns.max(1))
}

/// Visits that used all of the CPU time that the control group allows.
fn cpu_limit(record: &Record) -> Option<Flag> {
    let [node] = record.header.nodes.all() else { return None };
    let quota = to_f64(node.host.cgroup.cpu_quota_millis(node.host.cpus)?) / 1000.0;
    let share = |visit: &Visit| {
        let witness = visit.nodes.first()?.witness.as_ref()?;
        Some(own_cores(witness, window(visit))? / quota.max(0.001)).filter(|share| *share >= AT_THE_LIMIT)
    };
    let shares: Vec<f64> = record.visits.iter().filter_map(share).collect();
    let most = shares.iter().copied().reduce(f64::max)?;
    let text = format!(
        "{} of {} visits: Rigel used {:.0} % of the {} CPUs that its control group allows; that limit was measured, not the storage",
        shares.len(),
        record.visits.len(),
        100.0 * most,
        figure(quota)
    );
    Some(Flag::new(FlagCode::HostLimited, text))
}

/// The node whose priority differs most from the usual one.
fn priority(record: &Record) -> Option<Flag> {
    let of_node = |node: &Node| {
        let (rank, why) = node.host.rank()?;
        let name = node.member.as_ref().map_or_else(String::new, |member| format!("{}: ", member.name));
        Some((rank, format!("{name}{why}")))
    };
    let nodes = record.header.nodes.all().iter().rev().filter_map(of_node);
    let (rank, why) = nodes.max_by_key(|(rank, _)| *rank)?;
    let flag = Flag::new(FlagCode::Priority, why);
    Some(if rank == Rank::Behind { flag } else { flag.noting() })
}

/// The smallest range that a visit used, and how often it can have returned to each place.
struct Use {
    bytes: u64,
    passes: f64,
}

fn small_target(record: &Record) -> Option<Flag> {
    // What a cache can hold is the question.
    if record.header.request.working_set().is_some() {
        return None;
    }
    let uses: Vec<Use> = record.visits.iter().filter_map(|visit| of_visit(record, visit)).collect();
    let bytes = uses.iter().map(|one| one.bytes).min()?;
    let passes = uses.iter().filter(|one| one.bytes == bytes).map(|one| one.passes).fold(0.0, f64::max);
    let named = match record.header.request.cache {
        CacheWarmUp::Bytes(cache) if bytes < cache => Some(cache),
        _ => None,
    };
    let used = Bytes(bytes);
    let often = if passes < PASSES {
        String::new()
    } else {
        format!("; one visit moved {} times as much", figure(passes))
    };
    if let Some(cache) = named {
        let text =
            format!("{used} are used, but the cache given with -cache_size holds {}{often}", Bytes(cache));
        return Some(Flag::new(FlagCode::SmallTarget, text));
    }
    let flag = |of: &str| Flag::new(FlagCode::SmallTarget, format!("{used} are used, {of}{often}"));
    match bytes {
        ..CACHE_OF_A_DISK if passes >= PASSES => Some(flag("little enough for the cache of a disk")),
        ..SMALL => Some(flag("little enough for the cache of a controller").noting()),
        _ => None,
    }
}

/// Logs are small by nature, a table is recognised by its server's counters, and memory has a flag of its own.
fn of_visit(record: &Record, visit: &Visit) -> Option<Use> {
    let header = &record.header;
    let request = &header.request;
    let classes = request.classes.iter().filter(|class| visit.point.of(class.name) > 0);
    let classes: Vec<&LoadClass> = classes.collect();
    let walks = |class: &&LoadClass| class.is_block_io() && !class.appends();
    let targets = request.used_at(visit.point, &header.targets);
    let is_storage = !request.is_buffered_at(visit.point) && targets.iter().all(|one| one.memory().is_none());
    if request.sql().is_some() || !is_storage || !classes.iter().all(walks) {
        return None;
    }
    let of_class = |class: &&LoadClass| {
        let level = visit.point.of(class.name);
        let part = |target: &&TargetFacts| {
            let part = class.part(target.size_bytes, level);
            part.end.saturating_sub(part.start)
        };
        TargetFacts::each_once(targets).iter().map(part).fold(0, u64::saturating_add)
    };
    let bytes = classes.iter().map(of_class).max().filter(|bytes| *bytes > 0)?;
    Some(Use { bytes, passes: to_f64(visit.moved_bytes()) / to_f64(bytes) })
}
