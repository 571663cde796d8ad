//! Pages as all databases have them: which of the copies are whole, and what to say of that. Must not know a format.

use super::judge::{Certainty, Says};
use super::letter;

/// One copy of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Copied<'a> {
    pub bytes: Option<&'a [u8]>,
    /// Whether its checksum holds at its place.
    pub whole: bool,
    /// When it was written, as the database counts.
    pub lsn: u64,
}

/// What the checksums say. `what` is what holds of the right one: `its checksum is that of block 131`.
pub(super) fn by_checksum(copies: &[Copied<'_>], what: &str) -> Option<Says> {
    let whole: Vec<usize> = (0..copies.len()).filter(|&copy| copies[copy].whole).collect();
    let &first = whole.first()?;
    let alike = whole.iter().all(|&copy| copies[copy].bytes == copies[first].bytes);
    if whole.len() < copies.len() && alike {
        let others: String = (0..copies.len()).filter(|copy| !whole.contains(copy)).map(letter).collect();
        let why = format!("{what}, that of {others} is not");
        return Some(Says::of(first, Certainty::Certain, why));
    }
    let newest = whole.iter().copied().max_by_key(|&copy| copies[copy].lsn)?;
    let lsn = copies[newest].lsn;
    let newer = whole.iter().filter(|&&copy| copies[copy].lsn == lsn).count() == 1;
    Some(if newer {
        let why = format!("more than one is whole; {} was written last (LSN {lsn:x})", letter(newest));
        Says::of(newest, Certainty::Likely, why)
    } else {
        Says::unknown(format!("more than one is whole, of the same LSN ({lsn:x})"))
    })
}

/// Unsigned numbers of a page, as its database orders the bytes.
pub(super) fn be(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes.get(at..at + len).unwrap_or_default().iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

pub(super) fn le(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes
        .get(at..at + len)
        .unwrap_or_default()
        .iter()
        .rev()
        .fold(0, |value, &byte| value << 8 | u64::from(byte))
}
