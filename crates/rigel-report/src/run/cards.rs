//! The headline numbers as cards: the extremes over all points with their intervals, and what a search found.
//!
//! Must not show a number without its doubts.

use crate::document::Card;
use crate::flag_scopes::FlagScopes;
use crate::headline::{self, Headline};
use crate::view::View;
use crate::words;
use rigel_core::judge::findings::CurveFindings;
use rigel_core::path_text::printable;
use rigel_core::units::say::number;

/// A card for each; empty if nothing was measured.
pub(super) fn of(view: &View<'_>) -> Vec<Card> {
    let found = &view.findings;
    let best = headline::all(view, &found.best, found.answers.as_ref());
    let scopes = FlagScopes::of(view);
    best.iter().map(|one| card(view, &scopes, one)).chain(found.curves.iter().map(searched)).collect()
}

fn card(view: &View<'_>, scopes: &FlagScopes<'_>, one: &Headline) -> Card {
    let title = one.name.clone();
    let best = match &one.found {
        Ok(best) => best,
        Err(reason) => {
            return Card { title, value: "none".to_owned(), about: vec![reason.clone()], ..Card::default() };
        }
    };
    let interval = best.estimate.interval.map_or_else(
        || "without an interval (one visit)".to_owned(),
        |interval| {
            format!(
                "±{} %: {} to {} (95 %, {})",
                words::percent(interval.relative_half_width),
                one.unit.write(interval.lo95),
                one.unit.write(interval.hi95),
                words::counted(interval.visits, "visit")
            )
        },
    );
    Card {
        title,
        value: one.unit.write(best.estimate.value),
        unit: one.unit.name().to_owned(),
        about: vec![interval, headline::load(view, one, *best)],
        flags: view
            .at(best.point)
            .map_or_else(Vec::new, |found| scopes.own(found).into_iter().cloned().collect()),
    }
}

/// The level that saturates a class.
fn searched(found: &CurveFindings) -> Card {
    let curve = &found.curve;
    let least = if curve.saturated { "" } else { "at least " };
    Card {
        title: format!("Saturation of {}", found.load.noun()),
        value: format!("{least}{}", curve.n_sat.found),
        unit: "outstanding".to_owned(),
        about: vec![
            format!("{} to {} within the noise", curve.n_sat.lo, curve.n_sat.hi),
            format!(
                "{least}{} {} ±{} %; the best rate for its latency at {}",
                number(found.rate(curve.x_max).value),
                printable(found.load.unit()),
                words::percent(curve.x_max.relative_half_width),
                curve.power_knee
            ),
        ],
        flags: found.flags.clone(),
    }
}
