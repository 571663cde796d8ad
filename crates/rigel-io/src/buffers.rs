//! The buffers of all I/Os.
//!
//! The layout of a buffer in physical memory can change the rate of large I/O several times over. So buffers lie in huge
//! pages where the host has them, and the actual layout is reported. Every buffer starts with its own incompressible
//! data: storage that compresses or deduplicates must not look faster than it is.
//!
//! Must not know which I/Os are in flight; [`crate::slots`] does.

mod arena;
mod layout;
mod physical;

use crate::backend::SlotLayout;
use arena::Arena;
use layout::{Place, to_usize};
use physical::Segments;
use rigel_core::error::Problem;
use rigel_core::facts::engine::{Backing, BufferFacts};
use rigel_core::load::draw::Generator;
use rigel_core::units::{Bytes, to_f64};
use std::ptr::NonNull;

/// The purpose of the generator that fills the buffers.
const PAYLOAD: u64 = 0x7061_796c_6f61_6421;

/// Pages of a database and records of its log are no larger.
const MOST_SMALL_BYTES: u32 = 64 << 10;

/// Normal pages that are not neighbours in physical memory by chance.
const NOT_BY_CHANCE: u32 = 16;

/// The buffer of one slot, as the kernel gets it.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Valid for `bytes` while the [`Buffers`] live, or forever once they are leaked.
    pub(crate) start: NonNull<u8>,
    /// The size of the buffer.
    pub(crate) bytes: u32,
    /// Index of its region in [`Buffers::regions`].
    pub(crate) region: u16,
}

/// The buffers of all slots.
#[derive(Debug)]
pub(crate) struct Buffers {
    memories: Box<[Memory]>,
    arenas: Vec<Arena>,
    facts: BufferFacts,
}

impl Buffers {
    /// Maps and fills the memory. Every worker needs its own seed, or all would write the same data.
    pub(crate) fn new(layout: &SlotLayout, seed: u64) -> Result<Self, Problem> {
        let mut buffers = Self::with(layout, seed, Arena::map)?;
        buffers.facts.backing = backing(&buffers.arenas);
        Ok(buffers)
    }

    /// The same for one of thousands of workers: small ones are in normal pages, and large ones are classified by
    /// their pieces. If the kernel lists the memory of a process, all of it is scanned, once more for each worker.
    pub(crate) fn of_many(layout: &SlotLayout, seed: u64) -> Result<Self, Problem> {
        if layout.longest() <= MOST_SMALL_BYTES {
            return Self::with(layout, seed, Arena::map_pages);
        }
        let mut buffers = Self::with(layout, seed, Arena::map)?;
        let is_explicit = buffers.arenas.iter().all(Arena::explicit);
        buffers.facts.backing = match buffers.facts.large_segments_max {
            Some(1) if is_explicit => Backing::HugeTlb,
            // A few neighbours are found by chance, as on Arm with pages of 64 KiB.
            Some(1) if layout.longest() >= NOT_BY_CHANCE.saturating_mul(page_bytes()) => {
                Backing::TransparentHuge
            }
            _ => Backing::Normal,
        };
        Ok(buffers)
    }

    fn with(
        layout: &SlotLayout,
        seed: u64,
        map: impl Fn(usize) -> std::io::Result<Arena>,
    ) -> Result<Self, Problem> {
        let plan = layout::plan(layout, rustix::param::page_size())?;
        let mut arenas = Vec::with_capacity(plan.arena_bytes.len());
        for (index, bytes) in (0..).zip(&plan.arena_bytes) {
            let mut arena = map(*bytes).map_err(|error| no_memory(&plan.arena_bytes, &error))?;
            // The thread that uses the memory touches it first, so that it lies on the thread's NUMA node.
            Generator::new(seed, &[PAYLOAD, index]).fill(arena.bytes_mut());
            arenas.push(arena);
        }
        let memories: Box<[Memory]> = (0..layout.slots())
            .zip(&plan.places)
            .map(|(slot, place)| memory(&arenas, *place, layout.bytes_of(slot)))
            .collect();
        let facts = facts(&arenas, &large(&memories));
        Ok(Self { memories, arenas, facts })
    }

    /// The kind of memory behind them.
    pub(crate) const fn facts(&self) -> &BufferFacts {
        &self.facts
    }

    /// The memory of a slot that exists.
    #[inline]
    pub(crate) fn memory(&self, slot: u16) -> Memory {
        self.memories[usize::from(slot)]
    }

