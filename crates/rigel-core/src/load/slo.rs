//! Bounds on the latency of an open loop: the highest rate that meets all of them is searched for, and rates of your own are judged.
//!
//! A bound is about a share: with `p99 < 1ms` at most 1 % of the I/Os take longer than 1 ms. Must not judge a visit;
//! [`crate::judge::slo`] does.

mod scaled;
mod text;

pub use scaled::ScaledPhases;

use crate::error::Problem;
use crate::load::class::MAX_RATE;
use crate::sim::SimLaw;
use crate::units::{NS_PER_S, Nanos, to_f64};
use serde::{Deserialize, Serialize};

/// The highest rate that is searched by default.
pub const USUAL_MOST_RATE: u32 = 250_000;
/// The default time of a search, for each load that is searched, unless the limits need more.
pub const USUAL_SEARCH: Nanos = Nanos::from_secs(300);
/// The lowest rate that is tried: a visit to a lower one would have barely any I/O.
pub const LOWEST_RATE: u32 = 10;
/// The default time of a check of required rates, for each load that is checked, unless the limits need more.
pub const USUAL_CHECK: Nanos = Nanos::from_secs(60);
/// A shorter search would say nothing: a visit takes 2 s or more, part of which is start-up.
const LEAST_DURATION_NS: u64 = 180 * NS_PER_S;
/// The points are visited about this often in total.
const VISITS: u64 = 80;
/// If only required rates are visited, visits to each of them.
const CHECK_VISITS: u64 = 12;
/// The shortest check; it needs no start-up.
const LEAST_CHECK_NS: u64 = 30 * NS_PER_S;
/// A queue near saturation takes many times the latency limit to settle: 18 times at one server that is 95 % busy.
pub(crate) const SETTLE_LIMITS: u64 = 20;
/// Relaxation times before a queue that meets the limit counts; the remaining error is a few per cent of the limit.
const SETTLE_RELAXATIONS: f64 = 2.0;
/// The measured part is this many times longer, so few visits depend on their start.
pub(crate) const MEASURE_SETTLES: u64 = 4;
/// The longest time that a user accepts without having requested it.
const LONGEST_UNASKED_NS: u64 = 3600 * NS_PER_S;
/// Most limits, and most rates that are judged.
const MOST_BOUNDS: usize = 16;
/// I/Os in a million.
const MILLION: u32 = 1_000_000;

/// The figure of the latencies that a limit is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LatencyCriterion {
    /// The arithmetic mean.
    Mean,
    /// At most this many I/Os in a million may take longer: 10,000 for p99.
    Beyond(u32),
}

/// A latency limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SloBound {
    /// The figure of the latencies.
    pub judged: LatencyCriterion,
    /// The allowed latency.
    pub limit: Nanos,
}

/// A limit that must be met at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Requirement {
    /// The bound.
    pub bound: SloBound,
    /// I/Os that arrive per second.
    pub rate: u32,
}

/// The parameters of a search for a rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slo {
    /// All must be met; at least one.
    pub bounds: Vec<SloBound>,
    /// Rates at which a limit must be met, whatever is found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Requirement>,
    /// The highest rate that is tried.
    pub most_rate: u32,
    /// Only the required rates are visited; no highest one is searched for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required_only: bool,
    /// All phases of a load are scaled together; the search is for the rate of the first one that decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaled: Option<ScaledPhases>,
}

impl LatencyCriterion {
    /// The share of the I/Os that may take longer; `None` for the mean.
    pub fn allowed(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::Beyond(of_million) => Some(f64::from(of_million) / f64::from(MILLION)),
        }
    }
}

impl SloBound {
    /// The rate of Poisson arrivals of I/Os of `io_bytes` at a simulated device at which the limit is just reached. `None` if there is no
    /// formula, or if no rate meets the limit.
    pub fn truth_rate(&self, law: &SimLaw, io_bytes: u64) -> Option<f64> {
        law.truth_rate(self.judged.allowed(), self.limit.0, io_bytes)
    }

    fn check(&self) -> Result<(), Problem> {
        let wrong = match self.judged {
            LatencyCriterion::Beyond(of_million) if of_million == 0 || of_million >= MILLION => {
                "the percentile of a latency limit must be between p0 and p100".to_owned()
            }
            _ if self.limit.0 == 0 => "a latency limit must be greater than 0".to_owned(),
            _ if self.limit.0 > 60 * NS_PER_S => format!("a latency limit of {} is meaningless", self.limit),
            _ => return Ok(()),
        };
        Err(Problem::usage(wrong).at("--bound").next("give a limit such as 'p99 < 2ms', of at most 60 s"))
    }
}

