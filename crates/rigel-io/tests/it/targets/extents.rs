//! Where the bytes of a file are, on the filesystem of the temporary directory and on one without FIEMAP.

use super::support::{MIB, dir, poke, sparse, tool};
use rigel_core::facts::{ExtentFacts, ExtentSource};
use rigel_io::targets::inspect::target_facts;
use rigel_io::targets::scratch::{ScratchFile, ScratchRequest};
use rigel_testdev::{MissingNeed, needs};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn known(path: &Path) -> Result<ExtentFacts, MissingNeed> {
    target_facts(path).unwrap().extents.ok_or_else(|| MissingNeed::new("the filesystem reports no extents"))
}

/// The extents, by FIEMAP, of which the others are a part.
fn by_fiemap(path: &Path) -> Result<ExtentFacts, MissingNeed> {
    let found = known(path)?;
    match found.source {
        ExtentSource::Fiemap => Ok(found),
        ExtentSource::Seek => Err(MissingNeed::new("no FIEMAP on the filesystem")),
    }
}

fn fallocated(path: &Path) -> Result<(), MissingNeed> {
    tool("fallocate", &["-l".as_ref(), "8M".as_ref(), path.as_ref()]).map(|_| ())
}

#[test]
fn a_file_that_is_a_hole() {
    let dir = dir();
    let file = sparse(&dir, "hole", 64 * MIB + 5);
    let Some(found) = needs("a_file_that_is_a_hole", known(&file)) else { return };
    assert_eq!((found.hole_bytes, found.extents), (64 * MIB + 5, 0));
    assert_eq!((found.written_bytes, found.unwritten_bytes, found.truncated), (0, 0, false));
    poke(&file, 4 * MIB, &vec![1; 1 << 20]);
    let found = known(&file).unwrap();
    assert_eq!((found.written_bytes, found.looked_bytes()), (MIB, 64 * MIB + 5));
}

#[test]
fn a_written_file_is_all_data_to_its_last_byte() {
    let name = "a_written_file_is_all_data_to_its_last_byte";
    let dir = dir();
    let file = sparse(&dir, "data", 1);
    poke(&file, 0, &vec![7; 5 * (1 << 20) + 123]);
    let Some(found) = needs(name, known(&file)) else { return };
    assert_eq!((found.written_bytes, found.hole_bytes, found.unwritten_bytes), (5 * MIB + 123, 0, 0));
    assert!(found.extents > 0);
    // Not yet on disk, it is data all the same.
    let fresh = sparse(&dir, "fresh", 1);
    std::fs::write(&fresh, vec![7; 1 << 20]).unwrap();
    assert_eq!(known(&fresh).unwrap().written_bytes, MIB);
}

#[test]
fn a_file_that_was_only_allocated() {
    let name = "a_file_that_was_only_allocated";
    let dir = dir();
    let file = sparse(&dir, "allocated", 1);
    let Some(()) = needs(name, fallocated(&file)) else { return };
    let Some(found) = needs(name, by_fiemap(&file)) else { return };
    assert_eq!((found.unwritten_bytes, found.written_bytes, found.hole_bytes), (8 * MIB, 0, 0));
    poke(&file, MIB, &vec![1; 2 << 20]);
    let found = by_fiemap(&file).unwrap();
    assert_eq!((found.unwritten_bytes, found.written_bytes), (6 * MIB, 2 * MIB));
    // Written into the page cache, and into the extent only when it is flushed.
    let handle = std::fs::File::options().write(true).open(&file).unwrap();
    handle.write_all_at(&vec![1; 1 << 20], 4 * MIB).unwrap();
    let found = by_fiemap(&file).unwrap();
    assert_eq!((found.unwritten_bytes, found.written_bytes), (5 * MIB, 3 * MIB));
    // Allocated behind its end: no run goes there.
    handle.set_len(3 * MIB).unwrap();
    let beyond = ["-n", "-o", "3M", "-l", "8M"].map(AsRef::as_ref);
    if needs(name, tool("fallocate", &[&beyond[..], &[file.as_ref()]].concat())).is_some() {
        let found = by_fiemap(&file).unwrap();
        assert_eq!((found.unwritten_bytes, found.written_bytes), (MIB, 2 * MIB));
    }
}

#[test]
fn a_file_in_more_pieces_than_one_answer_holds() {
    let name = "a_file_in_more_pieces_than_one_answer_holds";
    let dir = dir();
    let pieces = 1500;
    // A hole as large as any block that filesystems have, so that every other piece stays one.
    let step = 64 * 1024;
    let file = sparse(&dir, "pieces", pieces * 2 * step);
    let handle = std::fs::File::options().write(true).open(&file).unwrap();
    let piece = vec![1; usize::try_from(step).unwrap()];
    (0..pieces).for_each(|index| handle.write_all_at(&piece, (2 * index + 1) * step).unwrap());
    handle.sync_all().unwrap();
    let Some(found) = needs(name, known(&file)) else { return };
    assert!(found.extents >= pieces, "{found:?}");
    // Slower machines may be cut off by the time; what was looked at is still right.
    assert!(found.truncated || found.looked_bytes() == pieces * 2 * step, "{found:?}");
    assert!(found.written_bytes.abs_diff(found.hole_bytes) <= step, "{found:?}");
}

#[test]
fn the_trailer_of_a_scratch_file_is_not_counted() {
    let dir = dir();
    let wish = ScratchRequest {
        data_bytes: 16 * MIB,
        seed: 4,
        keep: false,
        direct: false,
        resume: false,
        size_option: "--size",
    };
    let scratch = ScratchFile::create(dir.path(), &wish, &mut |_, _| {}, &AtomicBool::new(false)).unwrap();
    let found = needs("the_trailer_of_a_scratch_file_is_not_counted", known(scratch.path()));
    if let Some(found) = found {
        assert_eq!((found.written_bytes, found.looked_bytes()), (16 * MIB, 16 * MIB), "{found:?}");
    }
    scratch.put_away().unwrap();
}

#[test]
fn holes_are_found_without_fiemap() {
    let name = "holes_are_found_without_fiemap";
    let memory = tempfile::tempdir_in("/dev/shm").map_err(MissingNeed::new);
    let Some(dir) = needs(name, memory) else { return };
    let file = sparse(&dir, "file", 8 * MIB);
    poke(&file, 3 * MIB, &vec![1; 1 << 20]);
    poke(&file, 7 * MIB, &vec![1; 1 << 20]);
    let found = known(&file).and_then(|found| match found.source {
        ExtentSource::Seek => Ok(found),
        ExtentSource::Fiemap => Err(MissingNeed::new("/dev/shm has FIEMAP")),
    });
    let Some(found) = needs(name, found) else { return };
    assert_eq!((found.written_bytes, found.hole_bytes, found.extents), (2 * MIB, 6 * MIB, 2));
}
