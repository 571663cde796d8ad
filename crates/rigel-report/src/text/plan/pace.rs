//! The part of a plan that describes an adaptive run: search, precision, visits, time.
//!
//! Must not repeat a rule of the plan; it knows them by its methods.

use super::{load_before, sentences};
use crate::duration::range;
use crate::page::Page;
use crate::{versus, words};
use rigel_core::load::class::{LoadClass, Pattern};
use rigel_core::load::pace::Adaptive;
use rigel_core::load::plan::{AdaptivePlan, LevelSearch, Plan, RateSearch, WarmUp};
use rigel_core::load::request::Request;
use rigel_core::load::slo::Slo;
use rigel_core::stats::schedule::{LongVisit, Phase};
use rigel_core::units::Nanos;
use rigel_core::units::say::span;

/// The search for load levels, which comes first.
pub(super) fn search(page: &mut Page, request: &Request, search: &LevelSearch) {
    let most = |class: &LoadClass| {
        let most = search.room().of(class.name);
        if class.streams() {
            format!("up to {most} streams")
        } else {
            format!("{} up to {most} outstanding", class.noun())
        }
    };
    let classes = search.classes.iter().filter_map(|class| request.class(*class));
    let classes: Vec<String> = classes.map(most).collect();
    let each = search.settle.0.saturating_add(search.measure.0).max(1);
    let visits = usize::try_from(search.usual_time().0 / each).unwrap_or(usize::MAX);
    sentences(
        page,
        "Search",
        [
            format!("{}, until more gains nothing", classes.join(", then ")),
            format!(
                "usually {} of {} to settle and {} measured",
                words::counted(visits, "visit"),
                search.settle,
                search.measure
            ),
            "the points then lie around what saturates each class".to_owned(),
        ]
        .into_iter()
        .chain(search.share.map(|share| {
            format!("ends after {} at the latest, because the points need the remaining time", span(share))
        })),
    );
}

/// The search for a rate, and what follows it.
pub(super) fn rates(page: &mut Page, slo: &Slo, search: &RateSearch) {
    let bounds = slo.bounds.iter().map(|bound| format!("{bound}: {}", bound.meaning()));
    sentences(page, "Limits", bounds);
    sentences(page, "Required", slo.required.iter().map(ToString::to_string));
    if let Some(scaled) = &slo.scaled {
        let names: Vec<String> =
            scaled.phases.iter().map(|phase| phase.saturating_add(1).to_string()).collect();
        let visits = if names.len() > 1 { "; each scale is a visit to each of them" } else { "" };
        let (phases, decide) = if names.len() == 1 { ("phase", "decides") } else { ("phases", "decide") };
        let text = format!(
            "all phases scaled together; {phases} {} of the {} in the file {decide}; rates are those of the first that decides{visits}",
            words::listed(&names),
            scaled.of
        );
        sentences(page, "Scale", [text]);
    }
    if slo.required_only {
        let visits = format!(
            "of {} to settle and {} measured, to the required rates alone, until the time is over",
            search.settle,
            Nanos(search.measure.0.saturating_mul(2))
        );
        let more = "a separate limit (such as --p99) also searches for the highest rate that meets it";
        return sentences(page, "Visits", [visits, more.to_owned()]);
    }
    sentences(
        page,
        "Search",
        [
            format!(
                "rates of {} to {} per second, from {} on, then between those that meet the limits and those that do not",
                search.lowest, search.most, search.first
            ),
            format!(
                "visits of {} to settle and {} measured, until {} at the latest",
                search.settle,
                search.measure,
                span(search.share)
            ),
            format!(
                "then visits twice as long in random order to the rates around the one found, to 50, 70 and \
                 90 % of it{}, until the time is over",
                if slo.required.is_empty() { "" } else { " and to those required" }
            ),
        ],
    );
}

pub(super) fn adaptive(page: &mut Page, request: &Request, plan: &Plan, adaptive: Adaptive) {
    let of = if request.sides.is_some() {
        format!("ratio of {}", versus::ratio_of(request))
    } else {
        "mean rate".to_owned()
    };
    let precision = format!("{}: half the width of the 95 % CI of every {of}", adaptive.precision);
    sentences(page, "Precision", [precision]);
    if let Some(planned) = &plan.adaptive {
        sentences(page, "Visits", visits(request, plan, planned));
        sentences(page, "Per visit", per_visit(planned));
    }
    sentences(page, "Time", [time(request, plan, adaptive)]);
}

