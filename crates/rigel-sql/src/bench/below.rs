//! What lies below the table: its files, the devices that hold them, and the page cache in between.
//!
//! Must not ask the server.

use super::blocks_each;
use crate::counters::of_disks;
use crate::evict::{Evictor, opened, segments};
use crate::series::SessionWork;
use crate::server::{Server, ServerFacts};
use crate::session::SessionsState;
use crate::table::Table;
use rigel_core::error::Problem;
use rigel_core::facts::{TargetFacts, TargetKind};
use rigel_core::load::class::LoadClass;
use rigel_core::load::request::Request;
use rigel_core::units::KIB;
use rigel_io::targets::inspect::target_facts;
use rigel_io::witness::counting_devices;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The most look-ups of a statement whose pages are kept.
const FEW_LOOK_UPS: u64 = 8;

/// The facts of the table as a target: those of its first file, if the server reported it.
///
/// # Errors
/// When the file cannot be examined.
pub fn target(server: &dyn Server, table: &Table) -> Result<TargetFacts, Problem> {
    let plain = TargetFacts {
        path: table.name.to_owned(),
        real_path: server.place().shown().to_owned(),
        kind: TargetKind::Table,
        size_bytes: table.size_bytes(),
        logical_block_bytes: 512,
        is_logged: Some(table.is_logged),
        ..TargetFacts::default()
    };
    let Some(file) = &table.file else { return Ok(plain) };
    let found = target_facts(file)?;
    let TargetFacts { path, kind, size_bytes, is_logged, .. } = plain;
    Ok(TargetFacts { path, kind, size_bytes, is_logged, allocated_bytes: None, extents: None, ..found })
}

/// The facts of all files of the table; none if this process cannot read them.
///
/// # Errors
/// When a file exists and cannot be examined.
pub fn files(table: &Table) -> Result<Vec<TargetFacts>, Problem> {
    let Some(first) = &table.file else { return Ok(Vec::new()) };
    let all = segments(first);
    if !all.iter().all(|file| opened(file).is_some()) {
        return Ok(Vec::new());
    }
    let mut found: Vec<TargetFacts> = all.iter().map(|file| target_facts(file)).collect::<Result<_, _>>()?;
    // A server makes files longer than it needs, and what it never wrote is read without the device.
    let mut left = table.size_bytes();
    for file in &mut found {
        cut(file, left);
        left -= file.size_bytes;
    }
    Ok(if found.iter().all(|file| file.kind == TargetKind::File) { found } else { Vec::new() })
}

/// Leaves the end of a file out, which a server made and wrote nothing to.
fn cut(file: &mut TargetFacts, size_bytes: u64) {
    let end = file.size_bytes.saturating_sub(size_bytes);
    file.size_bytes -= end;
    if let Some(extents) = &mut file.extents {
        // What has no data is at the end.
        let mut left = end;
        for bytes in [&mut extents.unwritten_bytes, &mut extents.hole_bytes, &mut extents.written_bytes] {
            let out = left.min(*bytes);
            *bytes -= out;
            left -= out;
        }
    }
}

/// What the kernel may have read ahead of a session that reads a file here: the window in use, and the next one.
pub fn ahead_bytes(target: &TargetFacts) -> u64 {
    const USUAL_KIB: u64 = 128;
    let window = target.device.as_ref().and_then(|device| device.read_ahead_kb);
    2 * KIB * window.map_or(USUAL_KIB, u64::from)
}

/// The same in blocks, if the server uses the page cache.
pub(super) fn ahead_blocks(facts: &ServerFacts, targets: &[TargetFacts]) -> u32 {
    let bytes = targets.iter().filter(|_| !facts.direct).map(ahead_bytes).max();
    u32::try_from(bytes.unwrap_or(0) / facts.block_bytes).unwrap_or(u32::MAX)
}

