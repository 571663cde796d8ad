//! The picture at the top of the page: the history, the forecast and the limit of the current storage.
//!
//! Must not choose a figure.

use super::{HeadroomReport, page, words};
use crate::document::Block;
use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Picture, Shape};
use rigel_capacity::day;
use rigel_capacity::headroom::{Course, Resource};
use rigel_core::units::say::short;

/// More panels would be too small.
const MOST_PANELS: usize = 2;

/// The resources that reach a limit first; those of the history if no limit is known.
pub(super) fn of(told: &HeadroomReport<'_>) -> Option<Block> {
    let ends = told.storages.first().into_iter().flat_map(|storage| &storage.ends);
    let course = |resource: Resource| told.courses.iter().find(|course| course.resource == resource);
    let mut chosen: Vec<&Course> = ends.filter_map(|ends| course(ends.limit.resource)).collect();
    if chosen.is_empty() {
        chosen.extend(told.courses);
    }
    Picture::of(chosen.into_iter().take(MOST_PANELS).map(|course| panel(told, course)))
}

fn panel(told: &HeadroomReport<'_>, course: &Course) -> Panel {
    let scale = page::scale(course.resource);
    let dot = |day: i64, up: f64, ends: Option<(f64, f64)>| Dot { across: place(day), up: up / scale, ends };
    let levels = course.daily.levels.iter().zip(course.daily.first..);
    let history = levels.filter_map(|(level, day)| Some(dot(day, (*level)?, None))).collect();
    let forecast = course.forecast.as_ref().ok();
    let ahead = course.ahead.iter().enumerate().filter_map(|(week, one)| {
        let ends = Some((one.lower.max(0.0) / scale, one.upper / scale));
        Some(dot(words::week_day(forecast?, week), one.value, ends))
    });
    let line = |name: &str, dots: Vec<Dot>| Line { name: name.to_owned(), dots };
    let mut lines = vec![line("history", history), line("forecast", ahead.collect())];
    lines.retain(|line| !line.dots.is_empty());
    let limit = told.storages.first().and_then(|storage| {
        let ends = storage.ends.iter().find(|ends| ends.limit.resource == course.resource)?;
        let value = ends.limit.figure.value;
        Some((value / scale, format!("limit {}", words::amount(course.resource, value))))
    });
    let unit = page::unit(course.resource);
    let title = match course.resource {
        Resource::Iops => course.resource.word().to_owned(),
        Resource::Mbps | Resource::Space => format!("{}, {unit}", course.resource.word()),
    };
    let (across, up) = (Axis::linear("day", date), Axis::linear(unit, short));
    Panel { title, shape: Shape::Lines(Lines { across, up, lines, limit, band: None, marks: Vec::new() }) }
}

fn place(day: i64) -> f64 {
    i32::try_from(day).map_or(0.0, f64::from)
}

fn date(across: f64) -> String {
    format!("{across:.0}").parse::<i64>().map_or_else(|_| String::new(), day::shown)
}
