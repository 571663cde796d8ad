//! What blocks say, one fault after the other.

use super::*;
use crate::guard::scratch;
use crate::load::draw::Generator;
use proptest::prelude::*;

const FIVE: GenerationRange = GenerationRange::only(5);
const FOUR_OR_FIVE: GenerationRange = GenerationRange { oldest: 4, newest: 5 };
/// Written once at most.
const FIRST: GenerationRange = GenerationRange { oldest: 0, newest: 1 };

#[test]
fn a_flipped_bit_is_corrupt_and_found_wherever_it_is() {
    for bit in (0..BLOCK_BYTES * 8).step_by(61) {
        let mut bytes = written(HERE, 5);
        bytes[bit / 8] ^= 1 << (bit % 8);
        let seen = judged(FIVE, &bytes).unwrap();
        let at = u32::try_from(bit).unwrap();
        assert_eq!(seen.fault, Fault::Corrupt { bits: 1, first_bit: at, last_bit: at });
        assert_eq!(seen.sectors, 1 << (bit / 8 / SECTOR_BYTES));
        let differs =
            seen.found.iter().zip(seen.expected).filter(|(found, wanted)| **found != *wanted).count();
        assert_eq!(differs, 1, "the excerpts show it");
    }
}

#[test]
fn many_wrong_bytes_are_corrupt_from_the_first_to_the_last() {
    let mut bytes = written(HERE, 4);
    bytes[600] ^= 0x18;
    bytes[900] ^= 0x80;
    let corrupt = Fault::Corrupt { bits: 3, first_bit: 4803, last_bit: 7207 };
    assert_eq!(fault(FOUR_OR_FIVE, &bytes), Some(corrupt));
    // Also in a write that should no longer be there: what is wrong with it is told first.
    assert_eq!(fault(GenerationRange::only(9), &bytes), Some(corrupt));
    let mut bytes = written(HERE, 5);
    Generator::new(1, &[]).fill(&mut bytes[512..1024]);
    let seen = judged(FIVE, &bytes).unwrap();
    assert!(matches!(seen.fault, Fault::Corrupt { bits: 1500.., .. }), "{seen:?}");
    assert_eq!(seen.sectors, 0b10);
}

#[test]
fn sectors_of_two_writes_are_torn() {
    let [old, new] = [4, 5].map(|generation| written(HERE, generation));
    let torn = Fault::Torn { older: 4, newer: 5 };
    for from in 1..8 {
        let seen = judged(FIVE, &joined(&new, from, &old)).unwrap();
        assert_eq!((seen.fault, seen.sectors), (torn, u8::MAX << from));
        assert_eq!(usize::from(seen.at), from * SECTOR_BYTES + 16, "the first difference is the generation");
        assert_eq!(fault(FIVE, &joined(&old, from, &new)), Some(torn));
        assert_eq!(fault(FOUR_OR_FIVE, &joined(&new, from, &old)), None, "the write is not over");
        assert_eq!(
            fault(FIVE, &joined(&old, from, &written(HERE, 2))),
            Some(Fault::Torn { older: 2, newer: 4 })
        );
        let before = Fault::Torn { older: 2, newer: 5 };
        assert_eq!(fault(FOUR_OR_FIVE, &joined(&new, from, &written(HERE, 2))), Some(before));
    }
}

#[test]
fn the_first_write_can_be_torn_over_anything() {
    let new = written(HERE, 1);
    let mut scratch_block = vec![0; BLOCK_BYTES];
    scratch::block(9, HERE.offset, &mut scratch_block);
    for before in [vec![0; BLOCK_BYTES], vec![0xa5; BLOCK_BYTES], scratch_block, written_by(8, HERE, 6)] {
        let torn = joined(&new, 3, &before);
        assert_eq!(fault(GenerationRange::only(1), &torn), Some(Fault::Torn { older: 0, newer: 1 }));
        assert_eq!((fault(FIRST, &torn), fault(FIRST, &before)), (None, None));
        assert_eq!(fault(GenerationRange::only(0), &before), None, "nothing was written there");
        assert_eq!(fault(GenerationRange::only(0), &new), Some(Fault::Ahead { generation: 1 }));
    }
}

