//! What a block is, compared with what it should be. Must not know when it was read, or by whom.

use super::block::{self, BLOCK_BYTES, Head, SECTOR_BYTES, SECTORS};
use super::expected::GenerationRange;
use crate::guard::scratch;
use crate::load::volume::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes that are stored of what was found, and of what was expected.
pub const EXCERPT_BYTES: usize = 32;
/// Of the 4,096 bits of a sector: if more differ, the sector is unrelated to what was expected. Of random ones 2,048 differ.
const MOST_ALIKE_BITS: u32 = 1024;
/// Most recent writes that a damaged block is compared with.
const MOST_NEAR: u64 = 3;
/// Oldest writes that it is compared with, if there are more.
const MOST_FAR: usize = 4;

/// A fault of the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// The right write, with changed bits.
    Corrupt {
        /// The number of changed bits.
        bits: u32,
        /// The first of them in the block: bit 0 of byte 0 is 0.
        first_bit: u32,
        /// The last of them.
        last_bit: u32,
    },
    /// Sectors of two different writes to the position.
    Torn {
        /// The older write; 0 is the contents before the first.
        older: u64,
        /// The newer write.
        newer: u64,
    },
    /// It belongs elsewhere.
    Misdirected {
        /// To the target with this number in the run.
        from_target: u16,
        /// The offset there.
        from_offset: u64,
        /// The write to that position.
        generation: u64,
    },
    /// An older write to the position: the newer one was lost, or the read is stale.
    Stale {
        /// The write found; 0 is the fill.
        generation: u64,
        /// How many writes ago it was certainly overwritten.
        age: u64,
    },
    /// A write that, according to the record, has not happened yet.
    Ahead {
        /// The write found.
        generation: u64,
    },
    /// Zeros.
    Zeroed,
    /// From another run, or not written by Rigel.
    Foreign {
        /// The seed of that run.
        seed: Option<u64>,
    },
    /// The read failed.
    Unreadable {
        /// The kernel's error number; 0 for fewer bytes than requested.
        errno: i32,
    },
}

/// A fault of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// What it is.
    pub fault: Fault,
    /// The sectors that are wrong: bit 0 is the first.
    pub sectors: u8,
    /// Offset within the block at which the excerpts begin.
    pub at: u16,
    /// The bytes found.
    pub found: [u8; EXCERPT_BYTES],
    /// The bytes expected; of two possible writes those of the closer one.
    pub expected: [u8; EXCERPT_BYTES],
}

/// Compares the block at a position with the generations that it may have.
///
/// # Errors
/// The fault.
#[inline]
pub fn check(seed: u64, place: Place, expected: GenerationRange, block: &[u8]) -> Result<(), Diagnosis> {
    match block::whole(seed, place, block) {
        Some(generation) if expected.admits(generation) => Ok(()),
        _ => diagnose(seed, place, expected, block),
    }
}

/// The diagnosis of an unreadable block.
pub fn unreadable(seed: u64, place: Place, expected: GenerationRange, errno: i32) -> Diagnosis {
    let mut wanted = [0; BLOCK_BYTES];
    block::fill(seed, place, expected.newest, &mut wanted);
    Diagnosis { sectors: u8::MAX, ..excerpt(Fault::Unreadable { errno }, &[0; BLOCK_BYTES], &wanted) }
}

/// The condition of a sector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sector {
    /// A write to its position.
    Own(u64),
    /// A write to the position of another sector.
    Elsewhere(Head),
    /// A write of another run.
    OtherRun(u64),
    Zero,
    /// Like the write to its position, except for some bits.
    Damaged,
    /// None of these.
    Strange,
}

/// A block with the state of its sectors.
struct SectorView<'a> {
    block: &'a [u8],
    place: Place,
    expected: GenerationRange,
    /// The expected bytes.
    wanted: [u8; BLOCK_BYTES],
    sectors: [Sector; SECTORS],
}

