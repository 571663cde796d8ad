//! What the storage reached, in sentences, and which numbers must not be used.
//!
//! Must not choose a figure; the findings do.

use crate::view::View;
use crate::words::width;
use crate::{change, commits, phases, point_name, scaling, slo, streams, versus, words};
use rigel_core::judge::answer::Answer;
use rigel_core::judge::findings::{PointFindings, SloAnswer, SloFindings, WorkingPoint, is_answer};
use rigel_core::load::class::{Class, Figure, LoadClass, Sizes};
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{factor, number, percent, time};
use rigel_uses::versus::Versus;

/// `This storage reached 55,584 small reads per second (±2.1 %), and its lowest mean latency ..` For numbers that must not be used it only
/// says what they seem to be.
pub(super) fn sentence(view: &View<'_>, turned: Option<&Versus>, usable: bool) -> String {
    if let Answer::Rate(found) = view.answer() {
        return searched(found, usable);
    }
    // There are two storages, or two ways to use one: neither is this one.
    if let Some(found) = turned.filter(|_| !view.record.header.request.is_beside_raw()) {
        return versus::words::reached(view, found);
    }
    // How much was served is what was asked for, unless it was not.
    if let Some(found) = phases::verdict(view) {
        return found;
    }
    let best = &view.findings.best;
    let simulated = view.record.header.request.engine.is_simulated();
    if let Some(found) = streams::sentence(view).filter(|_| usable) {
        return found + &rising(view, &view.main_loads());
    }
    let grown = || scaling::sentence(view).filter(|_| usable);
    if let Some(found) = change::reached(view, usable).or_else(grown) {
        return found;
    }
    let device = if simulated { "The simulated device" } else { "This storage" };
    let (reached, was) = if usable { ("reached", "was") } else { ("seemed to reach", "seemed to be") };
    let mut most = Vec::new();
    let loads = view.main_loads();
    for load in &loads {
        let within = view.findings.answers.as_ref().filter(|_| load.name == Class::SMALL);
        let within = within.and_then(|answers| {
            let found = answers.max_iops.as_ref().ok()?;
            Some((found.iops, answers.bound.beside(found.latency_us.value)))
        });
        let highest = best.rate(load.name).map(|best| best.estimate);
        let place = best.rate(load.name).map_or_else(String::new, |best| at(view, load, best.point));
        most.extend(highest.map(|highest| match &within {
            // At the highest rate the bound is kept.
            Some((iops, bound)) if *iops == highest => format!("{} {bound}", rate(load, highest)),
            _ => format!("{}{place}", rate(load, highest)),
        }));
        let lower = within.filter(|(iops, _)| Some(*iops) != highest);
        most.extend(lower.map(|(iops, bound)| format!("{}{} {bound}", number(iops.value), width(iops))));
    }
    if most.is_empty() {
        return nothing(view).to_owned();
    }
    // Where only points in doubt have a lower one, none is the best.
    let is_lowest = |class: Class, found: Estimate| {
        let plain = view.findings.plainly_best.latency_us(class);
        plain.is_none_or(|plain| plain.estimate.value >= found.lo95().unwrap_or(found.value))
    };
    let quickest = loads.iter().find_map(|load| Some((load, best.latency_us(load.name)?)));
    let quickest = quickest.filter(|(load, best)| is_lowest(load.name, best.estimate));
    let quickest = quickest.map_or_else(String::new, |(load, best)| {
        let (noun, least) = (load.noun(), time(best.estimate.value));
        let place = at(view, load, best.point);
        let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u', 'I']) { "an" } else { "a" };
        format!(
            ", and its lowest mean latency for {article} {noun} {was} {least}{}{place}",
            width(best.estimate)
        )
    });
    let (rising, commit) = (rising(view, &loads), commit(view));
    if commits::is_of(view) {
        let mut all = commits::latencies(view, usable);
        all.push(format!("{device} {reached} {}.{rising}", words::listed(&most)));
        all.extend(commits::untold(view).map(str::to_owned));
        return all.join(" ");
    }
    format!("{device} {reached} {}{quickest}.{rising}{commit}", words::listed(&most))
}

/// The rate that was searched for; if the numbers must not be used, that of what was measured.
fn searched(found: &SloFindings, usable: bool) -> String {
    let reached = slo::reached(found);
    let is_found = !matches!(found.answer, SloAnswer::Unfinished | SloAnswer::NotSearched);
    if usable || !is_found { reached } else { format!("As measured: {reached}") }
}

