//! Whether the targets of two sides can alternate.
//!
//! Must not open a target.

use crate::args::{RunOptions, same_sides};
use rigel_core::error::Problem;
use rigel_core::facts::TargetFacts;
use rigel_core::load::plan::Plan;
use rigel_core::load::request::Request;
use rigel_core::load::sides::Side;
use rigel_run::bench::make;

/// Refuses a target that both sides have, if that makes no sense.
pub fn check(options: &RunOptions, targets: &[TargetFacts]) -> Result<(), Problem> {
    let request = &options.request;
    let Some(both) = common(request, targets) else { return Ok(()) };
    if request.write_percent().writes() {
        return Err(Problem::usage("both sides would write to the same target")
            .at(&both.path)
            .because("it is opened exclusively for one of them")
            .next("give each side its own target, or use a read-only load"));
    }
    let [a, b] = Side::BOTH.map(|side| request.alone(side));
    let same_way = (a.engine, a.buffered) == (b.engine, b.buffered);
    if same_way && !options.versus.same {
        return Err(same_sides(&both.path));
    }
    Ok(())
}

/// The same if Rigel chooses the engine of a side, and on this host chooses that of the other.
pub fn check_engines(options: &RunOptions, plan: &Plan, targets: &[TargetFacts]) -> Result<(), Problem> {
    let request = &options.request;
    if options.versus.same || common(request, targets).is_none() {
        return Ok(());
    }
    let [a, b] = Side::BOTH.map(|side| request.alone(side));
    if a.buffered != b.buffered {
        return Ok(());
    }
    match [a, b].map(|side| make::engine_kind(&side, plan)) {
        [Some(a), Some(b)] if a == b => Err(same_sides("--and-engine").because(format!(
            "on this host both get the engine {}, so only chance could make a difference",
            a.name()
        ))),
        _ => Ok(()),
    }
}

/// The first target that both sides have; `None` without sides.
fn common<'t>(request: &Request, targets: &'t [TargetFacts]) -> Option<&'t TargetFacts> {
    request.sides?;
    let [of_a, of_b] = Side::BOTH.map(|side| request.of_side(side, targets));
    of_a.iter().find(|a| of_b.iter().any(|b| a.is_same_as(b)))
}
