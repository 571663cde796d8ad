//! The terminal while the live view has it: alternate screen, keys without echo, and everything restored at the end.
//!
//! It is restored however the view ends, also by a panic in any thread. Must not know what is drawn.

use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::prelude::CrosstermBackend;
use ratatui::{Frame, Terminal};
use std::io::{self, Stderr};
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync + 'static;

/// Restores the terminal, once.
#[derive(Clone)]
struct Restorer {
    ours: Arc<AtomicBool>,
}

impl Restorer {
    fn restore(&self) {
        if self.ours.swap(false, Ordering::SeqCst) {
            // An error here means that the terminal is gone.
            let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
            let _ = disable_raw_mode();
        }
    }
}

/// The terminal of standard error, while we control it.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    restorer: Restorer,
    hook: Arc<Hook>,
}

impl Screen {
    /// Takes control of the terminal.
    ///
    /// # Errors
    /// When that is not possible; it is then unchanged.
    pub fn enter() -> io::Result<Self> {
        let restorer = Restorer { ours: Arc::new(AtomicBool::new(true)) };
        let entered = enable_raw_mode()
            .and_then(|()| execute!(io::stderr(), EnterAlternateScreen, Hide))
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())));
        let terminal = entered.inspect_err(|_| restorer.restore())?;
        let hook: Arc<Hook> = Arc::from(panic::take_hook());
        let (first, then) = (restorer.clone(), Arc::clone(&hook));
        panic::set_hook(Box::new(move |info| {
            first.restore();
            then(info);
        }));
        Ok(Self { terminal, restorer, hook })
    }

    /// Draws, unless the terminal was released already.
    ///
    /// # Errors
    /// When the terminal has disappeared.
    pub fn draw(&mut self, render: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if self.restorer.ours.load(Ordering::SeqCst) {
            self.terminal.draw(render)?;
        }
        Ok(())
    }

    /// Releases the terminal before the end.
    pub fn leave(&self) {
        self.restorer.restore();
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.restorer.restore();
        // A thread that panics cannot change the hook. Ours then does the same as the one before.
        if !thread::panicking() {
            let hook = Arc::clone(&self.hook);
            panic::set_hook(Box::new(move |info| hook(info)));
        }
    }
}
