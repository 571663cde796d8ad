//! The places of the charts, each with a caption that says what it shows. The page's script draws them.
//!
//! Must not offer a chart that the run has no numbers for.

use crate::document::{Block, Chart, Kind, Picker};
use crate::html::ids::Ids;
use crate::view::View;
use rigel_core::judge::findings::PointFindings;
use rigel_core::load::class::{Class, LoadClass};
use std::collections::BTreeSet;

const BANDS: &str = "Bands and whiskers are the 95 % intervals; ! marks a point with flags of its own, ✕ one whose numbers must \
    not be used. A click chooses a point. With the keyboard: arrows step through the points, Enter \
    chooses, + and - zoom, 0 shows all.";
/// A point is named by its classes, as in records and flags.
const NAMES_OF_QUERIES: &str = " Simple=4 stands for 4 sessions with look-ups, which are simple queries, and Report=2 for 2 \
    sessions with reports.";

/// The ways of a commit, and the same of them.
const WAYS_OF_COMMITS: [Class; 3] = [Class::DSYNC, Class::FDATASYNC, Class::UNSYNCED];
const NAMES_OF_COMMITS: &str = " Dsync=4 stands for 4 writers, each of which waits until its write is \
    durable (O_DSYNC); Fdatasync for writers that flush after each write (fdatasync), Unsynced for the same \
    write without durability.";

/// All of them; empty if nothing was measured.
pub(super) fn blocks(view: &View<'_>, ids: &Ids) -> Vec<Block> {
    let points = &view.findings.points;
    if points.is_empty() && view.findings.curves.is_empty() {
        return Vec::new();
    }
    let classes = Classes { loads: view.loads(), shown: view.shown() };
    let mut all = vec![over_load(view, ids, &classes)];
    if points.is_empty() {
        return all;
    }
    // A mix has one number of sessions of each kind for each number of users.
    if !view.is_mix_of_users() {
        all.extend(matrix(points, ids, &classes));
        all.extend(interference(points, ids, &classes));
    }
    all.extend([one_point(ids, &classes), over_time(ids, &classes)]);
    all
}

/// The classes of a run.
struct Classes<'a> {
    /// Classes with figures.
    loads: Vec<&'a LoadClass>,
    /// Classes with a place in the matrix.
    shown: Vec<&'a LoadClass>,
}

impl Classes<'_> {
    /// `outstanding large I/Os and outstanding log writers`: all but one.
    fn others(&self, own: &LoadClass, text: impl Fn(&LoadClass) -> String) -> String {
        let others = self
            .shown
            .iter()
            .filter(|class| class.name != own.name && class.side == own.side)
            .map(|class| text(class));
        others.collect::<Vec<_>>().join(" and ")
    }
}

fn section(ids: &Ids, name: &str, title: &str, about: &str, charts: Vec<Chart>) -> Block {
    Block::drawn(title, &[about], charts).named(ids.of(name))
}

fn figure(ids: &Ids, name: &str, title: &str, about: impl Into<String>) -> Chart {
    Chart::new(ids.of(name), title, about)
}

fn over_load(view: &View<'_>, ids: &Ids, classes: &Classes<'_>) -> Block {
    let by_place = classes.loads.iter().all(|load| load.places.is_some());
    let all =
        |is: fn(&LoadClass) -> bool| classes.shown.len() > 1 && classes.shown.iter().all(|load| is(load));
    let names = if all(|load| WAYS_OF_COMMITS.contains(&load.plain_name())) {
        NAMES_OF_COMMITS
    } else if all(LoadClass::is_query) {
        NAMES_OF_QUERIES
    } else {
        ""
    };
    let mut charts = Vec::new();
    for (place, load) in classes.loads.iter().enumerate() {
        charts.push(rate(view, ids, classes, load));
        // A look-up beside reports is not a smaller report, and who waits for a commit asks how long: each has its own time.
        if place == 0 {
            charts.push(latency(view, ids, load, ""));
        } else if load.is_query() || load.appends() {
            charts.push(latency(view, ids, load, &format!("-of-{}", load.name)));
        }
    }
    let searched = view.findings.curves.iter().filter(|curve| !is_alone(view, curve.class()));
    charts.extend(searched.map(|curve| {
        let about = format!("of what saturates {} alone", curve.load.noun());
        figure(ids, &format!("search-{}", curve.class()), "Search", about)
    }));
    let title = if by_place { "Over the places" } else { "Over the load" };
    section(ids, "over-load", title, &format!("{BANDS}{names}"), charts)
}

/// Mean and percentiles of a class over its load.
fn latency(view: &View<'_>, ids: &Ids, load: &LoadClass, suffix: &str) -> Chart {
    let about = format!("of {}: mean, median (p50) and 99th percentile (p99)", load.noun());
    let choice = (ids.of(&format!("latency-level{suffix}")), "Levels of the other classes");
    Chart {
        choice: is_beside(view, load.name).then_some(choice),
        ..figure(ids, &format!("latency{suffix}"), "Latency", about)
    }
}

/// Whether the class was measured alone, so its chart can show the earlier search for its levels.
fn is_alone(view: &View<'_>, class: Class) -> bool {
    view.findings.points.iter().any(|found| found.point.is_alone(class))
}

