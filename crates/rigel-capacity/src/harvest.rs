//! What readers produce: tables by key, joined as they come.
//!
//! A source may list all disks at one time (sysstat), or all times of one metric of a disk (Prometheus); both become the same tables. The owner
//! takes them out from time to time, so a year needs no more memory than a part of it. Must not keep them.

use super::key::Key;
use super::metric::Metric;
use super::span::Span;
use super::table::{MergeCounts, Table};
use std::collections::BTreeMap;

/// With more values than this, the harvest should be taken out and stored before more are added.
pub const MOST_ROWS: u64 = 1_500_000;

/// Tables that wait to be stored.
#[derive(Debug, Default)]
pub struct Harvest {
    tables: BTreeMap<Key, Table>,
    values: u64,
    /// Duplicates merged so far; the caller that stores the tables counts new values.
    pub merged: MergeCounts,
}

impl Harvest {
    /// Values that wait.
    pub const fn values(&self) -> u64 {
        self.values
    }

    /// Adds a row of a key. Sources report in time order; a row that is not after the previous ones is merged.
    pub fn row(&mut self, key: &Key, span: Span, values: &[(Metric, f64)]) {
        self.values += u64::try_from(values.len()).unwrap_or(u64::MAX);
        if !self.tables.contains_key(key) {
            self.tables.insert(key.clone(), Table::default());
        }
        let Some(table) = self.tables.get_mut(key) else { return };
        if !table.push(span, values) {
            let mut one = Table::default();
            if one.push(span, values) {
                self.merged.add(MergeCounts { added: 0, ..table.merge(&one) });
            }
        }
    }

    /// A metric of a key over many intervals.
    pub fn column(&mut self, key: &Key, metric: Metric, spans: &[Span], values: &[f64]) {
        self.values += u64::try_from(values.len()).unwrap_or(u64::MAX);
        let table = self.tables.entry(key.clone()).or_default();
        if table.push_column(metric, spans, values) {
            return;
        }
        if let Some(one) = Table::of_column(metric, spans.to_vec(), values.to_vec()) {
            self.merged.add(MergeCounts { added: 0, ..table.merge(&one) });
        }
    }

    /// Takes the tables out.
    pub fn take(&mut self) -> BTreeMap<Key, Table> {
        self.values = 0;
        std::mem::take(&mut self.tables)
    }
}
