use super::*;
use crate::guard::scratch::{block, write_stamps};
use crate::load::draw::Generator;

const FILL: u64 = 11;
const RUN: u64 = 22;

/// A scratch file's bytes from `offset` on.
fn filled(seed: u64, offset: u64, bytes: usize) -> Vec<u8> {
    let first = offset / BLOCK_BYTES as u64 * BLOCK_BYTES as u64;
    let skip = usize::try_from(offset - first).unwrap();
    let mut all = vec![0; (skip + bytes).next_multiple_of(BLOCK_BYTES)];
    for (at, out) in (first..).step_by(BLOCK_BYTES).zip(all.chunks_exact_mut(BLOCK_BYTES)) {
        block(seed, at, out);
    }
    all[skip..skip + bytes].to_vec()
}

fn looked(looks: u64, buffer: &[u8], offset: u64, stamps: Option<&Stamps>) -> ReadLook {
    let mut look = ReadLook::default();
    let mut generator = Generator::new(3, &[]);
    (0..looks).for_each(|_| look.take(buffer, offset, stamps, generator.bits()));
    assert_eq!(look.sampled, looks);
    look
}

#[test]
fn every_size_and_alignment_of_a_scratch_file_is_right() {
    let stamps = Stamps::new(FILL, RUN, false);
    for bytes in [512, 1024, 2048, 4096, 6144, 8192, 1 << 20] {
        for chunk in [0, 1, 3, 1000] {
            let offset = chunk * bytes as u64;
            let look = looked(40, &filled(FILL, offset, bytes), offset, Some(&stamps));
            assert_eq!((look.zero_blocks, look.wrong_stamps), (0, 0), "{bytes} bytes at {offset}");
        }
    }
}

#[test]
fn what_this_run_wrote_is_right_too() {
    let stamps = Stamps::new(FILL, RUN, false);
    let mut written = vec![0x5a; 8192];
    write_stamps(RUN, 16384, &mut written);
    assert_eq!(looked(20, &written, 16384, Some(&stamps)).wrong_stamps, 0);
    // A block of another run can only be in a file that another run could write to.
    write_stamps(33, 16384, &mut written);
    assert_eq!(looked(20, &written, 16384, Some(&stamps)).wrong_stamps, 20);
    assert_eq!(looked(20, &written, 16384, Some(&Stamps::new(FILL, RUN, true))).wrong_stamps, 0);
}

#[test]
fn blocks_from_elsewhere_and_foreign_bytes_are_wrong() {
    let stamps = Stamps::new(FILL, RUN, true);
    let misplaced = filled(FILL, 0, 8192);
    assert_eq!(looked(20, &misplaced, 1 << 20, Some(&stamps)).wrong_stamps, 20);
    let look = looked(20, &[0x5a; 8192], 0, Some(&stamps));
    assert_eq!((look.wrong_stamps, look.zero_blocks), (20, 0));
    assert_eq!(looked(20, &[0x5a; 8192], 0, None), ReadLook { sampled: 20, ..ReadLook::default() });
    // Inside a block there is no stamp to be wrong.
    assert_eq!(looked(20, &[0x5a; 2048], 2048, Some(&stamps)).wrong_stamps, 0);
}

#[test]
fn zeros_are_zeros_and_not_wrong() {
    let stamps = Stamps::new(FILL, RUN, false);
    for (bytes, offset) in [(512, 512), (4096, 0), (8192, 8192), (1 << 20, 3 << 20), (64, 0), (10, 0)] {
        let look = looked(30, &vec![0; bytes], offset, Some(&stamps));
        assert_eq!((look.zero_blocks, look.wrong_stamps), (30, 0), "{bytes} bytes at {offset}");
    }
}

#[test]
fn one_zero_place_is_no_zero_block() {
    let mut head_only = vec![0; 4096];
    head_only[0] = 1;
    assert_eq!(looked(100, &head_only, 0, None).zero_blocks, 0, "a page with a header");
    let mut body_only = vec![1; 4096];
    body_only[..LOOK_BYTES].fill(0);
    assert_eq!(looked(100, &body_only, 0, None).zero_blocks, 0, "a page whose header is zero");
}

#[test]
fn every_block_and_every_place_is_looked_at_some_time() {
    // One block of 256 is zero: it is found about once in 256 looks.
    let mut large = vec![1; 1 << 20];
    for zero in [0, 100, 255] {
        large[zero * BLOCK_BYTES..][..BLOCK_BYTES].fill(0);
        let found = looked(10_000, &large, 0, None).zero_blocks;
        assert!((15..80).contains(&found), "block {zero}: {found}");
        large[zero * BLOCK_BYTES..][..BLOCK_BYTES].fill(1);
    }
    // One place of 63 behind the first is not: so rarely it passes.
    for place in [1, 30, 63] {
        let mut nearly = vec![0; BLOCK_BYTES];
        nearly[place * LOOK_BYTES + 7] = 1;
        let passed = 10_000 - looked(10_000, &nearly, 0, None).zero_blocks;
        assert!((80..240).contains(&passed), "place {place}: {passed}");
    }
}

#[test]
fn looks_add_up() {
    let mut sum = ReadLook { sampled: 1, zero_blocks: 2, wrong_stamps: 3 };
    sum.add(&ReadLook { sampled: 10, zero_blocks: 20, wrong_stamps: 30 });
    assert_eq!(sum, ReadLook { sampled: 11, zero_blocks: 22, wrong_stamps: 33 });
}
