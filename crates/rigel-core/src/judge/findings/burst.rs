//! Whether a storage is a token bucket: what both bursts of a run counted, second by second, and what follows.
//!
//! Must not word its results.

use crate::load::burst::{FIRST_PHASE, PROBE_PHASE, SECOND_PHASE};
use crate::load::class::LoadClass;
use crate::record::{Purpose, Record, Visit};
use crate::stats::burst::{BurstFound, Bursts, Second, is_sure};
use crate::units::{NS_PER_S, Nanos, to_f64};

/// What two bursts of a load showed.
#[derive(Clone, Debug, PartialEq)]
pub struct BurstFindings {
    /// The load.
    pub load: LoadClass,
    /// Outstanding I/Os.
    pub outstanding: u32,
    /// The longest planned time of the first burst.
    pub time: Nanos,
    /// Counts of the first burst, in I/Os, without the load of half as many.
    pub first: Vec<Second>,
    /// Counts of the second burst; empty if there was none.
    pub second: Vec<Second>,
    /// What they say.
    pub found: BurstFound,
}

impl BurstFindings {
    /// `None` for another run, and for one that ended before its first second.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let burst = record.header.request.burst()?;
        let of_phase = |number: u32| {
            let own = record.visits.iter().filter(move |visit| visit.purpose == Purpose::Phase(number));
            own.flat_map(seconds_of).collect::<Vec<Second>>()
        };
        let [probe, first, second] = [PROBE_PHASE, FIRST_PHASE, SECOND_PHASE].map(of_phase);
        let visit = record.visits.iter().find(|visit| visit.purpose == Purpose::Phase(FIRST_PHASE))?;
        let (class, outstanding) = visit.point.classes().next()?;
        let load = record.header.request.class(class)?.clone();
        let due_s = usize::try_from(burst.time.0 / NS_PER_S).unwrap_or(usize::MAX);
        let is_whole = first.len() >= due_s || is_sure(&first);
        let (probe, in_flight) = (probe.as_slice(), f64::from(outstanding));
        let found = Bursts { probe, first: &first, second: &second, in_flight, is_whole }.found();
        Some(Self { load, outstanding, time: burst.time, first, second, found })
    }
}

/// Counts of a visit to a point of one class, for each whole second.
pub fn seconds_of(visit: &Visit) -> Vec<Second> {
    let Some(tally) = visit.tallies.values().next() else { return Vec::new() };
    let series = tally.series.widened(NS_PER_S);
    let whole = usize::try_from(visit.measured_ns / NS_PER_S).unwrap_or(usize::MAX);
    // A visit that is too long for buckets of a second has none.
    if series.bucket_ns != NS_PER_S {
        return Vec::new();
    }
    let began_s = Nanos(visit.began_ns).seconds();
    let seconds = (0_u32..).zip(series.ops.iter().take(whole));
    seconds
        .map(|(at, &ops)| Second { began_s: began_s + f64::from(at), ops: to_f64(u64::from(ops)) })
        .collect()
}
