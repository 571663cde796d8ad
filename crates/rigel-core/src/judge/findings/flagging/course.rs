//! Flags from the course of the rate inside the visits to a point.
//!
//! The mean of a visit hides a temporary fall. Must not compare visits.

use super::words::rate;
use crate::judge::flags::{Flag, FlagCode};
use crate::judge::profiles::rates;
use crate::load::class::{Class, LoadClass};
use crate::record::{Header, Visit};
use crate::stats::detect::course::{Course, LEAST_STEP, Level, course};
use crate::stats::settle::after;
use crate::units::say::{figure, rate_change, rough_time};
use crate::units::{NS_PER_S, to_f64};

/// The course of one visit.
#[derive(Debug)]
pub struct VisitCourse<'a> {
    visit: &'a Visit,
    course: Course,
    /// From the start of the load to the start of the series.
    offset_ns: u64,
}

/// The flags of a point; `visits` are those behind its figures, and `settle_ns` the part of the start of each that does not
/// count.
pub fn of_point(header: &Header, visits: &[&Visit], settle_ns: u64) -> Vec<Flag> {
    let mut found = Vec::new();
    // The rate of an open loop is given.
    for load in header.request.classes.iter().filter(|load| !load.is_open()) {
        let own: Vec<VisitCourse<'_>> =
            visits.iter().filter_map(|visit| of_visit(visit, load.name, settle_ns)).collect();
        let levels = |found: &&VisitCourse<'_>| matches!(found.course, Course::Levels(_));
        let (shifts, drifts): (Vec<_>, Vec<_>) = own.iter().partition(levels);
        for (code, found_in) in [(FlagCode::LevelShift, shifts), (FlagCode::Drift, drifts)] {
            found.extend(flag(load, code, &found_in, visits.len()));
        }
    }
    found
}

/// The same for a run that asks how the rate changes: a rate that fell and recovered within a visit does not answer that.
pub fn back_and_forth(header: &Header, visits: &[&Visit]) -> Vec<Flag> {
    let closed = header.request.classes.iter().filter(|load| !load.is_open());
    let of_class = |load: &LoadClass| {
        let each = visits.iter().filter_map(|visit| of_visit(visit, load.name, 0));
        let own: Vec<VisitCourse<'_>> = each.filter(VisitCourse::came_back).collect();
        flag(load, FlagCode::LevelShift, &own.iter().collect::<Vec<_>>(), visits.len())
    };
    closed.filter_map(of_class).collect()
}

/// The course of a class in one visit, after `settle_ns` of load; `None` if it is steady.
pub fn of_visit(visit: &Visit, class: Class, settle_ns: u64) -> Option<VisitCourse<'_>> {
    let tally = visit.tallies.get(&class)?;
    let width_ns = tally.series.bucket_ns;
    let all = rates(tally, visit.measured_ns);
    let lead_ns = tally.lead_ns.max(settle_ns.saturating_sub(visit.settle_ns.saturating_sub(tally.lead_ns)));
    let settled = after(&all, width_ns, lead_ns);
    let left_out_ns = width_ns.saturating_mul(u64::try_from(all.len() - settled.len()).unwrap_or(u64::MAX));
    let offset_ns = visit.settle_ns.saturating_sub(tally.lead_ns).saturating_add(left_out_ns);
    Some(VisitCourse { visit, course: course(settled, width_ns)?, offset_ns })
}

fn flag(load: &LoadClass, code: FlagCode, found: &[&VisitCourse<'_>], visits: usize) -> Option<Flag> {
    let first = found.first()?;
    let mut text = format!("{}: {}", load.title(), first.sentence(load));
    let began_ns = first.visit.began_ns.saturating_sub(first.visit.settle_ns);
    if began_ns >= NS_PER_S {
        text.push_str(&format!("; it began {} into the run", rough_time(to_f64(began_ns))));
    }
    if visits > 1 {
        text.push_str(&format!("; {} of {visits} visits show such changes", found.len()));
    }
    Some(Flag::new(code, text))
}

impl VisitCourse<'_> {
    /// How the rate changed, and when.
    pub fn sentence(&self, load: &LoadClass) -> String {
        match &self.course {
            Course::Levels(levels) => self.steps(load, levels),
            Course::Drift(drift) => {
                format!(
                    "the rate changed steadily during the visit, by {} of its mean",
                    rate_change(drift.total)
                )
            }
        }
    }

    /// The last level and when it began, if it is below the first one.
    pub fn lasting(&self) -> Option<(f64, u64)> {
        let Course::Levels(levels) = &self.course else { return None };
        let last = levels.last().filter(|last| last.rate < levels[0].rate)?;
        Some((last.rate, self.offset_ns.saturating_add(last.from_ns)))
    }

    /// Whether the last level is the first one again.
    pub fn came_back(&self) -> bool {
        matches!(&self.course, Course::Levels(levels) if levels.len() > 2 && alike(levels[0], levels[levels.len() - 1]))
    }

    fn steps(&self, load: &LoadClass, levels: &[Level]) -> String {
        let at = |level: &Level| rough_time(to_f64(self.offset_ns.saturating_add(level.from_ns)));
        let went = |before: &Level, after: &Level| if after.rate < before.rate { "fell" } else { "rose" };
        let (first, second) = (&levels[0], &levels[1]);
        let begins = format!(
            "the rate {} from {} to {} at {}",
            went(first, second),
            figure(first.rate * load.scale()),
            rate(load, second.rate),
            at(second)
        );
        let Some(third) = levels.get(2) else { return format!("{begins} of the visit") };
        let again = alike(*first, *third);
        let goes_on = if again {
            format!("came back at {}", at(third))
        } else {
            format!("{} to {} at {}", went(second, third), rate(load, third.rate), at(third))
        };
        let more = match levels.len() - 3 {
            0 => String::new(),
            1 => ", then changed once more".to_owned(),
            more => format!(", then changed {more} more times"),
        };
        format!("{begins} and {goes_on} of the visit{more}")
    }
}

/// Whether two levels are equal, by the step that separates levels.
fn alike(one: Level, other: Level) -> bool {
    one.rate.min(other.rate) > LEAST_STEP * one.rate.max(other.rate)
}
