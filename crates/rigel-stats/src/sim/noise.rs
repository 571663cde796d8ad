//! The disturbances that a simulated device can have, as plain integers, and their limits.
//!
//! All random factors of the device's speed have mean 1, so they do not change its mean rate. Must not draw anything;
//! `rigel-io`'s `sim` engine does.

use crate::units::{NS_PER_S, Nanos, to_f64};
use serde::{Deserialize, Serialize};

/// The speed of a device is drawn once per so much time.
pub const SPEED_STEP_NS: u64 = NS_PER_S / 10;

/// A share, a factor or a standard deviation in millionths: 20,000 is 2 %, or a factor of 0.02.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ppm(pub i32);

impl Ppm {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// All, or a factor of 1.
    pub const ONE: Self = Self(1_000_000);

    /// As a fraction of 1.
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / f64::from(Self::ONE.0)
    }
}

/// What disturbs a simulated device; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SimNoise {
    /// Standard deviation of the speed from one step to the next, without memory.
    pub white: Ppm,
    /// Slow changes of the speed.
    pub memory: Option<Memory>,
    /// Another load on the same device.
    pub neighbour: Option<Neighbour>,
    /// Times without any service.
    pub stalls: Option<Stalls>,
    /// A time at another speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fall: Option<Fall>,
    /// Change of the speed per minute, linear from the start of the run; never below a twentieth of the law's.
    pub drift: Ppm,
    /// Standard deviation between whole runs: one factor, drawn from the seed.
    pub process: Ppm,
    /// Standard deviation between visits.
    pub between: Ppm,
    /// Points differ in `between` by up to this factor, either way.
    pub unequal: Option<Ppm>,
    /// Visits of two kinds.
    pub modes: Option<Modes>,
    /// Each visit begins slower, or faster.
    pub startup: Option<Startup>,
    /// Limit of I/Os per second; credits are I/Os.
    pub bucket: Option<Bucket>,
    /// Limit of bytes per second; credits are bytes.
    pub cap: Option<Bucket>,
    /// Writes slow down.
    pub cliff: Option<Cliff>,
    /// A cache in the device.
    pub hits: Option<Hits>,
    /// I/Os that come back very late.
    pub lost: Option<DelayedIos>,
    /// Each I/O in flight beyond the number of stations makes every service longer by this share.
    pub retrograde: Ppm,
}

/// A lognormal AR(1) process: the logarithm of the speed forgets with time constant `tau_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// Time constant.
    pub tau_ns: u64,
    /// Standard deviation of the speed.
    pub sd: Ppm,
}

/// A load that comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Speed while it is there, relative to the speed without it.
    pub level: Ppm,
    /// Mean length of its presence.
    pub on_ns: u64,
    /// Mean length of its absence.
    pub off_ns: u64,
}

impl Neighbour {
    /// Share of time that it is there.
    pub fn share(self) -> f64 {
        to_f64(self.on_ns) / (to_f64(self.on_ns) + to_f64(self.off_ns))
    }

    /// Mean speed relative to the speed without it.
    pub fn mean(self) -> f64 {
        1.0 - self.share() * (1.0 - self.level.fraction())
    }
}

/// Stops of exponential length. If one starts during another, it begins after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stalls {
    /// How many begin per second.
    pub per_s: Ppm,
    /// Mean length.
    pub mean_ns: u64,
}

impl Stalls {
    /// Share of time with service.
    pub fn mean(self) -> f64 {
        1.0 - self.per_s.fraction() * Nanos(self.mean_ns).seconds()
    }
}

/// Another speed for some time of the run, as when somebody sets a limit and lifts it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fall {
    /// Speed in that time, relative to the speed before.
    pub factor: Ppm,
    /// When it begins, from the start of the run.
    pub from_ns: u64,
    /// When it ends; `None`: it lasts.
    pub until_ns: Option<u64>,
}

impl Fall {
    /// The factor of the speed at a time of the run.
    pub fn at(self, ns: u64) -> f64 {
        let within = self.from_ns <= ns && self.until_ns.is_none_or(|until_ns| ns < until_ns);
        if within { self.factor.fraction() } else { 1.0 }
    }
}

/// Visits that are slow by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Modes {
    /// Share of slow visits.
    pub share: Ppm,
    /// Speed of a slow visit relative to the others.
    pub factor: Ppm,
}

impl Modes {
    /// Mean speed relative to the fast visits.
    pub fn mean(self) -> f64 {
        1.0 - self.share.fraction() * (1.0 - self.factor.fraction())
    }
}

/// A visit begins at 1 + `depth` of its speed and approaches the speed exponentially.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Startup {
    /// Negative: slower.
    pub depth: Ppm,
    /// Time constant.
    pub tau_ns: u64,
}

/// A token bucket. It keeps its level between visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Tokens that come per second.
    pub per_s: u64,
    /// How many it holds.
    pub credits: u64,
    /// How many it has at the start of the run; `None`: it is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_start: Option<u64>,
}

