//! Load classes: what a run puts on something, each with a name of its own.
//!
//! ORION's small and large I/O are two of them. A class says what is asked for; each bench refuses what it cannot do. Must
//! not know targets, points or time.

mod check;
mod name;
mod span;

pub use check::{MAX_RATE, MOST_BURSTY};
pub use name::Class;
pub use span::Span;

use crate::load::workload::WritePercent;
use crate::stats::Estimate;
use crate::units::{Bytes, MIB, to_f64};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most classes of one run.
pub const MOST_CLASSES: usize = 8;
/// One value for each class that has one; ORION's pair first.
pub type PerClass<T> = BTreeMap<Class, T>;

/// Bytes of the I/Os of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sizes {
    /// All the same.
    Fixed(u64),
    /// Each size with its share in per cent of the I/Os.
    Mixed(Vec<(u64, u8)>),
    /// None: the operations are no block I/O.
    None,
}

/// What the I/Os of a class do one after the other, and what a load level counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Uniform over every target; a load level counts outstanding I/Os.
    Random,
    /// Streams; a load level counts streams, each with `ios_per_stream` outstanding.
    Streams {
        /// ORION's `num_streamIO`.
        ios_per_stream: u32,
    },
    /// Writers that append, each to a region of its own (`load::log`), round and round; a load level counts writers.
    Log,
    /// No block I/O: a load level counts sessions, each with one operation after the other.
    Sessions,
}

impl Pattern {
    /// Outstanding I/Os of a load level.
    pub const fn outstanding(self, level: u32) -> u32 {
        match self {
            Self::Random | Self::Log | Self::Sessions => level,
            Self::Streams { ios_per_stream } => level.saturating_mul(ios_per_stream),
        }
    }

    /// What a load level counts.
    pub const fn counted(self) -> &'static str {
        match self {
            Self::Random => "I/Os",
            Self::Streams { .. } => "streams",
            Self::Log => "writers",
            Self::Sessions => "sessions",
        }
    }
}

/// When a write counts: a loss of power cannot undo what is durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// Once the device has taken it, durable or not.
    #[default]
    None,
    /// Once it is durable, as a write that asks for that (`RWF_DSYNC`, `O_DSYNC`).
    Dsync,
    /// Once it is durable, by a flush of its own after the write (`fdatasync`).
    Fdatasync,
}

/// When an operation begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// When one before has ended: the load level says how many are outstanding (closed loop).
    #[default]
    Closed,
    /// When its time has come, whatever is outstanding: the load level says how many arrive per second (open loop).
    Open {
        /// How the times spread.
        shape: Shape,
        /// Most that are outstanding at once; what arrives beyond that waits.
        most_outstanding: u32,
    },
}

impl Shape {
    /// The squared coefficient of variation of the times between arrivals.
    pub const fn spread(self) -> u32 {
        match self {
            Self::Even => 0,
            Self::Poisson => 1,
            Self::Bursty(spread) => spread,
        }
    }
}

impl Arrival {
    /// What of a load level is dealt out to the workers: what the level counts; of an open loop its slots.
    pub const fn dealt(self, level: u32) -> u32 {
        match self {
            Self::Open { most_outstanding, .. } if level > 0 => most_outstanding,
            Self::Closed | Self::Open { .. } => level,
        }
    }
}

/// How the times between arrivals spread around their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// All the same.
    Even,
    /// Exponential: arrivals that know nothing of each other.
    #[default]
    Poisson,
    /// Two-phase hyper-exponential with balanced means and this squared coefficient of variation, 2 or more; 1 would be Poisson.
    Bursty(u32),
}

/// The figure that stands for a class in reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Operations per second, with the name of that unit, such as `IOPS`.
    Rate(String),
    /// Megabytes (2^20) per second.
    Mbps,
}

/// One class of a load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadClass {
    /// Its name.
    pub name: Class,
    /// How large its I/Os are.
    pub sizes: Sizes,
    /// How they walk.
    pub pattern: Pattern,
    /// Share of writes.
    pub write_percent: WritePercent,
    /// What a write waits for.
    pub sync: Sync,
    /// When they begin.
    pub arrival: Arrival,
    /// Where they go.
    pub span: Span,
    /// What reports show first.
    pub figure: Figure,
    /// The load levels at which it is measured alone; none for ORION's pair, whose levels the run level gives. Arrivals per
    /// second in an open loop.
    pub levels: Vec<u32>,
}

impl LoadClass {
    /// A class of random reads of one size, in a closed loop over all of every target.
    pub fn random(name: Class, io_bytes: u64) -> Self {
        Self {
            name,
            sizes: Sizes::Fixed(io_bytes),
            pattern: Pattern::Random,
            write_percent: WritePercent::default(),
            sync: Sync::None,
            arrival: Arrival::Closed,
            span: Span::Whole,
            figure: Figure::Rate("IOPS".into()),
            levels: Vec::new(),
        }
    }

    /// ORION's small and large I/Os, of these sizes.
    pub fn pair(small_bytes: u64, large_bytes: u64) -> Vec<Self> {
        let large = Self { figure: Figure::Mbps, ..Self::random(Class::LARGE, large_bytes) };
        vec![Self::random(Class::SMALL, small_bytes), large]
    }

