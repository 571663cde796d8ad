//! Verified blocks, as soaks, tests of durability and loads with `verify` write them: the checksum of each sector shows whether it is intact, and
//! the sector says what it belongs to. Must not judge other blocks.

use super::letter;
use super::window::{Certainty, PageJudge, Part, Window};
use rigel_core::judge::wrong_data::write;
use rigel_core::verify::block::{BLOCK_BYTES, Head, SECTOR_BYTES, SECTORS, whole};

pub(super) fn judge(window: &Window<'_>, block: Part) -> Option<PageJudge> {
    if block.len != BLOCK_BYTES {
        return None;
    }
    let place = window.in_file.map(|(start, _)| start + block.start as u64);
    let bytes = |copy| window.bytes(copy, block.start, block.len);
    let found: Vec<(usize, Head)> =
        (0..window.copies.len()).filter_map(|copy| Some((copy, sound(bytes(copy)?, place)?))).collect();
    // The first of the newest.
    let &(right, head) = found.iter().rev().max_by_key(|(_, head)| head.generation)?;
    if found.iter().any(|(_, other)| (other.seed, other.place) != (head.seed, head.place)) {
        return Some(PageJudge::unknown(
            "several are whole verified blocks from different runs or places".to_owned(),
        ));
    }
    let others: Vec<usize> =
        (0..window.copies.len()).filter(|copy| found.iter().all(|(whole, _)| whole != copy)).collect();
    if let Some(doubt) =
        others.iter().filter_map(|&copy| bytes(copy)).find_map(|other| doubt(other, head, place))
    {
        return Some(PageJudge::unknown(doubt.to_owned()));
    }
    let right_bytes = bytes(right)?;
    let write = write(head.generation);
    let name = letter(right);
    if found.iter().any(|(_, other)| other.generation != head.generation) {
        let why = format!("more than one is whole; {name} is from the last, {write}");
        return Some(PageJudge::of(right, Certainty::Likely, why));
    }
    let damaged =
        others.iter().all(|&copy| bytes(copy).is_none_or(|other| is_left_of(other, right_bytes, head)));
    let certainty = if damaged { Certainty::Certain } else { Certainty::Likely };
    let names: String = others.iter().map(|&copy| letter(copy)).collect();
    let are = if others.len() == 1 { "is" } else { "are" };
    let why = format!("{name} is whole, {write} to byte {}; {names} {are} not", head.place.offset);
    Some(PageJudge::of(right, certainty, why))
}

/// Whether a copy has a sector that a verified load wrote: then the block as it was filled before is not what it should be.
pub(super) fn wrote(block: &[u8]) -> bool {
    block.chunks_exact(SECTOR_BYTES).any(|sector| Head::of(sector).is_some())
}

/// What a block says if all of it is intact and agrees on one place, one write, and where it is.
fn sound(block: &[u8], place: Option<u64>) -> Option<Head> {
    let head = Head::of(block.get(..SECTOR_BYTES)?)?;
    whole(head.seed, head.place, block)?;
    place.is_none_or(|place| place == head.place.offset).then_some(head)
}

/// Its sectors, each with its offset in the block of `head`, and its content.
fn sectors(block: &[u8], head: Head) -> impl Iterator<Item = (&[u8], u64, Option<Head>)> {
    let offsets = (head.place.offset..).step_by(SECTOR_BYTES);
    block.chunks_exact(SECTOR_BYTES).zip(offsets).map(|(sector, offset)| (sector, offset, Head::of(sector)))
}

fn is_ours(found: Head, offset: u64, head: Head) -> bool {
    (found.seed, found.place.target, found.place.offset) == (head.seed, head.place.target, offset)
}

/// Why a copy that is not complete may be the right one anyway. A sector that certainly belongs elsewhere, because
/// the place is known, is not a reason.
fn doubt(block: &[u8], head: Head, place: Option<u64>) -> Option<&'static str> {
    sectors(block, head).find_map(|(_, offset, found)| {
        let found = found?;
        if !is_ours(found, offset, head) {
            let may_be_right = place.is_none() || found.place.offset == offset;
            return may_be_right.then_some("one is whole, another has sectors from another run or place");
        }
        (found.generation > head.generation).then_some("one is whole, another has sectors from a later write")
    })
}

/// Whether a copy looks like the right one after damage or a torn write: at least half of its sectors are equal, or
/// from an earlier write to that place. Data that replaced it since looks different.
fn is_left_of(block: &[u8], right: &[u8], head: Head) -> bool {
    let alike = right.chunks_exact(SECTOR_BYTES);
    let left = sectors(block, head).zip(alike).filter(|((sector, offset, found), right)| {
        sector == right || found.is_some_and(|found| is_ours(found, *offset, head))
    });
    2 * left.count() >= SECTORS
}

#[cfg(test)]
mod tests {
    use super::super::judge::{Kind, judge};
    use super::super::window::{Certainty, Window};
    use rigel_core::load::volume::Place;
    use rigel_core::verify::block::{SECTOR_BYTES, fill};

    const AT: u64 = 81920;

