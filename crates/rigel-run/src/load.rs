//! What the slots of one worker do next during one job: offsets, direction, stream positions.
//!
//! Decides nothing about time; the worker's loop does.

use crate::job::{Job, Task, Workload};
use rigel_core::load::draw::{self, Generator, Stream};
use rigel_core::load::split::Share;
use rigel_core::load::volume::{Place, Volume};
use rigel_core::load::workload::{Class, Direction, LargePattern};
use rigel_core::measure::HungIo;
use rigel_io::backend::{Op, SlotLayout};

/// No moment of a run.
pub const NOT_IN_FLIGHT: u64 = u64::MAX;

/// One outstanding I/O and where its offsets come from.
#[derive(Debug)]
pub struct Slot {
    /// Small or large.
    pub class: Class,
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

/// The slots that one job uses on one worker.
#[derive(Debug)]
pub struct Load<'a> {
    workload: &'a Workload,
    /// By slot of the backend; `None` for a slot that this job leaves idle.
    slots: Vec<Option<Slot>>,
    streams: Vec<Stream>,
}

impl<'a> Load<'a> {
    /// The load of this worker's share of a job.
    pub fn new(workload: &'a Workload, job: &Job, share: &Share, layout: SlotLayout) -> Self {
        let mut load =
            Self { workload, slots: (0..layout.slots()).map(|_| None).collect(), streams: Vec::new() };
        let warm_up = matches!(job.task, Task::WarmUp { .. });
        if !warm_up {
            for (slot, &number) in (0..layout.small).zip(&share.small) {
                let generator = Generator::of_slot(workload.seed, job.visit, Class::Small, number);
                load.occupy(slot, Class::Small, Source::Random(generator));
            }
        }
        let mut large_slots = layout.small..layout.slots();
        match workload.large_pattern {
            LargePattern::Sequential { ios_per_stream } if !warm_up => {
                load.add_streams(job, share, ios_per_stream, &mut large_slots);
            }
            pattern => {
                let per_level = pattern.outstanding(1);
                let numbers =
                    share.large.iter().flat_map(|&n| (0..per_level).map(move |i| n * per_level + i));
                // A warm-up draws its own offsets: it must not touch beforehand what the point will.
                let visit = if warm_up { !job.visit } else { job.visit };
                for (slot, number) in large_slots.zip(numbers) {
                    let generator = Generator::of_slot(workload.seed, visit, Class::Large, number);
                    load.occupy(slot, Class::Large, Source::Random(generator));
                }
            }
        }
        load
    }

    fn add_streams(
        &mut self,
        job: &Job,
        share: &Share,
        ios_per_stream: u32,
        slots: &mut std::ops::Range<u16>,
    ) {
        let Some(volume) = &self.workload.volumes.streams else {
            return;
        };
        let shift = if self.workload.streams_move {
            Generator::of_visit(self.workload.seed, job.visit).below(volume.chunks())
        } else {
            0
        };
        for &number in &share.large {
            let share = self.workload.write_percent;
            let stream = Stream::new(number, job.point.large, volume, share).moved(shift, volume);
            self.streams.push(stream);
            for slot in slots.take(ios_per_stream as usize) {
                self.occupy(slot, Class::Large, Source::Stream(self.streams.len() - 1));
            }
        }
    }

    fn occupy(&mut self, slot: u16, class: Class, source: Source) {
        let len = match class {
            Class::Small => self.workload.small_bytes,
            Class::Large => self.workload.large_bytes,
        };
        let op = Op { slot, target: 0, direction: Direction::Read, offset: 0, len };
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

    /// How many slots of a class are in use.
    pub fn outstanding(&self, class: Class) -> u32 {
        let used = self.slots.iter().flatten().filter(|slot| slot.class == class).count();
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
        let (place, direction) = match &mut slot.source {
            Source::Random(generator) => {
                let place = draw::anywhere(generator, random_volume(workload, slot.class));
                (place, draw::coin(generator, workload.write_percent))
            }
            Source::Stream(index) => {
                let stream = &mut streams[*index];
                let volume = workload.volumes.streams.as_ref().expect("streams were made from it");
                (stream.advance(volume), stream.direction)
            }
        };
        let Place { target, offset } = place;
        slot.op = Op { target, offset, direction, ..slot.op };
        slot.op
    }
}

#[inline]
fn random_volume(workload: &Workload, class: Class) -> &Volume {
    let volume = match class {
        Class::Small => &workload.volumes.small,
        Class::Large => &workload.volumes.large,
    };
    volume.as_ref().expect("a plan with this class has a volume for it")
}
