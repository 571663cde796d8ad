//! A request of two alternating sides: made from the request of one side, and which parts belong to which side.
//!
//! Must not know how the sides are visited or compared.

use super::{EngineRequest, Request};
use crate::error::Problem;
use crate::facts::TargetFacts;
use crate::load::class::{Class, LoadClass, MOST_CLASSES};
use crate::load::matrix::Point;
use crate::load::pace::Pace;
use crate::load::sides::{Side, Sides, no_phases};
use crate::load::task::Task;
use crate::sim::SimLaw;
use std::collections::BTreeMap;

impl Request {
    /// The same load on two alternating sides, at these points.
    ///
    /// # Errors
    /// When it has phases, more classes than two sides can have, or a class whose name leaves no room for its side.
    pub fn in_turns(self, points: &[Point], sides: Sides) -> Result<Self, Problem> {
        self.check_turns()?;
        let pace = self.pace().ok_or_else(no_phases)?;
        let on = |class: &LoadClass, side| {
            Some(LoadClass { name: class.name.on(side)?, side: Some(side), ..class.clone() })
        };
        let both = |class: &LoadClass| Side::BOTH.map(|side| on(class, side));
        Ok(Self {
            classes: self.classes.iter().flat_map(both).flatten().collect(),
            task: Task::named(
                self.level(),
                points.iter().flat_map(|point| Side::BOTH.map(|side| point.on(side))).collect(),
                pace,
            ),
            sides: Some(sides),
            ..self
        })
    }

    /// Refuses a load that two sides cannot alternate with.
    fn check_turns(&self) -> Result<(), Problem> {
        if self.classes.len() > MOST_CLASSES / 2 {
            return Err(Problem::usage(format!(
                "a load of {} classes is too large for two sides",
                self.classes.len()
            ))
            .because(format!("each class runs on both, and a run has at most {MOST_CLASSES}"))
            .next(format!("reduce the load to {} classes", MOST_CLASSES / 2)));
        }
        if let Some(class) = self.classes.iter().find(|class| class.name.on(Side::B).is_none()) {
            return Err(Problem::usage(format!(
                "the name of the load class '{}' is too long for two sides",
                class.name
            ))
            .next("shorten it to 13 letters"));
        }
        match self.classes.iter().find(|class| class.name.sided().is_some()) {
            Some(class) => Err(Problem::usage(format!(
                "the name of the load class '{}' is reserved for one side",
                class.name
            ))
            .because("each side gets the load with _a or _b appended to the class names")
            .next("choose a name with another ending")),
            None => Ok(()),
        }
    }

    /// The side of a point; `None` in a run without sides.
    pub fn side_of(&self, point: Point) -> Option<Side> {
        point.side().filter(|_| self.sides.is_some())
    }

