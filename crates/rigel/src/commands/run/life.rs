//! The life of a measurement: only shown, or prepared, made, measured and cleaned up.
//!
//! Every command that measures goes through [`Life`]. A guard holds what it creates, so it is cleaned up exactly once on every way out: at the
//! end, after a problem, after a signal, in a panic. Must not know what is made, and must not measure.

use super::present::Reporter;
use crate::signals::Signals;
use rigel_core::error::{ExitKind, Problem};

/// The result of a load: `Ok(Some(_))` if it was cut short after something was measured, no number of it may be used, or data was wrong.
pub type MeasuredEnd = Result<Option<Problem>, Problem>;

/// How the work ended on something that is now cleaned up.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'a> {
    Whole,
    /// Something was measured.
    Cut(&'a Problem),
    Failed(&'a Problem),
}

impl<'a> Ending<'a> {
    pub const fn problem(self) -> Option<&'a Problem> {
        match self {
            Self::Whole => None,
            Self::Cut(problem) | Self::Failed(problem) => Some(problem),
        }
    }
}

/// What a measurement creates by itself.
pub trait PutAway {
    /// Called once.
    fn put_away(&mut self, reporter: Reporter<'_>, ending: Ending<'_>) -> Result<(), Problem>;
}

/// Nothing was created.
impl PutAway for () {
    fn put_away(&mut self, _: Reporter<'_>, _: Ending<'_>) -> Result<(), Problem> {
        Ok(())
    }
}

/// A measurement that is done, and not only shown. It listens for signals.
pub struct Life<'a> {
    pub reporter: Reporter<'a>,
    pub signals: Signals,
}

impl<'a> Life<'a> {
    /// Shows what would be done and yields `None`, if no more was requested. `prepare`: the last checks before anything is created.
    pub fn begin(
        reporter: Reporter<'a>,
        show: impl FnOnce() -> Result<(), Problem>,
        prepare: impl FnOnce() -> Result<Signals, Problem>,
    ) -> Result<Option<Self>, Problem> {
        if reporter.options.dry_run {
            return show().map(|()| None);
        }
        Ok(Some(Self::again(reporter, prepare()?)))
    }

    /// For a run that continues after its record.
    pub const fn again(reporter: Reporter<'a>, signals: Signals) -> Self {
        Self { reporter, signals }
    }

    /// To the end: measures, and cleans up what was made for it.
    pub fn end<M: PutAway>(&self, made: M, work: impl FnOnce(&mut M) -> MeasuredEnd) -> Result<(), Problem> {
        self.within(made, work)?.map_or(Ok(()), Err)
    }

    /// A part of it, on something that is removed before the whole ends. Of two problems the first one is returned, the other one is printed.
    pub fn within<M: PutAway>(&self, made: M, work: impl FnOnce(&mut M) -> MeasuredEnd) -> MeasuredEnd {
        let mut guard = Guard { reporter: self.reporter, made, is_open: true };
        let measured = work(&mut guard.made);
        let put_away = guard.close(match &measured {
            Ok(cut) => cut.as_ref().map_or(Ending::Whole, Ending::Cut),
            Err(problem) => Ending::Failed(problem),
        });
        match (measured, put_away) {
            (Ok(None), put_away) => put_away.map(|()| None),
            (measured, put_away) => {
                put_away.unwrap_or_else(|trouble| self.reporter.trouble(&trouble));
                measured
            }
        }
    }
}

/// Of two problems the first one ends the run; the other one is printed here.
pub fn both(
    reporter: Reporter<'_>,
    ended: Result<(), Problem>,
    put_away: Result<(), Problem>,
) -> Result<(), Problem> {
    if let (Err(_), Err(trouble)) = (&ended, &put_away) {
        reporter.trouble(trouble);
    }
    ended.and(put_away)
}

/// Holds what was made until it is cleaned up.
struct Guard<'a, M: PutAway> {
    reporter: Reporter<'a>,
    made: M,
    is_open: bool,
}

impl<M: PutAway> Guard<'_, M> {
    fn close(mut self, ending: Ending<'_>) -> Result<(), Problem> {
        self.is_open = false;
        self.made.put_away(self.reporter, ending)
    }
}

impl<M: PutAway> Drop for Guard<'_, M> {
    /// In a panic, which reports itself what is wrong.
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        let panicked = Problem::new(ExitKind::Bug, "the program panicked");
        let put_away = self.made.put_away(self.reporter, Ending::Failed(&panicked));
        put_away.unwrap_or_else(|trouble| self.reporter.trouble(&trouble));
    }
}

#[cfg(test)]
mod tests;
