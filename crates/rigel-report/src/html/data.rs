//! The figures that the page's script draws, as one JSON document in a block of the page.
//!
//! Not an interface: the document and the script that reads it are made together. Times are in seconds, latencies in microseconds,
//! rates as their names say; an estimate is `[value, lo95, hi95]`. Numbers have as many digits as a chart can show.

mod interference;
mod latencies;
pub(crate) mod overview;
mod slo;
mod visits;

use crate::flag_scopes::FlagScopes;
use crate::json_text::{compact, text};
use crate::run::across;
use crate::view::View;
use interference::{Loss, losses};
use rigel_core::error::Problem;
use rigel_core::judge::findings::{Contrast, CurveFindings, IoFindings, PointFindings};
use rigel_core::judge::flags::{Flag, FlagCode};
use rigel_core::load::class::{Class, LoadClass, PerClass};
use rigel_core::load::matrix::Point;
use rigel_core::stats::{Estimate, Interval};
use serde::Serialize;
use visits::VisitData;

/// A figure and both ends of its interval, as a chart shows them.
type ChartInterval = [Option<f64>; 3];

#[derive(Serialize)]
struct Document {
    /// The classes with figures.
    classes: Vec<ClassData>,
    /// The classes of the matrix.
    axes: Vec<ClassData>,
    /// Charts show the sessions of all classes across.
    users: bool,
    /// The point that is shown first, by index in `points`.
    first: usize,
    points: Vec<PointData>,
    visits: Vec<VisitData>,
    curves: Vec<CurveData>,
    interference: PerClass<Vec<Loss>>,
    /// The result of a search for a rate.
    slo: Option<slo::SloData>,
}

#[derive(Serialize)]
struct ClassData {
    name: Class,
    label: String,
    noun: String,
    /// What a load level counts.
    outstanding: String,
    /// The middle of each place, in per cent; for a class that goes by place.
    places: Vec<f64>,
    unit: String,
    /// One operation per second in that unit.
    scale: f64,
}

#[derive(Serialize)]
struct PointData {
    name: String,
    levels: PerClass<u32>,
    invalid: bool,
    /// Some flag is specific and says more than the width of the interval or the name of the engine.
    own: bool,
    flags: Vec<&'static str>,
    ios: PerClass<IoData>,
}

#[derive(Serialize)]
struct IoData {
    /// In the unit of the class.
    rate: ChartInterval,
    /// The rate over the highest of the class, from rounds.
    of_highest: Option<ChartInterval>,
    /// The levels of the other classes, in words.
    beside: String,
    mean: Option<ChartInterval>,
    p50: Option<ChartInterval>,
    p99: Option<ChartInterval>,
    /// See [`latencies::bins`].
    histogram: Vec<(u64, u64)>,
    /// See [`latencies::percentiles`].
    percentiles: Vec<(f64, f64)>,
}

#[derive(Serialize)]
struct CurveData {
    class: ClassData,
    /// Where the class is saturated; `None` if it is not within the range of the search.
    n_sat: Option<u32>,
    levels: Vec<LevelData>,
}

#[derive(Serialize)]
struct LevelData {
    outstanding: u32,
    /// In the unit of the class.
    rate: ChartInterval,
}

/// The document.
pub(super) fn json(view: &View<'_>) -> Result<String, Problem> {
    let points = &view.findings.points;
    let scopes = FlagScopes::of(view);
    let contrasts = view.findings.contrasts();
    let document = Document {
        classes: view.loads().into_iter().map(|load| class(view, load)).collect(),
        axes: view.shown().into_iter().map(|load| class(view, load)).collect(),
        users: view.is_mix_of_users(),
        first: first(view),
        points: points
            .iter()
            .zip(&contrasts)
            .map(|(found, contrasts)| {
                point(view, found, contrasts, scopes.own(found).into_iter().any(is_marked))
            })
            .collect(),
        visits: visits::of(view),
        curves: view.findings.curves.iter().map(|found| curve(view, found)).collect(),
        interference: view
            .loads()
            .into_iter()
            .map(|load| (load.name, losses(points, &contrasts, load.name)))
            .collect(),
        slo: view.findings.slo.as_ref().map(slo::SloData::of),
    };
    compact(&document)
}