impl Bucket {
    /// One that is full at the start.
    pub const fn full(per_s: u64, credits: u64) -> Self {
        Self { per_s, credits, at_start: None }
    }

    /// The tokens that are missing at the start.
    pub fn missing(self) -> u64 {
        self.at_start.map_or(0, |has| self.credits.saturating_sub(has))
    }

    fn is_sound(self) -> bool {
        self.per_s > 0 && self.credits > 0 && self.at_start.is_none_or(|has| has <= self.credits)
    }
}

/// So many bytes are written at full speed in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cliff {
    /// That many bytes.
    pub bytes: u64,
    /// Speed of writes after that.
    pub factor: Ppm,
}

/// I/Os that a station serves in a short, constant time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hits {
    /// Share of I/Os.
    pub share: Ppm,
    /// Their service time, transfer included.
    pub service_ns: u64,
}

/// I/Os whose completion is delayed, while their station serves the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayedIos {
    /// One of this many.
    pub every: u64,
    /// For so long.
    pub delay_ns: u64,
}

impl SimNoise {
    /// Whether nothing is disturbed.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the speed always is 1.
    pub fn is_steady(&self) -> bool {
        let sds = [self.white, self.drift, self.process, self.between];
        sds == [Ppm::ZERO; 4]
            && (self.memory.is_none() && self.neighbour.is_none() && self.stalls.is_none())
            && (self.modes.is_none() && self.startup.is_none() && self.fall.is_none())
    }

    /// # Errors
    /// The limit that a value breaks, as a sentence.
    pub fn check(&self) -> Result<(), String> {
        let broken = self.limits().into_iter().find(|&(kept, _)| !kept);
        broken.map_or(Ok(()), |(_, limit)| Err(limit.to_owned()))
    }

    fn limits(&self) -> [(bool, &'static str); 13] {
        const DAY_NS: u64 = 86_400 * NS_PER_S;
        let upto = |ppm: Ppm, most: i32| (0..=most * Ppm::ONE.0).contains(&ppm.0);
        let above_0 = |ppm: Ppm, most: i32| ppm > Ppm::ZERO && upto(ppm, most);
        let time = |ns: u64| (1..=DAY_NS).contains(&ns);
        let memory = self.memory.unwrap_or(Memory { tau_ns: 1, sd: Ppm::ZERO });
        let sds = [self.white, self.process, self.between, memory.sd];
        let dwell = |ns: u64| ns >= SPEED_STEP_NS && time(ns);
        [
            (sds.iter().all(|&sd| upto(sd, 1)), "a standard deviation must be 0% to 100%"),
            (time(memory.tau_ns), "a time constant must be above 0 and at most a day"),
            (
                self.neighbour.is_none_or(|n| upto(n.level, 10) && dwell(n.on_ns) && dwell(n.off_ns)),
                "a level must be 0 to 10, a length 100ms to a day",
            ),
            (
                self.stalls.is_none_or(|s| above_0(s.per_s, 10) && time(s.mean_ns) && s.mean() >= 0.1),
                "there can be at most 10 stalls per second, and in all at most 90 % of the time",
            ),
            (
                self.fall.is_none_or(|fall| {
                    let until_ns = fall.until_ns.unwrap_or(DAY_NS);
                    above_0(fall.factor, 10) && fall.from_ns < until_ns && until_ns <= DAY_NS
                }),
                "a factor must be above 0 and at most 10, and a fall must end after its beginning, within a \
                 day",
            ),
            (self.drift.0.abs() <= Ppm::ONE.0, "a drift must be -100% to 100% per minute"),
            (self.unequal.is_none_or(|u| u >= Ppm::ONE && upto(u, 100)), "must be 1 to 100"),
            (
                self.modes.is_none_or(|m| upto(m.share, 1) && above_0(m.factor, 10)),
                "a share must be 0% to 100%, a factor above 0 and at most 10",
            ),
            (
                self.startup.is_none_or(|s| {
                    s.depth.0 > -Ppm::ONE.0 && s.depth.0 <= 10 * Ppm::ONE.0 && time(s.tau_ns)
                }),
                "a depth must be above -100% and at most 1000%, a time constant above 0 and at most a day",
            ),
            (
                [self.bucket, self.cap].into_iter().flatten().all(Bucket::is_sound),
                "a rate and its credits must be above 0, and a bucket cannot start with more than its size",
            ),
            (self.cliff.is_none_or(|c| above_0(c.factor, 1)), "a factor must be above 0 and at most 1"),
            (
                self.hits.is_none_or(|h| upto(h.share, 1) && time(h.service_ns))
                    && self.lost.is_none_or(|l| l.every > 0 && time(l.delay_ns)),
                "a share must be 0% to 100%, a number and a time above 0, and a time at most a day",
            ),
            (upto(self.retrograde, 1), "must be 0% to 100%"),
        ]
    }
}
