//! The cases: devices like real ones, from quiet to bad.
//!
//! The noise and its size follow observations on real machines. Must not score.

use super::{answering, commits, highest, loads, places, queues, rates, turns};
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::{Adaptive, LevelChoice, Pace, Precision};
use rigel_core::load::request::{CacheWarmUp, DEFAULT_STREAM_IOS, EngineRequest, Request};
use rigel_core::load::task::Task;
use rigel_core::load::workload::WritePercent;
use rigel_core::sim::SimLaw;
use rigel_core::stats::bound::LatencyBound;

/// What a case has to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Promise {
    /// Intervals and estimates of all points are right.
    Coverage {
        /// At least.
        least: f64,
        /// The mean of the estimates is off by no more, relative.
        most_bias: f64,
        /// Least share of the points that reach the aim; `None` if many do not.
        least_reached: Option<f64>,
        /// An adaptive run takes no more minutes, on average.
        most_minutes: Option<f64>,
    },
    /// The search finds the level that saturates the device, and its rate.
    Levels {
        /// The bracket contains the true value in at least that share of the trials.
        least: f64,
    },
    /// The figures of a calibration are true.
    Answers {
        /// Of the 95 % intervals of each figure that share contains the true value.
        least: f64,
        /// The mean of each figure is off by no more, relative.
        most_bias: f64,
    },
    /// The bracket of a rate within a bound contains the true value.
    Rate {
        /// In that share of the trials.
        least: f64,
        /// It is no wider, relative to the rate, on average.
        most_width: f64,
    },
    /// The figures that a formula gives are true: those of arrivals, of commits, of places, and those that stand for a whole run.
    Figures(&'static [FigurePromise]),
    /// The 95 % intervals of all points contain the true value, or belong to a trial in which the flag was raised.
    HeldOrRaises(FlagCode, CoverageDemand),
    /// A flag is raised in at least that share of the trials.
    Raises(FlagCode, f64),
    /// Two sides that are alike: in at least that share of the trials no difference is found.
    NoDifference(f64),
    /// Two sides in turn: their ratio is known as well in at most that share of the time of two runs that are compared.
    Sooner(f64),
}

/// What one figure of a formula has to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigurePromise {
    /// Which, as a phrase.
    pub what: &'static str,
    /// Of its 95 % intervals that share contains the true value.
    pub least: f64,
    /// Its mean is off by no more, relative.
    pub most_bias: f64,
}

impl FigurePromise {
    /// A mean of visits, as the rates of whole runs are: two points are left for what moderation over few points costs. A bias of an
    /// eighth of the aim of 5 % is a quarter of a standard error, and costs an interval that just reaches it one point.
    pub(super) const fn mean(what: &'static str) -> Self {
        Self { what, least: 0.93, most_bias: 0.05 / 8.0 }
    }
}

/// How often intervals contain the true value or a flag is raised, and how near the estimates are in both cases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoverageDemand {
    /// Share of the intervals, at least.
    pub least: f64,
    /// Flagged or not, the mean of the estimates is off by no more, relative; `None` if nothing can be done
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
/// correlations below 0, which raise no alarm.
const NO_SLOW_NOISE: Silence = Silence { about: "slow noise", flags: &[FlagCode::SlowNoise], most: 0.05 };
/// A device with a constant rate: a long visit shows no change.
const NO_CHANGE: Silence = Silence {
    about: "a change",
    flags: &[
        FlagCode::LevelShift,
        FlagCode::Drift,
        FlagCode::Throttled,
        FlagCode::Burst,
        FlagCode::WriteCliff,
    ],
    most: 0.02,
};
/// A device without a start-up: no visit is too short.
const NO_START: Silence = Silence { about: "a start-up", flags: &[FlagCode::Warmup], most: 0.02 };

/// Far from the seeds of all trials.
const SEED_OF_B: u64 = 1 << 32;

/// Share of the points if noise is far below the aim.
const NEARLY_ALL: f64 = 0.99;