impl Slo {
    /// The least time in which the visits are long enough for the limits, in whole or half minutes: in shorter ones a queue
    /// that grows without end still seems to meet them.
    pub fn least_duration(&self) -> Nanos {
        let settle_ns = longest_ns(self).saturating_mul(SETTLE_LIMITS);
        let parts = self.parts();
        let (least_ns, step_ns) = if self.required_only {
            (LEAST_CHECK_NS, LEAST_CHECK_NS)
        } else {
            (LEAST_DURATION_NS, 60 * NS_PER_S)
        };
        let all_ns = settle_ns.saturating_mul((1 + MEASURE_SETTLES) * self.visits()).max(least_ns);
        let all_ns = all_ns.saturating_mul(parts);
        Nanos(all_ns.div_ceil(step_ns).saturating_mul(step_ns))
    }

    /// Whether all visits are to one rate.
    pub(crate) fn is_of_one_rate(&self) -> bool {
        let first = self.required.first().map(|one| one.rate);
        self.required_only && self.parts() == 1 && self.required.iter().all(|one| Some(one.rate) == first)
    }

    /// Approximate number of visits for each load.
    pub(crate) fn visits(&self) -> u64 {
        if self.required_only { CHECK_VISITS * self.required.len().max(1) as u64 } else { VISITS }
    }

    /// Loads that are searched simultaneously: the phases that decide, or the only load.
    pub(crate) fn parts(&self) -> u64 {
        self.scaled.as_ref().map_or(1, |scaled| scaled.phases.len().max(1) as u64)
    }

    /// The default time: the usual one for each load, or what the limits need.
    ///
    /// # Errors
    /// When that is longer than anyone expects.
    pub fn unasked_duration(&self) -> Result<Nanos, Problem> {
        let usual = if self.required_only { USUAL_CHECK } else { USUAL_SEARCH };
        let least = self.least_duration();
        if least.0 <= LONGEST_UNASKED_NS {
            return Ok(least.max(Nanos(usual.0.saturating_mul(self.parts()))));
        }
        let minutes = least.0 / (60 * NS_PER_S);
        Err(Problem::usage(format!("limits this long take {minutes} minutes"))
            .at("--for")
            .because(format!(
                "each of about {} visits lasts 100 times the limit, so that its queue settles",
                self.visits()
            ))
            .next(format!("give a shorter limit, or --for {minutes}m if you want to wait")))
    }

    /// Refuses what cannot be searched.
    pub(super) fn check(&self) -> Result<(), Problem> {
        if self.bounds.is_empty() {
            return Err(Problem::usage("no latency limit was given")
                .at("--p99")
                .because("the search is for the highest rate that meets a latency limit")
                .next("give a limit, such as --p99 1ms or --bound 'p99.9 < 5ms'"));
        }
        if self.bounds.len() > MOST_BOUNDS || self.required.len() > MOST_BOUNDS {
            return Err(Problem::usage(format!("more than {MOST_BOUNDS} latency limits is too many"))
                .at("--bound, --require")
                .next("give fewer"));
        }
        let required = self.required.iter().map(|one| &one.bound);
        self.bounds.iter().chain(required).try_for_each(SloBound::check)?;
        for (place, one) in self.bounds.iter().enumerate() {
            if let Some(other) = self.bounds[..place].iter().find(|other| other.judged == one.judged) {
                return Err(Problem::usage(format!("two latency limits conflict: {other} and {one}"))
                    .at("--bound")
                    .because("each percentile can have one limit, and the shorter one decides")
                    .next(format!("leave out {}", (*other).max(*one))));
            }
        }
        let rates = self.required.iter().map(|one| ("--require", one.rate));
        let mut rates = rates.chain([("--max-rate", self.most_rate)]);
        let wrong = rates.find(|(_, rate)| !(LOWEST_RATE..=MAX_RATE).contains(rate));
        wrong.map_or(Ok(()), |(option, rate)| Err(self.not_judged(option, rate)))
    }

