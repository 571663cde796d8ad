//! Points whose figures are equal within the noise share one figure, computed from all of them.
//!
//! The highest of several noisy rates owes its place to its noise, and is too high. A rate chosen among them by a rule is refuted by the higher
//! rows. So the points near the highest are taken for what they seem to be, a plateau, and share its mean: the highest rate is that figure, in
//! every row of the plateau, and no row is above it. The same holds for the lowest latency. Must not touch a rate that was given (open loops), places,
//! which differ by nature, or sides, whose ratio was asked for.

use super::answers::within_bound;
use super::extremes::rows;
use super::{IoFindings, PointFindings};
use crate::load::class::{Class, Figure};
use crate::load::request::Request;
use crate::stats::estimate::{Basis, Estimate};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::f64::consts::SQRT_2;

/// Figures that are this many standard errors of their difference apart are alike. With one, the mean of a plateau of eight levels is 0.9 standard
/// errors of a level too high; with two, that of levels that still rise is 0.7 too low. In between it is off by 0.6 at most, and the interval of a
/// level contains the true value in 95 of 100 (`the_mean_of_a_plateau..`).
const ALIKE: f64 = SQRT_2;

/// No figure is moved by more than this part of itself. A figure less certain than that says more on its own, with its wide interval: once moved,
/// its rate, its latency and the number outstanding would no longer fit together (Little's law), and a row would show what no visit came near to.
const FARTHEST: f64 = 0.2;

/// Which of two figures is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BetterDirection {
    Highest,
    Lowest,
}

impl BetterDirection {
    /// The better one comes first.
    fn order(self, one: f64, other: f64) -> Ordering {
        match self {
            Self::Highest => other.total_cmp(&one),
            Self::Lowest => one.total_cmp(&other),
        }
    }
}

/// Gives the points of a plateau one figure, class by class.
pub(super) fn join(points: &mut [PointFindings], request: &Request) {
    if request.sides.is_some() {
        return;
    }
    let classes: BTreeSet<Class> = points.iter().flat_map(PointFindings::classes).map(|one| one.0).collect();
    for class in classes {
        let all = rows(points, class);
        let Some(load) = all.iter().find_map(|&at| Some(&points[at].io(class)?.load)) else { continue };
        let is_bandwidth = load.figure == Figure::Mbps;
        if !load.level_is_load() {
            continue;
        }
        let plateau = join_rates(points, class, &all, &[]);
        // Before anything asks whether a bound is kept, as what answers asks these figures.
        let quickest = if is_bandwidth { Vec::new() } else { join_latencies(points, class, &all, &plateau) };
        if let (Class::SMALL, Some(bound)) = (class, &request.bound()) {
            let kept = within_bound(points, &all, bound);
            if !kept.iter().any(|at| plateau.contains(at)) {
                join_rates(points, class, &kept, &quickest);
            }
        }
    }
}

/// The points in `apart` share a latency. Returns those that share a rate.
fn join_rates(points: &mut [PointFindings], class: Class, rows: &[usize], apart: &[usize]) -> Vec<usize> {
    let set = |io: &mut IoFindings, rate: Estimate| io.iops = rate.scaled(1.0 / io.scale());
    joined(points, class, (rows, apart), BetterDirection::Highest, |io| Some(io.rate()), set)
}

/// The points in `apart` share a rate. Returns those that share a latency.
fn join_latencies(points: &mut [PointFindings], class: Class, rows: &[usize], apart: &[usize]) -> Vec<usize> {
    let set = |io: &mut IoFindings, mean| {
        if let Some(us) = &mut io.latency_us {
            us.mean = mean;
        }
    };
    joined(points, class, (rows, apart), BetterDirection::Lowest, |io| Some(io.latency_us?.mean), set)
}

/// Joins the best of some points, and returns which. Of the points in `apart`, those with different numbers outstanding are not alike, however
/// little is known: they share the other figure, and in a closed loop the number outstanding is the product of rate and latency.
fn joined(
    points: &mut [PointFindings],
    class: Class,
    (rows, apart): (&[usize], &[usize]),
    best: BetterDirection,
    get: impl Fn(&IoFindings) -> Option<Estimate>,
    set: impl Fn(&mut IoFindings, Estimate),
) -> Vec<usize> {
    let figures: Vec<(usize, Estimate)> =
        rows.iter().filter_map(|&at| Some((at, get(points[at].io(class)?)?))).collect();
    let values: Vec<Estimate> = figures.iter().map(|one| one.1).collect();
    let differ = |one: usize, other: usize| {
        let (one, other) = (figures[one].0, figures[other].0);
        let are_apart = apart.contains(&one) && apart.contains(&other);
        are_apart && points[one].point.of(class) != points[other].point.of(class)
    };
    let (members, value) = plateau(&values, best, differ);
    for &member in &members {
        let (at, estimate) = figures[member];
        if let Some(io) = points[at].ios.get_mut(&class) {
            let factor = value / estimate.value;
            set(io, Estimate { value, ..estimate.scaled(factor) });
        }
    }
    members.into_iter().map(|member| figures[member].0).collect()
}

