//! A small chart for each class: its rate against its load level, with the intervals.
//!
//! Each class where the others load least. Points whose numbers must not be used are left out and counted. Must not
//! compute a figure.

use super::canvas::{Canvas, Dot, Mark};
use super::style::{Ink, Style};
use crate::numbers::short;
use crate::page::Page;
use crate::view::View;
use rigel_core::judge::findings::PointFindings;
use rigel_core::load::class::{Class, Figure, LoadClass};
use rigel_core::load::matrix::Point;
use rigel_core::path_text::printable;
use std::collections::BTreeMap;

/// Characters of a chart, with its labels; two of them and the gap fill a line.
const WIDTH: usize = 39;
const GAP: usize = 2;
/// Rows of dots.
const ROWS: u16 = 8;
/// Characters left of the dots: a number, a blank and the axis.
const LABELS: u16 = 7;
const COLUMNS: u16 = 39 - LABELS;
/// Ends of an axis, as factors of a power of ten: the smallest that holds everything is taken.
const ENDS: [f64; 11] = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];

/// One measured rate.
struct Sample {
    level: u32,
    rate: f64,
    /// Both ends of the interval.
    ends: Option<(f64, f64)>,
}

/// The rates of a class while the others keep their levels.
struct Curve<'a> {
    class: &'a LoadClass,
    /// The levels of the other classes.
    beside: Point,
    samples: Vec<Sample>,
    left_out: usize,
}

/// The charts, two beside each other; nothing for a class without two levels.
pub(super) fn section(view: &View<'_>, style: Style) -> String {
    let loads = view.loads();
    let curves: Vec<Curve<'_>> = loads.iter().filter_map(|class| curve(view, class)).collect();
    let mut page = Page::default();
    curves.chunks(2).for_each(|beside| side_by_side(&mut page, beside, style));
    page.into_string()
}

fn side_by_side(page: &mut Page, curves: &[Curve<'_>], style: Style) {
    let charts: Vec<Vec<String>> = curves.iter().map(|curve| drawn(curve, style)).collect();
    for row in 0..charts.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        for (place, chart) in charts.iter().enumerate() {
            let text = chart.get(row).map_or("", String::as_str);
            let last = place + 1 == charts.len();
            let padding = if last { 0 } else { (WIDTH + GAP).saturating_sub(text.chars().count()) };
            line += &style.painted(ink(curves[place].class), if last { text.trim_end() } else { text });
            line += &" ".repeat(padding);
        }
        page.line(line.trim_end());
    }
}

const fn ink(class: &LoadClass) -> Ink {
    match class.figure {
        Figure::Rate(_) => Ink::Small,
        Figure::Mbps => Ink::Large,
    }
}

/// The points of a class where the others have their lowest levels that two of them share.
fn curve<'a>(view: &View<'_>, class: &'a LoadClass) -> Option<Curve<'a>> {
    let mut rows: BTreeMap<(u64, Point), Vec<&PointFindings>> = BTreeMap::new();
    for found in view.findings.points.iter().filter(|found| found.io(class.name).is_some()) {
        let beside = found.point.without(class.name);
        rows.entry((beside.sum(), beside)).or_default().push(found);
    }
    let ((_, beside), points) = rows.into_iter().find(|(_, points)| points.len() > 1)?;
    let (invalid, good): (Vec<&PointFindings>, Vec<&PointFindings>) =
        points.into_iter().partition(|found| found.invalid());
    let mut samples: Vec<Sample> = good.into_iter().filter_map(|found| sample(found, class.name)).collect();
    samples.sort_by_key(|sample| sample.level);
    (samples.len() > 1).then_some(Curve { class, beside, samples, left_out: invalid.len() })
}

fn sample(found: &PointFindings, class: Class) -> Option<Sample> {
    let rate = found.io(class)?.rate();
    let level = found.point.of(class);
    rate.value.is_finite().then(|| Sample { level, rate: rate.value, ends: rate.ends() })
}

/// Title, rows of dots with the vertical axis, the horizontal axis and its labels.
fn drawn(curve: &Curve<'_>, style: Style) -> Vec<String> {
    let highest =
        curve.samples.iter().map(|sample| sample.ends.map_or(sample.rate, |(_, hi)| hi.max(sample.rate)));
    let end = axis_end(highest.fold(0.0, f64::max));
    let mut canvas = Canvas::new(COLUMNS, ROWS, style.ascii);
    let dots = plot(&mut canvas, curve, end);
    let (bar, corner, rule) = if style.ascii { ('|', '+', "-") } else { ('│', '└', "─") };
    let mut lines = vec![title(curve)];
    for (row, dots) in (0..ROWS).zip(canvas.lines()) {
        let label = match row {
            0 => short(end),
            _ if row == ROWS / 2 => short(end * f64::from(ROWS - row) / f64::from(ROWS)),
            _ => String::new(),
        };
        lines.push(format!("{label:>5} {bar}{dots}"));
    }
    lines.push(format!("{:>5} {corner}{}", 0, rule.repeat(usize::from(COLUMNS))));
    lines.push(under_axis(curve, &dots, canvas.width() / COLUMNS));
    lines
}

