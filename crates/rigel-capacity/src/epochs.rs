//! Which of several disks and databases count at what time, so nothing counts twice and no time is lost: a volume and a database count as long as no
//! disk below them is known.
//!
//! Must not look at a value, and must not know sums.

use super::key::Subject;
use super::layers::lowest;
use super::span::Span;
use std::collections::BTreeSet;

/// From the first to the last known interval of a subject, in milliseconds of the epoch.
pub type Lifetime = (i64, i64);

/// The lifetime of both.
pub const fn joined(one: Lifetime, other: Lifetime) -> Lifetime {
    (if one.0 < other.0 { one.0 } else { other.0 }, if one.1 > other.1 { one.1 } else { other.1 })
}

/// Times in which the same count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Epochs(
    /// The first millisecond of each, and the places of those that count from there on.
    Vec<(i64, Vec<usize>)>,
);

impl Epochs {
    /// For the subjects of one host, each with its lifetime; one without known intervals never counts.
    pub fn of(lives: &[(&Subject, Option<Lifetime>)]) -> Self {
        let known = || lives.iter().filter_map(|one| one.1);
        let bounds: BTreeSet<i64> = known().flat_map(|(first, last)| [first, last]).collect();
        let counting = |at_ms: i64| {
            let is_alive =
                |life: &Option<Lifetime>| life.is_some_and(|life| (life.0..life.1).contains(&at_ms));
            let alive: Vec<usize> = (0..lives.len()).filter(|&at| is_alive(&lives[at].1)).collect();
            let subjects: Vec<&Subject> = alive.iter().map(|&at| lives[at].0).collect();
            (at_ms, lowest(&subjects).into_iter().map(|at| alive[at]).collect())
        };
        Self(bounds.into_iter().map(counting).collect())
    }

    /// The places of those that count in an interval: that are alive in the middle of it, and so have half of it if they live that long.
    pub fn counting(&self, span: Span) -> &[usize] {
        let middle = span.start_ms.saturating_add(i64::from(span.length_ms / 2));
        let at = self.0.partition_point(|(from, _)| *from <= middle);
        at.checked_sub(1).map_or(&[], |at| self.0[at].1.as_slice())
    }

    /// The epochs in which something counts, each with its first millisecond.
    pub fn known(&self) -> impl Iterator<Item = (i64, &[usize])> {
        self.0
            .iter()
            .filter(|(_, counting)| !counting.is_empty())
            .map(|(at, counting)| (*at, counting.as_slice()))
    }

    /// The places of those that count at any time.
    pub fn used(&self) -> BTreeSet<usize> {
        self.0.iter().flat_map(|(_, counting)| counting.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    #[test]
    fn a_disk_counts_from_when_on_it_is_known_and_before_what_lies_on_it() {
        let [volume, disk, other] = ["dm-0", "sda", "sdb"].map(|name| Subject::disk(name, ""));
        let database = Subject::named(Kind::Database, "PROD");
        let lives = [
            (&database, Some((0, 1000))),
            (&volume, Some((200, 800))),
            (&disk, Some((400, 600))),
            (&other, None),
        ];
        let epochs = Epochs::of(&lives);
        for (start_ms, counting) in [
            (0, &[0][..]),
            (194, &[0]),
            (195, &[1]),
            (395, &[2]),
            (594, &[2]),
            // One that ends and one that begins in the middle do not both count.
            (595, &[1]),
            (900, &[0]),
            (995, &[]),
        ] {
            assert_eq!(epochs.counting(Span { start_ms, length_ms: 10 }), counting, "{start_ms}");
        }
        assert_eq!(epochs.used(), [0, 1, 2].into());
        assert!(Epochs::default().counting(Span { start_ms: 0, length_ms: 1 }).is_empty());
    }
}
