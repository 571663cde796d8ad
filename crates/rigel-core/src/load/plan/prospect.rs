//! How long a planned run takes.
//!
//! Must not plan.

use super::{LevelSearch, Plan, SearchOutcome};
use crate::load::request::Request;
use crate::stats::forecast::TimeRange;
use crate::units::Nanos;

/// A level of saturation around which all levels of an axis differ: 1, N/4, N/2, N, 2N.
const MANY_LEVELS: u32 = 16;

impl Plan {
    /// How long the run takes. What the plan leaves open, the noise of the device and the points of a search, makes a
    /// range; a slow device takes longer still. A time limit ends it: only the last visit may exceed it.
    pub fn prospect(&self, request: &Request) -> TimeRange {
        let limit_ns = request.max_duration().map_or(u64::MAX, |limit| limit.0);
        if self.rates.is_some() {
            return TimeRange::exactly(limit_ns);
        }
        let TimeRange { least_ns, most_ns } = self.without_limit(request);
        TimeRange { least_ns: least_ns.min(limit_ns), most_ns: most_ns.min(limit_ns) }
    }

    fn without_limit(&self, request: &Request) -> TimeRange {
        match (&self.search, &self.adaptive) {
            (None, Some(adaptive)) => adaptive.prospect(0, request.seed),
            // The search is over, and only its record knows how long it took.
            (Some(search), Some(adaptive)) => {
                let TimeRange { least_ns, most_ns } = search.time_range();
                let from = |ns| adaptive.prospect(ns, request.seed);
                from(least_ns).up_to(from(most_ns))
            }
            (Some(search), None) => self.prospect_of_search(request, search),
            (None, None) => TimeRange::exactly(self.known_time().0),
        }
    }

    /// From the shortest search and the fewest points to a long one and the most points.
    fn prospect_of_search(&self, request: &Request, search: &LevelSearch) -> TimeRange {
        let time = search.time_range();
        let end = |level: u32, spent_ns: u64| {
            let n_sat = search.classes.iter().map(|&class| (class, level)).collect();
            let found = SearchOutcome { n_sat, ..SearchOutcome::default() };
            let plan = self.with_levels(request, &found, Nanos(spent_ns)).ok()?;
            let known = TimeRange::exactly(spent_ns.saturating_add(plan.steps_time().0));
            Some(plan.adaptive.as_ref().map_or(known, |adaptive| adaptive.prospect(spent_ns, request.seed)))
        };
        let fewest = end(1, time.least_ns).unwrap_or(time);
        fewest.up_to(end(MANY_LEVELS, time.most_ns).unwrap_or(time))
    }
}
