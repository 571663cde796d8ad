//! Rates of a report, from its tables: the exact ones first.
//!
//! Must not know how a report is laid out.

use super::super::super::oracle::STATISTICS;
use super::super::super::seen::ReaderNotes;
use super::super::notation::Decimal;
use super::Section;
use crate::{Metric, Span};
use std::collections::BTreeMap;

/// The rows that are used, as written.
#[derive(Debug, Default)]
pub struct Rates {
    rows: BTreeMap<(Section, String), Vec<String>>,
}

const MB: f64 = 1_048_576.0;
const NO_COLUMN: usize = 0;

/// A rate of a profile: its table, label, column after the label, and the unit.
type Rate = (Metric, Section, &'static str, usize, f64);

/// Used in place of the exact totals; the first of two. `IO Profile` has everything, `Load Profile` what the database does to its files.
const PROFILES: [Rate; 12] = [
    (Metric::ReadOps, Section::Io, "total requests", 1, 1.0),
    (Metric::WriteOps, Section::Io, "total requests", 2, 1.0),
    (Metric::ReadBytes, Section::Io, "total (mb)", 1, MB),
    (Metric::WriteBytes, Section::Io, "total (mb)", 2, MB),
    (Metric::RedoOps, Section::Io, "redo requests", 2, 1.0),
    (Metric::ReadOps, Section::Load, "read io requests", NO_COLUMN, 1.0),
    (Metric::WriteOps, Section::Load, "write io requests", NO_COLUMN, 1.0),
    (Metric::ReadBytes, Section::Load, "read io (mb)", NO_COLUMN, MB),
    (Metric::WriteBytes, Section::Load, "write io (mb)", NO_COLUMN, MB),
    (Metric::RedoBytes, Section::Load, "redo size (bytes)", NO_COLUMN, 1.0),
    (Metric::RedoBytes, Section::Load, "redo size", NO_COLUMN, 1.0),
    (Metric::Commits, Section::Load, "transactions", NO_COLUMN, 1.0),
];
/// Blocks per second, as older releases and all others say them.
const BLOCKS: [(Metric, &str); 4] = [
    (Metric::ReadBytes, "physical read (blocks)"),
    (Metric::WriteBytes, "physical write (blocks)"),
    (Metric::ReadBytes, "physical reads"),
    (Metric::WriteBytes, "physical writes"),
];
const OTHERS: [&str; 2] = ["std block size", "rollbacks"];
/// A number may be rounded by this share: the store treats two values of a sample that differ by less as equal.
const MOST_ROUNDED: f64 = 0.04;
const MOST_ROUNDED_OPS: f64 = 0.05;
/// The error from rounding two or three numbers with one decimal, and the relative error from two clocks.
const ROUNDED: f64 = 0.2;
const MOST_APART: f64 = 0.1;

/// Whether two numbers of a report about the same quantity agree within their rounding and different times.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDED + MOST_APART * one.max(other)
}

impl Rates {
    /// Takes a row, if it is used. The first one with a name counts.
    pub fn take(&mut self, section: Section, label: &str, cells: &[&str]) {
        let is_known = match section {
            Section::Activity => STATISTICS.iter().any(|(_, name, _)| *name == label),
            Section::Load => {
                OTHERS.contains(&label)
                    || BLOCKS.iter().any(|(_, name)| *name == label)
                    || PROFILES.iter().any(|rate| (rate.1, rate.2) == (section, label))
            }
            _ => PROFILES.iter().any(|rate| (rate.1, rate.2) == (section, label)),
        };
        if is_known {
            let cells = || cells.iter().map(|cell| (*cell).to_owned()).collect();
            self.rows.entry((section, label.to_owned())).or_insert_with(cells);
        }
    }

