//! The figures that represent a whole run: the highest rates and the lowest latency.
//!
//! The best of several points that are alike would owe its place to its noise, and be too good, so they share one figure ([`super::plateau`]). The
//! highest rate is that figure and never below a row; where it is reached is known by the point of the plateau with the most outstanding, because in
//! a closed loop no point should be above it. The lowest latency is that of the fewest outstanding, by the same rule. ORION's files name the first of
//! these points instead. Must not choose a point that a flag casts doubt on if there is another.

use super::{IoFindings, PointFindings};
use crate::documents;
use crate::judge::flags::FlagCode;
use crate::load::class::{Class, Figure, LoadClass, PerClass};
use crate::load::matrix::Point;
use crate::stats::estimate::Estimate;
use schemars::JsonSchema;
use serde::Serialize;

/// A point of a plateau whose interval is wider than that of another by this factor does not represent it.
const FAR_LESS_SURE: f64 = 2.0;

/// Figures of a plateau are equal up to rounding, which matters if the mean size of an I/O differs from point to point.
const ROUNDED: f64 = 1e-12;

/// A headline figure of a run, and its point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Extreme {
    /// The figure.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// The load level of each class there.
    #[serde(rename = "levels", serialize_with = "documents::levels")]
    #[schemars(with = "PerClass<u32>")]
    pub point: Point,
}

/// The headline numbers of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extremes {
    /// Highest rate of each class, in its unit.
    rates: PerClass<Extreme>,
    /// Lowest mean latency, reads and writes weighted by their counts, in microseconds.
    latencies_us: PerClass<Extreme>,
}

impl Extremes {
    /// The extremes of the plateaus.
    pub fn of(points: &[PointFindings]) -> Self {
        Self::each(points, |class| {
            let all = contenders(points, class);
            let best = highest(&all).map(|best| Extreme { estimate: best.io.rate(), point: best.point });
            (best, lowest_latency(&all))
        })
    }

    /// The plainly highest and lowest of all points, the first of equal ones. ORION prints these, and scripts that read its
    /// files compare them with those of older runs.
    pub fn plain(points: &[PointFindings]) -> Self {
        Self::each(points, |class| {
            let rate = plainly_best(points, |found| Some(done(found.io(class))?.rate()), f64::gt);
            (rate, plainly_best(points, |found| Some(found.io(class)?.latency_us?.mean), f64::lt))
        })
    }

    fn each(points: &[PointFindings], best: impl Fn(Class) -> (Option<Extreme>, Option<Extreme>)) -> Self {
        let mut found = Self::default();
        let all = points.iter().flat_map(PointFindings::classes);
        let loads: PerClass<&LoadClass> = all.map(|(class, io)| (class, &io.load)).collect();
        for (class, load) in loads {
            let (rate, latency_us) = best(class);
            found.set_rate(class, rate);
            // The latency of what is judged by its bandwidth is no figure of its own.
            if let Some(latency_us) = latency_us.filter(|_| load.figure != Figure::Mbps) {
                found.latencies_us.insert(class, latency_us);
            }
        }
        found
    }

    /// The highest rate of a class, with its point.
    pub fn rate(&self, class: Class) -> Option<Extreme> {
        self.rates.get(&class).copied()
    }

    /// The lowest mean latency of a class, with its point.
    pub fn latency_us(&self, class: Class) -> Option<Extreme> {
        self.latencies_us.get(&class).copied()
    }

    /// Whether a point has one of these figures: all points of a plateau do.
    pub fn rest_on(&self, found: &PointFindings) -> bool {
        let has = |own: Estimate, best: Option<Extreme>| {
            best.is_some_and(|best| is_same(own.value, best.estimate.value))
        };
        found.classes().any(|(class, io)| {
            has(io.rate(), self.rate(class))
                || io.latency_us.is_some_and(|us| has(us.mean, self.latency_us(class)))
        })
    }

    pub(super) fn set_rate(&mut self, class: Class, rate: Option<Extreme>) {
        match rate {
            Some(rate) => self.rates.insert(class, rate),
            None => self.rates.remove(&class),
        };
    }
}

/// Whether two figures are a single one shared by several points.
fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() <= ROUNDED * other.abs()
}

/// A point that may represent a class.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    pub point: Point,
    pub io: &'a IoFindings,
    /// Whether the rate was constant.
    is_steady: bool,
}

impl<'a> Candidate<'a> {
    /// The candidate of a point for a class.
    pub(super) fn of(found: &'a PointFindings, class: Class) -> Option<Self> {
        Some(Self { point: found.point, io: found.io(class)?, is_steady: !changed(found) })
    }
}

/// The points of a class in which something completed, by number outstanding. Points with other classes count only if
/// there are no others, and so do doubtful points, and points whose rate changed while they were measured: their wide
/// intervals would make them as good as the best.
pub fn candidates(points: &[PointFindings], class: Class) -> Vec<Candidate<'_>> {
    of_least_rank(points, class, |found| (in_doubt(found), !found.point.is_alone(class), changed(found)))
}

/// The same, whatever other classes a point has: for a load that mixes all of them.
pub(super) fn candidates_in_mixes(points: &[PointFindings], class: Class) -> Vec<Candidate<'_>> {
    of_least_rank(points, class, |found| (in_doubt(found), changed(found)))
}