fn title(curve: &Curve<'_>) -> String {
    let mut title = format!("{} by {}", printable(curve.class.unit()), curve.class.title());
    if curve.class.places.is_some() {
        title = format!("{} of {} by place", printable(curve.class.unit()), curve.class.noun());
    } else if curve.class.is_query() {
        title = format!("{} by {}", printable(curve.class.unit()), curve.class.axis());
    } else if curve.class.appends() {
        title += " writers";
    } else if curve.class.is_open() {
        title += " arrivals per second";
    } else if curve.beside.sum() == 0 && curve.left_out == 0 {
        title += " outstanding";
    }
    for (other, level) in curve.beside.classes() {
        title += &format!(", {other} {level}");
    }
    if curve.left_out > 0 {
        title += &format!(" ({} left out)", curve.left_out);
    }
    title.chars().take(WIDTH).collect()
}

/// Draws the curve up to `end`; gives where from the left each point is.
fn plot(canvas: &mut Canvas, curve: &Curve<'_>, end: f64) -> Vec<u16> {
    let (first, last) = (curve.samples[0].level, curve.samples[curve.samples.len() - 1].level);
    let (width, height) = (canvas.width(), canvas.height());
    let across = |level: u32| {
        let way = u64::from(level - first) * u64::from(width - 1) / u64::from((last - first).max(1));
        u16::try_from(way).unwrap_or(width - 1)
    };
    let up = |rate: f64| nearest(rate / end, height);
    let mut before: Option<Dot> = None;
    for sample in &curve.samples {
        let dot = (across(sample.level), up(sample.rate));
        if let Some(before) = before {
            canvas.line(before, dot, Mark::Line);
        }
        if let Some((lo, hi)) = sample.ends {
            canvas.line((dot.0, up(lo)), (dot.0, up(hi)), Mark::Whisker);
        }
        canvas.set(dot, Mark::Point);
        before = Some(dot);
    }
    curve.samples.iter().map(|sample| across(sample.level)).collect()
}

/// The dot, of so many, that lies at a share of the whole height.
fn nearest(share: f64, dots: u16) -> u16 {
    let wanted = share * f64::from(dots - 1) + 0.5;
    let below = (1..dots).take_while(|&dot| f64::from(dot) <= wanted).count();
    u16::try_from(below).unwrap_or(0)
}

/// The end of an axis that holds a number: 4032 is held by 5000.
fn axis_end(highest: f64) -> f64 {
    if !(highest > 0.0 && highest.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(highest.log10().floor());
    ENDS.iter().map(|factor| factor * power).find(|end| *end >= highest).unwrap_or(10.0 * power)
}

/// The levels under their dots: the first, the last, and between them what has room.
fn under_axis(curve: &Curve<'_>, dots: &[u16], dots_per_column: u16) -> String {
    let mut line = vec![' '; WIDTH];
    let last = curve.samples.len() - 1;
    for place in [0, last].into_iter().chain(1..last) {
        let label: Vec<char> = curve.samples[place].level.to_string().chars().collect();
        let middle = usize::from(LABELS + dots[place] / dots_per_column);
        let from = middle.saturating_sub((label.len() - 1) / 2).min(WIDTH - label.len().min(WIDTH));
        let to = (from + label.len()).min(WIDTH);
        // A blank to either side.
        if line[from.saturating_sub(1)..(to + 1).min(WIDTH)].iter().all(|c| *c == ' ') {
            line.splice(from..to, label);
        }
    }
    line.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_above_everything() {
        for (highest, end) in
            [(4032.0, 5000.0), (1.0, 1.0), (0.0, 1.0), (f64::NAN, 1.0), (131.12, 150.0), (9_999.0, 10_000.0)]
        {
            let found = axis_end(highest);
            assert!((found - end).abs() < 1e-9 * end, "{highest}: {found}");
        }
        assert!(axis_end(1e300) >= 1e300);
    }

    #[test]
    fn heights_are_to_the_nearest_dot() {
        assert_eq!([0.0, 0.01, 0.5, 0.99, 1.0, 7.0].map(|share| nearest(share, 32)), [0, 0, 16, 31, 31, 31]);
        assert_eq!(nearest(f64::NAN, 32), 0);
    }
}
