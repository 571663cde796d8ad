//! What casts doubt on the numbers of a run: its flags, each code once, with the figures of its worst place and what to do.
//!
//! Must not word a flag; the flag and its meaning do.

use crate::judgement::Cause;
use crate::notes;
use crate::view::View;
use crate::{versus, words};
use rigel_core::judge::findings::{FlagScope, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode, Mark, Next};
use rigel_core::load::class::LoadClass;
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::record::resume::Rest;
use rigel_core::stats::share::BoundVerdict;
use rigel_uses::versus::Versus;
use std::collections::{BTreeMap, BTreeSet};

/// All causes, the worst first: what makes numbers invalid, what causes other flags, what is next to the headline numbers.
pub(super) fn of(view: &View<'_>, turned: Option<&Versus>) -> Vec<Cause> {
    let mut seen: BTreeMap<FlagCode, Vec<(FlagScope, &Flag)>> = BTreeMap::new();
    let speaks = |(scope, flag): &(FlagScope, &Flag)| {
        flag.speaks_against() && !flag.code.has(Mark::AskedFor) && !is_sought(view, *scope, flag)
    };
    for (scope, flag) in view.findings.flags_by_scope().filter(speaks) {
        seen.entry(flag.code).or_default().push((scope, flag));
    }
    let headline = view.findings.headline_points();
    let mut all: Vec<(bool, bool, Cause)> = seen
        .into_iter()
        .map(|(code, places)| {
            let invalid = places.iter().any(|(_, flag)| flag.invalid);
            let is_beside =
                |scope: &FlagScope| !matches!(scope, FlagScope::Point(point) if !headline.contains(point));
            let beside = places.iter().any(|(scope, _)| is_beside(scope));
            let mut cause = cause(view, code, &places);
            if !invalid && !beside {
                cause.means += " The numbers above are from other points.";
            }
            (!invalid, !beside, cause)
        })
        .collect();
    all.sort_by_key(|(valid, aside, cause)| (*valid, cause.code.map(depth), *aside, cause.code));
    let cut = notes::cut_short(view).map(|what| cut_short(view, what));
    let all = cut.into_iter().chain(all.into_iter().map(|one| one.2));
    let unsure = view.findings.slo.as_ref().and_then(crate::slo::cause);
    all.chain(turned.and_then(|found| versus::not_reached(view, found))).chain(unsure).collect()
}

/// What is worth knowing without casting doubt: a sentence or two for each code that is not a cause.
pub(super) fn notes(view: &View<'_>, causes: &[Cause]) -> Vec<String> {
    let mut seen: BTreeMap<FlagCode, Vec<(FlagScope, &Flag)>> = BTreeMap::new();
    let is_cause = |flag: &Flag| causes.iter().any(|cause| cause.code == Some(flag.code));
    for (scope, flag) in view.findings.flags_by_scope() {
        if !flag.speaks_against() && !is_cause(flag) {
            seen.entry(flag.code).or_default().push((scope, flag));
        }
    }
    let note = |(code, places): (FlagCode, Vec<_>)| {
        let one = cause(view, code, &places);
        format!("To know: {} {}: {}.", one.means, one.label(), one.figures)
    };
    seen.into_iter().map(note).collect()
}

/// A search for a rate exceeds it on purpose, and its bracket says how certain it is.
fn is_sought(view: &View<'_>, scope: FlagScope, flag: &Flag) -> bool {
    let Some(found) = &view.findings.slo else { return false };
    let is_beyond = |point: Point| {
        let own = found.points.iter().find(|one| one.point == point);
        // That it is not met there is the answer.
        if own.is_some_and(|one| one.kept.contains(&BoundVerdict::No)) {
            return true;
        }
        let rate = own.map(|one| one.rate);
        let rate = rate.unwrap_or_else(|| view.record.header.request.rate_of(point));
        found.rate().is_some_and(|answer| f64::from(rate) > answer.at.or(answer.lower).unwrap_or(0.0))
    };
    match (flag.code, scope) {
        (FlagCode::NotReached | FlagCode::FewPoints, _) => true,
        (FlagCode::Overload, FlagScope::Point(point)) => is_beyond(point),
        // Whether the tool is the limit, the answer says.
        (FlagCode::HostLimited, FlagScope::Point(point)) => flag.invalid && is_beyond(point),
        _ => false,
    }
}

/// How far a flag is from what caused it.
fn depth(code: FlagCode) -> u8 {
    match code {
        _ if code.has(Mark::Root) => 0,
        _ if code.has(Mark::Consequence) => 2,
        _ => 1,
    }
}

/// What a flag means if the width is as narrow as requested.
const TOO_FEW_VISITS: &str =
    "Too few visits to be sure: a few may agree by luck, so the ± may be too narrow.";

/// Whether the intervals of all of these points are as narrow as requested.
fn lacks_visits(view: &View<'_>, places: &[(FlagScope, &Flag)]) -> bool {
    let is_of = |scope: &FlagScope, found: &PointFindings| *scope == FlagScope::Point(found.point);
    let of = |scope: &FlagScope| view.findings.points.iter().find(|found| is_of(scope, found));
    places.iter().all(|(scope, _)| of(scope).is_some_and(PointFindings::has_too_few_visits))
}

