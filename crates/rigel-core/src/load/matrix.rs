//! Which data points a run measures, and in which order.
//!
//! A point says how many of each load class are outstanding; ORION's are pairs of small and large. ORION counts the idle point (0,0) in its total and never
//! runs it; so does Rigel. Must not know time or targets.

use crate::load::class::{Class, LoadClass, MOST_CLASSES, PerClass};
use crate::load::levels;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// ORION's run levels (`-run`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunLevel {
    /// Small alone, then large alone.
    Simple,
    /// The whole matrix.
    Normal,
    /// Small random only, up to 20 outstanding per disk.
    Oltp,
    /// Large random only, up to 15 outstanding per disk.
    Dss,
    /// Everything as given.
    Advanced,
}

impl RunLevel {
    /// All, in ORION's order.
    pub const ALL: [Self; 5] = [Self::Simple, Self::Normal, Self::Oltp, Self::Dss, Self::Advanced];

    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Normal => "normal",
            Self::Oltp => "oltp",
            Self::Dss => "dss",
            Self::Advanced => "advanced",
        }
    }
}

/// The shape of the matrix with the counts that it needs (`-matrix`, `-num_small`, `-num_large`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatrixShape {
    /// Row 0 and column 0.
    Basic,
    /// Every pair.
    Detailed,
    /// One pair.
    Point {
        /// Outstanding small I/Os.
        small: u32,
        /// Outstanding large I/Os or streams.
        large: u32,
    },
    /// Small fixed, large varies.
    Col {
        /// Outstanding small I/Os.
        small: u32,
    },
    /// Large fixed, small varies.
    Row {
        /// Outstanding large I/Os or streams.
        large: u32,
    },
    /// Every pair of the levels up to both counts.
    Max {
        /// Largest number of outstanding small I/Os.
        small: u32,
        /// Largest number of outstanding large I/Os or streams.
        large: u32,
    },
}

impl MatrixShape {
    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Detailed => "detailed",
            Self::Point { .. } => "point",
            Self::Col { .. } => "col",
            Self::Row { .. } => "row",
            Self::Max { .. } => "max",
        }
    }

    /// The counts given with it: small, large.
    #[must_use]
    pub const fn counts(self) -> (Option<u32>, Option<u32>) {
        match self {
            Self::Basic | Self::Detailed => (None, None),
            Self::Point { small, large } | Self::Max { small, large } => (Some(small), Some(large)),
            Self::Col { small } => (Some(small), None),
            Self::Row { large } => (None, Some(large)),
        }
    }
}

/// One data point: for each class that it has, how many of what the class counts are outstanding (I/Os, streams, sessions).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "PerClass<u32>", into = "PerClass<u32>")]
pub struct Point {
    /// The classes that it has, in their order, then nothing.
    levels: [Option<(Class, u32)>; MOST_CLASSES],
}

impl Point {
    /// A point of ORION's matrix.
    #[must_use]
    pub fn pair(small: u32, large: u32) -> Self {
        Self::default().with(Class::SMALL, small).with(Class::LARGE, large)
    }

    /// So many of a class, and none of any other.
    #[must_use]
    pub fn alone(class: Class, level: u32) -> Self {
        Self::default().with(class, level)
    }

    /// The same with so many of a class. A class more than [`MOST_CLASSES`] is left out; no run has that many.
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
    #[must_use]
    pub fn of(self, class: Class) -> u32 {
        self.classes().find(|one| one.0 == class).map_or(0, |one| one.1)
    }

    /// Outstanding small I/Os, the column of ORION's matrix.
    #[must_use]
    pub fn small(self) -> u32 {
        self.of(Class::SMALL)
    }

    /// Outstanding large I/Os or streams, the row of ORION's matrix.
    #[must_use]
    pub fn large(self) -> u32 {
        self.of(Class::LARGE)
    }

    /// The classes that it has, each with its level, which is not 0.
    pub fn classes(self) -> impl Iterator<Item = (Class, u32)> {
        self.levels.into_iter().flatten()
    }

    /// Whether a class has the point for itself.
    #[must_use]
    pub fn is_alone(self, class: Class) -> bool {
        self.of(class) > 0 && self.classes().count() == 1
    }

    /// The same without a class.
    #[must_use]
    pub fn without(self, class: Class) -> Self {
        self.with(class, 0)
    }

    /// Whether every class of `least` has as much as there.
    #[must_use]
    pub fn is_at_least(self, least: Self) -> bool {
        least.classes().all(|(class, level)| self.of(class) >= level)
    }

    /// All its levels together.
    #[must_use]
    pub fn sum(self) -> u64 {
        self.classes().map(|(_, level)| u64::from(level)).sum()
    }

    /// Its levels as ORION writes them, `Small=2 and Large=0`; other classes only where it has them.
    #[must_use]
    pub fn named(self, between: &str) -> String {
        let named = self.shown().map(|(class, level)| format!("{}={level}", class.label()));
        named.collect::<Vec<_>>().join(between)
    }

    /// The classes that tables show of it: ORION's pair where it has one of them, then the others that it has.
    pub fn shown(self) -> impl Iterator<Item = (Class, u32)> {
        let others = self.without(Class::SMALL).without(Class::LARGE);
        let pair = [Class::SMALL, Class::LARGE].map(|class| (class, self.of(class)));
        let has_pair = others.sum() < self.sum() || self.sum() == 0;
        pair.into_iter().filter(move |_| has_pair).chain(others.classes())
    }

