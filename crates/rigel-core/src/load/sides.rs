//! Two sides that take turns in one run: which load classes, targets and way of I/O belong to which.
//!
//! A class carries its side in its name, `small_a` and `small_b`, so that points, visits and figures of both are told apart
//! by what tells classes apart anyway. Must not know how the sides are visited or compared.

use crate::error::Problem;
use crate::facts::TargetFacts;
use crate::load::class::{Class, LoadClass, MOST_CLASSES};
use crate::load::matrix::Point;
use crate::load::pace::{LevelChoice, Pace};
use crate::load::request::{EngineRequest, Request};
use crate::sim::SimLaw;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One of two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// What the other one is compared with.
    A,
    /// The other one.
    B,
}

/// What side B has of its own. The rest of the request holds for both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sides {
    /// So many of the targets, the first ones, are those of A.
    pub targets_of_a: u16,
    /// Its engine.
    pub engine: EngineRequest,
    /// Whether it goes through the page cache.
    pub buffered: bool,
}

impl Side {
    /// Both, A first.
    pub const BOTH: [Self; 2] = [Self::A, Self::B];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
        }
    }

    /// What the names of its classes end in.
    const fn ending(self) -> &'static str {
        match self {
            Self::A => "_a",
            Self::B => "_b",
        }
    }
}

/// Phases come one after the other, each once.
pub fn no_phases() -> Problem {
    Problem::usage("a load with phases does not go with two sides")
        .because("a phase is measured once, and two sides take turns for many rounds")
        .next("leave out the phases; points in their place are measured in turns")
}

impl Class {
    /// The class of a side; `None` when the name would be too long.
    pub fn on(self, side: Side) -> Option<Self> {
        Self::named(&format!("{self}{}", side.ending()))
    }

    /// The side that a class of sides is of, and its name without it.
    pub fn sided(self) -> Option<(Self, Side)> {
        let of = |side: Side| Some((Self::named(self.name().strip_suffix(side.ending())?)?, side));
        Side::BOTH.into_iter().find_map(of)
    }
}

impl Point {
    /// The same load on a side. `self` is a point without sides, or of the other side.
    #[must_use]
    pub fn on(self, side: Side) -> Self {
        let sided = |class: Class| class.sided().map_or(class, |(plain, _)| plain).on(side);
        self.classes()
            .filter_map(|(class, level)| Some((sided(class)?, level)))
            .fold(Self::default(), |point, (class, level)| point.with(class, level))
    }

    /// Whose load it is, by its first class; `None` without sides.
    pub fn side(self) -> Option<Side> {
        self.classes().next()?.0.sided().map(|(_, side)| side)
    }

    /// Whose load it is in a run of these classes, with the levels by their plain names; `None` where no two sides take turns.
    fn sided(self, classes: &[LoadClass]) -> Option<(Side, Vec<(LoadClass, u32)>)> {
        let level = |class: &LoadClass| Some(self.of(class.name)).filter(|&level| level > 0);
        let own: Vec<_> = classes.iter().filter_map(|class| Some((class, level(class)?))).collect();
        let side = own.first()?.0.side?;
        Some((side, own.into_iter().map(|(class, level)| (class.plain(), level)).collect()))
    }

    /// The same with the load in words: `4 outstanding small I/Os`.
    pub fn side_in_words(self, classes: &[LoadClass]) -> Option<(Side, String)> {
        let (side, own) = self.sided(classes)?;
        let words: Vec<_> = own.iter().map(|(class, level)| class.level_words(*level)).collect();
        Some((side, words.join(" and ")))
    }

    /// As [`Self::named`], and `A: Small=4` where two sides take turns.
    pub fn named_of(self, classes: &[LoadClass], between: &str) -> String {
        let Some((side, own)) = self.sided(classes) else { return self.named(between) };
        let named: Vec<_> =
            own.iter().map(|(class, level)| format!("{}={level}", class.name.label())).collect();
        format!("{}: {}", side.name(), named.join(between))
    }

    /// As [`Self::words`], and `A: small 4` where two sides take turns.
    pub fn words_of(self, classes: &[LoadClass]) -> String {
        let Some((side, own)) = self.sided(classes) else { return self.words() };
        let words: Vec<_> = own.iter().map(|(class, level)| format!("{} {level}", class.name)).collect();
        format!("{}: {}", side.name(), words.join(" "))
    }

    /// The same load without its side.
    #[must_use]
    pub fn plain(self) -> Self {
        let plain = |class: Class| class.sided().map_or(class, |(plain, _)| plain);
        self.classes().fold(Self::default(), |point, (class, level)| point.with(plain(class), level))
    }
}

