//! The loads of a search for a rate: the load of a class, of a phase and of all of them at a scale.
//!
//! Must not search, and must not judge.

use super::Request;
use crate::error::Problem;
use crate::load::class::{LoadClass, Shape};
use crate::load::matrix::Point;
use crate::load::pace::Adaptive;
use crate::load::phase::Phase;
use crate::load::slo::{Requirement, Slo};
use crate::load::task::Task;
use crate::stats::rates::whole;
use crate::units::NS_PER_S;

impl Request {
    /// Requires what was requested of a scale, at its rate.
    pub(in crate::load) fn require_scale(&mut self) {
        let reference = self.slo_reference();
        let Task::Rate { slo, .. } = &mut self.task else { return };
        let Some(thousandths) = slo.scaled.as_ref().and_then(|scaled| scaled.required) else { return };
        // Not less than was asked for.
        let rate = whole((reference * f64::from(thousandths) / 1000.0).ceil());
        slo.required = slo.bounds.iter().map(|&bound| Requirement { bound, rate }).collect();
    }

    /// The loads of a search: the phases that decide, or the only load.
    pub fn slo_parts(&self) -> usize {
        self.slo().map_or(1, |slo| usize::try_from(slo.parts()).unwrap_or(1))
    }

    /// One of them, scaled so that the first has this many arrivals per second in total: open classes in the proportion of the load,
    /// everything else unchanged. They add up to the rate, unless a class would get none: each gets at least 1.
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

    /// The distribution of arrivals of one of them, if it differs from that of the classes.
    pub fn shape_of_part(&self, part: usize) -> Option<Shape> {
        self.slo()?.scaled.as_ref()?;
        self.phases().get(part)?.shape
    }

    /// The arrivals per second of the first of them at the scale of a point of another.
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

    /// The total arrivals per second of a point.
    pub fn rate_of(&self, point: Point) -> u32 {
        let open = self.classes.iter().filter(|class| class.is_open());
        open.map(|class| point.of(class.name)).fold(0, u32::saturating_add)
    }

    fn is_scaled(&self) -> bool {
        self.slo().is_some_and(|slo| slo.scaled.is_some())
    }

    fn arrivals_of(&self, point: Point) -> f64 {
        f64::from(self.rate_of(point))
    }

    fn base_of(&self, part: usize) -> Point {
        self.phases().get(part).filter(|_| self.is_scaled()).map_or_else(|| self.base(), |phase| phase.point)
    }

    /// The load as described; of its rates only the proportions matter.
    fn base(&self) -> Point {
        let named = |point, class: &LoadClass| Point::with(point, class.name, 1);
        self.points().first().copied().unwrap_or_else(|| self.classes.iter().fold(Point::default(), named))
    }

    /// Refuses a search for a rate that contradicts the remaining request.
    pub(super) fn check_rate(&self, slo: &Slo, phases: &[Phase], pace: &Adaptive) -> Result<(), Problem> {
        if !self.classes.iter().any(LoadClass::is_open) {
            return Err(Problem::usage("no class of the load has an arrival rate")
                .at("--load")
                .because("the search varies an arrival rate; a closed-loop class only runs alongside")
                .next("give a class an arrival, as in arrival = { rate = 1000 }"));
        }
        if let Some(scaled) = &slo.scaled {
            scaled.check(&self.classes, phases)?;
        }
        slo.check()?;
        let least = slo.least_duration();
        match pace.max_duration {
            Some(limit) if limit < least => {
                let (what, why) = if slo.required_only {
                    ("check these rates", "each rate is measured about 12 times until its queue settles")
                } else {
                    (
                        "find a rate within these limits",
                        "the search tries many rates, then measures several of them repeatedly, each until its queue settles",
                    )
                };
                let next = match least.0 / NS_PER_S {
                    seconds if seconds % 60 == 0 => format!("give --for {}m or more", seconds / 60),
                    seconds => format!("give --for {seconds}s or more"),
                };
                Err(Problem::usage(format!("{limit} is too short to {what}"))
                    .at("--for")
                    .because(format!("{why}; the longer the limit, the longer that takes"))
                    .next(next))
            }
            Some(_) => Ok(()),
            None => Err(Problem::usage("a search for a rate needs a time")
                .at("--for")
                .next("give one, such as 5m")),
        }
    }
}
