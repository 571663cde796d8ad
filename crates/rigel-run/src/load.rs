//! What the slots of one worker do next during one job: offsets, direction, stream positions.
//!
//! Decides nothing about time; the worker's loop does.

use crate::job::{Job, Task, Workload};
use rigel_core::load::class::Pattern;
use rigel_core::load::draw::{self, Generator, Stream};
use rigel_core::load::split;
use rigel_core::load::volume::Place;
use rigel_core::load::workload::Direction;
use rigel_core::measure::HungIo;
use rigel_io::backend::{Op, SlotLayout};
use std::ops::Range;

/// No moment of a run.
pub const NOT_IN_FLIGHT: u64 = u64::MAX;

/// One outstanding I/O and where its offsets come from.
#[derive(Debug)]
pub struct Slot {
    /// The place of its class in the load.
    pub class: u8,
    source: Source,
    /// What is in flight, or was last.
    pub op: Op,
    /// When it was submitted; [`NOT_IN_FLIGHT`] once it came back.
    pub started_ns: u64,
}

#[derive(Debug)]
enum Source {
    Random(Generator),
    /// Index into [`Load::streams`].
    Stream(usize),
}

/// The streams of a class that are one worker's.
struct Streams<'a> {
    /// The place of the class.
    place: usize,
    /// How many there are on all workers.
    level: u32,
    /// The numbers of this worker's.
    share: &'a [u32],
    ios_per_stream: u32,
}

/// The slots that one job uses on one worker.
#[derive(Debug)]
pub struct Load<'a> {
    workload: &'a Workload,
    /// By slot of the backend; `None` for a slot that this job leaves idle.
    slots: Vec<Option<Slot>>,
    streams: Vec<Stream>,
}

impl<'a> Load<'a> {
    /// The load of one of `workers`, which has these slots.
    pub fn new(workload: &'a Workload, job: &Job, layout: SlotLayout, worker: u32, workers: u32) -> Self {
        let mut load =
            Self { workload, slots: (0..layout.slots()).map(|_| None).collect(), streams: Vec::new() };
        let warm_up = matches!(job.task, Task::WarmUp { .. });
        // A warm-up is large I/O: the last class.
        let first = if warm_up { workload.classes.len().saturating_sub(1) } else { 0 };
        for (place, class) in workload.classes.iter().enumerate().skip(first) {
            let level = job.point.of(class.name);
            let share = split::share(level, place, worker, workers);
            let mut slots = layout.group(place);
            match class.pattern {
                Pattern::Streams { ios_per_stream } if !warm_up => {
                    let streams = Streams { place, level, share: &share, ios_per_stream };
                    load.add_streams(job, &streams, &mut slots);
                }
                pattern => {
                    let per_level = pattern.outstanding(1);
                    let numbers = share.iter().flat_map(|&n| (0..per_level).map(move |i| n * per_level + i));
                    // A warm-up draws its own offsets: it must not touch beforehand what the point will.
                    let visit = if warm_up { !job.visit } else { job.visit };
                    for (slot, number) in slots.zip(numbers) {
                        let generator = Generator::of_slot(workload.seed, visit, place, number);
                        load.occupy(slot, place, Source::Random(generator));
                    }
                }
            }
        }
        load
    }

    fn add_streams(&mut self, job: &Job, wanted: &Streams<'_>, slots: &mut Range<u16>) {
        let class = &self.workload.classes[wanted.place];
        let Some(volume) = &class.volumes.streams else {
            return;
        };
        let shift = if self.workload.streams_move {
            Generator::of_visit(self.workload.seed, job.visit).below(volume.chunks())
        } else {
            0
        };
        for &number in wanted.share {
            let stream = Stream::new(number, wanted.level, volume, class.write_percent).moved(shift, volume);
            self.streams.push(stream);
            for slot in slots.take(wanted.ios_per_stream as usize) {
                self.occupy(slot, wanted.place, Source::Stream(self.streams.len() - 1));
            }
        }
    }

    fn occupy(&mut self, slot: u16, place: usize, source: Source) {
        let len = self.workload.classes[place].io_bytes;
        let op = Op { slot, target: 0, direction: Direction::Read, offset: 0, len };
        let class = u8::try_from(place).unwrap_or(u8::MAX);
        self.slots[usize::from(slot)] = Some(Slot { class, source, op, started_ns: NOT_IN_FLIGHT });
    }

    /// Every slot in use.
    pub fn all(&self) -> Vec<u16> {
        self.slots.iter().flatten().map(|slot| slot.op.slot).collect()
    }

    /// I/Os that have been in flight for `limit_ns` and longer.
    pub fn overdue(&self, now_ns: u64, limit_ns: u64) -> Option<HungIo> {
        let in_flight = self.slots.iter().flatten().filter(|slot| slot.started_ns != NOT_IN_FLIGHT);
        let aged = in_flight.map(|slot| (now_ns.saturating_sub(slot.started_ns), slot.op));
        let hung = aged.filter(|&(age_ns, _)| age_ns >= limit_ns).map(|(age_ns, op)| HungIo {
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

    /// How many slots of the class at a place are in use.
    pub fn outstanding(&self, place: usize) -> u32 {
        let used = self.slots.iter().flatten().filter(|slot| usize::from(slot.class) == place).count();
        u32::try_from(used).unwrap_or(u32::MAX)
    }

    /// The slot; it must be in use.
    #[inline]
    pub fn slot(&mut self, slot: u16) -> &mut Slot {
        self.slots[usize::from(slot)].as_mut().expect("only slots of this job are submitted")
    }

    /// Draws the next I/O of a slot. Always inlined, because each I/O comes through here.
    #[inline(always)]
    pub fn next(&mut self, slot: u16) -> Op {
        let Self { workload, slots, streams } = self;
        let slot = slots[usize::from(slot)].as_mut().expect("only slots of this job are submitted");
        let class = &workload.classes[usize::from(slot.class)];
        let (place, direction) = match &mut slot.source {
            Source::Random(generator) => {
                let volume = class.volumes.random.as_ref();
                let volume = volume.expect("a plan with this class has a volume for it");
                (draw::anywhere(generator, volume), draw::coin(generator, class.write_percent))
            }
            Source::Stream(index) => {
                let stream = &mut streams[*index];
                let volume = class.volumes.streams.as_ref().expect("streams were made from it");
                (stream.advance(volume), stream.direction)
            }
        };
        let Place { target, offset } = place;
        slot.op = Op { target, offset, direction, ..slot.op };
        slot.op
    }
}
