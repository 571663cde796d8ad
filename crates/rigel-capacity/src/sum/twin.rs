//! Whether two series describe one load, whatever their names: they have the same values in the same intervals.
//!
//! Must not know names.

use super::LOAD;
use crate::span::Span;
use crate::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// Minimum number of common intervals with load, and of different values in them: loads of a constant rate match by chance.
const FEWEST: usize = 6;
const FEWEST_VALUES: usize = 4;
/// The part of them that must be the same.
const MOST: f64 = 0.95;
/// Rounding in the store.
const ROUNDING: f64 = 0.005;

/// Whether both tables have the same load.
pub fn is_same_load(one: &Table, other: &Table) -> bool {
    LOAD.into_iter().any(|metric| {
        let known: BTreeMap<Span, f64> =
            one.samples(metric).map(|sample| (sample.span, sample.value)).collect();
        let pairs =
            other.samples(metric).filter_map(|sample| Some((*known.get(&sample.span)?, sample.value)));
        let busy: Vec<(f64, f64)> = pairs.filter(|(one, other)| one.max(*other) > 0.0).collect();
        let is_same = |(one, other): &&(f64, f64)| (one - other).abs() <= ROUNDING * one.max(*other);
        let same = busy.iter().filter(is_same).count();
        let values: BTreeSet<u64> = busy.iter().map(|(one, _)| one.to_bits()).collect();
        busy.len() >= FEWEST && values.len() >= FEWEST_VALUES && same as f64 >= MOST * busy.len() as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HOUR_MS, Metric};

    #[test]
    fn a_load_is_known_by_its_values_and_a_constant_one_is_not() {
        let table = |rows: i64, rate: &dyn Fn(i64) -> f64| {
            let mut table = Table::default();
            for row in 0..rows {
                let span = Span::between(row * HOUR_MS, (row + 1) * HOUR_MS).unwrap();
                assert!(table.push(span, &[(Metric::ReadOps, rate(row))]));
            }
            table
        };
        let one = table(24, &|row| 100.0 + row as f64);
        let rounded = table(30, &|row| (100.0 + row as f64) * 1.002);
        assert!(is_same_load(&one, &rounded));
        assert!(!is_same_load(&one, &table(24, &|row| 101.0 + row as f64)), "much alike");
        assert!(!is_same_load(&one, &table(5, &|row| 100.0 + row as f64)), "of too little time");
        assert!(!is_same_load(&table(24, &|_| 50.0), &table(24, &|_| 50.0)));
        assert!(!is_same_load(&table(24, &|_| 0.0), &table(24, &|_| 0.0)));
    }
}
