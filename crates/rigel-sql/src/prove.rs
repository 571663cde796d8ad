//! Settings proven by experiment, whatever the product: the request, the progress, and what the storage does without a server.
//!
//! The experiments themselves are in the product modules ([`crate::server::Door::prove`]). Must not judge; [`rigel_uses::proof`] does.

pub(crate) mod storage;

use rigel_core::error::{ExitKind, Problem};
use rigel_core::load::draw::Generator;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What to prove.
#[derive(Clone, Copy, Debug)]
pub struct ProofRequest {
    /// Blocks of the table.
    pub blocks: u32,
    /// Seed of keys, order and ranges.
    pub seed: u64,
    /// How often each measurement is repeated.
    pub rounds: u32,
    /// No round begins after this time, except the second one.
    pub most: Option<Duration>,
    /// Random writes of a block per second that the storage made without a server, where an advised value is based on them.
    pub writes_per_s: Option<f64>,
}

/// Progress: the current step, and how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofStep {
    /// Bytes of the table are copied.
    Filling,
    /// Queries are timed for this setting.
    Timing(&'static str),
}

/// Receives how much of how much is done.
pub type Progress<'a> = &'a mut dyn FnMut(ProofStep, u64, u64);

/// What a room reports about its experiment.
#[derive(Clone, Copy, Debug)]
pub struct ProofFacts {
    /// Sessions that are open at the same time.
    pub sessions: u32,
    /// Bytes in addition to those of the table: indexes, and what else is created for it.
    pub more_bytes: u64,
    /// Its settings, for people.
    pub settings: &'static str,
    /// What the additional bytes are for, for people.
    pub beside: &'static str,
    /// An advised value is based on what random writes the storage makes.
    pub needs_writes: bool,
}

impl ProofRequest {
    /// The round numbers. There is always a second one: without it there is no interval.
    pub(crate) fn next_round(&self, done: u32, began: Instant) -> bool {
        let in_time = self.most.is_none_or(|most| began.elapsed() < most);
        done < self.rounds && (done < 2 || in_time)
    }
}

pub(crate) fn shuffled<T>(mut all: Vec<T>, draw: &mut Generator) -> Vec<T> {
    draw.shuffle(&mut all);
    all
}

pub(crate) fn check_not_stopped(stop: &AtomicBool) -> Result<(), Problem> {
    if stop.load(Ordering::Relaxed) { Err(ended()) } else { Ok(()) }
}

pub(crate) fn ended() -> Problem {
    Problem::new(ExitKind::CutShort, "the experiment was stopped early")
        .because("stopped by the user")
        .next("no output was written; a smaller --size or --for takes less time")
}
