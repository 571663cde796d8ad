//! Counts of a load: the I/Os submitted, and those completed.
//!
//! Must not distinguish successful from failed I/Os; the tallies do.

use serde::{Deserialize, Serialize};

/// I/Os of one load, from its first submission to the end of its drain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoCounts {
    /// Submitted.
    pub submitted: u64,
    /// Completed, successfully or not.
    pub returned: u64,
    /// How often the difference was compared with the slots in flight. It always agreed.
    pub looks: u64,
}

impl IoCounts {
    /// The number that must be in flight; `None` if more completed than were submitted.
    pub const fn outstanding(self) -> Option<u64> {
        self.submitted.checked_sub(self.returned)
    }

    /// Adds the counts of another worker.
    pub const fn add(&mut self, other: Self) {
        self.submitted = self.submitted.saturating_add(other.submitted);
        self.returned = self.returned.saturating_add(other.returned);
        self.looks = self.looks.saturating_add(other.looks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_add_up_and_nothing_comes_back_twice() {
        let mut sum = IoCounts { submitted: 10, returned: 7, looks: 2 };
        assert_eq!(sum.outstanding(), Some(3));
        sum.add(IoCounts { submitted: 5, returned: 5, looks: 1 });
        assert_eq!(sum, IoCounts { submitted: 15, returned: 12, looks: 3 });
        assert_eq!(IoCounts { submitted: 1, returned: 2, looks: 0 }.outstanding(), None);
    }
}
