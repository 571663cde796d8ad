//! Pages of PostgreSQL (layout version 4, since 8.3; checksums since 9.3).
//!
//! The checksum of 16 bits includes the number of the block in its relation, which is not in the page. In a file it follows from the
//! place in the file and the number of the segment. On a device it is recovered from the neighbours: pages beside it on
//! the same leg. For each neighbour one number in 65535 fits by chance; a number that fits three or more in a row does not.
//! Without checksums or neighbours, only the header can be checked, which makes nothing certain. Must not read a page's rows.

use super::letter;
use super::pages::{PageCopy, by_checksum, le};
use super::window::{Certainty, PageJudge, Part, Window};

/// The usual size first.
const SIZES: [usize; 4] = [8192, 4096, 16384, 32768];
const HEADER_BYTES: u64 = 24;
const LAYOUT_VERSION: u64 = 4;
const SEGMENT_BYTES: u64 = 1 << 30;
/// Neighbours on each side that are asked.
const REACH: i64 = 8;
/// Neighbours that have to fit one number.
const LEAST_FITTING: usize = 3;
const LANES: usize = 32;
const PRIME: u32 = 16_777_619;
const START: [u32; LANES] = [
    0x5B1F_36E9,
    0xB852_5960,
    0x02AB_50AA,
    0x1DE6_6D2A,
    0x79FF_467A,
    0x9BB9_F8A3,
    0x217E_7CD2,
    0x83E1_3D2C,
    0xF8D4_474F,
    0xE39E_B970,
    0x42C6_AE16,
    0x9932_16FA,
    0x7B09_3B5D,
    0x98DA_FF3C,
    0xF718_902A,
    0x0B1C_9CDB,
    0xE58F_764B,
    0x1876_36BC,
    0x5D7B_3BB1,
    0xE73D_E7DE,
    0x92BE_C979,
    0xCCA6_C0B2,
    0x304A_0979,
    0x85AA_43D4,
    0x7831_25BB,
    0x6CA8_EAA2,
    0xE407_EAC6,
    0x4B5C_FC3E,
    0x9FBF_8C76,
    0x15CA_20BE,
    0xF2CA_9FD3,
    0x959B_D756,
];

/// What the page that contains the block at `at` says; `None` if no copy looks like a page.
pub(super) fn judge(window: &Window<'_>, at: usize) -> Option<(Part, PageJudge)> {
    SIZES.iter().find_map(|&size| window.starts(at, size).find_map(|start| judge_page(window, start, size)))
}

fn judge_page(window: &Window<'_>, start: usize, size: usize) -> Option<(Part, PageJudge)> {
    let copies = 0..window.copies.len();
    let all: Vec<Option<&[u8]>> = copies.map(|copy| window.bytes(copy, start, size)).collect();
    let sane: Vec<usize> =
        (0..all.len()).filter(|&copy| all[copy].is_some_and(|page| is_sane(page, size))).collect();
    let &first = sane.first()?;
    let part = Part { start, len: size };
    let unchecked = sane.iter().all(|&copy| all[copy].is_some_and(|page| le(page, 8, 2) == 0));
    let numbers = if unchecked { Vec::new() } else { numbers(window, start, size) };
    let checked = |number: &u32| {
        let whole: Vec<bool> =
            all.iter().map(|page| holds(page.unwrap_or_default(), *number, size)).collect();
        whole.contains(&true).then_some((*number, whole))
    };
    if let Some((number, whole)) = numbers.iter().find_map(checked) {
        let copied: Vec<PageCopy<'_>> = std::iter::zip(&all, whole)
            .map(|(&bytes, whole)| PageCopy { bytes, whole, lsn: lsn(bytes.unwrap_or_default()) })
            .collect();
        let says = by_checksum(&copied, &format!("its checksum is that of block {number}"))?;
        return Some((part, says));
    }
    Some((part, by_header(&sane, first, all.len(), &numbers)))
}

/// What the headers say if no checksum is right.
fn by_header(sane: &[usize], first: usize, count: usize, numbers: &[u32]) -> PageJudge {
    if !numbers.is_empty() {
        return PageJudge::unknown("no copy has a matching checksum".to_owned());
    }
    if sane.len() < count {
        let why = format!(
            "only {} has a valid header; checksums are off, or the block number is unknown",
            letter(first)
        );
        return if sane.len() == 1 {
            PageJudge::of(first, Certainty::Likely, why)
        } else {
            PageJudge::unknown(
                "several copies have a valid header, but no checksum can be verified".to_owned(),
            )
        };
    }
    PageJudge::unknown(
        "all have a valid header; checksums are off, or the block number is unknown".to_owned(),
    )
}

