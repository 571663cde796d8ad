//! The cases: devices like real ones, from quiet to bad.
//!
//! The noise and its size follow what was seen on real machines. Must not score.

use super::answering;
use crate::judge::flags::FlagCode;
use crate::load::class::Pattern;
use crate::load::matrix::RunLevel;
use crate::load::pace::{Adaptive, LevelChoice, Pace, Precision};
use crate::load::request::{CacheWarmUp, DEFAULT_STREAM_IOS, EngineRequest, Request};
use crate::load::workload::WritePercent;
use crate::sim::SimLaw;
use crate::stats::bound::LatencyBound;

/// What a case has to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Promise {
    /// Intervals and estimates of all points are right.
    Coverage {
        /// At least.
        least: f64,
        /// Largest share: intervals that always hold it are too wide.
        most: f64,
        /// Least share of the estimates whose error is within the aim, of those whose interval is.
        kept: f64,
        /// The mean of the estimates is off by no more, relative.
        most_bias: f64,
        /// Least share of the points that reach the aim; `None` where many do not.
        least_reached: Option<f64>,
        /// An adaptive run takes no more minutes, on average.
        most_minutes: Option<f64>,
    },
    /// The search finds the level that saturates the device, and its rate.
    Levels {
        /// The bracket holds the truth in at least that share of the trials.
        least: f64,
        /// The mean of the maxima is off by no more, relative.
        most_bias: f64,
    },
    /// The figures of a calibration are true.
    Answers {
        /// Of the 95 % intervals of each figure that share holds the truth.
        least: f64,
        /// Largest share of all together: intervals that always hold it are too wide.
        most: f64,
        /// The mean of each figure is off by no more, relative.
        most_bias: f64,
        /// In that share of the trials the true latency at the chosen level keeps the bound, to the tenth that is
        /// allowed.
        within: f64,
        /// In that share of the trials the bracket holds the level that saturates the device.
        bracketed: f64,
    },
    /// The 95 % intervals of all points hold the truth, or belong to a trial in which the flag was raised.
    HeldOrRaises(FlagCode, Held),
    /// A flag is raised in at least that share of the trials.
    Raises(FlagCode, f64),
}

/// How often intervals hold the truth or a flag is raised, and how near the estimates are in both cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Share of the intervals, at least.
    pub least: f64,
    /// Flagged or not, the mean of the estimates is off by no more, relative; `None` where nothing can be done
    /// about it.
    pub most_bias: Option<f64>,
}

/// Flags that a device gives no cause for: in no more than that share of the trials may one of them be raised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Silence {
    /// What they are about.
    pub about: &'static str,
    /// The flags; one of them is enough.
    pub flags: &'static [FlagCode],
    /// At most.
    pub most: f64,
}

/// If all noise is shorter than a visit, visits do not correlate. The tests are at 5 %, but most of it is spent on
/// correlations below 0, which are no alarm.
const NO_SLOW_NOISE: Silence = Silence { about: "slow noise", flags: &[FlagCode::SlowNoise], most: 0.05 };
/// A device with a constant rate: a long visit shows no change.
const NO_CHANGE: Silence = Silence {
    about: "a change",
    flags: &[FlagCode::LevelShift, FlagCode::Drift, FlagCode::Throttled, FlagCode::WriteCliff],
    most: 0.02,
};
/// A device without a start-up: no visit is too short.
const NO_START: Silence = Silence { about: "a start-up", flags: &[FlagCode::Warmup], most: 0.02 };

/// Intervals that hold the truth more often are too wide.
pub(super) const MOST_HELD: f64 = 0.999;
/// Of the points, where noise is far below the aim.
const NEARLY_ALL: f64 = 0.99;
/// Of the estimates that are as sure as was asked for.
const LEAST_KEPT: f64 = 0.93;

/// One simulated device, how it is measured, and what has to come out.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What the device is like.
    pub name: &'static str,
    /// The device, as behind `--engine sim:`.
    pub law: &'static str,
    /// Run level.
    pub level: RunLevel,
    /// What is aimed at.
    pub pace: Adaptive,
    /// Which levels are measured.
    pub levels: LevelChoice,
    /// Share of writes in per cent.
    pub write_percent: u8,
    /// The bound on the latency of small I/O, where it is a calibration.
    pub bound: Option<LatencyBound>,
    /// What has to come out.
    pub promise: Promise,
    /// What must not come out.
    pub silent: &'static [Silence],
}

impl Case {
    /// The request of one trial.
    ///
    /// # Errors
    /// When the law cannot be read: a bug, which a test excludes.
    pub fn request(&self, seed: u64) -> Result<Request, String> {
        let mut request = Request::new(self.level);
        request.engine = EngineRequest::Sim(SimLaw::parse(self.law)?);
        request.pace = Pace::Adaptive(self.pace);
        request.levels = self.levels;
        request.set_writes(WritePercent::new(self.write_percent).unwrap_or_default());
        request.seed = seed;
        if self.bound.is_some() {
            request.bound = self.bound;
            request.set_large(Pattern::Streams { ios_per_stream: DEFAULT_STREAM_IOS });
            request.cache = CacheWarmUp::Off;
        }
        Ok(request)
    }

