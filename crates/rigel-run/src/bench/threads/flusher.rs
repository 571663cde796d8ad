//! Makes durable what was written up to the end of an interval, in a separate thread: a flush may take long, or forever, and nothing may wait for
//! it. Must not judge what a failed flush means.

use crate::job::Part;
use rigel_core::load::class::PerClass;
use rigel_core::measure::{ClassTally, FirstError};
use rigel_io::targets::OpenTargets;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// A part, and the flush that failed.
pub(super) type FlushFailure = (Part, Option<FirstError>);

/// A thread that flushes.
#[derive(Debug)]
pub(super) struct Flusher {
    parts: Sender<Part>,
    done: Receiver<FlushFailure>,
    /// Parts that did not complete yet.
    waiting: usize,
}

impl Flusher {
    /// For these targets; `None` if the host has no thread left for it. It ends with this value.
    pub(super) fn start(targets: Arc<OpenTargets>) -> Option<Self> {
        Self::by(move |part| flushed(part, &targets))
    }

    /// With any way to flush.
    pub(super) fn by(flush: impl Fn(Part) -> FlushFailure + Send + 'static) -> Option<Self> {
        let (parts, theirs) = mpsc::channel::<Part>();
        let (back, done) = mpsc::channel();
        let work = move || {
            for part in theirs {
                if back.send(flush(part)).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("rigel-flusher".to_owned()).spawn(work).ok()?;
        Some(Self { parts, done, waiting: 0 })
    }

    /// Takes a part whose blocks are to become durable; returns it if it cannot.
    pub(super) fn take(&mut self, part: Part) -> Result<(), Part> {
        self.parts.send(part).map_err(|unsent| unsent.0)?;
        self.waiting += 1;
        Ok(())
    }

    /// A part whose flush is over.
    pub(super) fn back(&mut self) -> Option<FlushFailure> {
        let part = self.done.try_recv().ok()?;
        self.waiting -= 1;
        Some(part)
    }

    /// The same, after waiting at most this long. `Ok(None)`: all have returned.
    pub(super) fn last(&mut self, patience: Duration) -> Result<Option<FlushFailure>, RecvTimeoutError> {
        if self.waiting == 0 {
            return Ok(None);
        }
        let part = self.done.recv_timeout(patience)?;
        self.waiting -= 1;
        Ok(Some(part))
    }
}

/// Whether it reports blocks that must be durable first.
pub(super) fn needs_flush(part: &Part) -> bool {
    part.tallies
        .values()
        .any(|tally| tally.verified.as_ref().is_some_and(|verified| verified.settled.is_some()))
}

/// The part, once its blocks are durable; without its statement about them if they are not.
fn flushed(part: Part, targets: &OpenTargets) -> FlushFailure {
    match targets.flush() {
        Ok(()) => (part, None),
        Err(error) => {
            let mut part = unsettled(part);
            count(&mut part.tallies, error);
            (part, Some(error))
        }
    }
}

/// A flush that failed is a failed I/O of the first class of verified blocks.
pub(super) fn count(tallies: &mut PerClass<ClassTally>, error: FirstError) {
    if let Some(tally) = tallies.values_mut().find(|tally| tally.verified.is_some()) {
        tally.errors += 1;
        tally.first_error.get_or_insert(error);
    }
}

/// The part without a word of which blocks are durable.
pub(super) fn unsettled(mut part: Part) -> Part {
    part.tallies
        .values_mut()
        .filter_map(|tally| tally.verified.as_mut())
        .for_each(|verified| verified.settled = None);
    part
}