/// Indices of the figures that are alike the best one, and their weighted mean. They are the best ones without a gap, so no other figure is better
/// than their mean. Each is alike the best one and the mean of those before it: figures alike a very uncertain best one need not be alike each other.
/// Figures that `differ` whatever their noise end the plateau, and so does one that would move another too far. A figure whose visits do not lie
/// apart stays unchanged.
fn plateau(
    figures: &[Estimate],
    best: BetterDirection,
    differ: impl Fn(usize, usize) -> bool,
) -> (Vec<usize>, f64) {
    let mut all: Vec<(usize, &Estimate)> = figures.iter().enumerate().collect();
    all.sort_by(|one, other| best.order(one.1.value, other.1.value));
    let Some((&(place, first), rest)) = all.split_first() else { return (Vec::new(), 0.0) };
    let (mut members, mut pool) = (vec![place], Pool::default());
    let Some(error) = pool.add(first) else { return (members, first.value) };
    for &(place, next) in rest {
        let Some(own) = self::error(next) else { break };
        let is_alike = |value: f64, error: f64| (value - next.value).abs() <= ALIKE * own.hypot(error);
        let is_alike = is_alike(first.value, error) && is_alike(pool.mean(), pool.error());
        if !is_alike || members.iter().any(|&member| differ(member, place)) {
            break;
        }
        let mut more = pool;
        if more.add(next).is_none() || moves_too_far([first, next], more.mean()) {
            break;
        }
        pool = more;
        members.push(place);
    }
    (members, pool.mean())
}

/// Whether a value is too far from the best and the worst of those that it replaces.
fn moves_too_far(ends: [&Estimate; 2], value: f64) -> bool {
    ends.iter().any(|one| (value / one.value - 1.0).abs() > FARTHEST)
}

/// Figures that are treated as one.
#[derive(Clone, Copy, Debug, Default)]
struct Pool {
    weights: f64,
    /// Sum of the values, weighted.
    values: f64,
    /// Sum of the variances, by the square of the weight.
    variances: f64,
}

impl Pool {
    /// Adds a figure and returns its standard error; skips it if it has none. Its weight comes from the width of its interval, which accounts for
    /// few visits better than the standard error does.
    fn add(&mut self, one: &Estimate) -> Option<f64> {
        let error = error(one)?;
        let weight = (one.half_width()? * one.value).powi(-2);
        self.weights += weight;
        self.values += weight * one.value;
        self.variances += (weight * error).powi(2);
        Some(error)
    }

    fn mean(&self) -> f64 {
        self.values / self.weights
    }

    fn error(&self) -> f64 {
        self.variances.sqrt() / self.weights
    }
}

