//! `rigel run zones` and `rigel run streams`: reads place by place, and several sequential readers.
//!
//! Makes the requests; [`Request::check`] knows which classes of I/O are valid. Must not look at a path.

use super::level::LevelArgs;
use super::names::Front;
use super::shaping;
use super::values::{self, ValueError};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, FEWEST_PLACES, Figure, LoadClass, MOST_PLACES, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, DEFAULT_SMALL, DEFAULT_STREAM_IOS, Request};
use std::collections::BTreeSet;

const HEADING: &str = "Places (only with 'zones' and 'streams')";
/// Places unless another number is named.
const PLACES: u8 = 16;
/// Readers of the points unless others are named.
const READERS: [u32; 5] = [1, 2, 4, 8, 16];

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct PlaceArgs {
    /// Zones per target, for 'zones' [default: 16]
    #[arg(long, value_name = "N", value_parser = places, hide_short_help = true, help_heading = HEADING)]
    pub places: Option<u8>,

    /// Concurrent readers of 'streams', each with one I/O outstanding [default: 1,2,4,8,16]
    #[arg(long, value_name = "N,..", value_delimiter = ',', value_parser = readers, hide_short_help = true, help_heading = HEADING)]
    pub readers: Vec<u32>,
}

fn places(text: &str) -> Result<u8, ValueError> {
    let number = text.trim().parse::<u64>().ok().and_then(|number| u8::try_from(number).ok());
    number.filter(|places| (FEWEST_PLACES..=MOST_PLACES).contains(places)).ok_or_else(|| ValueError {
        reason: "is not a valid number of places".into(),
        next: format!("give {FEWEST_PLACES} to {MOST_PLACES}"),
    })
}

fn readers(text: &str) -> Result<u32, ValueError> {
    values::number_of(text, "readers")
}

/// The request of one of the levels; `given` is all that was typed.
pub fn request(level: RunLevel, given: &LevelArgs) -> Result<Request, Problem> {
    let mut load = given.load.clone();
    // The sizes are those of these classes.
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
    let request = Request { classes, cache, ..plain };
    request.check()?;
    Ok(request)
}
