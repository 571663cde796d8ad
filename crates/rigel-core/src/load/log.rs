//! Where the writers of a log write: each in its own region, cyclically, as a database reuses its log files.
//!
//! The first round over a region that was never written costs more than the others, so a plan does it before anything is measured
//! ([`crate::load::plan`]). Pure arithmetic; must not know what is on a target.

use crate::load::class::Span;
use crate::load::draw::{Generator, Stream};
use crate::load::volume::{Volume, VolumeError};
use crate::load::workload::{Direction, Layout};
use crate::units::MIB;
use std::ops::Range;

/// Largest region of a writer: PostgreSQL's log files have this size.
const MOST_REGION_BYTES: u64 = 16 * MIB;

/// The regions of all writers of a class.
#[derive(Clone, Debug)]
pub struct Regions {
    /// The targets in turn, a region of each.
    pub volume: Volume,
    region_chunks: u64,
    writers: u32,
}

impl Regions {
    /// Regions for this many writers of I/Os of `io_bytes`, as large as the targets, or a part of each, allow.
    ///
    /// # Errors
    /// When not even one I/O of each writer fits.
    pub fn new(sizes_bytes: &[u64], span: Span, io_bytes: u64, writers: u32) -> Result<Self, VolumeError> {
        let mut region_chunks = (MOST_REGION_BYTES / io_bytes.max(1)).max(1);
        loop {
            let layout = Layout::Raid0 { stripe_bytes: region_chunks.saturating_mul(io_bytes) };
            match Volume::within(sizes_bytes, span, io_bytes, layout) {
                Ok(volume) if volume.chunks() / region_chunks >= u64::from(writers) => {
                    return Ok(Self { volume, region_chunks, writers: writers.max(1) });
                }
                Err(error) if region_chunks == 1 => return Err(error),
                Ok(_) if region_chunks == 1 => return Err(VolumeError::Empty),
                _ => region_chunks /= 2,
            }
        }
    }

    /// The chunks of a writer, numbered from 0.
    pub fn of(&self, writer: u32) -> Range<u64> {
        let first = u64::from(writer % self.writers) * self.region_chunks;
        first..first + self.region_chunks
    }

    /// The chunks of all writers.
    pub fn all(&self) -> Range<u64> {
        0..u64::from(self.writers) * self.region_chunks
    }

    /// A writer, somewhere in its region, as a log is at any moment.
    pub fn writer(&self, writer: u32, generator: &mut Generator) -> Stream {
        Stream::within(self.of(writer), Direction::Write).moved(generator.below(self.region_chunks))
    }

    /// A walk over the regions of all writers that begins at part `part` of `parts`.
    pub fn walk(&self, part: u32, parts: u32) -> Stream {
        let all = self.all();
        let before = u128::from(all.end) * u128::from(part) / u128::from(parts.max(1));
        Stream::within(all, Direction::Write).moved(u64::try_from(before).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::KIB;
    use std::collections::BTreeSet;

    #[test]
    fn a_writer_stays_in_its_region_and_the_walk_goes_over_all() {
        let regions = Regions::new(&[4 * 16 * MIB], Span::Whole, 8 * KIB, 4).unwrap();
        let offsets = |mut stream: Stream, count| -> BTreeSet<u64> {
            (0..count).map(|_| stream.advance(&regions.volume).offset).collect()
        };
        let mut starts = BTreeSet::new();
        for visit in 0..20 {
            let writer = || regions.writer(2, &mut Generator::of_slot(1, visit, 0, 2));
            starts.extend(offsets(writer(), 1));
            assert_eq!(offsets(writer(), 3 * 2048), (2 * 2048..3 * 2048).map(|chunk| chunk * 8192).collect());
        }
        assert!(starts.len() > 10, "{starts:?}");
        assert_eq!(offsets(regions.walk(0, 2), 8192).len(), 8192);
        let halves = [0, 1].map(|part| offsets(regions.walk(part, 2), 4096));
        assert_eq!((halves[0].len(), halves[0].is_disjoint(&halves[1])), (4096, true));
    }

    fn places(regions: &Regions, writer: u32) -> BTreeSet<(u16, u64)> {
        let places = regions.of(writer).map(|chunk| regions.volume.place(chunk));
        places.map(|place| (place.target, place.offset)).collect()
    }

    #[test]
    fn each_writer_has_a_region_of_its_own_on_a_target() {
        let regions = Regions::new(&[1 << 30, 1 << 30], Span::Whole, 8 * KIB, 5).unwrap();
        assert_eq!((regions.region_chunks, regions.all().end), (2048, 5 * 2048));
        let all: Vec<_> = (0..5).map(|writer| places(&regions, writer)).collect();
        for (writer, places) in all.iter().enumerate() {
            assert_eq!(places.len(), 2048);
            let targets: BTreeSet<u16> = places.iter().map(|place| place.0).collect();
            assert_eq!(targets, BTreeSet::from([u16::try_from(writer % 2).unwrap()]));
            assert!(all[..writer].iter().all(|other| other.is_disjoint(places)));
        }
    }

    #[test]
    fn regions_are_smaller_where_there_is_less_room() {
        let regions = Regions::new(&[16 * MIB], Span::Whole, 8 * KIB, 16).unwrap();
        assert_eq!((regions.region_chunks, regions.all().end), (128, 2048));
        assert_eq!(Regions::new(&[64 * KIB], Span::Whole, 8 * KIB, 8).unwrap().region_chunks, 1);
        assert_eq!(Regions::new(&[64 * KIB], Span::Whole, 8 * KIB, 9).unwrap_err(), VolumeError::Empty);
        assert_eq!(Regions::new(&[4 * KIB], Span::Whole, 8 * KIB, 1).unwrap_err(), VolumeError::Empty);
        assert_eq!(Regions::new(&[1 << 30], Span::Whole, 64 * MIB, 2).unwrap().region_chunks, 1);
    }
}
