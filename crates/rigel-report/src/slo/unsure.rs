//! What casts doubt on the answer of a search for a rate: an end of it that is not known.
//!
//! Must not judge a rate; the findings do.

use super::text::all_break;
use crate::judgement::Cause;
use rigel_core::judge::findings::{SloAnswer, SloFindings, SloRate};
use rigel_core::judge::flags::FlagCode;
use rigel_core::stats::share::BoundVerdict;
use rigel_core::units::say::counted;

/// The warning that the answer is less precise than it may sound, and what to do. `None` if both ends are known, or
/// if every required rate is decided, because that was the question.
pub(crate) fn cause(found: &SloFindings) -> Option<Cause> {
    let is_decided =
        !found.required.is_empty() && found.required.iter().all(|one| one.kept != BoundVerdict::Undecided);
    let means = missing(found).filter(|_| !is_decided)?;
    Some(Cause {
        code: Some(FlagCode::NotReached),
        invalid: false,
        means: means.to_owned(),
        place: "the rate".to_owned(),
        figures: format!("{} visited after the search", counted(found.points.len(), "rate")),
        remedy: "Give the run more time (--for), or ask for a limit further away from the latency of the idle storage.".to_owned(),
    })
}

const LIKELY: &str = "The answer is likely but not proven: there were too few visits.";

fn missing(found: &SloFindings) -> Option<&'static str> {
    let open = "One end of the rate is not known: the visits do not show it.";
    match &found.answer {
        SloAnswer::Rate(SloRate { lower: Some(_), upper: Some(_), .. }) => None,
        SloAnswer::Rate(SloRate { lower: None, upper: None, .. }) => {
            Some("The precision of the rate is unknown: no visit shows whether a rate meets the limits.")
        }
        SloAnswer::Rate(SloRate { lower: None, at: None, .. }) if all_break(found, |ratio| ratio.lo95) => {
            None
        }
        SloAnswer::Rate(SloRate { lower: None, at: None, .. }) if all_break(found, |ratio| ratio.value) => {
            Some(LIKELY)
        }
        SloAnswer::Rate(_) => Some(open),
        SloAnswer::Nowhere(_, BoundVerdict::No)
        | SloAnswer::Everywhere(_, BoundVerdict::Yes)
        | SloAnswer::Unfinished
        | SloAnswer::NotSearched => None,
        SloAnswer::Everywhere(_, BoundVerdict::No) => {
            Some("The rate is not known: chance led the search to rates that break the limits.")
        }
        SloAnswer::Nowhere(..) | SloAnswer::Everywhere(..) => Some(LIKELY),
    }
}
