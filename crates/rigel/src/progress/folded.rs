//! Lines on a pipe or in a file: at most one every ten seconds, because nobody watches them live.
//!
//! Must not know what a line says.

use std::io::Write;
use std::time::{Duration, Instant};

/// Time from one line to the next at least.
const APART: Duration = Duration::from_secs(10);
/// After this long without a result, the current activity is reported instead.
const SILENT: Duration = Duration::from_secs(20);

/// Where the lines go.
pub struct LineFold {
    out: Box<dyn Write + Send>,
    now: Box<dyn Fn() -> Instant + Send>,
    began: Instant,
    last: Option<Instant>,
}

impl LineFold {
    /// Uses the clock of the machine.
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self::by(Instant::now, out)
    }

    /// Uses another clock.
    pub fn by(now: impl Fn() -> Instant + Send + 'static, out: Box<dyn Write + Send>) -> Self {
        let began = now();
        Self { out, now: Box::new(now), began, last: None }
    }

    /// Whether it is time for a line. The first one is written immediately.
    pub fn is_due(&self) -> bool {
        self.last.is_none_or(|last| (self.now)().duration_since(last) >= APART)
    }

    /// Whether nothing was reported for longer than results should take.
    pub fn is_silent(&self) -> bool {
        (self.now)().duration_since(self.last.unwrap_or(self.began)) >= SILENT
    }

    /// Writes a line, if it is time for one.
    pub fn line(&mut self, text: &str) {
        if self.is_due() {
            self.last_line(text);
        }
    }

    /// Writes a line in any case: nothing follows it. A closed pipe is not a reason to fail.
    pub fn last_line(&mut self, text: &str) {
        self.last = Some((self.now)());
        let _ = writeln!(self.out, "{text}");
    }
}