    /// The large ranges that hold all buffers, for registration with the kernel.
    pub(crate) fn regions(&self) -> impl Iterator<Item = (NonNull<u8>, usize)> {
        self.arenas.iter().map(|arena| (arena.start(), arena.used_bytes()))
    }

    /// The bytes of a slot that exists.
    ///
    /// # Safety
    /// No I/O may be in flight on the slot while the reference lives.
    pub(crate) unsafe fn bytes_mut(&mut self, slot: u16) -> &mut [u8] {
        let memory = self.memory(slot);
        // SAFETY: the range lies in an arena that lives as long as `self`, is readable, writable and filled, and overlaps
        // no other slot's. `&mut self` excludes other references, and the caller excludes the kernel.
        unsafe { std::slice::from_raw_parts_mut(memory.start.as_ptr(), to_usize(memory.bytes)) }
    }

    /// The bytes of a slot that exists, read-only.
    ///
    /// # Safety
    /// As [`Buffers::bytes_mut`].
    pub(crate) unsafe fn bytes(&self, slot: u16) -> &[u8] {
        let memory = self.memory(slot);
        // SAFETY: as in `bytes_mut`; `&self` excludes references that could write.
        unsafe { std::slice::from_raw_parts(memory.start.as_ptr(), to_usize(memory.bytes)) }
    }

    /// Leaks the memory, because I/O may still be in flight.
    pub(crate) fn leak(&mut self) {
        self.arenas.iter_mut().for_each(Arena::leak);
    }
}

/// The buffers whose layout matters, whatever their class: those with more bytes than the smallest ones, or than small
/// I/O has.
fn large(memories: &[Memory]) -> Vec<Memory> {
    let least = memories.iter().map(|memory| memory.bytes).min().unwrap_or(0);
    let is_large = |memory: &&Memory| memory.bytes > least || memory.bytes > MOST_SMALL_BYTES;
    memories.iter().filter(is_large).copied().collect()
}

fn memory(arenas: &[Arena], place: Place, bytes: u32) -> Memory {
    let arena = &arenas[usize::from(place.arena)];
    assert!(place.offset + to_usize(bytes) <= arena.used_bytes(), "a buffer outside its arena");
    // SAFETY: just checked to be inside of the arena.
    let start = unsafe { arena.start().add(place.offset) };
    Memory { start, bytes, region: place.arena }
}

/// A normal page of this host.
fn page_bytes() -> u32 {
    u32::try_from(rustix::param::page_size()).unwrap_or(u32::MAX)
}

/// Facts about the memory, after it was filled; its backing is not checked.
fn facts(arenas: &[Arena], large: &[Memory]) -> BufferFacts {
    let counts = segment_counts(large);
    let sum = counts.iter().flatten().map(|count| u64::from(*count)).sum();
    let known = counts.filter(|counts| !counts.is_empty());
    BufferFacts {
        backing: if arenas.is_empty() { Backing::None } else { Backing::Normal },
        bytes: arenas.iter().map(|arena| arena.used_bytes() as u64).sum(),
        large_segments_max: known.as_ref().and_then(|counts| counts.iter().max().copied()),
        large_segments_mean: known.map(|counts| to_f64(sum) / to_f64(counts.len() as u64)),
    }
}

fn segment_counts(large: &[Memory]) -> Option<Vec<u32>> {
    let segments = Segments::open()?;
    let count = |memory: &Memory| segments.count(memory.start.addr().get(), to_usize(memory.bytes));
    large.iter().map(count).collect()
}

/// The backing counts as huge pages only if all arenas have them.
fn backing(arenas: &[Arena]) -> Backing {
    let (explicit, wished): (Vec<&Arena>, Vec<&Arena>) = arenas.iter().partition(|arena| arena.explicit());
    if wished.is_empty() {
        return if explicit.is_empty() { Backing::None } else { Backing::HugeTlb };
    }
    let starts: Vec<usize> = wished.iter().map(|arena| arena.start().addr().get()).collect();
    let huge = physical::transparent_huge_bytes(&starts);
    let granted = huge.is_some_and(|huge| {
        huge.iter().zip(&wished).all(|(bytes, arena)| *bytes == arena.mapped_bytes() as u64)
    });
    if granted { Backing::TransparentHuge } else { Backing::Normal }
}

fn no_memory(arena_bytes: &[usize], error: &std::io::Error) -> Problem {
    let bytes = arena_bytes.iter().map(|bytes| *bytes as u64).sum();
    Problem::refused(format!("no memory for {} of I/O buffers", Bytes(bytes)))
        .because(error.to_string())
        .next("lower the number of outstanding I/Os or their size, or free memory")
}

#[cfg(test)]
mod tests;