/// The points that may have the best figure of a class, by index: whatever other classes they have, and whether or not their rate changed, as
/// none may be above it. Points with invalid numbers count only if all are invalid, and those whose I/Os failed never.
pub(super) fn rows(points: &[PointFindings], class: Class) -> Vec<usize> {
    let has_rate = |at: &usize| done(points[*at].io(class)).is_some() && !has_failed(&points[*at]);
    let all: Vec<usize> = (0..points.len()).filter(has_rate).collect();
    let sound: Vec<usize> = all.iter().copied().filter(|&at| !points[at].invalid()).collect();
    if sound.is_empty() { all } else { sound }
}

/// The same, by number outstanding.
pub(super) fn contenders(points: &[PointFindings], class: Class) -> Vec<Candidate<'_>> {
    in_order(points, class, &rows(points, class))
}

/// Points by number outstanding of a class; of equal ones that with the fewest others last.
fn in_order<'a>(points: &'a [PointFindings], class: Class, rows: &[usize]) -> Vec<Candidate<'a>> {
    let one = |&at: &usize| Candidate::of(&points[at], class);
    let mut all: Vec<Candidate<'_>> = rows.iter().filter_map(one).collect();
    all.sort_by_key(|one| (one.point.of(class), std::cmp::Reverse(one.point.without(class).sum())));
    all
}

/// The points of a class in which something completed and whose rank is the lowest.
fn of_least_rank<R: Ord>(
    points: &[PointFindings],
    class: Class,
    rank: impl Fn(&PointFindings) -> R,
) -> Vec<Candidate<'_>> {
    let all = || (0..points.len()).filter(|&at| done(points[at].io(class)).is_some());
    let least = all().map(|at| rank(&points[at])).min();
    let chosen: Vec<usize> = all().filter(|&at| Some(rank(&points[at])) == least).collect();
    in_order(points, class, &chosen)
}

/// The point with the highest rate of a class, among those without another class. A doubtful one counts only if all are.
pub fn best_alone(points: &[PointFindings], class: Class) -> Option<Point> {
    let alone: Vec<PointFindings> =
        points.iter().filter(|found| found.point.is_alone(class)).cloned().collect();
    highest(&candidates(&alone, class)).map(|best| best.point)
}

/// The candidate with the most outstanding among those with the highest rate, without those whose rate changed, unless there are no others, and
/// without those far less certain than others; of places, which are not loads, the first.
pub fn highest<'a>(candidates: &[Candidate<'a>]) -> Option<Candidate<'a>> {
    let rate = |one: &Candidate<'_>| one.io.rate().value;
    let best = candidates.iter().map(rate).max_by(f64::total_cmp)?;
    let tops = steady(candidates.iter().filter(|one| is_same(rate(one), best)).collect());
    let width = |one: &Candidate<'_>| one.io.iops.half_width().unwrap_or(f64::INFINITY);
    let narrowest = tops.iter().map(|one| width(one)).fold(f64::INFINITY, f64::min);
    let are_places = candidates.iter().any(|one| one.io.load.places.is_some());
    let mut sure = tops.into_iter().filter(|one| width(one) <= FAR_LESS_SURE * narrowest);
    if are_places { sure.next() } else { sure.next_back() }.copied()
}

fn lowest_latency(candidates: &[Candidate<'_>]) -> Option<Extreme> {
    let mean = |one: &Candidate<'_>| Some(one.io.latency_us?.mean);
    let best = candidates.iter().filter_map(mean).map(|mean| mean.value).min_by(f64::total_cmp)?;
    let tops = candidates.iter().filter(|one| mean(one).is_some_and(|mean| is_same(mean.value, best)));
    let found = steady(tops.collect()).into_iter().min_by_key(|one| one.point.sum())?;
    Some(Extreme { estimate: mean(found)?, point: found.point })
}

/// Points with a constant rate; all if there is none.
fn steady<'a, 'b>(all: Vec<&'b Candidate<'a>>) -> Vec<&'b Candidate<'a>> {
    let steady: Vec<_> = all.iter().copied().filter(|one| one.is_steady).collect();
    if steady.is_empty() { all } else { steady }
}

/// The first point whose figure beats all others. Points with invalid numbers count only if there are no others, and those whose I/Os failed
/// never.
fn plainly_best(
    points: &[PointFindings],
    figure: impl Fn(&PointFindings) -> Option<Estimate>,
    beats: impl Fn(&f64, &f64) -> bool,
) -> Option<Extreme> {
    let has = |p: &&PointFindings| figure(p).is_some() && !has_failed(p);
    let some_sound = points.iter().filter(has).any(|p| !p.invalid());
    let with_a_say = points.iter().filter(has).filter(|p| !some_sound || !p.invalid());
    let all = with_a_say.filter_map(|p| figure(p).map(|estimate| Extreme { estimate, point: p.point }));
    all.fold(None, |best: Option<Extreme>, next| match best {
        Some(best) if !beats(&next.estimate.value, &best.estimate.value) => Some(best),
        _ => Some(next),
    })
}

/// Whether a point was cut short or has a flag that makes its numbers invalid.
fn in_doubt(point: &PointFindings) -> bool {
    point.flags.iter().any(|flag| flag.code == FlagCode::CutShort || flag.invalid)
}

/// Whether so many I/Os failed that the others are not a rate of the storage.
fn has_failed(point: &PointFindings) -> bool {
    point.flags.iter().any(|flag| flag.code == FlagCode::Errors && flag.invalid)
}

/// Whether the rate was not constant. ORION's files include such points.
fn changed(point: &PointFindings) -> bool {
    point.flags.iter().any(|flag| matches!(flag.code, FlagCode::LevelShift | FlagCode::Drift))
}

/// A class in which something completed.
pub fn done(io: Option<&IoFindings>) -> Option<&IoFindings> {
    io.filter(|io| io.latency_us.is_some())
}
