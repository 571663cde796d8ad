//! Waiting for a server that may never answer: it is asked in a thread that is left alone once patience is over.
//!
//! Must not know what is asked.

use crate::database::Database;
use crate::failure;
use rigel_core::error::Problem;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// For what is asked before and behind a load; a busy server takes long to remove a large table.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// What `work` gives, when it does so in that time.
pub fn within<T: Send + 'static>(patience: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (told, hear) = mpsc::channel();
    let asking = thread::Builder::new().name("rigel-asks".to_owned());
    // Nobody hears it any more when it is late.
    asking.spawn(move || drop(told.send(work()))).ok()?;
    hear.recv_timeout(patience).ok()
}

impl Database {
    /// Asks it; one that does not answer is given up.
    ///
    /// # Errors
    /// Those of `work`, and when there is no answer.
    pub fn asked<T: Send + 'static>(
        self,
        work: impl FnOnce(&mut Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<(Self, T), Problem> {
        self.asked_within(PATIENCE, work)
    }

    pub(crate) fn asked_within<T: Send + 'static>(
        mut self,
        patience: Duration,
        work: impl FnOnce(&mut Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<(Self, T), Problem> {
        let address = self.address.clone();
        let asked = within(patience, move || work(&mut self).map(|told| (self, told)));
        asked.unwrap_or_else(|| Err(failure::silent(address.shown(), patience)))
    }
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
