//! What the statistics promise, as trials on simulated devices with a known answer, and how a trial is scored.
//!
//! A case is a device as written after `--engine sim:..`, a request, and the expected result. A caller runs a trial ([`Case::request`]) and passes
//! its record to [`Trial::of`]; [`Score`] adds trials up and says whether the promise was kept.
//! Must not run anything.

mod answered;
mod answering;
mod calibration;
mod case;
mod cases;
mod chance;
mod commits;
mod figure;
mod highest;
mod known;
mod loads;
mod places;
mod promise;
mod queues;
mod rates;
mod score;
mod trial;
mod turns;
mod verdict;

pub use calibration::{CalibrationOutcome, FigureOutcome, asked};
pub use case::Case;
pub use cases::{all, thorough};
pub use figure::KnownFigure;
pub use promise::{CoverageDemand, FigurePromise, Promise, Silence};
pub use score::{Grade, Score};
pub use trial::{SideOutcome, Trial};

#[cfg(test)]
mod tests;
