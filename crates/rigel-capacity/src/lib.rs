//! What production did: samples of load and space from other tools and from our own recorder, in one form whatever their source.
//!
//! ```text
//! text of a tool -> read (one room per format) -> Harvest: tables by key -> packed: bytes of a block -> a store (the program's)
//!                                                                        <- History: series of one subject
//!                                                                        -> Members: the sum of all that share a storage
//! ```
//! A flow is a mean over an interval, and additive: rates per second, bytes per second, time per second. A level is the value at the end of an
//! interval. Times are milliseconds since the epoch, in UTC. Must not open a file or read a clock.
#![forbid(unsafe_code)]

pub mod counter;
pub mod credits;
pub mod day;
mod epochs;
pub mod forecast;
mod harvest;
pub mod headroom;
mod history;
mod key;
mod layers;
mod metric;
pub mod numbered;
mod overflow;
pub mod packed;
pub mod read;

pub mod recording;
pub mod replay;
mod series;
mod span;
pub mod sum;
mod table;
pub mod when;

pub use epochs::Lifetime;
pub use harvest::{Harvest, MOST_ROWS};
pub use history::{History, KeySummary, Selection};
pub use key::{DatabaseName, Key, Kind, Source, Subject};
pub use layers::{own_disks, unknown_disks};
pub use metric::{Across, Behaviour, Metric};
pub use series::{Sample, Series};
pub use span::Span;
pub use sum::{Handover, Member, Members, Part};
pub use table::{MergeCounts, Table};

/// Milliseconds in a second.
pub const MS_PER_S: i64 = 1_000;
/// Milliseconds in a day.
pub const DAY_MS: i64 = 86_400 * MS_PER_S;
/// Milliseconds in an hour.
pub const HOUR_MS: i64 = 3_600 * MS_PER_S;
