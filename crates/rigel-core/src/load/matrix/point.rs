//! A data point: how much of each load class is outstanding.
//!
//! Must not know which points a run has.

use crate::load::class::{Class, MOST_CLASSES, PerClass};
use serde::{Deserialize, Serialize};

/// One data point: the number outstanding of each of its classes (I/Os, streams, sessions).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "PerClass<u32>", into = "PerClass<u32>")]
pub struct Point {
    /// Its classes, in order, then `None`.
    levels: [Option<(Class, u32)>; MOST_CLASSES],
}

impl Point {
    /// A point of ORION's matrix.
    pub fn pair(small: u32, large: u32) -> Self {
        Self::default().with(Class::SMALL, small).with(Class::LARGE, large)
    }

    /// This many of a class, and none of any other.
    pub fn alone(class: Class, level: u32) -> Self {
        Self::default().with(class, level)
    }

    /// The same with this many of a class. Beyond [`MOST_CLASSES`] a class is left out; no run has that many.
    #[must_use]
    pub fn with(self, class: Class, level: u32) -> Self {
        let others = self.classes().filter(|one| one.0 != class);
        let mut all: PerClass<u32> = others.collect();
        if level > 0 {
            all.insert(class, level);
        }
        let mut levels = [None; MOST_CLASSES];
        levels.iter_mut().zip(all).for_each(|(place, one)| *place = Some(one));
        Self { levels }
    }

    /// The load level of a class.
    pub fn of(self, class: Class) -> u32 {
        self.classes().find(|one| one.0 == class).map_or(0, |one| one.1)
    }

    /// Outstanding small I/Os, the column of ORION's matrix.
    pub fn small(self) -> u32 {
        self.of(Class::SMALL)
    }

    /// Outstanding large I/Os or streams, the row of ORION's matrix.
    pub fn large(self) -> u32 {
        self.of(Class::LARGE)
    }

    /// Its classes, each with its level, which is not 0.
    pub fn classes(self) -> impl Iterator<Item = (Class, u32)> {
        self.levels.into_iter().flatten()
    }

    /// Whether the point has only this class.
    pub fn is_alone(self, class: Class) -> bool {
        self.of(class) > 0 && self.classes().count() == 1
    }

    /// Whether it has only classes of ORION's pair.
    pub fn is_of_pair(self) -> bool {
        self.classes().all(|(class, _)| [Class::SMALL, Class::LARGE].contains(&class))
    }

    /// The same without a class.
    #[must_use]
    pub fn without(self, class: Class) -> Self {
        self.with(class, 0)
    }

    /// Whether every class of `least` has at least that level.
    pub fn is_at_least(self, least: Self) -> bool {
        least.classes().all(|(class, level)| self.of(class) >= level)
    }

    /// The sum of its levels.
    pub fn sum(self) -> u64 {
        self.classes().map(|(_, level)| u64::from(level)).sum()
    }

    /// Its levels as ORION writes them, `Small=2 and Large=0`; other classes only if it has them.
    pub fn named(self, between: &str) -> String {
        let named = self.shown().map(|(class, level)| format!("{}={level}", class.label()));
        named.collect::<Vec<_>>().join(between)
    }

    /// Its levels in words: `small 5 large 2`.
    pub fn words(self) -> String {
        self.shown().map(|(class, level)| format!("{class} {level}")).collect::<Vec<_>>().join(" ")
    }

    /// The classes that tables show: ORION's pair if it has either, then its other classes.
    pub fn shown(self) -> impl Iterator<Item = (Class, u32)> {
        let others = self.without(Class::SMALL).without(Class::LARGE);
        let pair = [Class::SMALL, Class::LARGE].map(|class| (class, self.of(class)));
        let has_pair = others.sum() < self.sum() || self.sum() == 0;
        pair.into_iter().filter(move |_| has_pair).chain(others.classes())
    }

    /// The order of points in tables: rows of ORION's matrix, then points with other classes.
    pub fn by_rows(self) -> (Vec<(Class, u32)>, u32, u32) {
        let others = self.without(Class::SMALL).without(Class::LARGE);
        (others.classes().collect(), self.large(), self.small())
    }
}

impl std::fmt::Debug for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.classes()).finish()
    }
}

impl From<Point> for PerClass<u32> {
    fn from(point: Point) -> Self {
        point.classes().collect()
    }
}

impl TryFrom<PerClass<u32>> for Point {
    type Error = String;

    fn try_from(levels: PerClass<u32>) -> Result<Self, String> {
        if levels.len() > MOST_CLASSES {
            return Err(format!("a point of {} classes has more than {MOST_CLASSES}", levels.len()));
        }
        Ok(levels.into_iter().fold(Self::default(), |point, (class, level)| point.with(class, level)))
    }
}