/// One simulated device, how it is measured, and what has to come out.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What the device is like.
    pub name: &'static str,
    /// The device, as behind `--engine sim:`.
    pub law: String,
    /// The other device, where two take turns.
    pub and: Option<String>,
    /// Run level.
    pub level: RunLevel,
    /// What is aimed at.
    pub pace: Adaptive,
    /// Which levels are measured.
    pub levels: LevelChoice,
    /// Share of writes in per cent.
    pub write_percent: u8,
    /// The latency limit of small I/O, where it is a calibration.
    pub bound: Option<LatencyBound>,
    /// The latency limit of an open loop, as it is written, where a rate is searched.
    pub slo: Option<&'static str>,
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
        let mut request = Request::of(self.task()?).paced(Pace::Adaptive(self.pace));
        request.engine = EngineRequest::Sim(SimLaw::parse(&self.law)?);
        request.set_writes(WritePercent::new(self.write_percent).unwrap_or_default());
        request.seed = seed;
        if self.slo.is_some() {
            rates::ask(&mut request);
            if matches!(self.promise, Promise::Figures(_)) {
                rates::require(&mut request)?;
            }
        }
        if self.bound.is_some() {
            request.set_large(Pattern::Streams { ios_per_stream: DEFAULT_STREAM_IOS });
            request.cache = CacheWarmUp::Off;
        }
        match (&self.and, self.level) {
            (Some(b), _) => turns::request(request, b),
            (None, RunLevel::Open) if self.slo.is_none() => Ok(queues::ask(request)),
            (None, RunLevel::Simple) if self.bound.is_none() => Ok(highest::ask(request)),
            (None, RunLevel::Commit) => Ok(commits::ask(request)),
            (None, RunLevel::Zones) => Ok(places::ask(request)),
            (None, RunLevel::Load) => loads::ask(request),
            (None, RunLevel::Streams) => Ok(loads::ask_streams(request)),
            (None, _) => Ok(request),
        }
    }

    fn task(&self) -> Result<Task, String> {
        Ok(match (self.bound, self.slo, self.levels) {
            (Some(bound), ..) => Task::Calibrate { bound, no_commits: None, pace: self.pace },
            (None, Some(bound), _) => Task::rate(self.level, rates::slo(bound)?, self.pace),
            (None, None, LevelChoice::Auto) => Task::searched(self.level, Pace::Adaptive(self.pace)),
            (None, None, LevelChoice::Orion) => Task::of_level(self.level),
            (None, None, levels @ LevelChoice::Ends) => {
                let pace = Pace::Adaptive(self.pace);
                Task::Matrix { level: self.level, shape: MatrixShape::Basic, levels, pace }
            }
        })
    }

    /// The requests of a run of each side alone, to compare their time with that of turns. The runs are at different times, so their noise differs.
    ///
    /// # Errors
    /// As those of [`Self::request`].
    pub fn apart(&self, seed: u64) -> Result<Option<[Request; 2]>, String> {
        let (Some(b), Promise::Sooner(_)) = (&self.and, self.promise) else { return Ok(None) };
        let alone = |law: &String, seed: u64| {
            let case = Self { law: law.clone(), and: None, ..self.clone() };
            Ok::<_, String>(Request { num_disks: Some(1), ..case.request(seed)? })
        };
        let other = seed.wrapping_add(SEED_OF_B);
        Ok(Some([alone(&self.law, seed)?, alone(b, other)?]))
    }

    /// Figures of a level are those of a formula.
    pub(super) fn known(
        level: RunLevel,
        name: &'static str,
        law: impl Into<String>,
        promised: &'static [FigurePromise],
    ) -> Self {
        let promise = Promise::Figures(promised);
        Self { level, promise, ..Self::adaptive(name, law, 0.93) }
    }

    /// The intervals of an adaptive run contain the true value in this share.
    pub(super) fn adaptive(name: &'static str, law: impl Into<String>, least: f64) -> Self {
        Self {
            name,
            law: law.into(),
            and: None,
            level: RunLevel::Normal,
            pace: Adaptive { precision: Precision(50), max_duration: None, fast: false },
            levels: LevelChoice::Orion,
            write_percent: 0,
            bound: None,
            slo: None,
            promise: Promise::Coverage {
                least,
                most_bias: 0.05 / 8.0,
                least_reached: None,
                most_minutes: None,
            },
            silent: &[],
        }
    }

    /// The same on the usual device with this noise.
    fn usual(name: &'static str, noise: &str, least: f64) -> Self {
        Self::adaptive(name, usual(noise), least)
    }

    /// The same, with flags that the device does not justify.
    fn silent(self, silent: &'static [Silence]) -> Self {
        Self { silent, ..self }
    }

    /// The same, with the least share of the points that reach the aim.
    fn reaching(mut self, least: f64) -> Self {
        if let Promise::Coverage { least_reached, .. } = &mut self.promise {
            *least_reached = Some(least);
        }
        self
    }

    fn promising(self, promise: Promise) -> Self {
        Self { promise, ..self }
    }

    /// A flag is raised on the level oltp.
    fn flag(name: &'static str, law: impl Into<String>, flag: FlagCode) -> Self {
        let promise = Promise::Raises(flag, 0.95);
        Self { level: RunLevel::Oltp, promise, ..Self::adaptive(name, law, 0.93) }
    }

    /// The same device, with a narrower aim or shorter visits.
    pub(crate) fn paced(&self, precision: Precision, fast: bool) -> Self {
        let promise = match self.promise {
            Promise::Coverage { least, .. } => {
                let usual = precision.fraction() / 8.0;
                let (least, most_bias) = match self.name {
                    // A start-up cannot be seen in visits of 1 s, so nothing is promised there.
                    START_UP if fast => (0.88, 0.015),
                    SLOW_MEMORY if fast => (least - 0.02, usual),
                    _ => (least, usual),
                };
                Promise::Coverage { least, most_bias, least_reached: None, most_minutes: None }
            }
            other => other,
        };
        Self { pace: Adaptive { precision, fast, ..self.pace }, promise, ..self.clone() }
    }
}

