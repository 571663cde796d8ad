//! What the checks of a visit found, as the record keeps it: every fault is counted, and the first ones are stored in full.
//!
//! A wrong block that is read again and again, as a write is awaited that puts it right, is one fault. Must not judge blocks.

use super::diagnosis::{Diagnosis, EXCERPT_BYTES, Fault};
use super::earlier::EarlierParts;
use super::expected::GenerationRange;
use crate::load::volume::Place;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Most faults of a class in a visit that are stored in full.
pub const MOST_FINDINGS: usize = 32;

/// Most faults that are remembered to avoid reporting them again.
const MOST_KNOWN: usize = 4 * MOST_FINDINGS;

/// Bytes of a block, in the record as hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Excerpt(pub [u8; EXCERPT_BYTES]);

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl From<Excerpt> for String {
    fn from(excerpt: Excerpt) -> Self {
        excerpt.to_string()
    }
}

impl TryFrom<String> for Excerpt {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits: Option<Vec<u8>> =
            text.chars().map(|digit| digit.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
        let bytes: Vec<u8> = digits
            .unwrap_or_default()
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
            .collect();
        let bytes = bytes.try_into().ok().filter(|_| text.len() == 2 * EXCERPT_BYTES);
        bytes.map(Self).ok_or_else(|| format!("an excerpt has {} hexadecimal digits", 2 * EXCERPT_BYTES))
    }
}

/// One fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// When it was found: nanoseconds of the run.
    pub at_ns: u64,
    /// Index of the target.
    pub target: u16,
    /// Byte offset of the block in the target.
    pub offset: u64,
    /// The oldest and the newest write that may be present.
    pub expected: (u64, u64),
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
    /// The sectors of 512 bytes that are wrong: bit 0 is the first.
    pub sectors: u8,
    /// Offset within the block at which the excerpts begin.
    pub excerpt_at: u16,
    /// The bytes read there.
    pub found_hex: Excerpt,
    /// The expected bytes.
    pub expected_hex: Excerpt,
}

impl Finding {
    /// The finding of a check at a time of the run.
    pub const fn new(at_ns: u64, place: Place, expected: GenerationRange, seen: &Diagnosis) -> Self {
        Self {
            at_ns,
            target: place.target,
            offset: place.offset,
            expected: (expected.oldest, expected.newest),
            fault: seen.fault,
            sectors: seen.sectors,
            excerpt_at: seen.at,
            found_hex: Excerpt(seen.found),
            expected_hex: Excerpt(seen.expected),
        }
    }

    /// Whether it is the same fault of the same block, found again. A read during the damaged write allows two generations, a later one only
    /// one of them.
    fn is_same(&self, other: &Self) -> bool {
        (self.target, self.offset, self.fault) == (other.target, other.offset, other.fault)
            && self.expected.0 <= other.expected.1
            && other.expected.0 <= self.expected.1
    }
}

/// How many blocks had each fault.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[expect(missing_docs, reason = "each is a fault of the same name")]
pub struct FaultCounts {
    pub corrupt: u64,
    pub torn: u64,
    pub misdirected: u64,
    #[serde(rename = "lost_or_stale", alias = "stale")]
    pub stale: u64,
    pub ahead: u64,
    pub zeroed: u64,
    pub foreign: u64,
    pub unreadable: u64,
}

impl FaultCounts {
    const fn of(&mut self, fault: Fault) -> &mut u64 {
        match fault {
            Fault::Corrupt { .. } => &mut self.corrupt,
            Fault::Torn { .. } => &mut self.torn,
            Fault::Misdirected { .. } => &mut self.misdirected,
            Fault::Stale { .. } => &mut self.stale,
            Fault::Ahead { .. } => &mut self.ahead,
            Fault::Zeroed => &mut self.zeroed,
            Fault::Foreign { .. } => &mut self.foreign,
            Fault::Unreadable { .. } => &mut self.unreadable,
        }
    }