#[test]
fn a_block_of_another_place_names_it() {
    for place in [Place { offset: 8192, ..HERE }, Place { target: 1, ..HERE }, Place { target: 0, offset: 0 }]
    {
        let strayed = written(place, 5);
        let wanted =
            Fault::Misdirected { from_target: place.target, from_offset: place.offset, generation: 5 };
        assert_eq!(fault(FIVE, &strayed), Some(wanted));
        assert_eq!(fault(FIRST, &strayed), Some(wanted), "nobody wrote it there before");
        let part = judged(FIVE, &joined(&written(HERE, 5), 6, &strayed)).unwrap();
        assert_eq!((part.fault, part.sectors), (wanted, 0b1100_0000));
    }
    // Shifted by a sector: the block that lies there begins one further on.
    let shifted = [&written(HERE, 5)[SECTOR_BYTES..], &[0; SECTOR_BYTES]].concat();
    let from_offset = HERE.offset + SECTOR_BYTES as u64;
    let wanted = Fault::Misdirected { from_target: HERE.target, from_offset, generation: 5 };
    assert_eq!(fault(FIVE, &shifted), Some(wanted));
}

#[test]
fn an_older_write_is_stale_by_its_age() {
    assert_eq!(fault(FIVE, &written(HERE, 4)), Some(Fault::Stale { generation: 4, age: 1 }));
    assert_eq!(fault(FIVE, &written(HERE, 1)), Some(Fault::Stale { generation: 1, age: 4 }));
    assert_eq!(fault(FOUR_OR_FIVE, &written(HERE, 3)), Some(Fault::Stale { generation: 3, age: 1 }));
    assert_eq!(fault(FOUR_OR_FIVE, &written(HERE, 6)), Some(Fault::Ahead { generation: 6 }));
    let mut filled = vec![0; BLOCK_BYTES];
    scratch::block(9, HERE.offset, &mut filled);
    assert_eq!(fault(GenerationRange::only(1), &filled), Some(Fault::Stale { generation: 0, age: 1 }));
    scratch::block(9, HERE.offset + 4096, &mut filled);
    assert_eq!(fault(GenerationRange::only(1), &filled), Some(Fault::Foreign { seed: None }));
}

#[test]
fn what_nobody_of_this_run_wrote_is_zeroed_or_foreign() {
    let zeros = vec![0; BLOCK_BYTES];
    assert_eq!(fault(FIVE, &zeros), Some(Fault::Zeroed));
    let seen = judged(FIVE, &joined(&written(HERE, 5), 7, &zeros)).unwrap();
    assert_eq!((seen.fault, seen.sectors), (Fault::Zeroed, 0x80));
    assert_eq!(fault(FIVE, &written_by(8, HERE, 5)), Some(Fault::Foreign { seed: Some(8) }));
    let mut noise = zeros;
    Generator::new(1, &[]).fill(&mut noise);
    assert_eq!(fault(FIVE, &noise), Some(Fault::Foreign { seed: None }));
    assert_eq!(fault(FIVE, &[0xff; BLOCK_BYTES]), Some(Fault::Foreign { seed: None }));
}

#[test]
fn what_was_never_written_may_hold_anything() {
    let mut few_bits = vec![0; BLOCK_BYTES];
    few_bits[9] = 1;
    for bytes in [&few_bits[..], &[0xff; BLOCK_BYTES], &written_by(8, HERE, 5)] {
        assert_eq!((fault(GenerationRange::only(0), bytes), fault(FIRST, bytes)), (None, None));
    }
}

/// The device answers the write after a read of its block came back: the read knew two writes that could be there, the next one knows one.
#[test]
fn a_fault_that_is_read_while_its_write_is_in_flight_counts_once() {
    let zeros = vec![0; BLOCK_BYTES];
    let seen_with = |expected| Finding::new(77, HERE, expected, &judged(expected, &zeros).unwrap());
    let mut verified = VerifyCounts::new();
    verified.found(seen_with(FOUR_OR_FIVE));
    let _ = verified.taken();
    verified.found(seen_with(FIVE));
    assert_eq!((verified.faults.zeroed, verified.again), (0, 1), "the spoilt write is the same one");
    verified.found(seen_with(GenerationRange::only(6)));
    assert_eq!((verified.faults.zeroed, verified.again), (1, 1), "the next write was spoilt as well");
}

