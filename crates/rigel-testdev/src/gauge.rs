//! The gauge: what reached the device and how much of it was in flight at the same time.
//!
//! [`Meter`] counts inside the daemon, [`Gauge`] is one reading of it, and the text between them is the
//! `key value` lines of the `ctl` file. It must not read a clock: the device hands the time in.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::faults::Direction;
use crate::medium::Deeds;
use crate::traps::Mischief;

/// One reading of the gauge; every count since the last `reset`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Reads answered, those refused included.
    pub reads: u64,
    /// Writes answered, those refused included.
    pub writes: u64,
    /// Calls of fsync or fdatasync.
    pub syncs: u64,
    /// Writes answered that had to be durable themselves (`O_DSYNC`, `RWF_DSYNC`).
    pub durable_writes: u64,
    /// Bytes handed out.
    pub bytes_read: u64,
    /// Bytes accepted.
    pub bytes_written: u64,
    /// Requests that met a fault, whichever kind.
    pub errors_injected: u64,
    /// Requests at the device now, those held by a `hang` included.
    pub in_flight: u64,
    /// The most requests that were at the device together.
    pub max_in_flight: u64,
    /// Time from the arrival of a request to its answer, summed over all.
    pub response_us: u64,
    /// By how much answers came later than the law had them due, summed over all: what a busy machine adds to the law on its own.
    pub late_us: u64,
    /// Since the reset.
    pub elapsed_us: u64,
    /// From the first arrival to the last answer since the reset.
    pub span_us: u64,
    /// Traps that were not sprung yet.
    pub armed: u64,
    /// Sectors of a volatile cache that were lost with the power.
    pub dropped_sectors: u64,
    /// Traps that were sprung, by kind: `flip`, `torn`, `misdirect`, `lost`, `zero`, `delay`, `stale`.
    pub injected: BTreeMap<String, u64>,
    /// How long the device was at each depth since the reset; the depth is the key.
    pub time_at_depth_us: BTreeMap<u64, u64>,
}

impl Gauge {
    /// Reads and writes answered.
    pub fn completed(&self) -> u64 {
        self.reads + self.writes
    }

    /// The mean time from the arrival of a request to its answer, as the device saw it.
    pub fn mean_response_us(&self) -> f64 {
        self.per_request(self.response_us)
    }

    /// How much later than the law an answer came on average.
    pub fn mean_late_us(&self) -> f64 {
        self.per_request(self.late_us)
    }

    fn per_request(&self, sum: u64) -> f64 {
        if self.completed() == 0 { 0.0 } else { sum as f64 / self.completed() as f64 }
    }

    /// The mean number of requests in flight, weighted by time, over the time in which there were any.
    pub fn mean_in_flight(&self) -> f64 {
        let busy = self.time_at_depth_us.range(1..);
        let (weighted, busy_us) = busy.fold((0.0, 0.0), |(weighted, total), (depth, time_us)| {
            (weighted + *depth as f64 * *time_us as f64, total + *time_us as f64)
        });
        if busy_us > 0.0 { weighted / busy_us } else { 0.0 }
    }

    /// With what the medium did.
    pub(crate) fn with(self, deeds: &Deeds) -> Self {
        let kinds = Mischief::ALL.map(|mischief| mischief.kind());
        let injected = kinds.map(|(word, place)| (word.to_owned(), deeds.injected[place]));
        let injected: BTreeMap<_, _> = injected.into_iter().filter(|(_, count)| *count > 0).collect();
        Self {
            errors_injected: self.errors_injected + injected.values().sum::<u64>(),
            armed: deeds.armed,
            dropped_sectors: deeds.dropped_sectors,
            injected,
            ..self
        }
    }

