//! A limit of I/Os or bytes per second with credits: a token bucket in front of the stations.
//!
//! Its state outlasts visits. Must not know the stations.

use super::ceil_ns;
use rigel_core::sim::Bucket;
use rigel_core::units::{NS_PER_S, to_f64};

/// A token bucket, kept as the time at which it will be full when nothing more is taken (the virtual scheduling form of
/// ITU-T I.371).
#[derive(Debug)]
pub(super) struct Gate {
    ns_per_token: f64,
    full_ns: f64,
    full_at_ns: f64,
}

impl Gate {
    pub(super) fn new(bucket: Bucket) -> Self {
        let ns_per_token = to_f64(NS_PER_S) / to_f64(bucket.per_s.max(1));
        Self {
            ns_per_token,
            full_ns: to_f64(bucket.credits) * ns_per_token,
            full_at_ns: to_f64(bucket.missing()) * ns_per_token,
        }
    }

    /// The time at which an I/O that arrives at `now_ns` and costs `tokens` may pass. No I/O overtakes another. One that
    /// costs more than the bucket holds waits until the bucket is full, and leaves a debt.
    pub(super) fn pass(&mut self, now_ns: u64, tokens: u64) -> u64 {
        let cost_ns = to_f64(tokens) * self.ns_per_token;
        let may_be_missing_ns = (self.full_ns - cost_ns).max(0.0);
        let at_ns = now_ns.max(ceil_ns(self.full_at_ns - may_be_missing_ns));
        self.full_at_ns = self.full_at_ns.max(to_f64(at_ns)) + cost_ns;
        at_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_first_then_the_rate() {
        let mut gate = Gate::new(Bucket::full(1000, 3));
        let passed: Vec<u64> = (0..6).map(|_| gate.pass(0, 1)).collect();
        assert_eq!(passed, [0, 0, 0, 1_000_000, 2_000_000, 3_000_000]);
        // Idle for 2 ms after the last: two tokens, and the third comes 1 ms later.
        let passed: Vec<u64> = (0..3).map(|_| gate.pass(5_000_000, 1)).collect();
        assert_eq!(passed, [5_000_000, 5_000_000, 6_000_000]);
    }

    #[test]
    fn a_bucket_that_starts_empty_has_the_rate_alone() {
        let mut gate = Gate::new(Bucket { at_start: Some(0), ..Bucket::full(1000, 3) });
        let passed: Vec<u64> = (0..2).map(|_| gate.pass(0, 1)).collect();
        assert_eq!(passed, [1_000_000, 2_000_000]);
        let mut gate = Gate::new(Bucket { at_start: Some(2), ..Bucket::full(1000, 3) });
        let passed: Vec<u64> = (0..3).map(|_| gate.pass(0, 1)).collect();
        assert_eq!(passed, [0, 0, 1_000_000]);
    }

    #[test]
    fn more_than_the_bucket_holds_leaves_a_debt() {
        let mut gate = Gate::new(Bucket::full(1000, 2));
        assert_eq!([gate.pass(0, 5), gate.pass(0, 5), gate.pass(0, 1)], [0, 5_000_000, 9_000_000]);
    }
}
