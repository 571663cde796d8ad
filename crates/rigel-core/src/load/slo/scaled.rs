//! A load of several phases that is scaled as a whole: which of its phases decide how far.
//!
//! A phase that has no more of any class than another one, arrives no more in bursts, and has neither larger I/Os on average nor a higher share of
//! writes, meets every bound that the other meets. The others decide.
//! Must not search.

use crate::error::Problem;
use crate::load::class::{Arrival, LoadClass};
use crate::load::phase::Phase;
use crate::units::to_f64;
use serde::{Deserialize, Serialize};

/// Most phases that are searched: each takes the time of a separate search.
const MOST: usize = 4;

/// Mixes that differ by less count as the same.
const ALIKE: f64 = 1.1;
/// At fewer I/Os per second no percentile is known within the time of a search: a phase with more of everything represents them.
const JUDGED: f64 = 10.0;

/// The phases of a load that decide.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScaledPhases {
    /// Their numbers in the load, from 0; the request has only these, in this order.
    pub phases: Vec<u32>,
    /// Number of phases of the load.
    pub of: u32,
    /// Phases with more of something than each of them, which are not searched.
    pub left_out: u32,
    /// This many thousandths of the load must meet the limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<u32>,
    /// All rates of the file are raised by this many thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<i32>,
    /// Assumptions of the file that differ from production, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<String>,
}

impl ScaledPhases {
    /// The deciding phases of a load, the one with the most arrivals first.
    pub fn of(classes: &[LoadClass], phases: &[Phase]) -> Self {
        let heavier = |one: &Phase, other: &Phase| {
            classes.iter().all(|class| one.point.of(class.name) >= other.point.of(class.name))
                && spread(classes, one) >= spread(classes, other)
                && (amount(classes, other, |_| 1.0) < JUDGED || is_no_worse_mix(classes, other, one))
        };
        // Of phases that are alike the first one stands for all.
        let decides = |&at: &usize| {
            let beaten = |(other, phase): (usize, &Phase)| {
                let more = heavier(phase, &phases[at]);
                other != at && more && (other < at || !heavier(&phases[at], phase))
            };
            !phases.iter().enumerate().any(beaten)
        };
        let mut deciding: Vec<usize> = (0..phases.len()).filter(decides).collect();
        let amount = |at: usize, of: fn(&LoadClass) -> f64| amount(classes, &phases[at], of);
        let arrivals = |at: usize| amount(at, |_| 1.0);
        deciding.sort_by(|&one, &other| arrivals(other).total_cmp(&arrivals(one)));
        let all = deciding.len();
        if all > MOST {
            let most = |of: &dyn Fn(usize) -> f64| {
                deciding.iter().copied().max_by(|&one, &other| of(one).total_cmp(&of(other)))
            };
            let chosen = [
                most(&arrivals),
                most(&|at| amount(at, LoadClass::mean_bytes)),
                most(&|at| amount(at, written_bytes)),
                most(&|at| arrivals(at) * spread(classes, &phases[at])),
            ];
            deciding.retain(|&at| chosen.contains(&Some(at)));
        }
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            left_out: number(all - deciding.len()),
            phases: deciding.into_iter().map(number).collect(),
            of: number(phases.len()),
            ..Self::default()
        }
    }

    /// Refuses what [`ScaledPhases::of`] would not make.
    pub(in crate::load) fn check(&self, classes: &[LoadClass], phases: &[Phase]) -> Result<(), Problem> {
        let wrong = |what: &str| Err(Problem::usage(what.to_owned()).at("--load"));
        if self.phases.is_empty() || self.phases.len() > MOST || self.phases.len() != phases.len() {
            return wrong("the load names no deciding phases");
        }
        if self.phases.iter().any(|&phase| phase >= self.of) {
            return wrong("a deciding phase is not part of the load");
        }
        match phases.iter().all(|phase| amount(classes, phase, |_| 1.0) > 0.0) {
            true => Ok(()),
            false => Err(Problem::usage("a phase has no class with an arrival rate")
                .at("--load")
                .because("all rates are scaled together; closed-loop classes only run alongside")
                .next("give a class of each phase its arrival, as in arrival = { rate = 1000 }")),
        }
    }
}

