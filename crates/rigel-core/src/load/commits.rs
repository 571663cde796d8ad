//! The load of commits: writers that append to a log, each write durable before the next, and the same without that.
//!
//! `rigel run commit` loads nothing else; a calibration has a few points of them beside its pair of classes. Must not know
//! targets or time.

use crate::load::class::{Class, LoadClass, Pattern, Sync};
use crate::load::request::{DEFAULT_SMALL, EngineRequest, Request};
use serde::{Deserialize, Serialize};

/// Writers of a calibration: one session that waits, and several up to as many as share most flushes of a kernel.
const WRITERS: [u32; 3] = [1, 4, 16];

/// Why a calibration does not measure commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoCommits {
    /// They were not wanted.
    LeftOut,
    /// Nothing may be written to the targets.
    NoConsent,
    /// The simulated device has no time for a flush, so that there is nothing to find.
    NoFlush,
    /// The engine cannot wait for writes to be durable.
    Engine,
    /// The kernel is too old for the engine that works on it to do so.
    Kernel,
    /// The time was up before they had a visit.
    NoTime,
    /// The run ended early, before they had a visit.
    NotYet,
}

/// The class of a way to become durable, with the numbers of writers at which it is measured.
pub fn class(sync: Sync, bytes: u64, writers: &[u32]) -> LoadClass {
    let (name, unit) = match sync {
        Sync::Dsync => (Class::DSYNC, "commits/s"),
        Sync::Fdatasync => (Class::FDATASYNC, "commits/s"),
        Sync::None => (Class::UNSYNCED, "writes/s"),
    };
    LoadClass { levels: writers.to_vec(), ..LoadClass::log(name, bytes, sync, unit) }
}

/// What a calibration measures of commits: `dsync` up to its highest rate; the other way and the plain write where one session
/// waits, so that both ways, and what a flush costs, can be told.
fn of_calibration() -> [LoadClass; 3] {
    let one = |sync| class(sync, DEFAULT_SMALL.0, &WRITERS[..1]);
    [class(Sync::Dsync, DEFAULT_SMALL.0, &WRITERS), one(Sync::Fdatasync), one(Sync::None)]
}

impl Request {
    /// A calibration with its commits, or with the reason why it has none. `may_write`: whoever calibrates consents to that.
    #[must_use]
    pub fn with_commits(mut self, may_write: bool) -> Self {
        self.no_commits = match self.engine {
            EngineRequest::Sim(law) if law.flush_ns == 0 => Some(NoCommits::NoFlush),
            EngineRequest::Sim(_) => None,
            EngineRequest::Only(kind) if !kind.can_be_durable() => Some(NoCommits::Engine),
            EngineRequest::Auto | EngineRequest::Only(_) => (!may_write).then_some(NoCommits::NoConsent),
        };
        if self.no_commits.is_none() {
            self.classes.extend(of_calibration());
        }
        self
    }

    /// The commits of a calibration, which are measured in a share of its time; none of another run.
    pub fn commits(&self) -> impl Iterator<Item = &LoadClass> {
        let is_beside = |class: &&LoadClass| self.bound.is_some() && class.pattern == Pattern::Log;
        self.classes.iter().filter(is_beside)
    }

    /// Everything but that: what the settings of a run, such as its share of writes, are about.
    pub fn main_classes(&self) -> impl Iterator<Item = &LoadClass> {
        let is_main = |class: &&LoadClass| self.bound.is_none() || class.pattern != Pattern::Log;
        self.classes.iter().filter(is_main)
    }
}
