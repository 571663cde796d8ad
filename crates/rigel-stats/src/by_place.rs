//! How a figure changes from place to place of a target: not at all, steadily, or in areas with borders between them.
//!
//! Least squares with a price for what a description needs, as in Schwarz 1978, "Estimating the dimension of a model"; the best
//! areas of each count by dynamic programming (Bellman 1961, "On the approximation of curves by line segments using dynamic
//! programming"). The prices are higher than Schwarz's, because a border may lie anywhere (Andrews 1993, "Tests for parameter
//! instability and structural change with unknown change point"): of even devices about one in twenty seems to be another one.
//! Must not know what the figure is.

use crate::units::to_f64;

/// What a slope must explain to be told: the square of this many standard errors.
const PRICE_OF_A_SLOPE: f64 = 8.0;
/// What its bend must explain.
const PRICE_OF_A_BEND: f64 = 5.0;
/// What each border between two areas must explain.
const PRICE_OF_A_BORDER: f64 = 11.0;

/// Places of one area differ by that much, relative, whatever their intervals say: devices are not even to the last per cent.
pub const SLACK: f64 = 0.02;
/// Areas, or both ends of a slope, that differ by less are not worth telling.
const WORTH: f64 = 0.05;
/// Most areas that are told apart.
const MOST_AREAS: usize = 8;

/// Neighbouring places with one figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Its first place, from 0.
    pub first: usize,
    /// Its last place.
    pub last: usize,
    /// The figure there.
    pub mean: f64,
}

/// How a figure changes over places.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// The same everywhere, as far as that can be told.
    Even {
        /// The figure.
        mean: f64,
        /// The difference between the halves of the target, relative, that would as likely as not have been told.
        told: f64,
    },
    /// Ever more or ever less from one end to the other.
    Slope {
        /// In the first place.
        first: f64,
        /// In the last place.
        last: f64,
    },
    /// Two areas or more. A border that lies within a place leaves that place out.
    Areas(Vec<Area>),
}

/// The course of a figure over places, each with its relative standard error; `None` for fewer than three.
pub fn course(found: &[(f64, f64)]) -> Option<Course> {
    let count = found.len();
    let usable = found.iter().all(|(value, error)| value.is_finite() && *value > 0.0 && error.is_finite());
    if count < 3 || !usable {
        return None;
    }
    let sums = Sums::of(found);
    let even = sums.even();
    let mut best = (sums.cost(0, count), even.clone());
    let mut take = |cost: f64, course: Course| {
        if cost < best.0 {
            best = (cost, course);
        }
    };
    for SlopeFit { price, rest, first, last } in slopes(found) {
        take(rest + price, Course::Slope { first, last });
    }
    for (more, (cost, areas)) in sums.partitions().into_iter().enumerate() {
        take(cost + to_f64(more as u64 + 1) * PRICE_OF_A_BORDER, Course::Areas(areas));
    }
    Some(worth_telling(best.1, even))
}

/// One over the variance of each figure.
fn weights(found: &[(f64, f64)]) -> Vec<f64> {
    let mean = found.iter().map(|(value, _)| value).sum::<f64>() / to_f64(found.len() as u64);
    found.iter().map(|(value, error)| 1.0 / ((value * error).powi(2) + (SLACK * mean).powi(2))).collect()
}

/// A slope through all places: what it needs to explain, what remains beside it, and its two ends.
struct SlopeFit {
    price: f64,
    rest: f64,
    first: f64,
    last: f64,
}

/// Straight and bent ones, of the figure and of one over it: a time is one over a rate, and one of them may be straight where the other is not. None
/// turns back.
fn slopes(found: &[(f64, f64)]) -> Vec<SlopeFit> {
    let weights = weights(found);
    let values: Vec<f64> = found.iter().map(|one| one.0).collect();
    let rest = |line: &[f64]| -> f64 {
        weights
            .iter()
            .zip(&values)
            .zip(line)
            .map(|((weight, value), line)| weight * (value - line).powi(2))
            .sum()
    };
    let over: Vec<f64> = values.iter().map(|value| 1.0 / value).collect();
    // A little more of one over a figure is as much less of it, times its square.
    let over_weights: Vec<f64> =
        weights.iter().zip(&values).map(|(weight, value)| weight * value.powi(4)).collect();
    let of_over = curves(&over, &over_weights).map(|curve| {
        let all_above = curve.iter().all(|over| *over > 0.0);
        all_above.then(|| curve.iter().map(|over| 1.0 / over).collect::<Vec<f64>>())
    });
    let prices = [PRICE_OF_A_SLOPE, PRICE_OF_A_SLOPE + PRICE_OF_A_BEND];
    let plain = curves(&values, &weights).map(Some);
    let all = plain.into_iter().chain(of_over).zip(prices.into_iter().cycle());
    let fit = |(curve, price): (Option<Vec<f64>>, f64)| {
        let curve = curve.filter(|curve| curve.is_sorted() || curve.iter().rev().is_sorted())?;
        Some(SlopeFit { price, rest: rest(&curve), first: *curve.first()?, last: *curve.last()? })
    };
    all.filter_map(fit).collect()
}