    fn written(seed: u64, offset: u64, generation: u64) -> Vec<u8> {
        let mut block = vec![0; 4096];
        fill(seed, Place { target: 0, offset }, generation, &mut block);
        block
    }

    fn judged(a: &[u8], b: &[u8], in_file: Option<(u64, u32)>) -> (Option<u16>, Certainty, Kind, String) {
        judged_of(vec![Some(a), Some(b)], in_file)
    }

    fn judged_of(
        copies: Vec<Option<&[u8]>>,
        in_file: Option<(u64, u32)>,
    ) -> (Option<u16>, Certainty, Kind, String) {
        let window = Window { at: 0, copies, range: 0..4096, in_file };
        let [one] = &judge(&window)[..] else { panic!("one part") };
        (one.right, one.certainty, one.by, one.why.clone())
    }

    #[test]
    fn the_copy_whose_sectors_are_sound_is_right() {
        let good = written(7, AT, 3);
        let mut flipped = good.clone();
        flipped[4000] ^= 1;
        let torn = [&written(7, AT, 2)[..SECTOR_BYTES], &good[SECTOR_BYTES..]].concat();
        for bad in [&flipped, &torn] {
            for in_file in [None, Some((AT, 0))] {
                let (right, certainty, by, why) = judged(bad, &good, in_file);
                assert_eq!((right, certainty, by), (Some(1), Certainty::Certain, Kind::Rigel), "{why}");
                assert!(why.starts_with("B is whole, write 3 to byte 81920"), "{why}");
            }
        }
        let (right, certainty, ..) = judged_of(vec![None, Some(&good)], None);
        assert_eq!((right, certainty), (Some(1), Certainty::Certain), "the other one cannot be read");
        // Other data may have taken its place, of which an old sector is left or half of them.
        for (sectors, wanted) in [(0, Certainty::Likely), (1, Certainty::Likely), (4, Certainty::Certain)] {
            let other =
                [&written(7, AT, 2)[..sectors * SECTOR_BYTES], &[9; 4096][sectors * SECTOR_BYTES..]].concat();
            let (right, certainty, ..) = judged(&other, &good, None);
            assert_eq!((right, certainty), (Some(1), wanted), "{sectors}");
        }
    }

    #[test]
    fn of_three_copies_each_has_a_say() {
        let [good, old] = [3, 2].map(|generation| written(7, AT, generation));
        let mut flipped = good.clone();
        flipped[4000] ^= 1;
        let (right, certainty, _, why) = judged_of(vec![Some(&good), Some(&good), Some(&flipped)], None);
        assert_eq!((right, certainty), (Some(0), Certainty::Certain));
        assert!(why.ends_with("; C is not"), "{why}");
        let newer = [&written(7, AT, 4)[..SECTOR_BYTES], &[9; 3584]].concat();
        let three = vec![Some(&good[..]), Some(&old), Some(&newer)];
        assert_eq!(judged_of(three, None).0, None, "the third had a later write");
    }

    #[test]
    fn what_was_filled_before_is_older_than_any_write() {
        let good = written(7, AT, 1);
        let mut filled = vec![0; 4096];
        rigel_core::guard::scratch::block(7, AT, &mut filled);
        for in_file in [None, Some((AT, 0))] {
            let (right, certainty, _, why) = judged(&filled, &good, in_file);
            assert_eq!((right, certainty), (Some(1), Certainty::Likely), "{why}");
            for at in [100, 4000] {
                let mut damaged = good.clone();
                damaged[at] ^= 1;
                assert_eq!(judged(&filled, &damaged, in_file).0, None, "the write was later, and is damaged");
            }
        }
    }

    #[test]
    fn the_last_write_is_likely_right() {
        let (right, certainty, _, why) = judged(&written(7, AT, 4), &written(7, AT, 3), None);
        assert_eq!((right, certainty), (Some(0), Certainty::Likely), "{why}");
        assert!(why.ends_with("A is from the last, write 4"), "{why}");
    }

    #[test]
    fn what_nobody_can_know_is_not_told() {
        let good = written(7, AT, 3);
        let newer = [&written(7, AT, 4)[..SECTOR_BYTES], &good[SECTOR_BYTES..]].concat();
        assert_eq!(judged(&newer, &good, None).0, None, "the whole one missed a write");
        assert_eq!(judged(&written(8, AT, 4), &good, None).0, None, "two runs");
        assert_eq!(judged(&written(7, 0, 4), &good, None).0, None, "two places");
        // Only one of them lies where it belongs.
        assert_eq!(judged(&written(7, 0, 4), &good, Some((AT, 0))).0, Some(1));
        assert_eq!(judged(&good, &[9; 4096], Some((0, 0))).0, None, "of another place");
        // The same where the other one is damaged.
        for (other, in_file) in [((8, AT), None), ((7, 0), None), ((8, AT), Some((AT, 0)))] {
            let mut damaged = written(other.0, other.1, 1);
            damaged[100] ^= 1;
            assert_eq!(judged(&damaged, &good, in_file).0, None, "{other:?}");
        }
    }
}
