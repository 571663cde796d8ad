//! The data shows how far an earlier fill got, wherever it ended.

use super::*;
use rigel_core::guard::scratch::is_of_fill;

const SIZE: u64 = 9 * PIECE + 3 * BLOCK + 512;

fn fill(file: &File, range: Range<u64>, stop_after: u64) -> Result<(), FillStop> {
    let stop = AtomicBool::new(false);
    let mut progress = |at| stop.store(at >= stop_after, Ordering::Relaxed);
    write(file, range, 7, &mut progress, &stop)
}

fn filled_of(file: &File) -> u64 {
    filled(file, SIZE).unwrap()
}

fn foreign_blocks(file: &File) -> Vec<u64> {
    let mut bytes = vec![0; usize::try_from(SIZE).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let blocks = (0..).step_by(BLOCK_BYTES).zip(bytes.chunks(BLOCK_BYTES));
    blocks.filter(|(at, block)| !is_of_fill(*at, block)).map(|(at, _)| at).collect()
}

#[test]
fn a_fill_goes_on_where_it_ended() {
    for pieces in 0..4 {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE).unwrap();
        let stopped = if pieces > 0 { fill(&file, 0..SIZE, pieces * PIECE) } else { Ok(()) };
        // What was in flight is finished, and may be all of it.
        let end = filled_of(&file);
        assert!(end >= pieces * PIECE && (pieces > 0 || end == 0), "{end}");
        assert_eq!(stopped.is_err(), pieces > 0 && end < SIZE, "{stopped:?}");
        // The write that was in flight came half through, its end before its beginning.
        let half = &mut [0; 2 * BLOCK_BYTES];
        let last = (end + PIECE).min(SIZE / BLOCK * BLOCK) - 2 * BLOCK;
        scratch::write_blocks(7, last, half);
        file.write_all_at(half, last).unwrap();
        assert_eq!(filled_of(&file), end);
        fill(&file, end..SIZE, u64::MAX).unwrap();
        assert_eq!((filled_of(&file), foreign_blocks(&file)), (SIZE, vec![]));
    }
}

#[test]
fn nothing_is_written_twice() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(SIZE).unwrap();
    fill(&file, 0..2 * PIECE, u64::MAX).unwrap();
    let end = filled_of(&file);
    let mut first = vec![0; usize::try_from(2 * PIECE).unwrap()];
    file.read_exact_at(&mut first, 0).unwrap();
    // The rest has another seed, by which it is told from the first part.
    write(&file, end..SIZE, 8, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let mut now = vec![0; first.len()];
    file.read_exact_at(&mut now, 0).unwrap();
    assert!(now == first);
    assert_eq!(filled_of(&file), SIZE, "with two seeds");
}

#[test]
fn what_was_lost_or_overwritten_is_filled_again() {
    for at in [0, PIECE - BLOCK, 2 * PIECE + 9, SIZE - 1] {
        let file = tempfile::tempfile().unwrap();
        fill(&file, 0..SIZE, u64::MAX).unwrap();
        file.write_all_at(&[0x5a], at).unwrap();
        let from = filled_of(&file);
        assert!(from <= at && at < from + PIECE, "{at}: {from}");
        fill(&file, from..SIZE, u64::MAX).unwrap();
        assert!(foreign_blocks(&file).is_empty());
    }
}

#[test]
fn a_file_that_is_too_short_is_not_filled() {
    let file = tempfile::tempfile().unwrap();
    assert_eq!(filled_of(&file), 0);
    fill(&file, 0..SIZE, u64::MAX).unwrap();
    file.set_len(2 * PIECE).unwrap();
    assert_eq!(filled_of(&file), 2 * PIECE);
    assert_eq!(filled(&file, 0), Ok(0));
}

/// A kill leaves gaps between the writes that were in flight: some came, an earlier one did not.
#[test]
fn a_gap_is_filled() {
    for gap in 0..5 {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE).unwrap();
        for piece in (0..5).filter(|piece| *piece != gap) {
            fill(&file, piece * PIECE..(piece + 1) * PIECE, u64::MAX).unwrap();
        }
        assert_eq!(filled_of(&file), gap * PIECE, "{gap}");
    }
}

/// The progress never goes back nor beyond what is written, and comes to the end.
#[test]
fn the_progress_has_no_gap() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(SIZE).unwrap();
    let mut seen = vec![];
    let mut progress = |at| {
        assert!(foreign_blocks(&file).first().is_none_or(|first| *first >= at), "{at}");
        seen.push(at);
    };
    write(&file, 0..SIZE, 7, &mut progress, &AtomicBool::new(false)).unwrap();
    assert!(seen.is_sorted() && seen.last() == Some(&SIZE), "{seen:?}");
}

/// The device takes no write any more.
#[test]
fn the_place_of_a_failure_is_told() {
    let named = tempfile::NamedTempFile::new().unwrap();
    let read_only = File::open(named.path()).unwrap();
    assert_eq!(fill(&read_only, PIECE..SIZE, u64::MAX), Err(FillStop::Failed(PIECE, Errno::BADF)));
}
