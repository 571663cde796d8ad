//! What a cache is worth: a sentence, a table of the sizes, what a larger cache would give, two charts, and its part of the JSON document.
//!
//! Must not judge; the findings do.

mod json;
mod metrics;
mod words;

pub(crate) use json::{WorkingSetDocument, document};
pub(crate) use metrics::families;
pub(crate) use words::{reached, sentence};

use crate::document::picture::{Axis, Dot, Line, Lines, Panel, Shape};
use crate::document::{Block, Card, Column, Room, Table};
use crate::view::View;
use rigel_core::judge::findings::{Forecast, ForecastHalves, LatencyUs, SizeFindings, WorkingSetFindings};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::stats::working_set::{CacheVerdict, Warmth};
use rigel_core::units::say::{factor, number, percent, rough_size, short, time};
use rigel_core::units::{Bytes, to_f64};

/// The table of sizes and the effect of larger ones; empty for another run.
pub(crate) fn blocks(view: &View<'_>, room: Room) -> Vec<Block> {
    let Some(found) = &view.findings.working_set else { return Vec::new() };
    let mut all =
        vec![Block::section("Working sets", vec![sizes(found, room), Block::about(words::about(found))])];
    if !found.forecasts.is_empty() {
        let told = vec![forecasts(found), Block::about(words::of_forecasts(found))];
        all.push(Block::section("What a larger cache would give", told));
    }
    all
}

fn sizes(found: &WorkingSetFindings, room: Room) -> Block {
    let half = |one: Estimate| one.half_width().map_or_else(|| "-".to_owned(), percent);
    let rows: Vec<&SizeFindings> = found.sizes.iter().collect();
    let mut table = Table::of("size", &rows)
        .column(Column::left("Working set"), |size| Bytes(size.bytes).to_string())
        .column(Column::right(printable(found.load.unit())), |size| number(size.rate.value))
        .column(Column::right("±%").gap(1), move |size| half(size.rate))
        .column(Column::right("mean"), |size| time(size.latency_us.mean.value))
        .column(Column::right("±%").gap(1), move |size| half(size.latency_us.mean))
        .column(Column::right("p50"), |size| time(size.latency_us.p50.value))
        .column(Column::right("p99"), |size| time(size.latency_us.p99.value));
    for number in 0..found.caches().len() {
        let head =
            if found.caches().len() == 1 { "hits".to_owned() } else { format!("cache {}", number + 1) };
        table = table.column(Column::right(head), move |size| {
            size.hits.get(number).map_or_else(|| "-".to_owned(), |hits| format!("{} %", percent(hits.value)))
        });
    }
    if room.is_wide() {
        table = table.column(Column::right("read before"), |size| format!("{} times", factor(size.passes)));
    }
    table.column(Column::left("warm"), |size| words::warmth(size.warmth).to_owned()).done()
}

fn forecasts(found: &WorkingSetFindings) -> Block {
    let rows: Vec<&Forecast> = found.forecasts.iter().collect();
    let half = |one: &Forecast, of: fn(ForecastHalves) -> f64| {
        one.halves.map_or_else(|| "-".to_owned(), |halves| percent(of(halves)))
    };
    Table::of("forecast", &rows)
        .column(Column::left("With"), move |one| words::forecast(found, one))
        .column(Column::right("hits"), |one| format!("{} %", percent(one.hits)))
        .column(Column::right("mean"), |one| time(one.mean_us))
        .column(Column::right("±%").gap(1), move |one| half(one, |halves| halves.mean))
        .column(Column::right(printable(found.load.unit())), |one| number(one.rate))
        .column(Column::right("±%").gap(1), move |one| half(one, |halves| halves.rate))
        .done()
}

