//! Waiting for a server that may never answer: the query runs in a thread that is abandoned after a time limit.
//!
//! Must not know what is asked.

use crate::failure;
use crate::server::Server;
use rigel_core::error::Problem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// For questions before and after a load; a busy server takes long to remove a large table.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// How often a wait for long work checks whether the user ended it.
pub(crate) const TICK: Duration = Duration::from_millis(100);
/// Time that running work has to end by itself once the user asked for it.
const ENDING: Duration = Duration::from_secs(1);

/// Asks a server to end the running statement; called in a thread, because it may hang as well.
pub(crate) type Cancel = Box<dyn FnOnce() + Send>;

/// Waits for long work in a separate thread, and reports from time to time that it continues.
pub(crate) struct LongWait {
    last: Instant,
    patience: Duration,
    /// The work is to end.
    stopped: Arc<AtomicBool>,
    cancel: Option<Cancel>,
}

impl LongWait {
    /// For work that can be ended in this way.
    pub(crate) fn new(cancel: Cancel) -> Self {
        let (stopped, cancel) = (Arc::new(AtomicBool::new(false)), Some(cancel));
        Self { last: Instant::now(), patience: PATIENCE, stopped, cancel }
    }

    /// The flag that the work checks to end by itself.
    pub(crate) fn stopped(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stopped)
    }

    /// The work continues; the next step may take this long, if another time than before.
    pub(crate) fn heard(&mut self, patience: Option<Duration>) {
        self.last = Instant::now();
        self.patience = patience.unwrap_or(self.patience);
    }

    /// Whether nothing was returned for too long.
    pub(crate) fn is_over(&self) -> bool {
        self.last.elapsed() >= self.patience
    }

    /// Ends the work if the user wants that; the answer may take this long.
    pub(crate) fn heed(&mut self, stop: &AtomicBool, patience: Duration) {
        if stop.load(Ordering::Relaxed) && !self.stopped.swap(true, Ordering::Relaxed) {
            self.heard(Some(patience));
        }
        let is_late = self.stopped.load(Ordering::Relaxed) && self.last.elapsed() > ENDING;
        if let Some(cancel) = self.cancel.take_if(|_| is_late) {
            // The server is at something long, such as writing all to storage.
            thread::spawn(cancel);
        }
    }

    /// The server at this place is given up.
    pub(crate) fn silent(&self, at: &str) -> Problem {
        failure::silent(at, self.patience)
    }
}

/// The result of `work`, if it ends within that time.
pub fn within<T: Send + 'static>(patience: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (told, hear) = mpsc::channel();
    let asking = thread::Builder::new().name("rigel-asks".to_owned());
    // Nobody hears it any more when it is late.
    asking.spawn(move || drop(told.send(work()))).ok()?;
    hear.recv_timeout(patience).ok()
}

/// Asks a server; one that does not answer is abandoned.
///
/// # Errors
/// Those of `work`, and when there is no answer.
pub fn asked<T: Send + 'static>(
    server: Box<dyn Server>,
    work: impl FnOnce(&mut dyn Server) -> Result<T, Problem> + Send + 'static,
) -> Result<(Box<dyn Server>, T), Problem> {
    asked_within(PATIENCE, server, work)
}

/// Like [`asked`], with another limit.
///
/// # Errors
/// Like [`asked`].
pub(crate) fn asked_within<T: Send + 'static>(
    patience: Duration,
    mut server: Box<dyn Server>,
    work: impl FnOnce(&mut dyn Server) -> Result<T, Problem> + Send + 'static,
) -> Result<(Box<dyn Server>, T), Problem> {
    let place = server.place();
    let asked = within(patience, move || work(&mut *server).map(|told| (server, told)));
    asked.unwrap_or_else(|| Err(failure::silent(place.shown(), patience)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_left_alone() {
        assert_eq!(within(PATIENCE, || 5), Some(5));
        let (_keep, never) = mpsc::channel::<()>();
        assert_eq!(within(Duration::from_millis(20), move || never.recv()), None);
    }
}
