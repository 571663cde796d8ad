//! Blocks of scratch files of Rigel: a filled block can be regenerated from its stamp and compared as a whole. One that a run wrote to later has
//! the stamp but different bytes, and then nothing is known. Must not judge other blocks.

use super::pages::is_damage_of;
use super::window::{Certainty, PageJudge, Part, Window};
use super::{letter, verified};
use rigel_core::guard::scratch::{self, BLOCK_BYTES};

pub(super) fn judge(window: &Window<'_>, block: Part) -> Option<PageJudge> {
    let bytes = |copy| window.bytes(copy, block.start, block.len);
    if block.len != BLOCK_BYTES || (0..window.copies.len()).filter_map(bytes).any(verified::wrote) {
        return None;
    }
    let place = window.in_file.map(|(start, _)| start + block.start as u64);
    let whole = |copy: &usize| {
        let bytes = bytes(*copy)?;
        let (offset, seed) = scratch::stamp(bytes)?;
        let mut made = vec![0; BLOCK_BYTES];
        scratch::block(seed, offset, &mut made);
        (made == bytes && place.is_none_or(|place| place == offset)).then_some(offset)
    };
    let found: Vec<(usize, u64)> =
        (0..window.copies.len()).filter_map(|copy| Some((copy, whole(&copy)?))).collect();
    let &(right, offset) = found.first()?;
    if found.iter().any(|&(copy, _)| bytes(copy) != bytes(right)) {
        return Some(PageJudge::unknown("several are whole blocks of scratch files, but differ".to_owned()));
    }
    let of_run = |bytes: &[u8]| scratch::any_stamp(bytes).is_some();
    let others = (0..window.copies.len()).filter(|copy| found.iter().all(|(whole, _)| whole != copy));
    let mut certainty = Certainty::Certain;
    for other in others {
        if is_damage_of(bytes(right), bytes(other)) {
            continue;
        }
        if bytes(other).is_some_and(of_run) {
            return Some(PageJudge::unknown("one is as filled, another was written by a run".to_owned()));
        }
        certainty = Certainty::Likely;
    }
    let why = format!("{} is the block of offset {offset} as filled, the other is not", letter(right));
    Some(PageJudge::of(right, certainty, why))
}

#[cfg(test)]
mod tests {
    use super::super::judge::{Kind, judge};
    use super::super::window::Window;

    #[test]
    fn the_block_as_it_was_filled_is_right() {
        let mut good = vec![0; 4096];
        rigel_core::guard::scratch::block(7, 81920, &mut good);
        let mut bad = good.clone();
        bad[4000] ^= 1;
        let window =
            |in_file| Window { at: 0, copies: vec![Some(&bad[..]), Some(&good)], range: 0..4096, in_file };
        for in_file in [None, Some((81920, 0))] {
            let judged = judge(&window(in_file));
            assert_eq!((judged[0].right, judged[0].by), (Some(1), Kind::Rigel));
        }
        assert_eq!(judge(&window(Some((0, 0))))[0].right, None, "of another place");
    }

    #[test]
    fn a_block_that_a_run_wrote_later_is_not_wrong() {
        let mut filled = vec![0; 4096];
        rigel_core::guard::scratch::block(7, 81920, &mut filled);
        let mut written = vec![5; 4096];
        rigel_core::guard::scratch::write_stamps(8, 81920, &mut written);
        let copies = vec![Some(&filled[..]), Some(&written)];
        let judged = judge(&Window { at: 0, copies, range: 0..4096, in_file: Some((81920, 0)) });
        assert_eq!(judged[0].right, None, "the first one lost the write");
    }
}
