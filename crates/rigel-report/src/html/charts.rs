//! The places of the charts, each with a caption that says what it shows. The page's script draws them.
//!
//! Must not offer a chart that the run has no numbers for.

use super::ids::Ids;
use super::markup::chart;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::PointFindings;
use rigel_core::load::class::{Class, LoadClass};
use std::collections::BTreeSet;

const BANDS: &str = "Bands and whiskers are the 95 % intervals; <b>!</b> marks a point with flags of its own, <b>✕</b> one whose numbers must \
    not be used. <span class=\"screen\">A click chooses a point. With the keyboard: arrows step through the points, Enter \
    chooses, + and - zoom, 0 shows all.</span>";
/// A point has the names of its classes, which are those of records and flags.
const NAMES_OF_QUERIES: &str = " <b>Simple=4</b> stands for 4 sessions with look-ups, which are simple queries, and <b>Report=2</b> for 2 \
    sessions with reports.";

/// The ways of a commit, and the same of them.
const WAYS_OF_COMMITS: [Class; 3] = [Class::DSYNC, Class::FDATASYNC, Class::UNSYNCED];
const NAMES_OF_COMMITS: &str = " <b>Dsync=4</b> stands for 4 writers, each of whom waits until its write is durable (O_DSYNC); <b>Fdatasync</b> \
    for those that write and then ask for it (fdatasync), <b>Unsynced</b> for the same write that need not be durable.";

/// All of them; nothing when nothing was measured.
pub(super) fn section(page: &mut Page, view: &View<'_>, ids: &Ids) {
    let points = &view.findings.points;
    if points.is_empty() && view.findings.curves.is_empty() {
        return;
    }
    page.line(
        "<p class=\"no-charts\">The charts are drawn by the script of this page, which did not run; the tables below hold every \
         number.</p>",
    );
    let classes = Classes { loads: view.loads(), shown: view.shown() };
    over_load(page, view, ids, &classes);
    if points.is_empty() {
        return;
    }
    // A mix has one number of sessions of each kind for each number of users.
    if !view.is_mix_of_users() {
        matrix(page, points, ids, &classes);
        interference(page, points, ids, &classes);
    }
    one_point(page, ids, &classes);
    over_time(page, ids, &classes);
}

/// The classes of a run.
struct Classes<'a> {
    /// Those that have figures.
    loads: Vec<&'a LoadClass>,
    /// Those that have a place in the matrix.
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

fn open(page: &mut Page, ids: &Ids, name: &str, title: &str, about: &str) {
    let id = ids.of(name);
    page.line(format_args!("<section class=\"drawn-only {name}\" id=\"{id}\">\n<h2>{title}</h2>\n<p class=\"about\">{about}</p>\n<div class=\"charts\">"));
}

fn close(page: &mut Page) {
    page.line("</div>\n</section>");
}

fn figure(page: &mut Page, ids: &Ids, name: &str, title: &str, about: &str) {
    chart(page, ids.of(name), title, about);
}

/// The first row is the curve of the first class and its latency: with what stands above it, it fits on one sheet.
fn over_load(page: &mut Page, view: &View<'_>, ids: &Ids, classes: &Classes<'_>) {
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
    open(
        page,
        ids,
        "over-load",
        if by_place { "Over the places" } else { "Over the load" },
        &format!("{BANDS}{names}"),
    );
    let (first, others) =
        classes.loads.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    if let Some(load) = first {
        rate(page, view, ids, classes, load);
        latency(page, view, ids, load, "");
    }
    let searched: Vec<_> =
        view.findings.curves.iter().filter(|curve| !is_alone(view, curve.class())).collect();
    if first.is_some() && !(others.is_empty() && searched.is_empty()) {
        page.line("</div>\n<div class=\"charts more\">");
    }
    for load in others {
        rate(page, view, ids, classes, load);
        // A look-up beside reports is not a smaller report, and who waits for a commit asks how long: each has its own time.
        if load.is_query() || load.appends() {
            latency(page, view, ids, load, &format!("-of-{}", load.name));
        }
    }
    for curve in searched {
        let about = format!("of what saturates {} alone", curve.load.noun());
        figure(page, ids, &format!("search-{}", curve.class()), "Search", &about);
    }
    close(page);
}

/// Mean and percentiles of a class over its load.
fn latency(page: &mut Page, view: &View<'_>, ids: &Ids, load: &LoadClass, suffix: &str) {
    let at = if is_beside(view, load.name) {
        let id = ids.of(&format!("latency-level{suffix}"));
        format!(" at <label><select id=\"{id}\" aria-label=\"Levels of the other classes\"></select></label>")
    } else {
        String::new()
    };
    let about = format!("of {}: mean, median (p50) and 99th percentile (p99){at}", load.noun());
    figure(page, ids, &format!("latency{suffix}"), "Latency", &about);
}

/// Whether the class was measured alone, so that its chart can show what was found before, in the search for its levels.
fn is_alone(view: &View<'_>, class: Class) -> bool {
    view.findings.points.iter().any(|found| found.point.is_alone(class))
}

