//! What a worker records of the I/Os it sees: full latency histograms, a coarse time series, sums for Little's law.
//!
//! Recording must not allocate, lock or format; it is the hot path. Judging happens in [`crate::judge::findings`].

mod by_target;
mod counts;
mod edges;
mod gauge;
mod hung;
mod open;
pub(crate) mod read_look;
pub(crate) mod series;
mod server;
pub mod tally;

pub use by_target::ByTarget;
pub use counts::IoCounts;
pub use edges::{Edges, Occupancy};
pub use hung::HungIo;
pub use open::{Backlog, OpenTally};
pub use read_look::ReadLook;
pub use rigel_stats::histogram::Histogram;
pub use series::Series;
pub use server::{DeviceReads, ServerCounts};
pub use tally::{ClassTally, FirstError, StartLatencies, Tally, Window};
