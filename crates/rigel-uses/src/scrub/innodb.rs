//! Pages of InnoDB: MySQL from 5.1 on, MariaDB. The page holds its own number, which its checksum of 32 bits covers, so a page can be
//! checked alone. Pages that the server encrypted or compressed are not known. Must not read a page's rows.

use super::crc32c::crc32c;
use super::letter;
use super::pages::{PageCopy, be, by_checksum};
use super::window::{PageJudge, Part, Window};

/// The usual size first.
const SIZES: [usize; 5] = [16384, 8192, 4096, 32768, 65536];
/// End of the head; between 26 and here are fields that no checksum but the full one covers.
const HEAD_BYTES: usize = 38;
const RANDOM: u32 = 1_463_735_687;
const RANDOM_2: u32 = 1_653_893_711;

/// How a page is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    /// `full_crc32`, of MariaDB from 10.5 on.
    Full,
    /// `crc32`, of MySQL from 5.7 on and of MariaDB.
    Crc32,
    /// `innodb`, of MySQL up to 5.6.
    Legacy,
}

impl Check {
    const fn name(self) -> &'static str {
        match self {
            Self::Full => "full_crc32",
            Self::Crc32 => "crc32",
            Self::Legacy => "innodb",
        }
    }
}

/// What the page that contains the block at `at` says; `None` if no copy is a whole page.
pub(super) fn judge(window: &Window<'_>, at: usize) -> Option<(Part, PageJudge)> {
    SIZES.iter().find_map(|&size| window.starts(at, size).find_map(|start| judge_page(window, start, size)))
}

fn judge_page(window: &Window<'_>, start: usize, size: usize) -> Option<(Part, PageJudge)> {
    let copies = 0..window.copies.len();
    let all: Vec<Option<&[u8]>> = copies.map(|copy| window.bytes(copy, start, size)).collect();
    let checks: Vec<Option<Check>> = all.iter().map(|page| check(page.unwrap_or_default())).collect();
    let first = checks.iter().position(Option::is_some)?;
    let (check, page) = (checks[first]?, all[first]?);
    let part = Part { start, len: size };
    let expected = expected_number(window, start, size);
    let fits = |page: &[u8]| expected.is_none_or(|number| number == number_of(page));
    let copied: Vec<PageCopy<'_>> = std::iter::zip(&all, &checks)
        .map(|(&bytes, check)| PageCopy {
            bytes,
            whole: check.is_some() && bytes.is_some_and(fits),
            lsn: be(bytes.unwrap_or_default(), 16, 8),
        })
        .collect();
    let what =
        format!("its checksum ({}) is that of page {}", check.name(), expected.unwrap_or(number_of(page)));
    let says = by_checksum(&copied, &what).unwrap_or_else(|| {
        PageJudge::unknown(format!("{} is a whole page, but belongs elsewhere", letter(first)))
    });
    Some((part, says))
}

const fn is_unlikely_number(number: u64) -> bool {
    number >= u32::MAX as u64
}

fn number_of(page: &[u8]) -> u64 {
    be(page, 4, 4)
}

/// The number that the page should have, where whole pages on both sides of it say the same.
fn expected_number(window: &Window<'_>, start: usize, size: usize) -> Option<u64> {
    let number = |at: Option<usize>| {
        let at = at?;
        let mut pages = (0..window.copies.len()).filter_map(|copy| window.bytes(copy, at, size));
        pages.find(|page| check(page).is_some()).map(number_of)
    };
    let (before, after) = (number(start.checked_sub(size))?, number(start.checked_add(size))?);
    let expected = before + 1;
    (expected + 1 == after && !is_unlikely_number(expected)).then_some(expected)
}

/// The way in which the page is whole; `None` if it is not.
fn check(page: &[u8]) -> Option<Check> {
    let len = page.len();
    if len < 4096 || page.iter().all(|&byte| byte == 0) {
        return None;
    }
    let (lsn_low, ends) = (be(page, 20, 4), [be(page, len - 8, 4), be(page, len - 4, 4)]);
    let word = |value: u32| u64::from(value);
    // The end repeats a part of the head, and only where it does is anything computed.
    if ends[0] == lsn_low && word(crc32c(&page[..len - 4])) == ends[1] {
        return Some(Check::Full);
    }
    if ends[1] != lsn_low {
        return None;
    }
    let (head, body) = (&page[4..26], &page[HEAD_BYTES..len - 8]);
    let stored = be(page, 0, 4);
    let crc = crc32c(head) ^ crc32c(body);
    if word(crc) == stored && stored == ends[0] {
        return Some(Check::Crc32);
    }
    let (new, old) = (fold(head).wrapping_add(fold(body)), fold(&page[..26]));
    (word(new) == stored && word(old) == ends[0]).then_some(Check::Legacy)
}

