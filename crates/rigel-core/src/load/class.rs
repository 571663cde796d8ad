//! Load classes: the loads of a run, each with its own name.
//!
//! ORION's small and large I/O are two of them. A class says what is requested; each bench refuses what it cannot do. Must
//! not know targets, points or time.

mod check;
mod level;
mod name;
mod span;
mod spread;
mod verified;
mod working_sets;

pub use check::{FEWEST_PLACES, MAX_RATE, MOST_PLACES};
pub use level::LevelKind;
pub use name::Class;
pub use span::Span;
pub use spread::Spread;
pub use verified::check as check_verified;
pub use working_sets::{MOST_WORKING_SETS, WorkingSets};

use crate::load::sides::Side;
use crate::load::workload::WritePercent;
use crate::stats::Estimate;
use crate::units::say::trimmed;
use crate::units::{Bytes, MIB, to_f64};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most outstanding I/Os of a class in one point; slots are numbered with 16 bits.
pub const MAX_OUTSTANDING: u32 = 65_535;

/// Most classes of one run.
pub const MOST_CLASSES: usize = 8;
/// One value for each class that has one; ORION's pair comes first.
pub type PerClass<T> = BTreeMap<Class, T>;

/// Bytes of the I/Os of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sizes {
    /// All the same.
    Fixed(u64),
    /// Each size with its share in per cent of the I/Os.
    Mixed(Vec<(u64, u8)>),
    /// None: the operations are not block I/O.
    None,
}

/// How the I/Os of a class follow each other, and what a load level counts.
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
    /// Writers that append, each to a region of its own (`load::log`), wrapping at its end; a load level counts writers.
    Log,
    /// Not block I/O: a load level counts sessions, each with one operation at a time.
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

    /// How its I/Os move, as an adjective: `random I/O`.
    pub const fn walk(self) -> &'static str {
        match self {
            Self::Streams { .. } => "sequential",
            Self::Random | Self::Log | Self::Sessions => "random",
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
    /// Once it is durable, as a write that requests that (`RWF_DSYNC`, `O_DSYNC`).
    Dsync,
    /// Once it is durable, by a flush of its own after the write (`fdatasync`).
    Fdatasync,
}

/// When an operation begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// When the previous one has ended: the load level is the number outstanding (closed loop).
    #[default]
    Closed,
    /// When it is due, whatever is outstanding: the load level is the rate of arrivals per second (open loop).
    Open {
        /// The distribution of the times.
        shape: Shape,
        /// Most outstanding I/Os; later arrivals wait.
        most_outstanding: u32,
    },
}

impl Shape {
    /// The squared coefficient of variation of the times between arrivals.
    pub fn spread(self) -> f64 {
        match self {
            Self::Even => 0.0,
            Self::Poisson => 1.0,
            Self::Bursty(spread) => spread.get(),
        }
    }
}

/// How many outstanding I/Os each unit dealt to the workers represents: for a stream of a closed loop all of its own.
/// In an open loop slots are dealt, whatever the pattern.
pub const fn ios_each(arrival: Arrival, pattern: Pattern) -> u32 {
    match arrival {
        Arrival::Open { .. } => 1,
        Arrival::Closed => pattern.outstanding(1),
    }
}

/// How many streams share the arrivals of an open loop, with this many slots each.
pub const fn streams_at_rate(most_outstanding: u32, ios_per_stream: u32) -> u32 {
    match most_outstanding.checked_div(ios_per_stream) {
        None | Some(0) => 1,
        Some(streams) => streams,
    }
}

/// The distribution of the times between arrivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// All the same.
    Even,
    /// Exponential: independent arrivals.
    #[default]
    Poisson,
    /// Two-phase hyper-exponential with balanced means and this squared coefficient of variation; 1 would be Poisson.
    Bursty(Spread),
}

