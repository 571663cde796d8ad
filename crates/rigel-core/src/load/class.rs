//! Load classes: what a run puts on something, each with a name of its own.
//!
//! ORION's small and large I/O are two of them. A class says what is asked for; each bench refuses what it cannot do. Must
//! not know targets, points or time.

use crate::error::Problem;
use crate::load::workload::WritePercent;
use crate::stats::Estimate;
use crate::units::{Bytes, MIB, to_f64};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// Most classes of one run.
pub const MOST_CLASSES: usize = 8;
/// Most bytes of a name.
const NAME_BYTES: usize = 15;

/// One value for each class that has one; ORION's pair first.
pub type PerClass<T> = BTreeMap<Class, T>;

/// The name of a load class: 1 to 15 lower-case letters, digits, `-` and `_`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Class([u8; NAME_BYTES]);

impl Class {
    /// The small I/Os of ORION's columns.
    pub const SMALL: Self = Self(*b"small\0\0\0\0\0\0\0\0\0\0");
    /// The large I/Os of ORION's rows.
    pub const LARGE: Self = Self(*b"large\0\0\0\0\0\0\0\0\0\0");

    /// `None` when that is no name of a class.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
        let mut bytes = [0; NAME_BYTES];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        (!name.is_empty() && name.bytes().all(fits)).then_some(Self(bytes))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        let length = self.0.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
        // Only ASCII is let in.
        str::from_utf8(&self.0[..length]).unwrap_or("?")
    }

    /// The name as the first word of a label.
    #[must_use]
    pub fn label(&self) -> String {
        let (first, rest) = self.name().split_at(1);
        first.to_ascii_uppercase() + rest
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Ord for Class {
    /// Small, large, then the others by name.
    fn cmp(&self, other: &Self) -> Ordering {
        let rank = |class: &Self| match *class {
            Self::SMALL => 0,
            Self::LARGE => 1,
            _ => 2,
        };
        rank(self).cmp(&rank(other)).then_with(|| self.0.cmp(&other.0))
    }
}

impl PartialOrd for Class {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Class {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Class {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| D::Error::custom(format!("'{name}' is no name of a load class")))
    }
}

impl JsonSchema for Class {
    fn schema_name() -> Cow<'static, str> {
        "Class".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "description": "Name of a load class, such as small or large." })
    }
}

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
    /// Writers that append, each to a log of its own; a load level counts writers.
    Log,
    /// No block I/O: a load level counts sessions, each with one operation after the other.
    Sessions,
}

impl Pattern {
    /// Outstanding I/Os of a load level.
    #[must_use]
    pub const fn outstanding(self, level: u32) -> u32 {
        match self {
            Self::Random | Self::Log | Self::Sessions => level,
            Self::Streams { ios_per_stream } => level.saturating_mul(ios_per_stream),
        }
    }

    /// What a load level counts.
    #[must_use]
    pub const fn counted(self) -> &'static str {
        match self {
            Self::Random => "I/Os",
            Self::Streams { .. } => "streams",
            Self::Log => "writers",
            Self::Sessions => "sessions",
        }
    }
}

/// Whether a write is acknowledged only once it is durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sync {
    /// When the device has taken it.
    #[default]
    None,
    /// When a loss of power cannot undo it.
    EachWrite,
}

/// When an operation begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// When one before has ended: the load level says how many are outstanding (closed loop).
    #[default]
    Closed,
    /// When its time has come, whatever is outstanding: so many per second for each load level (open loop).
    Open(u32),
}

/// The part of each target that a class uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// All of it.
    #[default]
    Whole,
    /// From one per cent of its size to another.
    Percent(u8, u8),
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
    /// The load levels at which it is measured alone; none for ORION's pair, whose levels the run level gives.
    pub levels: Vec<u32>,
}

impl LoadClass {
    /// A class of random reads of one size, in a closed loop over all of every target.
    #[must_use]
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
    #[must_use]
    pub fn pair(small_bytes: u64, large_bytes: u64) -> Vec<Self> {
        let large = Self { figure: Figure::Mbps, ..Self::random(Class::LARGE, large_bytes) };
        vec![Self::random(Class::SMALL, small_bytes), large]
    }

    /// Bytes of one I/O; the largest where there are several sizes, 0 for what is no block I/O.
    #[must_use]
    pub fn io_bytes(&self) -> u64 {
        match &self.sizes {
            Sizes::Fixed(bytes) => *bytes,
            Sizes::Mixed(sizes) => sizes.iter().map(|size| size.0).max().unwrap_or(0),
            Sizes::None => 0,
        }
    }

    /// Whether its I/Os walk in streams.
    #[must_use]
    pub const fn streams(&self) -> bool {
        matches!(self.pattern, Pattern::Streams { .. })
    }

    /// The unit of its rates in reports: `IOPS`, `MBPS` or one of its own.
    #[must_use]
    pub fn unit(&self) -> &str {
        match &self.figure {
            Figure::Rate(unit) => unit,
            Figure::Mbps => "MBPS",
        }
    }

    /// Digits of its rates behind the point, as reports give them.
    #[must_use]
    pub const fn decimals(&self) -> usize {
        match self.figure {
            Figure::Rate(_) => 0,
            Figure::Mbps => 2,
        }
    }

    /// What one operation per second is in the unit of the class.
    #[must_use]
    pub fn scale(&self) -> f64 {
        match self.figure {
            Figure::Rate(_) => 1.0,
            Figure::Mbps => to_f64(self.io_bytes()) / to_f64(MIB),
        }
    }

