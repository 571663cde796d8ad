//! Reads that returned no data of the medium: zeros, blocks of another place, holes and unwritten parts of files.
//!
//! The filesystem, an array that stores no zeros, or a thin volume may answer such reads without the medium. A page
//! of zeros can be real data, but its read may be as fast, so it counts here too.

use crate::facts::ExtentFacts;
use crate::measure::ReadLook;
use crate::units::to_f64;

/// More than this part of the sample, or of the bytes.
const LEAST_SHARE: f64 = 0.001;
/// The same of the files of a table: InnoDB leaves up to 62 of 16,384 pages empty behind those that describe them, and parts of extents. What is
/// read beside a database is compared with it, and its counters are held to no less.
const IN_TABLE: f64 = 0.01;
/// A single block may be chance: one page of a database that was never used.
const LEAST_BLOCKS: u64 = 2;

/// Evidence against the reads of a point; at least one of the two is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZerosFinding {
    /// The sample, if too many of its blocks held no data of their place.
    pub reads: Option<ReadLook>,
    /// The files, if too many of their bytes were never written.
    pub files: Option<UnwrittenBytes>,
}

/// Bytes of all files together, before the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UnwrittenBytes {
    /// Allocated and never written.
    pub unwritten_bytes: u64,
    /// Not allocated on the device.
    pub hole_bytes: u64,
    /// What was examined, data included.
    pub looked_bytes: u64,
}

impl UnwrittenBytes {
    /// Part of the bytes that hold no data, 0 to 1: of uniform random reads the part that no device
    /// has to answer.
    pub fn share(&self) -> f64 {
        if self.looked_bytes == 0 {
            return 0.0;
        }
        to_f64(self.unwritten_bytes.saturating_add(self.hole_bytes)) / to_f64(self.looked_bytes)
    }
}

/// Whether more than 0.1 % of the sampled blocks, and more than one, were zero or had the wrong stamp, or more than
/// 0.1 % of the bytes of the files were never written; 1 % of the files of a table.
///
/// `extents` are those of all targets that report them, from before the run. A run that writes fills holes, so they
/// may be too many for its later points.
pub(super) fn zeros(look: &ReadLook, extents: &[&ExtentFacts], is_table: bool) -> Option<ZerosFinding> {
    let most = if is_table { IN_TABLE } else { LEAST_SHARE };
    let reads = (look.without_data() >= LEAST_BLOCKS && look.share() > most).then_some(*look);
    let files = Some(sum(extents)).filter(|files| files.share() > most);
    (reads.is_some() || files.is_some()).then_some(ZerosFinding { reads, files })
}

fn sum(extents: &[&ExtentFacts]) -> UnwrittenBytes {
    extents.iter().fold(UnwrittenBytes::default(), |sum, one| UnwrittenBytes {
        unwritten_bytes: sum.unwritten_bytes.saturating_add(one.unwritten_bytes),
        hole_bytes: sum.hole_bytes.saturating_add(one.hole_bytes),
        looked_bytes: sum.looked_bytes.saturating_add(one.looked_bytes()),
    })
}

#[cfg(test)]
mod tests;
