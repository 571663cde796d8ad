//! The words that options take, such as `rand` or `raid0`, each with its value: one list for both command lines, their
//! help and their checks.
//!
//! Must not know options.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use rigel_core::load::class::Pattern;
use rigel_core::load::matrix::{MatrixShape, RunLevel};
use rigel_core::load::pace::LevelChoice;
use rigel_core::load::request::{DEFAULT_STREAM_IOS, DEFAULT_STRIPE};
use rigel_core::load::workload::Layout;
use rigel_core::stats::bound::LatencyOf;
use rigel_report::Format;
use rigel_report::compare::CompareFormat;
use rigel_report::rank::RankFormat;
use rigel_uses::advice::Product;

pub trait Words: Copy + Send + Sync + 'static {
    /// Every word with its value, in the order of the help.
    fn all() -> Vec<(&'static str, Self)>;
}

/// The value of that word; upper and lower case are the same, as ORION's own help uses both.
pub fn find<T: Words>(text: &str) -> Option<T> {
    T::all().into_iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| value)
}

/// `rand or seq`, `basic, detailed or point`.
pub fn list<T: Words>() -> String {
    either(&T::all().into_iter().map(|(word, _)| word).collect::<Vec<_>>())
}

/// The same for any words.
pub fn either(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Reads a word for clap, which then shows the list in its help and messages.
pub fn parser<T: Words>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::all().into_iter().map(|(word, _)| word))
        .try_map(|text| find(&text).ok_or("not one of the possible values"))
}

/// Reads a level of `rigel run`.
pub fn run_level() -> impl TypedValueParser<Value = RunLevel> {
    let all = || RunLevel::all().into_iter().map(|one| one.1).chain([RunLevel::Load]);
    let find = move |text: String| {
        all().find(|level| level.name().eq_ignore_ascii_case(&text)).ok_or("not one of the possible values")
    };
    // Nobody types it: --load brings it.
    let word = |level: RunLevel| PossibleValue::new(level.name()).hide(level == RunLevel::Load);
    PossibleValuesParser::new(all().map(word)).try_map(find)
}

/// The levels of `rigel run`: ORION's, and those with a load of their own.
impl Words for RunLevel {
    fn all() -> Vec<(&'static str, Self)> {
        let own = [
            Self::Commit,
            Self::Open,
            Self::Zones,
            Self::Streams,
            Self::Scaling,
            Self::WorkingSet,
            Self::Burst,
            Self::Through,
        ];
        Self::ORION.into_iter().chain(own).map(|level| (level.name(), level)).collect()
    }
}

/// A level of ORION's own command line.
#[derive(Clone, Copy, Debug)]
pub struct OrionLevel(pub RunLevel);

impl Words for OrionLevel {
    fn all() -> Vec<(&'static str, Self)> {
        RunLevel::ORION.map(|level| (level.name(), Self(level))).into()
    }
}

impl Words for LatencyOf {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|latency| (latency.name(), latency)).into()
    }
}

impl Words for Product {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|product| (product.name(), product)).into()
    }
}

impl Words for LevelChoice {
    fn all() -> Vec<(&'static str, Self)> {
        vec![("orion", Self::Orion), ("ends", Self::Ends), ("auto", Self::Auto)]
    }
}

/// With the usual depth of a stream.
impl Words for Pattern {
    fn all() -> Vec<(&'static str, Self)> {
        vec![("rand", Self::Random), ("seq", Self::Streams { ios_per_stream: DEFAULT_STREAM_IOS })]
    }
}

/// With the usual depth of a stripe.
impl Words for Layout {
    fn all() -> Vec<(&'static str, Self)> {
        vec![("concat", Self::Concat), ("raid0", Self::Raid0 { stripe_bytes: DEFAULT_STRIPE.0 })]
    }
}

/// With counts of 0; separate options set the real ones.
impl Words for MatrixShape {
    fn all() -> Vec<(&'static str, Self)> {
        let (small, large) = (0, 0);
        let (col, row) = (Self::Col { small }, Self::Row { large });
        let (point, max) = (Self::Point { small, large }, Self::Max { small, large });
        [Self::Basic, Self::Detailed, point, col, row, max].map(|shape| (shape.name(), shape)).into()
    }
}

/// With the newest layout of ORION's files.
impl Words for Format {
    fn all() -> Vec<(&'static str, Self)> {
        Self::ALL.map(|format| (format.name(), format)).into()
    }
}

impl Words for RankFormat {
    fn all() -> Vec<(&'static str, Self)> {
        vec![("text", Self::Text), ("json", Self::Json), ("markdown", Self::Markdown), ("html", Self::Html)]
    }
}

impl Words for CompareFormat {
    fn all() -> Vec<(&'static str, Self)> {
        vec![
            ("text", Self::Text),
            ("json", Self::Json),
            ("junit", Self::Junit),
            ("markdown", Self::Markdown),
            ("html", Self::Html),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_does_not_matter_and_the_list_reads_well() {
        let raid0 = Layout::Raid0 { stripe_bytes: DEFAULT_STRIPE.0 };
        assert_eq!(find::<Layout>("RAID0"), Some(raid0));
        assert_eq!(find::<RunLevel>("Oltp"), Some(RunLevel::Oltp));
        assert_eq!(find::<Pattern>("random"), None);
        assert_eq!(list::<MatrixShape>(), "basic, detailed, point, col, row or max");
    }
}