    fn counters(&mut self) -> [(&'static str, &mut u64); 15] {
        [
            ("reads", &mut self.reads),
            ("writes", &mut self.writes),
            ("syncs", &mut self.syncs),
            ("durable_writes", &mut self.durable_writes),
            ("bytes_read", &mut self.bytes_read),
            ("bytes_written", &mut self.bytes_written),
            ("errors_injected", &mut self.errors_injected),
            ("in_flight", &mut self.in_flight),
            ("max_in_flight", &mut self.max_in_flight),
            ("response_us", &mut self.response_us),
            ("late_us", &mut self.late_us),
            ("elapsed_us", &mut self.elapsed_us),
            ("span_us", &mut self.span_us),
            ("armed", &mut self.armed),
            ("dropped_sectors", &mut self.dropped_sectors),
        ]
    }
}

impl fmt::Display for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (key, value) in self.clone().counters() {
            writeln!(f, "{key} {value}")?;
        }
        writeln!(f, "mean_in_flight {:.3}", self.mean_in_flight())?;
        self.injected.iter().try_for_each(|(kind, count)| writeln!(f, "injected.{kind} {count}"))?;
        self.time_at_depth_us.iter().try_for_each(|(depth, us)| writeln!(f, "time_at_depth_us.{depth} {us}"))
    }
}

impl FromStr for Gauge {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut gauge = Self::default();
        for line in text.lines() {
            gauge.read_line(line).ok_or_else(|| format!("not a line of the gauge: {line:?}"))?;
        }
        Ok(gauge)
    }
}

impl Gauge {
    fn read_line(&mut self, line: &str) -> Option<()> {
        let (key, value) = line.split_once(' ')?;
        if key == "mean_in_flight" {
            return Some(()); // follows from the times at each depth
        }
        let value = value.parse().ok()?;
        if let Some(depth) = key.strip_prefix("time_at_depth_us.") {
            self.time_at_depth_us.insert(depth.parse().ok()?, value);
        } else if let Some(kind) = key.strip_prefix("injected.") {
            self.injected.insert(kind.to_owned(), value);
        } else {
            *self.counters().into_iter().find(|(name, _)| *name == key)?.1 = value;
        }
        Some(())
    }
}

/// Counts requests as they arrive and are answered.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    counts: Gauge,
    time_at_depth_ns: Vec<u64>,
    depth: usize,
    depth_since_ns: u64,
    reset_ns: u64,
    first_arrival_ns: Option<u64>,
    last_answer_ns: u64,
    response_ns: u64,
    late_ns: u64,
}

/// A request that is being answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AnswerInterval {
    pub(crate) direction: Direction,
    pub(crate) arrived_ns: u64,
    pub(crate) due_ns: u64,
    pub(crate) moved_bytes: u64,
}

impl Meter {
    pub(crate) fn arrive(&mut self, now_ns: u64) {
        self.first_arrival_ns.get_or_insert(now_ns);
        self.set_depth(now_ns, self.depth + 1);
        self.counts.max_in_flight = self.counts.max_in_flight.max(self.depth as u64);
    }

    pub(crate) fn answer(&mut self, now_ns: u64, answered: AnswerInterval) {
        self.set_depth(now_ns, self.depth.saturating_sub(1));
        self.last_answer_ns = now_ns;
        self.response_ns += now_ns.saturating_sub(answered.arrived_ns);
        self.late_ns += now_ns.saturating_sub(answered.due_ns);
        let (requests, bytes) = match answered.direction {
            Direction::Read => (&mut self.counts.reads, &mut self.counts.bytes_read),
            Direction::Write => (&mut self.counts.writes, &mut self.counts.bytes_written),
        };
        *requests += 1;
        *bytes += answered.moved_bytes;
    }

    pub(crate) fn inject(&mut self) {
        self.counts.errors_injected += 1;
    }

    pub(crate) fn sync(&mut self) {
        self.counts.syncs += 1;
    }

    pub(crate) fn durable_write(&mut self) {
        self.counts.durable_writes += 1;
    }

    /// Zeroes all but the requests that are in flight: they are still there.
    pub(crate) fn reset(&mut self, now_ns: u64) {
        let counts = Gauge { max_in_flight: self.depth as u64, ..Gauge::default() };
        let first_arrival_ns = (self.depth > 0).then_some(now_ns);
        *self = Self {
            counts,
            depth: self.depth,
            depth_since_ns: now_ns,
            reset_ns: now_ns,
            first_arrival_ns,
            ..Self::default()
        };
    }

