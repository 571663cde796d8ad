use super::*;
use crate::facts::ExtentSource;
use crate::units::{GIB, MIB};

const CLEAN: ReadLook = ReadLook { sampled: 10_000, zero_blocks: 0, wrong_stamps: 0 };

fn file(written: u64, unwritten: u64, hole: u64) -> ExtentFacts {
    ExtentFacts {
        source: ExtentSource::Fiemap,
        written_bytes: written,
        unwritten_bytes: unwritten,
        hole_bytes: hole,
        extents: 1,
        shared_bytes: 0,
        inline_bytes: 0,
        encoded_bytes: 0,
        truncated: false,
    }
}

#[test]
fn one_in_a_thousand_is_the_limit_and_one_alone_is_chance() {
    let fires = |sampled, zero_blocks, wrong_stamps| {
        let look = ReadLook { sampled, zero_blocks, wrong_stamps };
        let found = zeros(&look, &[], false);
        assert!(found.is_none_or(|found| found == ZerosFinding { reads: Some(look), files: None }));
        found.is_some()
    };
    assert!(!fires(0, 0, 0) && !fires(10_000, 0, 0));
    assert!(!fires(10_000, 10, 0) && fires(10_000, 11, 0));
    assert!(!fires(10_000, 5, 5) && fires(10_000, 5, 6), "both kinds count together");
    assert!(fires(10_000, 0, 11));
    assert!(!fires(3, 1, 0) && !fires(3, 0, 1), "one alone");
    assert!(fires(3, 2, 0) && fires(3, 1, 1));
}

#[test]
fn files_without_data_are_found_by_their_bytes() {
    let written = file(GIB, 0, 0);
    assert_eq!(zeros(&CLEAN, &[&written, &written], false), None);
    let allocated = file(0, GIB, 0);
    let found = zeros(&CLEAN, &[&written, &allocated], false).unwrap();
    assert_eq!(found.reads, None);
    let files = found.files.unwrap();
    assert_eq!(files, UnwrittenBytes { unwritten_bytes: GIB, hole_bytes: 0, looked_bytes: 2 * GIB });
    assert!((files.share() - 0.5).abs() < 1e-12);
    // 1 MiB of 1 GiB is a little less than a thousandth, holes and unwritten together a little more.
    assert_eq!(zeros(&CLEAN, &[&file(GIB - MIB, 0, MIB)], false), None);
    assert!(zeros(&CLEAN, &[&file(GIB - 2 * MIB, MIB, MIB)], false).is_some());
    // A small hole counts as little as it is met: here as one read in 4096.
    assert_eq!(zeros(&CLEAN, &[&file(0, 0, MIB), &file(4 * GIB, 0, 0)], false), None);
    assert_eq!(zeros(&CLEAN, &[&file(0, 0, 0)], false), None);
}

#[test]
fn both_kinds_of_evidence_are_kept() {
    let look = ReadLook { sampled: 100, zero_blocks: 100, wrong_stamps: 0 };
    let found = zeros(&look, &[&file(0, 0, GIB)], false).unwrap();
    assert_eq!(found.reads, Some(look));
    assert_eq!(found.files.map(|files| files.hole_bytes), Some(GIB));
}

/// As many pages of a table as InnoDB leaves empty are no reason not to use the reads of its files.
#[test]
fn of_the_files_of_a_table_one_in_a_hundred_is_the_limit() {
    let fires = |zero_blocks, is_table| {
        zeros(&ReadLook { sampled: 10_000, zero_blocks, wrong_stamps: 0 }, &[], is_table).is_some()
    };
    assert!(fires(45, false) && !fires(45, true) && !fires(100, true) && fires(101, true));
    let files = |holes| zeros(&CLEAN, &[&file(GIB, 0, holes)], true).is_some();
    assert!(!files(8 * MIB) && files(12 * MIB));
}