/// Whether the class was measured together with others.
fn is_beside(view: &View<'_>, class: Class) -> bool {
    !view.is_mix_of_users()
        && view.findings.points.iter().any(|found| found.point.of(class) > 0 && !found.point.is_alone(class))
}

/// The rate of a class over its load.
fn rate(view: &View<'_>, ids: &Ids, classes: &Classes<'_>, load: &LoadClass) -> Chart {
    let mut about = format!("of {} over the {}", load.noun(), across(view, load));
    if is_beside(view, load.name) {
        let others = classes.others(load, LoadClass::axis);
        about += &format!(", a line for each number of {others}");
    }
    if view.findings.curves.iter().any(|curve| curve.class() == load.name) && is_alone(view, load.name) {
        about +=
            ". Hollow marks were visited only in the search that chose the levels, before the measurement";
    }
    figure(ids, &format!("rate-{}", load.name), load.unit(), about)
}

/// The same if all sessions count as users, whatever they request.
pub(crate) fn across(view: &View<'_>, load: &LoadClass) -> String {
    if view.is_mix_of_users() { "sessions of both kinds".to_owned() } else { axis(load) }
}

/// The horizontal axis of a class's chart.
pub(super) fn axis(load: &LoadClass) -> String {
    if load.places.is_some() { "place, in per cent of every target".to_owned() } else { load.axis() }
}

/// A heat map for each class with several rows and several columns of cells: for a single row, a curve shows more.
fn matrix(points: &[PointFindings], ids: &Ids, classes: &Classes<'_>) -> Option<Block> {
    let mapped: Vec<_> = classes.loads.iter().filter(|load| is_mapped(points, classes, load)).collect();
    let of = |load: &&&LoadClass| {
        figure(ids, &format!("heat-{}", load.name), load.unit(), format!("of {}", load.noun()))
    };
    let mut charts: Vec<Chart> = mapped.iter().map(of).collect();
    if let Some(load) = classes.loads.first().filter(|first| mapped.contains(first)) {
        charts.push(figure(ids, "matrix-latency", "Mean latency", format!("of {}", load.noun())));
    }
    let about = "Each cell is a point; the chosen one has a thick border.";
    (!charts.is_empty()).then(|| section(ids, "matrix", "The matrix", about, charts))
}

/// Whether the cells of a class cover several rows and columns of the first two classes.
fn is_mapped(points: &[PointFindings], classes: &Classes<'_>, load: &LoadClass) -> bool {
    let [across, up, ..] = classes.shown.as_slice() else { return false };
    let cells = points.iter().filter(|found| {
        let off = found.point.without(across.name).without(up.name);
        off.sum() == 0 && found.io(load.name).is_some()
    });
    let (columns, rows): (BTreeSet<u32>, BTreeSet<u32>) =
        cells.map(|found| (found.point.of(across.name), found.point.of(up.name))).unzip();
    columns.len() > 1 && rows.len() > 1
}

/// Whether points with several classes have counterparts with one of them.
fn interference(points: &[PointFindings], ids: &Ids, classes: &Classes<'_>) -> Option<Block> {
    let alone = |load: &&&LoadClass| points.iter().any(|found| found.point.is_alone(load.name));
    let together = points.iter().any(|found| found.point.classes().count() > 1);
    if !together || !classes.loads.iter().any(|load| alone(&load)) {
        return None;
    }
    let loss = |load: &&LoadClass| {
        let others = classes.others(load, LoadClass::noun);
        let about =
            format!("of {} over the added load of {others}, a line for each of its own levels", load.noun());
        figure(ids, &format!("loss-{}", load.name), &format!("Loss of {}", load.unit()), about)
    };
    Some(section(
        ids,
        "interference",
        "Interference",
        "How much of its own rate one class loses when another is added, from the rounds that visited both \
         points, so that whatever slows a whole round cancels out. Without such rounds the relative widths \
         of both rates add up in quadrature.",
        classes.loads.iter().filter(alone).map(loss).collect(),
    ))
}

fn one_point(ids: &Ids, classes: &Classes<'_>) -> Block {
    let own = |load: &&LoadClass| (ids.of(&format!("own-{}", load.name)), load.noun());
    let picker = Picker {
        point: ids.of("point"),
        group: ids.of("own"),
        own: classes.shown.iter().map(own).collect(),
        chosen: ids.of("chosen"),
    };
    let charts = vec![
        figure(ids, "histogram", "Latency histogram", "of all visits that count, on a logarithmic scale"),
        figure(ids, "percentiles", "Percentiles", "of latency: each step to the right is ten times rarer"),
        figure(
            ids,
            "latency-time",
            "Latency over time",
            "a column for each visit or slice of one visit; the lighter, the more I/Os",
        ),
        figure(
            ids,
            "inside",
            "Throughput inside the visits",
            "since the load began; grey parts are settling and do not count",
        ),
    ];
    Block::section("One point", vec![Block::Picker(picker), Block::Charts(charts)])
        .of_kind(Kind::Drawn)
        .named(ids.of("one-point"))
}

fn over_time(ids: &Ids, classes: &Classes<'_>) -> Block {
    let chart = |load: &&LoadClass| {
        let about = format!("of {}, visit by visit", load.noun());
        figure(ids, &format!("run-{}", load.name), load.unit(), about)
    };
    let about = "Every visit with its rate; click a visit to choose its point.";
    section(ids, "over-time", "Over the time of the run", about, classes.loads.iter().map(chart).collect())
}
