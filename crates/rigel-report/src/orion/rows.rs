//! Latencies counted in ORION's 28 rows: powers of two in microseconds.
//!
//! The first row holds everything below 2 us, the last everything from 134217728 us on, so every I/O is counted. Must
//! not lay out text.

use rigel_core::measure::Histogram;
use rigel_core::units::NS_PER_US;

/// Rows of a histogram.
pub(super) const ROWS: u32 = 28;
/// Upper end of the last row.
const TOP_US: u64 = 1 << ROWS;

/// One row: latencies from `from_us` to below `to_us`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub from_us: u64,
    pub to_us: u64,
    pub reads: u64,
    pub writes: u64,
}

/// All rows.
pub(super) fn all(reads: &Histogram, writes: &Histogram) -> Vec<Row> {
    (0..ROWS)
        .map(|row| {
            let from_us = if row == 0 { 0 } else { 1 << row };
            let to_us = 1 << (row + 1);
            Row { from_us, to_us, reads: count(reads, from_us, to_us), writes: count(writes, from_us, to_us) }
        })
        .collect()
}

/// The rows from the first to the last with a count; the empty ranges before and after are one row each, as in published
/// output of 19.3.
pub(super) fn collapsed(reads: &Histogram, writes: &Histogram) -> Vec<Row> {
    let rows = all(reads, writes);
    let used = |row: &Row| row.reads > 0 || row.writes > 0;
    let empty = |from_us, to_us| Row { from_us, to_us, reads: 0, writes: 0 };
    let (Some(first), Some(last)) = (rows.iter().position(used), rows.iter().rposition(used)) else {
        return vec![empty(0, TOP_US)];
    };
    let mut kept = Vec::new();
    if first > 0 {
        kept.push(empty(0, rows[first].from_us));
    }
    kept.extend_from_slice(&rows[first..=last]);
    if rows[last].to_us < TOP_US {
        kept.push(empty(rows[last].to_us, TOP_US));
    }
    kept
}

/// Exact, because every edge is an edge of the histogram's buckets too.
fn count(histogram: &Histogram, from_us: u64, to_us: u64) -> u64 {
    let below = |us: u64| histogram.count_below(us * NS_PER_US);
    let end = if to_us == TOP_US { histogram.count() } else { below(to_us) };
    end - below(from_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(latencies_us: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        for us in latencies_us {
            histogram.record(us * NS_PER_US);
        }
        histogram
    }

    #[test]
    fn edges_belong_to_the_upper_row_and_nothing_is_lost() {
        let reads = histogram(&[0, 1, 2, 3, 4, TOP_US - 1, TOP_US, 2 * TOP_US]);
        let rows = all(&reads, &Histogram::new());
        assert_eq!((rows[0].reads, rows[1].reads, rows[2].reads), (2, 2, 1));
        assert_eq!(rows[27].reads, 3);
        assert_eq!(rows.iter().map(|row| row.reads).sum::<u64>(), reads.count());
    }

    #[test]
    fn ends_collapse_only_where_they_are_empty() {
        let ends = |rows: Vec<Row>| rows.iter().map(|row| (row.from_us, row.to_us)).collect::<Vec<_>>();
        let none = Histogram::new();
        assert_eq!(ends(collapsed(&none, &none)), [(0, TOP_US)]);
        assert_eq!(
            ends(collapsed(&histogram(&[40]), &histogram(&[100]))),
            [(0, 32), (32, 64), (64, 128), (128, TOP_US)]
        );
        assert_eq!(ends(collapsed(&histogram(&[1]), &none)), [(0, 2), (2, TOP_US)]);
        assert_eq!(ends(collapsed(&histogram(&[TOP_US]), &none)), [(0, TOP_US / 2), (TOP_US / 2, TOP_US)]);
    }
}
