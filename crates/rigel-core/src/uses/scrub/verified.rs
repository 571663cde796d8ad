//! Verified blocks, as soaks, tests of durability and loads with `verify` write them: each sector says by its checksum whether it is sound, and
//! what it belongs to. Must not judge other blocks.

use super::judge::{Certainty, Part, Says, Window};
use super::letter;
use super::pages::is_damage_of;
use crate::verify::block::{BLOCK_BYTES, Head, SECTOR_BYTES, whole};
use crate::verify::parted;

pub(super) fn judge(window: &Window<'_>, block: Part) -> Option<Says> {
    if block.len != BLOCK_BYTES {
        return None;
    }
    let place = window.in_file.map(|(start, _)| start + block.start as u64);
    let bytes = |copy| window.bytes(copy, block.start, block.len);
    let found: Vec<(usize, Head)> =
        (0..window.copies.len()).filter_map(|copy| Some((copy, sound(bytes(copy)?, place)?))).collect();
    let &(right, head) = found.iter().max_by_key(|(_, head)| head.generation)?;
    if found.iter().any(|(_, other)| (other.seed, other.place) != (head.seed, head.place)) {
        return Some(Says::unknown(
            "several are whole verified blocks, of different runs or places".to_owned(),
        ));
    }
    let (part, pass) = parted(head.generation);
    let write =
        if part == 0 { format!("write {pass}") } else { format!("write {pass} since interruption {part}") };
    let letter = letter(right);
    if found.iter().any(|(_, other)| other.generation != head.generation) {
        return Some(Says::of(
            right,
            Certainty::Likely,
            format!("more than one is whole; {letter} is of the last, {write}"),
        ));
    }
    let others = || (0..window.copies.len()).filter(|copy| found.iter().all(|(whole, _)| whole != copy));
    if others().filter_map(bytes).any(|other| has_newer(other, head)) {
        return Some(Says::unknown("one is whole, another one has sectors of a later write".to_owned()));
    }
    let damaged = others().all(|other| {
        is_damage_of(bytes(right), bytes(other)) || bytes(other).is_some_and(|other| is_of(other, head))
    });
    let certainty = if damaged { Certainty::Certain } else { Certainty::Likely };
    Some(Says::of(
        right,
        certainty,
        format!("{letter} is whole, {write} to byte {}; the other is not", head.place.offset),
    ))
}

/// What a block says of which all is sound, of one place and of one write, and of the place where it lies.
fn sound(block: &[u8], place: Option<u64>) -> Option<Head> {
    let head = Head::of(block.get(..SECTOR_BYTES)?)?;
    whole(head.seed, head.place, block)?;
    place.is_none_or(|place| place == head.place.offset).then_some(head)
}

/// The generations of its sound sectors that belong to the run and the block of `head`.
fn generations(block: &[u8], head: Head) -> impl Iterator<Item = u64> + '_ {
    let sectors = block.chunks_exact(SECTOR_BYTES).zip((head.place.offset..).step_by(SECTOR_BYTES));
    sectors.filter_map(move |(sector, offset)| {
        let found = Head::of(sector)?;
        let is_ours = found.seed == head.seed
            && found.place.target == head.place.target
            && found.place.offset == offset;
        is_ours.then_some(found.generation)
    })
}

fn has_newer(block: &[u8], head: Head) -> bool {
    generations(block, head).any(|generation| generation > head.generation)
}

/// Whether a part of it is an older or the same write to that place: it is what a lost or a torn write leaves.
fn is_of(block: &[u8], head: Head) -> bool {
    generations(block, head).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::super::judge::{Certainty, Kind, Window, judge};
    use crate::load::volume::Place;
    use crate::verify::block::{SECTOR_BYTES, fill};

    const AT: u64 = 81920;

    fn written(seed: u64, offset: u64, generation: u64) -> Vec<u8> {
        let mut block = vec![0; 4096];
        fill(seed, Place { target: 0, offset }, generation, &mut block);
        block
    }

    fn judged(a: &[u8], b: &[u8], in_file: Option<(u64, u32)>) -> (Option<u16>, Certainty, Kind, String) {
        let window = Window { at: 0, copies: vec![Some(a), Some(b)], range: 0..4096, in_file };
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
        let (right, certainty, ..) = judged(&[9; 4096], &good, None);
        assert_eq!((right, certainty), (Some(1), Certainty::Likely), "other data may have taken its place");
    }

    #[test]
    fn the_last_write_is_likely_right() {
        let (right, certainty, _, why) = judged(&written(7, AT, 4), &written(7, AT, 3), None);
        assert_eq!((right, certainty), (Some(0), Certainty::Likely), "{why}");
        assert!(why.ends_with("A is of the last, write 4"), "{why}");
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
    }
}
