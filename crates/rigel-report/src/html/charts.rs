//! The places of the charts, each with a caption that says what it shows. The page's script draws them.
//!
//! Must not offer a chart that the run has no numbers for.

use super::ids::Ids;
use super::markup::chart;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::PointFindings;
use rigel_core::load::workload::Class;

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
    let small = view.has(Class::Small);
    let large = view.has(Class::Large);
    over_load(page, view, ids, small, large);
    if points.is_empty() {
        return;
    }
    matrix(page, ids, small, large);
    interference(page, points, ids);
    one_point(page, ids);
    over_time(page, ids, small, large);
}

fn open(page: &mut Page, ids: &Ids, name: &str, title: &str, about: &str) {
    let id = ids.of(name);
    page.line(format_args!("<section class=\"drawn-only\" id=\"{id}\">\n<h2>{title}</h2>\n<p class=\"about\">{about}</p>\n<div class=\"charts\">"));
}

fn close(page: &mut Page) {
    page.line("</div>\n</section>");
}

fn figure(page: &mut Page, ids: &Ids, name: &str, title: &str, about: &str) {
    chart(page, ids.of(name), title, about);
}

fn over_load(page: &mut Page, view: &View<'_>, ids: &Ids, small: bool, large: bool) {
    open(
        page,
        ids,
        "over-load",
        "Over the load",
        "Bands and whiskers are the 95 % intervals; <b>!</b> marks a point with flags of its own, <b>✕</b> one whose numbers must \
         not be used. A click chooses a point. With the keyboard: arrows step through the points, Enter chooses, + and - zoom, \
         0 shows all.",
    );
    if small {
        figure(
            page,
            ids,
            "iops",
            "IOPS",
            "of small I/O over the outstanding small I/Os, a line for each number of outstanding large I/Os",
        );
    }
    if large {
        figure(
            page,
            ids,
            "mbps",
            "MBPS",
            "of large I/O over the outstanding large I/Os, a line for each number of outstanding small I/Os",
        );
    }
    if small || large {
        let class = if small { "small" } else { "large" };
        let about = format!(
            "of {class} I/O: mean, median (p50) and 99th percentile (p99) at <label><select id=\"{}\" \
             aria-label=\"Level of the other class\"></select></label>",
            ids.of("latency-level")
        );
        figure(page, ids, "latency", "Latency", &about);
    }
    for curve in &view.findings.curves {
        let class = curve.class.name();
        figure(
            page,
            ids,
            &format!("search-{class}"),
            "Search",
            &format!("of what saturates {class} I/O alone"),
        );
    }
    close(page);
}

fn matrix(page: &mut Page, ids: &Ids, small: bool, large: bool) {
    open(page, ids, "matrix", "The matrix", "Each cell is a point; the chosen one has a thick border.");
    if small {
        figure(page, ids, "heat-iops", "IOPS", "of small I/O");
    }
    if large {
        figure(page, ids, "heat-mbps", "MBPS", "of large I/O");
    }
    figure(page, ids, "heat-latency", "Mean latency", if small { "of small I/O" } else { "of large I/O" });
    close(page);
}

/// Whether points with both classes have their likes with one of them.
fn interference(page: &mut Page, points: &[PointFindings], ids: &Ids) {
    let alone = |class: Class| {
        points.iter().any(|found| found.point.of(class) > 0 && found.point.of(class.other()) == 0)
    };
    let both = points.iter().any(|found| found.point.small > 0 && found.point.large > 0);
    if !both || !(alone(Class::Small) || alone(Class::Large)) {
        return;
    }
    open(
        page,
        ids,
        "interference",
        "Interference",
        "What one class loses of its rate alone when the other is added. The relative widths of both rates add up in quadrature, as \
         those of independent means.",
    );
    if alone(Class::Small) {
        figure(
            page,
            ids,
            "loss-small",
            "Loss of IOPS",
            "of small I/O over the large I/Os added, a line for each number of small ones",
        );
    }
    if alone(Class::Large) {
        figure(
            page,
            ids,
            "loss-large",
            "Loss of MBPS",
            "of large I/O over the small I/Os added, a line for each number of large ones",
        );
    }
    close(page);
}

fn one_point(page: &mut Page, ids: &Ids) {
    let [section, point, own, small, large, chosen] =
        ["one-point", "point", "own", "own-small", "own-large", "chosen"].map(|name| ids.of(name));
    page.line(format_args!(
        "<section id=\"{section}\">\n<h2>One point</h2>\n<div class=\"picker\"><label>Point <select id=\"{point}\"></select></label>\
         <label><input type=\"radio\" name=\"{own}\" id=\"{small}\"> small I/O</label><label><input type=\"radio\" name=\"{own}\" \
         id=\"{large}\"> large I/O</label></div>\n<p class=\"chosen\" id=\"{chosen}\" aria-live=\"polite\"></p>\n<div class=\"charts\">"
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

fn over_time(page: &mut Page, ids: &Ids, small: bool, large: bool) {
    open(
        page,
        ids,
        "over-time",
        "Over the time of the run",
        "Every visit with the rate that it found; a click chooses its point.",
    );
    if small {
        figure(page, ids, "run-small", "IOPS", "of small I/O, visit by visit");
    }
    if large {
        figure(page, ids, "run-large", "MBPS", "of large I/O, visit by visit");
    }
    close(page);
}