    /// Each with its name in texts.
    pub const fn named(&self) -> [(&'static str, u64); 8] {
        [
            ("corrupt", self.corrupt),
            ("torn", self.torn),
            ("misdirected", self.misdirected),
            ("lost or stale", self.stale),
            ("ahead", self.ahead),
            ("zeroed", self.zeroed),
            ("foreign", self.foreign),
            ("unreadable", self.unreadable),
        ]
    }

    /// All together.
    pub fn all(&self) -> u64 {
        self.named().iter().map(|(_, count)| count).fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Adds those of another visit.
    pub fn add(&mut self, other: &Self) {
        let Self { corrupt, torn, misdirected, stale, ahead, zeroed, foreign, unreadable } = self;
        let mine = [corrupt, torn, misdirected, stale, ahead, zeroed, foreign, unreadable];
        for (mine, (_, theirs)) in mine.into_iter().zip(other.named()) {
            *mine = mine.saturating_add(theirs);
        }
    }
}

/// The checks of a class in a visit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyCounts {
    /// Blocks of 4 KiB that were written.
    pub written: u64,
    /// Blocks that were read and compared.
    pub checked: u64,
    /// Faults among them, each once.
    pub faults: FaultCounts,
    /// How often the same ones were found again.
    #[serde(default)]
    pub again: u64,
    /// The first of them.
    pub findings: Vec<Finding>,
    /// Faults that were reported before.
    #[serde(skip)]
    pub known: Vec<Finding>,
    /// At the end of an interval of a soak: what a resumed run has to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<DurableMark>,
}

/// What was certainly on the targets at the end of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurableMark {
    /// The seed of the blocks.
    pub seed: u64,
    /// The number of a worker; for each part of the run so far, every write of that worker below this number is durable.
    pub below: Vec<(u32, EarlierParts)>,
}

impl DurableMark {
    /// The durable state of a worker.
    pub fn of(&self, worker: u32) -> Option<&EarlierParts> {
        self.below.iter().find(|(one, _)| *one == worker).map(|(_, earlier)| earlier)
    }

    /// Adds other workers, and later states of the same ones.
    fn add(&mut self, other: &Self) {
        self.below.retain(|(worker, _)| other.of(*worker).is_none());
        self.below.extend(other.below.iter().cloned());
    }
}

impl VerifyCounts {
    /// Nothing yet, with room for the findings.
    pub fn new() -> Self {
        Self { findings: Vec::with_capacity(MOST_FINDINGS), ..Self::default() }
    }

    /// What was found so far; later findings are kept apart.
    #[must_use]
    pub fn taken(&mut self) -> Self {
        let mut known = std::mem::take(&mut self.known);
        known.extend_from_slice(&self.findings);
        let forgotten = known.len().saturating_sub(MOST_KNOWN);
        known.drain(..forgotten);
        std::mem::replace(self, Self { known, ..Self::new() })
    }

    /// A block was found wrong. Does not allocate.
    pub fn found(&mut self, finding: Finding) {
        if self.findings.iter().chain(&self.known).any(|known| known.is_same(&finding)) {
            self.again += 1;
            return;
        }
        *self.faults.of(finding.fault) += 1;
        if self.findings.len() < MOST_FINDINGS {
            self.findings.push(finding);
        }
    }

    /// With the target numbers and times of the whole run.
    pub fn retold(&mut self, target: &dyn Fn(u16) -> u16, time_ns: &dyn Fn(u64) -> u64) {
        for finding in &mut self.findings {
            finding.target = target(finding.target);
            finding.at_ns = time_ns(finding.at_ns);
            if let Fault::Misdirected { from_target, .. } = &mut finding.fault {
                *from_target = target(*from_target);
            }
        }
    }

    /// Adds another worker's or another visit's; of the findings the earliest stay.
    pub fn add(&mut self, other: &Self) {
        self.written = self.written.saturating_add(other.written);
        self.checked = self.checked.saturating_add(other.checked);
        self.faults.add(&other.faults);
        self.again = self.again.saturating_add(other.again);
        self.findings.extend_from_slice(&other.findings);
        self.findings.sort_by_key(|finding| finding.at_ns);
        self.findings.truncate(MOST_FINDINGS);
        match (&mut self.settled, &other.settled) {
            (Some(mine), Some(theirs)) => mine.add(theirs),
            (mine @ None, theirs) => mine.clone_from(theirs),
            (Some(_), None) => {}
        }
    }
}
