//! What a soak beside production took of the storage, and how often it gave way. Must not say what is enough.

use crate::load::governor::{Governed, Ppm, WHOLE};
use crate::record::Record;
use crate::units::{to_f64, us_from_ns};

/// What is known of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// The share of the time that it might take of each target.
    pub most: f64,
    /// What its I/Os took, all targets and intervals together.
    pub taken: f64,
    /// The most that it took in an interval.
    pub taken_at_most: f64,
    /// What the governor allowed, the mean over the time.
    pub allowed: f64,
    /// Looks that ended.
    pub looks: u64,
    /// Of these, those that halved the share as own reads took far longer than usual.
    pub slow: u64,
    /// Those that did as the host waited for I/O far more than usual.
    pub pressed: u64,
    /// The host told how much it waits.
    pub knows_pressure: bool,
}

/// What an interval took and was allowed, as shares of the time, and the 99th percentile of own reads in its worst look in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MomentBeside {
    /// The time in which its I/Os were in flight, for each target.
    pub taken: f64,
    /// What was allowed.
    pub allowed: f64,
    /// `None` when no look ended.
    pub p99_us: Option<f64>,
    /// Most of the time in which somebody on the host waited for I/O, of a look; `None` where that is not known.
    pub pressed: Option<f64>,
    /// Looks that halved the share.
    pub gave_way: u64,
}

/// That of an interval.
pub(super) fn moment(
    governed: &Governed,
    in_flight_ns: u64,
    measured_ns: u64,
    targets: usize,
) -> MomentBeside {
    MomentBeside {
        taken: taken(in_flight_ns, measured_ns, targets),
        allowed: share(governed.allowed_ppm),
        p99_us: (governed.p99_ns > 0).then(|| us_from_ns(to_f64(governed.p99_ns))),
        pressed: governed.pressed_ppm.map(share),
        gave_way: u64::from(governed.slow) + u64::from(governed.pressed),
    }
}

/// That of a record; `None` of one that had the storage for itself.
pub(super) fn of(record: &Record) -> Option<Beside> {
    let most = share(record.header.request.pace.soak()?.beside?);
    let targets = record.header.targets.len();
    let mut found = Beside {
        most,
        taken: 0.0,
        taken_at_most: 0.0,
        allowed: 0.0,
        looks: 0,
        slow: 0,
        pressed: 0,
        knows_pressure: false,
    };
    let (mut all_ns, mut flown_ns) = (0_u64, 0_u64);
    for interval in &record.intervals {
        let Some(governed) = &interval.governed else { continue };
        let in_flight_ns =
            interval.tallies.values().map(|tally| tally.in_flight_ns).fold(0, u64::saturating_add);
        all_ns = all_ns.saturating_add(interval.measured_ns);
        flown_ns = flown_ns.saturating_add(in_flight_ns);
        found.taken_at_most = found.taken_at_most.max(taken(in_flight_ns, interval.measured_ns, targets));
        found.allowed += share(governed.allowed_ppm) * to_f64(interval.measured_ns);
        found.looks += u64::from(governed.looks);
        found.slow += u64::from(governed.slow);
        found.pressed += u64::from(governed.pressed);
        found.knows_pressure |= governed.pressed_ppm.is_some();
    }
    found.taken = taken(flown_ns, all_ns, targets);
    found.allowed /= to_f64(all_ns.max(1));
    Some(found)
}

fn taken(in_flight_ns: u64, measured_ns: u64, targets: usize) -> f64 {
    to_f64(in_flight_ns) / to_f64(measured_ns.max(1)) / to_f64(targets.max(1) as u64)
}

fn share(ppm: Ppm) -> f64 {
    f64::from(ppm) / f64::from(WHOLE)
}
