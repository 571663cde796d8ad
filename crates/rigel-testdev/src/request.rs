//! One request on its way through the device: what was asked, which fault it met, how to answer it.
//!
//! It must not know of time beyond the moment at which it is due, nor of who asked.

use std::cmp::Ordering;

use rustix::io::Errno;

use crate::faults::{Direction, FaultKind, Hit};

/// What the caller is told.
#[derive(Debug)]
pub(crate) enum Outcome<'a> {
    Data(&'a [u8]),
    Written(usize),
    Refused(Errno),
}

/// Carries an outcome to the caller of a request.
pub(crate) type Answer = Box<dyn FnOnce(Outcome<'_>) + Send>;

/// A request between its arrival and its answer.
pub(crate) struct PendingRequest {
    pub(crate) arrived_ns: u64,
    pub(crate) due_ns: u64,
    pub(crate) ticket: u64,
    pub(crate) direction: Direction,
    /// How often the power had been cut when it came.
    pub(crate) cuts: u64,
    /// It moves nothing and makes durable what was written.
    pub(crate) is_flush: bool,
    pub(crate) offset_bytes: u64,
    pub(crate) length_bytes: usize,
    pub(crate) hit: Option<Hit>,
    pub(crate) answer: Answer,
}

impl PendingRequest {
    pub(crate) fn hits(&self, kind: FaultKind) -> bool {
        self.hit.is_some_and(|hit| hit.kind == kind)
    }

    /// The error of a request that is refused.
    pub(crate) fn refusal(&self) -> Option<Errno> {
        match self.hit?.kind {
            FaultKind::Eio => Some(Errno::IO),
            FaultKind::Enospc => Some(Errno::NOSPC),
            FaultKind::Short | FaultKind::Corrupt | FaultKind::Hang => None,
        }
    }

    /// How many of the bytes asked for are moved.
    pub(crate) fn moved_bytes(&self) -> usize {
        match self.hit.map(|hit| hit.kind) {
            Some(FaultKind::Eio | FaultKind::Enospc) => 0,
            Some(FaultKind::Short) => self.length_bytes / 2,
            Some(FaultKind::Corrupt | FaultKind::Hang) | None => self.length_bytes,
        }
    }
}

/// Ordered so that the greatest is the next one due; the ticket keeps first come, first served among equals.
impl Ord for PendingRequest {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due_ns, other.ticket).cmp(&(self.due_ns, self.ticket))
    }
}

impl PartialOrd for PendingRequest {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PendingRequest {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PendingRequest {}