/// The figure that represents a class in reports.
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
    /// Its name, followed by the side if there are two.
    pub name: Class,
    /// The side that it loads, if two alternate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// How large its I/Os are.
    pub sizes: Sizes,
    /// How they move.
    pub pattern: Pattern,
    /// Share of writes.
    pub write_percent: WritePercent,
    /// What a write waits for.
    pub sync: Sync,
    /// When they begin.
    pub arrival: Arrival,
    /// The part of each target that they use.
    pub span: Span,
    /// The span is cut into this many places, used one at a time: the load level is the number of the place, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<u8>,
    /// The load level counts targets: it loads the first this many of the run, each with this many outstanding I/Os or streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_target: Option<u32>,
    /// The load level is the number of a working set, from 1: that much of the start of the class's part of each target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_sets: Option<WorkingSets>,
    /// Every 4 KiB block identifies itself, and reads are compared with what was written (`crate::verify`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verify: bool,
    /// What reports show first.
    pub figure: Figure,
    /// The load levels at which it is measured alone; empty for ORION's pair, whose levels the run level gives. In an open loop
    /// arrivals per second.
    pub levels: Vec<u32>,
}

impl LoadClass {
    /// A class of random reads of one size, in a closed loop over all of every target.
    pub fn random(name: Class, io_bytes: u64) -> Self {
        Self {
            name,
            side: None,
            sizes: Sizes::Fixed(io_bytes),
            pattern: Pattern::Random,
            write_percent: WritePercent::default(),
            sync: Sync::None,
            arrival: Arrival::Closed,
            span: Span::Whole,
            places: None,
            per_target: None,
            working_sets: None,
            verify: false,
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

    /// Bytes of one I/O; the largest if there are several sizes, 0 if it is not block I/O.
    pub fn io_bytes(&self) -> u64 {
        match &self.sizes {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Mixed(sizes) => sizes.iter().map(|size| size.0).max().unwrap_or(0),
            Sizes::None => 0,
        }
    }

    /// The sizes of its I/Os, ascending; empty if it is not block I/O.
    pub fn all_sizes(&self) -> Vec<u64> {
        let mut all = match &self.sizes {
            Sizes::Fixed(bytes) => vec![*bytes],
            Sizes::Mixed(sizes) => sizes.iter().map(|size| size.0).collect(),
            Sizes::None => Vec::new(),
        };
        all.sort_unstable();
        all
    }

    /// Expected bytes of one I/O; 0 if it is not block I/O.
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
            Arrival::Closed => self.pattern.outstanding(self.dealt(level)),
            Arrival::Open { .. } => self.dealt(level),
        }
    }

    /// What its load levels mean.
    pub const fn level_kind(&self) -> LevelKind {
        match (self.arrival, &self.working_sets, self.places, self.per_target) {
            (Arrival::Open { most_outstanding, .. }, ..) => LevelKind::Rate { most_outstanding },
            (Arrival::Closed, Some(sets), ..) => LevelKind::WorkingSet { each: sets.each },
            (Arrival::Closed, None, Some(_), _) => LevelKind::Place,
            (Arrival::Closed, None, None, Some(each)) => LevelKind::Targets { each },
            (Arrival::Closed, None, None, None) => LevelKind::Load,
        }
    }

    /// The part of a load level that is dealt out to the workers: what the level counts; in an open loop its slots, at a place
    /// one, over targets those of all of them.
    pub const fn dealt(&self, level: u32) -> u32 {
        self.level_kind().dealt(level)
    }

    /// How many streams it has at a load level.
    pub const fn stream_count(&self, level: u32) -> u32 {
        match (self.arrival, self.pattern) {
            (Arrival::Open { most_outstanding, .. }, Pattern::Streams { ios_per_stream }) if level > 0 => {
                streams_at_rate(most_outstanding, ios_per_stream)
            }
            _ => self.dealt(level),
        }
    }

    /// Whether its load level is an amount of load, neither a rate nor a position.
    pub const fn level_is_load(&self) -> bool {
        matches!(self.level_kind(), LevelKind::Load)
    }

    /// Whether its load level is a number of targets.
    pub const fn level_is_targets(&self) -> bool {
        matches!(self.level_kind(), LevelKind::Targets { .. })
    }

