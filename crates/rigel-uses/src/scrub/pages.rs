//! Pages in general: which of the copies are intact, and what follows. Must not know a format.

use super::letter;
use super::window::{Certainty, PageJudge};

/// One copy of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageCopy<'a> {
    pub bytes: Option<&'a [u8]>,
    /// Whether its checksum is right for its place.
    pub whole: bool,
    /// When it was written, as the database counts.
    pub lsn: u64,
}

/// What the checksums say. `what` describes the right one: `its checksum is that of block 131`.
pub(super) fn by_checksum(copies: &[PageCopy<'_>], what: &str) -> Option<PageJudge> {
    let whole: Vec<usize> = (0..copies.len()).filter(|&copy| copies[copy].whole).collect();
    let &first = whole.first()?;
    let alike = whole.iter().all(|&copy| copies[copy].bytes == copies[first].bytes);
    if whole.len() < copies.len() && alike {
        let others: String = (0..copies.len()).filter(|copy| !whole.contains(copy)).map(letter).collect();
        let why = format!("{what}, that of {others} is not");
        // Space is used again: a copy that lost the later write is a whole page of before.
        let damaged = (0..copies.len())
            .filter(|copy| !whole.contains(copy))
            .all(|copy| is_damage_of(copies[first].bytes, copies[copy].bytes));
        let certainty = if damaged { Certainty::Certain } else { Certainty::Likely };
        return Some(PageJudge::of(first, certainty, why));
    }
    let newest = whole.iter().copied().max_by_key(|&copy| copies[copy].lsn)?;
    let lsn = copies[newest].lsn;
    let newer = whole.iter().filter(|&&copy| copies[copy].lsn == lsn).count() == 1;
    Some(if newer {
        let why = format!("more than one is whole; {} was written last (LSN {lsn:x})", letter(newest));
        PageJudge::of(newest, Certainty::Likely, why)
    } else {
        PageJudge::unknown(format!("more than one is whole, with the same LSN ({lsn:x})"))
    })
}

/// Whether a copy looks like a damaged version of a complete one, and not like other data that replaced it: it cannot
/// be read, or most of its sectors are equal.
pub(super) fn is_damage_of(whole: Option<&[u8]>, other: Option<&[u8]>) -> bool {
    const SECTOR_BYTES: usize = 512;
    let (Some(whole), Some(other)) = (whole, other) else { return other.is_none() };
    let sectors = || whole.chunks(SECTOR_BYTES).zip(other.chunks(SECTOR_BYTES));
    2 * sectors().filter(|(one, other)| one == other).count() >= sectors().count()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_replaced_a_page_is_no_damage_of_it() {
        let whole = vec![7; 8192];
        let damaged = [vec![9; 4096], vec![7; 4096]].concat();
        let says = |other: Option<&[u8]>| {
            let right = PageCopy { bytes: Some(&whole[..]), whole: true, lsn: 0 };
            by_checksum(&[right, PageCopy { bytes: other, whole: false, lsn: 0 }], "it").unwrap().certainty
        };
        assert_eq!(says(Some(&damaged)), Certainty::Certain);
        assert_eq!(says(None), Certainty::Certain, "it cannot be read");
        // Other data that was written later, and an extent that was given back.
        assert_eq!(says(Some(&[3; 8192])), Certainty::Likely);
        assert_eq!(says(Some(&[0; 8192])), Certainty::Likely);
    }
}