    /// Operations per second in the unit of the class.
    #[must_use]
    pub fn rate(&self, per_s: Estimate) -> Estimate {
        match self.figure {
            Figure::Rate(_) => per_s,
            Figure::Mbps => per_s.scaled(self.scale()),
        }
    }

    /// A rate that is given in operations per second, with its unit: `5200 IOPS`, `200.00 MBPS`.
    #[must_use]
    pub fn rate_text(&self, per_s: f64) -> String {
        format!("{:.*} {}", self.decimals(), per_s * self.scale(), self.unit())
    }

    /// What its operations are called: `small I/O`, or the name of what is no block I/O.
    #[must_use]
    pub fn noun(&self) -> String {
        match self.sizes {
            Sizes::None => self.name.to_string(),
            Sizes::Fixed(_) | Sizes::Mixed(_) => format!("{} I/O", self.name),
        }
    }

    /// What its load level counts: `outstanding small I/Os`, `outstanding large streams`.
    #[must_use]
    pub fn outstanding(&self) -> String {
        format!("outstanding {} {}", self.name, self.pattern.counted())
    }

    /// Whether some of the operations of a load level write.
    #[must_use]
    pub fn writes(&self, level: u32) -> bool {
        match self.pattern {
            Pattern::Streams { .. } => (0..level).any(|stream| self.write_percent.stream_writes(stream)),
            Pattern::Random | Pattern::Log | Pattern::Sessions => level > 0 && self.write_percent.writes(),
        }
    }

    /// Refuses what the engines of this version cannot do.
    ///
    /// # Errors
    /// A usage problem that names the class and what of it is not there yet.
    pub fn check_block_io(&self) -> Result<(), Problem> {
        let missing = [
            (!matches!(self.sizes, Sizes::Fixed(_)), "other than one size"),
            (
                !matches!(self.pattern, Pattern::Random | Pattern::Streams { .. }),
                "other than random or in streams",
            ),
            (self.sync != Sync::None, "that waits for each write to be durable"),
            (self.arrival != Arrival::Closed, "at a rate of its own"),
            (self.span != Span::Whole, "on a part of a target"),
        ];
        let Some((_, what)) = missing.into_iter().find(|missing| missing.0) else {
            return Ok(());
        };
        Err(Problem::usage(format!("the load class '{}' asks for I/O {what}", self.name))
            .because("the engines of this version cannot do that")
            .next("leave that out, or leave out the class"))
    }

    /// Refuses sizes that no device has or no host can hold.
    pub(crate) fn check_sizes(&self, least_bytes: u64, most_bytes: u64) -> Result<(), Problem> {
        let all = match &self.sizes {
            Sizes::Fixed(bytes) => vec![*bytes],
            Sizes::Mixed(sizes) => sizes.iter().map(|size| size.0).collect(),
            Sizes::None => Vec::new(),
        };
        let option = format!("--size-{}", self.name);
        for bytes in all {
            if bytes == 0 || !bytes.is_multiple_of(least_bytes) {
                let what = format!(
                    "the {} I/O size of {bytes} bytes is no multiple of {least_bytes} bytes",
                    self.name
                );
                return Err(Problem::usage(what)
                    .at(option)
                    .because("direct I/O moves whole blocks, and no device has blocks below 512 bytes")
                    .next("give a size such as 8K (rigel run) or 8 (rigel orion, in KB)"));
            }
            if bytes > most_bytes {
                return Err(Problem::usage(format!(
                    "the {} I/O size of {} is too large",
                    self.name,
                    Bytes(bytes)
                ))
                .at(option)
                .because("every outstanding I/O has a buffer of that size")
                .next(format!("use at most {}", Bytes(most_bytes))));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_plain() {
        assert_eq!(Class::named("small"), Some(Class::SMALL));
        assert_eq!(Class::named("log-writer_1").unwrap().name(), "log-writer_1");
        assert_eq!(Class::named("abcdefghijklmno").unwrap().label(), "Abcdefghijklmno");
        for bad in ["", "Small", "a b", "abcdefghijklmnop", "\0", "é"] {
            assert_eq!(Class::named(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn the_pair_of_orion_comes_first() {
        let mut names = ["log", "large", "commit", "small"].map(|name| Class::named(name).unwrap());
        names.sort_unstable();
        assert_eq!(names.map(|class| class.to_string()), ["small", "large", "commit", "log"]);
        let text = serde_json::to_string(&PerClass::from([(Class::LARGE, 2), (Class::SMALL, 1)])).unwrap();
        assert_eq!(text, r#"{"small":1,"large":2}"#);
        assert!(serde_json::from_str::<PerClass<u32>>(r#"{"No":1}"#).is_err());
    }

    #[test]
    fn the_engines_refuse_what_they_cannot_do() {
        let plain = LoadClass::random(Class::SMALL, 8192);
        assert_eq!(plain.check_block_io(), Ok(()));
        let refused = [
            LoadClass { sizes: Sizes::Mixed(vec![(8192, 50), (16_384, 50)]), ..plain.clone() },
            LoadClass { pattern: Pattern::Log, ..plain.clone() },
            LoadClass { sync: Sync::EachWrite, ..plain.clone() },
            LoadClass { arrival: Arrival::Open(100), ..plain.clone() },
            LoadClass { span: Span::Percent(0, 25), ..plain },
        ];
        let texts: Vec<String> =
            refused.iter().map(|class| class.check_block_io().unwrap_err().to_string()).collect();
        assert!(texts.iter().all(|text| text.contains("class 'small'")), "{texts:?}");
        assert_eq!(texts.iter().collect::<std::collections::BTreeSet<_>>().len(), texts.len());
    }
}