    /// The range of its I/Os on a target of this many bytes, at a load level.
    pub fn part(&self, size_bytes: u64, level: u32) -> Range<u64> {
        let all = self.span.of(size_bytes);
        if let Some(bytes) = self.working_sets.as_ref().and_then(|sets| sets.bytes(level)) {
            return all.start..all.start.saturating_add(bytes).min(all.end);
        }
        let (Some(places), 1..) = (self.places, level) else { return all };
        let upto = |place: u32| {
            let share =
                u128::from(all.end.saturating_sub(all.start)) * u128::from(place) / u128::from(places.max(1));
            all.start.saturating_add(u64::try_from(share).unwrap_or(0)).min(all.end)
        };
        upto(level - 1)..upto(level)
    }

    /// The range of a place, in per cent of a target: from, to.
    pub fn place_percent(&self, level: u32) -> (f64, f64) {
        let (from, to) = self.span.percent();
        let places = f64::from(self.places.unwrap_or(1).max(1));
        let at = |place: u32| f64::from(from) + (f64::from(to) - f64::from(from)) * f64::from(place) / places;
        (at(level.saturating_sub(1)), at(level))
    }

    /// The same in words: `12.5-18.75 %`, with at most two decimals.
    pub fn place_words(&self, level: u32) -> String {
        let (from, to) = self.place_percent(level);
        let brief = |value: f64| trimmed((100.0 * value).round() / 100.0);
        format!("{}-{} %", brief(from), brief(to))
    }

    /// Whether its load level is a rate, whatever is outstanding.
    pub const fn is_open(&self) -> bool {
        matches!(self.arrival, Arrival::Open { .. })
    }

