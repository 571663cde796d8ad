//! The results for the required rates.
//!
//! Must not search one, and must not format.

use super::open::{self, Circumstances, SloOpen};
use super::{PointVisitSet, SloAnswer, SloRate, doubt};
use crate::judge::findings::PointFindings;
use crate::load::plan::RatePoints;
use crate::load::request::Request;
use crate::load::slo::{Requirement, SloBound};
use crate::stats::share::{BoundVerdict, Ratio};

/// A rate was kept up where the load of the whole time was at least this part of it: credit would have been used up at that rate, too.
const KEPT_UP: f64 = 0.95;

/// A required rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequiredRate {
    /// The requirement.
    pub requirement: Requirement,
    /// What was observed over what is allowed.
    pub ratio: Option<Ratio>,
    /// Whether it is met, as measured.
    pub kept: BoundVerdict,
    /// What leaves it undecided; if not met, a doubt that this is the storage; or that other rates decided it.
    pub open: Option<SloOpen>,
}

impl RequiredRate {
    /// The verdict of its own visits.
    pub fn kept_there(&self) -> BoundVerdict {
        if self.open == Some(SloOpen::Around) { BoundVerdict::Undecided } else { self.kept }
    }

    /// One answer per run: if its own visits leave a rate open, the bracket decides, which is based on all visits around it.
    pub(super) fn beside(self, answer: &SloAnswer, bounds: &[SloBound]) -> Self {
        let SloAnswer::Rate(SloRate { lower, upper, is_by_tool, .. }) = *answer else { return self };
        let stays = matches!(self.open, Some(SloOpen::Overload | SloOpen::Unusable(_)));
        if self.kept != BoundVerdict::Undecided || stays || !bounds.contains(&self.requirement.bound) {
            return self;
        }
        let rate = f64::from(self.requirement.rate);
        // Of several bounds another one may be that which is broken, and on a busy host it may not be the storage that breaks it.
        let is_storage = !is_by_tool && !matches!(self.open, Some(SloOpen::Busy | SloOpen::Late));
        let is_broken = bounds.len() == 1 && is_storage && upper.is_some_and(|upper| rate >= upper);
        let kept = match lower {
            Some(lower) if rate <= lower => BoundVerdict::Yes,
            _ if is_broken => BoundVerdict::No,
            _ => return self,
        };
        Self { kept, open: Some(SloOpen::Around), ..self }
    }

    /// A rate that is met in short visits, in a run with this load over the whole time: a lower one does not show that it is met for longer.
    pub(super) fn within(self, mean_rate: f64) -> Self {
        let is_kept_up = mean_rate >= KEPT_UP * f64::from(self.requirement.rate);
        if self.kept != BoundVerdict::Yes || self.open.is_some() || is_kept_up {
            return self;
        }
        Self { open: Some(SloOpen::Rests(mean_rate)), ..self }
    }
}

/// The result of a requirement: with several loads that of the one which meets it least.
pub(super) fn required_of(
    (visited, judged, request): (&PointVisitSet, &[PointFindings], &Request),
    named: Option<&RatePoints>,
    (place, requirement): (usize, &Requirement),
) -> RequiredRate {
    let nothing = Some(SloOpen::NotVisited);
    let none =
        RequiredRate { requirement: *requirement, ratio: None, kept: BoundVerdict::Undecided, open: nothing };
    let of_part = |named: &RatePoints| {
        let step = *named.required.get(place)?;
        let seen = visited.ratios(step, &requirement.bound);
        let ratio = visited.ratio(step, &requirement.bound);
        let kept = visited.as_measured(step, ratio);
        let circumstances = Circumstances {
            is_overload: visited.overloaded.contains(&step),
            is_late: visited.is_by_tool(step, &requirement.bound),
            is_busy: judged.iter().any(|found| found.step == step && open::is_busy(found)),
        };
        let open = SloOpen::of(kept, ratio.zip(open::asked(&seen, &requirement.bound)), circumstances);
        let forbidden = judged.iter().filter(|found| found.step == step);
        let forbidden = forbidden.filter_map(|found| open::forbidden(found, request)).next();
        let (kept, open) = match forbidden.filter(|_| ratio.is_some()) {
            Some((code, false)) => (BoundVerdict::Undecided, Some(SloOpen::Unusable(code))),
            // Asked for: the verdict is one on memory.
            Some((code, true)) if kept != BoundVerdict::Undecided => (kept, Some(SloOpen::Unusable(code))),
            _ => (kept, open),
        };
        Some(RequiredRate { ratio, kept, open, ..none })
    };
    let value = |found: &RequiredRate| found.ratio.map_or(0.0, |ratio| ratio.value);
    let parts = named.into_iter().flat_map(RatePoints::all).map(|named| of_part(named).unwrap_or(none));
    let worst = parts.max_by(|one, other| {
        doubt(one.kept).cmp(&doubt(other.kept)).then(value(one).total_cmp(&value(other)))
    });
    worst.unwrap_or(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_that_is_met_beside_much_less_load_says_so() {
        let requirement: Requirement = "p99 < 2ms @ 4000".parse().unwrap();
        let of = |kept, open, mean_rate| {
            RequiredRate { requirement, ratio: None, kept, open }.within(mean_rate).open
        };
        assert_eq!(of(BoundVerdict::Yes, None, 3800.0), None);
        assert_eq!(of(BoundVerdict::Yes, None, 3799.0), Some(SloOpen::Rests(3799.0)));
        assert_eq!(of(BoundVerdict::Yes, Some(SloOpen::Around), 10.0), Some(SloOpen::Around));
        assert_eq!(of(BoundVerdict::No, None, 10.0), None);
        assert_eq!(of(BoundVerdict::Undecided, Some(SloOpen::Few), 10.0), Some(SloOpen::Few));
    }
}