/// If the server reads through the page cache of this host. What the sessions of several nodes have read, only the device knows; and what the
/// kernel has read ahead of reports of other nodes, nobody, so the part of the table that reports read stays alone while they do.
pub(super) fn evictor(
    facts: &ServerFacts,
    table: &Table,
    (request, shared): (&Request, &Arc<SessionsState>),
    (nodes, devices): (u32, Vec<(u32, u32)>),
) -> Option<Evictor> {
    let reads = request.classes.iter().any(|class| !class.write_percent.writes());
    let file = table.file.as_ref().filter(|_| reads && !facts.direct)?;
    let block_bytes = facts.block_bytes;
    let blocks_of = |class: &LoadClass| (class.name, u64::from(blocks_each(class, block_bytes)).max(1));
    let blocks: Vec<_> = request.classes.iter().map(blocks_of).collect();
    let of_read = Arc::clone(shared);
    let read = move || {
        let of_device = if nodes > 1 { of_disks(&devices) } else { None };
        if let Some(device) = of_device {
            return device.bytes / block_bytes;
        }
        let done = |class| of_read.done.get(class).map_or(0, |done| done.load(Ordering::Relaxed));
        blocks.iter().map(|(class, blocks)| done(class) * blocks * u64::from(nodes)).sum()
    };
    let of_needed = Arc::clone(shared);
    let [_, reported] = request.table_parts(table.blocks);
    let kept =
        (nodes > 1).then(|| [reported.start, reported.end].map(|block| u64::from(block) * block_bytes));
    let needed = move || {
        let kept = kept.map(|[start, end]| start..end).filter(|part| !part.is_empty());
        needed(&of_needed, block_bytes).into_iter().chain(kept).collect()
    };
    Evictor::start(file, table.blocks, read, needed)
}

/// The pages that running statements are about to use. If they were dropped while a session waits for a CPU, the kernel would fetch them twice.
fn needed(shared: &SessionsState, block_bytes: u64) -> Vec<Range<u64>> {
    let reports = shared.reporting.iter().map(SessionWork::get).filter(|blocks| !blocks.is_empty());
    // Of many in a statement only one is read at a time, and putting pages out in so many pieces costs more than that one.
    let few = |places: &Range<u64>| places.end - places.start <= FEW_LOOK_UPS;
    let look_ups = shared.looking_up.iter().map(SessionWork::get).filter(few);
    let look_ups = look_ups.flat_map(|places| shared.series.blocks(places)).map(u64::from);
    let all = reports.chain(look_ups.map(|block| block..block + 1));
    all.map(|blocks| blocks.start * block_bytes..blocks.end * block_bytes).collect()
}

/// The devices that hold the table, when its files are on this host.
pub(super) fn devices(targets: &[TargetFacts], is_here: bool) -> Vec<(u32, u32)> {
    let numbers: Vec<(u32, u32)> = targets.iter().map(|target| target.identity.device).collect();
    // A major number of 0 is a filesystem's without a device.
    let has_device = is_here && numbers.iter().all(|number| number.0 != 0);
    Some(numbers)
        .filter(|_| has_device)
        .and_then(|numbers| counting_devices(Path::new("/"), &numbers))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigel_core::facts::ExtentFacts;

    #[test]
    fn the_end_that_a_server_never_wrote_is_left_out() {
        let extents =
            ExtentFacts { written_bytes: 81, unwritten_bytes: 12, hole_bytes: 7, ..ExtentFacts::default() };
        let file = TargetFacts { size_bytes: 100, extents: Some(extents), ..TargetFacts::default() };
        let left = |size_bytes| {
            let mut file = file.clone();
            cut(&mut file, size_bytes);
            let extents = file.extents.unwrap();
            assert_eq!(extents.looked_bytes(), file.size_bytes);
            (file.size_bytes, extents.unwritten_bytes, extents.hole_bytes)
        };
        assert_eq!((left(100), left(200)), ((100, 12, 7), (100, 12, 7)), "nothing is left out");
        assert_eq!((left(90), left(85), left(50)), ((90, 2, 7), (85, 0, 4), (50, 0, 0)));
    }
}
