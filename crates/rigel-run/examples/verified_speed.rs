//! `verified_speed MIB`: fills so much memory with verified blocks and checks them, each time all of it, by one thread, and prints both rates in
//! GB/s. `cargo xtask bench` runs it.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "the rates are what it is asked for")]

use rigel_core::load::volume::Place;
use rigel_core::units::{MIB, to_f64};
use rigel_core::verify::block::{self, BLOCK_BYTES};
use rigel_core::verify::{GenerationRange, check};
use std::error::Error;
use std::time::Instant;

const SEED: u64 = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let mib: u64 = std::env::args().nth(1).ok_or("MIB is missing")?.parse()?;
    // Written once, so that no time goes to the first touch of its pages.
    let mut memory = vec![1_u8; usize::try_from(mib * MIB)?];
    let places = || (0..).step_by(BLOCK_BYTES).map(|offset| Place { target: 0, offset });
    let filled = gb_per_s(memory.len(), || {
        for (place, bytes) in places().zip(memory.chunks_exact_mut(BLOCK_BYTES)) {
            block::fill(SEED, place, 5, bytes);
        }
        0
    })?;
    let checked = gb_per_s(memory.len(), || {
        let expected = GenerationRange::only(5);
        places()
            .zip(memory.chunks_exact(BLOCK_BYTES))
            .filter(|(place, bytes)| check(SEED, *place, expected, bytes).is_err())
            .count()
    })?;
    println!("{filled:.2} {checked:.2}");
    Ok(())
}

/// How fast all of the memory was gone through; `wrong` returns how many blocks are.
fn gb_per_s(bytes: usize, wrong: impl FnOnce() -> usize) -> Result<f64, Box<dyn Error>> {
    let begun = Instant::now();
    if wrong() > 0 {
        return Err("blocks are wrong that were just written".into());
    }
    Ok(to_f64(u64::try_from(bytes)?) / begun.elapsed().as_secs_f64() / 1e9)
}
