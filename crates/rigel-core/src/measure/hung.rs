//! I/Os that never completed. Must not decide when an I/O is hung; the worker does, by the time limit of the request.

use crate::facts::TargetFacts;
use crate::load::workload::Direction;
use crate::path_text;
use crate::units::Nanos;
use serde::{Deserialize, Serialize};

/// I/Os that did not complete within the allowed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HungIo {
    /// Target index of the oldest.
    pub target: u16,
    /// Its byte offset in the target.
    pub offset: u64,
    /// Read or write.
    pub direction: Direction,
    /// Its age when it was given up.
    pub age_ns: u64,
    /// How many there were.
    pub count: u64,
    /// Whether the kernel cancelled all of them.
    pub taken_back: bool,
}

impl HungIo {
    /// Both combined: the older one, and the total number.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        let oldest = if other.age_ns > self.age_ns { other } else { self };
        let count = self.count.saturating_add(other.count);
        Self { count, taken_back: self.taken_back && other.taken_back, ..oldest }
    }

    /// What happened, as a sentence without a full stop; `targets` are those of the run.
    pub fn sentence(&self, targets: &[TargetFacts]) -> String {
        let target = targets.get(usize::from(self.target)).map_or("?", |target| target.path.as_str());
        let others = match self.count {
            0 | 1 => String::new(),
            2 => ", nor did another one".to_owned(),
            count => format!(", nor did {} others", count - 1),
        };
        let end =
            if self.taken_back { "the kernel cancelled all of them" } else { "some are still in the kernel" };
        format!(
            "a {} at byte {} of {} did not complete for {:.1} s{others}; {end}",
            self.direction.name(),
            self.offset,
            path_text::printable(target),
            Nanos(self.age_ns).seconds()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HUNG: HungIo = HungIo {
        target: 0,
        offset: 4096,
        direction: Direction::Write,
        age_ns: 61_200_000_000,
        count: 1,
        taken_back: true,
    };

    #[test]
    fn the_oldest_of_all_workers_is_told() {
        let older = HungIo { offset: 8192, age_ns: 70_000_000_000, count: 2, taken_back: false, ..HUNG };
        for both in [HUNG.with(older), older.with(HUNG)] {
            assert_eq!((both.offset, both.count, both.taken_back), (8192, 3, false));
            let text = both.sentence(&[TargetFacts::simulated(1)]);
            assert!(
                text.contains("byte 8192 of simulated did not complete for 70.0 s, nor did 2 others"),
                "{text}"
            );
            assert!(text.ends_with("some are still in the kernel"), "{text}");
        }
        assert!(HUNG.sentence(&[]).contains("of ? did not complete for 61.2 s; the kernel cancelled"));
    }
}
