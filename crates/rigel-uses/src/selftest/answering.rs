//! The cases of `rigel calibrate`: devices with known answers, from a quiet one to those for which a minute is short.
//!
//! Must not score.

use super::case::Case;
use super::promise::Promise;
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::{Adaptive, LevelChoice, Precision};
use rigel_core::stats::bound::{LatencyBound, LatencyOf};
use rigel_core::units::Nanos;

/// A minute, as `rigel calibrate` has by default.
const USUAL_BUDGET_S: u64 = 60;
const MEAN: LatencyOf = LatencyOf::Mean;

const PLAIN: &str = "servers=8,service=1ms,spread=exponential,between=1%";
const BETWEEN: &str = "servers=24,service=4ms,spread=lognormal:20%,noise=ar:100ms:5%,between=2%,white=3%";
const MANY: &str = "servers=100,service=10ms,spread=lognormal:20%,between=1%";
const DISK: &str = "servers=1,service=8ms,spread=lognormal:30%,between=1%";
const CHOKES: &str = "servers=8,service=2ms,rate=0,spread=lognormal:20%,between=1%,retrograde=0.3%";
const MEMORY: &str = "servers=8,service=4ms,spread=lognormal:20%,noise=ar:5s:3%,between=0.5%,white=3%";
const STALLS: &str = "servers=8,service=1ms,spread=lognormal:20%,stalls=0.2:100ms,between=0.5%,white=3%";
const BUSY: &str = "servers=8,service=4ms,spread=lognormal:20%,noise=ar:3s:8%,between=6%,white=5%";
const START_UP: &str =
    "servers=8,service=1ms,spread=lognormal:20%,noise=ar:100ms:5%,between=1%,white=3%,startup=-30%:300ms";

impl Case {
    /// A calibration of a minute with a latency limit.
    fn answering(name: &'static str, law: &'static str, bound_us: u64, of: LatencyOf) -> Self {
        let case = Self {
            level: RunLevel::Simple,
            levels: LevelChoice::Auto,
            bound: Some(LatencyBound { limit: Nanos(bound_us * 1000), of }),
            ..Self::adaptive(name, law, 0.93)
        };
        // Best rates are as near to the truth as the maximum of a search has to be.
        case.within_s(USUAL_BUDGET_S).held(0.93, 0.01)
    }

    fn within_s(mut self, budget_s: u64) -> Self {
        let max_duration = Some(Nanos::from_secs(budget_s));
        self.pace = Adaptive { precision: Precision(50), max_duration, fast: true };
        self
    }

    /// The same with another promise, for a time that is known to be too short.
    fn held(mut self, least: f64, most_bias: f64) -> Self {
        self.promise = Promise::Answers { least, most_bias };
        self
    }
}

pub(super) fn all() -> Vec<Case> {
    let more = vec![
        Case::answering("a limit just above saturation", PLAIN, 1500, MEAN),
        Case::answering(
            "a limit on p99",
            "servers=8,service=1ms,rate=0,spread=exponential,between=1%",
            15_000,
            LatencyOf::P99,
        ),
        Case::answering("a limit that nothing meets", PLAIN, 900, MEAN),
        Case::answering("8 stations in 20 s", PLAIN, 10_000, MEAN).within_s(20),
        Case::answering("8 stations in 3 min", PLAIN, 10_000, MEAN).within_s(180),
        Case::answering("100 stations", MANY, 15_000, MEAN),
        Case::answering("a disk, in 3 min", DISK, 30_000, MEAN).within_s(180),
        Case::answering("chokes slightly under load", CHOKES, 5000, MEAN),
        Case::answering("memory of 5 s", MEMORY, 20_000, MEAN).held(0.84, 0.01),
        Case::answering("stalls, one in 5 s", STALLS, 5000, MEAN).held(0.80, 0.01),
        Case::answering("like a busy virtual machine", BUSY, 10_000, MEAN).within_s(180).held(0.88, 0.02),
        Case::answering("a slow start, in 3 min", START_UP, 5000, MEAN).within_s(180).held(0.88, 0.0125),
    ];
    [few(), more].concat()
}

/// The cases of every self-test.
pub(super) fn few() -> Vec<Case> {
    vec![
        Case::answering("8 stations", PLAIN, 10_000, MEAN),
        Case::answering("24 stations, 2 % between visits", BETWEEN, 10_000, MEAN),
    ]
}