#[cold]
fn diagnose(seed: u64, place: Place, expected: GenerationRange, block: &[u8]) -> Result<(), Diagnosis> {
    debug_assert_eq!(block.len(), BLOCK_BYTES);
    let seen = SectorView::new(seed, place, expected, block);
    let Some(fault) = seen.fault() else { return Ok(()) };
    let sectors =
        (0..SECTORS).filter(|&number| seen.is_wrong(number)).fold(0, |mask, number| mask | 1 << number);
    Err(Diagnosis { sectors, ..excerpt(fault, block, &seen.wanted) })
}

impl<'a> SectorView<'a> {
    fn new(seed: u64, place: Place, expected: GenerationRange, block: &'a [u8]) -> Self {
        let heads: [Option<Head>; SECTORS] = std::array::from_fn(|number| Head::of(part(block, number)));
        let wanted = nearest(seed, place, expected, block, &heads);
        let sectors = std::array::from_fn(|number| {
            let bytes = part(block, number);
            let here = Place { offset: place.offset.wrapping_add((number * SECTOR_BYTES) as u64), ..place };
            match heads[number] {
                Some(head) if head.seed != seed => Sector::OtherRun(head.seed),
                Some(head) if head.place == here => Sector::Own(head.generation),
                Some(head) => Sector::Elsewhere(head),
                None if bytes.iter().all(|&byte| byte == 0) => Sector::Zero,
                None if expected.newest > 0 && unlike(bytes, part(&wanted, number)) < MOST_ALIKE_BITS => {
                    Sector::Damaged
                }
                None => Sector::Strange,
            }
        });
        Self { block, place, expected, wanted, sectors }
    }

    /// The fault; `None` if there is none.
    fn fault(&self) -> Option<Fault> {
        if let Some(misdirected) = self.misdirected() {
            return Some(misdirected);
        }
        if self.sectors.contains(&Sector::Damaged) {
            return Some(self.corrupt());
        }
        let own = || {
            self.sectors
                .iter()
                .filter_map(|sector| if let Sector::Own(at) = sector { Some(*at) } else { None })
        };
        let is_own_alone = own().count() == SECTORS;
        match (own().min(), own().max()) {
            (Some(older), Some(newer)) if is_own_alone => self.written(older, newer),
            (Some(_), Some(newer)) => self.mixed(newer),
            _ => self.not_written(),
        }
    }

    fn misdirected(&self) -> Option<Fault> {
        let (number, head) = (0..).zip(self.sectors).find_map(|(number, sector)| match sector {
            Sector::Elsewhere(head) => Some((number, head)),
            _ => None,
        })?;
        let shift: u64 = number * SECTOR_BYTES as u64;
        Some(Fault::Misdirected {
            from_target: head.place.target,
            from_offset: head.place.offset.wrapping_sub(shift),
            generation: head.generation,
        })
    }

    /// Every sector is from a write to this position.
    const fn written(&self, older: u64, newer: u64) -> Option<Fault> {
        let GenerationRange { oldest, newest } = self.expected;
        if newer > newest {
            return Some(Fault::Ahead { generation: newer });
        }
        if older < newer {
            // Only while a write is not over: else no generation above the oldest is admitted.
            return if older >= oldest { None } else { Some(Fault::Torn { older, newer }) };
        }
        if older < oldest { Some(Fault::Stale { generation: older, age: oldest - older }) } else { None }
    }

    /// Some sectors are from writes to this position, others are not.
    fn mixed(&self, newer: u64) -> Option<Fault> {
        let GenerationRange { oldest, newest } = self.expected;
        if newer > newest {
            return Some(Fault::Ahead { generation: newer });
        }
        // What was there before the first write is not known, and may be anything.
        if oldest == 0 && self.expected.is_open() {
            return None;
        }
        if oldest <= 1 && newest == 1 {
            return Some(Fault::Torn { older: 0, newer });
        }
        let other_run = self.sectors.iter().find_map(|sector| match sector {
            Sector::OtherRun(seed) => Some(*seed),
            _ => None,
        });
        match other_run {
            Some(seed) => Some(Fault::Foreign { seed: Some(seed) }),
            None if self.sectors.contains(&Sector::Strange) => Some(self.corrupt()),
            None => Some(Fault::Zeroed),
        }
    }