/// Eight stations of 4 ms with this noise.
fn usual(noise: &str) -> String {
    format!("servers=8,service=4ms,spread=lognormal:20%,{noise}")
}

/// The twelve devices on which whole runs of the 18-point matrix are tried, by the time scale of their noise.
fn adaptive_runs() -> Vec<Case> {
    let quiet = Promise::Coverage {
        least: 0.93,
        most_bias: 0.002,
        least_reached: Some(NEARLY_ALL),
        most_minutes: Some(18.0 / 5.0),
    };
    let stalls = "stalls=0.2:100ms,between=0.5%,white=3%";
    let neighbour = "neighbour=0.7:10s:30s,between=0.5%,white=3%";
    let start_up = "noise=ar:100ms:5%,between=1%,white=3%,startup=-30%:300ms";
    vec![
        Case::usual("quiet", "between=0.3%,white=2%", 0.93).promising(quiet).silent(&[
            NO_SLOW_NOISE,
            NO_CHANGE,
            NO_START,
        ]),
        Case::usual("3 % inside visits", "white=3%", 0.93)
            .silent(&[NO_SLOW_NOISE, NO_CHANGE, NO_START])
            .reaching(NEARLY_ALL),
        Case::usual("2 % between visits", "noise=ar:100ms:5%,between=2%,white=3%", 0.93)
            .silent(&[NO_SLOW_NOISE, NO_START])
            .reaching(NEARLY_ALL),
        Case::usual("the same, unequal over points", "noise=ar:100ms:5%,between=2%,unequal=3,white=3%", 0.93)
            .silent(&[NO_SLOW_NOISE, NO_START]),
        Case::usual("memory of 0.5 s", "noise=ar:500ms:5%,between=0.5%,white=3%", 0.93)
            .silent(&[NO_CHANGE, NO_START]),
        Case::usual("memory of 1 s", "noise=ar:1s:5%,between=0.5%,white=3%", 0.93),
        Case::usual("memory of 5 s", "noise=ar:5s:3%,between=0.5%,white=3%", 0.93),
        Case::usual(SLOW_MEMORY, SLOW, 0.84),
        Case::usual("a neighbour, 10 s of every 40 s", neighbour, 0.93),
        Case::usual("stalls, one in 5 s", stalls, 0.93).silent(&[NO_SLOW_NOISE, NO_START]),
        Case::usual(START_UP, start_up, 0.92).silent(&[NO_SLOW_NOISE]),
        Case::usual("like a busy virtual machine", "noise=ar:3s:8%,between=6%,white=5%", 0.93),
    ]
}

