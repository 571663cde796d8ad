//! The rates that a simulated device settles at, by formula.
//!
//! In a closed loop of N outstanding on k stations with mean service time S the rate is `min(N, k) / S`; by
//! Little's law (1961) the mean latency is N / rate. Disturbances of the speed have mean 1 and do not change that.

use super::noise::{Bucket, Ppm, SimNoise};
use super::{ServiceTime, SimLaw};
use crate::units::{NS_PER_S, to_f64};

impl SimLaw {
    /// Mean rate in I/Os per second with `outstanding` I/Os of `io_bytes` in flight, over all times and visits.
    ///
    /// A start-up transient is over by then, and the credits of a limit are used up. `None` if no formula is exact:
    /// where the speed differs by place or there are several targets, under drift, a fall, a write cliff or lost I/Os, and for a limit under a speed
    /// that changes. The limit's own formula
    /// needs credits for at least the fluctuations of a few service times.
    pub fn truth_iops(&self, outstanding: u32, io_bytes: u64) -> Option<f64> {
        let busy = f64::from(outstanding.min(self.servers));
        let law = busy * to_f64(NS_PER_S) / (self.mean_service_ns(io_bytes) * self.crowding(outstanding));
        let noise = &self.noise;
        let limits = [(noise.bucket, 1), (noise.cap, io_bytes)];
        let limits = limits.into_iter().filter_map(|(limit, cost)| Some(to_f64(limit?.per_s) / to_f64(cost)));
        let lowest = limits.reduce(f64::min);
        let known = self.has_one_rate() && (lowest.is_none() || noise.is_steady());
        known.then(|| lowest.map_or(law, |lowest| law.min(lowest)))
    }

    /// Mean rates of small and large I/Os that are in flight together, in I/Os per second.
    ///
    /// `None` if no formula is exact: also beyond saturation, but for a single station, which serves all in turn.
    pub fn truth_mixed_iops(&self, outstanding: [u32; 2], io_bytes: [u64; 2]) -> Option<[f64; 2]> {
        match outstanding {
            [small, 0] => return Some([self.truth_iops(small, io_bytes[0])?, 0.0]),
            [0, large] => return Some([0.0, self.truth_iops(large, io_bytes[1])?]),
            _ => {}
        }
        let service_ns = io_bytes.map(|bytes| self.mean_service_ns(bytes));
        let count = outstanding.map(f64::from);
        let all = outstanding[0].saturating_add(outstanding[1]);
        let round_ns = match self.servers {
            servers if all <= servers => service_ns,
            1 => {
                let turn_ns = count[0] * service_ns[0] + count[1] * service_ns[1];
                [turn_ns * self.crowding(all); 2]
            }
            _ => return None,
        };
        let rates = [0, 1].map(|class| count[class] * to_f64(NS_PER_S) / round_ns[class]);
        (self.has_one_rate() && self.within_limits(rates, io_bytes)).then_some(rates)
    }

    /// A quantile of the latency with `outstanding` I/Os of `io_bytes` in flight, in nanoseconds, at speed 1.
    ///
    /// With N I/Os on k stations, a new I/O waits for the N - k in the queue before it and is then served. With
    /// exponential service times the latency is the sum of an Erlang and an exponential time (Gross, Harris 1998,
    /// section 2.4, for a closed system). `None` for other service times, for a cache, and for a device without a
    /// single rate.
    pub fn truth_latency_ns(&self, outstanding: u32, io_bytes: u64, quantile: f64) -> Option<f64> {
        let SimNoise { hits, bucket, cap, .. } = self.noise;
        let unlimited = hits.is_none() && bucket.is_none() && cap.is_none();
        let known = self.spread == ServiceTime::Exponential && unlimited && self.has_one_rate();
        let service_ns = self.mean_service_ns(io_bytes) * self.crowding(outstanding);
        known.then(|| service_ns * sojourn(self.servers, outstanding, quantile))
    }

    /// How much longer every service is with this many in flight.
    pub fn crowding(&self, in_flight: u32) -> f64 {
        1.0 + self.noise.retrograde.fraction() * f64::from(in_flight.saturating_sub(self.servers))
    }

    fn has_one_rate(&self) -> bool {
        let SimNoise { drift, fall, cliff, lost, .. } = self.noise;
        let even = self.by_place.is_even() && self.targets.is_one();
        even && drift == Ppm::ZERO && fall.is_none() && cliff.is_none() && lost.is_none()
    }

    /// Whether no limit holds back these rates of small and large I/Os.
    fn within_limits(&self, [small, large]: [f64; 2], io_bytes: [u64; 2]) -> bool {
        let noise = &self.noise;
        let bytes_per_s = small * to_f64(io_bytes[0]) + large * to_f64(io_bytes[1]);
        let limits = [(noise.bucket, small + large), (noise.cap, bytes_per_s)];
        let held = |(limit, load): (Option<Bucket>, f64)| {
            limit.is_some_and(|limit| !noise.is_steady() || load > to_f64(limit.per_s))
        };
        !limits.into_iter().any(held)
    }
}

/// The quantile of the latency with `servers`, exponential service times of mean 1 and `all` I/Os in the system, by
/// bisection.
fn sojourn(servers: u32, all: u32, quantile: f64) -> f64 {
    let ahead = all.saturating_sub(servers);
    let (mut short, mut long) = (0.0, 50.0 + 2.0 * f64::from(all) / f64::from(servers));
    for _ in 0..60 {
        let middle = f64::midpoint(short, long);
        if longer(servers, ahead, middle) > 1.0 - quantile { short = middle } else { long = middle }
    }
    short
}

/// Probability that a wait for `ahead` of this many servers and a service together take longer than `time`.
fn longer(servers: u32, ahead: u32, time: f64) -> f64 {
    let rate = f64::from(servers);
    if servers == 1 {
        return fewer(ahead + 1, time);
    }
    // Given the wait w, the service takes longer than time - w with the probability exp(w - time).
    let served = 1.0 - fewer(ahead, (rate - 1.0) * time);
    fewer(ahead, rate * time) + served * (f64::from(ahead) * (rate / (rate - 1.0)).ln() - time).exp()
}

/// Probability of fewer than `count` events of a Poisson process that expects `mean`. It is also the probability
/// that an Erlang time is not over.
fn fewer(count: u32, mean: f64) -> f64 {
    let mut log = -mean;
    let mut sum = 0.0;
    for event in 0..count {
        sum += log.exp();
        log += (mean / f64::from(event + 1)).ln();
    }
    f64::min(sum, 1.0)
}
