//! Tables whose rows are not points of a matrix: classes that run together, look-ups beside reports, commits by their class and writers,
//! figures place by place, and the phases of a load.
//!
//! Text, Markdown and page have the same cells. Must not lay out, and must not hide a point.

mod mixed;
mod phases;
mod queries;

pub(crate) use phases::of as phases;

pub(crate) use crate::document::Room;
use crate::document::{Column, Table};
use crate::view::View;
use rigel_core::judge::findings::{IoFindings, PointFindings};
use rigel_core::load::class::{Class, LoadClass};
use rigel_core::path_text::printable;
use rigel_core::stats::Estimate;
use rigel_core::units::say::{number, percent, time};

/// Such a table.
pub(crate) struct Listing<'a> {
    /// The names of the columns; the first one says what a row is.
    pub heads: Vec<String>,
    /// In order.
    pub rows: Vec<Row<'a>>,
    /// The meaning of the columns, as a sentence; empty if their names say it.
    pub meaning: &'static str,
}

/// A row.
pub(crate) struct Row<'a> {
    /// A cell for each column.
    pub cells: Vec<String>,
    /// Its points.
    pub points: Vec<&'a PointFindings>,
}

impl Row<'_> {
    /// Whether some of its numbers must not be used.
    pub fn invalid(&self) -> bool {
        self.points.iter().any(|found| found.invalid())
    }
}

impl<'a> Listing<'a> {
    /// As a table block.
    pub fn table(&self) -> Table {
        let column = |(place, head): (usize, &String)| match place {
            0 => Column::left(head),
            // What is in per cent stands close to what it is of.
            _ if head == "±%" => Column::right(head).gap(1),
            _ => Column::right(head),
        };
        Table::of("row", &self.rows)
            .indent(1)
            .bad(|row| row.invalid())
            .columns(self.heads.iter().enumerate(), column, |row, (place, _)| row.cells.get(place).cloned())
            .table()
    }

    /// The table of classes and the points that have some of them; `None` if they are points of a matrix.
    pub fn of(
        view: &'a View<'_>,
        classes: &[&LoadClass],
        points: &[&'a PointFindings],
        room: Room,
    ) -> Option<Self> {
        let has_sides = view.record.header.request.sides.is_some();
        if !has_sides && classes.iter().any(|class| class.appends()) {
            Some(commits(view, classes, points, room))
        } else if !has_sides && classes.iter().all(|class| class.places.is_some()) {
            Some(by_place(view, room))
        } else if room == Room::Narrow && mixed::is_mixed(classes) {
            // A page has room for the figures of all classes in a row.
            Some(mixed::of(view, classes, points))
        } else if room == Room::Narrow && !has_sides && queries::are_queries(classes) {
            Some(queries::of(view, points))
        } else {
            None
        }
    }
}

/// A row for each class of each point: a matrix would have a column for each class, and one number in each row of them.
fn commits<'a>(
    view: &View<'_>,
    classes: &[&LoadClass],
    points: &[&'a PointFindings],
    room: Room,
) -> Listing<'a> {
    let all_append = classes.iter().all(|class| class.appends());
    let is_beside = points.iter().any(|found| found.classes().count() > 1);
    let mut heads = vec!["Class", if all_append { "Writers" } else { "Level" }];
    heads.extend(is_beside.then_some("Next to"));
    heads.extend(["per s", "±%", "mean", "±%"]);
    heads.extend((room == Room::Wide).then_some(["p50", "±%"]).into_iter().flatten());
    heads.extend(["p99", "±%", "Visits"]);
    let row = |found: &'a PointFindings, class: Class, io: &IoFindings| {
        let mut cells = vec![class.to_string(), found.point.of(class).to_string()];
        cells.extend(is_beside.then(|| found.point.without(class).words()).map(or_none));
        cells.push(number(io.iops.value));
        cells.push(half(view, io, Some(io.iops), room));
        let us = io.latency_us;
        let mut estimates = vec![us.map(|us| us.mean), us.map(|us| us.p99)];
        if room == Room::Wide {
            estimates.insert(1, us.map(|us| us.p50));
        }
        cells.extend(estimates.into_iter().flat_map(|us| [written(us, time), width(us)]));
        cells.push(found.visits.to_string());
        Row { cells, points: vec![found] }
    };
    let rows = points.iter().flat_map(|found| found.classes().map(move |(class, io)| row(found, class, io)));
    Listing {
        heads: heads.into_iter().map(str::to_owned).collect(),
        rows: rows.collect(),
        meaning: "per s: what all writers together do in a second. mean and p99: how long one of them waits \
            each time. unsynced: the same write without durability.",
    }
}

/// A row for each place.
fn by_place<'a>(view: &'a View<'_>, room: Room) -> Listing<'a> {
    let all = &view.findings.places;
    let most = all.iter().filter_map(|found| found.load.places).max().unwrap_or(0);
    let heads = all.iter().flat_map(|found| {
        let rate = found.is_of_rate();
        let figure = if rate { printable(found.load.unit()).into_owned() } else { "mean".to_owned() };
        let more: &[&str] = if rate { &["±%"] } else { &["±%", "p99", "±%"] };
        std::iter::once(format!("{} {figure}", found.load.name))
            .chain(more.iter().map(|&head| head.to_owned()))
    });
    let row = |place: u32| {
        let name = all.first().map_or_else(String::new, |found| found.load.place_words(place));
        let points = all.iter().filter_map(|found| view.findings.alone(found.load.name, place));
        let mut cells = vec![name];
        for found in all {
            let io = view.findings.alone(found.load.name, place).and_then(|at| at.io(found.load.name));
            let us = io.and_then(|io| io.latency_us);
            let judged = io.and_then(rigel_core::judge::findings::judged_at_place);
            let write = if found.is_of_rate() { number } else { time };
            cells.push(written(judged, write));
            cells.push(io.map_or_else(|| "-".to_owned(), |io| half(view, io, judged, room)));
            if !found.is_of_rate() {
                let p99 = us.map(|us| us.p99);
                cells.extend([written(p99, time), width(p99)]);
            }
        }
        Row { cells, points: points.collect() }
    };
    Listing {
        heads: std::iter::once("Place".to_owned()).chain(heads).collect(),
        rows: (1..=u32::from(most)).map(row).collect(),
        meaning: "Place: in per cent of every target. All figures of this table were measured.",
    }
}

fn or_none(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

fn written(found: Option<Estimate>, write: fn(f64) -> String) -> String {
    found.map_or_else(|| "-".to_owned(), |found| write(found.value))
}

fn width(found: Option<Estimate>) -> String {
    found.and_then(|found| found.half_width()).map_or_else(|| "-".to_owned(), percent)
}

/// Half the width of the interval that tells how certain the point is; with a star if that was requested and not reached.
fn half(view: &View<'_>, io: &IoFindings, found: Option<Estimate>, room: Room) -> String {
    let star = match (room, view.findings.target) {
        (Room::Narrow, Some(_)) if !io.sure.reached => "*",
        (Room::Narrow, Some(_)) => " ",
        _ => "",
    };
    width(found) + star
}