    pub(super) const fn adaptive(name: &'static str, law: &'static str, least: f64) -> Self {
        Self {
            name,
            law,
            level: RunLevel::Normal,
            pace: Adaptive { precision: Precision(50), max_duration: None, fast: false },
            levels: LevelChoice::Orion,
            write_percent: 0,
            bound: None,
            promise: Promise::Coverage {
                least,
                most: MOST_HELD,
                kept: LEAST_KEPT,
                most_bias: 0.05 / 8.0,
                least_reached: None,
                most_minutes: None,
            },
            silent: &[],
        }
    }

    const fn silent(name: &'static str, law: &'static str, least: f64, silent: &'static [Silence]) -> Self {
        Self { silent, ..Self::adaptive(name, law, least) }
    }

    /// The same, with the least share of the points that reach the aim.
    const fn reaching(mut self, least: f64) -> Self {
        if let Promise::Coverage { least_reached, .. } = &mut self.promise {
            *least_reached = Some(least);
        }
        self
    }

    const fn search(name: &'static str, law: &'static str, least: f64) -> Self {
        Self {
            level: RunLevel::Oltp,
            levels: LevelChoice::Auto,
            promise: Promise::Levels { least, most_bias: 0.01 },
            ..Self::adaptive(name, law, least)
        }
    }

    const fn flag(name: &'static str, law: &'static str, flag: FlagCode, least: f64) -> Self {
        Self {
            level: RunLevel::Oltp,
            promise: Promise::Raises(flag, least),
            ..Self::adaptive(name, law, least)
        }
    }

    /// The same device, aimed at more narrowly or with shorter visits.
    #[must_use]
    pub(crate) fn paced(&self, precision: Precision, fast: bool) -> Self {
        let promise = match self.promise {
            Promise::Coverage { least, most, kept, .. } => {
                let usual = precision.fraction() / 8.0;
                let (least, most_bias) = match self.name {
                    // A start-up cannot be seen in visits of 1 s, so nothing is promised there.
                    START_UP if fast => (0.88, 0.015),
                    SLOW_MEMORY if fast => (least - 0.02, usual),
                    _ => (least, usual),
                };
                Promise::Coverage { least, most, kept, most_bias, least_reached: None, most_minutes: None }
            }
            other => other,
        };
        Self { pace: Adaptive { precision, fast, ..self.pace }, promise, ..self.clone() }
    }
}

/// The twelve devices on which whole runs of the 18-point matrix are tried, by the time scale of their noise.
fn adaptive_runs() -> Vec<Case> {
    let quiet = Case {
        promise: Promise::Coverage {
            least: 0.93,
            most: MOST_HELD,
            kept: LEAST_KEPT,
            most_bias: 0.002,
            least_reached: Some(NEARLY_ALL),
            most_minutes: Some(18.0 / 5.0),
        },
        ..Case::silent("quiet", QUIET, 0.93, &[NO_SLOW_NOISE, NO_CHANGE, NO_START])
    };
    vec![
        quiet,
        Case::silent("3 % inside visits", WHITE, 0.93, &[NO_SLOW_NOISE, NO_CHANGE, NO_START])
            .reaching(NEARLY_ALL),
        Case::silent("2 % between visits", BETWEEN, 0.93, &[NO_SLOW_NOISE, NO_START]).reaching(NEARLY_ALL),
        Case::silent("the same, unequal over points", UNEQUAL, 0.93, &[NO_SLOW_NOISE, NO_START]),
        Case::silent("memory of 0.5 s", HALF_SECOND, 0.93, &[NO_CHANGE, NO_START]),
        Case::adaptive(
            "memory of 1 s",
            "servers=8,service=4ms,spread=lognormal:20%,noise=ar:1s:5%,between=0.5%,white=3%",
            0.93,
        ),
        Case::adaptive(
            "memory of 5 s",
            "servers=8,service=4ms,spread=lognormal:20%,noise=ar:5s:3%,between=0.5%,white=3%",
            0.93,
        ),
        Case::adaptive(SLOW_MEMORY, SLOW, 0.84),
        Case::adaptive(
            "a neighbour, 10 s of every 40 s",
            "servers=8,service=4ms,spread=lognormal:20%,neighbour=0.7:10s:30s,between=0.5%,white=3%",
            0.93,
        ),
        Case::silent(
            "stalls, one in 5 s",
            "servers=8,service=4ms,spread=lognormal:20%,stalls=0.2:100ms,between=0.5%,white=3%",
            0.93,
            &[NO_SLOW_NOISE, NO_START],
        ),
        Case::silent(
            START_UP,
            "servers=8,service=4ms,spread=lognormal:20%,noise=ar:100ms:5%,between=1%,white=3%,startup=-30%:300ms",
            0.92,
            &[NO_SLOW_NOISE],
        ),
        Case::adaptive(
            "like a busy virtual machine",
            "servers=8,service=4ms,spread=lognormal:20%,noise=ar:3s:8%,between=6%,white=5%",
            0.93,
        ),
    ]
}