const SLOW_MEMORY: &str = "memory of 30 s";
const SLOW: &str = "noise=ar:30s:5%,between=0.5%,white=3%";
const START_UP: &str = "30 % slower at the start of a visit";

/// All cases, each with one precision.
pub fn all() -> Vec<Case> {
    let known = [highest::few(), queues::few(), commits::few(), places::few(), loads::all()].concat();
    [adaptive_runs(), searches(), answering::few(), turns::few(), rates::few(), known, warned()].concat()
}

/// Devices whose level of saturation is searched.
fn searches() -> Vec<Case> {
    let search = |name, stations| Case {
        level: RunLevel::Oltp,
        levels: LevelChoice::Auto,
        promise: Promise::Levels { least: 0.9 },
        ..Case::adaptive(name, format!("{stations},rate=0,spread=lognormal:20%,between=1%"), 0.9)
    };
    vec![
        search("5 stations, 1 % between visits", "servers=5,service=2ms"),
        search("24 stations, 1 % between visits", "servers=24,service=4ms"),
        search("100 stations, 1 % between visits", "servers=100,service=10ms"),
    ]
}

/// Devices that a flag has to warn about.
fn warned() -> Vec<Case> {
    let slow_start = |name, tau, most_bias| {
        let noise = format!("noise=ar:100ms:5%,between=1%,white=3%,startup=-30%:{tau}");
        let held = CoverageDemand { least: 0.93, most_bias };
        Case::usual(name, &noise, 0.93).promising(Promise::HeldOrRaises(FlagCode::Warmup, held))
    };
    let fast = |noise| format!("servers=8,service=2ms,{noise}");
    let cliff = fast("white=3%,cliff=1000M:0.3");
    let modes = fast("white=2%,between=0.5%,modes=30%:0.7");
    let chokes = fast("rate=0,retrograde=5%,between=0.5%");
    vec![
        slow_start("30 % slower for seconds", "1500ms", Some(0.0125)),
        slow_start("30 % slower for half a minute", "20s", None),
        Case::flag("burst credit that runs out", fast("white=3%,bucket=1000:20000"), FlagCode::Throttled),
        Case { write_percent: 100, ..Case::flag("a write cache that fills", cliff, FlagCode::WriteCliff) },
        Case::flag("a rate that falls by 20 % a minute", fast("white=3%,drift=-20%"), FlagCode::Drift),
        Case::flag("a cache that answers 40 %", usual("hits=40%:40us"), FlagCode::Bimodal),
        Case::flag("visits that are sometimes slow", modes, FlagCode::Contaminated),
        Case::flag("I/Os that complete late", "servers=32,service=2ms,lost=2000", FlagCode::Stalled),
        Case::usual("noise that outlasts the pauses", SLOW, 0.8)
            .promising(Promise::Raises(FlagCode::SlowNoise, 0.8)),
        Case {
            levels: LevelChoice::Auto,
            ..Case::flag("a device that chokes under load", chokes, FlagCode::Retrograde)
        },
    ]
}

/// Every adaptive run with ±5 %, ±2 % and ±5 % with shorter visits, and the other cases.
pub fn thorough() -> Vec<Case> {
    let usual = adaptive_runs();
    let paced = |precision, fast| usual.iter().map(|case| case.paced(Precision(precision), fast)).collect();
    let (narrow, short): (Vec<Case>, Vec<Case>) = (paced(20, false), paced(50, true));
    let known =
        [rates::required(), highest::all(), queues::all(), commits::all(), places::all(), loads::all()]
            .concat();
    let runs = [usual.clone(), narrow, short].concat();
    [runs, searches(), answering::all(), turns::all(), rates::all(), known, warned()].concat()
}
