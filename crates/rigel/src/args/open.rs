//! `rigel run open`: I/O that arrives at given rates, whatever the storage does with it.
//!
//! Makes the request; [`Request::check`] knows which classes of I/O are valid. Must not look at a path.

use super::level::LevelArgs;
use super::names::Front;
use super::shaping;
use super::values::{self, ValueError};
use rigel_core::error::Problem;
use rigel_core::load::class::{Arrival, Class, LoadClass, MAX_OUTSTANDING, MAX_RATE, Shape, Spread};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{DEFAULT_SMALL, Request};

/// The class of the level.
pub const OPEN: Class = Class::constant("open");
/// Enough for every rate that storage keeps up with, and the buffers are small.
pub const DEFAULT_MOST_OUTSTANDING: u32 = 1024;

const HEADING: &str = "Arrivals (only with 'open' and 'through')";

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct OpenArgs {
    /// Rates of 'open', in I/Os per second: 1000,5000; one rate of 'through'
    ///
    /// Each rate is a data point. Latency counts from the time at which the I/O should have started, so it includes any time spent waiting.
    #[arg(long, value_name = "RATES", value_delimiter = ',', value_parser = rate, help_heading = super::run::LOAD)]
    pub rate: Vec<u32>,

    /// Distribution of the times between arrivals: even, poisson or bursty:N [default: poisson]
    ///
    /// poisson: many independent users. even: constant intervals, easier than real users. bursty:N: N times the variance of poisson, N from 2 to 100;
    /// real loads are often like 4 to 20.
    #[arg(long, value_name = "SHAPE", value_parser = shape, help_heading = HEADING, hide_short_help = true)]
    pub arrivals: Option<Shape>,

    /// Most I/Os outstanding at once; further ones wait, and the wait counts as latency [default: 1024]
    #[arg(long, value_name = "N", help_heading = HEADING, hide_short_help = true)]
    pub max_outstanding: Option<u32>,
}

fn rate(text: &str) -> Result<u32, ValueError> {
    let is_thousands =
        text.len() == 3 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_thousands {
        return Err(ValueError {
            reason: "follows a comma, which separates rates".into(),
            next: "write a number without a comma, or in thousands: 5000 or 5k for 5,000".into(),
        });
    }
    match values::rate(text)? {
        0 => Err(ValueError {
            reason: "is not a rate: nothing would arrive".into(),
            next: format!("give rates from 1 to {MAX_RATE} per second"),
        }),
        rate => Ok(rate),
    }
}

pub fn shape(text: &str) -> Result<Shape, ValueError> {
    let text = text.to_ascii_lowercase();
    let bursty = |number: &str| number.parse::<Spread>().ok();
    match (text.as_str(), text.split_once(':')) {
        ("even", _) => Ok(Shape::Even),
        ("poisson", _) => Ok(Shape::Poisson),
        (_, Some(("bursty", number))) if bursty(number).is_some() => {
            Ok(bursty(number).map_or(Shape::Poisson, Shape::Bursty))
        }
        _ => Err(ValueError {
            reason: "is not a shape of arrivals".into(),
            next: format!(
                "give even, poisson, or bursty:N with N from {} to {}, such as bursty:4",
                Spread::LEAST,
                Spread::MOST
            ),
        }),
    }
}

/// The request of the level; `given` is all that was typed.
pub fn request(given: &LevelArgs) -> Result<Request, Problem> {
    let OpenArgs { rate, arrivals, max_outstanding } = &given.open;
    if rate.is_empty() {
        return Err(Problem::usage("the level 'open' needs the rates at which I/O arrives")
            .at("--rate")
            .next("give one or several, such as --rate 1000,5000,20000"));
    }
    // The size is that of this class.
    let mut load = given.load.clone();
    let size = load.size_small.take().unwrap_or(DEFAULT_SMALL);
    let plain = shaping::request(Front::Rigel, RunLevel::Open, &load, &given.own)?;
    let most_outstanding = most_outstanding(*max_outstanding)?;
    let class = LoadClass {
        write_percent: plain.write_percent(),
        arrival: Arrival::Open { shape: arrivals.unwrap_or_default(), most_outstanding },
        levels: rate.clone(),
        ..LoadClass::random(OPEN, size.0)
    };
    let request = Request { classes: vec![class], ..plain };
    request.check()?;
    Ok(request)
}

/// A number with thousands commas is a list of rates, like any other; mentioned if it looks like one.
pub fn looks_like_thousands(rates: &[u32]) -> Option<String> {
    let (first, rest) = rates.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let is_group = |rate: &u32| (100..1000).contains(rate);
    (*first < 100 && rest.iter().all(is_group)).then(|| {
        let shown = |between: &str| rates.iter().map(u32::to_string).collect::<Vec<_>>().join(between);
        format!("--rate {} gives {} rates; for one rate, write {}", shown(","), rates.len(), shown(""))
    })
}

/// Most outstanding I/Os, as requested.
pub fn most_outstanding(asked: Option<u32>) -> Result<u32, Problem> {
    let most = asked.unwrap_or(DEFAULT_MOST_OUTSTANDING);
    if (1..=MAX_OUTSTANDING).contains(&most) {
        return Ok(most);
    }
    Err(Problem::usage(format!("at most {most} outstanding I/Os are not possible"))
        .at("--max-outstanding")
        .next(format!("give 1 to {MAX_OUTSTANDING}, or leave it out")))
}
