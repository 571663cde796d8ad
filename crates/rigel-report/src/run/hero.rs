//! The picture at the top of the page of a run: the curve that answers the question.
//!
//! Must not choose a figure.

use super::charts::axis;
use crate::curve::{Curve, Sample};
use crate::document::picture::{Axis, Bar, Bars, Dot, Line, Lines, Panel, Picture, Shape};
use crate::document::{Block, Room};
use crate::view::View;
use crate::{change, scaling};
use rigel_core::judge::answer::Answer;
use rigel_core::judge::findings::{LatencyUs, SloFindings, SloPoint};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::load::slo::SloBound;
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, short, time};
use rigel_core::units::{to_f64, us_from_ns};

/// More panels would be too small next to the numbers.
const MOST_PANELS: usize = 2;

/// A load level.
fn whole(level: f64) -> String {
    format!("{level:.0}")
}

/// The picture; `None` if nothing was measured. A terminal shows only the rates, of every class.
pub(super) fn of(view: &View<'_>, room: Room) -> Option<Block> {
    if let Answer::Rate(found) = view.answer() {
        return Picture::of(bound(found)).filter(|_| room.is_wide());
    }
    let panels = change::panels(view);
    if !panels.is_empty() {
        return Picture::of(panels);
    }
    if let Some(panel) = scaling::panel(view) {
        return Picture::of([panel]);
    }
    let loads = room.either(view.loads(), view.main_loads());
    let curves: Vec<Curve<'_>> = loads.iter().filter_map(|load| Curve::of(view, load)).collect();
    match curves.as_slice() {
        all if !room.is_wide() => Picture::of(all.iter().map(rate)),
        [] => Picture::of(loads.iter().filter_map(|load| percentiles(view, load)).take(MOST_PANELS)),
        [one] => Picture::of([rate(one), latency(one)]),
        several => Picture::of(several.iter().take(MOST_PANELS).map(rate)),
    }
}

fn rate(curve: &Curve<'_>) -> Panel {
    let dot = |one: &Sample| Dot { across: across(curve.class, one.level), up: one.rate, ends: one.ends };
    let line = Line { name: String::new(), dots: curve.samples.iter().map(dot).collect() };
    panel(curve, curve.title(), Axis::linear(printable(curve.class.unit()), short), vec![line])
}

fn latency(curve: &Curve<'_>) -> Panel {
    let line = |name: &str, figure: fn(&LatencyUs) -> Estimate| {
        let dot = |one: &Sample| {
            let us = figure(one.latency_us.as_ref()?);
            Some(Dot { across: across(curve.class, one.level), up: us.value, ends: us.ends() })
        };
        Line { name: name.to_owned(), dots: curve.samples.iter().filter_map(dot).collect() }
    };
    let lines = vec![line("mean", |us| us.mean), line("p99", |us| us.p99)];
    let values: Vec<f64> = lines.iter().flat_map(|line| &line.dots).map(|dot| dot.up).collect();
    panel(curve, "Latency".to_owned(), Axis::spread("latency", time, values.into_iter()), lines)
}

/// Where a load level is drawn: a place where it begins, in per cent of the target.
fn across(class: &LoadClass, level: u32) -> f64 {
    match class.places {
        Some(places) => 100.0 * f64::from(level.saturating_sub(1)) / f64::from(places),
        None => f64::from(level),
    }
}

fn panel(curve: &Curve<'_>, title: String, up: Axis, lines: Vec<Line>) -> Panel {
    let name = printable(&axis(curve.class)).into_owned();
    let across = if curve.class.places.is_some() {
        Axis::linear(name, whole)
    } else {
        Axis::spread(name, whole, curve.samples.iter().map(|one| f64::from(one.level)))
    };
    Panel {
        title,
        shape: Shape::Lines(Lines { across, up, lines, limit: None, band: None, marks: Vec::new() }),
    }
}

/// The distribution of the latencies of a single point.
fn percentiles(view: &View<'_>, load: &LoadClass) -> Option<Panel> {
    let found = view.findings.points.iter().find(|found| found.io(load.name).is_some())?;
    let us = found.io(load.name)?.latency_us?;
    let bar = |name: &str, us: Estimate| Bar {
        name: name.to_owned(),
        value: us.value,
        ends: us.ends(),
        text: time(us.value),
        is_bad: found.invalid(),
    };
    let bars = vec![
        bar("mean", us.mean),
        bar("median", us.p50),
        bar("p90", us.p90),
        bar("p99", us.p99),
        bar("p99.9", us.p99_9),
    ];
    let title = format!("Latency of {}", load.noun());
    Some(Panel { title, shape: Shape::Bars(Bars { bars, from: 0.0, limit: None, is_log: false }) })
}

/// The latency over the rate for each limit, with the bracket of the answer.
fn bound(found: &SloFindings) -> Vec<Panel> {
    let across = |rate: f64| found.scale.as_ref().map_or(rate, |scale| scale.of(rate));
    let panel = |(place, bound): (usize, &SloBound)| {
        let dot = |point: &SloPoint| {
            let us = point.judged_us.get(place).copied().flatten()?;
            Some(Dot { across: across(f64::from(point.rate)), up: us.value, ends: us.ends() })
        };
        let dots: Vec<Dot> = found.points.iter().filter_map(dot).collect();
        let limit_us = us_from_ns(to_f64(bound.limit.0));
        let heights: Vec<f64> = dots.iter().map(|dot| dot.up).chain([limit_us]).collect();
        let name = if found.scale.is_some() { "times the load" } else { "I/Os per second" };
        let bracket = found.rate().and_then(|rate| {
            let at = rate.at.map_or_else(String::new, |at| number(across(at).round()));
            Some((across(rate.lower?), across(rate.upper?), at))
        });
        let lines = Lines {
            across: Axis::linear(name, short),
            up: Axis::spread("latency", time, heights.into_iter()),
            lines: vec![Line { name: String::new(), dots }],
            limit: Some((limit_us, format!("limit {}", time(limit_us)))),
            band: bracket.filter(|_| found.scale.is_none()),
            marks: Vec::new(),
        };
        Panel { title: format!("{} over {name}", bound.judged), shape: Shape::Lines(lines) }
    };
    found.bounds.iter().enumerate().take(MOST_PANELS).map(panel).collect()
}

/// The highest rate of each of several runs, of the class that most of them have.
pub(super) fn several(views: &[View<'_>], names: &[String]) -> Option<Block> {
    let title = |class: Class| views.iter().find_map(|view| view.record.header.request.class(class));
    let count = |class: Class| views.iter().filter(|view| view.findings.best.rate(class).is_some()).count();
    let classes = views.iter().flat_map(View::loads).map(|load| load.name);
    let class = classes.max_by_key(|class| (count(*class), std::cmp::Reverse(*class)))?;
    let load = title(class)?;
    let bar = |(view, name): (&View<'_>, &String)| {
        let best = view.findings.best.rate(class)?.estimate;
        let text = format!("{} {}", number(best.value), printable(load.unit()));
        Some(Bar { name: name.clone(), value: best.value, ends: best.ends(), text, is_bad: false })
    };
    let bars = views.iter().zip(names).filter_map(bar).collect();
    let title = format!("Highest {} of {}", printable(load.unit()), load.nouns());
    Picture::of([Panel { title, shape: Shape::Bars(Bars { bars, from: 0.0, limit: None, is_log: false }) }])
}
