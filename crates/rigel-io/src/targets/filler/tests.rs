//! How far an earlier fill came is known from the data, wherever it ended.

use super::*;
use rigel_core::guard::scratch::is_of_fill;

const SIZE: u64 = 5 * PIECE + 3 * BLOCK + 512;

fn fill(file: &File, range: Range<u64>, stop_after: u64) -> Result<(), Cut> {
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
    for pieces in 0..6 {
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE).unwrap();
        let end = pieces * PIECE;
        if end > 0 {
            assert_eq!(fill(&file, 0..SIZE, end), Err(Cut::Stopped));
        }
        assert_eq!(filled_of(&file), end);
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
    fill(&file, 0..SIZE, 2 * PIECE).unwrap_err();
    let mut first = vec![0; usize::try_from(2 * PIECE).unwrap()];
    file.read_exact_at(&mut first, 0).unwrap();
    // The rest has another seed, by which it is told from the first part.
    write(&file, filled_of(&file)..SIZE, 8, &mut |_| {}, &AtomicBool::new(false)).unwrap();
    let mut now = vec![0; first.len()];
    file.read_exact_at(&mut now, 0).unwrap();
    assert!(now == first);
    assert_eq!(filled_of(&file), SIZE, "with two seeds");
}

#[test]
fn what_was_lost_or_overwritten_is_filled_again() {
    for at in [0, BLOCK, PIECE - BLOCK, 2 * PIECE + 9, 4 * PIECE, SIZE - 1] {
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

/// The device takes no write any more.
#[test]
fn the_place_of_a_failure_is_told() {
    let named = tempfile::NamedTempFile::new().unwrap();
    let read_only = File::open(named.path()).unwrap();
    assert_eq!(fill(&read_only, PIECE..SIZE, u64::MAX), Err(Cut::Failed(PIECE, Errno::BADF)));
}
