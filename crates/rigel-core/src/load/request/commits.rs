//! The commits of a calibration: whether it has some, and which classes they are.
//!
//! Must not know targets or time.

use super::{DEFAULT_SMALL, EngineRequest, Request};
use crate::load::class::{LoadClass, Pattern, Sync};
use crate::load::commits::{NoCommits, class};
use crate::load::task::Task;

/// Writers of a calibration: one session that waits, and several, up to as many as share most flushes of a kernel.
const WRITERS: [u32; 3] = [1, 4, 16];

/// The commits that a calibration measures: `dsync` up to its highest rate; the other method and the plain write with one writer,
/// which shows both methods and the cost of a flush.
fn of_calibration() -> [LoadClass; 3] {
    let one = |sync| class(sync, DEFAULT_SMALL.0, &WRITERS[..1]);
    [class(Sync::Dsync, DEFAULT_SMALL.0, &WRITERS), one(Sync::Fdatasync), one(Sync::None)]
}

impl Request {
    /// A calibration with its commits, or with the reason why it has none. `may_write`: the user consents to writing.
    #[must_use]
    pub fn with_commits(mut self, may_write: bool) -> Self {
        let Task::Calibrate { no_commits, .. } = &mut self.task else { return self };
        *no_commits = match self.engine {
            EngineRequest::Sim(law) if law.flush_ns == 0 => Some(NoCommits::NoFlush),
            EngineRequest::Sim(_) => None,
            EngineRequest::Only(kind) if !kind.can_be_durable() => Some(NoCommits::Engine),
            EngineRequest::Auto | EngineRequest::Only(_) => (!may_write).then_some(NoCommits::NoConsent),
        };
        if no_commits.is_none() {
            self.classes.extend(of_calibration());
        }
        self
    }

    /// Says why a calibration has no commits.
    pub const fn leave_out_commits(&mut self, why: NoCommits) {
        if let Task::Calibrate { no_commits, .. } = &mut self.task {
            *no_commits = Some(why);
        }
    }

    /// The commits of a calibration, which take a share of its time; none for other runs.
    pub fn commits(&self) -> impl Iterator<Item = &LoadClass> {
        let is_beside = |class: &&LoadClass| self.bound().is_some() && class.pattern == Pattern::Log;
        self.classes.iter().filter(is_beside)
    }

    /// Everything but that: the classes that settings of a run, such as its share of writes, apply to.
    pub fn main_classes(&self) -> impl Iterator<Item = &LoadClass> {
        let is_main = |class: &&LoadClass| self.bound().is_none() || class.pattern != Pattern::Log;
        self.classes.iter().filter(is_main)
    }
}
