//! The ids of the parts of a run's page: on a page of several runs, each has its own ids.
//!
//! Must not know what the parts are.

/// The prefix of the ids of one run.
pub(crate) struct Ids(String);

impl Ids {
    /// For the only run.
    pub const fn alone() -> Self {
        Self(String::new())
    }

    /// For one of several, counted from 1.
    pub fn of_run(number: usize) -> Self {
        Self(format!("r{number}-"))
    }

    /// The id of a part.
    pub fn of(&self, part: &str) -> String {
        format!("{}{part}", self.0)
    }
}