    /// What its numbers show of their notation.
    pub fn decimals(&self) -> impl Iterator<Item = Decimal> + '_ {
        self.rows.values().flatten().filter_map(|text| Decimal::shown_by(text))
    }

    /// All rates of the interval.
    pub fn values(&self, decimal: Decimal, span: Span, seen: &mut ReaderNotes) -> Vec<(Metric, f64)> {
        let mut found: BTreeMap<Metric, f64> = BTreeMap::new();
        let seconds = f64::from(span.length_ms) / 1_000.0;
        for (_, name, metric) in STATISTICS {
            let number =
                |column| self.text(Section::Activity, name, column).and_then(|text| decimal.number(text));
            // A total that is too long for its column is `9.8E+15` or `######`; what it is in a second may fit.
            let (total, told) = (number(0).map(|total| total / seconds), number(1));
            let is_said_twice = total.zip(told).is_none_or(|(total, told)| is_same(total, told));
            if let Some(rate) = total.or(told).filter(|_| is_said_twice) {
                found.insert(metric, rate);
            } else if self.text(Section::Activity, name, 0).is_some() {
                seen.unusable += 1;
            }
        }
        for (metric, section, label, column, unit) in PROFILES {
            let Some(text) = self.text(section, label, column).filter(|_| !found.contains_key(&metric))
            else {
                continue;
            };
            let rate =
                decimal.number(text).filter(|_| section != Section::Io || self.adds_up(label, decimal));
            let Some(rate) = rate.map(|rate| rate * unit) else {
                seen.unusable += 1;
                continue;
            };
            let rounded = decimal.step(text) * unit / 2.0;
            if rounded > MOST_ROUNDED_OPS && rounded > MOST_ROUNDED * rate {
                seen.notes.insert("some rates are rounded too coarsely to be used, such as 0.1 MB/s");
                continue;
            }
            if section == Section::Load && matches!(metric, Metric::ReadOps | Metric::WriteOps) {
                seen.notes.insert(
                    "only the Load Profile counts requests, without those of backups, the log \
                    and control files",
                );
            }
            found.insert(metric, rate - self.rollbacks(metric, decimal));
        }
        self.blocks(decimal, &mut found, seen);
        if !found.contains_key(&Metric::ReadOps) && found.contains_key(&Metric::ReadBytes) {
            seen.notes.insert("a report has bytes but no requests, which older releases do not count");
        }
        found.into_iter().collect()
    }

    /// Whether reads and writes of a row of the `IO Profile` add up to its total: otherwise its numbers were not separated correctly.
    fn adds_up(&self, label: &str, decimal: Decimal) -> bool {
        let number = |column| decimal.number(self.text(Section::Io, label, column)?);
        let both = number(1).zip(number(2)).map(|(reads, writes)| reads + writes);
        number(0).zip(both).is_none_or(|(told, both)| is_same(told, both))
    }

    /// Transactions of the Load Profile are commits and rollbacks.
    fn rollbacks(&self, metric: Metric, decimal: Decimal) -> f64 {
        let text = self.text(Section::Load, "rollbacks", 0).filter(|_| metric == Metric::Commits);
        text.and_then(|text| decimal.number(text)).unwrap_or(0.0)
    }

    /// Bytes from blocks, if there is nothing better.
    fn blocks(&self, decimal: Decimal, found: &mut BTreeMap<Metric, f64>, seen: &mut ReaderNotes) {
        let size = self.text(Section::Load, "std block size", 0).and_then(|size| decimal.number(size));
        for (metric, label) in BLOCKS {
            let blocks = self.text(Section::Load, label, 0).and_then(|text| decimal.number(text));
            let Some(blocks) = blocks.filter(|_| !found.contains_key(&metric)) else { continue };
            match size {
                Some(size) => {
                    found.insert(metric, size * blocks);
                }
                None => {
                    seen.notes.insert(
                        "a report has blocks but not their size (Std Block Size): its bytes are unknown",
                    );
                }
            }
        }
    }

    fn text(&self, section: Section, label: &str, column: usize) -> Option<&str> {
        let row = self.rows.get(&(section, label.to_owned()))?;
        row.get(column).map(String::as_str)
    }
}
