//! Dates and headroom as one HTML page: the answers, the history with what will be and the limits, the hours of the week.
//!
//! In the same shell and with the same kit as other pages. Must not leave out a limit.

use super::{Told, words};
use crate::html::assets;
use crate::html::markup::{Column, Text, chart, close_table, list, open_table};
use crate::html::shell::Shell;
use crate::html::verdict::tone_class;
use crate::json::compact;
use crate::numbers::percent;
use crate::page::Page;
use crate::verdict::Tone;
use rigel_core::error::Problem;
use rigel_core::uses::capacity::day;
use rigel_core::uses::capacity::headroom::{Course, Ends, Gate, Resource, Storage};
use serde::Serialize;

/// A longer table is folded.
const MOST_ROWS: usize = 60;
/// One GiB, the unit of space in the charts.
const GIB: f64 = 1_073_741_824.0;

/// What the script draws.
#[derive(Serialize)]
struct Figures {
    courses: Vec<CourseFigures>,
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

pub(super) fn page(told: &Told<'_>) -> Result<Vec<u8>, Problem> {
    let figures = Figures { courses: told.courses.iter().map(|course| figures(told, course)).collect() };
    let title = "When will this storage be full or slow?";
    let when = format!("<p class=\"when\">{}<br>{}</p>", Text(&words::history(told)), Text(told.asked));
    let shell = Shell {
        title,
        heading: format!("<h1>{title}</h1>{when}"),
        made_from: "the history and the records",
        script: &assets::CAPACITY,
        figures: &[("capacity".to_owned(), compact(&figures)?)],
    };
    Ok(shell.page(|page| {
        verdict(page, told);
        page.line("<p class=\"no-charts\">The charts are drawn by the script of this page, which did not run; the tables hold the dates.</p>");
        told.storages.iter().for_each(|storage| limits(page, storage));
        told.courses.iter().for_each(|course| charts(page, course));
        about(page, told);
    }))
}

fn scale(resource: Resource) -> f64 {
    if resource == Resource::Space { GIB } else { 1.0 }
}

fn figures(told: &Told<'_>, course: &Course) -> CourseFigures {
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
        Some(LimitFigures { name: storage.name.clone(), value: ends.limit.value / scale })
    };
    CourseFigures {
        name: course.resource.name(),
        unit: match course.resource {
            Resource::Iops => "IOPS",
            Resource::Mbps => "MBPS",
            Resource::Space => "GiB",
        },
        history: levels.filter_map(|(days, level)| Some((at(days), (*level)? / scale))).collect(),
        ahead: ahead.collect(),
        limits: told.storages.iter().filter_map(limit).collect(),
        week: if course.resource == Resource::Space { Vec::new() } else { course.daily.week.clone() },
    }
}

fn verdict(page: &mut Page, told: &Told<'_>) {
    let tone = match told.gate {
        Some((_, Gate::Failed | Gate::Unknown)) => Tone::DoNotUse,
        Some((_, Gate::Undecided)) => Tone::UseWithCare,
        // Of what is not known nobody may think that it is fine.
        _ if words::is_open(told) => Tone::UseWithCare,
        _ => Tone::Good,
    };
    page.line(format_args!("<section class=\"verdict{}\" aria-label=\"Verdict\">", tone_class(tone)));
    let mut told_all = words::told(told).into_iter();
    for sentence in told_all.by_ref().take(1) {
        page.line(format_args!("<p class=\"head\"><strong>{}</strong></p>", Text(&sentence)));
    }
    told_all.for_each(|sentence| page.line(format_args!("<p>{}</p>", Text(&sentence))));
    if let Some((at, outcome)) = told.gate {
        page.line(format_args!("<p>--fail-before {}: {}</p>", day::shown(at), words::gate(outcome)));
    }
    words::notes(told).iter().for_each(|note| page.line(format_args!("<p>{}</p>", Text(note))));
    page.line("</section>");
}

fn limits(page: &mut Page, storage: &Storage) {
    page.line(format_args!("<section>\n<h2>{}</h2>", Text(&storage.name)));
    let columns: [Column<'_>; 7] = [
        ("Resource", false),
        ("Limit", true),
        ("From", false),
        ("A busy day now", true),
        ("Until", false),
        ("Earliest", false),
        ("Latest", false),
    ];
    let rows = storage.surface.unknown.len() + storage.ends.len();
    open_table(page, &columns, rows, MOST_ROWS, "resource");
    for (resource, why) in &storage.surface.unknown {
        page.line(format_args!(
            "<tr><td>{}</td><td class=\"n\">not known</td><td>{}</td><td class=\"n\">-</td><td>not known</td><td>-</td><td>-</td></tr>",
            resource.word(),
            Text(why)
        ));
    }
    storage.ends.iter().for_each(|ends| row(page, ends));
    close_table(page);
    page.line("</section>");
}

fn row(page: &mut Page, ends: &Ends) {
    let used = ends.used().map_or_else(|| "-".to_owned(), |used| format!("{} %", percent(used)));
    page.line(format_args!(
        "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{used}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        ends.limit.resource.word(),
        words::amount(ends.limit.resource, ends.limit.value),
        Text(&ends.limit.from),
        ends.likely.shown(),
        ends.earliest.shown(),
        ends.latest.shown()
    ));
}

fn charts(page: &mut Page, course: &Course) {
    let (name, word) = (course.resource.name(), course.resource.word());
    page.line(format_args!(
        "<section class=\"drawn-only\">\n<h2>{}</h2>\n<p class=\"about\">{}</p>\n<div class=\"charts\">",
        Text(word),
        kind(course.resource)
    ));
    chart(page, format_args!("year-{name}"), "History and forecast", "by day, then by week");
    if course.resource != Resource::Space {
        chart(
            page,
            format_args!("week-{name}"),
            "Hours of the week",
            "mean of each hour over the mean of all",
        );
    }
    page.line("</div>\n</section>");
}

const fn kind(resource: Resource) -> &'static str {
    match resource {
        Resource::Space => "The highest of each day. Forecast: busy days of each week, with a band of 95 %.",
        _ => {
            "Level of the busy hours of each day: 95th percentile over five minutes. Forecast: busy days of each week, with a band of 95 %."
        }
    }
}

fn about(page: &mut Page, told: &Told<'_>) {
    page.line("<section id=\"evidence\">\n<h2>How it is known</h2>");
    let entry = |course: &Course| Some((course.resource.word().to_owned(), words::about(course)?));
    let mut entries: Vec<(String, String)> = told.courses.iter().filter_map(entry).collect();
    entries.push(("History".to_owned(), words::history(told)));
    list(page, &entries);
    page.line("</section>");
}
