//! The panels of a picture with lines, in the characters of a terminal.
//!
//! Must not choose a figure.

use super::canvas::{Canvas, Dot, Mark};
use super::style::{Ink, Style};
use crate::document::picture::{Line, Lines, Panel, Picture, Shape};
use crate::page::Page;
use rigel_core::units::say::short;

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

/// A panel with lines: its title, the lines, and its colour.
type Plot<'a> = (&'a str, &'a Lines, Ink);

/// The charts, side by side in pairs.
pub(crate) fn charts(picture: &Picture, style: Style) -> String {
    let inks = [Ink::Small, Ink::Large].into_iter().cycle();
    let all: Vec<Plot<'_>> =
        picture.0.iter().zip(inks).filter_map(|(panel, ink)| drawing(panel, ink)).collect();
    let mut page = Page::default();
    all.chunks(2).for_each(|beside| side_by_side(&mut page, beside, style));
    page.into_string()
}

fn drawing(panel: &Panel, ink: Ink) -> Option<Plot<'_>> {
    match &panel.shape {
        Shape::Lines(lines) => Some((&panel.title, lines, ink)),
        Shape::Bars(_) => None,
    }
}

fn side_by_side(page: &mut Page, panels: &[Plot<'_>], style: Style) {
    let charts: Vec<Vec<String>> = panels.iter().map(|panel| drawn(panel, style)).collect();
    for row in 0..charts.iter().map(Vec::len).max().unwrap_or(0) {
        let mut line = String::new();
        for (place, chart) in charts.iter().enumerate() {
            let text = chart.get(row).map_or("", String::as_str);
            let last = place + 1 == charts.len();
            let padding = if last { 0 } else { (WIDTH + GAP).saturating_sub(text.chars().count()) };
            line += &style.painted(panels[place].2, if last { text.trim_end() } else { text });
            line += &" ".repeat(padding);
        }
        page.line(line.trim_end());
    }
}

/// Title, rows of dots with the vertical axis, the horizontal axis and its labels.
fn drawn((title, lines, _): &Plot<'_>, style: Style) -> Vec<String> {
    let dots = lines.lines.iter().flat_map(|line| &line.dots);
    let highest = dots.map(|dot| dot.ends.map_or(dot.up, |(_, high)| high.max(dot.up)));
    let end = axis_end(highest.fold(0.0, f64::max));
    let mut canvas = Canvas::new(COLUMNS, ROWS, style.ascii);
    let scale = Across::of(lines, canvas.width());
    lines.lines.iter().for_each(|line| plot(&mut canvas, line, &scale, end));
    let (bar, corner, rule) = if style.ascii { ('|', '+', "-") } else { ('│', '└', "─") };
    let mut rows = vec![title.chars().take(WIDTH).collect()];
    for (row, dots) in (0..ROWS).zip(canvas.lines()) {
        let label = match row {
            0 => short(end),
            _ if row == ROWS / 2 => short(end * f64::from(ROWS - row) / f64::from(ROWS)),
            _ => String::new(),
        };
        rows.push(format!("{label:>5} {bar}{dots}"));
    }
    rows.push(format!("{:>5} {corner}{}", 0, rule.repeat(usize::from(COLUMNS))));
    rows.push(under_axis(lines, &scale, canvas.width() / COLUMNS));
    rows
}

/// Positions of values from left to right.
struct Across {
    ends: (f64, f64),
    is_log: bool,
    width: u16,
}

impl Across {
    fn of(lines: &Lines, width: u16) -> Self {
        let all = lines.lines.iter().flat_map(|line| &line.dots).map(|dot| dot.across);
        let ends =
            all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(one), high.max(one)));
        Self { ends, is_log: lines.across.is_log, width }
    }

    fn dot(&self, value: f64) -> u16 {
        let along = |value: f64| if self.is_log { value.ln() } else { value };
        let (low, high) = self.ends;
        let share = (along(value) - along(low)) / (along(high) - along(low));
        // The dot at or before it.
        let wanted = share * f64::from(self.width - 1) + 1e-9;
        let before = (1..self.width).take_while(|&dot| f64::from(dot) <= wanted).count();
        u16::try_from(before).unwrap_or(0)
    }
}

/// Draws a line up to `end`.
fn plot(canvas: &mut Canvas, line: &Line, scale: &Across, end: f64) {
    let height = canvas.height();
    let up = |rate: f64| nearest(rate / end, height);
    let mut before: Option<Dot> = None;
    for one in &line.dots {
        let dot = (scale.dot(one.across), up(one.up));
        if let Some(before) = before {
            canvas.line(before, dot, Mark::Line);
        }
        if let Some((lo, hi)) = one.ends {
            canvas.line((dot.0, up(lo)), (dot.0, up(hi)), Mark::Whisker);
        }
        canvas.set(dot, Mark::Point);
        before = Some(dot);
    }
}

/// The dot, of this many, at a share of the whole height.
fn nearest(share: f64, dots: u16) -> u16 {
    let wanted = share * f64::from(dots - 1) + 0.5;
    let below = (1..dots).take_while(|&dot| f64::from(dot) <= wanted).count();
    u16::try_from(below).unwrap_or(0)
}

/// The end of an axis that fits a number: 5000 for 4032.
fn axis_end(highest: f64) -> f64 {
    if !(highest > 0.0 && highest.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powf(highest.log10().floor());
    ENDS.iter().map(|factor| factor * power).find(|end| *end >= highest).unwrap_or(10.0 * power)
}

/// The levels under their dots: the first, the last, and those between that fit.
fn under_axis(lines: &Lines, scale: &Across, dots_per_column: u16) -> String {
    let mut line = vec![' '; WIDTH];
    let dots = lines.lines.first().map_or(&[][..], |line| &line.dots);
    let last = dots.len().saturating_sub(1);
    for place in [0, last].into_iter().chain(1..last) {
        let Some(dot) = dots.get(place) else { continue };
        let label: Vec<char> = (lines.across.write)(dot.across).chars().collect();
        let middle = usize::from(LABELS + scale.dot(dot.across) / dots_per_column);
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
