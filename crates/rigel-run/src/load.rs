//! What the slots of one worker do next during one job: offsets, direction, stream positions.
//!
//! Decides nothing about time; the worker's loop does.

use crate::job::{BlockClass, Job, Task, Workload};
use rigel_core::load::class::{Pattern, Sync};
use rigel_core::load::draw::{self, Generator, Stream};
use rigel_core::load::volume::{Place, SizedVolumes, Volume};
use rigel_core::load::workload::{Direction, WritePercent};
use rigel_core::measure::HungIo;
use rigel_io::backend::{Op, SlotLayout};
use std::ops::Range;

/// No moment of a run.
pub const NOT_IN_FLIGHT: u64 = u64::MAX;

/// One outstanding I/O and the source of its offsets.
#[derive(Debug)]
pub struct Slot<'a> {
    /// The place of its class in the load.
    pub class: u8,
    source: Source<'a>,
    /// The number of its stream; 0 of random I/O.
    pub reader: u16,
    /// The current I/O, or the last one.
    pub op: Op,
    /// When it was submitted; [`NOT_IN_FLIGHT`] once it has completed.
    pub started_ns: u64,
}

#[derive(Debug)]
enum Source<'a> {
    /// Anywhere in the volume, with that share of writes.
    Random(Generator, &'a Volume, WritePercent),
    /// Index into [`Load::streams`].
    Stream(usize),
}

/// A stream to follow, and its number among those of its class.
struct Walk<'a> {
    stream: Stream,
    volume: &'a Volume,
    number: u32,
}

/// A lane of a stream, of this many dealt out; where levels count targets, a stream is on one of them.
fn walk<'a>(
    (workload, job): (&Workload, &Job),
    (class, volume): (&'a BlockClass, &'a Volume),
    dealt: u32,
    number: u32,
) -> Walk<'a> {
    let (asked, lanes) = (job.point.of(class.name), workload.lanes(class));
    let streams = dealt / lanes;
    let (volume, index, streams) = match class.volumes.own(asked, number / lanes) {
        Some((own, index)) => (own, index, streams / asked),
        None => (volume, number / lanes, streams),
    };
    let whole = Stream::new(index, streams, volume, class.write_percent);
    let stream = whole.moved(workload.shift(job.visit, volume)).lane(number % lanes, lanes);
    Walk { stream, volume, number: number / lanes }
}

/// The slots that one job uses on one worker.
#[derive(Debug)]
pub struct Load<'a> {
    /// By slot of the backend; `None` for a slot that this job leaves idle.
    slots: Vec<Option<Slot<'a>>>,
    streams: Vec<(Stream, &'a Volume)>,
    /// By index: the classes whose I/Os have several sizes.
    sized: Vec<Option<&'a SizedVolumes>>,
}

