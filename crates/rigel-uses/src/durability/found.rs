//! What a check found: how many acknowledged writes are still there, and each that is not. Must not read anything.

use rigel_core::verify::{Excerpt, Fault};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Losses that are listed; more are only counted.
pub const MOST_LISTED: usize = 10_000;

/// The fate of an acknowledged write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The place contains an older write, or the data from before the run, or zeros.
    Lost,
    /// Only a part of it is there.
    Torn,
    /// It is there, with changed bits.
    Corrupt,
    /// The place contains a write to another place.
    Misdirected,
    /// The place cannot be read.
    Unreadable,
}

rigel_core::named!(Kind {
    Lost: "lost",
    Torn: "torn",
    Corrupt: "corrupt",
    Misdirected: "misdirected",
    Unreadable: "unreadable"
});

impl Kind {
    /// The kind of loss that a block with this fault means for its write.
    pub(super) const fn of(fault: Fault) -> Self {
        match fault {
            Fault::Stale { .. } | Fault::Zeroed | Fault::Foreign { .. } => Self::Lost,
            Fault::Torn { .. } => Self::Torn,
            // Never ahead: what began is known from what is there.
            Fault::Corrupt { .. } | Fault::Ahead { .. } => Self::Corrupt,
            Fault::Misdirected { .. } => Self::Misdirected,
            Fault::Unreadable { .. } => Self::Unreadable,
        }
    }
}

/// An acknowledged write that is not there as it was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Loss {
    /// What happened to it.
    pub kind: Kind,
    /// Who wrote it; null for the label of the run, which is written before everything else, and for a block without an acknowledged write.
    pub writer: Option<u16>,
    /// First byte of the place.
    pub offset: u64,
    /// How many writes to the place were acknowledged; 0 if none was, but the place contains data of another place.
    pub generation: u64,
    /// Whether the witness has its acknowledgement. If not, a later write of the same writer proves that there was one.
    pub witnessed: bool,
    /// Whether a later write of the same writer is there.
    pub reordered: bool,
    /// How many writes of the same writer were acknowledged, counted from the first one that is missing here.
    pub writes_ago: u64,
    /// The first block of 4 KiB that is wrong: its first byte.
    pub block: u64,
    /// What is wrong with it.
    pub fault: Fault,
    /// Its wrong sectors of 512 bytes: bit 0 is the first.
    pub sectors: u8,
    /// The byte of it at which the next two begin.
    pub excerpt_at: u16,
    /// The actual content, hexadecimal.
    #[schemars(with = "String")]
    pub found_hex: Excerpt,
    /// The expected content.
    #[schemars(with = "String")]
    pub expected_hex: Excerpt,
}

/// All findings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DurabilityFindings {
    /// Writes whose acknowledgement the witness has.
    pub acknowledged: u64,
    /// Writes that were acknowledged as well, because a later one of the same writer began, but not to the witness.
    pub unwitnessed: u64,
    /// Acknowledged writes that can be judged: the last one to each place, and the label of the run.
    pub judged: u64,
    /// Those that are there, or that were replaced by a later one.
    pub kept: u64,
    /// Missing ones: an older write, earlier data, or zeros are there.
    pub lost: u64,
    /// A part of the write.
    pub torn: u64,
    /// The write with changed bits.
    pub corrupt: u64,
    /// A write to another place.
    pub misdirected: u64,
    /// Those whose place cannot be read.
    pub unreadable: u64,
    /// How many of these are missing although a later write of the same writer is there.
    pub reordered: u64,
    /// The largest number of writes, counted from the first missing one, that were reported to a writer as durable.
    pub most_writes_ago: u64,
    /// Places of writes that began and may not have been acknowledged. They may contain the old or the new write or a part of each.
    pub in_flight: u64,
    /// Those that cannot be read or are damaged, which is not a fault either.
    pub in_flight_damaged: u64,
    /// What is missing, by its place; at most 10000 are listed.
    pub losses: Vec<Loss>,
}

impl DurabilityFindings {
    /// How many are not there as they were written.
    pub const fn gone(&self) -> u64 {
        self.lost + self.torn + self.corrupt + self.misdirected + self.unreadable
    }

    /// How many of a kind.
    pub const fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Lost => self.lost,
            Kind::Torn => self.torn,
            Kind::Corrupt => self.corrupt,
            Kind::Misdirected => self.misdirected,
            Kind::Unreadable => self.unreadable,
        }
    }

    /// Whether every acknowledged write that can be judged is there.
    pub const fn is_clean(&self) -> bool {
        self.gone() == 0
    }

    pub(super) fn add(&mut self, loss: Loss) {
        let count = match loss.kind {
            Kind::Lost => &mut self.lost,
            Kind::Torn => &mut self.torn,
            Kind::Corrupt => &mut self.corrupt,
            Kind::Misdirected => &mut self.misdirected,
            Kind::Unreadable => &mut self.unreadable,
        };
        *count += 1;
        self.reordered += u64::from(loss.reordered);
        self.most_writes_ago = self.most_writes_ago.max(loss.writes_ago);
        if self.losses.len() < MOST_LISTED {
            let place = self.losses.partition_point(|listed| listed.offset < loss.offset);
            self.losses.insert(place, loss);
        }
    }
}