    /// What a load level counts.
    pub const fn counted(&self) -> &'static str {
        match self.level_kind() {
            LevelKind::Place => "places",
            LevelKind::WorkingSet { .. } => "working sets",
            LevelKind::Targets { .. } => "targets",
            LevelKind::Load => self.pattern.counted(),
            LevelKind::Rate { .. } => "arrivals per second",
        }
    }

    /// One of what a load level counts.
    pub fn one_counted(&self) -> &'static str {
        match self.counted() {
            "arrivals per second" => "arrival per second",
            counted => counted.strip_suffix('s').unwrap_or(counted),
        }
    }

    /// Whether writers append to a log.
    pub const fn appends(&self) -> bool {
        matches!(self.pattern, Pattern::Log)
    }

    /// Whether its I/Os walk in streams.
    pub const fn streams(&self) -> bool {
        matches!(self.pattern, Pattern::Streams { .. })
    }

    /// Whether its I/Os continue where earlier ones ended.
    pub const fn walks(&self) -> bool {
        matches!(self.pattern, Pattern::Streams { .. } | Pattern::Log)
    }

    /// The unit of its rates in reports: `IOPS`, `MBPS` or its own.
    pub fn unit(&self) -> &str {
        match &self.figure {
            Figure::Rate(unit) => unit,
            Figure::Mbps => "MBPS",
        }
    }

    /// Decimals of its rates in reports.
    pub const fn decimals(&self) -> usize {
        match self.figure {
            Figure::Rate(_) => 0,
            Figure::Mbps => 2,
        }
    }

    /// One operation per second in the unit of the class.
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

    /// A rate in operations per second, converted and with its unit: `5200 IOPS`, `200.00 MBPS`.
    pub fn rate_text(&self, per_s: f64) -> String {
        format!("{:.*} {}", self.decimals(), per_s * self.scale(), self.unit())
    }

    /// Its name without a side.
    pub fn plain_name(&self) -> Class {
        let sided = self.side.and_then(|_| self.name.sided());
        sided.map_or(self.name, |(plain, _)| plain)
    }

    /// The same class without a side.
    #[must_use]
    pub fn plain(&self) -> Self {
        Self { name: self.plain_name(), side: None, ..self.clone() }
    }

    /// The name in texts: `small`; `small, A` with two sides.
    pub fn title(&self) -> String {
        let side = self.side.map_or_else(String::new, |side| format!(", {}", side.name()));
        format!("{}{side}", self.plain_name())
    }

    /// ` of A`; empty without sides.
    pub fn of_side(&self) -> String {
        self.side.map_or_else(String::new, |side| format!(" of {}", side.name()))
    }

    /// The name of its operations: `small I/O`, `I/O of reads`, `small I/O of A`, `dsync commit`, or the class name if it is not block I/O.
    pub fn noun(&self) -> String {
        self.called(self.operation())
    }

    /// The plural: `small I/Os`, `I/Os of reads`.
    pub fn nouns(&self) -> String {
        self.called(&format!("{}s", self.operation()))
    }

    /// Whether its operations are queries to a database.
    pub fn is_query(&self) -> bool {
        self.query().is_some()
    }

    fn query(&self) -> Option<&'static str> {
        match self.plain_name() {
            _ if self.pattern != Pattern::Sessions => None,
            Class::SIMPLE => Some("look-up"),
            Class::REPORT => Some("report"),
            Class::COMMIT => Some("commit"),
            _ => None,
        }
    }

    /// Whether each operation is an I/O by Rigel, with a buffer.
    pub fn is_block_io(&self) -> bool {
        self.sizes != Sizes::None && self.pattern != Pattern::Sessions
    }

    fn operation(&self) -> &'static str {
        match (self.pattern, self.sync) {
            (Pattern::Sessions, _) => self.query().unwrap_or("I/O"),
            (Pattern::Log, Sync::None) => "write",
            (Pattern::Log, Sync::Dsync | Sync::Fdatasync) => "commit",
            _ => "I/O",
        }
    }

    fn called(&self, io: &str) -> String {
        let (name, side) = (self.plain_name(), self.of_side());
        match self.sizes {
            _ if self.is_query() => format!("{io}{side}"),
            Sizes::None => format!("{name}{side}"),
            // Its name is that of what its levels count.
            _ if self.level_is_targets() => format!("{} {io}{side}", self.pattern.walk()),
            // No commit of commits.
            _ if io.trim_end_matches('s') == name.name() => format!("{io}{side}"),
            // The name is a plural itself.
            _ if name.name().ends_with('s') => format!("{io} of {name}{side}"),
            Sizes::Fixed(_) | Sizes::Mixed(_) => format!("{name} {io}{side}"),
        }
    }

    /// What its load level counts: `outstanding small I/Os`, `outstanding large streams`, `dsync writers`.
    pub fn axis(&self) -> String {
        self.axis_of(self.counted())
    }

    /// The same of the number that it counts, in the singular or the plural.
    fn axis_of(&self, counted: &str) -> String {
        let (name, side) = (self.plain_name(), self.of_side());
        match self.arrival {
            Arrival::Closed if self.places.is_some() => format!("place of {}", self.noun()),
            Arrival::Closed if self.working_sets.is_some() => "number of the working set".to_owned(),
            Arrival::Closed if self.level_is_targets() => format!("targets{side}"),
            Arrival::Closed if self.is_query() => format!("{} sessions{side}", self.operation()),
            // Each writer has one outstanding.
            Arrival::Closed if self.appends() => format!("{name} {counted}{side}"),
            // No stream of streams.
            Arrival::Closed if name == Class::STREAM => format!("outstanding {counted}{side}"),
            Arrival::Closed => format!("outstanding {name} {counted}{side}"),
            Arrival::Open { .. } => format!("{name} {counted}{side}"),
        }
    }

    /// A load level in words: `4 outstanding small I/Os`, `8000 open arrivals per second`, `random I/O at place 12.5-18.75 %`.
    pub fn level_words(&self, level: u32) -> String {
        if let Some(bytes) = self.working_sets.as_ref().and_then(|sets| sets.bytes(level)) {
            return format!("{} over {}", self.noun(), Bytes(bytes));
        }
        match self.places {
            Some(_) => format!("{} at place {}", self.noun(), self.place_words(level)),
            None if level == 1 && self.level_is_targets() => format!("1 target{}", self.of_side()),
            None if level == 1 && self.is_query() => {
                format!("1 {} session{}", self.operation(), self.of_side())
            }
            None if level == 1 => format!("1 {}", self.axis_of(self.one_counted())),
            None => format!("{level} {}", self.axis()),
        }
    }

    /// Whether some operations of a load level write.
    pub fn writes(&self, level: u32) -> bool {
        match self.pattern {
            Pattern::Streams { .. } => {
                (0..self.stream_count(level)).any(|stream| self.write_percent.stream_writes(stream))
            }
            Pattern::Random | Pattern::Log | Pattern::Sessions => level > 0 && self.write_percent.writes(),
        }
    }
}