impl<'a> Load<'a> {
    /// The load of one of `workers`, which has these slots.
    pub fn new(workload: &'a Workload, job: &Job, layout: SlotLayout, worker: u32, workers: u32) -> Self {
        let mut load = Self {
            slots: (0..layout.slots()).map(|_| None).collect(),
            streams: Vec::new(),
            sized: workload.classes.iter().map(|class| class.volumes.sized.as_ref()).collect(),
        };
        let warm_up = matches!(job.task, Task::WarmUp { .. });
        for (place, class) in workload.classes.iter().enumerate() {
            if warm_up && place != workload.warmed_up(job.point) {
                continue;
            }
            let Some((worker, workers)) = workload.seat(place, worker, workers) else { continue };
            let asked = job.point.of(class.name);
            let lanes = workload.lanes(class);
            let level = class.dealt(asked).saturating_mul(lanes);
            let (streams, random) = class.volumes.at(if warm_up { 0 } else { asked });
            let share = workload.team.share(level, place, worker, workers);
            let slots = layout.group(place);
            match (class.pattern, streams, random) {
                (Pattern::Streams { .. }, Some(volume), _) if !warm_up => {
                    let each = class.ios_each() / lanes;
                    let stream = |&number: &u32| walk((workload, job), (class, volume), level, number);
                    let streams = share.iter().map(stream).collect();
                    load.add_streams(place, class, (streams, each), slots);
                }
                (Pattern::Random | Pattern::Streams { .. }, _, Some(volume)) => {
                    let per_level = class.ios_each() / lanes;
                    let numbers = share.iter().flat_map(|&n| (0..per_level).map(move |i| n * per_level + i));
                    // A warm-up draws its own offsets: it must not touch beforehand what the point will.
                    let visit = if warm_up { !job.visit } else { job.visit };
                    for (slot, number) in slots.zip(numbers) {
                        let generator = Generator::of_slot(workload.seed, visit, place, number);
                        let own = if warm_up { None } else { class.volumes.own(asked, number) };
                        let volume = own.map_or(volume, |(own, _)| own);
                        load.occupy(
                            slot,
                            place,
                            (class, 0),
                            Source::Random(generator, volume, class.write_percent),
                        );
                    }
                }
                (Pattern::Log, ..) => {
                    let Some(regions) = &class.volumes.log else { continue };
                    let (streams, each) = if warm_up {
                        // All slots of a worker share one walk, so that the workers of all nodes go over all of it once.
                        let number = workload.team.mover(level, place, worker, workers);
                        let walk =
                            number.map(|n| regions.walk(n, workload.team.movers(level, place, workers)));
                        (walk.into_iter().collect(), u32::try_from(share.len()).unwrap_or(u32::MAX))
                    } else {
                        let generator = |n| Generator::of_slot(workload.seed, job.visit, place, n);
                        (share.iter().map(|&n| regions.writer(n, &mut generator(n))).collect::<Vec<_>>(), 1)
                    };
                    let walk = |stream| Walk { stream, volume: &regions.volume, number: 0 };
                    let streams = streams.into_iter().map(walk).collect();
                    load.add_streams(place, class, (streams, each), slots);
                }
                // Refused before, or a class that the plan leaves idle.
                (Pattern::Random | Pattern::Streams { .. } | Pattern::Sessions, ..) => {}
            }
        }
        if warm_up {
            // Nobody waits for it.
            load.slots.iter_mut().flatten().for_each(|slot| slot.op.sync = Sync::None);
        }
        load
    }

    /// Streams of a class, each with this many I/Os outstanding.
    fn add_streams(
        &mut self,
        place: usize,
        class: &BlockClass,
        (streams, ios_per_stream): (Vec<Walk<'a>>, u32),
        mut slots: Range<u16>,
    ) {
        for Walk { stream, volume, number } in streams {
            self.streams.push((stream, volume));
            let reader = u16::try_from(number).unwrap_or(u16::MAX);
            for slot in slots.by_ref().take(ios_per_stream as usize) {
                self.occupy(slot, place, (class, reader), Source::Stream(self.streams.len() - 1));
            }
        }
    }

    fn occupy(&mut self, slot: u16, place: usize, (of, reader): (&BlockClass, u16), source: Source<'a>) {
        let op =
            Op { slot, target: 0, direction: Direction::Read, offset: 0, len: of.io_bytes, sync: of.sync };
        let class = u8::try_from(place).unwrap_or(u8::MAX);
        debug_assert!(self.slots[usize::from(slot)].is_none(), "two classes of a point in one slot");
        self.slots[usize::from(slot)] = Some(Slot { class, source, reader, op, started_ns: NOT_IN_FLIGHT });
    }

    /// Every slot in use.
    pub fn all(&self) -> Vec<u16> {
        self.slots.iter().flatten().map(|slot| slot.op.slot).collect()
    }

    /// The slots in use of the class at a place.
    pub fn slots_of(&self, place: usize) -> impl Iterator<Item = u16> + '_ {
        let own = self.slots.iter().flatten().filter(move |slot| usize::from(slot.class) == place);
        own.map(|slot| slot.op.slot)
    }

