//! Blocks of samples in the order of time, each of which stands for the time up to the next.
//!
//! Must not know how a block is written.

use super::super::SampleSink;
use super::super::sysstat::Disk;
use crate::{MS_PER_S, Metric, Source, Span};
use rigel_core::units::to_f64;
use std::collections::{BTreeMap, VecDeque};

/// A report is on a second.
const REPORT_MS: i64 = MS_PER_S;
/// Blocks that wait, so it is known how far apart they usually are.
const AHEAD: usize = 8;
/// A block represents at most this many usual intervals: after that OSWatcher was not running.
const MOST_INTERVALS: i64 = 2;

/// The means of one block.
pub struct Block {
    at_ms: i64,
    host: String,
    reports: u64,
    /// For each disk the sum of a metric, and the number of reports.
    disks: BTreeMap<String, BTreeMap<Metric, (f64, u64)>>,
}

/// Blocks not written yet.
#[derive(Default)]
pub struct Blocks {
    waiting: VecDeque<Block>,
}

impl Block {
    /// From its reports; `None` if there are none.
    pub fn of(at_ms: i64, host: String, reports: &[Vec<Disk<'_>>]) -> Option<Self> {
        let mut disks: BTreeMap<String, BTreeMap<Metric, (f64, u64)>> = BTreeMap::new();
        for disk in reports.iter().flatten() {
            let of_disk = disks.entry(disk.device.to_string()).or_default();
            for (metric, value) in disk.values() {
                let sum = of_disk.entry(metric).or_default();
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
        let reports = u64::try_from(reports.len()).ok().filter(|&count| count > 0)?;
        Some(Self { at_ms, host, reports, disks })
    }

    fn write(&self, length_ms: i64, out: &mut SampleSink<'_>) {
        let Some(span) = Span::between(self.at_ms, self.at_ms.saturating_add(length_ms)) else { return };
        out.seen.sampled_ms += self.reports * REPORT_MS.unsigned_abs();
        out.seen.spanned_ms += u64::from(span.length_ms);
        for (name, metrics) in &self.disks {
            let subject = out.disk(name, "");
            let key = out.key(&self.host, subject, Source::OsWatcher);
            let mean = |(metric, (sum, count)): (&Metric, &(f64, u64))| (*metric, sum / to_f64(*count));
            out.row(&key, span, &metrics.iter().map(mean).collect::<Vec<_>>());
        }
    }
}

impl Blocks {
    /// The next block.
    pub fn take(&mut self, block: Block, out: &mut SampleSink<'_>) {
        // Files that were put together in another order.
        if self.waiting.back().is_some_and(|last| last.at_ms >= block.at_ms || last.host != block.host) {
            self.end(out);
        }
        self.waiting.push_back(block);
        if self.waiting.len() > AHEAD {
            let distances = self.distances();
            self.write_first(&distances, out);
        }
    }

    /// No more follow these.
    pub fn end(&mut self, out: &mut SampleSink<'_>) {
        let distances = self.distances();
        while self.waiting.len() > 1 {
            self.write_first(&distances, out);
        }
        // The next file begins where this one ends, so the last one stands for no more than the shortest interval.
        if let Some(last) = self.waiting.pop_front() {
            let sampled = i64::try_from(last.reports).unwrap_or(1) * REPORT_MS;
            last.write(distances.first().copied().unwrap_or(sampled), out);
        }
    }

    /// Between blocks that wait, the shortest first.
    fn distances(&self) -> Vec<i64> {
        let next = self.waiting.iter().skip(1);
        let mut all: Vec<i64> =
            self.waiting.iter().zip(next).map(|(one, next)| next.at_ms - one.at_ms).collect();
        all.sort_unstable();
        all
    }

    fn write_first(&mut self, distances: &[i64], out: &mut SampleSink<'_>) {
        let Some(first) = self.waiting.pop_front() else { return };
        let Some(next) = self.waiting.front() else { return };
        let usual = distances.get(distances.len() / 2).copied().unwrap_or(REPORT_MS);
        let length = next.at_ms - first.at_ms;
        let most = usual * MOST_INTERVALS;
        out.seen.gaps += u64::from(length > most);
        first.write(length.min(most), out);
    }
}
