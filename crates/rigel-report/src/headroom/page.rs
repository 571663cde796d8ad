//! Dates and headroom as one HTML page: what its script draws.
//!
//! Must not choose what the tables show.

use super::{HeadroomReport, words};
use crate::document::PageDocument;
use crate::document::html::Frame;
use crate::html::assets;
use crate::json_text::compact;
use rigel_capacity::day;
use rigel_capacity::headroom::{Course, Resource, Storage};
use rigel_core::error::Problem;
use serde::Serialize;

/// One GiB, the unit of space in the charts.
const GIB: f64 = 1_073_741_824.0;

/// What the script draws.
#[derive(Serialize)]
struct Figures {
    courses: Vec<CourseFigures>,
    credits: Vec<CreditFigures>,
}

/// The token bucket of a storage.
#[derive(Serialize)]
struct CreditFigures {
    name: String,
    /// Day, and the least share of its credits in per cent.
    days: Vec<(String, f64)>,
}

#[derive(Serialize)]
struct CourseFigures {
    name: &'static str,
    unit: &'static str,
    /// Day and level.
    history: Vec<(String, f64)>,
    /// Day, level, and both ends of its interval.
    ahead: Vec<(String, f64, f64, f64)>,
    limits: Vec<LimitFigures>,
    /// The hours of the week over the mean.
    week: Vec<f64>,
}

#[derive(Serialize)]
struct LimitFigures {
    name: String,
    value: f64,
}

impl PageDocument for HeadroomReport<'_> {
    fn frame(&self) -> Result<Frame, Problem> {
        let figures = Figures {
            courses: self.courses.iter().map(|course| figures(self, course)).collect(),
            credits: self.storages.iter().filter_map(credit_figures).collect(),
        };
        Ok(Frame {
            title: "When will this storage be full or slow?".to_owned(),
            when: vec![words::history(self), self.asked.to_owned()],
            made_from: "the history and the records",
            script: &assets::CAPACITY,
            figures: ("capacity", compact(&figures)?),
            tables: "the tables hold the dates",
        })
    }
}

fn credit_figures(storage: &Storage) -> Option<CreditFigures> {
    let days = &storage.credits.as_ref()?.course.days;
    let days = days.iter().map(|&(day, share)| (day::shown(day), 100.0 * share)).collect();
    Some(CreditFigures { name: storage.name.clone(), days })
}

/// What a value is divided by before it is drawn.
pub(super) fn scale(resource: Resource) -> f64 {
    if resource == Resource::Space { GIB } else { 1.0 }
}

/// The unit in which a resource is drawn.
pub(super) const fn unit(resource: Resource) -> &'static str {
    match resource {
        Resource::Iops => "IOPS",
        Resource::Mbps => "MBPS",
        Resource::Space => "GiB",
    }
}

fn figures(told: &HeadroomReport<'_>, course: &Course) -> CourseFigures {
    let scale = scale(course.resource);
    let at = |days: usize| day::shown(course.daily.first + i64::try_from(days).unwrap_or(0));
    let levels = course.daily.levels.iter().enumerate();
    let forecast = course.forecast.as_ref().ok();
    let ahead = course.ahead.iter().enumerate().filter_map(|(week, ahead)| {
        let from = day::shown(words::week_day(forecast?, week));
        Some((from, ahead.value / scale, ahead.lower / scale, ahead.upper / scale))
    });
    let limit = |storage: &Storage| {
        let ends = storage.ends.iter().find(|ends| ends.limit.resource == course.resource)?;
        Some(LimitFigures { name: storage.name.clone(), value: ends.limit.figure.value / scale })
    };
    CourseFigures {
        name: course.resource.name(),
        unit: unit(course.resource),
        history: levels.filter_map(|(days, level)| Some((at(days), (*level)? / scale))).collect(),
        ahead: ahead.collect(),
        limits: told.storages.iter().filter_map(limit).collect(),
        week: if course.resource == Resource::Space { Vec::new() } else { course.daily.week.clone() },
    }
}
