//! The figures of a run, by quantity: everything that shows or compares figures gets them here.
//!
//! Must not compute one.

use super::commits::alone;
use super::extremes::contenders;
use super::{Findings, PointFindings, SloAnswer};
use crate::judge::answers::{ANSWERS, MAX_IOPS};
use crate::judge::quantity::{Figure, Quantity, Scope, What};
use crate::load::class::{Class, LoadClass, PerClass};
use crate::load::matrix::Point;
use crate::stats::sample::count;
use crate::stats::{Basis, Estimate, Interval};

impl Findings {
    /// The run's value of a quantity; `None` for a quantity of points.
    pub fn figure(&self, quantity: Quantity) -> Option<Figure> {
        let class = quantity.class;
        match (quantity.of, quantity.what) {
            // A ratio has who knows both sides.
            (Scope::Point | Scope::Ratio, _) => None,
            (Scope::WithinBound, what) if self.slo.is_some() => {
                let is_of_run = what == What::Rate && self.open_class() == Some(class);
                let estimate = self.rate_within_bounds().filter(|_| is_of_run)?;
                Some(Figure { quantity, estimate, point: None })
            }
            (Scope::WithinBound, _) => self.figure_at(quantity, self.answers.as_ref()?.best_within()?.point),
            (Scope::Alone, _) => self.figure_at(quantity, self.point_of_one(class)?),
            (Scope::Best, what) => {
                let rate = || self.best.rate(class);
                let best = if what.is_rate() { rate() } else { self.best.latency_us(class) }?;
                let is_known = what.is_rate() || what == What::Mean;
                is_known.then_some(Figure { quantity, estimate: best.estimate, point: Some(best.point) })
            }
        }
    }

    /// Every figure by which runs are compared, in the order of outputs: those of the run, then each quantity of its points by level.
    pub fn all_figures(&self) -> Vec<Figure> {
        // Two bursts are compared by what they found, not by the mean of a rate that falls; so are working sets, whose sizes are those of the target.
        if self.burst.is_some() || self.working_set.is_some() {
            return Vec::new();
        }
        let loads = self.loads();
        let answered = |class: Class| self.answers.is_some() || class.is_of_commits();
        let answers = ANSWERS.iter().map(|answer| answer.quantity);
        let answers = answers.filter(|one| one.is_compared() && answered(one.class));
        // A search for a rate visits rates that it chose: the highest of them is none that the storage has.
        let is_searched = |load: &LoadClass| self.slo.is_some() && load.is_open();
        let best = loads.iter().filter(|(_, load)| !is_searched(load)).flat_map(|(&class, load)| {
            // That of one alone is the lowest.
            let has_one = Quantity::new(Scope::Alone, What::Mean, class);
            let lowest = Quantity { of: Scope::Best, ..has_one };
            let lowest = (!ANSWERS.iter().any(|answer| answer.quantity == has_one)).then_some(lowest);
            [Some(Quantity::rate(Scope::Best, load, class)), lowest].into_iter().flatten()
        });
        let within = self.slo.as_ref().and_then(|_| self.open_class());
        let within = within.map(|class| Quantity::new(Scope::WithinBound, What::Rate, class));
        let mut all: Vec<Quantity> = answers.chain(best).chain(within).collect();
        all.extend(loads.iter().flat_map(|(&class, load)| Quantity::of_class(load, class)));
        all.sort_by_key(|quantity| quantity.order());
        all.dedup();
        all.into_iter().flat_map(|quantity| self.each(quantity)).collect()
    }

    /// The single figure of a quantity of the run, or one for each point that has the class.
    fn each(&self, quantity: Quantity) -> Vec<Figure> {
        if quantity.is_of_a_run() {
            // A calibration in which nothing keeps the bound has no such rate, which nobody must pass over.
            let none = (quantity == MAX_IOPS && self.answers.is_some()).then_some(Figure {
                quantity,
                estimate: Estimate::bare(0.0),
                point: None,
            });
            return self.figure(quantity).or(none).into_iter().collect();
        }
        let mut points: Vec<&PointFindings> = self.points.iter().collect();
        points.sort_by_key(|found| found.point.by_rows());
        points.iter().filter_map(|found| self.figure_at(quantity, found.point)).collect()
    }

    /// The class whose arrivals a search for a rate scales; the first of several.
    fn open_class(&self) -> Option<Class> {
        self.loads().into_iter().find(|(_, load)| load.is_open()).map(|(class, _)| class)
    }

    /// The rate that a search found, with its bracket; 0 if the limits are met at no rate that was tried.
    fn rate_within_bounds(&self) -> Option<Estimate> {
        let rate = match self.slo.as_ref()?.answer {
            SloAnswer::Rate(rate) => rate,
            SloAnswer::Nowhere(..) => return Some(Estimate::bare(0.0)),
            SloAnswer::Everywhere(..) | SloAnswer::Unfinished | SloAnswer::NotSearched => return None,
        };
        let at = rate.at.filter(|at| *at > 0.0)?;
        let visits: usize = self.points.iter().map(|point| point.visits).sum();
        let (Some(lo95), Some(hi95)) = (rate.lower.filter(|lower| *lower > 0.0), rate.upper) else {
            return Some(Estimate::bare(at));
        };
        let relative_half_width = (hi95 / at).max(at / lo95) - 1.0;
        let df = count(visits.saturating_sub(1).max(1));
        Some(Estimate::of(Interval { mean: at, lo95, hi95, relative_half_width, visits, df }, Basis::Levels))
    }

    /// The load classes that some point has.
    fn loads(&self) -> PerClass<&LoadClass> {
        self.points.iter().flat_map(PointFindings::classes).map(|(class, io)| (class, &io.load)).collect()
    }

    fn figure_at(&self, quantity: Quantity, point: Point) -> Option<Figure> {
        let what = quantity.what.resolved(self.answers.as_ref().map(|answers| answers.bound.of))?;
        let io = self.points.iter().find(|found| found.point == point)?.io(quantity.class)?;
        let estimate = Quantity { what, ..quantity }.of_io(io);
        Some(Figure { quantity, estimate, point: Some(point) })
    }

    /// The point with one I/O of a class alone. One doubtful stream does not count, because it might be above the highest rate, which leaves it
    /// out; for a commit no other point could give the latency.
    fn point_of_one(&self, class: Class) -> Option<Point> {
        let point = Point::alone(class, 1);
        let has_a_say = || contenders(&self.points, class).iter().any(|one| one.point == point);
        alone(&self.points, class).filter(|_| class.is_of_commits() || has_a_say()).map(|_| point)
    }
}
