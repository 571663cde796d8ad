//! Points whose figures are alike as far as the noise tells show one figure: what all of them say together.
//!
//! The highest of several noisy rates owes its place to its noise, and is too high. A rate that is chosen among them by a rule is refuted by the rows
//! above it. So the points near the highest are taken for what they seem to be, a plateau, and share its mean: the highest rate is that figure, in
//! every row of the plateau, and no row is above it. The same holds for the lowest latency. Must not touch a rate that was given (open loops), places,
//! which differ by nature, or sides, whose ratio was asked for.

use super::answers::within_bound;
use super::extremes::rows;
use super::{IoFindings, PointFindings};
use crate::load::class::{Class, Figure};
use crate::load::request::Request;
use crate::stats::estimate::{Basis, Estimate};
use std::collections::BTreeSet;
use std::f64::consts::SQRT_2;

/// Figures that are so many standard errors of their difference apart are alike. With one, the mean of a plateau of eight levels is 0.9 standard errors of
/// a level too high; with two, that of levels that still rise is 0.7 too low. In between it is off by 0.6 at most, and the interval of a level holds the
/// truth in 95 of 100 (`the_mean_of_a_plateau..`).
const ALIKE: f64 = SQRT_2;

/// Which of two figures is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Best {
    Highest,
    Lowest,
}

impl Best {
    fn beats(self, one: f64, other: f64) -> bool {
        match self {
            Self::Highest => one > other,
            Self::Lowest => one < other,
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
        if load.is_open() || load.places.is_some() {
            continue;
        }
        let has_latency = load.figure != Figure::Mbps;
        let plateau = join_rates(points, class, &all);
        if let (Class::SMALL, Some(bound)) = (class, &request.bound) {
            let kept = within_bound(points, &all, bound);
            if !kept.iter().any(|at| plateau.contains(at)) {
                join_rates(points, class, &kept);
            }
        }
        if has_latency {
            join_latencies(points, class, &all);
        }
    }
}

fn join_rates(points: &mut [PointFindings], class: Class, rows: &[usize]) -> Vec<usize> {
    joined(points, class, rows, Best::Highest, |io| Some(io.iops), |io, iops| io.iops = iops)
}

fn join_latencies(points: &mut [PointFindings], class: Class, rows: &[usize]) {
    let set = |io: &mut IoFindings, mean| {
        if let Some(us) = &mut io.latency_us {
            us.mean = mean;
        }
    };
    joined(points, class, rows, Best::Lowest, |io| Some(io.latency_us?.mean), set);
}

/// Joins the best of some points; which ones.
fn joined(
    points: &mut [PointFindings],
    class: Class,
    rows: &[usize],
    best: Best,
    get: impl Fn(&IoFindings) -> Option<Estimate>,
    set: impl Fn(&mut IoFindings, Estimate),
) -> Vec<usize> {
    let figures: Vec<(usize, Estimate)> =
        rows.iter().filter_map(|&at| Some((at, get(points[at].io(class)?)?))).collect();
    let values: Vec<Estimate> = figures.iter().map(|one| one.1).collect();
    let (members, value) = plateau(&values, best);
    for &member in &members {
        let (at, estimate) = figures[member];
        if let Some(io) = points[at].ios.get_mut(&class) {
            let factor = value / estimate.value;
            set(io, Estimate { value, ..estimate.scaled(factor) });
        }
    }
    members.into_iter().map(|member| figures[member].0).collect()
}

/// The places of the figures that are alike the best one, and their mean, each by how sure it is. A figure whose visits do not lie apart stays what it is.
fn plateau(figures: &[Estimate], best: Best) -> (Vec<usize>, f64) {
    let order = |a: &(usize, &Estimate), b: &(usize, &Estimate)| match best {
        Best::Highest => b.1.value.total_cmp(&a.1.value),
        Best::Lowest => a.1.value.total_cmp(&b.1.value),
    };
    let mut all: Vec<(usize, &Estimate)> = figures.iter().enumerate().collect();
    all.sort_by(order);
    let Some((first, rest)) = all.split_first() else { return (Vec::new(), 0.0) };
    let alone = (vec![first.0], first.1.value);
    let Some(error) = error(first.1) else { return alone };
    let is_alike = |one: &Estimate| {
        self::error(one).is_some_and(|own| (first.1.value - one.value).abs() <= ALIKE * own.hypot(error))
    };
    let (mut members, mut others): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|one| is_alike(one.1));
    members.insert(0, *first);
    // A row that is not alike may still lie above the mean of those that are, when theirs are less sure than its own.
    others.reverse();
    let mut value = mean(&members);
    while let Some(next) = others.pop().filter(|next| best.beats(next.1.value, value)) {
        if self::error(next.1).is_none() {
            return alone;
        }
        members.push(next);
        value = mean(&members);
    }
    (members.into_iter().map(|one| one.0).collect(), value)
}

