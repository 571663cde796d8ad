//! Whether the ratios of two sides are as sure as was asked for: a sentence, and what speaks against them.
//!
//! Must not judge a width; the sides do.

use crate::numbers::{counted, plain_percent};
use crate::verdict::Cause;
use crate::view::View;
use rigel_core::judge::flags::FlagCode;
use rigel_core::load::pace::{Pace, Precision};
use rigel_core::load::request::Request;
use rigel_core::uses::versus::Versus;

/// What the ratios of a run of two sides are of.
pub(crate) const fn ratio_of(request: &Request) -> &'static str {
    if request.is_beside_raw() { "SQL to raw I/O" } else { "B to A" }
}

/// `The ±2.0 % asked for was reached for 5 of 7 ratios of B to A.`
pub(crate) fn sureness(view: &View<'_>, found: &Versus) -> String {
    let ratio_of = ratio_of(&view.record.header.request);
    let (reached, all) = found.reached_of();
    let of = match (reached, all) {
        (_, 0) => return format!("There is no ratio of {ratio_of}."),
        (1, 1) => "was reached for the ratio".to_owned(),
        (0, 1) => "was not reached for the ratio".to_owned(),
        (reached, all) if reached == all => format!("was reached for all {all} ratios"),
        (reached, all) => format!("was reached for {reached} of {all} ratios"),
    };
    format!("The ±{} % asked for {of} of {ratio_of}.", plain_percent(found.target))
}

/// That not every ratio is as sure as was asked for, and what to do; nothing where each is, or where nobody asked how sure it is
/// and the bounds that were asked for are decided.
pub(crate) fn not_reached(view: &View<'_>, found: &Versus) -> Option<Cause> {
    let (reached, all) = found.reached_of();
    let is_asked = view.record.header.request.command_line.contains("--precision");
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
        format!("±{} % at most after {rounds}, ±{asked} % was asked for", plain_percent(widest))
    } else {
        "no ratio can be told".to_owned()
    };
    let request = &view.record.header.request;
    let asked_by =
        if is_asked { "as was asked for" } else { "which is asked for unless --precision says otherwise" };
    let place = match (all - reached, all) {
        (1, 1) => "the ratio".to_owned(),
        (some, all) => format!("{some} of {all} ratios"),
    };
    let remedy = remedy(view, is_wide.then_some(widest), rounds);
    let holds = if is_wide { " The intervals that are shown hold all the same." } else { "" };
    Some(Cause {
        code: Some(FlagCode::NotReached),
        invalid: false,
        means: format!("Not every ratio of {} is known to ±{asked} %, {asked_by}.{holds}", ratio_of(request)),
        place,
        figures,
        remedy: if found.is_decided() {
            format!("Every bound that was asked for is decided all the same. {remedy}")
        } else {
            remedy
        },
    })
}

/// What to do: nothing where the width that was reached is enough, else what is left that makes it narrower.
fn remedy(view: &View<'_>, widest: Option<f64>, rounds: usize) -> String {
    let header = &view.record.header;
    let pace = header.request.pace;
    let most = header.plan.adaptive.as_ref().map_or(0, |plan| plan.parameters.most_visits);
    let more = match pace {
        Pace::Adaptive(pace) if pace.max_duration.is_some() && rounds < most as usize => {
            "give the run more time (--max-duration)"
        }
        Pace::Adaptive(pace) if pace.fast => "measure without --fast",
        _ if header.plan.steps.len() > 2 => "measure at a quieter time, or fewer loads in one run",
        _ => "measure at a quieter time",
    };
    let enough = widest.map(|widest| {
        let percent = (100.0 * widest).ceil();
        // More than a command line may ask for.
        let asked = if percent <= 100.0 * Precision::WIDEST.fraction() {
            format!(" (--precision {percent:.0}% asks for that)")
        } else {
            String::new()
        };
        format!("Where ±{percent:.0} % is enough, nothing has to be done{asked}. ")
    });
    format!("{}To know more, {more}.", enough.unwrap_or_default())
}
