//! The user's wish to end a run: the first signal ends it in order, the second one at once.
//!
//! Must not do anything itself; whoever works looks at the flag.

use rigel_core::error::{ExitKind, Problem};
use rigel_run::job::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that SIGINT, SIGTERM and SIGHUP set; the same signal again ends the process with exit code 4, for the record
/// is whole up to the last line.
#[derive(Debug)]
pub struct Signals {
    flag: Arc<AtomicBool>,
}

impl Signals {
    /// Listens from now on.
    ///
    /// # Errors
    /// When the system refuses a handler.
    pub fn listen() -> Result<Self, Problem> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            let code = i32::from(ExitKind::CutShort.code());
            // The order matters: the first handler must see the flag as it was before this signal.
            signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&flag))
                .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&flag)))
                .map_err(|error| Problem::refused(format!("signals cannot be caught: {error}")))?;
        }
        Ok(Self { flag })
    }

    /// The flag itself.
    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// The flag as the run sees it.
    pub fn stop(&self) -> Stop {
        Stop::new(Arc::clone(&self.flag))
    }
}