/// The headline numbers; empty for another run.
pub(crate) fn cards(view: &View<'_>) -> Option<Vec<Card>> {
    let found = view.findings.working_set.as_ref()?;
    let card = |title: &str, value: String, about: Vec<String>| Card {
        title: title.to_owned(),
        value,
        about,
        ..Card::default()
    };
    let mut all = Vec::new();
    if let CacheVerdict::Caches(caches, levels) = &found.found {
        for (number, (cache, level)) in caches.iter().zip(levels).enumerate() {
            let name = if caches.len() == 1 { "Cache".to_owned() } else { format!("Cache {}", number + 1) };
            let (lo, hi) = words::ends(cache);
            let about = vec![
                format!("{lo} to {hi} (95 %)"),
                format!("answers in {}", words::about_time(level.median_us)),
            ];
            all.push(card(&name, words::size(cache.bytes.mean), about));
        }
        let behind = if caches.len() == 1 { "Latency behind the cache" } else { "Latency behind the caches" };
        all.extend(levels.last().map(|level| card(behind, words::about_time(level.median_us), Vec::new())));
    }
    let rate = |size: &SizeFindings| {
        let unit = printable(found.load.unit()).into_owned();
        card(
            &format!("Over {}", Bytes(size.bytes)),
            format!("{} {unit}", number(size.rate.value)),
            Vec::new(),
        )
    };
    let ends = [found.sizes.first(), found.sizes.last().filter(|_| found.sizes.len() > 1)];
    all.extend(ends.into_iter().flatten().map(rate));
    Some(all)
}

/// The rate and the latency over the size; empty for another run.
pub(crate) fn panels(view: &View<'_>) -> Vec<Panel> {
    let Some(found) = &view.findings.working_set else { return Vec::new() };
    let across = || Axis { name: "working set".to_owned(), is_log: true, is_binary: true, write: rough_size };
    let marks = || -> Vec<(f64, String)> {
        let is_inside = |at: f64| {
            let ends = found.sizes.first().zip(found.sizes.last());
            ends.is_some_and(|(first, last)| (to_f64(first.bytes)..=to_f64(last.bytes)).contains(&at))
        };
        let seen = found.caches().iter().filter(|cache| is_inside(cache.bytes.mean));
        seen.map(|cache| (cache.bytes.mean, format!("a cache of {}", words::size(cache.bytes.mean))))
            .collect()
    };
    let line = |name: &str, of: &dyn Fn(&SizeFindings) -> Estimate| {
        let dot = |size: &SizeFindings| {
            let value = of(size);
            Dot { across: to_f64(size.bytes), up: value.value, ends: value.ends() }
        };
        Line { name: name.to_owned(), dots: found.sizes.iter().map(dot).collect() }
    };
    let panel = |title: String, up: Axis, lines: Vec<Line>| Panel {
        title,
        shape: Shape::Lines(Lines { across: across(), up, lines, limit: None, band: None, marks: marks() }),
    };
    let values =
        |lines: &[Line]| -> Vec<f64> { lines.iter().flat_map(|line| &line.dots).map(|dot| dot.up).collect() };
    let unit = printable(found.load.unit()).into_owned();
    let rates = vec![line("", &|size| size.rate)];
    let of_latency =
        |name: &str, figure: fn(&LatencyUs) -> Estimate| line(name, &|size| figure(&size.latency_us));
    let latencies = vec![of_latency("mean", |us| us.mean), of_latency("p99", |us| us.p99)];
    let (rate_values, latency_values) = (values(&rates), values(&latencies));
    vec![
        panel(
            format!("{unit} with {} outstanding reads", found.each),
            Axis::spread(unit.clone(), short, rate_values.into_iter()),
            rates,
        ),
        panel(
            "Latency of one read at a time".to_owned(),
            Axis::spread("latency", time, latency_values.into_iter()),
            latencies,
        ),
    ]
}

/// Whether a size is warm, for programs.
const fn warmth_name(warmth: Warmth) -> &'static str {
    match warmth {
        Warmth::Steady => "steady",
        Warmth::Rising => "rising",
        Warmth::NoPass => "no_pass",
    }
}