    fn not_judged(&self, option: &str, rate: u32) -> Problem {
        let next = match self.scaled.is_some() && option == "--require" {
            true if rate < LOWEST_RATE => "give a larger scale, or a load with more I/Os".to_owned(),
            true => "give a smaller scale".to_owned(),
            false => format!("give {LOWEST_RATE} to {MAX_RATE}"),
        };
        let of = if self.scaled.is_some() { ", in the phase with the most of them," } else { "" };
        Problem::usage(format!("{rate} I/Os per second{of} is out of range"))
            .at(option)
            .because(format!(
                "below {LOWEST_RATE} almost nothing arrives, and above {MAX_RATE} no host can submit"
            ))
            .next(next)
    }
}

/// How long a queue that just meets a limit takes to settle at a rate: its wait is then exponential, and it relaxes like a
/// reflected Brownian motion, more slowly the more arrive during a wait.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "far below, and it saturates")]
pub(crate) fn settle_ns(slo: &Slo, rate: f64) -> u64 {
    let wait_ns = |bound: &SloBound| {
        let limit_ns = to_f64(bound.limit.0);
        // About half of a mean is service.
        bound.judged.allowed().map_or(limit_ns / 2.0, |allowed| limit_ns / -allowed.ln())
    };
    let wait_ns = slo.bounds.iter().map(wait_ns).fold(f64::INFINITY, f64::min);
    (SETTLE_RELAXATIONS * 4.0 * rate * wait_ns * wait_ns / to_f64(NS_PER_S)) as u64
}

/// The longest latency that a limit allows, as far as the length of a visit is concerned: a mean has longer ones.
pub(crate) fn longest_ns(slo: &Slo) -> u64 {
    let required = slo.required.iter().map(|one| &one.bound);
    let of = |bound: &SloBound| match bound.judged {
        LatencyCriterion::Mean => bound.limit.0.saturating_mul(4),
        LatencyCriterion::Beyond(_) => bound.limit.0,
    };
    slo.bounds.iter().chain(required).map(of).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::NS_PER_MS;

    fn settle_ms(bound: &str, rate: f64) -> u64 {
        let slo = Slo {
            bounds: vec![bound.parse().unwrap()],
            required: Vec::new(),
            most_rate: 250_000,
            required_only: false,
            scaled: None,
        };
        settle_ns(&slo, rate) / NS_PER_MS
    }

    #[test]
    fn a_check_of_required_rates_takes_a_minute_unless_its_limit_needs_more() {
        let check = |required: &[&str]| {
            let required: Vec<Requirement> = required.iter().map(|one| one.parse().unwrap()).collect();
            let bounds = vec![required[0].bound];
            let slo = Slo { bounds, required, most_rate: 250_000, required_only: true, scaled: None };
            [slo.least_duration(), slo.unasked_duration().unwrap()].map(|time| time.0 / NS_PER_S)
        };
        assert_eq!(check(&["p99 < 2ms @ 8000"]), [30, 60]);
        // Visits of 10 s.
        assert_eq!(check(&["p99 < 100ms @ 800"]), [120, 120]);
        assert_eq!(check(&["p99 < 100ms @ 800", "p99 < 100ms @ 900"]), [240, 240]);
    }

    #[test]
    fn only_a_check_of_one_rate_has_no_other_rates() {
        let check = |required: &[&str], required_only: bool| {
            let required: Vec<Requirement> = required.iter().map(|one| one.parse().unwrap()).collect();
            let bounds = vec![required[0].bound];
            Slo { bounds, required, most_rate: 250_000, required_only, scaled: None }.is_of_one_rate()
        };
        assert!(check(&["p99 < 2ms @ 8000"], true));
        assert!(check(&["p99 < 2ms @ 8000", "p50 < 1ms @ 8000"], true));
        assert!(!check(&["p99 < 2ms @ 8000", "p99 < 2ms @ 8100"], true));
        assert!(!check(&["p99 < 2ms @ 8000"], false));
    }

    /// 4 x rate / spare^2 is the relaxation time of M/M/c near saturation, and the wait is exponential with the rate that is spare.
    #[test]
    fn a_queue_settles_the_more_slowly_the_more_arrive_while_one_waits() {
        assert_eq!(settle_ms("p99 < 2ms", 12_000.0), 18);
        assert_eq!(settle_ms("p99 < 32ms", 8_000.0), 3090);
        assert_eq!(settle_ms("mean < 32ms", 8_000.0), 16_384);
    }
}
