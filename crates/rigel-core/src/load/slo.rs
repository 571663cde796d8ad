//! Bounds on the latency of an open loop: the highest rate at which all of them are kept is searched, and rates of one's own
//! are judged.
//!
//! A bound is about a share: with `p99 < 1ms` at most 1 % of the I/Os take longer than 1 ms. Must not judge a visit;
//! [`crate::judge::slo`] does.

mod scaled;
mod text;

pub use scaled::Scaled;

use crate::error::Problem;
use crate::load::class::{LoadClass, MAX_RATE, Shape};
use crate::load::matrix::Point;
use crate::load::pace::{LevelChoice, Pace};
use crate::load::request::Request;
use crate::stats::rates::whole;
use crate::units::{NS_PER_S, Nanos, to_f64};
use serde::{Deserialize, Serialize};

/// Rates are searched up to this one unless another is given.
pub const USUAL_MOST_RATE: u32 = 250_000;
/// The time of a search that was given none, for each load that is searched, where the bounds do not need more.
pub const USUAL_SEARCH: Nanos = Nanos::from_secs(300);
/// The lowest rate that is tried: a visit to a lower one would have hardly any I/O.
pub const LOWEST_RATE: u32 = 10;
/// A shorter search would tell nothing: a visit takes 2 s or more, of which a part is start-up.
const LEAST_DURATION_NS: u64 = 180 * NS_PER_S;
/// The points are visited about so often in all.
pub(crate) const VISITS: u64 = 80;
/// A queue near saturation takes many times the latency that is bounded to settle: 18 times at one server that is 95 % busy.
pub(crate) const SETTLE_LIMITS: u64 = 20;
/// Relaxation times of a queue that keeps the bound before what is seen counts; what is missing then is a few per cent of it.
const SETTLE_RELAXATIONS: f64 = 2.0;
/// The measured part is longer by so much, so that few visits remember each other's beginning.
pub(crate) const MEASURE_SETTLES: u64 = 4;
/// Nobody wants to wait longer without having asked for it.
const LONGEST_UNASKED_NS: u64 = 3600 * NS_PER_S;
/// Most bounds, and most rates that are judged.
const MOST_BOUNDS: usize = 16;
/// I/Os in a million.
const MILLION: u32 = 1_000_000;

/// What of the latencies a bound is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// The arithmetic mean.
    Mean,
    /// Of a million I/Os at most so many may take longer: 10,000 for p99.
    Beyond(u32),
}

/// A bound on the latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SloBound {
    /// What of the latencies.
    pub judged: Judged,
    /// The latency that is allowed.
    pub limit: Nanos,
}

/// A bound that has to be kept at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Requirement {
    /// The bound.
    pub bound: SloBound,
    /// I/Os that arrive per second.
    pub rate: u32,
}

/// What is asked of a search for a rate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slo {
    /// All have to be kept; at least one.
    pub bounds: Vec<SloBound>,
    /// Rates at which a bound has to be kept, whatever is found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Requirement>,
    /// The highest rate that is tried.
    pub most_rate: u32,
    /// All phases of a load are scaled together; the rate that is searched is that of the first of those that decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaled: Option<Scaled>,
}

impl Judged {
    /// The share of the I/Os that may take longer; none for the mean.
    pub fn allowed(self) -> Option<f64> {
        match self {
            Self::Mean => None,
            Self::Beyond(of_million) => Some(f64::from(of_million) / f64::from(MILLION)),
        }
    }
}

impl SloBound {
    fn check(&self) -> Result<(), Problem> {
        let wrong = match self.judged {
            Judged::Beyond(of_million) if of_million == 0 || of_million >= MILLION => {
                "the percentile of a bound is not between p0 and p100".to_owned()
            }
            _ if self.limit.0 == 0 => "a latency of 0 cannot be kept".to_owned(),
            _ if self.limit.0 > 60 * NS_PER_S => format!("a bound of {} says nothing", self.limit),
            _ => return Ok(()),
        };
        Err(Problem::usage(wrong).at("--bound").next("give a bound such as 'p99 < 2ms', of at most 60 s"))
    }
}

impl Slo {
    /// The least time in which the visits are long enough for the bounds, in whole minutes: in shorter ones a queue that grows without
    /// end still looks as if it kept them.
    pub fn least_duration(&self) -> Nanos {
        let settle_ns = longest_ns(self).saturating_mul(SETTLE_LIMITS);
        let parts = self.parts();
        let all_ns = settle_ns.saturating_mul((1 + MEASURE_SETTLES) * VISITS).max(LEAST_DURATION_NS);
        let all_ns = all_ns.saturating_mul(parts);
        Nanos(all_ns.div_ceil(60 * NS_PER_S).saturating_mul(60 * NS_PER_S))
    }

