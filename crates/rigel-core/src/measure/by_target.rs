//! What each target, or each reader, did for a class, so that one of many that is slower, or fails, shows.
//!
//! Must not judge.

use serde::{Deserialize, Serialize};

/// Counts of a visit by target, in the order of the run's targets, including settling and draining. All four have the same length. For an
/// interval: since the last one that has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByTarget {
    /// I/Os that succeeded.
    pub ops: Vec<u64>,
    /// I/Os that failed.
    pub errors: Vec<u64>,
    /// Sum of their latencies, in nanoseconds.
    pub latency_sum_ns: Vec<u64>,
    /// The longest of them.
    pub longest_ns: Vec<u64>,
}

impl ByTarget {
    /// Empty counts of this many targets.
    pub fn new(targets: usize) -> Self {
        let zeros = || vec![0; targets];
        Self { ops: zeros(), errors: zeros(), latency_sum_ns: zeros(), longest_ns: zeros() }
    }

    /// An I/O completed. An unknown target is ignored.
    #[inline]
    pub fn completed(&mut self, target: u16, latency_ns: u64) {
        let at = usize::from(target);
        let Self { ops, latency_sum_ns, longest_ns, .. } = self;
        if let (Some(ops), Some(sum), Some(longest)) =
            (ops.get_mut(at), latency_sum_ns.get_mut(at), longest_ns.get_mut(at))
        {
            *ops += 1;
            *sum = sum.saturating_add(latency_ns);
            *longest = latency_ns.max(*longest);
        }
    }

    /// An I/O failed.
    #[cold]
    pub fn failed(&mut self, target: u16) {
        if let Some(errors) = self.errors.get_mut(usize::from(target)) {
            *errors += 1;
        }
    }

    /// The counts so far, which are reset; `None` if there are none.
    #[must_use]
    pub fn take(&mut self) -> Option<Self> {
        let any = self.ops.iter().chain(&self.errors).any(|&count| count > 0);
        any.then(|| std::mem::replace(self, Self::new(self.ops.len())))
    }

    /// The same with the target numbers of the whole run.
    #[must_use]
    pub fn retold(&self, target: &dyn Fn(u16) -> u16) -> Self {
        let placed = |values: &[u64]| {
            let mut all = Vec::new();
            for (number, &value) in (0u16..).zip(values) {
                let at = usize::from(target(number));
                all.resize(all.len().max(at + 1), 0);
                all[at] = value;
            }
            all
        };
        let Self { ops, errors, latency_sum_ns, longest_ns } = self;
        Self {
            ops: placed(ops),
            errors: placed(errors),
            latency_sum_ns: placed(latency_sum_ns),
            longest_ns: placed(longest_ns),
        }
    }

    /// Adds the counts of another worker or visit.
    pub fn add(&mut self, other: &Self) {
        let sum = |mine: u64, theirs: u64| mine.saturating_add(theirs);
        joined(&mut self.ops, &other.ops, sum);
        joined(&mut self.errors, &other.errors, sum);
        joined(&mut self.latency_sum_ns, &other.latency_sum_ns, sum);
        joined(&mut self.longest_ns, &other.longest_ns, u64::max);
    }
}

fn joined(mine: &mut Vec<u64>, theirs: &[u64], join: impl Fn(u64, u64) -> u64) {
    mine.resize(mine.len().max(theirs.len()), 0);
    mine.iter_mut().zip(theirs).for_each(|(mine, &theirs)| *mine = join(*mine, theirs));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_counted_apart_and_add_up() {
        let mut one = ByTarget::new(2);
        one.completed(0, 5);
        one.completed(1, 7);
        one.completed(1, 3);
        one.failed(0);
        one.completed(2, 99);
        one.failed(9);
        let mut sum = ByTarget::default();
        assert_eq!((sum.take(), ByTarget::new(3).take()), (None, None));
        sum.add(&one);
        sum.add(&one);
        assert_eq!(
            sum,
            ByTarget {
                ops: vec![2, 4],
                errors: vec![2, 0],
                latency_sum_ns: vec![10, 20],
                longest_ns: vec![5, 7]
            }
        );
        assert_eq!(one.take().unwrap().ops, [1, 2]);
        assert_eq!((one.ops.len(), one.take()), (2, None));
    }
}
