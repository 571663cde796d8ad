//! The medium alone: every fault does what it says, once, and is counted.

use super::*;
use crate::traps::TrapTrigger;

const BLOCK: usize = 4096;

fn medium() -> Medium {
    Medium::new(64 * BLOCK as u64, InitialContents::Zeros)
}

fn at(block: u64) -> u64 {
    block * BLOCK as u64
}

fn put(medium: &Medium, block: u64, value: u8) {
    medium.write(at(block), &[value; BLOCK], false);
}

fn held(medium: &Medium, block: u64) -> Vec<u8> {
    medium.with_range(at(block), BLOCK, &mut Vec::new(), <[u8]>::to_vec)
}

fn holds(medium: &Medium, block: u64, value: u8) -> bool {
    held(medium, block) == [value; BLOCK]
}

/// A medium with blocks of ones, where the second write from now on springs the trap; after two writes of twos.
fn second(mischief: Mischief) -> Medium {
    let medium = medium();
    (0..64).for_each(|block| put(&medium, block, 1));
    medium.obey(&Order::Trap(Trap { mischief, when: TrapTrigger::Nth(2) }));
    assert_eq!(medium.deeds().armed, 1);
    [10, 20].into_iter().for_each(|block| put(&medium, block, 2));
    assert!(holds(&medium, 10, 2), "only the second is concerned");
    assert_eq!((medium.deeds().injected[mischief.kind().1], medium.deeds().armed), (1, 0));
    medium
}

#[test]
fn a_flip_is_stored() {
    let medium = second(Mischief::Flip(7));
    let mut wanted = [2; BLOCK];
    wanted[7] = 0x12;
    assert_eq!((held(&medium, 20), held(&medium, 20)), (wanted.to_vec(), wanted.to_vec()));
}

#[test]
fn a_torn_write_leaves_sectors_as_they_were() {
    let medium = second(Mischief::Torn(3));
    assert_eq!(held(&medium, 20), [&[2; 3 * SECTOR_BYTES][..], &[1; 5 * SECTOR_BYTES]].concat());
}

#[test]
fn a_misdirected_write_lands_elsewhere() {
    let medium = second(Mischief::Misdirect(at(50)));
    assert!(holds(&medium, 20, 1) && holds(&medium, 6, 2), "behind the end comes the start");
}

#[test]
fn a_lost_write_and_zeros() {
    assert!(holds(&second(Mischief::Lost), 20, 1));
    assert!(holds(&second(Mischief::Zero), 20, 0));
}

#[test]
fn a_delayed_write_comes_after_so_many_requests() {
    let medium = second(Mischief::Delay(2));
    // Reads count as well; the look of `second` at block 10 was the first.
    assert!(holds(&medium, 20, 1));
    put(&medium, 30, 3);
    assert!(holds(&medium, 20, 2) && holds(&medium, 30, 3));
    let medium = second(Mischief::Delay(1000));
    medium.clear();
    assert!(holds(&medium, 20, 2), "no write is forgotten");
}

#[test]
fn a_stale_read_gets_what_was_there_before_the_last_write() {
    let medium = medium();
    [10, 11].into_iter().for_each(|block| put(&medium, block, 1));
    medium.obey(&Order::Trap(Trap { mischief: Mischief::Stale, when: TrapTrigger::Nth(1) }));
    assert!(holds(&medium, 11, 1), "not written since: it has nothing older");
    [2, 3].into_iter().for_each(|value| put(&medium, 10, value));
    assert_eq!(medium.deeds().armed, 1);
    assert!(holds(&medium, 10, 2));
    assert!(holds(&medium, 10, 3), "once");
    assert_eq!(medium.deeds().injected[Mischief::Stale.kind().1], 1);
}

#[test]
fn a_place_springs_a_trap_whenever_it_is_written() {
    let medium = medium();
    let when = TrapTrigger::At(at(5) + 512..at(5) + 513);
    medium.obey(&Order::Trap(Trap { mischief: Mischief::Torn(1), when }));
    [4, 6, 5].into_iter().for_each(|block| put(&medium, block, 2));
    assert!(holds(&medium, 4, 2) && holds(&medium, 6, 2));
    assert_eq!(held(&medium, 5), [&[2; 1024][..], &[0; BLOCK - 1024]].concat());
}

#[test]
fn a_power_cut_drops_what_was_not_flushed() {
    let medium = medium();
    put(&medium, 1, 1);
    medium.obey(&Order::Cache(true));
    put(&medium, 1, 2);
    medium.flush();
    [1, 2].into_iter().for_each(|block| put(&medium, block, 3));
    medium.write(at(3), &[4; BLOCK], true);
    assert!(holds(&medium, 1, 3) && holds(&medium, 2, 3), "until then it is there");
    let before = medium.cuts();
    medium.obey(&Order::PowerCut(Survives::Nothing));
    assert!(holds(&medium, 1, 2) && holds(&medium, 2, 0) && holds(&medium, 3, 4));
    assert_eq!((medium.deeds().dropped_sectors, medium.cuts()), (16, before + 1));
    put(&medium, 1, 5);
    medium.obey(&Order::Cache(false));
    medium.obey(&Order::PowerCut(Survives::Nothing));
    assert!(holds(&medium, 1, 5), "stored when the cache was taken away");
}

#[test]
fn a_liar_answers_flushes_and_loses_everything() {
    let medium = medium();
    medium.obey(&Order::Cache(true));
    medium.obey(&Order::Lie(true));
    put(&medium, 1, 1);
    medium.write(at(2), &[2; BLOCK], true);
    medium.flush();
    medium.obey(&Order::PowerCut(Survives::Nothing));
    assert!(holds(&medium, 1, 0) && holds(&medium, 2, 0));
}

#[test]
fn a_part_can_survive_in_sectors_or_whole_blocks() {
    for (unit_bytes, parts) in [(4096, 1), (512, 8)] {
        let medium = medium();
        medium.obey(&Order::Cache(true));
        (0..64).for_each(|block| put(&medium, block, 1));
        medium.obey(&Order::PowerCut(Survives::Some { seed: 3, unit_bytes }));
        let ones: Vec<usize> =
            (0..64).map(|block| held(&medium, block).iter().filter(|byte| **byte == 1).count()).collect();
        let part = BLOCK / parts;
        assert!(ones.iter().all(|ones| ones % part == 0), "{ones:?}");
        let kept: usize = ones.iter().sum();
        assert_eq!(kept / SECTOR_BYTES + usize::try_from(medium.deeds().dropped_sectors).unwrap(), 512);
        assert!(kept > 0 && kept < 64 * BLOCK);
    }
}
