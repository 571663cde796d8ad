//! What a calibration answers: one table of its figures, from which every output is made, and their form in documents.
//!
//! Another answer is another row; text, JSON, page, Markdown, history, comparisons, gates and the extension of PostgreSQL have it then.
//! Must not choose a figure: the findings provide them. Must not lay out a text.

mod form;

pub use form::{AnswersForm, Bracket};

use super::quantity::{Quantity, Scope, What};
use crate::load::class::Class;
use crate::stats::bound::LatencyOf;

/// A figure among the answers of a calibration.
#[derive(Debug)]
pub struct Answer {
    /// Its quantity; the findings have the value.
    pub quantity: Quantity,
    /// Its key in documents.
    pub key: &'static str,
    /// One of the quantity's unit in the unit of the document.
    pub scale: f64,
    /// Its name in gates and comparisons.
    pub name: &'static str,
    /// Its label in texts.
    pub label: &'static str,
    /// Its title in words, for a card or a row.
    pub title: &'static str,
    /// Its name within a sentence.
    pub noun: &'static str,
    /// The text after value and unit.
    pub about: fn(&AnswersForm) -> String,
    /// Its column in the list of past calibrations.
    pub column: Option<Column>,
    /// Whether the spread over past calibrations is reported.
    pub spread: bool,
}

/// A column of the list of past calibrations.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The heading.
    pub head: &'static str,
    /// Width in characters.
    pub width: usize,
    /// Decimals.
    pub decimals: usize,
}

/// The highest rate of small I/O within the limit.
pub const MAX_IOPS: Quantity = Quantity::new(Scope::WithinBound, What::Rate, Class::SMALL);
/// The latency there, by the statistic of the limit.
pub const ACTUAL_LATENCY: Quantity = Quantity::new(Scope::WithinBound, What::Bounded, Class::SMALL);
/// The highest rate of small I/O.
pub const UNBOUNDED_IOPS: Quantity = Quantity::new(Scope::Best, What::Rate, Class::SMALL);
/// The highest rate of large I/O.
pub const MAX_MBPS: Quantity = Quantity::new(Scope::Best, What::Mbps, Class::LARGE);
/// The rate of one stream.
pub const MAX_PMBPS: Quantity = Quantity::new(Scope::Alone, What::Mbps, Class::LARGE);
/// The latency of a small I/O that is alone, by the statistic of the limit.
pub const LATENCY_AT_1: Quantity = Quantity::new(Scope::Alone, What::Bounded, Class::SMALL);
/// The latency of a commit of one writer, durable on its own.
pub const COMMIT_LATENCY: Quantity = Quantity::new(Scope::Alone, What::Mean, Class::DSYNC);
/// The same, durable by a flush after it.
pub const COMMIT_FDATASYNC: Quantity = Quantity::new(Scope::Alone, What::Mean, Class::FDATASYNC);
/// The same write, unsynced.
pub const COMMIT_UNSYNCED: Quantity = Quantity::new(Scope::Alone, What::Mean, Class::UNSYNCED);
/// The highest rate of commits.
pub const MAX_COMMITS: Quantity = Quantity::new(Scope::Best, What::Rate, Class::DSYNC);

/// The number of answers.
pub const COUNT: usize = 10;