/// Whether it begins like a page of this size.
fn is_sane(page: &[u8], size: usize) -> bool {
    let (lower, upper, special) = (le(page, 12, 2), le(page, 14, 2), le(page, 16, 2));
    page.len() == size
        && le(page, 18, 2) == size as u64 | LAYOUT_VERSION
        && le(page, 10, 2) <= 7
        && (HEADER_BYTES..=upper).contains(&lower)
        && upper <= special
        && special <= size as u64
        && special.is_multiple_of(8)
}

fn lsn(page: &[u8]) -> u64 {
    le(page, 0, 4) << 32 | le(page, 4, 4)
}

fn holds(page: &[u8], number: u32, size: usize) -> bool {
    is_sane(page, size) && le(page, 8, 2) == u64::from(reduced(hash(page), number))
}

/// The checksum of the page, without the number of its block.
fn hash(page: &[u8]) -> u32 {
    let mut lanes = START;
    let mix = |lane: &mut u32, value: u32| {
        let mixed = *lane ^ value;
        *lane = mixed.wrapping_mul(PRIME) ^ mixed >> 17;
    };
    for (row, words) in page.chunks_exact(4 * LANES).enumerate() {
        for (index, (lane, word)) in lanes.iter_mut().zip(words.chunks_exact(4)).enumerate() {
            let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            // The checksum itself counts as zero: the lower half of the third word.
            mix(lane, if (row, index) == (0, 2) { value & 0xffff_0000 } else { value });
        }
    }
    for _ in 0..2 {
        lanes.iter_mut().for_each(|lane| mix(lane, 0));
    }
    lanes.iter().fold(0, |all, lane| all ^ lane)
}

fn reduced(hash: u32, number: u32) -> u16 {
    // Below 65536, so nothing is cut off.
    u16::try_from((hash ^ number) % 65535 + 1).unwrap_or(u16::MAX)
}

/// A neighbour: how many pages away, its hash and its checksum.
struct Neighbour {
    away: i64,
    hash: u32,
    checksum: u16,
}

/// The numbers that the page at `start` may have.
fn numbers(window: &Window<'_>, start: usize, size: usize) -> Vec<u32> {
    let mut found = Vec::new();
    if let Some((file_at, segment)) = window.in_file {
        let (place, size) = (file_at + start as u64, size as u64);
        let number = u64::from(segment) * (SEGMENT_BYTES / size) + place / size;
        if let (true, Ok(number)) = (place.is_multiple_of(size), u32::try_from(number)) {
            found.push(number);
        }
    }
    for copy in 0..window.copies.len() {
        for number in recovered(&neighbours(window, copy, start, size), &found) {
            found.push(number);
        }
    }
    found
}

fn neighbours(window: &Window<'_>, copy: usize, start: usize, size: usize) -> Vec<Neighbour> {
    let mut away: Vec<i64> = (-REACH..=REACH).filter(|&away| away != 0).collect();
    away.sort_by_key(|away| away.abs());
    let neighbour = |away: i64| {
        let at = i64::try_from(start).ok()? + away * i64::try_from(size).ok()?;
        let page = window.bytes(copy, usize::try_from(at).ok()?, size)?;
        let checksum = u16::try_from(le(page, 8, 2)).ok().filter(|&checksum| checksum > 0)?;
        is_sane(page, size).then(|| Neighbour { away, hash: hash(page), checksum })
    };
    away.into_iter().filter_map(neighbour).collect()
}

impl Neighbour {
    /// Whether its checksum is right if the page in question has this number.
    fn fits(&self, number: u32) -> bool {
        let own = u32::try_from(i64::from(number) + self.away);
        own.is_ok_and(|own| reduced(self.hash, own) == self.checksum)
    }
}

/// Numbers of the page between these neighbours that enough of them fit, without those that are known. The pages of two relations may
/// meet here, so there can be two.
fn recovered(neighbours: &[Neighbour], known: &[u32]) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    for base in neighbours {
        // What is explained already need not be searched for.
        if known.iter().chain(&found).any(|&number| base.fits(number)) {
            continue;
        }
        let first = u32::from(base.checksum) - 1;
        let fitting = (first..=u32::MAX).step_by(65535).map(|value| i64::from(value ^ base.hash) - base.away);
        let counted = fitting.filter_map(|number| u32::try_from(number).ok()).map(|number| {
            let count = neighbours.iter().filter(|other| other.fits(number)).count();
            (count, number)
        });
        found.extend(counted.max().filter(|&(count, _)| count >= LEAST_FITTING).map(|(_, number)| number));
    }
    found
}

#[cfg(test)]
mod tests;
