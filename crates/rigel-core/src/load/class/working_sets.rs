//! The working sets of a class: how much of the start of a target its I/Os go to.
//!
//! Must not know targets.

use serde::{Deserialize, Serialize};

/// Nobody needs more sizes than doublings of a byte.
pub const MOST_WORKING_SETS: usize = 64;

/// A class whose load level is the number of a working set, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingSets {
    /// Bytes of each, ascending.
    pub sizes: Vec<u64>,
    /// The number outstanding at each of them, of what the class counts.
    pub each: u32,
}

impl WorkingSets {
    /// Bytes of the set with this number; `None` if there is none.
    pub fn bytes(&self, level: u32) -> Option<u64> {
        let at = usize::try_from(level).ok()?.checked_sub(1)?;
        self.sizes.get(at).copied()
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.sizes.len()).unwrap_or(u32::MAX)
    }

    /// The problem with them, for an error.
    pub(super) fn wrong(&self) -> Option<String> {
        if !(1..=MOST_WORKING_SETS).contains(&self.sizes.len()) {
            let count = self.sizes.len();
            return Some(format!("{count} working sets is out of range (1 to {MOST_WORKING_SETS})"));
        }
        let is_ascending = self.sizes.is_sorted_by(|before, after| before < after);
        (!is_ascending).then(|| "working sets must grow from each to the next".to_owned())
    }
}
