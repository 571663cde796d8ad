//! `rigel run zones` and `rigel run streams`: reads place by place, and several sequential readers.
//!
//! Makes the requests; what a class of I/O may be is known to [`Request::check`]. Must not look at a path.

use super::names::Front;
use super::run::RunArgs;
use super::shaping;
use super::values::{self, Misread};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, FEWEST_PLACES, Figure, LoadClass, MOST_PLACES, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::pace::LevelChoice;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, DEFAULT_SMALL, DEFAULT_STREAM_IOS, Request};
use std::collections::BTreeSet;

const HEADING: &str = "Places (only with 'zones' and 'streams')";
/// Places unless another number is named.
const PLACES: u8 = 16;
/// Readers of the points unless others are named.
const READERS: [u32; 5] = [1, 2, 4, 8, 16];

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct PlaceArgs {
    /// For 'zones': into how many places every target is cut [default: 16]
    #[arg(long, value_name = "N", value_parser = places, hide_short_help = true, help_heading = HEADING)]
    pub places: Option<u8>,

    /// For 'streams': how many read at the same time, each with one I/O outstanding [default: 1,2,4,8,16]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = readers, hide_short_help = true, help_heading = HEADING)]
    pub readers: Vec<u32>,
}

fn places(text: &str) -> Result<u8, Misread> {
    let number = text.trim().parse::<u64>().ok().and_then(|number| u8::try_from(number).ok());
    number.filter(|places| (FEWEST_PLACES..=MOST_PLACES).contains(places)).ok_or_else(|| Misread {
        reason: "is no number of places".into(),
        next: format!("give {FEWEST_PLACES} to {MOST_PLACES}"),
    })
}

fn readers(text: &str) -> Result<u32, Misread> {
    values::number_of(text, "readers")
}

/// Whether the level is one of these.
pub fn is_here(level: RunLevel) -> bool {
    matches!(level, RunLevel::Zones | RunLevel::Streams)
}

/// The request of one of the levels; `given` is all that was typed.
pub fn request(level: RunLevel, given: &RunArgs) -> Result<Request, Problem> {
    refuse_others(level, given)?;
    let mut load = given.load.clone();
    // The sizes are those of these classes; everything else that shapes a load is refused.
    let large = load.size_large.take().unwrap_or(DEFAULT_LARGE);
    let small = if level == RunLevel::Zones { load.size_small.take() } else { None };
    let plain = shaping::request(Front::Rigel, level, &load, &given.own)?;
    let stream = |ios_per_stream| LoadClass {
        pattern: Pattern::Streams { ios_per_stream },
        figure: Figure::Mbps,
        ..LoadClass::random(Class::STREAM, large.0)
    };
    let classes = if level == RunLevel::Zones {
        let places = given.places.places.unwrap_or(PLACES);
        let random = LoadClass::random(Class::RANDOM, small.unwrap_or(DEFAULT_SMALL).0);
        let by_place = |class: LoadClass| LoadClass {
            places: Some(places),
            levels: (1..=u32::from(places)).collect(),
            ..class
        };
        vec![by_place(random), by_place(stream(DEFAULT_STREAM_IOS))]
    } else {
        let readers: BTreeSet<u32> = match given.places.readers.as_slice() {
            [] => READERS.into(),
            readers => readers.iter().copied().collect(),
        };
        vec![LoadClass { levels: readers.into_iter().collect(), ..stream(1) }]
    };
    // Nobody expects two minutes of other I/O before these reads.
    let cache = if plain.cache == CacheWarmUp::Default { CacheWarmUp::Off } else { plain.cache };
    let request = Request { classes, levels: LevelChoice::Own, cache, ..plain };
    request.check()?;
    Ok(request)
}

/// Refuses what says how much is outstanding, and writes.
fn refuse_others(level: RunLevel, given: &RunArgs) -> Result<(), Problem> {
    let zones = level == RunLevel::Zones;
    let which = if zones { "the places say what is measured" } else { "--readers says what is measured" };
    let options = [
        ("--levels", given.own.levels.is_some(), which),
        ("--num-disks", given.load.num_disks.is_some(), which),
        ("--write", given.load.write.is_some(), "the level only reads"),
        ("--places", !zones && given.places.places.is_some(), "each reader has a place of its own"),
        ("--readers", zones && !given.places.readers.is_empty(), "one stream reads at a time"),
    ];
    let Some((option, _, why)) = options.into_iter().find(|option| option.1) else { return Ok(()) };
    Err(Problem::usage(format!("{option} does not go with the level '{}'", level.name()))
        .at(option)
        .because(why)
        .next(format!("leave out {option}")))
}

/// Refuses these options beside another level.
pub fn refuse_beside(level: RunLevel, given: &PlaceArgs) -> Result<(), Problem> {
    let options = [
        ("--places", given.places.is_some(), RunLevel::Zones),
        ("--readers", !given.readers.is_empty(), RunLevel::Streams),
    ];
    let Some((option, _, own)) = options.into_iter().find(|option| option.1) else { return Ok(()) };
    Err(Problem::usage(format!("{option} does not go with the level '{}'", level.name()))
        .at(option)
        .because(format!("it is about the level '{}'", own.name()))
        .next(format!("use `rigel run {} {option} ..`, or leave out {option}", own.name())))
}
