//! The words that options take, such as `rand` or `raid0`: one list for both command lines, their help and their checks.
//!
//! Must not know options.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use rigel_core::load::matrix::RunLevel;

/// A closed list of words.
pub trait Words: Copy + Send + Sync + 'static {
    /// All of them, in the order of the help.
    const ALL: &'static [Self];

    /// The word on the command line.
    fn word(self) -> &'static str;
}

/// The value of that word; upper and lower case are the same, as ORION's own help uses both.
pub fn find<T: Words>(text: &str) -> Option<T> {
    T::ALL.iter().copied().find(|value| value.word().eq_ignore_ascii_case(text))
}

/// `rand or seq`, `basic, detailed or point`.
pub fn list<T: Words>() -> String {
    let words: Vec<&str> = T::ALL.iter().map(|value| value.word()).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Reads a word for clap, which then shows the list in its help and messages.
pub fn parser<T: Words>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|value| value.word()))
        .try_map(|text| find(&text).ok_or("not one of the possible values"))
}

impl Words for RunLevel {
    const ALL: &'static [Self] = &Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}

/// Where the load levels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelWord {
    /// From the number of disks.
    Orion,
    /// From the device.
    Auto,
}

impl Words for LevelWord {
    const ALL: &'static [Self] = &[Self::Orion, Self::Auto];

    fn word(self) -> &'static str {
        match self {
            Self::Orion => "orion",
            Self::Auto => "auto",
        }
    }
}

/// How the large I/Os walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Anywhere.
    Rand,
    /// In streams.
    Seq,
}

impl Words for Pattern {
    const ALL: &'static [Self] = &[Self::Rand, Self::Seq];

    fn word(self) -> &'static str {
        match self {
            Self::Rand => "rand",
            Self::Seq => "seq",
        }
    }
}

/// How the targets form one volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// One after the other.
    Concat,
    /// Striped.
    Raid0,
}

impl Words for Arrangement {
    const ALL: &'static [Self] = &[Self::Concat, Self::Raid0];

    fn word(self) -> &'static str {
        match self {
            Self::Concat => "concat",
            Self::Raid0 => "raid0",
        }
    }
}

/// A matrix without its counts; with them it becomes a [`rigel_core::load::matrix::MatrixShape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixName {
    /// Row 0 and column 0.
    Basic,
    /// Every pair.
    Detailed,
    /// One pair.
    Point,
    /// Small fixed.
    Col,
    /// Large fixed.
    Row,
    /// Every pair of the levels up to both counts.
    Max,
}

impl Words for MatrixName {
    const ALL: &'static [Self] = &[Self::Basic, Self::Detailed, Self::Point, Self::Col, Self::Row, Self::Max];

    fn word(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Detailed => "detailed",
            Self::Point => "point",
            Self::Col => "col",
            Self::Row => "row",
            Self::Max => "max",
        }
    }
}

/// What `rigel report` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportFormat {
    /// ORION's files.
    Orion,
    /// One JSON document.
    Json,
    /// One table.
    Csv,
    /// One page.
    Html,
    /// fio's JSON.
    Fio,
    /// An interval log of HdrHistogram.
    Hlog,
    /// OpenMetrics text.
    OpenMetrics,
    /// The table as Parquet.
    Parquet,
    /// Tables for a ticket.
    Markdown,
    /// What is shown after a run.
    Text,
}

impl Words for ReportFormat {
    const ALL: &'static [Self] = &[
        Self::Orion,
        Self::Json,
        Self::Csv,
        Self::Html,
        Self::Fio,
        Self::Hlog,
        Self::OpenMetrics,
        Self::Parquet,
        Self::Markdown,
        Self::Text,
    ];

    fn word(self) -> &'static str {
        match self {
            Self::Orion => "orion",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Html => "html",
            Self::Fio => "fio",
            Self::Hlog => "hlog",
            Self::OpenMetrics => "openmetrics",
            Self::Parquet => "parquet",
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter_and_the_list_reads_well() {
        assert_eq!(find::<Arrangement>("RAID0"), Some(Arrangement::Raid0));
        assert_eq!(find::<RunLevel>("Oltp"), Some(RunLevel::Oltp));
        assert_eq!(find::<Pattern>("random"), None);
        assert_eq!(list::<MatrixName>(), "basic, detailed, point, col, row or max");
    }
}
