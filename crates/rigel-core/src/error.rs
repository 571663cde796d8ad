//! A problem as the user meets it: what failed, where, the likely cause, the next step, and the exit code.
//!
//! Must not print; the program does that in one place.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The kind of a problem. The numbers are the exit codes of the program, which are part of its interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitKind {
    /// 1: measured, but a gate or a check failed.
    GateFailed = 1,
    /// 2: the command line, a `.lun` file or a record cannot be understood or contradicts itself.
    Usage = 2,
    /// 3: a target or the host refused, or Rigel refuses to touch it.
    Refused = 3,
    /// 4: the run was cut short; its record is complete up to that point.
    CutShort = 4,
    /// 5: a bug in Rigel.
    Bug = 5,
}

impl ExitKind {
    /// The exit code of the program.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

/// A failure, described so that the reader can act on it.
///
/// Fields hold sentences without a full stop. Foreign text (paths, file contents) must have gone through
/// [`crate::path_text`] first, so that no name can control the terminal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Decides the exit code.
    pub kind: ExitKind,
    /// What failed.
    pub what: String,
    /// The option, file, line or target.
    pub place: Option<String>,
    /// The likely cause.
    pub cause: Option<String>,
    /// What to do next.
    pub next: Option<String>,
}

impl Problem {
    /// A problem of the given kind.
    pub fn new(kind: ExitKind, what: impl Into<String>) -> Self {
        Self { kind, what: what.into(), place: None, cause: None, next: None }
    }

    /// The input cannot be understood.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(ExitKind::Usage, what)
    }

    /// A target or the host refused.
    pub fn refused(what: impl Into<String>) -> Self {
        Self::new(ExitKind::Refused, what)
    }

    /// Adds where it happened.
    #[must_use]
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Adds the likely cause.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into());
        self
    }

    /// Adds the next step.
    #[must_use]
    pub fn next(mut self, step: impl Into<String>) -> Self {
        self.next = Some(step.into());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.what)?;
        for (label, text) in
            [("where", &self.place), ("likely cause", &self.cause), ("next step", &self.next)]
        {
            if let Some(text) = text {
                write!(f, "\n  {label}: {text}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_top_down() {
        let problem = Problem::refused("cannot open the target")
            .at("/dev/sdx")
            .because("no such device")
            .next("list the devices with lsblk");
        assert_eq!(
            problem.to_string(),
            "cannot open the target\n  where: /dev/sdx\n  likely cause: no such device\n  next step: list the devices with lsblk"
        );
        assert_eq!(problem.kind.code(), 3);
    }
}