    /// Loads that are searched at once: phases that decide, or the one that there is.
    pub(crate) fn parts(&self) -> u64 {
        self.scaled.as_ref().map_or(1, |scaled| scaled.phases.len().max(1) as u64)
    }

    /// The time of a search that was given none: `usual` for each load, or what the bounds need.
    ///
    /// # Errors
    /// When that is longer than anybody expects.
    pub fn unasked_duration(&self, usual: Nanos) -> Result<Nanos, Problem> {
        let least = self.least_duration();
        if least.0 <= LONGEST_UNASKED_NS {
            return Ok(least.max(Nanos(usual.0.saturating_mul(self.parts()))));
        }
        let minutes = least.0 / (60 * NS_PER_S);
        Err(Problem::usage(format!("bounds as long as these take {minutes} minutes"))
            .at("--duration")
            .because("each of about 80 visits lasts 100 times the bound, so that its queue has settled")
            .next(format!("give a shorter bound, or --duration {minutes}m if you want to wait")))
    }

    /// Refuses what nobody can search.
    fn check(&self) -> Result<(), Problem> {
        if self.bounds.is_empty() {
            return Err(Problem::usage("no latency is bounded")
                .at("--p99")
                .because("the rate is searched at which a bound on the latency is kept")
                .next("give a bound, such as --p99 1ms or --bound 'p99.9 < 5ms'"));
        }
        if self.bounds.len() > MOST_BOUNDS || self.required.len() > MOST_BOUNDS {
            return Err(Problem::usage(format!("more than {MOST_BOUNDS} bounds are too many"))
                .at("--bound, --require")
                .next("leave some out"));
        }
        let required = self.required.iter().map(|one| &one.bound);
        self.bounds.iter().chain(required).try_for_each(SloBound::check)?;
        for (place, one) in self.bounds.iter().enumerate() {
            if let Some(other) = self.bounds[..place].iter().find(|other| other.judged == one.judged) {
                return Err(Problem::usage(format!("two bounds contradict each other: {other} and {one}"))
                    .at("--bound")
                    .because("each percentile can have one bound, and the shorter one decides")
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
        Problem::usage(format!("{rate} I/Os per second{of} cannot be judged"))
            .at(option)
            .because(format!(
                "below {LOWEST_RATE} hardly anything arrives, and above {MAX_RATE} no host can submit"
            ))
            .next(next)
    }
}

impl Request {
    /// The load of a search for a rate, with so many arrivals per second in all: those of the open classes in the
    /// proportion in which the load has them, everything else as the load has it. They add up to the rate, unless a class would have
    /// none: each has 1 at least.
    pub fn point_at(&self, rate: u32) -> Point {
        self.part_at(0, rate)
    }

    /// Requires what was asked of a scale, at its rate.
    pub(super) fn require_scale(&mut self) {
        let reference = self.slo_reference();
        let Some(slo) = &mut self.slo else { return };
        let Some(thousandths) = slo.scaled.as_ref().and_then(|scaled| scaled.required) else { return };
        // Not less than was asked for.
        let rate = whole((reference * f64::from(thousandths) / 1000.0).ceil());
        slo.required = slo.bounds.iter().map(|&bound| Requirement { bound, rate }).collect();
    }

    /// The loads of a search: phases that decide, or the one that there is.
    pub fn slo_parts(&self) -> usize {
        self.slo.as_ref().map_or(1, |slo| usize::try_from(slo.parts()).unwrap_or(1))
    }

    /// One of them at the scale at which the first has so many arrivals.
    pub fn part_at(&self, part: usize, rate: u32) -> Point {
        let base = self.base_of(part);
        let own = self.arrivals_of(base);
        let scaled = f64::from(rate) * own / self.arrivals_of(self.base_of(0)).max(1.0);
        // A phase has none of some classes; a load without phases has one of each at least.
        let has = |class: &LoadClass| !self.is_scaled() || base.of(class.name) > 0;
        let open = || self.classes.iter().filter(|class| class.is_open() && has(class));
        let (mut so_far, mut given) = (0.0, 0);
        open().fold(base, |point, class| {
            so_far += f64::from(base.of(class.name));
            let until = whole(scaled * so_far / own.max(1.0));
            let own = until.saturating_sub(given).max(1);
            given = until.max(given);
            point.with(class.name, own)
        })
    }

    /// How the arrivals of one of them spread, where that is not what their classes say.
    pub fn shape_of_part(&self, part: usize) -> Option<Shape> {
        self.slo.as_ref()?.scaled.as_ref()?;
        self.phases.get(part)?.shape
    }

    /// The arrivals per second that the first of them has at the scale of a point of another.
    pub fn rate_of_part(&self, part: usize, point: Point) -> u32 {
        if part == 0 {
            return self.rate_of(point);
        }
        let own = self.arrivals_of(self.base_of(part)).max(1.0);
        whole(f64::from(self.rate_of(point)) * self.arrivals_of(self.base_of(0)) / own)
    }

    /// Arrivals per second of the first of them at scale 1.
    pub fn slo_reference(&self) -> f64 {
        self.arrivals_of(self.base_of(0))
    }

    /// The arrivals per second of a point in all.
    pub fn rate_of(&self, point: Point) -> u32 {
        let open = self.classes.iter().filter(|class| class.is_open());
        open.map(|class| point.of(class.name)).fold(0, u32::saturating_add)
    }

    fn is_scaled(&self) -> bool {
        self.slo.as_ref().is_some_and(|slo| slo.scaled.is_some())
    }

    fn arrivals_of(&self, point: Point) -> f64 {
        f64::from(self.rate_of(point))
    }

    fn base_of(&self, part: usize) -> Point {
        self.phases.get(part).filter(|_| self.is_scaled()).map_or_else(|| self.base(), |phase| phase.point)
    }

    /// The load as it was described; its rates only say how they are to each other.
    fn base(&self) -> Point {
        let named = |point, class: &LoadClass| Point::with(point, class.name, 1);
        self.points.first().copied().unwrap_or_else(|| self.classes.iter().fold(Point::default(), named))
    }

    /// Refuses a search for a rate that does not fit the rest of the request.
    pub(super) fn check_slo(&self) -> Result<(), Problem> {
        let Some(slo) = &self.slo else { return Ok(()) };
        if !self.classes.iter().any(LoadClass::is_open) {
            return Err(Problem::usage("no class of the load arrives at a rate")
                .at("--load")
                .because("the rate is what is searched; a class of a closed loop only runs beside it")
                .next("give a class its arrival, as in arrival = { rate = 1000 }"));
        }
        if let Some(scaled) = &slo.scaled {
            scaled.check(self)?;
        } else if !self.phases.is_empty() || self.points.len() > 1 {
            return Err(Problem::usage("a load with phases or several points has no one rate")
                .at("--load")
                .because("all rates of the load are scaled together")
                .next("leave out the phases and points, and give each class its arrival"));
        }
        if self.bound.is_some() || self.levels != LevelChoice::Own {
            return Err(
                Problem::usage("the rate is searched with levels of its own").next("leave out the others")
            );
        }
        slo.check()?;
        let least = slo.least_duration();
        match self.pace.max_duration() {
            Some(limit) if limit < least => {
                let why = "rates have to be searched and then visited several times, each until its queue has settled";
                Err(Problem::usage(format!("{limit} are too short to find a rate within these bounds"))
                    .at("--duration")
                    .because(format!("{why}; the longer the bound, the longer that takes"))
                    .next(format!("give --duration {}m or more", least.0 / (60 * NS_PER_S))))
            }
            Some(_) if matches!(self.pace, Pace::Adaptive(_)) => Ok(()),
            _ => Err(Problem::usage("a search for a rate needs its time")
                .at("--duration")
                .next("give it, such as 5m")),
        }
    }
}

/// How long a queue takes to settle that just keeps a bound at a rate: its wait is then exponential, and it relaxes as a reflected Brownian
/// motion does, the more slowly the more arrive during a wait.
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

/// How long a bound lets its latencies be, as far as the length of a visit is concerned: a mean goes with longer ones.
pub(crate) fn longest_ns(slo: &Slo) -> u64 {
    let required = slo.required.iter().map(|one| &one.bound);
    let of = |bound: &SloBound| match bound.judged {
        Judged::Mean => bound.limit.0.saturating_mul(4),
        Judged::Beyond(_) => bound.limit.0,
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
            scaled: None,
        };
        settle_ns(&slo, rate) / NS_PER_MS
    }

    /// 4 x rate / spare^2 is the relaxation time of M/M/c near saturation, and the wait is exponential with the rate that is spare.
    #[test]
    fn a_queue_settles_the_more_slowly_the_more_arrive_while_one_waits() {
        assert_eq!(settle_ms("p99 < 2ms", 12_000.0), 18);
        assert_eq!(settle_ms("p99 < 32ms", 8_000.0), 3090);
        assert_eq!(settle_ms("mean < 32ms", 8_000.0), 16_384);
    }
}