/// The sum that InnoDB made before it had CRC-32C.
fn fold(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .map(|&byte| u32::from(byte))
        .fold(0, |sum, byte| (((sum ^ byte ^ RANDOM_2) << 8).wrapping_add(sum) ^ RANDOM).wrapping_add(byte))
}

#[cfg(test)]
mod tests {
    use super::super::judge::{Kind, judge};
    use super::super::window::{Certainty, Window};
    use super::*;

    /// A page made by the documented layout.
    fn page(number: u32, lsn: u64, check: Check, size: usize) -> Vec<u8> {
        let mut page: Vec<u8> = (0..size).map(|at| (at * 7 + number as usize).to_le_bytes()[0]).collect();
        page[4..8].copy_from_slice(&number.to_be_bytes());
        page[16..24].copy_from_slice(&lsn.to_be_bytes());
        page[24..26].copy_from_slice(&17855_u16.to_be_bytes());
        page[34..38].copy_from_slice(&9_u32.to_be_bytes());
        let low = page[20..24].to_vec();
        let put =
            |page: &mut [u8], at: usize, value: u32| page[at..at + 4].copy_from_slice(&value.to_be_bytes());
        match check {
            Check::Full => {
                page[..4].fill(0);
                page[size - 8..size - 4].copy_from_slice(&low);
                let crc = crc32c(&page[..size - 4]);
                put(&mut page, size - 4, crc);
            }
            Check::Crc32 => {
                let crc = crc32c(&page[4..26]) ^ crc32c(&page[38..size - 8]);
                put(&mut page, 0, crc);
                put(&mut page, size - 8, crc);
                page[size - 4..].copy_from_slice(&low);
            }
            Check::Legacy => {
                let new = fold(&page[4..26]).wrapping_add(fold(&page[38..size - 8]));
                put(&mut page, 0, new);
                let old = fold(&page[..26]);
                put(&mut page, size - 8, old);
                page[size - 4..].copy_from_slice(&low);
            }
        }
        page
    }

    fn window<'a>(a: &'a [u8], b: &'a [u8], at: usize) -> Window<'a> {
        Window { at: 0, copies: vec![Some(a), Some(b)], range: at..at + 4096, in_file: None }
    }

    #[test]
    fn each_checksum_and_size_names_the_right_leg() {
        for check in [Check::Full, Check::Crc32, Check::Legacy] {
            for size in SIZES {
                // Not on a border of its own size: on a device only blocks are a grid.
                let good = [vec![9; 4096], page(77, 1 << 35, check, size)].concat();
                let mut bad = good.clone();
                let hit = size / 2 + 4096;
                bad[hit] ^= 2;
                let judged = judge(&window(&bad, &good, hit / 4096 * 4096));
                assert_eq!(
                    (judged[0].right, judged[0].by),
                    (Some(1), Kind::Innodb),
                    "{check:?} {size}: {judged:?}"
                );
                assert_eq!((judged[0].at, judged[0].len), (4096, size as u64));
                assert!(judged[0].why.contains(check.name()) && judged[0].why.contains("page 77"));
            }
        }
    }

    #[test]
    fn two_whole_pages_are_told_apart_by_place_and_time() {
        let (old, new) = (page(5, 100, Check::Crc32, 16384), page(5, 200, Check::Crc32, 16384));
        let judged = judge(&window(&old, &new, 0));
        assert_eq!((judged[0].right, judged[0].certainty), (Some(1), Certainty::Likely));
        let other = page(80, 300, Check::Crc32, 16384);
        let around = |middle: &[u8]| {
            [&page(4, 90, Check::Crc32, 16384)[..], middle, &page(6, 90, Check::Crc32, 16384)].concat()
        };
        let judged = judge(&window(&around(&old), &around(&other), 16384));
        // Another page may have been written there later.
        assert_eq!((judged[0].right, judged[0].certainty), (Some(0), Certainty::Likely), "{judged:?}");
    }

    #[test]
    fn zeros_and_noise_are_no_pages() {
        assert_eq!(check(&[0; 16384]), None);
        assert_eq!(check(&[7; 16384]), None);
        assert_eq!(check(&[]), None);
    }
}
