//! ORION's lists of load levels.
//!
//! The rule was derived from published totals and time estimates of real runs; the table in the tests holds them.
//! Must not know the matrix that the lists span.

/// Load levels `1..=max`, thinned to about twenty: with step `s = max(1, floor(max / 20))` the list is `1, 2, .., s`,
/// then multiples of `s` up to `max`, and `max` itself if it is not a multiple.
pub(crate) fn up_to(max: u32) -> Vec<u32> {
    stepped(max, (max / 20).max(1))
}

/// Small levels of `simple`, `normal` and the advanced matrices: up to 5 outstanding per disk.
pub fn small(num_disks: u32) -> Vec<u32> {
    up_to(num_disks.saturating_mul(5))
}

/// Large levels of `simple`, `normal` and the advanced matrices: up to 2 outstanding per disk.
pub fn large(num_disks: u32) -> Vec<u32> {
    up_to(num_disks.saturating_mul(2))
}

/// Small levels of `oltp`: `1..=nd`, then multiples of nd up to 20 per disk.
pub fn oltp_small(num_disks: u32) -> Vec<u32> {
    stepped(num_disks.saturating_mul(20), num_disks.max(1))
}

/// Large levels of `dss`: `1..=nd`, then multiples of nd up to 15 per disk.
pub fn dss_large(num_disks: u32) -> Vec<u32> {
    stepped(num_disks.saturating_mul(15), num_disks.max(1))
}

/// `1..=step`, then multiples of `step` up to `max`, then `max`.
fn stepped(max: u32, step: u32) -> Vec<u32> {
    let mut list: Vec<u32> = (1..=step.min(max)).collect();
    let mut level = step;
    while let Some(next) = level.checked_add(step).filter(|&next| next <= max) {
        list.push(next);
        level = next;
    }
    if list.last().is_some_and(|&last| last < max) {
        list.push(max);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// For as many disks as a plan takes: rising levels from 1 to the largest, and not many of them beyond one a disk.
        #[test]
        fn every_list_rises_to_its_end(disks in 1u32..=10_000) {
            for (list, most) in [
                (small(disks), 5 * disks),
                (large(disks), 2 * disks),
                (oltp_small(disks), 20 * disks),
                (dss_large(disks), 15 * disks),
            ] {
                prop_assert_eq!((list.first(), list.last()), (Some(&1), Some(&most)));
                prop_assert!(list.is_sorted_by(|a, b| a < b));
                prop_assert!(list.len() <= 64 + disks as usize);
            }
        }
    }

    #[test]
    fn thirty_is_not_thinned_and_forty_is() {
        assert_eq!(small(6), (1..=30).collect::<Vec<_>>());
        let forty = small(8);
        assert_eq!(forty.len(), 21);
        assert_eq!(forty[..4], [1, 2, 4, 6]);
        assert_eq!(forty.last(), Some(&40));
    }

    #[test]
    fn published_shapes() {
        assert_eq!(small(12)[..5], [1, 2, 3, 6, 9]);
        assert_eq!(small(24)[..8], [1, 2, 3, 4, 5, 6, 12, 18]);
        assert_eq!(large(24)[..4], [1, 2, 4, 6]);
        assert_eq!(oltp_small(3), [vec![1, 2, 3], (2..=20).map(|k| 3 * k).collect()].concat());
        assert_eq!(dss_large(1), (1..=15).collect::<Vec<_>>());
    }

    #[test]
    fn counts_of_the_table() {
        for (nd, small_count, large_count) in [
            (1, 5, 2),
            (2, 10, 4),
            (3, 15, 6),
            (4, 20, 8),
            (6, 30, 12),
            (8, 21, 16),
            (12, 22, 24),
            (16, 23, 32),
            (24, 25, 25),
            (40, 29, 23),
        ] {
            assert_eq!((small(nd).len(), large(nd).len()), (small_count, large_count), "{nd} disks");
        }
    }

    #[test]
    fn a_last_level_that_is_no_multiple_is_appended() {
        let list = large(96);
        assert_eq!(list[list.len() - 2..], [189, 192]);
        assert_eq!(up_to(0), Vec::<u32>::new());
        assert_eq!(up_to(u32::MAX).last(), Some(&u32::MAX));
    }
}