impl Request {
    /// The same load on two sides in turns, at these points.
    ///
    /// # Errors
    /// When it has phases, more classes than two sides can have, or a class whose name leaves no room for its side.
    pub fn in_turns(self, points: &[Point], sides: Sides) -> Result<Self, Problem> {
        self.check_turns()?;
        let on = |class: &LoadClass, side| {
            Some(LoadClass { name: class.name.on(side)?, side: Some(side), ..class.clone() })
        };
        let both = |class: &LoadClass| Side::BOTH.map(|side| on(class, side));
        Ok(Self {
            classes: self.classes.iter().flat_map(both).flatten().collect(),
            points: points.iter().flat_map(|point| Side::BOTH.map(|side| point.on(side))).collect(),
            levels: LevelChoice::Own,
            sides: Some(sides),
            ..self
        })
    }

    /// Refuses a load that two sides cannot take turns with.
    fn check_turns(&self) -> Result<(), Problem> {
        if !self.phases.is_empty() {
            return Err(no_phases());
        }
        if self.classes.len() > MOST_CLASSES / 2 {
            return Err(Problem::usage(format!(
                "a load of {} classes is too much for two sides",
                self.classes.len()
            ))
            .because(format!("each class is there on both, and a run has at most {MOST_CLASSES}"))
            .next(format!("leave out classes, until there are {}", MOST_CLASSES / 2)));
        }
        if let Some(class) = self.classes.iter().find(|class| class.name.on(Side::B).is_none()) {
            return Err(Problem::usage(format!(
                "the name of the load class '{}' is too long to be measured on two sides",
                class.name
            ))
            .next("give it a name of at most 13 letters"));
        }
        match self.classes.iter().find(|class| class.name.sided().is_some()) {
            Some(class) => {
                Err(Problem::usage(format!("the load class '{}' is named like one of a side", class.name))
                    .because("two sides get the load each, with _a and _b behind the names of its classes")
                    .next("give it a name that ends otherwise"))
            }
            None => Ok(()),
        }
    }

    /// The side of a point; `None` in a run that has no sides.
    pub fn side_of(&self, point: Point) -> Option<Side> {
        point.side().filter(|_| self.sides.is_some())
    }

    /// The part of a list with an entry for each target that a side uses.
    pub fn of_side<'t, T>(&self, side: Side, of_targets: &'t [T]) -> &'t [T] {
        let of_a = self.sides.map_or(of_targets.len(), |sides| usize::from(sides.targets_of_a));
        let (a, b) = of_targets.split_at(of_a.min(of_targets.len()));
        match side {
            Side::A => a,
            Side::B => b,
        }
    }

    /// The part of such a list that a point uses.
    pub fn used_at<'t, T>(&self, point: Point, of_targets: &'t [T]) -> &'t [T] {
        self.side_of(point).map_or(of_targets, |side| self.of_side(side, of_targets))
    }

    /// Whether a point goes through the page cache.
    pub fn is_buffered_at(&self, point: Point) -> bool {
        match (self.side_of(point), self.sides) {
            (Some(Side::B), Some(sides)) => sides.buffered,
            _ => self.buffered,
        }
    }

    /// What a side alone would ask for.
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
        own.points.retain(|&point| self.side_of(point) == Some(side));
        own
    }

    /// What has to be possible for the run to be: all that was asked for, or that of each side, with its targets.
    pub fn parts<'t, T>(&self, of_targets: &'t [T]) -> Vec<(Self, &'t [T])> {
        match self.sides {
            None => vec![(self.clone(), of_targets)],
            Some(_) => Side::BOTH.map(|side| (self.alone(side), self.of_side(side, of_targets))).into(),
        }
    }

    /// The targets of a run that touches no storage: one, or one of each side.
    pub fn simulated_targets(&self) -> Vec<TargetFacts> {
        let engines = std::iter::once(self.engine).chain(self.sides.map(|sides| sides.engine));
        let law = |engine| if let EngineRequest::Sim(law) = engine { law } else { SimLaw::default() };
        engines.map(|engine| TargetFacts::simulated(law(engine).size_bytes)).collect()
    }

    /// Pairs of points, by their place in `points`, that are the same load on both sides.
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
        let wrong = if matches!(self.pace, Pace::Fixed(_)) {
            Some("two sides take turns, and a fixed time per data point leaves no rounds for that")
        } else if self.levels != LevelChoice::Own || self.pairs(&self.points).len() * 2 != self.points.len() {
            Some("two sides need points of the same loads")
        } else if !self.points.iter().all(whole) {
            Some("a point is of both sides at once")
        } else if !self.classes.iter().all(of_a_side) {
            Some("a load class is of no side")
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
