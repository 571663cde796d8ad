//! Signals that end a run: the first one ends it in order, the second one at once.
//!
//! Must not end any work itself: it sets a flag, which the workers check.

use rigel_core::error::{ExitKind, Problem};
use rigel_run::job::Stop;
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const WATCHED: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// A flag that SIGINT, SIGTERM and SIGHUP set. Another signal after that ends the process with exit code 4: the record is
/// whole up to its last line.
#[derive(Debug)]
pub struct Signals {
    flag: Arc<AtomicBool>,
    /// Handlers that end the process at the second signal; none while they are lent.
    at_once: RefCell<Vec<SigId>>,
    set: RefCell<Vec<SigId>>,
}

impl Signals {
    pub fn listen() -> Result<Self, Problem> {
        let signals = Self {
            flag: Arc::new(AtomicBool::new(false)),
            at_once: RefCell::default(),
            set: RefCell::default(),
        };
        signals.arm().map_err(|error| refused(&error))?;
        Ok(signals)
    }

    fn arm(&self) -> io::Result<()> {
        for signal in WATCHED {
            let code = i32::from(ExitKind::CutShort.code());
            // The order matters: the first handler must see the flag as it was before this signal.
            let end = flag::register_conditional_shutdown(signal, code, Arc::clone(&self.flag))?;
            self.at_once.borrow_mut().push(end);
            self.set.borrow_mut().push(flag::register(signal, Arc::clone(&self.flag))?);
        }
        Ok(())
    }

    pub fn flag(&self) -> &AtomicBool {
        &self.flag
    }

    /// The flag as the run sees it.
    pub fn stop(&self) -> Stop {
        Stop::new(Arc::clone(&self.flag))
    }

    /// Lends the second signal: the borrower ends the process then. A view that has changed the terminal has to restore it
    /// before.
    pub fn lend(&self) -> Result<Lent<'_>, Problem> {
        let wish = Wish { flag: Arc::clone(&self.flag), again: Arc::default(), known: false };
        let mut ids = Vec::new();
        for signal in WATCHED {
            let again = Arc::clone(&wish.again);
            ids.push(flag::register(signal, again).map_err(|error| refused(&error))?);
        }
        unregister(&self.at_once);
        Ok(Lent { signals: self, ids: RefCell::new(ids), wish })
    }
}

fn unregister(ids: &RefCell<Vec<SigId>>) {
    for id in ids.take() {
        low_level::unregister(id);
    }
}

fn refused(error: &io::Error) -> Problem {
    Problem::refused(format!("signals cannot be caught: {error}"))
}

/// As long as this lives, the borrower handles the second signal.
#[derive(Debug)]
pub struct Lent<'a> {
    signals: &'a Signals,
    ids: RefCell<Vec<SigId>>,
    wish: Wish,
}

impl Lent<'_> {
    /// Tells the first signal from the second one.
    pub fn wish(&self) -> Wish {
        self.wish.clone()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        unregister(&self.ids);
        unregister(&self.signals.set);
        // Without the handlers a signal is passed over, which is what the end of a run needs at the worst.
        let _ = self.signals.arm();
    }
}

/// What the user wants, by signals and by keys together.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    flag: Arc<AtomicBool>,
    again: Arc<AtomicBool>,
    /// Whether the first wish was seen.
    known: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// To go on, or to end as was said before.
    Nothing,
    End,
    EndAtOnce,
}

impl Wish {
    /// The same as a signal.
    pub fn press(&self) {
        self.flag.store(true, Ordering::Relaxed);
        self.again.store(true, Ordering::Relaxed);
    }

    /// What has come since the last call. Signals between two calls count as one.
    pub fn look(&mut self) -> Wanted {
        let again = self.again.swap(false, Ordering::Relaxed);
        match (self.known, self.flag.load(Ordering::Relaxed)) {
            (false, true) => {
                self.known = true;
                Wanted::End
            }
            (true, _) if again => Wanted::EndAtOnce,
            _ => Wanted::Nothing,
        }
    }
}

/// Ends the process as a second signal does.
pub fn end_at_once() -> ! {
    low_level::exit(i32::from(ExitKind::CutShort.code()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wish_ends_in_order_and_the_next_at_once() {
        let mut wish = Wish::default();
        assert_eq!(wish.look(), Wanted::Nothing);
        wish.press();
        wish.press();
        assert_eq!(wish.look(), Wanted::End, "both came before anybody looked");
        assert_eq!(wish.look(), Wanted::Nothing);
        wish.press();
        assert_eq!(wish.look(), Wanted::EndAtOnce);
    }

    #[test]
    fn handlers_are_lent_and_given_back() {
        let signals = Signals::listen().unwrap();
        {
            let lent = signals.lend().unwrap();
            let mut wish = lent.wish();
            // SIGHUP, so that a test run in a terminal is not meant.
            low_level::raise(SIGHUP).unwrap();
            assert!(signals.flag().load(Ordering::Relaxed));
            assert_eq!(wish.look(), Wanted::End);
            low_level::raise(SIGHUP).unwrap();
            assert_eq!(wish.look(), Wanted::EndAtOnce, "and this process still lives");
        }
        signals.flag.store(false, Ordering::Relaxed);
        low_level::raise(SIGHUP).unwrap();
        assert!(signals.flag().load(Ordering::Relaxed), "the first one again");
        assert_eq!((signals.at_once.borrow().len(), signals.set.borrow().len()), (3, 3));
    }
}