const SLOW_MEMORY: &str = "memory of 30 s";
const START_UP: &str = "30 % slower at the start of a visit";
const QUIET: &str = "servers=8,service=4ms,spread=lognormal:20%,between=0.3%,white=2%";
const WHITE: &str = "servers=8,service=4ms,spread=lognormal:20%,white=3%";
const HALF_SECOND: &str =
    "servers=8,service=4ms,spread=lognormal:20%,noise=ar:500ms:5%,between=0.5%,white=3%";
const BETWEEN: &str = "servers=8,service=4ms,spread=lognormal:20%,noise=ar:100ms:5%,between=2%,white=3%";
const UNEQUAL: &str =
    "servers=8,service=4ms,spread=lognormal:20%,noise=ar:100ms:5%,between=2%,unequal=3,white=3%";
const SLOW_START: &str =
    "servers=8,service=4ms,spread=lognormal:20%,noise=ar:100ms:5%,between=1%,white=3%,startup=-30%:1500ms";
const SLOWER_START: &str =
    "servers=8,service=4ms,spread=lognormal:20%,noise=ar:100ms:5%,between=1%,white=3%,startup=-30%:20s";
const SLOW: &str = "servers=8,service=4ms,spread=lognormal:20%,noise=ar:30s:5%,between=0.5%,white=3%";

/// All cases, each with one precision.
#[must_use]
pub fn all() -> Vec<Case> {
    [adaptive_runs(), searches(), answering::few(), warned()].concat()
}

/// Devices whose level of saturation is searched.
fn searches() -> Vec<Case> {
    vec![
        Case::search(
            "5 stations, 1 % between visits",
            "servers=5,service=2ms,rate=0,spread=lognormal:20%,between=1%",
            0.9,
        ),
        Case::search(
            "24 stations, 1 % between visits",
            "servers=24,service=4ms,rate=0,spread=lognormal:20%,between=1%",
            0.9,
        ),
        Case::search(
            "100 stations, 1 % between visits",
            "servers=100,service=10ms,rate=0,spread=lognormal:20%,between=1%",
            0.9,
        ),
    ]
}

/// Devices about which a flag has to warn.
fn warned() -> Vec<Case> {
    vec![
        Case {
            promise: Promise::HeldOrRaises(FlagCode::Warmup, Held { least: 0.93, most_bias: Some(0.0125) }),
            ..Case::adaptive("30 % slower for seconds", SLOW_START, 0.93)
        },
        Case {
            promise: Promise::HeldOrRaises(FlagCode::Warmup, Held { least: 0.93, most_bias: None }),
            ..Case::adaptive("30 % slower for half a minute", SLOWER_START, 0.93)
        },
        Case::flag(
            "burst credit that runs out",
            "servers=8,service=2ms,white=3%,bucket=1000:20000",
            FlagCode::Throttled,
            0.95,
        ),
        Case {
            write_percent: 100,
            ..Case::flag(
                "a write cache that fills",
                "servers=8,service=2ms,white=3%,cliff=1000M:0.3",
                FlagCode::WriteCliff,
                0.95,
            )
        },
        Case::flag(
            "a rate that falls by 20 % a minute",
            "servers=8,service=2ms,white=3%,drift=-20%",
            FlagCode::Drift,
            0.95,
        ),
        Case::flag(
            "a cache that answers 40 %",
            "servers=8,service=4ms,spread=lognormal:20%,hits=40%:40us",
            FlagCode::Bimodal,
            0.95,
        ),
        Case::flag(
            "visits that are slow now and then",
            "servers=8,service=2ms,white=2%,between=0.5%,modes=30%:0.7",
            FlagCode::Contaminated,
            0.95,
        ),
        Case::flag("I/Os that come back late", "servers=32,service=2ms,lost=2000", FlagCode::Little, 0.95),
        Case {
            level: RunLevel::Normal,
            ..Case::flag("noise that outlasts the rests", SLOW, FlagCode::SlowNoise, 0.8)
        },
        Case {
            levels: LevelChoice::Auto,
            ..Case::flag(
                "a device that chokes on load",
                "servers=8,service=2ms,rate=0,retrograde=5%,between=0.5%",
                FlagCode::Retrograde,
                0.95,
            )
        },
    ]
}

/// Every adaptive run with ±5 %, ±2 % and ±5 % with shorter visits, and the other cases.
#[must_use]
pub fn thorough() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    cases.extend(adaptive_runs());
    cases.extend(adaptive_runs().iter().map(|case| case.paced(Precision(20), false)));
    cases.extend(adaptive_runs().iter().map(|case| case.paced(Precision(50), true)));
    cases.extend(searches());
    cases.extend(answering::all());
    cases.extend(warned());
    cases
}
