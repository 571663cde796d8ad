//! What a visit to an open loop says about a bound: the share of its I/Os that take longer, counted from the intended start.
//!
//! It is used during a run, to choose the next rate, and again on its record. Must not decide which rate comes next;
//! [`crate::stats::rates`] does.

use crate::load::request::Request;
use crate::load::slo::{LatencyCriterion, SloBound};
use crate::measure::Histogram;
use crate::record::Visit;
use crate::stats::crossing::{Guess, Law, RatioSeen};
use crate::stats::rates::RateVisit;
use crate::units::to_f64;

/// The ratio of a visit in which I/Os arrived and none completed.
const NOTHING_CAME: f64 = 1000.0;
/// The weight of a visit in which nothing arrived: next to nothing compared with one I/O.
const NOTHING_ARRIVED: f64 = 1e-6;

/// A visit's observations of the open classes together.
#[derive(Debug)]
pub struct SloVisit {
    rate: f64,
    latencies: Histogram,
    /// How late the tool itself was.
    lags: Histogram,
    /// Something arrived.
    arrived: bool,
}

impl SloVisit {
    /// The I/Os that completed `settle_ns` or more after the load began, at a rate.
    pub fn of(rate: u32, visit: &Visit, settle_ns: u64) -> Self {
        let (mut latencies, mut lags) = (Histogram::empty(), Histogram::empty());
        let mut arrived = false;
        for tally in visit.tallies.values() {
            if let Some(open) = &tally.open {
                latencies.add(&tally.all_latencies_after(settle_ns));
                lags.add(&open.lag);
                let waits = open.backlog.iter().any(|backlog| backlog.count > 0);
                arrived |= open.arrived > 0 || open.left > 0 || waits || tally.errors > 0;
            }
        }
        Self { rate: f64::from(rate), latencies, lags, arrived }
    }

    /// A visit with only its latencies.
    #[cfg(test)]
    pub(super) fn of_latencies(latencies: Histogram) -> Self {
        Self { rate: 1000.0, latencies, lags: Histogram::empty(), arrived: true }
    }

    /// The latencies.
    pub const fn latencies(&self) -> &Histogram {
        &self.latencies
    }

    /// The share of the I/Os beyond a bound over what it allows; of the mean, the mean over it.
    pub fn ratio(&self, bound: &SloBound) -> RatioSeen {
        let ios = to_f64(self.latencies.count());
        let (rate, limit_ns) = (self.rate, to_f64(bound.limit.0).max(1.0));
        // A quiet load has visits without an I/O, which tell nothing.
        if !self.arrived {
            return RatioSeen { rate, ratio: 0.0, weight: NOTHING_ARRIVED };
        }
        if self.latencies.count() == 0 {
            return RatioSeen { rate, ratio: NOTHING_CAME, weight: 1.0 };
        }
        match bound.judged.allowed() {
            None => {
                let mean_ns = self.latencies.mean_ns().unwrap_or(0.0);
                RatioSeen { rate, ratio: mean_ns / limit_ns, weight: ios }
            }
            Some(allowed) => {
                let beyond = self.latencies.count_above(bound.limit.0);
                RatioSeen { rate, ratio: beyond / (ios * allowed), weight: ios * allowed }
            }
        }
    }

    /// The part of that ratio that the tool alone explains, because it began I/Os late.
    pub fn ratio_of_lag(&self, bound: &SloBound) -> f64 {
        let lags = to_f64(self.lags.count()).max(1.0);
        match bound.judged.allowed() {
            None => self.lags.mean_ns().unwrap_or(0.0) / to_f64(bound.limit.0).max(1.0),
            Some(allowed) => self.lags.count_above(bound.limit.0) / (lags * allowed),
        }
    }
}

/// What the search for a rate needs of a visit: the limit that is closest to being broken, or broken most.
pub fn rate_visit(request: &Request, visit: &Visit) -> RateVisit {
    let seen = SloVisit::of(request.rate_of(visit.point), visit, 0);
    let bounds = request.slo().into_iter().flat_map(|slo| &slo.bounds);
    let ratios = bounds.map(|bound| (seen.ratio(bound), bound.judged.allowed().unwrap_or(0.0)));
    let worst = ratios.max_by(|one, other| one.0.ratio.total_cmp(&other.0.ratio));
    let nothing = RatioSeen { rate: 0.0, ratio: 0.0, weight: 1.0 };
    let (RatioSeen { ratio, weight, .. }, allowed) = worst.unwrap_or((nothing, 0.0));
    RateVisit { rate: request.rate_of(visit.point), ratio, weight, allowed }
}

/// Whether a ratio is one of counts.
pub const fn is_counted(bound: &SloBound) -> bool {
    matches!(bound.judged, LatencyCriterion::Beyond(_))
}

/// How the logarithm of the ratio, or of its odds, curves above a `floor`, which is the ratio at half the rate: that of a mean grows without
/// end near the maximum throughput, that of rare slow I/Os is nearly a line. Computed for M/M/c with 1 to 128 stations and limits of
/// 1.2 to 10 times the latency of an idle device.
fn guess(allowed: f64, floor: f64) -> Guess {
    let at = |[none, all]: [f64; 2]| (all - none).mul_add(floor, none);
    if allowed == 0.0 {
        return Guess { bend: [[1.05, -0.45], [0.1, 0.7]].map(at), turn: [[1.7, 0.3], [0.35, 0.55]].map(at) };
    }
    let rare = |most: f64, less: f64| most.mul_add(allowed, less);
    Guess { bend: [rare(0.6, 0.1), at([0.12, 0.55])], turn: [rare(1.2, 0.05), at([0.08, 0.55])] }
}

/// The prior for the ratios of a limit above a floor: counts vary at least by chance, and the values below the floor do too.
pub fn law(bound: &SloBound, floor: f64) -> Law {
    let asked = bound.judged.allowed().unwrap_or(0.0);
    let allowed = asked * (1.0 - floor) / (1.0 - asked * floor);
    let least_spread = if is_counted(bound) { 1.0 / (1.0 - floor) } else { 0.0 };
    Law { allowed, least_spread, guess: guess(allowed, floor), queues: true }
}
