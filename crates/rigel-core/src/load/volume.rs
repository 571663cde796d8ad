//! The virtual volume that the targets form: a chunk number in, a target and an offset out.
//!
//! Random I/O and `concat` streams use the targets one after the other; `raid0` streams walk stripes over all of them.
//! Pure arithmetic; must not know devices or draw numbers.

mod sized;

pub use sized::SizedVolumes;

use crate::load::class::Span;
use crate::load::workload::Layout;
use std::ops::Range;

/// The position of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the target in the plan.
    pub target: u16,
    /// Byte offset in that target, a multiple of the I/O size.
    pub offset: u64,
}

/// Targets cut into chunks of one I/O size. Chunk numbers run from 0 to [`Volume::chunks`]; every chunk that fits
/// entirely into a target has exactly one number, so uniform numbers are uniform over every target.
#[derive(Clone, Debug)]
pub struct Volume {
    chunk_bytes: u64,
    zones: Vec<Zone>,
    chunks: u64,
}

/// A range of chunk numbers with one rule. `concat` has a zone per target. `raid0` has a zone for each distinct target
/// size: the first covers all targets up to the end of the smallest one, the next the larger ones from there on, as Linux
/// md does for members of unequal size.
#[derive(Clone, Debug)]
struct Zone {
    first_chunk: u64,
    /// Targets in turn.
    members: Vec<Member>,
    /// Chunks on one member before the next one's turn.
    stripe_chunks: u64,
}

/// A target in a zone.
#[derive(Clone, Copy, Debug)]
struct Member {
    target: u16,
    /// Where the zone begins on it.
    base_bytes: u64,
}

/// Why targets cannot form a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VolumeError {
    /// The stripe would split an I/O.
    #[error(
        "the stripe depth of {stripe_bytes} bytes is not a multiple of the large I/O size of {chunk_bytes} bytes"
    )]
    StripeCutsIo {
        /// Stripe depth.
        stripe_bytes: u64,
        /// I/O size.
        chunk_bytes: u64,
    },
    /// Not one I/O fits.
    #[error("no target is large enough for one I/O")]
    Empty,
    /// More I/Os fit than 64 bits can count; only sparse files claim to be that large.
    #[error("the targets have too many I/Os of {chunk_bytes} bytes to count in 64 bits")]
    TooLarge {
        /// I/O size.
        chunk_bytes: u64,
    },
}

impl Volume {
    /// The volume of targets with the given sizes in bytes.
    ///
    /// # Errors
    /// When the stripe is not a multiple of the chunk, or no chunk fits anywhere, or there are too many to count.
    pub fn new(sizes_bytes: &[u64], chunk_bytes: u64, layout: Layout) -> Result<Self, VolumeError> {
        Self::within(sizes_bytes, Span::Whole, chunk_bytes, layout)
    }

    /// The volume of a part of each of these targets. Chunks and stripes have the same positions as without the span.
    ///
    /// # Errors
    /// As [`Volume::new`].
    pub fn within(
        sizes_bytes: &[u64],
        span: Span,
        chunk_bytes: u64,
        layout: Layout,
    ) -> Result<Self, VolumeError> {
        let parts: Vec<Range<u64>> = sizes_bytes.iter().map(|&size| span.of(size)).collect();
        Self::of_parts(&parts, chunk_bytes, layout)
    }

    /// The volume of these parts, one of each target.
    ///
    /// # Errors
    /// As [`Volume::new`].
    pub fn of_parts(parts: &[Range<u64>], chunk_bytes: u64, layout: Layout) -> Result<Self, VolumeError> {
        let zones = match layout {
            Layout::Concat => Some(concat_zones(parts, chunk_bytes)),
            Layout::Raid0 { stripe_bytes } => raid0_zones(parts, chunk_bytes, stripe_bytes)?,
        };
        let (zones, chunks) = zones.and_then(number).ok_or(VolumeError::TooLarge { chunk_bytes })?;
        if chunks == 0 { Err(VolumeError::Empty) } else { Ok(Self { chunk_bytes, zones, chunks }) }
    }

    /// The volume of a part of one of several targets.
    ///
    /// # Errors
    /// As [`Volume::new`].
    pub fn of_target(target: u16, part: &Range<u64>, chunk_bytes: u64) -> Result<Self, VolumeError> {
        let zone = concat_zone(target, part, chunk_bytes);
        let (zones, chunks) = number(vec![zone]).ok_or(VolumeError::TooLarge { chunk_bytes })?;
        if chunks == 0 { Err(VolumeError::Empty) } else { Ok(Self { chunk_bytes, zones, chunks }) }
    }

