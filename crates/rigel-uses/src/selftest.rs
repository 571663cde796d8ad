//! What the statistics promise, as trials on simulated devices whose answer is known, and how a trial is scored.
//!
//! A case is a device in the words of `--engine sim:..`, a request, and what has to come out. Whoever runs a trial
//! ([`Case::request`]) hands its record to [`Trial::of`]; [`Score`] adds trials up and says whether the promise was kept.
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