/// The standard error; `None` if none includes the variation from visit to visit.
fn error(one: &Estimate) -> Option<f64> {
    let interval = one.interval.filter(|_| one.basis == Basis::Visits)?;
    Some(interval.standard_error()).filter(|error| *error > 0.0 && error.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;
    use crate::stats::special::student_t_quantile;
    use crate::testing::Noise;

    const DF: f64 = 30.0;

    fn never(_: usize, _: usize) -> bool {
        false
    }

    /// A figure with a standard error, in its unit.
    fn figure(value: f64, error: f64) -> Estimate {
        let half = error * student_t_quantile(0.975, DF) / value;
        Interval::symmetric(value, half, 8, DF).unwrap().into()
    }

    #[test]
    fn what_is_alike_has_one_figure_and_what_is_surer_counts_for_more() {
        let of = |figures: &[Estimate]| plateau(figures, BetterDirection::Highest, never);
        let (members, value) =
            of(&[figure(60.0, 1.0), figure(99.0, 1.0), figure(100.0, 1.0), figure(97.9, 1.0)]);
        assert_eq!(members, [2, 1], "two standard errors are the end");
        assert!((value - 99.5).abs() < 1e-9, "{value}");
        // A level of which next to nothing is known neither lifts the figure nor stands above it.
        let (members, value) = of(&[figure(100.0, 1.0), figure(115.0, 20.0)]);
        assert!(members.len() == 2 && (100.0..100.1).contains(&value), "{value}");
        // It stays what it is where it would have to move far: two visits of 60 and 300 are no 100.
        assert_eq!(of(&[figure(100.0, 1.0), figure(180.0, 80.0)]), (vec![1], 180.0));
        assert_eq!(of(&[figure(8.0, 4.0), figure(12.0, 6.0)]), (vec![1], 12.0));
        assert_eq!(of(&[]), (vec![], 0.0));
        assert_eq!(
            of(&[Estimate::bare(5.0), figure(4.0, 3.0)]),
            (vec![0], 5.0),
            "one visit has no such error"
        );
        let (members, value) =
            plateau(&[figure(2.0, 0.1), figure(2.1, 0.1), figure(4.0, 0.1)], BetterDirection::Lowest, never);
        assert!(members == [0, 1] && (2.0..2.1).contains(&value), "{members:?} {value}");
    }

    /// With little known, five loads would share one rate and one latency, and the row of one writer would say 20 commits per second of 112 ms each.
    #[test]
    fn what_differs_whatever_its_noise_ends_a_plateau() {
        let levels = [figure(100.0, 60.0), figure(95.0, 60.0), figure(90.0, 60.0)];
        let differ = |one: usize, other: usize| one.abs_diff(other) == 2;
        assert_eq!(plateau(&levels, BetterDirection::Highest, never).0, [0, 1, 2]);
        assert_eq!(plateau(&levels, BetterDirection::Highest, differ).0, [0, 1]);
    }

    /// Everything is alike a level of which next to nothing is known; the others need not be alike each other.
    #[test]
    fn a_best_one_of_which_nothing_is_known_joins_no_others_that_are_apart() {
        let levels = [figure(600.0, 6.0), figure(990.0, 10.0), figure(1000.0, 10.0), figure(1100.0, 465.0)];
        let (mut members, value) = plateau(&levels, BetterDirection::Highest, never);
        members.sort_unstable();
        assert!(members == [1, 2, 3] && (994.0..996.0).contains(&value), "{members:?} {value}");
    }

    #[test]
    fn no_row_is_above_the_figure() {
        let mut noise = Noise::new(3);
        for _ in 0..2000 {
            let figures: Vec<Estimate> = (0..6)
                .map(|_| {
                    let error = 10f64.powf(noise.normal() * 0.7);
                    figure((100.0 + error * noise.normal()).max(1.0), error)
                })
                .collect();
            for best in [BetterDirection::Highest, BetterDirection::Lowest] {
                let (members, value) = plateau(&figures, best, never);
                let outside = (0..6).filter(|at| !members.contains(at)).map(|at| figures[at].value);
                assert!(
                    outside.into_iter().all(|other| best.order(value, other).is_le()),
                    "{figures:?} {value}"
                );
            }
        }
    }

    /// Bias in standard errors of a level, and how often the interval of a level around the figure contains the true value. The plain highest has a
    /// bias of 1.4 on the longest plateau and holds it in 81 of 100.
    #[test]
    fn the_mean_of_a_plateau_is_near_the_truth_and_its_interval_holds_it() {
        const TRIALS: u32 = 4000;
        let mut noise = Noise::new(5);
        let levels: [(&str, &[f64]); 7] = [
            ("one", &[0.0]),
            ("two", &[0.0; 2]),
            ("five", &[0.0; 5]),
            ("eight", &[0.0; 8]),
            ("rising to a plateau", &[-20.0, -10.0, -4.0, -2.0, -1.0, -0.5, -0.2, 0.0]),
            ("still rising", &[-5.0, -4.0, -3.0, -2.0, -1.0, 0.0]),
            ("falling again", &[-10.0, -3.0, 0.0, 0.0, -1.0, -3.0]),
        ];
        for (name, below) in levels {
            let (mut sum, mut held) = (0.0, 0);
            for _ in 0..TRIALS {
                let figures: Vec<Estimate> =
                    below.iter().map(|below| figure(1000.0 + below + noise.normal(), 1.0)).collect();
                let error = plateau(&figures, BetterDirection::Highest, never).1 - 1000.0;
                sum += error;
                held += u32::from(error.abs() <= student_t_quantile(0.975, DF));
            }
            let (bias, share) = (sum / f64::from(TRIALS), f64::from(held) / f64::from(TRIALS));
            assert!(bias.abs() < 0.65, "{name}: {bias}");
            assert!(share > 0.94, "{name}: {share}");
        }
    }

    /// Where one level is 30 times less certain than the others, its noise must not decide. The interval is the narrowest of the plateau. All that
    /// are alike the best one, taken together, would contain the true value in 70 of 100.
    #[test]
    fn a_level_that_is_far_less_sure_does_not_decide() {
        const TRIALS: u32 = 4000;
        const UNSURE: f64 = 30.0;
        let mut noise = Noise::new(6);
        for at in [1, 3, 5] {
            let (mut sum, mut held) = (0.0, 0);
            for _ in 0..TRIALS {
                let below = [-60.0, -40.0, -20.0, 0.0, 0.0, 0.0].into_iter().enumerate();
                let error = |level: usize| if level == at { UNSURE } else { 1.0 };
                let figures: Vec<Estimate> = below
                    .map(|(level, below)| {
                        figure(1000.0 + below + error(level) * noise.normal(), error(level))
                    })
                    .collect();
                let (members, value) = plateau(&figures, BetterDirection::Highest, never);
                let narrowest = members.iter().map(|&at| error(at)).fold(f64::INFINITY, f64::min);
                sum += value - 1000.0;
                held += u32::from((value - 1000.0).abs() <= narrowest * student_t_quantile(0.975, DF));
            }
            let (bias, share) = (sum / f64::from(TRIALS), f64::from(held) / f64::from(TRIALS));
            assert!(bias.abs() < 0.2 * UNSURE, "{at}: {bias}");
            assert!(share > 0.93, "{at}: {share}");
        }
    }
}
