//! The headline numbers of a run: the best of its points, and what a calibration answers.
//!
//! Every output that has headline numbers takes them from here, so none can choose another figure. Must not compute.

use crate::point_name;
use crate::view::View;
use rigel_core::judge::answers::{ANSWERS, Answer};
use rigel_core::judge::findings::{Answers, Extreme, Extremes};
use rigel_core::judge::quantity::{self, Scope, What};
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use rigel_core::units::say::{number, time};

/// The unit of a headline number, in the order in which ORION prints its results.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit {
    /// Megabytes (2^20) per second.
    Mbps,
    /// Operations per second, by the name of that unit.
    Rate(String),
    /// Microseconds.
    Us,
}

impl Unit {
    /// The name; empty if values are written with their unit.
    pub fn name(&self) -> &str {
        match self {
            Self::Mbps => "MBPS",
            Self::Rate(name) => name,
            Self::Us => "",
        }
    }

    /// A value as text.
    pub fn write(&self, value: f64) -> String {
        match self {
            Self::Mbps | Self::Rate(_) => number(value),
            Self::Us => time(value),
        }
    }
}

/// One headline number.
pub(crate) struct Headline {
    /// What it is.
    pub name: String,
    /// The same in a line of text.
    pub short: String,
    pub unit: Unit,
    /// The figure, or the reason if there is none.
    pub found: Result<Extreme, String>,
    /// The first point with the same figure, which ORION's lines name, if it is another one.
    first: Option<Point>,
}

/// The point of a figure: `Small=5 and Large=0 (same at Small=2 and Large=0)`. ORION's lines name the latter.
pub(crate) fn place(view: &View<'_>, one: &Headline, best: Extreme, and: &str) -> String {
    let of = |point| {
        point_name::place(&view.record.header.request, point).unwrap_or_else(|| view.named(point, and))
    };
    let first = one.first.map_or_else(String::new, |first| format!(" (same at {})", of(first)));
    of(best.point) + &first
}

/// The load of a figure in words: `with 480 outstanding small I/Os (same with 240 outstanding small I/Os)`; of a place or a working set, where it is.
pub(crate) fn load(view: &View<'_>, one: &Headline, best: Extreme) -> String {
    let request = &view.record.header.request;
    let of = |point: Point| {
        let is_load = point_name::at_place(request, point).is_none()
            && point_name::of_working_set(request, point).is_none();
        let words = point.classes().map(|(class, level)| Some(request.class(class)?.level_words(level)));
        let words: Option<Vec<String>> = words.collect();
        words.filter(|words| is_load && !words.is_empty()).map_or_else(
            || {
                let place = point_name::place(request, point);
                format!("at {}", place.unwrap_or_else(|| view.named(point, ", ")))
            },
            |words| format!("with {}", words.join(" and ")),
        )
    };
    let first = one.first.map_or_else(String::new, |first| format!(" (same {})", of(first)));
    of(best.point) + &first
}

/// All headline numbers; those of a class that was not measured are left out.
pub(crate) fn all(view: &View<'_>, best: &Extremes, answers: Option<&Answers>) -> Vec<Headline> {
    let mut all: Vec<Headline> = answers.into_iter().flat_map(bounded).collect();
    let (loads, plain) = (view.main_loads(), &view.findings.plainly_best);
    for load in &loads {
        let name = match load.figure {
            // Their unit has the name of what is asked.
            Figure::Rate(_) if load.is_query() && load.unit().starts_with(&load.nouns()) => {
                format!("Highest {}{}", load.unit(), load.of_side())
            }
            Figure::Mbps if load.is_query() => format!("Highest {} of {}", load.unit(), load.nouns()),
            _ if load.level_is_targets() => format!("Highest {}", load.unit()),
            _ => format!("Highest {} {}{}", load.plain_name(), load.unit(), load.of_side()),
        };
        // At the highest rate the bound is kept: one number.
        let is_within = |best: &Extreme| {
            let within = answers.and_then(|answers| answers.max_iops.as_ref().ok());
            load.name == Class::SMALL && within.is_some_and(|within| within.iops == best.estimate)
        };
        all.extend(
            best.rate(load.name)
                .filter(|best| !is_within(best))
                .map(|best| Headline::new(&name, &name, unit(load), best).after(plain.rate(load.name))),
        );
    }
    all.extend(answers.into_iter().flat_map(|_| alone(view)));
    for load in &loads {
        let of = if load.appends() { load.nouns() } else { load.noun() };
        let name = format!("Lowest mean latency of {of}");
        let short = if load.is_query() || load.level_is_targets() {
            // With its side.
            format!("Lowest latency of {}", load.noun())
        } else {
            format!("Lowest {} latency{}", load.plain_name(), load.of_side())
        };
        let lowest = best.latency_us(load.name).map(|best| Headline::new(&name, &short, Unit::Us, best));
        all.extend(lowest.map(|lowest| lowest.after(plain.latency_us(load.name))));
    }
    all.extend(answers.into_iter().flat_map(|answers| of_commits(view, answers)));
    all
}