    /// No sector is from a write to this position.
    fn not_written(&self) -> Option<Fault> {
        if self.expected.oldest == 0 {
            return None;
        }
        if scratch::stamp(self.block).is_some_and(|(offset, _)| offset == self.place.offset) {
            return Some(Fault::Stale { generation: 0, age: self.expected.oldest });
        }
        if self.sectors.iter().all(|sector| *sector == Sector::Zero) {
            return Some(Fault::Zeroed);
        }
        let seed = self.sectors.iter().find_map(|sector| match sector {
            Sector::OtherRun(seed) => Some(*seed),
            _ => None,
        });
        Some(Fault::Foreign { seed })
    }

    fn corrupt(&self) -> Fault {
        let pairs = || self.block.iter().zip(&self.wanted).map(|(found, wanted)| found ^ wanted).zip(0_u32..);
        let changed = || pairs().filter(|(bits, _)| *bits != 0);
        Fault::Corrupt {
            bits: changed().map(|(bits, _)| bits.count_ones()).sum(),
            first_bit: changed().next().map_or(0, |(bits, at)| at * 8 + bits.trailing_zeros()),
            last_bit: changed().last().map_or(0, |(bits, at)| at * 8 + 7 - bits.leading_zeros()),
        }
    }

    /// Whether a sector differs from what it should be.
    fn is_wrong(&self, number: usize) -> bool {
        part(self.block, number) != part(&self.wanted, number)
    }
}

/// The write to this position that the block is closest to: one that it may have, or one that its sectors name.
fn nearest(
    seed: u64,
    place: Place,
    expected: GenerationRange,
    block: &[u8],
    heads: &[Option<Head>; SECTORS],
) -> [u8; BLOCK_BYTES] {
    let mut best = ([0; BLOCK_BYTES], u32::MAX);
    let mut consider = |generation| {
        let mut wanted = [0; BLOCK_BYTES];
        block::fill(seed, place, generation, &mut wanted);
        let bits = unlike(block, &wanted);
        if bits < best.1 {
            best = (wanted, bits);
        }
    };
    // The newest first: it stands for the others when nothing is alike. More than two there are after failed writes, and after an interruption,
    // which leaves any number of them: the oldest is then the likeliest.
    let oldest = expected.oldest.max(1);
    let admitted = oldest.max(expected.newest.saturating_sub(MOST_NEAR))..=expected.newest;
    admitted.clone().rev().for_each(&mut consider);
    (oldest..=expected.newest)
        .take_while(|one| one < admitted.start())
        .take(MOST_FAR)
        .for_each(&mut consider);
    // A damaged block of a write that it must not have, or of one of many, is compared with that one, if a sector of it is sound.
    let broken = heads.iter().any(Option::is_none);
    let named = heads.iter().flatten().find(|head| head.seed == seed && head.place.target == place.target);
    if let Some(head) = named.filter(|_| broken) {
        consider(head.generation);
    }
    best.0
}

/// How many bits differ.
fn unlike(a: &[u8], b: &[u8]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

fn part(block: &[u8], number: usize) -> &[u8] {
    &block[number * SECTOR_BYTES..(number + 1) * SECTOR_BYTES]
}

/// Begins with the line of 16 bytes that has the first difference.
fn excerpt(fault: Fault, found: &[u8], wanted: &[u8]) -> Diagnosis {
    let first = found.iter().zip(wanted).position(|(found, wanted)| found != wanted).unwrap_or(0);
    let at = (first / 16 * 16).min(BLOCK_BYTES - EXCERPT_BYTES);
    let cut = |bytes: &[u8]| bytes[at..].first_chunk().copied().unwrap_or([0; EXCERPT_BYTES]);
    let at_byte = u16::try_from(at).unwrap_or(u16::MAX);
    Diagnosis { fault, sectors: 0, at: at_byte, found: cut(found), expected: cut(wanted) }
}
