//! Which copy of a range is right. A page with its own checksum decides; otherwise, copies can only be counted. What is not known is called
//! unknown. Must not guess: nothing is called certain on less than a checksum of 32 bits or several of 16.

use super::map::BLOCK_BYTES;
use super::{innodb, letter, own, postgres, verified};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The evidence for a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A page of PostgreSQL.
    Postgresql,
    /// A page of InnoDB (MySQL, MariaDB).
    Innodb,
    /// A block that Rigel wrote: in a scratch file, or a verified one.
    Rigel,
    /// More copies are alike than not.
    Majority,
    /// By nothing.
    None,
}

impl Kind {
    /// The words for one of its pages.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Postgresql => "PostgreSQL page",
            Self::Innodb => "InnoDB page",
            Self::Rigel => "Rigel block",
            Self::Majority => "copies counted",
            Self::None => "no known page",
        }
    }
}

/// How certain that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Proven by a checksum that cannot match by chance, or only once in 65535 times.
    Certain,
    /// There is evidence, but no checksum.
    Likely,
    /// Which copy is right is not known.
    Unknown,
}

/// Which copy of a part of a range is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CopyJudgement {
    /// First byte of the part, counted over all compared bytes. A page may begin before the range.
    pub at: u64,
    /// Bytes.
    pub len: u64,
    /// The evidence for it.
    pub by: Kind,
    /// Place of the right copy, 0 for A; null when that is not known.
    pub right: Option<u16>,
    /// How certain that is.
    pub certainty: Certainty,
    /// Why, as a sentence.
    pub why: String,
}

impl CopyJudgement {
    /// `A is right`, or that it is not known.
    pub fn verdict(&self) -> String {
        match (self.right, self.certainty) {
            (Some(copy), Certainty::Certain) => format!("{} is right", letter(usize::from(copy))),
            (Some(copy), _) => format!("{} is probably right", letter(usize::from(copy))),
            (None, _) => "it is unknown which copy is right".to_owned(),
        }
    }
}

/// A range with what is beside it, of every copy.
#[derive(Clone, Debug)]
pub struct Window<'a> {
    /// First byte of the window, counted over everything that is compared.
    pub at: u64,
    /// Its bytes in every copy; `None` of a copy that cannot be read.
    pub copies: Vec<Option<&'a [u8]>>,
    /// The range in it.
    pub range: Range<usize>,
    /// Where the window begins in the file, when the copies are files and begin at the same place of both. A file of PostgreSQL is a
    /// segment of 1 GiB: its number is reported too.
    pub in_file: Option<(u64, u32)>,
}

impl Window<'_> {
    /// `len` bytes of a copy, where it can be read and the window has them.
    pub(super) fn bytes(&self, copy: usize, at: usize, len: usize) -> Option<&[u8]> {
        (*self.copies.get(copy)?)?.get(at..at.checked_add(len)?)
    }

    /// Starts of pages of this size that hold the block at `block`, on the grid of blocks.
    pub(super) fn starts(&self, block: usize, page: usize) -> impl Iterator<Item = usize> + use<> {
        let step = usize::try_from(BLOCK_BYTES).unwrap_or(4096);
        (0..page / step).filter_map(move |back| block.checked_sub(back * step))
    }

    fn judged(&self, part: &Part, by: Kind, says: PageJudge) -> CopyJudgement {
        CopyJudgement {
            at: self.at + part.start as u64,
            len: part.len as u64,
            by,
            right: says.right.and_then(|copy| u16::try_from(copy).ok()),
            certainty: says.certainty,
            why: says.why,
        }
    }
}

/// A page or block in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub start: usize,
    pub len: usize,
}

/// What a kind of page says about its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageJudge {
    pub right: Option<usize>,
    pub certainty: Certainty,
    pub why: String,
}

impl PageJudge {
    pub(super) fn of(right: usize, certainty: Certainty, why: String) -> Self {
        Self { right: Some(right), certainty, why }
    }

    pub(super) const fn unknown(why: String) -> Self {
        Self { right: None, certainty: Certainty::Unknown, why }
    }
}

