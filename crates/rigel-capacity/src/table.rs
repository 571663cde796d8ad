//! A table of samples: a row for each interval, a column for each metric; and how two tables of one key become one.
//!
//! Must not know where a table is kept.

use super::metric::{Behaviour, Metric};
use super::series::Sample;
use std::collections::BTreeMap;

/// Two values of the same sample that differ by less are equal: the store rounds.
const SAME: f64 = 0.04;
/// A smaller difference is none, whatever it is in per cent; the tools round times and shares to that.
const NOTHING: f64 = 0.05;
/// Intervals may overlap by so much, as tools tell times in whole seconds.
const MOST_OVERLAP_MS: i64 = 1_000;

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Milliseconds of the epoch.
    pub start_ms: i64,
    /// How long, in milliseconds; never 0.
    pub length_ms: u32,
}

impl Span {
    /// From one moment to another; `None` when it has no length or one of more than 49 days.
    pub fn between(start_ms: i64, end_ms: i64) -> Option<Self> {
        let length_ms = u32::try_from(end_ms.checked_sub(start_ms)?).ok().filter(|&length| length > 0)?;
        Some(Self { start_ms, length_ms })
    }

    /// Its end, in milliseconds of the epoch.
    pub const fn end_ms(self) -> i64 {
        self.start_ms + self.length_ms as i64
    }

    /// Whether both hold the same time, but for the rounding of a tool.
    pub fn overlaps(self, other: Self) -> bool {
        let common = self.end_ms().min(other.end_ms()) - self.start_ms.max(other.start_ms);
        let shorter = i64::from(self.length_ms.min(other.length_ms));
        common > MOST_OVERLAP_MS.min(shorter / 4)
    }
}

/// What happened to the rows merged into a table. Counts are of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeCounts {
    /// Values that were new.
    pub added: u64,
    /// Values that were there already, the same.
    pub known: u64,
    /// Values that were there already with another value: probably two hosts under one name.
    pub differing: u64,
    /// Rows left out because they overlap an existing interval.
    pub overlapping: u64,
    /// The start of the first interval with another value.
    pub first_differing_ms: Option<i64>,
}

impl MergeCounts {
    /// Adds another.
    pub fn add(&mut self, other: Self) {
        self.added += other.added;
        self.known += other.known;
        self.differing += other.differing;
        self.overlapping += other.overlapping;
        self.first_differing_ms = self.first_differing_ms.or(other.first_differing_ms);
    }
}

/// Rows in the order of time, without overlaps. A value that is not known is NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    spans: Vec<Span>,
    columns: BTreeMap<Metric, Vec<f64>>,
}

impl Table {
    /// A table with one column.
    pub fn of_column(metric: Metric, spans: Vec<Span>, values: Vec<f64>) -> Option<Self> {
        let ordered = spans.windows(2).all(|pair| pair[0] < pair[1] && !pair[0].overlaps(pair[1]));
        (ordered && spans.len() == values.len()).then(|| Self { spans, columns: [(metric, values)].into() })
    }

