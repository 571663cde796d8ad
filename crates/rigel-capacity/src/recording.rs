//! Our own recorder: readings of counters become samples, and an hour of them keeps within a number of bytes.
//!
//! Every sample of the hour stays in memory. It is stored as finely as its bytes allow: all of it, or means over 2, 5, 10, 30 seconds, a minute,
//! five minutes. Must not read a counter or a clock.

use super::HOUR_MS;
use super::counter::{Counter, Step};
use super::harvest::Harvest;
use super::key::Key;
use super::metric::Metric;
use super::packed::pack;
use super::span::Span;
use super::table::Table;
use std::collections::BTreeMap;

/// Milliseconds of the intervals that are tried.
const STEPS: [u32; 7] = [1, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000];
/// At least this much of a new hour counts as passed, because the first minutes contain the names.
const LEAST_MS: i64 = HOUR_MS / 20;

/// The hour that is being recorded.
#[derive(Debug, Default)]
pub struct Recording {
    counters: BTreeMap<(Key, Metric), Counter>,
    harvest: Harvest,
    hour: BTreeMap<Key, Table>,
    hour_ms: i64,
}

/// Tables of an hour to keep.
#[derive(Debug, Default, PartialEq)]
pub struct Hour {
    /// The start of the hour.
    pub start_ms: i64,
    /// The tables, as fine as they may be.
    pub tables: BTreeMap<Key, Table>,
    /// Milliseconds of the intervals; 1 for all of it.
    pub step_ms: u32,
    /// Bytes of them.
    pub bytes: u64,
}

impl Recording {
    /// Counters of a key at a moment; the growth of each is a sample.
    pub fn counted(&mut self, key: &Key, at_ms: i64, counts: &[(Metric, f64)]) {
        let mut values = Vec::with_capacity(counts.len());
        let mut over: Option<Span> = None;
        for &(metric, count) in counts {
            let counter = self.counters.entry((key.clone(), metric)).or_insert_with(Counter::exact);
            if let Step::Rate(span, rate) = counter.read(at_ms, count) {
                over = Some(span);
                values.push((metric, rate));
            }
        }
        if let Some(span) = over {
            self.harvest.row(key, span, &values);
        }
    }

    /// Samples of a key over an interval.
    pub fn row(&mut self, key: &Key, span: Span, values: &[(Metric, f64)]) {
        self.harvest.row(key, span, values);
    }

    /// All of the hour so far, to be stored; or of the last hour, once another has begun. `most_bytes` is the limit of an hour.
    pub fn keep(&mut self, now_ms: i64, most_bytes: u64) -> Vec<Hour> {
        let mut hours = Vec::new();
        let mut came: BTreeMap<i64, Vec<(Key, Table)>> = BTreeMap::new();
        for (key, table) in self.harvest.take() {
            for (start, part) in table.blocks(HOUR_MS) {
                came.entry(start).or_default().push((key.clone(), part));
            }
        }
        for (start, parts) in came {
            if start > self.hour_ms && !self.hour.is_empty() {
                hours.push(thinned(self.hour_ms, &self.hour, most_bytes));
                self.hour.clear();
            }
            self.hour_ms = self.hour_ms.max(start);
            for (key, part) in parts {
                self.hour.entry(key).or_default().merge(&part);
            }
        }
        if !self.hour.is_empty() {
            let passed = (now_ms - self.hour_ms).clamp(LEAST_MS, HOUR_MS);
            let share = u128::from(most_bytes) * u128::from(passed.unsigned_abs())
                / u128::from(HOUR_MS.unsigned_abs());
            hours.push(thinned(self.hour_ms, &self.hour, u64::try_from(share).unwrap_or(most_bytes)));
        }
        hours
    }
}

/// The finest tables that fit into the bytes.
fn thinned(start_ms: i64, tables: &BTreeMap<Key, Table>, most_bytes: u64) -> Hour {
    let mut last = Hour { start_ms, ..Hour::default() };
    for step_ms in STEPS {
        let coarse = |table: &Table| if step_ms < 1_000 { table.clone() } else { table.coarser(step_ms) };
        let tables: BTreeMap<Key, Table> =
            tables.iter().map(|(key, table)| (key.clone(), coarse(table))).collect();
        let bytes = tables.values().map(|table| u64::try_from(pack(table).len()).unwrap_or(u64::MAX)).sum();
        last = Hour { start_ms, tables, step_ms, bytes };
        if bytes <= most_bytes {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Source, Subject};

    fn recorded(disks: u32, seconds: i64) -> Recording {
        let mut recording = Recording::default();
        let mut noise = 1_u32;
        for disk in 0..disks {
            let key = Key::new("db1", Subject::disk(&format!("sd{disk}"), ""), Source::Recorder);
            let mut counts = [0.0; 7];
            for second in 0..=seconds {
                for count in &mut counts {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    *count += f64::from(noise >> 12);
                }
                let metrics = [
                    Metric::ReadOps,
                    Metric::WriteOps,
                    Metric::ReadBytes,
                    Metric::WriteBytes,
                    Metric::ReadTime,
                    Metric::WriteTime,
                    Metric::Busy,
                ];
                let values: Vec<(Metric, f64)> = metrics.into_iter().zip(counts).collect();
                recording.counted(&key, second * 1_000, &values);
            }
        }
        recording
    }

    #[test]
    fn seconds_are_kept_where_there_is_room_and_means_where_there_is_none() {
        let most = 100 << 10;
        let one = recorded(1, 3_599).keep(3_600_000, most);
        assert_eq!((one.len(), one[0].step_ms), (1, 1), "{} bytes", one[0].bytes);
        let many = recorded(40, 3_599).keep(3_600_000, most);
        assert!(
            many[0].bytes <= most && many[0].step_ms >= 10_000,
            "{} bytes, {} ms",
            many[0].bytes,
            many[0].step_ms
        );
        let mean = |hour: &Hour| {
            let table = hour.tables.values().next().unwrap();
            let rates = table.column(Metric::ReadOps).unwrap();
            rates.iter().sum::<f64>() / f64::from(u32::try_from(rates.len()).unwrap())
        };
        assert!((mean(&many[0]) / mean(&one[0]) - 1.0).abs() < 0.02, "means stay means");
    }

    #[test]
    fn an_hour_that_is_over_is_kept_for_the_last_time() {
        let mut recording = recorded(1, 3_700);
        let hours = recording.keep(3_700_000, 100 << 10);
        assert_eq!(hours.iter().map(|hour| hour.start_ms).collect::<Vec<_>>(), [0, 3_600_000]);
        assert_eq!(hours[1].tables.values().next().unwrap().spans().len(), 100);
        assert_eq!(recording.keep(3_700_000, 100 << 10).len(), 1, "the hour that goes on");
    }
}
