//! What a soak beside production took of the storage, and how often it gave way. Must not say what is enough.

use rigel_core::load::governor::{GovernorInterval, Ppm, WHOLE};
use rigel_core::record::Record;
use rigel_core::units::{to_f64, us_from_ns};
use schemars::JsonSchema;
use serde::Serialize;

/// A soak beside production. Shares are of the time of each target: 0.05 is 5 %.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "BesideProduction")]
pub struct ProductionImpact {
    /// The maximum share.
    pub most: f64,
    /// The share in which its I/Os were in flight.
    pub taken: f64,
    /// The highest of an interval.
    pub taken_at_most: f64,
    /// The share that the governor allowed, on average over the time.
    pub allowed: f64,
    /// How often it judged the state of production.
    pub looks: u64,
    /// How often it halved the share because its own reads took far longer than usual.
    #[serde(rename = "gave_way_as_slow")]
    pub slow: u64,
    /// How often it did so because the host waited for I/O far more than usual (PSI).
    #[serde(rename = "gave_way_as_pressed")]
    pub pressed: u64,
    /// The host reported how much it waits.
    #[serde(skip)]
    pub knows_pressure: bool,
}

/// The use of storage with other users in an interval, as shares of the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MomentBeside {
    /// The time in which its I/Os were in flight, for each target.
    pub taken: f64,
    /// The share that was allowed.
    pub allowed: f64,
    /// 99th percentile of its reads in the worst judgement, within 7 %; null if no judgement was completed.
    #[serde(rename = "reads_p99_us")]
    pub p99_us: Option<f64>,
    /// The highest share of time, in one judgement, in which tasks on the host waited for I/O; null if that is unknown.
    pub pressed: Option<f64>,
    /// Judgements that halved the share.
    pub gave_way: u64,
}

/// For an interval.
pub(super) fn moment(
    governed: &GovernorInterval,
    in_flight_ns: u64,
    measured_ns: u64,
    targets: usize,
) -> MomentBeside {
    MomentBeside {
        taken: in_flight_per_target(in_flight_ns, measured_ns, targets),
        allowed: share(governed.allowed_ppm),
        p99_us: (governed.p99_ns > 0).then(|| us_from_ns(to_f64(governed.p99_ns))),
        pressed: governed.pressed_ppm.map(share),
        gave_way: u64::from(governed.slow) + u64::from(governed.pressed),
    }
}

/// For a record; `None` for one that had the storage to itself.
pub(super) fn of(record: &Record) -> Option<ProductionImpact> {
    let most = share(record.header.request.soak()?.beside?);
    let targets = record.header.targets.len();
    let mut found = ProductionImpact {
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
        found.taken_at_most =
            found.taken_at_most.max(in_flight_per_target(in_flight_ns, interval.measured_ns, targets));
        found.allowed += share(governed.allowed_ppm) * to_f64(interval.measured_ns);
        found.looks += u64::from(governed.looks);
        found.slow += u64::from(governed.slow);
        found.pressed += u64::from(governed.pressed);
        found.knows_pressure |= governed.pressed_ppm.is_some();
    }
    found.taken = in_flight_per_target(flown_ns, all_ns, targets);
    found.allowed /= to_f64(all_ns.max(1));
    Some(found)
}

fn in_flight_per_target(in_flight_ns: u64, measured_ns: u64, targets: usize) -> f64 {
    to_f64(in_flight_ns) / to_f64(measured_ns.max(1)) / to_f64(targets.max(1) as u64)
}

fn share(ppm: Ppm) -> f64 {
    f64::from(ppm) / f64::from(WHOLE)
}
