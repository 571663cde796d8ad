//! What is shown about dates and headroom: the answers, the limits of each storage, their basis, and on a page the history and the forecast.
//!
//! Must not leave out a limit.

use super::{HeadroomReport, picture, words};
use crate::document::{Block, Blocks, Chart, Column, Document, Kind, Paragraph, Room, Table};
use crate::judgement::Tone;
use rigel_capacity::day;
use rigel_capacity::headroom::{Course, Ends, Gate, Resource, Storage};
use rigel_core::path_text::printable;
use rigel_core::units::say::percent;

impl Document for HeadroomReport<'_> {
    fn blocks(&self, room: Room) -> Blocks {
        let gate = self.gate.map(|(at, is)| format!("--fail-before {}: {}", day::shown(at), is.name()));
        let mut sentences: Vec<String> = words::sentences(self).into_iter().chain(gate).collect();
        let notes = words::notes(self);
        if room.is_wide() {
            sentences.extend(notes.iter().cloned());
        }
        let mut all = vec![Block::Verdict { tone: tone(self), sentences }];
        if room.is_wide() {
            all.extend(picture::of(self));
            all.extend(self.storages.iter().map(|one| limits(one, room)));
            all.extend(self.courses.iter().map(charts));
            all.extend(bucket_charts(self.storages));
            all.push(how(self));
        } else {
            let has_rows = |one: &&Storage| !one.ends.is_empty() || !one.surface.unknown.is_empty();
            all.extend(self.storages.iter().filter(has_rows).map(|one| limits(one, room)));
            all.push(how_in_lines(self));
            all.push(Block::part(
                notes.into_iter().map(|note| Paragraph::labelled("note: ", 2, note).into()).collect(),
            ));
        }
        all.into()
    }
}

fn tone(told: &HeadroomReport<'_>) -> Tone {
    match told.gate {
        Some((_, Gate::Failed | Gate::Unknown)) => Tone::DoNotUse,
        Some((_, Gate::Undecided)) => Tone::UseWithCare,
        // Of what is not known nobody may think that it is fine.
        _ if words::is_open(told) => Tone::UseWithCare,
        _ => Tone::Good,
    }
}

/// A row of a storage: why a limit is unknown, or when it is reached.
type Row<'a> = Result<&'a Ends, (Resource, &'a str)>;

fn limits(storage: &Storage, room: Room) -> Block {
    let unknown = storage.surface.unknown.iter().map(|(resource, why)| Err((*resource, why.as_str())));
    let rows: Vec<Row<'_>> = unknown.chain(storage.ends.iter().map(Ok)).collect();
    let of = |row: &Row<'_>, known: fn(&Ends) -> String, unknown: &str| match row {
        Ok(ends) => known(ends),
        Err(_) => unknown.to_owned(),
    };
    let later = room.either("", "-");
    let right = |narrow, wide| Column::right(room.either(narrow, wide));
    let left = |narrow, wide| Column::left(room.either(narrow, wide));
    let table = Table::of("resource", &rows)
        .column(left("", "Resource").width(11), |row| row.map_or_else(|(one, _)| one, resource).word())
        .column(right("limit", "Limit").width(13), |row| of(row, limit, "not known"))
        .column_if(room.is_wide(), Column::left("From"), |row| match row {
            Ok(ends) => ends.limit.from.clone(),
            Err((_, why)) => (*why).to_owned(),
        })
        .column(right("now", "A busy day now").width(7), |row| of(row, used, "-"))
        .column(left("until", "Until").width(14).gap(2), |row| {
            of(row, |ends| ends.likely.shown(), "not known")
        })
        .column(left("earliest", "Earliest").width(14).gap(0), |row| {
            of(row, |ends| ends.earliest.shown(), later)
        })
        .column(left("latest", "Latest").width(14).gap(0), |row| of(row, |ends| ends.latest.shown(), later))
        .done();
    match room {
        Room::Narrow => Block::part(vec![Block::hanging(printable(&storage.name)), table]),
        Room::Wide => Block::section(&storage.name, vec![table]).of_kind(Kind::Paper),
    }
}

fn resource(ends: &Ends) -> Resource {
    ends.limit.resource
}

fn limit(ends: &Ends) -> String {
    words::amount(ends.limit.resource, ends.limit.figure.value)
}

fn used(ends: &Ends) -> String {
    ends.used().map_or_else(|| "-".to_owned(), |used| format!("{} %", percent(used)))
}

fn charts(course: &Course) -> Block {
    let (name, word) = (course.resource.name(), course.resource.word());
    let mut charts = vec![Chart::new(format!("year-{name}"), "History and forecast", "by day, then by week")];
    if course.resource != Resource::Space {
        let about = "mean of each hour over the mean of all";
        charts.push(Chart::new(format!("week-{name}"), "Hours of the week", about));
    }
    Block::drawn(word, &[kind(course.resource)], charts)
}

/// A chart for each token bucket.
fn bucket_charts(storages: &[Storage]) -> Option<Block> {
    let buckets = storages.iter().filter(|storage| storage.credits.is_some());
    let chart = |(at, storage): (usize, &Storage)| {
        Chart::new(
            format!("credits-{at}"),
            "Credits left",
            format!("the least of each day: {}", storage.name),
        )
    };
    let charts: Vec<Chart> = buckets.enumerate().map(chart).collect();
    let about = "The load of the history through the bucket, minute by minute. At 0 %, load above the \
        refill rate has to wait.";
    (!charts.is_empty()).then(|| Block::drawn("token bucket", &[about], charts))
}

const fn kind(resource: Resource) -> &'static str {
    match resource {
        Resource::Space => "The highest of each day. Forecast: busy days of each week, with a 95 % band.",
        _ => {
            "Level of the busy hours of each day: 95th percentile over five minutes. Forecast: busy days of \
             each week, with a 95 % band."
        }
    }
}

fn how(told: &HeadroomReport<'_>) -> Block {
    let entry = |course: &Course| {
        Some((course.resource.word().to_owned(), words::about(course, told.scenario.growth)?))
    };
    let mut facts: Vec<(String, String)> = told.courses.iter().filter_map(entry).collect();
    facts.push(("History".to_owned(), words::history(told)));
    Block::evidence("How it is known", facts)
}

fn how_in_lines(told: &HeadroomReport<'_>) -> Block {
    let rates = told.courses.iter().find(|one| one.resource == Resource::Iops);
    let all = std::iter::once(words::history(told))
        .chain(told.courses.iter().filter_map(|course| words::about(course, told.scenario.growth)))
        .chain(rates.and_then(words::busiest));
    Block::part(all.map(Block::hanging).collect())
}