/// The straight line and the parabola of least squares, at each place.
fn curves(values: &[f64], weights: &[f64]) -> [Vec<f64>; 2] {
    let dot = |one: &[f64], other: &[f64]| -> f64 {
        weights.iter().zip(one).zip(other).map(|((weight, a), b)| weight * a * b).sum()
    };
    let mut rest = values.to_vec();
    // Powers of the place, each without what the lower ones have of it (Gram, Schmidt).
    let middle = to_f64(values.len() as u64 - 1) / 2.0;
    let mut bases: Vec<Vec<f64>> = Vec::new();
    let mut add = |power: i32| -> Vec<f64> {
        let mut base: Vec<f64> =
            (0..values.len()).map(|place| (to_f64(place as u64) / middle - 1.0).powi(power)).collect();
        for lower in &bases {
            let share = dot(&base, lower) / dot(lower, lower);
            base.iter_mut().zip(lower).for_each(|(of, lower)| *of -= share * lower);
        }
        let share = dot(&rest, &base) / dot(&base, &base);
        rest.iter_mut().zip(&base).for_each(|(rest, base)| *rest -= share * base);
        bases.push(base);
        values.iter().zip(&rest).map(|(value, rest)| value - rest).collect()
    };
    add(0);
    [add(1), add(2)]
}

fn worth_telling(course: Course, even: Course) -> Course {
    let differ = |one: f64, other: f64| (one - other).abs() > WORTH * one.max(other);
    match course {
        Course::Slope { first, last } if !differ(first, last) => even,
        Course::Areas(areas) => {
            let areas = without_mixed_places(areas);
            if areas.windows(2).any(|pair| differ(pair[0].mean, pair[1].mean)) {
                Course::Areas(areas)
            } else {
                even
            }
        }
        other => other,
    }
}

/// A single place whose figure lies between those of its neighbours holds the border between them.
fn without_mixed_places(areas: Vec<Area>) -> Vec<Area> {
    let is_mixed = |at: usize| {
        let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| areas.get(at)), areas.get(at + 1))
        else {
            return false;
        };
        let here = areas[at];
        let between = (before.mean < here.mean) == (here.mean < after.mean);
        here.first == here.last && between && before.last > before.first && after.last > after.first
    };
    (0..areas.len()).filter(|&at| !is_mixed(at)).map(|at| areas[at]).collect()
}

/// Sums over the first places, from which the least squares of any range follow.
struct Sums {
    /// Weights; weighted figures; their squares.
    upto: Vec<[f64; 3]>,
}

impl Sums {
    fn of(found: &[(f64, f64)]) -> Self {
        let mut sums = [0.0; 3];
        let mut upto = vec![sums];
        for ((value, _), weight) in found.iter().zip(weights(found)) {
            let each = [1.0, *value, value * value];
            sums.iter_mut().zip(each).for_each(|(sum, one)| *sum += weight * one);
            upto.push(sums);
        }
        Self { upto }
    }

    fn range(&self, from: usize, to: usize) -> [f64; 3] {
        std::array::from_fn(|sum| self.upto[to][sum] - self.upto[from][sum])
    }

    fn mean(&self, from: usize, to: usize) -> f64 {
        let [weight, value, _] = self.range(from, to);
        value / weight
    }

    fn even(&self) -> Course {
        let count = self.upto.len() - 1;
        let [weight, ..] = self.range(0, count);
        let mean = self.mean(0, count);
        // Each half is off by half of the difference.
        Course::Even { mean, told: WORTH.max(2.0 * (PRICE_OF_A_BORDER / weight).sqrt() / mean) }
    }

    /// What remains of a range that has one figure.
    fn cost(&self, from: usize, to: usize) -> f64 {
        let [weight, value, squares, ..] = self.range(from, to);
        (squares - value * value / weight).max(0.0)
    }

    /// The best two, three .. areas, each with what remains.
    fn partitions(&self) -> Vec<(f64, Vec<Area>)> {
        let count = self.upto.len() - 1;
        // By number of areas, then by the end of the last: the cost, and where the last begins.
        let mut rows: Vec<Vec<(f64, usize)>> = vec![(0..=count).map(|to| (self.cost_of(0, to), 0)).collect()];
        let mut found = Vec::new();
        for areas in 1..MOST_AREAS.min(count) {
            let before = &rows[areas - 1];
            let best = |to: usize| {
                let each = (areas..to).map(|from| (before[from].0 + self.cost(from, to), from));
                each.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0))
            };
            let row: Vec<(f64, usize)> = (0..=count).map(best).collect();
            rows.push(row);
            found.push((rows[areas][count].0, self.areas(&rows)));
        }
        found
    }

    fn cost_of(&self, from: usize, to: usize) -> f64 {
        if from == to { f64::INFINITY } else { self.cost(from, to) }
    }

    /// The areas of the last row, from the last to the first.
    fn areas(&self, rows: &[Vec<(f64, usize)>]) -> Vec<Area> {
        let mut to = self.upto.len() - 1;
        let mut areas = Vec::new();
        for row in rows.iter().rev() {
            let from = row[to].1;
            areas.push(Area { first: from, last: to - 1, mean: self.mean(from, to) });
            to = from;
        }
        areas.reverse();
        areas
    }
}

#[cfg(test)]
mod tests;