fn visits(request: &Request, plan: &Plan, planned: &AdaptivePlan) -> Vec<String> {
    let several = planned.phases.len() > 1;
    let order = if request.sides.is_some() {
        "loads in random order, each on A and on B one right after the other, until the precision is reached for every ratio"
    } else {
        "in random order, until the precision is reached at every point"
    };
    let mut lines = vec![order.to_owned()];
    if let Some(warm_up) = planned.warm_up {
        let has_log = request.classes.iter().any(|class| class.pattern == Pattern::Log);
        let first = if has_log { "visit" } else { "stream" };
        lines.push(format!("before the first {first} {}", load_before(request, warm_up)));
    }
    for (index, phase) in planned.phases.iter().enumerate() {
        let mut line = words::counted(phase.points.len(), "point");
        if several {
            line += if phase_writes(request, plan, phase) { " that write" } else { " that only read" };
        }
        if index > 0 && planned.parameters.pause_ns > 0 {
            line += &format!(", after a pause of {}", Nanos(planned.parameters.pause_ns));
        }
        lines.push(format!("{line}: {}", rounds(request, plan, planned, phase)));
    }
    lines
}

fn phase_writes(request: &Request, plan: &Plan, phase: &Phase) -> bool {
    let steps = phase.points.iter().filter_map(|&index| plan.steps.get(index));
    steps.into_iter().any(|step| request.writes(step.point))
}

/// `first 20 s at small 5 large 2, then 4 to 12 visits to each, 20 s or more apart`
fn rounds(request: &Request, plan: &Plan, planned: &AdaptivePlan, phase: &Phase) -> String {
    let parameters = phase.parameters(&planned.parameters);
    let points = phase.points.len();
    let visits = format!(
        "{} to {} visits to each, {} or more apart",
        parameters.first_look(points),
        parameters.most_visits,
        Nanos(parameters.gap_for(points))
    );
    let long = |long: &LongVisit| {
        let point = plan.steps.get(long.point)?.point;
        Some(format!("{} at {}", Nanos(long.measure_ns), point.words_of(&request.classes)))
    };
    let long_visits: Vec<String> = phase.long_visits.iter().filter_map(long).collect();
    if long_visits.is_empty() {
        return visits;
    }
    format!("first {}, to see limits and drift, then {visits}", long_visits.join(" and "))
}

fn per_visit(planned: &AdaptivePlan) -> [String; 1] {
    let parameters = &planned.parameters;
    [format!(
        "{} to settle, then {} measured; up to {} when fewer than {} I/Os complete",
        Nanos(parameters.settle_ns),
        Nanos(parameters.measure_ns),
        Nanos(parameters.longest_measure_ns),
        parameters.least_ios
    )]
}

/// `usually 2 to 10 min: the shorter on a steady device, ..; no visit begins after 10 min`
fn time(request: &Request, plan: &Plan, adaptive: Adaptive) -> String {
    let usually = range(plan.prospect(request));
    let searched = if plan.search.is_some() && plan.steps.is_empty() { ", with the search" } else { "" };
    let with_bytes = |planned: &AdaptivePlan| matches!(planned.warm_up, Some(WarmUp::Bytes(_)));
    let warm_up = if plan.adaptive.as_ref().is_some_and(with_bytes) { " and the warm-up" } else { "" };
    let limit = adaptive
        .max_duration
        .map_or_else(String::new, |limit| format!("; no visit begins after {}", span(limit)));
    let lacks =
        plan.adaptive.as_ref().and_then(|planned| planned.time_that_a_ratio_lacks(request, &plan.steps));
    let short = lacks
        .map_or_else(String::new, |needed| format!("; too short for a ratio, which needs {}", span(needed)));
    format!(
        "usually {usually}{searched}{warm_up}: the less the device varies, the shorter; a device with few IOPS takes longer{limit}{short}"
    )
}