/// The arrivals per second of a phase, weighted by their cost.
fn amount(classes: &[LoadClass], phase: &Phase, of: fn(&LoadClass) -> f64) -> f64 {
    let open = classes.iter().filter(|class| class.is_open());
    open.map(|class| f64::from(phase.point.of(class.name)) * of(class)).sum()
}

fn written_bytes(class: &LoadClass) -> f64 {
    class.mean_bytes() * f64::from(class.write_percent.get())
}

/// Whether the I/Os of a phase are on average no larger than those of another, and no more of them are writes: a percentile covers
/// all I/Os, and fewer I/Os with a larger slow share break a limit sooner.
fn is_no_worse_mix(classes: &[LoadClass], phase: &Phase, than: &Phase) -> bool {
    let each = |phase: &Phase, of: fn(&LoadClass) -> f64| {
        amount(classes, phase, of) / amount(classes, phase, |_| 1.0).max(1.0)
    };
    let written = |class: &LoadClass| f64::from(class.write_percent.get());
    each(phase, LoadClass::mean_bytes) <= each(than, LoadClass::mean_bytes) * ALIKE
        && each(phase, written) <= each(than, written) * ALIKE
}

/// The largest variance of arrivals among the classes of a phase.
fn spread(classes: &[LoadClass], phase: &Phase) -> f64 {
    let own = classes.iter().filter(|class| phase.point.of(class.name) > 0);
    let spreads = own.filter_map(|class| match class.arrival {
        Arrival::Open { shape, .. } => Some(phase.shape.unwrap_or(shape).spread()),
        Arrival::Closed => None,
    });
    spreads.fold(to_f64(0), f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::class::{Class, Shape, Spread};
    use crate::load::matrix::Point;
    use crate::load::workload::WritePercent;
    use crate::units::Nanos;

    fn classes() -> Vec<LoadClass> {
        let open = Arrival::Open { shape: Shape::Poisson, most_outstanding: 64 };
        let class = |name: &str, bytes, percent| LoadClass {
            arrival: open,
            write_percent: WritePercent::new(percent).unwrap(),
            ..LoadClass::random(Class::named(name).unwrap(), bytes)
        };
        vec![class("reads", 8192, 0), class("scans", 1 << 20, 0), class("writes", 8192, 100)]
    }

    fn phase(levels: [u32; 3], spread: f64) -> Phase {
        let names = ["reads", "scans", "writes"].map(|name| Class::named(name).unwrap());
        let point = names
            .into_iter()
            .zip(levels)
            .fold(Point::default(), |point, (name, level)| point.with(name, level));
        Phase { time: Nanos::from_secs(60), point, shape: Spread::new(spread).map(Shape::Bursty) }
    }

    fn deciding(phases: &[Phase]) -> (Vec<u32>, u32) {
        let found = ScaledPhases::of(&classes(), phases);
        assert_eq!(found.of as usize, phases.len());
        (found.phases, found.left_out)
    }

    #[test]
    fn a_phase_that_another_one_exceeds_in_everything_does_not_decide() {
        let day = phase([1000, 10, 200], 4.0);
        assert_eq!(deciding(&[phase([100, 1, 20], 2.0), day, phase([900, 10, 200], 4.0)]), (vec![1], 0));
        assert_eq!(deciding(&[day, day, day]), (vec![0], 0), "the first of those that are alike");
        // A backup at night, and a burst in a quiet hour.
        let (backup, burst) = (phase([50, 300, 0], 1.0), phase([40, 1, 10], 90.0));
        assert_eq!(deciding(&[burst, phase([7, 1, 1], 2.0), backup, day]), (vec![3, 2, 0], 0));
        // Fewer I/Os, of which more are slow: 1 % of all is soon too much.
        assert_eq!(deciding(&[phase([50, 10, 0], 4.0), day]), (vec![1, 0], 0));
        assert_eq!(deciding(&[phase([50, 0, 100], 4.0), day]), (vec![1, 0], 0), "more of them write");
    }

    #[test]
    fn the_heaviest_of_many_are_searched_and_the_rest_is_told() {
        let many: Vec<Phase> =
            (0..9).map(|at| phase([1000 - 100 * at, 1 + 10 * at, 200 + at], 4.0)).collect();
        let (chosen, left_out) = deciding(&many);
        assert_eq!((chosen, left_out), (vec![0, 8], 7), "the most I/Os, and the most bytes");
    }
}