    /// The intervals.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The metrics.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> + '_ {
        self.columns.keys().copied()
    }

    /// The values of a metric, one per interval; NaN if unknown.
    pub fn column(&self, metric: Metric) -> Option<&[f64]> {
        self.columns.get(&metric).map(Vec::as_slice)
    }

    /// All columns.
    pub fn columns(&self) -> impl Iterator<Item = (Metric, &[f64])> {
        self.columns.iter().map(|(&metric, values)| (metric, values.as_slice()))
    }

    /// Whether it has no rows.
    pub const fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The known samples of a metric, in the order of time.
    pub fn samples(&self, metric: Metric) -> impl Iterator<Item = Sample> + '_ {
        let values = self.column(metric).unwrap_or_default();
        let all = self.spans.iter().zip(values).filter(|(_, value)| !value.is_nan());
        all.map(|(&span, &value)| Sample { span, value })
    }

    /// The number of known values.
    pub fn values(&self) -> u64 {
        let known = self.columns.values().flatten().filter(|value| !value.is_nan());
        u64::try_from(known.count()).unwrap_or(u64::MAX)
    }

    /// Adds a row at the end, or more values of the last one; returns `false`, and does nothing, if it begins before
    /// the last one ends. A row without a value is not added.
    #[must_use]
    pub fn push(&mut self, span: Span, values: &[(Metric, f64)]) -> bool {
        if !values.iter().any(|(_, value)| value.is_finite()) {
            return true;
        }
        if self.spans.last() == Some(&span) {
            return self.push_more(values);
        }
        if self.spans.last().is_some_and(|last| *last >= span || last.overlaps(span)) {
            return false;
        }
        let rows = self.spans.len();
        self.spans.push(span);
        for &(metric, value) in values.iter().filter(|(_, value)| value.is_finite()) {
            let column = self.columns.entry(metric).or_default();
            column.resize(rows, f64::NAN);
            column.push(value);
        }
        self.columns.values_mut().for_each(|column| column.resize(rows + 1, f64::NAN));
        true
    }

    /// More values of the last row.
    fn push_more(&mut self, values: &[(Metric, f64)]) -> bool {
        let is_new = |metric: Metric| {
            self.columns.get(&metric).and_then(|all| all.last()).is_none_or(|last| last.is_nan())
        };
        if !values.iter().all(|&(metric, _)| is_new(metric)) {
            return false;
        }
        for &(metric, value) in values.iter().filter(|(_, value)| value.is_finite()) {
            let column = self.columns.entry(metric).or_default();
            column.resize(self.spans.len(), f64::NAN);
            if let Some(last) = column.last_mut() {
                *last = value;
            }
        }
        true
    }

    /// Adds a column of exactly the same intervals; returns `false`, and does nothing, if it exists already.
    #[must_use]
    pub fn push_column(&mut self, metric: Metric, spans: &[Span], values: &[f64]) -> bool {
        let fits = self.spans == spans && values.len() == spans.len() && !self.columns.contains_key(&metric);
        if fits {
            self.columns.insert(metric, values.to_vec());
        }
        fits
    }

    /// The rows that begin in a part of the time.
    pub fn slice(&self, from_ms: i64, to_ms: i64) -> Self {
        let at = |ms: i64| self.spans.partition_point(|span| span.start_ms < ms);
        let (from, to) = (at(from_ms), at(to_ms).max(at(from_ms)));
        let columns = self.columns.iter().map(|(&metric, values)| (metric, values[from..to].to_vec()));
        let columns = columns.filter(|(_, values)| values.iter().any(|value| !value.is_nan()));
        Self { spans: self.spans[from..to].to_vec(), columns: columns.collect() }
    }

    /// The table in blocks of `block_ms`, each with the start of its block.
    pub fn blocks(&self, block_ms: i64) -> Vec<(i64, Self)> {
        let block = |span: &Span| span.start_ms.div_euclid(block_ms) * block_ms;
        let parts = self.spans.chunk_by(|a, b| block(a) == block(b));
        let starts = parts.filter_map(|part| part.first().map(block));
        starts.map(|start| (start, self.slice(start, start.saturating_add(block_ms)))).collect()
    }

    /// Adds the rows of another table of the same key. Existing values stay.
    pub fn merge(&mut self, other: &Self) -> MergeCounts {
        let mut merged = MergeCounts::default();
        let behind = match (self.spans.last(), other.spans.first()) {
            (_, None) => return merged,
            (None, _) => true,
            (Some(last), Some(first)) => last < first && !last.overlaps(*first),
        };
        if behind {
            merged.added = other.values();
            self.append(other);
        } else if self.spans == other.spans {
            for (&metric, values) in &other.columns {
                merge_column(self.columns.entry(metric), values, &self.spans, &mut merged);
            }
        } else {
            let union = union(&self.spans, &other.spans, &mut merged);
            *self = self.spread(&union, |row| row.0);
            let theirs = other.spread(&union, |row| row.1);
            for (metric, values) in theirs.columns {
                merge_column(self.columns.entry(metric), &values, &self.spans, &mut merged);
            }
        }
        merged
    }

    fn append(&mut self, other: &Self) {
        let (before, after) = (self.spans.len(), self.spans.len() + other.spans.len());
        self.spans.extend_from_slice(&other.spans);
        for (&metric, values) in &other.columns {
            let column = self.columns.entry(metric).or_default();
            column.resize(before, f64::NAN);
            column.extend_from_slice(values);
        }
        self.columns.values_mut().for_each(|column| column.resize(after, f64::NAN));
    }

    /// The same values in the rows of a union; `own` are the rows of this table.
    fn spread(&self, union: &[Row], own: fn(&Row) -> Option<usize>) -> Self {
        let spread = |values: &Vec<f64>| {
            let value = |row: &Row| own(row).map_or(f64::NAN, |at| values[at]);
            union.iter().map(value).collect()
        };
        Self {
            spans: union.iter().map(|row| row.2).collect(),
            columns: self.columns.iter().map(|(&metric, values)| (metric, spread(values))).collect(),
        }
    }

    /// The table with intervals of at least `step_ms`, which begin at its multiples. An interval that is known to less than a half is left
    /// out; longer ones stay as they are.
    #[must_use]
    pub fn coarser(&self, step_ms: u32) -> Self {
        let step = i64::from(step_ms.max(1));
        let place = |span: &Span| (span.length_ms >= step_ms, span.start_ms.div_euclid(step));
        let mut coarse = Self::default();
        let mut from = 0;
        for part in self.spans.chunk_by(|a, b| place(a) == place(b) && a.length_ms < step_ms) {
            let rows = from..from + part.len();
            from = rows.end;
            let Some(first) = part.first() else { continue };
            let (span, least) = if first.length_ms >= step_ms {
                (*first, 0)
            } else {
                (Span { start_ms: place(first).1 * step, length_ms: step_ms }, step / 2)
            };
            let known = self.columns.iter().filter_map(|(&metric, values)| {
                joined(metric, part, &values[rows.clone()], least).map(|value| (metric, value))
            });
            let known: Vec<_> = known.collect();
            if !known.is_empty() {
                let _ = coarse.push(span, &known);
            }
        }
        coarse
    }
}

