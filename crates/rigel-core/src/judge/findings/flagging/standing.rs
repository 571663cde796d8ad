//! Flags from what the run was, and not from what it measured: a priority of its own, targets that a cache can hold.
//!
//! Must not look into a tally.

use crate::facts::{Rank, TargetFacts};
use crate::judge::flags::{Flag, FlagCode};
use crate::load::class::LoadClass;
use crate::load::request::CacheWarmUp;
use crate::record::{Node, Record, Visit};
use crate::units::say::figure;
use crate::units::{Bytes, GIB, MIB, to_f64};

/// A usual disk has up to so much cache of its own (hard disks to 256 or 512 MiB, drives of flash more, but most of that for their tables).
const CACHE_OF_A_DISK: u64 = 256 * MIB;
/// What a controller has, and a part that is too small to stand for a disk.
const SMALL: u64 = GIB;
/// When a visit comes back to every place so often, a cache of that size has answered most of it.
const PASSES: f64 = 2.0;

/// The flags of the run.
pub fn of_run(record: &Record) -> Vec<Flag> {
    if record.header.nodes.first().engine.kind.is_simulated() {
        return Vec::new();
    }
    priority(record).into_iter().chain(small_target(record)).collect()
}

/// Of the node that stands furthest from the usual.
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

/// The least that a visit used, and the most often that it can have come back to a place of it.
struct Use {
    bytes: u64,
    passes: f64,
}

fn small_target(record: &Record) -> Option<Flag> {
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

/// Logs are small by nature, a table is told apart by its server's counters, and memory has a flag of its own.
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
