//! The service law of the simulated device: k servers, a service time, perhaps a transfer rate and disturbances.
//!
//! The law has exact answers ([`SimLaw::truth_iops`]): at N outstanding the rate is `min(N, k) / S` and, by
//! Little's law, the mean latency is `N / rate`. Must not simulate; `rigel-io`'s `sim` engine does.

mod by_place;
mod by_target;
mod caches;
mod noise;
mod queueing;
mod text;
mod truth;

pub use by_place::{ByPlace, Region};
pub use by_target::{ByTargetLaw, SlowTarget};
pub use caches::{CacheLevel, LINE_BYTES, SimCaches};
pub use queueing::OpenTruth;

pub use noise::{
    Bucket, Cliff, DelayedIos, Fall, Hits, Memory, Modes, Neighbour, Ppm, SPEED_STEP_NS, SimNoise, Stalls,
    Startup,
};

use crate::units::{KIB, MIB, NS_PER_MS, NS_PER_S, to_f64};
use serde::{Deserialize, Serialize};

/// How service times spread around their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServiceTime {
    /// Always the mean.
    #[default]
    Constant,
    /// Exponential with that mean.
    Exponential,
    /// Lognormal with that mean.
    Lognormal {
        /// Standard deviation relative to the mean.
        cv: Ppm,
    },
}

/// No station is slower: 8 KiB would take more than a tenth of a second.
const LEAST_BYTES_PER_S: u64 = 64 * KIB;

/// A simulated device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimLaw {
    /// Size of each simulated target.
    pub size_bytes: u64,
    /// Parallel service stations; each target has as many of its own.
    pub servers: u32,
    /// Mean service time of an I/O without its transfer.
    pub service_ns: u64,
    /// Spread of the service time.
    pub spread: ServiceTime,
    /// Transfer rate of one station; `None` for no transfer time.
    pub bytes_per_s: Option<u64>,
    /// How much longer a write takes that has to be durable; left from records when it takes no longer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub flush_ns: u64,
    /// How the speed differs from place to place; left from records when it does not.
    #[serde(default, skip_serializing_if = "ByPlace::is_even")]
    pub by_place: ByPlace,
    /// How many targets it shows; left from records when it is one.
    #[serde(default, skip_serializing_if = "ByTargetLaw::is_one")]
    pub targets: ByTargetLaw,
    /// Its caches, which keep their contents between visits; left from records when it has none.
    #[serde(default, skip_serializing_if = "SimCaches::is_none")]
    pub caches: SimCaches,
    /// What disturbs it; left from records when nothing does.
    #[serde(default, skip_serializing_if = "SimNoise::is_none")]
    pub noise: SimNoise,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
const fn is_zero(ns: &u64) -> bool {
    *ns == 0
}

impl Default for SimLaw {
    /// Four stations of 1 ms and 1,000 MiB/s each: at most 4,000 small IOPS, 2,000 large MBPS.
    fn default() -> Self {
        Self {
            size_bytes: 1 << 30,
            servers: 4,
            service_ns: NS_PER_MS,
            spread: ServiceTime::Constant,
            bytes_per_s: Some(1000 * MIB),
            flush_ns: 0,
            by_place: ByPlace::default(),
            targets: ByTargetLaw::default(),
            caches: SimCaches::default(),
            noise: SimNoise::default(),
        }
    }
}

impl SimLaw {
    /// Whether a visit changes the state of the device for later ones: used credits, written bytes, drawn random
    /// numbers. Otherwise its behaviour depends only on the time, the visit and the point.
    pub fn remembers(&self) -> bool {
        // A start-up counts, because it changes a step of the speed that was drawn before the visit.
        let (startup, bucket, cap, cliff, hits, lost) = (None, None, None, None, None, None);
        let forgets = SimNoise { startup, bucket, cap, cliff, hits, lost, ..self.noise };
        self.spread != ServiceTime::Constant || self.noise != forgets || !self.caches.is_none()
    }

    /// Mean service time of one I/O of `io_bytes` that no cache in the device holds.
    pub fn service_ns(&self, io_bytes: u64) -> f64 {
        let transfer =
            self.bytes_per_s.map_or(0.0, |rate| to_f64(io_bytes) * to_f64(NS_PER_S) / to_f64(rate.max(1)));
        to_f64(self.service_ns) + transfer
    }

    /// Mean service time of one I/O of `io_bytes`, hit or not, at speed 1.
    pub fn mean_service_ns(&self, io_bytes: u64) -> f64 {
        let miss_ns = self.service_ns(io_bytes);
        self.noise
            .hits
            .map_or(miss_ns, |hits| miss_ns + hits.share.fraction() * (to_f64(hits.service_ns) - miss_ns))
    }

    /// # Errors
    /// The limit that a value breaks, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=65_535).contains(&self.servers) {
            return Err("must be 1 to 65535".into());
        }
        // Without any service time virtual time would stand still.
        if self.service_ns == 0 && self.bytes_per_s.is_none() {
            return Err(
                "with neither service time nor transfer time the device would take no time at all".into()
            );
        }
        if let Some(rate) = self.bytes_per_s.filter(|&rate| rate < LEAST_BYTES_PER_S) {
            let small_s = 8.0 * to_f64(KIB) / to_f64(rate.max(1));
            return Err(format!(
                "{rate} bytes per second is too slow (8 KiB would take {small_s:.0} s); give a unit, such as 200M"
            ));
        }
        match self.spread {
            ServiceTime::Lognormal { cv } if !(0..=10 * Ppm::ONE.0).contains(&cv.0) => {
                Err("a deviation must be 0% to 1000%".into())
            }
            _ => self
                .by_place
                .check()
                .and_then(|()| self.targets.check())
                .and_then(|()| self.caches.check())
                .and_then(|()| self.noise.check()),
        }
    }
}

#[cfg(test)]
mod tests;