/// The answers of a calibration about one of ORION's pair alone, except for the latency that the lowest one gives.
fn alone(view: &View<'_>) -> Vec<Headline> {
    let is_told = |answer: &&Answer| {
        answer.quantity.of == Scope::Alone && !answer.is_of_commits() && answer.quantity.what != What::Bounded
    };
    ANSWERS.iter().filter(is_told).filter_map(|answer| of_answer(view, answer)).collect()
}

fn of_answer(view: &View<'_>, answer: &Answer) -> Option<Headline> {
    let found = view.findings.figure(answer.quantity)?;
    let unit = match answer.quantity.unit() {
        quantity::Unit::Us => Unit::Us,
        quantity::Unit::Mbps => Unit::Mbps,
        other => Unit::Rate(other.name().to_owned()),
    };
    let found = Extreme { estimate: found.estimate, point: found.point? };
    Some(Headline::new(answer.title, answer.title, unit, found))
}

/// The answers of a calibration about commits, or why there are none, if that is news to the user.
fn of_commits(view: &View<'_>, answers: &Answers) -> Vec<Headline> {
    let commits = match &answers.commits {
        Ok(commits) => commits,
        Err(why) => {
            let name = "Mean latency of a commit, one writer".to_owned();
            let found = Err(why.reason().to_owned());
            let none = Headline { short: name.clone(), name, unit: Unit::Us, found, first: None };
            return if why.is_news() { vec![none] } else { Vec::new() };
        }
    };
    let of_one = ANSWERS.iter().filter(|answer| answer.is_of_commits() && answer.quantity.of == Scope::Alone);
    let mut all: Vec<Headline> = of_one.filter_map(|answer| of_answer(view, answer)).collect();
    let load = commits.most.and_then(|most| Some((view.record.header.request.class(Class::DSYNC)?, most)));
    all.extend(load.map(|(load, most)| {
        let name = format!("Highest {} ({})", load.unit(), load.name);
        Headline::new(&name, &name, unit(load), most)
    }));
    all
}

impl Headline {
    fn new(name: &str, short: &str, unit: Unit, found: Extreme) -> Self {
        Self { name: name.to_owned(), short: short.to_owned(), unit, found: Ok(found), first: None }
    }

    /// The same with the first of the points that have the figure.
    fn after(self, first: Option<Extreme>) -> Self {
        let is_same = |first: &Extreme, best: &Extreme| {
            first.point != best.point && first.estimate.value == best.estimate.value
        };
        let first = first.filter(|first| self.found.as_ref().is_ok_and(|best| is_same(first, best)));
        Self { first: first.map(|first| first.point), ..self }
    }
}

fn unit(load: &LoadClass) -> Unit {
    match &load.figure {
        Figure::Rate(name) => Unit::Rate(printable(name).into_owned()),
        Figure::Mbps => Unit::Mbps,
    }
}

/// The rate within the limit of a calibration, and the latency there.
fn bounded(answers: &Answers) -> Vec<Headline> {
    let of = answers.bound.of.name();
    let latency_us = answers.max_iops.as_ref().map_or(0.0, |within| within.latency_us.value);
    let name = format!("Highest small IOPS {}", answers.bound.beside(latency_us));
    let row = |name: String, unit, found| Headline { short: name.clone(), name, unit, found, first: None };
    match &answers.max_iops {
        Err(reason) => vec![row(name, Unit::Rate("IOPS".into()), Err(reason.clone()))],
        Ok(within) => {
            let point = Point::alone(Class::SMALL, within.outstanding);
            let at = |estimate| Ok(Extreme { estimate, point });
            let latency = format!("At that rate, {of} latency of small I/O");
            vec![
                row(name, Unit::Rate("IOPS".into()), at(within.iops)),
                row(latency, Unit::Us, at(within.latency_us)),
            ]
        }
    }
}