    /// I/Os that have been in flight, and watched, for at least `limit_ns`: checks have not been interrupted since `watched_ns`.
    pub fn overdue(&self, now_ns: u64, watched_ns: u64, limit_ns: u64) -> Option<HungIo> {
        let in_flight = self.slots.iter().flatten().filter(|slot| slot.started_ns != NOT_IN_FLIGHT);
        let hangs = |slot: &&Slot| now_ns.saturating_sub(slot.started_ns.max(watched_ns)) >= limit_ns;
        let aged = in_flight.filter(hangs).map(|slot| (now_ns.saturating_sub(slot.started_ns), slot.op));
        let hung = aged.map(|(age_ns, op)| HungIo {
            target: op.target,
            offset: op.offset,
            direction: op.direction,
            age_ns,
            count: 1,
            taken_back: true,
        });
        hung.reduce(HungIo::with)
    }

    /// I/Os in flight, counted slot by slot.
    pub fn in_flight(&self) -> u64 {
        self.slots.iter().flatten().filter(|slot| slot.started_ns != NOT_IN_FLIGHT).count() as u64
    }

    /// The number of slots in use by the class at a place.
    pub fn outstanding(&self, place: usize) -> u32 {
        let used = self.slots.iter().flatten().filter(|slot| usize::from(slot.class) == place).count();
        u32::try_from(used).unwrap_or(u32::MAX)
    }

    /// The slot; it must be in use.
    #[inline]
    pub fn slot(&mut self, slot: u16) -> &mut Slot<'a> {
        self.slots[usize::from(slot)].as_mut().expect("only slots of this job are submitted")
    }

    /// Gives a slot of random I/O the generator of its next I/O, if the arrival and not the slot decides what is done.
    #[inline]
    pub fn draw_from(&mut self, slot: u16, generator: Generator) {
        if let Source::Random(own, ..) = &mut self.slot(slot).source {
            *own = generator;
        }
    }

    /// Moves a slot of a stream to the place of its next I/O, if the arrival and not the slot decides which stream continues.
    #[inline]
    pub fn walk_from(&mut self, slot: u16, stream: Stream) {
        if let Source::Stream(index) = self.slot(slot).source {
            self.streams[index].0 = stream;
        }
    }

    /// The next I/O of a slot of random I/O, if its position is given.
    #[inline]
    pub fn place_by(
        &mut self,
        slot: u16,
        choose: impl FnOnce(&mut Generator, &Volume, WritePercent) -> (Place, Direction),
    ) -> Op {
        let slot = self.slot(slot);
        if let Source::Random(generator, volume, share) = &mut slot.source {
            let (Place { target, offset }, direction) = choose(generator, volume, *share);
            slot.op = Op { target, offset, direction, ..slot.op };
        }
        slot.op
    }

    /// Draws the next I/O of a slot; `MIXED` where classes may have several sizes. Always inlined, because each I/O comes
    /// through here.
    #[inline(always)]
    pub fn next<const MIXED: bool>(&mut self, slot: u16) -> Op {
        let Self { slots, streams, sized } = self;
        let slot = slots[usize::from(slot)].as_mut().expect("only slots of this job are submitted");
        let (place, direction) = match &mut slot.source {
            Source::Random(generator, volume, share) => {
                let mut volume = *volume;
                if MIXED && let Some(sizes) = sized[usize::from(slot.class)] {
                    (slot.op.len, volume) = sizes.at_share(generator.below(100));
                }
                (draw::anywhere(generator, volume), draw::coin(generator, *share))
            }
            Source::Stream(index) => {
                let (stream, volume) = &mut streams[*index];
                (stream.advance(volume), stream.direction)
            }
        };
        let Place { target, offset } = place;
        slot.op = Op { target, offset, direction, ..slot.op };
        slot.op
    }
}