/// Weighted by the squares of the widths, which know how few visits there are better than the standard errors do.
fn mean(members: &[(usize, &Estimate)]) -> f64 {
    let weight = |one: &Estimate| one.half_width().map_or(0.0, |half| (half * one.value).powi(-2));
    let all: f64 = members.iter().map(|one| weight(one.1)).sum();
    members.iter().map(|one| weight(one.1) * one.1.value).sum::<f64>() / all
}

/// The standard error; `None` where there is none that holds what differs from visit to visit.
fn error(one: &Estimate) -> Option<f64> {
    let interval = one.interval.filter(|_| one.basis == Basis::Visits)?;
    Some(interval.standard_error()).filter(|error| *error > 0.0 && error.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;
    use crate::stats::special::student_t_quantile;
    use crate::stats::tests::Noise;

    const DF: f64 = 30.0;

    /// A figure with a standard error, in its unit.
    fn figure(value: f64, error: f64) -> Estimate {
        let half = error * student_t_quantile(0.975, DF) / value;
        Interval::symmetric(value, half, 8, DF).unwrap().into()
    }

    #[test]
    fn what_is_alike_has_one_figure_and_what_is_surer_counts_for_more() {
        let of = |figures: &[Estimate]| plateau(figures, Best::Highest);
        let (members, value) =
            of(&[figure(60.0, 1.0), figure(99.0, 1.0), figure(100.0, 1.0), figure(97.9, 1.0)]);
        assert_eq!(members, [2, 1], "two standard errors are the end");
        assert!((value - 99.5).abs() < 1e-9, "{value}");
        // A level of which next to nothing is known neither lifts the figure nor stands above it.
        let (members, value) = of(&[figure(100.0, 1.0), figure(180.0, 80.0)]);
        assert!(members.len() == 2 && (100.0..100.1).contains(&value), "{value}");
        assert_eq!(of(&[]), (vec![], 0.0));
        assert_eq!(
            of(&[Estimate::bare(5.0), figure(4.0, 3.0)]),
            (vec![0], 5.0),
            "one visit has no such error"
        );
        let (members, value) = plateau(&[figure(2.0, 0.1), figure(2.1, 0.1), figure(4.0, 0.1)], Best::Lowest);
        assert!(members == [0, 1] && (2.0..2.1).contains(&value), "{members:?} {value}");
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
            for best in [Best::Highest, Best::Lowest] {
                let (members, value) = plateau(&figures, best);
                let outside = (0..6).filter(|at| !members.contains(at)).map(|at| figures[at].value);
                assert!(!outside.into_iter().any(|other| best.beats(other, value)), "{figures:?} {value}");
            }
        }
    }

    /// Bias in standard errors of a level, and how often the interval of a level around the figure holds the truth. The plain highest has a bias of
    /// 1.4 on the longest plateau and holds it in 81 of 100.
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
                let error = plateau(&figures, Best::Highest).1 - 1000.0;
                sum += error;
                held += u32::from(error.abs() <= student_t_quantile(0.975, DF));
            }
            let (bias, share) = (sum / f64::from(TRIALS), f64::from(held) / f64::from(TRIALS));
            assert!(bias.abs() < 0.65, "{name}: {bias}");
            assert!(share > 0.94, "{name}: {share}");
        }
    }
}