/// All of them, in the order of every output.
pub static ANSWERS: [Answer; COUNT] = [
    Answer {
        quantity: MAX_IOPS,
        key: "max_iops",
        scale: 1.0,
        name: "max_iops",
        label: "max_iops",
        title: "Highest small IOPS within the limit",
        noun: "highest rate of small I/O within the limit",
        about: |found| format!(" {}", found.beside_bound()),
        column: Some(Column { head: "max_iops", width: 9, decimals: 0 }),
        spread: false,
    },
    Answer {
        quantity: ACTUAL_LATENCY,
        key: "actual_latency_ms",
        scale: 1e-3,
        name: "actual_latency",
        label: "actual_latency",
        title: "Latency at the highest rate within the limit",
        noun: "latency at the highest rate within the limit",
        about: |found| {
            found.outstanding.map_or_else(String::new, |level| format!(", with {level} outstanding"))
        },
        column: Some(Column { head: "ms", width: 8, decimals: 3 }),
        spread: false,
    },
    Answer {
        quantity: UNBOUNDED_IOPS,
        key: "unbounded_iops",
        scale: 1.0,
        name: "max_small_iops",
        label: "unbounded_iops",
        title: "Highest small IOPS",
        noun: "highest rate of small I/O",
        about: |_| " at any latency".to_owned(),
        column: Some(Column { head: "unbounded", width: 9, decimals: 0 }),
        spread: true,
    },
    Answer {
        quantity: MAX_MBPS,
        key: "max_mbps",
        scale: 1.0,
        name: "max_large_mbps",
        label: "max_mbps",
        title: "Highest large MBPS",
        noun: "highest rate of large I/O",
        about: |_| " of many large streams".to_owned(),
        column: Some(Column { head: "max_mbps", width: 9, decimals: 1 }),
        spread: true,
    },
    Answer {
        quantity: MAX_PMBPS,
        key: "max_pmbps",
        scale: 1.0,
        name: "max_pmbps",
        label: "max_pmbps",
        title: "MBPS of one large stream",
        noun: "rate of one large stream",
        about: |_| " of one large stream".to_owned(),
        column: Some(Column { head: "max_pmbps", width: 9, decimals: 1 }),
        spread: false,
    },
    Answer {
        quantity: LATENCY_AT_1,
        key: "latency_at_1_us",
        scale: 1.0,
        name: "latency_at_1",
        label: "latency_at_1",
        title: "Latency of one small I/O at a time",
        noun: "latency of one small I/O at a time",
        about: |found| match found.percentile {
            LatencyOf::Mean => " with one small I/O outstanding".to_owned(),
            LatencyOf::P99 => " (p99) with one small I/O outstanding".to_owned(),
        },
        column: None,
        spread: true,
    },
    Answer {
        quantity: COMMIT_LATENCY,
        key: "commit_latency_us",
        scale: 1.0,
        name: "commit_latency",
        label: "commit_latency",
        title: "Mean latency of a commit, one writer (dsync)",
        noun: "latency of a commit (dsync)",
        about: |_| " for a commit of one writer (dsync)".to_owned(),
        column: Some(Column { head: "commit_us", width: 9, decimals: 1 }),
        spread: true,
    },
    Answer {
        quantity: COMMIT_FDATASYNC,
        key: "commit_fdatasync_us",
        scale: 1.0,
        name: "commit_fdatasync",
        label: "with_fdatasync",
        title: "Mean latency of a commit, one writer (fdatasync)",
        noun: "latency of a commit (fdatasync)",
        about: |_| " with a flush instead".to_owned(),
        column: None,
        spread: false,
    },
    Answer {
        quantity: COMMIT_UNSYNCED,
        key: "commit_unsynced_us",
        scale: 1.0,
        name: "commit_unsynced",
        label: "without_sync",
        title: "Mean latency of the same write, unsynced",
        noun: "latency of the same write, unsynced",
        about: |_| " for the same write, unsynced".to_owned(),
        column: None,
        spread: false,
    },
    Answer {
        quantity: MAX_COMMITS,
        key: "max_commits",
        scale: 1.0,
        name: "max_commits",
        label: "max_commits",
        title: "Most commits per second (dsync)",
        noun: "most commits per second",
        about: |found| match found.commit_writers.unwrap_or(0) {
            1 => " of 1 writer (dsync)".to_owned(),
            writers => format!(" of {writers} writers (dsync)"),
        },
        column: None,
        spread: false,
    },
];

impl Answer {
    /// The answer for this quantity.
    pub fn of(quantity: Quantity) -> Option<&'static Self> {
        ANSWERS.iter().find(|answer| answer.quantity == quantity)
    }

    /// Its index in [`ANSWERS`].
    pub(crate) fn place(quantity: Quantity) -> Option<usize> {
        ANSWERS.iter().position(|answer| answer.quantity == quantity)
    }

    /// Whether it is one about commits.
    pub fn is_of_commits(&self) -> bool {
        self.quantity.class.is_of_commits()
    }
}
