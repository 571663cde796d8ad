//! Which acknowledged writes are gone: each block compared with what its place must hold, and the blocks of a place together.
//!
//! A write is certain if the witness has its acknowledgement, or if a later one of the same writer began. One write of each writer, or two as far
//! as the witness knows, may have been in flight: their places may hold old data, new data or parts of both, and a damaged or unreadable block is
//! not a fault there. Everything else has to be there. Must not guess what the storage did.

use super::acks::Acks;
use super::found::{DurabilityFindings, Kind, Loss};
use super::rings::BLOCK_BYTES;
use super::traces::Traces;
use rigel_core::load::volume::Place;
use rigel_core::verify::{Diagnosis, Excerpt, Fault, GenerationRange, check, unreadable};

#[derive(Clone, Copy, Debug)]
struct WriterKnowledge {
    /// All writes below were acknowledged.
    sure: u64,
    /// No write from this one on began.
    begun: u64,
    /// One above the last write that is there.
    there: u64,
    /// All writes below were acknowledged to the witness.
    told: u64,
}

/// The place whose blocks are coming.
#[derive(Clone, Copy, Debug)]
struct Current {
    offset: u64,
    /// Its writer, and its number in the writer's order; `None` for the label.
    owner: Option<(u16, u64)>,
    expected: GenerationRange,
    blocks: u64,
    wrong: u64,
    worst: Option<(Kind, u64, Diagnosis)>,
    excused: bool,
}

/// A check that continues.
#[derive(Debug)]
pub struct Judge<'a> {
    acks: &'a Acks,
    known: Vec<WriterKnowledge>,
    current: Option<Current>,
    /// A block contains a write that was not there at the first reading.
    changed: bool,
    found: DurabilityFindings,
}

impl<'a> Judge<'a> {
    /// From what the witness and the target say.
    pub fn new(acks: &'a Acks, traces: &Traces) -> Self {
        let known = |writer| {
            let (told, began) = (acks.of(writer), traces.begun(writer));
            // The last one that left a trace may have been in flight, or it was acknowledged and the next one was.
            let sure = told.max(began.saturating_sub(1));
            let begun = told.max(began).saturating_add(u64::from(!acks.is_ended()));
            WriterKnowledge { sure, begun, there: traces.there(writer), told }
        };
        let known: Vec<WriterKnowledge> = (0..acks.head().shape.writers).map(known).collect();
        let unwitnessed = known.iter().map(|known| known.sure - known.told).fold(0, u64::saturating_add);
        let found =
            DurabilityFindings { acknowledged: acks.count(), unwitnessed, ..DurabilityFindings::default() };
        Self { acks, known, current: None, changed: false, found }
    }

    /// The next block of 4 KiB of a place, or why it cannot be read: the error number. The blocks of a place come in order, one
    /// after the other; the places come in any.
    pub fn block(&mut self, offset: u64, read: Result<&[u8], i32>) {
        let block_bytes = self.acks.head().shape.block_bytes;
        if offset.is_multiple_of(block_bytes) {
            self.end_place();
            self.begin_place(offset);
        }
        let Some(current) = &mut self.current else { return };
        current.blocks += 1;
        let (seed, place) = (self.acks.head().seed, Place { target: 0, offset });
        let expected = current.expected;
        let checked = match read {
            Ok(bytes) => check(seed, place, expected, bytes),
            // What was never written may be unreadable for another reason.
            Err(_) if expected.newest == 0 => Ok(()),
            Err(errno) => Err(unreadable(seed, place, expected, errno)),
        };
        let Err(seen) = checked else { return };
        self.changed |= matches!(seen.fault, Fault::Ahead { .. });
        let kind = Kind::of(seen.fault);
        if expected.is_open() && matches!(kind, Kind::Corrupt | Kind::Unreadable) {
            current.excused = true;
            return;
        }
        current.wrong += 1;
        if current.worst.is_none_or(|(worst, ..)| worst < kind) {
            current.worst = Some((kind, offset, seen));
        }
    }

    fn begin_place(&mut self, offset: u64) {
        let rings = self.acks.rings();
        let owner = rings.owner(offset);
        let expected = match owner {
            Some((writer, position)) => {
                let WriterKnowledge { sure, begun, .. } = self.known[usize::from(writer)];
                rings.expected(writer, position, sure, begun)
            }
            None if offset == 0 => GenerationRange::only(1),
            None => return,
        };
        self.current =
            Some(Current { offset, owner, expected, blocks: 0, wrong: 0, worst: None, excused: false });
    }

    fn end_place(&mut self) {
        let Some(current) = self.current.take() else { return };
        let acknowledged = current.expected.oldest > 0;
        self.found.judged += u64::from(acknowledged);
        self.found.in_flight += u64::from(current.expected.is_open());
        self.found.in_flight_damaged += u64::from(current.excused);
        match current.worst {
            None => self.found.kept += u64::from(acknowledged),
            Some((kind, block, seen)) => {
                let loss = self.loss(&current, kind, block, &seen);
                self.found.add(loss);
            }
        }
    }

    fn loss(&self, current: &Current, kind: Kind, block: u64, seen: &Diagnosis) -> Loss {
        // Of a write of several blocks a part is there.
        let kind = if kind == Kind::Lost && current.wrong < current.blocks { Kind::Torn } else { kind };
        let generation = current.expected.oldest;
        let owner = current.owner.filter(|_| generation > 0);
        let first_gone = match seen.fault {
            Fault::Stale { generation, .. } | Fault::Torn { older: generation, .. } => generation + 1,
            // Of the others it is not known when it was there last.
            _ => generation,
        };
        let numbers = owner.map(|(writer, position)| {
            let number = |generation| self.acks.rings().number(writer, position, generation);
            (self.known[usize::from(writer)], number(first_gone.min(generation)), number(generation))
        });
        Loss {
            kind,
            writer: owner.map(|(writer, _)| writer),
            offset: current.offset,
            generation,
            witnessed: numbers.is_none_or(|(known, _, last)| last < known.told),
            reordered: matches!(kind, Kind::Lost | Kind::Torn)
                && numbers.is_some_and(|(known, first, _)| first.saturating_add(1) < known.there),
            writes_ago: numbers.map_or(0, |(known, first, _)| known.sure.saturating_sub(first)),
            block,
            fault: seen.fault,
            sectors: seen.sectors,
            excerpt_at: seen.at,
            found_hex: Excerpt(seen.found),
            expected_hex: Excerpt(seen.expected),
        }
    }

    /// The findings; `None` if a write came between the two readings.
    pub fn done(mut self) -> Option<DurabilityFindings> {
        self.end_place();
        (!self.changed).then_some(self.found)
    }
}

/// Blocks of 4 KiB are what is judged.
const _: () = assert!(BLOCK_BYTES == 4096, "the documents say so");