/// A row of a union: its index in each of the tables.
type Row = (Option<usize>, Option<usize>, Span);

/// The intervals of both, in the order of time; of those that overlap, the one of the first.
fn union(first: &[Span], second: &[Span], merged: &mut MergeCounts) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(first.len() + second.len());
    let (mut at, mut other) = (0, 0);
    while at < first.len() || other < second.len() {
        match (first.get(at), second.get(other)) {
            (Some(&one), Some(&two)) if one == two => {
                rows.push((Some(at), Some(other), one));
                (at, other) = (at + 1, other + 1);
            }
            (one, Some(&two)) if one.is_none_or(|&one| two < one) => {
                let hit = |span: Option<&Span>| span.is_some_and(|span| span.overlaps(two));
                if hit(rows.last().map(|row| &row.2)) || hit(one) {
                    merged.overlapping += 1;
                } else {
                    rows.push((None, Some(other), two));
                }
                other += 1;
            }
            (Some(&one), _) => {
                rows.push((Some(at), None, one));
                at += 1;
            }
            (None, None) => {}
            (None, Some(_)) => other += 1,
        }
    }
    rows
}

fn merge_column(
    entry: std::collections::btree_map::Entry<'_, Metric, Vec<f64>>,
    values: &[f64],
    spans: &[Span],
    merged: &mut MergeCounts,
) {
    let column = entry.or_insert_with(|| vec![f64::NAN; spans.len()]);
    for ((kept, &value), span) in column.iter_mut().zip(values).zip(spans) {
        if value.is_nan() {
            continue;
        }
        if kept.is_nan() {
            *kept = value;
            merged.added += 1;
        } else if (*kept - value).abs() <= NOTHING.max(SAME * kept.abs().max(value.abs())) {
            merged.known += 1;
        } else {
            merged.differing += 1;
            merged.first_differing_ms = merged.first_differing_ms.or(Some(span.start_ms));
        }
    }
}

/// Values of several intervals as one; `None` when they hold less than `least_ms` of the time.
fn joined(metric: Metric, spans: &[Span], values: &[f64], least_ms: i64) -> Option<f64> {
    let known = || spans.iter().zip(values).filter(|(_, value)| !value.is_nan());
    let covered: i64 = known().map(|(span, _)| i64::from(span.length_ms)).sum();
    if covered < least_ms {
        return None;
    }
    match metric.behaviour() {
        Behaviour::Level => known().next_back().map(|(_, &value)| value),
        Behaviour::Flow => {
            let weighted = known().map(|(span, value)| value * f64::from(span.length_ms));
            let (total, weight) = weighted.zip(known()).fold((0.0, 0.0), |(total, weight), (value, row)| {
                (total + value, weight + f64::from(row.0.length_ms))
            });
            (weight > 0.0).then(|| total / weight)
        }
    }
}

#[cfg(test)]
mod tests;
