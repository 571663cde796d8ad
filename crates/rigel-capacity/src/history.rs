//! What a store gives back: tables by key, as series of one subject.
//!
//! If several sources report on the same subject, the finest one that covers the whole time takes precedence for each interval, and the others
//! fill its gaps. Must not forecast.

use super::key::{Key, Kind, Source, Subject};
use super::metric::Metric;
use super::series::Series;
use super::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// What to read from a store. Everything by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Only of these hosts; of all when empty.
    pub hosts: Vec<String>,
    /// Only of subjects with one of these names; of all when empty.
    pub subjects: Vec<String>,
    /// Also the host as a whole, whatever the names are.
    pub with_host: bool,
    /// Only of this source.
    pub source: Option<Source>,
    /// From this time on, in milliseconds of the epoch.
    pub from_ms: Option<i64>,
    /// Up to this moment.
    pub to_ms: Option<i64>,
    /// Intervals of at least this many milliseconds: a year of many disks needs much memory otherwise.
    pub step_ms: Option<u32>,
}

impl Selection {
    /// Whether a key is selected.
    pub fn wants(&self, key: &Key) -> bool {
        let Subject { name: own, id, .. } = &key.subject;
        let named = |name: &String| name == own || (name == id && !id.is_empty());
        (self.hosts.is_empty() || self.hosts.contains(&key.host))
            && self.source.is_none_or(|source| source == key.source)
            && (self.subjects.is_empty()
                || self.subjects.iter().any(named)
                || (self.with_host && key.subject.kind == Kind::Host))
    }

    /// The selected part of the time.
    pub fn range(&self) -> (i64, i64) {
        (self.from_ms.unwrap_or(i64::MIN), self.to_ms.unwrap_or(i64::MAX))
    }
}

/// What a store contains for a key, without its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySummary {
    /// The subject and the source.
    pub key: Key,
    /// The metrics.
    pub metrics: BTreeSet<Metric>,
    /// The start of the first interval.
    pub first_ms: i64,
    /// The end of the last one.
    pub last_ms: i64,
    /// Milliseconds that the intervals cover.
    pub covered_ms: i64,
    /// Intervals.
    pub rows: u64,
    /// Bytes in the store.
    pub bytes: u64,
}

impl KeySummary {
    /// The mean length of an interval.
    pub fn interval_ms(&self) -> i64 {
        self.covered_ms / i64::try_from(self.rows.max(1)).unwrap_or(i64::MAX)
    }
}

/// Tables out of a store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    tables: BTreeMap<Key, Table>,
}

impl History {
    /// Only the tables of some keys.
    pub fn retain(&mut self, wanted: impl Fn(&Key) -> bool) {
        self.tables.retain(|key, _| wanted(key));
    }

    /// Adds a table; existing values of its key stay.
    pub fn add(&mut self, key: Key, table: &Table) {
        self.tables.entry(key).or_default().merge(table);
    }

    /// The tables.
    pub fn tables(&self) -> impl Iterator<Item = (&Key, &Table)> {
        self.tables.iter()
    }

    /// The hosts.
    pub fn hosts(&self) -> BTreeSet<&str> {
        self.tables.keys().map(|key| key.host.as_str()).collect()
    }

    /// The subjects of a host and kind, each once, whatever names and sources it has.
    pub fn subjects(&self, host: &str, kind: Kind) -> Vec<Subject> {
        let all = self.tables.keys().filter(|key| key.host == host && key.subject.kind == kind);
        Subject::distinct(all.map(|key| &key.subject))
    }

    /// The metrics that are known about a subject.
    pub fn metrics(&self, host: &str, subject: &Subject) -> BTreeSet<Metric> {
        self.of(host, subject).flat_map(|(_, table)| table.metrics()).collect()
    }

    fn of<'a>(&'a self, host: &'a str, subject: &'a Subject) -> impl Iterator<Item = (&'a Key, &'a Table)> {
        self.tables.iter().filter(move |(key, _)| key.host == host && key.subject.is_same(subject))
    }

    /// A metric of a subject, from all sources; no samples if none has it.
    pub fn series(&self, host: &str, subject: &Subject, metric: Metric) -> Series {
        let mut tables: Vec<(&Key, &Table)> = self.of(host, subject).collect();
        // What looked on all of the time knows more than samples, however often they were taken.
        tables.sort_by_key(|(key, table)| (key.source.is_sampled(), finest(table, metric)));
        let mut merged = Table::default();
        for (_, table) in tables {
            let column = table.samples(metric);
            let mut only = Table::default();
            for sample in column {
                let _ = only.push(sample.span, &[(metric, sample.value)]);
            }
            merged.merge(&only);
        }
        let samples = merged.samples(metric).collect();
        Series { host: host.to_owned(), subject: subject.clone(), metric, samples }
    }
}

/// The length of a table's usual interval; a table without the metric comes last.
fn finest(table: &Table, metric: Metric) -> u32 {
    let mut lengths: Vec<u32> = table.samples(metric).map(|sample| sample.span.length_ms).collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() / 2).copied().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