    /// How many chunks the volume has; at least one.
    pub const fn chunks(&self) -> u64 {
        self.chunks
    }

    /// The position of a chunk.
    ///
    /// # Panics
    /// When `chunk` is not below [`Volume::chunks`].
    #[inline]
    pub fn place(&self, chunk: u64) -> Place {
        assert!(chunk < self.chunks, "chunk {chunk} of {}", self.chunks);
        let zone = &self.zones[self.zones.partition_point(|zone| zone.first_chunk <= chunk) - 1];
        let inside = chunk - zone.first_chunk;
        if let [only] = zone.members[..] {
            return Place { target: only.target, offset: only.base_bytes + inside * self.chunk_bytes };
        }
        let stripe = inside / zone.stripe_chunks;
        let width = zone.members.len() as u64;
        let row_chunks = (stripe / width) * zone.stripe_chunks + inside % zone.stripe_chunks;
        let member = zone.members[usize::try_from(stripe % width).unwrap_or_default()];
        Place { target: member.target, offset: member.base_bytes + row_chunks * self.chunk_bytes }
    }
}

/// A zone and its number of chunks.
type ChunkCount = (Zone, u64);

/// The whole units of this many bytes in a part of a target: the number of the first, and how many.
const fn units_in(part: &Range<u64>, bytes: u64) -> (u64, u64) {
    let first = part.start.div_ceil(bytes);
    (first, (part.end / bytes).saturating_sub(first))
}

fn concat_zones(parts: &[Range<u64>], chunk_bytes: u64) -> Vec<ChunkCount> {
    (0u16..).zip(parts).map(|(target, part)| concat_zone(target, part, chunk_bytes)).collect()
}

fn concat_zone(target: u16, part: &Range<u64>, chunk_bytes: u64) -> ChunkCount {
    let (first, chunks) = units_in(part, chunk_bytes);
    // Without a whole chunk there may be no first one on the target.
    let member = Member { target, base_bytes: if chunks == 0 { 0 } else { first * chunk_bytes } };
    (Zone { first_chunk: 0, members: vec![member], stripe_chunks: 1 }, chunks)
}

/// `None` when a zone has too many chunks.
fn raid0_zones(
    parts: &[Range<u64>],
    chunk_bytes: u64,
    stripe_bytes: u64,
) -> Result<Option<Vec<ChunkCount>>, VolumeError> {
    if stripe_bytes == 0 || !stripe_bytes.is_multiple_of(chunk_bytes) {
        return Err(VolumeError::StripeCutsIo { stripe_bytes, chunk_bytes });
    }
    let rows: Vec<(u64, u64)> = parts.iter().map(|part| units_in(part, stripe_bytes)).collect();
    let mut ends: Vec<u64> = rows.iter().map(|&(_, rows)| rows).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut zones = Vec::new();
    let mut start = 0;
    for end in ends.into_iter().filter(|&end| end > 0) {
        let reaches = (0u16..).zip(&rows).filter(|&(_, &(_, rows))| rows >= end);
        let member = |(target, &(first, _)): (u16, &(u64, u64))| Member {
            target,
            base_bytes: (first + start) * stripe_bytes,
        };
        let members: Vec<Member> = reaches.map(member).collect();
        // What is on one member fits, as its bytes do.
        let on_each = (end - start) * (stripe_bytes / chunk_bytes);
        let Some(chunks) = on_each.checked_mul(members.len() as u64) else { return Ok(None) };
        zones.push((Zone { first_chunk: 0, members, stripe_chunks: stripe_bytes / chunk_bytes }, chunks));
        start = end;
    }
    Ok(Some(zones))
}

/// Gives every zone its first chunk number and drops the empty ones; `None` if the numbers run out.
fn number(zones: Vec<ChunkCount>) -> Option<(Vec<Zone>, u64)> {
    let mut next: u64 = 0;
    let mut numbered = Vec::with_capacity(zones.len());
    for (zone, chunks) in zones.into_iter().filter(|&(_, chunks)| chunks > 0) {
        numbered.push(Zone { first_chunk: next, ..zone });
        next = next.checked_add(chunks)?;
    }
    Some((numbered, next))
}

#[cfg(test)]
mod tests;