#[test]
fn findings_read_back_and_are_bounded() {
    let seen = judged(FIVE, &written(HERE, 3)).unwrap();
    let one = Finding::new(77, HERE, FIVE, &seen);
    let mut verified = VerifyCounts { checked: 100, ..VerifyCounts::new() };
    for number in 0..u64::try_from(MOST_FINDINGS).unwrap() + 9 {
        verified.found(Finding { at_ns: number, offset: number * 4096, ..one });
        verified.found(Finding { at_ns: number + 1, offset: number * 4096, ..one });
    }
    let blind = unreadable(SEED, HERE, FIVE, 5);
    verified
        .add(&VerifyCounts { findings: vec![Finding::new(2, HERE, FIVE, &blind)], ..VerifyCounts::new() });
    let most = MOST_FINDINGS as u64;
    assert_eq!(verified.findings.len(), MOST_FINDINGS);
    assert_eq!((verified.faults.stale, verified.again), (most + 18, most), "known is what is kept");
    assert_eq!(verified.findings[3].fault, Fault::Unreadable { errno: 5 });
    let text = serde_json::to_string(&verified).unwrap();
    assert!(text.contains(r#""fault":"stale","generation":3,"age":2"#), "{text}");
    assert_eq!(serde_json::from_str::<VerifyCounts>(&text).unwrap(), verified);
    assert!(Excerpt::try_from("0g".repeat(32)).is_err() && Excerpt::try_from("00".repeat(31)).is_err());
}

proptest! {
    #[test]
    fn a_write_is_accused_when_it_may_not_be_there_and_only_then(
        seed: u64, target: u16, block_number in 0_u64..1 << 50, oldest in 0_u64..9, open in 0_u64..3, generation in 1_u64..15,
    ) {
        let place = Place { target, offset: block_number * BLOCK_BYTES as u64 };
        let expected = GenerationRange { oldest, newest: oldest + open };
        let bytes = written_by(seed, place, generation);
        prop_assert_eq!(block::whole(seed, place, &bytes), Some(generation));
        prop_assert_eq!(check(seed, place, expected, &bytes).is_ok(), expected.admits(generation));
    }

    #[test]
    fn any_damage_to_a_sector_shows(bits in prop::collection::btree_set(0..BLOCK_BYTES * 8, 1..200)) {
        let mut bytes = written(HERE, 5);
        bits.iter().for_each(|bit| bytes[bit / 8] ^= 1 << (bit % 8));
        let count = u32::try_from(bits.len()).unwrap();
        let ends = [bits.first(), bits.last()].map(|bit| u32::try_from(*bit.unwrap()).unwrap());
        let corrupt = Fault::Corrupt { bits: count, first_bit: ends[0], last_bit: ends[1] };
        prop_assert_eq!(fault(FIVE, &bytes), Some(corrupt));
    }

    #[test]
    fn any_mixture_of_two_possible_writes_is_admitted_while_one_is_open(mask: u8) {
        let [old, new] = [4, 5].map(|generation| written(HERE, generation));
        let sector = |number: usize| {
            let from = if mask >> number & 1 == 1 { &new } else { &old };
            &from[number * SECTOR_BYTES..(number + 1) * SECTOR_BYTES]
        };
        let mixed = (0..8).map(sector).collect::<Vec<_>>().concat();
        prop_assert_eq!(fault(FOUR_OR_FIVE, &mixed), None);
        let torn = Some(Fault::Torn { older: 4, newer: 5 });
        let closed = match mask { 0 => Some(Fault::Stale { generation: 4, age: 1 }), 0xff => None, _ => torn };
        prop_assert_eq!(fault(FIVE, &mixed), closed);
    }

    #[test]
    fn no_bytes_make_the_check_panic(bytes in prop::collection::vec(any::<u8>(), BLOCK_BYTES), head: bool, oldest in 0_u64..3) {
        let mut bytes = bytes;
        if head {
            bytes[..8].copy_from_slice(b"RigelVer");
        }
        prop_assert_eq!(check(SEED, HERE, GenerationRange { oldest, newest: 3 }, &bytes).is_err(), oldest > 0);
    }
}
