//! Every fault is named correctly, and nothing else is reported.

mod faults;
mod order;

use super::*;
use crate::load::volume::Place;
use block::{BLOCK_BYTES, SECTOR_BYTES};

const SEED: u64 = 7;
const HERE: Place = Place { target: 3, offset: 1 << 20 };

fn written(place: Place, generation: u64) -> Vec<u8> {
    written_by(SEED, place, generation)
}

fn written_by(seed: u64, place: Place, generation: u64) -> Vec<u8> {
    let mut bytes = vec![0; BLOCK_BYTES];
    block::fill(seed, place, generation, &mut bytes);
    bytes
}

/// A block whose sectors from `from` on are those of another.
fn joined(first: &[u8], from: usize, rest: &[u8]) -> Vec<u8> {
    let at = from * SECTOR_BYTES;
    [&first[..at], &rest[at..]].concat()
}

fn judged(expected: GenerationRange, bytes: &[u8]) -> Option<Diagnosis> {
    check(SEED, HERE, expected, bytes).err()
}

fn fault(expected: GenerationRange, bytes: &[u8]) -> Option<Fault> {
    judged(expected, bytes).map(|seen| seen.fault)
}