    pub(crate) fn read(&mut self, now_ns: u64) -> Gauge {
        self.set_depth(now_ns, self.depth);
        let spent = self.time_at_depth_ns.iter().enumerate().filter(|(_, spent_ns)| **spent_ns > 0);
        let first_arrival_ns = self.first_arrival_ns.unwrap_or(self.last_answer_ns);
        Gauge {
            in_flight: self.depth as u64,
            response_us: self.response_ns / 1000,
            late_us: self.late_ns / 1000,
            elapsed_us: now_ns.saturating_sub(self.reset_ns) / 1000,
            span_us: self.last_answer_ns.saturating_sub(first_arrival_ns) / 1000,
            time_at_depth_us: spent.map(|(depth, spent_ns)| (depth as u64, spent_ns / 1000)).collect(),
            ..self.counts.clone()
        }
    }

    fn set_depth(&mut self, now_ns: u64, depth: usize) {
        if self.time_at_depth_ns.len() <= self.depth {
            self.time_at_depth_ns.resize(self.depth + 1, 0);
        }
        // An arrival is as early as its request was read, which may be before the last answer was counted.
        self.time_at_depth_ns[self.depth] += now_ns.saturating_sub(self.depth_since_ns);
        self.depth_since_ns = self.depth_since_ns.max(now_ns);
        self.depth = depth;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn answered(direction: Direction, arrived_ns: u64, due_ns: u64, moved_bytes: u64) -> AnswerInterval {
        AnswerInterval { direction, arrived_ns, due_ns, moved_bytes }
    }

    #[test]
    fn counts_depth_and_time_at_depth() {
        let mut meter = Meter::default();
        meter.arrive(10 * MS);
        meter.arrive(20 * MS);
        meter.inject();
        meter.answer(50 * MS, answered(Direction::Read, 10 * MS, 47 * MS, 8192));
        meter.answer(60 * MS, answered(Direction::Write, 20 * MS, 58 * MS, 512));
        let gauge = meter.read(100 * MS);
        assert_eq!((gauge.reads, gauge.bytes_read, gauge.writes, gauge.bytes_written), (1, 8192, 1, 512));
        assert_eq!((gauge.in_flight, gauge.max_in_flight, gauge.errors_injected), (0, 2, 1));
        assert_eq!((gauge.elapsed_us, gauge.span_us), (100_000, 50_000));
        assert_eq!(gauge.time_at_depth_us, BTreeMap::from([(0, 50_000), (1, 20_000), (2, 30_000)]));
        assert!((gauge.mean_in_flight() - 1.6).abs() < 1e-9);
        assert_eq!((gauge.late_us, gauge.response_us), (5000, 80_000));
        assert_eq!((gauge.mean_late_us(), gauge.mean_response_us()), (2500.0, 40_000.0));
    }

    #[test]
    fn a_reset_keeps_what_is_in_flight() {
        let mut meter = Meter::default();
        meter.arrive(0);
        meter.arrive(0);
        meter.answer(MS, answered(Direction::Read, 0, MS, 512));
        meter.reset(2 * MS);
        let gauge = meter.read(3 * MS);
        assert_eq!((gauge.reads, gauge.in_flight, gauge.max_in_flight), (0, 1, 1));
        assert_eq!(gauge.time_at_depth_us, BTreeMap::from([(1, 1000)]));
        meter.answer(4 * MS, answered(Direction::Read, 0, 4 * MS, 512));
        assert_eq!(meter.read(4 * MS).span_us, 2000);
    }

    #[test]
    fn an_idle_gauge_has_no_mean_and_no_span() {
        let gauge = Meter::default().read(MS);
        assert_eq!((gauge.span_us, gauge.mean_in_flight(), gauge.mean_late_us()), (0, 0.0, 0.0));
    }

    #[test]
    fn the_text_reads_back() {
        let gauge = Gauge {
            reads: 1,
            writes: 2,
            syncs: 3,
            durable_writes: 15,
            bytes_read: 4,
            bytes_written: 5,
            errors_injected: 6,
            in_flight: 7,
            max_in_flight: 8,
            response_us: 9,
            late_us: 10,
            elapsed_us: 11,
            span_us: 12,
            armed: 16,
            dropped_sectors: 17,
            injected: BTreeMap::from([("lost".to_owned(), 18)]),
            time_at_depth_us: BTreeMap::from([(0, 13), (16, 14)]),
        };
        assert_eq!(gauge.to_string().parse(), Ok(gauge));
        assert!("reads one".parse::<Gauge>().is_err());
        assert!("raeds 1".parse::<Gauge>().is_err());
    }
}