    /// The part of a list with an entry per target that belongs to a side.
    pub fn of_side<'t, T>(&self, side: Side, of_targets: &'t [T]) -> &'t [T] {
        let of_a = self.sides.map_or(of_targets.len(), |sides| usize::from(sides.targets_of_a));
        let (a, b) = of_targets.split_at(of_a.min(of_targets.len()));
        match side {
            Side::A => a,
            Side::B => b,
        }
    }

    /// The part of such a list that a point uses: that of a side, and only the first ones if the levels of all its classes count targets.
    pub fn used_at<'t, T>(&self, point: Point, of_targets: &'t [T]) -> &'t [T] {
        let all = self.side_of(point).map_or(of_targets, |side| self.of_side(side, of_targets));
        let counted = |(class, level)| self.class(class)?.level_kind().targets(level);
        let most = point.classes().map(counted).try_fold(0, |most: u32, one| Some(most.max(one?)));
        let most = most.and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
        most.map_or(all, |most| &all[..most.min(all.len())])
    }

    /// Whether a point goes through the page cache.
    pub fn is_buffered_at(&self, point: Point) -> bool {
        match (self.side_of(point), self.sides) {
            (Some(Side::B), Some(sides)) => sides.buffered,
            _ => self.buffered,
        }
    }

    /// The request of a side alone.
    #[must_use]
    pub fn alone(&self, side: Side) -> Self {
        let Some(sides) = self.sides else { return self.clone() };
        let is_own = |class: Class| class.sided().is_some_and(|(_, of)| of == side);
        let (engine, buffered) = match side {
            Side::A => (self.engine, self.buffered),
            Side::B => (sides.engine, sides.buffered),
        };
        let mut own = Self { engine, buffered, sides: None, ..self.clone() };
        own.classes.retain(|class| is_own(class.name));
        if let Task::Load { points, .. } = &mut own.task {
            points.retain(|&point| self.side_of(point) == Some(side));
        }
        own
    }

    /// What must be possible for the run: the whole request, or that of each side with its targets.
    pub fn parts<'t, T>(&self, of_targets: &'t [T]) -> Vec<(Self, &'t [T])> {
        match self.sides {
            None => vec![(self.clone(), of_targets)],
            Some(_) => Side::BOTH.map(|side| (self.alone(side), self.of_side(side, of_targets))).into(),
        }
    }

    /// The targets of a run that touches no storage: those of its law, or one for each side.
    pub fn simulated_targets(&self) -> Vec<TargetFacts> {
        let engines = std::iter::once(self.engine).chain(self.sides.map(|sides| sides.engine));
        let law = |engine| if let EngineRequest::Sim(law) = engine { law } else { SimLaw::default() };
        if let (EngineRequest::Sim(law), None) = (self.engine, self.sides)
            && law.targets.count > 1
        {
            let named = |number: u32| {
                let path = format!("simulated-{number}");
                TargetFacts { real_path: path.clone(), path, ..TargetFacts::simulated(law.size_bytes) }
            };
            return (1..=law.targets.count).map(named).collect();
        }
        engines.map(|engine| TargetFacts::simulated(law(engine).size_bytes)).collect()
    }

    /// Pairs of points, by index in `points`, with the same load on both sides.
    pub fn pairs(&self, points: &[Point]) -> Vec<[usize; 2]> {
        let places: BTreeMap<Point, usize> = points.iter().copied().zip(0..).collect();
        let twin = |(place, &point): (usize, &Point)| {
            let is_of_a = self.side_of(point)? == Side::A;
            Some([place, *places.get(&point.on(Side::B)).filter(|_| is_of_a)?])
        };
        points.iter().enumerate().filter_map(twin).collect()
    }

    /// Refuses sides that no run could have.
    pub(super) fn check_sides(&self) -> Result<(), Problem> {
        let Some(sides) = self.sides else { return Ok(()) };
        let whole = |point: &Point| {
            let mut of = point.classes().map(|(class, _)| class.sided().map(|(_, side)| side));
            let first = of.next().flatten();
            first.is_some() && of.all(|side| side == first)
        };
        let of_a_side =
            |class: &LoadClass| class.side.is_some() && class.side == class.name.sided().map(|one| one.1);
        // Those of a load file come with it.
        let Task::Load { points, pace, .. } = &self.task else {
            return Err(Problem::usage("two sides need points of the same loads")
                .next("start the comparison with `rigel versus`"));
        };
        let wrong = if matches!(pace, Pace::Fixed(_)) {
            Some("two sides alternate, and a fixed time per data point leaves no rounds for that")
        } else if self.pairs(points).len() * 2 != points.len() {
            Some("two sides need points of the same loads")
        } else if !points.iter().all(whole) {
            Some("a point belongs to both sides at once")
        } else if !self.classes.iter().all(of_a_side) {
            Some("a load class belongs to neither side")
        } else if sides.targets_of_a == 0 {
            Some("side A has no target")
        } else {
            None
        };
        match wrong {
            Some(what) => Err(Problem::usage(what).next("start the comparison with `rigel versus`")),
            None => self.alone(Side::B).check_way(),
        }
    }
}

#[cfg(test)]
mod tests;
