//! What the statistics promise, as trials on simulated devices with a known answer, and how a trial is scored.
//!
//! A case is a device as written after `--engine sim:..`, a request, and the expected result. A caller runs a trial ([`Case::request`]) and passes
//! its record to [`Trial::of`]; [`Score`] adds trials up and says whether the promise was kept.
//! Must not run anything.

mod answered;
mod answering;
mod cases;
mod chance;
mod commits;
mod highest;
mod known;
mod loads;
mod places;
mod queues;
mod rates;
mod score;
mod turns;

pub use answered::{CalibrationOutcome, FigureOutcome, asked};
pub use cases::{Case, CoverageDemand, FigurePromise, Promise, Silence, all, thorough};
pub use known::KnownFigure;
pub use score::{Grade, Score, SideOutcome, Trial};

#[cfg(test)]
mod tests;