/// Judges every block of the range; neighbours about which the same is said are reported as one part.
pub fn judge(window: &Window<'_>) -> Vec<CopyJudgement> {
    let step = usize::try_from(BLOCK_BYTES).unwrap_or(4096);
    let mut found: Vec<CopyJudgement> = Vec::new();
    let mut at = window.range.start;
    while at < window.range.end {
        let len = step.min(window.range.end - at);
        let (part, by, says) = judge_block(window, at, len);
        at = (part.start + part.len).max(at + len);
        let judged = window.judged(&part, by, says);
        match found.last_mut() {
            Some(last) if is_same(last, &judged) => last.len += judged.len,
            _ => found.push(judged),
        }
    }
    found
}

/// Whether the second continues where the first ends and says the same.
fn is_same(first: &CopyJudgement, next: &CopyJudgement) -> bool {
    let say = |judged: &CopyJudgement| (judged.by, judged.right, judged.certainty, judged.why.clone());
    first.at + first.len == next.at && say(first) == say(next)
}

fn judge_block(window: &Window<'_>, at: usize, len: usize) -> (Part, Kind, PageJudge) {
    let block = Part { start: at, len };
    if let Some(says) = own::judge(window, block).or_else(|| verified::judge(window, block)) {
        return (block, Kind::Rigel, says);
    }
    if let Some((part, says)) = innodb::judge(window, at) {
        return (part, Kind::Innodb, says);
    }
    if let Some((part, says)) = postgres::judge(window, at) {
        return (part, Kind::Postgresql, says);
    }
    match majority(window, block) {
        Some(says) => (block, Kind::Majority, says),
        None => (block, Kind::None, PageJudge::unknown(unknown(window, block))),
    }
}

/// With three copies and more: the one that more than half of all copies match.
fn majority(window: &Window<'_>, block: Part) -> Option<PageJudge> {
    let count = window.copies.len();
    let bytes = |copy| window.bytes(copy, block.start, block.len);
    let like = |copy: usize| (0..count).filter(|&other| bytes(other) == bytes(copy)).count();
    let right = (0..count).find(|&copy| count > 2 && bytes(copy).is_some() && 2 * like(copy) > count)?;
    let why = format!("{} of {count} copies are identical", like(right));
    Some(PageJudge::of(right, Certainty::Likely, why))
}

fn unknown(window: &Window<'_>, block: Part) -> String {
    let bytes = |copy| window.bytes(copy, block.start, block.len);
    let letters = |copies: Vec<usize>| copies.into_iter().map(letter).collect::<String>();
    let unread: Vec<usize> = (0..window.copies.len()).filter(|&copy| bytes(copy).is_none()).collect();
    if !unread.is_empty() {
        return format!("{} cannot be read, and the others have no known checksum", letters(unread));
    }
    let is_zero = |copy: &usize| bytes(*copy).is_some_and(|bytes| bytes.iter().all(|&byte| byte == 0));
    let zeros: Vec<usize> = (0..window.copies.len()).filter(is_zero).collect();
    match zeros.is_empty() {
        true => "the block has no known checksum".to_owned(),
        false => format!("the block has no known checksum; {} is all zeros", letters(zeros)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window<'a>(copies: &[&'a [u8]]) -> Window<'a> {
        Window {
            at: 0,
            copies: copies.iter().copied().map(Some).collect(),
            range: 0..copies[0].len(),
            in_file: None,
        }
    }

    #[test]
    fn without_a_checksum_nothing_is_known() {
        let (a, b) = (vec![1; 8192], vec![0; 8192]);
        let judged = judge(&window(&[&a, &b]));
        assert_eq!((judged.len(), judged[0].len, judged[0].right), (1, 8192, None));
        assert_eq!(judged[0].certainty, Certainty::Unknown);
        assert!(judged[0].why.contains("B is all zeros"), "{}", judged[0].why);
        assert_eq!(judged[0].verdict(), "it is unknown which copy is right");
    }

    #[test]
    fn two_of_three_are_likely_right() {
        let (a, b) = (vec![1; 4096], vec![2; 4096]);
        let judged = judge(&window(&[&a, &b, &b]));
        assert_eq!((judged[0].right, judged[0].by), (Some(1), Kind::Majority));
        assert_eq!(judged[0].verdict(), "B is probably right");
        let c = vec![3; 4096];
        assert_eq!(judge(&window(&[&a, &b, &c]))[0].right, None);
    }

    #[test]
    fn a_copy_that_cannot_be_read_is_said() {
        let a = vec![1; 4096];
        let window = Window { copies: vec![Some(&a), None], ..window(&[&a]) };
        assert!(judge(&window)[0].why.starts_with("B cannot be read"), "{:?}", judge(&window));
    }
}