    /// Which point comes first in tables: rows of ORION's matrix, then what has other classes.
    #[must_use]
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

/// The matrix of a run, worked out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// The axis of each class: every level of it in the matrix, ascending; 0 is there when others run without it somewhere.
    pub levels: PerClass<Vec<u32>>,
    /// The levels that ORION's summary prints: `simple` and `basic` print only 0 of small I/O although more are measured.
    pub printed: PerClass<Vec<u32>>,
    /// The points that are run, in order. None is idle.
    pub points: Vec<Point>,
    /// ORION's "Total Data Points", (0,0) included where ORION includes it.
    pub total_points: u64,
}

/// Upper bound of the points of one run; beyond it the command line is surely a mistake.
pub const MAX_POINTS: usize = 100_000;

impl Grid {
    /// The matrix of `level` for `num_disks` disks; `shape` is used by [`RunLevel::Advanced`] only.
    #[must_use]
    pub fn new(level: RunLevel, shape: MatrixShape, num_disks: u32) -> Self {
        let small = levels::small(num_disks);
        let large = levels::large(num_disks);
        match level {
            RunLevel::Simple => Self::basic(&small, &large),
            RunLevel::Normal => Self::detailed(&small, &large),
            RunLevel::Oltp => Self::row(&levels::oltp_small(num_disks), 0),
            RunLevel::Dss => Self::col(0, &levels::dss_large(num_disks)),
            RunLevel::Advanced => match shape {
                MatrixShape::Basic => Self::basic(&small, &large),
                MatrixShape::Detailed => Self::detailed(&small, &large),
                MatrixShape::Point { small, large } => Self::point(small, large),
                MatrixShape::Col { small } => Self::col(small, &large),
                MatrixShape::Row { large } => Self::row(&small, large),
                MatrixShape::Max { small, large } => {
                    Self::detailed(&levels::up_to(small), &levels::up_to(large))
                }
            },
        }
    }

    /// The matrix of `level` with levels of one's own, ascending, without 0: both axes for `simple`, every pair for
    /// the others.
    #[must_use]
    pub fn around(level: RunLevel, small: &[u32], large: &[u32]) -> Self {
        match level {
            RunLevel::Simple => Self::basic(small, large),
            RunLevel::Oltp => Self::row(small, 0),
            RunLevel::Dss => Self::col(0, large),
            RunLevel::Normal | RunLevel::Advanced => Self::detailed(small, large),
        }
    }

    /// Each class alone at the levels that it names.
    #[must_use]
    pub fn of_classes(classes: &[LoadClass]) -> Self {
        let levels = |class: &LoadClass| distinct(class.levels.iter().copied());
        let points: Vec<Point> = classes
            .iter()
            .flat_map(|class| levels(class).into_iter().map(|level| Point::alone(class.name, level)))
            .collect();
        let total = points.len();
        Self::from_points(points, total)
    }

    fn basic(small: &[u32], large: &[u32]) -> Self {
        let row = small.iter().map(|&small| Point::pair(small, 0));
        let column = large.iter().map(|&large| Point::pair(0, large));
        let total = 1 + small.len() + large.len();
        let mut grid = Self::from_points(row.chain(column).collect(), total);
        grid.printed.insert(Class::SMALL, vec![0]);
        grid
    }

    fn detailed(small: &[u32], large: &[u32]) -> Self {
        let columns = with_zero(small);
        let rows = with_zero(large);
        let points = rows
            .iter()
            .flat_map(|&large| columns.iter().map(move |&small| Point::pair(small, large)))
            .collect();
        Self::from_points(points, columns.len() * rows.len())
    }

    fn row(small: &[u32], large: u32) -> Self {
        let points = with_zero(small).into_iter().map(|small| Point::pair(small, large)).collect();
        Self::from_points(points, small.len() + 1)
    }

    fn col(small: u32, large: &[u32]) -> Self {
        let points = with_zero(large).into_iter().map(|large| Point::pair(small, large)).collect();
        Self::from_points(points, large.len() + 1)
    }

    fn point(small: u32, large: u32) -> Self {
        Self::from_points(vec![Point::pair(small, large)], 1)
    }

    /// Drops the idle point and collects the levels that remain.
    fn from_points(points: Vec<Point>, total: usize) -> Self {
        let points: Vec<Point> = points.into_iter().filter(|point| point.sum() > 0).collect();
        let classes: BTreeSet<Class> =
            points.iter().flat_map(|point| point.classes()).map(|one| one.0).collect();
        let axis = |class: Class| (class, distinct(points.iter().map(|point| point.of(class))));
        let levels: PerClass<Vec<u32>> = classes.into_iter().map(axis).collect();
        // ORION's summary has a column and a row also for what never runs.
        let pair = [Class::SMALL, Class::LARGE].map(axis);
        let printed = pair.into_iter().chain(levels.clone()).collect();
        Self { levels, printed, points, total_points: total as u64 }
    }

    /// The largest level of each class.
    #[must_use]
    pub fn most(&self) -> Point {
        let most = |(class, levels): (&Class, &Vec<u32>)| (*class, levels.last().copied().unwrap_or(0));
        self.levels.iter().map(most).fold(Point::default(), |point, (class, level)| point.with(class, level))
    }
}

fn with_zero(levels: &[u32]) -> Vec<u32> {
    std::iter::once(0).chain(levels.iter().copied()).collect()
}

fn distinct(levels: impl Iterator<Item = u32>) -> Vec<u32> {
    levels.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;