/// Except for what the width of an interval, or the name of the engine, already says.
fn is_marked(flag: &Flag) -> bool {
    !matches!(flag.code, FlagCode::NotReached | FlagCode::Simulated)
}

/// The point of the best rate; the first one if there is none.
fn first(view: &View<'_>) -> usize {
    let found = &view.findings;
    let best = view.loads().iter().find_map(|load| found.best.rate(load.name)).map(|best| best.point);
    found.points.iter().position(|point| Some(point.point) == best).unwrap_or(0)
}

fn class(view: &View<'_>, load: &LoadClass) -> ClassData {
    ClassData {
        name: load.name,
        label: label(load),
        noun: load.noun(),
        outstanding: across(view, load),
        places: (1..=load.places.unwrap_or(0).into())
            .map(|place| middle(load.place_percent(place)))
            .collect(),
        unit: text(load.unit()),
        scale: load.scale(),
    }
}

/// `Small`; `Small, A` with sides.
pub(super) fn label(load: &LoadClass) -> String {
    let side = load.side.map_or_else(String::new, |side| format!(", {}", side.name()));
    load.plain_name().label() + &side
}

fn middle((from, to): (f64, f64)) -> f64 {
    rounded(f64::midpoint(from, to))
}

fn point(view: &View<'_>, found: &PointFindings, contrasts: &PerClass<Contrast>, own: bool) -> PointData {
    PointData {
        name: view.named(found.point, ", "),
        levels: found.point.shown().collect(),
        invalid: found.invalid(),
        own,
        flags: names(&found.flags),
        ios: found
            .classes()
            .map(|(class, one)| {
                let of_highest = contrasts.get(&class).and_then(|contrast| contrast.of_highest);
                let mut io = io(found.point, class, one);
                if view.is_mix_of_users() {
                    // All of them are one line.
                    io.beside = "all users".to_owned();
                }
                (class, IoData { of_highest: of_highest.map(share), ..io })
            })
            .collect(),
    }
}

/// Each once: several classes may share one.
fn names(flags: &[Flag]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for flag in flags {
        if !names.contains(&flag.code.name()) {
            names.push(flag.code.name());
        }
    }
    names
}

fn io(point: Point, class: Class, io: &IoFindings) -> IoData {
    let plain = |class: Class| io.load.side.and(class.sided()).map_or(class, |(plain, _)| plain);
    let others = point.shown().filter(|(other, _)| *other != class);
    let others: Vec<String> =
        others.map(|(other, level)| format!("{}={level}", plain(other).label())).collect();
    let us = io.latency_us;
    let all = io.latencies();
    IoData {
        rate: drawn(io.rate()),
        of_highest: None,
        beside: if others.is_empty() { "alone".to_owned() } else { others.join(", ") },
        mean: us.map(|us| drawn(us.mean)),
        p50: us.map(|us| drawn(us.p50)),
        p99: us.map(|us| drawn(us.p99)),
        histogram: latencies::bins(&all, latencies::FINE),
        percentiles: latencies::percentiles(&all),
    }
}

fn curve(view: &View<'_>, found: &CurveFindings) -> CurveData {
    let level =
        |&(outstanding, iops): &(u32, Interval)| LevelData { outstanding, rate: drawn(found.rate(iops)) };
    CurveData {
        class: class(view, &found.load),
        n_sat: found.curve.saturated.then_some(found.curve.n_sat.found),
        levels: found.curve.levels.iter().map(level).collect(),
    }
}

fn share(found: Interval) -> ChartInterval {
    [found.mean, found.lo95, found.hi95].map(|share| Some(rounded(share)))
}

fn drawn(found: Estimate) -> ChartInterval {
    found.columns().map(|figure| figure.map(rounded))
}

/// Six figures: more than any chart can show.
fn rounded(value: f64) -> f64 {
    figures(value, 6)
}

fn figures(value: f64, count: usize) -> f64 {
    let after_the_point = count.saturating_sub(1);
    format!("{value:.after_the_point$e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lose_the_digits_that_nobody_sees() {
        assert_eq!(rounded(1_234_567.89), 1_234_570.0);
        assert_eq!(figures(0.000_123_456, 4), 0.000_123_5);
        assert_eq!(rounded(0.0), 0.0);
        assert!(rounded(f64::NAN).is_nan(), "becomes null");
    }
}
