//! `rigel run scaling`: the same load on each of a growing number of targets.
//!
//! Makes the request; the number of targets is known once they are inspected. Must not look at a path.

use super::level::LevelArgs;
use super::names::Front;
use super::shaping;
use super::values::{self, ValueError};
use rigel_core::error::Problem;
use rigel_core::load::class::{Class, Figure, LoadClass, Pattern};
use rigel_core::load::matrix::RunLevel;
use rigel_core::load::request::{CacheWarmUp, DEFAULT_LARGE, DEFAULT_SMALL, Request};

/// Random I/Os on each target unless another number is named.
const EACH: u32 = 16;

#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct ScalingArgs {
    /// Outstanding I/Os on each target of 'scaling', 'burst' and 'working-set' [default: 16; burst, working-set: 32, or 8 with --large]
    ///
    /// With 'scaling --type seq' it is the number of streams, 1 by default.
    #[arg(long, value_name = "N", value_parser = each, hide_short_help = true, help_heading = "Targets (only with 'scaling', 'burst' and 'working-set')")]
    pub per_target: Option<u32>,
}

fn each(text: &str) -> Result<u32, ValueError> {
    values::number_of(text, "outstanding I/Os")
}

/// The request; `given` is all that was typed. Its levels are those of one target until all are known.
pub fn request(given: &LevelArgs) -> Result<Request, Problem> {
    let mut load = given.load.clone();
    // The sizes are those of this class.
    let (small, large) = (load.size_small.take(), load.size_large.take());
    let plain = shaping::request(Front::Rigel, RunLevel::Scaling, &load, &given.own)?;
    let pattern = plain.class(Class::LARGE).map_or(Pattern::Random, |large| large.pattern);
    let is_seq = matches!(pattern, Pattern::Streams { .. });
    if let (true, Some(_), _) | (false, _, Some(_)) = (is_seq, small, large) {
        let (given, other) =
            if is_seq { ("--size-small", "--size-large") } else { ("--size-large", "--size-small") };
        return Err(Problem::usage(format!("{given} is not a size of this load"))
            .at(given)
            .because(if is_seq {
                "with --type seq it has large I/O only"
            } else {
                "it has small I/O only, unless --type seq is given"
            })
            .next(format!("give the size with {other}")));
    }
    let class = if is_seq {
        let class = LoadClass::random(Class::TARGETS, large.unwrap_or(DEFAULT_LARGE).0);
        LoadClass { pattern, figure: Figure::Mbps, ..class }
    } else {
        LoadClass::random(Class::TARGETS, small.unwrap_or(DEFAULT_SMALL).0)
    };
    let each = given.scaling.per_target.unwrap_or(if is_seq { 1 } else { EACH });
    let write_percent = shaping::write_percent(Front::Rigel, load.write)?;
    let classes = vec![LoadClass { write_percent, per_target: Some(each), levels: vec![1], ..class }];
    // Nobody expects two minutes of other I/O before these reads.
    let cache = if plain.cache == CacheWarmUp::Default { CacheWarmUp::Off } else { plain.cache };
    let request = Request { classes, cache, ..plain };
    request.check()?;
    Ok(request)
}