    /// A class of writers that append records of one size.
    pub fn log(name: Class, io_bytes: u64, sync: Sync, unit: &str) -> Self {
        Self {
            pattern: Pattern::Log,
            write_percent: WritePercent::ALL,
            sync,
            figure: Figure::Rate(unit.into()),
            ..Self::random(name, io_bytes)
        }
    }

    /// Bytes of one I/O; the largest where there are several sizes, 0 for what is no block I/O.
    pub fn io_bytes(&self) -> u64 {
        match &self.sizes {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Mixed(sizes) => sizes.iter().map(|size| size.0).max().unwrap_or(0),
            Sizes::None => 0,
        }
    }

    /// The sizes of its I/Os, ascending; none for what is no block I/O.
    pub fn all_sizes(&self) -> Vec<u64> {
        let mut all = match &self.sizes {
            Sizes::Fixed(bytes) => vec![*bytes],
            Sizes::Mixed(sizes) => sizes.iter().map(|size| size.0).collect(),
            Sizes::None => Vec::new(),
        };
        all.sort_unstable();
        all
    }

    /// Bytes of one I/O on average, as its sizes are meant to be drawn; 0 for what is no block I/O.
    pub fn mean_bytes(&self) -> f64 {
        match &self.sizes {
            Sizes::Mixed(sizes) => sizes.iter().map(|size| to_f64(size.0) * f64::from(size.1) / 100.0).sum(),
            Sizes::Fixed(_) | Sizes::None => to_f64(self.io_bytes()),
        }
    }

    /// The sizes in words: `8 KiB`, `80 % of 8 KiB, 20 % of 64 KiB`.
    pub fn size_text(&self) -> String {
        match &self.sizes {
            Sizes::Mixed(sizes) => {
                let each = sizes.iter().map(|(bytes, share)| format!("{share} % of {}", Bytes(*bytes)));
                each.collect::<Vec<_>>().join(", ")
            }
            Sizes::Fixed(_) | Sizes::None => Bytes(self.io_bytes()).to_string(),
        }
    }

    /// Whether its I/Os have more than one size.
    pub const fn is_mixed(&self) -> bool {
        matches!(self.sizes, Sizes::Mixed(_))
    }

    /// Most I/Os that it has outstanding at a load level.
    pub const fn outstanding(&self, level: u32) -> u32 {
        match self.arrival {
            Arrival::Closed => self.pattern.outstanding(level),
            Arrival::Open { most_outstanding, .. } if level > 0 => most_outstanding,
            Arrival::Open { .. } => 0,
        }
    }

    /// Whether its load level is a rate, whatever is outstanding.
    pub const fn is_open(&self) -> bool {
        matches!(self.arrival, Arrival::Open { .. })
    }

    /// What a load level counts.
    pub const fn counted(&self) -> &'static str {
        match self.arrival {
            Arrival::Closed => self.pattern.counted(),
            Arrival::Open { .. } => "arrivals per second",
        }
    }

    /// Whether its I/Os walk in streams.
    pub const fn streams(&self) -> bool {
        matches!(self.pattern, Pattern::Streams { .. })
    }

    /// Whether its I/Os go on from where others of it ended.
    pub const fn walks(&self) -> bool {
        matches!(self.pattern, Pattern::Streams { .. } | Pattern::Log)
    }

    /// The unit of its rates in reports: `IOPS`, `MBPS` or one of its own.
    pub fn unit(&self) -> &str {
        match &self.figure {
            Figure::Rate(unit) => unit,
            Figure::Mbps => "MBPS",
        }
    }

    /// Digits of its rates behind the point, as reports give them.
    pub const fn decimals(&self) -> usize {
        match self.figure {
            Figure::Rate(_) => 0,
            Figure::Mbps => 2,
        }
    }

    /// What one operation per second is in the unit of the class.
    pub fn scale(&self) -> f64 {
        match self.figure {
            Figure::Rate(_) => 1.0,
            Figure::Mbps => self.mean_bytes() / to_f64(MIB),
        }
    }

    /// Operations per second in the unit of the class.
    pub fn rate(&self, per_s: Estimate) -> Estimate {
        match self.figure {
            Figure::Rate(_) => per_s,
            Figure::Mbps => per_s.scaled(self.scale()),
        }
    }

    /// A rate that is given in operations per second, with its unit: `5200 IOPS`, `200.00 MBPS`.
    pub fn rate_text(&self, per_s: f64) -> String {
        format!("{:.*} {}", self.decimals(), per_s * self.scale(), self.unit())
    }

    /// What its operations are called: `small I/O`, or the name of what is no block I/O.
    pub fn noun(&self) -> String {
        match self.sizes {
            Sizes::None => self.name.to_string(),
            Sizes::Fixed(_) | Sizes::Mixed(_) => format!("{} I/O", self.name),
        }
    }

    /// What its load level counts: `outstanding small I/Os`, `outstanding large streams`.
    pub fn axis(&self) -> String {
        match self.arrival {
            Arrival::Closed => format!("outstanding {} {}", self.name, self.counted()),
            Arrival::Open { .. } => format!("{} {}", self.name, self.counted()),
        }
    }

    /// Whether some of the operations of a load level write.
    pub fn writes(&self, level: u32) -> bool {
        match self.pattern {
            Pattern::Streams { .. } => (0..level).any(|stream| self.write_percent.stream_writes(stream)),
            Pattern::Random | Pattern::Log | Pattern::Sessions => level > 0 && self.write_percent.writes(),
        }
    }
}
