//! What a plan has outstanding at most, and whether the buffers of it fit into the memory of the host.
//!
//! Must not know what else needs memory; [`HostFacts::buffer_room_bytes`] does.

use crate::error::Problem;
use crate::facts::engine::EngineKind;
use crate::facts::{HostFacts, MemoryLimit, OWN_MEMORY_BYTES};
use crate::load::class::{LoadClass, MAX_OUTSTANDING, PerClass};
use crate::load::matrix::Point;
use crate::load::request::{EngineRequest, Request};
use crate::load::sides::Side;
use crate::load::split::{self, Room};
use crate::load::team::Team;
use crate::units::Bytes;

/// Memory of a worker besides its I/O buffers: the histograms of a class.
pub(super) const WORKER_BYTES: u64 = 128 << 10;

/// The workers of each class if each outstanding I/O has one: classes that are never loaded together share theirs.
pub(super) fn rooms(classes: &[LoadClass], most: &PerClass<u32>, points: &[Point], team: &Team) -> Vec<Room> {
    let needed = |class: &LoadClass| team.most_of(most.get(&class.name).copied().unwrap_or(0));
    let needed: Vec<u32> = classes.iter().map(needed).collect();
    let has = |point: &Point, place: usize| classes.get(place).is_some_and(|class| point.of(class.name) > 0);
    split::rooms(&needed, |one, other| points.iter().any(|point| has(point, one) && has(point, other)))
}

/// The slots of classes with that engine, and the memory of their buffers and workers.
pub(super) fn bytes(
    classes: &[LoadClass],
    engine: EngineKind,
    most: &PerClass<u32>,
    points: &[Point],
) -> (u64, u64) {
    let own = |class: &LoadClass| u64::from(most.get(&class.name).copied().unwrap_or(0));
    if engine == EngineKind::Sync {
        let rooms = rooms(classes, most, points, &Team::default());
        return (split::workers_in(&rooms).into(), bytes_of_workers(classes, &rooms));
    }
    let block_io = classes.iter().filter(|class| class.is_block_io());
    let bytes = block_io.map(|class| own(class).saturating_mul(class.io_bytes()));
    (classes.iter().map(own).fold(0, u64::saturating_add), bytes.fold(0, u64::saturating_add))
}

/// A worker has one buffer for all of its classes.
fn bytes_of_workers(classes: &[LoadClass], rooms: &[Room]) -> u64 {
    let mut ends: Vec<u32> = rooms.iter().flat_map(|room| [room.first, room.end()]).collect();
    ends.sort_unstable();
    let part = |ends: &[u32]| {
        let &[from, to] = ends else { return 0 };
        let own = classes.iter().zip(rooms).filter(|(_, room)| room.first <= from && from < room.end());
        let buffer = own.map(|(class, _)| class.io_bytes()).max().unwrap_or(0);
        u64::from(to - from).saturating_mul(buffer.saturating_add(WORKER_BYTES))
    };
    ends.windows(2).map(part).fold(0, u64::saturating_add)
}

/// Memory of the workers of a request, if each outstanding I/O has one.
pub(super) fn bytes_beside_buffer(request: &Request) -> u64 {
    if request.engine == EngineRequest::Only(EngineKind::Sync) { WORKER_BYTES } else { 0 }
}

/// Outstanding I/Os of each class, and the memory of their buffers; refused if the host cannot hold them in addition to
/// everything else.
pub(super) fn check(
    request: &Request,
    host: &HostFacts,
    room: Point,
    points: &[Point],
) -> Result<(PerClass<u32>, u64), Problem> {
    let own = |class: &LoadClass| (class.name, class.outstanding(room.of(class.name)));
    let most: PerClass<u32> = request.classes.iter().map(own).collect();
    let sides = match request.sides {
        None => vec![request.clone()],
        // Each has workers of its own.
        Some(_) => Side::BOTH.map(|side| request.alone(side)).into(),
    };
    let of = |part: &Request, engine| bytes(&part.classes, engine, &most, points);
    let sum = |(slots, bytes): (u64, u64), (more, needed)| {
        (slots.saturating_add(more), bytes.saturating_add(needed))
    };
    let kind = |part: &Request| match part.engine {
        EngineRequest::Only(kind) => kind,
        EngineRequest::Auto | EngineRequest::Sim(_) => EngineKind::IoUring,
    };
    let (outstanding, needed) = sides.iter().map(|part| of(part, kind(part))).fold((0, 0), sum);
    if outstanding > u64::from(MAX_OUTSTANDING) {
        return Err(too_many_outstanding(outstanding));
    }
    match (host.memory_room(), host.buffer_room_bytes()) {
        (Some(room), Some(fits)) if needed > fits && !request.engine.is_simulated() => {
            let has_workers = sides.iter().any(|part| kind(part) == EngineKind::Sync);
            let (_, alone) = sides.iter().map(|part| of(part, EngineKind::IoUring)).fold((0, 0), sum);
            let otherwise = (has_workers && alone <= fits).then_some(alone);
            let what = if has_workers { "buffers and workers (engine sync)" } else { "buffers" };
            Err(no_memory(host, room, (what, outstanding, needed), otherwise))
        }
        _ => Ok((most, needed)),
    }
}

fn too_many_outstanding(outstanding: u64) -> Problem {
    Problem::usage(format!("{outstanding} outstanding I/Os is too many"))
        .because("the counts, or the number of disks that they are derived from, are very large")
        .next(format!("ask for at most {MAX_OUTSTANDING} in one point"))
}

/// Says what limits the memory, and how much of it Rigel may use ([`HostFacts::buffer_room_bytes`]). `otherwise`: engines that need less.
fn no_memory(
    host: &HostFacts,
    (memory, limit): (u64, MemoryLimit),
    (what, outstanding, needed): (&str, u64, u64),
    otherwise: Option<u64>,
) -> Problem {
    let other = otherwise.map_or_else(String::new, |bytes| {
        format!("--engine io_uring or libaio, which need {}, or ", Bytes(bytes))
    });
    let fewer = format!("use {other}fewer outstanding I/Os, fewer disks or smaller I/Os");
    let rule = if memory < 2 * OWN_MEMORY_BYTES {
        format!("Rigel itself needs {}", Bytes(OWN_MEMORY_BYTES))
    } else {
        "Rigel uses at most half of it".to_owned()
    };
    let memory = Bytes(memory);
    let (because, next) = match limit {
        MemoryLimit::Host => (format!("the host has {memory} of memory"), fewer),
        MemoryLimit::Cgroup => (
            format!(
                "the control group of this process is limited to {}, of which {memory} are left",
                Bytes(host.cgroup.memory_max_bytes.unwrap_or(0))
            ),
            format!(
                "{fewer}, or raise the limit (MemoryMax= of the service, the memory limit of the container)"
            ),
        ),
        MemoryLimit::AddressSpace => (
            format!("the limit on the address space of this process leaves {memory}"),
            format!("{fewer}, or raise the limit (ulimit -v)"),
        ),
    };
    Problem::refused(format!("the {what} of {outstanding} outstanding I/Os need {}", Bytes(needed)))
        .because(format!("{because}, and {rule}"))
        .next(next)
}