/// Whether the class was measured beside others.
fn is_beside(view: &View<'_>, class: Class) -> bool {
    !view.is_mix_of_users()
        && view.findings.points.iter().any(|found| found.point.of(class) > 0 && !found.point.is_alone(class))
}

/// The rate of a class over its load.
fn rate(page: &mut Page, view: &View<'_>, ids: &Ids, classes: &Classes<'_>, load: &LoadClass) {
    let mut about = format!("of {} over the {}", load.noun(), across(view, load));
    if is_beside(view, load.name) {
        let others = classes.others(load, LoadClass::axis);
        about += &format!(", a line for each number of {others}");
    }
    if view.findings.curves.iter().any(|curve| curve.class() == load.name) && is_alone(view, load.name) {
        about +=
            ". Hollow marks were visited only in the search that chose the levels, before the measurement";
    }
    figure(page, ids, &format!("rate-{}", load.name), load.unit(), &about);
}

/// The same where all sessions count as users, whatever they ask.
pub(super) fn across(view: &View<'_>, load: &LoadClass) -> String {
    if view.is_mix_of_users() { "sessions of both kinds".to_owned() } else { axis(load) }
}

/// What a chart of a class has across.
pub(super) fn axis(load: &LoadClass) -> String {
    if load.places.is_some() { "place, in per cent of every target".to_owned() } else { load.axis() }
}

/// A heat map for each class that has several rows and several columns of cells: of one row, a curve shows more.
fn matrix(page: &mut Page, points: &[PointFindings], ids: &Ids, classes: &Classes<'_>) {
    let mapped: Vec<_> = classes.loads.iter().filter(|load| is_mapped(points, classes, load)).collect();
    if mapped.is_empty() {
        return;
    }
    open(page, ids, "matrix", "The matrix", "Each cell is a point; the chosen one has a thick border.");
    for load in &mapped {
        figure(page, ids, &format!("heat-{}", load.name), load.unit(), &format!("of {}", load.noun()));
    }
    if let Some(load) = classes.loads.first().filter(|first| mapped.contains(first)) {
        figure(page, ids, "matrix-latency", "Mean latency", &format!("of {}", load.noun()));
    }
    close(page);
}

/// Whether the cells of a class lie in several rows and columns of the first two classes.
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

/// Whether points with several classes have their likes with one of them.
fn interference(page: &mut Page, points: &[PointFindings], ids: &Ids, classes: &Classes<'_>) {
    let alone = |load: &&&LoadClass| points.iter().any(|found| found.point.is_alone(load.name));
    let together = points.iter().any(|found| found.point.classes().count() > 1);
    if !together || !classes.loads.iter().any(|load| alone(&load)) {
        return;
    }
    open(
        page,
        ids,
        "interference",
        "Interference",
        "What one class loses of its rate alone when another is added, from the rounds in which both points were visited: what was \
         slow or fast for a whole round is not in it. Without such rounds the relative widths of both rates add up in quadrature.",
    );
    for load in classes.loads.iter().filter(alone) {
        let others = classes.others(load, LoadClass::noun);
        let about =
            format!("of {} over what is added of {others}, a line for each of its own levels", load.noun());
        figure(page, ids, &format!("loss-{}", load.name), &format!("Loss of {}", load.unit()), &about);
    }
    close(page);
}

fn one_point(page: &mut Page, ids: &Ids, classes: &Classes<'_>) {
    let [section, point, own, chosen] = ["one-point", "point", "own", "chosen"].map(|name| ids.of(name));
    let choice = |load: &&LoadClass| {
        let id = ids.of(&format!("own-{}", load.name));
        format!("<label><input type=\"radio\" name=\"{own}\" id=\"{id}\"> {}</label>", load.noun())
    };
    let choices: String = classes.shown.iter().map(choice).collect();
    page.line(format_args!(
        "<section id=\"{section}\">\n<h2>One point</h2>\n<div class=\"picker\"><label>Point <select id=\"{point}\"></select></label>\
         {choices}</div>\n<p class=\"chosen\" id=\"{chosen}\" aria-live=\"polite\"></p>\n<div class=\"charts\">"
    ));
    figure(page, ids, "histogram", "Latency histogram", "of all visits that count, on a logarithmic scale");
    figure(page, ids, "percentiles", "Percentiles", "of latency: each step to the right is ten times rarer");
    figure(
        page,
        ids,
        "latency-time",
        "Latency over time",
        "a column for each visit or slice of one visit, darker to lighter for rarer to more I/Os",
    );
    figure(
        page,
        ids,
        "inside",
        "Throughput inside the visits",
        "since the load began; what is grey is settling and does not count",
    );
    close(page);
}

fn over_time(page: &mut Page, ids: &Ids, classes: &Classes<'_>) {
    open(
        page,
        ids,
        "over-time",
        "Over the time of the run",
        "Every visit with the rate that it found; a click chooses its point.",
    );
    for load in &classes.loads {
        let about = format!("of {}, visit by visit", load.noun());
        figure(page, ids, &format!("run-{}", load.name), load.unit(), &about);
    }
    close(page);
}
