//! Whether the ratios of two sides are as precise as requested: a sentence, and what casts doubt on them.
//!
//! Must not judge a width; the sides do.

use crate::judgement::Cause;
use crate::view::View;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::pace::{Pace, Precision};
use rigel_core::load::request::Request;
use rigel_core::units::say::{counted, plain_percent};
use rigel_uses::compare::change::Doubt;
use rigel_uses::versus::Versus;

/// What the ratios of a two-sided run compare.
pub(crate) const fn ratio_of(request: &Request) -> &'static str {
    if request.is_beside_raw() { "SQL to raw I/O" } else { "B to A" }
}

/// `5 of 7 ratios of B to A are as precise as requested (±2 %).`
pub(crate) fn sureness(view: &View<'_>, found: &Versus) -> String {
    let ratio_of = ratio_of(&view.record.header.request);
    let asked = format!("as precise as requested (±{} %)", plain_percent(found.target));
    match found.reached_of() {
        (_, 0) => format!("There is no ratio of {ratio_of}."),
        (1, 1) => format!("The ratio of {ratio_of} is {asked}."),
        (_, 1) => format!("The ratio of {ratio_of} is not {asked}."),
        (0, all) => format!("None of {all} ratios of {ratio_of} is {asked}."),
        (reached, all) if reached == all => format!("All {all} ratios of {ratio_of} are {asked}."),
        (reached, all) => format!("{reached} of {all} ratios of {ratio_of} are {asked}."),
    }
}

/// That not every ratio is as precise as requested, and what to do; `None` if each is, or if no precision was requested
/// and the requested limits are decided.
pub(crate) fn not_reached(view: &View<'_>, found: &Versus) -> Option<Cause> {
    let (reached, all) = found.reached_of();
    let is_asked = is_asked(&view.record.header.request);
    if reached == all || (found.is_decided() && !is_asked) {
        return None;
    }
    let widths = found.led().filter_map(|(_, ratio)| ratio.map(|ratio| ratio.relative_half_width));
    let widest = widths.fold(0.0, f64::max);
    let rounds = found.ratios.iter().flatten().map(|ratio| ratio.visits).max().unwrap_or(0);
    let asked = plain_percent(found.target);
    let is_wide = widest > found.target;
    let figures = if is_wide {
        let rounds = counted(rounds, "round");
        format!("up to ±{} % after {rounds}, ±{asked} % requested", plain_percent(widest))
    } else if found.led().any(|(row, _)| row.change == Err(Doubt::Invalid)) {
        "no ratio of numbers that must not be used".to_owned()
    } else {
        "too few rounds for a ratio".to_owned()
    };
    let request = &view.record.header.request;
    let asked_by = if is_asked { "requested" } else { "the default of --precision" };
    let place = match (all - reached, all) {
        (1, 1) => "the ratio".to_owned(),
        (some, all) => format!("{some} of {all} ratios"),
    };
    let remedy = remedy(view, is_wide.then_some(widest), rounds);
    let trust = if is_wide { " Trust each only within its interval." } else { "" };
    Some(Cause {
        code: Some(FlagCode::NotReached),
        invalid: false,
        means: format!(
            "Not every ratio of {} is known to ±{asked} % ({asked_by}).{trust}",
            ratio_of(request)
        ),
        place,
        figures,
        remedy: if found.is_decided() { format!("Every limit is decided anyway. {remedy}") } else { remedy },
    })
}

/// Whether the precision differs from the default.
fn is_asked(request: &Request) -> bool {
    let usual = if request.is_beside_raw() { Precision::default() } else { Precision::OF_RATIOS };
    matches!(request.pace(), Some(Pace::Adaptive(pace)) if pace.precision != usual)
}

/// What to do: nothing if the achieved width is enough, otherwise the remaining ways to narrow it.
fn remedy(view: &View<'_>, widest: Option<f64>, rounds: usize) -> String {
    let header = &view.record.header;
    let pace = header.request.pace();
    let most = header.plan.adaptive.as_ref().map_or(0, |plan| plan.parameters.most_visits);
    let more = match pace {
        Some(Pace::Adaptive(pace)) if pace.max_duration.is_some() && rounds < most as usize => {
            "give the run more time (--for)"
        }
        Some(Pace::Adaptive(pace)) if pace.fast => "measure without --fast",
        _ if header.plan.steps.len() > 2 => "measure at a quieter time, or fewer loads in one run",
        _ => "measure at a quieter time",
    };
    let enough = widest.map(|widest| {
        let percent = (100.0 * widest).ceil();
        // More than a command line may ask for.
        if percent > 100.0 * Precision::WIDEST.fraction() {
            return "This run was too short to tell. ".to_owned();
        }
        format!("If ±{percent:.0} % is enough, you are done (--precision {percent:.0}% asks for that). ")
    });
    format!("{}For a narrower interval, {more}.", enough.unwrap_or_default())
}
