//! Counters at snapshots, which a query without an order gives in any.
//!
//! They wait until all are there, and become rates in the order of time. Must not read a row.

use super::super::SampleSink;
use super::super::differences::Run;
use super::super::seen::{shown, wrong};
use super::WrittenTime;
use crate::counter::Counter;
use crate::when::{self, Zone};
use crate::{Key, Metric};
use rigel_core::error::Problem;
use std::collections::{BTreeMap, BTreeSet};

/// Readings that wait at most; a file with more has to be in the order of time.
const MOST_WAITING: usize = 4_000_000;

/// A counter at a snapshot.
#[derive(Clone, Debug)]
pub struct Reading {
    /// When the snapshot was taken.
    pub told: WrittenTime,
    /// When the instance was started, as one of [`Counters::life`].
    pub life: u32,
    pub value: f64,
    pub line: u64,
}

impl Reading {
    fn is_like(&self, other: &Self) -> bool {
        self.value.to_bits() == other.value.to_bits()
    }
}

/// The counters of all instances.
#[derive(Default)]
pub struct Counters {
    waiting: BTreeMap<(Key, Metric), Vec<Reading>>,
    known: BTreeMap<(Key, Metric), CounterState>,
    count: usize,
    /// Lives of instances that followed another one.
    later: BTreeSet<(Key, u32)>,
    /// Times at which instances were started, as they are written.
    lives: Vec<String>,
}

/// The state of a counter.
struct CounterState {
    counter: Counter,
    life: u32,
    clock: Option<Zone>,
}

impl Counters {
    /// The number of the life of an instance that was started then.
    pub fn life(&mut self, started: &str) -> u32 {
        let known = self.lives.iter().rposition(|life| life == started);
        let at = known.unwrap_or_else(|| {
            self.lives.push(started.to_owned());
            self.lives.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// The next reading of the file.
    ///
    /// # Errors
    /// When so many wait that they are converted to rates, and one of them cannot be.
    pub fn take(
        &mut self,
        key: &Key,
        metric: Metric,
        reading: Reading,
        run: &mut Run,
        out: &mut SampleSink<'_>,
    ) -> Result<(), Problem> {
        self.waiting.entry((key.clone(), metric)).or_default().push(reading);
        self.count += 1;
        if self.count > MOST_WAITING { self.write(run, out) } else { Ok(()) }
    }

    /// Makes rates of all that wait.
    ///
    /// # Errors
    /// When a counter has two values at one time.
    pub fn write(&mut self, run: &mut Run, out: &mut SampleSink<'_>) -> Result<(), Problem> {
        self.count = 0;
        for ((key, metric), mut readings) in std::mem::take(&mut self.waiting) {
            let backward = readings.windows(2).filter(|two| two[1].told < two[0].told).count();
            if 2 * backward > readings.len() {
                readings.reverse();
            }
            let known = self.known.entry((key.clone(), metric)).or_insert_with(|| CounterState {
                counter: Counter::exact(),
                life: readings.first().map_or(0, |first| first.life),
                clock: None,
            });
            for (at_ms, reading) in in_order(readings, &mut known.clock, out)? {
                if known.life != reading.life {
                    known.life = reading.life;
                    known.counter = Counter::exact();
                    out.seen.reboots += u64::from(self.later.insert((key.clone(), reading.life)));
                }
                if let Some((span, rate)) = out.seen.rate(known.counter.read(at_ms, reading.value)) {
                    run.take(&key, metric, span, rate, out);
                }
            }
        }
        Ok(())
    }
}

/// Readings with their times, each once. For local times that occur twice, the order of the file decides which one is meant.
fn in_order(
    readings: Vec<Reading>,
    clock: &mut Option<Zone>,
    out: &mut SampleSink<'_>,
) -> Result<Vec<(i64, Reading)>, Problem> {
    let mut known: Vec<(i64, Reading)> = Vec::with_capacity(readings.len());
    for reading in readings {
        let at_ms = match (reading.told, known.last()) {
            // A row that a join doubles. Another value at the same local time is of the next hour, if that came twice.
            (told, Some((at_ms, last))) if told == last.told && reading.is_like(last) => Some(*at_ms),
            (WrittenTime::At(at_ms), _) => Some(at_ms),
            (WrittenTime::Local(local), _) => out.moment_of(clock, local, None, reading.line)?,
        };
        known.extend(at_ms.map(|at_ms| (at_ms, reading)));
    }
    known.sort_by_key(|(at_ms, _)| *at_ms);
    let twice = known.windows(2).find(|two| {
        let [(one_ms, one), (other_ms, other)] = two else { return false };
        one_ms == other_ms && !one.is_like(other)
    });
    if let Some([(at_ms, one), (_, other)]) = twice {
        return Err(wrong(
            one.line.max(other.line),
            format!(
                "a statistic has two values at {} UTC, {} and {}",
                when::shown(*at_ms),
                shown(&one.value.to_string()),
                shown(&other.value.to_string())
            ),
        )
        .because("the query joins rows of several instances, containers or databases, and leaves out which is which")
        .next("select INSTANCE_NUMBER and DBID as well, or run the documented query"));
    }
    known.dedup_by_key(|(at_ms, _)| *at_ms);
    Ok(known)
}