/// The visits of a search that was cut short are not points.
fn nothing(view: &View<'_>) -> &'static str {
    let has_visits = !view.record.search.is_empty() || !view.record.visits.is_empty();
    if has_visits { "No point was measured." } else { "Nothing was measured." }
}

/// The classes whose highest rate is at the highest load tried.
fn rising(view: &View<'_>, loads: &[&LoadClass]) -> String {
    let found = &view.findings;
    let rising = loads.iter().filter(|load| found.still_rising.contains(&load.name));
    let rising: Vec<String> =
        rising.filter(|load| found.best.rate(load.name).is_some()).map(|load| load.nouns()).collect();
    let load = if commits::is_of(view) { "number of writers" } else { "load" };
    match rising.len() {
        0 => String::new(),
        1 if loads.len() == 1 => format!(" The rate was still rising at the highest {load} tried."),
        1 => format!(" The rate of {} was still rising at the highest {load} tried.", rising.concat()),
        _ => {
            format!(" The rates of {} were still rising at the highest {load} tried.", words::listed(&rising))
        }
    }
}

/// ` A commit takes 125 us (±3.1 %).` Empty if that was not measured.
fn commit(view: &View<'_>) -> String {
    let commits = view.findings.answers.as_ref().and_then(|answers| answers.commits.as_ref().ok());
    let Some(commits) = commits else { return String::new() };
    let untold = commits::untold(view).map_or_else(String::new, |untold| format!(" {untold}"));
    format!(" A commit takes {}{}.{untold}", time(commits.dsync_us.value), width(commits.dsync_us))
}

fn rate(load: &LoadClass, found: Estimate) -> String {
    let (value, width, noun) = (number(found.value), width(found), load.noun());
    match &load.figure {
        Figure::Mbps if load.is_query() => format!("{value} MB per second of {}{width}", load.nouns()),
        Figure::Mbps => format!("{value} MB per second of {noun}{width}"),
        Figure::Rate(_) if load.sizes == Sizes::None && !load.is_query() => {
            format!("{value} {} of {noun}{width}", printable(load.unit()))
        }
        Figure::Rate(_) => format!("{value} {} per second{width}", load.nouns()),
    }
}

/// ` at 0-6.25 %` if a point is a place; ` with 16 writers` for a log.
fn at(view: &View<'_>, load: &LoadClass, point: Point) -> String {
    let writers = commits::writers(load, point);
    point_name::place(&view.record.header.request, point).map_or(writers, |place| format!(" at {place}"))
}

/// The load with a high rate at low latency, and what the highest rate costs in comparison.
pub(super) fn working(view: &View<'_>) -> Option<String> {
    if matches!(view.answer(), Answer::Rate(_)) {
        return None;
    }
    let load = view.main_loads().into_iter().find(|load| view.findings.working.contains_key(&load.name))?;
    let found = view.findings.working.get(&load.name)?;
    let WorkingPoint { at, highest } = found;
    let gain = highest.rate.value / at.rate.value - 1.0;
    // Where the rate still rose, what is beyond the most that was tried is not known.
    let most_tried = unsaturated_at(view, load);
    let more = match (percent(gain.max(0.0)).as_str(), most_tried) {
        ("0.0" | "<0.1", None) => "no more".to_owned(),
        ("0.0" | "<0.1", Some(_)) => "as much".to_owned(),
        (more, _) => format!("{more} % more"),
    };
    let load_of = |level: u32| {
        if load.appends() { words::counted(level, "writer") } else { format!("{level} outstanding") }
    };
    let of = if load.appends() { format!(" of {}", load.nouns()) } else { String::new() };
    Some(format!(
        "A good working point{of} is {}: {} {}{} at {}. {}{} give {more}, at {} times the latency.",
        load_of(at.outstanding),
        number(at.rate.value),
        printable(load.unit()),
        width(at.rate),
        time(at.latency_us),
        load_of(highest.outstanding),
        most_tried.filter(|most| *most <= highest.outstanding).map_or("", |_| ", the most tried,"),
        factor(highest.latency_us / at.latency_us),
    ))
}

/// The highest load tried of a class that it did not saturate; `None` if it did.
fn unsaturated_at(view: &View<'_>, load: &LoadClass) -> Option<u32> {
    let found = &view.findings;
    let curve = found.curves.iter().find(|one| one.class() == load.name);
    let is_rising = found.still_rising.contains(&load.name);
    (is_rising || curve.is_some_and(|one| !one.curve.saturated)).then(|| {
        let searched = curve.and_then(|one| one.curve.levels.last()).map(|level| level.0);
        found.points.iter().map(|one| one.point.of(load.name)).chain(searched).max().unwrap_or(0)
    })
}

/// What must not be used: `these numbers`, or those of a class all of whose points are in doubt. `None` if there is a usable number
/// for each class.
pub(super) fn unusable(view: &View<'_>) -> Option<String> {
    if view.findings.points.is_empty() || view.findings.flags.iter().any(|flag| flag.invalid) {
        return Some("these numbers".to_owned());
    }
    let is_invalid = |class: Class| {
        let mut points = view.findings.points.iter().filter(|found| found.io(class).is_some());
        let request = &view.record.header.request;
        let is_forbidden = |found: &PointFindings| {
            found.flags.iter().any(|flag| flag.invalid && !is_answer(flag.code, request))
        };
        points.all(is_forbidden)
    };
    let loads = view.loads();
    let bad: Vec<String> =
        loads.iter().filter(|load| is_invalid(load.name)).map(|load| load.noun()).collect();
    match bad.len() {
        0 => None,
        all if all == loads.len() => Some("these numbers".to_owned()),
        _ => Some(format!("the numbers of {}", words::listed(&bad))),
    }
}