fn cause(view: &View<'_>, code: FlagCode, places: &[(FlagScope, &Flag)]) -> Cause {
    let is_invalid = places.iter().any(|(_, flag)| flag.invalid);
    // What makes numbers invalid is said of those.
    let said: Vec<(FlagScope, &Flag)> =
        places.iter().copied().filter(|(_, flag)| flag.invalid == is_invalid).collect();
    let meaning = code.meaning();
    let lacks_visits = code == FlagCode::NotReached && lacks_visits(view, places);
    Cause {
        code: Some(code),
        invalid: is_invalid,
        means: if lacks_visits { TOO_FEW_VISITS } else { meaning.means }.to_owned(),
        place: place(view, places),
        figures: (code == FlagCode::NotReached && places.len() > 1)
            .then(|| widths(view))
            .flatten()
            .or_else(|| said_of(view, &said))
            .unwrap_or_default(),
        remedy: match code {
            FlagCode::Memory if view.record.header.request.allow_memory => {
                "It was requested (--allow-memory); no disk is measured.".to_owned()
            }
            _ if lacks_visits => "Measure longer.".to_owned(),
            _ => meaning.remedy.to_owned(),
        },
    }
}

/// The figures of the first place, which is named if there are several.
fn said_of(view: &View<'_>, said: &[(FlagScope, &Flag)]) -> Option<String> {
    let (scope, first) = said.first()?;
    let text = printable(&first.text);
    let are_alike = said.iter().all(|one| one.0 == *scope || one.1.text == first.text);
    Some(match scope {
        FlagScope::Point(point) if !are_alike => format!("{text} ({})", in_words(view, *point)),
        FlagScope::Point(_) | FlagScope::Run | FlagScope::Curve(_) => text.into_owned(),
    })
}

/// `±6.1 % to ±14 %, where ±5 % was requested`; `None` if no width is wider, as there were too few visits.
fn widths(view: &View<'_>) -> Option<String> {
    let target = view.findings.target?;
    let points = view.findings.points.iter().flat_map(PointFindings::classes);
    let wide = points.filter_map(|(_, io)| io.iops.half_width()).filter(|half| *half > target);
    let mut wide: Vec<f64> = wide.collect();
    wide.sort_by(f64::total_cmp);
    let asked = words::plain_percent(target);
    let told = |half: f64| match words::percent(half) {
        half if half == words::percent(target) => format!("just over ±{asked} %"),
        half => format!("±{half} %"),
    };
    let (least, most) = (told(*wide.first()?), told(*wide.last()?));
    let range = if least == most { least } else { format!("{least} to {most}") };
    Some(format!("{range}, where ±{asked} % was requested"))
}

/// `2 of 7 points`, `the run and all points`.
fn place(view: &View<'_>, places: &[(FlagScope, &Flag)]) -> String {
    let points: BTreeSet<_> = places
        .iter()
        .filter_map(|(scope, _)| match scope {
            FlagScope::Point(point) => Some(*point),
            FlagScope::Run | FlagScope::Curve(_) => None,
        })
        .collect();
    let mut parts = Vec::new();
    if places.iter().any(|(scope, _)| *scope == FlagScope::Run) {
        parts.push("the run".to_owned());
    }
    if places.iter().any(|(scope, _)| matches!(scope, FlagScope::Curve(_))) {
        parts.push("the search".to_owned());
    }
    match (points.len(), view.findings.points.len()) {
        (0, _) => {}
        (1, _) => parts.extend(points.first().map(|point| in_words(view, *point))),
        (some, all) if some == all => parts.push(format!("all {all} points")),
        (some, all) => parts.push(format!("{some} of {all} points")),
    }
    parts.join(" and ")
}

/// `184 outstanding small I/Os`, `8 outstanding small I/Os and 2 outstanding large streams`.
fn in_words(view: &View<'_>, point: Point) -> String {
    if let Some((side, words)) = point.side_in_words(&view.record.header.request.classes) {
        return format!("{words} on {}", side.name());
    }
    let of_load = |load: &&LoadClass| load.level_words(point.of(load.name));
    let loads = view.loads();
    words::listed(&loads.iter().filter(|load| point.of(load.name) > 0).map(of_load).collect::<Vec<_>>())
}

/// A run that was cut short is complete up to that point.
fn cut_short(view: &View<'_>, what: String) -> Cause {
    let goes_on = match Rest::of(view.record) {
        Some(Rest::Open) | None => "the run can be resumed where it ended",
        Some(Rest::NoScratch) => {
            "the run cannot be resumed, because it removed its scratch file (--keep-scratch keeps it)"
        }
        Some(Rest::NoTime) => "the run cannot be resumed, because its time is used up",
        Some(Rest::NoTable) => "the run cannot be resumed, because its table was removed",
    };
    let shown = match notes::with_figures(view) {
        0 => "There are no figures yet",
        _ => "What is shown is correct so far",
    };
    Cause {
        code: None,
        invalid: false,
        means: what,
        place: String::new(),
        figures: String::new(),
        remedy: format!("{shown}, and {goes_on}."),
    }
}

/// The step for the worst cause that has one. Measuring again with more time helps more than measuring again.
pub(super) fn next(causes: &[Cause]) -> Option<Next> {
    let of = |cause: &Cause| cause.code.map_or(Next::Again, |code| code.meaning().next);
    let mut all = causes.iter().map(of).filter(|next| *next != Next::Nothing);
    match all.next() {
        Some(Next::Again) if all.any(|next| next == Next::Longer) => Some(Next::Longer),
        first => first,
    }
}
