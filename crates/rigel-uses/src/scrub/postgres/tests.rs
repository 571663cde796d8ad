//! Pages made by the rules of `bufpage.h` and `checksum_impl.h`; pages of a real server are in the tests of the program.

use super::super::judge::{Kind, judge};
use super::super::window::{Certainty, Window};
use super::*;

/// A page of this block with its checksum; what it holds depends on the block and `salt`.
fn page(number: u32, salt: u8) -> Vec<u8> {
    let mut page: Vec<u8> =
        (0..8192_u32).map(|at| (at.wrapping_mul(number + 7) >> 3).to_le_bytes()[0] ^ salt).collect();
    page[..24].fill(0);
    page[4..8].copy_from_slice(&(number + u32::from(salt)).to_le_bytes());
    page[12..14].copy_from_slice(&40_u16.to_le_bytes());
    page[14..16].copy_from_slice(&4000_u16.to_le_bytes());
    page[16..18].copy_from_slice(&8192_u16.to_le_bytes());
    page[18..20].copy_from_slice(&(8192_u16 | 4).to_le_bytes());
    let checksum = reduced(hash(&page), number);
    page[8..10].copy_from_slice(&checksum.to_le_bytes());
    page
}

fn relation(first: u32, count: u32) -> Vec<u8> {
    (first..first + count).flat_map(|number| page(number, 0)).collect()
}

fn window<'a>(a: &'a [u8], b: &'a [u8], at: usize, in_file: Option<(u64, u32)>) -> Window<'a> {
    Window { at: 1 << 20, copies: vec![Some(a), Some(b)], range: at..at + 4096, in_file }
}

/// Of both halves of the page: the checksum names the leg that is right, by the numbers of the neighbours alone.
#[test]
fn the_number_of_the_block_comes_from_the_neighbours() {
    let good = relation(200_000, 9);
    for half in [4 * 8192, 4 * 8192 + 4096] {
        let mut bad = good.clone();
        bad[half + 300] ^= 0x40;
        let judged = judge(&window(&bad, &good, half, None));
        assert_eq!((judged[0].right, judged[0].by), (Some(1), Kind::Postgresql), "{judged:?}");
        assert_eq!(
            (judged[0].certainty, judged[0].at, judged[0].len),
            (Certainty::Certain, (1 << 20) + 4 * 8192, 8192)
        );
        assert!(judged[0].why.contains("block 200004"), "{}", judged[0].why);
        assert_eq!(judge(&window(&good, &bad, half, None))[0].right, Some(0), "whichever leg it is");
    }
}

#[test]
fn a_page_that_is_whole_but_of_another_place_is_wrong() {
    let good = relation(50, 9);
    let mut bad = good.clone();
    bad[4 * 8192..5 * 8192].copy_from_slice(&page(900, 0));
    assert_eq!(judge(&window(&good, &bad, 4 * 8192, None))[0].right, Some(0));
}

#[test]
fn an_old_page_that_is_whole_is_only_likely_wrong() {
    let good = relation(50, 9);
    let mut newer = good.clone();
    newer[4 * 8192..5 * 8192].copy_from_slice(&page(54, 3));
    let judged = judge(&window(&good, &newer, 4 * 8192, None));
    assert_eq!((judged[0].right, judged[0].certainty), (Some(1), Certainty::Likely), "{judged:?}");
    assert!(judged[0].why.contains("written last"), "{}", judged[0].why);
}

#[test]
fn between_two_relations_either_may_be_meant() {
    let good = [relation(1000, 5), relation(0, 5)].concat();
    let mut bad = good.clone();
    bad[4 * 8192 + 100] ^= 1;
    let judged = judge(&window(&bad, &good, 4 * 8192, None));
    assert_eq!((judged[0].right, judged[0].certainty), (Some(1), Certainty::Certain), "{judged:?}");
}

/// Alone on a device, any page has the checksum of some block: nothing is certain.
#[test]
fn without_neighbours_only_a_file_tells_the_number() {
    let good = relation(131_072 + 3, 1);
    let mut bad = good.clone();
    bad[5000] ^= 1;
    assert_eq!(judge(&window(&good, &bad, 4096, None))[0].certainty, Certainty::Unknown);
    let judged = judge(&window(&good, &bad, 4096, Some((3 * 8192, 1))));
    assert_eq!((judged[0].right, judged[0].certainty), (Some(0), Certainty::Certain));
    let zeros = vec![0; 8192];
    let judged = judge(&window(&zeros, &good, 0, None));
    assert_eq!((judged[0].right, judged[0].certainty), (Some(1), Certainty::Likely), "{judged:?}");
}

#[test]
fn pages_without_checksums_are_not_judged_by_them() {
    let mut good = relation(10, 9);
    (0..9).for_each(|page| good[page * 8192 + 8..page * 8192 + 10].fill(0));
    let mut bad = good.clone();
    bad[4 * 8192 + 6000] ^= 1;
    assert_eq!(judge(&window(&good, &bad, 4 * 8192 + 4096, None))[0].certainty, Certainty::Unknown);
}
