//! Which data points a run measures, and in which order.
//!
//! A point says how many I/Os of each load class are outstanding; ORION's are pairs of small and large. ORION counts the idle point (0,0) in its
//! total and never runs it; so does Rigel. Must not know time or targets.

mod point;
mod sided;

pub use point::Point;

use crate::load::class::{Class, LoadClass, PerClass};
use crate::load::levels;
use crate::load::pace::LevelChoice;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Run levels: ORION's (`-run`), and those whose load classes define their own points.
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
    /// The load of a file.
    Load,
    /// Small I/Os that arrive at given rates.
    Open,
    /// Writers that append to a log, each write durable.
    Commit,
    /// Streams and random I/O at many places of the targets.
    Zones,
    /// Sequential streams, as many `dd` have.
    Streams,
    /// The same load on each of a growing number of targets.
    Scaling,
    /// A constant rate while something fails.
    Through,
    /// As much as possible until the rate falls, and again after a pause.
    Burst,
    /// Random reads of a growing part of a target.
    WorkingSet,
    /// Queries to a database.
    Sql,
}

impl RunLevel {
    /// ORION's own, in its order.
    pub const ORION: [Self; 5] = [Self::Simple, Self::Normal, Self::Oltp, Self::Dss, Self::Advanced];

    /// Whether its load classes define their points; ORION's levels come from the number of disks.
    pub const fn is_own(self) -> bool {
        matches!(
            self,
            Self::Load
                | Self::Open
                | Self::Commit
                | Self::Zones
                | Self::Streams
                | Self::Scaling
                | Self::Through
                | Self::Burst
                | Self::WorkingSet
                | Self::Sql
        )
    }
}

crate::named!(RunLevel {
    Simple: "simple",
    Normal: "normal",
    Oltp: "oltp",
    Dss: "dss",
    Advanced: "advanced",
    Load: "load",
    Open: "open",
    Commit: "commit",
    Zones: "zones",
    Streams: "streams",
    Scaling: "scaling",
    Through: "through",
    Burst: "burst",
    WorkingSet: "working-set",
    Sql: "sql"
});

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

    /// Its counts: small, large.
    pub const fn counts(self) -> (Option<u32>, Option<u32>) {
        match self {
            Self::Basic | Self::Detailed => (None, None),
            Self::Point { small, large } | Self::Max { small, large } => (Some(small), Some(large)),
            Self::Col { small } => (Some(small), None),
            Self::Row { large } => (None, Some(large)),
        }
    }
}

/// The points of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// The axis of each class: its levels in the matrix, ascending; with 0 if other classes run without it somewhere.
    pub levels: PerClass<Vec<u32>>,
    /// The levels that ORION's summary prints: `simple` and `basic` print only 0 of small I/O although more are measured.
    pub printed: PerClass<Vec<u32>>,
    /// The points that are run, in order. None is idle.
    pub points: Vec<Point>,
    /// ORION's "Total Data Points", (0,0) included where ORION includes it.
    pub total_points: u64,
}

/// Most points of one run; a larger number is certainly a mistake.
pub const MAX_POINTS: usize = 100_000;

impl Grid {
    /// The matrix of `level` for `num_disks` disks; `shape` is used by [`RunLevel::Advanced`] only.
    pub fn new(level: RunLevel, shape: MatrixShape, num_disks: u32) -> Self {
        let small = levels::small(num_disks);
        let large = levels::large(num_disks);
        match level {
            RunLevel::Simple => Self::basic(&small, &large),
            RunLevel::Normal => Self::detailed(&small, &large),
            RunLevel::Oltp => Self::row(&levels::oltp_small(num_disks), 0),
            RunLevel::Dss => Self::col(0, &levels::dss_large(num_disks)),
            // The others name their points.
            RunLevel::Advanced
            | RunLevel::Load
            | RunLevel::Open
            | RunLevel::Commit
            | RunLevel::Zones
            | RunLevel::Streams
            | RunLevel::Scaling
            | RunLevel::Through
            | RunLevel::Burst
            | RunLevel::WorkingSet
            | RunLevel::Sql => match shape {
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

    /// The matrix of `level` with other levels, ascending, without 0: both axes for `simple`, every pair for the others.
    pub fn around(level: RunLevel, small: &[u32], large: &[u32]) -> Self {
        match level {
            RunLevel::Simple => Self::basic(small, large),
            RunLevel::Oltp => Self::row(small, 0),
            RunLevel::Dss => Self::col(0, large),
            _ => Self::detailed(small, large),
        }
    }

    /// These points, or if there are none each class alone at its own levels.
    pub fn of_own(classes: &[LoadClass], points: &[Point]) -> Self {
        if !points.is_empty() {
            return Self::from_points(points.to_vec(), points.len());
        }

        let levels = |class: &LoadClass| distinct(class.levels.iter().copied());
        let points: Vec<Point> = classes
            .iter()
            .flat_map(|class| levels(class).into_iter().map(|level| Point::alone(class.name, level)))
            .collect();
        let total = points.len();
        Self::from_points(points, total)
    }

    /// The same with more points at its end; what is printed of ORION's pair stays.
    #[must_use]
    pub(crate) fn and(self, more: &[Point]) -> Self {
        let points: Vec<Point> = self.points.iter().chain(more).copied().collect();
        let all = Self::from_points(points, 0);
        let printed = all.printed.into_iter().chain(self.printed).collect();
        Self { printed, total_points: self.total_points + more.len() as u64, ..all }
    }

    /// The same with the chosen levels, as far as nothing has to be searched.
    pub fn with_choice(self, choice: LevelChoice) -> Self {
        if choice == LevelChoice::Ends { self.ends() } else { self }
    }

    /// For each class the lowest level above 0 and the highest alone, whatever runs with it.
    fn ends(self) -> Self {
        let is_end = |(class, level): (Class, u32)| {
            let own = self.levels.get(&class).into_iter().flatten().copied().filter(|level| *level > 0);
            let (least, most) = (own.clone().min(), own.max());
            Some(level) == least || Some(level) == most
        };
        let is_kept = |point: &&Point| point.classes().all(is_end);
        let points: Vec<Point> = self.points.iter().filter(is_kept).copied().collect();
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
