//! The load of commits: writers that append to a log, each write durable before the next, and the same without durability.
//!
//! `rigel run commit` loads nothing else; a calibration has a few points of them beside its pair of classes. Must not know
//! targets or time.

use crate::load::class::{Class, LoadClass, Sync};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why a calibration does not measure commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoCommits {
    /// The user left them out.
    LeftOut,
    /// Nothing may be written to the targets.
    NoConsent,
    /// A flush takes no time on the simulated device, so there is nothing to measure.
    NoFlush,
    /// The engine cannot wait for writes to be durable.
    Engine,
    /// The kernel is too old: the engine that it supports cannot commit.
    Kernel,
    /// Time ran out before they were visited.
    NoTime,
    /// The run ended before they were visited.
    NotYet,
}

impl NoCommits {
    /// What follows "not measured, because".
    pub const fn reason(self) -> &'static str {
        match self {
            Self::LeftOut => "--no-commits was given",
            Self::NoConsent => {
                "the targets must not be written to; to measure commits on a scratch file, run `rigel run commit` in a directory on that storage"
            }
            Self::NoFlush => "the simulated device has no flush; flush=200us adds one",
            Self::Engine => "this engine cannot wait for durable writes; the others can",
            Self::Kernel => {
                "this kernel is too old (Linux 4.18 can); `rigel run commit --engine threads --sync fdatasync` may work"
            }
            Self::NotYet => "the run ended before their turn",
            Self::NoTime => "time ran out; a longer --for measures them",
        }
    }

    /// Whether it is news to the user: one who left commits out, or simulates a device without a flush, knows the reason.
    pub const fn is_news(self) -> bool {
        !matches!(self, Self::LeftOut | Self::NoFlush)
    }
}

/// The class of a sync method, with the numbers of writers at which it is measured.
pub fn class(sync: Sync, bytes: u64, writers: &[u32]) -> LoadClass {
    let (name, unit) = match sync {
        Sync::Dsync => (Class::DSYNC, "commits/s"),
        Sync::Fdatasync => (Class::FDATASYNC, "commits/s"),
        Sync::None => (Class::UNSYNCED, "writes/s"),
    };
    LoadClass { levels: writers.to_vec(), ..LoadClass::log(name, bytes, sync, unit) }
}
